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

# A drum that swings at 2 Hz has turned one way in the last quarter of half a second, but turned back before.
sed 's/angle: w\*t/angle: 1.5 rad*sin(2*pi*2 Hz*t)/' "$project/examples/drum.yaml" >swing.yaml
for duration in 0.5 0.6; do
    expect 0 run swing.yaml --set grains.balls.particles.count=60 --set "simulate.duration=$duration s" -o swing
    says out "drum       power given to the grains"
    silent out "turns at"
    rm -r swing
done

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

# A bed that begins empty costs what it holds on average: 0.1 kg/s in 0.8 s of grains of 0.2827 g, 283 at the end.
expect 0 advise chute.yaml
says out "grains on average, if none leave  141"
if grep -q "not known" out; then fail "the costs of a fed bed are not known"; fi
expect 0 advise chute.yaml --set "inlets.feed.until=0.4 s" # 0.5 + 0.5/2 of these
says out "grains on average, if none leave  106"
expect 0 advise chute.yaml --set "inlets.feed.total_count=10" # which have come after 28 ms
says out "grains on average, if none leave  9.8"
# No figures, no suggestion.
expect 0 run chute.yaml -o closed --set "inlets.feed.from=1 s" --set "simulate.duration=5 ms" \
    --set "grains.bed.particles={shape: {box: 6 6 3 mm}, material: glass}"
if grep -q "may be quicker" out; then fail "a method is suggested from no figures"; fi

# Costs. Grains that are thrown take few sweeps as rigid ones, and their steps are long (0.08 s of CPU time instead of 0.3 s
# for 0.1 s); where they lie on each other, hundreds of sweeps make up for it (a drum of 400 grains in 1.5 s: 4.2 s instead
# of 1.1 s), and rigid grains are not quicker.
expect 0 run "$moving_box" -o thrown --set "simulate.duration=5 ms"
says out "'method: nonsmooth' may be quicker: about "
expect 0 advise "$project/examples/drum.yaml"
says out "cost on one core" "suggested                         either"
cat >mill.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {s: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.2}}
ports: {mill: {rotation: {axis: y, angle: 60 rpm*t}}}
grains:
  bed:
    port: mill
    wall: {cylinder: {radius: 40 mm, height: 60 mm, axis: y}}
    particles: {radius: 3 mm, count: 400, material: s}
    contact: {stiffness: 5 kN/m, tangential: elastic}
simulate: {duration: 1.5 s}
END
expect 0 advise mill.yaml --json
python3 - out <<'END' || fail "the costs of a drum"
import json, sys
cost = json.load(open(sys.argv[1]))["grains"]["bed"]["cost"]
assert 1.13 / 3 < cost["smooth"]["seconds"] < 1.13 * 3 and 4.18 / 3 < cost["nonsmooth"]["seconds"] < 4.18 * 3, cost
assert cost["suggested"] is None, cost
END
expect 0 run "$project/examples/drum.yaml" -o rigid --set grains.balls.particles.count=20 --set grains.balls.method=nscd \
    --set "simulate.duration=5 ms"
if grep -q "may be quicker" out; then fail "contact dynamics is advised to change to another rigid method"; fi
python3 - rigid/summary.json <<'END' || fail "the measured cost"
import json, sys
told = json.load(open(sys.argv[1]))
cost = told["methods"]["balls"]["cost"]
assert 0 < cost["own_seconds"] <= told["cpu_seconds"] and cost["own_seconds"] == cost["nonsmooth"]["seconds"], cost
END

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

# A drum on a machine that turns it: its torque and power are told, not that its axis stays where it is. One that is pushed
# from outside its port by a belt has neither a power that is rounding nor, at rest, a free vibration.
cat >machine.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {bead: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.3}}
mechanism:
  bodies: {drum: {mass: 1 kg, inertia: 0.01 0.01 0.01 kg*m^2, angular_velocity: 0 10 0 rad/s}}
  joints: {bearing: {revolute: drum, axis: y}}
grains:
  bed:
    port: drum
    wall: {cylinder: {radius: 30 mm, height: 20 mm, axis: y}}
    particles: {radius: 4 mm, count: 10, material: bead}
    contact: {stiffness: 5 kN/m, tangential: elastic}
simulate: {duration: 0.4 s, step: 20 us}
END
expect 0 run machine.yaml -o machine
says out "drum       turns at"
if grep -q "no displacement" out; then fail "the axis of a drum is told to have no displacement"; fi
[[ $(cat -s out) == "$(cat out)" ]] || fail "two empty lines in a row"
cat >belt.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {bead: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.3}}
mechanism:
  start: equilibrium
  bodies: {frame: {mass: 1 kg, inertia: 0.01 0.01 0.01 kg*m^2}}
  joints: {guide: {prismatic: frame, axis: z}}
  springs: {cell: {between: frame, offsets: [0 0 -0.1 m, 0 0 -0.2 m], stiffness: 50 kN/m, damping: 200 N*s/m}}
grains:
  bed:
    port: frame
    wall: {plate: {size: 1000 200 mm}, surface_velocity: 3 0 0 m/s}
    particles: {radius: 4 mm, material: bead}
    packing: {file: {path: one.csv}}
    contact: {stiffness: 50 kN/m, tangential: elastic}
simulate: {duration: 0.5 s, step: 10 us}
END
printf 'x[mm],y[mm],z[mm]\n-400,0,4\n' >one.csv
expect 0 run belt.yaml -o belt
says out "frame      no displacement in the last"
if grep -q "power dissipated by the grains\|free vibration" out; then fail "rounding is told as a power or a vibration"; fi
