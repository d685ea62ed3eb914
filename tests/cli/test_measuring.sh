#!/usr/bin/env bash
# Measuring changes nothing: whatever is recorded, and however often, the motion is the same to the last digit. A moving room
# with a rod in it: lists are due at instants that are measured, with other velocities of the walls than the step has.
source "$(dirname "$0")/common.bash"
cat >bed.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.7, friction: 0.3}}
ports: {box: {position: [0, 0, 2 mm*sin(2*pi*25 Hz*t)]}}
grains:
  bed:
    port: box
    walls:
      box: {box: {size: 12 12 30 mm}}
      bar: {rod: {radius: 2 mm, length: 12 mm, axis: y}}
    particles: {radius: 1 mm, count: 90, material: glass}
    packing: {random: {gap: 0.05 mm}}
    contact: {stiffness: 3 kN/m, tangential: elastic}
simulate: {duration: 0.2 s, step: 10 us}
record: {every: 10 ms, series: [bed]}
END
expect 0 run bed.yaml -q -o rarely
expect 0 run bed.yaml -q -o always --set record.every="10 us"
[[ $(tail -n 1 rarely/series.csv) == "$(tail -n 1 always/series.csv)" ]] || fail "recording every step has changed the motion"

# Nor does the end of a run that goes on later.
for end in 31 77 123; do
    expect 0 run bed.yaml -q -o again --set simulate.duration="$end ms"
    expect 0 run bed.yaml -q -o again --resume
    same rarely/series.csv again/series.csv
done
exit 0
