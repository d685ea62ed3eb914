#!/usr/bin/env bash
# The loader's bucket of examples/bucket.yaml with fewer, larger pellets: at the end its cylinder weighs what was counted in it.
source "$(dirname "$0")/../cli/common.bash"
expect 0 run "$project/examples/bucket.yaml" -q -o bucket --set "constants.r=13 mm"
python3 - <<'END' || fail "payload: $(tail -n 1 bucket/series.csv)"
import csv, json
rows = list(csv.reader(open("bucket/series.csv")))
last = dict(zip([name.split("[")[0] for name in rows[0]], map(float, rows[-1])))
held, payload = last["held.mass"], last["payload"]
print(f"counted {held:.3f} kg, by the cylinder {payload:.3f} kg")
assert held > 2 and abs(payload / held - 1) < 0.01, (held, payload)
summary = json.load(open("bucket/summary.json"))
assert summary["energy"]["relative_error"] < 1e-4, summary["energy"]["relative_error"]
assert abs(summary["grains"]["ore"]["mass_kg"] / (1e-2 * 3700) - 1) < 1e-3
END
