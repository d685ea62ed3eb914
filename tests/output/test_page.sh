#!/usr/bin/env bash
# report.html in a real browser, without a display and without a network.
set -euo pipefail
maraca=$1
here=$(realpath "$(dirname "$0")")
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
python=python3
"$python" -c "import selenium" 2>/dev/null || python=/usr/bin/python3 # for which Debian's packages are
"$python" -c "import selenium" 2>/dev/null || { echo "needs the package python3-selenium: report.html is not opened"; exit 77; }
command -v chromium >/dev/null || { echo "needs the package chromium: report.html is not opened"; exit 77; }
command -v chromedriver >/dev/null || { echo "needs the package chromium-driver: report.html is not opened"; exit 77; }
cd "$temporary"
# Screenshots stay beside the program, to be looked at.
shots=$(dirname "$maraca")/screenshots
mkdir -p "$shots" 2>/dev/null || shots=
MARACA_PROGRAM=$maraca MARACA_SHOTS=$shots "$python" "$here/check_page.py"
