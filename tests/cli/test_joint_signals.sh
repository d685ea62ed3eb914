#!/usr/bin/env bash
# Angles, displacements and powers of joints and springs against closed forms, in all forms of the mechanism: full turns
# are counted, and the power of a drive is that of its reaction.
source "$(dirname "$0")/common.bash"

cat >model.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, friction: 0.4, restitution: 0.3}}
mechanism:
  bodies:
    drum: {mass: 2 kg, inertia: 10 10 10 g*m^2}
    nut: {position: 0.5 0 0 m, mass: 1 kg, inertia: 1 1 1 g*m^2}
    wheel: {position: 0 1 0 m, mass: 1 kg, inertia: 10 10 10 g*m^2, angular_velocity: 0 40 0 rad/s}
  joints:
    axle: {revolute: drum, axis: y, rate: -30 rad/s}
    guide: {prismatic: nut, axis: x, position: 50 mm*sin(2*pi*2 Hz*t)}
    bearing: {revolute: wheel, axis: y}
  springs:
    pull: {between: nut, offsets: [0 0 0 m, -0.5 0 0 m], stiffness: 100 N/m, damping: 3 N*s/m}
grains:
  bed:
    port: drum
    wall: {cylinder: {radius: 50 mm, height: 20 mm, axis: y}}
    particles: {radius: 5 mm, count: 10, material: steel}
    packing: settle
    method: nonsmooth
simulate: {duration: 1 s, step: 0.2 ms}
record: {every: 30 ms, series: [axle.angle, axle.rate, axle.power, axle.my, guide.position, guide.speed, guide.power,
         bearing.angle, bearing.rate, pull.length, pull.speed, pull.power]}
MODEL

check() { # FOLDER TOLERANCE
    python3 - "$1/series.csv" "$2" <<'PYTHON' || fail "$1: joint signals are wrong"
import csv, math, sys
off = {}
for row in csv.DictReader(open(sys.argv[1])):
    r = {k.split("[")[0]: float(v) for k, v in row.items()}
    t, w, A = r["t"], 4*math.pi, 0.05
    x, v, a = A*math.sin(w*t), A*w*math.cos(w*t), -A*w*w*math.sin(w*t)
    pull = -(100*x + 3*v)  # along x; the spring is 1 m long at the start
    want = {"axle.angle": -30*t, "axle.rate": -30, "axle.power": -30*r["axle.my"], "guide.position": x,
            "guide.speed": v, "guide.power": (a - pull)*v, "bearing.angle": 40*t, "bearing.rate": 40,
            "pull.length": 1 + x, "pull.speed": v, "pull.power": pull*v}
    if t == 0: want.pop("guide.power")  # the reaction of the first instant
    for name, value in want.items():
        off[name] = max(off.get(name, 0), abs(r[name] - value))
bad = {name: value for name, value in off.items() if value > float(sys.argv[2])}
assert not bad, bad
PYTHON
}
for scheme in condensed tight; do
    expect 0 run model.yaml -q --no-report -o $scheme --set coupling.scheme=$scheme
    check $scheme 1e-3
done
expect 0 run model.yaml -q --no-report -o relative --set mechanism.formulation=relative
check relative 1e-3
expect 0 run model.yaml -q --no-report -o monolithic --set coupling.scheme=monolithic
check monolithic 2e-2 # of first order
# Torsion springs and forces: a wheel that turns at 3 rad/s against a torsion spring, and a force that follows a formula.
cat >parts.yaml <<'MODEL'
maraca: 1
mechanism:
  bodies:
    wheel: {mass: 1 kg, inertia: 1 1 1 g*m^2}
    cart: {position: 1 0 0 m, mass: 2 kg, inertia: 1 1 1 g*m^2, velocity: 0.5 0 0 m/s}
  joints:
    axle: {revolute: wheel, axis: z, rate: 3 rad/s}
    rail: {prismatic: cart, axis: x}
  torsion_springs: {coil: {between: wheel, axis: z, stiffness: 2 N*m/rad, damping: 0.1 N*m*s/rad, preload: 0.3 N*m}}
  forces:
    push: {at: cart, force: ["4 N*cos(5 rad/s*t)", 2 N, 0], moment: [0, 0, "1 N*m*t/(1 s)"]}
simulate: {duration: 3 s, step: 1 ms}
record: {every: 50 ms, series: [coil.angle, coil.moment, coil.speed, coil.power, push.fx, push.fy, push.mz, push.power, axle.mz, cart.vx]}
MODEL
for form in absolute relative; do
    expect 0 run parts.yaml -q --no-report -o $form --set mechanism.formulation=$form
    python3 - $form/series.csv <<'PYTHON' || fail "signals of torsion springs and forces, $form"
import csv, math, sys
for row in csv.DictReader(open(sys.argv[1])):
    r = {k.split("[")[0]: float(v) for k, v in row.items()}
    t = r["t"]
    # A lone node is the second one, held by the ground.
    sign = 1 if r["coil.angle"] * t >= 0 else -1
    want = {"coil.angle": sign*3*t, "coil.speed": sign*3, "coil.power": -3*(sign*0.3 + 6*t + 0.3), "push.fx": 4*math.cos(5*t), "push.fy": 2,
            "push.mz": t, "push.power": 4*math.cos(5*t)*r["cart.vx"]}
    for name, value in want.items():
        assert abs(r[name] - value) < 2e-3*(1 + abs(value)), (t, name, r[name], value)
    if t > 0: assert abs(abs(r["axle.mz"]) - abs(r["coil.moment"])) < 2e-3, (t, r["axle.mz"], r["coil.moment"])
PYTHON
done

expect 2 check model.yaml --set 'record.series=[bearing.power]'
says err "bearing.power"
exit 0
