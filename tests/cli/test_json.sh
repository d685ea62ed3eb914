#!/usr/bin/env bash
# With --json, standard output is exactly one JSON document: when it works, and whatever goes wrong.
source "$(dirname "$0")/common.bash"

mkdir documents
count=0
document() { # STATUS WORDS...: kept, to be looked at all together at the end
    expect "$@"
    count=$((count + 1))
    cp out "documents/$count"
    echo "maraca ${*:2}" >>documents.txt
}
brief=(--set "simulate.duration=1 ms")
printf 'maraca: 1\ntitle: "a \\"quote\\", a \\\\ and a tab\\t"\nsimulate: {duration: 1 s, step: 1 m}\n' >wrong.yaml
touch file

document 0 run "$moving_box" "${brief[@]}" --json
says out '"status": "OK"' '"relative_error"'
same out moving-box.run/summary.json
document 0 run "$moving_box" "${brief[@]}" --json --quiet
document 0 run "$moving_box" "${brief[@]}" --json --resume
document 0 check "$moving_box" --json
says out '"status": "OK"' '"description"'
document 0 advise "$moving_box" --json
says out '"governed_by": "contact"' '"chosen_N_per_m"'
document 0 stability --scheme tight --rho 0:1:3 --omega-h 1:2:2 --json
says out '"radius": [[' '"contraction": [['
document 2 stability --rho 0:2:3 --json
document 0 modes "$project/examples/cantilever.yaml" --json
says out '"frequency_hz"' '"damping_ratio"'
document 0 schema --json
says out '"properties"'
document 0 schema
document 0 version --json
document 0 help --json
document 0 help run --json
says out '"--threads"'
document 0 run --help --json

document 2 --json
document 2 nonsense --json
document 2 help nonsense --json
document 2 run --json
says out '"status": "USAGE"'
document 2 run --json --bogus
document 2 check --json $'missing\xff.yaml' # bytes that are not UTF-8
document 2 run "$moving_box" --json --threads none
document 2 run "$moving_box" --json -o
document 2 version --json --more
document 2 schema --json word
document 2 check --json missing.yaml
says out '"severity": "error"'
for command in run check advise modes; do
    document 2 $command wrong.yaml --json
    says out '"status": "MODEL"' '"file": "wrong.yaml", "line": 3'
done
document 2 run "$moving_box" "${brief[@]}" --json -o file/below
says out '"status": "FOLDER"'
document 2 modes "$moving_box" --json
says out '"status": "MODEL"'
document 2 run "$moving_box" "${brief[@]}" --set "constants.f=11 Hz" --json --resume
says out '"status": "CHECKPOINT"'
document 1 run "$moving_box" --json --set "grains.damper.contact.wall_stiffness=1 N/m" -o soft
says out '"status": "OVERLAP"'
says err "overlap" # people see it too

for number in $(seq 1 $count); do
    [[ -s documents/$number ]] || fail "no document from: $(sed -n "${number}p" documents.txt)"
done
is_json documents/*
echo "$count documents"
