#!/usr/bin/env bash
# `maraca stability`: the published figures come out, in every format, and wrong words are told.
# TIGHT is doi:10.1016/j.mechmachtheory.2020.104181, EXPLICIT doi:10.1007/s11044-022-09829-w.
source "$(dirname "$0")/common.bash"

near() { # VALUE EXPECTED TOLERANCE
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a - b <= t && b - a <= t) }' || fail "$1 is not $2 +- $3"
}
one() { # WORDS...: the radius at a single point
    expect 0 stability "$@" --json
    sed -nE 's/.*"radius": \[\[([^],]+)\]\].*/\1/p' out
}
point=(--rho 0.56 --omega-h 0.0707106781186548) # omega^2 = 5000 /s^2, h = 1 ms

# ---- EXPLICIT 4.1.3 and TIGHT 4.3
near "$(one --scheme explicit --inputs original "${point[@]}")" 1.11 0.005
for inputs in index-1 index-2 index-3; do
    near "$(one --scheme explicit --inputs $inputs "${point[@]}")" 0.999 0.0005
done
expect 0 stability --scheme loose --rho 0:1:51 --omega-h 0.02:10:60
is_empty err
says out "stable at every omega h of the map: rho_inf 0.3 to 0.54" "the largest radius is 1.37"
expect 0 stability --scheme condensed --mass-ratio 1000 --log --omega-h 0.001:100:50
says out "stable at 2050 of 2050 points" "rho_inf 0 to 1" "(logarithmic)"
caution="grains that bounce may gain energy where rho_inf is above 0.6 and omega h above 1"
says out "$caution"
for map in "--rho 0:0.6:4" "--rho 0.9 --omega-h 0.5"; do # of which that is not true
    # shellcheck disable=SC2086
    expect 0 stability --scheme condensed $map
    if grep -qF "$caution" out; then fail "said of $map: $caution"; fi
done
expect 0 stability --scheme tight --mass-ratio 10
says out "plain iteration multiplies the error of the load by up to -4.425: it diverges at" # 10 b0^2 / (1 + (b0 0.1)^2), b0 = 2/3

# ---- a contact of smooth grains in place of the link (docs/theory/condensed.md)
swing=(--scheme condensed --substeps 100 --mass-ratio 0.17 --rho 0.6)
near "$(one "${swing[@]}" --omega-h 1.46 --contact 1.6)" 0.99411 5e-5
near "$(one "${swing[@]}" --omega-h 1 --contact 1.1)" 0.99893 5e-5
near "$(one --scheme condensed --substeps 100 --mass-ratio 0.1 --rho 0.9 --omega-h 1.65 --contact 3.3)" 1.02945 5e-5
near "$(one --scheme condensed --substeps 100 --mass-ratio 0.1 --rho 0.9 --omega-h 1.65 --contact 3.3 --contact-damping 0.05)" 0.99904 5e-5
expect 0 stability "${swing[@]}" --contact 1.6 --contact-damping 0.01
says out "100 sub-steps, contact of omega h = 1.6, damping ratio 0.01"
expect 2 stability --scheme tight --contact 1
says err "--contact belongs to the schemes condensed, not to tight"
expect 2 stability --contact 1
says err "give --substeps, too"
expect 2 stability --substeps 9 --contact-damping 1
says err "--contact-damping is that of a --contact"

# ---- words that mean the same
same_radius() { near "$1" "$2" 1e-12; }
other=(--rho 0.3 --omega-h 1.7 --mass-ratio 0.3 --frequency-ratio 0.4 --damping-ratio 0.5 --xi1 0.1)
same_radius "$(one --scheme explicit "${other[@]}")" \
    "$(one --scheme explicit --alpha 2 --beta 2 --gamma 1 --order gauss-seidel "${other[@]}")"
same_radius "$(one --scheme explicit --alpha 5 "${other[@]}")" "$(one --scheme loose "${other[@]}")"
same_radius "$(one --scheme jacobi --inputs index-2 "${other[@]}")" \
    "$(one --scheme explicit --order jacobi --inputs index-2 "${other[@]}")"
same_radius "$(one --scheme overlapped "${other[@]}")" "$(one --scheme loose --order jacobi "${other[@]}")"
same_radius "$(one --scheme overlapped --extrapolation quadratic "${other[@]}")" \
    "$(one --scheme multirate --order jacobi "${other[@]}")"
same_radius "$(one --scheme tight --rho 0.3:0.3:1 --omega-h 1.7:1.7:1)" "$(one --scheme tight --rho 0.3 --omega-h 1.7)"

# ---- files
map=(--scheme tight --rho 0:0.9:4 --omega-h 0.5:2.5:5)
expect 0 stability "${map[@]}" -o map.csv
says out "written to map.csv"
[[ $(wc -l <map.csv) -eq 21 && $(head -1 map.csv) == rho,omega_h,radius,contraction ]] || fail "map.csv is wrong"
says map.csv "0,0.5,0." "0.9,2.5,0."
expect 0 stability "${map[@]}" -o map.json --json
same out map.json
is_json map.json
expect 0 stability --scheme loose --rho 0.7 --omega-h 1:4:4 -o line.svg
expect 0 stability --scheme loose -o map.svg
expect 0 stability --scheme loose --log -o map.png
[[ $(head -c 4 map.png | tail -c 3) == "PNG" ]] || fail "map.png is no picture"
says map.svg "Stability of the loose scheme, gauss-seidel" "spectral radius" "rho_inf"
python3 - map.json map.svg line.svg <<'EOF' || fail "the files cannot be read"
import json, sys
from xml.dom import minidom
m = json.load(open(sys.argv[1]))
assert m["omega_h"] == [0.5, 1, 1.5, 2, 2.5] and len(m["rho"]) == 4 and m["rho"][-1] == 0.9
assert len(m["radius"]) == 4 and all(len(row) == 5 for row in m["radius"])
for path in sys.argv[2:]: minidom.parse(path)
EOF

# ---- any number of threads
OMP_NUM_THREADS=1 "$maraca" stability --scheme multirate --substeps 3 --frequency-ratio 0.3 -o one.csv >/dev/null
OMP_NUM_THREADS=3 "$maraca" stability --scheme multirate --substeps 3 --frequency-ratio 0.3 -o three.csv >/dev/null
same one.csv three.csv

# ---- mistakes
wrong() { # TEXT WORDS...
    local text=$1
    shift
    expect 2 stability "$@"
    says err "$text"
    is_empty out
}
wrong "--scheme is 'condensd'; expected one of condensed, tight" --scheme condensd
wrong "did you mean 'condensed'?" --scheme condensd
wrong "--inputs is 'index-4'" --scheme explicit --inputs index-4
wrong "belong to the schemes explicit and jacobi, not to tight" --scheme tight --inputs index-1
wrong "give one or the other" --scheme explicit --inputs index-1 --alpha 2
wrong "must not be negative, nor all zero" --scheme explicit --alpha 0
wrong "must not be negative, nor all zero" --scheme explicit --alpha 1 --beta -1
wrong "--order belongs to the schemes explicit, loose and multirate, not to condensed" --order jacobi
wrong "--order is 'seidel'" --scheme loose --order seidel
wrong "--extrapolation belongs to the schemes multirate and overlapped, not to loose" \
    --scheme loose --extrapolation linear
wrong "--extrapolation is 'cubic'; expected one of none, linear, quadratic" --scheme multirate --extrapolation cubic
wrong "--substeps cannot be 4" --scheme monolithic --substeps 4
wrong "--mass-ratio is -1; expected a number from 0" --mass-ratio -1
wrong "--xi1 takes a number, not 'much'" --xi1 much
wrong "--frequency-ratio takes a number, not 'nan'" --frequency-ratio nan
wrong "--rho goes from 0 to 1.2; expected rising values from 0 to 1" --rho 0:1.2:3
wrong "--rho goes from -0.1 to 1" --rho -0.1:1:3
wrong "--rho goes from 1 to 0" --rho 1:0:3
wrong "--rho has 0 values; expected 1 to 1001" --rho 0:1:0
wrong "--omega-h has 5000 values" --omega-h 0:1:5000
wrong "--omega-h has 1 value from 0 to 1" --omega-h 0:1:1
wrong "--omega-h has 3 values from 2 to 2" --omega-h 2:2:3
for text in 0:1 0:1:2.5 0:1:2:3 a 0:b:2 "" :: 0.5x; do
    wrong "--omega-h takes A:B:N, N values from A to B, or one value, not '$text'" --omega-h "$text"
done
wrong "--log needs an --omega-h that begins above 0" --log --omega-h 0:1:3
wrong "a map is written as .html, .csv, .json, .svg or .png" -o map.bmp
wrong "unexpected word 'model.yaml'" model.yaml
expect 1 stability "${map[@]}" -o missing/map.csv
says err "missing/map.csv"
