#!/usr/bin/env bash
# A settled bed at rest, by every method: it is not judged by the rounding of energies that nobody would see.
source "$(dirname "$0")/common.bash"

cat >rest.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
grains:
  bed:
    wall: {cylinder: {radius: 12 mm, height: 100 mm}}
    particles: {radius: 2 mm, count: 150, material: glass}
    packing: {settle: {cache: false}}
    method: nonsmooth
simulate: {duration: 0.1 s, step: 0.5 ms}
record: {every: 5 ms, series: [bed.load, energy]}
END
for method in nonsmooth nscd; do
    expect 0 run rest.yaml --set grains.bed.method=$method -q -o $method
    python3 - $method <<'END' || fail "the bed rests by $method"
import csv, json, math, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
last = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
weight = 150 * 2500 * 4 / 3 * math.pi * 2e-3**3 * 9.81
energy = json.load(open(sys.argv[1] + "/summary.json"))["energy"]
assert abs(last["bed.load.fz"] + weight) < 0.02 * weight, (last["bed.load.fz"], weight)
assert energy["verdict"] == "good" and energy["numerical_verdict"] != "poor", energy
assert energy["in_play"] >= 0.99e-2 * weight * 2e-3, energy
END
done

# Rigid grains that have settled, in a drum on a hinge that is at rest: what undoing their overlaps makes is no divergence.
cat >resting.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {a: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.3}}
mechanism:
  bodies: {drum: {mass: 0.3 kg, inertia: 0.3 0.3 0.5 g*m^2}}
  joints: {axle: {revolute: drum, axis: x}}
grains:
  bed:
    port: drum
    wall: {cylinder: {radius: 40 mm, height: 20 mm, axis: x}}
    particles: {radius: 3 mm, count: 266, material: a}
    packing: settle
    method: nonsmooth
simulate: {duration: 4 ms, step: 0.4 ms}
record: {every: 2 ms}
YAML
expect 0 run resting.yaml -q -o resting
expect 0 run resting.yaml -q -o resting-nscd --set grains.bed.method=nscd --set simulate.step="0.2 ms"
