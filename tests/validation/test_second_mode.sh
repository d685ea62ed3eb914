#!/usr/bin/env bash
# The cantilever with a damper shaken at its second frequency (TIGHT 5.2.3): scripts/validation/second-mode.py.
# TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
exec "$(dirname "$0")/../../scripts/validation-page" --check second-mode --program "$1"
