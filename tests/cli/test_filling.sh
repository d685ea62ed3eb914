#!/usr/bin/env bash
# Settling in a region of the room, and without walls that come later.
source "$(dirname "$0")/common.bash"

cat >silo.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
grains:
  bed:
    walls:
      room: {box: {size: 20 20 80 mm}}
      shelf: {disc: {radius: 20 mm}}
      lid: {disc: {radius: 20 mm, center: 0 0 25 mm}}
    particles: {radius: 1.5 mm, count: 150, material: glass}
    packing: {settle: {region: {box: {size: 20 20 40 mm, center: 0 0 20 mm}}, without: [lid], cache: false, shakes: 0}}
    contact: {stiffness: 3 kN/m, tangential: elastic}
simulate: {duration: 20 ms, step: 10 us}
record: {every: 1 ms, series: [bed.center, bed.load]}
END
expect 0 run silo.yaml -q -o above
python3 - <<'END' || fail "the bed rests on the shelf"
import csv, math
rows = list(csv.reader(open("above/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[1])))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
weight = 150 * 2500 * 4 / 3 * math.pi * 1.5e-3**3 * 9.81
assert 0.002 < v["bed.center.z"] < 0.02, v
assert abs(v["bed.load.fz"] + weight) < 0.02 * weight, (v, weight)
END
# Below the shelf, where the region is.
expect 0 run silo.yaml -q -o below --set grains.bed.packing.settle.region.box.center="0 0 -20 mm"
python3 - <<'END' || fail "the bed rests on the floor"
import csv
rows = list(csv.reader(open("below/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[1])))
assert -0.039 < v["bed.center.z"] < -0.02, v
END
expect 2 check silo.yaml --set grains.bed.packing.settle.without="[lit]"
says err "no wall 'lit'"
expect 2 check silo.yaml --set grains.bed.packing.settle.region="{plane: {normal: z}}"
says err "has no inside"
echo "filling: fine"

# How many grains are taken away after settling is told: by the first run, and when the bed comes from the cache.
cat >dug.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.3, friction: 0.4}}
grains:
  bed:
    walls:
      room: {box: {size: 12 12 30 mm}}
      tool: {plate: {size: 12 8 mm, axis: x, along: y, center: 0 0 -12 mm}}
    particles: {radius: 1 mm, count: 60, material: glass}
    packing: {settle: {without: [tool]}}
    contact: {stiffness: 1 kN/m, tangential: elastic}
simulate: {duration: 1 ms, step: 20 us}
END
expect 0 check dug.yaml
says out "then grains are taken away in the place of tool"
for time in first again; do
    expect 0 run dug.yaml -o dug-$time
    left=$(number dug-$time/summary.json count)
    [[ $left -lt 60 ]] || fail "nothing was in the place of the tool"
    says err "$((60 - left)) of 60 grains were taken away after settling" "; $left are left"
done
says err "taken from the cache"
