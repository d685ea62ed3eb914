#!/usr/bin/env bash
# Flow out of a silo through four orifices (Beverloo 1961): scripts/validation/beverloo.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check beverloo --program "$1"
