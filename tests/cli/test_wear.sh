#!/usr/bin/env bash
# What grains do to walls: a ball that slides until it rolls, and one that bounces until it rests.
source "$(dirname "$0")/common.bash"

cat >slide.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, restitution: 0.5, friction: 0.3, wear: 2e-12 m^3/J}}
grains:
  bed:
    walls:
      floor: {plane: {point: 0 0 0 mm, normal: z}}
      end: {plane: {point: -1 0 0 m, normal: x}}
    particles: {radius: 2 mm, material: steel}
    packing: {file: {path: ball.csv}}
    contact: {stiffness: 50 kN/m, tangential: elastic}
simulate: {duration: 0.3 s, step: 2 us}
record: {every: 10 ms, series: [bed.floor, bed.end, bed.velocity.x]}
END
for method in smooth nonsmooth nscd; do
    set=(--set grains.bed.method=$method)
    [[ $method == smooth ]] || set+=(--set simulate.step="20 us" --set grains.bed.contact.impact_speed="1 m/s")
    printf 'x[mm],y[mm],z[mm],vx[m/s],vy[m/s],vz[m/s]\n0,0,2,0.5,0,0\n' >ball.csv
    expect 0 run slide.yaml "${set[@]}" -q -o slide-$method
    printf 'x[mm],y[mm],z[mm]\n0,0,12\n' >ball.csv
    expect 0 run slide.yaml "${set[@]}" -q -o drop-$method --set simulate.duration="0.5 s"
    python3 - $method <<'END' || fail "$method: work on walls"
import json, math, sys
method = sys.argv[1]
mass = 7800 * 4 / 3 * math.pi * 2e-3**3
slide = json.load(open(f"slide-{method}/summary.json"))["grains"]["bed"]
drop = json.load(open(f"drop-{method}/summary.json"))["grains"]["bed"]
friction, impact = mass * 0.5**2 / 7, mass * 9.81 * 10e-3
print(method, "friction", slide["floor"]["friction_J"] / friction, "impact", drop["floor"]["impact_J"] / impact)
assert abs(slide["floor"]["friction_J"] / friction - 1) < 0.01
assert abs(slide["floor"]["wear_m3"] / (2e-12 * friction) - 1) < 0.01
assert abs(drop["floor"]["impact_J"] / impact - 1) < 0.01
assert slide["end"]["friction_J"] == 0 and drop["end"]["impact_J"] == 0
END
done
says slide-smooth/series.csv "bed.floor.friction" "bed.floor.wear"
expect 0 run slide.yaml -q -o parts --set simulate.duration="50 ms"
expect 0 run slide.yaml -q -o parts --resume --set simulate.duration="0.5 s"
expect 0 run slide.yaml -q -o whole --set simulate.duration="0.5 s"
same parts/series.csv whole/series.csv
