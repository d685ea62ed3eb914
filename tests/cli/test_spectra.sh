#!/usr/bin/env bash
# Impact energy spectra: balls that bounce, with energies that are known, and a shaken bed, whose spectra add up to the ledger.
source "$(dirname "$0")/common.bash"

# Two balls fall by 50 and 52 mm and bounce with restitution e: impact n takes m g h (1 - e^2) e^(2n).
cat >ball.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, restitution: 0.7}}
grains:
  bed:
    walls:
      floor: {plane: {point: 0 0 0 mm, normal: z}}
      end: {plane: {point: -1 0 0 m, normal: x}}
    particles: {radius: 2 mm, material: steel}
    packing: {file: {path: ball.csv}}
    contact: {stiffness: 50 kN/m}
    spectra: {per_decade: 2}
simulate: {duration: 0.55 s, step: 2 us}
record: {every: 10 ms, series: [bed.dissipated]}
END
printf 'x[mm],y[mm],z[mm]\n0,0,52\n50,0,54\n' >ball.csv
for method in smooth nonsmooth nscd; do
    set=(--set grains.bed.method=$method)
    [[ $method == smooth ]] || set+=(--set simulate.step="20 us" --set grains.bed.contact.impact_speed="1 m/s")
    expect 0 run ball.yaml "${set[@]}" -q -o ball-$method
    python3 - $method <<'END' || fail "$method: spectrum of a ball"
import csv, json, math, sys
method, e = sys.argv[1], 0.7
mass = 7800 * 4 / 3 * math.pi * 2e-3**3
summary = json.load(open(f"ball-{method}/summary.json"))["grains"]["bed"]
rows = list(csv.DictReader(open(f"ball-{method}/spectra.csv")))
assert {(r["bed"], r["of"], r["part"]) for r in rows} == {("bed", "wall", "floor")}
expected = {}
for height in 50e-3, 52e-3:
    moment = math.sqrt(2 * height / 9.81)
    speed = 9.81 * moment
    while moment < 0.55:
        energy = 0.5 * mass * speed**2 * (1 - e**2)
        k = math.floor(2 * math.log10(energy))
        expected[k] = (expected.get(k, (0, 0))[0] + 1, expected.get(k, (0, 0))[1] + energy)
        speed *= e
        moment += 2 * speed / 9.81
got = {round(2 * math.log10(float(r["from[J]"]))): (int(r["count"]), float(r["energy[J]"])) for r in rows if int(r["count"])}
print(method, "expected", expected, "got", got)
assert len(expected) >= 4 and max(n for n, _ in expected.values()) > 1 and expected.keys() == got.keys()
for k in expected:
    assert expected[k][0] == got[k][0] and abs(got[k][1] / expected[k][1] - 1) < 0.03  # slow impacts feel gravity
floor = summary["floor"]
assert floor["collisions"] == sum(n for n, _ in expected.values()) and summary["collisions"] == 0
assert abs(floor["collisions_J"] / floor["impact_J"] - 1) < 1e-6, (floor["collisions_J"], floor["impact_J"])
END
done

# A shaken bed, with springs, with cohesion, and as rigid grains: the spectra are the ledger, but for contacts that still last.
cat >bed.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, restitution: 0.7, friction: 0.3, young: 0.1 GPa}}
ports: {box: {position: [0, 0, 2 mm*sin(2*pi*25 Hz*t)]}}
grains:
  bed:
    port: box
    walls:
      box: {box: {size: 12 12 30 mm}}
      bar: {rod: {radius: 2 mm, length: 12 mm, axis: y}}
    particles: {radius: 1 mm, count: 90, material: glass}
    packing: {random: {gap: 0.05 mm}}
    contact: {stiffness: 3 kN/m, tangential: elastic}
    spectra: {}
simulate: {duration: 0.2 s, step: 10 us}
record: {every: 10 ms, series: [bed.dissipated]}
END
check() { # folder: how much of the ledger may still be in contacts that last
    python3 - "$1" "$2" <<'END' || fail "$1: spectra against the ledger"
import csv, json, sys
folder, share = sys.argv[1], float(sys.argv[2])
whole = json.load(open(f"{folder}/summary.json"))
bed, ledger = whole["grains"]["bed"], whole["energy"]["impact"]
rows = list(csv.DictReader(open(f"{folder}/spectra.csv")))
parts = {name: [r for r in rows if r["part"] == name] for name in ("grains", "box", "bar")}
for name, fact in (("grains", bed), ("box", bed["box"]), ("bar", bed["bar"])):
    assert len(parts[name]) > 5 and sum(int(r["count"]) for r in parts[name]) == fact["collisions"] > 50, name
    assert abs(sum(float(r["energy[J]"]) for r in parts[name]) / fact["collisions_J"] - 1) < 1e-8
    for r in parts[name]:
        if int(r["count"]) and float(r["from[J]"]) > 0:
            assert float(r["from[J]"]) * (1 - 1e-6) <= float(r["energy[J]"]) / int(r["count"]) <= float(r["to[J]"]) * (1 + 1e-6), r
walls = bed["box"]["collisions_J"] + bed["bar"]["collisions_J"]
assert abs(walls / (bed["box"]["impact_J"] + bed["bar"]["impact_J"]) - 1) < share, walls
print(folder, "ledger", ledger, "spectra", walls + bed["collisions_J"])
assert abs((walls + bed["collisions_J"]) / ledger - 1) < share
END
}
for case in springs cohesion nonsmooth nscd; do
    set=()
    case $case in
    cohesion) set=(--set materials.glass.adhesion="0.02 J/m^2" --set "grains.bed.contact={normal: hertz, tangential: mindlin, cohesion: jkr, impact_speed: 0.5 m/s}" --set simulate.step="2 us") ;;
    nonsmooth | nscd) set=(--set grains.bed.method=$case --set simulate.step="0.1 ms") ;;
    esac
    for threads in 1 2; do expect 0 run bed.yaml "${set[@]}" -q -o $case-$threads --threads $threads; done
    same $case-1/spectra.csv $case-2/spectra.csv
    expect 0 run bed.yaml "${set[@]}" -q -o $case-3 --set simulate.duration="90 ms"
    expect 0 run bed.yaml "${set[@]}" -q -o $case-3 --resume
    same $case-1/spectra.csv $case-3/spectra.csv
    check $case-1 0.01
done

# Without the key nothing is kept, and an old file does not stay.
expect 0 run ball.yaml -q -o ball-smooth --set 'grains.bed.spectra={}' --set simulate.duration="10 ms"
[[ $(wc -l <ball-smooth/spectra.csv) -eq 1 ]] || fail "no collision, but a line in spectra.csv"
sed '/spectra/d' ball.yaml >none.yaml
expect 0 run none.yaml -q -o ball-smooth --set simulate.duration="10 ms"
[[ ! -e ball-smooth/spectra.csv ]] || fail "spectra.csv of the run before is still there"
expect 2 check ball.yaml --set grains.bed.spectra.per_decade=0
says err "per_decade"
expect 2 check ball.yaml --set grains.bed.spectra.classes=3
says err "unknown key 'classes'"
