#!/usr/bin/env bash
# Grains that are poured from above an open bin: into it, at rest, with all of their weight on it.
source "$(dirname "$0")/common.bash"

cat >bin.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {ore: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}
grains:
  bed:
    walls:
      hopper: {cone: {radius_start: 10 mm, radius_end: 60 mm, height: 80 mm, open: [top]}}
    particles: {radius: 5 mm, count: 100, material: ore}
    packing: {settle: {stages: 2, cache: false, region: {cylinder: {radius: 90 mm, height: 40 mm, center: 0 0 80 mm}}}}
    method: nonsmooth
simulate: {duration: 20 ms, step: 0.5 ms}
record: {every: 10 ms, series: [bed.top, bed.load.fz]}
END
expect 0 run bin.yaml -q -o bin
python3 - <<'END' || fail "grains poured into a hopper from above"
import csv, math
rows = list(csv.reader(open("bin/series.csv")))
v = dict(zip(rows[0], map(float, rows[-1])))
weight = 9.81 * 100 * 2500 * 4 / 3 * math.pi * 0.005**3
print(v, "weight", weight)
assert abs(v["bed.load.fz[N]"] / -weight - 1) < 1e-3 and v["bed.top[m]"] < 0.04, v # below the rim
END
# Beside it there is nothing to fall into.
expect 2 run bin.yaml -q -o beside --set "grains.bed.packing.settle.region.cylinder.center=300 0 80 mm"
says err "the region of 'packing' is outside the room"
expect 2 run bin.yaml -q -o small --set "grains.bed.packing.settle.region.cylinder={radius: 12 mm, height: 12 mm, center: 0 0 80 mm}" --set grains.bed.packing.settle.stages=1
says err "the room within the region is too full"
echo "poured from above an open hopper"
