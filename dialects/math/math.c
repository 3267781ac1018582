/* The math dialect: rows, and a kernel an op, which folds and interpreters run. */
#include "dialects/math/math.h"

#include "dialects/arith/kernels.h"

#include <math.h>

#define PM_DIALECT math
#define PM_DIALECT_DEF "dialects/math/math.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect math_dialect = {
    .name = "math", .ops = math_op_table, .doc = "functions of floats, those of the C library"};

ARITH_FLOAT_KERNELS(ARITH_UNARY, math, sqrt, sqrtf(a), sqrt(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, exp, expf(a), exp(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, log, logf(a), log(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, sin, sinf(a), sin(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, cos, cosf(a), cos(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, tan, tanf(a), tan(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, abs, fabsf(a), fabs(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, floor, floorf(a), floor(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, ceil, ceilf(a), ceil(a))
ARITH_FLOAT_KERNELS(ARITH_UNARY, math, round, roundf(a), round(a))
ARITH_FLOAT_KERNELS(ARITH_BINARY, math, pow, powf(a, b), pow(a, b))
