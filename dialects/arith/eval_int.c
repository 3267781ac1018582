/* Kernels of the integer ops. Lanes hold integers extended to 64 bits, so that only results that can leave
 * the type are wrapped, and only u64 needs loops of its own where order or sign matters. i1 is the unsigned
 * type of 0 and 1. */
#include "dialects/arith/kernels.h"

#include "dialects/arith/arith.h"

static inline int64_t wrap_i1(uint64_t v) {
  return (int64_t)(v & 1);
}
static inline int64_t wrap_i8(uint64_t v) {
  return (int8_t)v;
}
static inline int64_t wrap_i16(uint64_t v) {
  return (int16_t)v;
}
static inline int64_t wrap_i32(uint64_t v) {
  return (int32_t)v;
}
static inline int64_t wrap_i64(uint64_t v) {
  return (int64_t)v;
}
static inline int64_t wrap_u8(uint64_t v) {
  return (uint8_t)v;
}
static inline int64_t wrap_u16(uint64_t v) {
  return (uint16_t)v;
}
static inline int64_t wrap_u32(uint64_t v) {
  return (uint32_t)v;
}

static inline uint64_t negate(int64_t v) {
  return 0 - (uint64_t)v;
}
static inline uint64_t magnitude(int64_t v) {
  return v < 0 ? negate(v) : (uint64_t)v;
}

/* a / b toward zero; 0 for b = 0. Wraps for MIN / -1. */
static inline uint64_t trunc_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return negate(a);
  return (uint64_t)(a / b);
}

static inline uint64_t trunc_remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : (uint64_t)(a % b);
}

/* In 0..|b|-1; 0 for b = 0. */
static inline uint64_t euclid_remainder(int64_t a, int64_t b) {
  uint64_t r = trunc_remainder(a, b);
  return (int64_t)r < 0 ? r + magnitude(b) : r;
}

static inline uint64_t euclid_quotient(int64_t a, int64_t b) {
  uint64_t q = trunc_quotient(a, b);
  if ((int64_t)trunc_remainder(a, b) >= 0) return q;
  return b > 0 ? q - 1 : q + 1;
}

static inline uint64_t unsigned_quotient(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : a / b;
}
static inline uint64_t unsigned_remainder(uint64_t a, uint64_t b) {
  return b == 0 ? 0 : a % b;
}

/* The amount is read as unsigned of the type's width. */
static inline uint64_t shift_left(int64_t a, int64_t amount, unsigned bits) {
  uint64_t by = bits == 64 ? (uint64_t)amount : (uint64_t)amount & ((UINT64_C(1) << bits) - 1);
  return by >= bits ? 0 : (uint64_t)a << by;
}

static inline uint64_t shift_right_signed(int64_t a, int64_t amount, unsigned bits) {
  uint64_t by = bits == 64 ? (uint64_t)amount : (uint64_t)amount & ((UINT64_C(1) << bits) - 1);
  if (by >= bits) by = 63;
  return a < 0 ? ~(~(uint64_t)a >> by) : (uint64_t)a >> by;
}

static inline uint64_t shift_right_unsigned(int64_t a, int64_t amount, unsigned bits) {
  return (uint64_t)amount >= bits ? 0 : (uint64_t)a >> (uint64_t)amount;
}

static int64_t saturated_sum(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static int64_t saturated_product(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : product;
}

#define INT_KERNEL(name, expr)                                                                               \
  static void name(const pm_lane *const *args, pm_lane *out, size_t n) {                                     \
    const pm_lane *l = args[0], *r = args[1];                                                                \
    for (size_t k = 0; k < n; k++) {                                                                         \
      int64_t a = l[k].i, b = r[k].i;                                                                        \
      out[k].i = (int64_t)(expr);                                                                            \
    }                                                                                                        \
  }

#define WRAPPED_KERNELS(t, bits)                                                                             \
  INT_KERNEL(addi_##t, wrap_##t((uint64_t)a + (uint64_t)b))                                                  \
  INT_KERNEL(subi_##t, wrap_##t((uint64_t)a - (uint64_t)b))                                                  \
  INT_KERNEL(muli_##t, wrap_##t((uint64_t)a *(uint64_t)b))                                                   \
  INT_KERNEL(divi_##t, wrap_##t(euclid_quotient(a, b)))                                                      \
  INT_KERNEL(trunc_div_##t, wrap_##t(trunc_quotient(a, b)))                                                  \
  INT_KERNEL(shli_##t, wrap_##t(shift_left(a, b, bits)))

WRAPPED_KERNELS(i1, 1)
WRAPPED_KERNELS(i8, 8)
WRAPPED_KERNELS(i16, 16)
WRAPPED_KERNELS(i32, 32)
WRAPPED_KERNELS(i64, 64)
WRAPPED_KERNELS(u8, 8)
WRAPPED_KERNELS(u16, 16)
WRAPPED_KERNELS(u32, 32)

INT_KERNEL(divi_u64, unsigned_quotient((uint64_t)a, (uint64_t)b))
INT_KERNEL(remi_u64, unsigned_remainder((uint64_t)a, (uint64_t)b))
INT_KERNEL(remi_any, euclid_remainder(a, b))
INT_KERNEL(trunc_rem_any, trunc_remainder(a, b))
INT_KERNEL(addsat_index, saturated_sum(a, b))
INT_KERNEL(mulsat_index, saturated_product(a, b))
INT_KERNEL(mini_any, a < b ? a : b)
INT_KERNEL(maxi_any, a > b ? a : b)
INT_KERNEL(mini_u64, (uint64_t)a < (uint64_t)b ? a : b)
INT_KERNEL(maxi_u64, (uint64_t)a > (uint64_t)b ? a : b)
INT_KERNEL(andi_any, (uint64_t)a &(uint64_t)b)
INT_KERNEL(ori_any, (uint64_t)a | (uint64_t)b)
INT_KERNEL(xori_any, (uint64_t)a ^ (uint64_t)b)
INT_KERNEL(shri_i8, shift_right_signed(a, b, 8))
INT_KERNEL(shri_i16, shift_right_signed(a, b, 16))
INT_KERNEL(shri_i32, shift_right_signed(a, b, 32))
INT_KERNEL(shri_i64, shift_right_signed(a, b, 64))
INT_KERNEL(shri_i1, shift_right_unsigned(a, b, 1))
INT_KERNEL(shri_u8, shift_right_unsigned(a, b, 8))
INT_KERNEL(shri_u16, shift_right_unsigned(a, b, 16))
INT_KERNEL(shri_u32, shift_right_unsigned(a, b, 32))
INT_KERNEL(shri_u64, shift_right_unsigned(a, b, 64))

#define BY_TYPE(op, u64)                                                                                     \
  {                                                                                                          \
    [PM_I1] = op##_i1, [PM_I8] = op##_i8, [PM_I16] = op##_i16, [PM_I32] = op##_i32, [PM_I64] = op##_i64,     \
    [PM_U8] = op##_u8, [PM_U16] = op##_u16, [PM_U32] = op##_u32, [PM_U64] = u64, [PM_INDEX] = op##_i64       \
  }
#define BY_SIGN(any, u64)                                                                                    \
  {                                                                                                          \
    [PM_I1] = any, [PM_I8] = any, [PM_I16] = any, [PM_I32] = any, [PM_I64] = any, [PM_U8] = any,             \
    [PM_U16] = any, [PM_U32] = any, [PM_U64] = u64, [PM_INDEX] = any                                         \
  }

/* The hook of an op of integers. */
#define INT_HOOK(op, table)                                                                                  \
  pm_kernel arith_##op##_kernel(const pm_op *o, pm_scalar scalar) {                                          \
    static const pm_kernel by_scalar[PM_N_SCALARS] = table;                                                  \
    (void)o;                                                                                                 \
    return by_scalar[scalar];                                                                                \
  }

INT_HOOK(addi, BY_TYPE(addi, addi_i64))
INT_HOOK(subi, BY_TYPE(subi, subi_i64))
INT_HOOK(muli, BY_TYPE(muli, muli_i64))
INT_HOOK(addsat, {[PM_INDEX] = addsat_index})
INT_HOOK(mulsat, {[PM_INDEX] = mulsat_index})
INT_HOOK(divi, BY_TYPE(divi, divi_u64))
INT_HOOK(remi, BY_SIGN(remi_any, remi_u64))
INT_HOOK(trunc_div, BY_TYPE(trunc_div, divi_u64))
INT_HOOK(trunc_rem, BY_SIGN(trunc_rem_any, remi_u64))
INT_HOOK(mini, BY_SIGN(mini_any, mini_u64))
INT_HOOK(maxi, BY_SIGN(maxi_any, maxi_u64))
INT_HOOK(andi, BY_SIGN(andi_any, andi_any))
INT_HOOK(ori, BY_SIGN(ori_any, ori_any))
INT_HOOK(xori, BY_SIGN(xori_any, xori_any))
INT_HOOK(shli, BY_TYPE(shli, shli_i64))
INT_HOOK(shri, BY_TYPE(shri, shri_u64))

#define CMP_INT_KERNELS(pred, op)                                                                            \
  INT_KERNEL(cmp_##pred##_any, a op b)                                                                       \
  INT_KERNEL(cmp_##pred##_u64, (uint64_t)a op(uint64_t) b)

#define CMP_FLOAT_KERNEL(name, field, op)                                                                    \
  static void name(const pm_lane *const *args, pm_lane *out, size_t n) {                                     \
    const pm_lane *l = args[0], *r = args[1];                                                                \
    for (size_t k = 0; k < n; k++) out[k].i = l[k].field op r[k].field;                                      \
  }

#define CMP_KERNELS(pred, op)                                                                                \
  CMP_INT_KERNELS(pred, op)                                                                                  \
  CMP_FLOAT_KERNEL(cmp_##pred##_f32, f, op)                                                                  \
  CMP_FLOAT_KERNEL(cmp_##pred##_f64, d, op)

CMP_KERNELS(eq, ==)
CMP_KERNELS(ne, !=)
CMP_KERNELS(lt, <)
CMP_KERNELS(le, <=)
CMP_KERNELS(gt, >)
CMP_KERNELS(ge, >=)

pm_kernel arith_cmp_kernel(const pm_op *op, pm_scalar scalar) {
  static const pm_kernel ints[] = {cmp_eq_any, cmp_ne_any, cmp_lt_any, cmp_le_any, cmp_gt_any, cmp_ge_any};
  static const pm_kernel u64s[] = {cmp_eq_u64, cmp_ne_u64, cmp_lt_u64, cmp_le_u64, cmp_gt_u64, cmp_ge_u64};
  static const pm_kernel f32s[] = {cmp_eq_f32, cmp_ne_f32, cmp_lt_f32, cmp_le_f32, cmp_gt_f32, cmp_ge_f32};
  static const pm_kernel f64s[] = {cmp_eq_f64, cmp_ne_f64, cmp_lt_f64, cmp_le_f64, cmp_gt_f64, cmp_ge_f64};
  arith_pred pred = arith_cmp_pred(op);
  if (scalar == PM_F64) return f64s[pred];
  if (pm_get_scalar_info(scalar)->is_float) return f32s[pred];
  return scalar == PM_U64 ? u64s[pred] : ints[pred];
}

static void select_kernel(const pm_lane *const *args, pm_lane *out, size_t n) {
  const pm_lane *c = args[0], *a = args[1], *b = args[2];
  for (size_t k = 0; k < n; k++) out[k].i = c[k].i ? a[k].i : b[k].i;
}

pm_kernel arith_select_kernel(const pm_op *op, pm_scalar scalar) {
  (void)op, (void)scalar;
  return select_kernel;
}
