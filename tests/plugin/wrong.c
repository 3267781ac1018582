/* A plugin with passes that are wrong, for what finds them: a rule among right ones, an interchange that a
 * dependence forbids, a bound that is one too small at the border of a tile, loops that run once more or are
 * said to be simd, a row of tiles in the middle, a loop that does not end, and a program with another name.
 * And a dialect with wrong rules. */
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/poly/tree.h"
#include "tools/plugin.h"

#define PM_DIALECT wrong
#define PM_DIALECT_DEF "tests/plugin/wrong.def"
#include "ir/declare_ops.h"

#include "dialects/arith/define_kernels.h"

#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

static const pm_dialect wrong_dialect = {
    .name = "wrong", .ops = wrong_op_table, .doc = "rules that are wrong"};

bool wrong_least_constant_right(pm_rewriter *rw, pm_op *op) {
  pm_value *l = pm_arg(op, 0), *r = pm_arg(op, 1);
  if (!pm_constant_value(l) || pm_constant_value(r)) return false;
  pm_rw_replace_one(rw, op, pm_build_binary(pm_rw_builder(rw), &wrong_least, r, l));
  return true;
}

/* It gives y. */
bool wrong_least_of_greatest(pm_rewriter *rw, pm_op *op) {
  pm_op *max = pm_def(pm_arg(op, 0));
  if (!pm_is(max, &arith_maxi) || pm_arg(max, 0) != pm_arg(op, 1)) return false;
  pm_rw_replace_one(rw, op, pm_arg(max, 1));
  return true;
}

/* It is right, and the law is not. */
bool wrong_least_of_itself(pm_rewriter *rw, pm_op *op) {
  if (pm_arg(op, 0) != pm_arg(op, 1)) return false;
  pm_rw_replace_one(rw, op, pm_arg(op, 0));
  return true;
}

/* It makes an index of all types. */
bool wrong_least_of_least(pm_rewriter *rw, pm_op *op) {
  pm_op *inner = pm_def(pm_arg(op, 0));
  if (!pm_is(inner, &wrong_least) || pm_arg(inner, 0) != pm_arg(op, 1)) return false;
  pm_rw_replace_one(rw, op, arith_build_index(pm_rw_builder(rw), 0));
  return true;
}

bool wrong_least_first(pm_rewriter *rw, pm_op *op) {
  (void)rw, (void)op;
  return false;
}

bool wrong_least_unknown(pm_rewriter *rw, pm_op *op) {
  pm_op *inner = pm_def(pm_arg(op, 0));
  if (!pm_is(inner, &wrong_least) || pm_arg(inner, 1) != pm_arg(op, 1)) return false;
  pm_rw_replace_one(rw, op, pm_arg(op, 0));
  return true;
}

bool wrong_least_never(pm_rewriter *rw, pm_op *op) {
  (void)rw, (void)op;
  return false;
}

/* --- rules --- */

static bool is_two(const pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  return constant && constant->cls == PM_ATTR_INT && constant->i == 2;
}

static bool mul_to_add(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &arith_muli) || !is_two(pm_arg(op, 1))) return false;
  pm_value *x = pm_arg(op, 0);
  pm_rw_replace_one(rw, op, pm_build_binary(pm_rw_builder(rw), &arith_addi, x, x));
  return true;
}

static bool min_of_max(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &arith_mini) || pm_is_arg(pm_arg(op, 0))) return false;
  pm_op *max = pm_def(pm_arg(op, 0));
  if (!pm_is(max, &arith_maxi) || pm_arg(max, 0) != pm_arg(op, 1)) return false;
  pm_rw_replace_one(rw, op, pm_arg(max, 1));
  return true;
}

static pm_result run_rules(pm_pass *p) {
  static const pm_rule add = {"mul_to_add", "muli(x, 2) => addi(x, x)", mul_to_add};
  static const pm_rule min = {"min_of_max", "mini(maxi(x, y), x) => y", min_of_max};
  static const pm_rule *const rules[] = {&add, &min, NULL};
  pm_greedy_result done = pm_greedy(pm_pass_root(p), &(pm_greedy_config){.extra = rules});
  return done.changed ? PM_CHANGED : PM_UNCHANGED;
}

/* --- interchange --- */

static pm_walk interchange_first(void *user, pm_op *op) {
  bool *done = user;
  if (!pm_is(op, &poly_band) || poly_band_members(op) != 2) return PM_WALK_ON;
  poly_permute_band(op, (const unsigned[]){1, 0});
  *done = true;
  return PM_WALK_STOP;
}

static pm_result run_interchange(pm_pass *p) {
  bool done = false;
  pm_walk_pre(pm_pass_root(p), interchange_first, &done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}

/* --- bounds --- */

static bool is_bound(const pm_value *sum) {
  PM_FOR_USES(use, sum) {
    if (pm_is(pm_user(use), &arith_mini)) return true;
  }
  return false;
}

/* x + c with c of 8 at least, where that is the smaller one of two. */
static pm_walk shorten(void *user, pm_op *op) {
  bool *done = user;
  pm_attr c = pm_is(op, &arith_addi) ? pm_constant_value(pm_arg(op, 1)) : NULL;
  if (!c || c->i < 8 || !is_bound(pm_res(op, 0))) return PM_WALK_ON;
  pm_builder b = pm_builder_before(op);
  pm_set_operand(op, 1, arith_build_index(&b, c->i - 1));
  *done = true;
  return PM_WALK_ON;
}

static pm_result run_bound(pm_pass *p) {
  bool done = false;
  pm_walk_pre(pm_pass_root(p), shorten, &done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}

/* --- loops --- */

static pm_walk run_once_more(void *user, pm_op *op) {
  bool *done = user;
  if (!pm_is(op, &loop_for)) return PM_WALK_ON;
  pm_builder b = pm_builder_before(op);
  pm_value *one = arith_build_index(&b, 1);
  pm_set_operand(op, loop_for_ub, pm_build_binary(&b, &arith_addi, pm_arg(op, loop_for_ub), one));
  *done = true;
  return PM_WALK_ON;
}

static pm_result run_reach(pm_pass *p) {
  bool done = false;
  pm_walk_pre(pm_pass_root(p), run_once_more, &done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}

static pm_walk say_simd(void *user, pm_op *op) {
  bool *done = user;
  if (!pm_is(op, &loop_for) || op->n_results || pm_attr_at(op, loop_for_simd)) return PM_WALK_ON;
  pm_set_attr(op, loop_for_simd, pm_get_unit(pm_op_context(op)));
  *done = true;
  return PM_WALK_ON;
}

static pm_result run_simd(pm_pass *p) {
  bool done = false;
  pm_walk_pre(pm_pass_root(p), say_simd, &done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}

static bool stores_output(const pm_op *op) {
  return pm_is(op, &buf_store) && pm_is(pm_def(pm_arg(op, buf_store_buffer)), &buf_output);
}

/* The last store of the first loop with two to an output. */
static pm_walk find_jammed(void *user, pm_op *op) {
  pm_op **store = user, *last = NULL;
  unsigned n = 0;
  if (!pm_is(op, &loop_for)) return PM_WALK_ON;
  PM_FOR_OPS(inner, pm_region_at(op, loop_for_body)) {
    if (!stores_output(inner)) continue;
    last = inner;
    n++;
  }
  if (n < 2) return PM_WALK_ON;
  *store = last;
  return PM_WALK_STOP;
}

static pm_result run_row(pm_pass *p) {
  pm_op *store = NULL;
  pm_walk_pre(pm_pass_root(p), find_jammed, &store);
  if (!store) return PM_UNCHANGED;
  pm_builder b = pm_builder_before(store);
  pm_set_operand(store, buf_store_value, arith_build_float(&b, pm_arg(store, buf_store_value)->type, 1234));
  return PM_CHANGED;
}

static pm_result run_end(pm_pass *p) {
  pm_op *func = pm_pass_root(p);
  pm_builder b = pm_builder_at_end(pm_module_of(func), pm_region_at(func, loop_func_body), func->loc);
  loop_build_for(&b, arith_build_index(&b, 0), arith_build_index(&b, INT64_MAX), &(loop_spec){.step = 1});
  return PM_CHANGED;
}

static pm_result run_name(pm_pass *p) {
  pm_context *ctx = pm_op_context(pm_pass_root(p));
  pm_set_attr(pm_pass_root(p), loop_func_sym, pm_get_symbol(ctx, pm_get_string(ctx, pm_str_of("other"))));
  return PM_CHANGED;
}

/* --- the plugin --- */

static const pm_pass_desc rules_pass = {
    .name = "wrong-rules", .anchor = "any", .doc = "mini(maxi(x, y), x) becomes y", .run = run_rules};
static const pm_pass_desc interchange_pass = {.name = "wrong-interchange",
                                              .anchor = "stage.pipeline",
                                              .doc = "the first band's loops are interchanged",
                                              .run = run_interchange};
static const pm_pass_desc bound_pass = {
    .name = "wrong-bound", .anchor = "loop.func", .doc = "tiles are one too short", .run = run_bound};
static const pm_pass_desc reach_pass = {
    .name = "wrong-reach", .anchor = "loop.func", .doc = "loops run once more", .run = run_reach};
static const pm_pass_desc simd_pass = {
    .name = "wrong-simd", .anchor = "loop.func", .doc = "all loops are simd", .run = run_simd};
static const pm_pass_desc row_pass = {
    .name = "wrong-row", .anchor = "loop.func", .doc = "a row of a jammed loop is 1234", .run = run_row};
static const pm_pass_desc end_pass = {
    .name = "wrong-end", .anchor = "loop.func", .doc = "a loop of all numbers", .run = run_end};
static const pm_pass_desc name_pass = {
    .name = "wrong-name", .anchor = "loop.func", .doc = "it has another name", .run = run_name};

static void register_wrong(pm_context *ctx) {
  pm_register_dialect(ctx, &wrong_dialect);
  pm_register_pass(ctx, &rules_pass);
  pm_register_pass(ctx, &interchange_pass);
  pm_register_pass(ctx, &bound_pass);
  pm_register_pass(ctx, &reach_pass);
  pm_register_pass(ctx, &simd_pass);
  pm_register_pass(ctx, &row_pass);
  pm_register_pass(ctx, &end_pass);
  pm_register_pass(ctx, &name_pass);
}

PM_PLUGIN("wrong", register_wrong)
