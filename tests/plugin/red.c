/* A plugin with a dialect whose loop, range and memory passes and interpreters ask for (ir/op_desc.h), and a
 * pass that lowers it. */
#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "ir/interpret.h"
#include "ir/rewrite.h"
#include "tools/plugin.h"

#include "dialects/arith/range.h"

#define PM_DIALECT red
#define PM_DIALECT_DEF "tests/plugin/red.def"
#include "ir/declare_ops.h"

#include "dialects/arith/define_kernels.h"

#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

static const pm_dialect red_dialect = {.name = "red", .ops = red_op_table, .doc = "sums with a body"};

/* --- interfaces --- */

pm_range red_clamp_range(const pm_op *op, const pm_range *operands) {
  (void)op;
  pm_range lo = operands[red_clamp_lo], hi = operands[red_clamp_hi];
  return (pm_range){lo.known && hi.known, lo.lo, hi.hi};
}

static pm_value *sum_runs(pm_builder *b, const pm_op *sum) {
  return arith_build_cmp(b, ARITH_LT, pm_arg(sum, red_sum_lb), pm_arg(sum, red_sum_ub));
}

const pm_loop_like red_sum_loop_like = {.n_bounds = 2, .counts = true, .runs = sum_runs};

bool red_sum_verify(const pm_op *op) {
  const pm_region *body = pm_region_at(op, red_sum_body);
  const pm_op *yield = pm_terminator(body);
  if (body->n_args != 1 || !pm_is_index(body->args[0]->type))
    return pm_op_error(op, "should have a region with one argument, of index type");
  return (yield && pm_is(yield, &red_yield) &&
          pm_arg(yield, red_yield_value)->type == pm_res(op, red_sum_total)->type) ||
         pm_op_error(op, "should have a region that ends in red.yield of its own type");
}

bool red_sum_interpret(pm_interpreter *in, const pm_op *op) {
  const pm_region *body = pm_region_at(op, red_sum_body);
  const pm_value *value = pm_arg(pm_terminator(body), red_yield_value);
  pm_scalar scalar = (pm_scalar)value->type->scalar;
  pm_kernel add = pm_find_kernel_of(pm_is_float(value->type) ? &arith_addf : &arith_addi, scalar);
  pm_lane *total = pm_interp_lanes(in, pm_res(op, red_sum_total));
  int64_t i = pm_interp_lanes(in, pm_arg(op, red_sum_lb))->i,
          ub = pm_interp_lanes(in, pm_arg(op, red_sum_ub))->i;
  *total = (pm_lane){0};
  for (; i < ub; i++) {
    pm_interp_lanes(in, body->args[0])->i = i;
    if (!pm_interp_run(in, body)) return false;
    add((const pm_lane *const[]){total, pm_interp_lanes(in, value)}, total, 1);
  }
  return true;
}

bool red_copy_writes(const pm_op *op, unsigned operand) {
  (void)op;
  return operand == red_copy_to;
}

bool red_copy_interpret(pm_interpreter *in, const pm_op *op) {
  int64_t n = pm_interp_lanes(in, pm_arg(op, red_copy_n))->i;
  for (int64_t i = 0; i < n; i++) {
    pm_lane lane;
    if (!pm_interp_load(in, op, pm_arg(op, red_copy_from), &i, &lane) ||
        !pm_interp_store(in, op, pm_arg(op, red_copy_to), &i, &lane))
      return false;
  }
  return true;
}

/* --- lowering --- */

static bool lower_clamp(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &red_clamp)) return false;
  pm_builder *b = pm_rw_builder(rw);
  pm_value *above = pm_build_binary(b, &arith_maxi, pm_arg(op, red_clamp_x), pm_arg(op, red_clamp_lo));
  pm_rw_replace_one(rw, op, pm_build_binary(b, &arith_mini, above, pm_arg(op, red_clamp_hi)));
  return true;
}

static pm_op *build_loop(pm_builder *b, pm_value *lb, pm_value *ub, pm_value *init) {
  pm_value *inits[] = {init};
  return loop_build_for(b, lb, ub, &(loop_spec){.step = 1, .inits = inits, .n_inits = init ? 1 : 0});
}

static bool lower_sum(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &red_sum)) return false;
  pm_builder *b = pm_rw_builder(rw);
  pm_type type = pm_res(op, 0)->type;
  pm_value *zero = pm_is_float(type) ? arith_build_float(b, type, 0) : arith_build_int(b, type, 0);
  pm_op *loop = build_loop(b, pm_arg(op, red_sum_lb), pm_arg(op, red_sum_ub), zero);
  pm_region *from = pm_region_at(op, red_sum_body), *to = pm_region_at(loop, loop_for_body);
  pm_value *addend = pm_arg(pm_terminator(from), red_yield_value);
  pm_replace_uses(from->args[0], to->args[0]);
  pm_rw_erase(rw, pm_terminator(from));
  pm_splice(to, from);
  pm_builder in = pm_builder_at_end(b->module, to, op->loc);
  pm_value *next = pm_build_binary(&in, pm_is_float(type) ? &arith_addf : &arith_addi, to->args[1], addend);
  loop_build_yield(&in, &next, 1);
  pm_rw_replace_one(rw, op, pm_res(loop, 0));
  return true;
}

static bool lower_copy(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &red_copy)) return false;
  pm_builder *b = pm_rw_builder(rw);
  pm_op *loop = build_loop(b, arith_build_index(b, 0), pm_arg(op, red_copy_n), NULL);
  pm_builder in = loop_inside(loop);
  pm_value *i = pm_region_at(loop, loop_for_body)->args[0];
  pm_affine_expr first = pm_affine_dim(pm_op_context(op), 0);
  pm_affine_map map = pm_get_affine_map(pm_op_context(op), 1, 0, &first, 1);
  pm_value *value = buf_build_load(&in, pm_arg(op, red_copy_from), map, &i);
  buf_build_store(&in, value, pm_arg(op, red_copy_to), map, &i);
  pm_rw_erase(rw, op);
  return true;
}

static pm_result run_lower_red(pm_pass *p) {
  static const pm_rule clamp = {"clamp", "clamp(x, lo, hi) => mini(maxi(x, lo), hi)", lower_clamp};
  static const pm_rule sum = {"sum", "red.sum is a loop.for that carries the sum", lower_sum};
  static const pm_rule copy = {"copy", "red.copy is a loop.for of loads and stores", lower_copy};
  static const pm_rule *const rules[] = {&clamp, &sum, &copy, NULL};
  pm_greedy_result done = pm_greedy(pm_pass_root(p), &(pm_greedy_config){.extra = rules});
  return done.changed ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_pass_desc lower_red = {
    .name = "lower-red", .anchor = "any", .doc = "red to loop, buf and arith", .run = run_lower_red};

static void register_red(pm_context *ctx) {
  pm_register_dialect(ctx, &red_dialect);
  pm_register_pass(ctx, &lower_red);
}

PM_PLUGIN("red", register_red)
