#!/usr/bin/env bash
# Crank, beam and damper by explicit index-1, tight and condensed, with the beam of 2 mm and of 1 mm (EXPLICIT 4.3):
# scripts/validation/crank-beam.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check crank-beam --program "$1"
