/* jam-rows: a vector loop computes points of several rows in an iteration.
 *
 *   loop.for %x = %a to %b step 1 jam 2 {      |  loop.for %x = %a to %e step 2 {
 *     loop.for %y = %c to %d step 1 simd {     |    loop.for %y = %c to %d step 1 simd {
 *       … %x … %y …                            |      … %x … %y …
 *     }                                        |      … %x + 1 … %y …
 *   }                                          |    }
 *                                              |  }
 *                                              |  loop.for %x = %e to %b step 1 {
 *                                              |    loop.for %y = %c to %d step 1 simd { … %x … %y … } }
 *
 * (Unroll-and-jam; mark-jam decides where.) cse then finds what the rows have in common. Of several vector
 * loops in an iteration each becomes one: no row depends on another.
 */
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/limits.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/rewrite/phase.h"
#include "passes/options.h"

#include <stdlib.h>

enum { MOST_OPS = 2000 }; /* in the body of a vector loop */

static bool is_row(const pm_op *op) {
  return loop_has_free_iterations(op);
}

/* Why the loops stay as they are; NULL: they need not. */
static const char *find_obstacle(const pm_op *loop, int64_t rows) {
  int64_t vectors = 0, most;
  if (loop_find_most_trips(loop, &most) && most < rows) return "it has fewer rows";
  if (loop->n_results) return "it carries values";
  PM_FOR_OPS(op, pm_region_at(loop, loop_for_body)) {
    if (is_row(op)) {
      vectors++;
      if (loop_changes_in(pm_arg(op, loop_for_lb), loop) || loop_changes_in(pm_arg(op, loop_for_ub), loop))
        return "its rows do not begin and end at the same columns";
      if (pm_count_ops(op) > MOST_OPS / rows) return "the vector loop would get too large";
    } else if (!pm_has_trait(op, PM_PURE) || op->n_regions) {
      return "something but vector loops is in it";
    }
  }
  return vectors ? NULL : "no vector loop is in it";
}

/* The vector loop of all rows, at the builder; `phases` are those of the rows. */
static void build_row(pm_builder *in, const pm_op *row, loop_phase *phases, int64_t rows) {
  const pm_value *counter = pm_region_at(row, loop_for_body)->args[0];
  pm_value *lb = pm_arg(row, loop_for_lb), *ub = pm_arg(row, loop_for_ub);
  pm_op *jammed = loop_build_for(in, lb, ub, &(loop_spec){.step = 1, .counter = counter->name});
  for (unsigned i = loop_for_simd; i < loop_for_N_ATTRS; i++) pm_set_attr(jammed, i, pm_attr_at(row, i));
  pm_builder inside = loop_inside(jammed);
  for (int64_t k = 0; k < rows; k++) {
    pm_map_set(phases[k].copies, counter, inside.region->args[0]);
    loop_phase_copy(&phases[k], &inside, pm_region_at(row, loop_for_body)->first, NULL);
  }
}

/* As many iterations as `rows` divides become loops over so many rows. */
static void jam(pm_op *loop, int64_t rows) {
  int64_t trips;
  const pm_region *body = pm_region_at(loop, loop_for_body);
  bool all = loop_find_trips(loop, &trips) && trips == rows;
  pm_builder in = all ? pm_builder_before(loop) : loop_split_whole(loop, rows);
  pm_value *base = all ? pm_arg(loop, loop_for_lb) : in.region->args[0];
  loop_phase *phases = pm_xcalloc((size_t)rows, sizeof *phases);
  for (int64_t k = 0; k < rows; k++)
    phases[k] = loop_phase_begin(&in, body->args[0], base, 1, k * pm_int_at(loop, loop_for_step));
  PM_FOR_OPS(op, body) {
    if (is_row(op))
      build_row(&in, op, phases, rows);
    else
      for (int64_t k = 0; k < rows; k++) loop_phase_copy(&phases[k], &in, op, op->next);
  }
  for (int64_t k = 0; k < rows; k++) loop_phase_free(&phases[k]);
  free(phases);
  if (all) pm_op_erase(loop);
}

typedef struct visitor {
  pm_pass *pass;
  int64_t marked, jammed;
} visitor;

static pm_walk visit(void *user, pm_op *op) {
  visitor *v = user;
  if (!pm_is(op, &loop_for) || !pm_attr_at(op, loop_for_jam)) return PM_WALK_ON;
  int64_t rows = pm_int_at(op, loop_for_jam);
  pm_set_attr(op, loop_for_jam, NULL);
  v->marked++;
  const char *obstacle = find_obstacle(op, rows);
  if (obstacle) {
    pm_pass_remark(v->pass, op->loc, PM_REMARK_MISSED, NULL, 0, "the rows of the loop are not jammed: %s",
                   obstacle);
    return PM_WALK_ON;
  }
  jam(op, rows);
  v->jammed++;
  return PM_WALK_ON;
}

pm_result pass_jam_rows(pm_pass *pass) {
  visitor v = {pass, 0, 0};
  pm_walk_post(pm_pass_root(pass), visit, &v);
  pm_pass_stat(pass, "loops over rows jammed", v.jammed);
  return v.marked ? PM_CHANGED : PM_UNCHANGED;
}
