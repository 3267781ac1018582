/* narrow-lookups: vector loops compute the places of their look-ups in 32 bits.
 *
 *                                          |  %0 = arith.cast %a : (index) -> i32
 *   loop.for %i = %a to %b step 1 simd {   |  loop.for %i = %a to %b step 1 simd {
 *     %k = … : i32                         |    %k = … : i32
 *     %l = arith.cast %k : (i32) -> index  |    %1 = arith.cast %i : (index) -> i32
 *                                          |    %2 = arith.subi %1, %0 : i32
 *                                          |    %3 = arith.addi %2, %k : i32
 *     %v = buf.load %t[%j + %i + %l]       |    %v = buf.load %t[%j + %a + %3]
 *   }                                      |  }
 *
 * A vector has twice the lanes of 32 bits, and processors without AVX-512 shift 32 bits by sign and multiply
 * them, but not 64. Floats of 32 bits and their places then have as many lanes. The place is a sum: of
 * what is the same in all iterations, of what the counter makes of itself, which counts from the first
 * iteration on, and of what the ranges of values bound. It is narrowed where the last two have 32 bits
 * together.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/ranges.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/one_index.h"
#include "ir/rewrite.h"
#include "passes/options.h"

#include <stdlib.h>

/* A part of a place, and what there is for it: base + offset. */
typedef struct narrowed {
  loop_linear varying;
  pm_value *base, *offset; /* an index, ahead of the loop, NULL for 0; an i32 in it */
} narrowed;

typedef struct narrower {
  const loop_ranges *ranges;
  pm_arena *arena;
  pm_op *loop;
  int64_t trips;
  /* Indices in the loop that are computed of its counter and of what is the same in all iterations: */
  pm_map *changes;       /* -> arith_range, by which they differ from what they are in the first iteration */
  pm_map *firsts;        /* -> what they are there, ahead of the loop, where it was built */
  pm_map *offsets;       /* -> the difference, an i32, where it was built */
  pm_map *loaded;        /* ops in the loop whose results come from memory, in this iteration */
  pm_builder ahead, in;  /* ahead of the loop, and of the look-up */
  PM_VEC(narrowed) made; /* in this loop */
  int64_t changed, merged;
} narrower;

static pm_type type_of_offsets(const narrower *n) {
  return pm_get_scalar(pm_op_context(n->loop), PM_I32);
}

/* --- what the counter makes of itself --- */

static bool is_sum(const pm_op *op) {
  return pm_is(op, &arith_addi) || pm_is(op, &arith_subi);
}

/* The number above 0, of 32 bits, by which the op multiplies or divides an index; 0: it is no such op. */
static int64_t number_of(const pm_op *op) {
  bool scales = pm_is(op, &arith_muli) || pm_is(op, &arith_divi);
  pm_attr number = scales ? pm_constant_value(pm_arg(op, 1)) : NULL;
  return number && number->i > 0 && number->i <= INT32_MAX ? number->i : 0;
}

/* Unknown where something else than the counter has a part in the value. */
static arith_range change_of(const narrower *n, const pm_value *value) {
  const arith_range *change = pm_map_get(n->changes, value);
  if (!loop_changes_in(value, n->loop)) return (arith_range){true, 0, 0};
  return change ? *change : arith_unknown_range();
}

static bool is_constant(const narrower *n, const pm_value *value) {
  arith_range change = change_of(n, value);
  return change.known && !change.lo && !change.hi;
}

static bool has_constant_operands(const narrower *n, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!is_constant(n, pm_arg(op, i))) return false;
  return true;
}

static arith_range change_of_result(const narrower *n, const pm_op *op) {
  if (op->n_results != 1 || !pm_has_trait(op, PM_PURE)) return arith_unknown_range();
  if (has_constant_operands(n, op)) return (arith_range){true, 0, 0};
  if (!pm_is_index(pm_res(op, 0)->type) || !loop_is_exact(n->ranges, pm_res(op, 0)))
    return arith_unknown_range();
  arith_range a = change_of(n, pm_arg(op, 0));
  if (pm_is(op, &arith_addi)) return arith_range_add(a, change_of(n, pm_arg(op, 1)));
  if (pm_is(op, &arith_subi)) return arith_range_sub(a, change_of(n, pm_arg(op, 1)));
  int64_t number = number_of(op);
  arith_range by = {number > 0, number, number};
  if (!number || pm_is(op, &arith_muli)) return arith_range_mul(a, by);
  /* The remainder of the first iteration is added ahead of the division, which needs all of its dividend. */
  arith_range dividend = arith_range_add(a, (arith_range){true, 0, number - 1});
  return arith_range_fits(dividend, PM_I32) ? arith_range_div(dividend, by, true) : arith_unknown_range();
}

static void set_change(narrower *n, const pm_value *value, arith_range change) {
  arith_range *kept = pm_arena_alloc(n->arena, sizeof *kept);
  *kept = change;
  pm_map_set(n->changes, value, kept);
}

static void find_loaded(narrower *n, const pm_op *op) {
  bool loaded = pm_has_trait(op, PM_READS);
  for (unsigned i = 0; i < op->n_operands && !loaded; i++)
    loaded = pm_map_has(n->loaded, pm_def(pm_arg(op, i)));
  if (loaded) pm_map_set(n->loaded, op, n->loaded);
}

static void find_changes(narrower *n) {
  pm_map_clear(n->changes);
  pm_map_clear(n->loaded);
  set_change(n, loop_counter_of(n->loop), (arith_range){true, 0, n->trips - 1});
  PM_FOR_OPS(op, pm_region_at(n->loop, loop_for_body)) {
    arith_range change = change_of_result(n, op);
    if (change.known) set_change(n, pm_res(op, 0), change);
    find_loaded(n, op);
  }
}

static pm_value *build_first(narrower *n, pm_value *value) {
  pm_value *first = loop_changes_in(value, n->loop) ? pm_map_get(n->firsts, value) : value;
  if (first) return first;
  pm_op *op = pm_def(value);
  for (unsigned i = 0; i < op->n_operands; i++)
    pm_map_set(n->firsts, pm_arg(op, i), build_first(n, pm_arg(op, i)));
  pm_insert(n->ahead.region, n->ahead.before, pm_clone(n->ahead.module, op, n->firsts));
  return pm_map_get(n->firsts, value);
}

static pm_value *in_32_bits(narrower *n, pm_value *value) {
  pm_builder *b = loop_changes_in(value, n->loop) ? &n->in : &n->ahead;
  return arith_build_cast(b, value, type_of_offsets(n));
}

static pm_value *number_in_32_bits(narrower *n, int64_t number) {
  return arith_build_int(&n->ahead, type_of_offsets(n), number);
}

static pm_value *build_offset(narrower *n, pm_value *value);

static pm_value *offset_of_result(narrower *n, const pm_op *op) {
  pm_value *a = build_offset(n, pm_arg(op, 0));
  if (is_sum(op)) {
    pm_value *b = build_offset(n, pm_arg(op, 1));
    if (!b) return a;
    return pm_build_binary(&n->in, op->desc, a ? a : number_in_32_bits(n, 0), b);
  }
  pm_value *by = pm_arg(op, 1);
  if (pm_is(op, &arith_divi)) {
    pm_value *first = build_first(n, pm_arg(op, 0)), *divisor = build_first(n, by);
    pm_value *rest = pm_build_binary(&n->ahead, &arith_remi, first, divisor);
    a = pm_build_binary(&n->in, &arith_addi, a, in_32_bits(n, rest));
  }
  return pm_build_binary(&n->in, op->desc, a, number_in_32_bits(n, number_of(op)));
}

/* What the value differs by from that in the first iteration; NULL: by nothing. */
static pm_value *build_offset(narrower *n, pm_value *value) {
  if (is_constant(n, value)) return NULL;
  pm_value *made = pm_map_get(n->offsets, value);
  if (made) return made;
  if (value == loop_counter_of(n->loop)) {
    pm_value *first = in_32_bits(n, pm_arg(n->loop, loop_for_lb)), *count = in_32_bits(n, value);
    made = pm_build_binary(&n->in, &arith_subi, count, first);
  } else {
    made = offset_of_result(n, pm_def(value));
  }
  pm_map_set(n->offsets, value, made);
  return made;
}

/* --- offsets --- */

/* What is added to the offset for the term, with its factor. */
static arith_range range_of(const narrower *n, const loop_term *term) {
  arith_range change = change_of(n, term->value);
  arith_range range = change.known ? change : loop_range_of(n->ranges, term->value);
  return arith_range_mul(range, (arith_range){true, term->factor, term->factor});
}

/* Some value comes from memory, and all that is added up has 32 bits, whatever the order. */
static bool can_narrow(const narrower *n, const loop_linear *varying) {
  arith_range least = {true, 0, 0};
  bool looks_up = false;
  for (size_t i = 0; i < varying->terms.len; i++) {
    arith_range term = range_of(n, &varying->terms.data[i]);
    if (!arith_range_fits(term, PM_I32)) return false;
    least = arith_range_add(least, (arith_range){true, term.lo < 0 ? term.lo : 0, term.hi > 0 ? term.hi : 0});
    looks_up = looks_up || pm_map_has(n->loaded, pm_def(varying->terms.data[i].value));
  }
  return looks_up && arith_range_fits(least, PM_I32);
}

/* What the value is converted from, an integer, when that has the same lower 32 bits; else the value. */
static pm_value *source_of(pm_value *value) {
  const pm_op *cast = pm_def(value);
  bool wide = pm_is_index(value->type) || pm_element_bytes(value->type) >= 4;
  return wide && pm_is(cast, &arith_cast) && pm_is_int(pm_arg(cast, 0)->type) ? pm_arg(cast, 0) : value;
}

/* It is one value of 32 bits already. */
static bool is_narrow(const narrower *n, const loop_linear *varying) {
  if (varying->terms.len != 1 || varying->terms.data[0].factor != 1) return false;
  pm_value *value = (pm_value *)varying->terms.data[0].value;
  return source_of(value)->type == type_of_offsets(n);
}

static pm_value *plus(pm_builder *b, pm_value *a, pm_value *more) {
  return a ? pm_build_binary(b, &arith_addi, a, more) : more;
}

static pm_value *times(pm_builder *b, pm_value *a, int64_t factor) {
  if (factor == 1) return a;
  return pm_build_binary(b, &arith_muli, a, arith_build_int(b, a->type, factor));
}

static narrowed build_narrowed(narrower *n, const loop_linear *varying) {
  narrowed made = {.varying = *varying};
  for (size_t i = 0; i < varying->terms.len; i++) {
    int64_t factor = varying->terms.data[i].factor;
    pm_value *value = (pm_value *)varying->terms.data[i].value;
    bool counted = change_of(n, value).known;
    pm_value *part = counted ? build_offset(n, value) : in_32_bits(n, source_of(value));
    if (part) made.offset = plus(&n->in, made.offset, times(&n->in, part, factor));
    if (counted) made.base = plus(&n->ahead, made.base, times(&n->ahead, build_first(n, value), factor));
  }
  return made;
}

/* The one that is there, or a new one. Takes the sum. */
static const narrowed *find_narrowed(narrower *n, loop_linear *varying) {
  for (size_t i = 0; i < n->made.len; i++)
    if (loop_linear_same_terms(&n->made.data[i].varying, varying)) {
      loop_linear_free(varying);
      return &n->made.data[i];
    }
  PM_VEC_PUSH(n->made, build_narrowed(n, varying));
  return &PM_VEC_LAST(n->made);
}

/* --- look-ups --- */

static bool varies(const narrower *n, const loop_access *access, pm_affine_expr e) {
  if (e->lhs) return varies(n, access, e->lhs) || varies(n, access, e->rhs);
  if (e->kind == PM_AFFINE_CONST) return false;
  uint32_t i = (uint32_t)e->value + (e->kind == PM_AFFINE_SYM ? access->map->n_dims : 0);
  return !is_constant(n, access->indices[i].value);
}

/* Adds what varies, and leaves the rest; NULL when a value varies and is multiplied by one. */
static pm_affine_expr take_varying(const narrower *n, const loop_access *access, pm_affine_expr e,
                                   loop_linear *sum) {
  if (!varies(n, access, e)) return e;
  if (e->kind == PM_AFFINE_ADD) {
    pm_affine_expr l = take_varying(n, access, e->lhs, sum), r = take_varying(n, access, e->rhs, sum);
    return l && r ? pm_affine_add(l, r) : NULL;
  }
  return loop_linear_add_index(sum, access, e) ? pm_affine_const(e->ctx, 0) : NULL;
}

/* The op looks the place up in base + offset, and what is the same in all iterations. */
static void set_place(pm_op *op, const loop_access *access, pm_affine_expr rest, const narrowed *to) {
  affine_pool dims = {0};
  affine_values symbols = {0};
  for (uint32_t i = 0; i < loop_n_indices(access); i++) {
    pm_value *value = access->indices[i].value;
    if (i < access->map->n_dims)
      PM_VEC_PUSH(dims.operands, value);
    else
      PM_VEC_PUSH(symbols, value);
  }
  pm_value *added[] = {to->base, to->offset};
  for (size_t i = 0; i < PM_COUNT(added); i++) {
    if (!added[i]) continue;
    rest = pm_affine_add(rest, pm_affine_dim(rest->ctx, (uint32_t)dims.operands.len));
    PM_VEC_PUSH(dims.operands, added[i]);
  }
  loop_set_place(op, access, rest, &dims, &symbols);
  PM_VEC_FREE(dims.operands);
  PM_VEC_FREE(symbols);
}

/* The op is a look-up whose place can be narrowed, and is not: of this rest, and these terms. */
static bool find_wide(const narrower *n, const pm_op *op, loop_access *access, pm_affine_expr *rest,
                      loop_linear *varying) {
  *varying = (loop_linear){0};
  if (!pm_is(op, &buf_load) || pm_element_bytes(pm_res((pm_op *)op, 0)->type) != 4) return false;
  if (!loop_find_access(op, access) || access->map->n_results != 1) return false;
  *rest = take_varying(n, access, access->map->results[0], varying);
  if (*rest && can_narrow(n, varying) && !is_narrow(n, varying)) return true;
  loop_linear_free(varying);
  return false;
}

static bool has_wide(const narrower *n) {
  loop_access access;
  pm_affine_expr rest;
  loop_linear varying;
  PM_FOR_OPS(op, pm_region_at(n->loop, loop_for_body)) {
    if (!find_wide(n, op, &access, &rest, &varying)) continue;
    loop_linear_free(&varying);
    return true;
  }
  return false;
}

static void narrow(narrower *n, pm_op *op) {
  loop_access access;
  pm_affine_expr rest;
  loop_linear varying;
  if (!find_wide(n, op, &access, &rest, &varying)) return;
  rest = pm_affine_addc(rest, varying.number);
  n->in = pm_builder_before(op);
  set_place(op, &access, rest, find_narrowed(n, &varying));
  n->changed++;
}

/* Look-ups of one place share it when what it is computed by is there once. */
static void narrow_loop(narrower *n) {
  find_changes(n);
  if (!has_wide(n)) return;
  pm_merged_ops merged = pm_merge_equal_ops(n->loop);
  n->merged += merged.pure + merged.loads;
  find_changes(n);
  n->ahead = pm_builder_before(n->loop);
  pm_map_set(n->firsts, loop_counter_of(n->loop), pm_arg(n->loop, loop_for_lb));
  PM_FOR_OPS(op, pm_region_at(n->loop, loop_for_body)) narrow(n, op);
}

static void narrow_in(narrower *n, pm_op *loop) {
  n->loop = loop;
  n->changes = pm_map_new();
  n->loaded = pm_map_new();
  n->firsts = pm_map_new();
  n->offsets = pm_map_new();
  if (loop_find_most_trips(loop, &n->trips)) narrow_loop(n);
  for (size_t i = 0; i < n->made.len; i++) loop_linear_free(&n->made.data[i].varying);
  n->made.len = 0;
  pm_map_free(n->changes);
  pm_map_free(n->loaded);
  pm_map_free(n->firsts);
  pm_map_free(n->offsets);
}

pm_result pass_narrow_lookups(pm_pass *pass) {
  narrower n = {.ranges = pm_pass_analysis(pass, &loop_ranges_analysis), .arena = pm_pass_arena(pass)};
  loop_list loops = {0};
  loop_list_vector_loops(pm_pass_root(pass), &loops);
  for (size_t i = 0; i < loops.len; i++) narrow_in(&n, loops.data[i]);
  PM_VEC_FREE(n.made);
  PM_VEC_FREE(loops);
  pm_pass_stat(pass, "gathers narrowed", n.changed);
  return n.changed || n.merged ? PM_CHANGED : PM_UNCHANGED;
}
