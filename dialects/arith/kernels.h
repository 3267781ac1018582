/* Loops over lanes of floats, for arith and the dialects above it; the 16-bit formats. Each operation is
 * rounded on its own, to the type: f16 and bf16 are computed in float and rounded, which is exact for + - * /
 * and sqrt since a float has more than twice their digits. */
#ifndef PM_DIALECTS_ARITH_KERNELS_H
#define PM_DIALECTS_ARITH_KERNELS_H

#include "ir/lanes.h"

/* Round to nearest, ties to even, to the 16-bit formats; the result is exact in a float. */
float arith_round_f16(double value);
float arith_round_bf16(double value);
/* The bits of a value that was rounded to the format, and back. */
uint16_t arith_f16_bits(float value);
float arith_f16_value(uint16_t bits);
uint16_t arith_bf16_bits(float value);
float arith_bf16_value(uint16_t bits);

/* What the type keeps of a result. */
static inline float arith_keep_f32(float v) {
  return v;
}
static inline double arith_keep_f64(double v) {
  return v;
}
static inline float arith_keep_f16(double v) {
  return arith_round_f16(v);
}
static inline float arith_keep_bf16(double v) {
  return arith_round_bf16(v);
}

/* Lane k of the operands is a, b and c in `expr`, of as many as there are. */
#define ARITH_KERNEL(op, n_args, t, ctype, field, expr)                                                      \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    const pm_lane *l = args[0], *r = args[n_args > 1 ? 1 : 0], *s = args[n_args > 2 ? 2 : 0];                \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = l[k].field, b = r[k].field, c = s[k].field;                                                  \
      (void)a, (void)b, (void)c;                                                                             \
      out[k].field = arith_keep_##t(expr);                                                                   \
    }                                                                                                        \
  }

/* The function `<dialect>_<op>_kernel` of an op of floats, which is `single` of a (and b, c) in float,
 * `whole` in double, and `half` of floats in a 16-bit format, which is rounded to it. PM_DIALECT is the op's
 * dialect. */
#define ARITH_KERNELS(op, single, whole, half)                                                               \
  ARITH_KERNEL(op, PM_DN(op, N_ARGS), f32, float, f, single)                                                 \
  ARITH_KERNEL(op, PM_DN(op, N_ARGS), f64, double, d, whole)                                                 \
  ARITH_KERNEL(op, PM_DN(op, N_ARGS), f16, float, f, half)                                                   \
  ARITH_KERNEL(op, PM_DN(op, N_ARGS), bf16, float, f, half)                                                  \
  pm_kernel PM_DN(op, kernel)(const pm_op *o, pm_scalar scalar) {                                            \
    static const pm_kernel by_scalar[PM_N_SCALARS] = {                                                       \
        [PM_F16] = op##_f16, [PM_BF16] = op##_bf16, [PM_F32] = op##_f32, [PM_F64] = op##_f64};               \
    (void)o;                                                                                                 \
    return by_scalar[scalar];                                                                                \
  }

#endif
