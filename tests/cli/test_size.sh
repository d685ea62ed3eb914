#!/usr/bin/env bash
# maraca size: eta, beta, the least stiffness and the speed-up obey their definitions; messages.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache

cat >model.yaml <<'MODEL'
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {A: 2 mm}
materials: {steel: {density: 7800 kg/m^3, young: 200 MPa, poisson: 0.3, friction: 0.2, restitution: 0.3}}
ports: {shaker: {position: [0, 0, A*sin(2*pi*20 Hz*t)]}}
grains:
  damper:
    port: shaker
    wall: {box: {size: 6 6 8 mm}}
    particles: {radius: 1 mm, count: 6, material: steel}
    packing: settle
    method: smooth
    contact: {normal: linear, tangential: directional, stiffness: sized}
simulate: {duration: 0.25 s}
periods: {port: shaker, skip: 1}
MODEL
words=(size model.yaml --measure periods.dissipated_mean_J --beds 2 --levels 4 --decades 2 -q)
expect 0 "${words[@]}" -o whole
says out "reference" "eta = " "least stiffness" "in the model file: contact: {stiffness: sized"
python3 - whole/study.json whole/speed-up.csv <<'PYTHON' || fail "$(cat out)"
import csv, json, math, sys
study = json.load(open(sys.argv[1]))
z, points = study["sizing"], study["points"]
m, r = 7800*4/3*math.pi*1e-9, 1e-3
# The law that the numbers obey, from the definitions.
assert abs(z["stiffness_N_per_m"]/(m*(z["beta"]*z["speed_m_per_s"]/(z["eta"]*r))**2) - 1) < 1e-9, z
assert abs(z["speed_m_per_s"]/(2*math.pi*20*2e-3) - 1) < 1e-3, z
assert abs(z["speed_up"]/math.sqrt(z["reference_N_per_m"]/z["stiffness_N_per_m"]) - 1) < 1e-9, z
ratio = [p["measures"]["sizing.stiffness_N_per_m"]["mean"] for p in points]
assert abs(ratio[0]/ratio[3] - 100) < 0.1 and ratio[0] == z["reference_N_per_m"], ratio
for p in points: # beta of each run, and overlaps that grow as contacts become softer
    for run in p["runs"]:
        v = run["values"]
        assert abs(v["sizing.beta"]*math.sqrt(m/v["sizing.stiffness_N_per_m"])*v["sizing.speed_m_per_s"]/r/v["sizing.eta"] - 1) < 1e-9
    assert 0.5 < p["measures"]["sizing.beta"]["mean"] < 4, p
eta = [p["measures"]["sizing.eta"]["mean"] for p in points]
assert eta == sorted(eta) and z["acceptable"] >= 1
# Figure 2: the larger one of the stiffnesses for overlap and duration, and never more than that of the material.
young = 200e6/(2*(1 - 0.3**2))
rows = list(csv.DictReader(open(sys.argv[2])))
for x in rows:
    f, a, k = (float(x[name]) for name in ("f[Hz]", "acceleration[m/s^2]", "stiffness[N/m]"))
    v = a/(2*math.pi*f)
    material = 1.053*(v*math.sqrt(m/2)*r/2*young**2)**0.4
    overlap, duration = m*(z["beta"]*v/(z["eta"]*r))**2, m/2*(100*math.pi*f)**2
    assert abs(k/min(material, max(overlap, duration)) - 1) < 1e-4, x
    assert abs(float(x["speed_up[1]"])/math.sqrt(material/k) - 1) < 1e-4, x
    assert x["criterion"] == ("material" if max(overlap, duration) >= material else "overlap" if overlap >= duration else "duration"), x
assert len(rows) == 625 and {x["criterion"] for x in rows} == {"material", "overlap", "duration"}
PYTHON
cp whole/study.json before
expect 0 "${words[@]}" -o whole
same before whole/study.json
# A limit that nothing passes leaves the reference alone.
expect 0 size model.yaml --measure energy.impact --levels 3 --decades 2 --within 0.0001 -q -o strict
says out "too soft" "is too much"

# ---- what is wrong
expect 2 size model.yaml --bed dampr -o wrong
says err "did you mean 'damper'?"
expect 2 size model.yaml --set grains.damper.method=nonsmooth --set 'grains.damper.contact={}' --set 'simulate.step=0.1 ms' -o wrong
says err "nothing to size"
expect 2 size model.yaml --decades 0 -o wrong
says err "--decades takes a positive number"
sed 's/young: 200 MPa, //' model.yaml >hard.yaml
expect 2 size hard.yaml -o wrong
says err "has no 'young'" "--reference '90 kN/m'"
