#!/bin/sh
# levels.sh ROOT: prints includes that go up between dialects, those of passes that are not of their level, and those of the
# library that go up to pm or to the tools; fails if there are any. It looks at the folders that there are.
cd "$1" || exit 2

# includes_of FOLDERS DIALECTS: includes of one of the dialects in files of the folders.
includes_of() {
  # shellcheck disable=SC2086 # several folders in a word
  find $1 -name '*.[ch]' ! -path 'passes/loop/lower-poly*' 2>/dev/null | sort |
    xargs -r grep -HoE "#include \"dialects/($2)/.*\"" | sed 's/:#/: #/'
}

# up_from FOLDERS ABOVE: includes of files of the folders above.
up_from() {
  # shellcheck disable=SC2086
  find $1 -name '*.[ch]' 2>/dev/null | sort | xargs -r grep -HoE "#include \"($2)/.*\"" | sed 's/:#/: #/'
}

found=$(
  up_from 'ir dialects passes frontends targets' 'pm|tools'
  up_from pm tools
  includes_of 'passes/stage passes/schedule' loop
  includes_of 'passes/generic passes/loop passes/vector passes/gpu passes/abi' 'stage|poly'
  includes_of 'dialects/arith dialects/math dialects/isl dialects/machine' 'stage|poly|loop'
  includes_of dialects/stage 'poly|loop'
  includes_of dialects/loop 'stage|poly'
  includes_of dialects/loop/analyses 'loop/rewrite|loop/interpreter'
)
[ -z "$found" ] || { echo "$found"; exit 1; }
