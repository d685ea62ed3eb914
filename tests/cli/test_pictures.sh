#!/usr/bin/env bash
# Pictures of studies: whole SVG files with what they should show; without gnuplot one line, and all else the same.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$temporary/cache
cat >mass.yaml <<'MODEL'
maraca: 1
constants: {c: 2 N*s/m, k: 100 N/m}
mechanism:
  bodies: {box: {mass: 1 kg, inertia: 1 1 1 g*m^2, velocity: 0.1 0 0 m/s}}
  joints: {guide: {prismatic: box, axis: x}}
  springs: {s: {between: [ground, box], offsets: [-1 0 0 m, 0 0 0 m], stiffness: k, damping: c}}
simulate: {duration: 3 s, step: 2 ms}
record: {every: 10 ms, series: [box.x]}
MODEL
printf 'f[Hz],damping[1],mass[kg]\n10,1e-2,1\n' >modes.csv
grid=(sweep mass.yaml --vary 'constants.c=1:5:4 N*s/m' --vary 'constants.k=50,100 N/m' --measure energy.dampers,energy.kinetic)

# ---- without gnuplot
PATH=/nowhere "$maraca" "${grid[@]}" -o bare >out 2>err || fail "a study needs gnuplot"
says err "gnuplot is not installed"
[[ ! -e bare/study.svg && -s bare/study.gp ]] || fail "what was drawn, and by whom?"
PATH=/nowhere "$maraca" "${grid[@]}" -q -o quiet >out 2>err || fail "a study needs gnuplot"
is_empty err
PATH=/nowhere "$maraca" respond modes.csv --force '1 N' --frequency '8:12:41 Hz' -o bare-respond >out 2>err || fail "respond needs gnuplot"
says out "gnuplot is not installed"
PATH=/nowhere "$maraca" optimise mass.yaml --vary 'constants.c=1:5 N*s/m' --maximise energy.dampers --candidates 8 -o bare-search >out 2>err || fail "a search needs gnuplot"
[[ $(grep -c gnuplot err) -eq 1 ]] || fail "one line should do: $(cat err)"
if ! command -v gnuplot >/dev/null; then
    echo "needs the package gnuplot-nox: pictures are not checked"
    exit 77
fi

# ---- with it
picture() { # FILE TEXT...: a whole SVG with these texts in it
    local file=$1
    shift
    python3 - "$file" "$@" <<'PYTHON' || fail "$file is not as it should be"
import sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
assert root.tag.endswith("svg"), root.tag
words = [" ".join("".join(node.itertext()).split()) for node in root.iter() if node.tag.endswith("text")]
for text in sys.argv[2:]: assert text in words, (text, words)
PYTHON
}
expect 0 "${grid[@]}" -o grid
is_empty err
picture grid/study.svg "constants.c [N*s/m]" "energy.dampers [J]" "energy.kinetic [J]" "k = 50 N/m" "k = 100 N/m"
same grid/study.csv bare/study.csv
same grid/study.json bare/study.json
cp grid/study.svg before
expect 0 "${grid[@]}" -o grid
same before grid/study.svg
(cd grid && gnuplot -d study.gp >again) && same grid/again grid/study.svg
[[ -z $(find grid -name '*.partial') ]] || fail "something is left behind"
expect 0 sweep mass.yaml --vary 'constants.k=1:1000:4:log N/m' --measure energy.dampers -q -o logarithmic
says logarithmic/study.gp "set logscale x"
expect 0 sweep mass.yaml --vary 'mechanism.integrator.rho_inf=0.6' --measure energy.dampers -q -o one # nothing to draw over
[[ ! -e one/study.svg ]] || fail "one point makes no picture"
expect 0 optimise mass.yaml --vary 'constants.c=1:5 N*s/m' --vary 'constants.k=50:100 N/m' --maximise energy.dampers --candidates 9 -q -o search
# A logarithmic axis ends where the data do, and has labels among them.
for band in 8:12:41 9.9:10.1:21; do
    expect 0 respond modes.csv --force '1 N' --frequency "$band Hz" -o axis
    python3 - axis/respond.csv axis/respond.svg <<'PYTHON' || fail "the axis of axis/respond.svg"
import csv, sys, xml.etree.ElementTree as tree
values = [float(row[name]) for row in csv.DictReader(open(sys.argv[1])) for name in ("up[m]", "without[m]")]
labels = []
for node in tree.parse(sys.argv[2]).getroot().iter():
    if not node.tag.endswith("text"): continue
    try: labels.append(float("".join(node.itertext())))
    except ValueError: pass
heights = [x for x in labels if 0 < x < 1] # the others are frequencies
inside = [x for x in heights if min(values) <= x <= max(values)]
assert len(inside) >= 2, (labels, min(values), max(values))
assert all(min(values)/2 < x < 2*max(values) for x in heights), heights
PYTHON
done
picture search/study.svg "constants.c [N*s/m]" "constants.k [N/m]" "energy.dampers [J]"
expect 0 respond modes.csv --force '1 N' --frequency '8:12:41 Hz' -o response
picture response/respond.svg "frequency [Hz]" "amplitude [m]" "without dampers" "band"
expect 0 run mass.yaml -q --set 'constants.c=0.3 N*s/m' -o decay
expect 0 damping decay --signal box.x --cycles 1 -o damped
picture damped/decay.svg "t [s]" "damping ratio" "amplitude [m]"
