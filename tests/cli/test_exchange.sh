#!/usr/bin/env bash
# Exchange steps that adapt to the port energy error: the same bytes by one thread and two, and after having been killed;
# the report says what was done, or why nothing was.
source "$(dirname "$0")/common.bash"
damper=$project/tests/coupling/models/light-damper.yaml
model=("$damper" --set coupling.energy_tolerance=1e-2 --set coupling.interval=128 --set "simulate.duration=0.8 s" --set "checkpoint.every=40 ms")

expect 0 run "${model[@]}" -o one --threads 1
says out "exchange steps " " done again; the shortest is 1/32 of the longest"
says err "warning: numerical gain of energy by errors of the exchange at ports is 0.01" "of the energy in play, which is poor" # 1e-2 is allowed
[[ $(wc -l <err) -eq 1 ]] || fail "there should be one warning"
expect 0 run "${model[@]}" -o two -q --threads 2
same one/series.csv two/series.csv

for number in 1 2 3; do
    "$maraca" run "${model[@]}" -q -o killed --resume 2>/dev/null &
    wait_for killed/checkpoint.h5 $! && sleep 0.0$number && kill -KILL $! 2>/dev/null
    wait $! 2>/dev/null
done
expect 0 run "${model[@]}" -q -o killed --resume
same one/series.csv killed/series.csv
for key in energy_error_j energy_passed_j count done_again; do
    [[ $(number one/summary.json $key) == "$(number killed/summary.json $key)" ]] || fail "$key has changed"
done

# Rigid grains: impulses have the same error in steps of any length, and here it makes half of the energy in play.
expect 1 run "$damper" --set grains.bed.method=nonsmooth --set coupling.energy_tolerance=1e-3 -o rigid
says rigid/summary.json '"not_cut": "loads are impulses'
says err "the energy has grown by" "beyond the work put in"
expect 0 run "$damper" --set coupling.scheme=multirate --set coupling.energy_tolerance=1e-3 \
    --set "simulate.step=0.05 ms" -o late
says out "exchange steps were not cut: the scheme passes loads on a step later than they come"

# Nothing is said when nobody asked; smooth grains have no contact problems to tell of.
expect 0 run "$damper" --set "simulate.step=0.1 ms" -o plain
grep -qE "exchange steps|contacts  .*on average" out && fail "too much is said"
exit 0
