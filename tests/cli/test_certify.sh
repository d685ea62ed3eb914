#!/usr/bin/env bash
# maraca certify: error bars of a run, and an exit status that says whether they are narrow enough.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

cat >model.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.3}}
mechanism:
  start: equilibrium
  bodies: {box: {mass: 40 g, inertia: 10 10 10 g*mm^2}}
  joints: {guide: {prismatic: box, axis: z}}
  springs: {s: {between: [ground, box], offsets: [0 0 -100 mm, 0 0 0 mm], stiffness: 400 N/m, damping: 0.02 N*s/m}}
  forces: {shaker: {at: box, force: [0, 0, '20 mN*sin(2*pi*16 Hz*t)']}}
grains:
  damper:
    port: box
    wall: {box: {size: 10 10 12 mm}}
    particles: {radius: 1 mm, count: 10, material: steel}
    packing: settle
    method: nonsmooth
coupling: {scheme: condensed}
simulate: {duration: 0.5 s, step: 0.5 ms}
MODEL
expect 0 certify model.yaml --beds 2 --to 50 -o good
says out "half the step" "stricter solver" "tight" "amplitudes.box.amplitude_m" "good"
is_json good/certificate.json
python3 - good/certificate.json <<'PYTHON' || fail "the certificate is wrong"
import json, math, sys
n = json.load(open(sys.argv[1]))["numbers"]["amplitudes.box.amplitude_m"]
parts = [n[k] for k in ("beds", "step", "solver", "scheme", "ledger") if n[k] is not None]
assert len(parts) == 5 and n["good"]
assert abs(n["error"] - math.sqrt(sum(p*p for p in parts))) < 1e-12
PYTHON
expect 0 certify model.yaml --beds 2 --to 50 -o good --json
python3 - out good/certificate.json <<'PYTHON' || fail "the certificate is not printed: $(cat out)"
import json, sys
printed, written = (json.load(open(path)) for path in sys.argv[1:])
assert printed["certificate"] == written, (printed["certificate"], written)
PYTHON
# The same runs, a stricter wish: nothing is run again, and the exit status says that it is not met.
expect 1 certify model.yaml --beds 2 --to 1e-4 -o good
says err "is known to"
says out "NOT good enough"
expect 0 certify model.yaml --beds 2 --to 50% -o good
expect 2 certify model.yaml --to -3 -o wrong
says err "--to"
expect 2 certify model.yaml --to 5kg -o wrong
says err "such as 5%, not '5kg'"
# Without a mechanism there is no other scheme, without rigid grains no solver.
sed -e '/^mechanism:/,/^  forces/d' -e 's/^grains:/ports: {shaker: {position: [0, 0, 2 mm*sin(2*pi*20 Hz*t)]}}\ngrains:/' \
    -e 's/port: box/port: shaker/' -e '/^coupling/d' model.yaml >alone.yaml
expect 0 certify alone.yaml --to 1000 --measure energy.work -o alone
if grep -q tight out; then fail "a scheme without a mechanism"; fi
says out "stricter solver"
# All rigid grains have a solver, whatever their method is called.
sed -e 's/method: nonsmooth/method: nscd/' -e 's/duration: 0.5 s/duration: 50 ms/' alone.yaml >nscd.yaml
expect 0 certify nscd.yaml --to 1000 --measure energy.work -o nscd
says out "stricter solver"
# A run that fails leaves the number unknown, be it a variant or the model as it is.
sed -e 's/mass: 40 g/mass: 0.02 g/' -e 's/start: equilibrium/start: given/' -e 's/duration: 0.5 s/duration: 0.1 s/' \
    -e 's/scheme: condensed/scheme: condensed, iterations: 2/' model.yaml >light.yaml
expect 1 certify light.yaml --to 90 --measure amplitudes.box.amplitude_m -o light
says out "variant = tight" "failed" "not known" "NOT good enough"
says err "'amplitudes.box.amplitude_m' is not known: 1 of 4 runs failed"
[[ $(grep -c '"good": false' light/certificate.json) -eq 1 ]] || fail "certified: $(cat light/certificate.json)"
expect 1 certify light.yaml --set coupling.scheme=tight --to 90 --measure amplitudes.box.amplitude_m -o heavy
says err "runs failed"
# A ring-down does no work and has no steady amplitude: that all is zero is no certificate.
sed -e '/^grains:/,/^coupling/d' -e '/^  forces/d' -e 's/start: equilibrium/start: given/' model.yaml >ring.yaml
expect 1 certify ring.yaml --set gravity='0 0 0 m/s^2' --set mechanism.bodies.box.velocity='0 0 0.1 m/s' --to 5 -o ring
says err "nothing was certified" "--measure"
expect 0 certify ring.yaml --set gravity='0 0 0 m/s^2' --set mechanism.bodies.box.velocity='0 0 0.1 m/s' --to 5 \
    --measure signals.box.z.amplitude -o ring
# The iterating scheme gains a seventh of the energy at an impact: it tells nothing about a scheme that keeps it.
cat >hit.yaml <<'MODEL'
maraca: 1
materials: {steel: {density: 7800 kg/m^3, friction: 0, restitution: 0.6}}
mechanism:
  bodies: {box: {mass: 0.4 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
grains:
  imp:
    port: box
    wall: {box: {size: 26 30 30 mm}}
    particles: {radius: 10 mm, count: 1, material: steel, velocity: -0.3 0 0 m/s}
    packing: cubic
    method: nonsmooth
coupling: {scheme: condensed}
simulate: {duration: 0.02 s, step: 0.1 ms}
record: {every: 1 ms, series: [box.vx]}
MODEL
expect 0 certify hit.yaml --measure signals.box.vx.mean --to 5 -o hit
says out "left out: scheme 'tight'" "good"
grep -q '"scheme": null' hit/certificate.json || fail "counted: $(cat hit/certificate.json)"
# A slot that is not the last one judges nothing.
expect 0 certify model.yaml --beds 2 --to 1e-4 -o slots --slot 1/2
expect 1 certify model.yaml --beds 2 --to 1e-4 -o slots --slot 2/2
