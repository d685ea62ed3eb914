#!/usr/bin/env bash
# maraca response: an oscillator without grains against its closed form, up and down, from rest, and with amplitude control.
source "$(dirname "$0")/common.bash"

cat >model.yaml <<'MODEL'
maraca: 1
constants: {fn: 10 Hz, zeta: 0.05, mass: 1 kg}
inputs: {frequency: 9 Hz, phase: 0 rad, X: 1 mm}
mechanism:
  bodies:
    foot: {position: -0.2 0 0 m, mass: 1 kg, inertia: 1 1 1 g*m^2}
    box: {mass: mass, inertia: 1 1 1 g*m^2}
  joints:
    drive: {prismatic: foot, axis: x, position: X*sin(2*pi*frequency*t + phase)}
    guide: {prismatic: box, axis: x}
  springs:
    suspension: {between: [foot, box], stiffness: mass*(2*pi*fn)^2, damping: 2*zeta*mass*2*pi*fn}
simulate: {duration: 1 s, step: 0.5 ms}
record: {every: 1 ms, series: [box.x]}
MODEL

check_response() { # FOLDER TOLERANCE: transmissibility and phase are those of the oscillator
    python3 - "$1/study.csv" "$2" <<'PYTHON' || fail "the response in $1 is wrong: $(cat "$1/study.csv")"
import csv, math, sys
rows = list(csv.DictReader(open(sys.argv[1])))
assert rows
for r in rows:
    q, z = float(r["inputs.frequency[Hz]"])/10, 0.05
    T = complex(1, 2*z*q)/complex(1 - q*q, 2*z*q)
    off = float(r["transmissibility[1]"])/abs(T) - 1
    phase = float(r["phase_rad[rad]"]) - math.atan2(T.imag, T.real)
    assert abs(off) < float(sys.argv[2]) and abs(phase) < 2*float(sys.argv[2]), (q, off, phase)
    assert r["steady[1]"] == "1", r
PYTHON
}

expect 0 response model.yaml --frequency '8,9.5,10,10.5 Hz' --signal box.x --reference foot.x --direction both -o both
says out "up" "down" "2 of 2 runs done"
check_response both 0.015
is_json both/study.json
expect 0 response model.yaml --frequency '9,10 Hz' --signal box.x --reference foot.x --from-rest -o rest
says out "2 of 2 runs done"
check_response rest 0.015

# The same table after an interruption.
cp both/study.csv before
rm -r both/study.* "$(find both/points -name result.json -printf '%h\n' | head -1)"
expect 0 response model.yaml --frequency '8,9.5,10,10.5 Hz' --signal box.x --reference foot.x --direction both -o both
same before both/study.csv

# Damping by the bandwidth: 5 %.
expect 0 response model.yaml --frequency '9:11:13 Hz' --signal box.x --reference foot.x -o damping
says out "up: half-power bandwidth: damping ratio"
python3 - out <<'PYTHON' || fail "damping"
import re, sys
found = re.search(r"damping ratio ([\d.]+) %, natural frequency ([\d.]+) Hz\n", open(sys.argv[1]).read())
assert found, "not trusted"
assert abs(float(found[1]) - 5) < 0.05 and abs(float(found[2]) - 10) < 0.02, found[0]
PYTHON

expect 0 response model.yaml --frequency '9:11:13 Hz' --signal box.x --reference foot.x -o damping --json
for file in out damping/study.json; do
    python3 - $file <<'PYTHON' || fail "no damping in $file"
import json, sys
(half,) = json.load(open(sys.argv[1]))["half_power"]
assert abs(half["damping_ratio"] - 0.05) < 5e-4 and abs(half["natural_frequency_hz"] - 10) < 0.02, half
assert half["direction"] == "up" and half["trusted"] and half["doubt"] == "", half
PYTHON
done
expect 0 response model.yaml --frequency '9,10 Hz' --signal box.x --reference foot.x --from-rest -o rest --json
python3 - out <<'PYTHON' || fail "doubts are not told: $(cat out)"
import json, sys
(half,) = json.load(open(sys.argv[1]))["half_power"]
assert half["damping_ratio"] is None and not half["trusted"] and half["doubt"] == "fewer than five frequencies", half
PYTHON

# Of a response that has not become steady, the damping seems to be larger.
expect 0 response model.yaml --frequency '9.7:10.3:13 Hz' --signal box.x --reference foot.x --set constants.zeta=0.01 \
    --set 'simulate.step=1 ms' --most 40 -o early
says out "not to be trusted: between the half-power points the response did not become steady"

# A drive of twice the frequency: what is measured is not the response to it.
twice='mechanism.joints.drive.position=X*sin(4*pi*frequency*t + 2*phase)'
expect 0 response model.yaml --set "$twice" --frequency '9,10 Hz' --signal box.x --most 40 -o twice
says out "at 2 of 2 frequencies most of the response is not of that frequency"

# Spectra: a drive of several multiples through a linear system, each by its own transmissibility; every other period alike
# with a half multiple.
several='mechanism.joints.drive.position=X*(sin(2*pi*frequency*t + phase) + 0.5*sin(4*pi*frequency*t + 2*phase) + 0.2*sin(6*pi*frequency*t + 3*phase))'
halves='mechanism.joints.drive.position=X*(sin(2*pi*frequency*t) + 0.3*sin(pi*frequency*t) + 0.1*sin(3*pi*frequency*t))'
expect 0 response model.yaml --set "$several" --frequency '4,5 Hz' --signal box.x --steady 1e-3 --direction both -o several
expect 0 response model.yaml --set "$halves" --frequency '15 Hz' --signal box.x --steady 1e-3 --from-rest -o halves
python3 - several/spectra.csv halves/spectra.csv <<'PYTHON' || fail "wrong spectra: $(cat several/spectra.csv halves/spectra.csv)"
import csv, sys
drives = {1: 1, 2: 0.5, 3: 0.2}, {1: 1, 0.5: 0.3, 1.5: 0.1}
for path, drive in zip(sys.argv[1:], drives):
    rows = list(csv.DictReader(open(path)))
    for f in {r["drive[Hz]"] for r in rows}:
        there = {float(r["multiple[1]"]) for r in rows if r["drive[Hz]"] == f}
        assert there >= set(drive) | set(range(1, 11)), there
    for r in rows:
        m, f, q, z = float(r["multiple[1]"]), float(r["f[Hz]"]), float(r["f[Hz]"])/10, 0.05
        assert abs(f - m*float(r["drive[Hz]"])) < 1e-9, r
        T = abs(complex(1, 2*z*q)/complex(1 - q*q, 2*z*q))
        wanted = 1e-3*drive.get(m, 0)*T
        assert abs(float(r["amplitude[m]"]) - wanted) < 0.02*wanted + 3e-6, (r, wanted)
assert {r["direction"] for r in csv.DictReader(open(sys.argv[1]))} == {"up", "down"}
assert {r["direction"] for r in csv.DictReader(open(sys.argv[2]))} == {"from rest"}
PYTHON

# So it is with amplitude control, whatever is held: the drive is no part of a transmissibility.
for held in foot box; do
    expect 0 response model.yaml --frequency '9:11:13 Hz' --signal box.x --reference foot.x --control "$held.ax=1 g" --drive X \
        --tolerance 0.02 -o "damping-$held"
    python3 - out <<'PYTHON' || fail "damping with $held held: $(grep damping out)"
import re, sys
found = re.search(r"damping ratio ([\d.]+) %, natural frequency ([\d.]+) Hz\n", open(sys.argv[1]).read())
assert found, "not trusted"
assert abs(float(found[1]) - 5) < 0.05 and abs(float(found[2]) - 10) < 0.02, found[0]
PYTHON
done

# Amplitude control holds the acceleration of the box: the drive is what the closed form says.
expect 0 response model.yaml --frequency '9,10,11 Hz' --signal box.x --reference foot.x --control "box.ax=1 g" --drive X \
    --tolerance 0.02 -o control
python3 - control/study.csv <<'PYTHON' || fail "the amplitude was not controlled: $(cat control/study.csv)"
import csv, math, sys
for r in csv.DictReader(open(sys.argv[1])):
    f, z = float(r["inputs.frequency[Hz]"]), 0.05
    q, w = f/10, 2*math.pi*f
    X = 9.80665*math.sqrt(2)/w**2/abs(complex(1, 2*z*q)/complex(1 - q*q, 2*z*q))
    assert r["converged[1]"] == "1", r
    assert abs(float(r["controlled_rms[m/s^2]"])/9.80665 - 1) < 0.02, r
    assert abs(float(r["drive[m]"])/X - 1) < 0.04, (r["drive[m]"], X)
PYTHON

# So it does when the drive is far too strong at first, and a lightly damped structure rings on and beats with it.
expect 0 response model.yaml --set constants.zeta=0.005 --set 'inputs.X=5 mm' --frequency '9.3 Hz' --signal box.x --reference foot.x \
    --control 'box.ax=2 m/s^2' --drive X -q -o rings
python3 - rings/study.csv <<'PYTHON' || fail "the drive was not found: $(cat rings/study.csv)"
import csv, sys
(r,) = csv.DictReader(open(sys.argv[1]))
q, z = 0.93, 0.005
T = abs(complex(1, 2*z*q)/complex(1 - q*q, 2*z*q))
assert r["converged[1]"] == r["steady[1]"] == "1", r
assert abs(float(r["transmissibility[1]"])/T - 1) < 0.015, (r, T)
PYTHON

# What is wrong.
expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --stationary 4 -o wrong
says err "at least 8 periods"
expect 2 response model.yaml --frequency '9,10 Hz' -o wrong
says err "--signal"
expect 2 response model.yaml --frequency '9,10 Hz' --signal bx.x -o wrong
says err "did you mean 'box.x'?"
expect 2 response model.yaml --frequency '10,9 Hz' --signal box.x -o wrong
says err "must be positive and rise"
expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --direction sideways -o wrong
says err "up, down or both"
expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --control box.ax=1 -o wrong
says err "--drive"
expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --control "box.ax=1 kg" --drive X -o wrong
says err "wrong unit"
expect 2 response model.yaml --frequency 'constants.fn=9,10 Hz' --signal box.x --direction down -o wrong
says err "must be made of inputs"
expect 2 response model.yaml --frequency 'frequency=9,10 Hz' --phase phase --signal box.x -o wrong
says err "did you mean 'inputs.frequency'?"
# What is stepped must be the frequency of the drive, and the phase its phase.
expect 2 response model.yaml --frequency 'constants.fn=9,10 Hz' --signal box.x -o wrong
says err "no drive of the model depends on 'constants.fn'"
fixed='mechanism.joints.drive.position=X*sin(2*pi*9 Hz*t + phase)'
expect 2 response model.yaml --set "$fixed" --frequency '9,10 Hz' --signal box.x -o wrong
says err "no drive of the model depends on 'inputs.frequency'"
late='mechanism.joints.drive.position=X*sin(2*pi*frequency*t)'
expect 2 response model.yaml --set "$late" --frequency '9,10 Hz' --signal box.x -o wrong
says err "no drive of the model depends on the phase 'inputs.phase'" "--from-rest"
for part in 2 0.5 -0.1; do
    expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --steady "$part" -o wrong
    says err "below 0.5"
done
for way in down both; do
    expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --from-rest --direction "$way" -o wrong
    says err "exclude each other"
done
expect 2 response model.yaml --frequency '9,10 Hz' --signal box.x --budget 5 -o wrong
says err "--budget bounds the beds of --until"
[[ ! -d wrong ]] || fail "a mistake made a folder"

# A step that is too long for one of the frequencies is found before anything runs.
for way in "--direction both" --from-rest; do
    # shellcheck disable=SC2086
    expect 2 response model.yaml --frequency '9,400 Hz' --signal box.x $way -o wrong
    says err "a step of 0.0005 s is too long for 400 Hz"
    [[ ! -d wrong ]] || fail "a mistake made a folder"
done

# A force that is not a number beyond 8 mm: what was done before it is kept, and so is the way there.
cat >ends.yaml <<'MODEL'
maraca: 1
constants: {F: 8 N, k3: 2e7 N/m^3}
inputs: {frequency: 10 Hz, phase: 0 rad}
mechanism:
  bodies: {mass: {mass: 1 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: mass, axis: z}}
  springs: {s: {between: [ground, mass], offsets: [0 0 -1 m, 0 0 0 m], stiffness: 3948 N/m, damping: 2.5 N*s/m}}
  forces:
    shaker: {at: mass, force: [0, 0, F*sin(2*pi*frequency*t + phase)]}
    cubic: {at: mass, force: [0, 0, -k3*mass.z^3 + 1e-9 N*sqrt((8 mm)^2 - mass.z^2)/1 mm]}
simulate: {duration: 1 s, step: 0.5 ms}
MODEL
ends=(response ends.yaml --frequency '6:14:9 Hz' --signal mass.z --direction both -o ends)
expect 0 "${ends[@]}"
says out "direction = up, bed 0: at 10 Hz: " "direction = down, bed 0: at 12 Hz: " "2 of 2 runs done, 2 of them failed"
python3 - ends/study.csv ends/study.json <<'PYTHON' || fail "frequencies that were done are lost: $(cat ends/study.csv)"
import csv, json, sys
done = {"up": range(6, 10), "down": range(13, 15)}
for r in csv.DictReader(open(sys.argv[1])):
    good = float(r["inputs.frequency[Hz]"]) in done[r["direction"]]
    assert (r["failed"] == "0") == good == (r["amplitude[m]"] != ""), r
    assert not good or 2e-3 < float(r["amplitude[m]"]) < 8e-3, r
for p in json.load(open(sys.argv[2]))["points"]:
    given = [row["measures"]["amplitude"]["mean"] is not None for row in p["rows"]]
    assert sum(given) == len(done[p["settings"]["direction"]]), given
PYTHON
[[ $(find ends -name walk.state | wc -l) -eq 2 ]] || fail "--retry has nothing to go on with"
cp ends/study.csv before
expect 0 "${ends[@]}" --retry
same before ends/study.csv

# Killed within a walk through frequencies: it goes on with the frequency that was not done.
slow=(response model.yaml --set simulate.step=0.2ms --frequency '8:12:7 Hz' --signal box.x --reference foot.x --threads 1)
expect 0 "${slow[@]}" -o whole
for ((try = 1; try <= 10; try++)); do # on a busy machine it may be done before it is killed
    rm -rf killed
    "$maraca" "${slow[@]}" -o killed >log 2>&1 &
    until [[ -n $(find killed -name walk.state 2>/dev/null) ]]; do
        kill -0 $! 2>/dev/null || break
        sleep 0.01
    done
    kill -9 $! 2>/dev/null || true
    wait $! 2>/dev/null || true
    [[ -n $(find killed -name result.json) ]] || break
done
[[ -n $(find killed -name walk.state) && -z $(find killed -name result.json) ]] || fail "it was done before it was killed: $(cat log)"
expect 0 "${slow[@]}" -o killed
same whole/study.csv killed/study.csv
# Asked to stop, it does so within the walk, and goes on with the same command.
long=(response model.yaml --set simulate.step=10us --frequency '8:12:100 Hz' --signal box.x --threads 1 -o stopped)
"$maraca" "${long[@]}" >log 2>&1 &
until [[ -n $(find stopped -name walk.state 2>/dev/null) ]]; do
    kill -0 $! 2>/dev/null || fail "it ended: $(cat log)"
    sleep 0.01
done
kill -TERM $!
wait $!
[[ -n $(find stopped -name walk.state) && -z $(find stopped -name result.json) ]] || fail "it did not stop: $(cat log)"
says log "goes on from there"
# A damaged walk is begun anew.
rm -r killed/study.* killed/points/*/result.json
folder=$(find killed/points -mindepth 1 -maxdepth 1)
mkdir "$folder/run" && head -c 300 /dev/urandom >"$folder/run/walk.state"
expect 0 "${slow[@]}" -o killed
same whole/study.csv killed/study.csv
