/* lower-abi: what a call is for its callers. What may go wrong becomes loop.require ops with the codes that
 * the call gives: null pointers and sizes beyond 64 bits, behind the last array of the caller; memory that is
 * not found, behind its allocation. Memory of computed size is told its bytes. Beside each function for
 * callers outside stands one that gives the bytes of memory that a call takes for intermediates, as far as
 * its scalars say, and one that gives the extents of its arrays.
 *
 *                                                 |  loop.func @f {
 *                                                 |    %n = loop.param @n : index
 *   loop.func @f {                                |    %0 = arith.constant 0 : index
 *     %n = loop.param @n : index                  |    %1 = arith.maxi %n, %0 : index
 *     %t = buf.alloc(%n) : memref<?xf32, heap>    |    %2 = arith.constant 4 : index
 *     …                                           |    %3 = arith.mulsat %1, %2 : index
 *   }                                             |    %4 = arith.constant 9223372036854775807 : index
 *                                                 |    %5 = arith.cmp ne, %3, %4 : index
 *                                                 |    loop.require %5 code 4
 *                                                 |    %t = buf.alloc(%n) bytes %3 : memref<?xf32, heap>
 *                                                 |    %6 = buf.nonnull %t : (memref<?xf32, heap>) -> i1
 *                                                 |    loop.require %6 code 3
 *                                                 |    …
 *                                                 |  }
 *                                                 |  loop.func @f_scratch_bytes of @f -> index {
 *                                                 |    …
 *                                                 |    loop.yield %3 : index
 *                                                 |  }
 *                                                 |  loop.func @f_extent of @f -> index { … }
 */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "dialects/arith/range.h"
#include "dialects/loop/analyses/frames.h"
#include "dialects/loop/analyses/scratch.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

/* --- checks --- */

static pm_value *both(pm_builder *b, pm_value *a, pm_value *c) {
  return a ? pm_build_binary(b, &arith_andi, a, c) : c;
}

/* The condition, and that the bytes fit 64 bits, unless that is known. */
static pm_value *both_fit(pm_builder *b, pm_value *condition, pm_value *bytes) {
  pm_attr known = pm_constant_value(bytes);
  if (known && known->i != INT64_MAX) return condition;
  return both(b, condition, arith_build_cmp(b, ARITH_NE, bytes, arith_build_index(b, INT64_MAX)));
}

static bool has_code(const pm_op *op, loop_code code) {
  return pm_is(op, &loop_require) && pm_attr_at(op, loop_require_code) &&
         pm_int_at(op, loop_require_code) == code;
}

static bool is_checked(const pm_op *alloc) {
  const pm_op *next = alloc->next;
  return pm_is(next, &buf_nonnull) && has_code(next->next, LOOP_OUT_OF_MEMORY);
}

static pm_builder builder_behind(pm_op *op) {
  pm_builder b = pm_builder_at_end(pm_module_of(op), op->region, op->loc);
  b.before = op->next;
  return b;
}

static void give_bytes(pm_op *alloc) {
  pm_builder b = pm_builder_before(alloc);
  pm_value *bytes = loop_build_alloc_bytes(&b, alloc), *fit = both_fit(&b, NULL, bytes);
  if (fit) loop_build_check(&b, fit, LOOP_TOO_LARGE);
  pm_add_operand(alloc, bytes);
}

static pm_walk check_alloc(void *user, pm_op *op) {
  int64_t *checks = user;
  if (!pm_is(op, &buf_alloc) || loop_owner_of(op) == LOOP_OWNER_NONE || is_checked(op)) return PM_WALK_ON;
  if (op->n_operands && !buf_alloc_bytes(op)) give_bytes(op);
  pm_builder b = builder_behind(op);
  loop_build_check(&b, buf_build_nonnull(&b, pm_res(op, 0)), LOOP_OUT_OF_MEMORY);
  ++*checks;
  return PM_WALK_ON;
}

static bool is_given(const pm_op *op) {
  return pm_is(op, &buf_input) || pm_is(op, &buf_output);
}

/* An array before has as many cells of as many bytes. */
static bool has_twin(const pm_op *array) {
  pm_type type = pm_res(array, 0)->type;
  for (const pm_op *op = pm_prev(array); op; op = pm_prev(op)) {
    bool same = is_given(op) && pm_res(op, 0)->type == type;
    for (unsigned i = 0; same && i < op->n_operands; i++) same = pm_arg(op, i) == pm_arg(array, i);
    if (same) return true;
  }
  return false;
}

static int64_t check_given(const pm_op *func) {
  pm_op *last = NULL;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (has_code(op, LOOP_NULL_POINTER)) return 0;
    if (is_given(op)) last = op;
  }
  if (!last) return 0;
  pm_builder b = builder_behind(last);
  pm_value *exist = NULL, *fit = NULL;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (is_given(op)) exist = both(&b, exist, buf_build_nonnull(&b, pm_res(op, 0)));
  loop_build_check(&b, exist, LOOP_NULL_POINTER);
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (is_given(op) && op->n_operands && !has_twin(op))
    fit = both_fit(&b, fit, loop_build_array_bytes(&b, pm_res(op, 0)->type, pm_operands(op)));
  if (fit) loop_build_check(&b, fit, LOOP_TOO_LARGE);
  return 1;
}

static int64_t number_requires(const pm_op *func) {
  int64_t code = LOOP_FIRST_REQUIRE, given = 0;
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) {
    if (!pm_is(op, &loop_require) || !pm_attr_at(op, loop_require_message)) continue;
    if (!pm_attr_at(op, loop_require_code)) {
      pm_set_attr(op, loop_require_code, pm_get_index_attr(pm_op_context(op), code));
      given++;
    }
    code++;
  }
  return given;
}

static int64_t add_checks(pm_op *func) {
  int64_t checks = number_requires(func) + check_given(func);
  (void)pm_walk_pre(func, check_alloc, &checks);
  return checks;
}

/* --- the function that gives the bytes --- */

typedef struct sizes {
  pm_builder b;
  const loop_scratch *scratch;
  pm_map *copies; /* pm_value of the other function -> the same value here */
} sizes;

static pm_walk copy_op(void *user, pm_op *op) {
  sizes *s = user;
  bool needed = pm_has_trait(op, PM_PURE) && pm_map_has(s->scratch->needed, op);
  if (needed || pm_is(op, &loop_param))
    pm_insert(s->b.region, s->b.before, pm_clone(s->b.module, op, s->copies));
  return PM_WALK_ON;
}

static pm_value *add(sizes *s, pm_value *a, pm_value *b) {
  return a ? pm_build_binary(&s->b, &arith_addsat, a, b) : b;
}

static pm_value *of_all_threads(sizes *s, pm_value *bytes) {
  return pm_build_binary(&s->b, &arith_mulsat, bytes, loop_build_threads(&s->b));
}

static pm_value *all_bytes(sizes *s) {
  const loop_scratch *scratch = s->scratch;
  bool none = !scratch->each_thread && !scratch->allocs.len;
  pm_value *sum = scratch->once || none ? arith_build_index(&s->b, scratch->once) : NULL;
  if (scratch->each_thread)
    sum = add(s, sum, of_all_threads(s, arith_build_index(&s->b, scratch->each_thread)));
  for (size_t i = 0; i < scratch->allocs.len; i++) {
    const pm_op *alloc = scratch->allocs.data[i];
    pm_value *bytes = pm_map_get(s->copies, loop_memory_bytes(alloc));
    sum = add(s, sum, loop_is_in_threads(alloc) ? of_all_threads(s, bytes) : bytes);
  }
  return sum;
}

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

static pm_string name_of(pm_context *ctx, const pm_op *func, const char *end) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s", pm_sym_at(func, loop_func_sym)->text, end);
  pm_string name = pm_get_string(ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name;
}

/* Behind the function and what stands behind it already: a function of its scalars that gives an index. */
static pm_op *build_companion(pm_op *func, pm_string name, pm_attr doc) {
  pm_builder b = pm_builder_at_end(pm_module_of(func), func->region, func->loc);
  b.before = func->next;
  pm_op *made = loop_build_func(&b, name, NULL);
  pm_set_attr(made, loop_func_of, pm_attr_at(func, loop_func_sym));
  pm_set_attr(made, loop_func_result, pm_get_type_attr(pm_get_index(pm_op_context(func))));
  pm_set_attr(made, loop_func_doc, doc);
  return made;
}

static void build_scratch_bytes(pm_op *func, pm_string name) {
  loop_scratch scratch = loop_find_scratch(func);
  pm_op *made = build_companion(func, name, doc_of(pm_op_context(func), func, &scratch));
  sizes s = {pm_builder_at_end(pm_module_of(func), pm_region_at(made, loop_func_body), func->loc), &scratch,
             pm_map_new()};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body)) pm_walk_pre(op, copy_op, &s);
  pm_value *bytes = all_bytes(&s);
  loop_build_yield(&s.b, &bytes, 1);
  pm_map_free(s.copies);
  loop_scratch_free(&scratch);
}

/* --- the function that gives the extents --- */

/* In the order of a call: inputs, then outputs; true where `each` was so for all. */
static bool for_arrays(const pm_op *func, bool (*each)(void *user, pm_op *array, int64_t number),
                       void *user) {
  const pm_op_desc *const kinds[] = {&buf_input, &buf_output};
  int64_t n = 0;
  for (size_t k = 0; k < PM_COUNT(kinds); k++) PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (op->desc == kinds[k] && !each(user, op, n++)) return false;
  return true;
}

static bool has_known_extents(void *user, pm_op *array, int64_t number) {
  *(bool *)user = true;
  (void)number;
  for (unsigned i = 0; i < array->n_operands; i++)
    if (!loop_depends_on_arguments(pm_arg(array, i))) return false;
  return !pm_res(array, 0)->type->strides;
}

typedef struct extents {
  pm_builder b;
  pm_map *copies; /* pm_value of the other function -> the same value here */
  pm_value *array, *dimension, *result;
} extents;

static pm_value *copy_value(extents *x, pm_value *v) {
  pm_value *known = pm_map_get(x->copies, v);
  if (known) return known;
  pm_op *op = pm_def(v);
  for (unsigned i = 0; i < op->n_operands; i++) (void)copy_value(x, pm_arg(op, i));
  pm_insert(x->b.region, x->b.before, pm_clone(x->b.module, op, x->copies));
  return pm_map_get(x->copies, v);
}

static pm_value *is_number(extents *x, pm_value *v, int64_t n) {
  return arith_build_cmp(&x->b, ARITH_EQ, v, arith_build_int(&x->b, v->type, n));
}

static bool add_extents(void *user, pm_op *array, int64_t number) {
  extents *x = user;
  pm_type type = pm_res(array, 0)->type;
  unsigned open = 0;
  for (unsigned d = 0; d < type->rank; d++) {
    bool is_open = type->dims[d] == PM_DYNAMIC;
    pm_value *extent =
        is_open ? copy_value(x, pm_arg(array, open++)) : arith_build_index(&x->b, type->dims[d]);
    pm_value *here = both(&x->b, is_number(x, x->array, number), is_number(x, x->dimension, d));
    x->result = arith_build_select(&x->b, here, extent, x->result);
  }
  return true;
}

static void build_extent(pm_op *func, pm_string name) {
  pm_context *ctx = pm_op_context(func);
  pm_op *made = build_companion(
      func, name,
      pm_get_string_attr(ctx,
                         PM_STR("The extent along a dimension of an array with these arguments; both are "
                                "counted from 0, arrays in the order of a call.")));
  extents x = {.b = pm_builder_at_end(pm_module_of(func), pm_region_at(made, loop_func_body), func->loc),
               .copies = pm_map_new()};
  PM_FOR_OPS(op, pm_region_at(func, loop_func_body))
  if (pm_is(op, &loop_param)) (void)copy_value(&x, pm_res(op, 0));
  x.array = loop_build_own_param(&x.b, "array", pm_get_scalar(ctx, PM_I32));
  x.dimension = loop_build_own_param(&x.b, "dimension", pm_get_scalar(ctx, PM_I32));
  x.result = arith_build_index(&x.b, 0);
  (void)for_arrays(func, add_extents, &x);
  loop_build_yield(&x.b, &x.result, 1);
  pm_map_free(x.copies);
}

/* --- functions --- */

/* It has no companion of that name yet. */
static bool wants(pm_op *op, const char *end) {
  return pm_is(op, &loop_func) && !loop_is_private(op) && !loop_result_of(op) &&
         !pm_lookup_symbol(op->region, name_of(pm_op_context(op), op, end));
}

static bool wants_extent(pm_op *op) {
  bool any = false;
  return wants(op, "_extent") && for_arrays(op, has_known_extents, &any) && any;
}

/* --- boxes --- */

/* The dimensions that callers' arrays of any layout may have. */
enum { MAX_RANK = 8 };

/* `user` is the first array that has more, or NULL. */
static bool has_small_rank(void *user, pm_op *array, int64_t number) {
  (void)number;
  if (pm_res(array, 0)->type->rank > MAX_RANK) *(pm_op **)user = array;
  return !*(pm_op **)user;
}

/* Whoever asked for boxes would look for the function in vain. */
static void warn_without_boxes(pm_op *op) {
  pm_context *ctx = pm_op_context(op);
  pm_op *array = NULL;
  pm_string sym = pm_is(op, &loop_func) ? pm_sym_at(op, loop_func_region) : NULL;
  pm_op *whole = sym ? pm_lookup_symbol(op->region, sym) : NULL;
  if (!whole) return;
  if (!for_arrays(op, has_small_rank, &array))
    pm_warning(ctx, array->loc,
               "there is no function for boxes of '%s': '%s' has %u dimensions, more than %d", sym->text,
               pm_attr_at(array, 0)->s->text, pm_res(array, 0)->type->rank, MAX_RANK);
  else if (!pm_lookup_symbol(op->region, name_of(ctx, whole, "_extent")))
    pm_warning(
        ctx, op->loc,
        "there is no function for boxes of '%s': the extents of its arrays are not known ahead of a call",
        sym->text);
}

pm_result pass_lower_abi(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  int64_t made = 0, checks = 0;
  PM_FOR_OPS(op, pm_region_at(root, 0))
  if (pm_is(op, &loop_func)) checks += add_checks(op);
  PM_FOR_OPS(op, pm_region_at(root, 0)) {
    bool extent = wants_extent(op), bytes = wants(op, "_scratch_bytes");
    if (extent) build_extent(op, name_of(pm_op_context(op), op, "_extent"));
    if (bytes) build_scratch_bytes(op, name_of(pm_op_context(op), op, "_scratch_bytes"));
    made += extent + bytes;
  }
  PM_FOR_OPS(op, pm_region_at(root, 0)) warn_without_boxes(op);
  pm_pass_stat(p, "checks", checks);
  pm_pass_stat(p, "functions made", made);
  return made || checks ? PM_CHANGED : PM_UNCHANGED;
}
