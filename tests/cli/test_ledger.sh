#!/usr/bin/env bash
# The energy ledger of the first simulation closes to 1e-3 of the energy in play.
source "$(dirname "$0")/common.bash"

expect 0 run "$moving_box" --set "simulate.duration=0.16 s" -o box
error=$(number box/summary.json relative_error)
[[ -n $error ]] || fail "summary.json has no relative_error"
awk -v error="$error" 'BEGIN { exit !(error >= 0 && error < 1e-3) }' || fail "the ledger closes to $error only"
awk -v work="$(number box/summary.json work)" 'BEGIN { exit !(work > 0) }' || fail "the shaker did no work"
says out "balance closes" "good"
says box/series.csv "energy.error[J]"
echo "the ledger closes to $error"
says box/summary.json '"verdict": "good"'
is_empty err

# What the integrator takes or adds is judged, too: too long a step is poor, and a warning.
expect 0 run "$project/examples/four-bar.yaml" --set "simulate.step=0.1 s" --set "record.every=0.1 s" \
    --set "frames.every=1 s" -o coarse
says out "numerical dissipation 0.93 of the energy in play: poor"
says err "warning: numerical dissipation by the integration is 0.93 of the energy in play, which is poor"
says coarse/summary.json '"verdict": "good"' '"numerical_verdict": "poor"' "which is poor"
expect 0 run "$project/tests/validation/models/chain.yaml" --set "simulate.step=0.15 ms" -o chain
says out "numerical gain of energy 0.011 of the energy in play: poor"
says err "warning: numerical gain of energy by the integration is 0.011"

# Once a scale is at rest its dashpot takes nothing: the velocities of the integrator lag under a load, and with them it would
# go on (18 uJ in this time, and the run ended because of the gain that made up for it). It takes (m g)^2/2k = 5.61 uJ.
expect 0 run "$project/examples/scale.yaml" --set grains.balls.method=nonsmooth --set "constants.box_mass=0.02 kg" \
    --set "simulate.duration=0.5 s" -o light
says out "dissipated by dampers" "5.57"

# Grains that lose nothing, by springs without friction: what there is more than at the start the calculation has made. A
# fifth more than all energy in play is an error of its own, with the files of a run that has ended.
cat >growing.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 1}}
grains:
  bed:
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 1 mm, count: 200, material: glass}
    packing: fcc
    contact: {normal: linear, stiffness: 5 kN/m, max_overlap: 0.9}
simulate: {duration: 100 ms, step: 5 us}
YAML
expect 0 run growing.yaml -q -o conserved
expect 1 run growing.yaml -q -o growing --set "simulate.step=40 us"
says err "the simulation diverged: the energy has grown by" "beyond the work put in" "take a smaller step"
says growing/summary.json '"status": "DIVERGED"'
expect 0 check growing.yaml --set materials.glass.restitution=0
says out "restitution 0, but 0.01 is the least that their dashpots give"
expect 0 run growing.yaml --set materials.glass.restitution=0 --set "simulate.duration=1 ms" -o plastic
says out "restitution 0.01 instead of 0: the least that dashpots give"

# A force that swings, in the scheme that takes forces at the beginning of steps: what it gives is what comes in, in either form
# of the equations. (As the mean of the powers at both ends of steps, 0.06 of 0.11 mJ were missing after ten periods.)
cat >shaken.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}
mechanism:
  bodies: {box: {mass: 50 g, inertia: 10 10 10 kg*mm^2}}
  joints: {guide: {prismatic: box, axis: z}}
  springs: {coil: {between: box, offsets: [0 0 0 m, 0 0 0.05 m], stiffness: 5 kN/m, damping: 1 N*s/m}}
  forces: {shaker: {at: box, force: [0, 0, 2 N*sin(2*pi*171 Hz*t)]}}
grains:
  bed: {port: box, wall: {box: {size: 12 12 12 mm}}, particles: {radius: 1 mm, count: 60, material: glass}, packing: fcc, method: nonsmooth}
coupling: {scheme: monolithic}
simulate: {duration: 60 ms, step: 50 us}
YAML
for form in absolute relative; do
    expect 0 run shaken.yaml -q -o "shaken-$form" --set mechanism.formulation=$form
    python3 - "shaken-$form/series.csv" <<'END' || fail "the work of a force that swings, $form"
import csv, sys
last = list(csv.DictReader(open(sys.argv[1])))[-1]
work, missing = float(last["energy.work[J]"]), float(last["energy.algorithm[J]"])
print(f"work {work:.4g} J, made by the integration {missing:.2g} J")
assert work > 5e-5 and abs(missing) < 0.02 * work
END
done

# A box and its grains fly on together, none moves against another: nothing is lost, however the box is turned. (The start was
# measured with walls that were not turned, which took 12 uJ for good.)
cat >flying.yaml <<'YAML'
maraca: 1
materials: {glass: {density: 4000 kg/m^3, restitution: 0.5, friction: 0.3}}
mechanism:
  bodies: {box: {rotation: {axis: z, angle: 20 deg}, mass: 100 g, inertia: 50 50 50 kg*mm^2, velocity: 1 0 0 m/s}}
grains:
  bed:
    port: box
    wall: {box: {size: 40 40 40 mm}}
    particles: {radius: 2 mm, material: glass, count: 100}
    packing: cubic
    contact: {stiffness: 10 kN/m, tangential: elastic}
coupling: {scheme: condensed}
simulate: {duration: 1 ms, step: 10 us}
record: {every: 0.2 ms, series: [energy]}
YAML
for scheme in condensed tight loose; do
    expect 0 run flying.yaml -q -o flying-$scheme --set coupling.scheme=$scheme
    python3 - flying-$scheme/series.csv <<'END' || fail "a turned box that flies with its grains, scheme $scheme"
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    for name in ("impact", "friction", "error"):
        assert abs(float(row[f"energy.{name}[J]"])) < 1e-15, (name, row)
END
done
