#!/usr/bin/env bash
# Frames in the axes of the container: the motion relative to it. Positions, velocities and spins of both sets of
# frames must differ by the motion of the port, once as its formula says, once as it was recorded on a machine.
source "$(dirname "$0")/common.bash"

cat >compare.py <<'END_OF_PYTHON'
import csv, math, os, re, sys
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(sys.argv[1], "scripts"))
import vtp
folder = sys.argv[2]

def add(a, b, s=1): return tuple(x + s * y for x, y in zip(a, b))
def cross(a, b): return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
def turned(r, p):  # Rodrigues
    angle = math.sqrt(sum(a * a for a in r))
    if angle == 0: return p
    n = tuple(a / angle for a in r)
    c, s, along = math.cos(angle), math.sin(angle), sum(a * b for a, b in zip(n, p))
    return tuple(c * x + s * y + (1 - c) * along * z for x, y, z in zip(p, cross(n, p), n))

def turned_by(q, p):  # by a unit quaternion
    u = q[1:]
    t = tuple(2 * a for a in cross(u, p))
    return add(add(p, tuple(q[0] * a for a in t)), cross(u, t))

def by_formula(t):  # of `shaken` below: x, v, rotation vector, angular velocity
    w, angle, rate = 2 * math.pi * 5, 0.6 + 40 * t, 40
    return ((0.02 * math.sin(w * t), 0, 1), (0.02 * w * math.cos(w * t), 0, 0), (0, angle, 0), (0, rate, 0))

def by_record(t):
    with open(folder + "/series.csv") as file:
        rows = list(csv.reader(file))
    names = [re.sub(r"\[.*", "", name) for name in rows[0]]
    row = dict(zip(names, min(([float(x) for x in r] for r in rows[1:]), key=lambda r: abs(r[0] - t))))
    value = lambda name: tuple(row[name + a] for a in "xyz")
    x, r = value("carrier."), value("carrier.r")
    x = add(x, turned(r, (0.01, 0.02, -0.03)))
    # Rigid grains have the velocities of a whole step, and so has the port that they see: a grain that rests in its
    # container has no velocity there.
    return x, value("box.v"), r, value("box.w")

motion, mount = (by_formula, (0, 0, 0)) if sys.argv[3] == "formula" else (by_record, (0, 0, math.pi / 2))
worst, walls = [0.0, 0.0, 0.0], []
for k in range(4):
    world, own = (vtp.read(f"{folder}/frames/bed{kind}-{k:06d}.vtp") for kind in ("", "-container"))
    t = world["TimeValue"]
    assert world["id"] == own["id"] and len(own["id"]) == 30 and t == own["TimeValue"] and abs(t - 0.01 * k) < 1e-4
    origin, speed, r, w = motion(t)
    out = lambda p: turned(r, turned(mount, p))
    scale = lambda p: math.sqrt(sum(a * a for a in p))
    for a, b, c in zip(own["Points"], own["velocity"], own["angular_velocity"]):
        at = out(a)
        expected = add(origin, at), add(add(speed, cross(w, at)), out(b)), add(w, out(c))
        i = own["Points"].index(a)
        found = world["Points"][i], world["velocity"][i], world["angular_velocity"][i]
        worst = [max(m, scale(add(p, q, -1))) for m, p, q in zip(worst, expected, found)]
        grain, seen = world["orientation"][i], own["orientation"][i]
        assert abs(sum(a * a for a in grain) - 1) < 1e-6
        axis = (0.6, 0, 0.8)
        assert scale(add(turned_by(grain, axis), out(turned_by(seen, axis)), -1)) < 1e-5, "orientation"
    walls.append(vtp.read(f"{folder}/frames/bed-container-walls-{k:06d}.vtp")["Points"])
    room = vtp.read(f"{folder}/frames/bed-walls-{k:06d}.vtp")["Points"]
    worst[0] = max([worst[0]] + [scale(add(add(origin, out(p)), q, -1)) for p, q in zip(walls[k], room)])
    assert all(scale(add(p, q, -1)) < 1e-12 for p, q in zip(walls[0], walls[k])), "the room moves in its own axes"
print("positions apart by %.1e m, velocities %.1e m/s, spins %.1e rad/s" % tuple(worst))
assert worst[0] < 1e-9 and worst[1] < 2e-6 and worst[2] < 1e-4, worst  # vectors are written in single precision
names = open(folder + "/frames-container.pvd").read()
assert names.count("<DataSet") == 8 and 'file="frames/bed-container-000003.vtp"' in names
END_OF_PYTHON

grains='particles: {radius: 3 mm, count: 30, material: glass}, packing: {random: {seed: 3}}'
cat >shaken.yaml <<END
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.3, restitution: 0.5}}
ports: {box: {position: [20 mm*sin(2*pi*5 Hz*t), 0, 1 m], rotation: {axis: y, angle: 0.6 + 40 rad/s*t}}}
grains: {bed: {port: box, wall: {box: {size: 50 30 40 mm}}, $grains,
  contact: {stiffness: 10 kN/m, tangential: directional}}}
simulate: {duration: 30 ms}
frames: {every: 10 ms, axes: both}
END
cat >machine.yaml <<END
maraca: 1
gravity: 0 -9.81 0 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.3, restitution: 0.2}}
mechanism:
  bodies:
    carrier: {position: 0.3 0 0 m, mass: 0.5 kg, inertia: 1 1 2 g*m^2, velocity: 1 2 -1 m/s, angular_velocity: 30 -20 40 rad/s}
ports: {box: {node: carrier, offset: 10 20 -30 mm, mount: {axis: z, angle: 90 deg}}}
grains: {bed: {port: box, method: nonsmooth, wall: {cylinder: {radius: 20 mm, height: 40 mm, axis: y}}, $grains}}
simulate: {duration: 30 ms, step: 0.1 ms}
record: {every: 10 ms, series: [carrier, box]}
frames: {every: 10 ms, axes: both}
END
expect 0 run shaken.yaml -q -o shaken.run
python3 compare.py "$project" shaken.run formula || fail "frames of a port with a formula"
expect 0 run machine.yaml -q -o machine.run
python3 compare.py "$project" machine.run record || fail "frames of a port on a machine"

# Unless asked for, there is one set.
expect 0 run shaken.yaml --set frames.axes=world -q -o world.run
[[ ! -e world.run/frames-container.pvd && ! -e world.run/frames/bed-container-000000.vtp ]] ||
    fail "frames in the axes of the container without having been asked for"
