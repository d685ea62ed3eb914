#!/usr/bin/env bash
# The cantilever with a damper against one mass on a spring at four clearances (TIGHT 5.2.2):
# scripts/validation/cantilever.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check cantilever --program "$1"
