# test.sh TOOLS PLUGIN: a program of the target, and a part of what pm-check-target tries.
set -eu
PATH=$1:$PATH
plugin=$2 here=$(dirname "$0")
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

pmc --load-plugin="$plugin" "$here/blur.py" -o "$scratch/blur.my_target"
grep 'by my-target' "$scratch/blur.my_target"
printf '1 2 3\n4 5 6\n' > "$scratch/img.txt"
pm-run --load-plugin="$plugin" --target=my-target "$here/blur.py" --in img="$scratch/img.txt" --check --fp=strict |
  grep equal
pm-check-target --load-plugin="$plugin" --target=my-target --cflags=-O0 --section=forms --filter=arith --types=i32,f32 \
  --reproducers="$scratch"
