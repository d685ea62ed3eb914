#!/usr/bin/env bash
# The beam on a controlled shaker at 0.75 g (DAMPER 3.5, doi:10.3390/pr10071247): scripts/validation/beam-shaker.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check beam-shaker --program "$1"
