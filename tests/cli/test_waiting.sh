#!/usr/bin/env bash
# Threads that wait for each other soon sleep, unless the user has said how they shall wait. (How much that gains on a
# busy machine is in docs/performance.md; a test that measures time would be wrong.)
source "$(dirname "$0")/common.bash"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
brief=(run "$moving_box" -q -o out.run --set "simulate.duration=0.1 ms")

# libgomp tells its settings each time the program starts; those of the last start count.
settings() { grep -E "(OMP_WAIT_POLICY|GOMP_SPINCOUNT) *=" err | tail -1 | sed -E "s/.*= *'?([^']*)'?.*/\1/"; }
starts() { grep -c 'OPENMP DISPLAY ENVIRONMENT BEGIN' err; }
export OMP_DISPLAY_ENV=verbose

expect 0 "${brief[@]}"
if ! grep -q GOMP_SPINCOUNT err; then
    echo "this is not libgomp: nothing to see"
    exit 0
fi
[[ $(starts) -eq 2 && $(settings) == 300 ]] || fail "$(starts) starts, spin count $(settings)"
expect 0 "${brief[@]}" --threads 1
[[ $(starts) -eq 1 ]] || fail "one thread waits for nobody, but the program was started $(starts) times"
OMP_WAIT_POLICY=active expect 0 "${brief[@]}"
[[ $(starts) -eq 1 && $(settings) -gt 1000000 ]] || fail "active: $(starts) starts, spin count $(settings)"
GOMP_SPINCOUNT=77 expect 0 "${brief[@]}"
[[ $(starts) -eq 1 && $(settings) == 77 ]] || fail "77: $(starts) starts, spin count $(settings)"
expect 0 compare "$project/examples/two-mass.yaml" --schemes condensed,tight -q --set "simulate.duration=10 ms"
[[ $(starts) -eq 2 && $(settings) == 300 ]] || fail "compare: $(starts) starts, spin count $(settings)"

# What the program was called and given is the same after the second start.
unset OMP_DISPLAY_ENV
ln -s "$maraca" other-name
./other-name run nothing.yaml >out 2>err
[[ $? -eq 2 ]] || fail "a missing model must end with 2"
says err "nothing.yaml"
