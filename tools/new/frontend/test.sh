# test.sh TOOLS PLUGIN: what a program computes, and what is said of a wrong one.
set -eu
PATH=$1:$PATH
plugin=$2 here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

printf '1 2 6\n' > "$scratch/img.txt"
pm-run --load-plugin="$plugin" "$here/example.my_frontend" --in img="$scratch/img.txt" --out "$scratch/out.txt" --check
printf '2.6666667 6.0 9.333333\n' | diff "$scratch/out.txt" -

printf 'blur 3\nsharpen 2\n' > "$scratch/wrong.my_frontend"
if pmc --load-plugin="$plugin" "$scratch/wrong.my_frontend" -o "$scratch/wrong.c" 2> "$scratch/said"; then exit 1; fi
grep "wrong.my_frontend:2:1: error: 'sharpen' is no command" "$scratch/said"
