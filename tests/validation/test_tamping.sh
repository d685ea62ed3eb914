#!/usr/bin/env bash
# examples/tamping-small.yaml whole: the bed settles, the tines dive into it and squeeze, the loops of the machine stay closed.
source "$(dirname "$0")/../cli/common.bash"

expect 0 run "$project/examples/tamping-small.yaml" -q --no-report -o small.run
python3 - <<'PYTHON' || fail "the run is not that of a tamping machine"
import csv, json
summary = json.load(open("small.run/summary.json"))
rows = list(csv.reader(open("small.run/series.csv")))
names, rows = rows[0], [[float(x) for x in row] for row in rows[1:]]
column = lambda name: [row[next(k for k, n in enumerate(names) if n.startswith(name + "["))] for row in rows]
grains = summary["grains"]["ballast"]
assert 400 < grains["count"] < 560, grains["count"]            # the rest was dug out
assert summary["mechanism"]["violation"] < 1e-10, summary["mechanism"]
assert max(abs(x) for x in column("energy.error")) < 1e-9 * max(column("energy.work"))
dive = column("support.z")[0] - min(column("support.z"))
assert dive > 0.15, dive                                       # tines go into the ballast [m]
assert max(column("actuator.length")) > 0.41
assert grains["largest_overlap"] < 0.05, grains["largest_overlap"]
for region in "under_sleeper", "crib":
    compactness = column("ballast." + region + ".compactness")
    assert 0.2 < compactness[0] < 0.75, (region, compactness[0])
    print(f"{region}: compactness {compactness[0]:.3f} at the start, {compactness[-1]:.3f} at the end")
print(f"dive {1000 * dive:.0f} mm, {grains['count']} stones, largest overlap {grains['largest_overlap']:.2g} of a radius")
PYTHON
