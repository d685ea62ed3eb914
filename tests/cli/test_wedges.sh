#!/usr/bin/env bash
# Grains that friction locks in corners (world_locked.c): beds at rest weigh right and runs reach their end.
source "$(dirname "$0")/common.bash"

# wedge METHOD FRICTION SEED: two balls of 6 mm across in a box of 10 mm, the upper one between the lower one and two walls.
wedge() {
    cat <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: $2, restitution: 0.3}}
grains:
  bed:
    wall: {box: {size: 10 10 20 mm}}
    particles: {radius: 3 mm, count: 2, material: glass}
    packing: {settle: {seed: $3}}
    method: $1
    contact: {solver: {tolerance: 1e-8}}
simulate: {duration: 60 ms, step: 0.3 ms}
record: {every: 20 ms, series: [bed.load.fz]}
MODEL
}
for method in nonsmooth nscd; do
    for friction in 1 1.5; do
        for seed in 1 2 3; do
            wedge $method $friction $seed >wedge.yaml
            expect 0 run wedge.yaml -q -o wedge
            weight=$(tail -1 wedge/series.csv | awk -F, '{print -$2 / (2 * 2500 * 4 / 3 * 3.14159265358979 * 0.003^3 * 9.81)}')
            awk -v w="$weight" 'BEGIN {exit !(w > 0.9999 && w < 1.0001)}' ||
                fail "$method, friction $friction, bed $seed: weighs $weight of its weight"
            rm -r wedge
        done
    done
done

# Beds whose ports move by themselves have problems of their own: that one is locked changes nothing in the other.
other() {
    cat <<'MODEL'
  other:
    port: cup
    wall: {cylinder: {radius: 9 mm, height: 16 mm, axis: x}}
    particles: {radius: 2 mm, count: 30, material: glass}
    packing: {settle: {seed: 7}}
    method: nonsmooth
ports: {cup: {position: ["60 mm + 2 mm*sin(2*pi*20 Hz*t)", 0 m, 0 m]}}
simulate: {duration: 60 ms, step: 0.3 ms}
record: {every: 1 ms, series: [other.center, other.load]}
MODEL
}
{ wedge nonsmooth 1 1 | sed '/^simulate/,$d' && other; } >both.yaml
{ wedge nonsmooth 1 1 | sed '/^  bed:/,$d' && other; } >alone.yaml
for model in both alone; do expect 0 run $model.yaml -q -o $model; done
grep -q '"locked": [1-9]' both/summary.json || fail "nothing is locked: $(grep locked both/summary.json)"
cmp both/series.csv alone/series.csv || fail "a locked bed changes another one"

# Twelve balls in a box that swings: overlaps of balls that jam in a corner gave 0.88 mJ, which friction took.
cat >swing.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, friction: 0.99412, restitution: 0.60944}}
mechanism:
  bodies: {box: {mass: 20 g, inertia: 10 10 10 g*mm^2, velocity: 0.5 0 0 m/s}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-100 0 0 mm, 0 0 0 mm], stiffness: 200 N/m, damping: 0.02 N*s/m}}
grains:
  damper:
    port: box
    wall: {box: {size: 14 10 10 mm}}
    particles: {radius: 1.5 mm, count: 12, material: steel}
    packing: {settle: {seed: 1}}
    method: nonsmooth
    contact: {solver: {tolerance: 1e-3}}
coupling: {scheme: condensed}
simulate: {duration: 0.1 s, step: 0.5 ms}
record: {every: 1 ms, series: [box.x]}
MODEL
for friction in 0.99412 1 1.2; do
    for seed in 1 2 3 4; do
        expect 0 run swing.yaml -q -o swing --set materials.steel.friction=$friction --set grains.damper.packing.settle.seed=$seed
        rm -r swing
    done
done
