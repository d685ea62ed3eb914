#!/usr/bin/env bash
# Clumps from outside, rigid and by springs: the same bytes on one and two threads and after going on from a checkpoint; frames show their parts;
# mass and compactness are those of the union; every kind of wall carries them; they come in by inlets and leave by outlets.
source "$(dirname "$0")/common.bash"

# ---- bytes ---------------------------------------------------------------------------------------
short=(--set simulate.duration='0.2 s' --set grains.blocks.particles.count=30 --set grains.blocks.packing=random
    --set frames.every='0.1 s' -q)
"$maraca" run "$project/examples/clumps.yaml" "${short[@]}" --threads 1 -o one.run 2>/dev/null
"$maraca" run "$project/examples/clumps.yaml" "${short[@]}" --threads 2 -o two.run 2>/dev/null
cmp one.run/series.csv two.run/series.csv || fail "two threads give other bytes than one"
"$maraca" run "$project/examples/clumps.yaml" "${short[@]}" --set simulate.duration='0.1 s' -o half.run 2>/dev/null
"$maraca" run "$project/examples/clumps.yaml" "${short[@]}" --resume -o half.run 2>/dev/null
cmp one.run/series.csv half.run/series.csv || fail "a run that was extended gives other bytes"
tail -1 one.run/series.csv | awk -F, '{ exit !($4 > 5) }' || fail "no clumps touch, so these bytes say nothing"
for part in blocks blocks-bodies blocks-walls; do
    [[ -s one.run/frames/$part-000002.vtp ]] || fail "there is no frame of $part"
done
grep -q 'NumberOfPolys="7200"' one.run/frames/blocks-bodies-000002.vtp || fail "30 clumps of 5 balls are not shown by 48 polygons each"
springs=("${short[@]}" --set grains.blocks.method=smooth --set grains.blocks.contact.stiffness='20 kN/m' --set simulate.step=auto)
"$maraca" run "$project/examples/clumps.yaml" "${springs[@]}" --threads 1 -o soft-one.run 2>/dev/null
"$maraca" run "$project/examples/clumps.yaml" "${springs[@]}" --threads 2 -o soft-two.run 2>/dev/null
cmp soft-one.run/series.csv soft-two.run/series.csv || fail "springs: two threads give other bytes than one"
"$maraca" run "$project/examples/clumps.yaml" "${springs[@]}" --set simulate.duration='0.1 s' -o soft-half.run 2>/dev/null
"$maraca" run "$project/examples/clumps.yaml" "${springs[@]}" --resume -o soft-half.run 2>/dev/null
cmp soft-one.run/series.csv soft-half.run/series.csv || fail "springs: a run that was extended gives other bytes"
tail -1 soft-one.run/series.csv | awk -F, '{ exit !($4 > 5) }' || fail "springs: no clumps touch, so these bytes say nothing"
[[ -s soft-one.run/frames/blocks-bodies-000002.vtp ]] || fail "there is no frame of clumps by springs"
expect 0 check "$project/examples/clumps.yaml"
grep -q "80 clumps of 5 spheres of radius" out || fail "check does not say what the grains are"

# ---- mass ----------------------------------------------------------------------------------------
# Two balls of 10 mm, 12 mm apart, and a bar that both hold, on the floor. What they have in common counts once.
printf 'x[mm],y[mm],z[mm]\n0,0,10\n' >place.csv
cat >pair.yaml <<'END'
maraca: 1
gravity: 0 0 -10 m/s^2
materials: {stone: {density: 2500 kg/m^3, friction: 0.5, restitution: 0}}
grains:
  bed:
    method: nscd
    wall: {box: {size: 100 100 100 mm, center: 0 0 50 mm}}
    regions:
      low: {box: {size: 40 24 20 mm, center: 0 0 10 mm}}
    particles:
      shape:
        clump:
          spheres: [{center: -6 0 0 mm, radius: 10 mm}, {center: 6 0 0 mm, radius: 10 mm}]
          parts: [{box: 12 4 4 mm, turn: 10 0 0 deg}]
      material: stone
    packing: {file: {path: place.csv}}
simulate: {duration: 20 ms, step: 1 ms}
record: {every: 10 ms, series: [bed.low, bed.load, bed.center.z]}
END
expect 0 run pair.yaml -q -o pair.run
python3 - <<'END' || fail "mass and compactness are not those of the union"
import csv, json, math
rows = list(csv.reader(open("pair.run/series.csv")))
last = {name.split("[")[0]: float(x) for name, x in zip(rows[0], rows[-1])}
r, d = 10e-3, 12e-3
volume = 8 / 3 * math.pi * r**3 - math.pi * (4 * r + d) * (2 * r - d)**2 / 12
mass = json.load(open("pair.run/summary.json"))["grains"]["bed"]["mass_kg"]
print("mass", mass, "of", 2500 * volume, "compactness", last["bed.low.compactness"], "of", volume / (40 * 24 * 20e-9))
assert abs(mass / (2500 * volume) - 1) < 1e-9
assert abs(last["bed.low.compactness"] * 40 * 24 * 20e-9 / volume - 1) < 0.02
assert abs(last["bed.load.fz"] / (-2500 * volume * 10) - 1) < 1e-4
assert abs(last["bed.center.z"] - 10e-3) < 1e-7
END

# Pieces that do not touch are allowed, with a warning.
sed 's/6 0 0 mm, radius: 10 mm/15 0 0 mm, radius: 10 mm/; /parts:/d' pair.yaml >pieces.yaml
expect 0 check pieces.yaml
grep -q "the clump is in 2 pieces that do not touch" err || fail "no warning of pieces that do not touch"

# ---- walls ---------------------------------------------------------------------------------------
cat >walls.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2700 kg/m^3, restitution: 0, friction: 0.8}}
grains:
  bed:
    method: nscd
    walls:
      under: WALL
    particles:
      shape: SHAPE
      material: granite
    packing: {file: {path: above.csv}}
    contact: {impact_speed: 0.3 m/s}
simulate: {duration: 0.1 s, step: 0.4 ms}
record: {every: 10 ms}
END
printf 'x[mm],y[mm],z[mm]\n0,0,5\n' >above.csv
plank='{clump: {parts: [{box: 6 8 6 mm, center: -3 0 0 mm}, {box: 6 8 6 mm, center: 3 0 0 mm}]}}'
balls='{clump: {spheres: [{center: -4 -3 0 mm, radius: 3 mm}, {center: 4 -3 0 mm, radius: 3 mm}, {center: 0 4 0 mm, radius: 3 mm}, {radius: 2.5 mm}]}}'
both='{clump: {spheres: [{center: -4 -3 0 mm, radius: 3 mm}, {center: -4 3 0 mm, radius: 3 mm}], parts: [{box: 6 6 6 mm, center: 3 0 0 mm}, {box: 10 2 2 mm}, {box: 2 8 2 mm, center: -4 0 0 mm}]}}'
soft=(--set grains.bed.method=smooth --set grains.bed.contact.stiffness='20 kN/m' --set grains.bed.contact.tangential=elastic
    --set materials.granite.restitution=0.2 --set simulate.step=auto)
rests() { # rests NAME WALL SHAPE: it lies on the wall, which carries its weight, rigid and by springs
    sed "s|WALL|$2|; s|SHAPE|$3|" walls.yaml >"$1.yaml"
    expect 0 run "$1.yaml" -q -o "$1"
    lies "$1"
    expect 0 run "$1.yaml" "${soft[@]}" -q -o "$1-soft"
    lies "$1-soft"
}
lies() {
    python3 - "$1" <<'END' || fail "$1: a clump at rest"
import csv, json, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
v = dict(zip((n.split("[")[0] for n in rows[0]), map(float, rows[-1])))
mass = json.load(open(sys.argv[1] + "/summary.json"))["grains"]["bed"]["mass_kg"]
weight = 9.81 * mass
print(sys.argv[1], "force", v["bed.load.fz"] / weight, "height", v["bed.center.z"])
assert abs(v["bed.load.fz"] / -weight - 1) < 1e-3, v["bed.load.fz"]
assert 2.4e-3 < v["bed.center.z"] < 5e-3, v["bed.center.z"]
assert abs(v["bed.velocity.z"]) < 1e-4
END
}
number=0
while IFS='|' read -r name wall; do
    shapes=("$plank" "$balls" "$both")
    rests "$name" "$wall" "${shapes[number++ % 3]}"
done <<'END'
plane|{plane: {normal: z}}
plate|{plate: {size: 40 40 mm}}
disc|{disc: {radius: 20 mm}}
block|{block: {size: 40 40 10 mm, center: 0 0 -5 mm}}
bin|{cylinder: {radius: 20 mm, height: 20 mm, center: 0 0 10 mm, open: [top]}}
room|{box: {size: 40 40 20 mm, center: 0 0 10 mm}}
open|{box: {size: 40 40 20 mm, center: 0 0 10 mm, open: [top]}}
sweep|{sweep: {profile: [-20 0 mm, -10 0 mm, 20 0 mm], length: 40 mm, axis: y}}
body|{sweep: {profile: [-20 0 mm, 20 0 mm, 20 10 mm, -20 10 mm], length: 40 mm, axis: y, closed: true, ends: true, solid: true}}
lifters|{lifters: {count: 4, radius: 50 mm, height: 20 mm, width: 30 mm, length: 40 mm, axis: y, center: 0 0 30 mm}}
ball|{sphere: {radius: 1 m, center: 0 0 1 m}}
cone|{cone: {radius_start: 20 mm, radius_end: 30 mm, height: 20 mm, center: 0 0 10 mm}}
END
rests room2 '{box: {size: 40 40 20 mm, center: 0 0 10 mm}}' "$both"
rests block2 '{block: {size: 40 40 10 mm, center: 0 0 -5 mm}}' "$plank"

# ---- inlets and outlets --------------------------------------------------------------------------
cat >flow.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2700 kg/m^3, restitution: 0.1, friction: 0.5}}
grains:
  bed:
    method: nonsmooth
    wall: {cylinder: {radius: 30 mm, height: 100 mm, center: 0 0 50 mm, open: [bottom, top]}}
    particles:
      shape: {clump: {spheres: [{center: -3 0 0 mm, radius: 3 mm}, {center: 3 0 0 mm, radius: 3 mm}]}}
      sizes: {uniform: {from: 5 mm, to: 7 mm}}
      material: granite
      orientation: random
    packing: random
    contact: {law: coulomb}
inlets: {feed: {bed: bed, region: {box: {size: 30 30 20 mm, center: 0 0 80 mm}}, rate: 0.02 kg/s, velocity: 0 0 -0.2 m/s}}
outlets: {sink: {bed: bed, plane: {point: 0 0 -20 mm, normal: -z}}}
simulate: {duration: 0.6 s, step: 0.5 ms}
record: {every: 20 ms, series: [feed, sink, bed.holdup]}
END
flows() {
    python3 - "$1" <<'END' || fail "$1: what came in has neither left nor stayed"
import csv, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
v = dict(zip((n.split("[")[0] for n in rows[0]), map(float, rows[-1])))
print(v)
assert v["feed.count"] > 10 and v["sink.count"] > 3
assert v["feed.count"] == v["sink.count"] + v["bed.holdup.count"]
assert abs(v["feed.mass"] - v["sink.mass"] - v["bed.holdup.mass"]) < 1e-12
assert abs(v["feed.mass"] - 0.6 * 0.02) < 2e-3
END
}
expect 0 run flow.yaml -q -o flow.run
flows flow.run
expect 0 run flow.yaml --set grains.bed.method=smooth --set grains.bed.contact.stiffness='5 kN/m' --set simulate.step=auto -q -o soft.run
flows soft.run

# ---- a scale -------------------------------------------------------------------------------------
# The box on a spring of examples/scale.yaml with clumps by springs: the spring carries box and clumps.
clumps='{shape: {clump: {spheres: [{center: -2 0 0 mm, radius: 2.5 mm}, {center: 2 0 0 mm, radius: 2.5 mm}, {center: 0 0 3 mm, radius: 2 mm}]}}, count: 40, material: glass, orientation: random}'
sed "s|particles: .*|particles: $clumps|" "$project/examples/scale.yaml" >scale.yaml
expect 0 run scale.yaml -q -o scale.run
python3 - <<'END' || fail "a scale with clumps by springs"
import csv, json
rows = list(csv.reader(open("scale.run/series.csv")))
v = dict(zip((n.split("[")[0] for n in rows[0]), map(float, rows[-1])))
summary = json.load(open("scale.run/summary.json"))
mass = summary["grains"]["balls"]["mass_kg"]
print("load", v["balls.load.fz"] / (-9.81 * mass), "spring", -v["box.z"] * 20e3 / (9.81 * (0.2 + mass)))
assert abs(v["balls.load.fz"] / (-9.81 * mass) - 1) < 1e-6
assert abs(-v["box.z"] * 20e3 / (9.81 * (0.2 + mass)) - 1) < 1e-6
assert summary["energy"]["relative_error"] < 1e-3
END
