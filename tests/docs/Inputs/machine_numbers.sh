# machine_numbers.sh ROOT: prints numbers of the hardware that passes or dialects other than machine define; fails if
# there are any. What a line of them is called gives them away.
cd "$1" || exit 2
names='LINE|LINES|CACHE|L[123]|LATENCY|REGISTERS?|VECTOR_BYTES|WORD_BYTES|PAGE|PAGES'

found=$(grep -rnE --include='*.[ch]' "\\b([A-Z]+_)*($names)(_[A-Z]+)*( =)? [0-9]" passes dialects |
  grep -v '^dialects/machine/')
[ -z "$found" ] || { echo "$found"; exit 1; }
