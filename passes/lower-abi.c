/* lower-abi: what callers of a function need beside it becomes functions of their own. Beside each function
 * for callers outside stands one that gives the bytes of memory that a call takes for intermediates, as far
 * as its scalars say.
 *
 *                                                 |  loop.func @f_scratch_bytes of @f -> index {
 *                                                 |    %n = loop.param @n : index
 *                                                 |    %0 = arith.constant 4 : index
 *   loop.func @f {                                |    %1 = arith.constant 0 : index
 *     %n = loop.param @n : index                  |    %2 = arith.maxi %n, %1 : index
 *     %t = buf.alloc(%n) : memref<?xf32, heap>    |    %3 = arith.mulsat %0, %2 : index
 *     …                                           |    loop.yield %3 : index
 *   }                                             |  }
 */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "dialects/arith/range.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/scratch.h"

#include <stdlib.h>

/* The function that is being made. */
typedef struct sizes {
  pm_builder b;
  const loop_scratch *scratch;
  pm_map *copies; /* pm_value of the other function -> the same value here */
} sizes;

/* --- values of the other function --- */

static pm_walk copy_op(void *user, pm_op *op) {
  sizes *s = user;
  bool needed = pm_has_trait(op, PM_PURE) && pm_map_has(s->scratch->needed, op);
  if (needed || pm_is(op, &loop_param))
    pm_insert(s->b.region, s->b.before, pm_clone(s->b.module, op, s->copies));
  return PM_WALK_ON;
}

/* --- bytes --- */

static pm_value *add(sizes *s, pm_value *a, pm_value *b) {
  return a ? pm_build_binary(&s->b, &arith_addsat, a, b) : b;
}

static pm_value *multiply(sizes *s, pm_value *a, pm_value *b) {
  return a ? pm_build_binary(&s->b, &arith_mulsat, a, b) : b;
}

/* An operand that is an extent, or a stride. */
static pm_value *open_size(sizes *s, const pm_use *use) {
  pm_value *size = pm_map_get(s->copies, use->value);
  pm_attr constant = pm_constant_value(size);
  if (constant) return arith_build_index(&s->b, constant->i < 0 ? 0 : constant->i);
  return pm_build_binary(&s->b, &arith_maxi, size, arith_build_index(&s->b, 0));
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

/* The operands that the size depends on: all extents of a dense array, else the first extent and stride. */
static pm_value *array_bytes(sizes *s, const pm_op *alloc, unsigned i) {
  pm_type type = pm_res(alloc, i)->type;
  const pm_use *use = &alloc->operands[buf_first_extent(alloc, i)];
  pm_value *bytes = arith_build_index(&s->b, fixed_bytes(type));
  for (unsigned k = 0; k < type->rank; k++)
    if (type->dims[k] == PM_DYNAMIC) {
      if (!type->strides || k == 0) bytes = multiply(s, bytes, open_size(s, use));
      use++;
    }
  if (type->strides && type->strides[0] == PM_DYNAMIC) bytes = multiply(s, bytes, open_size(s, use));
  return bytes;
}

/* Arrays that share memory take that of the largest. */
static pm_value *alloc_bytes(sizes *s, const pm_op *alloc) {
  pm_value *most = array_bytes(s, alloc, 0);
  for (unsigned i = 1; i < alloc->n_results; i++)
    most = pm_build_binary(&s->b, &arith_maxi, most, array_bytes(s, alloc, i));
  return most;
}

static pm_value *of_all_threads(sizes *s, pm_value *bytes) {
  return multiply(s, bytes, loop_build_threads(&s->b));
}

static pm_value *all_bytes(sizes *s) {
  const loop_scratch *scratch = s->scratch;
  bool none = !scratch->each_thread && !scratch->allocs.len;
  pm_value *sum = scratch->once || none ? arith_build_index(&s->b, scratch->once) : NULL;
  if (scratch->each_thread)
    sum = add(s, sum, of_all_threads(s, arith_build_index(&s->b, scratch->each_thread)));
  for (size_t i = 0; i < scratch->allocs.len; i++) {
    const pm_op *alloc = scratch->allocs.data[i];
    pm_value *bytes = alloc_bytes(s, alloc);
    sum = add(s, sum, loop_is_in_threads(alloc) ? of_all_threads(s, bytes) : bytes);
  }
  return sum;
}

/* --- functions --- */

static pm_walk stop_at_call(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &loop_call) ? PM_WALK_STOP : PM_WALK_ON;
}

static pm_attr doc_of(pm_context *ctx, pm_op *func, const loop_scratch *scratch) {
  bool calls = !pm_walk_pre(func, stop_at_call, NULL);
  pm_buf text = {0};
  pm_buf_printf(&text, "Bytes of memory that %s takes for intermediates with these arguments, at most%s%s.",
                pm_sym_at(func, loop_func_sym)->text,
                scratch->partial ? ", not counting those whose size depends on more than them" : "",
                calls ? ", not counting those of functions that it calls" : "");
  pm_attr doc = pm_get_string_attr(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return doc;
}

static pm_string name_of(pm_context *ctx, const pm_op *func) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_scratch_bytes", pm_sym_at(func, loop_func_sym)->text);
  pm_string name = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name;
}

static void build_scratch_bytes(pm_module *module, pm_op *func, pm_string name) {
  pm_context *ctx = pm_op_context(func);
  pm_builder b = pm_builder_at_end(module, func->region, func->loc);
  b.before = func->next;
  loop_scratch scratch = loop_find_scratch(func);
  pm_op *made = loop_build_func(&b, name, NULL);
  pm_set_attr(made, loop_func_of, func->attrs[loop_func_sym]);
  pm_set_attr(made, loop_func_result, pm_get_type_attr(pm_get_index(ctx)));
  pm_set_attr(made, loop_func_doc, doc_of(ctx, func, &scratch));
  sizes s = {pm_builder_at_end(module, pm_region_at(made, loop_func_body), func->loc), &scratch,
             pm_map_new()};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) pm_walk_pre(op, copy_op, &s);
  pm_value *bytes = all_bytes(&s);
  loop_build_yield(&s.b, &bytes, 1);
  pm_map_free(s.copies);
  loop_scratch_free(&scratch);
}

/* It has no companion yet. */
static bool wants_scratch_bytes(pm_op *op) {
  return pm_is(op, &loop_func) && !loop_is_private(op) && !loop_result_of(op) &&
         !pm_lookup_symbol(op->region, name_of(pm_op_context(op), op));
}

pm_result pass_lower_abi(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  int64_t made = 0;
  PM_FOR_OPS(op, pm_region_at(root, 0)) {
    if (!wants_scratch_bytes(op)) continue;
    build_scratch_bytes(root->module, op, name_of(pm_op_context(op), op));
    made++;
  }
  pm_pass_stat(p, "functions made", made);
  return made ? PM_CHANGED : PM_UNCHANGED;
}
