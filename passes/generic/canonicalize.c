/* canonicalize: folds constants and applies the rules of the ops.
 *
 *   %c = arith.constant 2 : i32                  |
 *   %d = arith.constant 3 : i32                  |  %c = arith.constant 5 : i32
 *   %0 = arith.addi %x, %c : i32                 |  %0 = arith.addi %x, %c : i32
 *   %1 = arith.addi %0, %d : i32                 |
 */
#include "passes/options.h"

#include "dialects/arith/arith.h"
#include "ir/rewrite.h"

static void remark_law(void *user, const pm_op *op, const char *law) {
  pm_pass_remark(user, op->loc, PM_REMARK_PASSED, NULL, 0, "%pO: %s", (const void *)op, law);
}

pm_result pass_canonicalize(pm_pass *p) {
  pm_op *root = pm_pass_root(p);
  pm_greedy_config config = {.materialize = arith_materialize, .fold = true, .rules = true, .trace_user = p};
  if (pm_opt_bool(p, canonicalize_opt_trace)) config.trace = remark_law;
  pm_greedy_result done = pm_greedy(root, &config);
  pm_pass_stat(p, "folded", done.folded);
  pm_pass_stat(p, "rules applied", done.applied);
  pm_pass_stat(p, "dead ops erased", done.erased);
  if (!done.converged) return PM_FAILED;
  return done.changed ? PM_CHANGED : PM_UNCHANGED;
}
