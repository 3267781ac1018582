# cxx.sh CXX: prints lines of the folder that include others than its own and ir's, that name a language which stands on
# it, or that include a room above their own; fails if there are any.
cd "$1" || exit 2

# above ROOM ROOMS: includes in the room of rooms above it.
above() {
  grep -rnE "^#include \"frontends/cxx/($2)/" "$1" 2>/dev/null
}

found=$(
  grep -rnE '^#include "' . | grep -vE '"(frontends/cxx|ir)/'
  grep -rn '' . | sed 's/\[expr\.//' | # clauses of the standard
    grep -iE 'halide|hipacc|imagecl|\b(Func|Expr|RDom|GeneratorParam)\b'
  above syntax 'names|values|types|expressions|statements|std'
  above names 'values|types|expressions|statements|std'
  above values 'types|expressions|statements|std'
  above types 'expressions|statements|std'
  above expressions std # statements: functions have bodies
  above statements std
)
[ -z "$found" ] || { echo "$found"; exit 1; }
