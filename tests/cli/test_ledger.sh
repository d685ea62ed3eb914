#!/usr/bin/env bash
# The energy ledger of the first simulation closes to 1e-3 of the energy in play.
source "$(dirname "$0")/common.bash"

expect 0 run "$moving_box" --set "simulate.duration=0.16 s" -o box
error=$(number box/summary.json relative_error)
[[ -n $error ]] || fail "summary.json has no relative_error"
awk -v error="$error" 'BEGIN { exit !(error >= 0 && error < 1e-3) }' || fail "the ledger closes to $error only"
awk -v work="$(number box/summary.json work)" 'BEGIN { exit !(work > 0) }' || fail "the shaker did no work"
says out "balance closes" "good"
says box/series.csv "energy.error[J]"
echo "the ledger closes to $error"
says box/summary.json '"verdict": "good"'
is_empty err

# What the integrator takes or adds is judged, too: too long a step is poor, and a warning.
expect 0 run "$project/examples/four-bar.yaml" --set "simulate.step=0.1 s" --set "record.every=0.1 s" \
    --set "frames.every=1 s" -o coarse
says out "numerical dissipation 0.93 of the energy in play: poor"
says err "warning: numerical dissipation by the integration is 0.93 of the energy in play, which is poor"
says coarse/summary.json '"verdict": "good"' '"numerical_verdict": "poor"' "which is poor"
expect 0 run "$project/tests/validation/models/chain.yaml" -o chain
says out "numerical gain of energy 0.015 of the energy in play: poor"
says err "warning: numerical gain of energy by the integration is 0.015"
