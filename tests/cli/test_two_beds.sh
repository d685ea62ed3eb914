#!/usr/bin/env bash
# Grains of different beds do not touch each other. Rooms that overlap at the start are an error (tests/bad/beds-in-one-room.yaml);
# where machines or motions bring two beds together, the run says so, once.
source "$(dirname "$0")/common.bash"

# two_beds MOTION MORE: two boxes of balls on two slides of a machine; MOTION is that of the second one along x.
two_beds() {
    cat <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0}}
mechanism:
  bodies:
    left: {mass: 1 kg, inertia: 1 1 1 g*m^2}
    right: {mass: 1 kg, inertia: 1 1 1 g*m^2, position: 40 0 0 mm}
  joints:
    a: {clamp: left}
    b: {prismatic: right, axis: x, position: $1}
grains:
  first: {port: left, wall: {box: {size: 20 20 20 mm}}, particles: {radius: 1 mm, count: 150, material: glass}, packing: fcc, method: nonsmooth}
  second: {port: right, wall: {box: {size: 20 20 20 mm}}, particles: {radius: 1 mm, count: 150, material: glass}, packing: fcc, method: nonsmooth}
simulate: {duration: 20 ms, step: 0.2 ms}
record: {every: 1 ms}
MODEL
}

two_beds "'-30 mm*smooth(t, 0 s, 20 ms)'" >into.yaml
expect 0 run into.yaml -q -o into
[[ $(grep -c "grains of 'first' and 'second' are in the same place" err) -eq 1 ]] || fail "two beds in one place: $(cat err)"
says err "put all grains into one bed"
says into/summary.json "are in the same place"

# Side by side they do not; nor do boxes of grains that overlap while the grains in them do not.
two_beds "0 mm" >apart.yaml
expect 0 run apart.yaml -q -o apart
is_empty err
cat >around.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0}}
grains:
  middle: {wall: {cylinder: {radius: 5 mm, height: 20 mm}}, particles: {radius: 1 mm, count: 20, material: glass}, packing: fcc, method: nonsmooth}
  around:
    walls:
      shell: {cylinder: {radius: 15 mm, height: 20 mm}}
      core: {rod: {radius: 6 mm, length: 20 mm, axis: z}}
    particles: {radius: 1 mm, count: 200, material: glass}
    packing: fcc
    method: nonsmooth
simulate: {duration: 20 ms, step: 0.2 ms}
MODEL
expect 0 run around.yaml -q -o around
is_empty err
