#!/usr/bin/env bash
# Rigid grains in cases that cannot go well: each ends with a clear error or a reported residual, none hangs, and what
# could not be solved is kept.
source "$(dirname "$0")/common.bash"

cat >bed.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0}}
grains:
  bed:
    method: nonsmooth
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 1 mm, count: 20, material: glass}
    packing: {random: {seed: 2}}
simulate: {duration: 20 ms, step: 0.2 ms}
record: {every: 1 ms}
YAML

# Overlapping grains at the start: deep ones are refused, in the same place or nearly so; shallow ones are pushed apart.
printf 'x[mm],y[mm],z[mm]\n0,0,-9\n1.2,0,-9\n0,0.3,-7.5\n' >deep.csv
printf 'x[mm],y[mm],z[mm]\n0,0,-9\n0,0,-9\n' >same.csv
printf 'x[mm],y[mm],z[mm]\n0,0,-9\n1.9,0,-9\n5,0,-7.1\n' >shallow.csv
for file in deep same shallow; do
    wanted=1
    [[ $file == shallow ]] && wanted=0
    expect $wanted run bed.yaml -q -o "$file" --set "grains.bed.particles={radius: 1 mm, material: glass}" \
        --set "grains.bed.packing={file: {path: $file.csv}}"
    [[ $file == shallow ]] || says err "overlaps grain 1" "max_overlap"
done
[[ $(number shallow/summary.json unsolved) == 0 ]] || fail "a shallow overlap was not solved"

# No mass; a container smaller than a grain.
expect 2 run bed.yaml -q -o none --set materials.glass.density=0
says err "'density' is '0', but it must be greater than 0"
expect 2 run bed.yaml -q -o none --set "grains.bed.wall.box.size=1 1 1 mm" --set grains.bed.particles.count=1
says err "a grain of diameter 2 mm does not fit into 'wall', which is 1 mm wide"

# More grains than settle below the lid: told before the run, with what to change.
expect 2 run bed.yaml -q -o none --set "grains.bed.wall={cylinder: {radius: 25 mm, height: 50 mm, axis: z}}" \
    --set "grains.bed.particles={radius: 6 mm, count: 53, material: glass}" \
    --set "grains.bed.packing={settle: {cache: false}}"
says err "the room is too full" "take fewer or smaller grains, or a larger room"

# Friction of 10 in a cone, with both laws: solved, or told.
for law in relaxed coulomb; do
    expect 0 run bed.yaml -o friction --set materials.glass.friction=10 --set grains.bed.contact.law=$law \
        --set "grains.bed.wall={cone: {radius_start: 1 mm, radius_end: 9 mm, height: 20 mm}}" \
        --set "grains.bed.contact.solver={iterations: 300}" --set "simulate.duration=40 ms"
    residual=$(number friction/summary.json worst_residual)
    [[ -n $residual ]] || fail "the worst residual is not told"
    [[ $(number friction/summary.json above_tolerance) == 0 ]] || says out "above the tolerance"
done

# Jaws that close on grains: no solver satisfies that. It is told when it begins, it ends, and the problem is kept.
cat >jaws.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, friction: 0.5, restitution: 0}}
ports:
  left: {position: [20 mm/s*t, 0, 0]}
  right: {position: [-20 mm/s*t, 0, 0]}
grains:
  squeezed:
    method: nonsmooth
    walls:
      left_jaw: {plane: {point: -3 0 0 mm, normal: x}, port: left}
      right_jaw: {plane: {point: 3 0 0 mm, normal: -x}, port: right}
      floor: {plane: {point: 0 0 -5 mm, normal: z}}
    particles: {radius: 1 mm, material: steel}
    packing: {file: {path: jaws.csv}}
    contact: {max_overlap: 0.2, solver: {iterations: 1000}}
simulate: {duration: 400 ms, step: 0.2 ms}
record: {every: 1 ms}
YAML
printf 'x[mm],y[mm],z[mm]\n-1.1,0,-4\n1.1,0,-4\n0,0,-2.4\n' >jaws.csv
expect 1 run jaws.yaml -o jaws
says err "the contact problem was not solved" "overlap" "see whether walls squeeze the grains"
[[ $(head -1 jaws/unsolved.txt) == "maraca contact problem 1" && $(tail -1 jaws/unsolved.txt) == end ]] ||
    fail "the unsolved problem is not kept"
[[ $(grep -c ^impulse jaws/unsolved.txt) == $(grep -c ^contact jaws/unsolved.txt) ]] || fail "no impulses with it"
[[ $(number jaws/summary.json unsolved) -gt 10 ]] || fail "unsolved steps are not counted"
# Allowed to go on, it ends all the same, soon after impulses have left what the motion explains.
expect 1 run jaws.yaml -q -o on --set grains.squeezed.contact.max_overlap=0.99
says err "maraca run: " "walls squeeze the grains: in 20 steps in a row" "Rigid grains cannot give way"
[[ $(number on/summary.json problems) -lt 400 ]] || fail "squeezed grains went on for long"

# Problems are kept for study when asked for.
expect 0 run bed.yaml -q -o kept --problems 25
[[ $(ls kept/problems | wc -l) == 4 ]] || fail "not four problems: $(ls kept/problems)"
