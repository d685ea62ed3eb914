#!/usr/bin/env bash
# The mass of a container that is fixed to a port: modes have it, and where the equilibrium at the start lacks its weight, this is
# said. 0.1 kg and a container of 0.3 kg on 10 kN/m: 25.16 Hz, and 50.33 Hz without it.
source "$(dirname "$0")/common.bash"

cat >scale.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.3}}
mechanism:
  start: equilibrium
  bodies: {a: {mass: 0.1 kg, inertia: 1 1 1 g*m^2}}
  joints: {g: {prismatic: a, axis: z}}
  springs: {s: {between: a, offsets: [0 0 0 mm, 0 0 -200 mm], stiffness: 10 kN/m, damping: 8 N*s/m}}
ports: {p: {node: a, container: {mass: 0.3 kg, inertia: 100 100 100 0 0 0 kg*mm^2}}}
grains:
  x: {port: p, wall: {box: {size: 30 30 30 mm}}, particles: {radius: 3 mm, count: 9, material: glass}, method: nonsmooth}
simulate: {duration: 0.4 ms, step: 0.2 ms}
YAML
words="without the weight of the container of port 'p' (0.3 kg)"
expect 0 modes scale.yaml
says out "25.1646"
says err "$words"
expect 0 modes scale.yaml --set ports.p.container.mass="0 kg"
says out "50.3292"
is_empty err
expect 0 modes scale.yaml --set ports.p.container.load=contacts # the mechanism has its mass already
says out "50.3292"
expect 0 check scale.yaml
says err "$words"
expect 0 run scale.yaml -o jolt
says err "$words"
# By small steps in the condensed scheme it is a body of the mechanism, whose equilibrium has its weight.
small=(--set grains.x.method=smooth --set "grains.x.contact={stiffness: 3 kN/m, tangential: elastic}")
expect 0 check scale.yaml "${small[@]}"
if grep -q "without the weight" out err; then fail "the equilibrium has its weight"; fi
expect 0 modes scale.yaml "${small[@]}"
says out "25.1646"
# One that slides is no part of the mechanism.
expect 0 modes scale.yaml --set "ports.p.container.slides=[z]"
says out "50.3292"
says err "moves on its own and is left out of the modes"
exit 0
