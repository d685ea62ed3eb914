#!/usr/bin/env bash
# Kinds of grains of different shapes in one bed: weight on a scale, threads, resuming, files and beds of other runs, inlets,
# outlets and meters, frames, estimates, mistakes.
source "$(dirname "$0")/common.bash"

cat >mix.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials:
  steel: {density: 7800 kg/m^3, restitution: 0.5, friction: 0.3}
  ore: {density: 2500 kg/m^3, restitution: 0.2, friction: 0.6}
mechanism:
  bodies: {box: {mass: 0.5 kg, inertia: 1e-3 1e-3 1e-3 kg*m^2}}
  joints: {guide: {prismatic: box, axis: z}}
  springs: {mount: {between: box, offsets: [0 0 0 m, 0 0 -1 m], stiffness: 50 kN/m, damping: 250 N*s/m}}
ports: {pan: {node: box}}
grains:
  bed:
    port: pan
    method: nonsmooth
    wall: {box: {size: 90 90 120 mm}, material: steel}
    particles:
      - {radius: 8 mm, count: 12, material: steel}
      - {name: stones, shape: {ballast: {vertices: 12, forms: 5}}, sizes: {sieve: [{opening: 10 mm, passing: 0}, {opening: 16 mm, passing: 1}]}, total_mass: 0.12 kg, material: ore}
      - {name: bricks, shape: {box: 20 14 10 mm}, count: 8, orientation: random, material: ore}
      - {name: peanuts, shape: {clump: {spheres: [{radius: 5 mm}, {center: 7 0 0 mm, radius: 5 mm}]}}, count: 6, material: ore}
    packing: {settle: {shakes: 1}}
    contact: {stiffness: 20 kN/m, tangential: elastic}
coupling: {scheme: condensed}
simulate: {duration: 0.2 s, step: 0.5 ms}
record: {every: 10 ms, end: true}
END
expect 0 check mix.yaml
says out "12 spheres of radius 8 mm of steel" "stones of 12 vertices in 5 forms" "8 boxes" "6 clumps of 2 spheres"
expect 0 advise mix.yaml --set simulate.step=auto --set grains.bed.contact.impact_speed="0.5 m/s"

# On a scale: 0.5 kg and the grains. Masses are those of the shapes.
weigh() { # the end of the run in folder $1
    python3 - "$1" <<'END' || fail "$1: weights and masses"
import csv, json, math, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
steel = 12 * 7800 * 4 / 3 * math.pi * 8e-3**3
bricks = 8 * 2500 * 20e-3 * 14e-3 * 10e-3
peanuts = 6 * 2500 * (2 * 4 / 3 * math.pi * 5e-3**3 - math.pi * (4 * 5 + 7) * (2 * 5 - 7)**2 / 12 * 1e-9)
assert v["bed.steel.count"] == 12 and abs(v["bed.steel.mass"] / steel - 1) < 1e-12, v
assert v["bed.bricks.count"] == 8 and abs(v["bed.bricks.mass"] / bricks - 1) < 1e-12, v
assert v["bed.peanuts.count"] == 6 and abs(v["bed.peanuts.mass"] / peanuts - 1) < 1e-9, (v["bed.peanuts.mass"], peanuts)
assert abs(v["bed.stones.mass"] / 0.12 - 1) < 0.05, v
mass = sum(v[f"bed.{kind}.mass"] for kind in ("steel", "stones", "bricks", "peanuts"))
weight, load = 9.81 * mass, -v["bed.load.fz"]
print(f"{sys.argv[1]}: {mass:.6g} kg, load {load:.6g} N, weight {weight:.6g} N")
assert abs(load / weight - 1) < 2e-3, (load, weight)
assert v["bed.mixing"] > 0.5, v["bed.mixing"]
assert json.load(open(sys.argv[1] + "/summary.json"))["energy"]["relative_error"] < 5e-3
END
}
in_three_ways() { # MODEL FOLDER: the same on two threads, and resumed
    expect 0 run "$1" "${@:3}" -q -o "$2" --threads 1
    expect 0 run "$1" "${@:3}" -q -o "$2-2" --threads 2
    same "$2/series.csv" "$2-2/series.csv"
    same "$2/end-bed.csv" "$2-2/end-bed.csv"
    expect 0 run "$1" "${@:3}" -q -o "$2-3" --until "0.04 s"
    expect 0 run "$1" "${@:3}" -q -o "$2-3" --resume
    same "$2/series.csv" "$2-3/series.csv"
    same "$2/end-bed.csv" "$2-3/end-bed.csv"
}
export XDG_CACHE_HOME=$PWD/cache
for method in nonsmooth nscd; do
    in_three_ways mix.yaml $method --set grains.bed.method=$method
    weigh $method
    [[ $(find cache/maraca -name 'bed-*' | wc -l) -gt 0 ]] || fail "the settled bed was not kept"
done

# What a run left is where the next one begins: kinds, forms, orientations and sizes.
python3 - <<'END'
import re
text = open("mix.yaml").read()
for words in ("radius: 8 mm, count: 12, ", "count: 8, ", "count: 6, "): text = text.replace(words, "")
text = re.sub(r"sizes: \{sieve.*?\}, total_mass: 0.12 kg, ", "", text).replace("packing: {settle: {shakes: 1}}", "packing: {from: nonsmooth}")
open("next.yaml", "w").write(text)
END
expect 0 check next.yaml
says out "12 spheres of radius 8 mm" "8 boxes" "6 clumps"
expect 0 run next.yaml -q -o next
python3 - <<'END' || fail "the bed of another run"
import csv
def row(folder, k):
    rows = list(csv.reader(open(folder + "/series.csv")))
    return dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[k])))
end, begin = row("nonsmooth", -1), row("next", 1)
for name in ("bed.center.x", "bed.steel.mass", "bed.stones.mass", "bed.bricks.center.x", "bed.peanuts.center.y"):
    assert abs(end[name] - begin[name]) < 1e-9 * abs(end[name]) + 1e-9, (name, end[name], begin[name])
END
in_three_ways next.yaml smooth --set grains.bed.method=smooth --set simulate.step="0.1 ms" --set simulate.duration="0.1 s" # tests/grains/test_kinds_shapes.c weighs them

# A file: forms are counted in their kind, sizes without a column are those of the kind.
cat >bed.csv <<'END'
x[mm],y[mm],z[mm],kind,form,turn_z[deg]
-20,0,-40,0,0,0
20,0,-40,1,4,30
0,20,-40,2,0,45
0,-20,-40,3,0,0
END
python3 - <<'END'
import re
text = open("mix.yaml").read()
for words in ("count: 12, ", "count: 8, ", "count: 6, "): text = text.replace(words, "")
text = text.replace(", total_mass: 0.12 kg", "").replace("packing: {settle: {shakes: 1}}", "packing: {file: {path: bed.csv}}")
open("file.yaml", "w").write(text)
END
expect 0 run file.yaml -q -o file --until "5 ms"
awk -F, 'NR > 1 { print $14, $15, int($4 * 1e7 + 0.5) }' file/end-bed.csv | sort | head -4 >found
grep -q "^0 0 80000$" found && grep -q "^1 4 " found && grep -q "^2 0 131909$" found && grep -q "^3 0 85000$" found || fail "$(cat found)"
sed 's/^20,0,-40,1,4/20,0,-40,1,5/' bed.csv >wrong.csv
expect 2 check file.yaml --set grains.bed.packing.file.path=wrong.csv
says err "a grain of form 5, but the 'shape' of its kind has 5 forms"
sed 's/^-20,0,-40,0,0/-20,0,-40,0,1/' bed.csv >wrong.csv
expect 2 check file.yaml --set grains.bed.packing.file.path=wrong.csv
says err "a grain of form 1, but the 'shape' of its kind has 1 form"
sed 's/^20,0,-40,1,4/20,0,-40,4,4/' bed.csv >wrong.csv
expect 2 check file.yaml --set grains.bed.packing.file.path=wrong.csv
says err "has grains of kind 4, but 'particles' has 4 kinds"
cut -d, -f1-3 bed.csv >wrong.csv
expect 2 check file.yaml --set grains.bed.packing.file.path=wrong.csv
says err "it needs a column 'kind'"
expect 2 check mix.yaml --set grains.bed.method=smooth --set "grains.bed.contact={normal: hertz, impact_speed: 1 m/s}"
says err "a law of round bodies"
expect 2 check mix.yaml --set grains.bed.method=smooth --set "grains.bed.spectra={}"
says err "smooth grains that are not spheres have no 'spectra'"
expect 2 check mix.yaml --set "grains.bed.particles.1.name=steel"
says err "two kinds of grains of 'bed' are called 'steel'"
expect 2 check mix.yaml --set "grains.bed.particles.2.shape.box=200 14 10 mm"
says err "does not fit into"

# Stones are fed into a bed of balls and leave it at the bottom; nothing is lost on the way.
cat >flow.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, restitution: 0.3, friction: 0.3}, ore: {density: 2500 kg/m^3, restitution: 0, friction: 0.5}}
grains:
  bed:
    method: nonsmooth
    wall: {box: {size: 100 100 300 mm, center: 0 0 150 mm, open: bottom}, material: steel}
    particles: [{radius: 8 mm, count: 6, material: steel}, {shape: {ballast: {forms: 3}}, radius: 7 mm, material: ore}]
    packing: {random: {region: {box: {size: 90 90 50 mm, center: 0 0 100 mm}}}}
inlets: {feed: {bed: bed, kind: ore, region: {box: {size: 80 80 40 mm, center: 0 0 250 mm}}, count: 200 Hz, velocity: 0 0 -1 m/s}}
outlets: {drain: {bed: bed, plane: {point: 0 0 -30 mm, normal: 0 0 -1}}}
meters: {gate: {bed: bed, plane: {point: 0 0 50 mm, normal: 0 0 -1}}}
simulate: {duration: 0.4 s, step: 0.5 ms}
record: {every: 20 ms}
frames: {every: 0.1 s}
END
expect 0 run flow.yaml -q -o flow --threads 1
expect 0 run flow.yaml -q -o flow-2 --threads 2
same flow/series.csv flow-2/series.csv
expect 0 run flow.yaml -q -o flow-3 --until "0.2 s"
expect 0 run flow.yaml -q -o flow-3 --resume
same flow/series.csv flow-3/series.csv
PYTHONPATH=$project/scripts python3 -B - <<'END' || fail "what comes and leaves"
import csv
import vtp
rows = list(csv.reader(open("flow/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
assert v["feed.count"] > 60 and v["drain.count"] > 20 and v["gate.count"] > 20, v
assert v["bed.steel.count"] + v["bed.ore.count"] == 6 + v["feed.count"] - v["drain.count"], v
assert v["bed.steel.count"] == 0, v
frame = vtp.read("flow/frames/bed-000001.vtp")
kinds = [int(k) for k in frame["kind"]]
assert kinds.count(0) == 6 and kinds.count(1) > 5, kinds
bodies = vtp.read("flow/frames/bed-bodies-000001.vtp")
ids = set(int(i) for i in bodies["id"])
assert ids == {int(i) for i, k in zip(frame["id"], kinds) if k == 1}, "faces are those of the stones"
END

# A wall without a material has that of the grain that touches it. Bricks of two kinds on an incline of 30 degrees, friction 0.1
# and 0.5 (which slows it down from 1 m/s), whichever is the first kind: g (sin - mu cos).
cat >incline.yaml <<'END'
maraca: 1
gravity: [4.905 m/s^2, 0, -8.4957 m/s^2]
materials:
  soft: {density: 2500 kg/m^3, friction: 0.1, restitution: 0}
  rough: {density: 2500 kg/m^3, friction: 0.5, restitution: 0}
grains:
  bed:
    wall: {plane: {normal: z}}
    particles: KINDS
    packing: {file: {path: incline.csv}}
    contact: CONTACT
simulate: {duration: 0.2 s, step: STEP}
record: {every: 10 ms, series: [bed.soft.center, bed.rough.center, bed.top, bed.height]}
END
printf 'x[mm],y[mm],z[mm],vx[m/s],kind\n0,0,3,1,0\n0,60,3,1,1\n' >incline.csv
for kinds in 'soft rough' 'rough soft'; do
    list=$(printf '{shape: {box: {size: 20 20 6 mm}}, material: %s}, ' $kinds)
    for method in smooth nonsmooth nscd; do
        step='0.5 ms' contact='{}'
        [[ $method != smooth ]] || step='10 us' contact='{stiffness: 100 kN/m, tangential: directional}'
        sed "s|KINDS|[${list%, }]|; s|STEP|$step|; s|CONTACT|$contact|" incline.yaml >slide.yaml
        expect 0 run slide.yaml -q --no-report -o "slide-$method" --set grains.bed.method=$method
        python3 - "slide-$method" <<'END' || fail "walls without a material: $kinds by $method"
import csv, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
for kind, mu in (("soft", 0.1), ("rough", 0.5)):
    x = 0.2 + 0.5*(4.905 - mu*8.4957)*0.04
    assert abs(v[f"bed.{kind}.center.x"]/x - 1) < 5e-3, (kind, v[f"bed.{kind}.center.x"], x)
# Top and height, against gravity, are those of the bricks and not of balls around them.
up = [-0.5*v[f"bed.{kind}.center.x"] + 0.8660254*v[f"bed.{kind}.center.z"] for kind in ("soft", "rough")]
reach = 0.5*10e-3 + 0.8660254*3e-3
assert abs(v["bed.top"] - max(up) - reach) < 1e-4, (v["bed.top"], max(up) + reach)
assert abs(v["bed.height"] - max(up) + min(up) - 2*reach) < 1e-4, v
END
    done
done
echo "kinds of shapes: fine"
