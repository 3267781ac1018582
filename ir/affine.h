/* Affine expressions and maps, spelled as in MLIR: affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>.
 * Interned; simplified when made (constants folded, x + 0, x * 1, constants to the right), never more than
 * that. */
#ifndef PM_IR_AFFINE_H
#define PM_IR_AFFINE_H

#include "ir/context.h"

typedef enum pm_affine_kind {
  PM_AFFINE_CONST,    /* value */
  PM_AFFINE_DIM,      /* d<value> */
  PM_AFFINE_SYM,      /* s<value> */
  PM_AFFINE_ADD,      /* lhs + rhs */
  PM_AFFINE_MUL,      /* lhs * rhs, rhs without dims */
  PM_AFFINE_FLOORDIV, /* rounds toward minus infinity; rhs a constant > 0 */
  PM_AFFINE_CEILDIV,
  PM_AFFINE_MOD /* result in 0..rhs-1; rhs a constant > 0 */
} pm_affine_kind;

struct pm_affine_expr_storage {
  pm_context *ctx;
  pm_affine_kind kind;
  int64_t value;
  const struct pm_affine_expr_storage *lhs, *rhs;
};
typedef const struct pm_affine_expr_storage *pm_affine_expr;

struct pm_affine_map_storage {
  pm_context *ctx;
  uint32_t n_dims, n_syms, n_results;
  const pm_affine_expr *results;
};
typedef const struct pm_affine_map_storage *pm_affine_map;

pm_affine_expr pm_affine_const(pm_context *ctx, int64_t value);
pm_affine_expr pm_affine_dim(pm_context *ctx, uint32_t position);
pm_affine_expr pm_affine_sym(pm_context *ctx, uint32_t position);
/* `kind` is ADD .. MOD. Constant arithmetic wraps; division by a constant <= 0 panics (check before). */
pm_affine_expr pm_affine_binary(pm_affine_kind kind, pm_affine_expr lhs, pm_affine_expr rhs);
static inline pm_affine_expr pm_affine_add(pm_affine_expr a, pm_affine_expr b) {
  return pm_affine_binary(PM_AFFINE_ADD, a, b);
}
static inline pm_affine_expr pm_affine_mul(pm_affine_expr a, pm_affine_expr b) {
  return pm_affine_binary(PM_AFFINE_MUL, a, b);
}
static inline pm_affine_expr pm_affine_addc(pm_affine_expr a, int64_t c) {
  return pm_affine_add(a, pm_affine_const(a->ctx, c));
}

pm_affine_map pm_get_affine_map(pm_context *ctx, uint32_t n_dims, uint32_t n_syms,
                                const pm_affine_expr *results, uint32_t n_results);
/* Arithmetic wraps at 64 bits. */
int64_t pm_affine_eval(pm_affine_expr expr, const int64_t *dims, const int64_t *syms);
/* expr with every dim i replaced by dims[i] and every symbol j by syms[j] (either array may be NULL: kept).
 */
pm_affine_expr pm_affine_substitute(pm_affine_expr expr, const pm_affine_expr *dims,
                                    const pm_affine_expr *syms);
/* Linear form: true when expr = sum coeffs[i]*d_i + terms without dims; coeffs has n_dims entries. */
bool pm_affine_dim_coeffs(pm_affine_expr expr, int64_t *coeffs, uint32_t n_dims);
/* The same value with like terms collected: c1 * t1 + c2 * t2 + … + c, terms in order of first appearance,
 * where a term is a dim, a symbol, a product, floordiv, ceildiv or mod (whose operand is normalized too). */
pm_affine_expr pm_affine_normalize(pm_affine_expr expr);
/* The same value in normal form, without the multiples of the divisor in dividends: (4x + y + 5) floordiv 2
 * is 2x + (y + 1) floordiv 2 + 2. For expressions in which no sum or product wraps. */
pm_affine_expr pm_affine_divide_out(pm_affine_expr expr);

/* dim_names/sym_names replace d0.. and s0..: NULL for the plain names; entries are printed as they are
 * ("%x"). */
void pm_print_affine_expr(pm_buf *out, pm_affine_expr expr, const char *const *dim_names,
                          const char *const *sym_names);
void pm_print_affine_map(pm_buf *out, pm_affine_map map);

#endif
