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
