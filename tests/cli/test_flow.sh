#!/usr/bin/env bash
# Grains that come and leave: nothing is lost on the way, the ledger closes, and results are the same on any number of
# threads and after stopping and going on.
source "$(dirname "$0")/common.bash"

cat >tube.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
grains:
  bed:
    walls:
      tube: {box: {size: 20 20 60 mm}}
      floor: {disc: {radius: 20 mm, hole: 6 mm, center: 0 0 -10 mm}}
    particles: {sizes: {uniform: {from: 0.9 mm, to: 1.3 mm}}, material: glass}
    contact: {stiffness: 500 N/m, tangential: elastic}
inlets:
  feed: {bed: bed, region: {cylinder: {radius: 9 mm, height: 10 mm, center: 0 0 24 mm}}, rate: 60 g/s, velocity: 0 0 -0.8 m/s}
outlets:
  sink: {bed: bed, plane: {point: 0 0 -25 mm, normal: -z}}
meters:
  lip: {bed: bed, plane: {point: 0 0 -12 mm, normal: -z}, window: 50 ms}
  throat: {bed: bed, box: {size: 20 20 8 mm, center: 0 0 -18 mm}, direction: -z}
simulate: {duration: 0.16 s, step: 10 us}
record: {every: 5 ms}
END

# balance FOLDER: grains and mass that came in are in the bed or have left; the meter lies between; the ledger closes.
balance() {
    python3 - "$1" <<'END' || fail "$1: the balance is wrong"
import csv, json, sys
folder = sys.argv[1]
rows = list(csv.reader(open(folder + "/series.csv")))
names = [n.split("[")[0] for n in rows[0]]
for row in rows[1:]:
    v = dict(zip(names, map(float, row)))
    assert v["feed.count"] == v["bed.holdup.count"] + v["sink.count"], v
    assert abs(v["feed.mass"] - v["bed.holdup.mass"] - v["sink.mass"]) < 1e-12, v
    assert v["feed.count"] >= v["lip.count"] >= v["sink.count"], v
assert v["feed.count"] > 300 and v["sink.count"] > 20, v
assert 0.01 < v["sink.residence"] < 0.16, v
summary = json.load(open(folder + "/summary.json"))
flow = summary["flow"]
assert flow["feed"]["in_count"] == flow["bed"]["holdup_count"] + flow["sink"]["out_count"]
energy = summary["energy"]
assert energy["relative_error"] < 1e-3, energy
print(folder, "in", v["feed.count"], "out", v["sink.count"], "balance", energy["relative_error"])
END
}

for method in smooth nonsmooth nscd; do
    set=(--set grains.bed.method=$method)
    [[ $method == smooth ]] || set+=(--set simulate.step="0.1 ms" --set grains.bed.contact.impact_speed="1 m/s")
    expect 0 run tube.yaml "${set[@]}" -q -o $method --threads 1
    balance $method
    expect 0 run tube.yaml "${set[@]}" -q -o $method-2 --threads 2
    same $method/series.csv $method-2/series.csv
    # Half of it, then the rest.
    expect 0 run tube.yaml "${set[@]}" -q -o $method-3 --set simulate.duration="80 ms"
    expect 0 run tube.yaml "${set[@]}" -q -o $method-3 --resume
    same $method/series.csv $method-3/series.csv
    # The first step, while the bed is still empty, then the rest.
    expect 0 run tube.yaml "${set[@]}" -q -o $method-4 --set record.every="0.2 ms" --set simulate.duration="0.2 ms"
    expect 0 run tube.yaml "${set[@]}" -q -o $method-4 --set record.every="0.2 ms" --set simulate.duration="20 ms" --resume
    expect 0 run tube.yaml "${set[@]}" -q -o $method-5 --set record.every="0.2 ms" --set simulate.duration="20 ms"
    same $method-4/series.csv $method-5/series.csv
done

# A rate that changes with time, and an end: what was asked for has come, to the grain.
expect 0 run tube.yaml -q -o pulse --set inlets.feed.rate="60 g/s*sin(2*pi*10 Hz*t)^2" --set inlets.feed.until="100 ms"
python3 - <<'END' || fail "the mass of a pulse"
import json
mass = json.load(open("pulse/summary.json"))["flow"]["feed"]["in_mass_kg"]
wanted = 0.060 * 0.5 * 0.1
assert abs(mass - wanted) < 0.02 * wanted + 2500 * 4.2 * 1.3e-3**3, (mass, wanted)
END

# A region that is full: a warning, and the mass that is owed.
expect 0 run tube.yaml -o blocked --set inlets.feed.rate="2 kg/s" --set simulate.duration="60 ms"
says err "the region of inlet 'feed' has no room" "is owed"
says blocked/summary.json '"owed_mass_kg"'

# Of a total, no more is owed than what is left of it.
for total in total_mass="20 g" total_count=1500; do
    expect 0 run tube.yaml -q -o part --set inlets.feed.rate="2 kg/s" --set inlets.feed."$total" --set simulate.duration="60 ms"
    python3 - "$total" <<'END' || fail "what is owed of $total"
import json, math, sys
feed = json.load(open("part/summary.json"))["flow"]["feed"]
owed, mass, count = feed["owed_mass_kg"], feed["in_mass_kg"], feed["in_count"]
largest = 2500 * 4 / 3 * math.pi * 1.3e-3**3
left = 0.020 - mass if "mass" in sys.argv[1] else (1500 - count) * largest
print(f"{sys.argv[1]}: {mass:.4g} kg and {count} grains in, {owed:.4g} kg owed, {left:.4g} left")
assert left > 0 and 0.3 * left < owed < left * (1 + 1e-9), (owed, left)
END
done

# Frames and report with a changing number of grains.
expect 0 run tube.yaml -q -o frames --set simulate.duration="50 ms" --set frames.every="10 ms"
[[ -s frames/report.html ]] || fail "no report"
[[ $(ls frames/frames | wc -l) -ge 5 ]] || fail "no frames"

# Without the outlet grains come to rest on the bottom of the room; without the tube they are lost, and that is said.
python3 - <<'END'
text = open("tube.yaml").read()
text = text.replace("      tube: {box: {size: 20 20 60 mm}}\n", "").replace("outlets:\n  sink: {bed: bed, plane: {point: 0 0 -25 mm, normal: -z}}\n", "")
open("open.yaml", "w").write(text)
END
expect 1 run open.yaml -q -o open
says err "below all walls and no outlet takes it"
echo "grains that come and leave: counted"

# Grains that spill over the edge of a disc below an open pipe are lost, while the bed settles already.
cat >pipe.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.1}}
grains:
  bed:
    walls:
      pipe: {cylinder: {radius: 8 mm, height: 40 mm, open: [top, bottom]}}
      bottom: {disc: {radius: 8 mm, center: 0 0 -26 mm}}
    particles: {radius: 1 mm, count: 60, material: glass}
    packing: {settle: {cache: false}}
    contact: {stiffness: 1 kN/m, tangential: elastic}
simulate: {duration: 1 ms}
END
expect 1 run pipe.yaml -q -o pipe
says err "below all walls and no outlet takes it"
