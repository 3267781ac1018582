// UNSUPPORTED: asan, clang
// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: no mistake for Halide; the sizes of the input are a union of too many sets
Input<Buffer<uint8_t, 2>> in{"in"};
Output<Buffer<uint8_t, 2>> out{"out"};
Var x("x"), y("y");
// CHECK: :[[#@LINE+1]]:12: error: the sizes of inputs for which this is inside of them take more than 4040000 operations of isl, the indices of reads should be simpler
Expr e = in(x, y);
for (int i = 2; i < 14; i++) {
    Expr remainder = (x * i + y * (i + 1)) % (i * 7);
    e = select(remainder < (y * i / 3 + x / i) % 11, e, in(x + i, y));
}
out(x, y) = e;
