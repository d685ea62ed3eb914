#!/usr/bin/env bash
# `maraca advise` finds the motion, the steps and the stiffness; what it says can be pasted.
source "$(dirname "$0")/common.bash"

expect 0 advise "$moving_box"
is_empty err
says out "walls move at most at             628.3 mm/s" "at a frequency of                 10 Hz" "<- the smallest"
says out "from the material                 4.707 MN/m" "69.65 kN/m  overlaps stay small" "8.22 times"
says out "--set simulate.step=auto" "contact: {stiffness: "

# Its words for the command line work, and give the step it promised.
eval "words=($(grep -- '--set grains' out))"
promised=$(sed -n 's/.*the step it allows *\([0-9.]*\) us/\1/p' out)
expect 0 check "$moving_box" "${words[@]}"
says out "linear spring of 69.65 kN/m" "sized for overlaps up to 5 %" "of $promised us (automatic"

# Hertz contacts: waves and speeds count.
printf 'include: %s\ngrains: {damper: {contact: {normal: hertz, tangential: mindlin}}}\n' "$moving_box" >hertz.yaml
expect 2 check hertz.yaml # the stiffness of the included file
says err "'stiffness' belongs to 'normal: linear'"
sed -e '/stiffness/d' -e 's/normal: linear/normal: hertz/' -e 's/directional/mindlin/' -e 's/, step: 1.2 us//' \
    "$moving_box" >hertz.yaml
expect 0 advise hertz.yaml
says out "Rayleigh's critical step          1.621 us" "normal: linear, stiffness" "tangential: elastic"
expect 0 run hertz.yaml --set "simulate.duration=2 ms" -o hertz
says out "(automatic: " "Hart's criterion"
says hertz/summary.json '"step_from": "auto"' '"governed_by": "hart"' '"rayleigh_s"'

# A step beyond the critical one is a warning, also in the summary.
expect 0 run "$moving_box" --set "simulate.step=12 us" --set "simulate.duration=60 us" -o long
says err "warning: grains 'damper': the step of 12 us is longer than the critical one (11.1 us, Hart's criterion)"
says long/summary.json "is longer than the critical one"
expect 0 run "$moving_box" --set "simulate.step=3 us" --set "simulate.duration=60 us" -o long
says err "resolves it poorly"

# Grains that move at the start between walls at rest, by a value for all or by the columns of a file.
cat >thrown.yaml <<'YAML'
maraca: 1
materials: {glass: {density: 2500 kg/m^3, young: 60 GPa, poisson: 0.22, restitution: 0.5}}
grains:
  bed:
    wall: {box: {size: 50 50 50 mm}}
    particles: {radius: 3 mm, count: 5, material: glass, velocity: 0.6 0 0.8 m/s}
    contact: {normal: hertz}
simulate: {duration: 1 ms}
YAML
printf 'x[mm],y[mm],z[mm],vx[m/s]\n-10,0,0,2\n10,0,0,-1\n' >thrown.csv
expect 0 advise thrown.yaml
says out "expected speed of impact          1 m/s" "suggested step"
expect 0 advise thrown.yaml --set "grains.bed.contact={stiffness: sized}"
says out "for overlaps up to 5 %            113.1 kN/m"
expect 0 advise thrown.yaml --set "grains.bed.particles={radius: 3 mm, material: glass}" \
    --set "grains.bed.packing={file: {path: thrown.csv}}"
says out "expected speed of impact          3 m/s"

# Coupled models: what the ports feel, and which schemes would hold.
expect 0 advise "$project/examples/two-mass.yaml"
says out "mass ratio                        1  along x" "explicit, original inputs       errors grow by 1.12 per step"
says out "stable from rho_inf = 0.55 down" "lowest mode of the mechanism        7.958 Hz" "coupling: {scheme: condensed}"
expect 0 advise "$project/examples/two-mass.yaml" --json
python3 - out <<'END' || fail "the JSON of a coupled model"
import json, sys
told = json.load(open(sys.argv[1]))["coupling"]
port = told["ports"]["box"]
assert abs(port["mass_ratio"] - 1) < 1e-9 and abs(port["effective_frequency_hz"] - 11.254) < 1e-2
assert port["schemes"]["condensed"]["stable"] and not port["schemes"]["overlapped"]["stable"]
assert told["suggested"]["scheme"] == "condensed" and 1e-3 > told["suggested"]["step_s"] > 1e-5
END
expect 0 advise "$project/examples/spring-damper-box.yaml"
says out "walls move with the mechanism"
grep -q "walls do not move" out && fail "they do"
expect 0 advise "$project/examples/torsion-pendulum.yaml" # the grains divide the step of the mechanism
says out "step of the grains in the model   71.43 us  the mechanism's, divided"
grep -q "longer than" out && fail "they take 71 us"
# A dashpot does not change the frequency of mass and spring.
expect 0 advise "$project/examples/scale.yaml" --set "constants.dashpot=5 N*s/m"
says out "effective frequency there         50.33 Hz"
# A scale whose guide and gravity are aslant is the same scale.
cat >slanting.yaml <<'YAML'
maraca: 1
gravity: -5.663806 -5.663806 -5.663806 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.3}}
mechanism:
  bodies: {can: {mass: 20 g, inertia: 1 1 1 g*m^2}}
  joints: {g: {prismatic: can, axis: 1 1 1}}
  springs: {s: {between: can, offsets: [0 0 0 mm, -173.205081 -173.205081 -173.205081 mm], stiffness: 5 kN/m}}
ports: {p: {node: can}}
grains:
  bed:
    port: p
    wall: {cylinder: {radius: 12 mm, height: 80 mm, axis: 1 1 1}}
    particles: {radius: 3 mm, count: 60, material: glass}
    method: nonsmooth
coupling: {scheme: loose}
simulate: {duration: 0.2 s, step: 0.2 ms}
YAML
expect 0 advise slanting.yaml
says out "mass ratio                        0.848  along 0.577 0.577 0.577" "effective frequency there         79.58 Hz"
# Heavy smooth grains on a stiff spring with a large rho_inf: said by advise, by the run and in its summary, in the same
# words; not with rho_inf = 0.6.
stiff=(--set constants.box_mass='14 g' --set mechanism.springs.mount.stiffness='5.6e6 N/m' --set constants.dashpot='0 N*s/m')
words="grains 2 times the effective mass along z, where omega h is 4: with a rho_inf above 0.6 contacts may make errors grow"
for rho in 0.9 0.6; do
    expect 0 advise "$project/examples/scale.yaml" "${stiff[@]}" --set "mechanism.integrator={rho_inf: $rho}"
    mv out advised
    expect 0 run "$project/examples/scale.yaml" "${stiff[@]}" --set "mechanism.integrator={rho_inf: $rho}" \
        --set simulate.duration='2 ms' -o stiff-$rho.run
    for text in advised err stiff-$rho.run/summary.json; do
        found=$(grep -c "$words" $text)
        if [[ $rho == 0.9 && $found -eq 0 ]] || [[ $rho == 0.6 && $found -gt 0 ]]; then fail "rho_inf = $rho: $text"; fi
    done
done
# Contacts without damping that the step does not resolve (docs/theory/stability.md): likewise.
light=(--set constants.box_mass='200 g' --set mechanism.springs.mount.stiffness='540 kN/m' --set constants.dashpot='0 N*s/m'
    --set simulate.step='1 ms' --set grains.balls.particles.count=20)
words="contacts without damping may swing up along z"
for rho in 0.9 0.6; do
    expect 0 advise "$project/examples/scale.yaml" "${light[@]}" --set "mechanism.integrator={rho_inf: $rho}"
    mv out advised
    expect 0 run "$project/examples/scale.yaml" "${light[@]}" --set "mechanism.integrator={rho_inf: $rho}" \
        --set simulate.duration='2 ms' -o light-$rho.run
    for text in advised err light-$rho.run/summary.json; do
        found=$(grep -c "$words" $text)
        if [[ $rho == 0.9 && $found -eq 0 ]] || [[ $rho == 0.6 && $found -gt 0 ]]; then fail "contacts, rho_inf = $rho: $text"; fi
    done
done
expect 0 check "$project/examples/two-mass.yaml"
says out "Port box rides on block of the mechanism, with a container of 1 kg on the grains' side."
exit 0
