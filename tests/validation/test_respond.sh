#!/usr/bin/env bash
# The cantilever with a damper by map and respond, against coupled runs: scripts/validation/respond.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check respond --program "$1"
