#!/usr/bin/env bash
# Cohesion of smooth grains against closed forms: a plate that is pulled off a ball, the energy that a
# collision loses, and a wet bed on several threads.
source "$(dirname "$0")/common.bash"

cat >pull.yaml <<'END'
maraca: 1
gravity: 0 0 0 m/s^2
materials:
  # so heavy that the ball stays where it is
  rubber: {density: 1e9 kg/m^3, young: 5 MPa, poisson: 0.4, restitution: 1, friction: 0, adhesion: 0.05 J/m^2, cohesion: 0.3 mN}
ports:
  plate: {position: [0 m, 0 m, 0.2 mm/s*t]}
grains:
  bed:
    walls:
      floor: {plane: {point: 0 0 -1 mm, normal: z}}
      plate: {plane: {point: 0 0 1 mm, normal: -z}, port: plate}
    particles: {radius: 1 mm, material: rubber}
    packing: {file: {path: ball.csv}}
    contact: {normal: hertz, cohesion: jkr, impact_speed: 10 mm/s, max_overlap: 0.5}
simulate: {duration: 30 ms, step: 2 us}
record: {every: 20 us}
END
printf 'x[mm],y[mm],z[mm]\n0,0,0\n' >ball.csv
expect 0 run pull.yaml -q -o jkr
expect 0 run pull.yaml -q -o dmt --set grains.bed.contact.cohesion=dmt --set ports.plate.position="[0 m, 0 m, 0.2 mm/s*t - 1 um]"
expect 0 run pull.yaml -q -o constant --set grains.bed.contact.cohesion=constant --set materials.rubber.adhesion="0 J/m^2" \
    --set ports.plate.position="[0 m, 0 m, 0.2 mm/s*t - 1 um]"
wet=(--set grains.bed.contact.cohesion=capillary --set grains.bed.contact.liquid.surface_tension="72 mN/m"
    --set grains.bed.contact.liquid.angle="20 deg" --set grains.bed.contact.liquid.volume="0.01 mm^3"
    --set materials.rubber.adhesion="0 J/m^2" --set materials.rubber.cohesion="0 N")
expect 0 run pull.yaml "${wet[@]}" -q -o capillary --set ports.plate.position="[0 m, 0 m, 10 mm/s*t]"
python3 - <<'END' || fail "a ball that is pulled off"
import csv, json, math
def series(folder):
    rows = list(csv.reader(open(folder + "/series.csv")))
    names = [n.split("[")[0] for n in rows[0]]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]
R, w, E = 1e-3, 0.05, 5e6 / 2 / (1 - 0.4**2)
# Johnson, Kendall, Roberts: the largest tension is 3/2 pi w R; the neck breaks at 0.75 4^(-1/3) a0^2/R. The way is that of
# the plate.
rows = series("jkr")
most = max(-row["bed.plate.load.fz"] for row in rows)
print("jkr: pull-off", most, "expected", 1.5 * math.pi * w * R)
assert abs(most / (1.5 * math.pi * w * R) - 1) < 3e-3
a0 = (2 * math.pi * w * R**2 / E) ** (1 / 3)
unit = a0**2 / R
broken = next(row["plate.z"] for row in rows if row["t"] > 1e-3 and row["bed.contacts"] < 2)
print("jkr: breaks at", broken, "expected", 0.75 * 4 ** (-1 / 3) * unit)
assert abs(broken / (0.75 * 4 ** (-1 / 3) * unit) - 1) < 0.02
worst = 0
for row in rows:
    if row["bed.contacts"] < 2 or row["plate.z"] > 0.98 * broken: continue
    d, x = -row["plate.z"] / unit, 1.2
    for _ in range(60): x -= (x**4 - x - d) / (4 * x**3 - 1)
    force = 4 * math.pi * w * R * (2 / 3 * x**6 - x**3)
    worst = max(worst, abs(row["bed.plate.load.fz"] - force))
print("jkr: the curve is off by", worst / (1.5 * math.pi * w * R), "of the pull-off force")
assert worst < 5e-3 * 1.5 * math.pi * w * R
for law, force in (("dmt", 2 * math.pi * w * R), ("constant", 0.3e-3)):
    most = max(-row["bed.plate.load.fz"] for row in series(law))
    print(law, "pull-off", most, "expected", force)
    assert abs(most / force - 1) < 5e-3, (law, most, force)
# A bridge: R = 2 r at a wall.
rows, V, angle = series("capillary"), 1e-11, math.radians(20)
b, top, worst, broken = 2 * V / (math.pi * 2e-3), 2 * math.pi * 2e-3 * 0.072 * math.cos(angle), 0, 0
for row in rows:
    S = row["plate.z"]
    if row["bed.contacts"] < 2 and row["t"] > 1e-3: break
    broken = S
    worst = max(worst, abs(-row["bed.plate.load.fz"] - top * (1 - S / math.sqrt(S * S + b))) if row["t"] > 1e-3 else 0)
print("capillary: off by", worst / top, "breaks at", broken, "expected", (1 + angle / 2) * V ** (1 / 3))
assert worst < 0.01 * top, worst / top
assert abs(broken / ((1 + angle / 2) * V ** (1 / 3)) - 1) < 0.02
END

# The balance, to the rounding of a float: contacts that are there from the start, with an elastic energy below zero, and break.
for run in jkr dmt constant capillary; do
    python3 - "$run" <<'END' || fail "the balance of $run"
import json, sys
energy = json.load(open(sys.argv[1] + "/summary.json"))["energy"]
print(sys.argv[1], "balance", energy["relative_error"], "of", energy["in_play"])
assert energy["relative_error"] < 1e-7 and energy["in_play"] > 2e-10, energy
END
done

# Two balls that collide: with e = 1 they lose what is stored in the contact when it breaks, 2.083 w a0^2 and for a bridge
# 2 pi R g cos(t) (S - sqrt(S^2 + b) + sqrt(b)).
cat >hit.yaml <<'END'
maraca: 1
gravity: 0 0 0 m/s^2
materials:
  rubber: {density: 1200 kg/m^3, young: 5 MPa, poisson: 0.4, restitution: 1, friction: 0, adhesion: 0.5 J/m^2}
grains:
  bed:
    wall: {box: {size: 40 20 20 mm}}
    particles: {radius: 1 mm, material: rubber}
    packing: {file: {path: two.csv}}
    contact: {normal: hertz, cohesion: jkr, impact_speed: 0.1 m/s, max_overlap: 0.5}
simulate: {duration: 20 ms, step: 0.2 us}
record: {every: 1 ms}
END
printf 'x[mm],y[mm],z[mm],vx[m/s],vy[m/s],vz[m/s]\n-1.1,0,0,0.05,0,0\n1.1,0,0,-0.05,0,0\n' >two.csv
expect 0 run hit.yaml -q -o hit
printf 'x[mm],y[mm],z[mm],vx[m/s],vy[m/s],vz[m/s]\n-1.1,0,0,0.15,0,0\n1.1,0,0,-0.15,0,0\n' >two.csv
expect 0 run hit.yaml "${wet[@]}" -q -o splash --set simulate.step="1 us"
python3 - <<'END' || fail "the energy of a collision"
import json, math
mass, R, w, E = 1200 * 4 / 3 * math.pi * 1e-9, 0.5e-3, 0.5, 5e6 / 2 / (1 - 0.4**2)
a0 = (2 * math.pi * w * R**2 / E) ** (1 / 3)
lost = 4 * math.pi * w * a0**2 * (0.15 + 0.025 * 4 ** (-1 / 3))
V, angle = 1e-11, math.radians(20)
b, S = 2 * V / (math.pi * 1e-3), (1 + angle / 2) * V ** (1 / 3)
bridge = 2 * math.pi * 1e-3 * 0.072 * math.cos(angle) * (S - math.sqrt(S * S + b) + math.sqrt(b))
for folder, expected in (("hit", lost), ("splash", bridge)):
    energy = json.load(open(folder + "/summary.json"))["energy"]
    got = energy["impact_J"] if "impact_J" in energy else energy["impact"]
    print(folder, "lost", got, "expected", expected, "of", mass * 0.05**2, "balance", energy["relative_error"])
    assert abs(got / expected - 1) < 0.02, (got, expected)
    assert energy["relative_error"] < 1e-3, energy
END

# A wet bed: the same on one thread, on two, and stopped in between.
cat >wet.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
ports: {shaker: {position: [0 m, 0 m, 1.5 mm*cos(2*pi*30 Hz*t)]}}
grains:
  bed:
    port: shaker
    wall: {box: {size: 18 18 40 mm}}
    particles: {sizes: {uniform: {from: 0.8 mm, to: 1.2 mm}}, count: 400, material: glass}
    packing: {fcc: {gap: 0.05 mm}}
    contact: {stiffness: 2 kN/m, tangential: elastic, cohesion: capillary, liquid: {surface_tension: 72 mN/m, volume: 0.01 mm^3}}
simulate: {duration: 80 ms, step: 4 us}
record: {every: 5 ms}
END
repeats wet "30 ms" 2e-3

# What does not go together.
expect 2 check wet.yaml --set grains.bed.contact.cohesion=jkr
says err "which needs 'normal: hertz'"
expect 2 check pull.yaml --set grains.bed.contact.cohesion=capillary
says err "which needs 'liquid'"
expect 0 check pull.yaml
says out "cohesion after Johnson, Kendall and Roberts 0.05 J/m^2"
