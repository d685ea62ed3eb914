#!/usr/bin/env bash
# Models with a mechanism from outside: run, stop and resume, pictures, modes.
source "$(dirname "$0")/common.bash"

four_bar=$project/examples/four-bar.yaml
cantilever=$project/examples/cantilever.yaml
model=("$four_bar" --set "simulate.duration=0.5 s" --set "record.every=7 ms" --set "frames.every=33 ms"
    --set "checkpoint.every=20 ms")

# ---- a run: what is told, what is written
expect 0 run "${model[@]}" -o alone
says out "3 nodes" "Newton iterations per step" "numerical dissipation"
check_folder alone
[[ -s alone/frames/mechanism-000000.vtp ]] || fail "no picture of the mechanism"
says alone/frames.pvd 'name="mechanism"'
says alone/summary.json '"mechanism": {' '"iterations":' '"violation":' '"assembly": {'
head -1 alone/series.csv >names
says names "crank.rz[rad]" "A.fx[N]" "A.mz[N*m]" "energy.algorithm[J]"

# ---- stopped and resumed, killed and resumed: the same bytes
"$maraca" run "${model[@]}" -q -o stopped 2>err >out &
process=$!
wait_for stopped/checkpoint.h5 $process && kill -INT $process
wait $process
expect 0 run "${model[@]}" -q -o stopped --resume
"$maraca" run "${model[@]}" -q -o killed 2>err >out &
process=$!
wait_for killed/checkpoint.h5 $process && kill -KILL $process
wait $process 2>/dev/null
expect 0 run "${model[@]}" -q -o killed --resume
for folder in stopped killed; do
    check_folder $folder
    same alone/series.csv $folder/series.csv
    same alone/frames.pvd $folder/frames.pvd
    for picture in alone/frames/*.vtp; do same "$picture" "$folder/frames/$(basename "$picture")"; done
done
expect 0 run "${model[@]}" -q -o one --threads 1
same alone/series.csv one/series.csv

# ---- a start that the joints do not allow is put right, and said; one they cannot is an error
expect 0 run "$four_bar" --set "simulate.duration=2 ms" -o moved \
    --set "mechanism.joints.D={revolute: rocker, offsets: [0 -0.15 0 m, 0.4 0.001 0 m], axis: z}"
says err "the joints were closed by moving nodes"
printf 'include: %s\nmechanism: {joints: {E: {clamp: rocker}}}\n' "$four_bar" >redundant.yaml
expect 2 run redundant.yaml --set "simulate.duration=2 ms" -o redundant
says err "E"

# ---- modes
expect 0 modes "$cantilever" -n 3
says out "mode  frequency [Hz]" "15.6" "most at shell"
[[ $(grep -cE '^ +[0-9]+ +[0-9.]+ ' out) -eq 3 ]] || fail "not three modes: $(cat out)"
expect 0 modes "$cantilever" --count 3 --json -o shapes
is_json out shapes/modes.json
same out shapes/modes.json
says out '"frequency_hz"' '"damping_ratio"' '"state": "start"' '"shell"'
for number in 1 2 3; do
    [[ $(grep -c DataSet shapes/mode-$number.pvd) -eq 24 ]] || fail "mode-$number.pvd has no period"
    while read -r line; do
        [[ -e shapes/$line ]] || fail "mode-$number.pvd names $line, which is not there"
    done < <(sed -nE 's/.*file="([^"]+)".*/\1/p' shapes/mode-$number.pvd)
done
expect 0 modes "$project/examples/rotating-beam.yaml"
says out "steady rotation of 89.61 rad/s"
expect 0 modes "$project/examples/pendulum.yaml"
says err "the start is no equilibrium"
expect 0 modes "$project/examples/pendulum.yaml" --set mechanism.start=equilibrium
says out "about the static equilibrium"
expect 2 modes "$moving_box"
says err "has no 'mechanism'"
expect 2 modes "$cantilever" -o ""
says err "its name is empty"
touch file
expect 2 modes "$cantilever" -o file/below
expect 2 modes "$cantilever" -n 0
echo "mechanisms run, resume and vibrate"
