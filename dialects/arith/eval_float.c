/* Kernels of the float ops and of the math dialect. Each operation is rounded on its own, to the type:
 * nothing may be contracted here. gcc does not contract under -std=c11 (no extensions); clang is told. f16
 * and bf16 are computed in float and rounded, which is exact for + - * / and sqrt since a float has more than
 * twice their digits. */
#include "dialects/arith/kernels.h"

#include "dialects/arith/arith.h"
#include "dialects/math/math.h"

#include <math.h>

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

static inline float keep_f32(float v) {
  return v;
}
static inline double keep_f64(double v) {
  return v;
}
static inline float keep_f16(float v) {
  return arith_round_f16(v);
}
static inline float keep_bf16(float v) {
  return arith_round_bf16(v);
}

#define UNARY_KERNEL(op, t, ctype, field, expr)                                                              \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    const pm_lane *l = args[0];                                                                              \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = l[k].field;                                                                                  \
      out[k].field = keep_##t(expr);                                                                         \
    }                                                                                                        \
  }
#define BINARY_KERNEL(op, t, ctype, field, expr)                                                             \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    const pm_lane *l = args[0], *r = args[1];                                                                \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = l[k].field, b = r[k].field;                                                                  \
      out[k].field = keep_##t(expr);                                                                         \
    }                                                                                                        \
  }
#define FLOAT_KERNELS(kind, op, single, whole)                                                               \
  kind(op, f32, float, f, single) kind(op, f64, double, d, whole) kind(op, f16, float, f, single)            \
      kind(op, bf16, float, f, single)

FLOAT_KERNELS(BINARY_KERNEL, addf, a + b, a + b)
FLOAT_KERNELS(BINARY_KERNEL, subf, a - b, a - b)
FLOAT_KERNELS(BINARY_KERNEL, mulf, a *b, a *b)
FLOAT_KERNELS(BINARY_KERNEL, divf, a / b, a / b)
FLOAT_KERNELS(BINARY_KERNEL, minf, a < b ? a : b, a < b ? a : b)
FLOAT_KERNELS(BINARY_KERNEL, maxf, a > b ? a : b, a > b ? a : b)
FLOAT_KERNELS(BINARY_KERNEL, pow, powf(a, b), pow(a, b))
FLOAT_KERNELS(UNARY_KERNEL, negf, -a, -a)
FLOAT_KERNELS(UNARY_KERNEL, sqrt, sqrtf(a), sqrt(a))
FLOAT_KERNELS(UNARY_KERNEL, exp, expf(a), exp(a))
FLOAT_KERNELS(UNARY_KERNEL, log, logf(a), log(a))
FLOAT_KERNELS(UNARY_KERNEL, sin, sinf(a), sin(a))
FLOAT_KERNELS(UNARY_KERNEL, cos, cosf(a), cos(a))
FLOAT_KERNELS(UNARY_KERNEL, tan, tanf(a), tan(a))
FLOAT_KERNELS(UNARY_KERNEL, abs, fabsf(a), fabs(a))
FLOAT_KERNELS(UNARY_KERNEL, floor, floorf(a), floor(a))
FLOAT_KERNELS(UNARY_KERNEL, ceil, ceilf(a), ceil(a))
FLOAT_KERNELS(UNARY_KERNEL, round, roundf(a), round(a))

#define BY_FLOAT(op)                                                                                         \
  { [PM_F16] = op##_f16, [PM_BF16] = op##_bf16, [PM_F32] = op##_f32, [PM_F64] = op##_f64 }

const arith_kernel_row arith_float_kernels[] = {
    {&arith_addf, BY_FLOAT(addf)}, {&arith_subf, BY_FLOAT(subf)},
    {&arith_mulf, BY_FLOAT(mulf)}, {&arith_divf, BY_FLOAT(divf)},
    {&arith_minf, BY_FLOAT(minf)}, {&arith_maxf, BY_FLOAT(maxf)},
    {&arith_negf, BY_FLOAT(negf)}, {NULL, {NULL}},
};

const arith_kernel_row arith_math_kernels[] = {
    {&math_sqrt, BY_FLOAT(sqrt)},   {&math_exp, BY_FLOAT(exp)},     {&math_log, BY_FLOAT(log)},
    {&math_sin, BY_FLOAT(sin)},     {&math_cos, BY_FLOAT(cos)},     {&math_tan, BY_FLOAT(tan)},
    {&math_abs, BY_FLOAT(abs)},     {&math_floor, BY_FLOAT(floor)}, {&math_ceil, BY_FLOAT(ceil)},
    {&math_round, BY_FLOAT(round)}, {&math_pow, BY_FLOAT(pow)},     {NULL, {NULL}},
};
