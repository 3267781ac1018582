/* How much memory a call takes. */
#include "dialects/loop/analyses/scratch.h"

#include <stdlib.h>

#include "dialects/arith/arith.h"
#include "dialects/arith/range.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

/* --- constant sizes --- */

bool loop_constant_bytes(pm_type type, int64_t *bytes) {
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

bool loop_constant_cells(pm_type type, int64_t *cells) {
  int64_t bytes;
  if (buf_open_sizes(type) || !loop_constant_bytes(type, &bytes)) return false;
  *cells = bytes / (int64_t)pm_element_bytes(pm_elem_type(type));
  return true;
}

int64_t loop_constant_alloc_bytes(const pm_op *alloc) {
  int64_t most = 0, bytes;
  for (unsigned i = 0; i < alloc->n_results; i++) {
    if (!loop_constant_bytes(pm_res(alloc, i)->type, &bytes)) return INT64_MAX;
    if (bytes > most) most = bytes;
  }
  return most;
}

typedef struct scratch_bytes {
  int64_t once, each_thread;
} scratch_bytes;

static int64_t sum(int64_t a, int64_t b) {
  int64_t out;
  return arith_checked_add(a, b, &out) ? out : INT64_MAX;
}

static int64_t largest(int64_t a, int64_t b) {
  return a > b ? a : b;
}

bool loop_is_in_threads(const pm_op *op) {
  return pm_parent_of(op, &loop_parallel) != NULL;
}

static scratch_bytes constant_bytes(const pm_region *region) {
  scratch_bytes own = {0, 0}, below = {0, 0};
  PM_FOR_OPS(op, region) {
    if (pm_is(op, &buf_alloc) && !op->n_operands) {
      int64_t bytes = loop_constant_alloc_bytes(op);
      if (loop_is_in_threads(op))
        own.each_thread = sum(own.each_thread, bytes);
      else
        own.once = sum(own.once, bytes);
    }
    for (unsigned i = 0; i < op->n_regions; i++) {
      scratch_bytes inner = constant_bytes(pm_region_at(op, i));
      below.once = largest(below.once, inner.once);
      below.each_thread = largest(below.each_thread, inner.each_thread);
    }
  }
  return (scratch_bytes){sum(own.once, below.once), sum(own.each_thread, below.each_thread)};
}

/* --- bytes as values --- */

/* An operand that is an extent or a stride: a factor of the constant, or of the value. */
static pm_value *multiply_by(pm_builder *b, pm_value *bytes, pm_value *size, int64_t *constant) {
  pm_attr known = pm_constant_value(size);
  if (known && !arith_checked_mul(*constant, known->i < 0 ? 0 : known->i, constant)) *constant = INT64_MAX;
  if (known) return bytes;
  pm_value *factor = pm_build_binary(b, &arith_maxi, size, arith_build_index(b, 0));
  return bytes ? pm_build_binary(b, &arith_mulsat, bytes, factor) : factor;
}

/* What the type says of the size: the bytes of an element times all that is no operand. */
static int64_t fixed_bytes(pm_type type) {
  int64_t bytes = (int64_t)pm_scalar_bytes((pm_scalar)type->scalar);
  for (unsigned k = 0; k < (type->strides ? 1 : type->rank); k++)
    if (type->dims[k] != PM_DYNAMIC &&
        !arith_checked_mul(bytes, type->dims[k] < 0 ? 0 : type->dims[k], &bytes))
      bytes = INT64_MAX;
  bool fixed = type->strides && type->strides[0] != PM_DYNAMIC;
  return fixed && !arith_checked_mul(bytes, type->strides[0], &bytes) ? INT64_MAX : bytes;
}

pm_value *loop_build_array_bytes(pm_builder *b, pm_type type, const pm_use *open) {
  int64_t constant = fixed_bytes(type);
  pm_value *bytes = NULL;
  for (unsigned k = 0; k < type->rank; k++)
    if (type->dims[k] == PM_DYNAMIC) {
      if (!type->strides || k == 0) bytes = multiply_by(b, bytes, open->value, &constant);
      open++;
    }
  if (type->strides && type->strides[0] == PM_DYNAMIC) bytes = multiply_by(b, bytes, open->value, &constant);
  if (bytes && constant == 1) return bytes;
  pm_value *times = arith_build_index(b, constant);
  return bytes ? pm_build_binary(b, &arith_mulsat, bytes, times) : times;
}

pm_value *loop_build_alloc_bytes(pm_builder *b, const pm_op *alloc) {
  pm_value *most = NULL;
  for (unsigned i = 0; i < alloc->n_results; i++) {
    pm_value *bytes =
        loop_build_array_bytes(b, pm_res(alloc, i)->type, &pm_operands(alloc)[buf_first_extent(alloc, i)]);
    most = most ? pm_build_binary(b, &arith_maxi, most, bytes) : bytes;
  }
  return most;
}

/* --- sizes that are computed --- */

typedef PM_VEC(const pm_op *) op_list;

bool loop_depends_on_arguments(const pm_value *v) {
  op_list work = {0};
  pm_map *seen = pm_map_new();
  const pm_op *def = pm_def(v);
  bool ok = def != NULL;
  if (ok) PM_VEC_PUSH(work, def);
  while (ok && work.len) {
    const pm_op *op = PM_VEC_POP(work);
    ok = pm_is(op, &loop_param) || pm_has_trait(op, PM_PURE);
    for (unsigned i = 0; ok && i < op->n_operands; i++) {
      def = pm_def(pm_arg(op, i));
      ok = def != NULL;
      if (!ok || pm_map_has(seen, def)) continue;
      pm_map_set(seen, def, NULL);
      PM_VEC_PUSH(work, def);
    }
  }
  pm_map_free(seen);
  PM_VEC_FREE(work);
  return ok;
}

static void add_needed(loop_scratch *s, const pm_value *v) {
  op_list work = {0};
  PM_VEC_PUSH(work, pm_def(v));
  while (work.len) {
    const pm_op *op = PM_VEC_POP(work);
    if (pm_map_has(s->needed, op)) continue;
    pm_map_set(s->needed, op, NULL);
    for (unsigned i = 0; i < op->n_operands; i++) PM_VEC_PUSH(work, pm_def(pm_arg(op, i)));
  }
  PM_VEC_FREE(work);
}

pm_value *loop_memory_bytes(const pm_op *op) {
  if (pm_is(op, &buf_workspace)) return pm_arg(op, buf_workspace_bytes);
  return pm_is(op, &buf_alloc) && !buf_alloc_workspace(op) ? buf_alloc_bytes(op) : NULL;
}

static pm_walk find_alloc(void *user, pm_op *op) {
  loop_scratch *s = user;
  const pm_value *bytes = loop_memory_bytes(op);
  if (!bytes) return PM_WALK_ON;
  if (!loop_depends_on_arguments(bytes)) {
    s->partial = true;
    return PM_WALK_ON;
  }
  add_needed(s, bytes);
  PM_VEC_PUSH(s->allocs, op);
  return PM_WALK_ON;
}

loop_scratch loop_find_scratch(const pm_op *func) {
  scratch_bytes bytes = constant_bytes(pm_region_at(func, loop_func_body));
  loop_scratch s = {.once = bytes.once, .each_thread = bytes.each_thread, .needed = pm_map_new()};
  (void)pm_walk_pre((pm_op *)func, find_alloc, &s);
  return s;
}

void loop_scratch_free(loop_scratch *s) {
  pm_map_free(s->needed);
  PM_VEC_FREE(s->allocs);
}
