#!/usr/bin/env bash
# maraca map: a bed that moves with its port is a mass and loses nothing; energy per cycle is that of the ledger; zones;
# the damper element and its files.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

shaken_bed 0.3 "10 10 12 mm" 20 >model.yaml

expect 0 map model.yaml --frequency 10,20 --acceleration "0.5,2,12 g" --skip 8 --periods 16 -o map
says out "6 of 6 runs done" "damping_ratio" "effective_mass_ratio"
is_json map/study.json map/element.json
says map/study.csv "constants.f[Hz],acceleration[g],"
says map/element.csv "frequency[Hz],amplitude[m],energy[J]" "solid" "fluidised" "bouncing bed"

# The cards of Nastran are read as its manual says: fields of 8 columns, or 16 with a *, continued by a blank or a *, two
# lines of 16 columns for one of 8; the pairs of a table follow each other from the ninth field on, until ENDT.
cat >cards.py <<'PYTHON'
import json, math, sys
cards, halves = [], 0
for line in open(sys.argv[1]).read().splitlines():
    if line.startswith("$"): continue
    assert "," not in line and len(line) <= 72, line
    wide = "*" in line[:8]
    fields = [line[8 + k:8 + k + (16 if wide else 8)].strip() for k in range(0, 64, 16 if wide else 8)]
    name = line[:8].strip().rstrip("*")
    if name:
        assert halves % 2 == 0, "half of a line is missing"
        cards.append([name])
    cards[-1] += fields
    halves += wide
assert halves % 2 == 0
tables = {int(c[1]): c[9:c.index("ENDT")] for c in cards if c[0] == "TABLED1"}
assert all("" not in t and len(t) >= 4 and len(t) % 2 == 0 for t in tables.values()), tables
found = []
for c in cards:
    if c[0] != "PBUSHT": continue
    assert c[2] == "K" and c[10] == "B", c
    K, B = ([float(x) for x in tables[int(c[i])]] for i in (3, 11))
    assert K[::2] == B[::2] == sorted(K[::2])
    found += list(zip(K[::2], K[1::2], B[1::2]))
assert [c[1] for c in cards if c[0] == "PBUSH"] == [c[1] for c in cards if c[0] == "PBUSHT"]
entries = json.load(open(sys.argv[2]))["entries"]
for e in entries:
    w = 2*math.pi*e["frequency_hz"]
    wanted = (e["frequency_hz"], -w*w*e["effective_mass_kg"], e["energy_J"]/(math.pi*w*e["amplitude_m"]**2))
    assert any(all(abs(a - b) <= 1e-9*abs(b) for a, b in zip(f, wanted)) for f in found), (wanted, found)
assert len(found) in (len(entries), 2*len(entries)) # of a single frequency twice
PYTHON
python3 cards.py map/element.bdf map/element.json || fail "element.bdf: $(cat map/element.bdf)"
expect 0 map model.yaml --frequency 20 --acceleration "0.5 g" --skip 2 --periods 4 -o single
python3 cards.py single/element.bdf single/element.json || fail "element.bdf: $(cat single/element.bdf)"
python3 - map/study.json map/element.json <<'PYTHON' || fail "the map is wrong"
import json, math, sys
study, element = (json.load(open(path)) for path in sys.argv[1:])
mass = 20*7800*4/3*math.pi*1e-9
assert abs(element["mass_kg"]/mass - 1) < 1e-12
for p in study["points"]:
    f, g = p["settings"]["constants.f"], p["settings"]["acceleration"]
    m = {k: v["mean"] for k, v in p["measures"].items()}
    w = 2*math.pi*f
    A = g*9.80665/w**2
    assert abs(m["amplitude_m"]/A - 1) < 1e-3, (m, A)
    if g < 1: # rests on the floor: a mass, without loss
        assert abs(m["effective_mass_ratio"] - 1) < 1e-4 and abs(m["loss_factor"]) < 1e-4 and m["zone"] == 0, m
    else:
        assert m["zone"] == (1 if g == 12 else 2), (g, m)
        assert abs(m["damping_ratio"] - 0.01*m["energy_J"]/(2*math.pi*mass*(w*A)**2)) < 1e-3*m["damping_ratio"]
        assert abs(m["loss_factor"]/(m["energy_J"]/(math.pi*m["effective_mass_kg"]*(w*A)**2)) - 1) < 1e-2
        assert abs(m["dashpot_Ns_per_m"]/(m["energy_J"]/(math.pi*w*A*A)) - 1) < 1e-2
entries = element["entries"]
assert [e["frequency_hz"] for e in entries] == [10]*3 + [20]*3
assert all(a["amplitude_m"] < b["amplitude_m"] for a, b in zip(entries, entries[1:]) if a["frequency_hz"] == b["frequency_hz"])
PYTHON

# So it is by contact dynamics, whose impulses belong to another instant of the step.
for theta in 0.5 0.75 1; do
    expect 0 map model.yaml --set grains.damper.method=nscd --set "grains.damper.contact.theta=$theta" --frequency "20 Hz" \
        --acceleration "0.5 g" --skip 4 --periods 4 -o "nscd-$theta"
    python3 - "nscd-$theta/study.json" <<'PYTHON' || fail "a bed at rest in its room loses energy by nscd, theta $theta"
import json, sys
m = {k: v["mean"] for k, v in json.load(open(sys.argv[1]))["points"][0]["measures"].items()}
print(m["loss_factor"], m["effective_mass_ratio"])
assert abs(m["loss_factor"]) < 1e-4 and abs(m["effective_mass_ratio"] - 1) < 1e-4, m
PYTHON
done

# The inertia of a container with mass is no part of the damper: at rest no loss, and in motion what the contacts alone give.
for load in constraint contacts; do
    expect 0 map model.yaml --set "ports.shaker.container={mass: 0.5 kg, inertia: 1 1 1 0 0 0 kg*m^2, load: $load}" \
        --frequency "20 Hz" --acceleration "0.5,12 g" --skip 4 --periods 8 -o "container-$load"
done
python3 - container-constraint/study.json container-contacts/study.json <<'PYTHON' || fail "the container counts as grains"
import json, sys
given, alone = ([p["measures"] for p in json.load(open(path))["points"]] for path in sys.argv[1:])
rest = {k: v["mean"] for k, v in given[0].items()}
print(rest["loss_factor"], rest["effective_mass_ratio"])
assert abs(rest["loss_factor"]) < 1e-4 and abs(rest["effective_mass_ratio"] - 1) < 1e-4, rest
assert rest["zone"] == 0 and abs(rest["damping_ratio"]) < 1e-6, rest
for a, b in zip(given, alone):
    for name in "energy_J", "effective_mass_kg", "amplitude_m", "dashpot_Ns_per_m":
        off = a[name]["mean"] - b[name]["mean"]
        assert abs(off) <= 1e-3*abs(b[name]["mean"]) + (1e-9 if name == "energy_J" else 1e-4), (name, a[name], b[name])
PYTHON

# The energy per cycle is what a run's own ledger says of the same cycles.
expect 0 map model.yaml --frequency "20 Hz" --amplitude "4 mm" --skip 8 --periods 16 -o one
expect 0 run model.yaml -q --json -o run --set "constants.A=4 mm" --set "simulate.duration=1.2 s" \
    --set "periods={port: shaker, skip: 8}"
python3 - run/summary.json one/study.json <<'PYTHON' || fail "energies differ"
import json, sys
run, study = (json.load(open(path)) for path in sys.argv[1:])
a, b = run["periods"]["dissipated_mean_J"], study["points"][0]["measures"]["energy_J"]["mean"]
print(a, b)
assert abs(a/b - 1) < 0.03, (a, b)
PYTHON

# One ball without restitution, which never reaches the lid: it leaves the floor where that falls faster than gravity,
# at sin(phase) = 1/gamma, and loses m v^2/2 with the relative speed v when it lands. In units of A and w.
sed 's/count: 20/count: 1/;s/restitution: 0.3/restitution: 0/;s/0.1 ms/0.02 ms/;s/10 10 12 mm/10 10 90 mm/' model.yaml >ball.yaml
expect 0 map ball.yaml --frequency 10,20 --acceleration "1.5,2.5 g" --skip 3 --periods 4 -o ball
python3 - ball/study.json <<'PYTHON' || fail "not the ball"
import cmath, json, math, sys
for p in json.load(open(sys.argv[1]))["points"]:
    gamma = p["settings"]["acceleration"]*9.80665/9.81
    m = {k: v["mean"] for k, v in p["measures"].items()}
    start = math.asin(1/gamma)
    height = lambda t: math.sin(start) + math.cos(start)*t - t*t/(2*gamma) - math.sin(start + t)
    low, high = 0.1, 2*math.pi
    for _ in range(60):
        middle = (low + high)/2
        low, high = (middle, high) if height(middle) > 0 else (low, middle)
    v = math.cos(start) - low/gamma - math.cos(start + low)
    rest, n = 2*math.pi - low, 20000 # on the floor from landing until it leaves again
    force = v*cmath.exp(-1j*(start + low))
    for k in range(n):
        t = start + low + rest*(k + 0.5)/n
        force -= (1/gamma - math.sin(t))*cmath.exp(-1j*t)*rest/n
    speed = 2*math.pi*p["settings"]["constants.f"]*m["amplitude_m"]
    energy, mass = m["energy_J"]/(m["mass_kg"]*speed**2), m["effective_mass_ratio"]
    print(gamma, energy, v*v/2, mass, -force.imag/math.pi)
    assert abs(energy/(v*v/2) - 1) < 1e-4 and abs(mass + force.imag/math.pi) < 1e-4
PYTHON

# A loose cloud stays where it is while its room moves: together against the room, but it meets the ends by chance.
shaken_bed 0.8 "12 12 30 mm" 30 >cloud.yaml
expect 0 map cloud.yaml --frequency "50 Hz" --acceleration "10 g" --skip 8 --periods 20 -o cloud
says cloud/element.csv "fluidised"

# Accelerations that rise with the frequency.
expect 0 map model.yaml --frequency 10,15,20 --acceleration "0.5:1..2:2 g" --skip 1 --periods 2 -o rising
python3 - rising/study.csv <<'PYTHON' || fail "$(cat rising/study.csv)"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert [float(r["acceleration[g]"]) for r in rows] == [0.5, 1, 0.5, 1.5, 0.5, 2], rows
PYTHON

# Resumed, the same element.
cp -r map again
rm -r "$(find again/points -name result.json -printf '%h\n' | head -1)" again/study.* again/element.*
expect 0 map model.yaml --frequency 10,20 --acceleration "0.5,2,12 g" --skip 8 --periods 16 -o again
same again/study.csv map/study.csv
same again/element.json map/element.json

# What is wrong.
expect 2 map model.yaml --frequency 10 --amplitude "1 mm" --periods 1 -o wrong
says err "one cycle of one bed says nothing about its scatter"
expect 2 map model.yaml --frequency 10 --amplitude "1 mm" --mass-ratio 0 -o wrong
says err "--mass-ratio takes a positive number"
expect 2 map model.yaml --frequency 10 -o wrong
says err "either amplitudes or accelerations"
expect 2 map model.yaml --frequency 10 --amplitude "1 kg" -o wrong
says err "wrong unit"
expect 2 map model.yaml --frequency 10 --amplitude "-1 mm" -o wrong
says err "must be positive"
expect 2 map model.yaml --frequency 10 --amplitude 1e-3 --port shakr -o wrong
says err "did you mean 'shaker'?"
expect 2 map "$project/examples/saeki.yaml" --frequency 10 --amplitude constants.X=1e-3 -o wrong
says err "no prescribed motion"
expect 2 map model.yaml --frequency 10 --amplitude "constants.A=1 mm" --set "ports.shaker.position=[0, 0, 2*A*sin(2*pi*f*t)]" -o wrong
says err "but does so with 0.002 m"
[[ -z $(find wrong -name result.json -size +0 2>/dev/null | xargs -r grep -l '"OK"') ]] || fail "a wrong map has results"
