#!/usr/bin/env bash
# `maraca compare`: one model in several variants, side by side; a variant that diverges is told of, no more.
source "$(dirname "$0")/common.bash"
model=$project/examples/two-mass.yaml

expect 0 compare "$model" --schemes condensed,tight,wild:coupling.scheme=explicit+coupling.inputs=original -o results
says out "variant" "condensed" "difference to condensed, r.m.s. over r.m.s." "box.x" "the simulation diverged"
says out "wild: at t = " "the coupling scheme 'explicit' has diverged at port 'box'"
for file in compare.json condensed/series.csv tight/summary.json wild/summary.json; do
    [[ -s results/$file ]] || fail "there is no results/$file"
done
says results/tight/summary.json '"scheme": "tight"' '"solves_per_step"' '"energy_passed_j"' '"largest_gap_m"'

# The numbers: tight is wrong by 3.3e-3 at this step, condensed and half its step by less than 1e-5; one solve each.
expect 0 compare "$model" --schemes "condensed,tight,half:simulate.step=50 us" --json
is_empty err
python3 - out <<'END' || fail "the numbers"
import json, sys
told = json.load(open(sys.argv[1]))
condensed, tight, half = told["variants"]
assert told["status"] == "OK" and told["reference"] == "condensed"
assert condensed["grain_solves"] == condensed["steps"] == 1000 and condensed["difference"]["box.x"] == 0
assert 1500 < tight["grain_solves"] < 3000 and 2e-3 < tight["difference"]["box.x"] < 5e-3
assert half["grain_solves"] == 2000 and 0 < half["difference"]["box.x"] < 2e-5
assert half["settings"] == ["simulate.step=50 us"] and half["message"] is None
assert abs(condensed["port_energy_error_j"]) < 1e-12 < condensed["port_energy_passed_j"]
END

# What does not fit is said before anything is run; the others are compared all the same.
expect 2 compare "$model"
says err "--schemes condensed,tight"
expect 2 compare "$model" --schemes tigth,codensed
says err "tigth: " "variant 'codensed'" "did you mean 'condensed'"
is_empty out
expect 2 compare "$model" --schemes condensed,tigth,tight -q
head -1 err >first
says first "warning: tigth: " "did you mean 'tight'"
says err "variant 'tigth'"
says out "the model file is wrong" "done" "difference to condensed"
grep -q "^  box.x  *-  *3.9e-3" out || fail "tight is not compared"

# Nor does a variant whose grains cannot be placed end the others; it is named, with the reason.
expect 0 compare "$moving_box" --set "simulate.duration=1 ms" -q -o placed --schemes \
    "a:simulate.step=1.2 us,dense:grains.damper.particles.count=600+grains.damper.packing=random,b:simulate.step=1 us"
says out "the grains cannot be placed" "dense: grains 'damper': only " "energy.kinetic"
is_json placed/compare.json
says placed/compare.json '"status": "PACKING"' '"wall_seconds": null'
expect 2 compare "$model" --schemes condensed,condensed
says err "two variants are called 'condensed'"
expect 2 compare "$moving_box" --schemes tight,loose
says err "no mechanism"

# When the first one diverges, cannot be placed or is wrong, the next one takes its place.
expect 1 compare "$model" --schemes wild:coupling.scheme=explicit+coupling.inputs=original,condensed,tight
says out "the simulation diverged" "difference to condensed"
says err "'wild'" "'condensed' is what others are compared with"
grep -q "^  box.x  *-  *3.9e-3" out || fail "tight is not compared"
expect 2 compare "$moving_box" --set "simulate.duration=1 ms" -q --schemes \
    "dense:grains.damper.particles.count=600+grains.damper.packing=random,a:simulate.step=1.2 us,b:simulate.step=1 us"
says out "the grains cannot be placed" "difference to a, " "energy.kinetic"
expect 2 compare "$model" --schemes tigth,condensed,tight -q --json
says err "'condensed' is what others are compared with" "did you mean 'tight'"
says out '"reference": "condensed"' '"status": "MODEL"'
# When none gets to its end there is nothing to compare.
expect 1 compare "$model" --schemes wild:coupling.scheme=explicit+coupling.inputs=original
says out "wild"
says err "no variant got to its end"

# Any value, also without a mechanism.
expect 0 compare "$moving_box" --set "simulate.duration=1 ms" --schemes "model:simulate.step=1.2 us,simulate.step=1 us" -q
says out "model" "simulate.step=1 us" "damper.load.fz"

# Signs of a bad exchange are told while it runs, and stay in the summary; a good one has none.
expect 1 run "$model" --set coupling.scheme=explicit --set coupling.inputs=original -o wild
says err "port 'box': the energy error of the exchange grows" "use scheme: condensed"
says wild/summary.json "the energy error of the exchange grows"
expect 0 run "$model" -o good
is_empty err
says out "coupling   condensed, 1 grain solve per step" "energy error of the exchange"

# A scheme that has diverged is named, with its settings, when and by what, why, and what to use instead.
expect 1 run "$model" --set coupling.scheme=loose --set "constants.m2=3 kg" -o loose
says err "at t = " "(step " "the coupling scheme 'loose' has diverged at port 'box': a load of " \
    "times the largest that the energy in play (0.02 J) allows" "at the mass ratio of 3 there its errors grow by" \
    "use scheme: condensed, which is stable at any mass ratio"
expect 1 run "$model" --set coupling.scheme=explicit --set coupling.order=jacobi --set coupling.inputs=index-2 -o jacobi
says err "the coupling scheme 'explicit' has diverged at port 'box' (inputs: index-2, order: jacobi)"
expect 1 run "$model" --set coupling.scheme=tight --set coupling.acceleration=none --set "constants.m2=20 kg" -o tight
says err "at t = 0 s (step 0)" "the coupling scheme 'tight' has diverged at port 'box' (acceleration: none)" \
    "at the mass ratio of 20 there plain iteration multiplies errors by 5.4" "acceleration: quasi-newton"
grep -qiE "not a number|[^_]nan|[^_]inf[^o]" err && fail "found by overflow only"
for instead in condensed tight; do # what is recommended does it
    expect 0 run "$model" --set coupling.scheme=$instead --set "constants.m2=20 kg" -o $instead
done
