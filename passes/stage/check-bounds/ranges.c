#include "passes/stage/check-bounds/ranges.h"

#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/boundary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_BOUND 0x1p30 /* beyond it an end is about that of a type */

enum { MOST_TRIES = 100, MOST_VALUES = 1000 /* that an index is made of, and looked at */ };

typedef struct range_search {
  pm_op *pipeline, *access;
  const stage_node *producer;
  isl_set *types; /* borrowed */
  const pm_op *input;
  bool is_float;
  unsigned tries;
} range_search;

/* --- one range --- */

/* The elements of the input in their order: integers, or floats of 32 bits by their bits. */
static double element(const range_search *s, int64_t at) {
  uint32_t bits = (uint32_t)(at < 0 ? -at : at);
  float number;
  if (!s->is_float) return (double)at;
  memcpy(&number, &bits, sizeof number);
  return at < 0 ? -(double)number : (double)number;
}

static isl_map *relation_with(range_search *s, double low, double high) {
  stage_values *values = stage_values_new(s->pipeline);
  stage_boundary boundary;
  bool affine;
  stage_values_assume(values, s->input, low, high);
  isl_map *relation = stage_read_relation_in(&values, s->access, &affine);
  if (pm_is(s->access, &stage_read) && stage_boundary_of_read(s->access, s->producer->op, &boundary))
    relation = stage_boundary_relation(relation, &boundary, s->producer->domain);
  stage_values_free(values);
  return relation;
}

/* Every index stays inside; `*hits`: some does. */
static bool stays_inside(range_search *s, double low, double high, bool *hits) {
  isl_map *relation = relation_with(s, low, high);
  isl_map *hit = isl_map_intersect_range(isl_map_copy(relation), isl_set_copy(s->producer->domain));
  isl_map *outside = linear_subtract_range(relation, isl_set_copy(s->producer->domain));
  outside = isl_map_intersect_params(outside, isl_set_copy(s->types));
  bool inside = isl_map_is_empty(outside) == isl_bool_true;
  *hits = isl_map_is_empty(hit) == isl_bool_false;
  isl_map_free(hit);
  isl_map_free(outside);
  s->tries++;
  return inside;
}

/* --- the widest range --- */

typedef struct interval {
  int64_t first, last;
} interval;

static bool holds(range_search *s, interval i) {
  bool hits;
  return stays_inside(s, element(s, i.first), element(s, i.last), &hits);
}

/* The last element of the lower half; what is negative is a half of its own. */
static int64_t middle(interval i) {
  return i.first < 0 && i.last >= 0 ? -1 : i.first + (i.last - i.first) / 2;
}

/* Some elements of the interval with which all indices are inside, those near 0 first. */
static bool find_seed(range_search *s, interval i, interval *seed) {
  bool hits;
  if (s->tries >= MOST_TRIES) return false;
  if (stays_inside(s, element(s, i.first), element(s, i.last), &hits)) {
    *seed = i;
    return true;
  }
  if (!hits || i.first == i.last) return false;
  interval low = {i.first, middle(i)}, high = {middle(i) + 1, i.last};
  bool low_first = llabs(low.last) < llabs(high.first);
  return find_seed(s, low_first ? low : high, seed) || find_seed(s, low_first ? high : low, seed);
}

/* As far as it can go in one direction: `far` is outside, or the end of `all`. */
static void extend(range_search *s, interval all, bool up, interval *found) {
  int64_t far = up ? all.last : all.first, *end = up ? &found->last : &found->first;
  interval whole = up ? (interval){found->first, far} : (interval){far, found->last};
  if (holds(s, whole)) {
    *found = whole;
    return;
  }
  while (llabs(far - *end) > 1) {
    int64_t between = *end + (far - *end) / 2;
    interval wider = up ? (interval){found->first, between} : (interval){between, found->last};
    if (holds(s, wider))
      *end = between;
    else
      far = between;
  }
}

static interval all_elements(const range_search *s, pm_scalar type) {
  const pm_scalar_info *info = pm_get_scalar_info(type);
  const int64_t exact = INT64_C(1) << 53, largest = 0x4f800000; /* 2^32 */
  int64_t half = info->bits > 53 ? exact : INT64_C(1) << (info->bits - 1);
  if (s->is_float) return (interval){-largest, largest};
  if (info->is_signed) return (interval){-half, half - 1};
  return (interval){0, info->bits > 53 ? exact : 2 * half - 1};
}

/* --- decimals --- */

/* An end of a range of that width, moved inward to a number with few digits: to 0 by a tenth of the width, to
 * an integer by a hundredth, to others by a thousandth. */
static double shorten(double number, double width, bool up) {
  double part = 100;
  for (double unit = 1; unit < 1e7; unit *= 10, part = 1000) {
    double scaled = number * unit, near = (up ? ceil(scaled) : floor(scaled)) / unit;
    if (fabs(near - number) <= width / (near == 0 ? 10 : part)) return near + 0.0;
  }
  return number;
}

static void shorten_range(range_search *s, found_range *range) {
  double width = range->high - range->low, low = shorten(range->low, width, true),
         high = shorten(range->high, width, false);
  bool hits;
  if (low < high && stays_inside(s, low, high, &hits)) {
    range->low = low;
    range->high = high;
  }
}

/* With the range the index is one number at each point. */
static bool is_useless(range_search *s, const found_range *range) {
  isl_map *relation = relation_with(s, range->low, range->high);
  bool single = isl_map_is_single_valued(relation) == isl_bool_true;
  isl_map_free(relation);
  return single;
}

/* The elements of `all` that are at most 2^bits. */
static interval small_elements(const range_search *s, interval all, unsigned bits) {
  int64_t largest = s->is_float ? (int64_t)(127 + bits) << 23 : INT64_C(1) << bits;
  return (interval){all.first < -largest ? -largest : all.first, all.last > largest ? largest : all.last};
}

/* Among small elements first: of large ones little is known, where their products may overflow. */
static bool find_near_seed(range_search *s, interval all, interval *seed) {
  for (unsigned bits = 8; bits <= 32; bits += 8) {
    s->tries = 0;
    if (find_seed(s, small_elements(s, all, bits), seed)) return true;
  }
  return false;
}

static bool find_range(range_search *s, found_range *out) {
  pm_scalar type = (pm_scalar)pm_attr_at(s->input, stage_input_type)->t->scalar;
  s->is_float = pm_get_scalar_info(type)->is_float;
  interval all = all_elements(s, type), found;
  if (!find_near_seed(s, all, &found)) return false;
  extend(s, all, true, &found);
  extend(s, all, false, &found);
  *out = (found_range){pm_sym_at(s->input, stage_input_sym)->text, element(s, found.first),
                       element(s, found.last)};
  if (s->is_float) shorten_range(s, out);
  if (out->low <= -NO_BOUND && out->high > 0) out->low = 0;
  return out->low < out->high && !is_useless(s, out);
}

/* --- inputs --- */

typedef struct input_list {
  pm_op *pipeline;
  pm_map *seen;
  PM_VEC(const pm_op *) inputs;
  PM_VEC(const pm_value *) todo;
} input_list;

static void visit(input_list *l, const pm_value *value) {
  if (pm_map_has(l->seen, value) || l->todo.len >= MOST_VALUES) return;
  pm_map_set(l->seen, value, NULL);
  PM_VEC_PUSH(l->todo, value);
}

/* What the read value is made of. */
static void visit_stage(input_list *l, const pm_op *read, unsigned element_number) {
  pm_op *stage =
      pm_lookup_symbol(pm_region_at(l->pipeline, stage_pipeline_body), pm_sym_at(read, stage_read_stage));
  if (pm_is(stage, &stage_input) && !pm_map_has(l->seen, stage)) {
    pm_map_set(l->seen, stage, NULL);
    PM_VEC_PUSH(l->inputs, stage);
  }
  if (!pm_is(stage, &stage_func)) return;
  PM_FOR_OPS(body, pm_region_at(stage, stage_func_cases)) {
    const pm_op *last = pm_terminator(pm_region_at(body, 0));
    if (last && element_number < last->n_operands) visit(l, pm_arg(last, element_number));
  }
}

/* The inputs that the indices of the access depend on. */
static void find_inputs(input_list *l, const pm_op *access) {
  for (unsigned i = stage_index_operand(access); i < access->n_operands; i++) visit(l, pm_arg(access, i));
  for (size_t i = 0; i < l->todo.len; i++) {
    const pm_value *value = l->todo.data[i];
    const pm_op *op = pm_def(value);
    if (pm_is(op, &stage_read)) visit_stage(l, op, pm_value_index(value));
    for (unsigned k = 0; op && !pm_is(op, &stage_read) && k < op->n_operands; k++) visit(l, pm_arg(op, k));
  }
}

bool bounds_find_range(pm_op *access, const stage_node *producer, isl_set *types, found_range *out) {
  pm_op *pipeline = pm_parent_of(access, &stage_pipeline);
  input_list list = {.pipeline = pipeline, .seen = pm_map_new()};
  bool found = false;
  if (stage_has_computed_index(access)) find_inputs(&list, access);
  for (size_t i = 0; i < list.inputs.len && !found; i++) {
    range_search s = {pipeline, access, producer, types, list.inputs.data[i], false, 0};
    found = find_range(&s, out);
  }
  PM_VEC_FREE(list.inputs);
  PM_VEC_FREE(list.todo);
  pm_map_free(list.seen);
  return found;
}
