#!/usr/bin/env bash
# Rigid grains in a box that turns at 140 rad/s do not sink into its flat walls, whatever their restitution. A grain that is
# carried round moves along the chord: with a step of 0.1 ms the wall would gain 17 mm/s on it.
source "$(dirname "$0")/common.bash"

cat >box.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {e: 0}
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: e}}
ports: {box: {rotation: {axis: z, angle: 140 rad/s*t}}}
grains:
  bed:
    port: box
    wall: {box: {size: 60 40 30 mm}}
    particles: {radius: 3 mm, count: 40, material: steel}
    packing: settle
    method: nonsmooth
simulate: {duration: 0.3 s, step: 0.1 ms}
record: {every: 0.3 s, series: [bed.overlap]}
END
for e in 0 0.1 0.2 0.5 0.8; do
    expect 0 run box.yaml --set constants.e=$e -q --no-report -o "box-$e"
    largest=$(sed -nE 's/^ *"largest_overlap": ([^,]*),?$/\1/p' "box-$e/summary.json" | head -1)
    [[ -n $largest ]] || fail "no largest overlap in the summary"
    awk -v x="$largest" 'BEGIN { exit !(x < 3e-3) }' || fail "restitution $e: grains overlap by $largest of their radius"
done
