/* Kernels of the conversions, and of what keeps bits. Integer lanes of every type but u64 are read as
 * int64_t, floats are widened to double, which is exact: what remains is one loop per class of source and
 * type of result. */
#include "dialects/arith/kernels.h"

#include <math.h>
#include <string.h>

enum { F16_DIGITS = 11, F16_MIN_EXPONENT = -14, BF16_DIGITS = 8, BF16_MIN_EXPONENT = -126 };

/* `value` rounded to a multiple of the last place that `digits` digits and the least exponent allow. */
static double round_to(double value, int digits, int min_exponent) {
  if (value == 0 || !isfinite(value)) return value;
  int exponent = ilogb(value) < min_exponent ? min_exponent : ilogb(value);
  int last_place = exponent - digits + 1;
  return scalbn(nearbyint(scalbn(value, -last_place)), last_place);
}

float arith_round_f16(double value) {
  double rounded = round_to(value, F16_DIGITS, F16_MIN_EXPONENT);
  return fabs(rounded) >= 65536.0 ? copysignf(INFINITY, (float)value) : (float)rounded;
}

float arith_round_bf16(double value) {
  return (float)round_to(value, BF16_DIGITS, BF16_MIN_EXPONENT);
}

uint16_t arith_f16_bits(float value) {
  uint16_t sign = signbit(value) ? 0x8000 : 0;
  if (isnan(value)) return sign | 0x7e00;
  if (isinf(value)) return sign | 0x7c00;
  double size = fabs(value);
  if (size < 0x1p-14) return (uint16_t)(sign | (uint16_t)(size * 0x1p24));
  int exponent = ilogb(size);
  uint16_t fraction = (uint16_t)((scalbn(size, -exponent) - 1) * 1024);
  return (uint16_t)(sign | (uint16_t)((exponent + 15) << 10) | fraction);
}

float arith_f16_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float size = exponent == 0    ? (float)fraction * 0x1p-24f
               : exponent == 31 ? (fraction ? NAN : INFINITY)
                                : (float)scalbn(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -size : size;
}

uint16_t arith_bf16_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return isnan(value) ? (uint16_t)(bits >> 16 | 0x40) : (uint16_t)(bits >> 16);
}

float arith_bf16_value(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* An integer as a double, exact or rounded to odd, so that rounding it again to fewer digits is right. */
static double odd_double(uint64_t size) {
  if (size >> 53 == 0) return (double)size;
  uint64_t lost = size & 0x7ff;
  return (double)((size & ~UINT64_C(0x7ff)) | (lost ? UINT64_C(0x800) : 0));
}

static double odd_double_signed(int64_t v) {
  return v < 0 ? -odd_double(0 - (uint64_t)v) : odd_double((uint64_t)v);
}

#define CAST_KERNEL(name, field_in, ctype, field_out, expr)                                                  \
  static void name(const pm_lane *const *args, pm_lane *out, size_t n) {                                     \
    const pm_lane *l = args[0];                                                                              \
    for (size_t k = 0; k < n; k++) {                                                                         \
      ctype a = (ctype)l[k].field_in;                                                                        \
      out[k].field_out = expr;                                                                               \
    }                                                                                                        \
  }

#define SATURATE(a, lo, hi) ((a) < (lo) ? (lo) : (a) > (hi) ? (hi) : (a))
/* Toward zero: the rule of arith.cast. */
static int32_t to_i32(double a) {
  return fabs(a) < 0x1p31 ? (int32_t)a : INT32_MIN;
}

static int64_t to_i64(double a) {
  return fabs(a) < 0x1p63 ? (int64_t)a : INT64_MIN;
}

static int64_t to_u64(double a) {
  return to_i64(a >= 0x1p63 && a < 0x1p64 ? a - 0x1p64 : a);
}

#define SATURATE_FLOAT(a, below, above, T, lo, hi)                                                           \
  ((a) <= (below) ? (int64_t)(lo) : (a) >= (above) ? (int64_t)(hi) : (a) == (a) ? (int64_t)(T)(a) : 0)

/* T: the integer type of C; through: the bits of arith_scalar_through; lo, hi its bounds; below, above: lo -
 * 1 and hi + 1 as doubles. */
#define TO_INT_KERNELS(t, T, through, lo, hi, below, above)                                                  \
  CAST_KERNEL(sat_any_##t, i, int64_t, i, SATURATE(a, lo, hi))                                               \
  CAST_KERNEL(sat_u64_##t, i, uint64_t, i, a > (uint64_t)(hi) ? (int64_t)(hi) : (int64_t)a)                  \
  CAST_KERNEL(sat_f32_##t, f, double, i, SATURATE_FLOAT(a, below, above, T, lo, hi))                         \
  CAST_KERNEL(sat_f64_##t, d, double, i, SATURATE_FLOAT(a, below, above, T, lo, hi))                         \
  CAST_KERNEL(cast_f32_##t, f, double, i, (T)to_i##through(a))                                               \
  CAST_KERNEL(cast_f64_##t, d, double, i, (T)to_i##through(a))

TO_INT_KERNELS(i8, int8_t, 32, INT8_MIN, INT8_MAX, -129.0, 128.0)
TO_INT_KERNELS(i16, int16_t, 32, INT16_MIN, INT16_MAX, -32769.0, 32768.0)
TO_INT_KERNELS(i32, int32_t, 32, INT32_MIN, INT32_MAX, -2147483649.0, 2147483648.0)
TO_INT_KERNELS(i64, int64_t, 64, INT64_MIN, INT64_MAX, -0x1.0000000000001p63, 0x1p63)
TO_INT_KERNELS(u8, uint8_t, 32, 0, UINT8_MAX, -1.0, 256.0)
TO_INT_KERNELS(u16, uint16_t, 32, 0, UINT16_MAX, -1.0, 65536.0)
TO_INT_KERNELS(u32, uint32_t, 64, 0, (int64_t)UINT32_MAX, -1.0, 4294967296.0)

CAST_KERNEL(sat_any_i1, i, int64_t, i, SATURATE(a, 0, 1))
CAST_KERNEL(sat_u64_i1, i, uint64_t, i, a > 0)
CAST_KERNEL(sat_f32_i1, f, float, i, a >= 1)
CAST_KERNEL(sat_f64_i1, d, double, i, a >= 1)
CAST_KERNEL(sat_any_u64, i, int64_t, i, a < 0 ? 0 : a)
CAST_KERNEL(sat_f32_u64, f, double, i, SATURATE_FLOAT(a, -1.0, 0x1p64, uint64_t, 0, UINT64_MAX))
CAST_KERNEL(sat_f64_u64, d, double, i, SATURATE_FLOAT(a, -1.0, 0x1p64, uint64_t, 0, UINT64_MAX))
CAST_KERNEL(cast_f32_u64, f, double, i, to_u64(a))
CAST_KERNEL(cast_f64_u64, d, double, i, to_u64(a))
CAST_KERNEL(cast_f32_i1, f, float, i, a != 0)
CAST_KERNEL(cast_f64_i1, d, double, i, a != 0)

CAST_KERNEL(wrap_i1, i, int64_t, i, a != 0)
CAST_KERNEL(wrap_i8, i, int64_t, i, (int8_t)a)
CAST_KERNEL(wrap_i16, i, int64_t, i, (int16_t)a)
CAST_KERNEL(wrap_i32, i, int64_t, i, (int32_t)a)
CAST_KERNEL(wrap_i64, i, int64_t, i, a)
CAST_KERNEL(wrap_u8, i, int64_t, i, (uint8_t)a)
CAST_KERNEL(wrap_u16, i, int64_t, i, (uint16_t)a)
CAST_KERNEL(wrap_u32, i, int64_t, i, (uint32_t)a)

CAST_KERNEL(cast_any_f32, i, int64_t, f, (float)a)
CAST_KERNEL(cast_any_f64, i, int64_t, d, (double)a)
CAST_KERNEL(cast_any_f16, i, int64_t, f, arith_round_f16(odd_double_signed(a)))
CAST_KERNEL(cast_any_bf16, i, int64_t, f, arith_round_bf16(odd_double_signed(a)))
CAST_KERNEL(cast_u64_f32, i, uint64_t, f, (float)a)
CAST_KERNEL(cast_u64_f64, i, uint64_t, d, (double)a)
CAST_KERNEL(cast_u64_f16, i, uint64_t, f, arith_round_f16(odd_double(a)))
CAST_KERNEL(cast_u64_bf16, i, uint64_t, f, arith_round_bf16(odd_double(a)))
CAST_KERNEL(cast_f32_f32, f, float, f, a)
CAST_KERNEL(cast_f32_f64, f, double, d, a)
CAST_KERNEL(cast_f32_f16, f, double, f, arith_round_f16(a))
CAST_KERNEL(cast_f32_bf16, f, double, f, arith_round_bf16(a))
CAST_KERNEL(cast_f64_f32, d, double, f, (float)a)
CAST_KERNEL(cast_f64_f64, d, double, d, a)
CAST_KERNEL(cast_f64_f16, d, double, f, arith_round_f16(a))
CAST_KERNEL(cast_f64_bf16, d, double, f, arith_round_bf16(a))

/* The class of lanes of a source. */
typedef enum lane_class { FROM_ANY, FROM_U64, FROM_F32, FROM_F64, N_LANE_CLASSES } lane_class;

static lane_class class_of(pm_scalar scalar) {
  if (scalar == PM_U64) return FROM_U64;
  if (scalar == PM_F64) return FROM_F64;
  return pm_get_scalar_info(scalar)->is_float ? FROM_F32 : FROM_ANY;
}

#define TO_INTS(p, i1, i64, u64)                                                                             \
  [PM_I1] = i1, [PM_I8] = p##_i8, [PM_I16] = p##_i16, [PM_I32] = p##_i32, [PM_I64] = i64, [PM_U8] = p##_u8,  \
  [PM_U16] = p##_u16, [PM_U32] = p##_u32, [PM_U64] = u64, [PM_INDEX] = i64
#define TO_FLOATS(p) [PM_F16] = p##_f16, [PM_BF16] = p##_bf16, [PM_F32] = p##_f32, [PM_F64] = p##_f64

/* The scalar type that the op converts to. */
static pm_scalar target_of(const pm_op *op) {
  return (pm_scalar)pm_res(op, 0)->type->scalar;
}

pm_kernel arith_cast_kernel(const pm_op *op, pm_scalar from) {
  static const pm_kernel kernels[N_LANE_CLASSES][PM_N_SCALARS] = {
      [FROM_ANY] = {TO_INTS(wrap, wrap_i1, wrap_i64, wrap_i64), TO_FLOATS(cast_any)},
      [FROM_U64] = {TO_INTS(wrap, wrap_i1, wrap_i64, wrap_i64), TO_FLOATS(cast_u64)},
      [FROM_F32] = {TO_INTS(cast_f32, cast_f32_i1, cast_f32_i64, cast_f32_u64), TO_FLOATS(cast_f32)},
      [FROM_F64] = {TO_INTS(cast_f64, cast_f64_i1, cast_f64_i64, cast_f64_u64), TO_FLOATS(cast_f64)},
  };
  return kernels[class_of(from)][target_of(op)];
}

pm_kernel arith_sat_cast_kernel(const pm_op *op, pm_scalar from) {
  static const pm_kernel kernels[N_LANE_CLASSES][PM_N_SCALARS] = {
      [FROM_ANY] = {TO_INTS(sat_any, sat_any_i1, sat_any_i64, sat_any_u64)},
      [FROM_U64] = {TO_INTS(sat_u64, sat_u64_i1, sat_u64_i64, wrap_i64)},
      [FROM_F32] = {TO_INTS(sat_f32, sat_f32_i1, sat_f32_i64, sat_f32_u64)},
      [FROM_F64] = {TO_INTS(sat_f64, sat_f64_i1, sat_f64_i64, sat_f64_u64)},
  };
  return kernels[class_of(from)][target_of(op)];
}

/* --- bits --- */

static uint64_t bits_of_f32(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static float f32_of_bits(uint64_t wide) {
  uint32_t bits = (uint32_t)wide;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static double f64_of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int64_t bits_of_f64(double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

CAST_KERNEL(bits_any_f16, i, int64_t, f, arith_f16_value((uint16_t)a))
CAST_KERNEL(bits_any_bf16, i, int64_t, f, arith_bf16_value((uint16_t)a))
CAST_KERNEL(bits_any_f32, i, int64_t, f, f32_of_bits((uint64_t)a))
CAST_KERNEL(bits_any_f64, i, int64_t, d, f64_of_bits((uint64_t)a))
CAST_KERNEL(bits_f16_i16, f, float, i, (int16_t)arith_f16_bits(a))
CAST_KERNEL(bits_f16_u16, f, float, i, arith_f16_bits(a))
CAST_KERNEL(bits_f16_bf16, f, float, f, arith_bf16_value(arith_f16_bits(a)))
CAST_KERNEL(bits_bf16_i16, f, float, i, (int16_t)arith_bf16_bits(a))
CAST_KERNEL(bits_bf16_u16, f, float, i, arith_bf16_bits(a))
CAST_KERNEL(bits_bf16_f16, f, float, f, arith_f16_value(arith_bf16_bits(a)))
CAST_KERNEL(bits_f32_i32, f, float, i, (int32_t)bits_of_f32(a))
CAST_KERNEL(bits_f32_u32, f, float, i, (int64_t)bits_of_f32(a))
CAST_KERNEL(bits_f64_any, d, double, i, bits_of_f64(a))

pm_kernel arith_bitcast_kernel(const pm_op *op, pm_scalar from) {
  static const pm_kernel of_ints[PM_N_SCALARS] = {TO_INTS(wrap, wrap_i1, wrap_i64, wrap_i64),
                                                  TO_FLOATS(bits_any)};
  static const pm_kernel of_floats[PM_N_SCALARS][PM_N_SCALARS] = {
      [PM_F16] = {[PM_I16] = bits_f16_i16,
                  [PM_U16] = bits_f16_u16,
                  [PM_F16] = cast_f32_f32,
                  [PM_BF16] = bits_f16_bf16},
      [PM_BF16] = {[PM_I16] = bits_bf16_i16,
                   [PM_U16] = bits_bf16_u16,
                   [PM_F16] = bits_bf16_f16,
                   [PM_BF16] = cast_f32_f32},
      [PM_F32] = {[PM_I32] = bits_f32_i32, [PM_U32] = bits_f32_u32, [PM_F32] = cast_f32_f32},
      [PM_F64] = {[PM_I64] = bits_f64_any,
                  [PM_U64] = bits_f64_any,
                  [PM_INDEX] = bits_f64_any,
                  [PM_F64] = cast_f64_f64},
  };
  return pm_get_scalar_info(from)->is_float ? of_floats[from][target_of(op)] : of_ints[target_of(op)];
}
