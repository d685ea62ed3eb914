#!/usr/bin/env bash
# maraca damping: a simulated ring-down with known damping, friction, and what cannot be used.
source "$(dirname "$0")/common.bash"

cat >model.yaml <<'MODEL'
maraca: 1
constants: {wn: 20*pi*1 Hz}
mechanism:
  bodies: {box: {position: 10 0 0 mm, mass: 1 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-1 0 0 m, 0 0 0 m], stiffness: 1 kg*wn^2, damping: 0.04*1 kg*wn, length: 1 m}}
simulate: {duration: 2 s, step: 0.5 ms}
record: {every: 1 ms, series: [box.x]}
MODEL
expect 0 run model.yaml -q -o ring.run
expect 0 damping ring.run --signal box.x -o result
says out "damping ratio" "lost per cycle" "all of it"
if grep -q "not to be trusted\|depends" out; then fail "a linear decay is doubted"; fi
is_json result/damping.json
[[ ! -e result/decay.svg ]] || says result/decay.svg "box.x [m]"
says result/decay.gp "box.x [m]"
# A time may have a unit.
expect 0 damping ring.run --signal box.x --from 0.5 --json
cp out plain
expect 0 damping ring.run --signal box.x --from '500 ms' --json
same plain out
expect 2 damping ring.run --signal box.x --from '500 Hz'
says err "--from takes a time"
# Without damping there is nothing but rounding.
python3 -c 'import math
print("t[s],y[m]")
for k in range(4000): print(f"{k/1000},{math.cos(2*math.pi*17*k/1000):.12g}")' >undamped.csv
expect 0 damping undamped.csv --signal y
says out "no damping that could be measured"
says result/decay.csv "t[s],amplitude[m],decrement[1]"
python3 - result/damping.json result/spectrum.csv <<'PYTHON' || fail "the damping is wrong"
import csv, json, math, sys
whole = json.load(open(sys.argv[1]))["whole"]
print(whole)
assert abs(whole["damping_ratio"]/0.02 - 1) < 0.01 and abs(whole["frequency_hz"] - 10*math.sqrt(1 - 0.0004)) < 0.02
top = max(csv.DictReader(open(sys.argv[2])), key=lambda r: float(r["amplitude[m]"]))
assert abs(float(top["f[Hz]"]) - 10) < 0.6, top
PYTHON
expect 0 damping ring.run/series.csv --signal box.x --from 0.2 --to 1 --json
is_json out

python3 - <<'PYTHON'
import math
with open("friction.csv", "w") as file:
    file.write("t[s],x[mm]\n")
    for i in range(2000): file.write(f"{i*1e-3},{(5 - 2*i*1e-3)*math.cos(2*math.pi*10*i*1e-3)}\n")
PYTHON
expect 0 damping friction.csv --signal x
says out "depends on the amplitude"
# Followed into its noise: what is left of the vibration counts, not the noise.
python3 - <<'PYTHON'
import math, random
random.seed(3)
with open("noise.csv", "w") as file:
    file.write("t[s],x[mm]\n")
    for i in range(2000):
        t = i*1e-3
        file.write(f"{t},{math.exp(-0.03*2*math.pi*17*t)*math.cos(2*math.pi*17*t) + random.gauss(0, 0.01)}\n")
PYTHON
expect 0 damping noise.csv --signal x --json
python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert abs(d["whole"]["damping_ratio"]/0.03 - 1) < 0.05 and d["ends_in_noise"], d' out || fail "a noisy decay is wrong"
expect 0 damping noise.csv --signal x
says out "left out: amplitudes below ten times the noise, which is"
expect 0 damping ring.run --signal box.x --to 0.15
says out "fewer than three whole cycles"
expect 2 damping ring.run --signal box.y
says err "box.y"
expect 2 damping ring.run
says err "--signal"
expect 2 damping missing.run --signal x
says err "missing.run"

printf "t[s],x[mm]\n0,1\n0.1,2\n" >short.csv
expect 2 damping short.csv --signal x
says err "fewer than 8 samples from 0 s on"
for part in 2 1 -0.5; do
    expect 2 damping short.csv --signal x --floor "$part"
    says err "below 1"
done
