#!/usr/bin/env bash
# One thread and two give the same bytes. More than 1000 grains, so that the work is split into several chunks.
source "$(dirname "$0")/common.bash"

cat >model.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials:
  steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.9}
ports:
  shaker: {position: [0, 0, 1 mm*sin(2*pi*100*t/(1 s))], rotation: {axis: x, angle: 5 deg*sin(2*pi*80*t/(1 s))}}
grains:
  bed:
    port: shaker
    wall: {box: {size: 40 40 40 mm}}
    particles: {radius: 1.5 mm, count: 1200, material: steel}
    packing: fcc
    contact: {stiffness: 1e5 N/m}
simulate: {duration: 2 ms, step: 3 us}
record: {every: 0.05 ms}
frames: {every: 0.5 ms}
YAML
expect 0 run model.yaml -q -o one --threads 1
expect 0 run model.yaml -q -o two --threads 2
same one/series.csv two/series.csv
for picture in one/frames/*.vtp; do same "$picture" "two/frames/$(basename "$picture")"; done
[[ $(wc -l <one/series.csv) -eq 42 ]] || fail "expected 41 samples" # 40 intervals, and the start
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^bed.contacts/) column = i }
    NR > 1 && $column > largest { largest = $column } END { exit !(largest > 1000) }' one/series.csv ||
    fail "the grains hardly touch: this proves nothing"

# A run may go on with another number of threads.
expect 0 run model.yaml -q -o mixed --threads 1 --set "checkpoint.every=0.3 ms"
cp mixed/series.csv wanted.csv
rm -rf mixed
"$maraca" run model.yaml -q -o mixed --threads 1 --set "checkpoint.every=0.3 ms" &
wait_for mixed/checkpoint.h5 $! && kill -KILL $!
wait $! 2>/dev/null
expect 0 run model.yaml -q -o mixed --threads 2 --set "checkpoint.every=0.3 ms" --resume
same wanted.csv mixed/series.csv
