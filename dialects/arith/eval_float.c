/* Kernels of the float ops. Nothing may be contracted here: gcc does not contract under -std=c11 (no
 * extensions); clang is told. */
#include "dialects/arith/arith.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

#define PM_DIALECT arith
#define PM_DIALECT_DEF "dialects/arith/arith.def"
#include "dialects/arith/define_kernels.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF
