#!/usr/bin/env bash
# Which scheme survives at which mass ratio, by runs and by the maps: scripts/validation/survivors.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check survivors --program "$1"
