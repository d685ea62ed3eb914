#!/usr/bin/env bash
# A million grains pass through an inlet and an outlet in one run: none is lost, memory stays flat, the ledger closes. Without
# the page, whose writing at the end has memory of its own.
source "$(dirname "$0")/../cli/common.bash"

memory() { awk '/VmRSS/ {print $2}' "/proc/$1/status" 2>/dev/null; }

"$maraca" run "$project/tests/validation/models/million.yaml" -q --no-report -o million --threads 2 >out 2>err &
process=$!
early=0 late=0
while kill -0 $process 2>/dev/null; do
    now=$(memory $process)
    rows=$(wc -l 2>/dev/null <million/series.csv || echo 0)
    [[ -n $now && $rows -gt 20 && $early -eq 0 ]] && early=$now
    [[ -n $now && $rows -gt 20 ]] && late=$now
    sleep 1
done
wait $process || fail "the run ended with $?"
python3 - "$early" "$late" <<'END' || fail "what came, what left and what is there"
import csv, json, sys
early, late = map(int, sys.argv[1:])
rows = list(csv.reader(open("million/series.csv")))
names = [n.split("[")[0] for n in rows[0]]
most = 0
for row in rows[1:]:
    v = dict(zip(names, map(float, row)))
    assert v["feed.count"] - v["sink.count"] - v["bed.holdup.count"] == 0, v
    assert v["feed.count"] >= v["lip.count"] >= v["sink.count"], v
    most = max(most, v["bed.holdup.count"])
energy = json.load(open("million/summary.json"))["energy"]
print(f"in {v['feed.count']:.0f}, out {v['sink.count']:.0f}, in the bed {v['bed.holdup.count']:.0f} (at most {most:.0f}); "
      f"memory {early} kB early, {late} kB late; balance {energy['relative_error']:.1e}")
assert v["feed.count"] == 1000000 and v["bed.holdup.count"] < 1000, v  # a few rest in the corners of the ring
assert energy["relative_error"] < 1e-3, energy
assert early == 0 or late < 1.1 * early + 2000, (early, late)
END
