# What the tests of the installed library share: `source "$(dirname "$0")/common.bash"`. The first argument is the
# program; what is installed is built beside it. `prefix` is a fresh folder with all of it.
# shellcheck shell=bash
source "$(dirname "${BASH_SOURCE[0]}")/../cli/common.bash"

build=$(dirname "$maraca")
prefix=$temporary/prefix
cmake --install "$build" --prefix "$prefix" --strip >install.log || fail "cmake --install: $(cat install.log)"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
unset LD_LIBRARY_PATH MARACA_SIMD

# The names of the functions in the public headers; those defined there are no symbols of the library.
public_functions() {
    sed 's|//.*||' "$project"/include/maraca/*.h | grep -v '^static inline' | grep -oE '\bmrc_[a-z0-9_]+ *\(' |
        tr -d ' (' | sort -u
}
