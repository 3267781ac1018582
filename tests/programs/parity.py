# Cases by the parity of rows and the remainder of columns by three, from stages of as many fewer points: each case has loops
# of its own, of which the one over columns counts the fewer points.
# RUN: %if gcc %{ %python %lib/schedules.py %s --sizes R=1,C=1 R=7,C=20 --tiles 4x9 %}
# RUN: %if long %{ %python %lib/schedules.py %s --sizes R=1,C=1 R=7,C=20 --tiles 4x9 --long %}
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for s in '1 1' '2 3' '5 7' '18 301' '61 130'; do set -- $s; synth --rows $1 --cols $2 --type u8 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --in img=%t.npy --check --fp strict --threads 3 || exit 1; done
# RUN: pm-translate %s --to=c --set='mark-prefetch{lines=0}' -o - | FileCheck %s
# CHECK-NOT: i{{[0-9]+}} += 3
# CHECK-NOT: i{{[0-9]+}} += 2
# CHECK: #pragma omp simd
# CHECK: out[{{.*}} * 3
R, C = Parameter(Int, "R"), Parameter(Int, "C")
x, y = Variable(Int, "x"), Variable(Int, "y")
img = Image(UChar, "img", [R, C])
part = {}
for r in range(2):
    for c in range(3):
        part[r, c] = Function(([x, y], [Interval(Int, 0, (R - 1 - r) / 2), Interval(Int, 0, (C - 1 - c) / 3)]), Short,
                              "part" + str(r) + str(c))
        part[r, c].defn = [img(2 * x + r, 3 * y + c) * (r + 2) - c]
out = Function(([x, y], [Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)]), Short, "out")
out.defn = [Case(Condition(x % 2, '==', r) & Condition(y % 3, '==', c), part[r, c](x / 2, y / 3) + 7 * r)
            for r in range(2) for c in range(3)]
