#!/usr/bin/env bash
# The cantilever with a damper against one mass on a spring at four clearances (TIGHT 5.2.2):
# scripts/validation/cantilever.py.
# TIGHT is doi:10.1016/j.mechmachtheory.2020.104181.
exec "$(dirname "$0")/../../scripts/validation-page" --check cantilever --program "$1"
