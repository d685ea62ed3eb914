#!/usr/bin/env bash
# maraca fit: friction and restitution of a simulated particle damper from its ring-down, with a bed that the fit does not know.
source "$(dirname "$0")/../cli/common.bash"
export XDG_CACHE_HOME=$temporary/cache
cat >damper.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.6}}
mechanism:
  bodies: {box: {mass: 20 g, inertia: 10 10 10 g*mm^2, velocity: 0.5 0 0 m/s}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-100 0 0 mm, 0 0 0 mm], stiffness: 200 N/m, damping: 0.02 N*s/m}}
grains:
  damper:
    port: box
    wall: {box: {size: 14 10 10 mm}}
    particles: {radius: 1.5 mm, count: 12, material: steel}
    packing: settle
    method: nonsmooth
    contact: {solver: {tolerance: 1e-3}}
coupling: {scheme: condensed}
simulate: {duration: 0.5 s, step: 0.5 ms}
record: {every: 1 ms, series: [box.x]}
MODEL
inside=0
for truth in "0.5 0.4 117" "0.15 0.8 203" "0.3 0.6 318"; do
    read -r friction restitution seed <<<"$truth"
    expect 0 run damper.yaml -q -o "truth$seed" --set grains.damper.packing.settle.seed="$seed" \
        --set materials.steel.friction="$friction" --set materials.steel.restitution="$restitution"
    expect 0 fit "truth$seed/series.csv" damper.yaml --vary friction,restitution --signal box.x -q -o "fit$seed"
    grep "materials.steel" out
    inside=$((inside + $(python3 - "fit$seed/study.json" "$friction" "$restitution" <<'PYTHON'
import json, sys
values = json.load(open(sys.argv[1]))["fit"]["values"]
truth = {"materials.steel.friction": float(sys.argv[2]), "materials.steel.restitution": float(sys.argv[3])}
assert values["materials.steel.friction"]["upper"] - values["materials.steel.friction"]["lower"] < 0.6, values
print(sum(v["lower"] <= truth[name] <= v["upper"] for name, v in values.items()))
PYTHON
    )))
done
echo "$inside of 6 values are within their 95 % intervals"
[[ $inside -ge 5 ]] || fail "only $inside of 6 values are within their intervals"
