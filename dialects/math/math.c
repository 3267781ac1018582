/* The math dialect: rows, and the kernel that they do not give. */
#include "dialects/math/math.h"

#include <math.h>
#include <string.h>

/* The double next to the sum toward the error, when it was rounded to an even one: so rounded, it can be
 * rounded again to a format with fewer digits as if it were exact (Boldo, Melquiond: Emulation of FMA and
 * correctly rounded sums, 2008). */
static double make_odd(double sum, double error) {
  uint64_t bits;
  memcpy(&bits, &sum, sizeof bits);
  if (error == 0 || !isfinite(sum) || (bits & 1)) return sum;
  bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
  memcpy(&sum, &bits, sizeof sum);
  return sum;
}

/* a * b + c of numbers of a 16-bit format, rounded to odd: the product is exact, and the error of the sum is
 * Knuth's. */
static double odd_fma(float a, float b, float c) {
  double product = (double)a * b, sum = product + c, part = sum - product;
  return make_odd(sum, (product - (sum - part)) + (c - part));
}

#define PM_DIALECT math
#define PM_DIALECT_DEF "dialects/math/math.def"
#include "ir/define_ops.h"
#include "dialects/arith/define_kernels.h"
ARITH_KERNELS(fma, fmaf(a, b, c), fma(a, b, c), odd_fma(a, b, c))
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect math_dialect = {
    .name = "math", .ops = math_op_table, .doc = "functions of floats, those of the C library"};
