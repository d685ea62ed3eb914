# What the command-line tests share: `source "$(dirname "$0")/common.bash"`. The first argument is the path of the
# program. The test runs in a fresh temporary folder, which is removed at the end.
# shellcheck shell=bash
set -uo pipefail # not -e: a test says itself what must not fail

maraca=$(realpath "${1:?usage: bash test_NAME.sh build/maraca}")
project=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
moving_box=$project/examples/moving-box.yaml
export maraca project moving_box
unset OMP_NUM_THREADS

temporary=$(mktemp -d "${TMPDIR:-/tmp}/maraca-cli-XXXXXX")
cleanups=()
at_exit() {
    local cleanup
    for cleanup in "${cleanups[@]}"; do eval "$cleanup"; done
    cd / && rm -rf "$temporary"
}
trap at_exit EXIT
cd "$temporary" || exit 1

fail() {
    echo "FAILED: $*" >&2
    for file in out err; do
        [[ -s $file ]] && { echo "--- standard $file:"; head -c 3000 "$file"; echo; } >&2
    done
    exit 1
}

# expect STATUS WORDS...: runs the program; its streams are in the files `out` and `err` then, without the lines that
# tell on a slow machine how far it has got.
expect() {
    local wanted=$1 got
    shift
    "$maraca" "$@" >out 2>err </dev/null
    got=$?
    sed -i -E '/^(running|settling)[^:]*: .*t = [^ ]+ s(, at most| of) /d' err
    [[ $got -eq $wanted ]] || fail "maraca $* ended with $got, expected $wanted"
}

# says FILE TEXT...: each text is in the file.
says() {
    local file=$1 text
    shift
    for text in "$@"; do grep -qF -- "$text" "$file" || fail "'$text' is not in $file: $(head -c 2000 "$file")"; done
}

is_empty() { [[ ! -s $1 ]] || fail "standard $1 should be empty: $(head -c 1000 "$1")"; }

same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

# repeats NAME TIME ERROR: NAME.yaml gives the same series on two threads, and when it is stopped at TIME and extended; its
# energy balance closes to ERROR. The folder NAME is left.
repeats() {
    expect 0 run "$1.yaml" -q -o "$1" --threads 1
    expect 0 run "$1.yaml" -q -o "$1-2" --threads 2
    same "$1/series.csv" "$1-2/series.csv"
    expect 0 run "$1.yaml" -q -o "$1-3" --set simulate.duration="$2"
    expect 0 run "$1.yaml" -q -o "$1-3" --resume
    same "$1/series.csv" "$1-3/series.csv"
    python3 -c 'import json, sys
error = json.load(open(sys.argv[1] + "/summary.json"))["energy"]["relative_error"]
print(f"{sys.argv[1]}: balance {error:.2g}")
sys.exit(not abs(error) < float(sys.argv[2]))' "$1" "$3" || fail "$1: the energy balance does not close to $3"
}

# Is each of the files exactly one JSON document?
is_json() {
    local file
    for file in "$@"; do [[ -s $file ]] || fail "$file is empty, expected JSON"; done
    python3 -c 'import json, sys
for path in sys.argv[1:]:
    try: json.load(open(path, encoding="utf-8"))
    except ValueError as error: sys.exit(f"{path}: {error}")' "$@" || fail "not one JSON document: $*"
}

# number FILE KEY: the value of a numeric member of a JSON file.
number() { sed -nE "s/^ *\"$2\": *([-+0-9.eE]+),?\$/\1/p" "$1" | head -1; }

# A result folder that any reader can use, however the run ended.
check_folder() {
    local folder=$1 file line
    [[ -d $folder ]] || return 0
    if [[ -e $folder/series.csv ]]; then
        [[ $(tail -c 1 "$folder/series.csv" | od -An -tx1) == *0a ]] || fail "$folder/series.csv ends within a line"
        awk -F, 'NR == 1 { count = NF; if ($1 != "t[s]") exit 1 } NF != count { exit 1 }' "$folder/series.csv" ||
            fail "$folder/series.csv has broken lines"
    fi
    [[ ! -e $folder/summary.json ]] || is_json "$folder/summary.json"
    if [[ -e $folder/model.yaml ]]; then
        "$maraca" check "$folder/model.yaml" >/dev/null || fail "$folder/model.yaml cannot be read"
    fi
    for file in "$folder"/frames/*.vtp "$folder/frames.pvd"; do
        [[ ! -e $file || $(tail -n 1 "$file" | tail -c 20) == *"</VTKFile>"* ]] || fail "$file is not complete"
    done
    [[ ! -e $folder/report.html || $(tail -n 1 "$folder/report.html") == "</html>" ]] || fail "report.html is not complete"
    if [[ -e $folder/frames.pvd ]]; then
        while read -r line; do
            [[ -e $folder/$line ]] || fail "frames.pvd names $line, which is not there"
        done < <(sed -nE 's/.*file="([^"]+)".*/\1/p' "$folder/frames.pvd")
    fi
    while read -r file; do
        case ${file#"$folder"/} in
        model.yaml | series.csv | periods.csv | summary.json | checkpoint.h5 | run.lock | frames.pvd | *.partial) ;;
        replay.bin | report.html) ;;
        frames/*.vtp) ;;
        *) fail "what is $file?" ;;
        esac
    done < <(find "$folder" -type f)
}

# wait_for FILE [PROCESS]: until the file is there and not empty; false when the process ended before.
wait_for() {
    while [[ ! -s $1 ]]; do
        [[ -z ${2-} ]] || kill -0 "$2" 2>/dev/null || return 1
        sleep 0.01
    done
}

# shaken_bed RESTITUTION SIZE COUNT [DURATION [RECORD]]: a model file of settled steel balls in a box that is shaken.
shaken_bed() {
    cat <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
constants: {f: 20 Hz, A: 2 mm}
materials: {steel: {density: 7800 kg/m^3, friction: 0.3, restitution: $1}}
ports: {shaker: {position: [0, 0, A*sin(2*pi*f*t)]}}
grains:
  damper:
    port: shaker
    wall: {box: {size: $2}}
    particles: {radius: 1 mm, count: $3, material: steel}
    packing: settle
    method: nonsmooth
simulate: {duration: ${4:-0.2 s}, step: 0.1 ms}
record: {${5:-every: 10 ms}}
MODEL
}

# glass_bed COUNT [LINE...]: rigid glass balls on a lattice in a box at rest, and further lines of the model file; those
# that begin with blanks belong to the bed.
glass_bed() {
    cat <<MODEL
maraca: 1
gravity: 0 0 -9.81 m/s^2
materials: {glass: {density: 2500 kg/m^3, friction: 0.4, restitution: 0}}
ports: {box: {position: [0, 0, 0]}}
grains:
  bed:
    port: box
    wall: {box: {size: 20 20 20 mm}}
    particles: {radius: 1 mm, count: $1, material: glass}
    packing: fcc
    method: nonsmooth
MODEL
    printf '%s\n' "${@:2}"
}
