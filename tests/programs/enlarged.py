# Columns of a picture repeated and mixed: reads at halves, thirds, quarters and sixths of a column, in tiles and whole.
# RUN: rm -rf %t.kept; export PM_CACHE_DIR=%t.kept; for size in '1 1' '1 2' '3 7' '5 8' '40 203' '9 300'; do set -- $size; synth --rows $1 --cols $2 -o %t.npy && pm-run %s --estimate R=40 --estimate C=300 --live-out=halves,thirds,quarters,sixths,places --strategy=all --tile=8x64 --in A=%t.npy --check --fp strict --threads 2 || exit 1; done
# RUN: pm-translate %s --live-out=halves,thirds,quarters,sixths,places --to=pmir -o %t.pmir
# RUN: for c in 1 2 3 5 6 7 17; do pm-interp %t.pmir --param R=3 --param C=$c --pass-pipeline='stage.pipeline(align-scale,group{strategy=all},tile{sizes=2x5},storage,parallelize,expand-statements,verify-schedule),lower-poly,canonicalize,cse,unroll-phases,canonicalize,cse,dce' || exit 1; done
# RUN: pm-translate %s --live-out=halves,thirds,quarters,sixths,places --to=c --remarks=all -o %t.c 2>&1 | FileCheck %s --check-prefix=WHY
# RUN: FileCheck %s --input-file %t.c
# RUN: %if !long %{ env PM_TEST_OPENCL= %} run-all-ways %s --live-out=halves,thirds,quarters,sixths,places --in A=%t.npy
R, C = Parameter(Int, "R"), Parameter(Int, "C")
A = Image(UChar, "A", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows = Interval(Int, 0, R - 1)


def stage(name, type, columns, value):
    f = Function(([x, y], [rows, Interval(Int, 0, columns)]), type, name)
    f.defn = [value]
    return f


# Two places at a time, of which the second reads one cell twice.
# CHECK:      const int32_t [[NEXT:t_[0-9]+]] = A[i2 * C64 + [[M:[a-z]+]] + 1];
# CHECK:      halves[i2 * halves_n1 + [[M]] * 2] = (float)(A[i2 * C64 + [[M]]] * 3 + [[NEXT]]);
# CHECK-NEXT: halves[i2 * halves_n1 + [[M]] * 2 + 1] = (float)([[NEXT]] * 3 + [[NEXT]]);
# CHECK-NEXT: }
# WHY-DAG: passed: a vector loop takes 2 iterations at a time, so that 2 reads at quotients of its counter move by one element
halves = stage("halves", Float, 2 * C - 3, A(x, (y + 1) / 2) * 3 + A(x, (y + 2) / 2))
# Bytes, three at a time: floor(2 y / 3) is 2 m, 2 m and 2 m + 1.
# WHY-DAG: passed: a vector loop takes 3 iterations at a time, so that 2 reads at quotients of its counter move by one element
thirds = stage("thirds", UChar, (3 * C - 3) / 2, A(x, 2 * y / 3) / 2 + A(x, y / 3) / 3)
# WHY-DAG: passed: a vector loop takes 4 iterations at a time, so that 2 reads at quotients of its counter move by one element
quarters = stage("quarters", Int, 2 * C - 1, A(x, y / 2) - A(x, y / 4))
# WHY-DAG: missed: 2 reads stay at quotients of the counter of a vector loop: the divisors have no common multiple up to 4
sixths = stage("sixths", Short, 2 * C - 1, A(x, y / 2) - A(x, y / 3))
# The column itself is a value here.
places = stage("places", Int, 2 * C - 1, A(x, y / 2) + 7 * y)
