#!/usr/bin/env bash
# The grab of examples/grab.yaml with fewer, larger pellets: at the end the rope weighs what was counted in it.
source "$(dirname "$0")/../cli/common.bash"
expect 0 run "$project/examples/grab.yaml" -q -o grab --set "grains.ore.particles.radius=12 mm" --set grains.ore.particles.count=850
python3 - <<'END' || fail "payload: $(tail -n 1 grab/series.csv)"
import csv, json
rows = list(csv.reader(open("grab/series.csv")))
last = dict(zip([name.split("[")[0] for name in rows[0]], map(float, rows[-1])))
held, payload = last["held.mass"], last["payload"]
print(f"counted {held:.3f} kg, by the rope {payload:.3f} kg")
assert held > 2 and abs(payload / held - 1) < 0.01, (held, payload)
summary = json.load(open("grab/summary.json"))
assert summary["energy"]["relative_error"] < 1e-4, summary["energy"]["relative_error"]
assert summary["grains"]["ore"]["count"] == 850
END
