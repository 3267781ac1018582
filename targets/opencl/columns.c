/* How the items of a group stand to each other in two loops: in as many columns as suit the iterations of the
 * inner one. 256 items as 8 rows of 32 take 3 turns for 18 x 18 iterations, as 14 rows of 18 they take 2; for
 * 38 x 37 they take 10, and as 13 rows of 19 they take 6.
 */
#include "dialects/loop/analyses/linear.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/loop.h"
#include "targets/opencl/opencl_emit.h"

enum { MOST = 1 << 20 };

/* So many at most; MOST when that is not known. */
static int64_t most_iterations(const pm_op *loop) {
  loop_linear length = {0};
  int64_t most, step = pm_int_at(loop, loop_parallel_step);
  loop_linear_add(&length, pm_arg(loop, 1), 1);
  loop_linear_add(&length, pm_arg(loop, 0), -1);
  bool known = loop_linear_most(&length, &most) && most < MOST;
  loop_linear_free(&length);
  if (!known) return MOST;
  return most > 0 ? (most + step - 1) / step : 0;
}

typedef struct inner_loops {
  const pm_op *outer;
  int64_t longest;
} inner_loops;

static pm_walk find_longest(void *user, pm_op *op) {
  inner_loops *loops = user;
  if (op == loops->outer || !loop_is_of_items(op)) return PM_WALK_ON;
  int64_t iterations = most_iterations(op);
  if (iterations > loops->longest) loops->longest = iterations;
  return PM_WALK_ON;
}

/* Of all items, until the last is done. */
static int64_t turns(int64_t rows, int64_t columns, unsigned items, int64_t across) {
  int64_t along = items / across;
  return (rows + along - 1) / along * ((columns + across - 1) / across);
}

unsigned opencl_columns(const pm_op *loop, unsigned items, unsigned usual) {
  inner_loops inner = {loop, 0};
  (void)pm_walk_pre((pm_op *)loop, find_longest, &inner);
  int64_t rows = most_iterations(loop), best = usual;
  if (inner.longest == MOST || inner.longest <= 0) return usual;
  for (int64_t parts = 1; parts <= 4; parts++) {
    int64_t across = (inner.longest + parts - 1) / parts;
    if (across <= items &&
        turns(rows, inner.longest, items, across) < turns(rows, inner.longest, items, best))
      best = across;
  }
  return (unsigned)best;
}
