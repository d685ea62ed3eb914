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

# What nothing uses is told: materials, pairs, and keys of contacts that the method of the bed has not; not when the method is
# set from outside.
cat >unused.yaml <<'YAML'
maraca: 1
materials:
  glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4, cohesion: 1 mN}
  steel: {density: 7800 kg/m^3}
  lead: {density: 11344 kg/m^3}
  brass: {density: 8500 kg/m^3}
pairs:
  gs: {between: [glass, steel], friction: 0.2}
  ss: {between: [steel, steel], friction: 0.2}
grains:
  rigid:
    wall: {box: {size: 20 20 20 mm, center: 0 0 50 mm}, material: steel}
    particles: {radius: 1 mm, count: 10, material: glass}
    packing: cubic
    method: nonsmooth
    contact: {stiffness: 500 N/m, normal: hertz, cohesion: none, theta: 0.6, impact_speed: 1 m/s}
  dynamics:
    wall: {box: {size: 20 20 20 mm}, material: steel}
    particles: {radius: 1 mm, count: 10, material: glass}
    packing: cubic
    method: nscd
    contact: {rolling: spring, theta: 0.6, bounce: 1 mm/s, cohesion: constant}
  soft:
    wall: {box: {size: 20 20 20 mm, center: 0 0 99 mm}, material: brass}
    particles: {radius: 1 mm, count: 10, material: glass}
    packing: cubic
    contact: {stiffness: 500 N/m, bounce: 1 mm/s, solver: {tolerance: 1e-6}, tangential: directional}
simulate: {duration: 0.1 s, step: 10 us}
YAML
expect 0 check unused.yaml
grep -o ' warning: .*' err | cut -c 11- >told
cat >wanted <<'END'
material 'lead' is used nowhere
pair 'ss' is used nowhere: 'steel' and 'steel' touch in no bed
unused by 'method: nonsmooth': 'normal', 'stiffness', 'theta'
unused: 'cohesion: none' is of 'method: smooth'; rigid grains have the 'cohesion' of their materials
unused by 'method: nscd': 'rolling'
unused by 'method: smooth': 'bounce', 'solver'
END
same wanted told
expect 0 check unused.yaml --set grains.soft.method=nonsmooth
grep -q "unused by 'method: nonsmooth': 'stiffness', 'tangential'" err && fail "a method that was set from outside"
exit 0
