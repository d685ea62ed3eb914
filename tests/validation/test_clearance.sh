#!/usr/bin/env bash
# Clearance of the cantilever damper (TIGHT Fig. 18, doi:10.1016/j.mechmachtheory.2020.104181) by maraca optimise: the damping
# grows with the clearance up to a threshold
# of about 8 mm, beyond which it remains.
source "$(dirname "$0")/../cli/common.bash"
export XDG_CACHE_HOME=$temporary/cache
expect 0 optimise "$project/examples/cantilever-damper.yaml" --vary 'constants.clearance=2:12 mm' \
    --minimise amplitudes.shell.amplitude_m -q -o clearance
grep -E "best of|probability|as good" out
python3 - clearance/study.json <<'PYTHON' || fail "not as in the figure: $(cat out)"
import json, sys
study = json.load(open(sys.argv[1]))
best = study["optimum"]
clearance = best["values"]["constants.clearance"]
assert 7 <= clearance <= 12, best
tried = sorted((p["settings"]["constants.clearance"], p["measures"]["amplitudes.shell.amplitude_m"]["mean"]) for p in study["points"])
small = [a for c, a in tried if c < 5]
assert small and min(small) > 1.1*best["value"], (tried, best) # too little room damps less
assert best["interval"] < 0.05*best["value"], best
PYTHON
