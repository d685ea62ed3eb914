#!/usr/bin/env bash
# Does scripts/check-arrows find an include that points the wrong way? A check that never fails proves nothing.
set -euo pipefail
project=$(realpath "$(dirname "$0")/../..")
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$project/scripts" "$project/src" "$project/include" "$copy"
"$copy/scripts/check-arrows" >"$copy/log" || { echo "FAILED: the copy itself has wrong includes"; cat "$copy/log"; exit 1; }

# All at once, because a check takes a second. One file gets one wrong include.
files=()
wrong() { # FILE INCLUDE
    mkdir -p "$copy/$(dirname "$1")"
    echo "#include $2" >>"$copy/$1"
    files+=("$1")
}
wrong src/base/file.c '"math/vec3.h"'
wrong src/math/unit.c '"model/model.h"'
wrong src/grains/smooth.c '"mechanism/body.h"'
wrong src/mechanism/body.c '"grains/grains.h"'
wrong src/contact/problem.h '"grains/grains.h"'
wrong src/output/series.c '"model/model.h"'
wrong src/model/loader.c '"output/series.h"'
wrong src/sim/sim.h '"analysis/run.h"'
wrong src/cli/main.c '"base/file.h"'
wrong src/cli/options.c '"sim/sim.h"'
wrong include/maraca/maraca.h '"base/error.h"'
wrong src/base/hash.c '"vec3.h"'
wrong src/base/error.c '"../math/vec3.h"'
wrong src/base/log.c ' "cli/options.h" // with a comment'
if "$copy/scripts/check-arrows" >"$copy/log"; then
    echo "FAILED: wrong includes pass"
    exit 1
fi
for file in "${files[@]}"; do
    grep -qF "$file:" "$copy/log" || { echo "FAILED: the wrong include of $file was not found"; exit 1; }
done
[[ $(wc -l <"$copy/log") -eq ${#files[@]} ]] || { echo "FAILED: right includes are refused"; cat "$copy/log"; exit 1; }
echo "${#files[@]} wrong arrows are found"
