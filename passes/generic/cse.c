/* cse: merges equal pure ops into the one that dominates the others; loads too, while no store can be
 * between that is to the same memory.
 *
 *   %0 = arith.muli %x, %y : i32                 |  %0 = arith.muli %x, %y : i32
 *   %1 = buf.load %b[%i] : memref<?xi32>         |  %1 = buf.load %b[%i] : memref<?xi32>
 *   loop.if %c {                                 |  loop.if %c {
 *     %2 = arith.muli %y, %x : i32               |
 *     buf.store %2, %b[%i] : memref<?xi32>       |    buf.store %0, %b[%i] : memref<?xi32>
 *   }                                            |  }
 *   %3 = buf.load %b[%i] : memref<?xi32>         |  %3 = buf.load %b[%i] : memref<?xi32>
 */
#include "ir/rewrite.h"
#include "passes/options.h"

pm_result pass_cse(pm_pass *p) {
  pm_merged_ops merged = pm_merge_equal_ops(pm_pass_root(p));
  pm_pass_stat(p, "pure ops merged", merged.pure);
  pm_pass_stat(p, "loads merged", merged.loads);
  return merged.pure || merged.loads ? PM_CHANGED : PM_UNCHANGED;
}
