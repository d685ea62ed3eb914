#!/usr/bin/env bash
# Stiffness sizing for configurations of DAMPER Table 5 (doi:10.3390/pr10071247): scripts/validation/sizing.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check sizing --program "$1"
