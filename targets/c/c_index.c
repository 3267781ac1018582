/* Affine indices, flat and row-major, in 64 bits. */
#include "dialects/loop/access.h"
#include "dialects/loop/buf.h"
#include "targets/c/c_emit.h"

pm_affine_expr c_index_expr(c_emitter *e, pm_affine_map map, const pm_use *operands, unsigned k) {
  pm_affine_expr *dims = pm_arena_alloc(e->arena, (map->n_dims + 1) * sizeof(*dims));
  for (uint32_t i = 0; i < map->n_dims; i++) {
    pm_attr constant = pm_constant_value(operands[i].value);
    dims[i] = constant ? pm_affine_const(e->ctx, constant->i) : pm_affine_dim(e->ctx, i);
  }
  return pm_affine_substitute(map->results[k], dims, NULL);
}

static void put_affine(c_emitter *e, pm_affine_expr expr, const pm_use *operands, int min);

static void put_dim(c_emitter *e, const pm_value *v, int min) {
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
static void put_addend(c_emitter *e, pm_affine_expr expr, const pm_use *operands) {
  if (is_negative_const(expr)) {
    c_put(e, " - ");
    c_integer(e, -expr->value, PM_INDEX, C_PRODUCT);
  } else if (expr->kind == PM_AFFINE_MUL && is_negative_const(expr->rhs)) {
    c_put(e, " - ");
    put_affine(e, pm_affine_mul(expr->lhs, pm_affine_const(e->ctx, -expr->rhs->value)), operands, C_PRODUCT);
  } else {
    c_put(e, " + ");
    put_affine(e, expr, operands, C_SUM);
  }
}

static void put_sum(c_emitter *e, pm_affine_expr expr, const pm_use *operands, int min) {
  bool open = c_open(e, C_SUM, min);
  put_affine(e, expr->lhs, operands, C_SUM);
  put_addend(e, expr->rhs, operands);
  c_close(e, open);
}

static void put_product(c_emitter *e, pm_affine_expr expr, const pm_use *operands, int min) {
  bool minus = expr->rhs->kind == PM_AFFINE_CONST && expr->rhs->value == -1;
  bool open = c_open(e, minus ? C_UNARY : C_PRODUCT, min);
  if (minus) c_put(e, "-");
  put_affine(e, expr->lhs, operands, minus ? C_PRIMARY : C_PRODUCT);
  if (!minus) {
    c_put(e, " * ");
    put_affine(e, expr->rhs, operands, C_UNARY);
  }
  c_close(e, open);
}

static unsigned exact_log2(int64_t v) {
  unsigned n = 0;
  for (; v > 1; v /= 2) n++;
  return n;
}

static void put_bits(c_emitter *e, pm_affine_expr expr, const pm_use *operands, int min) {
  bool mod = expr->kind == PM_AFFINE_MOD;
  bool open = c_open(e, mod ? C_BIT_AND : C_SHIFT, min);
  put_affine(e, expr->lhs, operands, C_UNARY);
  c_put(e, mod ? " & " : " >> ");
  c_integer(e, mod ? expr->rhs->value - 1 : (int64_t)exact_log2(expr->rhs->value), PM_INDEX, C_UNARY);
  c_close(e, open);
}

static void put_division_call(c_emitter *e, pm_affine_expr expr, const pm_use *operands) {
  c_helper helper = expr->kind == PM_AFFINE_MOD       ? C_MOD
                    : expr->kind == PM_AFFINE_CEILDIV ? C_CEILDIV
                                                      : C_FLOORDIV;
  c_put(e, "%s(", c_use_helper(e, helper, PM_INDEX));
  put_affine(e, expr->lhs, operands, C_TERNARY);
  c_put(e, ", ");
  put_affine(e, expr->rhs, operands, C_TERNARY);
  c_put(e, ")");
}

static void put_division(c_emitter *e, pm_affine_expr expr, const pm_use *operands, int min) {
  int64_t d = expr->rhs->value;
  bool ceil = expr->kind == PM_AFFINE_CEILDIV;
  if (!ceil && d > 0 && (d & (d - 1)) == 0)
    put_bits(e, expr, operands, min);
  else if (!ceil && loop_affine_range(e->ranges, expr->lhs, operands, 0).lo >= 0) {
    bool open = c_open(e, C_PRODUCT, min);
    put_affine(e, expr->lhs, operands, C_PRODUCT);
    c_put(e, expr->kind == PM_AFFINE_MOD ? " %% " : " / ");
    put_affine(e, expr->rhs, operands, C_UNARY);
    c_close(e, open);
  } else
    put_division_call(e, expr, operands);
}

static void put_affine(c_emitter *e, pm_affine_expr expr, const pm_use *operands, int min) {
  switch (expr->kind) {
  case PM_AFFINE_CONST:
    c_integer(e, expr->value, PM_INDEX, min);
    break;
  case PM_AFFINE_DIM:
    put_dim(e, operands[expr->value].value, min);
    break;
  case PM_AFFINE_ADD:
    put_sum(e, expr, operands, min);
    break;
  case PM_AFFINE_MUL:
    put_product(e, expr, operands, min);
    break;
  case PM_AFFINE_FLOORDIV:
  case PM_AFFINE_CEILDIV:
  case PM_AFFINE_MOD:
    put_division(e, expr, operands, min);
    break;
  case PM_AFFINE_SYM:
    pm_panic(NULL, "the C target meets an affine symbol in an access");
  }
}

static bool is_zero(pm_affine_expr expr) {
  return expr->kind == PM_AFFINE_CONST && expr->value == 0;
}

/* One term, index times stride, after the text of others unless it is the first. */
static void put_term(c_emitter *e, const c_var *buffer, pm_affine_expr index, unsigned k,
                     const pm_use *operands, bool first, int min) {
  int64_t stride = buffer->stride_values[k], product;
  bool constant = index->kind == PM_AFFINE_CONST;
  if (stride == 1 ||
      (constant && stride != PM_DYNAMIC && arith_checked_mul(index->value, stride, &product))) {
    if (stride != 1) index = pm_affine_const(e->ctx, product);
    if (first)
      put_affine(e, index, operands, min);
    else
      put_addend(e, index, operands);
    return;
  }
  if (!first) c_put(e, " + ");
  put_affine(e, index, operands, C_PRODUCT);
  c_put(e, " * %s", buffer->strides[k]);
}

void c_flat_index(c_emitter *e, const pm_value *buffer, pm_affine_map map, const pm_use *operands) {
  const c_var *var = c_var_of(e, buffer);
  unsigned terms = 0, done = 0;
  for (unsigned k = 0; k < map->n_results; k++) terms += !is_zero(c_index_expr(e, map, operands, k));
  for (unsigned k = 0; k < map->n_results; k++) {
    pm_affine_expr index = c_index_expr(e, map, operands, k);
    if (!is_zero(index)) put_term(e, var, index, k, operands, done++ == 0, terms > 1 ? C_SUM : C_ANY);
  }
  if (!terms) c_put(e, "0");
}

void c_element(c_emitter *e, const pm_value *buffer, pm_affine_map map, const pm_use *operands) {
  c_put(e, "%s[", c_var_of(e, buffer)->name);
  c_flat_index(e, buffer, map, operands);
  c_put(e, "]");
}

/* --- strides --- */

/* Some access needs the stride of dimension k. */
static bool stride_is_used(c_emitter *e, const pm_value *buffer, unsigned k) {
  PM_FOR_USES(use, buffer) {
    loop_access access;
    const pm_op *op = use->owner;
    if (pm_is(op, &buf_prefetch) && !is_zero(c_index_expr(e, pm_attr_at(op, buf_prefetch_map)->map,
                                                          &op->operands[buf_prefetch_indices], k)))
      return true;
    if (!loop_find_access(op, &access) || (access.reads && !c_plan_of(e, op)->live)) continue;
    if (!is_zero(c_index_expr(e, access.map, access.indices, k))) return true;
  }
  return false;
}

static const char *integer_text(c_emitter *e, int64_t value) {
  pm_buf text = {0};
  pm_buf_printf(&text, value == (int32_t)value ? "%lld" : "INT64_C(%lld)", (long long)value);
  const char *kept = pm_arena_strndup(e->arena, text.data, text.len);
  pm_buf_free(&text);
  return kept;
}

/* The operand that gives the extent of dimension k, or NULL for a constant one. */
static const pm_value *extent_operand(pm_type type, const pm_use *extents, unsigned k) {
  unsigned n = 0;
  if (type->dims[k] != PM_DYNAMIC) return NULL;
  for (unsigned i = 0; i < k; i++) n += type->dims[i] == PM_DYNAMIC;
  return extents[n].value;
}

static bool constant_extent(pm_type type, const pm_use *extents, unsigned k, int64_t *value) {
  const pm_value *operand = extent_operand(type, extents, k);
  pm_attr constant = operand ? pm_constant_value(operand) : NULL;
  if (operand && !constant) return false;
  *value = operand ? constant->i : type->dims[k];
  return true;
}

static void put_extent(c_emitter *e, pm_type type, const pm_use *extents, unsigned k, int min) {
  const pm_value *operand = extent_operand(type, extents, k);
  if (operand)
    c_expr(e, operand, min);
  else
    c_integer(e, type->dims[k], PM_INDEX, min);
}

/* `const int64_t img_s0 = n * img_s1;`: wraps for extents that no memory has. */
static const char *declare_product(c_emitter *e, const pm_value *buffer, const pm_use *extents, unsigned k) {
  const c_var *var = c_var_of(e, buffer);
  pm_buf hint = {0};
  pm_buf_printf(&hint, "%s_s%u", var->name, k);
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  c_begin(e);
  if (var->stride_values[k + 1] == 1) {
    c_put(e, "const int64_t %s = ", name);
    put_extent(e, buffer->type, extents, k + 1, C_TERNARY);
  } else {
    c_put(e, "const int64_t %s = (int64_t)((uint64_t)", name);
    put_extent(e, buffer->type, extents, k + 1, C_UNARY);
    c_put(e, " * (uint64_t)%s)", var->strides[k + 1]);
  }
  c_put(e, ";");
  c_end(e);
  return name;
}

static void find_stride(c_emitter *e, const pm_value *buffer, const pm_use *extents, unsigned k) {
  c_var *var = c_var_of(e, buffer);
  int64_t extent, next = var->stride_values[k + 1];
  var->stride_values[k] = PM_DYNAMIC;
  if (next != PM_DYNAMIC && constant_extent(buffer->type, extents, k + 1, &extent) &&
      arith_checked_mul(extent, next, &var->stride_values[k]) && var->stride_values[k] != PM_DYNAMIC) {
    var->strides[k] = integer_text(e, var->stride_values[k]);
    return;
  }
  var->stride_values[k] = PM_DYNAMIC;
  const pm_value *operand = extent_operand(buffer->type, extents, k + 1);
  if (next == 1 && operand && c_var_of(e, operand)->name)
    var->strides[k] = c_var_of(e, operand)->name;
  else
    var->strides[k] = declare_product(e, buffer, extents, k);
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

/* `const int64_t t_s0 = …;` of what is more than a name. */
static const char *declare_stride(c_emitter *e, const pm_value *buffer, const pm_value *operand, unsigned k) {
  pm_buf hint = {0};
  pm_buf_printf(&hint, "%s_s%u", c_var_of(e, buffer)->name, k);
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  c_begin(e);
  c_put(e, "const int64_t %s = ", name);
  c_expr(e, operand, C_ANY);
  c_put(e, ";");
  c_end(e);
  return name;
}

/* The stride that the type says, or an operand. */
static void take_stride(c_emitter *e, const pm_value *buffer, const pm_use *extents, unsigned k) {
  c_var *var = c_var_of(e, buffer);
  const pm_value *operand = stride_operand(buffer->type, extents, k);
  pm_attr constant = operand ? pm_constant_value(operand) : NULL;
  var->stride_values[k] = constant ? constant->i : buffer->type->strides[k];
  if (!operand || constant)
    var->strides[k] = integer_text(e, var->stride_values[k]);
  else
    var->strides[k] =
        c_var_of(e, operand)->name ? c_var_of(e, operand)->name : declare_stride(e, buffer, operand, k);
}

void c_declare_strides(c_emitter *e, const pm_value *buffer, const pm_use *extents) {
  unsigned rank = buffer->type->rank;
  c_var *var = c_var_of(e, buffer);
  var->strides = pm_arena_alloc(e->arena, (rank + 1) * sizeof(*var->strides));
  var->stride_values = pm_arena_alloc(e->arena, (rank + 1) * sizeof(*var->stride_values));
  if (!rank) return;
  if (buffer->type->strides) {
    for (unsigned k = 0; k < rank; k++)
      if (stride_is_used(e, buffer, k)) take_stride(e, buffer, extents, k);
    return;
  }
  unsigned needed = 0;
  while (needed + 1 < rank && !stride_is_used(e, buffer, needed)) needed++;
  var->stride_values[rank - 1] = 1;
  var->strides[rank - 1] = "1";
  for (unsigned k = 0; k < needed; k++) var->stride_values[k] = PM_DYNAMIC;
  for (unsigned k = rank - 1; k-- > needed;) find_stride(e, buffer, extents, k);
}

/* --- sizes --- */

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
