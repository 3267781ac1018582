# Conditions with many quotients, in several cases. Exact loops take isl many operations, and what the last stage needs of
# the one before is a hundred sets, so that infer-domains takes their hull.
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for size in '1 1' '3 2' '5 9' '17 40' '40 33'; do set -- $size; synth --planes 0 --rows $1 --cols $2 --type f32 -o %t.npy && for o in --naive --tile=4x8 --set=lower-poly{operations=20000}; do pm-run %s --estimate R=40 --estimate C=300 --live-out=s,t --in im=%t.npy --check --threads 2 $o || exit 1; done; done
# RUN: pmc %s --live-out=s,t --set='lower-poly{operations=20000}' --remarks=all -o %t.c 2>&1 | FileCheck %s
# CHECK: remark: [lower-poly] missed: the loops of @s, and of what is in the same loops
# RUN: pmc %s --live-out=t --remarks=all -o %t.c 2>&1 | FileCheck %s --check-prefix=NEEDED
# NEEDED: remark: [infer-domains] passed: the domain of @s shrinks from {{.*}} to { [x, y] :{{[^;]*}} }
# NEEDED-NOT: floor
R, C = Parameter(Int, "R"), Parameter(Int, "C")
im = Image(Float, "im", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")


def inside(i, j):
    return Condition(i, '>=', 0) & Condition(i, '<=', R - 1) & Condition(j, '>=', 0) & Condition(j, '<=', C - 1)


s = Function(([x, y], [Interval(Int, -2, R), Interval(Int, 0, 2*C)]), Float, "s")
reads = [[(2*x - y + 1, 2*y + 1), (x - 1, y % 2), ((x + y)//2 - 2, 2*y - 2), (x + 2, (y + 1)//2 + 2), ((2*x + y)//3 + 2, y//3 + x//3 + 2)],
         [(x + 1, 3*y - x + 2), (x//3 - 1, y + 1), (y//2 - 1, y//3 + x//3 + 2), (x - 1, y % 5 - 2), ((x + 1)//2 + 2, 2*y - x)],
         [(2*x + 2, y - 1), (2*x + 1, 2*y - x + 2)]]


def case(k):
    where, sum = Condition(x % 3, '==', k), 0.0
    for i, j in reads[k]:
        where, sum = where & inside(i, j), sum + im(i, j)
    return Case(where, sum)


s.defn = [case(k) for k in range(3)]
t = Function(([x, y], [Interval(Int, 0, R - 2), Interval(Int, 0, C - 3)]), Float, "t")
i, j = x//3 + y//3 - 2, y % 5 + 1
t.defn = [Case(Condition(i, '>=', -2) & Condition(i, '<=', R) & Condition(j, '<=', 2*C) & inside((2*y + x)//3, (x + x)//2 - 1), s(i, j) - im((2*y + x)//3, (x + x)//2 - 1))]
