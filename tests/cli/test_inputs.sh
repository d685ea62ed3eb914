#!/usr/bin/env bash
# Inputs from the command line: defaults, --set, tables beside the model, resuming, and messages.
source "$(dirname "$0")/common.bash"

mkdir models
cat >models/driven.yaml <<'END'
maraca: 1
inputs:
  u: {unit: N, default: 1}
  y: {table: measured.csv, column: "y[mm]", interpolation: cubic}
mechanism:
  bodies: {box: {mass: 2 kg, inertia: 1 1 1 kg*m^2}}
  springs: {mount: {between: box, offsets: [0 0 0 m, 0 1 0 m], stiffness: 5 kN/m}}
  forces: {push: {at: box, force: [0, u + 5 N/mm*y, 0]}}
simulate: {duration: 0.2 s, step: 0.1 ms}
checkpoint: {every: 10 ms}
END
awk 'BEGIN { print "t[s];y[mm]"; for (i = 0; i <= 100; i++) printf "%.3f;%.9f\n", i/500, sin(i/5) }' >models/measured.csv
model=models/driven.yaml

expect 0 check $model
says out "Input u: 1 N, until it is set." "by column y[mm] of measured.csv (101 lines from 0 s to 200 ms, cubic"
is_empty err

# ---- --set: the short form and the long one are the same; a table can be replaced
expect 0 run $model -q -o one
expect 0 run $model -q -o two --set "inputs.u=2 N"
expect 0 run $model -q -o three --set "inputs.u.default=2 N"
same two/series.csv three/series.csv
cmp -s one/series.csv two/series.csv && fail "--set inputs.u changes nothing"
expect 0 run $model -q -o still --set "inputs.y=0 mm"
expect 0 run $model -q -o formula --set "mechanism.forces.push.force=[0, u, 0]"
same still/series.csv formula/series.csv
expect 2 run $model -q --set "inputs.w=2 N" -o none
says err "there is no 'w' in 'inputs'; it has u, y"
expect 2 run $model -q --set "inputs.u=2 mm" -o none
says err "expected a force (N), got a length (m)"

# ---- stopped and resumed
"$maraca" run $model -q -o stopped --threads 1 >out 2>err &
process=$!
wait_for stopped/checkpoint.h5 $process && kill -KILL $process 2>/dev/null
wait $process 2>/dev/null
expect 0 run $model -q -o stopped --resume
same one/series.csv stopped/series.csv

# ---- another table is another model
rm -r one/summary.json
sed -i 's/^0.100;.*/0.100;0.5/' models/measured.csv
expect 2 run $model -q -o one --resume
says err "another model"
sed -i 's/^0.100;.*/0.100;half/' models/measured.csv
expect 2 check $model
says err "models/measured.csv:52:7: 'y[mm]' is 'half'; expected a finite number"
