/* Places in vector loops that are several cells apart, `%b[%i * 2 + 1]`. LLVM's vectorizer loads them whole
 * and picks lanes, which is faster than gathers, if it sees that the addresses do not wrap; it sees that of
 * an address which moves inside its array from iteration to iteration:
 *
 *     p = phi [&b[lb * 2], …], [&p[2], …]       for all of b[i * 2], b[i * 2 + 1] …
 *
 * So accesses that stand in the loop itself, under no condition, go by such addresses. */
#include "targets/llvm/backend/emit.h"

#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/buf.h"

#include <stdlib.h>

/* --- the index --- */

/* What the value is multiplied by; false where that is no number. */
static bool find_factor(const loop_access *access, pm_affine_expr expr, const pm_value *value,
                        int64_t *factor) {
  int64_t lhs = 0, rhs = 0;
  *factor = 0;
  if (!loop_index_mentions(access, expr, value)) return true;
  if (expr->kind == PM_AFFINE_DIM) {
    *factor = 1;
    return true;
  }
  if (expr->kind == PM_AFFINE_MUL) {
    bool constant = expr->rhs->kind == PM_AFFINE_CONST && find_factor(access, expr->lhs, value, &lhs);
    if (constant) *factor = pm_wrap_mul(lhs, expr->rhs->value);
    return constant;
  }
  bool sum = expr->kind == PM_AFFINE_ADD && find_factor(access, expr->lhs, value, &lhs) &&
             find_factor(access, expr->rhs, value, &rhs);
  *factor = pm_wrap_add(lhs, rhs);
  return sum;
}

static bool ends_in_constant(pm_affine_expr expr) {
  return expr->kind == PM_AFFINE_ADD && expr->rhs->kind == PM_AFFINE_CONST;
}

static pm_affine_expr without_constant(pm_affine_expr expr) {
  return ends_in_constant(expr) ? expr->lhs : expr;
}

static bool has_same_operands(const loop_access *a, const loop_access *b) {
  if (loop_n_indices(a) != loop_n_indices(b) || a->map->n_dims != b->map->n_dims) return false;
  for (uint32_t i = 0; i < loop_n_indices(a); i++)
    if (a->indices[i].value != b->indices[i].value) return false;
  return true;
}

static ll_stride *find(const ll_strides *strides, const loop_access *access) {
  for (size_t i = 0; i < strides->len; i++) {
    ll_stride *s = &strides->data[i];
    if (s->access.buffer == access->buffer && s->rest == without_constant(access->map->results[0]) &&
        has_same_operands(&s->access, access))
      return s;
  }
  return NULL;
}

/* --- finding them --- */

/* All that the index is made of is known ahead of the loop. */
static bool is_known(const ll_emitter *e, const loop_access *access) {
  for (uint32_t i = 0; i < loop_n_indices(access); i++) {
    const pm_value *v = access->indices[i].value;
    if (!pm_constant_value(v) && !pm_map_has(e->body.values, v)) return false;
  }
  return pm_constant_value(access->buffer) || pm_map_has(e->body.values, access->buffer);
}

static LLVMTypeRef cell_of(const ll_emitter *e, const ll_stride *s) {
  return ll_cell_type(e, pm_elem_type(s->access.buffer->type));
}

static void add(ll_emitter *e, const pm_op *op, const pm_value *counter, int64_t step, ll_strides *strides) {
  int64_t factor, cells;
  loop_access access;
  if (!(pm_is(op, &buf_load) || pm_is(op, &buf_store)) || !loop_find_access(op, &access)) return;
  if (!access.map->n_results || !find_factor(&access, access.map->results[0], counter, &factor)) return;
  bool far = !__builtin_mul_overflow(factor, step, &cells) && (cells > 1 || cells < -1);
  if (!far || !is_known(e, &access) || find(strides, &access)) return;
  ll_stride s = {access, without_constant(access.map->results[0]), cells, NULL, NULL};
  LLVMValueRef place = ll_affine(e, s.rest, &access);
  s.first = LLVMBuildGEP2(e->builder, cell_of(e, &s), ll_value(e, access.buffer), &place, 1, "");
  PM_VEC_PUSH(*strides, s);
}

ll_strides ll_find_strides(ll_emitter *e, const pm_op *loop, int64_t step) {
  ll_strides strides = {0};
  const pm_region *body = pm_region_at(loop, 0);
  PM_FOR_OPS(op, body) add(e, op, body->args[0], step, &strides);
  return strides;
}

/* --- moving them --- */

void ll_begin_strides(ll_emitter *e, LLVMBasicBlockRef before) {
  for (size_t i = 0; i < e->strides.len; i++) {
    ll_stride *s = &e->strides.data[i];
    s->address = LLVMBuildPhi(e->builder, e->pointer, "");
    LLVMAddIncoming(s->address, &s->first, &before, 1);
  }
}

/* Inside the array, or poison behind the last iteration, when nobody looks. */
void ll_end_strides(ll_emitter *e, LLVMBasicBlockRef latch) {
  for (size_t i = 0; i < e->strides.len; i++) {
    ll_stride *s = &e->strides.data[i];
    LLVMValueRef cells = ll_i64(e, s->cells);
    LLVMValueRef next = LLVMBuildInBoundsGEP2(e->builder, cell_of(e, s), s->address, &cells, 1, "");
    LLVMAddIncoming(s->address, &next, &latch, 1);
  }
}

LLVMValueRef ll_stride_address(ll_emitter *e, const loop_access *access) {
  const ll_stride *s = access->map->n_results ? find(&e->strides, access) : NULL;
  if (!s) return NULL;
  pm_affine_expr expr = access->map->results[0];
  if (!ends_in_constant(expr)) return s->address;
  LLVMValueRef cells = ll_i64(e, expr->rhs->value);
  return LLVMBuildGEP2(e->builder, cell_of(e, s), s->address, &cells, 1, "");
}
