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

# What the last run reports: number NAME.
number() { sed -n "s/.*\"$1\": \([-+0-9.e]*\),*$/\1/p" "$2"/summary.json | head -1; }

# corner GRAVITY FRICTION COUNT SEED DURATION: balls at rest in a box whose gravity is inclined.
corner() {
    cat <<MODEL
maraca: 1
gravity: $1 m/s^2
materials: {rough: {density: 7800 kg/m^3, friction: $2, restitution: 0.2}}
grains:
  bed:
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 3 mm, count: $3, material: rough}
    packing: {settle: {seed: $4}}
    method: nonsmooth
simulate: {duration: $5, step: 1 ms}
record: {every: 20 ms, series: [bed.load.fz]}
MODEL
}

# A locked bed at rest costs next to nothing: the first step goes to the limit of every method, later ones try in vain ever
# more seldom. (Every sixth step tried at that price: 2000 iterations a step and more.)
for seed in 1 3; do
    corner "0 2 -9.6" 50 8 $seed "0.2 s" >rest.yaml
    expect 0 run rest.yaml -q -o rest
    awk -v n="$(number iterations_mean rest)" 'BEGIN {exit !(n < 300)}' ||
        fail "a locked bed at rest, seed $seed: $(number iterations_mean rest) iterations a step"
    rm -r rest
done

# Beds that a machine couples are locked one by one: where the one on a port at rest is, overlaps of the other are undone to the
# solver's tolerance, 1e-4 of g h^2 = 1e-9 m. (They stayed, and were 9e-9 m after 0.22 s, and growing.)
cat >two.yaml <<'MODEL'
maraca: 1
gravity: 0 2 -9.6 m/s^2
materials:
  rough: {density: 7800 kg/m^3, friction: 1.5, restitution: 0.2}
  glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}
mechanism:
  bodies: {a: {mass: 0.1 kg, inertia: 1 1 1 g*m^2}}
  joints: {ga: {prismatic: a, axis: z}}
  forces: {f: {at: a, force: [0, 0, "1.5 N*sin(2*pi*25 Hz*t)"]}}
  springs: {sa: {between: a, offsets: [0 0 0 mm, 0 0 -100 mm], stiffness: 20 kN/m, damping: 60 N*s/m}}
ports: {fix: {position: [1 m, 0, 0]}, pa: {node: a}}
grains:
  one: {port: pa, wall: {box: {size: 26 26 40 mm}}, particles: {radius: 3 mm, count: 14, material: glass}, packing: settle, method: nonsmooth}
  three: {port: fix, wall: {cylinder: {radius: 14 mm, height: 40 mm}}, particles: {radius: 3 mm, count: 16, material: rough}, packing: settle, method: nonsmooth}
simulate: {duration: 0.22 s, step: 1 ms}
record: {every: 20 ms, series: [one.overlap]}
MODEL
expect 0 run two.yaml -q -o two
grep -q '"locked": [1-9]' two/summary.json || fail "nothing is locked beside the machine: $(grep locked two/summary.json)"
overlap=$(tail -1 two/series.csv | cut -d, -f2)
awk -v o="$overlap" 'BEGIN {exit !(o < 3e-9)}' || fail "a locked bed keeps overlaps of another one: $overlap m"

# What undoing overlaps gives is what lifts the grains by them. (A hundredth of a radius of the whole bed in each step was all
# the energy in play: three of these runs were stopped.)
for case in "0 2 -9.6:1.5:2" "6 5 -6:1.5:1" "0 9.8 -1:3:1"; do
    IFS=: read -r gravity friction seed <<<"$case"
    corner "$gravity" "$friction" 5 "$seed" "20 ms" >lift.yaml
    expect 0 run lift.yaml -q -o lift
    awk -v e="$(number stabilisation lift)" -v all="$(number in_play lift)" 'BEGIN {exit !(-e < 0.01 * all)}' ||
        fail "gravity $gravity, friction $friction: overlaps give $(number stabilisation lift) J of $(number in_play lift) J"
    rm -r lift
done

# A ball that slides on the floor strikes a wall. With friction 1.5 no impulses let it rebound from there: impact and friction
# were 50 mJ and -50 mJ, of 4.5 uJ in play. (Gravity, integrated in steps of 1 ms, adds 1 %.)
printf 'x[mm],y[mm],z[mm],vx[m/s],vz[m/s]\n6.95,0,-7,0.1,-0.01\n' >strike.csv
for friction in 1.5 3; do
    corner "0 0 -9.81" $friction 1 1 "5 ms" |
        sed 's/, count: 1//; s/packing: .*/packing: {file: {path: strike.csv}}/' >strike.yaml
    expect 0 run strike.yaml -q -o strike
    awk -v n="$(number unsolved strike)" -v a="$(number impact strike)" -v b="$(number friction strike)" -v all="$(number in_play strike)" \
        'BEGIN {exit !(n == 0 && a >= 0 && b >= 0 && a + b <= 1.1 * all)}' ||
        fail "friction $friction: impact $(number impact strike), friction $(number friction strike) of $(number in_play strike) J"
    rm -r strike
done
