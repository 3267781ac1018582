/* Questions about loops. */
#include "dialects/loop/analyses/loops.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>
#include <string.h>

bool loop_is_loop(const pm_op *op) {
  return pm_is(op, &loop_for) || pm_is(op, &loop_parallel);
}

pm_value *loop_counter_of(const pm_op *loop) {
  return pm_region_at(loop, 0)->args[0];
}

bool loop_is_of_items(const pm_op *op) {
  return pm_is(op, &loop_parallel) && pm_attr_at(op, loop_parallel_items);
}

/* --- loop-like --- */

static pm_value *build_runs(pm_builder *b, const pm_op *loop) {
  pm_value *lb = pm_arg(loop, 0), *ub = pm_arg(loop, 1);
  pm_attr first = pm_constant_value(lb), end = pm_constant_value(ub);
  return first && end && first->i < end->i ? NULL : arith_build_cmp(b, ARITH_LT, lb, ub);
}

static bool hands_over(const pm_op *parallel) {
  return !loop_is_of_items(parallel);
}

const pm_loop_like loop_for_loop_like = {.n_bounds = 2, .counts = true, .runs = build_runs};
const pm_loop_like loop_parallel_loop_like = {
    .n_bounds = 2, .counts = true, .runs = build_runs, .hands_over = hands_over};

/* --- vector loops --- */

bool loop_has_free_iterations(const pm_op *op) {
  return pm_is(op, &loop_for) && pm_attr_at(op, loop_for_simd) && !op->n_results &&
         pm_attr_at(op, loop_for_step)->i == 1;
}

void loop_make_scalar(pm_op *loop) {
  static const unsigned of_vectors[] = {loop_for_simd, loop_for_width, loop_for_prefetch, loop_for_ordered};
  for (size_t i = 0; i < PM_COUNT(of_vectors); i++) pm_set_attr(loop, of_vectors[i], NULL);
  loop_drop_prefetches(pm_region_at(loop, loop_for_body));
}

void loop_drop_prefetches(pm_region *region) {
  PM_FOR_OPS(op, region)
  if (pm_is(op, &buf_prefetch)) pm_op_erase(op);
}

static pm_walk add_vector_loop(void *user, pm_op *op) {
  loop_list *list = user;
  if (loop_has_free_iterations(op)) PM_VEC_PUSH(*list, op);
  return PM_WALK_ON;
}

void loop_list_vector_loops(pm_op *root, loop_list *list) {
  pm_walk_pre(root, add_vector_loop, list);
}

bool loop_changes_in(const pm_value *value, const pm_op *loop) {
  return pm_is_ancestor(loop, pm_value_region(value)->op);
}

bool loop_goes_along_row(const pm_op *op, const pm_op *loop, const pm_op *around) {
  loop_access access;
  const pm_value *counter = loop_counter_of(loop);
  if (!loop_find_access(op, &access)) return false;
  for (uint32_t i = 0; i < loop_n_indices(&access); i++) {
    const pm_value *index = access.indices[i].value;
    if (index != counter && loop_changes_in(index, around)) return false;
  }
  return loop_goes_along(&access, counter);
}

int64_t loop_less(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a - (uint64_t)b);
}

loop_sum loop_sum_of(const pm_value *value, int64_t added) {
  for (;;) {
    pm_attr number = pm_constant_value(value);
    if (number) return (loop_sum){NULL, loop_less(added, loop_less(0, number->i))};
    const pm_op *op = pm_is_arg(value) ? NULL : pm_def(value);
    pm_attr right = op && pm_is(op, &arith_addi) ? pm_constant_value(pm_arg(op, arith_addi_rhs)) : NULL;
    if (!right) return (loop_sum){value, added};
    value = pm_arg(op, arith_addi_lhs);
    added = loop_less(added, loop_less(0, right->i));
  }
}

static int64_t trips_of(const pm_op *loop, int64_t length) {
  return length > 0 ? (length - 1) / pm_int_at(loop, loop_for_step) + 1 : 0;
}

static bool find_length(loop_sum begin, loop_sum end, int64_t *length) {
  *length = loop_less(end.added, begin.added);
  return begin.base == end.base && *length <= INT32_MAX && *length >= INT32_MIN;
}

bool loop_find_length(const pm_value *lb, const pm_value *ub, int64_t *length) {
  return find_length(loop_sum_of(lb, 0), loop_sum_of(ub, 0), length);
}

bool loop_is_empty(const pm_value *lb, const pm_value *ub) {
  int64_t length;
  return loop_find_length(lb, ub, &length) && length <= 0;
}

bool loop_find_trips(const pm_op *loop, int64_t *trips) {
  int64_t length;
  if (!loop_find_length(pm_arg(loop, loop_for_lb), pm_arg(loop, loop_for_ub), &length)) return false;
  *trips = trips_of(loop, length);
  return true;
}

enum { MAX_BOUNDS = 16 };

/* The sum, and those that it is the minimum or, by `desc`, maximum of: as many as there is room for. */
static unsigned list_bounds(loop_sum bound, const pm_op_desc *desc, loop_sum *list) {
  unsigned n = 0;
  list[n++] = bound;
  for (unsigned i = 0; i < n; i++) {
    const pm_op *op = list[i].base ? pm_def(list[i].base) : NULL;
    for (unsigned k = 0; k < 2 && pm_is(op, desc) && n < MAX_BOUNDS; k++)
      list[n++] = loop_sum_of(pm_arg(op, k), list[i].added);
  }
  return n;
}

bool loop_find_most_trips(const pm_op *loop, int64_t *most) {
  loop_sum begins[MAX_BOUNDS], ends[MAX_BOUNDS];
  unsigned n_begins = list_bounds(loop_sum_of(pm_arg(loop, loop_for_lb), 0), &arith_maxi, begins);
  unsigned n_ends = list_bounds(loop_sum_of(pm_arg(loop, loop_for_ub), 0), &arith_mini, ends);
  int64_t least = INT64_MAX, length;
  for (unsigned i = 0; i < n_begins; i++)
    for (unsigned k = 0; k < n_ends; k++)
      if (find_length(begins[i], ends[k], &length) && length < least) least = length;
  if (least == INT64_MAX) return false;
  *most = trips_of(loop, least);
  return true;
}

bool loop_find_streaming(const pm_op *loop, loop_streaming *copy) {
  if (!loop_has_free_iterations(loop)) return false;
  const pm_region *body = pm_region_at(loop, loop_for_body);
  const pm_op *load = body->first, *store = load ? load->next : NULL;
  if (!store || (store->next && !pm_has_trait(store->next, PM_TERMINATOR))) return false;
  if (!pm_is(load, &buf_load) || !pm_is(store, &buf_store) || !pm_attr_at(store, buf_store_nontemporal))
    return false;
  if (pm_arg(store, buf_store_value) != pm_res(load, 0)) return false;
  if (loop_share_memory(pm_arg(load, buf_load_buffer), pm_arg(store, buf_store_buffer))) return false;
  *copy = (loop_streaming){load, store};
  return loop_goes_along_row(load, loop, loop) && loop_goes_along_row(store, loop, loop);
}

/* --- stages --- */

typedef struct stage_names {
  const pm_op *root;
  bool inside; /* of memory that lives in the root */
  PM_VEC(const char *) names;
} stage_names;

/* Arrays that have a tuple name its stage, and those that share memory have names of their own. */
static const char *stage_of_array(const pm_value *array) {
  const pm_op *def = pm_def(array);
  pm_string name = NULL;
  if (pm_is(def, &buf_output)) name = pm_sym_at(def, buf_output_stage);
  if (pm_is(def, &buf_output) && !name) name = pm_sym_at(def, buf_output_sym);
  if (pm_is(def, &buf_argument)) name = pm_sym_at(def, buf_argument_sym);
  if (pm_is(def, &buf_alloc) && def->n_results == 1) name = pm_sym_at(def, buf_alloc_stage);
  if (!name) name = array->name;
  return name ? name->text : NULL;
}

static bool is_inside(const pm_op *op, const pm_op *root) {
  while (op && op != root) op = pm_parent(op);
  return op;
}

static pm_walk add_stage(void *user, pm_op *op) {
  stage_names *s = user;
  loop_access access;
  if (!loop_find_access(op, &access) || !pm_has_trait(op, PM_WRITES)) return PM_WALK_ON;
  if (is_inside(pm_def(access.buffer), s->root) != s->inside) return PM_WALK_ON;
  pm_string stored = buf_stage_of(op);
  const char *name = stored ? stored->text : stage_of_array(access.buffer);
  for (size_t i = 0; name && i < s->names.len; i++)
    if (strcmp(s->names.data[i], name) == 0) return PM_WALK_ON;
  if (name) PM_VEC_PUSH(s->names, name);
  return PM_WALK_ON;
}

void loop_put_stages(pm_op *op, pm_buf *out) {
  stage_names s = {.root = op, .inside = true};
  (void)pm_walk_pre(op, add_stage, &s);
  s.inside = false;
  (void)pm_walk_pre(op, add_stage, &s);
  for (size_t i = 0; i < s.names.len; i++) pm_buf_printf(out, "%s%s", i ? ", " : "", s.names.data[i]);
  PM_VEC_FREE(s.names);
}
