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
 * are such least or greatest values, one of the two of the tile and one of the picture. The difference of the
 * bounds is a number then: there is no test for short loops, and the rest behind the last whole vector is
 * known.
 *
 * Not all loops of a tile can be full at once: those of a border begin where those of the interior end. The
 * loops that compute most come first; a bound that cannot be that of the tile then is the other one, and a
 * loop without iterations goes.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "passes/options.h"

#include <stdlib.h>

typedef PM_VEC(loop_sum) sums;

/* Each of `less` is at most each of `more`. */
typedef struct order {
  sums less, more;
} order;

typedef struct cut {
  pm_op *op;        /* mini or maxi, directly in the loop */
  unsigned of_tile; /* the operand that is of the tile */
  int64_t work;     /* ops in the loops with this bound */
  order holds;      /* where the bound is that of the tile */
  bool never;       /* in a full tile the bound is the other one */
  bool implied;     /* it is that of the tile where those before are */
} cut;

typedef struct separation {
  pm_op *loop;
  PM_VEC(cut) cuts;
  pm_map *stays; /* ops of the body that remain in front */
  pm_map *pure;  /* ops of the body that may, with what they are computed from */
} separation;

/* --- which values are cut --- */

static cut *known_cut(const separation *s, const pm_op *op) {
  for (size_t i = 0; i < s->cuts.len; i++)
    if (s->cuts.data[i].op == op) return &s->cuts.data[i];
  return NULL;
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

/* What is more than a greatest value is more than all that it is the greatest of. */
static order order_of(const pm_op *op, unsigned of_tile) {
  order o = {0};
  unsigned less = pm_is(op, &arith_mini) ? of_tile : 1 - of_tile;
  add_sums(loop_sum_of(pm_arg(op, less), 0), &arith_maxi, &o.less);
  add_sums(loop_sum_of(pm_arg(op, 1 - less), 0), &arith_mini, &o.more);
  return o;
}

static void add_cut(separation *s, pm_op *op, int64_t work) {
  bool first = loop_changes_in(pm_arg(op, 0), s->loop), second = loop_changes_in(pm_arg(op, 1), s->loop);
  cut *known = known_cut(s, op);
  if (known) known->work += work;
  unsigned of_tile = first ? 0 : 1;
  if (first != second && !known && may_stay(s, op))
    PM_VEC_PUSH(s->cuts, ((cut){.op = op, .of_tile = of_tile, .work = work, .holds = order_of(op, of_tile)}));
}

/* The least or greatest value that a bound is, up to numbers added, where it is computed directly in the
 * loop; or NULL. */
static pm_op *extreme_of(const separation *s, const pm_value *bound) {
  pm_op *op = bound->is_arg ? NULL : pm_def(bound);
  while (op && pm_is(op, &arith_addi) && pm_parent(op) == s->loop) {
    const pm_value *from = pm_arg(op, pm_constant_value(pm_arg(op, 0)) ? 1 : 0);
    op = from->is_arg ? NULL : pm_def(from);
  }
  bool is = op && (pm_is(op, &arith_mini) || pm_is(op, &arith_maxi)) && pm_parent(op) == s->loop;
  return is ? op : NULL;
}

static bool may_be_full(const separation *s, const pm_op *op) {
  return pm_is(op, &loop_for) && op != s->loop &&
         (pm_attr_at(op, loop_for_simd) || pm_attr_at(op, loop_for_unroll));
}

static pm_walk find_cuts(void *user, pm_op *op) {
  separation *s = user;
  int64_t work = 0;
  if (!may_be_full(s, op)) return PM_WALK_ON;
  PM_FOR_OPS(inside, pm_region_at(op, 0)) work++;
  pm_op *begin = extreme_of(s, pm_arg(op, loop_for_lb)), *end = extreme_of(s, pm_arg(op, loop_for_ub));
  if (begin) add_cut(s, begin, work);
  if (end) add_cut(s, end, work);
  return PM_WALK_ON;
}

/* Those of loops that compute most first, else as they are. */
static void order_cuts(separation *s) {
  for (size_t i = 1; i < s->cuts.len; i++)
    for (size_t k = i; k > 0 && s->cuts.data[k].work > s->cuts.data[k - 1].work; k--) {
      cut later = s->cuts.data[k];
      s->cuts.data[k] = s->cuts.data[k - 1];
      s->cuts.data[k - 1] = later;
    }
}

/* --- whether a tile can be full --- */

/* The order has it that `upper` is that much more than `lower` at least. */
static bool is_further(const order *o, loop_sum lower, loop_sum upper, int64_t distance) {
  for (size_t i = 0; i < o->less.len; i++)
    for (size_t k = 0; k < o->more.len; k++) {
      const loop_sum *less = &o->less.data[i], *more = &o->more.data[k];
      if (less->base != lower.base || more->base != upper.base) continue;
      int64_t up, down, sum;
      bool fits = !__builtin_sub_overflow(upper.added, more->added, &up) &&
                  !__builtin_sub_overflow(less->added, lower.added, &down) &&
                  !__builtin_add_overflow(up, down, &sum);
      if (fits && sum >= distance) return true;
    }
  return false;
}

/* Where the one order holds the other cannot. */
static bool excludes(const order *holds, const order *other) {
  for (size_t i = 0; i < other->less.len; i++)
    for (size_t k = 0; k < other->more.len; k++)
      if (is_further(holds, other->more.data[k], other->less.data[i], 1)) return true;
  return false;
}

/* Finds what those before tell of number `i`. */
static void decide_cut(separation *s, size_t i) {
  cut *c = &s->cuts.data[i];
  for (size_t k = 0; k < i && !c->never; k++) {
    const cut *before = &s->cuts.data[k];
    if (before->never) continue;
    c->never = excludes(&before->holds, &c->holds);
    c->implied |= is_further(&before->holds, c->holds.less.data[0], c->holds.more.data[0], 0);
  }
}

typedef struct full_search {
  const separation *s;
  bool found;
} full_search;

static bool is_cut_by_tile(const separation *s, const pm_value *bound, bool *any) {
  const pm_op *op = extreme_of(s, bound);
  const cut *c = op ? known_cut(s, op) : NULL;
  *any = *any || c;
  return !c || !c->never;
}

static pm_walk find_full(void *user, pm_op *op) {
  full_search *f = user;
  bool any = false;
  if (may_be_full(f->s, op) && is_cut_by_tile(f->s, pm_arg(op, loop_for_lb), &any) &&
      is_cut_by_tile(f->s, pm_arg(op, loop_for_ub), &any) && any)
    f->found = true;
  return f->found ? PM_WALK_STOP : PM_WALK_ON;
}

/* Finds which bounds are those of a full tile; false when no loop is full then. */
static bool decide_cuts(separation *s) {
  full_search f = {s, false};
  order_cuts(s);
  for (size_t i = 0; i < s->cuts.len; i++) decide_cut(s, i);
  pm_walk_pre(s->loop, find_full, &f);
  return f.found;
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
    if (c->never || c->implied) continue;
    arith_pred pred = pm_is(c->op, &arith_mini) ? ARITH_LE : ARITH_GE;
    pm_value *holds = arith_build_cmp(b, pred, pm_arg(c->op, c->of_tile), pm_arg(c->op, 1 - c->of_tile));
    all = all ? pm_build_binary(b, &arith_andi, all, holds) : holds;
  }
  return all;
}

typedef PM_VEC(pm_op *) op_list;

static void find_rest(const separation *s, op_list *rest) {
  PM_FOR_OPS(op, pm_region_at(s->loop, 0))
  if (!pm_map_has(s->stays, op)) PM_VEC_PUSH(*rest, op);
}

/* By what holds in a full tile, whose bounds the values stand for. */
static bool has_no_iterations(const separation *s, const pm_op *loop) {
  loop_sum begin = loop_sum_of(pm_arg(loop, loop_for_lb), 0), end = loop_sum_of(pm_arg(loop, loop_for_ub), 0);
  bool none = false;
  for (size_t i = 0; i < s->cuts.len && !none; i++)
    none = !s->cuts.data[i].never && is_further(&s->cuts.data[i].holds, end, begin, 0);
  return none;
}

static pm_walk erase_if_empty(void *user, pm_op *op) {
  if (pm_is(op, &loop_for) && !op->n_results && has_no_iterations(user, op)) pm_op_erase(op);
  return PM_WALK_ON;
}

static void clone_for_full(separation *s, const op_list *rest, pm_region *to) {
  pm_map *values = pm_map_new();
  for (size_t i = 0; i < s->cuts.len; i++) {
    const cut *c = &s->cuts.data[i];
    pm_map_set(values, pm_res(c->op, 0), pm_arg(c->op, c->never ? 1 - c->of_tile : c->of_tile));
  }
  for (size_t i = 0; i < rest->len; i++) pm_insert(to, NULL, pm_clone(to->op->module, rest->data[i], values));
  pm_map_free(values);
  PM_FOR_OPS(op, to) pm_walk_post(op, erase_if_empty, s);
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
  if (s.cuts.len && memory_may_stay(&s) && decide_cuts(&s)) {
    separate(&s);
    v->separated++;
  }
  for (size_t i = 0; i < s.cuts.len; i++) {
    PM_VEC_FREE(s.cuts.data[i].holds.less);
    PM_VEC_FREE(s.cuts.data[i].holds.more);
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
