# Sums along rows and columns, a recursive filter down the columns, one with a slope, and sums into rows and columns.
# RUN: synth --rows 19 --cols 600 --type u8 -o %t.npy
# RUN: pm-run %s --live-out=table,smooth,slope,of_rows,of_columns,turned --in img=%t.npy --check --fp strict --threads 2
# RUN: pm-run %s --live-out=table,smooth,slope,of_rows,of_columns,turned --in img=%t.npy --check --fp strict --threads 5 --tile none
# RUN: synth --rows 1 --cols 3 --type u8 -o %t.npy
# RUN: pm-run %s --live-out=table,smooth,slope,of_rows,of_columns,turned --in img=%t.npy --check --fp strict
# RUN: pm-translate %s --live-out=table,smooth,slope,of_rows,of_columns,turned --to=pmir -o %t.pmir
# RUN: pm-interp %t.pmir --param R=4 --param C=260 --pass-pipeline='stage.pipeline(align-scale,storage,parallelize,expand-statements,verify-schedule),lower-poly,canonicalize,cse,scalar-replacement'
# RUN: pm-translate %s --live-out=table,smooth,slope,of_rows,of_columns,turned --to=c --inline=0 --strategy=greedy --set='mark-prefetch{lines=0}' --set='accumulate-in-registers{vectors=0}' -o - | FileCheck %s
R, C = Parameter(Int, "R"), Parameter(Int, "C")
img = Image(UChar, "img", [R, C])
x, y = Variable(Int, "x"), Variable(Int, "y")
rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
plane = ([x, y], [rows, cols])
first_row, first_column = Condition(x, '==', 0), Condition(y, '==', 0)

# Pieces of eight rows in parallel, which take turns from left to right: the cell before is at hand.
# CHECK: #pragma omp parallel for
# CHECK-NEXT: for (int64_t i0 = 0; i0 < i0_end; i0++) {
# CHECK-NOT: omp
# CHECK: int32_t [[ACC:acc_7]] = along[(i2_begin + 7) * C64];
# CHECK: for (int64_t i1 = 1; i1 < C64; i1++) {
# CHECK: [[SUM:t_[0-9]+]] = (int32_t)((uint32_t)[[ACC]] + img[(i2_begin + 7) * C64 + i1]);
# CHECK-NEXT: along[(i2_begin + 7) * C64 + i1] = [[SUM]];
# CHECK: [[ACC]] = [[SUM]];
along = Function(plane, Int, "along")
along.defn = [Case(first_column, img(x, y)), Case(Condition(y, '>', 0), along(x, y - 1) + img(x, y))]
# Pieces of the columns in parallel, each from above, in vectors.
# CHECK: #pragma omp parallel for
# CHECK-NEXT: for (int64_t i0 = 0; i0 < i0_end
# CHECK: for (int64_t i1 = 1; i1 < R64; i1++) {
# CHECK-NEXT: #pragma omp simd
# CHECK-NEXT: for (int64_t i2 = i2_begin; i2 < i2_end; i2++) {
# CHECK: table[i1 * C64 + i2] = {{.*}}table[(i1 - 1) * C64 + i2]
table = Function(plane, Int, "table")
table.defn = [Case(first_row, along(x, y)), Case(Condition(x, '>', 0), table(x - 1, y) + along(x, y))]
smooth = Function(plane, Float, "smooth")
smooth.defn = [Case(first_row, img(x, y)), Case(Condition(x, '==', 1), smooth(0, y) * 0.5 + img(x, y)),
               Case(Condition(x, '>', 1), smooth(x - 1, y) * 0.75 - smooth(x - 2, y) * 0.25 + img(x, y))]
slope = Function(plane, Int, "slope")
slope.defn = [Case(Condition(x, '>', 0) & Condition(y, '>', 0), slope(x - 1, y - 1) + img(x, y)),
              Case(Condition(x, '==', 0) | Condition(y, '==', 0), img(x, y))]

# The sums of eight rows in registers.
# CHECK: float [[OF_ROW:acc_[0-9]+]] = of_rows[i2_begin + 7];
# CHECK: for (int64_t i1 = 0; i1 < C64; i1++) {
# CHECK: [[NEXT:next[_0-9]*]] = [[OF_ROW]] + {{.*}}img[(i2_begin + 7) * C64 + i1]
# CHECK: [[OF_ROW]] = [[NEXT]];
# CHECK: of_rows[i2_begin + 7] = [[OF_ROW]];
of_rows = Reduction(([x], [rows]), plane, Float, "of_rows")
of_rows.defn = [Reduce(of_rows(x), img(x, y), Sum)]
# CHECK: of_columns[i0] = 0
# CHECK: #pragma omp simd
# CHECK-NEXT: for (int64_t i2 = i2_begin; i2 < i2_end; i2++) {
# CHECK: of_columns[i2] = of_columns[i2] +
# CHECK: of_columns[i2] = of_columns[i2] +
of_columns = Reduction(([y], [cols]), plane, Float, "of_columns")
of_columns.defn = [Reduce(of_columns(y), img(x, y), Sum)]
# What goes down the columns of the result is no vector.
# CHECK: turned[{{.*}}] = 0
# CHECK-NOT: simd
# CHECK: turned[i3 * R64 + i1] = turned[i3 * R64 + i1] +
turned = Reduction(([y, x], [cols, rows]), plane, Float, "turned")
turned.defn = [Reduce(turned(y, x), img(x, y), Sum)]
