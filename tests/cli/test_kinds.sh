#!/usr/bin/env bash
# Several kinds of grains in one bed: how much of each there is, how well they are mixed, pairs of materials.
source "$(dirname "$0")/common.bash"

cat >mix.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials:
  steel: {density: 7800 kg/m^3, restitution: 0.6, friction: 0.3}
  ore: {density: 2500 kg/m^3, restitution: 0.4, friction: 0.6}
pairs:
  both: {between: [steel, ore], friction: 0.2, restitution: 0.5}
grains:
  bed:
    wall: {box: {size: 30 30 60 mm}, material: steel}
    particles: [{radius: 1.5 mm, count: 200, material: steel}, {sizes: {uniform: {from: 1 mm, to: 2 mm}}, total_mass: 10 g, material: ore}]
    packing: {random: {region: {box: {size: 30 30 55 mm, center: 0 0 2 mm}}}}
    contact: {stiffness: 2 kN/m, tangential: elastic}
simulate: {duration: 20 ms, step: 10 us}
record: {every: 5 ms}
END
expect 0 check mix.yaml
says out "200 spheres" "steel" "ore"
for method in smooth nonsmooth; do
    set=(--set grains.bed.method=$method)
    [[ $method == smooth ]] || set+=(--set simulate.step="0.1 ms" --set grains.bed.contact.impact_speed="1 m/s")
    expect 0 run mix.yaml "${set[@]}" -q -o $method --threads 1
    expect 0 run mix.yaml "${set[@]}" -q -o $method-2 --threads 2
    same $method/series.csv $method-2/series.csv
    python3 - $method <<'END' || fail "$method: measures of kinds"
import csv, json, math, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
steel = 200 * 7800 * 4 / 3 * math.pi * 1.5e-3**3
assert v["bed.steel.count"] == 200 and abs(v["bed.steel.mass"] - steel) < 1e-12, v
assert abs(v["bed.ore.mass"] - 0.010) < 2500 * 4.2 * 8e-9, v
assert 0.8 < v["bed.mixing"] < 1.2, v["bed.mixing"]
energy = json.load(open(sys.argv[1] + "/summary.json"))
assert energy["energy"]["relative_error"] < 1e-3
assert energy["grains"]["bed"]["steel"]["count"] == 200
END
done

# One kind above the other, by two inlets: not mixed at all.
python3 - <<'END'
text = open("mix.yaml").read()
text = text.replace("count: 200, ", "").replace(", total_mass: 10 g", "").replace("    packing: {random: {region: {box: {size: 30 30 55 mm, center: 0 0 2 mm}}}}\n", "")
text += """inlets:
  lower: {bed: bed, kind: steel, region: {box: {size: 30 30 20 mm, center: 0 0 -15 mm}}, count: 100 kHz, total_count: 150}
  upper: {bed: bed, kind: ore, region: {box: {size: 30 30 20 mm, center: 0 0 15 mm}}, count: 100 kHz, total_count: 150}
"""
open("layers.yaml", "w").write(text)
END
expect 0 run layers.yaml -q -o layers --set simulate.duration="10 ms"
python3 - <<'END' || fail "two layers"
import csv
rows = list(csv.reader(open("layers/series.csv")))
v = dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[-1])))
assert v["bed.steel.count"] == 150 and v["bed.ore.count"] == 150, v
assert v["bed.mixing"] < 0.3, v["bed.mixing"]
assert v["bed.ore.center.z"] > v["bed.steel.center.z"] + 0.01, v
END

# What another run left is where the next one begins.
expect 0 run mix.yaml -q -o fill --set record.end=true
cp mix.yaml next.yaml
python3 - <<'END'
text = open("mix.yaml").read()
text = text.replace("radius: 1.5 mm, count: 200, ", "").replace("sizes: {uniform: {from: 1 mm, to: 2 mm}}, total_mass: 10 g, ", "")
text = text.replace("packing: {random: {region: {box: {size: 30 30 55 mm, center: 0 0 2 mm}}}}", "packing: {from: fill}")
open("next.yaml", "w").write(text)
END
expect 0 run next.yaml -q -o next
python3 - <<'END' || fail "the bed of another run"
import csv
def row(folder, k):
    rows = list(csv.reader(open(folder + "/series.csv")))
    return dict(zip([n.split("[")[0] for n in rows[0]], map(float, rows[k])))
end, begin = row("fill", -1), row("next", 1)
for name in ("bed.center.z", "bed.steel.mass", "bed.ore.center.x", "bed.mixing"):
    assert abs(end[name] - begin[name]) < 1e-9 * abs(end[name]) + 1e-12, (name, end[name], begin[name])
END
expect 2 check next.yaml --set grains.bed.packing="{from: smooth}"
says err "record: {end: true}"

# Mistakes.
expect 2 check mix.yaml --set grains.bed.particles.1.material=steel
says err "two kinds of grains of 'bed' are called 'steel'"
expect 2 check layers.yaml --set inlets.lower.kind=lead
says err "no kind of grains called 'lead'"
sed '/lower:/s/kind: steel, //' layers.yaml >which.yaml
expect 2 check which.yaml
says err "does not say which of the 2 kinds"
echo "kinds of grains: fine"

# The bed at the end of an earlier run does not survive a new one in the same folder.
[[ -s fill/end-bed.csv ]] || fail "no end-bed.csv"
expect 0 run mix.yaml -q -o fill --until "1 ms"
[[ ! -e fill/end-bed.csv ]] || fail "end-bed.csv of the earlier run is still there"

# --until is the duration; with --resume it extends.
expect 0 run mix.yaml -q -o fill --resume --until "2 ms"
expect 0 run mix.yaml -q -o once --until "2 ms"
same fill/series.csv once/series.csv
