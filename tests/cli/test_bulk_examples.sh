#!/usr/bin/env bash
# The examples of bulk handling with few grains: what must hold whatever their number.
source "$(dirname "$0")/common.bash"
column() { # of series.csv in folder $1, by name $2, at the line nearest to time $3
    awk -F, -v name="$2" -v at="$3" 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, part, "["); if (part[1] == name) c = i } next }
        { d = ($1 - at)^2; if (best == "" || d < best) { best = d; value = $c } } END { if (c) print value }' "$1/series.csv"
}
near() { # $1 is $2 within $3
    awk -v a="$1" -v b="$2" -v e="$3" 'BEGIN { exit !(a - b <= e && b - a <= e) }' || fail "$4: $1, expected $2 within $3"
}
closes() { # the ledger of folder $1
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^energy.error/) c = i; next }
        $c > 1e-9 || $c < -1e-9 { print; wrong = 1 } END { exit wrong || !c }' "$1/series.csv" || fail "the ledger of $1"
}

# Drum: the integral of its power is the work done on the balls.
expect 0 run "$project/examples/drum.yaml" --set grains.balls.particles.count=60 --set "simulate.duration=0.4 s" \
    --set "record.every=0.5 ms" -q -o drum
closes drum
work=$(column drum energy.work 0.4)
integral=$(awk -F, 'NR == 1 { next } NR > 2 { s += 0.5*($NF + p)*($1 - t) } { t = $1; p = $NF } END { print s }' drum/series.csv)
near "$integral" "$work" "$(awk -v w="$work" 'BEGIN { print 0.02*w }')" "work of the drum"

# Its impact energy spectra are the ledger's impacts, but for contacts that still last.
python3 - <<'END' || fail "spectra of the drum"
import csv, json
ledger = json.load(open("drum/summary.json"))["energy"]["impact"]
rows = list(csv.DictReader(open("drum/spectra.csv")))
assert {r["part"] for r in rows} == {"grains", "shell", "bars"}
energy = sum(float(r["energy[J]"]) for r in rows)
print(f"impacts {ledger:.5g} J, in the spectra {energy:.5g} J of {sum(int(r['count']) for r in rows)} collisions")
assert 0.9 * ledger < energy <= 1.001 * ledger
END

# Ball mill: likewise, of balls and stones.
expect 0 run "$project/examples/ball-mill.yaml" --set grains.charge.particles.0.count=8 --set grains.charge.particles.1.total_mass="0.1 kg" \
    --set "simulate.duration=0.3 s" --set "record.every=0.5 ms" -q -o mill
closes mill
work=$(column mill energy.work 0.3)
integral=$(awk -F, 'NR == 1 { next } NR > 2 { s += 0.5*($NF + p)*($1 - t) } { t = $1; p = $NF } END { print s }' mill/series.csv)
near "$integral" "$work" "$(awk -v w="$work" 'BEGIN { print 0.02*w }')" "work of the mill"

# Belt: it pulls all grains up to its speed, 0.8 m/s, and no further; what it does is the work of the drives.
expect 0 run "$project/examples/belt.yaml" --set grains.gravel.particles.count=40 --set "simulate.duration=0.2 s" -q -o belt
closes belt
near "$(column belt gravel.belts 0.2)" "$(column belt energy.work 0.2)" 1e-12 "work of the belt"
awk -v v="$(column belt gravel.velocity.x 0.2)" 'BEGIN { exit !(v > 0.2 && v <= 0.8) }' || fail "speed of the grains on the belt"

# Screw: once it has caught them, grains move by the pitch per turn, 40 mm/s.
expect 0 run "$project/examples/screw-conveyor.yaml" --set grains.pellets.particles.count=40 \
    --set "simulate.duration=0.5 s" -q -o screw
closes screw
way=$(awk -v a="$(column screw pellets.center.x 0.2)" -v b="$(column screw pellets.center.x 0.5)" 'BEGIN { print (b - a)/0.3 }')
near "$way" 0.04 0.012 "speed of the grains in the screw"
