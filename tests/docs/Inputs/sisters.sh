# sisters.sh TARGETS: prints includes that lead from the folder of a target to that of another one, or from a room
# that targets share to the folder of a target; fails if there are any.
shared='abi|cfamily|lib'
cd "$1" || exit 2

found=$(find . -mindepth 2 -name '*.[ch]' | sort | while read -r file; do
  room=${file#./} room=${room%%/*}
  grep -HE '#include "targets/[^/"]+/' "${file#./}" | grep -vE "\"targets/($shared|$room)/"
done)
[ -z "$found" ] || { echo "$found"; exit 1; }
