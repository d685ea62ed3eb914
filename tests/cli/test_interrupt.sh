#!/usr/bin/env bash
# Ctrl-C finishes the step, writes a checkpoint and says so; --resume goes on as if nothing had happened.
source "$(dirname "$0")/common.bash"

model=("$moving_box" --set "simulate.duration=40 ms")
expect 0 run "${model[@]}" -q -o alone

# interrupt SIGNAL FOLDER OPTIONS...: starts a run, interrupts it, leaves its exit status in $status. A machine
# that is very busy may let the run end first: then again.
interrupt() {
    local signal=$1 folder=$2
    shift 2
    for _ in 1 2 3 4 5 6 7 8; do
        rm -rf "$folder"
        "$maraca" run "${model[@]}" -o "$folder" "$@" >out 2>err &
        wait_for "$folder/model.yaml" $! && kill "-$signal" $!
        wait $!
        status=$?
        [[ $status -eq 0 ]] || return 0
    done
    fail "the run was always faster than the signal"
}

for signal in INT TERM HUP; do
    interrupt $signal stopped
    [[ $status -eq 1 ]] || fail "SIG$signal: status $status, expected 1"
    says err "stopped by the user" "at t = " " s, step " "stopped" "--resume goes on from it"
    is_empty out
    check_folder stopped
    says stopped/summary.json '"status": "INTERRUPTED"' '"message": "at t = '
    [[ ! -e stopped/run.lock ]] || fail "the lock stays behind"
    expect 0 run "${model[@]}" -o stopped --resume
    says err "resuming at t = "
    says out "resumed"
    says stopped/summary.json '"status": "OK"'
    same alone/series.csv stopped/series.csv
done

# A signal that arrives twice, as under `timeout`, is one.
for _ in 1 2 3; do
    rm -rf stopped
    "$maraca" run "$moving_box" -q -o stopped >out 2>err &
    wait_for stopped/model.yaml $! || fail "the run ended by itself"
    kill -INT $! && kill -INT $! 2>/dev/null
    wait $!
    status=$?
    [[ $status -eq 1 ]] || fail "interrupted twice at once: status $status"
    says err "stopped by the user"
done

# In the middle of a step that would last for days: heard, and as if that step had not been begun.
glass_bed 500 "    contact: {solver: {method: nsgs, tolerance: 1e-30, iterations: 1000000000}}" \
    "simulate: {duration: 1 ms, step: 0.2 ms}" >endless.yaml
"$maraca" run endless.yaml -o endless >out 2>err &
wait_for endless/model.yaml $! || fail "the run ended by itself"
sleep 0.2
kill -TERM $!
wait $!
status=$?
[[ $status -eq 1 ]] || fail "an endless step: status $status, expected 1"
says err "stopped by the user: at t = 0 s, step 0 of 5" "--resume goes on from it"
check_folder endless
[[ -s endless/checkpoint.h5 ]] || fail "an endless step left no checkpoint"

# As JSON: one document, which says how far it came.
interrupt INT stopped --json
[[ $status -eq 1 ]] || fail "status $status, expected 1"
is_json out
says out '"status": "INTERRUPTED"'
says err "stopped by the user"

# Two at once in one folder: the second is turned away, the first does not notice.
rm -rf stopped
"$maraca" run "$moving_box" -q -o stopped >first.out 2>first.err &
first=$!
cleanups+=("kill -KILL $first 2>/dev/null")
wait_for stopped/model.yaml $first || fail "the first run ended: $(cat first.err)"
expect 2 run "$moving_box" -q -o stopped
says err "another run (process $first)" "is working in 'stopped'" "-o"
expect 2 run "$moving_box" -q -o stopped --resume --json
is_json out
kill -0 $first || fail "the first run was disturbed"
kill -KILL $first
wait $first 2>/dev/null
is_empty first.err
# Killed, its lock is gone, whatever file it left.
expect 0 run "$moving_box" --set "simulate.duration=1 ms" -q -o stopped
is_empty err
