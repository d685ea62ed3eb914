#!/usr/bin/env bash
# Whatever is typed: the right exit status, and a message that says what is wrong and what to do.
source "$(dirname "$0")/common.bash"

brief=(--set "simulate.duration=1 ms")

# ---- the command line
expect 2
says err "which command?" "usage: maraca COMMAND"
expect 2 rnu
says err "unknown command 'rnu'" "did you mean 'run'?"
expect 2 simulate
says err "there are run, check, advise, compare, "
expect 2 run
says err "which model?"
expect 2 run "$moving_box" --thread 2
says err "unknown option '--thread'" "did you mean '--threads'?" "maraca help run"
expect 2 run "$moving_box" --thread=2
says err "did you mean '--threads'?"
expect 2 check "$moving_box" --everything
says err "unknown option '--everything'. See 'maraca help check'"
for option in -o --output --set --threads; do
    expect 2 run "$moving_box" $option
    says err "$option needs a value"
    expect 2 run "$moving_box" $option --quiet
    says err "$option needs a value"
done
[[ ! -e ./--quiet ]] || fail "made a folder named --quiet"
for number in 0 -1 two 2x 1e3 99999999999999999999 ""; do
    expect 2 run "$moving_box" --threads "$number"
    says err "--threads takes a whole number" "'$number'"
done
expect 2 run "$moving_box" --resume=yes
says err "--resume takes no value"
expect 2 run "$moving_box" another.yaml
says err "unexpected word 'another.yaml'"
expect 2 help nonsense
says err "unknown command 'nonsense'"
expect 2 run "$moving_box" --set simulate.step
says err "path=value"
expect 2 run "$moving_box" --set "simulate.stp=1 us"
says err "did you mean 'step'?"
is_empty out

for words in help "help run" "run --help" "check -h" --help -h version --version schema "schema --markdown"; do
    # shellcheck disable=SC2086
    expect 0 $words
    is_empty err
    [[ -s out ]] || fail "maraca $words prints nothing"
done
expect 0 help run
says out "--output" "--set" "--threads" "--resume" "--quiet" "--json"

# ---- the model file
expect 2 run missing.yaml
says err "missing.yaml" "No such file"
mkdir folder
expect 2 run folder
says err "folder" "not an ordinary file"
printf 'maraca: 1\nsimulate: {duration: 1 s, step: 1 m}\ngrain: 3\n' >wrong.yaml
for command in run check; do
    expect 2 $command wrong.yaml
    says err "wrong.yaml:2:" "wrong.yaml:3:1: error:" "time" "did you mean 'grains'?"
    is_empty out
done
[[ ! -e wrong.run ]] || fail "a model with errors leaves a folder"

# ---- names: spaces, other alphabets, folders that are not there yet, ways up and down
mkdir -p "some models/über"
sed 's/^title: .*/title: Größe "1" — 振動 \\ test/' "$moving_box" >"some models/über/my model.v2.yaml"
expect 0 run "some models/über/my model.v2.yaml" "${brief[@]}"
check_folder "my model.v2.run"
says "my model.v2.run/model.yaml" "振動"
is_json "my model.v2.run/summary.json"
says out 'Größe "1" — 振動 \ test'
cd "some models" || exit 1
expect 0 run "../some models/über/my model.v2.yaml" "${brief[@]}" -o "../new/nested folder/results"
cd .. || exit 1
check_folder "new/nested folder/results"

# ---- the result folder
touch file
expect 2 run "$moving_box" "${brief[@]}" -o file
says err "'file'" "in the way"
expect 2 run "$moving_box" "${brief[@]}" -o file/below
says err "'file/below'" "Not a directory"
expect 2 run "$moving_box" "${brief[@]}" -o ""
says err "name is empty"
expect 2 run "$moving_box" "${brief[@]}" -o "$(printf 'long/%.0s' {1..300})"
says err "too long"
if [[ $(id -u) -eq 0 ]]; then
    expect 2 run "$moving_box" "${brief[@]}" -o /proc/self/nothing # root may write anywhere else
    says err "/proc/self/nothing"
else
    mkdir locked
    chmod 500 locked
    expect 2 run "$moving_box" "${brief[@]}" -o locked
    says err "locked" "Permission denied"
    expect 2 run "$moving_box" "${brief[@]}" -o locked/below
    says err "locked/below" "Permission denied"
fi
mkdir mine
cp "$moving_box" mine/model.yaml
expect 2 run mine/model.yaml "${brief[@]}" -o mine
says err "model.yaml of yours"
same "$moving_box" mine/model.yaml

# ---- simulations that fail: status 1, when, which grain, which wall, what to do
soft=(--set "grains.damper.contact.stiffness=1e3 N/m" --set "grains.damper.contact.wall_stiffness=1 N/m")
expect 1 run "$moving_box" "${soft[@]}" -o soft
says err "overlap" "at t = " "grain " "wall" "stiffness" "smaller step"
is_empty out
check_folder soft
says soft/summary.json '"status": "OVERLAP"' '"message": "at t = '
[[ $(wc -l <soft/series.csv) -gt 2 ]] || fail "the series up to the failure is lost"
cat >pole.yaml <<'YAML'
maraca: 1
materials: {steel: {density: 7800 kg/m^3}}
ports: {shaker: {position: [0, 0, 1 mm*sqrt(abs(t/(1 ms) - 0.1234) - 1e-7)]}}
grains:
  bed:
    port: shaker
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 1.5 mm, count: 5, material: steel}
    contact: {stiffness: 1e5 N/m}
simulate: {duration: 1 ms, step: 0.1 us}
YAML
expect 1 run pole.yaml # not a number for a single instant, which no check of the model finds
says err "not a number" "'shaker'" "at t = 0.0001234 s"

# Names that the checkpoint uses itself.
for name in step ledger grains store values; do
    sed -e "s/bed:/$name:/" -e '/^ports/d' -e '/port:/d' pole.yaml >named.yaml
    expect 0 run named.yaml -q --set "checkpoint.every=0.2 ms"
    expect 0 run named.yaml -q --resume --set "checkpoint.every=0.2 ms"
done

# ---- words that begin with a dash
cp "$moving_box" -- -odd.yaml
expect 0 check -- -odd.yaml
expect 0 check --json -- -odd.yaml
is_json out
expect 2 check -- -odd.yaml --json
says err "unexpected word '--json'"

# ---- silence, and standard output that cannot be written
expect 0 run "$moving_box" "${brief[@]}" --quiet -o quiet
is_empty out
is_empty err
expect 0 run "$moving_box" "${brief[@]}" -o loud
says out "simulated" "energy" "results in loud"
"$maraca" run "$moving_box" "${brief[@]}" -q -o closed >&- 2>&- <&- || fail "closed streams: status $?"
same quiet/series.csv closed/series.csv
"$maraca" run "$moving_box" "${brief[@]}" -o pipe 2>/dev/null | true
[[ ${PIPESTATUS[0]} -eq 0 ]] || fail "a reader who left made the run fail"
same quiet/series.csv pipe/series.csv
if [[ -w /dev/full ]]; then
    "$maraca" schema >/dev/full 2>err && fail "a full disk under standard output went unnoticed"
    says err "standard output"
fi

expect 2 report
says err "which result folder?"
expect 2 export
says err "which MODEL?"
