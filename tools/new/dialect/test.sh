# test.sh TOOLS PLUGIN: text, folding and rules, and what the lowered form computes.
set -eu
PATH=$1:$PATH
pm_opt() { pm-opt --load-plugin="$plugin" "$@"; }
plugin=$2 here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

pm_opt "$here/test.pmir" | diff "$here/test.pmir" -
pm_opt "$here/test.pmir" --pass-pipeline=canonicalize > "$scratch/folded.pmir"
grep 'arith.constant 4 : u8' "$scratch/folded.pmir"
grep -c my_dialect.average "$scratch/folded.pmir" | grep -x 1
pm_opt --check-rules > "$scratch/rules"
printf 'P2 3 1 255 10 20 30\n' > "$scratch/a.pgm"
pm-interp --load-plugin="$plugin" "$here/test.pmir" --param=n=3 --in a="$scratch/a.pgm" --out b="$scratch/b.pgm"
test "$(tail -c 3 "$scratch/b.pgm" | od -An -tu1)" = '   2   7  17'
pm-interp --load-plugin="$plugin" "$here/test.pmir" --pass-pipeline=licm,lower-my_dialect --param=n=3
