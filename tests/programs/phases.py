# Columns that two stages take turns in, and three; the picture's width decides which of them has a column more.
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for size in '1 1' '1 2' '3 7' '5 8' '9 300' '40 601'; do set -- $size; synth --rows $1 --cols $2 --type f32 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=two,three,both --strategy=all --inline=0 --tile=8x64 --in A=%t.npy --check --fp strict --threads 2 || exit 1; done
# RUN: pm-translate %s --live-out=two,three,both --to=pmir -o %t.pmir
# RUN: for c in 1 2 5 6 7 17; do pm-interp %t.pmir --param R=3 --param C=$c --pass-pipeline='stage.pipeline(align-scale,group{strategy=all},tile{sizes=2x4},storage,parallelize,expand-statements,verify-schedule),lower-poly,canonicalize,cse,interleave-stores,canonicalize,cse,dce' || exit 1; done
# RUN: pm-translate %s --live-out=two,three,both --to=c --strategy=all --inline=0 --tile=8x64 -o - | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
A = Image(Float, "A", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, columns = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)


def phase(k, n):
    f = Function(([x, y], [rows, Interval(Int, 0, (C - 1 - k) / n)]), Float, "of" + str(n) + "_" + str(k))
    f.defn = [A(x, n * y + k) * (k + 2)]
    return f


def in_turn(name, n):
    f = Function(([x, y], [rows, columns]), Float, name)
    f.defn = [Case(Condition(y % n, '==', k), phase(k, n)(x, y / n)) for k in range(n)]
    return f


# CHECK:      #pragma omp simd
# CHECK:      const float of2_1_v = of2_1[
# CHECK:      two[i2 * C64 + i3 * 2] =
# CHECK-NEXT: two[i2 * C64 + i3 * 2 + 1] = of2_1_v
# CHECK-NEXT: }
# CHECK:      const float of3_1_v = of3_1[
# CHECK:      three[i2 * C64 + i3 * 3] =
# CHECK:      three[i2 * C64 + i3 * 3 + 1] = of3_1_v
# CHECK-NEXT: }
# CHECK:      right[{{.*}}] =
# CHECK-NEXT: phases.py
# CHECK-NEXT: left[{{.*}}] =
# CHECK-NEXT: }
two = in_turn("two", 2)
three = in_turn("three", 3)

# Two stages that read the same columns are computed in one loop.
right, left = (Function(([x, y], [rows, columns]), Float, name) for name in ("right", "left"))
right.defn = [two(x, y) + three(x, y) * 2]
left.defn = [two(x, y) - three(x, y)]
both = Function(([x, y], [rows, columns]), Float, "both")
both.defn = [Case(Condition(y, '>=', 1) & Condition(y, '<=', C - 2), right(x, y - 1) + right(x, y + 1) * left(x, y - 1) + left(x, y + 1))]
