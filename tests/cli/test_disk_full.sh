#!/usr/bin/env bash
# A disk that fills up, or a limit on the size of files, ends the run with status 1 and a clear message, and leaves
# a folder that can be resumed.
source "$(dirname "$0")/common.bash"

model=("$moving_box" --set "simulate.duration=20 ms" --set "frames.every=1 ms" --set "checkpoint.every=1 ms")
expect 0 run "${model[@]}" -q -o alone

# ---- a limit on the size of files, in blocks of 1024 bytes: hit by the checkpoint at the latest
for limit in 1 8 24; do
    rm -rf limited
    (ulimit -f $limit && exec "$maraca" run "${model[@]}" -q -o limited) >out 2>err
    status=$?
    [[ $status -eq 1 ]] || fail "limit of $limit kB: status $status"
    says err "cannot write" "File too large" "at t = "
    check_folder limited
    expect 0 run "${model[@]}" -q -o limited --resume
    same alone/series.csv limited/series.csv
done

# ---- a small file system
mkdir small
if ! mount -t tmpfs -o size=300k tmpfs small 2>/dev/null; then
    echo "no small file system can be mounted here: the full disk is not tested"
    exit 0
fi
cleanups+=("umount '$PWD/small'")
expect 1 run "${model[@]}" -o small/run
says err "cannot write" "No space left on device" "at t = " "--resume goes on from the last checkpoint"
check_folder small/run
[[ -e small/run/checkpoint.h5 ]] || fail "no checkpoint"
# Still full: the same again, and nothing is lost.
expect 1 run "${model[@]}" -o small/run --resume
check_folder small/run
mount -o remount,size=20m small || fail "cannot enlarge the file system"
expect 0 run "${model[@]}" -o small/run --resume
says err "resuming at t = "
says out "resumed"
same alone/series.csv small/run/series.csv
check_folder small/run
