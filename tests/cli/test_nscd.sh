#!/usr/bin/env bash
# Contact dynamics from outside: words, ledger, threads, resuming, walls on several ports, each scheme of a machine; bad
# input.
source "$(dirname "$0")/common.bash"

cat >damper.yaml <<'YAML'
maraca: 1
title: A small damper by contact dynamics
gravity: 0 0 -9.81 m/s^2
materials:
  lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0.3, rolling_friction: 0.01, cohesion: 0.2 mN}
  rubber: {density: 1100 kg/m^3, friction: 0.8, restitution: 0}
ports:
  shell: {position: [0, 0, 3 mm*sin(2*pi*20 Hz*t)], rotation: {axis: z, angle: 0.2*sin(2*pi*7 Hz*t)}}
  lid: {position: [0, 0, 8 mm + 1 mm*sin(2*pi*31 Hz*t)]}
grains:
  damper:
    port: shell
    method: nscd
    walls:
      can: {cylinder: {radius: 6 mm, height: 24 mm, axis: z}}
      cover: {plane: {normal: 0 0 -1}, port: lid, material: rubber}
    particles: {radius: 1 mm, count: 40, material: lead}
    packing: {random: {seed: 4}}
    contact: {theta: 0.6, solver: {tolerance: 1e-4}}
simulate: {duration: 60 ms, step: 0.2 ms}
record: {every: 1 ms}
checkpoint: {every: 10 ms}
YAML

expect 0 check damper.yaml
says out "They are rigid, with steps of Moreau and Jean (theta 0.6): Coulomb's law"
says out "cohesion 0.0002 N"
expect 0 advise damper.yaml
says out "time to move by a radius"
expect 0 run damper.yaml -o alone --threads 1
check_folder alone
says out "balance closes to"
error=$(number alone/summary.json relative_error)
[[ $(awk -v e="$error" 'BEGIN {print (e < 1e-9)}') == 1 ]] || fail "the ledger is off by $error"
[[ $(number alone/summary.json unsolved) == 0 ]] || fail "some problems were not solved"

# On two threads, and stopped half-way and resumed.
expect 0 run damper.yaml -q -o threads --threads 2
same alone/series.csv threads/series.csv
"$maraca" run damper.yaml -q -o killed --threads 1 >out 2>err &
process=$!
for _ in $(seq 200); do [[ -e killed/checkpoint.h5 ]] && break; sleep 0.01; done
kill -KILL $process 2>/dev/null
wait $process 2>/dev/null
expect 0 run damper.yaml -q -o killed --threads 1 --resume
same alone/series.csv killed/series.csv

# Bad input.
expect 2 check damper.yaml --set grains.damper.contact.theta=0.3
says err "'theta'"
expect 2 check damper.yaml --set grains.damper.method=nsdc
says err "did you mean 'nscd'"
expect 2 check damper.yaml --set "materials.lead.cohesion=-1 N"
says err "'cohesion'"
expect 0 check damper.yaml --set grains.damper.contact.law=relaxed
says err "'law' has no effect in 'damper'"
expect 0 run damper.yaml -q -o law --set grains.damper.contact.law=relaxed --set simulate.duration="1 ms"
says law/summary.json "\"--set grains.damper.contact.law=relaxed: 'law' has no effect"
expect 0 check damper.yaml --set grains.damper.method=smooth --set "grains.damper.contact.stiffness=1 kN/m"
says out "cohesion a constant force"
expect 0 check damper.yaml --set grains.damper.method=smooth --set "grains.damper.contact.stiffness=1 kN/m" \
    --set grains.damper.contact.cohesion=none
says err "the 'cohesion' of the materials has no effect"

# A box on a spring, by every scheme: the box ends where that of the nonsmooth method does.
cat >box.yaml <<'YAML'
maraca: 1
title: A box with grains on a spring
gravity: 0 0 -9.81 m/s^2
materials:
  acrylic: {density: 1190 kg/m^3, friction: 0.5, restitution: 0}
mechanism:
  bodies:
    box: {mass: 20 g, inertia: 10 10 10 g*cm^2, velocity: 0.1 0 0 m/s}
  joints:
    guide: {prismatic: box, axis: x}
  springs:
    suspension: {between: [ground, box], stiffness: 80 N/m, damping: 0.01 N*s/m}
grains:
  damper:
    port: box
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 3 mm, count: 12, material: acrylic}
    packing: {random: {seed: 2}}
    method: nscd
coupling: {scheme: condensed}
simulate: {duration: 100 ms, step: 0.2 ms}
record: {every: 1 ms, series: [box.x, box.vx]}
YAML
last() { tail -n 1 "$1/series.csv" | cut -d, -f2; }
expect 0 run box.yaml -q -o reference --set grains.damper.method=nonsmooth --set grains.damper.contact.law=coulomb \
    --set grains.damper.contact.solver.method=nsgs
for scheme in condensed tight loose explicit monolithic; do
    expect 0 run box.yaml -q -o "$scheme" --set coupling.scheme=$scheme
    [[ $(awk -v a="$(last $scheme)" -v b="$(last reference)" 'BEGIN {d = a - b; print (d < 2e-4 && d > -2e-4)}') == 1 ]] ||
        fail "$scheme: the box is at $(last $scheme) m, that of the nonsmooth method at $(last reference) m"
done

# A wall of bricks from a file stands, and is the same on two threads.
expect 0 run "$project/examples/brick-wall.yaml" -q -o wall --set "simulate.duration=50 ms" --threads 1
expect 0 run "$project/examples/brick-wall.yaml" -q -o wall2 --set "simulate.duration=50 ms" --threads 2
same wall/series.csv wall2/series.csv
[[ $(awk -v z="$(last wall)" 'BEGIN {d = z - 0.5; print (d < 1e-6 && d > -1e-6)}') == 1 ]] ||
    fail "the centre of the wall is at $(last wall) m"

# Two grains that hang on a floor which is pulled away faster and faster, without gravity: the lower contact holds 5 mN. (With
# restitution it waited for a bounce, at gaps of 1e-11 m, and came apart at 1.5 mN.)
cat >torn.yaml <<'YAML'
maraca: 1
materials:
  a: {density: 4000 kg/m^3, restitution: 0.3, cohesion: 8 mN}
  b: {density: 7000 kg/m^3, restitution: 0.3, cohesion: 5 mN}
  w: {density: 7000 kg/m^3, restitution: 0.3, cohesion: 20 mN}
pairs:
  wa: {between: [w, a], cohesion: 20 mN}
ports: {p: {position: [0, 0, -1e4 m/s^3*t^3/6]}}
grains:
  bed:
    port: p
    walls: {floor: {plane: {normal: z}, material: w}}
    particles: [{name: one, material: a}, {name: two, material: b}]
    packing: {file: {path: two.csv}}
    method: nscd
simulate: {duration: 0.1 s, step: 50 us}
record: {every: 0.1 ms, series: [bed.contacts]}
YAML
printf 'x[mm],y[mm],z[mm],radius[mm],kind\n0,0,0.999,1.0,0\n0,0,2.598,0.6,1\n' >two.csv
for step in "50 us" "10 us"; do
    expect 0 run torn.yaml -q -o torn --set simulate.step="$step"
    python3 - <<'END' || fail "two that cohere without gravity, step $step"
import csv, math
rows = [list(map(float, row)) for row in list(csv.reader(open("torn/series.csv")))[1:]]
torn = next(a[0] for a, b in zip(rows, rows[1:]) if a[1] >= 2 and b[1] < 2)
load = 7000 * 4 / 3 * math.pi * 0.6e-3**3 * 1e4 * torn
print(f"torn at {1e3 * load:.3f} mN")
assert abs(load - 5e-3) < 0.02 * 5e-3, load
END
done
