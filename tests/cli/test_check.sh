#!/usr/bin/env bash
# Every example passes `maraca check` with words; every file of tests/bad is refused with a message. The README names every command.
source "$(dirname "$0")/common.bash"

count=0
for model in "$project"/examples/*.yaml; do
    expect 0 check "$model"
    is_empty err
    says out "Simulates" "steps of" "Needs about"
    count=$((count + 1))
done
[[ $count -gt 0 ]] || fail "there are no examples"
[[ -z $(find . -mindepth 1 ! -name out ! -name err) ]] || fail "check leaves files behind"

# The sizes that it states are those of the run.
brief=("$moving_box" --set "simulate.duration=20 ms")
expect 0 check "${brief[@]}" --json
is_json out
mv out stated
expect 0 run "${brief[@]}" -q -o brief
python3 - stated brief <<'END' || fail "the sizes that check states"
import json, os, sys
sizes, folder = json.load(open(sys.argv[1]))["sizes"], sys.argv[2]
rows = open(folder + "/series.csv").read().splitlines()
assert sizes["series_rows"] == len(rows) - 1 and sizes["series_columns"] == len(rows[0].split(","))
frames = [os.path.getsize(folder + "/frames/" + name) for name in os.listdir(folder + "/frames") if "walls" not in name]
assert sizes["frames"] == len(frames), (sizes, len(frames))
for stated, real in ((sizes["series_bytes"], os.path.getsize(folder + "/series.csv")), (sizes["frames_bytes"], sum(frames)),
                     (sizes["checkpoint_bytes"], os.path.getsize(folder + "/checkpoint.h5"))):
    assert 0.5 < stated / real < 2, (stated, real)
END

bad=0
for model in "$project"/tests/bad/*.yaml; do
    [[ -e $model ]] || continue
    override=$(sed -n '1s/^# --set //p' "$model")
    expect 2 check "$model" ${override:+--set "$override"}
    says err "error: "
    is_empty out
    bad=$((bad + 1))
done

# The README names every command.
expect 0 help
for command in $(sed -nE 's/^  ([a-z]+) .*/\1/p' out); do
    [[ $command == help ]] || says "$project/README.md" "\`$command\`"
done
echo "$count examples, $bad broken models"

# Another method is another word, whatever else the model says.
for example in cantilever-damper crank-beam-damper saeki; do
    for method in smooth nonsmooth nscd; do
        expect 0 check "$project/examples/$example.yaml" --set grains.damper.method=$method
    done
    expect 0 check "$project/examples/$example.yaml" --set grains.damper.method=smooth
    says out "sized for overlaps up to 5 %" "elastic friction 0.52"
done

# A wall on a port moves with it, whether the port is named by the wall or by its bed.
glass_bed 10 "simulate: {duration: 1 ms, step: 0.2 ms}" |
    sed 's/^    port: box$//; s/{box: {size: 20 20 20 mm}}/{box: {size: 20 20 20 mm}, port: box}/' >wall_port.yaml
expect 0 check wall_port.yaml
says out "20 mm on port box"
if grep -q "fixed to the ground" out; then fail "the wall on a port is said to be fixed"; fi
