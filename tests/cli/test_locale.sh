#!/usr/bin/env bash
# In a program whose locale has a decimal comma: files are read and written with points, and a run has the same bytes.
source "$(dirname "$0")/common.bash"

if ! { command -v localedef && [[ -e /usr/share/i18n/locales/de_DE ]]; } >/dev/null; then
    echo "needs the package locales: programs with a decimal comma are not checked"
    exit 77
fi
mkdir locales
localedef -i de_DE -f UTF-8 "$temporary/locales/de_DE.UTF-8" >/dev/null 2>&1
cat >comma.c <<'END'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void comma(void) {
    char text[8];
    setlocale(LC_ALL, "");
    snprintf(text, sizeof text, "%.1f", 0.5);
    if (text[1] != ',') exit(99);
}
END
cc -shared -fPIC comma.c -o comma.so || fail "the library that sets the locale was not built"
with_comma() { # glibc itself does not give back what it reads of LOCPATH
    LOCPATH=$temporary/locales LC_ALL=de_DE.UTF-8 LD_PRELOAD=$temporary/comma.so \
        ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 "$maraca" "$@" >out 2>err </dev/null ||
        fail "maraca $* with a decimal comma"
}

cat >floor.stl <<'END'
solid floor
facet normal 0 0 1
outer loop
vertex -0.5 -0.5 0.0
vertex 0.5 -0.5 0.0
vertex 0.0 0.75 0.0
endloop
endfacet
endsolid floor
END
printf 'x[mm],y[mm],z[mm],radius[mm]\n0.5,1.5,2.5,1\n0.5,1.5,5.25,1.25\n' >bed.csv
printf 't[s],a[m/s^2]\n0,0.5\n0.5,1.25\n' >push.csv
cat >model.yaml <<'END'
maraca: 1
gravity: 0 0 -9.81 m/s^2
inputs: {a: {table: push.csv, unit: m/s^2}}
materials: {glass: {density: 2500 kg/m^3, restitution: 0.5, friction: 0.4}}
mechanism:
  bodies: {box: {mass: 0.2 kg, inertia: 1 1 1 g*m^2}}
  joints: {guide: {prismatic: box, axis: x}}
  forces: {push: {at: box, force: [0.2 kg*a, 0, 0]}}
grains:
  bed:
    wall: {mesh: {file: floor.stl, scale: 100.5 mm}}
    particles: {material: glass}
    packing: {file: {path: bed.csv}}
    contact: {stiffness: 500 N/m}
simulate: {duration: 4 ms, step: 10 us}
record: {every: 0.5 ms, end: true}
END
expect 0 run model.yaml -q --threads 1 -o point
with_comma run model.yaml -q --threads 1 -o comma
same point/series.csv comma/series.csv
same point/end-bed.csv comma/end-bed.csv
is_json comma/summary.json
[[ -s comma/report.html ]] || fail "there is no page"
with_comma advise model.yaml
! grep -nE '[0-9],[0-9]* (ms|us|N/m|Hz|kN/m|m/s)' out || fail "a comma in the advice"
