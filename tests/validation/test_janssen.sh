#!/usr/bin/env bash
# The force on the bottom of a bin over the height of the bed (Janssen 1895): scripts/validation/janssen.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check janssen --program "$1"
