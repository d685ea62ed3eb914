#!/usr/bin/env bash
# `maraca signals`: every signal with unit, sign and axes; those listed are those that a run can record.
source "$(dirname "$0")/common.bash"
cantilever=$project/examples/cantilever-damper.yaml

expect 0 signals "$cantilever"
is_empty err
says out "shell.vy" "velocity, along y of the world" "root.fx" "force of the joint on its second node, along x of the world" \
    "damper.load.mz" "about the port's origin and z of the world" "energy.algorithm" "negative: a gain" \
    "--all lists them"
grep -qE "^damper.dissipated.friction +J +dissipated by friction since the start$" out || fail "an energy is in J"
grep -q "arm.3" out && fail "inner nodes are on request"
expect 0 signals "$cantilever" --all
grep -qE "^arm.3.vx +m/s +velocity, along x" out || fail "inner nodes with --all"

# No signal is without words, in any example.
for example in "$project"/examples/*.yaml; do
    expect 0 signals "$example" --all
    awk '/^$|record.series names|asked for|\.grain\.ID/ { next } NF < 4 { print FILENAME ": " $0; wrong = 1 } END { exit wrong }' out || fail "a signal without words in $example"
done

# A wrong name in `record` is an error, and the list is shown nevertheless: the name is to be found in it.
expect 2 signals "$moving_box" --set "record={derived: {P: nothing.x*2}}"
says err "unknown name 'nothing.x'"
says out "without its 'record'" "damper.load.fz"

# The list is that of series.csv, for a model that records everything but what must be asked for.
expect 0 signals "$moving_box" --json
is_json out
sed -nE '/"name"/{s/^ *"name": "(.*)",$/\1/;h}; /"on_request": false/{x;p}' out >listed
sed '/^record:/d; /^frames:/d' "$moving_box" >all.yaml
expect 0 run all.yaml --set "simulate.duration=10 us" -q -o all
head -1 all/series.csv | tr ',' '\n' | sed '1d; s/\[.*//' >recorded
same listed recorded

# Single grains, when asked for.
expect 0 signals "$moving_box"
says out "damper.grain.ID.x, y, z, vx, vy, vz: motion of a single grain"
expect 0 run "$moving_box" --set "record.series=[damper.grain.17, damper.grain.3.vz]" \
    --set "simulate.duration=1.2 ms" --set "record.every=0.6 ms" --set "frames.every=0.6 ms" -q -o single
[[ $(head -1 single/series.csv | tr ',' '\n' | tail -n +2 | tr '\n' ' ') == "damper.grain.17.x[m] damper.grain.17.y[m] "\
"damper.grain.17.z[m] damper.grain.17.vx[m/s] damper.grain.17.vy[m/s] damper.grain.17.vz[m/s] damper.grain.3.vz[m/s] " ]] ||
    fail "the columns of single grains: $(head -1 single/series.csv)"
python3 - "$project/scripts" <<'END' || fail "a grain is not where the frame has it"
import csv, glob, sys
sys.path.insert(0, sys.argv[1])
import vtp
row = list(csv.reader(open("single/series.csv")))[-1]
frame = vtp.read(sorted(glob.glob("single/frames/damper-0*.vtp"))[-1])
at = list(frame["id"]).index(17)
for axis in range(3):
    assert abs(float(row[1 + axis]) - frame["Points"][at][axis]) < 1e-7, (row, frame["Points"][at])
    assert abs(float(row[4 + axis]) - frame["velocity"][at][axis]) < 1e-5, (row, frame["velocity"][at])
END
# Some of one grain's, in any order and more than once.
expect 0 run "$moving_box" --set "simulate.duration=0.6 ms" -q -o some \
    --set "record.series=[damper.grain.17.z, damper.grain.17.x, damper.grain.3, damper.grain.3.vz]"
[[ $(head -1 some/series.csv | tr ',' '\n' | grep -c 'grain.17') == 2 ]] || fail "columns: $(head -1 some/series.csv)"
expect 2 run "$moving_box" --set "record.series=damper.grain.151" --set "simulate.duration=1 ms" -q -o single
says err "there is no signal 'damper.grain.151' to be recorded"
expect 2 check "$moving_box" --set "record.series=damper.grain.x"
says err "there is no signal 'damper.grain.x'"
expect 2 signals
says err "which model?"

# Angles of joints are listed, though they are recorded on request only.
expect 0 signals "$project/examples/crank-beam-damper.yaml"
says out "Recorded only when record.series names them"
grep -qE "\.angle +rad +turn of its second node" out || fail "angles of joints are listed"

# Forces between grains are those of rigid ones: other beds do not list them, and so cannot record zeros.
expect 0 signals "$project/examples/silo.yaml" --all
grep -q "forces.mean" out && fail "forces that are not computed are listed"
expect 0 signals "$project/examples/drum.yaml" --all
says out "balls.forces.mean"
