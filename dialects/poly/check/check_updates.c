#include "dialects/poly/check/check_updates.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/instance_text.h"

#include <stdlib.h>

/* The loops around that each have a memory of their own; without allocations yet, those of the extension. */
static unsigned memory_depth(const poly_occurrence *o) {
  return o->writes ? poly_private_depth(o->writes) : (unsigned)isl_map_dim(o->brought, isl_dim_in);
}

/* { [t] -> [t'] : t is before t', and the first loop in which they differ is serial }, for the loops from
 * number `first` on */
static __isl_give isl_map *serial_order(const poly_occurrence *o, unsigned first) {
  isl_ctx *isl = isl_map_get_ctx(o->brought);
  unsigned n = o->depth - first;
  isl_map *order = isl_map_empty(isl_space_alloc(isl, 0, n, n));
  for (unsigned k = 0; k < n; k++) {
    if (o->loops[first + k] != POLY_LOOP_SERIAL) continue;
    isl_map *at = isl_map_universe(isl_space_alloc(isl, 0, n, n));
    for (unsigned i = 0; i < k; i++) at = isl_map_equate(at, isl_dim_in, (int)i, isl_dim_out, (int)i);
    order = isl_map_union(order, isl_map_order_lt(at, isl_dim_in, (int)k, isl_dim_out, (int)k));
  }
  return order;
}

/* Those of the dependences that are between points of the set; takes both. */
static __isl_give isl_map *between(__isl_take isl_map *dependences, __isl_take isl_set *points) {
  dependences = isl_map_intersect_domain(dependences, isl_set_copy(points));
  return isl_map_intersect_range(dependences, points);
}

/* Two points of `broken` (taken) in an order that they should not have. */
static void report_order(const poly_occurrence *o, const pm_op *place, __isl_take isl_map *broken) {
  broken = stage_possible(o->node->facts, broken);
  isl_space *space = isl_map_get_space(broken);
  isl_point *point = isl_witness(broken);
  pm_buf text = {0};
  unsigned second = poly_put_instance(&text, o, point, (unsigned)isl_space_dim(space, isl_dim_param));
  pm_buf_puts(&text, " and ");
  poly_put_instance(&text, o, point, second);
  poly_put_for_params(&text, space, point);
  pm_op_error(place, "makes %s depend on each other, but the schedule does not keep their order", text.data);
  pm_buf_free(&text);
  isl_point_free(point);
  isl_space_free(space);
}

/* Takes the dependences between points of `o`, from the earlier to the later, in each of its memories. The
 * bands inside of a memory give each point one iteration, so in all memories the order is the same. */
static bool check_kept(const poly_occurrence *o, const pm_op *place, __isl_take isl_map *dependences) {
  unsigned first = memory_depth(o);
  isl_map *inside = isl_map_project_out(poly_executed(o), isl_dim_in, 0, first);
  if (first) dependences = between(dependences, isl_map_range(isl_map_copy(inside)));
  isl_map *kept = isl_map_apply_domain(serial_order(o, first), isl_map_copy(inside));
  isl_map *broken = stage_subtract(o->node->facts, dependences, isl_map_apply_range(kept, inside));
  bool ok = stage_is_empty(o->node->facts, broken);
  if (ok)
    isl_map_free(broken);
  else
    report_order(o, place, broken);
  return ok;
}

/* Pairs of points of a body, the first lexicographically earlier, that are related through `to` and then
 * `from`. */
static __isl_give isl_map *earlier_pairs(isl_map *to, isl_map *from) {
  isl_map *pairs = isl_map_apply_range(isl_map_copy(to), isl_map_reverse(isl_map_copy(from)));
  isl_map *either = isl_map_union(isl_map_copy(pairs), isl_map_reverse(pairs));
  isl_space *space = isl_space_domain(isl_map_get_space(either));
  return isl_map_intersect(either, isl_map_lex_lt(space));
}

bool poly_check_atomic(const pm_op *update) {
  return stage_combine_is_atomic(pm_terminator(pm_region_at(update, stage_update_body))) ||
         pm_op_error(update, "is under a mark \"atomic\", but is not atomic: only sums, minima, maxima, "
                             "'and' and 'or' of 32-bit integers are");
}

static bool check_update_order(const poly_occurrence *o) {
  const stage_node *node = o->node;
  /* What is done to a cell in one step may be done in any order, and at once. */
  bool ok = o->atomic ? poly_check_atomic(o->update->op)
                      : check_kept(o, o->update->op, earlier_pairs(o->update->target, o->update->target));
  for (size_t i = 0; i < node->self_reads.len && ok; i++)
    if (poly_makes(o, node->self_reads.data[i]))
      ok = check_kept(o, node->self_reads.data[i]->read,
                      earlier_pairs(node->self_reads.data[i]->relation, o->update->target));
  return ok;
}

/* Points may run in several iterations of the loops around what brings them, or in several memories. */
static bool may_run_again(const poly_occurrence *o) {
  return memory_depth(o) || isl_map_dim(o->brought, isl_dim_in) > 0;
}

/* What a recurrence reads of itself is computed before it each time, in that memory. */
static bool check_own_points(const poly_occurrences *all, const poly_occurrence *o,
                             const stage_access *access) {
  const poly_occurrence_list *writers = &all->stages[o->node->index];
  isl_map *missing = isl_map_intersect_range(poly_points_read(o, access), isl_set_copy(o->node->domain));
  for (size_t i = 0; i < writers->len; i++)
    if (writers->data[i]->writes == o->writes)
      missing = poly_subtract_earlier(missing, writers->data[i], o, o->writes);
  char *point = poly_sample_point(o->node, missing);
  if (point)
    pm_op_error(access->read,
                "of @%s goes to %s, but the schedule does not compute that before, in the memory at hand",
                o->node->name->text, point);
  free(point);
  return !point;
}

bool poly_check_recurrence(const poly_occurrences *all, const poly_occurrence *o) {
  bool ok = true, alone = all->stages[o->node->index].len == 1;
  for (size_t i = 0; i < o->node->self_reads.len && ok; i++) {
    const stage_access *access = o->node->self_reads.data[i];
    if (!poly_makes(o, access)) continue;
    if ((may_run_again(o) || !alone) && !check_own_points(all, o, access)) return false;
    isl_map *reads = isl_map_intersect_range(isl_map_copy(access->relation), isl_set_copy(o->node->domain));
    isl_space *space = isl_space_domain(isl_map_get_space(reads));
    isl_map *order = isl_map_intersect(isl_map_reverse(reads), isl_map_lex_lt(space));
    if (!alone) order = between(order, isl_map_range(poly_executed_in(o, 0)));
    ok = check_kept(o, access->read, order);
  }
  return ok;
}

/* Every instance runs once at most in a memory: { [t, i] -> [[t] -> p] } is injective. */
static bool runs_once(const poly_occurrence *o) {
  isl_map *both = isl_map_range_product(poly_first_loops(o, memory_depth(o)), poly_executed(o));
  return isl_take_is_injective(both);
}

/* Every point of an update runs, where the memory is that of the whole stage, and none twice: it would be
 * counted twice. */
static bool check_update_points(const poly_occurrence *o) {
  isl_map *all = isl_map_from_range(isl_set_copy(o->update->set)), *run = poly_executed_in(o, 0);
  bool ok = true;
  if (memory_depth(o) == 0 && !stage_is_subset(o->node->facts, isl_map_copy(all), isl_map_copy(run)))
    ok = pm_op_error(o->update->op, "has points that the schedule does not run");
  if (!stage_is_subset(o->node->facts, run, all))
    ok = pm_op_error(o->update->op, "does not have points that the schedule runs");
  if (!runs_once(o)) ok = pm_op_error(o->update->op, "has points that the schedule runs more than once");
  return ok;
}

/* Iterations of the update -> the cells that it may reach. */
static __isl_give isl_map *cells_reached(const poly_occurrence *o) {
  return isl_map_coalesce(isl_map_apply_range(poly_executed(o), isl_map_copy(o->update->target)));
}

/* All points of an update, or of the stage itself, run in one place, before others of that memory begin. */
static bool is_done_before(const poly_occurrence_list *list, const poly_occurrence *then) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i]->writes != then->writes || !poly_is_all_before(list->data[i], then)) return false;
  return list->len > 0;
}

/* { [t] -> u[…] }: of the points of the update that may reach a cell in { [t] -> Stage[…] }, which is taken,
 * t being iterations of `then`, those that do not come before it in memory `m`. */
static __isl_give isl_map *points_missing(const poly_occurrences *all, const stage_node *node, size_t number,
                                          const poly_occurrence *then, const poly_memory *m,
                                          __isl_take isl_map *cells) {
  const poly_occurrence_list *list = &all->update[node->index][number];
  isl_map *missing =
      isl_map_apply_range(cells, isl_map_reverse(isl_map_copy(node->updates.data[number].target)));
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i]->writes == m) missing = poly_subtract_earlier(missing, list->data[i], then, m);
  return missing;
}

/* The cells that the update may reach have their values before all updates. */
static bool has_values_before(const poly_occurrences *all, const poly_occurrence *o) {
  const poly_occurrence_list *before = &all->stages[o->node->index];
  if (is_done_before(before, o)) return true;
  isl_map *missing = cells_reached(o);
  for (size_t i = 0; i < before->len; i++)
    if (before->data[i]->writes == o->writes)
      missing = poly_subtract_earlier(missing, before->data[i], o, o->writes);
  return stage_take_is_empty(o->node->facts, missing);
}

/* What an earlier update does to a cell comes before what this one does to it, one of `cells`. */
static bool comes_after(const poly_occurrences *all, const poly_occurrence *o, size_t number,
                        isl_map *cells) {
  return stage_take_is_empty(o->node->facts,
                             points_missing(all, o->node, number, o, o->writes, isl_map_copy(cells)));
}

/* An update stands at one place, that of `o`; `other` is another one of it. */
static bool report_twice(const poly_occurrence *o, const poly_occurrence *other) {
  isl_set *both =
      isl_set_intersect(isl_map_range(poly_executed_in(o, 0)), isl_map_range(poly_executed_in(other, 0)));
  char *instance = poly_sample_instance(o, isl_map_from_range(both));
  pm_op_error(o->update->op, "runs at two positions of the schedule, but should run at one: %s",
              instance ? instance : poly_occurrence_name(o));
  free(instance);
  return false;
}

static bool report_before(const poly_occurrence *o, const char *other) {
  return pm_op_error(o->update->op, "is scheduled before the end of %s, but %s should come after it", other,
                     poly_occurrence_name(o));
}

/* The values before the updates are complete. */
static bool check_values_before(const poly_occurrences *all, const poly_occurrence *o) {
  return has_values_before(all, o) || report_before(o, o->node->name->text);
}

/* Values of that memory are computed among updates, of which this is the first. */
static bool is_first_among(const poly_occurrences *all, const poly_occurrence *values,
                           const poly_occurrence *o) {
  const poly_occurrence_list *updates = &all->updates[o->node->index];
  if (values->writes != o->writes || poly_is_all_before(values, o)) return false;
  for (size_t i = 0; i < updates->len && updates->data[i] != o; i++)
    if (updates->data[i]->writes == o->writes && !poly_is_all_before(values, updates->data[i])) return false;
  return true;
}

/* No point runs at another place, too, for that memory. */
static bool runs_alone(const poly_occurrence_list *list, const poly_occurrence *o) {
  for (size_t i = 0; i < list->len; i++) {
    const poly_occurrence *other = list->data[i];
    if (other == o || other->writes != o->writes) continue;
    isl_set *both =
        isl_set_intersect(isl_map_range(poly_executed_in(o, 0)), isl_map_range(poly_executed_in(other, 0)));
    if (!stage_take_is_empty(o->node->facts, isl_map_from_range(both))) return false;
  }
  return true;
}

/* They are not computed again after an update. */
static bool check_values_once(const poly_occurrences *all, const poly_occurrence *o) {
  const poly_occurrence_list *before = &all->stages[o->node->index];
  for (size_t i = 0; i < before->len; i++)
    if (is_first_among(all, before->data[i], o) &&
        !(runs_once(before->data[i]) && runs_alone(before, before->data[i])))
      return pm_op_error(o->update->op, "starts from values of %s that the schedule computes more than once",
                         o->node->name->text);
  return true;
}

/* The updates run in their order, each at one place for a memory. Those that an earlier one follows are not
 * asked about where this one comes after all of that. */
static bool check_update_sequence(const poly_occurrences *all, poly_occurrence *o) {
  size_t number = (size_t)(o->update - o->node->updates.data);
  const poly_occurrence_list *updates = all->update[o->node->index];
  bool ok = true, apart = true;
  for (size_t i = 0; updates[number].data[i] != o; i++)
    if (updates[number].data[i]->writes == o->writes) ok = report_twice(o, updates[number].data[i]);
  isl_map *cells = NULL;
  for (size_t i = number; i-- > 0;) {
    bool before = is_done_before(&updates[i], o);
    if (before && apart && updates[i].data[0]->follows) break;
    apart = apart && before;
    if (!before && !cells) cells = cells_reached(o);
    if (!before && !comes_after(all, o, i, cells)) ok = report_before(o, o->node->updates.data[i].name->text);
  }
  o->follows = apart;
  isl_map_free(cells);
  return ok;
}

bool poly_check_update_memory(const poly_occurrence *o) {
  bool reads = false;
  for (size_t i = 0; i < o->node->self_reads.len; i++)
    reads = reads || poly_makes(o, o->node->self_reads.data[i]);
  if (!o->writes) return pm_op_error(o->update->op, "runs where no 'poly.alloc' of its stage is in scope");
  if (o->writes->folded)
    return pm_op_error(o->update->op, "runs where the memory of its stage is folded, but should not be");
  if (reads && !o->writes->whole)
    return pm_op_error(o->update->op, "reads its stage, but runs where no whole array of it is in scope");
  return true;
}

bool poly_check_update(const poly_occurrences *all, poly_occurrence *o) {
  bool ok = check_update_points(o);
  ok = check_values_before(all, o) && ok;
  ok = ok && check_values_once(all, o);
  ok = check_update_sequence(all, o) && ok;
  return ok && check_update_order(o);
}

/* All updates of the stage are, in that memory, and no loop is around them. */
static bool are_all_before(const poly_occurrence_list *updates, const poly_occurrence *then,
                           const poly_memory *m) {
  for (size_t i = 0; i < updates->len; i++)
    if (updates->data[i]->writes != m || !poly_is_all_before(updates->data[i], then)) return false;
  return true;
}

bool poly_check_updates_done(const poly_occurrences *all, const poly_occurrence *reader,
                             const stage_access *access, const poly_memory *m) {
  const stage_node *node = access->producer;
  const poly_occurrence_list *updates = &all->updates[node->index];
  if (are_all_before(updates, reader, m)) return true;
  isl_map *cells = isl_map_coalesce(poly_points_read(reader, access));
  bool done = true;
  for (size_t i = 0; i < node->updates.len && done; i++) {
    done = stage_take_is_empty(node->facts, points_missing(all, node, i, reader, m, isl_map_copy(cells)));
    if (!done)
      pm_op_error(access->read, "of @%s comes before the end of its update %s in the schedule",
                  node->name->text, node->updates.data[i].name->text);
  }
  isl_map_free(cells);
  return done;
}
