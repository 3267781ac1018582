/* lower-memref: accesses by the place of the cell in row-major order, in place of one index for each
 * dimension; strides are values beside the array, constant operands are put in, and divisions in indices are
 * ops of arith. What is left of an index are sums and products that do not wrap.
 *
 *                                                 |  %d = arith.constant 2 : index
 *   %b = buf.input @b(%n, %m) : memref<?x?xf32>   |  %b = buf.input @b(%n, %m) : memref<?x?xf32>
 *   loop.for %i = %c0 to %n step 1 {              |  loop.for %i = %c0 to %n step 1 {
 *                                                 |    %0 = arith.divi %i, %d : index
 *     %v = buf.load %b[%i floordiv 2, %k + 1]     |    %v = buf.load %b[%0 * symbol(%m) + %k + 1]
 *         : memref<?x?xf32>                       |        : memref<?x?xf32>
 */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "dialects/arith/range.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/rewrite/one_index.h"

#include <stdlib.h>

/* One dimension of an array: the cells from one index to the next. */
typedef struct stride {
  int64_t number;  /* when `value` is NULL */
  pm_value *value; /* an index */
  bool found;
} stride;

typedef struct lowering {
  pm_context *ctx;
  pm_module *module;
  pm_arena *arena;
  pm_map *strides; /* pm_value, the buffer -> stride[rank]; not yet found where nothing needed them */
} lowering;

/* --- strides --- */

/* The extents and strides that a type leaves open, of one result of the op that makes the buffer. */
static const pm_use *open_sizes(const pm_value *buffer) {
  const pm_op *def = pm_def(buffer);
  return &pm_operands(def)[pm_is(def, &buf_alloc) ? buf_first_extent(def, pm_value_index(buffer)) : 0];
}

static stride stride_of_value(pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  return constant ? (stride){constant->i, NULL, true} : (stride){0, value, true};
}

static unsigned count_open(const int64_t *sizes, unsigned n) {
  unsigned open = 0;
  for (unsigned i = 0; i < n; i++) open += sizes[i] == PM_DYNAMIC;
  return open;
}

static stride extent_of(const pm_value *buffer, unsigned k) {
  pm_type type = buffer->type;
  if (type->dims[k] != PM_DYNAMIC) return (stride){type->dims[k], NULL, true};
  return stride_of_value(open_sizes(buffer)[count_open(type->dims, k)].value);
}

/* The stride that the type says; the open ones are operands behind the extents. */
static stride given_stride(const pm_value *buffer, unsigned k) {
  pm_type type = buffer->type;
  if (type->strides[k] != PM_DYNAMIC) return (stride){type->strides[k], NULL, true};
  unsigned n = count_open(type->dims, type->rank) + count_open(type->strides, k);
  return stride_of_value(open_sizes(buffer)[n].value);
}

/* Where values beside the array are computed: behind those that are there already. */
static pm_builder behind(pm_module *module, const pm_value *buffer, const stride *known, unsigned rank) {
  pm_op *last = pm_def(buffer);
  for (unsigned k = 0; k < rank; k++)
    if (known[k].value && pm_def(known[k].value) && pm_def(known[k].value)->region == last->region &&
        pm_op_is_before(last, pm_def(known[k].value)))
      last = pm_def(known[k].value);
  pm_builder b = pm_builder_at_end(module, last->region, last->loc);
  b.before = last->next;
  return b;
}

static pm_value *value_of(pm_builder *b, stride s) {
  return s.value ? s.value : arith_build_index(b, s.number);
}

/* `%b_s0` */
static void name_stride(pm_context *ctx, const pm_value *buffer, unsigned k, pm_value *value) {
  pm_buf text = {0};
  const pm_op *def = pm_def(buffer);
  bool alloc = pm_is(def, &buf_alloc);
  pm_string sym = alloc && buffer->name ? buffer->name
                  : alloc               ? pm_sym_at(def, buf_alloc_stage)
                                        : pm_attr_at(def, 0)->s;
  pm_buf_printf(&text, "%s_s%u", sym ? sym->text : "tmp", k);
  value->name = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
}

static stride multiply(lowering *l, const pm_value *buffer, const stride *known, unsigned k, stride inner) {
  stride extent = extent_of(buffer, k + 1), product = {0, NULL, true};
  if (!inner.value && inner.number == 1) return extent;
  if (!inner.value && !extent.value && arith_checked_mul(inner.number, extent.number, &product.number))
    return product;
  pm_builder b = behind(l->module, buffer, known, buffer->type->rank);
  product.value = pm_build_binary(&b, &arith_muli, value_of(&b, extent), value_of(&b, inner));
  name_stride(l->ctx, buffer, k, product.value);
  return product;
}

/* What index k of the buffer is multiplied by. */
static stride stride_of(lowering *l, const pm_value *buffer, unsigned k) {
  unsigned rank = buffer->type->rank;
  if (buffer->type->strides) return given_stride(buffer, k);
  stride *known = pm_map_get(l->strides, buffer);
  if (!known) {
    known = pm_arena_alloc(l->arena, (rank + 1) * sizeof *known);
    pm_map_set(l->strides, buffer, known);
  }
  if (k + 1 == rank) return (stride){1, NULL, true};
  if (!known[k].found) known[k] = multiply(l, buffer, known, k, stride_of(l, buffer, k + 1));
  return known[k];
}

/* --- indices --- */

/* The operands of one access that is being made: dimensions of its index, and symbols. They are few: the pool
 * has no map of numbers. */
typedef struct place {
  pm_builder b;
  affine_pool dims;
  affine_values symbols;
} place;

static pm_affine_expr dim_of(place *p, pm_context *ctx, pm_value *value) {
  size_t i = 0;
  while (i < p->dims.operands.len && p->dims.operands.data[i] != value) i++;
  if (i == p->dims.operands.len) PM_VEC_PUSH(p->dims.operands, value);
  return pm_affine_dim(ctx, (uint32_t)i);
}

static pm_affine_expr symbol_of(place *p, pm_context *ctx, pm_value *value) {
  size_t i = 0;
  while (i < p->symbols.len && p->symbols.data[i] != value) i++;
  if (i == p->symbols.len) PM_VEC_PUSH(p->symbols, value);
  return pm_affine_sym(ctx, (uint32_t)i);
}

/* The value as an expression: a number when it is constant. */
static pm_affine_expr expr_of_value(place *p, pm_context *ctx, pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  return constant ? pm_affine_const(ctx, constant->i) : dim_of(p, ctx, value);
}

/* The expression, in dimensions of the pool, with divisions made ops. */
static pm_affine_expr without_divisions(place *p, pm_affine_expr e) {
  if (!e->lhs) return e;
  pm_affine_expr l = without_divisions(p, e->lhs), r = without_divisions(p, e->rhs);
  pm_affine_expr same = pm_affine_binary(e->kind, l, r);
  if (same->kind < PM_AFFINE_FLOORDIV) return same;
  return dim_of(p, e->ctx, affine_build_value(&p->b, &p->dims, same));
}

static pm_affine_expr index_of(place *p, const loop_access *access, uint32_t k) {
  pm_affine_map map = access->map;
  PM_VEC(pm_affine_expr) operands = {0};
  for (uint32_t i = 0; i < loop_n_indices(access); i++)
    PM_VEC_PUSH(operands, expr_of_value(p, map->ctx, access->indices[i].value));
  const pm_affine_expr *syms = map->n_syms ? &operands.data[map->n_dims] : NULL;
  pm_affine_expr e = pm_affine_substitute(map->results[k], operands.data, syms);
  PM_VEC_FREE(operands);
  return without_divisions(p, e);
}

static bool is_zero(pm_affine_expr e) {
  return e->kind == PM_AFFINE_CONST && e->value == 0;
}

/* The sum, term by term: constants come together at its end. */
static pm_affine_expr add_terms(pm_affine_expr sum, pm_affine_expr e) {
  return e->kind == PM_AFFINE_ADD ? add_terms(add_terms(sum, e->lhs), e->rhs) : pm_affine_add(sum, e);
}

/* Strides of indices that are always 0 are not asked for. */
static pm_affine_expr place_of(lowering *l, place *p, const loop_access *access) {
  pm_affine_expr sum = pm_affine_const(l->ctx, 0);
  for (uint32_t k = 0; k < access->map->n_results; k++) {
    pm_affine_expr index = index_of(p, access, k);
    if (is_zero(index)) continue;
    stride s = stride_of(l, access->buffer, k);
    pm_affine_expr by = s.value ? symbol_of(p, l->ctx, s.value) : pm_affine_const(l->ctx, s.number);
    sum = add_terms(sum, pm_affine_mul(index, by));
  }
  return sum;
}

/* --- ops --- */

static bool has_division(pm_affine_expr e) {
  return e->lhs && (e->kind >= PM_AFFINE_FLOORDIV || has_division(e->lhs) || has_division(e->rhs));
}

/* The op that makes the buffer says what its extents are. */
static bool has_extents(const pm_value *buffer) {
  const pm_op *def = pm_def(buffer);
  return def && (pm_is(def, &buf_input) || pm_is(def, &buf_output) || pm_is(def, &buf_constant) ||
                 pm_is(def, &buf_alloc) || pm_is(def, &buf_argument));
}

/* It has one index, of sums and products, and no operand is constant. */
static bool is_lowered(const loop_access *access) {
  if (access->map->n_results > 1) return false;
  for (uint32_t i = 0; i < loop_n_indices(access); i++)
    if (pm_constant_value(access->indices[i].value)) return false;
  return !access->map->n_results || !has_division(access->map->results[0]);
}

static void lower(lowering *l, place *p, pm_op *op, const loop_access *access) {
  p->b = pm_builder_before(op);
  p->dims.operands.len = p->symbols.len = 0;
  loop_set_place(op, access, place_of(l, p, access), &p->dims, &p->symbols);
}

static pm_walk list_accesses(void *user, pm_op *op) {
  loop_list *list = user;
  loop_access access;
  if (loop_find_place(op, &access) && has_extents(access.buffer) && !is_lowered(&access))
    PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

pm_result pass_lower_memref(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  lowering l = {pm_op_context(root), pm_module_of(root), pm_pass_arena(p), pm_map_new()};
  loop_list accesses = {0};
  place made = {0};
  pm_walk_pre(root, list_accesses, &accesses);
  for (size_t i = 0; i < accesses.len; i++) {
    loop_access access;
    if (loop_find_place(accesses.data[i], &access)) lower(&l, &made, accesses.data[i], &access);
  }
  pm_map_free(l.strides);
  PM_VEC_FREE(made.dims.operands);
  PM_VEC_FREE(made.symbols);
  pm_pass_stat(p, "accesses lowered", (int64_t)accesses.len);
  bool changed = accesses.len > 0;
  PM_VEC_FREE(accesses);
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
