/* Places of cells as lower-memref leaves them: sums and products in 64 bits, or in the language's type of
 * places where in small calls each of them has 32. What is added up is known from both sides: operands have
 * ranges, and the place is one of the array's. */
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/scratch.h"
#include "targets/cfamily/cfamily.h"

/* An index that is printed, of `operands`: n_dims dimensions, then symbols. */
typedef struct c_place {
  const pm_use *operands;
  uint32_t n_dims;
  bool small; /* in the type of places */
} c_place;

/* --- in how many bits --- */

static const pm_value *operand_of(const c_place *place, pm_affine_expr expr) {
  return place->operands[expr->value + (expr->kind == PM_AFFINE_SYM ? place->n_dims : 0)].value;
}

static arith_range both(arith_range a, arith_range b) {
  if (!a.known || !b.known) return a.known ? a : b;
  return (arith_range){true, a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

/* Its negative, too. */
static bool has_32_bits(arith_range r) {
  return r.known && r.lo >= -INT32_MAX && r.hi <= INT32_MAX;
}

/* All that is computed for the expression, which lies in the range. */
static bool is_small(c_emitter *e, pm_affine_expr expr, const c_place *place, arith_range range) {
  if (expr->kind == PM_AFFINE_CONST) return true;
  if (!expr->lhs) return has_32_bits(range) || c_has_64_bits(operand_of(place, expr));
  arith_range a = loop_affine_range(e->small, expr->lhs, place->operands, place->n_dims);
  arith_range b = loop_affine_range(e->small, expr->rhs, place->operands, place->n_dims);
  if (expr->kind == PM_AFFINE_ADD) {
    a = both(a, arith_range_sub(range, b));
    b = both(b, arith_range_sub(range, a));
  }
  return has_32_bits(range) && is_small(e, expr->lhs, place, a) && is_small(e, expr->rhs, place, b);
}

/* The cells of the array, in a small call. */
static arith_range cells_of(const pm_value *buffer) {
  int64_t cells = C_SMALL_CELLS;
  (void)loop_constant_cells(buffer->type, &cells);
  return (arith_range){true, 0, cells - 1};
}

static bool is_small_place(c_emitter *e, const loop_access *access, const c_place *place) {
  if (!e->small || !access->map->n_results) return false;
  pm_affine_expr expr = access->map->results[0];
  arith_range range = loop_affine_range(e->small, expr, place->operands, place->n_dims);
  return is_small(e, expr, place, both(range, cells_of(access->buffer)));
}

/* --- the text --- */

static void put_affine(c_emitter *e, pm_affine_expr expr, const c_place *place, int min);

static void put_operand(c_emitter *e, const pm_value *v, const c_place *place, int min) {
  c_width width = pm_is_index(v->type) ? c_width_of(e, v) : C_INT;
  bool has_few = width == C_PLACE || !c_has_64_bits(v) || c_variable_width(e, v) == C_PLACE;
  bool small = place->small && has_few, cast = width < (small ? C_PLACE : C_LONG);
  bool open = cast && c_open(e, C_UNARY, min);
  if (cast) c_put(e, "(%s)", small ? e->language->place : e->language->types[PM_INDEX]);
  c_expr(e, v, cast ? C_UNARY : min);
  c_close(e, open);
}

static bool is_negative_const(pm_affine_expr expr) {
  return expr->kind == PM_AFFINE_CONST && expr->value < 0 && expr->value > INT64_MIN;
}

/* ` + expr`, or ` - …` for what has a negative constant in front. */
static void put_addend(c_emitter *e, pm_affine_expr expr, const c_place *place) {
  if (is_negative_const(expr)) {
    c_put(e, " - ");
    c_integer(e, -expr->value, PM_INDEX, C_PRODUCT);
  } else if (expr->kind == PM_AFFINE_MUL && is_negative_const(expr->rhs)) {
    c_put(e, " - ");
    put_affine(e, pm_affine_mul(expr->lhs, pm_affine_const(e->ctx, -expr->rhs->value)), place, C_PRODUCT);
  } else {
    c_put(e, " + ");
    put_affine(e, expr, place, C_SUM);
  }
}

static void put_sum(c_emitter *e, pm_affine_expr expr, const c_place *place, int min) {
  bool open = c_open(e, C_SUM, min);
  put_affine(e, expr->lhs, place, C_SUM);
  put_addend(e, expr->rhs, place);
  c_close(e, open);
}

static void put_product(c_emitter *e, pm_affine_expr expr, const c_place *place, int min) {
  bool minus = expr->rhs->kind == PM_AFFINE_CONST && expr->rhs->value == -1;
  bool open = c_open(e, minus ? C_UNARY : C_PRODUCT, min);
  if (minus) c_put(e, "-");
  put_affine(e, expr->lhs, place, minus ? C_PRIMARY : C_PRODUCT);
  if (!minus) {
    c_put(e, " * ");
    put_affine(e, expr->rhs, place, C_UNARY);
  }
  c_close(e, open);
}

static void put_affine(c_emitter *e, pm_affine_expr expr, const c_place *place, int min) {
  switch (expr->kind) {
  case PM_AFFINE_CONST:
    c_integer(e, expr->value, PM_INDEX, min);
    break;
  case PM_AFFINE_DIM:
  case PM_AFFINE_SYM:
    put_operand(e, operand_of(place, expr), place, min);
    break;
  case PM_AFFINE_ADD:
    put_sum(e, expr, place, min);
    break;
  case PM_AFFINE_MUL:
    put_product(e, expr, place, min);
    break;
  default:
    pm_panic(NULL, "a division in an index");
  }
}

void c_flat_index(c_emitter *e, const loop_access *access) {
  c_place place = {access->indices, access->map->n_dims, false};
  place.small = is_small_place(e, access, &place);
  if (access->map->n_results)
    put_affine(e, access->map->results[0], &place, C_ANY);
  else
    c_put(e, "0");
}

void c_element(c_emitter *e, const loop_access *access) {
  c_put(e, "%s[", c_var_of(e, access->buffer)->name);
  c_flat_index(e, access);
  c_put(e, "]");
}
