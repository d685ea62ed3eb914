#!/usr/bin/env bash
# The table of evidence of docs/theory/condensed.md, with the beam and the chain of eight masses:
# scripts/validation/condensed.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check condensed --program "$1"
