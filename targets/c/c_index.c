/* Places of cells as lower-memref leaves them, sums and products in 64 bits, and the sizes of arrays. */
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "targets/c/c_emit.h"

/* An index that is printed, of `operands`: n_dims dimensions, then symbols. */
typedef struct c_place {
  const pm_use *operands;
  uint32_t n_dims;
} c_place;

static bool has_division(pm_affine_expr e) {
  return e->lhs && (e->kind >= PM_AFFINE_FLOORDIV || has_division(e->lhs) || has_division(e->rhs));
}

bool c_check_access(const pm_op *op) {
  loop_access access;
  if (!loop_find_place(op, &access) || !access.map->n_results) return true;
  if (access.map->n_results == 1 && !has_division(access.map->results[0])) return true;
  return pm_op_error(op, "has an index that the target 'c' lacks; the pass lower-memref should run first");
}

static void put_affine(c_emitter *e, pm_affine_expr expr, const c_place *place, int min);

static void put_operand(c_emitter *e, const pm_value *v, int min) {
  bool cast = !pm_is_index(v->type) || !c_is_wide(e, v);
  bool open = cast && c_open(e, C_UNARY, min);
  if (cast) c_put(e, "(int64_t)");
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
    pm_panic(NULL, "the C target meets a division in an index");
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

/* --- sizes --- */

/* The operand that gives the extent of dimension k, or NULL for a constant one. */
static const pm_value *extent_operand(pm_type type, const pm_use *extents, unsigned k) {
  unsigned n = 0;
  if (type->dims[k] != PM_DYNAMIC) return NULL;
  for (unsigned i = 0; i < k; i++) n += type->dims[i] == PM_DYNAMIC;
  return extents[n].value;
}

static void put_extent(c_emitter *e, pm_type type, const pm_use *extents, unsigned k, int min) {
  const pm_value *operand = extent_operand(type, extents, k);
  if (operand)
    c_expr(e, operand, min);
  else
    c_integer(e, type->dims[k], PM_INDEX, min);
}

/* The operand of a stride that the type leaves open, behind those of extents, or NULL. */
static const pm_value *stride_operand(pm_type type, const pm_use *extents, unsigned k) {
  unsigned n = 0;
  if (type->strides[k] != PM_DYNAMIC) return NULL;
  for (unsigned i = 0; i < type->rank; i++) n += type->dims[i] == PM_DYNAMIC;
  for (unsigned i = 0; i < k; i++) n += type->strides[i] == PM_DYNAMIC;
  return extents[n].value;
}

static void put_stride(c_emitter *e, pm_type type, const pm_use *extents, unsigned k, int min) {
  const pm_value *operand = stride_operand(type, extents, k);
  if (operand)
    c_expr(e, operand, min);
  else
    c_integer(e, type->strides[k], PM_INDEX, min);
}

bool c_constant_bytes(pm_type type, int64_t *bytes) {
  int64_t total = (int64_t)pm_scalar_bytes((pm_scalar)type->scalar);
  if (type->strides) {
    int64_t rows = type->dims[0] < 0 ? 0 : type->dims[0];
    return arith_checked_mul(total, type->strides[0], &total) && arith_checked_mul(total, rows, bytes);
  }
  for (unsigned k = 0; k < type->rank; k++)
    if (!arith_checked_mul(total, type->dims[k] < 0 ? 0 : type->dims[k], &total)) return false;
  *bytes = total;
  return true;
}

void c_byte_count(c_emitter *e, pm_type type, const pm_use *extents) {
  if (type->strides) {
    c_put(e, "pm_size(pm_size(sizeof(%s), ", c_type_name(pm_elem_type(type)));
    put_extent(e, type, extents, 0, C_TERNARY);
    c_put(e, "), ");
    put_stride(e, type, extents, 0, C_TERNARY);
    c_put(e, ")");
    e->uses_size = true;
    return;
  }
  for (unsigned k = 0; k < type->rank; k++) c_put(e, "pm_size(");
  c_put(e, "sizeof(%s)", c_type_name(pm_elem_type(type)));
  for (unsigned k = 0; k < type->rank; k++) {
    c_put(e, ", ");
    put_extent(e, type, extents, k, C_TERNARY);
    c_put(e, ")");
  }
  e->uses_size = e->uses_size || type->rank > 0;
}

void c_alloc_bytes(c_emitter *e, const pm_op *alloc) {
  const char *larger = alloc->n_results > 1 ? c_use_helper(e, C_MAX, PM_I64) : NULL;
  for (unsigned i = 0; i + 1 < alloc->n_results; i++) c_put(e, "%s(", larger);
  for (unsigned i = 0; i < alloc->n_results; i++) {
    if (i) c_put(e, ", ");
    c_byte_count(e, pm_res(alloc, i)->type, &alloc->operands[buf_first_extent(alloc, i)]);
    if (i) c_put(e, ")");
  }
}

int64_t c_constant_alloc_bytes(const pm_op *alloc) {
  int64_t most = 0, bytes;
  for (unsigned i = 0; i < alloc->n_results; i++) {
    if (!c_constant_bytes(pm_res(alloc, i)->type, &bytes)) return INT64_MAX;
    if (bytes > most) most = bytes;
  }
  return most;
}
