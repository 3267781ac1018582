/* Reads IR, folds it, looks at an op, prints. */
#include <pm/dialects/arith/arith.h>
#include <pm/dialects/dialects.h>
#include <pm/ir/pass.h>
#include <pm/ir/text.h>
#include <pm/ir/version.h>
#include <pm/passes/passes.h>

#include <stdio.h>
#include <string.h>

static const char text[] = "loop.func @f {\n"
                           "  %n = loop.param @n : index\n"
                           "  %y = buf.output @y(%n) : memref<?xindex>\n"
                           "  %a = arith.constant 2 : index\n"
                           "  %b = arith.addi %a, %a : index\n"
                           "  buf.store %b, %y[%a] : memref<?xindex>\n"
                           "}\n";

static pm_walk count(void *n, pm_op *op) {
  *(int *)n += pm_is(op, &arith_constant);
  return PM_WALK_ON;
}

int main(void) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_module *module = pm_parse_module(ctx, "text", text, strlen(text), true);
  pm_pass_manager *passes = pm_pass_manager_new(ctx);
  pm_run_config config = {0};
  int n = 0, ok = module && pm_parse_pipeline(passes, "here", "canonicalize,dce") &&
                  pm_run_passes(passes, module, &config);
  if (ok) pm_walk_pre(pm_module_op(module), count, &n);
  printf("pm %s, ABI %d: %d constants\n", pm_version(), PM_ABI, n);
  pm_pass_manager_free(passes);
  if (module) pm_module_free(module);
  pm_context_free(ctx);
  return !ok;
}
