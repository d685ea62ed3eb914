#!/usr/bin/env bash
# Motors and cylinders against closed forms: a rotor that runs up, a controller that follows, a mass that is lifted by a pump.
source "$(dirname "$0")/common.bash"

# A cylinder that is told to have no length, and one that is pushed through it.
cat >through.yaml <<'MODEL'
maraca: 1
mechanism:
  bodies: {box: {position: 100 0 0 mm, mass: 2 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  cylinders: {ram: {between: box, length: 0.1 m - 0.1 m/s*t, pressure: 10 bar, piston: 20 mm, gain: 20 kN/m, rate_gain: 200 N*s/m}}
simulate: {duration: 2 s, step: 1 ms}
MODEL
expect 2 check through.yaml
says err "'length' of cylinder 'ram' is 0 mm at t = 1 s; it must be greater than 0"
expect 0 check through.yaml --set "simulate.duration=0.9 s"
expect 1 run through.yaml -q -o through --set "mechanism.cylinders.ram.length=0.1 m" --set "mechanism.forces={push: {at: box, force: ['-1 kN', 0, 0]}}"
says err "the two points of cylinder 'ram' meet at t = 0."

cat >motor.yaml <<'END'
maraca: 1
mechanism:
  bodies:
    rotor: {mass: 2 kg, inertia: 0.01 0.01 0.02 kg*m^2}
  joints:
    bearing: {revolute: rotor, axis: z}
  motors:
    drive: {between: rotor, axis: z, command: 1, curve: [{speed: 0 rad/s, torque: 3 N*m}, {speed: 150 rad/s, torque: 0 N*m}]}
simulate: {duration: 1.5 s, step: 1 ms}
record: {every: 10 ms}
END
cat >lift.yaml <<'END'
maraca: 1
gravity: 0 0 -10 m/s^2
mechanism:
  bodies:
    load: {mass: 10 kg, inertia: 0.1 0.1 0.1 kg*m^2, position: 0 0 0.5 m}
  joints:
    guide: {prismatic: load, axis: z}
  cylinders:
    lift: {between: load, offsets: [0 0 0 m, 0 0 0 m], length: 5 m, pressure: 2e5 Pa/pi, piston: 63.24555320336759 mm,
      gain: 1 MN/m}
simulate: {duration: 0.4 s, step: 0.5 ms}
record: {every: 10 ms}
END
expect 0 check motor.yaml
says out "Motor drive"
expect 0 run motor.yaml -q -o motor
expect 0 run motor.yaml -q -o back --set mechanism.motors.drive.command=-1
# A command is a share: a number beyond is refused, a formula bounded.
expect 2 check motor.yaml --set mechanism.motors.drive.command=1.5
says err "the 'command' of motor 'drive' is 1.5; it is a share of the curve's torque, from -1 to 1"
expect 2 check motor.yaml --set mechanism.motors.drive.command=-2
expect 0 run motor.yaml -q -o beyond --set mechanism.motors.drive.command="1.5 + t/(1 s)"
same motor/series.csv beyond/series.csv
sed -e 's/command: 1/angle: 20 rad\/s*t, gain: 4 N*m\/rad, rate_gain: 0.4 N*m*s\/rad/' motor.yaml >servo.yaml
expect 0 run servo.yaml -q -o servo
expect 0 run lift.yaml -q -o lift
expect 0 run lift.yaml -q -o pump --set mechanism.cylinders.lift.flow="2e-3 m^3/s" --set simulate.duration="2 s"
python3 - <<'END' || fail "motors and cylinders"
import csv, json, math
def series(folder):
    rows = list(csv.reader(open(folder + "/series.csv")))
    names = [n.split("[")[0] for n in rows[0]]
    return [dict(zip(names, map(float, row))) for row in rows[1:]]
T0, w0, J = 3, 150, 0.02
tau, worst = J * w0 / T0, 0
for folder, sign in (("motor", 1), ("back", -1)):
    for row in series(folder):
        t = row["t"]
        worst = max(worst, abs(sign * row["drive.speed"] - w0 * (1 - math.exp(-t / tau))) / w0)
        worst = max(worst, abs(sign * row["drive.angle"] - w0 * (t - tau * (1 - math.exp(-t / tau)))) / w0)
        worst = max(worst, abs(row["drive.power"] - row["drive.torque"] * row["drive.speed"]) / (T0 * w0))
energy = json.load(open("motor/summary.json"))["energy"]
print("motor: off by", worst, "turns", row["drive.angle"] / 2 / math.pi, "balance", energy["relative_error"])
assert worst < 1e-5 and energy["relative_error"] < 1e-4
end = series("servo")[-1]
print("servo: behind by", 20 * 1.5 - end["drive.angle"])
assert abs(20 * 1.5 - end["drive.angle"]) < 1e-3
# p A = 200 N lifts 100 N: 10 m/s^2; with a pump of 2 l/s it goes on at half of Q/A.
rows = series("lift")
worst = max(abs(row["load.z"] - 0.5 - 5 * row["t"] ** 2) for row in rows)
energy = json.load(open("lift/summary.json"))["energy"]
area = math.pi / 4 * 63.24555320336759e-3**2
speed = series("pump")[-1]["lift.speed"]
print("lift: off by", worst, "balance", energy["relative_error"], "pump: speed", speed, "expected", 0.5 * 2e-3 / area)
assert worst < 1e-6 and energy["relative_error"] < 1e-4
assert abs(speed / (0.5 * 2e-3 / area) - 1) < 1e-3
END

# Stopped and gone on with, it is the same.
expect 0 run motor.yaml -q -o parts --until "0.7 s"
expect 0 run motor.yaml -q -o parts --resume
same motor/series.csv parts/series.csv

# What makes no sense.
expect 2 check lift.yaml --set mechanism.cylinders.lift.rod="80 mm"
says err "as thick as its piston"
expect 2 check servo.yaml --set mechanism.motors.drive.gain="0 N*m/rad" --set mechanism.motors.drive.rate_gain="0 N*m*s/rad"
says err "'gain' and 'rate_gain' are 0"
