#!/usr/bin/env bash
# A run may go on with other things recorded: the motion is the same, byte for byte. What a run without grains does is kept.
source "$(dirname "$0")/common.bash"
model=("$moving_box" --set "simulate.duration=8 ms" --set "record.every=0.4 ms")

expect 0 run "${model[@]}" -q -o whole --set "record.series=[shaker.z, energy]" --set "simulate.duration=16 ms"
expect 0 run "${model[@]}" -q -o part --set "record.series=[shaker.z, energy]"
cp -r part other

# Other columns, twice as often, and longer: the rows so far are kept, the new ones begin where it goes on.
expect 0 run "${model[@]}" -o other --resume --until "16 ms" --set "record.series=[energy, shaker.vz]" --set "record.every=0.2 ms" \
    --set "frames={every: 4 ms}" --set "title=Longer"
says err "series-1.csv" "0.008"
cmp <(head -n 21 part/series.csv) <(head -n 21 other/series-1.csv) || fail "the earlier rows"
python3 - <<'END' || fail "the later rows: $(tail -n 2 other/series.csv)"
import csv
def read(path):
    rows = list(csv.reader(open(path)))
    return {name.split("[")[0]: [row[k] for row in rows[1:]] for k, name in enumerate(rows[0])}
whole, other = read("whole/series.csv"), read("other/series.csv")
assert abs(float(other["t"][0]) - 0.008) < 2e-6 and len(other["t"]) == 41, other["t"]
assert "shaker.vz" in other and "shaker.z" not in other
late = {t: e for t, e in zip(whole["t"], whole["energy.kinetic"])}
common = [(late[t], e) for t, e in zip(other["t"], other["energy.kinetic"]) if t in late]
assert len(common) >= 20 and all(a == b for a, b in common), common[:3]
END
[[ -s other/frames.pvd ]] || fail "no frames"
# It can be resumed again as it is now, and nothing is left to do.
expect 0 run "${model[@]}" -o other --resume --until "16 ms" --set "record.series=[energy, shaker.vz]" --set "record.every=0.2 ms" \
    --set "frames={every: 4 ms}" --set "title=Longer"
says err "nothing left to do"
# Another model is refused all the same.
expect 2 run "${model[@]}" -o part --resume --until "16 ms" --set "record.series=[shaker.vz]" --set "constants.f=11 Hz"
says err "another model"
# Starting over leaves nothing behind.
expect 0 run "${model[@]}" -q -o other --set "record.series=[shaker.z, energy]"
[[ ! -e other/series-1.csv ]] || fail "series-1.csv is left"

# Frames, which show how balls are turned, may come and go: nothing else changes.
glass_bed 60 "simulate: {duration: 4 ms, step: 0.2 ms}" >plain.yaml
expect 0 run plain.yaml -q -o plain --set "simulate.duration=8 ms"
expect 0 run plain.yaml -q -o more
expect 0 run plain.yaml -q -o more --resume --until "6 ms" --set "frames={every: 1 ms}"
[[ -s more/frames.pvd ]] || fail "no frames"
expect 0 run plain.yaml -q -o more --resume --until "8 ms"
same plain/series.csv more/series.csv

# Without grains: the motion of the ports, at the times of series.csv.
expect 0 run "$project/examples/spring-damper-box.yaml" --set "simulate.duration=0.1 s" -o lumped --without-grains
says out "without-grains.csv"
diff <(cut -d, -f1 lumped/series.csv) <(cut -d, -f1 lumped/without-grains.csv) || fail "the times of without-grains.csv"
head -n 1 lumped/without-grains.csv | grep -q "box.y\[m\]" || fail "columns: $(head -n 1 lumped/without-grains.csv)"

# Of a drum that turns, its speed: the grains are a mass at its centre, so that 0.01 N m on 0.01 kg m^2 give 1 rad/s in 1 s.
cat >drum.yaml <<'END'
maraca: 1
materials: {steel: {density: 7800 kg/m^3, restitution: 0.5, friction: 0.4}}
mechanism:
  bodies: {drum: {mass: 2 kg, inertia: 0.01 0.01 0.01 kg*m^2}}
  joints: {axle: {revolute: drum, axis: y}}
  forces: {drive: {at: drum, moment: [0, 0.01 N*m, 0]}}
grains:
  balls:
    port: drum
    wall: {cylinder: {radius: 50 mm, height: 30 mm, axis: y}}
    particles: {radius: 5 mm, count: 5, material: steel}
    method: nonsmooth
simulate: {duration: 1 s, step: 10 ms}
record: {every: 0.1 s, series: [drum.wy, energy]}
END
expect 0 run drum.yaml -q -o drum --without-grains
python3 - <<'END' || fail "the speed of a drum without grains: $(tail -n 1 drum/without-grains.csv)"
import csv
rows = list(csv.reader(open("drum/without-grains.csv")))
last = dict(zip(rows[0], map(float, rows[-1])))
assert abs(last["drum.wy[rad/s]"] - 1) < 1e-9, last
END
