/* unroll-phases: a vector loop that reads at quotients of its counter takes as many iterations at a time as
 * the divisor says, in each of which such a read moves by one cell.
 *
 *   loop.for %i = %a to %b step 1 simd {         |  %lo = ceil(%a / 2), %hi = floor(%b / 2)
 *                                                |  loop.if %a < 2 * %lo, %a < %b { … for %i = %a … }
 *                                                |  loop.for %h = %lo to %hi step 1 simd {
 *     %v = buf.load %x[%i floordiv 2]            |    %v = buf.load %x[%h]
 *     %w = buf.load %x[(%i + 1) floordiv 2]      |    %w = buf.load %x[%h + 1]
 *     %s = arith.addf %v, %w : f32               |    %s = arith.addf %v, %v : f32
 *                                                |    %t = arith.addf %v, %w : f32
 *     buf.store %s, %y[%i]                       |    buf.store %s, %y[%h * 2]
 *                                                |    buf.store %t, %y[%h * 2 + 1]
 *   }                                            |  }
 *                                                |  loop.if … { … the last one, likewise … }
 *
 * Before, each lane of a vector has another cell, which is gathered; loads of neighbours and stores that fill
 * lines between them are vectors and shuffles. The iterations may be run in any order and at once.
 */
#include "dialects/arith/arith.h"
#include "dialects/loop/access.h"
#include "dialects/loop/analyses/indices.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "dialects/machine/machine.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct unrolling {
  pm_pass *pass;
  pm_op *loop;
  pm_value *counter;
  pm_region *body;
  int64_t period;
  int64_t ops, quotients; /* in the body: all, and loads at quotients of the counter */
} unrolling;

/* --- the period --- */

static void add_period(unrolling *u, const loop_access *access) {
  int64_t period = 1;
  for (uint32_t r = 0; r < access->map->n_results; r++)
    period = loop_joint_period(
        period, loop_index_period(access, access->map->results[r], u->counter, 1, PM_MAX_PERIOD),
        PM_MAX_PERIOD);
  u->quotients += period != 1 && access->reads;
  u->period = loop_joint_period(u->period, period, PM_MAX_PERIOD);
}

/* --- what is allowed --- */

/* From each iteration to the next the store moves to the next cell of its row. */
static bool stores_in_a_row(const unrolling *u, const loop_access *access) {
  int64_t factor;
  uint32_t last = access->map->n_results - 1;
  if (!access->map->n_results) return false;
  for (uint32_t r = 0; r < last; r++)
    if (loop_index_mentions(access, access->map->results[r], u->counter)) return false;
  return loop_find_factor(access, access->map->results[last], u->counter, &factor) && factor == 1;
}

static bool missed(const unrolling *u, const char *why) {
  pm_pass_remark(u->pass, u->loop->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"reads", (double)u->quotients}},
                 1, "%lld reads stay at quotients of the counter of a vector loop: %s",
                 (long long)u->quotients, why);
  return false;
}

/* Of the body: the period, and whether each op is an access or arithmetic. */
static bool find_period(unrolling *u) {
  bool straight = true;
  PM_FOR_OPS(op, u->body) {
    loop_access access;
    bool plain = pm_is(op, &buf_load) || pm_is(op, &buf_store) || pm_is(op, &buf_prefetch);
    if (loop_find_access(op, &access)) add_period(u, &access);
    straight &= plain || (pm_has_trait(op, PM_PURE) && !op->n_regions);
    u->ops += !pm_is(op, &buf_prefetch);
  }
  return straight;
}

static bool have_stores_in_rows(const unrolling *u) {
  bool all = true, any = false;
  PM_FOR_OPS(op, u->body) {
    loop_access access;
    if (!pm_is(op, &buf_store)) continue;
    any = true;
    all &= loop_find_access(op, &access) && stores_in_a_row(u, &access);
  }
  return any && all;
}

static bool should_unroll(unrolling *u) {
  bool straight = find_period(u);
  if (!u->quotients) return false;
  if (!u->period) return missed(u, "the divisors have no common multiple up to 4");
  if (!straight) return missed(u, "its body is not straight");
  if (!have_stores_in_rows(u)) return missed(u, "its stores are not to consecutive elements");
  if (u->ops * u->period > pm_opt_int(u->pass, unroll_phases_opt_max_ops))
    return missed(u, "its body would have more ops than max-ops");
  pm_pass_remark(
      u->pass, u->loop->loc, PM_REMARK_PASSED,
      (pm_remark_arg[]){{"period", (double)u->period}, {"reads", (double)u->quotients}}, 2,
      "a vector loop takes %lld iterations at a time, so that %lld reads at quotients of its counter move by "
      "one element",
      (long long)u->period, (long long)u->quotients);
  return true;
}

/* --- rewriting --- */

/* The first of the stores that end the body. */
static const pm_op *last_stores(const unrolling *u) {
  const pm_op *first = NULL;
  for (const pm_op *op = u->body->last; op && pm_is(op, &buf_store); op = pm_prev(op)) first = op;
  return first;
}

static pm_value *add_constant(pm_builder *b, pm_value *value, int64_t n) {
  return n ? pm_build_binary(b, &arith_addi, value, arith_build_index(b, n)) : value;
}

static pm_value *times_period(const unrolling *u, pm_builder *b, pm_value *value) {
  return pm_build_binary(b, &arith_muli, value, arith_build_index(b, u->period));
}

/* All phases, with the last stores of each behind everything else, so that equal loads can be merged. */
static void fill_body(const unrolling *u, pm_op *loop) {
  pm_region *to = pm_region_at(loop, loop_for_body);
  pm_builder b = pm_builder_at_end(pm_module_of(loop), to, loop->loc);
  const pm_op *stores = last_stores(u);
  loop_phase phases[PM_MAX_PERIOD];
  for (int64_t k = 0; k < u->period; k++) {
    phases[k] = loop_phase_begin(&b, u->counter, to->args[0], u->period, k);
    loop_phase_copy(&phases[k], &b, u->body->first, stores);
  }
  for (int64_t k = 0; k < u->period; k++) {
    loop_phase_copy(&phases[k], &b, stores, NULL);
    loop_phase_free(&phases[k]);
  }
}

/* The iterations from `lb` up to `ub`, at most `n` of them, each under its condition. */
static void leave_rest(const unrolling *u, pm_builder *b, pm_value *lb, pm_value *ub, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    pm_value *i = add_constant(b, lb, k);
    pm_op *taken = loop_build_if(b, arith_build_cmp(b, ARITH_LT, i, ub));
    pm_builder in = pm_builder_at_end(pm_module_of(u->loop),
                                      pm_region_begin(pm_region_at(taken, loop_if_then)), u->loop->loc);
    loop_phase only = loop_phase_begin(&in, u->counter, i, 1, 0);
    loop_phase_copy(&only, &in, u->body->first, NULL);
    loop_drop_prefetches(in.region);
    loop_phase_free(&only);
  }
}

static void unroll(const unrolling *u) {
  pm_builder b = pm_builder_before(u->loop);
  pm_value *lb = pm_arg(u->loop, loop_for_lb), *ub = pm_arg(u->loop, loop_for_ub);
  pm_value *period = arith_build_index(&b, u->period);
  pm_value *first = pm_build_binary(&b, &arith_divi, add_constant(&b, lb, u->period - 1), period);
  pm_value *last = pm_build_binary(&b, &arith_divi, ub, period);
  pm_value *begin = pm_build_binary(&b, &arith_mini, times_period(u, &b, first), ub);
  pm_value *end = pm_build_binary(&b, &arith_maxi, times_period(u, &b, last), begin);
  int64_t before = loop_find_remainder(lb, u->period), behind = loop_find_remainder(ub, u->period);
  leave_rest(u, &b, lb, begin, before < 0 ? u->period - 1 : (u->period - before) % u->period);
  fill_body(u, loop_build_for(&b, first, last, &(loop_spec){.like = u->loop}));
  leave_rest(u, &b, end, ub, behind < 0 ? u->period - 1 : behind);
  pm_op_erase(u->loop);
}

pm_result pass_unroll_phases(pm_pass *p) {
  loop_list loops = {0};
  int64_t n = 0;
  loop_list_vector_loops(pm_pass_root(p), &loops);
  for (size_t i = 0; i < loops.len; i++) {
    pm_region *body = pm_region_at(loops.data[i], loop_for_body);
    unrolling u = {.pass = p, .loop = loops.data[i], .counter = body->args[0], .body = body, .period = 1};
    bool should = should_unroll(&u);
    if (should) unroll(&u);
    n += should;
  }
  PM_VEC_FREE(loops);
  pm_pass_stat(p, "loops unrolled", n);
  return n ? PM_CHANGED : PM_UNCHANGED;
}
