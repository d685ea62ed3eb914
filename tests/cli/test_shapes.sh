#!/usr/bin/env bash
# Grains with faces from outside: the same bytes on one and two threads and after going on from a checkpoint; frames show
# their faces; a wall of bricks from a file stands.
. "$(dirname "$0")/common.bash"

short=(--set simulate.duration='0.2 s' --set grains.ballast.particles.count=60 --set frames.every='0.1 s' -q)
"$maraca" run "$project/examples/stones.yaml" "${short[@]}" --threads 1 -o one.run 2>/dev/null
"$maraca" run "$project/examples/stones.yaml" "${short[@]}" --threads 2 -o two.run 2>/dev/null
cmp one.run/series.csv two.run/series.csv || fail "two threads give other bytes than one"
"$maraca" run "$project/examples/stones.yaml" "${short[@]}" --set simulate.duration='0.1 s' -o half.run 2>/dev/null
"$maraca" run "$project/examples/stones.yaml" "${short[@]}" --resume -o half.run 2>/dev/null
cmp one.run/series.csv half.run/series.csv || fail "a run that was extended gives other bytes"
for part in ballast ballast-bodies ballast-walls; do
    [[ -s one.run/frames/$part-000002.vtp ]] || fail "there is no frame of $part"
done

{
    echo "x[mm],y[mm],z[mm],turn_z[deg]"
    for course in 0 1 2; do
        for brick in 0 1 2; do
            echo "$((brick * 100 + course % 2 * 50)),0,$((course * 50 + 25)),90"
        done
    done
} >bricks.csv
cat >wall.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {clay: {density: 1800 kg/m^3, friction: 0.6}}
grains:
  bricks:
    method: nonsmooth
    wall: {plane: {normal: z}}
    particles: {shape: {box: 50 100 50 mm}, material: clay}
    packing: {file: {path: bricks.csv}}
    contact: {law: coulomb, solver: {tolerance: 1e-8}}
simulate: {duration: 0.1 s, step: 1 ms}
record: {every: 0.1 s, series: [bricks.center]}
YAML
"$maraca" run wall.yaml -q -o wall.run
awk -F, 'NR == 2 { x = $2; z = $4 } END { exit !((x - $2)^2 + (z - $4)^2 < 1e-18) }' wall.run/series.csv ||
    fail "the wall of bricks has moved"
