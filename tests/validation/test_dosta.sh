#!/usr/bin/env bash
# The three cases of Dosta et al. 2024 with few grains: scripts/validation/dosta.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check dosta --program "$1"
