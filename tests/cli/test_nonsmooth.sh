#!/usr/bin/env bash
# Rigid grains from outside: a run closes its ledger and tells of its solver; it resumes to the same bytes, on any
# number of threads; what cannot be solved is told, counted and kept.
source "$(dirname "$0")/common.bash"

cat >damper.yaml <<'YAML'
maraca: 1
title: A small damper of rigid grains
gravity: 0 0 -9.81 m/s^2
materials:
  lead: {density: 11344 kg/m^3, friction: 0.4, restitution: 0.1, rolling_friction: 0.01}
ports:
  shell: {position: [0, 0, 3 mm*sin(2*pi*20 Hz*t)], rotation: {axis: z, angle: 0.2*sin(2*pi*7 Hz*t)}}
grains:
  damper:
    port: shell
    method: nonsmooth
    wall: {cylinder: {radius: 6 mm, height: 12 mm, axis: z}}
    particles: {radius: 1 mm, count: 40, material: lead}
    packing: {random: {seed: 4}}
    contact: {solver: {tolerance: 1e-4}}
simulate: {duration: 60 ms, step: 0.2 ms}
record: {every: 1 ms}
checkpoint: {every: 10 ms}
YAML

expect 0 check damper.yaml
says out "They are rigid: Coulomb's law"
expect 0 advise damper.yaml
says out "time to move by a radius"
expect 0 run damper.yaml -o alone --threads 1
check_folder alone
says out "balance closes to"
says out "all problems solved"
error=$(number alone/summary.json relative_error)
[[ $(awk -v e="$error" 'BEGIN {print (e < 1e-9)}') == 1 ]] || fail "the ledger is off by $error"
[[ $(number alone/summary.json unsolved) == 0 ]] || fail "some problems were not solved"

# On two threads, and stopped half-way and resumed.
expect 0 run damper.yaml -q -o threads --threads 2
same alone/series.csv threads/series.csv
"$maraca" run damper.yaml -q -o stopped --threads 1 --set "simulate.duration=60 ms" >out 2>err &
process=$!
for _ in $(seq 200); do [[ -e stopped/checkpoint.h5 ]] && break; sleep 0.01; done
kill -KILL $process 2>/dev/null
wait $process 2>/dev/null
expect 0 run damper.yaml -q -o stopped --threads 1 --resume
same alone/series.csv stopped/series.csv

# The automatic step, and the relaxed law.
expect 0 run damper.yaml -o auto --set simulate.step=auto --set "simulate.duration=5 ms" --set grains.damper.contact.law=relaxed
says out "the time to move by a radius"

# One iteration in a step will not do: it is counted, told once, and the worst problem is kept.
expect 0 run damper.yaml -o poor --set grains.damper.contact.solver.iterations=1 --set grains.damper.contact.solver.method=nsgs \
    --set "simulate.duration=30 ms" --set grains.damper.contact.solver.limit=1e-3
says err "was not solved"
[[ $(grep -c "was not solved" err) == 1 ]] || fail "it is told more than once"
[[ -s poor/unsolved.txt ]] || fail "the worst problem is not kept"
[[ $(number poor/summary.json unsolved) -gt 0 ]] || fail "unsolved problems are not counted"
