#!/usr/bin/env bash
# maraca sweep: the same table however it was interrupted or shared out; nothing is run twice; failures are told.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

shaken_bed 0.6 "10 10 10 mm" 40 >model.yaml
grid=(--vary "constants.f=15:25:3 Hz" --vary "constants.A=1,2 mm" --beds 2 --measure energy.impact,energy.work)

# ---- the grid, its values and units
expect 0 sweep model.yaml "${grid[@]}" -o whole
says out "12 of 12 runs done" "25 Hz" "1 mm" "energy.impact"
says whole/study.csv "constants.f[Hz],constants.A[mm],done,failed,energy.impact[J]" "20,2,2,0,"
is_json whole/study.json whole/plan.json
[[ $(ls whole/points | wc -l) -eq 12 ]] || fail "12 runs should have left 12 results"
[[ -z $(find whole -name run -o -name run.lock) ]] || fail "folders of runs are left behind"
# A point is the run of the same values.
expect 0 run model.yaml -q --json --set "constants.f=20 Hz" --set "constants.A=2 mm" -o one
python3 - one/summary.json whole/study.json <<'PYTHON' || fail "the point is not the run"
import json, sys
run, study = (json.load(open(path)) for path in sys.argv[1:])
point = next(p for p in study["points"] if p["settings"] == {"constants.f": 20, "constants.A": 2})
assert point["runs"][0]["values"]["energy.impact"] == run["energy"]["impact"], point
assert point["runs"][1]["values"]["energy.impact"] != run["energy"]["impact"], "the beds are the same"
values = [r["values"]["energy.impact"] for r in point["runs"]]
assert abs(point["measures"]["energy.impact"]["mean"] - sum(values)/2) < 1e-18
PYTHON

# ---- the same command again runs nothing; other measures need no runs; more points run only themselves
find whole/points -name result.json -printf '%p %i %T@\n' | sort >before
expect 0 sweep model.yaml "${grid[@]}" -o whole
expect 0 sweep model.yaml "${grid[@]:0:6}" --measure energy.friction -o whole
says out "energy.friction"
find whole/points -name result.json -printf '%p %i %T@\n' | sort >after
same before after
cp -r whole more
expect 0 sweep model.yaml --vary "constants.f=15,20,25,30 Hz" --vary "constants.A=1,2 mm" --beds 2 -o more
[[ $(ls more/points | wc -l) -eq 16 ]] || fail "4 more runs were needed"
expect 0 sweep model.yaml "${grid[@]}" -o whole

# ---- killed and resumed, several times
for delay in 0.05 0.15 0.1; do
    "$maraca" sweep model.yaml "${grid[@]}" -o killed --threads 1 -q >/dev/null 2>&1 &
    process=$!
    sleep "$delay"
    kill -9 $process 2>/dev/null
    wait $process 2>/dev/null
done
find killed/points -name result.json -printf '%p %i %T@\n' 2>/dev/null | sort >before
expect 0 sweep model.yaml "${grid[@]}" -o killed
while read -r line; do grep -qxF "$line" <(find killed/points -name result.json -printf '%p %i %T@\n') || fail "run again: $line"; done <before
same killed/study.csv whole/study.csv
same killed/study.json whole/study.json

# ---- stopped by Ctrl-C in the middle of a run, which goes on from its checkpoint
long=(--vary "constants.f=20,25 Hz" --set "simulate.duration=4 s" --measure energy.impact,energy.work -q --threads 1)
expect 0 sweep model.yaml "${long[@]}" -o long
"$maraca" sweep model.yaml "${long[@]}" -o stopped >/dev/null 2>err &
process=$!
for ((i = 0; i < 200; i++)); do
    [[ -n $(find stopped/points -name series.csv 2>/dev/null) ]] && break
    sleep 0.02
done
kill -INT $process 2>/dev/null
wait $process
stopped=$?
if [[ $stopped -ne 0 ]]; then # it may have been quicker
    [[ $stopped -eq 1 ]] || fail "stopped with $stopped"
    says err "stopped by the user" "goes on from there"
fi
expect 0 sweep model.yaml "${long[@]}" -o stopped
same stopped/study.csv long/study.csv
same stopped/study.json long/study.json
# A checkpoint that cannot be used is none.
mkdir damaged
for key in whole/points/*; do mkdir -p "damaged/points/${key##*/}/run" && echo junk >"damaged/points/${key##*/}/run/checkpoint.h5"; done
expect 0 sweep model.yaml "${grid[@]}" -o damaged
same damaged/study.csv whole/study.csv

# ---- shared by two processes, and by two slots one after the other
"$maraca" sweep model.yaml "${grid[@]}" -o shared --threads 1 -q >first 2>&1 &
process=$!
expect 0 sweep model.yaml "${grid[@]}" -o shared --threads 1 -q
wait $process || fail "the other process failed: $(cat first)"
same shared/study.csv whole/study.csv
same shared/study.json whole/study.json
says first "12 of 12 runs done"
expect 0 sweep model.yaml "${grid[@]}" -o slots --slot 1/2
says out "6 of 12 runs done"
expect 0 sweep model.yaml "${grid[@]}" -o slots --slot 2/2
says out "12 of 12 runs done"
same slots/study.csv whole/study.csv
same slots/study.json whole/study.json

# ---- a point that fails is told and does not stop the others; one that does not fit the model likewise
expect 0 sweep model.yaml --vary grains.damper.particles.count=12,300,0 --measure energy.impact -o failing
says out "2 of them failed" "particles.count = 300" "particles.count = 0"
says failing/study.csv "12,1,0," "300,1,1," "0,1,1,"
cp failing/study.csv before
expect 0 sweep model.yaml --vary grains.damper.particles.count=12,300,0 --measure energy.impact -o failing --retry
same before failing/study.csv
expect 0 sweep model.yaml --vary "grains.damper.packing.settle.limit=10 s,1 us" --measure energy.impact -o failing
says out "1 of them failed" "settle.limit = 1 us"
expect 1 sweep model.yaml --vary "constants.A=1,2 mm" --set "grains.damper.packing.settle.limit=1 us" -o all-fail
says err "all 2 runs failed"
expect 2 sweep model.yaml --vary grains.damper.particles.count=300,400 -o wrong
says err "the grains would fill"

# ---- any recorded signal, of the last quarter of each run, as in its series
expect 0 sweep model.yaml --vary "constants.f=15,20 Hz" --measure "signals.damper.load.fz.*" --keep -o signals
python3 - signals/study.csv signals/points/*/run/series.csv <<'END' || fail "means of a signal are not those of its series"
import csv, sys
table = list(csv.DictReader(open(sys.argv[1])))
found = {}
for path in sys.argv[2:]:
    rows = list(csv.DictReader(open(path)))
    end = float(rows[-1]["t[s]"])
    last = [float(r["damper.load.fz[N]"]) for r in rows if float(r["t[s]"]) > 0.75 * end - 1e-9]
    found[sum(last) / len(last)] = (min(last), max(last))
for row in table:
    mean, least, most = (float(row[f"signals.damper.load.fz.{k}[N]"]) for k in ("mean", "least", "largest"))
    near = min(found, key=lambda m: abs(m - mean))
    assert abs(near - mean) <= 1e-9 * abs(mean) and found[near] == (least, most), (row, found)
assert len(table) == 2 and len(found) == 2
END

# ---- more beds until the interval is narrow, or the budget is spent
expect 0 sweep model.yaml --vary "constants.f=15,20 Hz" --measure energy.friction --until 1% --budget 4 -o until
says out "budget spent"
expect 0 sweep model.yaml --vary "constants.f=15,20 Hz" --measure energy.work --until 20% --budget 9 -o until
says out "narrow enough"

# ---- what is wrong is said before anything runs
expect 2 sweep model.yaml --vary constants.g=1,2 -o wrong
says err "there is no 'g' in 'constants'"
[[ ! -d wrong ]] || fail "a typo made a folder"
expect 2 sweep model.yaml --vary constants.f=1:2 -o wrong
says err "a range is first:last:count"
expect 2 sweep model.yaml --vary "constants.f=1 Hz:2 kHz:3" -o wrong
says err "in the same unit"
expect 2 sweep model.yaml --vary constants.f=15,20 --vary constants.f=1,2 -o wrong
says err "varied twice"
expect 2 sweep --vary constants.f=1,2 -o wrong
says err "which MODEL?"
expect 2 sweep model.yaml -o wrong
says err "what shall vary?"
expect 2 sweep model.yaml --threads 1 --vary "constants.f=15,20 Hz" --measure energy.impact,energy.impakt -o misspelt
says err "did you mean 'energy.impact'?"
[[ $(find misspelt -name result.json | wc -l) -eq 1 ]] || fail "a fact that is not there is found late"
expect 2 sweep model.yaml --vary "constants.f=15,20 Hz" --beds 3 --budget 5 -o wrong
says err "--budget bounds the beds of --until"
expect 2 sweep model.yaml --vary "constants.f=15,20 Hz" --slot 3/2 -o wrong
says err "--slot is I/N"
expect 2 sweep model.yaml --vary "constants.f=15,20 Hz" --until 5% -o wrong
says err "--measure"
expect 2 sweep model.yaml --vary "constants.f=15,20 Hz" --beds 3 --set grains.damper.packing=cubic -o wrong
says err "nothing in the model is random"
expect 0 sweep model.yaml --vary "constants.f=15,20 Hz" --json -o json
is_json out
