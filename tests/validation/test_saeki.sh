#!/usr/bin/env bash
# Saeki's damper by four schemes, and over frequency (TIGHT 5.1): scripts/validation/saeki.py.
command -v python3 >/dev/null || exit 77
exec "$(dirname "$0")/../../scripts/validation-page" --check saeki --program "$1"
