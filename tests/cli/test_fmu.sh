#!/usr/bin/env bash
# FMUs as partners: a mechanism and a damper, both exported by us, coupled again; a controller; and hostile FMUs.
source "$(dirname "$0")/common.bash"

# ---- a mechanism and a damper of ten times its mass: the same as in one model
mechanism='
gravity: 0 0 -9.81 m/s^2
mechanism:
  bodies: {box: {mass: 2 g, inertia: 2 3 4 kg*mm^2}}
  joints: {guide: {prismatic: box, axis: z}}
  springs: {spring: {between: box, offsets: [[0, 0, 0], [0, 0, 50 mm]], stiffness: 400 N/m, damping: 0.1 N*s/m}}
  forces: {drive: {at: box, force: [0, 0, 0.4 N*sin(2*pi*20 Hz*t)]}}
ports: {cup: {node: box}}'
grains='
grains:
  bed:
    port: cup
    wall: {box: {size: 14 14 16 mm}}
    particles: {radius: 2.5 mm, total_mass: 20 g, material: heavy}
    packing: {random: {seed: 3}}
    method: nonsmooth
    contact: {solver: {tolerance: 1e-8}}
materials: {heavy: {density: 30000 kg/m^3, friction: 0.4, restitution: 0}}'
simulate='simulate: {duration: 60 ms, step: 0.1 ms}
record: {every: 0.1 ms, series: [cup.z, cup.vz, cup.load.fz]}'
printf 'maraca: 1%s%s\n%s\n' "$mechanism" "$grains" "$simulate" >both.yaml
printf 'maraca: 1%s\n%s\n' "$mechanism" "$simulate" >mechanism.yaml
printf 'maraca: 1\ngravity: 0 0 -9.81 m/s^2\nports: {cup: {partner: rig}}%s\n%s\n' "$grains" "$simulate" >damper.yaml
cat >master.yaml <<END
maraca: 1
ports: {cup: {partner: arm}}
partners: {arm: {fmu: {file: mechanism.fmu}}, damper: {fmu: {file: damper.fmu, port: cup}}}
$simulate
END
cat >difference.py <<'END'
import csv, sys
def read(path):
    rows = list(csv.reader(open(path)))
    return [name.split("[")[0] for name in rows[0]], [[float(x) for x in row] for row in rows[1:]]
names, a = read(sys.argv[1] + "/series.csv")
others, b = read(sys.argv[2] + "/series.csv")
limit = float(sys.argv[3])
assert len(a) == len(b) > 100, (len(a), len(b))
for k, name in enumerate(names):
    if name not in others: continue
    m = others.index(name)
    size = max(abs(row[k]) for row in a)
    worst = max(abs(x[k] - y[m]) for x, y in zip(a, b))
    print(f"{name}: {worst / size:.2e} of {size:.3g}")
    if worst > limit * size: sys.exit(f"{name} differs by {worst / size:.2e}")
END
expect 0 run both.yaml -q -o both.run
for version in 2 3; do
    expect 0 export mechanism.yaml --fmi $version
    expect 0 export damper.yaml --fmi $version
    expect 0 run master.yaml -q -o master.run
    python3 difference.py both.run master.run 1e-4 || fail "coupled FMUs differ from one model"
done
# The whole as one FMU again, with the two others inside: it has no inputs, and the same digits.
expect 0 export master.yaml
cat >outer.yaml <<'END'
maraca: 1
inputs: {u: {unit: m, default: 0}}
partners: {whole: {fmu: {file: master.fmu, connect: [cup.z = u]}}}
ports: {table: {position: [0, 0, u]}}
simulate: {duration: 60 ms, step: 0.1 ms}
record: {every: 0.1 ms, series: [table.z]}
END
expect 0 run outer.yaml -q -o outer.run
python3 - <<'END' || fail "an FMU with FMUs inside moves otherwise"
import csv, itertools
inner, outer = ([row for row in csv.reader(open(f"{name}.run/series.csv"))][1:] for name in ("master", "outer"))
assert len(inner) == len(outer) > 500
# an input holds during the step that follows the output
assert all(float(a[1]) == float(b[1]) for a, b in zip(inner, outer[1:])), [(a, b) for a, b in zip(inner, outer[1:])][:3]
assert len({row[1] for row in outer}) > 500
END
# Interrupted and resumed: the same bytes.
expect 0 run master.yaml --set "simulate.duration=30 ms" --set "simulate.planned=60 ms" -q -o part.run
expect 0 run master.yaml --resume -q -o part.run
same master.run/series.csv part.run/series.csv
# An FMU that goes back can be coupled by `tight`, too.
expect 0 run master.yaml --set coupling.scheme=tight --set coupling.iterations=100 --set coupling.tolerance=1e-6 \
    --set "simulate.duration=5 ms" -q -o tight.run
expect 0 run both.yaml --set coupling.scheme=tight --set coupling.iterations=100 --set coupling.tolerance=1e-6 \
    --set "simulate.duration=5 ms" -q -o tight-both.run
# One that cannot go back: the schemes that need it name those that do not, which run.
cat >without.py <<'END'
import sys, zipfile
source, target = sys.argv[1:]
old = zipfile.ZipFile(source)
with zipfile.ZipFile(target, "w") as new:
    for name in old.namelist():
        data = old.read(name)
        new.writestr(name, data.replace(b'canGetAndSetFMUState="true"', b'canGetAndSetFMUState="false"') if name.endswith(".xml") else data)
END
for which in arm=mechanism damper=damper; do
    python3 without.py "${which#*=}.fmu" once.fmu || fail "no FMU without states"
    words=(run master.yaml --set "partners.${which%=*}.fmu.file=once.fmu" --set "simulate.duration=1 ms" -q)
    expect 2 "${words[@]}" --set coupling.scheme=tight -o once.run
    says err "the scheme 'tight' repeats steps, which one of the partners cannot; possible here: scheme: " "loose"
    expect 0 "${words[@]}" --set coupling.scheme=loose -o once.run
    expect 0 "${words[@]}" --set coupling.scheme=explicit -o once.run
done

# ---- a block: an FMU turns a signal into an input
cat >filter.yaml <<'END'
maraca: 1
inputs: {force: 0 N}
mechanism:
  bodies: {mass: {mass: 1 kg, inertia: 1 1 1 kg*m^2}}
  forces: {drive: {at: mass, force: [force - 5 N*s/m*mass.vx, 0, 0]}}
simulate: {duration: 1 s, step: 1 ms}
record: {series: [mass.vx]}
END
cat >controlled.yaml <<'END'
maraca: 1
inputs: {u: {unit: m/s, default: 0}}
mechanism:
  bodies: {cart: {mass: 1 kg, inertia: 1 1 1 kg*m^2, velocity: 1 0 0 m/s}}
  forces: {brake: {at: cart, force: [-10 N*s/m*u, 0, 0]}}
partners: {filter: {fmu: {file: filter.fmu, connect: [force = cart.vx, mass.vx = u]}}}
simulate: {duration: 1 s, step: 1 ms}
record: {every: 1 ms, series: [cart.vx]}
END
expect 0 export filter.yaml --fmi 3
expect 0 run controlled.yaml -q -o controlled.run
expect 0 export filter.yaml --fmi 2
expect 0 run controlled.yaml -q -o old.run
same controlled.run/series.csv old.run/series.csv
python3 - <<'END' || fail "the controlled cart moves otherwise"
import csv
rows = list(csv.reader(open("controlled.run/series.csv")))[1:]
import math
# the exact solution: u'' + 5 u' + 10 u = 0, u(0) = 0, u'(0) = 1, v = u' + 5 u
w = math.sqrt(10 - 6.25)
for row in rows[::50]:
    t, vx = float(row[0]), float(row[1])
    u = math.exp(-2.5 * t) * math.sin(w * t) / w
    du = math.exp(-2.5 * t) * (math.cos(w * t) - 2.5 * math.sin(w * t) / w)
    assert abs(vx - (du + 5 * u)) < 0.01, (t, vx, du + 5 * u)
END
expect 0 run controlled.yaml --set "simulate.duration=0.5 s" --set "simulate.planned=1 s" -q -o half.run
expect 0 run controlled.yaml --resume -q -o half.run
same controlled.run/series.csv half.run/series.csv

# The same block in other units, kN in and km/s out: it is linear, so that both make up for each other.
python3 - <<'END' || fail "no FMU in other units"
import re, zipfile
old = zipfile.ZipFile("filter.fmu")
with zipfile.ZipFile("units.fmu", "w") as new:
    for name in old.namelist():
        data = old.read(name)
        if name == "modelDescription.xml":
            text = data.decode()
            text, count = re.subn(r'(name="force".*?unit=")N"', r'\1kN"', text, count=1, flags=re.S)
            assert count == 1
            text, count = re.subn(r'(name="mass.vx"[^>]*>\s*<Real) unit="m/s"/>', r'\1 declaredType="Fast"/>', text, count=1)
            assert count == 1
            units = '<Unit name="kN"><BaseUnit kg="1" m="1" s="-2" factor="1000"/></Unit><Unit name="km/s"><BaseUnit m="1" s="-1" factor="1000"/></Unit>'
            text = text.replace("</UnitDefinitions>", units + '</UnitDefinitions><TypeDefinitions><SimpleType name="Fast"><Real unit="km/s"/></SimpleType></TypeDefinitions>')
            data = text.encode()
        new.writestr(name, data)
END
expect 0 run controlled.yaml --set partners.filter.fmu.file=units.fmu -q -o units.run
python3 difference.py controlled.run units.run 1e-12 || fail "units are not converted"

# ---- what is wrong with connections is told
expect 2 run controlled.yaml --set 'partners.filter.fmu.connect=[force = cart.vq]' -q -o x.run
says err "'force' is connected to 'cart.vq', which is no signal"
expect 2 run controlled.yaml --set 'partners.filter.fmu.set=[forse = 3]' -q -o x.run
says err "has no variable 'forse'; did you mean 'force'?"
expect 2 run controlled.yaml --set "simulate.step=1.5 ms" --set "record.every=3 ms" -q -o x.run
says err "the model file is wrong" "steps must be multiples of 0.001 s"
expect 2 run master.yaml --set partners.arm.fmu.as=tip -q -o x.run
says err "FMU 'arm' has no motion of port 'cup'"
expect 2 run master.yaml --set 'partners.arm.fmu.connect=[cup.wx = cup.vx]' -q -o x.run
says err "FMU 'arm': 'cup.wx' is in 'rad/s', which is no unit of 'cup.vx'"
expect 2 run master.yaml --set partners.arm.fmu.file=nothing.fmu -q -o x.run
says err "cannot read 'nothing.fmu': No such file or directory"

# ---- hostile FMUs
cat >hostile.py <<'END'
import zipfile
good = zipfile.ZipFile("mechanism.fmu")
entries = {name: good.read(name) for name in good.namelist()}
xml = entries["modelDescription.xml"]
def write(name, changed={}, extra={}, without=()):
    with zipfile.ZipFile(name, "w") as out:
        for key, value in {**entries, **changed, **extra}.items():
            if key not in without: out.writestr(key, value)
bomb = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + k, b"&%c;" % (97 + k) * 10) for k in range(9)) + b"]><fmiModelDescription>&j;</fmiModelDescription>"
external = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><fmiModelDescription modelName="&a;"/>'
write("malformed.fmu", {"modelDescription.xml": xml[:len(xml) // 2]})
write("bomb.fmu", {"modelDescription.xml": bomb})
write("external.fmu", {"modelDescription.xml": external})
write("empty.fmu", {"modelDescription.xml": b""})
write("other.fmu", {"modelDescription.xml": b"<html></html>"})
write("path.fmu", {"modelDescription.xml": xml.replace(b'modelIdentifier="mechanism"', b'modelIdentifier="../../mechanism"')})
write("escape.fmu", extra={"../escaped.txt": b"out"})
write("absolute.fmu", extra={"/tmp/maraca-escaped.txt": b"out"})
write("backslash.fmu", extra={"..\\escaped.txt": b"out"})
write("missing.fmu", without=[n for n in entries if n.endswith(".so")])
write("exchange.fmu", {"modelDescription.xml": xml.replace(b"CoSimulation", b"ModelExchange")})
write("version.fmu", {"modelDescription.xml": xml.replace(b'fmiVersion="3.0"', b'fmiVersion="1.0"')})
write("token.fmu", {"modelDescription.xml": xml.replace(b'instantiationToken="{', b'instantiationToken="{0')})
so = [n for n in entries if n.endswith(".so")][0]
write("symbols.fmu", {so: open("plain.so", "rb").read()})
write("nobinary.fmu", {so: b"not a library"})
write("factor.fmu", {"modelDescription.xml": xml.replace(b"<BaseUnit ", b'<BaseUnit factor="0" ', 1)})
write("power.fmu", {"modelDescription.xml": xml.replace(b"<BaseUnit ", b'<BaseUnit A="x" ', 1)})
write("twice.fmu", {"modelDescription.xml": xml.replace(b'name="cup.vx"', b'name="cup.vy"')})
open("cut.fmu", "wb").write(open("mechanism.fmu", "rb").read()[:5000])
open("text.fmu", "wb").write(b"this is no zip")
END
echo 'int x;' | cc -shared -fPIC -xc - -o plain.so || fail "no compiler"
python3 hostile.py || fail "hostile FMUs cannot be made"
mkdir unpacking
export TMPDIR=$PWD/unpacking # where FMUs are unpacked
refused() {
    expect 2 run master.yaml --set "partners.arm.fmu.file=$1.fmu" -q -o "$1.run"
    says err "$2"
}
refused malformed "modelDescription.xml: line"
refused bomb "it declares an entity"
refused external "it declares an entity"
refused empty "modelDescription.xml: line 1"
refused other "this is no description of an FMU but 'html'"
refused path "modelIdentifier is no name in C"
refused escape "leads out of its folder"
refused absolute "is absolute"
refused backslash "has a backslash"
refused missing "binaries/x86_64-linux/mechanism.so is missing"
refused exchange "it is not for co-simulation"
refused version "only FMI 2.0 and 3.0"
refused token "is that of another FMU"
refused symbols "its binary has no function fmi3GetVersion"
refused nobinary "cannot be loaded"
refused factor "the factor of a unit is zero"
refused power "this is no number: 'x'"
refused twice "two variables are called 'cup.vy'"
refused cut "cannot be opened as a zip archive"
refused text "cannot be opened as a zip archive"
[[ ! -e ../escaped.txt && ! -e escaped.txt && ! -e /tmp/escaped.txt && ! -e /tmp/maraca-escaped.txt ]] || fail "an FMU wrote outside of its folder"
[[ -z $(ls unpacking) ]] || fail "an unpacked FMU is left: $(ls unpacking)"
exit 0
