#!/usr/bin/env bash
# A result folder prepared by someone else: nothing outside it is written to or deleted. What a model may read.
source "$(dirname "$0")/common.bash"

glass_bed 10 "simulate: {duration: 2 ms, step: 0.2 ms}" "record: {every: 0.2 ms}" "frames: {every: 1 ms}" >model.yaml
expect 0 run model.yaml -q -o good --problems 5
words="keep this"

# prepare: an empty result folder, and something outside that must stay as it is
prepare() {
    rm -rf result outside
    mkdir -p result outside
    echo "$words" >outside/file
    echo "$words" >outside/a.vtp
    echo "$words" >outside/a.txt
}
untouched() {
    for file in outside/file outside/a.vtp outside/a.txt; do
        [[ $(cat $file) == "$words" ]] || fail "$file was changed: $1"
    done
    [[ $(ls outside) == $'a.txt\na.vtp\nfile' ]] || fail "$1: files came or went outside: $(ls outside)"
}

prepare
ln -s ../outside/file result/run.lock
expect 2 run model.yaml -q -o result
says err "run.lock' is a symbolic link"
untouched run.lock
prepare
ln outside/file result/run.lock
expect 2 run model.yaml -q -o result
says err "is not a lock of a run"
untouched "run.lock, hard link"

for name in series.csv model.yaml summary.json checkpoint.h5 frames.pvd; do
    for ending in "" .partial; do
        for kind in -s ""; do
            prepare
            : >result/series.csv # else a model.yaml would be someone's own
            target=../outside/file
            [[ -n $kind ]] || target=outside/file
            ln -f $kind $target "result/$name$ending"
            expect 0 run model.yaml -q -o result
            untouched "$name$ending $kind"
            same good/series.csv result/series.csv
        done
    done
done

for name in frames problems; do
    prepare
    ln -s ../outside "result/$name"
    expect 1 run model.yaml -q -o result --problems 5
    says err "result/$name': a symbolic link is in the way"
    untouched $name
done

# Resuming into a file that is another one now.
prepare
cp good/* result/ 2>/dev/null
rm result/series.csv
cp good/series.csv outside/series.csv
ln -s ../outside/series.csv result/series.csv
expect 2 run model.yaml -q -o result --resume --set simulate.duration='4 ms'
same good/series.csv outside/series.csv

# A result folder that vanishes while the run goes on is an error, with frames and without.
for extra in "" "frames.every=10 us"; do
    "$maraca" run "$moving_box" -q -o gone ${extra:+--set "$extra"} >out 2>err &
    wait_for gone/model.yaml $! || fail "the run ended by itself"
    mv gone away
    rm -rf away
    wait $!
    status=$?
    [[ $status -eq 1 ]] || fail "the folder is gone: status $status, expected 1"
    says err "cannot "
done

# What a model may read: ordinary files, and of those that are no part of a model nothing is quoted.
mkfifo pipe
printf 'secret-word: 1\n' >other.yaml
printf 'secret-word one\nsecret-word: [\n' >broken.txt
printf 'secret-word:x:0:0\n' >table.csv
for file in pipe /dev/zero other.yaml broken.txt table.csv; do
    { echo "include: $file"; cat model.yaml; } >including.yaml
    expect 2 check including.yaml
    if grep -q secret-word err out; then fail "an included file is quoted: $(cat err)"; fi
    sed "s|packing: fcc|packing: {file: $file}|; s|radius: 1 mm, count: 10, ||" model.yaml >reading.yaml
    expect 2 check reading.yaml
    if grep -q secret-word err out; then fail "a bed's file is quoted: $(cat err)"; fi
    sed "s|packing: fcc|packing: fcc|; \$a inputs: {u: {unit: N, table: {file: $file, column: u}}}" model.yaml >input.yaml
    expect 2 check input.yaml
    if grep -q secret-word err out; then fail "a table is quoted: $(cat err)"; fi
done

# Results that no disk holds are refused with their size before the first step.
expect 2 run model.yaml -q -o large --set simulate.step='1 ns' --set simulate.duration='1000 s' --set frames.every='1 ns'
says err "the results would take" "frames of" "are free in 'large'"
[[ ! -e large/series.csv ]] || fail "something was written already"
# So are grains that no memory holds.
expect 1 run model.yaml -q -o large --set grains.bed.particles.count=1000000000 \
    --set grains.bed.wall.box.size='[2 m, 2 m, 2 m]'
says err "grains take" "this machine has"
