# Reductions of three and four dimensions: the contiguous dimension of the result is the innermost loop where the inputs let it.
# RUN: synth --rows 13 --cols 21 --type f32 -o %t.a.npy
# RUN: synth --rows 21 --cols 300 --type f32 -o %t.b.npy
# RUN: pm-run %s --live-out=product,transposed,blurred,sides --in A=%t.a.npy --in B=%t.b.npy --check --fp strict --threads 2
# RUN: synth --rows 1 --cols 1 --type f32 -o %t.a.npy
# RUN: synth --rows 1 --cols 2 --type f32 -o %t.b.npy
# RUN: pm-run %s --live-out=product,transposed,blurred,sides --in A=%t.a.npy --in B=%t.b.npy --check --fp strict --threads 5
# RUN: pm-translate %s --live-out=product,transposed,blurred,sides --to=pmir -o %t.pmir
# RUN: pm-interp %t.pmir --param R=3 --param C=258 --param K=5 --pass-pipeline='stage.pipeline(align-scale,storage,parallelize,expand-statements,verify-schedule),lower-poly,canonicalize,cse,scalar-replacement'
# RUN: pm-translate %s --live-out=product,transposed,blurred,sides --to=c --strategy=greedy -o - | FileCheck %s
R, C, K = Parameter(Int, "R"), Parameter(Int, "C"), Parameter(Int, "K")
A, B = Image(Float, "A", [R, K]), Image(Float, "B", [K, C])
x, y, k, i, j = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "k"), Variable(Int, "i"), Variable(Int, "j")
rows, cols, ks, three = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1), Interval(Int, 0, K - 1), Interval(Int, 0, 2)

# B is read along its rows: k, then y in vectors, for which the value of A is loaded ahead.
# CHECK: A_1 = A[i0 * K64 + i3];
# CHECK: product[i0 * C64 + i4] = product[i0 * C64 + i4] + A_1 * B[i3 * C64 + i4];
product = Reduction(([x, y], [rows, cols]), ([x, y, k], [rows, cols, ks]), Float, "product")
product.defn = [Reduce(product(x, y), A(x, k) * B(k, y), Sum)]
# Both are read along rows: k stays, and eight sums take turns.
# CHECK: float [[SUM:acc_[0-9]+]] = transposed[i0 * R64 + i4_begin + 7];
# CHECK: for (int64_t [[K:i[0-9]+]] = 0; [[K]] < K64; [[K]]++) {
# CHECK: [[NEXT:next[_0-9]*]] = [[SUM]] + {{.*}}A[(i4_begin + 7) * K64 + [[K]]];
# CHECK: transposed[i0 * R64 + i4_begin + 7] = [[SUM]];
transposed = Reduction(([x, y], [rows, rows]), ([x, y, k], [rows, rows, ks]), Float, "transposed")
transposed.defn = [Reduce(transposed(x, y), A(x, k) * A(y, k), Sum)]
# A window: along the row of the picture in vectors, for each of its nine points.
# CHECK: #pragma omp simd
# CHECK-NEXT: for
# CHECK: blurred[i0 * C64 + i5] = blurred[i0 * C64 + i5] + B[(i0 + i3) * C64 + i5 + i4]
blurred = Reduction(([x, y], [ks, cols]), ([x, y, i, j], [ks, cols, three, three]), Float, "blurred")
blurred.defn = [Case((x + i < K) & (y + j < C), Reduce(blurred(x, y), B(x + i, y + j) * (i + 1), Sum))]
# The update reads itself: its points keep their order.
# CHECK: sides[i1] = -INFINITY
# CHECK-NOT: omp
# CHECK: sides[i0] = pm_max_f32(sides[i0], B[i1 * C64 + i0] -
sides = Reduction(([y], [cols]), ([y, k], [cols, ks]), Float, "sides")
sides.defn = [Reduce(sides(y), B(k, y) - sides(0) * 0.25, Max)]
