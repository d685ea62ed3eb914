#!/usr/bin/env bash
# Derived signals: formulas of other signals, of constants and of derived ones before them.
source "$(dirname "$0")/common.bash"
cat >wheel.yaml <<'YAML'
maraca: 1
gravity: 0 0 0 m/s^2
constants: {T: 7 N*m}
mechanism:
  bodies:
    motor: {mass: 1 kg, inertia: 3 3 3 kg*m^2}
  joints:
    bearing: {revolute: motor}
  forces:
    torque: {at: motor, moment: [0, 0, T]}
simulate: {duration: 10 s, step: 10 ms}
record: {every: 1 s, derived: {power: T*motor.wz, half: power/2, later: t*1 m/s}, series: [motor.wz]}
YAML
expect 0 run wheel.yaml -q -o wheel
is_empty err
[ "$(head -1 wheel/series.csv)" = "t[s],motor.wz[rad/s],power[W],half[W],later[m]" ] || fail "columns of derived signals"
# power = T^2/J t, exactly at every sample
awk -F, 'NR > 1 { e = $3 - 49/3*$1; f = $4 - $3/2; g = $5 - $1
                  if (e*e > 1e-16*(1 + $3*$3) || f*f > 1e-20 || g*g > 1e-20) { print; wrong = 1 } } END { exit wrong }' \
    wheel/series.csv || fail "values of derived signals"
expect 0 signals wheel.yaml
grep -qE "^power +W +formula: T\*motor.wz$" out || fail "derived signals are listed"
expect 2 check wheel.yaml --set 'record.derived.power=T*motor.qz'
says err "'power': unknown name 'motor.qz'"
for name in t N sqrt pi; do # they would be two columns of one name, or mean something else in formulas
    expect 2 check wheel.yaml --set "record.derived={$name: motor.wz}"
    says err "'$name' cannot name a signal: in formulas it is"
done
expect 2 check wheel.yaml --set 'record.derived.half=power + 3 m'
says err "'half': cannot add"
expect 2 check wheel.yaml --set 'record.derived={motor.wz: 1}'
