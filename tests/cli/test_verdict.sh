#!/usr/bin/env bash
# What a run says about its machine: torque and power of what turns, the decay of what is free, the flow of what is fed, and an
# equivalent dashpot only where something is shaken.
source "$(dirname "$0")/common.bash"
fact() { # of the summary in folder $1, by its path $2
    python3 -c 'import json, sys
value = json.load(open(sys.argv[1] + "/summary.json"))
for part in sys.argv[2].split("."): value = value[part]
print(value)' "$1" "$2" || fail "no fact $2 in $1"
}
silent() { ! grep -qF -- "$2" "$1" || fail "'$2' is in $1"; }

# A drum: power is torque times speed, and all of it goes into the grains.
expect 0 run "$project/examples/drum.yaml" --set grains.balls.particles.count=60 --set "simulate.duration=0.4 s" -o drum
says out "drum       turns at 63.0" "rpm with a torque of" "power given to the grains"
silent out dashpot
awk -v p="$(fact drum drives.drum.power_w)" -v m="$(fact drum drives.drum.torque_n_m)" -v w="$(fact drum drives.drum.speed_rad_per_s)" \
    'BEGIN { off = p - m*w; exit !(p > 0 && off < 1e-6*p && off > -1e-6*p) }' || fail "power is not torque times speed"

# Free: a mass on a spring with a damper of 2 % of the critical damping, and a grain of dust.
cat >free.yaml <<'END'
maraca: 1
materials: {dust: {density: 1000 kg/m^3, restitution: 0.5}}
mechanism:
  bodies: {box: {mass: 1 kg, inertia: 1 1 1 g*m^2, velocity: 0.2 0 0 m/s}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {mount: {between: box, offsets: [0 0 0 m, 1 0 0 m], stiffness: 400 N/m, damping: 0.8 N*s/m}}
grains:
  bed:
    port: box
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 0.1 mm, count: 1, material: dust}
    method: nonsmooth
simulate: {duration: 8 s, step: 2 ms}
END
expect 0 run free.yaml -o free
says out "free vibration at 3." "damping ratio of"
silent out dashpot
awk -v z="$(fact free amplitudes.box.damping_ratio)" 'BEGIN { exit !(z > 0.018 && z < 0.022) }' || fail "damping ratio $(fact free amplitudes.box.damping_ratio), expected 0.02"
# The same, driven: a dashpot, and no decay.
expect 0 run free.yaml -o driven --set "mechanism.forces={push: {at: box, force: ['1 N*sin(18 rad/s*t)', 0, 0]}}" --set grains.bed.particles.count=40 --set 'grains.bed.particles.radius=2 mm' --set 'simulate.step=0.5 ms'
says out "equivalent dashpot"
silent out "free vibration"

# Fed: the flow at the end, in and out.
cat >chute.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
grains:
  bed:
    walls:
      hall: {box: {size: 300 100 300 mm}}
      plate: {plate: {size: 150 60 mm, axis: 1 0 1, along: 1 0 -1}}
    particles: {radius: 3 mm, material: glass}
    contact: {stiffness: 3 kN/m, tangential: elastic}
inlets: {feed: {bed: bed, region: {box: {size: 20 40 15 mm, center: -30 0 80 mm}}, rate: 0.1 kg/s}}
outlets: {sink: {bed: bed, plane: {point: 0 0 -100 mm, normal: -z}}}
simulate: {duration: 0.8 s, step: 20 us}
END
expect 0 run chute.yaml -o chute
says out "left after" "g/s at the end"

# Costs: rigid grains are for long steps, and stones are always rigid.
expect 0 advise "$project/examples/drum.yaml"
says out "cost on one core" "method: nonsmooth, as it is"
expect 0 run "$project/examples/drum.yaml" -o slow --set grains.balls.particles.count=20 --set grains.balls.method=smooth --set "simulate.duration=5 ms" \
    --set simulate.step=auto
says out "'method: nonsmooth' may be quicker"
expect 0 run "$project/examples/drum.yaml" -o rigid --set grains.balls.particles.count=20 --set grains.balls.method=nscd \
    --set "simulate.duration=5 ms"
if grep -q "may be quicker" out; then fail "contact dynamics is advised to change to another rigid method"; fi

# Nothing moves: rounding is not judged.
cat >still.yaml <<'END'
maraca: 1
materials: {glass: {density: 2500 kg/m^3, restitution: 0.3}}
grains:
  bed:
    wall: {box: {size: 10 10 10 m}}
    particles: {radius: 3 mm, count: 100, material: glass}
    packing: fcc
    contact: {stiffness: 1 kN/m}
simulate: {duration: 1 ms, step: 10 us}
END
expect 0 run still.yaml -o still
is_empty err
says out "good"

# Losses that give energy back: grains 50 times as heavy as their box, with restitution, in steps that are far too long.
cat >light.yaml <<'MODEL'
maraca: 1
materials: {w: {density: 15000 kg/m^3, friction: 0.2, restitution: 0.9}}
mechanism:
  bodies: {box: {mass: 0.157079 g, inertia: 1 1 1 kg*mm^2}}
  joints: {rail: {spherical: box, at: -0.2 0 0 m}}
  springs: {s: {between: box, offsets: [0 0 0 m, -0.2 0 0 m], stiffness: 2 kN/m}}
grains:
  bed:
    port: box
    wall: {box: {size: 34 26 26 mm}}
    particles: {radius: 5 mm, count: 5, material: w, velocity: 0.8 0.1 0 m/s}
    packing: cubic
    method: nonsmooth
simulate: {duration: 0.3 s, step: 1 ms}
record: {every: 1 ms, series: [energy]}
MODEL
expect 1 run light.yaml -q -o light --threads 1
says err "have given back" "the result is worthless"
