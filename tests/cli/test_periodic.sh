#!/usr/bin/env bash
# Periodic boundaries: a ball that rolls through them many times, grains that touch across them, and a bed that does not
# know where they are.
source "$(dirname "$0")/common.bash"

values='
import csv
def series(folder):
    rows = list(csv.reader(open(folder + "/series.csv")))
    names = [n.split("[")[0] for n in rows[0]]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]
'

# A ball that rolls down an inclined plane without sliding: a = 5/7 g sin(20 deg). It starts at x = 5 mm and passes the
# meter at 15 mm once in every length of 40 mm; what gravity has given to it came through the boundary.
cat >roll.yaml <<'END'
maraca: 1
constants: {tilt: 20 deg}
gravity: [9.81 m/s^2*sin(tilt), 0 m/s^2, -9.81 m/s^2*cos(tilt)]
materials: {steel: {density: 7800 kg/m^3, restitution: 0.5, friction: 0.6}}
grains:
  bed:
    wall: {plane: {point: 0 0 0 mm, normal: z}}
    particles: {radius: 2 mm, material: steel}
    packing: {file: {path: ball.csv}}
    periodic: {along_x: -20 20 mm, along_y: -20 20 mm}
    contact: {stiffness: 100 kN/m, tangential: elastic}
meters:
  gate: {bed: bed, plane: {point: 15 0 0 mm, normal: x}}
simulate: {duration: 1 s, step: 5 us}
record: {every: 10 ms}
END
printf 'x[mm],y[mm],z[mm]\n5,0,2\n' >ball.csv
for method in smooth nonsmooth nscd; do
    set=(--set grains.bed.method=$method)
    [[ $method == smooth ]] || set+=(--set simulate.step="0.1 ms" --set grains.bed.contact.impact_speed="1 m/s")
    expect 0 run roll.yaml "${set[@]}" -q -o roll-$method
    python3 - roll-$method "$values" <<'END' || fail "roll-$method: a ball that rolls through a periodic bed"
import json, math, sys
exec(sys.argv[2])
last = series(sys.argv[1])[-1]
acceleration = 5 / 7 * 9.81 * math.sin(math.radians(20))
way = 0.5 * acceleration
passed = math.floor((way - 0.010) / 0.040) + 1
print(sys.argv[1], "velocity", last["bed.velocity.x"], "expected", acceleration, "passed", last["gate.count"], passed)
assert abs(last["bed.velocity.x"] / acceleration - 1) < 3e-3, last
assert last["gate.count"] == passed == 30, (last["gate.count"], passed)
assert abs(last["gate.velocity"] / acceleration - 1) < 0.1, last
assert -0.0200001 < last["bed.center.x"] < 0.0220001, last
energy = json.load(open(sys.argv[1] + "/summary.json"))["energy"]
assert energy["relative_error"] < 1e-3, energy
END
done

# A gas of grains in a channel, without gravity and friction: its momentum along the channel stays. Wherever the boundary
# is, the same grains meet.
python3 - <<'END'
import random
random.seed(3)
for shift in (0, 13e-3, -17e-3):
    random.seed(3)
    with open(f"gas{round(1e3 * shift)}.csv", "w") as out:
        out.write("x[mm],y[mm],z[mm],vx[m/s],vy[m/s],vz[m/s]\n")
        for k in range(10 * 5 * 5):
            x, y, z = k % 10 * 4 - 18, k // 10 % 5 * 4 - 8, k // 50 * 4 - 8
            x = (x + 1e3 * shift + 20) % 40 - 20
            v = [random.gauss(0.2 * (c == 0), 0.5) for c in range(3)]
            out.write(f"{x},{y},{z},{v[0]},{v[1]},{v[2]}\n")
END
cat >gas.yaml <<'END'
maraca: 1
gravity: 0 0 0 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 1, friction: 0}}
grains:
  bed:
    wall: {box: {size: 60 20 20 mm, open: [x-, x+]}}
    particles: {radius: 1.5 mm, material: glass}
    packing: {file: {path: gas0.csv}}
    periodic: {along_x: -20 20 mm}
    contact: {stiffness: 20 kN/m, tangential: none}
simulate: {duration: 40 ms, step: 2 us}
record: {every: 1 ms}
END
for method in smooth nonsmooth; do
    set=(--set grains.bed.method=$method)
    [[ $method == smooth ]] ||
        set+=(--set simulate.step="20 us" --set grains.bed.contact.impact_speed="1 m/s" --set simulate.duration="10 ms"
            --set grains.bed.contact.solver.tolerance=1e-10)
    for shift in 0 13 -17; do
        expect 0 run gas.yaml "${set[@]}" --set grains.bed.packing.file.path=gas$shift.csv -q -o $method$shift --threads 1
    done
    python3 - $method "$values" <<'END' || fail "$method: a gas in a periodic channel"
import json, sys
exec(sys.argv[2])
method = sys.argv[1]
one = series(method + "0")
assert max(row["bed.contacts"] for row in one) > 3
start = one[0]["bed.velocity.x"]
worst = max(abs(row["bed.velocity.x"] - start) for row in one)
apart = 0
for shift in ("13", "-17"):
    for a, b in zip(one, series(method + shift)):
        if a["t"] > 0.008: break
        apart = max(apart, *(abs(a["bed.velocity." + c] - b["bed.velocity." + c]) for c in "xyz"))
print(method, "mean velocity", start, "changes by", worst, "with other boundaries by", apart)
assert worst < (1e-12 if method == "smooth" else 1e-8), worst
assert apart < 1e-6, apart
energy = json.load(open(method + "0/summary.json"))["energy"]
assert energy["relative_error"] < 1e-3, energy
END
    expect 0 run gas.yaml "${set[@]}" -q -o $method-2 --threads 2
    same ${method}0/series.csv $method-2/series.csv
    expect 0 run gas.yaml "${set[@]}" -q -o $method-3 --set simulate.duration="5 ms"
    expect 0 run gas.yaml "${set[@]}" -q -o $method-3 --resume
    same ${method}0/series.csv $method-3/series.csv
done

# Enough grains for several threads, settled and sheared by a belt, in two periodic directions.
cat >layer.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
grains:
  bed:
    wall: {box: {size: 60 40 30 mm, open: [x-, x+, y-, y+]}, surface_velocity: 0.3 0.1 0 m/s}
    particles: {sizes: {uniform: {from: 0.8 mm, to: 1.2 mm}}, count: 1800, material: glass}
    packing: {fcc: {gap: 0.05 mm}}
    periodic: {along_x: -20 20 mm, along_y: -10 10 mm}
    contact: {stiffness: 500 N/m, tangential: elastic}
meters:
  along: {bed: bed, plane: {point: 0 0 0 mm, normal: x}}
simulate: {duration: 60 ms, step: 10 us}
record: {every: 5 ms}
END
repeats layer "30 ms" 1e-3

# Regions hold all images of a grain. Three balls of 2 mm fly along a channel of 40 mm; a region across the boundary has two of
# them, and so has one that is three lengths away. A box of two lengths has each of the three once, and their flow is that
# of the channel, 3 m v/L. Boxes are looked into at the instant of the row, the first one too.
cat >images.yaml <<'END'
maraca: 1
materials: {glass: {density: 2500 kg/m^3, restitution: 1}}
grains:
  bed:
    periodic: {along_x: -20 20 mm}
    walls: {lower: {plane: {point: 0 0 -10 mm, normal: z}}, upper: {plane: {point: 0 0 10 mm, normal: -z}}}
    particles: {radius: 2 mm, material: glass}
    packing: {file: {path: three.csv}}
    regions: {edge: {box: {size: 12 12 12 mm, center: 20 0 0 mm}}, all: {box: {size: 80 12 12 mm}}}
    contact: {stiffness: 1 kN/m}
meters:
  at_edge: {bed: bed, box: {size: 8 12 12 mm, center: 20 0 0 mm}}
  far: {bed: bed, box: {size: 8 12 12 mm, center: -100 0 0 mm}}
  whole: {bed: bed, box: {size: 80 12 12 mm}}
simulate: {duration: 10 ms, step: 10 us}
record: {every: 5 ms}
END
printf 'x[mm],y[mm],z[mm],vx[m/s]\n-18,0,0,0.1\n0,0,0,0.1\n17,0,0,0.1\n' >three.csv
expect 0 run images.yaml -q -o images
python3 - "$values" <<'END' || fail "images: regions across a periodic boundary"
import math, sys
exec(sys.argv[1])
mass = 2500 * 4 / 3 * math.pi * 0.002**3
for row in series("images"):
    assert row["bed.edge.count"] == row["at_edge.count"] == row["far.count"] == 2, row
    assert row["bed.all.count"] == row["whole.count"] == 3, row
    assert abs(row["bed.edge.compactness"] / (2 * mass / 2500 / (12e-3 * 12e-3 * 12e-3)) - 1) < 0.05, row
    assert abs(row["bed.all.compactness"] / (3 * mass / 2500 / (40e-3 * 12e-3 * 12e-3)) - 1) < 0.05, row
    assert abs(row["whole.flow"] / (3 * mass * 0.1 / 0.040) - 1) < 1e-9, row
END

# An inlet across two boundaries and some lengths away puts nothing into another grain, and an outlet that is elsewhere, but
# below it, takes all of it.
cat >passage.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5}}
grains:
  bed:
    periodic: {along_x: -20 20 mm, along_y: -20 20 mm}
    wall: {plane: {point: 0 0 0 mm, normal: z}}
    particles: {radius: 2 mm, material: glass}
    contact: {stiffness: 1 kN/m}
inlets:
  feed: {bed: bed, region: {box: {size: 10 10 10 mm, center: 140 -18 40 mm}}, rate: 50 g/s, velocity: 0 0 -0.5 m/s, until: 0.3 s}
outlets:
  sink: {bed: bed, region: {box: {size: 10 10 20 mm, center: -60 20 0 mm}}}
simulate: {duration: 0.5 s, step: 20 us}
record: {every: 10 ms}
END
expect 0 run passage.yaml -q -o passage
python3 - "$values" <<'END' || fail "passage: inlet and outlet across a periodic boundary"
import sys
exec(sys.argv[1])
rows = series("passage")
assert max(row["bed.overlap"] for row in rows) < 0.1e-3, max(row["bed.overlap"] for row in rows)
assert rows[-1]["sink.count"] == rows[-1]["feed.count"] > 150 and rows[-1]["bed.holdup.count"] == 0, rows[-1]
END

# Frames have the grains inside; the summary and the check say what is periodic.
expect 0 run gas.yaml -q -o frames --set simulate.duration="10 ms" --set frames.every="5 ms"
[[ -s frames/report.html ]] || fail "no report"
expect 0 check gas.yaml
says out "periodic along x"

# Ranges that make no sense.
expect 2 check gas.yaml --set grains.bed.periodic.along_x="-5 5 mm"
says err "need 12 mm at least"
expect 2 check gas.yaml --set grains.bed.periodic.along_x="5 -5 mm"
says err "before it begins"
