#!/usr/bin/env bash
# Saeki's damper over frequency (TIGHT Fig. 14, doi:10.1016/j.mechmachtheory.2020.104181): scripts/validation/saeki-figure.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check saeki-figure --program "$1"
