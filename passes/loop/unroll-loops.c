/* unroll-loops: loops that say so take several iterations at a time.
 *
 *   loop.for %i = %a to %b step 1 unroll 2 {   |  loop.for %i = %a to %e step 2 {
 *     … %i …                                   |    … %i …
 *                                              |    … %i + 1 …
 *   }                                          |  }
 *                                              |  loop.for %i = %e to %b step 1 { … %i … }
 *
 * With `whole` only those of which all iterations become one. The order of the iterations stays, and what is
 * left over is a loop behind. Loops that make memory stay as they are, since there would be that of several
 * iterations at once, and so do those that carry values, and those that get too large: the numbers of loops
 * inside each other multiply.
 */
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/limits.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "passes/options.h"

enum { MOST_OPS = 100000 }; /* in the body of a loop, when it is unrolled */

typedef struct visitor {
  pm_pass *pass;
  int64_t marked, unrolled;
} visitor;

static bool makes_memory(const pm_op *loop) {
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body))
  if (pm_is(op, &buf_alloc)) return true;
  return false;
}

/* Why the loop stays as it is; NULL: it need not. */
static const char *find_obstacle(pm_op *loop, int64_t times) {
  if (loop->n_results) return "it carries values";
  if (makes_memory(loop)) return "its iterations make memory";
  if (pm_count_ops(loop) > MOST_OPS / times) return "it would get too large";
  return pm_int_at(loop, loop_for_step) > INT64_MAX / times ? "its steps are too long" : NULL;
}

/* The number of iterations, if it is a constant that a loop may be unrolled by. */
static bool find_all(const pm_op *loop, int64_t *times) {
  return loop_find_trips(loop, times) && *times >= 1 && *times <= LOOP_MOST_UNROLL;
}

static pm_walk unroll(void *user, pm_op *op) {
  visitor *v = user;
  if (!pm_is(op, &loop_for) || !pm_attr_at(op, loop_for_unroll)) return PM_WALK_ON;
  int64_t times = pm_int_at(op, loop_for_unroll);
  bool all = !times, known = !all || find_all(op, &times);
  if (pm_opt_bool(v->pass, unroll_loops_opt_whole) && !(all && known)) return PM_WALK_ON;
  pm_set_attr(op, loop_for_unroll, NULL);
  v->marked++;
  if (!known) return PM_WALK_ON;
  const char *obstacle = find_obstacle(op, times);
  if (obstacle) {
    pm_pass_remark(v->pass, op->loc, PM_REMARK_MISSED, NULL, 0, "the loop is not unrolled: %s", obstacle);
    return PM_WALK_ON;
  }
  loop_unroll(op, times);
  v->unrolled++;
  return PM_WALK_ON;
}

/* Inner loops first. */
pm_result pass_unroll_loops(pm_pass *pass) {
  visitor v = {pass, 0, 0};
  pm_walk_post(pm_pass_root(pass), unroll, &v);
  pm_pass_stat(pass, "loops unrolled", v.unrolled);
  return v.marked ? PM_CHANGED : PM_UNCHANGED;
}
