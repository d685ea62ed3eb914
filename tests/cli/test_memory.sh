#!/usr/bin/env bash
# Memory runs out (fail_alloc.c): allocations fail one by one, or memory ends with one of them for good. Each gives the
# result all the same, or a message and status 1.
#
# bash test_memory.sh PROGRAM [EVERY]: every EVERY-th allocation, 1 for all of them.
source "$(dirname "$0")/common.bash"
every=${2:-29}

# A sanitizer has its own allocator, which does not start when it is failed from outside.
if grep -q '__asan_init\|__tsan_init' "$maraca"; then
    echo "skipped: the program is built with a sanitizer"
    exit 0
fi

cc=${CC:-cc}
"$cc" -shared -fPIC -O1 -o fail_alloc.so "$project/tests/cli/fail_alloc.c" || fail "fail_alloc.c"
cat >model.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {amount: 20}
materials:
  glass: {density: 2500 kg/m^3, young: 70 MPa, poisson: 0.2, friction: 0.4, restitution: 0.3}
mechanism:
  bodies:
    box: {position: [0, 0, 0], mass: 50 g, inertia: 10 10 10 kg*mm^2}
  joints:
    guide: {prismatic: box, axis: z}
  springs:
    coil: {between: box, offsets: [0 0 0 m, 0 0 0.05 m], stiffness: 1 kN/m, damping: 1 N*s/m}
grains:
  bed:
    port: box
    wall: {box: {size: [8 mm, 8 mm, 8 mm]}}
    particles: {radius: 1 mm, count: amount, material: glass}
    packing: fcc
    method: nonsmooth
simulate: {duration: 1 ms, step: 0.1 ms}
record: {every: 0.1 ms}
frames: {every: 0.5 ms}
END
export ASAN_OPTIONS=verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0

tried=0
# allocations WORDS...: fails each of those that the command makes; the result folder is as in `kept`
allocations() {
    local count n status
    rm -rf run; [[ ! -d kept ]] || cp -r kept run
    FAIL_COUNT=$PWD/count LD_PRELOAD=$PWD/fail_alloc.so "$maraca" "$@" >out 2>err </dev/null || fail "maraca $*"
    count=$(cat count)
    for ((n = 1 + RANDOM % every; n <= count; n += every)); do
        rm -rf run; [[ ! -d kept ]] || cp -r kept run
        { (ulimit -t 60; FAIL_TRACE=$PWD/trace FAIL_AT=$n LD_PRELOAD=$PWD/fail_alloc.so "$maraca" "$@" >out 2>err </dev/null); } 2>/dev/null
        status=$?
        tried=$((tried + 1))
        [[ $status -eq 0 || ($status -eq 1 && -s err) ]] ||
            fail "allocation $n of $count of maraca $*${FAIL_END:+, the last one}: status $status, $(head -5 trace)"
    done
}
all() {
    allocations check model.yaml
    allocations run model.yaml -q --threads 1 -o run
    "$maraca" run model.yaml -q --threads 1 -o kept || fail "run"
    allocations run model.yaml -q --threads 1 -o run --resume --set simulate.duration='1.2 ms'
    rm -r kept
}
RANDOM=7
all
one_by_one=$tried tried=0
export FAIL_END=1
all

# libgomp ends the program by exit() when it has no memory, while threads of OpenBLAS may still wait for theirs.
export FAIL_OTHERS=1
allocations run model.yaml -q --threads 1 -o run
unset FAIL_OTHERS

# Too little memory for the threads of a library such as OpenBLAS, which then wait for it: the program ends all the same.
unset FAIL_END
for limit in 120000 150000 200000 300000; do
    rm -rf run
    (ulimit -v $limit; ulimit -t 20; exec "$maraca" run model.yaml -q --threads 1 -o run) >out 2>err </dev/null
    status=$?
    [[ $status -ne 137 && $status -ne 152 ]] || fail "with $limit KiB the program did not end"
done
echo "$one_by_one allocations failed one by one, $tried times memory ended"
