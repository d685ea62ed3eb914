#!/usr/bin/env bash
# Every example passes `maraca check` with words; every file of tests/bad is refused with a message.
source "$(dirname "$0")/common.bash"

count=0
for model in "$project"/examples/*.yaml; do
    expect 0 check "$model"
    is_empty err
    says out "Simulates" "steps of"
    count=$((count + 1))
done
[[ $count -gt 0 ]] || fail "there are no examples"
[[ -z $(find . -mindepth 1 ! -name out ! -name err) ]] || fail "check leaves files behind"

bad=0
for model in "$project"/tests/bad/*.yaml; do
    [[ -e $model ]] || continue
    override=$(sed -n '1s/^# --set //p' "$model")
    expect 2 check "$model" ${override:+--set "$override"}
    says err "error: "
    is_empty out
    bad=$((bad + 1))
done
echo "$count examples, $bad broken models"
