#!/usr/bin/env bash
# The Python module, installed into a folder of its own: bindings/python.
set -euo pipefail
maraca=$1
here=$(realpath "$(dirname "$0")")
project=$(realpath "$here/../..")
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
export PYTHON=python3
"$PYTHON" -c "import cffi, numpy" 2>/dev/null || PYTHON=/usr/bin/python3 # for which Debian's packages are
for module in cffi numpy; do
    "$PYTHON" -c "import $module" 2>/dev/null || { echo "needs the package python3-$module: the Python module"; exit 77; }
done
"$project/scripts/install-python" "$temporary/modules" >"$temporary/installed"
cd "$temporary"
PYTHONPATH=$temporary/modules PYTHONDONTWRITEBYTECODE=1 MARACA_PROGRAM=$maraca MARACA_PROJECT=$project \
    "$PYTHON" -W error::ResourceWarning -m unittest discover -s "$here" -p 'check_*.py'
