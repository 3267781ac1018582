/* A plugin that brings nothing but what is there already. */
#include "tools/plugin.h"

static pm_result run_cse(pm_pass *p) {
  (void)p;
  return PM_UNCHANGED;
}

static pm_module *read_nothing(pm_context *ctx, const pm_frontend_input *input) {
  (void)ctx, (void)input;
  return NULL;
}

static const pm_pass_desc cse = {.name = "cse", .anchor = "any", .doc = "another cse", .run = run_cse};
static const pm_op_desc *const no_ops[] = {NULL}, *const taken_ops[] = {&loop_for, NULL};
static const pm_dialect arith = {.name = "arith", .ops = no_ops, .doc = "another arith"};
static const pm_dialect thief = {.name = "thief", .ops = taken_ops, .doc = "ops of another dialect"};
static const pm_named_pipeline pipeline = {"default", "cse", "another default"};
static const pm_named_pipeline pass_name = {"dce", "cse", "a pipeline called like a pass"};
static const char *const no_files[] = {NULL}, *const python[] = {"py", NULL};
static const pm_frontend_option no_options[] = {{0}};
static const pm_frontend pmir = {"pmir", "IR", no_files, "another pmir", no_options, read_nothing, NULL};
static const pm_frontend snake = {"snake",    "Snake",      python, "files of another",
                                  no_options, read_nothing, NULL};

static void register_clashes(pm_context *ctx) {
  pm_register_pass(ctx, &cse);
  pm_register_dialect(ctx, &arith);
  pm_register_dialect(ctx, &thief);
  pm_register_pipeline(ctx, &pipeline);
  pm_register_pipeline(ctx, &pass_name);
  pm_register_frontend(ctx, &pmir);
  pm_register_frontend(ctx, &snake);
}

PM_PLUGIN("clash", register_clashes)
