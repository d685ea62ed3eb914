#!/usr/bin/env bash
# Grains that are not spheres against walls that are no closed rooms: they come to rest on them, and the walls carry their weight.
source "$(dirname "$0")/common.bash"

cat >stones.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2700 kg/m^3, restitution: 0, friction: 0.8}}
grains:
  bed:
    method: nscd
    walls:
      under: WALL
    particles: {shape: {box: {size: 10 8 6 mm}}, radius: 7.07106781186 mm, material: granite}
    packing: {file: {path: place.csv}}
    contact: {impact_speed: 0.3 m/s}
simulate: {duration: 0.25 s, step: 0.2 ms}
record: {every: 10 ms}
END
printf 'x[mm],y[mm],z[mm]\n0,0,4\n' >place.csv
while IFS='|' read -r name wall; do
    sed "s|WALL|$wall|" stones.yaml >"$name.yaml"
    expect 0 run "$name.yaml" -q -o "$name"
    python3 - "$name" <<'END' || fail "$name: a stone at rest"
import csv, math, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
names = [n.split("[")[0] for n in rows[0]]
v = dict(zip(names, map(float, rows[-1])))
weight = 2700 * 10e-3 * 8e-3 * 6e-3 * 9.81
print(sys.argv[1], "force", v["bed.load.fz"] / weight, "height", v["bed.center.z"])
assert abs(v["bed.load.fz"] / -weight - 1) < 1e-3, v["bed.load.fz"]
assert 2.9e-3 < v["bed.center.z"] < 4.1e-3, v["bed.center.z"]
assert abs(v["bed.velocity.z"]) < 1e-4
END
done <<'END'
plate|{plate: {size: 40 40 mm}}
disc|{disc: {radius: 20 mm}}
block|{block: {size: 40 40 10 mm, center: 0 0 -5 mm}}
open|{box: {size: 40 40 20 mm, center: 0 0 10 mm, open: [top]}}
bin|{cylinder: {radius: 20 mm, height: 20 mm, center: 0 0 10 mm, open: [top]}}
sweep|{sweep: {profile: [-20 0 mm, -10 0 mm, 20 0 mm], length: 40 mm, axis: y}}
body|{sweep: {profile: [-20 0 mm, 20 0 mm, 20 10 mm, -20 10 mm], length: 40 mm, axis: y, closed: true, ends: true, solid: true}}
lifters|{lifters: {count: 4, radius: 50 mm, height: 20 mm, width: 30 mm, length: 40 mm, axis: y, center: 0 0 30 mm}}
rods|{rod: {radius: 2 mm, length: 40 mm, axis: y, center: -3 0 -2 mm}}\n      second: {rod: {radius: 2 mm, length: 40 mm, axis: y, center: 3 0 -2 mm}}
END
# A plank that slides out of a tube and tips over its rim, at several angles. Its centre passes the surface of the tube,
# continued beyond the rim, while corners are still inside: these do not change sides.
cat >rim.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {wood: {density: 700 kg/m^3, friction: 0.1, restitution: 0}}
grains:
  bed:
    wall: {cylinder: {radius: 100 mm, height: 200 mm, axis: y, open: [end]}}
    particles: {shape: {box: 20 60 10 mm}, material: wood}
    packing: {file: {path: rim.csv}}
    method: nonsmooth
outlets: {floor: {bed: bed, plane: {point: 0 0 -250 mm, normal: -z}}}
simulate: {duration: 0.5 s, step: 0.25 ms}
END
for start in "0.8 45" "0.6 60" "0.7 20"; do
    printf 'x[mm],y[mm],z[mm],vy[m/s],turn_z[deg]\n0,50,-89,%s,%s\n' $start >rim.csv
    for method in nonsmooth nscd; do
        expect 0 run rim.yaml -q -o rim --set grains.bed.method=$method
        says rim/summary.json '"out_count": 1'
        python3 -c '
import json
energy = json.load(open("rim/summary.json"))["energy"]
assert energy["relative_error"] < 1e-3, energy' || fail "$start, $method: the ledger of a plank that tips over a rim"
    done
done


# A thin layer of stones settles: each lies on three of its corners, with others next to them that do not carry.
cat >layer.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2700 kg/m^3, friction: 0.6, restitution: 0}}
grains:
  bed:
    wall: {box: {size: 1 1 1 m, center: 0 0 0.5 m}}
    particles: {shape: ballast, radius: 30 mm, count: 20, material: granite}
    packing: {settle: {seed: 1, cache: false}}
    method: nscd
simulate: {duration: 1 ms, step: 1 ms}
END
for seed in 1 3 5; do
    for method in nonsmooth nscd; do
        expect 0 run layer.yaml -q --no-report -o layer --set grains.bed.method=$method --set grains.bed.packing.settle.seed=$seed
        rm -r layer
    done
done
