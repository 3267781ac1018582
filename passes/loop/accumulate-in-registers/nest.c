/* Which vector loops are of a reduction, and which loops around them may change places with it.
 *
 * An iteration of the vector loop loads and stores elements of its own. All else that the nest reads is not
 * written in it. So iterations of different elements may be run in any order; those of one element keep
 * theirs. */
#include "passes/loop/accumulate-in-registers/nest.h"

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"

#include <stdlib.h>

void nest_free(reduction_nest *nest) {
  PM_VEC_FREE(nest->loops);
  PM_VEC_FREE(nest->accumulators);
}

static const pm_op *outermost(const reduction_nest *nest) {
  return nest->loops.len ? nest->loops.data[0] : nest->row;
}

/* Looks for the counter behind what the op uses, and not twice behind the ops in `seen`. */
typedef struct search {
  const pm_op *around, *loop;
  pm_map *seen;
} search;

static bool reaches_counter(const search *s, const pm_op *op);

static bool value_reaches(const search *s, const pm_value *value) {
  if (value == loop_counter_of(s->loop)) return true;
  if (pm_is_arg(value) || !loop_changes_in(value, s->around)) return false;
  return reaches_counter(s, pm_def(value));
}

static bool reaches_counter(const search *s, const pm_op *op) {
  if (pm_map_has(s->seen, op)) return false;
  pm_map_set(s->seen, op, (void *)op);
  for (unsigned i = 0; i < op->n_operands; i++)
    if (value_reaches(s, pm_arg(op, i))) return true;
  for (unsigned r = 0; r < op->n_regions; r++) PM_FOR_OPS(inner, pm_region_at(op, r))
  if (reaches_counter(s, inner)) return true;
  return false;
}

bool nest_changes_with(const reduction_nest *nest, const pm_op *op, const pm_op *loop) {
  const search s = {outermost(nest), loop, pm_map_new()};
  bool changes = reaches_counter(&s, op);
  pm_map_free(s.seen);
  return changes;
}

bool nest_depends(const reduction_nest *nest, const pm_value *value, const pm_op *loop) {
  if (value == loop_counter_of(loop)) return true;
  if (pm_is_arg(value) || !loop_changes_in(value, outermost(nest))) return false;
  return nest_changes_with(nest, pm_def(value), loop);
}

const accumulator *nest_accumulator_of(const reduction_nest *nest, const pm_op *op) {
  for (size_t i = 0; i < nest->accumulators.len; i++)
    if (nest->accumulators.data[i].load == op || nest->accumulators.data[i].store == op)
      return &nest->accumulators.data[i];
  return NULL;
}

bool nest_is_vector(const reduction_nest *nest, const pm_value *value) {
  return nest_depends(nest, value, nest->row);
}

/* --- the vector loop --- */

static bool same_place(const loop_access *a, const loop_access *b) {
  if (a->buffer != b->buffer || a->map != b->map) return false;
  for (uint32_t i = 0; i < loop_n_indices(a); i++)
    if (a->indices[i].value != b->indices[i].value) return false;
  return true;
}

/* The load ahead of the store, of the same place; NULL: there is none. */
static pm_op *load_of(pm_op *store) {
  loop_access place, other;
  if (!loop_find_access(store, &place)) return NULL;
  for (pm_op *op = pm_prev(store); op; op = pm_prev(op))
    if (pm_is(op, &buf_load) && loop_find_access(op, &other) && same_place(&other, &place)) return op;
  return NULL;
}

static bool find_accumulators(reduction_nest *nest) {
  PM_FOR_OPS(op, pm_region_at(nest->row, loop_for_body)) {
    if (!pm_is(op, &buf_store)) continue;
    accumulator a = {load_of(op), op};
    if (!a.load || pm_attr_at(op, buf_store_nontemporal)) return false;
    PM_VEC_PUSH(nest->accumulators, a);
  }
  return nest->accumulators.len > 0;
}

/* The op, which is no store of an accumulator, may use the memory of one. */
static bool touches_accumulators(const reduction_nest *nest, const pm_op *op) {
  for (size_t i = 0; i < nest->accumulators.len; i++) {
    const pm_value *buffer = pm_arg(nest->accumulators.data[i].store, buf_store_buffer);
    for (unsigned k = 0; k < op->n_operands; k++)
      if (pm_is_memref(pm_arg(op, k)->type) && loop_share_memory(pm_arg(op, k), buffer)) return true;
  }
  return false;
}

static const char *obstacle_of_access(const reduction_nest *nest, const pm_op *op) {
  const accumulator *of = nest_accumulator_of(nest, op);
  loop_access access;
  if (!loop_find_access(op, &access)) return "it accesses memory in another way than by loads and stores";
  if (buf_stage_of(op)) return "it accesses an array that stages overwrite in place";
  if (of && !loop_goes_along(&access, loop_counter_of(nest->row))) return "it does not store along its row";
  if (!of && touches_accumulators(nest, op)) return "it reads other elements of what it stores";
  for (uint32_t i = 0; i < loop_n_indices(&access); i++) {
    const pm_value *index = access.indices[i].value;
    if (index != loop_counter_of(nest->row) && nest_is_vector(nest, index))
      return "it reads at an index that it computes for each element";
  }
  bool along = loop_goes_along(&access, loop_counter_of(nest->row));
  for (uint32_t r = 0; r < access.map->n_results && !along; r++)
    if (loop_index_mentions(&access, access.map->results[r], loop_counter_of(nest->row)))
      return "it reads elements that are not next to each other";
  if (access.map->n_syms || access.buffer->type->strides)
    return "it accesses an array with strides of its own";
  return pm_is_bool(pm_elem_type(access.buffer->type)) ? "it accesses an array of i1" : NULL;
}

static const char *obstacle_of_op(const reduction_nest *nest, const pm_op *op) {
  if (pm_is(op, &buf_prefetch)) return NULL;
  if (op->n_regions) return "a condition is in it";
  if (pm_is(op, &buf_load) || pm_is(op, &buf_store)) return obstacle_of_access(nest, op);
  if (!pm_has_trait(op, PM_PURE) || op->n_results != 1) return "it does more than to compute";
  if (op->desc->cost == PM_COST_CALL) return "calls of functions take its time";
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (pm_arg(op, i) == loop_counter_of(nest->row)) return "it computes with the counter of its row";
    if (pm_arg(op, i)->type->cls != PM_TYPE_SCALAR) return "it has vectors already";
  }
  return NULL;
}

static const char *obstacle_of_row(const reduction_nest *nest) {
  PM_FOR_OPS(op, pm_region_at(nest->row, loop_for_body)) {
    const char *obstacle = obstacle_of_op(nest, op);
    if (obstacle) return obstacle;
  }
  for (size_t i = 0; i < nest->accumulators.len; i++)
    for (size_t k = 0; k < i; k++)
      if (loop_share_memory(pm_arg(nest->accumulators.data[i].store, buf_store_buffer),
                            pm_arg(nest->accumulators.data[k].store, buf_store_buffer)))
        return "it stores two elements of an array";
  return NULL;
}

/* As many as fit in a vector of the widest of its values. */
static unsigned lanes_of(const reduction_nest *nest, int64_t vector_bytes) {
  size_t widest = 1;
  PM_FOR_OPS(op, pm_region_at(nest->row, loop_for_body)) {
    if (op->n_results != 1 || !nest_is_vector(nest, pm_res(op, 0))) continue;
    size_t bytes = pm_element_bytes(pm_res(op, 0)->type);
    if (bytes > widest) widest = bytes;
  }
  return (unsigned)((size_t)vector_bytes / widest);
}

/* --- the loops around it --- */

/* What stands ahead of the next loop only computes, or reads what the nest does not write. */
static bool is_scalar_code(const reduction_nest *nest, const pm_op *op) {
  if (touches_accumulators(nest, op)) return false;
  if (pm_is(op, &loop_if)) {
    for (unsigned r = 0; r < op->n_regions; r++) PM_FOR_OPS(inner, pm_region_at(op, r))
    if (!pm_has_trait(inner, PM_TERMINATOR) && !is_scalar_code(nest, inner)) return false;
    return true;
  }
  return pm_is(op, &buf_load) || (pm_has_trait(op, PM_PURE) && !op->n_regions);
}

static bool is_fixed(const pm_op *inner, const pm_op *loop) {
  return !loop_changes_in(pm_arg(inner, loop_for_lb), loop) &&
         !loop_changes_in(pm_arg(inner, loop_for_ub), loop);
}

/* The loop has the nest in its body, and may be one of its loops. */
static bool may_join(const reduction_nest *nest, const pm_op *loop) {
  if (!pm_is(loop, &loop_for) || loop->n_results || pm_attr_at(loop, loop_for_simd) ||
      pm_attr_at(loop, loop_for_unroll) || pm_attr_at(loop, loop_for_jam))
    return false;
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body))
  if (op != outermost(nest) && (op->next == NULL || !is_scalar_code(nest, op))) return false;
  for (size_t i = 0; i < nest->loops.len; i++)
    if (!is_fixed(nest->loops.data[i], loop)) return false;
  return is_fixed(nest->row, loop);
}

/* No index of the accumulator changes in the loop but for the row's own. */
static bool is_same_element(const reduction_nest *nest, const accumulator *a, const pm_op *loop) {
  loop_access place;
  if (!loop_find_access(a->store, &place) || loop_changes_in(place.buffer, loop)) return false;
  for (uint32_t i = 0; i < loop_n_indices(&place); i++)
    if (place.indices[i].value != loop_counter_of(nest->row) && loop_changes_in(place.indices[i].value, loop))
      return false;
  return true;
}

/* Iterations of the loop have different elements: one index is a multiple of its counter, and else fixed. */
static bool is_other_element(const accumulator *a, const pm_op *loop) {
  loop_access place;
  const pm_value *counter = loop_counter_of(loop);
  bool other = false;
  if (!loop_find_access(a->store, &place) || loop_changes_in(place.buffer, loop)) return false;
  for (uint32_t r = 0; r < place.map->n_results; r++) {
    int64_t factor;
    bool alone = loop_find_factor(&place, place.map->results[r], counter, &factor) && factor != 0;
    for (uint32_t i = 0; i < loop_n_indices(&place) && alone; i++) {
      const pm_value *index = place.indices[i].value;
      if (index != counter && loop_changes_in(index, loop))
        alone = !loop_index_mentions(&place, place.map->results[r], index);
    }
    other |= alone;
  }
  return other;
}

static bool all_are_same(const reduction_nest *nest, const pm_op *loop) {
  bool all = true;
  for (size_t i = 0; i < nest->accumulators.len && all; i++)
    all = is_same_element(nest, &nest->accumulators.data[i], loop);
  return all;
}

static bool all_are_other(const reduction_nest *nest, const pm_op *loop) {
  bool all = true;
  for (size_t i = 0; i < nest->accumulators.len && all; i++)
    all = is_other_element(&nest->accumulators.data[i], loop);
  return all;
}

static void push_outside(reduction_nest *nest, pm_op *loop) {
  PM_VEC_PUSH(nest->loops, loop);
  for (size_t i = nest->loops.len - 1; i > 0; i--) nest->loops.data[i] = nest->loops.data[i - 1];
  nest->loops.data[0] = loop;
}

static void find_loops(reduction_nest *nest) {
  pm_op *loop = pm_parent(nest->row);
  for (; may_join(nest, loop) && all_are_same(nest, loop); loop = pm_parent(loop)) push_outside(nest, loop);
  for (; may_join(nest, loop) && all_are_other(nest, loop); loop = pm_parent(loop)) {
    push_outside(nest, loop);
    nest->n_free++;
  }
}

bool nest_find(pm_op *row, int64_t vector_bytes, reduction_nest *nest, const char **obstacle) {
  *nest = (reduction_nest){.row = row};
  *obstacle = NULL;
  const pm_op *around = pm_parent(row);
  if (!pm_is(around, &loop_for) || !find_accumulators(nest) || !all_are_same(nest, around)) return false;
  *obstacle = obstacle_of_row(nest);
  if (!*obstacle && !may_join(nest, around)) *obstacle = "the loop around it has more than that loop";
  if (*obstacle) return false;
  nest->lanes = lanes_of(nest, vector_bytes);
  if (nest->lanes < 2) *obstacle = "a vector has one element";
  find_loops(nest);
  return !*obstacle;
}
