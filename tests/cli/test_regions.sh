# Compactness of regions, forces between grains: against closed forms.
source "$(dirname "$0")/common.bash"

# Two bricks of 20 mm on each other, at rest: one pair, which carries the weight of the upper one.
cat >bricks.csv <<'CSV'
x[mm],y[mm],z[mm]
0,0,10
0,0,30
CSV
cat >bricks.yaml <<'YAML'
maraca: 1
gravity: 0 0 -10 m/s^2
materials: {stone: {density: 2500 kg/m^3, friction: 0.5, restitution: 0}}
grains:
  bed:
    method: nscd
    wall: {box: {size: 100 100 100 mm, center: 0 0 50 mm}}
    regions:
      lower: {box: {size: 40 40 20 mm, center: 0 0 10 mm}}
      all: {box: {size: 96 96 96 mm, center: 0 0 48 mm}}
      round: {sphere: {radius: 8 mm, center: 0 0 10 mm}}
      empty: {box: {size: 20 20 20 mm, center: 30 30 70 mm}}
    particles: {shape: {box: 20 20 20 mm}, material: stone}
    packing: {file: {path: bricks.csv}}
simulate: {duration: 20 ms, step: 1 ms}
record: {every: 10 ms, series: [bed.lower, bed.all, bed.round, bed.empty, bed.forces]}
YAML
expect 0 run bricks.yaml -q -o bricks.run
python3 - <<'PYTHON' || fail "measures are not those of two bricks"
import csv, json
rows = list(csv.reader(open("bricks.run/series.csv")))
last = {name.split("[")[0]: float(x) for name, x in zip(rows[0], rows[-1])}
near = lambda name, value, within: abs(last["bed." + name] - value) <= within or exit((name, last["bed." + name], value))
near("lower.compactness", 0.25, 1e-9)      # 20 x 20 of 40 x 40 mm
near("all.compactness", 2 * 20**3 / 96**3, 0.05 * 0.02)
near("round.compactness", 1, 0)            # inside the lower brick
near("empty.compactness", 0, 0)
near("lower.count", 1, 0), near("all.count", 2, 0), near("empty.count", 0, 0)
weight = 2500 * 0.02**3 * 10
near("forces.mean", weight, 1e-5 * weight), near("forces.largest", weight, 1e-5 * weight)
near("forces.pairs", 1, 0), near("forces.neighbours", 1, 0)
facts = json.load(open("bricks.run/summary.json"))["grains"]["bed"]
assert facts["lower"]["compactness"] == last["bed.lower.compactness"], facts
PYTHON

sed 's/sphere: {radius: 8 mm, center: 0 0 10 mm}/plane: {}/' bricks.yaml >plane.yaml
expect 2 check plane.yaml
grep -q "region 'round': a region is a box" err || fail "no word about a region without an inside"
