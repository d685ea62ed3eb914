#!/usr/bin/env bash
# `maraca export`: FMUs that keep the rules of the standard. With MARACA_FMI_SCHEMAS, the folder of the schemas 2.0.5 and
# 3.0.2 (fmi-standard.org), they are also checked by xmllint.
source "$(dirname "$0")/common.bash"

cat >arm.yaml <<'END'
maraca: 1
title: An arm & a "tip" <loaded> from outside
constants: {k: 2 kN/m, two: 2*k}
inputs: {u: {unit: N, default: 0}, gain: 3}
mechanism:
  beams: {arm: {from: 0 0 0 mm, to: 250 0 0 mm, elements: 4, section: {rectangle: 30 2 mm}, material: steel}}
  joints: {root: {clamp: arm.start}}
  forces: {shaker: {at: arm.end, force: [0, gain*u, 0]}}
  springs: {s: {between: arm.end, offsets: [[0, 0, 0], [250 mm, 50 mm, 0]], stiffness: two}}
materials: {steel: {density: 7845 kg/m^3, young: 210 GPa, poisson: 0.33}}
ports: {tip: {node: arm.end}}
simulate: {duration: 10 ms, step: 0.1 ms}
record: {series: [arm.2, energy]}
END
cat >cup.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.4}}
ports: {cup: {partner: rig}, lid: {partner: rig}}
grains:
  bed:
    port: cup
    walls: {room: {box: {size: 12 12 12 mm}}, lid: {port: lid, plane: {normal: -z, point: 0 0 6 mm}}}
    particles: {radius: 1.5 mm, count: 12, material: glass}
    packing: {random: {seed: 3}}
    method: nonsmooth
simulate: {duration: 50 ms, step: 0.1 ms}
END
cat >rules.py <<'END'
import re, subprocess, sys, zipfile
import xml.etree.ElementTree as xml

path, version = sys.argv[1], int(sys.argv[2])
fmu = zipfile.ZipFile(path)
assert fmu.testzip() is None
names = fmu.namelist()
assert len(set(names)) == len(names)
assert all("\\" not in n and ".." not in n and not n.startswith("/") for n in names), names
text = fmu.read("modelDescription.xml")
open("modelDescription.xml", "wb").write(text)
root = xml.fromstring(text)
assert root.get("fmiVersion") == {2: "2.0", 3: "3.0"}[version]
assert root.get("guid" if version == 2 else "instantiationToken")
cs = root.find("CoSimulation")
identifier = cs.get("modelIdentifier")
assert re.fullmatch(r"[A-Za-z_]\w*", identifier)
binary = f"binaries/{'linux64' if version == 2 else 'x86_64-linux'}/{identifier}.so"
assert binary in names, names
open("it.so", "wb").write(fmu.read(binary))
shown = {line.split()[-1] for line in subprocess.run(["nm", "-D", "--defined-only", "it.so"], capture_output=True, text=True).stdout.splitlines()}
assert sum(n.startswith("fmi2") for n in shown) == 34, shown
assert sum(n.startswith("fmi3") for n in shown) == 75, shown
assert all(n.startswith(("fmi2", "fmi3")) for n in shown), shown

part = r"([A-Za-z_]\w*|'[^']+')(\[\d+(,\d+)*\])?"
grammar = re.compile(rf"{part}(\.{part})*")
units = {}
for unit in root.find("UnitDefinitions"):
    assert unit.get("name") not in units
    units[unit.get("name")] = [d.get("name") for d in unit.findall("DisplayUnit")]
    assert len(set(units[unit.get("name")])) == len(units[unit.get("name")])
    assert unit.find("BaseUnit") is not None, unit.get("name")
variables = list(root.find("ModelVariables"))
seen, references, outputs, independent = set(), set(), [], 0
legal = {"parameter": {"fixed", "tunable"}, "input": {"discrete", "continuous"},
         "output": {"constant", "discrete", "continuous"}, "independent": {"continuous"}}
for index, v in enumerate(variables, 1):
    name, causality, variability, initial = (v.get(k) for k in ("name", "causality", "variability", "initial"))
    value = v[0] if version == 2 else v
    kind = value.tag
    assert grammar.fullmatch(name), name
    assert name not in seen, name
    seen.add(name)
    assert (kind, v.get("valueReference")) not in references
    references.add((kind, v.get("valueReference")))
    if version == 3: assert v.get("valueReference") not in {r for k, r in references if k != kind}
    assert variability in legal[causality], name
    assert variability != "continuous" or kind in ("Real", "Float64"), name
    assert (value.get("start") is not None) == (causality == "input" or initial in ("exact", "approx")), name
    if causality == "input": assert initial is None or version == 3, name
    if causality == "independent": assert initial is None
    independent += causality == "independent"
    if value.get("unit"): assert value.get("unit") in units, name
    if value.get("displayUnit"): assert value.get("displayUnit") in units[value.get("unit")], name
    if causality == "output":
        assert initial == "calculated"
        outputs.append(str(index) if version == 2 else v.get("valueReference"))
assert independent == 1
structure = root.find("ModelStructure")
if version == 2:
    listed = [u.get("index") for u in structure.find("Outputs")]
    unknown = [u.get("index") for u in structure.find("InitialUnknowns")]
else:
    listed = [u.get("valueReference") for u in structure.findall("Output")]
    unknown = [u.get("valueReference") for u in structure.findall("InitialUnknown")]
assert listed == outputs and unknown == outputs
print(path, len(variables), "variables,", len(units), "units")
END
schemas=${MARACA_FMI_SCHEMAS-}
for model in arm cup "$project/examples/cantilever-damper" "$project/examples/shear-box" "$project/examples/moving-box"; do
    name=$(basename "$model")
    for version in 2 3; do
        expect 0 export "$model.yaml" --fmi $version -o "$name$version.fmu"
        is_empty err
        python3 rules.py "$name$version.fmu" $version || fail "$name$version.fmu breaks a rule"
        if [[ -n $schemas ]]; then
            file=$(echo "$schemas"/$version.*/fmi"$version"ModelDescription.xsd)
            xmllint --noout --schema "$file" modelDescription.xml || fail "$name$version.fmu breaks the schema"
        fi
    done
done

# Names, parameters, files.
expect 0 export arm.yaml
unzip -p arm.fmu modelDescription.xml >out 2>/dev/null || python3 -c 'import zipfile; print(zipfile.ZipFile("arm.fmu").read("modelDescription.xml").decode())' >out
says out "arm.'2'.vx" 'name="k"' 'displayUnit="kN/m"' 'name="tip.in.fy"' 'name="tip.rx"' 'providesDirectionalDerivatives="true"' \
    'An arm &amp; a &quot;tip&quot; &lt;loaded&gt; from outside'
grep -q 'name="two"' out && fail "a constant that follows from others is no parameter"
python3 -c 'import zipfile; print(*zipfile.ZipFile("shear-box3.fmu").namelist())' >out
says out "resources/files/0-shear-box-" "resources/files/1-shear-box-"
cp arm.fmu first.fmu
expect 0 export arm.yaml -o arm.fmu
same arm.fmu first.fmu

# A damper element: a table that needs nothing but C.
python3 - <<'END'
import json
entries = [{"frequency_hz": f, "amplitude_m": a, "energy_J": 1e-3 * f * a**2 / 1e-6, "energy_interval_J": 0, "effective_mass_kg": m,
            "effective_mass_interval_kg": 0, "zone": "bouncing bed"}
           for f, a, m in [(10, 1e-3, 0.05), (10, 4e-3, 0.02), (40, 1e-3, 0.04), (40, 4e-3, 0.01)]]
json.dump({"kind": "damper element", "mass_kg": 0.05, "entries": entries}, open("element.json", "w"))
END
cat >element.py <<'END'
import ctypes, math, os, subprocess, sys, zipfile
import xml.etree.ElementTree as xml
path = sys.argv[1]
zipfile.ZipFile(path).extractall("unpacked")
root = xml.parse("unpacked/modelDescription.xml").getroot()
names = {v.get("name"): int(v.get("valueReference")) for v in root.find("ModelVariables")}
sources = [f"unpacked/sources/{f.get('name')}" for f in root.find("CoSimulation/SourceFiles")]
subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-Iunpacked/sources", *sources, "-o", "./own.so", "-lm"], check=True)
class Callbacks(ctypes.Structure): _fields_ = [(n, ctypes.c_void_p) for n in "lafse"]
def element(library):
    library = ctypes.CDLL(library)
    library.fmi2Instantiate.restype = ctypes.c_void_p
    c = ctypes.c_void_p(library.fmi2Instantiate(b"e", 1, root.get("guid").encode(), f"file://{os.getcwd()}/unpacked/resources".encode(),
                                                ctypes.byref(Callbacks()), 0, 0))
    assert c.value
    def force(f, v, a):
        for name, value in (("frequency", f), ("v", v), ("a", a)):
            assert library.fmi2SetReal(c, ctypes.byref(ctypes.c_uint(names[name])), ctypes.c_size_t(1), ctypes.byref(ctypes.c_double(value))) == 0
        out, slope = ctypes.c_double(), ctypes.c_double()
        assert library.fmi2GetReal(c, ctypes.byref(ctypes.c_uint(names["force"])), ctypes.c_size_t(1), ctypes.byref(out)) == 0
        return out.value
    return force
c = lambda f, a: 1e-3 * f * a**2 / 1e-6 * 2 * math.pi * f / (math.pi * (2 * math.pi * f * a)**2)    # E w / (pi V^2)
for library in ("./own.so", "unpacked/" + [n for n in zipfile.ZipFile(path).namelist() if n.endswith(".so")][0]):
    force = element(library)
    for f, a, m in [(10, 1e-3, 0.05), (40, 4e-3, 0.01), (20, 2e-3, 0.03), (5, 1e-5, 0.05), (100, 1, 0.01)]:
        w = 2 * math.pi * f
        f_in, a_in = min(max(f, 10), 40), min(max(a, 1e-3), 4e-3)
        dashpot = c(f_in, a_in) if f_in != 20 else (c(10, 1e-3) + c(10, 4e-3) + c(40, 1e-3) + c(40, 4e-3)) / 4
        for phase in (0, 0.3, 2):
            v, acceleration = a * w * math.cos(phase), -a * w * w * math.sin(phase)
            expected = -m * acceleration - dashpot * v
            assert abs(force(f, v, acceleration) - expected) < 1e-9 * (m * a * w * w + dashpot * a * w), (f, a, phase)
END
for version in 2 3; do
    expect 0 export element.json --fmi $version -o "element$version.fmu"
    python3 rules.py element$version.fmu $version || fail "element$version.fmu breaks a rule"
    if [[ -n $schemas ]]; then
        xmllint --noout --schema "$(echo "$schemas"/$version.*/fmi"$version"ModelDescription.xsd)" modelDescription.xml || fail "its schema"
    fi
done
python3 element.py element2.fmu || fail "the force of a damper element"
if [[ -n $schemas ]]; then
    python3 -c 'import zipfile; open("build.xml", "wb").write(zipfile.ZipFile("element3.fmu").read("sources/buildDescription.xml"))'
    xmllint --noout --schema "$(echo "$schemas"/3.*/fmi3BuildDescription.xsd)" build.xml || fail "the description of the build"
fi
expect 2 export "$project/tests/fuzz/descriptions/none.json"

# What is wrong is told.
expect 2 export arm.yaml --fmi 4
says err "FMI is 2 or 3"
expect 2 export nothing.yaml
expect 1 export arm.yaml -o /nowhere/arm.fmu
says err "'/nowhere/arm.fmu' cannot be written"
expect 2 export arm.yaml --binary nothing.so
[[ ! -e arm.fmu.partial ]] || fail "a half-written FMU is left"
if [[ -z $schemas ]]; then
    echo "needs MARACA_FMI_SCHEMAS: that descriptions of FMUs fit the schemas is not checked"
    exit 77
fi
exit 0
