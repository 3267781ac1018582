/* mark-nontemporal: results that no cache will hold until somebody reads them are stored past the caches.
 *
 *   mark "vector" { band "[{ by -> y }]" }
 *   =>
 *   mark "vector" { mark "nontemporal" array @by { band "[{ by -> y }]" } }
 *
 * A store to a line that is in no cache reads the line first, which for a result is a third or a half of what
 * goes through memory. It is in vain where the part of the schedule reads and writes more than the last cache
 * holds, at the estimates. There a vector loop gets the mark that stores one result, of `least` bytes of a
 * row at once, and does not read it: between others, or in short rows, such stores take longer.
 */
#include "dialects/isl/take.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/bands.h"
#include "dialects/poly/tree.h"
#include "dialects/poly/trips.h"
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
  pm_op *schedule;
  poly_occurrences all; /* of the schedule, once `found` */
  bool found, failed;
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

/* --- vector loops --- */

/* What a vector loop stores of results. */
typedef struct stored {
  const stage_node *result; /* one of them */
  unsigned n;               /* arrays */
  bool all;                 /* of its row */
  bool read;                /* in the loop */
  bool adjacent;            /* its elements are next to each other */
} stored;

static bool is_callers(const pm_op *band, const stage_node *node) {
  const pm_op *alloc = poly_find_alloc(band, node->name);
  return node->is_output && alloc && poly_space_of(alloc) == PM_SPACE_NONE;
}

/* Of a row between its first and its last point. */
static bool has_all_of_row(const stage_statement *s) {
  int64_t stride = 0;
  int n = (int)isl_set_dim(s->set, isl_dim_set);
  return n > 0 && isl_take_int_below(isl_set_get_stride(s->set, n - 1), INT32_MAX, &stride) && stride == 1;
}

static stored find_stored(const marking *m, const pm_op *band) {
  stored found = {NULL, 0, true, false, true};
  poly_names names = {0};
  poly_band_names(band, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_statement *s = stage_find_statement(m->statements, names.data[i]);
    if (!s || !is_callers(band, s->node)) continue;
    found.result = s->node;
    found.n += pm_tuple_len(s->node->type);
    found.all &= !s->body || !stage_has_guard(s->body);
    found.read |= s->kind == STAGE_UPDATE || s->node->self_reads.len > 0;
    found.adjacent &= has_all_of_row(s);
  }
  PM_VEC_FREE(names);
  return found;
}

/* Elements of a row that the loop stores at once, at most; 0: not known. */
static int64_t length_of(const marking *m, const pm_op *band) {
  for (size_t i = 0; i < m->all.all.len; i++) {
    const poly_occurrence *o = m->all.all.data[i];
    if (!o->bands || o->bands->band != band) continue;
    pm_affine_expr *values = pm_arena_alloc(pm_pass_arena(m->pass), o->depth * sizeof *values);
    poly_values_at(o, values);
    return poly_most_trips(o, o->depth - 1, values);
  }
  return 0;
}

/* Why the loop stores its results through the caches; "": it has none. NULL: it does not. */
static const char *why_not(const marking *m, const pm_op *band, const stored *found) {
  if (!found->n) return "";
  if (found->n > 1) return "it stores several results, which takes longer with them";
  if (found->read) return "what it stores may be read in it";
  if (!found->all) return "not all of its row is stored";
  if (!found->adjacent || !poly_is_innermost(band) ||
      !poly_runs_along_rows(m->statements, band, poly_band_members(band) - 1))
    return "the elements of its row are not adjacent";
  int64_t bytes = length_of(m, band) * (int64_t)pm_element_bytes(found->result->type);
  return bytes && bytes < pm_opt_int(m->pass, mark_nontemporal_opt_least) ? "its rows are shorter than least"
                                                                          : NULL;
}

static bool mark_vector(const marking *m, pm_op *vector) {
  pm_op *band = poly_child(vector);
  while (pm_is(band, &poly_mark)) band = poly_child(band);
  stored found = find_stored(m, band);
  const char *why = why_not(m, band, &found);
  if (why && *why)
    pm_pass_remark(m->pass, found.result->op->loc, PM_REMARK_MISSED, NULL, 0,
                   "a vector loop stores @%pS without non-temporal stores: %s",
                   (const void *)found.result->name, why);
  bool marked = poly_is_inside(band, POLY_MARK_nontemporal);
  pm_op *mark = why || marked ? NULL : poly_mark_below(vector, POLY_MARK_nontemporal);
  if (!mark) return false;
  pm_set_attr(mark, poly_mark_array, pm_get_symbol(m->graph->ctx, found.result->name));
  pm_pass_remark(m->pass, found.result->op->loc, PM_REMARK_PASSED, NULL, 0,
                 "a vector loop stores @%pS with non-temporal stores", (const void *)found.result->name);
  return true;
}

static int64_t mark_vectors(const marking *m, pm_op *node) {
  poly_ops marks = {0};
  int64_t marked = 0;
  poly_collect(node, &poly_mark, &marks);
  for (size_t i = 0; i < marks.len; i++)
    marked += poly_is_mark(marks.data[i], POLY_MARK_vector) && mark_vector(m, marks.data[i]);
  PM_VEC_FREE(marks);
  return marked;
}

/* --- the parts of the schedule --- */

/* Only where a part asks for them. */
static bool find_loops(marking *m) {
  if (!m->found)
    m->failed =
        !poly_find_occurrences(pm_pass_arena(m->pass), m->statements, m->schedule, POLY_MARKED, &m->all);
  m->found = true;
  return !m->failed;
}

static int64_t mark_part(marking *m, pm_op *node, isl_union_set *instances) {
  if (!poly_child(node)) return 0;
  find_stages(m, poly_child(node), instances);
  return flows_through(m) && find_loops(m) ? mark_vectors(m, node) : 0;
}

static int64_t mark_parts(marking *m, pm_op *domain) {
  int64_t marked = 0;
  pm_op *child = poly_child(domain);
  if (!child || !poly_has_filters(child))
    return mark_part(m, domain, isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)));
  PM_FOR_OPS(filter, pm_region_at(child, 0))
  marked += mark_part(m, filter, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)));
  return marked;
}

pm_result pass_mark_nontemporal(pm_pass *pass) {
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  marking m = {.pass = pass,
               .statements = STAGE_STATEMENTS(pass),
               .schedule = schedule,
               .usual = pm_usual_size(pm_pass_root(pass))};
  m.graph = stage_statements_graph(m.statements);
  if (!pm_machine_of(pm_pass_root(pass), &m.machine)) return PM_FAILED;
  m.computed = pm_xcalloc(m.graph->nodes.len + 1, sizeof *m.computed);
  int64_t marked = mark_parts(&m, poly_child(schedule));
  free(m.computed);
  if (m.found) poly_free_occurrences(&m.all);
  pm_pass_stat(pass, "vector loops with non-temporal stores", marked);
  return m.failed ? PM_FAILED : marked ? PM_CHANGED : PM_UNCHANGED;
}
