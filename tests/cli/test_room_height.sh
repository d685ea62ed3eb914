#!/usr/bin/env bash
# A room whose height is given by its clearance above the settled bed, and beds that are poured in stages.
source "$(dirname "$0")/common.bash"
export XDG_CACHE_HOME=$PWD/cache

cat >can.yaml <<'END'
maraca: 1
gravity: 0 -9.81 0 m/s^2
constants: {free: 5 mm}
materials:
  lead: {density: 11000 kg/m^3, friction: 0.5, restitution: 0.1}
  glass: {density: 2500 kg/m^3, friction: 0.5, restitution: 0.1}
grains:
  bed:
    wall: {cylinder: {radius: 8 mm, clearance: free, axis: y, center: 3 20 1 mm}}
    particles: {radius: 1 mm, count: 150, material: lead}
    packing: settle
    method: nonsmooth
simulate: {duration: 2 ms, step: 0.2 ms}
record: {series: [bed.top, bed.height, bed.center, energy]}
END

# first FOLDER NAME: the first value of a column.
first() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) { split($i, p, "["); if (p[1] == name) c = i } next } { print $c; exit }' "$1/series.csv"
}

# The lid is `free` above the highest grain, the bottom below the lowest: height = bed + free, about the given middle.
for free in 5 0.5 12; do
    expect 0 check can.yaml --set "constants.free=$free mm"
    says out "above the settled bed"
    expect 0 run can.yaml --set "constants.free=$free mm" -q -o "free$free"
    awk -v top="$(first "free$free" bed.top)" -v bed="$(first "free$free" bed.height)" -v free="${free}e-3" 'BEGIN {
        height = bed + free; lid = 0.020 + height/2; off = lid - top - free
        exit !(off < 2e-6 && off > -2e-6 && bed > 0.003 && bed < 0.02) }' || fail "clearance of $free mm: top $(first "free$free" bed.top), height $(first "free$free" bed.height)"
done
# All clearances have the same bed.
awk -v a="$(first free5 bed.height)" -v b="$(first free12 bed.height)" 'BEGIN { exit !(a - b < 1e-12 && b - a < 1e-12) }' || fail "another clearance, another bed"
# The same without the cache, byte for byte.
XDG_CACHE_HOME=$PWD/none expect 0 run can.yaml -q -o again --set grains.bed.packing='{settle: {cache: false}}'
cut -d, -f1-6 free5/series.csv >a && cut -d, -f1-6 again/series.csv >b && same a b

# A box has two lengths then; smooth grains; upside down by `direction`.
expect 0 run can.yaml -q -o box --set gravity="0 0 -9.81 m/s^2" --set grains.bed.wall="{box: {size: 15 12 mm, clearance: 2 mm}}" \
    --set grains.bed.method=smooth --set grains.bed.contact="{stiffness: 20 kN/m, tangential: elastic}" --set "simulate.step=5 us"
awk -v top="$(first box bed.top)" -v bed="$(first box bed.height)" 'BEGIN { off = (bed + 0.002)/2 - top - 0.002; exit !(off < 5e-6 && off > -5e-6) }' ||
    fail "a box with a clearance"
expect 0 check can.yaml --set grains.bed.packing="{settle: {direction: y}}"

# Few large stones: their bed is hardly higher than a stone.
expect 0 check can.yaml --set gravity="0 0 -9.81 m/s^2" --set grains.bed.wall="{box: {size: 60 60 mm, clearance: 3 mm}}" \
    --set grains.bed.particles="{shape: ballast, radius: 10 mm, count: 4, material: glass}"
says out "3 mm above the settled bed"

# What cannot be.
expect 2 check can.yaml --set grains.bed.packing=cubic
says err "'clearance' of 'bed': it is measured from a bed with 'packing: settle'"
expect 2 check can.yaml --set gravity="0 0 -9.81 m/s^2"
says err "gravity does not act along the height of the room"
expect 2 check can.yaml --set grains.bed.wall.cylinder.height="20 mm"
expect 2 check can.yaml --set grains.bed.wall="{box: {size: 15 12 mm}}"
says err "'size' has two lengths"
expect 2 check can.yaml --set grains.bed.wall="{box: {size: 15 12 9 mm, clearance: 2 mm}}" --set gravity="0 0 -9.81 m/s^2"
says err "the third one follows"
expect 2 check can.yaml --set grains.bed.packing="{settle: {region: {cylinder: {radius: 5 mm, clearance: 2 mm}}}}"
expect 2 check can.yaml --set grains.bed.particles="{radius: 1 mm, filling: 0.3, material: lead}"
says err "by 'count' or 'total_mass'"

# In stages: kinds lie in layers, the first below.
expect 0 run can.yaml -q -o layers --set grains.bed.wall="{cylinder: {radius: 8 mm, height: 40 mm, axis: y}}" \
    --set grains.bed.particles="[{radius: 1 mm, count: 100, material: lead}, {radius: 1 mm, count: 100, material: glass}]" \
    --set grains.bed.packing="{settle: {stages: 2}}" --set "record.series=[bed.lead, bed.glass, energy]"
awk -v low="$(first layers bed.lead.center.y)" -v high="$(first layers bed.glass.center.y)" 'BEGIN { exit !(high - low > 1.5e-3) }' ||
    fail "layers: lead at $(first layers bed.lead.center.y), glass at $(first layers bed.glass.center.y)"
# A room in which they do not find place at once.
low="{cylinder: {radius: 8 mm, height: 20 mm, axis: y}}"
expect 0 run can.yaml -q -o stages --set grains.bed.wall="$low" --set grains.bed.packing="{settle: {stages: 4}}" \
    --set grains.bed.particles.count=300
expect 2 run can.yaml -q -o full --set grains.bed.wall="$low" --set grains.bed.packing="{settle: {stages: 2}}" --set grains.bed.particles.count=600
says err "more 'stages' or a larger room"
