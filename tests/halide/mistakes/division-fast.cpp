// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: a divisor of fast_integer_divide that does not fit an uint8, floats (Halide)
Output<Buffer<int, 1>> out{"out"};
Var x("x");
// CHECK: :[[#@LINE+2]]:33: error: the divisor has type int32, it should be uint8
// CHECK: :[[#@LINE+1]]:81: error: fast_integer_modulo takes integers
out(x) = fast_integer_divide(x, 300) + cast<int>(fast_integer_modulo(cast<float>(x), cast<uint8_t>(x)));
