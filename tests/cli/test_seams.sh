#!/usr/bin/env bash
# Rigid bodies with faces that pass each other: a brick that flies past an edge, and bricks that slide over the joints of plates,
# of blocks and of other bricks, go on as if there were no edge. A step stops them.
source "$(dirname "$0")/common.bash"

cat >brick.yaml <<'END'
maraca: 1
gravity: [0, 0, -fall]
constants: {fall: 9.81 m/s^2, drop: 0 mm}
materials: {a: {density: 2000 kg/m^3, friction: 0.1, restitution: 0}}
grains:
  bed:
    walls: WALLS
    particles: {shape: {box: {size: 40 30 20 mm}}, material: a}
    packing: {file: {path: brick.csv}}
    method: nscd
simulate: {duration: 0.3 s, step: 0.5 ms}
record: {every: 10 ms, series: [bed.velocity, bed.center, energy]}
END
# end FOLDER NAME: the last value of a signal
end() { python3 - "$1" "$2" <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1] + "/series.csv")))
print(rows[-1][[name.split("[")[0] for name in rows[0]].index(sys.argv[2])])
END
}
# slides NAME WALLS SPEED LEAST MOST [WORDS...]: its speed in the end, by both methods
slides() {
    local name=$1 least=$3 most=$4
    sed "s|WALLS|$2|" brick.yaml >"$name.yaml"
    for method in nonsmooth nscd; do
        expect 0 run "$name.yaml" -q --no-report -o "$name-$method" --set grains.bed.method=$method "${@:5}"
        python3 -c "import sys; v = float(sys.argv[1]); print('$name $method', v); sys.exit(not $least <= v <= $most)" \
            "$(end "$name-$method" bed.velocity.x)" || fail "$name by $method: $(end "$name-$method" bed.velocity.x) m/s"
    done
}

# 1.5 m/s less 0.1 g for 0.3 s: 1.2057 m/s, over three joints
printf 'x[mm],y[mm],z[mm],vx[m/s],turn_z[deg]\n-60,2,10,1.5,7\n' >brick.csv
blocks='{a: {block: {size: 200 200 50 mm, center: -100 0 -25 mm}}, b: {block: {size: 100 200 50 mm, center: [50 mm, 0, -25 mm - drop]}}, c: {block: {size: 100 200 50 mm, center: [150 mm, 0, -25 mm - 2*drop]}}, d: {block: {size: 500 200 50 mm, center: [450 mm, 0, -25 mm - 3*drop]}}}'
plates='{a: {plate: {size: 200 200 mm, center: -100 0 0 mm}}, b: {plate: {size: 100 200 mm, center: [50 mm, 0, -drop]}}, c: {block: {size: 600 200 30 mm, center: [400 mm, 0, -15 mm - drop]}}}'
slides blocks "$blocks" 1.2056 1.2058
slides plates "$plates" 1.2056 1.2058
slides plates "$plates" 1.2056 1.2058 --set simulate.step='0.1 ms'
slides lower "$blocks" 1.2 1.23 --set constants.drop='0.02 mm'
slides step "$blocks" -0.5 0.5 --set constants.drop='-2 mm' # higher: a real step

# Past an edge, without weight: nothing is touched.
printf 'x[mm],y[mm],z[mm],vx[m/s]\n-60,0,10.05,2\n' >brick.csv
slides past '{b: {block: {size: 400 200 50 mm, center: 200 0 -25 mm}}}' 1.9999999 2.0000001 --set constants.fall=0
slides far '{b: {block: {size: 400 200 50 mm, center: 200 0 -25 mm}}}' 1.9999999 2.0000001 --set constants.fall=0 --set simulate.step='3 ms'

# Over bricks that are grains.
cat >floor.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {a: {density: 2000 kg/m^3, friction: 0, restitution: 0}, s: {density: 200 kg/m^3, friction: 0, restitution: 0}}
grains:
  bed:
    walls: {room: {box: {size: 1000 1000 1000 mm, center: 500 0 500 mm}}}
    particles: [{name: floor, shape: {box: {size: 200 300 100 mm}}, material: a}, {name: slider, shape: {box: {size: 120 80 40 mm}}, material: s}]
    packing: {file: {path: floor.csv}}
    contact: {solver: {tolerance: 1e-6}}
simulate: {duration: 0.25 s, step: 0.5 ms}
record: {every: 10 ms, series: [bed.slider]}
END
printf 'x[mm],y[mm],z[mm],vx[m/s],turn_z[deg],kind\n100,0,50,0,0,0\n300,0,50,0,0,0\n500,0,50,0,0,0\n700,0,50,0,0,0\n900,0,50,0,0,0\n100,0,120,2,10,1\n' >floor.csv
for method in nonsmooth nscd; do
    expect 0 run floor.yaml -q --no-report -o "floor-$method" --set grains.bed.method=$method
    python3 -c "import sys; sys.exit(abs(float(sys.argv[1]) - 0.6) > 1e-3)" "$(end "floor-$method" bed.slider.center.x)" ||
        fail "over bricks by $method: $(end "floor-$method" bed.slider.center.x) m instead of 0.6"
done
