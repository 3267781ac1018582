# levels.sh PASSES: prints includes of dialects that are not of a pass's level; fails if there are any.
known='stage/expand-boundaries.c: #include "dialects/loop/ast_expr.h"
vector/unroll-phases.c: #include "dialects/stage/analyses/work.h"'
cd "$1" || exit 2

# those_of FOLDERS DIALECTS: includes of one of the dialects in files of the folders.
those_of() {
  # shellcheck disable=SC2086 # several folders in a word
  find $1 -name '*.[ch]' ! -path 'loop/lower-poly*' 2>/dev/null | sort |
    xargs -r grep -HoE "#include \"dialects/($2)/.*\"" | sed 's/:#/: #/'
}

found=$( (those_of 'stage schedule' loop; those_of 'generic loop vector gpu abi' 'stage|poly') | grep -vxF "$known")
[ -z "$found" ] || { echo "$found"; exit 1; }
