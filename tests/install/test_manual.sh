#!/usr/bin/env bash
# The manual page has every command and option of the program, and so has the completion for bash.
source "$(dirname "$0")/common.bash"

page=$prefix/share/man/man1/maraca.1
"$maraca" help --json >help.json || fail "maraca help --json"
python3 - help.json "$page" <<'PYTHON' || fail "the manual page lacks something"
import json, re, sys
page = re.sub(r"\\f[BIR]", "", open(sys.argv[2]).read()).replace("\\-", "-")
if "@" in page: sys.exit("a place in the page was not filled in: " + re.search(r".*@.*", page).group())
sections = dict(part.split("\n", 1) for part in page.split("\n.SS maraca ")[1:])
for command in json.load(open(sys.argv[1]))["commands"]:
    if command["name"] not in sections: sys.exit(f"{command['name']} is not in the page")
    for option in command["options"]:
        head = ", ".join(name for name in (option["letter"], option["name"]) if name)
        if f"\n.TP\n{head}" not in "\n" + sections[command["name"]]: sys.exit(f"{command['name']} {head} is not in the page")
PYTHON
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z "$page" 2>err || fail "groff cannot read the page"
    [[ ! -s err ]] || fail "groff complains about the page"
else
    echo "needs the package groff-base: the manual page is not formatted"
fi

# complete WORDS...: what the completion offers for the last of them, in COMPREPLY.
source "$prefix/share/bash-completion/completions/maraca"
complete_words() {
    COMP_WORDS=(maraca "$@")
    COMP_CWORD=$#
    _maraca
}
offers() { # WANTED WORDS...: all of these, in any order
    local wanted=$1
    shift
    complete_words "$@"
    [[ $(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | xargs) == "$wanted" ]] ||
        fail "maraca $*: offers '${COMPREPLY[*]}', expected '$wanted'"
}
mkdir -p empty/folder.run
cd empty || exit 1
touch one.yaml two.yml three.txt
offers "schema" sc
offers "folder.run one.yaml two.yml" run ''
offers "one.yaml" run -o folder.run on
offers "folder.run" run one.yaml -o ''
offers "" run one.yaml --threads ''
offers "--resume" run one.yaml --re
offers "three.txt two.yml" stability -o t
offers "version" help ver
while read -r command options; do
    offers "$options" "$command" -
done < <(python3 -c 'import json
for c in json.load(open("../help.json"))["commands"]:
    print(c["name"], *sorted(n for o in c["options"] for n in (o["letter"], o["name"]) if n))' )
