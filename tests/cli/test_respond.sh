#!/usr/bin/env bash
# maraca respond: a linear damper against the closed form, from modes, receptances and a model; jumps; and a map against
# coupled simulations.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

# ---- a damper that is a mass and a dashpot: 0.1 kg, 2 N s/m
python3 - <<'PYTHON'
import json, math
def entry(f, A, c, m): return {"frequency_hz": f, "amplitude_m": A, "energy_J": math.pi*2*math.pi*f*A*A*c, "energy_interval_J": 0,
                               "effective_mass_kg": m, "effective_mass_interval_kg": 0}
grid = [(f, A) for f in (5, 20) for A in (1e-4, 1e-1)]
json.dump({"kind": "damper element", "mass_kg": 0.1, "entries": [entry(f, A, 2, 0.1) for f, A in grid]}, open("linear.json", "w"))
# Damping that fades away with the amplitude: several amplitudes are possible.
json.dump({"kind": "damper element", "mass_kg": 0.1, "entries":
           [entry(f, A, c, 0) for f in (5, 20) for A, c in ((1e-4, 5), (2e-3, 5), (3e-3, 0.2), (1, 0.2))]}, open("fading.json", "w"))
with open("receptance.csv", "w") as file:
    file.write("f[Hz],real[m/N],imaginary[m/N]\n")
    for k in range(81):
        f = 8 + 0.05*k
        h = 1/(4*math.pi**2*complex(100 - f*f, 2*0.01*10*f))
        file.write(f"{f!r},{h.real!r},{h.imag!r}\n")
PYTHON
printf 'f[Hz],damping[1],mass[kg]\n10,1e-2,1\n' >modes.csv
cat >model.yaml <<'MODEL'
maraca: 1
constants: {wn: 20*pi*1 Hz}
mechanism:
  bodies: {box: {mass: 1 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-1 0 0 m, 0 0 0 m], stiffness: 1 kg*wn^2, damping: 0.02*1 kg*wn}}
simulate: {duration: 1 s, step: 1 ms}
MODEL
check_closed() { # FILE: two dampers on 1 kg, 10 Hz, 1 %, under 1 N
    python3 - "$1" <<'PYTHON' || fail "$1 is not the closed form"
import csv, math, sys
for r in csv.DictReader(open(sys.argv[1])):
    w, wn = 2*math.pi*float(r["f[Hz]"]), 20*math.pi
    x = 1/complex(wn**2 - 1.2*w*w, 2*0.01*wn*w + 4*w)
    for way in ("up[m]", "down[m]"): assert abs(float(r[way])/abs(x) - 1) < 1e-9, r
    assert abs(float(r["phase[rad]"]) - math.atan2(x.imag, x.real)) < 1e-9, r
    assert abs(float(r["without[m]"])*abs(complex(wn**2 - w*w, 0.02*wn*w)) - 1) < 1e-9
    assert abs(float(r["fixed[m]"])*abs(complex(wn**2 - 1.2*w*w, 0.02*wn*w)) - 1) < 1e-9
    assert float(r["lower[m]"]) < abs(x) < float(r["upper[m]"]) and r["several"] == "0" and r["outside"] == "0", r
PYTHON
}
for structure in modes.csv "model.yaml --at box.x"; do
    # shellcheck disable=SC2086
    expect 0 respond $structure --damper 2*linear.json --force '1 N' --frequency '8:12:41 Hz' -o closed
    check_closed closed/respond.csv
done
expect 0 respond receptance.csv --damper linear.json --damper linear.json --force 1 -o closed
check_closed closed/respond.csv
# Where joints hold the structure, dampers do nothing.
expect 2 respond model.yaml --at box.y --damper linear.json --force '1 N' --frequency '8:12:41 Hz' -o held
says err "joints hold the place of the dampers"
# A structure without damping at its resonance moves as far as the damper lets it.
printf 'f[Hz],damping[1],mass[kg]\n10,0,1\n' >undamped.csv
for structure in undamped.csv "model.yaml --at box.x --set mechanism.springs.s.damping=0"; do
    # shellcheck disable=SC2086
    expect 0 respond $structure --damper 2*linear.json --force '1 N' --frequency '8:12:41 Hz' -o undamped
    python3 - undamped/respond.csv <<'PYTHON' || fail "$structure without damping is not the closed form"
import csv, math, sys
for r in csv.DictReader(open(sys.argv[1])):
    w, wn = 2*math.pi*float(r["f[Hz]"]), 20*math.pi
    x = 1/abs(complex(wn**2 - 1.2*w*w, 4*w))
    for way in ("up[m]", "down[m]"): assert abs(float(r[way])/x - 1) < 1e-9, (r, x)
PYTHON
done
# Lines that are much further apart than the resonance is wide, 0.2 Hz: 1/H is what is interpolated.
python3 - <<'PYTHON'
import math
def write(path, first, last, count, modes):
    with open(path, "w") as file:
        file.write("f[Hz],real[m/N],imaginary[m/N]\n")
        for k in range(count):
            f = first + (last - first)*k/(count - 1)
            h = sum(1/(m*4*math.pi**2*complex(n*n - f*f, 2*0.01*n*f)) for n, m in modes)
            file.write(f"{f!r},{h.real!r},{h.imag!r}\n")
write("wide.csv", 7.4, 12.4, 6, [(10, 1)])
write("two.csv", 7.4, 16.4, 19, [(10, 1), (13, 1)])
PYTHON
expect 0 respond wide.csv --damper 2*linear.json --force '1 N' --frequency '8:12:41 Hz' -o closed
check_closed closed/respond.csv
if grep -q "too far apart" out; then fail "it is not too rough"; fi
# Two modes, with nearly no motion between them, are too much for lines 0.5 Hz apart: it is said, and the band is wide.
expect 0 respond two.csv --damper linear.json --force '1 N' --frequency '8:16:161 Hz' -o rough
says out "every second line of the receptance gives another amplitude" "too far apart"
python3 - rough/respond.csv <<'PYTHON' || fail "the band of a rough table does not hold the closed form"
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
def truth(f):
    w = 2*math.pi*f
    h = sum(1/(4*math.pi**2*complex(n*n - f*f, 2*0.01*n*f)) for n in (10, 13))
    return abs(h/(1 + h*complex(-0.1*w*w, 2*w)))
peak = max(rows, key=lambda r: truth(float(r["f[Hz]"])))
assert float(peak["lower[m]"]) < truth(float(peak["f[Hz]"])) < float(peak["upper[m]"]), (peak, truth(float(peak["f[Hz]"])))
inside = [float(r["lower[m]"]) < truth(float(r["f[Hz]"])) < float(r["upper[m]"]) for r in rows]
print(sum(inside), len(inside))
assert sum(inside) > 0.9*len(inside)
PYTHON
expect 0 respond modes.csv --force '1 N' --frequency 9,10,11 --json
is_json out
expect 0 respond modes.csv --force '1 N' --frequency 9,10,11
says out "without dampers" "no --damper was given"
if grep -q "with dampers" out; then fail "there are none: $(cat out)"; fi

# ---- a response that jumps, elsewhere upwards than downwards
# A mass that is thrown off leans the resonance over. With wide steps, too, the amplitudes are those of stable motions.
python3 - <<'PYTHON'
import json, math
def entry(f, A, c, m): return {"frequency_hz": f, "amplitude_m": A, "energy_J": math.pi*2*math.pi*f*A*A*c, "energy_interval_J": 0,
                               "effective_mass_kg": m, "effective_mass_interval_kg": 0}
json.dump({"kind": "damper element", "mass_kg": 0.3, "entries":
           [entry(f, A, 0.5, m) for f in (5, 20) for A, m in ((1e-4, 0.3), (2e-3, 0.3), (2e-2, 0.02), (1, 0.02))]}, open("thrown.json", "w"))
PYTHON
printf 'f[Hz],damping[1],mass[kg]\n10,5e-3,1\n' >light.csv
for steps in 2001 9 11 17; do
    expect 0 respond light.csv --damper thrown.json --force '3 N' --frequency "8:12:$steps Hz" -o "thrown$steps"
done
python3 - <<'PYTHON' || fail "an unstable amplitude"
import csv
def table(steps): return {round(float(r["f[Hz]"]), 6): r for r in csv.DictReader(open(f"thrown{steps}/respond.csv"))}
fine, folds = table(2001), 0
for steps in (9, 11, 17):
    for f, row in table(steps).items():
        stable = [float(fine[f][way]) for way in ("up[m]", "down[m]")]
        folds += stable[0] > 1.5*stable[1]
        for way in ("up[m]", "down[m]"):
            assert any(abs(float(row[way])/x - 1) < 1e-6 for x in stable), (steps, f, way, row[way], stable)
assert folds > 0
PYTHON
expect 0 respond modes.csv --damper fading.json --force '1 N' --frequency '8:12:401 Hz' -o jump
says out "several amplitudes are possible"
python3 - jump/respond.csv <<'PYTHON' || fail "no jump"
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
both = [r for r in rows if r["several"] == "1"]
assert 3 < len(both) < 300
apart = [float(r["f[Hz]"]) for r in both if abs(float(r["up[m]"])/float(r["down[m]"]) - 1) > 0.2]
assert apart, "upwards and downwards are the same"
assert all(float(r["lower[m]"]) <= min(float(r["up[m]"]), float(r["down[m]"])) for r in rows)
PYTHON

# ---- a map against full simulations of the structure with its grains
grains='
  damper:
    port: PORT
    wall: {box: {size: 10 10 12 mm}}
    particles: {radius: 1 mm, count: 20, material: steel}
    packing: settle
    method: nonsmooth'
cat >damper.yaml <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {f: 20 Hz, A: 2 mm}
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.3}}
ports: {shaker: {position: [0, 0, A*sin(2*pi*f*t)]}}
grains: ${grains/PORT/shaker}
simulate: {duration: 0.2 s, step: 0.2 ms}
MODEL
cat >structure.yaml <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
inputs: {frequency: 10 Hz, phase: 0 rad}
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.3}}
mechanism:
  start: equilibrium
  bodies: {box: {mass: 40 g, inertia: 10 10 10 g*mm^2}}
  joints: {guide: {prismatic: box, axis: z}}
  springs: {s: {between: [ground, box], offsets: [0 0 -100 mm, 0 0 0 mm], stiffness: 400 N/m, damping: 0.02 N*s/m}}
  forces: {shaker: {at: box, force: [0, 0, '20 mN*sin(2*pi*frequency*t + phase)']}}
grains: ${grains/PORT/box}
coupling: {scheme: condensed}
simulate: {duration: 1 s, step: 0.2 ms}
MODEL
expect 0 map damper.yaml --frequency 15.4,16.2 --amplitude "1:5:6:log mm" --skip 8 --periods 12 -o map
expect 0 respond structure.yaml --at box.z --force '20 mN' --frequency 15.6,15.8,15.9,16 --damper map/element.json -o band
cp band/respond.csv by-file
expect 0 respond structure.yaml --at box.z --force '20 mN' --frequency 15.6,15.8,15.9,16 --damper map -o band # its folder
same by-file band/respond.csv
expect 0 response structure.yaml --frequency 15.6,15.8,15.9,16 --signal box.z --most 120 -o coupled
python3 - band/respond.csv coupled/study.csv <<'PYTHON' || fail "the coupled amplitudes are outside of the band: $(cat band/respond.csv coupled/study.csv)"
import csv, sys
band, coupled = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
inside = [float(b["lower[m]"]) <= float(c["amplitude[m]"]) <= float(b["upper[m]"]) for b, c in zip(band, coupled)]
for b, c in zip(band, coupled): print(b["f[Hz]"], b["lower[m]"], c["amplitude[m]"], b["upper[m]"])
assert sum(inside) >= 3 and len(inside) == 4, inside
assert all(float(b["upper[m]"]) < 0.5*max(float(r["without[m]"]) for r in band) for b in band)
PYTHON

# ---- what is wrong
# Measured with the other sign, e^(-iwt), the damper would make it worse.
sed 's/,-\([^,]*\)$/,\1/' receptance.csv >sign.csv
expect 2 respond sign.csv --damper linear.json --force "1 N"
says err "imaginary parts of the receptance are positive" "change their sign"
expect 2 respond modes.csv --damper linear.json --frequency 9,10
says err "--force"
for count in 2.5 0 -1; do
    expect 2 respond modes.csv --damper "$count*linear.json" --frequency 9,10 --force 1
    says err "how many dampers?"
done
expect 2 respond modes.csv --damper missing.json --frequency 9,10 --force 1
says err "missing.json"
expect 2 respond modes.csv --damper coupled --frequency 9,10 --force 1
says err "coupled/element.json"
expect 2 respond modes.csv --damper modes.csv --frequency 9,10 --force 1
says err "no damper element"
sed 's/"kind"/"format": 2, "kind"/' linear.json >newer.json
expect 2 respond modes.csv --damper newer.json --frequency 9,10 --force 1
says err "another format"
sed -E 's/"mass_kg": *[0-9.e-]+/"mass_kg": -1/' linear.json >negative.json
expect 2 respond modes.csv --damper negative.json --frequency 9,10 --force 1
says err "'mass_kg' must be positive"
expect 2 respond model.yaml --damper linear.json --frequency 9,10 --force 1
says err "--at"
expect 2 respond model.yaml --damper linear.json --frequency 9,10 --force 1 --at bx.x
says err "did you mean 'box'?"
expect 2 respond receptance.csv --damper linear.json --frequency 5,10 --force 1
says err "outside of the receptances"
printf 'f[Hz],size\n10,1\n' >other.csv
expect 2 respond other.csv --damper linear.json --frequency 5,10 --force 1
says err "A structure has columns"
printf 'f[Hz],damping[1],mass[kg]\n' >empty.csv
expect 2 respond empty.csv --damper linear.json --frequency 9,10 --force 1
says err "fewer than one line below the headings"
printf 'f[Hz],damping[1],mass[N]\n10,0.01,2\n' >weight.csv
expect 2 respond weight.csv --damper linear.json --frequency 9,10 --force 1
says err "column 'mass' is"
printf 'f[Hz],damping[1],mass[g]\n10,0.01,2000\n' >grams.csv # one mode is enough, and units are those of the headings
expect 0 respond grams.csv --damper linear.json --frequency 9,10 --force 1
expect 2 respond modes.csv --damper linear.json --frequency 9,10 --force 1 --at arm.end.y
says err "name points of a model"
