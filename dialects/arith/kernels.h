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

#define ARITH_UNARY(op, t, ctype, field, expr)                                                               \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    const pm_lane *l = args[0];                                                                              \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = l[k].field;                                                                                  \
      out[k].field = arith_keep_##t(expr);                                                                   \
    }                                                                                                        \
  }
#define ARITH_BINARY(op, t, ctype, field, expr)                                                              \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    const pm_lane *l = args[0], *r = args[1];                                                                \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = l[k].field, b = r[k].field;                                                                  \
      out[k].field = arith_keep_##t(expr);                                                                   \
    }                                                                                                        \
  }

#define ARITH_TERNARY(op, t, ctype, field, expr)                                                             \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    const pm_lane *l = args[0], *r = args[1], *s = args[2];                                                  \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = l[k].field, b = r[k].field, c = s[k].field;                                                  \
      out[k].field = arith_keep_##t(expr);                                                                   \
    }                                                                                                        \
  }

/* The hook `dialect_op_kernel` of an op of floats, which is `single` of a (and b, c) in float, `whole` in
 * double, and `half` of floats in a 16-bit format, which is rounded to it. */
#define ARITH_KERNELS(kind, dialect, op, single, whole, half)                                                \
  kind(op, f32, float, f, single) kind(op, f64, double, d, whole) kind(op, f16, float, f, half)              \
      kind(op, bf16, float, f, half) pm_kernel dialect##_##op##_kernel(const pm_op *o, pm_scalar scalar) {   \
    static const pm_kernel by_scalar[PM_N_SCALARS] = {                                                       \
        [PM_F16] = op##_f16, [PM_BF16] = op##_bf16, [PM_F32] = op##_f32, [PM_F64] = op##_f64};               \
    (void)o;                                                                                                 \
    return by_scalar[scalar];                                                                                \
  }
/* Where computing in float is exact enough for the 16-bit formats. */
#define ARITH_FLOAT_KERNELS(kind, dialect, op, single, whole)                                                \
  ARITH_KERNELS(kind, dialect, op, single, whole, single)

#endif
