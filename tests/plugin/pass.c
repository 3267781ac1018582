/* A plugin with a pass, and a pipeline that runs it after the default one: x * 2 becomes x + x, which is the
 * same number in every type. */
#include "tools/plugin.h"

typedef struct doubled {
  const pm_op_desc *mul, *add;
} doubled;

static bool is_two(const pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  if (!constant) return false;
  return constant->cls == PM_ATTR_INT ? constant->i == 2 : constant->cls == PM_ATTR_FLOAT && constant->f == 2;
}

static bool mul_to_add(pm_rewriter *rw, pm_op *op) {
  static const doubled kinds[] = {{&arith_muli, &arith_addi}, {&arith_mulf, &arith_addf}};
  for (size_t i = 0; i < PM_COUNT(kinds); i++) {
    if (!pm_is(op, kinds[i].mul) || !is_two(pm_arg(op, 1))) continue;
    pm_value *x = pm_arg(op, 0);
    pm_rw_replace_one(rw, op, pm_build_binary(pm_rw_builder(rw), kinds[i].add, x, x));
    return true;
  }
  return false;
}

static pm_result run_mul_to_add(pm_pass *p) {
  static const pm_rule rule = {"mul_to_add", "mul(x, 2) => add(x, x)", mul_to_add};
  static const pm_rule *const rules[] = {&rule, NULL};
  pm_greedy_result done = pm_greedy(pm_pass_root(p), &(pm_greedy_config){.extra = rules});
  pm_pass_stat(p, "products replaced", done.applied);
  return done.changed ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_pass_desc mul_to_add_pass = {
    .name = "mul-to-add", .anchor = "any", .doc = "x * 2 becomes x + x", .run = run_mul_to_add};

static const pm_named_pipeline with_adds = {"with-adds", "default,mul-to-add",
                                            "default, with sums in place of doubled values"};

static void register_adds(pm_context *ctx) {
  pm_register_pass(ctx, &mul_to_add_pass);
  pm_register_pipeline(ctx, &with_adds);
}

PM_PLUGIN("adds", register_adds)
