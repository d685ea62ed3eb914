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

# ---- folders of studies, comparisons and shapes of modes
sweep=(sweep model.yaml --vary "grains.bed.particles.count=8,9" --measure energy.impact -q)
expect 0 "${sweep[@]}" -o good-study
point=$(ls good-study/points | head -1)
for link in points "points/$point" "points/$point/run"; do
    prepare
    mkdir -p "result/$(dirname "$link")"
    ln -s "$PWD/outside" "result/$link"
    "$maraca" "${sweep[@]}" -o result >out 2>err
    says err "a symbolic link is in the way"
    untouched "$link"
done
prepare
ln -s ../outside result/one
"$maraca" compare model.yaml --schemes one:grains.bed.particles.count=8,two:grains.bed.particles.count=9 -o result >out 2>err
says err "a symbolic link is in the way"
untouched "a variant of compare"
prepare
ln -s "$PWD/outside/file" x.fmu.partial
expect 0 export "$project/examples/pendulum.yaml" --fmi 2 -o x.fmu
untouched "x.fmu.partial"

# ---- partners: no FMU is waited for in a pipe, and no file makes way for a socket
mkfifo pipe.fmu
python3 - <<'END' # the binary's stream ends at once, and its checksum would never be looked at
import zipfile
data = bytearray(open("x.fmu", "rb").read())
with zipfile.ZipFile("x.fmu") as archive:
    entry = next(e for e in archive.infolist() if e.filename.endswith(".so"))
    start = entry.header_offset + 30 + len(entry.filename.encode()) + int.from_bytes(data[entry.header_offset + 28:][:2], "little")
data[start:start + 2] = b"\x03\x00"
open("short.fmu", "wb").write(data)
END
for partner in "fmu: pipe.fmu" "fmu: short.fmu" "mbdyn: {socket: outside/file, timeout: 1 s}"; do
    prepare
    cat >partner.yaml <<END
maraca: 1
ports: {cup: {partner: arm}}
partners: {arm: {$partner}}
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0.3}}
grains:
  bed: {port: cup, wall: {box: {size: 9 9 9 mm}}, particles: {radius: 1 mm, count: 9, material: glass}, packing: fcc, method: nonsmooth}
coupling: {scheme: loose}
simulate: {duration: 1 ms, step: 0.1 ms}
END
    "$maraca" run partner.yaml -q -o partner >out 2>err </dev/null &
    process=$!
    for ((i = 0; i < 300; i++)); do kill -0 $process 2>/dev/null || break; sleep 0.1; done
    kill -9 $process 2>/dev/null && fail "$partner: the run waits for ever"
    untouched "$partner"
    [[ $partner != *short* ]] || says err "is no whole zip archive"
done
says err "outside/file' is there, and no socket"
