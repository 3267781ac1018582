/* Kernels of the float ops. Nothing may be contracted here: gcc does not contract under -std=c11 (no
 * extensions); clang is told. */
#include "dialects/arith/arith.h"
#include "dialects/arith/kernels.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

ARITH_FLOAT_KERNELS(ARITH_BINARY, arith, addf, a + b, a + b)
ARITH_FLOAT_KERNELS(ARITH_BINARY, arith, subf, a - b, a - b)
ARITH_FLOAT_KERNELS(ARITH_BINARY, arith, mulf, a *b, a *b)
ARITH_FLOAT_KERNELS(ARITH_BINARY, arith, divf, a / b, a / b)
ARITH_FLOAT_KERNELS(ARITH_BINARY, arith, minf, a < b ? a : b, a < b ? a : b)
ARITH_FLOAT_KERNELS(ARITH_BINARY, arith, maxf, a > b ? a : b, a > b ? a : b)
ARITH_FLOAT_KERNELS(ARITH_UNARY, arith, negf, -a, -a)
