#!/usr/bin/env bash
# Progress: plain lines or nothing in a file, a bar with the time left on a terminal.
source "$(dirname "$0")/common.bash"

expect 0 run "$moving_box" --set "simulate.duration=5 ms"
if grep -q $'[\r\033]' err; then fail "control characters in a file"; fi

if ! script -qec true /dev/null >/dev/null 2>&1; then
    echo "needs the package bsdutils: progress on a terminal is not tested"
    exit 77
fi
# Long enough for a bar; stopped as soon as it was seen.
unset COLUMNS LINES
TERM=xterm script -qfec "'$maraca' run '$moving_box' -o bar" typescript >/dev/null 2>&1 </dev/null &
until grep -q " left" typescript 2>/dev/null; do
    kill -0 $! 2>/dev/null || fail "the run ended without a bar: $(cat typescript)"
    sleep 0.02
done
kill -INT "$(cat bar/run.lock)"
wait $!
says typescript "running [" "] " " %, t = " " s of 1 s, " "stopping; once more stops at once" "stopped by the user"
