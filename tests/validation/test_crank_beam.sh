#!/usr/bin/env bash
# Crank, beam and damper by explicit index-1, tight and condensed, with the beam of 2 mm and of 1 mm (EXPLICIT 4.3):
# scripts/validation/crank-beam.py.
# EXPLICIT is doi:10.1007/s11044-022-09829-w.
exec "$(dirname "$0")/../../scripts/validation-page" --check crank-beam --program "$1"
