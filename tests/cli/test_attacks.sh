#!/usr/bin/env bash
# A few of the attacks of scripts/reliability, which has them by the hundred: random command lines, damaged and forged
# checkpoints, damaged FMUs, files that cannot grow.
source "$(dirname "$0")/common.bash"
python3 "$project/scripts/reliability" --quick --program "$maraca" words corruption sealed fmus disk || fail "an attack"
