#!/usr/bin/env bash
# Energy that comes into a bed on a machine other than through its ports: with grains of an inlet, from a belt, and from
# gravity along a periodic direction. None of it is a sign that the coupling diverges.
source "$(dirname "$0")/common.bash"

values='
import csv, json
def last(folder):
    rows = list(csv.reader(open(folder + "/series.csv")))
    return dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
def balance(folder):
    return json.load(open(folder + "/summary.json"))["energy"]["relative_error"]
'
scale='
mechanism:
  start: equilibrium
  bodies: {frame: {mass: 1 kg, inertia: 0.01 0.01 0.01 kg*m^2}}
  joints: {guide: {prismatic: frame, axis: z}}
  springs: {cell: {between: frame, offsets: [0 0 -0.1 m, 0 0 -0.2 m], stiffness: 50 kN/m, damping: 200 N*s/m}}
'

# An inlet that throws grains down on a gate that a rack holds. The coupling has no other energy.
cat >gate.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {bead: {density: 2500 kg/m^3, friction: 0.3, restitution: 0.5}}
mechanism:
  bodies:
    pinion: {mass: 0.2 kg, inertia: 1e-4 1e-4 1e-4 kg*m^2, position: 0 0 -60 mm}
    gate: {mass: 0.5 kg, inertia: 1e-3 1e-3 1e-3 kg*m^2}
  joints:
    bearing: {revolute: pinion, axis: y, rate: 0 rad/s}
    guide: {prismatic: gate, axis: x}
  gears: {rack: {joints: [bearing, guide], type: rack, radii: 20 mm}}
grains:
  bed:
    walls:
      bin: {box: {size: 60 30 100 mm, center: 0 0 50 mm, open: [top, bottom]}}
      gate: {plate: {size: 80 50 mm, thickness: 2 mm, center: 0 0 -2 mm}, port: gate}
    particles: {radius: 3 mm, material: bead}
    contact: {stiffness: 5 kN/m, tangential: elastic}
inlets: {feed: {bed: bed, region: {box: {size: 50 25 30 mm, center: 0 0 80 mm}}, count: 200 Hz, velocity: 0 0 -0.3 m/s, until: 0.1 s}}
simulate: {duration: 0.3 s, step: 20 us}
record: {every: 10 ms}
END
expect 0 run gate.yaml -q -o gate
python3 - "$values" <<'END' || fail "an inlet over a machine"
import sys
exec(sys.argv[1])
end = last("gate")
print("carried in", end["energy.carried"], "balance", balance("gate"))
assert end["feed.count"] == end["bed.holdup.count"] == 20 and balance("gate") < 1e-3, end
END

# Balls at rest on a belt at u = 3 m/s: they slide until they roll at 2/7 u, and have m u^2/7; as much is lost to friction, and
# the belt has given both. It stands on a machine that yields.
cat >belt.yaml <<END
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {bead: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.3}}
$scale
grains:
  bed:
    port: frame
    walls: {belt: {plate: {size: 1000 200 mm}, surface_velocity: 3 0 0 m/s}}
    particles: {radius: 4 mm, material: bead}
    packing: {file: {path: four.csv}}
    contact: {stiffness: 50 kN/m, tangential: elastic}
simulate: {duration: 0.5 s, step: 10 us}
record: {every: 10 ms}
END
printf 'x[mm],y[mm],z[mm]\n-400,0,4\n-400,20,4\n-400,40,4\n-400,-20,4\n' >four.csv
for method in smooth nonsmooth; do
    expect 0 run belt.yaml -o belt-$method --set grains.bed.method=$method
    python3 - belt-$method "$values" <<'END' || fail "belt-$method: a belt on a machine"
import math, sys
exec(sys.argv[2])
end, energy = last(sys.argv[1]), 4 * 2500 * 4 / 3 * math.pi * 0.004**3 * 9 / 7
print(sys.argv[1], "velocity", end["bed.velocity.x"], 6 / 7, "work", end["energy.work"], 2 * energy)
assert abs(end["bed.velocity.x"] / (6 / 7) - 1) < 1e-3, end
assert abs(end["bed.belts"] / (2 * energy) - 1) < 1e-2 and abs(end["energy.friction"] / energy - 1) < 1e-2, end
END
done

# Grains that slide down a periodic chute on a scale for many lengths.
cat >chute.yaml <<END
maraca: 1
gravity: 4 0 -8 m/s^2
materials: {bead: {density: 2500 kg/m^3, friction: 0.1, restitution: 0.5}}
$scale
grains:
  bed:
    port: frame
    wall: {plane: {normal: z}}
    periodic: {along_x: -20 20 mm, along_y: -20 20 mm}
    particles: {radius: 2 mm, count: 40, material: bead}
    packing: {cubic: {gap: 0.5 mm, region: {box: {size: 40 40 30 mm, center: 0 0 15 mm}}}}
    contact: {stiffness: 5 kN/m, tangential: elastic}
simulate: {duration: 1.5 s, step: 20 us}
record: {every: 10 ms}
END
expect 0 run chute.yaml -o chute
python3 - "$values" <<'END' || fail "a periodic chute on a machine"
import sys
exec(sys.argv[1])
end = last("chute")
print("velocity", end["bed.velocity.x"], "carried", end["energy.carried"], "balance", balance("chute"))
assert end["bed.velocity.x"] > 3 and balance("chute") < 1e-3, end
END
