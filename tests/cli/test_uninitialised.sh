#!/usr/bin/env bash
# The engine of smooth grains reads nothing that it has not written: shaken beds whose lists are made anew and sorted, with
# walls, grains that come and leave, and grains with faces, under valgrind.
source "$(dirname "$0")/common.bash"
command -v valgrind >/dev/null || { echo "valgrind is not installed" && exit 77; }
# In one build is enough: that for every processor, of which valgrind takes the level that it knows.
"$maraca" version | grep -q "baseline, avx2" || { echo "not the build for every processor" && exit 77; }

# shaken NAME LINES...: a model with a port that shakes.
shaken() {
    cat >"$1.yaml" <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.6, rolling_friction: 0.05}}
ports: {cup: {position: [3 mm*sin(2*pi*40 Hz*t), 0, 4 mm*sin(2*pi*50 Hz*t)]}}
record: {every: 1 ms}
MODEL
    printf '%s\n' "${@:2}" >>"$1.yaml"
    valgrind -q --error-exitcode=9 "$maraca" run "$1.yaml" -q --threads 1 --no-report -o "$1" >out 2>err </dev/null ||
        fail "$1: status $?"
}
shaken sorted "grains:" "  bed:" "    port: cup" "    walls:" \
    "      room: {cylinder: {radius: 12 mm, height: 30 mm}}" "      core: {rod: {radius: 3 mm, length: 20 mm, axis: z}}" \
    "    particles: {sizes: {uniform: {from: 1 mm, to: 1.8 mm}}, count: 120, material: glass}" "    packing: random" \
    "    contact: {normal: linear, stiffness: 2 kN/m, tangential: elastic, rolling: spring}" \
    "simulate: {duration: 20 ms, step: 10 us}" "frames: {every: 10 ms}"
shaken flow "grains:" "  bed:" "    walls:" "      tube: {box: {size: 20 20 60 mm}, port: cup}" \
    "      floor: {disc: {radius: 20 mm, hole: 6 mm, center: 0 0 -10 mm}, port: cup}" \
    "    particles: {radius: 1.2 mm, material: glass}" "    contact: {stiffness: 4 kN/m, tangential: elastic}" \
    "inlets: {feed: {bed: bed, region: {cylinder: {radius: 9 mm, height: 10 mm, center: 0 0 12 mm}}, rate: 150 g/s, velocity: 0 0 -0.8 m/s}}" \
    "outlets: {sink: {bed: bed, plane: {point: 0 0 -20 mm, normal: -z}}}" "simulate: {duration: 25 ms, step: 15 us}"
shaken faces "grains:" "  bed:" "    port: cup" "    wall: {box: {size: 14 14 14 mm}}" \
    "    particles: {radius: 2 mm, count: 8, material: glass, shape: {polyhedron: {vertices: [1 1 0 mm, -1 1 0 mm, 0 -1 0.2 mm, 0 0 1 mm, 0 0 -1 mm]}}}" \
    "    packing: random" "    contact: {stiffness: 5 kN/m, tangential: elastic}" "simulate: {duration: 3 ms, step: 10 us}"
