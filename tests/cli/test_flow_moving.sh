#!/usr/bin/env bash
# Outlets and meters of which grains come back, that are carried over grains, or that are far away.
source "$(dirname "$0")/common.bash"

values='
import csv
def series(folder):
    rows = list(csv.reader(open(folder + "/series.csv")))
    names = [n.split("[")[0] for n in rows[0]]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]
'

# Grains that bounce up and down through a plane: their mean velocity there is never more than their speed, which falling
# from 50 mm above it makes sqrt(2 g 0.05 m) = 0.99 m/s.
cat >bounce.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 1}}
grains:
  bed:
    wall: {plane: {normal: z}}
    particles: {radius: 4 mm, count: 12, material: glass}
    packing: {cubic: {region: {box: {size: 100 100 12 mm, center: 0 0 100 mm}}, gap: 2 mm}}
    contact: {stiffness: 20 kN/m}
meters:
  mid: {bed: bed, plane: {point: 0 0 50 mm, normal: -z}, window: 0.4 s}
simulate: {duration: 0.8 s, step: 20 us}
record: {every: 10 ms, series: [mid]}
END
expect 0 run bounce.yaml -q -o bounce
python3 - "$values" <<'END' || fail "the velocity of grains that come back"
import sys
exec(sys.argv[1])
rows = series("bounce")
most = max(abs(v["mid.velocity"]) for v in rows)
print("largest mean velocity", most)
assert 0.9 < most < 1.05, most
assert {v["mid.count"] for v in rows} == {0, 12}
both = [v["mid.velocity"] for v in rows if v["t"] > 0.42 and v["mid.count"] == 0]
assert min(map(abs, both)) < 0.05, both # as many down as up
END

# An outlet that is carried over a bed at 5 m/s takes all of it, and the ledger of a bed that is empty then still closes.
cat >nozzle.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.1}}
ports:
  nozzle: {position: [5 m/s*t - 1 m, 0, 0]}
grains:
  bed:
    wall: {box: {size: 600 30 100 mm}}
    particles: {radius: 4 mm, count: 150, material: glass}
    method: nonsmooth
outlets:
  suck: {bed: bed, port: nozzle, region: {box: {size: 16 30 200 mm}}} # two grains wide
simulate: {duration: 0.4 s, step: 0.2 ms}
END
expect 0 run nozzle.yaml -q -o nozzle
says nozzle/summary.json '"out_count": 150' '"holdup_count": 0'
# A grain that has left: the same when the run goes on from a checkpoint.
watch=(--set "record.series=[bed.grain.0, bed.grain.149]" --set "record.every=20 ms")
expect 0 run nozzle.yaml -q -o watched "${watch[@]}"
expect 0 run nozzle.yaml -q -o watched-2 "${watch[@]}" --set simulate.duration="0.3 s"
expect 0 run nozzle.yaml -q -o watched-2 "${watch[@]}" --resume
same watched/series.csv watched-2/series.csv

# Grains on their way to an outlet far below are not lost, also when the run goes on from a checkpoint.
cat >far.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.1}}
grains:
  bed:
    wall: {box: {size: 100 100 100 mm, open: [top, bottom]}}
    particles: {radius: 5 mm, material: glass}
    method: nonsmooth
inlets: {feed: {bed: bed, region: {box: {size: 80 80 40 mm}}, count: 100 Hz}}
outlets: {bin: {bed: bed, region: {box: {size: 1 1 0.2 m, center: 0 0 -1 m, open: [top]}}}}
simulate: {duration: 0.5 s, step: 0.1 ms}
END
expect 0 run far.yaml -q -o far
expect 0 run far.yaml -q -o far-2 --set simulate.duration="0.4003 s" --set record.every="0.5 ms"
expect 0 run far.yaml -q -o far-2 --set record.every="0.5 ms" --resume
same far/series.csv far-2/series.csv
# Grains that come later can be watched, too: grain 20 comes at 0.21 s, and falls.
expect 0 run far.yaml -q -o later --set "record.series=[bed.grain.20]" --set record.every="0.1 s"
python3 - "$values" <<'END' || fail "a grain that comes later"
import sys
exec(sys.argv[1])
z = [v["bed.grain.20.z"] for v in series("later")]
print(z)
assert z[0] == z[1] == z[2] == 0 and 0.01 > z[3] > z[4] + 0.08 > z[5] + 0.2, z
END
python3 - "$values" <<'END' || fail "an outlet whose region has an open side takes what is in it"
import sys
exec(sys.argv[1])
last = series("far")[-1]
print(last["bin.count"], last["bin.residence"])
assert abs(last["bin.residence"] - (2 * 0.9 / 9.81) ** 0.5) < 0.01, last # a fall through 0.9 m
END

# Thrown off level: the plane of the outlet stands upright, and grains are below everything before they are there.
sed -e 's/^outlets.*/outlets: {side: {bed: bed, plane: {point: 600 0 0 mm, normal: x}}}/' \
    -e 's/open: \[top, bottom\]/open: [top, bottom, x+]/' -e 's/count: 100 Hz/count: 100 Hz, velocity: 2 0 0 m\/s/' far.yaml >side.yaml
expect 0 run side.yaml -q -o side
says side/summary.json '"out_count"'
sed -i 's/normal: x/normal: -x/; s/point: 600/point: -600/' side.yaml
expect 1 run side.yaml -q -o side
says err "below all walls and no outlet takes it"

# Mistakes that are found before the run.
expect 0 check far.yaml --set outlets.bin.region.box.center="0 0 0 m"
says err "warning: outlet 'bin' takes grains where inlet 'feed' puts them"
expect 2 check far.yaml --set inlets.feed.count="100 Hz*cos(20*t)"
says err "inlet 'feed': its count is" "per second at t = 0.079 s, but nothing leaves through an inlet"
expect 0 check far.yaml --set inlets.feed.count="100 Hz*max(0, cos(20*t))" --set inlets.feed.until="0.3 s"
says out "a number per second that changes with time, until 300 ms"
expect 0 check far.yaml --set outlets.bin.region.box.size="20 20 20 mm" # exactly two grains
expect 2 check far.yaml --set outlets.bin.region.box.size="20 20 19 mm"
sed 's/count: 100 Hz/rate: 3/; s/rate: 3/rate: sin(t)/' far.yaml >unit.yaml
expect 2 check unit.yaml
says err "multiply it by 1 kg/s"

# Nothing but a floor, materials with a modulus, and nothing said of contacts: the spring is that of a fall, not zero.
cat >floor.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, young: 100 MPa, restitution: 0.3}}
grains:
  bed:
    wall: {plane: {normal: z}}
    particles: {radius: 5 mm, material: glass}
inlets: {feed: {bed: bed, region: {box: {size: 80 80 40 mm, center: 0 0 60 mm}}, count: 100 Hz}}
simulate: {duration: 0.3 s}
END
expect 0 run floor.yaml -q -o floor
python3 -c '
import json
overlap = json.load(open("floor/summary.json"))["grains"]["bed"]["largest_overlap"]
assert 0.001 < overlap < 0.15, overlap' || fail "the stiffness of grains on a floor"

# A car on rails that is filled on its way, force-free: momentum. The inlet rides on the car, and gives each grain its
# velocity; advice and every scheme know of a machine whose beds are fed.
cat >car.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {ore: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.2}}
mechanism:
  bodies: {car: {mass: 2 kg, inertia: 10 10 10 g*m^2, velocity: 1 0 0 m/s}}
  joints: {rail: {prismatic: car, axis: x}}
grains:
  bed:
    port: car
    wall: {box: {size: 300 200 150 mm, open: [top]}}
    particles: {radius: 8 mm, material: ore}
    method: nonsmooth
inlets:
  feed: {bed: bed, port: car, region: {box: {size: 150 100 40 mm, center: 0 0 100 mm}}, rate: 1 kg/s}
simulate: {duration: 0.3 s, step: 0.5 ms}
record: {every: 0.5 ms, series: [car, bed.velocity, bed.holdup, feed]}
END
expect 0 advise car.yaml
# Schemes are judged with what inlets bring: 0.3 kg on 2 kg.
says out "Coupling of mechanism and grains" "inlets bring until the end        300 g" "mass ratio                        0.15"
for scheme in condensed tight monolithic; do
    for method in nonsmooth nscd; do
        expect 0 run car.yaml -q -o car --set coupling.scheme=$scheme --set grains.bed.method=$method
        python3 - "$values" $scheme-$method <<'END' || fail "$scheme, $method: the momentum of a car that is filled"
import sys
exec(sys.argv[1])
rows = series("car")
wanted = 2
for before, now in zip(rows, rows[1:]):
    wanted += (now["feed.mass"] - before["feed.mass"]) * before["car.vx"]
got = 2 * now["car.vx"] + now["bed.holdup.mass"] * now["bed.velocity.x"]
print(sys.argv[2], "momentum", got, "expected", wanted)
assert now["feed.count"] > 50 and abs(got - wanted) < 1e-4 * wanted, (got, wanted)
END
    done
done

echo "outlets and meters that move or are far away"
