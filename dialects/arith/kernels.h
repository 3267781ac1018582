/* Loops over lanes, for arith and the dialects above it; the 16-bit formats. Each operation is
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

/* What an integer type keeps of a result, extended to 64 bits. */
static inline int64_t arith_wrap_i1(uint64_t v) {
  return (int64_t)(v & 1);
}
static inline int64_t arith_wrap_i8(uint64_t v) {
  return (int8_t)v;
}
static inline int64_t arith_wrap_i16(uint64_t v) {
  return (int16_t)v;
}
static inline int64_t arith_wrap_i32(uint64_t v) {
  return (int32_t)v;
}
static inline int64_t arith_wrap_i64(uint64_t v) {
  return (int64_t)v;
}
static inline int64_t arith_wrap_u8(uint64_t v) {
  return (uint8_t)v;
}
static inline int64_t arith_wrap_u16(uint64_t v) {
  return (uint16_t)v;
}
static inline int64_t arith_wrap_u32(uint64_t v) {
  return (uint32_t)v;
}
static inline int64_t arith_wrap_u64(uint64_t v) {
  return (int64_t)v;
}

/* Lane k of the operands is a, b and c in `expr`, ua, ub and uc as unsigned numbers; `bits` is the width of
 * the type. */
#define ARITH_INT_KERNEL(op, n_args, t, width, expr)                                                         \
  static void op##_##t(const pm_lane *const *args, pm_lane *out, size_t n) {                                 \
    enum { bits = width };                                                                                   \
    const pm_lane *l = args[0], *r = args[n_args > 1 ? 1 : 0], *s = args[n_args > 2 ? 2 : 0];                \
    for (size_t k = 0; k < n; k++) {                                                                         \
      int64_t a = l[k].i, b = r[k].i, c = s[k].i;                                                            \
      uint64_t ua = (uint64_t)a, ub = (uint64_t)b, uc = (uint64_t)c;                                         \
      (void)a, (void)b, (void)c, (void)ua, (void)ub, (void)uc;                                               \
      out[k].i = arith_wrap_##t((uint64_t)(expr));                                                           \
    }                                                                                                        \
  }

/* The same function of an op of integers, which is `any` of numbers extended to 64 bits, and `whole` of those
 * of u64. */
#define ARITH_INT_KERNELS(op, any, whole)                                                                    \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), i1, 1, any)                                                        \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), i8, 8, any)                                                        \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), i16, 16, any)                                                      \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), i32, 32, any)                                                      \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), i64, 64, any)                                                      \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), u8, 8, any)                                                        \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), u16, 16, any)                                                      \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), u32, 32, any)                                                      \
  ARITH_INT_KERNEL(op, PM_DN(op, N_ARGS), u64, 64, whole)                                                    \
  pm_kernel PM_DN(op, kernel)(const pm_op *o, pm_scalar scalar) {                                            \
    static const pm_kernel by_scalar[PM_N_SCALARS] = {                                                       \
        [PM_I1] = op##_i1,   [PM_I8] = op##_i8,    [PM_I16] = op##_i16, [PM_I32] = op##_i32,                 \
        [PM_I64] = op##_i64, [PM_U8] = op##_u8,    [PM_U16] = op##_u16, [PM_U32] = op##_u32,                 \
        [PM_U64] = op##_u64, [PM_INDEX] = op##_i64};                                                         \
    (void)o;                                                                                                 \
    return by_scalar[scalar];                                                                                \
  }

#endif
