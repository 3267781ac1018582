/* Places of cells as lower-memref leaves them: sums and products in 64 bits. */
#include "dialects/loop/access.h"
#include "targets/cfamily/cfamily.h"

/* An index that is printed, of `operands`: n_dims dimensions, then symbols. */
typedef struct c_place {
  const pm_use *operands;
  uint32_t n_dims;
} c_place;

static void put_affine(c_emitter *e, pm_affine_expr expr, const c_place *place, int min);

static void put_operand(c_emitter *e, const pm_value *v, int min) {
  bool cast = !pm_is_index(v->type) || !c_is_wide(e, v);
  bool open = cast && c_open(e, C_UNARY, min);
  if (cast) c_put(e, "(%s)", e->language->types[PM_INDEX]);
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
    put_operand(e, place->operands[expr->value].value, min);
    break;
  case PM_AFFINE_SYM:
    put_operand(e, place->operands[place->n_dims + expr->value].value, min);
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
  const c_place place = {access->indices, access->map->n_dims};
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
