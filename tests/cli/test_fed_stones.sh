#!/usr/bin/env bash
# Grains with faces that come through an inlet, into a bed that begins empty: they lie on their faces, also those beyond the
# first 256, and a run that is resumed finds the same contacts.
source "$(dirname "$0")/common.bash"
cat >model.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {rock: {density: 2500 kg/m^3, friction: 0.5, restitution: 0}}
grains:
  bed:
    method: nonsmooth
    wall: {box: {size: 120 120 200 mm, center: 0 0 100 mm}}
    particles: {shape: {box: 20 20 20 mm}, material: rock}
inlets: {feed: {bed: bed, region: {box: {size: 118 118 40 mm, center: 0 0 175 mm}}, rate: 0.2 kg/s, until: 0.1001 s, velocity: 0 0 -1 m/s}}
simulate: {duration: 0.5 s, step: 1 ms}
frames: {every: 0.5 s}
record: {every: 20 ms, series: [bed.holdup, bed.center.z, bed.contacts, bed.load.fz]}
END
for method in nonsmooth nscd; do # one cube: upright, on four corners
    expect 0 run model.yaml -q -o one.run --set grains.bed.method=$method
    tail -1 one.run/series.csv >last
    awk -F, '{exit !($3 == 1 && $4 > 0.00999 && $4 < 0.01001 && $5 == 4 && $6 < -0.196 && $6 > -0.1963)}' last || fail "$method: $(cat last)"
done
many=(run model.yaml -q --set "inlets.feed.rate=7 kg/s" --set "inlets.feed.until=0.9 s" --set "inlets.feed.velocity=0 0 -3 m/s" --set "simulate.duration=1 s" --set simulate.step=2ms --set "grains.bed.contact={solver: {method: nsgs, tolerance: 1e-2}}" --set "grains.bed.wall.box.size=120 120 600 mm"
    --set "grains.bed.wall.box.center=0 0 300 mm" --set "inlets.feed.region.box.center=0 0 500 mm")
expect 0 "${many[@]}" -o whole.run
expect 0 "${many[@]}" -o parts.run --until "0.8 s"
expect 0 "${many[@]}" -o parts.run --resume
same whole.run/series.csv parts.run/series.csv
# Cubes cannot come nearer to each other than they are wide.
PYTHONPATH=$project/scripts python3 -B - <<'END' || fail "cubes are in each other"
import math
import vtp
points = vtp.read("whole.run/frames/bed-000002.vtp")["Points"]
assert len(points) > 300, len(points)
nearest = min(math.dist(a, b) for k, a in enumerate(points) for b in points[:k])
assert nearest > 0.0196, nearest
END
exit 0
