#!/usr/bin/env bash
# Installed into an empty folder, the library serves a program that knows nothing but pkg-config or CMake.
source "$(dirname "$0")/common.bash"

# ---- what is there ---------------------------------------------------------------------------------------------
for file in bin/maraca lib/libmaraca.a lib/libmaraca.so lib/libmaraca.so.0 lib/pkgconfig/maraca.pc \
    lib/cmake/maraca/maraca-config.cmake lib/cmake/maraca/maraca-config-version.cmake share/man/man1/maraca.1 \
    share/bash-completion/completions/maraca; do
    [[ -e $prefix/$file ]] || fail "$file is not installed"
done
diff -r "$project/include" "$prefix/include" || fail "the headers differ"
"$prefix/bin/maraca" version >out || fail "the installed program does not run"
same <("$maraca" version) out
[[ $("$maraca" version | head -1) == "maraca $(pkg-config --modversion maraca)" ]] || fail "maraca.pc has another version"

# ---- only public functions can be seen -------------------------------------------------------------------------
public_functions >public
[[ $(wc -l <public) -gt 30 ]] || fail "only $(wc -l <public) public functions found"
nm -D --defined-only "$prefix/lib/libmaraca.so" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | sort >shared
same public shared
nm -g --defined-only "$prefix/lib/libmaraca.a" | awk 'NF == 3 {print $3}' | sort >static
same public static
objdump -p "$prefix/lib/libmaraca.so" >dynamic
grep -q 'SONAME *libmaraca\.so\.0$' dynamic || fail "the library has another SONAME"

# ---- flags: where it is, and nothing else ----------------------------------------------------------------------
[[ $(realpath "$(pkg-config --cflags-only-I maraca | sed 's/^-I//; s/ *$//')") == "$prefix/include" ]] ||
    fail "pkg-config --cflags: $(pkg-config --cflags maraca)"
[[ -z $(pkg-config --cflags-only-other maraca) ]] || fail "flags are passed on: $(pkg-config --cflags-only-other maraca)"
[[ $(pkg-config --libs-only-l maraca) =~ ^-lmaraca\ *$ ]] || fail "pkg-config --libs: $(pkg-config --libs maraca)"

# ---- the README's program --------------------------------------------------------------------------------------
awk '/^```c$/ {inside = 1; next} /^```/ {inside = 0} inside' "$project/README.md" >damper.c
grep -q 'int main' damper.c || fail "there is no C program in README.md"
cat >damper.yaml <<'YAML'
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: 0.5}}
ports: {shaker: {position: [0, 0, 1 mm*sin(2*pi*50*t/(1 s))]}}
grains:
  bed:
    port: shaker
    wall: {cylinder: {radius: 10 mm, height: 20 mm, axis: z}}
    particles: {radius: 1.5 mm, count: 40, material: steel}
    packing: fcc
    method: nonsmooth
simulate: {duration: 5 ms, step: 0.1 ms}
YAML
expect 0 run damper.yaml -q -o wanted.run
runs() { # PROGRAM: gives what the command line gives
    rm -rf damper.run
    "$@" damper.yaml >out 2>err || fail "$* failed"
    says out "balance closes"
    same wanted.run/series.csv damper.run/series.csv
}
compile() { # OUTPUT FLAGS...
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror damper.c -o "$@" 2>err || fail "damper.c does not compile: $*"
}

compile shared_one $(pkg-config --cflags --libs maraca)
if ./shared_one damper.yaml >out 2>err; then fail "found without being told where: another one is installed"; fi
LD_LIBRARY_PATH=$prefix/lib runs ./shared_one
if ./shared_one 2>/dev/null; then fail "a missing model is no success"; fi

mkdir static_only
cp "$prefix/lib/libmaraca.a" static_only/
compile static_one $(pkg-config --cflags maraca) -Lstatic_only $(pkg-config --static --libs-only-l maraca) \
    $(pkg-config --static --libs-only-L maraca | tr ' ' '\n' | grep -v "$prefix")
objdump -p static_one >dynamic
! grep -q "NEEDED *libmaraca" dynamic || fail "the static program needs libmaraca.so"
runs ./static_one

# ---- CMake, and from another place -----------------------------------------------------------------------------
mv "$prefix" "$temporary/moved"
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.16)
project(damper LANGUAGES C)
find_package(maraca 0.1 REQUIRED)
add_executable(shared_two damper.c)
target_link_libraries(shared_two PRIVATE maraca::maraca)
add_executable(static_two damper.c)
target_link_libraries(static_two PRIVATE maraca::maraca_static)
get_target_property(passed_on maraca::maraca INTERFACE_COMPILE_OPTIONS)
if(passed_on)
  message(FATAL_ERROR "compile options are passed on: ${passed_on}")
endif()
CMAKE
cmake -S . -B with-cmake -DCMAKE_PREFIX_PATH="$temporary/moved" >out 2>err || fail "find_package(maraca) failed"
cmake --build with-cmake >out 2>err || fail "the CMake project does not build"
runs with-cmake/shared_two
runs with-cmake/static_two
export PKG_CONFIG_PATH=$temporary/moved/lib/pkgconfig
compile moved_one $(pkg-config --cflags --libs maraca)
LD_LIBRARY_PATH=$temporary/moved/lib runs ./moved_one
