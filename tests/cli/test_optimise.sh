#!/usr/bin/env bash
# maraca optimise: finds what a fine sweep finds, keeps limits, tells how sure it is; the same bytes killed and shared.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

# ---- without scatter: the dashpot that takes most out of a mass that is let go, against a sweep
cat >mass.yaml <<'MODEL'
maraca: 1
constants: {c: 2 N*s/m, k: 100 N/m}
mechanism:
  bodies: {box: {mass: 1 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-1 0 0 m, 0 0 0 m], stiffness: k, damping: c}}
  forces: {push: {at: box, force: [1 N, 0, 0]}}
simulate: {duration: 0.15 s, step: 1 ms}
record: {every: 50 ms, series: [box.x]}
MODEL
expect 0 sweep mass.yaml --vary 'constants.c=1:100:34 N*s/m' --measure energy.dampers -o sweep
expect 0 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --maximise energy.dampers --to 0.1 -o fine
says out "best of" "ended because"
python3 - sweep/study.json fine/study.json <<'PYTHON' || fail "not the maximum of the sweep: $(cat out)"
import json, sys
sweep, fine = (json.load(open(path)) for path in sys.argv[1:])
best = max(p["measures"]["energy.dampers"]["mean"] for p in sweep["points"])
assert fine["optimum"]["value"] > 0.998*best, (fine["optimum"], best)
assert fine["optimum"]["candidates"] < 20 and fine["optimum"]["goal"] == "largest"
PYTHON
[[ ! -e fine/study.svg ]] || says fine/study.svg ">best<"
says fine/study.gp "'best'"
# A limit that cuts the maximum off, a catalogue, and the worst of two conditions.
expect 0 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --maximise energy.dampers --subject-to 'energy.kinetic<=8e-5 kJ' \
    --measure energy.elastic -o limited
python3 - limited/study.json <<'PYTHON' || fail "the limit is not kept: $(cat out)"
import json, sys
study = json.load(open(sys.argv[1]))
c = study["optimum"]["values"]["constants.c"]
point = next(p for p in study["points"] if p["settings"]["constants.c"] == c)
assert point["measures"]["energy.kinetic"]["mean"] <= 8e-5*1e3, point
assert "energy.elastic" in point["measures"]
PYTHON
expect 0 optimise mass.yaml --vary 'constants.c=1,5,20,80 N*s/m' --over 'constants.k=50,200 N/m' --worst --maximise energy.dampers -o list
says out "all values have been tried"
[[ $(grep -c . list/study.csv) -eq 9 ]] || fail "four values under two conditions make eight lines"

# The folder of another kind of result is left as it is.
expect 0 run mass.yaml -q -o mass.run
for folder in sweep fine mass.run; do
    cp -r "$folder" kept
    [[ $folder == sweep ]] && other=(optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --maximise energy.dampers) ||
        other=(sweep mass.yaml --vary 'constants.c=1,2 N*s/m')
    expect 2 "${other[@]}" -o "$folder"
    says err "'$folder' has results of 'maraca " "another folder with -o"
    diff -r "$folder" kept >/dev/null || fail "$folder was changed"
    rm -r kept
done

# ---- with scatter: killed and resumed, and shared by two processes
cat >bed.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {A: 2 mm, room: 10 mm}
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.6}}
ports: {shaker: {position: [0, 0, A*sin(2*pi*20 Hz*t)]}}
grains:
  damper:
    port: shaker
    wall: {box: {size: [8 mm, 8 mm, room]}}
    particles: {radius: 1 mm, count: 16, material: steel}
    packing: settle
    method: nonsmooth
simulate: {duration: 0.1 s, step: 0.2 ms}
record: {every: 50 ms, series: [shaker.z]}
MODEL
search=(optimise bed.yaml --vary 'constants.room=6:20 mm' --vary grains.damper.particles.count=4:24:integer --maximise energy.impact
    --subject-to 'grains.damper.mass_kg<=0.6 g' --beds 2 --candidates 11 -q)
expect 0 "${search[@]}" -o whole
says out "with a probability of at least" "that the search has not seen" "within the accuracy of the search"
says whole/study.csv "constants.room[mm],grains.damper.particles.count[1],done,failed,energy.impact[J]" "grains.damper.mass_kg[kg]"
python3 - whole/study.json <<'PYTHON' || fail "$(cat out)"
import json, sys
best = json.load(open(sys.argv[1]))["optimum"]
assert best["values"]["grains.damper.particles.count"] <= 18, best # 0.0327 g each
assert 0.2 < best["sureness"] <= 1 and best["interval"] > 0, best
PYTHON
# What is as good as the winner are whole numbers that keep the limit.
python3 - out <<'PYTHON' || fail "as good are values that are not allowed: $(cat out)"
import re, sys
found = re.search(r"count from ([\d.]+) to ([\d.]+) is as good", open(sys.argv[1]).read())
assert found and int(found[1]) <= int(found[2]) <= 18, found
PYTHON
cp out whole.out
for delay in 0.1 0.3 0.2; do
    "$maraca" "${search[@]}" -o killed --threads 1 >/dev/null 2>&1 &
    process=$!
    sleep "$delay"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
done
"$maraca" "${search[@]}" -o killed --threads 1 >other 2>&1 &
process=$!
expect 0 "${search[@]}" -o killed --threads 1
wait $process || fail "the other process failed: $(cat other)"
same killed/study.csv whole/study.csv
same killed/study.json whole/study.json
diff <(sed 's/killed/whole/' out) whole.out || fail "the reports differ"

# ---- a limit that is kept with the beds of the search, and passed with others: such a finalist does not win
for ((seed = 1; seed <= 20; seed++)); do # beds for which this is so
    near=(optimise bed.yaml --set grains.damper.packing.settle.seed=$seed --maximise energy.impact --beds 2 -q)
    expect 0 "${near[@]}" --vary 'constants.room=17,20 mm' -o "near$seed"
    limit=$(python3 - "near$seed/study.json" <<'PYTHON'
import json, sys
for p in json.load(open(sys.argv[1]))["points"]:
    v = [r["values"]["energy.impact"] for r in p["runs"]]
    searched, new, every = sum(v[:2])/2, sum(v[2:])/(len(v) - 2), sum(v)/len(v)
    if p["settings"]["constants.room"] == 17: mine = (searched, new)
    else: other = max(every, searched, new)
if other < mine[0] < 0.99*mine[1]: print(f"{(mine[0] + mine[1])/2:.6g}")
PYTHON
    )
    [[ -n $limit ]] && break
done
[[ -n $limit ]] || fail "no seed has such beds"
expect 0 "${near[@]}" --vary 'constants.room=17,20 mm' --subject-to "energy.impact<=$limit J" -o "near$seed"
says out "constants.room = 20 mm" "passed" "kept"
says "near$seed/study.json" '"constants.room": 20' '"allowed": true'
expect 1 "${near[@]}" --vary 'constants.room=12,17 mm' --subject-to "energy.impact<=$limit J" -o alone
says out "not to be trusted: each of these passes a limit"
says err "passes a limit with beds that the search has not seen"

# ---- what is wrong
expect 2 optimise mass.yaml --minimise energy.work -o wrong
says err "what shall vary?"
expect 2 optimise mass.yaml --vary 'constants.c=1:100' -o wrong
says err "--minimise FACT"
expect 2 optimise mass.yaml --vary 'constants.d=1:100' --minimise energy.work -o wrong
says err "there is no 'd' in 'constants'"
expect 2 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --minimise energy.wrk -o misspelt
says err "did you mean 'energy.work'?"
expect 2 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --minimise energy.work --subject-to 'energy.kinetic<1' -o wrong
says err "a limit is FACT<=VALUE"
expect 2 optimise mass.yaml --threads 2 --vary 'constants.c=1:100 N*s/m' --minimise energy.work --subject-to 'energy.kinetic<=1 m' -o unit
says err "wrong unit"
results=$(find unit -name result.json | wc -l)
[[ $results -le 2 ]] || fail "the wrong unit of a limit is found after $results runs"
expect 2 optimise mass.yaml --threads 2 --vary 'constants.c=1:100 N*s/m' --minimise energy.work --subject-to 'energy.kinetik<=1 J' -o fact
says err "did you mean 'energy.kinetic'?"
results=$(find fact -name result.json | wc -l)
[[ $results -le 2 ]] || fail "a limit on a fact that is not there is found after $results runs"
expect 2 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --over 'constants.c=1,2 N*s/m' --minimise energy.work -o wrong
says err "'constants.c' is in --vary and in --over"
expect 2 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --minimise energy.work --slot 1/2 -o wrong
says err "no --slot"
expect 1 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --minimise energy.work --subject-to 'energy.kinetic<=-1 J' --candidates 8 -o never
says err "nothing was found that fits: none of 8 candidates keeps all limits, and 0 of them failed"
for pattern in 'energy.*' '*.work'; do
    expect 2 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --minimise "$pattern" -o wrong
    says err "stands for several facts"
done
expect 2 optimise mass.yaml --vary 'constants.c=1:100 N*s/m' --minimise energy.work --subject-to 'energy.*<=1 J' -o wrong
says err "stands for several facts"
[[ ! -d wrong ]] || fail "a mistake made a folder"
# Every candidate fails under one of two conditions: there is no limit to blame.
expect 1 optimise bed.yaml --vary grains.damper.particles.count=18,20,22 --over 'constants.room=2.1,10 mm' --minimise energy.impact --beds 1 -q \
    -o failing
says err "nothing was found that fits: each of 3 candidates failed" "no limit was given"

# ---- an optimum at the end of its range, and values beside it that fail
expect 0 optimise mass.yaml --vary 'constants.c=1:5 N*s/m' --maximise energy.dampers -o end
says out "constants.c is at the upper end of its range"
grep -A1 '"at_end"' end/study.json | grep -q '"constants.c": "upper"' || fail "study.json does not say so"
expect 0 optimise bed.yaml --vary 'constants.room=1:12 mm' --minimise energy.impact --candidates 10 --beds 1 -q -o holes
python3 - out holes/study.json <<'PYTHON' || fail "as good are values that failed: $(cat out)"
import json, re, sys
low, high = map(float, re.search(r"constants.room from (\S+) to (\S+) mm is as good", open(sys.argv[1]).read()).groups())
failed = [p["settings"]["constants.room"] for p in json.load(open(sys.argv[2]))["points"] if p["failed"]]
assert failed and not any(low <= f <= high for f in failed), (low, high, failed)
PYTHON
