#!/usr/bin/env bash
# Loss factor and effective mass of a damper without a lid over acceleration (Ferreyra et al. 2020, arXiv 2007.07961):
# scripts/validation/universal.py.
exec "$(dirname "$0")/../../scripts/validation-page" --check universal --program "$1"
