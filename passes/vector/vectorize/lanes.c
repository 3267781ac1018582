#include "passes/vector/vectorize/lanes.h"

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "dialects/loop/vec.h"

#include <stdlib.h>

lanes lanes_begin(const loop_ranges *ranges, pm_op *loop, unsigned n, pm_builder in, pm_value *counter) {
  lanes l = {.ranges = ranges, .loop = loop, .n = n, .in = in, .counter = counter};
  l.ahead = in.region == loop->region ? in : pm_builder_before(in.region->op);
  l.scalars = pm_map_new();
  l.vectors = pm_map_new();
  l.narrow = pm_map_new();
  pm_map_set(l.scalars, loop_counter_of(loop), l.counter);
  return l;
}

void lanes_end(lanes *l) {
  for (size_t i = 0; i < l->made.len; i++) {
    place_free(&l->made.data[i].of);
    place_free(&l->made.data[i].base);
  }
  PM_VEC_FREE(l->made);
  pm_map_free(l->scalars);
  pm_map_free(l->vectors);
  pm_map_free(l->narrow);
}

void lanes_set(lanes *l, pm_value *value, pm_value *vector) {
  pm_map_set(l->vectors, value, vector);
}

/* --- lane 0 --- */

/* Of values that are computed of the counter, and of what is the same in all iterations. */
static pm_value *first_of(lanes *l, pm_value *value) {
  if (!loop_changes_in(value, l->loop)) return value;
  pm_value *made = pm_map_get(l->scalars, value);
  if (made) return made;
  const pm_op *op = pm_def(value);
  for (unsigned i = 0; i < op->n_operands; i++)
    pm_map_set(l->scalars, pm_arg(op, i), first_of(l, pm_arg(op, i)));
  pm_insert(l->in.region, l->in.before, pm_clone(l->in.module, op, l->scalars));
  return pm_map_get(l->scalars, value);
}

/* --- vectors --- */

static pm_type vector_type(const lanes *l, pm_type element) {
  return pm_get_vector(element, l->n);
}

static pm_type type_of(const lanes *l, pm_scalar scalar) {
  return vector_type(l, pm_get_scalar(pm_op_context(l->loop), scalar));
}

static pm_value *build_number(lanes *l, pm_type type, pm_attr number) {
  pm_attr attrs[arith_constant_N_ATTRS] = {[arith_constant_value] = number};
  return pm_res(pm_build(&l->ahead, &arith_constant, NULL, 0, &type, 1, attrs), 0);
}

static pm_value *build_int(lanes *l, pm_type type, int64_t number) {
  return build_number(l, type, pm_get_int(pm_elem_type(type), number));
}

/* `first`, `first` + step … */
static pm_value *build_steps(lanes *l, pm_value *first, int64_t step) {
  pm_type type = vector_type(l, first->type);
  pm_value *count = pm_res(pm_build(&l->in, &vec_step, NULL, 0, &type, 1, NULL), 0);
  if (step != 1) count = pm_build_binary(&l->in, &arith_muli, count, build_int(l, type, step));
  return pm_build_binary(&l->in, &arith_addi, vec_build_splat(&l->in, first, l->n), count);
}

static bool fits_32_bits(const lanes *l, const pm_value *value) {
  pm_attr number = pm_constant_value(value);
  if (number) return number->i >= INT32_MIN && number->i <= INT32_MAX;
  return arith_range_fits(loop_range_of(l->ranges, value), PM_I32);
}

/* The op in 32 bits gives the same: its result has as many, and so have its operands. */
static bool can_narrow(const lanes *l, const pm_op *op) {
  static const pm_op_desc *const narrow[] = {&arith_addi, &arith_subi, &arith_muli, &arith_mini,
                                             &arith_maxi, &arith_divi, &arith_remi};
  const pm_value *result = pm_res((pm_op *)op, 0);
  bool can = false;
  for (size_t i = 0; i < PM_COUNT(narrow); i++) can |= pm_is(op, narrow[i]);
  can = can && pm_is_index(result->type) && fits_32_bits(l, result);
  for (unsigned i = 0; i < op->n_operands && can; i++) can = fits_32_bits(l, pm_arg(op, i));
  return can;
}

/* An index that is converted from an integer of 32 bits at most: narrower types lose bits. */
static bool widens(const lanes *l, const pm_op *op) {
  return pm_is(op, &arith_cast) && pm_is_index(pm_res((pm_op *)op, 0)->type) &&
         pm_is_int_or_index(pm_arg(op, 0)->type) && fits_32_bits(l, pm_arg(op, 0));
}

static pm_value *narrow_of(lanes *l, pm_value *value);

static pm_value *build_op(lanes *l, const pm_op *op, pm_value *(*operand)(lanes *, pm_value *),
                          pm_type result) {
  PM_VEC(pm_value *) operands = {0};
  for (unsigned i = 0; i < op->n_operands; i++) PM_VEC_PUSH(operands, operand(l, pm_arg(op, i)));
  pm_op *made = pm_build(&l->in, op->desc, operands.data, op->n_operands, &result, 1, pm_attrs(op));
  made->loc = op->loc;
  PM_VEC_FREE(operands);
  return pm_res(made, 0);
}

/* Conversions of indices, and comparisons, are those of 32 bits where the operands have as many. */
static pm_value *result_of(lanes *l, const pm_op *op) {
  bool narrow = pm_is(op, &arith_cast) || pm_is(op, &arith_cmp);
  pm_type type = vector_type(l, pm_res((pm_op *)op, 0)->type);
  for (unsigned i = 0; i < op->n_operands && narrow; i++)
    narrow = pm_is_index(pm_arg(op, i)->type) && fits_32_bits(l, pm_arg(op, i));
  if (narrow && pm_is(op, &arith_cast)) return arith_build_cast(&l->in, narrow_of(l, pm_arg(op, 0)), type);
  return build_op(l, op, narrow ? narrow_of : lanes_of, type);
}

/* Of what is the same in all iterations. */
static pm_value *build_same(lanes *l, pm_value *value) {
  pm_attr number = pm_constant_value(value);
  return number ? build_number(l, vector_type(l, value->type), number)
                : vec_build_splat(&l->ahead, value, l->n);
}

pm_value *lanes_of(lanes *l, pm_value *value) {
  pm_value *made = pm_map_get(l->vectors, value);
  if (made) return made;
  if (!loop_changes_in(value, l->loop) || pm_constant_value(value))
    made = build_same(l, value);
  else if (value == loop_counter_of(l->loop))
    made = build_steps(l, l->counter, 1);
  else if (pm_is_index(value->type) && can_narrow(l, pm_def(value)))
    made = arith_build_cast(&l->in, narrow_of(l, value), vector_type(l, value->type));
  else
    made = result_of(l, pm_def(value));
  pm_map_set(l->vectors, value, made);
  return made;
}

/* The vector of 32 bits of an integer that fits. */
static pm_value *narrow_of(lanes *l, pm_value *value) {
  pm_type type = type_of(l, PM_I32);
  pm_value *made = pm_map_get(l->narrow, value);
  pm_attr number = pm_constant_value(value);
  const pm_op *op = pm_def(value);
  if (made) return made;
  if (number)
    made = build_int(l, type, number->i);
  else if (!loop_changes_in(value, l->loop))
    made = vec_build_splat(&l->ahead, arith_build_cast(&l->ahead, value, pm_elem_type(type)), l->n);
  else if (value == loop_counter_of(l->loop))
    made = build_steps(l, arith_build_cast(&l->in, l->counter, pm_elem_type(type)), 1);
  else if (widens(l, op))
    made = narrow_of(l, pm_arg(op, 0));
  else if (can_narrow(l, op))
    made = build_op(l, op, narrow_of, type);
  else
    made = arith_build_cast(&l->in, lanes_of(l, value), type);
  pm_map_set(l->narrow, value, made);
  return made;
}

/* --- places --- */

place lanes_first(lanes *l, const place *of) {
  place first = {.number = of->number};
  for (size_t i = 0; i < of->terms.len; i++) {
    place_term term = of->terms.data[i];
    term.value = first_of(l, term.value);
    place_add(&first, term);
  }
  return first;
}

/* A sum of vectors: of 32 bits, of which the range is known, and of indices. Either may be NULL, for 0. */
typedef struct offset_sum {
  pm_value *narrow, *wide;
  arith_range range;
} offset_sum;

static pm_value *plus(lanes *l, pm_value *a, pm_value *b) {
  return a && b ? pm_build_binary(&l->in, &arith_addi, a, b) : a ? a : b;
}

static pm_value *times(lanes *l, pm_value *a, int64_t factor) {
  return factor == 1 ? a : pm_build_binary(&l->in, &arith_muli, a, build_int(l, a->type, factor));
}

/* Adds factor * part * by. The part has 32 bits, and this range, or is of indices. */
static void add_part(lanes *l, offset_sum *sum, pm_value *part, arith_range range, const place_term *term) {
  arith_range all = arith_range_mul(range, (arith_range){true, term->factor, term->factor});
  arith_range with =
      arith_range_add(sum->range, (arith_range){all.known, all.lo < 0 ? all.lo : 0, all.hi > 0 ? all.hi : 0});
  bool narrow = part->type->scalar == PM_I32;
  if (narrow && !term->by && arith_range_fits(all, PM_I32) && arith_range_fits(with, PM_I32)) {
    sum->narrow = plus(l, sum->narrow, times(l, part, term->factor));
    sum->range = with;
    return;
  }
  if (narrow) part = arith_build_cast(&l->in, part, type_of(l, PM_INDEX));
  if (term->by) {
    pm_value *by = arith_build_cast(&l->ahead, term->by, pm_elem_type(part->type));
    part = pm_build_binary(&l->in, &arith_muli, part, vec_build_splat(&l->ahead, by, l->n));
  }
  sum->wide = plus(l, sum->wide, times(l, part, term->factor));
}

/* Lane k is (r + k * step) / divisor further than lane 0, where r is what the division leaves there. */
static void add_quotient(lanes *l, offset_sum *sum, const quotient *q, const place_term *term) {
  pm_type type = type_of(l, PM_I32);
  pm_value *divisor = arith_build_index(&l->in, q->divisor);
  pm_value *rest = pm_build_binary(&l->in, &arith_remi, first_of(l, q->dividend), divisor);
  pm_value *part = build_steps(l, arith_build_cast(&l->in, rest, pm_elem_type(type)), q->step);
  part = pm_build_binary(&l->in, &arith_divi, part, build_int(l, type, q->divisor));
  int64_t last = (q->divisor - 1 + q->step * (int64_t)(l->n - 1)) / q->divisor;
  add_part(l, sum, part, (arith_range){true, 0, last}, term);
}

static void add_varying(lanes *l, lanes_offsets *made, offset_sum *sum, const place_term *term) {
  quotient q;
  pm_type narrow = pm_get_scalar(pm_op_context(l->loop), PM_I32);
  if (term->value == loop_counter_of(l->loop)) {
    pm_value *steps = build_steps(l, arith_build_int(&l->ahead, narrow, 0), 1);
    place_add(&made->base, (place_term){l->counter, term->by, term->factor});
    add_part(l, sum, steps, (arith_range){true, 0, l->n - 1}, term);
  } else if (place_find_quotient(l->loop, term->value, &q)) {
    place_add(&made->base, (place_term){first_of(l, term->value), term->by, term->factor});
    add_quotient(l, sum, &q, term);
  } else if (fits_32_bits(l, term->value)) {
    add_part(l, sum, narrow_of(l, term->value), loop_range_of(l->ranges, term->value), term);
  } else {
    pm_value *wide = arith_build_cast(&l->in, lanes_of(l, term->value), type_of(l, PM_INDEX));
    add_part(l, sum, wide, arith_unknown_range(), term);
  }
}

/* What does, or does not, change in the loop. */
static place part_of(const lanes *l, const place *of, bool changes) {
  place part = {0};
  for (size_t i = 0; i < of->terms.len; i++)
    if (loop_changes_in(of->terms.data[i].value, l->loop) == changes) place_add(&part, of->terms.data[i]);
  return part;
}

/* The one that is there, or a new one. Takes the place. */
static const lanes_offsets *find_made(lanes *l, place *varying) {
  for (size_t i = 0; i < l->made.len; i++) {
    if (!place_same_terms(&l->made.data[i].of, varying)) continue;
    place_free(varying);
    return &l->made.data[i];
  }
  lanes_offsets made = {.of = *varying};
  offset_sum sum = {.range = {true, 0, 0}};
  for (size_t i = 0; i < varying->terms.len; i++) add_varying(l, &made, &sum, &varying->terms.data[i]);
  if (sum.wide && sum.narrow) sum.narrow = arith_build_cast(&l->in, sum.narrow, sum.wide->type);
  made.offsets = plus(l, sum.wide, sum.narrow);
  PM_VEC_PUSH(l->made, made);
  return &PM_VEC_LAST(l->made);
}

pm_value *lanes_find_offsets(lanes *l, const place *of, place *base) {
  place varying = part_of(l, of, true);
  const lanes_offsets *made = find_made(l, &varying);
  *base = part_of(l, of, false);
  base->number = of->number;
  for (size_t i = 0; i < made->base.terms.len; i++) place_add(base, made->base.terms.data[i]);
  return made->offsets;
}
