/* A plugin with a dialect, and a pass that lowers it: `demo.twice %x` becomes `arith.addi %x, %x`. */
#include "tools/plugin.h"

#include "dialects/arith/arith.h"
#include "ir/pass.h"
#include "ir/rewrite.h"

#define PM_DIALECT demo
#define PM_DIALECT_DEF "tests/plugin/dialect.def"
#include "ir/declare_ops.h"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

static const pm_dialect demo_dialect = {
    .name = "demo", .ops = demo_op_table, .doc = "what a plugin can bring"};

static bool twice_to_addi(pm_rewriter *rw, pm_op *op) {
  if (!pm_is(op, &demo_twice)) return false;
  pm_value *x = pm_arg(op, demo_twice_operand);
  pm_rw_replace_one(rw, op, pm_build_binary(pm_rw_builder(rw), &arith_addi, x, x));
  return true;
}

static pm_result run_lower_twice(pm_pass *p) {
  static const pm_rule rule = {"twice_to_addi", "twice(x) => addi(x, x)", twice_to_addi};
  static const pm_rule *const rules[] = {&rule, NULL};
  pm_greedy_result done = pm_greedy(pm_pass_root(p), &(pm_greedy_config){.extra = rules});
  return done.changed ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_pass_desc lower_twice = {
    .name = "lower-twice", .anchor = "any", .doc = "demo.twice to arith.addi", .run = run_lower_twice};

static void register_demo(pm_context *ctx) {
  pm_register_dialect(ctx, &demo_dialect);
  pm_register_pass(ctx, &lower_twice);
}

PM_PLUGIN("demo", register_demo)
