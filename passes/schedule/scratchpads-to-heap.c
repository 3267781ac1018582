/* scratchpads-to-heap: memory of a thread is on the heap where no loop of threads is around it.
 *
 *   alloc @f : f32 in "thread" …  =>  alloc @f : f32 in "heap" …
 *
 * storage gives large scratchpads of a tile to the thread that computes it. If tiles are computed one after
 * the other there is only one thread, and its memory is that of all. This is known once loops are parallel.
 */
#include "dialects/poly/tree.h"
#include "passes/options.h"

pm_result pass_scratchpads_to_heap(pm_pass *pass) {
  int64_t moved = 0;
  poly_ops allocs = {0};
  poly_collect(poly_find_schedule(pm_pass_root(pass)), &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    pm_op *alloc = allocs.data[i];
    if (poly_space_of(alloc) != PM_SPACE_THREAD || poly_is_inside(alloc, POLY_MARK_parallel)) continue;
    pm_set_attr(alloc, poly_alloc_space, poly_space_attr(pm_pass_context(pass), PM_SPACE_HEAP));
    moved++;
  }
  PM_VEC_FREE(allocs);
  pm_pass_stat(pass, "scratchpads moved to the heap", moved);
  return moved ? PM_CHANGED : PM_UNCHANGED;
}
