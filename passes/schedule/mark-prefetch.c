/* mark-prefetch: loops prefetch the rows of arrays that their next iteration will touch.
 *
 *   filter "{ by }" { mark "group" { … band "[{ by -> x }]" { mark "vector" { band "[{ by -> y }]" } } … } }
 *   =>
 *   filter "{ by }" { mark "prefetch" lines 8 { mark "group" { … } } }
 *
 * It is done for all parts of the schedule that compute something: the rows of a tile are short and far from
 * one another, so that a processor, whose own prefetching follows a row, waits for the first lines of each.
 * Stores of default values go on from row to row. prefetch-rows finds the rows.
 */
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

#include <stdlib.h>

/* Of the instances of a stage or statement. */
static bool computes_some(const stage_statements *statements, pm_string name) {
  const stage_statement *s = stage_find_statement(statements, name);
  const stage_node *node = s ? NULL : stage_graph_find(stage_statements_graph(statements), name);
  size_t n = 0;
  const stage_statement *all = node ? stage_statements_of(statements, node, &n) : NULL;
  bool some = s && s->body;
  for (size_t i = 0; i < n; i++) some = some || (all[i].kind != STAGE_UPDATE && all[i].body);
  return some;
}

static bool computes(pm_pass *pass, const pm_op *filter) {
  const stage_statements *statements = STAGE_STATEMENTS(pass);
  bool some = false;
  poly_names names = {0};
  poly_stage_names(pm_op_context(filter), isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  for (size_t i = 0; i < names.len; i++) some = some || computes_some(statements, names.data[i]);
  PM_VEC_FREE(names);
  return some;
}

static int64_t mark_child(pm_op *node, int64_t lines) {
  pm_op *mark = poly_mark_below(node, POLY_MARK_prefetch);
  if (mark) pm_set_attr(mark, poly_mark_lines, pm_get_index_attr(pm_op_context(node), lines));
  return mark != NULL;
}

static int64_t mark_parts(pm_pass *pass, pm_op *domain, int64_t lines) {
  int64_t marked = 0;
  pm_op *child = poly_child(domain);
  if (!child || !poly_has_filters(child)) return mark_child(domain, lines);
  PM_FOR_OPS(filter, pm_region_at(child, 0))
  if (computes(pass, filter)) marked += mark_child(filter, lines);
  return marked;
}

pm_result pass_mark_prefetch(pm_pass *pass) {
  int64_t lines = pm_opt_int(pass, mark_prefetch_opt_lines);
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  int64_t marked = lines ? mark_parts(pass, poly_child(schedule), lines) : 0;
  pm_pass_stat(pass, "parts that prefetch", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
