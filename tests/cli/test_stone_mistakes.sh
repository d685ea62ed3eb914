#!/usr/bin/env bash
# What somebody meets who builds models of stones and linkages for the first time: each message says what to do.
source "$(dirname "$0")/common.bash"

cat >stone.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2500 kg/m^3, friction: 0.5}}
grains:
  bed:
    wall: {plane: {normal: z}}
    particles: {shape: {box: 100 100 100 mm}, count: 1, material: granite}
    packing: {cubic: {region: {box: {size: 101 101 101 mm, center: 0 0 51 mm}}}} # the ball around the cube is larger
    method: nscd
simulate: {duration: 10 ms, step: 0.5 ms}
END
expect 2 run stone.yaml -q -o stone
says err "only 0 of 1 grains fit into the lattice, whose cells are 173.2 mm wide"
expect 0 run stone.yaml -q -o stone --set grains.bed.packing.cubic.region.box.size="174 174 174 mm" \
    --set grains.bed.packing.cubic.region.box.center="0 0 87 mm"

python3 - <<'END'
import math
points = ["%g %g %g mm" % (20 * math.sin(k), 20 * math.cos(k) * math.sin(3 * k), 20 * math.cos(k) * math.cos(3 * k))
          for k in range(10000)]
text = open("stone.yaml").read()
open("many.yaml", "w").write(text.replace("{box: 100 100 100 mm}", "{polyhedron: {vertices: [%s]}}" % ", ".join(points)))
END
expect 2 check many.yaml
says err "'vertices' has 10000 items; at most 1000 are read: give fewer"

# A depth that the bed does not reach, also when it comes from the cache; one that it does.
cat >shallow.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {granite: {density: 2500 kg/m^3, friction: 0.4}}
grains:
  bed:
    wall: {box: {size: 300 300 300 mm}}
    particles: {shape: {box: 30 30 30 mm}, count: 2, material: granite}
    packing: {settle: {depth: 2 m}}
    method: nscd
simulate: {duration: 5 ms, step: 1 ms}
END
for time in first second; do
    XDG_CACHE_HOME=$temporary/cache expect 0 run shallow.yaml --no-report -o "shallow-$time"
    says err "high and does not reach its 'depth' of 2 m"
done
expect 0 run shallow.yaml --no-report -o shallow --set grains.bed.packing.settle.depth="30 mm" \
    --set grains.bed.packing.settle.cache=false
grep -q "its 'depth'" err && fail "a depth that is reached"

# A four-bar linkage of four hinges, as everybody writes it first: its loop fixes three directions twice.
cat >four-bar.yaml <<'END'
maraca: 1
gravity: 0 -9.81 0 m/s^2
mechanism:
  formulation: relative
  bodies:
    crank: {position: 50 0 0 mm, mass: 1 kg, inertia: 1 1 2 g*m^2}
    rod: {position: 250 100 0 mm, mass: 2 kg, inertia: 1 20 20 g*m^2}
    rocker: {position: 400 100 0 mm, mass: 1.5 kg, inertia: 10 1 10 g*m^2}
  joints:
    a: {revolute: crank, at: 0 0 0 mm, axis: z}
    b: {revolute: [crank, rod], at: 100 0 0 mm, axis: z}
    c: {revolute: [rod, rocker], at: 400 200 0 mm, axis: z}
    d: {revolute: rocker, at: 400 0 0 mm, axis: z}
simulate: {duration: 50 ms, step: 0.5 ms}
record: {every: 5 ms}
END
expect 2 run four-bar.yaml -q -o bar
says err "the joints keep more than can move" "let one joint of each such loop fix less, such as spherical, point_on_line or general"
expect 2 run four-bar.yaml -q -o bar --set mechanism.formulation=absolute
says err "use joints that fix less, such as spherical, point_on_line or general"
# As both messages say; the two forms then agree.
sed -i 's/c: {revolute: .*/c: {general: [rod, rocker], at: 400 200 0 mm, axis: z, translations: [x, y]}/' four-bar.yaml
expect 0 run four-bar.yaml -q -o relative
expect 0 run four-bar.yaml -q -o absolute --set mechanism.formulation=absolute
python3 - <<'END' || fail "the two forms of a four-bar linkage differ"
import csv
def column(folder, name):
    rows = list(csv.reader(open(folder + "/series.csv")))
    k = [n.split("[")[0] for n in rows[0]].index(name)
    return [float(row[k]) for row in rows[1:]]
for name in ("crank.wz", "rocker.wz", "rod.vx", "d.fy"):
    a, b = column("absolute", name), column("relative", name)
    size = max(map(abs, a))
    worst = max(abs(x - y) for x, y in zip(a, b)) / size
    print(name, "largest", size, "difference", worst)
    assert size > 0.01 and worst < 1e-4, (name, worst)
END
echo "mistakes with stones and linkages: said"
