/* separate-full-tiles: tiles that no border cuts get loops with as many iterations as the tile is long.
 *
 *   loop.for %t = %c0 to %n step 1 isolate {    |  loop.for %t = %c0 to %n step 1 {
 *     %b = arith.muli %t, %c256 : index         |    %b = …
 *     %e = arith.addi %b, %c256 : index         |    %e = …
 *     %u = arith.mini %e, %C : index            |    %u = arith.mini %e, %C : index
 *     loop.for %x = %b to %u step 1 simd {      |    %0 = arith.cmp le, %e, %C : index
 *       …                                       |    loop.if %0 {
 *     }                                         |      loop.for %x = %b to %e step 1 simd { … }
 *                                               |    } else {
 *                                               |      loop.for %x = %b to %u step 1 simd { … }
 *   }                                           |    }
 *                                               |  }
 *
 * It is done for the loops with `isolate` around vector loops, and those that will be unrolled, whose bounds
 * are such least or greatest values, one of the two of the tile and one of the picture, unless the tile is
 * wider than what cuts it on both sides. The difference of the bounds is a number then, which C compilers
 * make use of: without a test for short loops, and with the rest behind the last whole vector known.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/loops.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct cut {
  pm_op *op;        /* mini or maxi, directly in the loop */
  unsigned of_tile; /* the operand that is the bound in a full tile */
} cut;

typedef struct separation {
  pm_op *loop;
  PM_VEC(cut) cuts;
  pm_map *stays; /* ops of the body that remain in front */
  pm_map *pure;  /* ops of the body that may, with what they are computed from */
} separation;

/* --- which values are cut --- */

static bool is_known(const separation *s, const pm_op *op) {
  for (size_t i = 0; i < s->cuts.len; i++)
    if (s->cuts.data[i].op == op) return true;
  return false;
}

/* Nothing that the op is computed from in the body reads or writes memory, or has regions. */
static bool may_stay(separation *s, pm_op *op) {
  if (pm_parent(op) != s->loop || pm_map_has(s->pure, op)) return true;
  bool may = pm_has_trait(op, PM_PURE) && !op->n_regions;
  for (unsigned i = 0; i < op->n_operands && may; i++)
    may = pm_arg(op, i)->is_arg || may_stay(s, pm_def(pm_arg(op, i)));
  if (may) pm_map_set(s->pure, op, op);
  return may;
}

static void add_cut(separation *s, pm_op *op) {
  bool first = loop_changes_in(pm_arg(op, 0), s->loop), second = loop_changes_in(pm_arg(op, 1), s->loop);
  if (first != second && !is_known(s, op) && may_stay(s, op))
    PM_VEC_PUSH(s->cuts, ((cut){op, first ? 0 : 1}));
}

/* The least or greatest value that a bound is, up to numbers added, where it is computed directly in the
 * loop. */
static void follow_bound(separation *s, const pm_value *bound) {
  pm_op *op = bound->is_arg ? NULL : pm_def(bound);
  while (op && pm_is(op, &arith_addi) && pm_parent(op) == s->loop) {
    const pm_value *from = pm_arg(op, pm_constant_value(pm_arg(op, 0)) ? 1 : 0);
    op = from->is_arg ? NULL : pm_def(from);
  }
  if (op && (pm_is(op, &arith_mini) || pm_is(op, &arith_maxi)) && pm_parent(op) == s->loop) add_cut(s, op);
}

static pm_walk find_cuts(void *user, pm_op *op) {
  separation *s = user;
  if (!pm_is(op, &loop_for) || op == s->loop) return PM_WALK_ON;
  if (!pm_attr_at(op, loop_for_simd) && !pm_attr_at(op, loop_for_unroll)) return PM_WALK_ON;
  follow_bound(s, pm_arg(op, loop_for_lb));
  follow_bound(s, pm_arg(op, loop_for_ub));
  return PM_WALK_ON;
}

/* --- whether a tile can be full --- */

typedef PM_VEC(loop_sum) sums;

/* Adds what the sum is, and of what it is the least or greatest, as `extreme` says, up to a few. */
static void add_sums(loop_sum s, const pm_op_desc *extreme, sums *out) {
  enum { MOST = 16 };
  if (out->len == MOST) return;
  PM_VEC_PUSH(*out, s);
  const pm_op *op = s.base && !s.base->is_arg ? pm_def(s.base) : NULL;
  if (!op || !pm_is(op, extreme)) return;
  add_sums(loop_sum_of(pm_arg(op, 0), s.added), extreme, out);
  add_sums(loop_sum_of(pm_arg(op, 1), s.added), extreme, out);
}

static bool any_nearer(const sums *ends, const sums *begins, int64_t distance) {
  for (size_t i = 0; i < ends->len; i++)
    for (size_t k = 0; k < begins->len; k++) {
      const loop_sum *end = &ends->data[i], *begin = &begins->data[k];
      if (end->base == begin->base && loop_less(end->added, begin->added) < distance) return true;
    }
  return false;
}

/* From one end of the tile to the other it is further than from one of the outer bounds to another. */
static bool is_wider(const cut *upper, const cut *lower) {
  loop_sum end = loop_sum_of(pm_arg(upper->op, upper->of_tile), 0),
           begin = loop_sum_of(pm_arg(lower->op, lower->of_tile), 0);
  sums ends = {0}, begins = {0};
  add_sums(loop_sum_of(pm_arg(upper->op, 1 - upper->of_tile), 0), upper->op->desc, &ends);
  add_sums(loop_sum_of(pm_arg(lower->op, 1 - lower->of_tile), 0), lower->op->desc, &begins);
  bool is = end.base == begin.base && any_nearer(&ends, &begins, loop_less(end.added, begin.added));
  PM_VEC_FREE(ends);
  PM_VEC_FREE(begins);
  return is;
}

/* A tile is wider than what cuts it on both sides. */
static bool is_never_full(const separation *s) {
  for (size_t i = 0; i < s->cuts.len; i++)
    for (size_t k = 0; k < s->cuts.len; k++) {
      const cut *a = &s->cuts.data[i], *b = &s->cuts.data[k];
      if (pm_is(a->op, &arith_mini) && pm_is(b->op, &arith_maxi) && is_wider(a, b)) return true;
    }
  return false;
}

/* --- the two versions --- */

/* The op and what it is computed from, in the body. */
static void keep(separation *s, pm_op *op) {
  if (pm_parent(op) != s->loop || pm_map_has(s->stays, op)) return;
  pm_map_set(s->stays, op, op);
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!pm_arg(op, i)->is_arg) keep(s, pm_def(pm_arg(op, i)));
}

/* Memory is made in front, where it lives as long as before. */
static void keep_what_both_need(separation *s) {
  for (size_t i = 0; i < s->cuts.len; i++) keep(s, s->cuts.data[i].op);
  PM_FOR_OPS(op, pm_region_at(s->loop, 0))
  if (pm_is(op, &buf_alloc)) keep(s, op);
}

static bool memory_may_stay(separation *s) {
  PM_FOR_OPS(op, pm_region_at(s->loop, 0))
  for (unsigned i = 0; i < op->n_operands && pm_is(op, &buf_alloc); i++)
    if (!pm_arg(op, i)->is_arg && !may_stay(s, pm_def(pm_arg(op, i)))) return false;
  return true;
}

static pm_value *build_condition(const separation *s, pm_builder *b) {
  pm_value *all = NULL;
  for (size_t i = 0; i < s->cuts.len; i++) {
    const cut *c = &s->cuts.data[i];
    arith_pred order = pm_is(c->op, &arith_mini) ? ARITH_LE : ARITH_GE;
    pm_value *holds = arith_build_cmp(b, order, pm_arg(c->op, c->of_tile), pm_arg(c->op, 1 - c->of_tile));
    all = all ? pm_build_binary(b, &arith_andi, all, holds) : holds;
  }
  return all;
}

typedef PM_VEC(pm_op *) op_list;

static void find_rest(const separation *s, op_list *rest) {
  PM_FOR_OPS(op, pm_region_at(s->loop, 0))
  if (!pm_map_has(s->stays, op)) PM_VEC_PUSH(*rest, op);
}

static void clone_for_full(const separation *s, const op_list *rest, pm_region *to) {
  pm_map *values = pm_map_new();
  for (size_t i = 0; i < s->cuts.len; i++)
    pm_map_set(values, pm_res(s->cuts.data[i].op, 0), pm_arg(s->cuts.data[i].op, s->cuts.data[i].of_tile));
  for (size_t i = 0; i < rest->len; i++) pm_insert(to, NULL, pm_clone(to->op->module, rest->data[i], values));
  pm_map_free(values);
}

static void separate(separation *s) {
  op_list rest = {0};
  keep_what_both_need(s);
  find_rest(s, &rest);
  pm_builder b = pm_builder_at_end(s->loop->module, pm_region_at(s->loop, 0), s->loop->loc);
  pm_op *choice = loop_build_if(&b, build_condition(s, &b));
  clone_for_full(s, &rest, pm_region_begin(pm_region_at(choice, loop_if_then)));
  pm_region *partial = pm_region_begin(pm_region_at(choice, loop_if_else));
  for (size_t i = 0; i < rest.len; i++) pm_move_before(rest.data[i], partial, NULL);
  PM_VEC_FREE(rest);
}

/* True of a loop that says that it is to be isolated, which it then does not say any more. */
static bool take_isolate(pm_op *op) {
  if (!loop_is_loop(op) || op->n_results) return false;
  unsigned slot = pm_is(op, &loop_for) ? (unsigned)loop_for_isolate : (unsigned)loop_parallel_isolate;
  bool isolate = pm_attr_at(op, slot);
  if (isolate) pm_set_attr(op, slot, NULL);
  return isolate;
}

typedef struct visitor {
  int64_t marked, separated;
} visitor;

static pm_walk visit(void *user, pm_op *op) {
  visitor *v = user;
  if (!take_isolate(op)) return PM_WALK_ON;
  v->marked++;
  separation s = {.loop = op, .stays = pm_map_new(), .pure = pm_map_new()};
  pm_walk_pre(op, find_cuts, &s);
  if (s.cuts.len && memory_may_stay(&s) && !is_never_full(&s)) {
    separate(&s);
    v->separated++;
  }
  pm_map_free(s.stays);
  pm_map_free(s.pure);
  PM_VEC_FREE(s.cuts);
  return PM_WALK_ON;
}

/* Inner loops first. */
pm_result pass_separate_full_tiles(pm_pass *p) {
  visitor v = {0};
  pm_walk_post(pm_pass_root(p), visit, &v);
  pm_pass_stat(p, "loops separated", v.separated);
  return v.marked ? PM_CHANGED : PM_UNCHANGED;
}
