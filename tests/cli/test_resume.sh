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

signals() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["signals"])' "$1/summary.json"; }
same_results() {
    [[ $(signals alone) == "$(signals "$1")" ]] || fail "$1 has other means of its signals"
    same alone/series.csv "$1/series.csv"
    # One that was extended keeps the interval of its replay, which follows from the duration at the start.
    [[ $1 == extended ]] || same alone/replay.bin "$1/replay.bin"
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

# A longer duration extends a run, a finished one and a stopped one; the result is that of a run that was long from the
# start. 17.3 ms is no sampling time: the row at the end of the shorter run goes. After three periods the shorter run has
# written a row of periods.csv at its end: it stays the only one.
for end in "17.3 ms" "16.8 ms" "3/(171 Hz)"; do
    rm -rf extended
    expect 0 run "${model[@]}" --set "simulate.duration=$end" -q -o extended
    expect 0 run "${model[@]}" -q -o extended --resume
    check_folder extended
    same_results extended
done
# A kill between the new checkpoint and the new model.yaml does no harm.
expect 0 run "${model[@]}" --set "simulate.duration=17.3 ms" -q -o extended
cp extended/model.yaml short.yaml
expect 0 run "${model[@]}" -q -o extended --resume
cp short.yaml extended/model.yaml
expect 0 run "${model[@]}" -q -o extended --resume
same alone/series.csv extended/series.csv
# A duration that the run has passed is refused.
expect 2 run "${model[@]}" --set "simulate.duration=10 ms" -o extended --resume
says err "beyond the duration of 0.01 s"
# Automatic values that depend on the duration stay as they were, and model.yaml says so; it gives the same when run anew.
automatic=("$moving_box" --set "record={series: [damper.center]}" --set "ports.shaker.position=[0, 0, \"1 mm*sin(2*pi*(100 Hz + 4000 Hz*t/(1 s))*t)\"]"
    --set "grains.damper.contact={stiffness: sized}" --set "simulate.step=auto")
expect 0 run "${automatic[@]}" --set "simulate.duration=10 ms" -q -o automatic
expect 0 run "${automatic[@]}" --set "simulate.duration=20 ms" -o automatic --resume
says err "the step, the speed or stiffness of contacts, the time between samples: chosen by the program for a duration of 10 ms and kept"
says automatic/model.yaml "planned: 10 ms"
expect 0 run automatic/model.yaml -q -o anew
same automatic/series.csv anew/series.csv
expect 0 run "${automatic[@]}" --set "simulate.duration=30 ms" -q -o automatic --resume
expect 0 run automatic/model.yaml -q -o anew
same automatic/series.csv anew/series.csv

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
