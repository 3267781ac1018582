// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: seeds of other types (Halide), two seeds (C++)
Output<Buffer<float, 1>> out{"out"};
Var x("x");
// CHECK: :[[#@LINE+3]]:23: error: the seed has type float, it should be int32
// CHECK: :[[#@LINE+2]]:31: error: random_float has 2 arguments, it should have a seed at most
// CHECK: :[[#@LINE+1]]:76: error: the seed has type uint8, it should be int32
out(x) = random_float(1.5f) + random_float(1, 2) + random_int(cast<uint8_t>(x));
