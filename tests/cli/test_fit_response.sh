#!/usr/bin/env bash
# maraca fit of a frequency response: values come back within their intervals, by inputs and from rest, with noise; ratios
# cannot be told apart in a transmissibility; the table of 'maraca response' is data, too.
source "$(dirname "$0")/common.bash"
cat >model.yaml <<'MODEL'
maraca: 1
constants: {c: 1 N*s/m, k: 400 N/m, mb: 100 g}
inputs: {frequency: 8 Hz, phase: 0 rad}
mechanism:
  bodies:
    foot: {position: -0.2 0 0 m, mass: 1 kg, inertia: 1 1 1 g*m^2}
    box: {mass: mb, inertia: 1 1 1 g*m^2}
  joints:
    drive: {prismatic: foot, axis: x, position: 1 mm*sin(2*pi*frequency*t + phase)}
    guide: {prismatic: box, axis: x}
  springs: {s: {between: [foot, box], stiffness: k, damping: c}}
simulate: {duration: 1 s, step: 2 ms}
record: {every: 10 ms, series: [box.x]}
MODEL
# As from an analyser: 200 lines, 1 % noise, in mm, by the closed form with k = 350 N/m, c = 2 N s/m and 100 g.
python3 - <<'PYTHON'
import math, random
random.seed(4)
with open("sweep.csv", "w") as file, open("ratio.csv", "w") as ratio:
    file.write("f[Hz];sensor[mm]\n")
    ratio.write("f[Hz],transmissibility\n")
    for k in range(200):
        f = 5 + 0.05*k
        w = 2*math.pi*f
        T = abs(complex(350, 2*w)/complex(350 - 0.1*w*w, 2*w))*math.exp(random.gauss(0, 0.01))
        file.write(f"{f:.3f};{T:.6f}\n")
        ratio.write(f"{f:.3f},{T:.6f}\n")
PYTHON
check_fit() { # FOLDER: the values that the data was made with are in their intervals, which are narrow
    python3 - "$1/study.json" "$1/fit.csv" <<'PYTHON' || fail "$1: $(cat out)"
import csv, json, math, sys
fit = json.load(open(sys.argv[1]))["fit"]
for name, truth, width in (("constants.c", 2, 0.4), ("constants.k", 350, 25)):
    v = fit["values"][name]
    assert v["lower"] <= truth <= v["upper"] and v["upper"] - v["lower"] < width, (name, v)
    assert not v["lower_open"] and not v["upper_open"], v
assert fit["misfit"] < 0.06, fit
rows = list(csv.DictReader(open(sys.argv[2])))
assert len(rows) == fit["freedoms"] + 2
for r in rows: # data and model beside each other
    (model,), (measured,) = ([r[k] for k in r if k.startswith(name + "[")] for name in ("model", "measured"))
    assert abs(math.log(float(model)/float(measured))) < 0.2, r
assert rows[0]["f[Hz]"] == "5" and rows[-1]["f[Hz]"] == "14.95", (rows[0], rows[-1])
PYTHON
}
both=(--vary 'constants.c=0.5:8:log N*s/m' --vary 'constants.k=200:800 N/m' --signal box.x --frequencies 8 --rounds 3 -q)
expect 0 fit sweep.csv model.yaml "${both[@]}" --column sensor -o inputs
says out "values that fit the data" "constants.k = 3"
check_fit inputs
# Again: nothing is run, and the same bytes come out.
cp inputs/study.json before
expect 0 fit sweep.csv model.yaml "${both[@]}" --column sensor -o inputs
same before inputs/study.json

# Over a reference, from rest: every frequency a run of its own.
sed -e 's/inputs: .*/constants.f: 0/;/constants.f/d' -e 's/mb: 100 g/mb: 100 g, f: 8 Hz/' \
    -e 's/frequency\*t + phase/f*t/' model.yaml >rest.yaml
expect 0 fit ratio.csv rest.yaml --vary 'constants.k=250:500 N/m' --set 'constants.c=2 N*s/m' --signal box.x --reference foot.x \
    --frequencies 5 --rounds 2 -q -o rest
python3 - rest/study.json <<'PYTHON' || fail "$(cat out)"
import json, sys
v = json.load(open(sys.argv[1]))["fit"]["values"]["constants.k"]
assert v["lower"] <= 350 <= v["upper"] and v["upper"] - v["lower"] < 30, v
PYTHON
says rest/study.csv "constants.f[Hz]"

# The table of a response; of mass, stiffness and dashpot only the ratios are in it.
expect 0 response model.yaml --frequency '6:14:9 Hz' --signal box.x --reference foot.x --set 'constants.k=350 N/m' \
    --set 'constants.c=2 N*s/m' -q -o truth
expect 0 fit truth/study.csv model.yaml "${both[@]}" --reference foot.x --vary 'constants.mb=50:200 g' --rounds 2 -o ratios
says out "the data do not determine constants.c, constants.k and constants.mb separately: they can rise together"
# Intervals reach to where the range of one of them ends: mb at 57 g, where k is 200 N/m, and at 200 g.
check_open() { # FOLDER NAME LOW TRUTH HIGH [...]: from LOW to HIGH, open on both sides, one group
    python3 - "$1/study.json" "${@:2}" <<'PYTHON' || fail "$1: $(cat out)"
import json, sys
values = json.load(open(sys.argv[1]))["fit"]["values"]
for name, *numbers in zip(*[iter(sys.argv[2:])]*4):
    low, truth, high = map(float, numbers)
    v = values[name]
    assert v["lower"] <= truth <= v["upper"] and v["lower_open"] and v["upper_open"], (name, v)
    assert abs(v["lower"] - low) < 0.15*low and abs(v["upper"] - high) < 0.15*high and v["group"] == 1, (name, v)
PYTHON
}
check_open ratios constants.c 1.143 2 4 constants.k 200 350 700 constants.mb 57.1 100 200
# With the noise of an analyser and fewer rounds it is the same.
expect 0 fit ratio.csv model.yaml "${both[@]}" --reference foot.x --vary 'constants.mb=50:200 g' --rounds 1 -o noisy
check_open noisy constants.c 1.143 2 4 constants.k 200 350 700 constants.mb 57.1 100 200
# A value without any influence: all of its range, and tied to nothing.
sed -e 's/k: 400 N\/m/k: 400 N\/m, ballast: 1 kg/;s/mass: 1 kg/mass: ballast/' model.yaml >ballast.yaml
expect 0 fit ratio.csv ballast.yaml "${both[@]}" --reference foot.x --vary 'constants.ballast=0.5:4:log kg' --rounds 2 -o ballast
says out "constants.ballast = " "kg, from 0.5 to 4: the data do not determine it"
if grep -q "separately" out; then fail "a value without influence is tied to nothing: $(cat out)"; fi
python3 - ballast/study.json <<'PYTHON' || fail "ballast: $(cat out)"
import json, sys
values = json.load(open(sys.argv[1]))["fit"]["values"]
for name, truth, width in (("constants.c", 2, 0.6), ("constants.k", 350, 30)):
    v = values[name]
    assert v["lower"] <= truth <= v["upper"] and v["upper"] - v["lower"] < width and v["group"] == 0, (name, v)
v = values["constants.ballast"]
assert abs(v["lower"] - 0.5) < 1e-9 and abs(v["upper"] - 4) < 1e-9 and v["lower_open"] and v["upper_open"], v
assert v["group"] == 0, v
PYTHON
# Against a force that is known they are all determined.
sed -e 's/, position: 1 mm.*/}/' -e 's/drive: {prismatic: foot, axis: x}/drive: {clamp: foot}/' -e '/springs:/a\
  forces: {push: {at: box, force: ["0.3 N*sin(2*pi*frequency*t + phase)", 0, 0]}}' model.yaml >force.yaml
expect 0 response force.yaml --frequency '6:14:9 Hz' --signal box.x --set 'constants.k=350 N/m' \
    --set 'constants.c=2 N*s/m' -q -o force
expect 0 fit force/study.csv force.yaml --vary 'constants.c=1:4:log N*s/m' --vary 'constants.k=250:500 N/m' \
    --vary 'constants.mb=70:140 g' --signal box.x --frequencies 7 --rounds 2 -q -o determined
python3 - determined/study.json <<'PYTHON' || fail "$(cat out)"
import json, sys
values = json.load(open(sys.argv[1]))["fit"]["values"]
for name, truth in (("constants.c", 2), ("constants.k", 350), ("constants.mb", 100)):
    v = values[name]
    assert v["lower"] <= truth <= v["upper"] and v["upper"] - v["lower"] < 0.4*truth, (name, v)
PYTHON

# ---- what is wrong
expect 2 fit ratio.csv model.yaml "${both[@]}" -o wrong
says err "'box.x'"
expect 2 fit sweep.csv model.yaml "${both[@]}" --column sensor --reference foot.x -o wrong
says err "the data is a length"
expect 2 fit sweep.csv model.yaml "${both[@]}" --column sensor --direction both -o wrong
says err "up or down"
expect 2 fit sweep.csv model.yaml "${both[@]}" --column sensor --from 14.9 -o wrong
says err "fewer than 4 frequencies"
expect 2 fit sweep.csv rest.yaml "${both[@]}" --column sensor --direction down -o wrong
says err "must be made of inputs"
expect 2 fit truth/study.csv model.yaml --vary 'constants.k=200:800 N/m' --signal box.y --frequencies 4 -o wrong
says err "'box.y' does not vibrate"
printf 'f[Hz],box.x[mm]\n5,1\n6,0\n7,2\n8,3\n9,1\n' >zero.csv
expect 2 fit zero.csv model.yaml "${both[@]}" -o wrong
says err "must be positive"
