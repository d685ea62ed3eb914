#!/usr/bin/env bash
# Saeki's damper by four schemes, and over frequency (TIGHT 5.1): scripts/validation/saeki.py.
# TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
exec "$(dirname "$0")/../../scripts/validation-page" --check saeki --program "$1"
