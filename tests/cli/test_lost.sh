#!/usr/bin/env bash
# A grain that passes through a wall because the step is too long: no run ends as if all were well.
source "$(dirname "$0")/common.bash"

python3 - >cube.stl <<'END'
a = 10
corners = [(x, y, z) for x in (-a, a) for y in (-a, a) for z in (-a, a)]
faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
print("solid cube")
for p, q, r, s in faces:
    for triangle in ((p, q, r), (p, r, s)):
        print("facet normal 0 0 0\nouter loop")
        for k in triangle: print("vertex %g %g %g" % corners[k])
        print("endloop\nendfacet")
print("endsolid cube")
END
echo "x[mm],y[mm],z[mm],radius[mm],vx[m/s]
6.9,0,0,1,20.4
0,5,0,1,0" >bed.csv
cat >model.yaml <<'END'
maraca: 1
materials:
  glass: {density: 2500 kg/m^3, young: 700 MPa, poisson: 0.2, restitution: 0.3}
ports: {box: {position: [0, 0, 0]}}
grains:
  bed:
    port: box
    wall: {mesh: {file: cube.stl, scale: 1 mm}}
    particles: {material: glass}
    packing: {file: {path: bed.csv}}
    contact: {normal: hertz}
simulate: {duration: 0.3 ms, step: 0.1 ms}
record: {every: 0.3 ms}
END
# How many steps are between two looks does not matter: it is found at the end.
for steps in 2 3 5 20; do
    expect 1 run model.yaml -q -o lost --set simulate.duration="$steps*0.1 ms" --set record.every="$steps*0.1 ms"
    says err "a grain left its container" "the centre of grain 0"
    says lost/summary.json '"status": "LOST_GRAIN"'
done
# Steps that are short enough keep it inside.
expect 0 run model.yaml -q -o kept --set simulate.step='0.1 us'
