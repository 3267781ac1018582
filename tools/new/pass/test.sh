# test.sh TOOLS PLUGIN: the pass changes before.pmir to after.pmir, which computes the same.
set -eu
PATH=$1:$PATH
pm_opt() { pm-opt --load-plugin="$plugin" "$here/before.pmir" "$@"; }
plugin=$2 here=$(dirname "$0")

pm_opt --pass-pipeline=my-pass | diff "$here/after.pmir" -
pm_opt --pass-pipeline=my-pass --verify-semantics -o /dev/null
pm_opt --pass-pipeline=my-pass --statistics -o /dev/null 2>&1 | grep '1  products changed'
pm_opt --pass-pipeline=my-pass --remarks -o /dev/null 2>&1 | grep 'passed: 1 products became sums'
pm_opt --pass-pipeline='my-pass{most=0}' | grep arith.mulf
