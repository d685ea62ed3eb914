#!/usr/bin/env bash
# Grains with faces on thin walls made of pieces: a brick over the edge of a box of triangles, tetrahedra on a floor cut finely,
# a brick over the rim of a ring. They come to rest, overlap no more than their speed explains, and win no energy.
source "$(dirname "$0")/common.bash"

python3 - <<'END'
def write(name, triangles):
    with open(name, "w") as out:
        print("solid", file=out)
        for triangle in triangles:
            print("facet normal 0 0 0\nouter loop", file=out)
            for corner in triangle:
                print("vertex %g %g %g" % corner, file=out)
            print("endloop\nendfacet", file=out)
        print("endsolid", file=out)


def two(a, b, c, d):
    return [(a, b, c), (a, c, d)]


corners = [(x, y, z) for x in (-100, 100) for y in (-110, 110) for z in (-50, 0)]
faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
write("slab.stl", [t for face in faces for t in two(*(corners[i] for i in face))])
for cells in (20, 40):
    at = [-110 + 220 * i / cells for i in range(cells + 1)]
    squares = [[(at[i + a], at[j + b], 0) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
               for i in range(cells) for j in range(cells)]
    write("floor%d.stl" % cells, [t for square in squares for t in two(*square)])
END
cat >skin.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {stone: {density: 2500 kg/m^3, friction: 0.6, restitution: 0.1}}
grains:
  bed:
    walls: {under: WALL}
    particles: {shape: SHAPE, material: stone}
    packing: {file: {path: skin.csv}}
    method: METHOD
    contact: CONTACT
simulate: {duration: DURATION, step: STEP}
record: {every: 1 ms}
END

# place and turn, speed, method, wall, shape, duration, largest overlap [mm], largest error of the ledger
rests() {
    printf 'x[m],y[m],z[m],turn_x[rad],turn_y[rad],turn_z[rad],vz[m/s]\n%s,%s\n' "$1" "$2" >skin.csv
    local contact='{solver: {tolerance: 1e-5}}' step='0.5 ms'
    [ "$3" != smooth ] || contact='{stiffness: 1000 kN@m, tangential: elastic}' step=auto
    sed "s/METHOD/$3/; s/WALL/$4/; s/SHAPE/$5/; s/DURATION/$6/; s/CONTACT/$contact/; s/STEP/$step/; s/@/\\//" skin.yaml >run.yaml
    expect 0 run run.yaml -q --no-report -o run
    python3 - "$7" "$8" <<'END' || fail "$3 on $4 from $1"
import csv, json, sys
rows = list(csv.reader(open("run/series.csv")))
names = [n.split("[")[0] for n in rows[0]]
deepest = max(float(row[names.index("bed.overlap")]) for row in rows[1:])
height = float(rows[-1][names.index("bed.center.z")])
error = json.load(open("run/summary.json"))["energy"]["relative_error"]
print("overlap", deepest, "height", height, "error", error)
assert deepest < 1e-3 * float(sys.argv[1]), deepest
assert height > 5e-3, height
assert error < float(sys.argv[2]), error
END
}

brick='{box: 50 30 20 mm}'
tetrahedron='{polyhedron: {vertices: [0 0 0 mm, 45 0 0 mm, 10 45 0 mm, 10 10 35 mm]}}'
for turn in "0.02,0.01,0.3" "-0.03,0.02,1" "0.05,-0.04,-0.6"; do
    for method in nscd nonsmooth smooth; do
        rests "0.09,0,0.0135,$turn" -0.3 $method '{mesh: {file: slab.stl, scale: 1 mm, solid: true}}' "$brick" '0.06 s' 0.3 1e-3
    done
done
for turn in "-0.1,-0.25,-0.31" "1.1,0.4,-0.9" "0.3,-1.9,0.7" "-2.1,0.8,0.2" "0.6,2.4,1.3" "-0.5,-0.7,2.6"; do
    for cells in 20 40; do
        rests "-0.0127,-0.0586,0.055,$turn" -1.5 nscd "{mesh: {file: floor$cells.stl, scale: 1 mm}}" "$tetrahedron" '0.12 s' 1.5 1e-3
    done
done
for start in "0.09,0,0.0125,0.02,0.01,0.3" "0.095,0,0.0125,-0.02,0.05,0.8"; do
    rests "$start" -0.3 smooth '{disc: {radius: 100 mm, hole: 30 mm}}' "$brick" '0.06 s' 0.3 1e-2
done
