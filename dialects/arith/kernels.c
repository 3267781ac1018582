/* The kernels of the rows of arith, and those of comparisons and selections. Lanes hold integers extended to
 * 64 bits, so that only u64 needs expressions of its own where order or sign matters. i1 is the unsigned type
 * of 0 and 1. Nothing may be contracted here: the build forbids it, -ffp-contract=off of CMakeLists.txt. */
#include "dialects/arith/arith.h"

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

static inline uint64_t saturated_sum(int64_t a, int64_t b) {
  int64_t sum;
  return (uint64_t)(__builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum);
}

static inline uint64_t saturated_product(int64_t a, int64_t b) {
  int64_t product;
  return (uint64_t)(__builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX)
                                                           : product);
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

/* Filled with the sign, which is 0 for unsigned types below 64 bits. */
static inline uint64_t shift_right(int64_t a, int64_t amount, unsigned bits) {
  uint64_t by = bits == 64 ? (uint64_t)amount : (uint64_t)amount & ((UINT64_C(1) << bits) - 1);
  if (by >= bits) by = 63;
  return a < 0 ? ~(~(uint64_t)a >> by) : (uint64_t)a >> by;
}

static inline uint64_t shift_right_unsigned(uint64_t a, uint64_t amount) {
  return amount >= 64 ? 0 : a >> amount;
}

#define PM_DIALECT arith
#define PM_DIALECT_DEF "dialects/arith/arith.def"
#include "dialects/arith/define_kernels.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

#define CMP_KERNEL(name, ctype, field, op)                                                                   \
  static void name(const pm_lane *const *args, pm_lane *out, size_t n) {                                     \
    const pm_lane *l = args[0], *r = args[1];                                                                \
    for (size_t k = 0; k < n; k++) out[k].i = (ctype)l[k].field op(ctype) r[k].field;                        \
  }

#define CMP_KERNELS(pred, op)                                                                                \
  CMP_KERNEL(cmp_##pred##_any, int64_t, i, op)                                                               \
  CMP_KERNEL(cmp_##pred##_u64, uint64_t, i, op)                                                              \
  CMP_KERNEL(cmp_##pred##_f32, float, f, op)                                                                 \
  CMP_KERNEL(cmp_##pred##_f64, double, d, op)

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
