#!/usr/bin/env bash
# A run that was killed at any moments, and resumed each time, ends with the same bytes as one left alone; and
# whatever moment it was, its folder can be read.
source "$(dirname "$0")/common.bash"

# Intervals that are not multiples of each other: samples, pictures and checkpoints fall on different steps, and
# the end is not a sampling time.
model=("$moving_box" --set "simulate.duration=30.3 ms" --set "record.every=0.7 ms" --set "frames.every=3.1 ms"
    --set "checkpoint.every=2 ms" --set "periods={port: shaker, frequency: 171 Hz, skip: 1}")

expect 0 run "${model[@]}" -q -o alone
check_folder alone
[[ ! -e alone/run.lock ]] || fail "a finished run leaves its lock behind"

same_results() {
    same alone/series.csv "$1/series.csv"
    same alone/periods.csv "$1/periods.csv"
    same alone/frames.pvd "$1/frames.pvd"
    same alone/model.yaml "$1/model.yaml"
    for picture in alone/frames/*.vtp; do same "$picture" "$1/frames/$(basename "$picture")"; done
    [[ $(ls alone/frames) == "$(ls "$1/frames")" ]] || fail "$1 has other pictures than alone"
    [[ $(number alone/summary.json steps) == "$(number "$1/summary.json" steps)" ]] || fail "$1 counts other steps"
    [[ -z $(find "$1" -name '*.partial') ]] || fail "$1 is finished, but holds half a file"
}

# Each attempt may take a little longer, so that the last one surely gets to the end.
kill_until_done() {
    local folder=$1 attempt=0 kills=0 delay process
    rm -rf "$folder"
    while :; do
        attempt=$((attempt + 1))
        delay=$((RANDOM % (100 + 50 * attempt)))
        "$maraca" run "${model[@]}" -q -o "$folder" --resume 2>err >out &
        process=$!
        sleep "$((delay / 1000)).$(printf '%03d' $((delay % 1000)))"
        if kill -KILL $process 2>/dev/null; then kills=$((kills + 1)); fi
        wait $process 2>/dev/null && break
        check_folder "$folder"
        [[ $attempt -lt 100 ]] || fail "the run does not get on"
    done
    check_folder "$folder"
    same_results "$folder"
    echo "$folder: killed $kills times"
}
for number in 1 2 3; do kill_until_done killed-$number; done

# Resuming a finished run changes nothing.
find killed-1 -type f -exec cksum {} + | sort >before
expect 0 run "${model[@]}" -o killed-1 --resume
says err "nothing left to do"
says out "balance closes"
find killed-1 -type f -exec cksum {} + | sort | cmp - before || fail "resuming a finished run changed its folder"

# ... unless it was killed just before the summary.
rm killed-1/summary.json
expect 0 run "${model[@]}" -q -o killed-1 --resume
check_folder killed-1
same_results killed-1

# Another model is refused, and the folder left alone.
expect 2 run "${model[@]}" -o killed-1 --resume --set constants.f="11 Hz"
says err "another model" "--resume"
same_results killed-1

# A damaged checkpoint is refused: cut off, changed in the middle, empty.
for damage in "truncate -s -1000" "truncate -s 0" "truncate -s +1" \
    "dd if=/dev/urandom bs=1 seek=9000 count=8 conv=notrunc status=none of="; do
    cp -r killed-2 damaged
    if [[ $damage == dd* ]]; then eval "${damage}damaged/checkpoint.h5"; else eval "$damage damaged/checkpoint.h5"; fi
    expect 2 run "${model[@]}" -o damaged --resume
    says err "checkpoint.h5" "without --resume the run starts over"
    expect 2 run "${model[@]}" -o damaged --resume --json
    is_json out
    same killed-2/series.csv damaged/series.csv
    rm -rf damaged
done

# So is a series that is not the checkpoint's.
cp -r killed-2 damaged
truncate -s -10 damaged/series.csv
expect 2 run "${model[@]}" -o damaged --resume
says err "series.csv"

# Without a checkpoint it starts from the beginning, and says so.
rm killed-3/checkpoint.h5
expect 0 run "${model[@]}" -o killed-3 --resume
says err "no checkpoint" "from the beginning"
same_results killed-3

# Without --resume it starts over; what an earlier, longer run left is gone.
expect 0 run "$moving_box" --set "simulate.duration=1 ms" --set "frames.every=1 ms" -o killed-3
says err "held an earlier run"
check_folder killed-3
[[ $(find killed-3/frames -type f | wc -l) -eq 4 ]] || fail "pictures of the earlier run are still there"
