#!/usr/bin/env bash
# One binary for every processor: each level that this machine has can be forced, gives a sound run, and the words
# that ask for a level which is not there are refused by the program and survived by the library.
source "$(dirname "$0")/common.bash"

levels=$("$maraca" version --json | sed -E 's/.*"simd_levels": \[([^]]*)\].*/\1/; s/[",]//g')
[[ $levels == baseline* ]] || fail "the first level is '$levels'"
usable=0
for level in $levels; do
    if MARACA_SIMD=$level "$maraca" version --json >out 2>err; then
        says out "\"simd\": \"$level\""
        for method in smooth nonsmooth; do
            MARACA_SIMD=$level expect 0 run "$moving_box" --json --set "grains.damper.method=$method" \
                --set "simulate={duration: 5 ms, step: $([[ $method == smooth ]] && echo 1.2 us || echo 0.1 ms)}"
            says out '"status": "OK"'
        done
        MARACA_SIMD=$level expect 0 modes "$project/examples/cantilever.yaml"
        says out 15.63
        usable=$((usable + 1))
    else # the processor lacks it
        says err "MARACA_SIMD asks for '$level', which this processor does not have"
    fi
done
[[ $usable -ge 1 ]] || fail "no level can be used"
echo "$usable of the levels $levels can be used here"

# Without a wish, the best one.
best=$("$maraca" version --json | sed -E 's/.*"simd": "([^"]*)".*/\1/')
for level in $levels; do MARACA_SIMD=$level "$maraca" version >/dev/null 2>&1 && last=$level; done
[[ $best == "$last" ]] || fail "'$best' is used although '$last' can be"
MARACA_SIMD='' expect 0 version
MARACA_SIMD=mmx expect 2 version --json
says out '"status": "USAGE"' "MARACA_SIMD is 'mmx'; this library has $levels"
is_json out

# The library goes on with the best one and says why.
cat >ask.c <<'C'
#include <maraca/maraca.h>
#include <stdio.h>

int main(void) {
    const char *error = mrc_simd_error();
    printf("%s\n%s\n", mrc_simd(), error ? error : "fine");
    return 0;
}
C
cc ask.c -o ask $(pkg-config --cflags --libs maraca) || fail "ask.c does not compile"
export LD_LIBRARY_PATH=$prefix/lib
[[ $(./ask) == "$best"$'\n'fine ]] || fail "the library says $(./ask)"
[[ $(MARACA_SIMD=mmx ./ask | head -1) == "$best" ]] || fail "the library does not go on with $best"
MARACA_SIMD=mmx ./ask >out
says out "MARACA_SIMD is 'mmx'"
[[ $(MARACA_SIMD=baseline ./ask) == baseline$'\n'fine ]] || fail "the library says $(MARACA_SIMD=baseline ./ask)"
