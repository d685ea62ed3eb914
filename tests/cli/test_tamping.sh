# The machine of examples/tamping-small.yaml with loose stones: it runs, its loops stay closed, energy is accounted for, tines
# meet stones, and results are the same on any number of threads and when the run is resumed. Imposing the motion of the
# chassis is an override.
source "$(dirname "$0")/common.bash"

model=$project/examples/tamping-small.yaml
# Thirty stones at random instead of a settled bed; diving from 10 ms on, squeezing from 60 ms on.
short=(--set 'grains.ballast.walls.box.box={size: [length, width, 0.5 m], center: 0 0 0.25 m}'
    --set 'constants.begin=10 ms' --set 'constants.squeeze=60 ms' --set 'constants.closing=40 ms'
    --set 'simulate.duration=0.1 s' --set grains.ballast.particles.count=30 --set grains.ballast.packing=random
    --set 'record.every=1 ms')

expect 0 run "$model" "${short[@]}" -q --threads 1 -o one.run
expect 0 run "$model" "${short[@]}" -q --threads 2 -o two.run
cmp one.run/series.csv two.run/series.csv || fail "two threads give other results than one"

expect 0 run "$model" "${short[@]}" --set 'simulate.duration=0.05 s' -q -o half.run
expect 0 run "$model" "${short[@]}" -q --resume -o half.run
cmp one.run/series.csv half.run/series.csv || fail "a run that is extended gives other results"

python3 - <<'PYTHON' || fail "the run is not that of a tamping machine"
import csv, json, math
summary = json.load(open("one.run/summary.json"))
rows = list(csv.reader(open("one.run/series.csv")))
names, rows = rows[0], [[float(x) for x in row] for row in rows[1:]]
column = lambda name: [row[next(k for k, n in enumerate(names) if n.startswith(name + "["))] for row in rows]
dive = column("support.z")[0] - min(column("support.z"))
assert 0.1 < dive < 0.4, dive                              # the support goes down, and not through the floor
length = column("actuator.length")
assert abs(length[0] - 0.4) < 1e-9 and max(length) > 0.41, length[-1]  # and the actuator spreads the arms
load = max(math.hypot(a, b) for a, b in zip(column("ballast.left_1.load.fz"), column("ballast.left_1.load.fx")))
assert load > 1, load                                      # stones push on a tine
assert summary["mechanism"]["violation"] < 1e-10, summary["mechanism"]  # loops stay closed [m]
error = max(abs(x) for x in column("energy.error"))
assert error < 1e-9 * max(column("energy.work")), error
PYTHON

# The chassis driven against its support, which replaces the springs' work by that of the joint.
expect 0 run "$model" "${short[@]}" -q -o imposed.run --set 'constants.f=15 Hz' \
    --set 'mechanism.joints.suspension={prismatic: [support, chassis], axis: z, position: "4 mm*sin(2*pi*f*t)"}'

# A bed made level, with a hole for the sleeper: fewer stones, all of them outside of it.
cat >dug.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2700 kg/m^3, friction: 0.5, restitution: 0}}
grains:
  bed:
    method: nscd
    walls:
      box: {box: {size: 200 200 600 mm, center: 0 0 300 mm}}
      block: {block: {size: 80 400 80 mm, center: 0 0 80 mm}}
    particles: {radius: 15 mm, count: 200, material: granite}
    packing: {settle: {depth: 120 mm, without: [block], shakes: 0}}
    contact: {solver: {tolerance: 1e-3}}
simulate: {duration: 10 ms, step: 1 ms}
record: {every: 10 ms, series: [bed.contacts, bed.overlap]}
YAML
export XDG_CACHE_HOME=$PWD/cache
expect 0 run dug.yaml -q -o first.run
expect 0 run dug.yaml -q -o again.run
cmp first.run/series.csv again.run/series.csv || fail "the bed from the cache is another one"
python3 - <<'PYTHON' || fail "the bed is not dug out"
import json
grains = json.load(open("first.run/summary.json"))["grains"]["bed"]["count"]
assert 40 < grains < 180, grains
PYTHON

# The same with stones: each keeps its own form when others are taken away, in a bed that is read again, too.
sed 's/radius: 15 mm, count: 200/radius: 18 mm, count: 80, shape: {ballast: {vertices: 12}}/' dug.yaml >stones.yaml
sed -i '/^record:/s/}$/, end: true}/' stones.yaml
expect 0 run stones.yaml -q -o stones.run
sed 's/, count: 80//; s/radius: 18 mm, //; s/packing: .*/packing: {from: stones.run}/' stones.yaml >reread.yaml
expect 0 run reread.yaml -q -o reread.run
python3 - <<'PYTHON' || fail "stones are not at rest around the block"
import csv, json
for run in "stones.run", "reread.run":
    summary = json.load(open(run + "/summary.json"))
    assert 15 < summary["grains"]["bed"]["count"] < 75, summary["grains"]["bed"]
    overlap = [float(row[-1]) for row in list(csv.reader(open(run + "/series.csv")))[1:]]
    assert max(overlap) < 1e-3 * 0.018, (run, overlap)
PYTHON
sed 's/without: \[block\]/without: [blok]/' dug.yaml >typo.yaml
expect 2 check typo.yaml
grep -q "has no wall 'blok'" err || fail "no word about a wall that is not there"
