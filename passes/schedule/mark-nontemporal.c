/* mark-nontemporal: results that no cache will hold until somebody reads them are stored past the caches.
 *
 *   filter "{ by }" { mark "group" { … band "[{ by -> x }]" { mark "vector" { band "[{ by -> y }]" } } … } }
 *   =>
 *   filter "{ by }" { mark "stream" { mark "group" { … } } }
 *
 * A store to a line that is in no cache reads the line first, which for a result is a third or a half of what
 * goes through memory. It is in vain where the part of the schedule reads and writes more than the last cache
 * holds. A part that stores a result of long rows and reads and writes more than that, at the estimates, gets
 * the mark; stream-rows finds the rows.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/analyses/work.h"
#include "passes/options.h"

#include <stdlib.h>

typedef struct marking {
  pm_pass *pass;
  const stage_statements *statements;
  const stage_graph *graph;
  pm_machine machine;
  int64_t usual;
  bool *computed; /* in this part, by node index */
} marking;

static double bytes_of(const marking *m, const stage_node *node) {
  return stage_points_in(m->graph, node->domain, m->usual) * (double)pm_element_bytes(node->type);
}

static void add_stages(const marking *m, isl_union_set *instances) {
  poly_names names = {0};
  poly_stage_names(m->graph->ctx, instances, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_statement *s = stage_find_statement(m->statements, names.data[i]);
    const stage_node *node = s ? s->node : stage_graph_find(m->graph, names.data[i]);
    if (node && (!s || s->body)) m->computed[node->index] = true;
  }
  PM_VEC_FREE(names);
}

/* What the instances of a filter are computed of, too, tile by tile. */
static void find_stages(const marking *m, pm_op *part, isl_union_set *instances) {
  poly_ops extensions = {0};
  for (size_t i = 0; i < m->graph->nodes.len; i++) m->computed[i] = false;
  add_stages(m, instances);
  poly_collect(part, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++) {
    isl_union_set *more = poly_instances_of(extensions.data[i]);
    add_stages(m, more);
    isl_union_set_free(more);
  }
  PM_VEC_FREE(extensions);
}

static bool is_read_here(const marking *m, const stage_node *node) {
  bool read = node->self_reads.len > 0;
  for (size_t i = 0; i < node->readers.len; i++) read |= m->computed[node->readers.data[i]->consumer->index];
  return read;
}

/* A result whose rows are of `least` bytes, as shorter ones take longer past the caches, and that nobody
 * reads soon. */
static bool is_worth_it(const marking *m, const stage_node *node, double cache) {
  if (!node->n_dims || is_read_here(m, node) || (node->readers.len && bytes_of(m, node) <= cache))
    return false;
  isl_set *at = stage_at_estimates(m->graph, isl_set_copy(node->domain), m->usual);
  double cells = stage_extent(at, node->n_dims - 1);
  isl_set_free(at);
  return cells * (double)pm_element_bytes(node->type) >=
         (double)pm_opt_int(m->pass, mark_nontemporal_opt_least);
}

/* Whether the part stores results, all of them worth it, and reads and writes more than the last cache holds.
 */
static bool flows_through(const marking *m) {
  double bytes = 0, cache = (double)pm_last_cache(&m->machine) / 100;
  cache *= (double)pm_opt_int(m->pass, mark_nontemporal_opt_percent);
  bool any = false, all = true;
  for (size_t i = 0; i < m->graph->nodes.len; i++) {
    const stage_node *node = m->graph->nodes.data[i];
    bool stored = m->computed[i] && node->is_output;
    if (stored || (!m->computed[i] && is_read_here(m, node))) bytes += bytes_of(m, node);
    any |= stored;
    all &= !stored || is_worth_it(m, node, cache);
  }
  return any && all && bytes > cache;
}

static int64_t mark_part(const marking *m, pm_op *node, isl_union_set *instances) {
  if (!poly_child(node)) return 0;
  find_stages(m, poly_child(node), instances);
  return flows_through(m) && poly_mark_below(node, POLY_MARK_stream);
}

static int64_t mark_parts(const marking *m, pm_op *domain) {
  int64_t marked = 0;
  pm_op *child = poly_child(domain);
  if (!child || !poly_has_filters(child))
    return mark_part(m, domain, isl_peek_union_set(domain->attrs[poly_domain_instances]));
  PM_FOR_OPS(filter, pm_region_at(child, 0))
  marked += mark_part(m, filter, isl_peek_union_set(filter->attrs[poly_filter_instances]));
  return marked;
}

pm_result pass_mark_nontemporal(pm_pass *pass) {
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  marking m = {
      .pass = pass, .statements = STAGE_STATEMENTS(pass), .usual = pm_usual_size(pm_pass_root(pass))};
  m.graph = stage_statements_graph(m.statements);
  if (!pm_machine_of(pm_pass_root(pass), &m.machine)) return PM_FAILED;
  m.computed = pm_xcalloc(m.graph->nodes.len + 1, sizeof *m.computed);
  int64_t marked = mark_parts(&m, poly_child(schedule));
  free(m.computed);
  pm_pass_stat(pass, "parts that stream", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
