# headers.sh PREFIX SCRATCH [alone]: compiles all installed headers, each also alone where that is said, in C11, C23 and C++17, without a
# warning, and fails when the library does not export a function that one declares.
set -e
mkdir -p "$2"
cd "$1/include"
# These are expanded by others, with rows.
find pm -name '*.h' | sort | grep -v -e /declare_ops.h -e /define_ops.h -e /op_rows.h -e /define_kernels.h >"$2/list"
sed 's|.*|#include <&>|' "$2/list" >"$2/all.h"
flags='-I. -Wall -Wextra -Wpedantic -Werror -fsyntax-only'
compile() {
  # shellcheck disable=SC2086
  gcc $flags -std=c11 -x c "$1" && gcc $flags -std=c2x -x c "$1" && g++ $flags -std=c++17 -x c++ "$1"
}
{ cat "$2/all.h"; tac "$2/all.h"; echo 'int used;'; } >"$2/both.h"
compile "$2/both.h"
[ -z "$3" ] || while read -r header; do
  printf '#include <%s>\nint used;\n' "$header" >"$2/one.h"
  compile "$2/one.h"
done <"$2/list"

CCACHE_DISABLE=1 gcc -I. -D_POSIX_C_SOURCE=200809L -std=c11 -aux-info "$2/declared" -fsyntax-only -x c "$2/all.h"
sed -nE 's|^/\* (\./)?pm/[^*]* \*/ extern [^(]*[ *]([a-z_0-9]+) \(.*|\2|p' "$2/declared" | sort -u >"$2/names"
[ "$(wc -l <"$2/names")" -gt 1000 ]
nm -D --defined-only --without-symbol-versions "$1"/lib/*/libpm.so.0 "$1"/lib/libpm.so.0 2>/dev/null | cut -d' ' -f3 | sort -u >"$2/exported"
missing=$(comm -23 "$2/names" "$2/exported")
[ -z "$missing" ] || { echo "declared, but not exported: $missing"; exit 1; }
