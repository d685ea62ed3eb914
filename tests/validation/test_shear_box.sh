#!/usr/bin/env bash
# The fast shear test of DAMPER 3.2, Table 4, at full size: shear over normal force with elastic and with directional
# friction. Similar but not equal, elastic higher. Shear is the mean over both halves and over the last 20 ms, normal
# the mean over both halves just before the shearing starts, as in the paper; the paper has 50 repetitions, we take two.
# A box cut down to a quarter (30 mm along y, 1250 grains) does not tell the two laws apart: see docs/validation.md.
# DAMPER is doi:10.3390/pr10071247.
set -euo pipefail
maraca=$1
example=$(cd "$(dirname "$0")/../.." && pwd)/examples/shear-box.yaml
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

ratio() { # series.csv
    awk -F, '
        NR == 1 { for (i = 1; i <= NF; i++) { name = $i; sub(/\[.*/, "", name); column[name] = i } }
        function at(name) { return $column["bed." name] }
        function size(x) { return x < 0 ? -x : x }
        NR > 1 && $1 < 2.4995 {
            above = size(at("upper.load.fz") + at("ceiling.load.fz"))
            below = size(at("lower.load.fz") + at("floor.load.fz"))
            normal = 0.5 * (above + below)
        }
        NR > 1 && $1 > 2.58 { shear += 0.5 * (size(at("upper.load.fx")) + size(at("lower.load.fx"))); n++ }
        END { printf "%.4f\n", shear / n / normal }' "$1"
}

declare -A sum=([elastic]=0 [directional]=0)
seeds=(1 2)
for seed in "${seeds[@]}"; do
    for law in elastic directional; do
        "$maraca" run "$example" --set grains.bed.packing.random.seed="$seed" --set frames.every=2.6s \
            --set grains.bed.contact.tangential="$law" -q -o "$folder/$law-$seed.run"
        value=$(ratio "$folder/$law-$seed.run/series.csv")
        echo "$law friction, seed $seed: shear/normal = $value"
        sum[$law]=$(awk "BEGIN { print ${sum[$law]} + $value / ${#seeds[@]} }")
    done
done
echo "mean: elastic ${sum[elastic]}, directional ${sum[directional]}"
awk "BEGIN { e = ${sum[elastic]}; d = ${sum[directional]}; exit !(e > d && d > 0.5 * e) }" ||
    { echo "expected elastic above directional, by less than a factor of two"; exit 1; }
