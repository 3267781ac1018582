#include "dialects/poly/check/check_conflicts.h"

#include "dialects/isl/linear.h"
#include "dialects/poly/check/instance_text.h"

/* Each point is computed in one iteration of the loop: a function of the point, the same for both. */
static bool computes_once(const poly_occurrence *a, const poly_occurrence *b, unsigned loop) {
  const poly_stage_band *of_a = poly_band_over(a, loop), *of_b = poly_band_over(b, loop);
  return of_a && of_b && of_a->band == of_b->band && a->node == b->node && a->update == b->update &&
         a->statement == b->statement;
}

/* Two iterations of loop number `loop`; `conflict` (taken) is { [t, p] -> [i, j] }. */
static void report_conflict(const poly_occurrence *a, const poly_occurrence *b, const stage_node *node,
                            unsigned loop, __isl_take isl_map *conflict) {
  static const char *const kinds[] = {"serial", "jammed", "vector", "parallel"};
  conflict = stage_possible(a->node->facts, conflict);
  isl_space *space = isl_map_get_space(conflict);
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param);
  isl_point *point = isl_witness(conflict);
  pm_buf text = {0}, iterations = {0};
  poly_put_point(&text, node, point, first + loop);
  poly_put_for_params(&text, space, point);
  isl_put_coordinate(&iterations, point, first + loop + node->n_dims);
  pm_buf_puts(&iterations, " and ");
  isl_put_coordinate(&iterations, point, first + loop + node->n_dims + 1);
  pm_buf user = {0};
  if (a->node != b->node)
    pm_buf_printf(&user, " by @%s and used by @%s", a->node->name->text, b->node->name->text);
  pm_op_error(
      a->writes->alloc, "of @%s: %s is written%s in iterations %s of one %s loop, which should not share it",
      node->name->text, text.data, user.data ? user.data : "", iterations.data, kinds[a->loops[loop]]);
  pm_buf_free(&user);
  pm_buf_free(&text);
  pm_buf_free(&iterations);
  isl_point_free(point);
  isl_space_free(space);
}

/* { [t, p] -> [i] }: the iterations i of loop number `loop` that touch point p, for the loops t outside. */
static __isl_give isl_map *touching(__isl_take isl_map *touched, unsigned loop) {
  unsigned all = (unsigned)isl_map_dim(touched, isl_dim_in);
  touched = isl_map_project_out(touched, isl_dim_in, loop + 1, all - loop - 1);
  return isl_map_move_dims(isl_map_reverse(touched), isl_dim_in, 0, isl_dim_out, 0, loop);
}

/* { [t, p] -> [i, j] }: different iterations of one loop around both, in which `a` writes the point and `b`
 * touches it; `touched` (borrowed) is what `b` touches. */
static __isl_give isl_map *conflicts_in_loop(const poly_occurrence *a, const poly_occurrence *b,
                                             isl_map *touched, unsigned loop) {
  isl_map *both =
      isl_map_range_product(touching(poly_executed(a), loop), touching(isl_map_copy(touched), loop));
  both = isl_map_flatten_range(both);
  isl_map *later = isl_map_order_lt(isl_map_copy(both), isl_dim_out, 0, isl_dim_out, 1);
  if (a == b) {
    isl_map_free(both);
    return later;
  }
  return isl_map_union(later, isl_map_order_gt(both, isl_dim_out, 0, isl_dim_out, 1));
}

/* The first loop whose iterations may use the memory that `o` writes together. */
static unsigned first_shared_loop(const poly_occurrence *o) {
  return o->writes && o->writes->whole ? 0 : poly_private_depth(o->writes);
}

bool poly_may_conflict(const poly_occurrence *a, const poly_occurrence *b, bool reads) {
  unsigned depth = a->writes ? poly_meeting_of(a, b).depth : 0;
  for (unsigned loop = first_shared_loop(a); loop < depth; loop++)
    if (a->loops[loop] != POLY_LOOP_SERIAL && (reads || !computes_once(a, b, loop))) return true;
  return false;
}

bool poly_check_conflicts(const poly_occurrence *a, const poly_occurrence *b, __isl_take isl_map *touched) {
  unsigned depth = a->writes ? poly_meeting_of(a, b).depth : 0;
  bool ok = true;
  for (unsigned loop = first_shared_loop(a); ok && loop < depth; loop++) {
    if (a->loops[loop] == POLY_LOOP_SERIAL) continue;
    isl_map *conflicts = conflicts_in_loop(a, b, touched, loop);
    ok = stage_is_empty(a->node->facts, conflicts);
    if (ok)
      isl_map_free(conflicts);
    else
      report_conflict(a, b, a->node, loop, conflicts);
  }
  isl_map_free(touched);
  return ok;
}
