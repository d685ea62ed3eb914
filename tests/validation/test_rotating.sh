#!/usr/bin/env bash
# The cantilever with a damper on a turning shaft, in the world's axes and in the container's (TIGHT 5.2.4):
# scripts/validation/rotating.py.
# TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
exec "$(dirname "$0")/../../scripts/validation-page" --check rotating --program "$1"
