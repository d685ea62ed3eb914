#!/usr/bin/env bash
# The damping map of DAMPER 3.4 (doi:10.3390/pr10071247) on a coarse grid: scripts/validation/damping-map.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check damping-map --program "$1"
