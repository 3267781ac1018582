/* check-bounds: every read and every target of an update is a point of the stage's domain, and a recurrence
 * reads only what is computed before, for all parameter values of the context.
 *
 *   stage.func @by on { [x] : 0 <= x < R } { stage.case(%x) … { stage.read @bx[%x - 1] … } }
 *   // @bx on { [x] : 0 <= x < R }
 *   error: 'stage.read' of @bx at [-1] for x = 0, R = 1, but …
 *
 * The image of the body's set under the access is compared with the producer's domain; a computed index
 * counts as all that it may be (stage_value_relation). An index with a boundary mode is inside. Guards are
 * not looked at: a read must stay inside also where a guard before it does not hold, so that it may be
 * evaluated speculatively. */
#include "dialects/isl/linear.h"
#include "dialects/isl/witness.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/graph.h"
#include "dialects/stage/values.h"
#include "passes/options.h"

#include <string.h>

/* A stage.read, or the stage.combine of an update. */
typedef struct checked_access {
  pm_op *op, *body;
  const stage_node *consumer, *producer;
  isl_map *relation; /* borrowed */
} checked_access;

/* The set without its name and parameters in front, as it was written. */
static const char *domain_text(const stage_node *node) {
  pm_attr attr =
      pm_attr_at(node->op, node->is_input ? (unsigned)stage_input_domain : (unsigned)stage_func_domain);
  const char *brace = strchr(attr->s->text, '{');
  return brace ? brace : attr->s->text;
}

static void note_domain(const stage_node *node) {
  pm_note(pm_op_context(node->op), node->op->loc, "the domain of @%s is %s", node->name->text,
          domain_text(node));
}

static bool is_combine(const checked_access *access) {
  return pm_is(access->op, &stage_combine);
}

/* ` for x = 0, y = 0, R = 1` of a witness whose coordinates are the parameters, the body's point and the
 * producer's. */
static void put_instance(pm_buf *out, const checked_access *access, isl_space *space, isl_point *point) {
  pm_region *body = pm_region_at(access->body, 0);
  unsigned n_params = (unsigned)isl_space_dim(space, isl_dim_param);
  pm_buf bindings = {0};
  for (unsigned i = 0; i < body->n_args; i++)
    isl_put_binding(&bindings, body->args[i]->name ? body->args[i]->name->text : NULL, point, n_params + i);
  isl_put_params(&bindings, space, point);
  if (bindings.len > 0) pm_buf_printf(out, " for %s", bindings.data);
  pm_buf_free(&bindings);
}

static bool has_affine_indices(const checked_access *access) {
  bool affine;
  isl_map_free(stage_read_relation(access->op, &affine));
  return affine;
}

/* ` at [3, 4] for x = 0, R = 1` of one point of the relation (taken). */
static void put_witness(pm_buf *out, const checked_access *access, isl_map *relation) {
  isl_space *space = isl_map_get_space(relation);
  isl_point *point = isl_witness(relation);
  unsigned first = (unsigned)(isl_space_dim(space, isl_dim_param) + isl_space_dim(space, isl_dim_in));
  pm_buf_puts(out, has_affine_indices(access) ? " at " : ", by a computed index, maybe at ");
  isl_put_tuple(out, point, first, access->producer->n_dims);
  put_instance(out, access, space, point);
  isl_point_free(point);
  isl_space_free(space);
}

/* `outside` (taken) is the part of the access that leaves the producer's domain. */
static void report_outside(const checked_access *access, isl_map *outside) {
  pm_buf where = {0};
  put_witness(&where, access, outside);
  const char *producer = access->producer->name->text;
  if (is_combine(access))
    pm_op_error(access->op, "into @%s%s, but an update should change @%s only inside its domain", producer,
                where.data, producer);
  else
    pm_op_error(access->op, "of @%s%s, but @%s should read @%s only inside its domain", producer, where.data,
                access->consumer->name->text, producer);
  note_domain(access->producer);
  pm_buf_free(&where);
}

static bool uses_dim(pm_affine_expr expr, unsigned dim) {
  if (expr->kind >= PM_AFFINE_ADD) return uses_dim(expr->lhs, dim) || uses_dim(expr->rhs, dim);
  return expr->kind == PM_AFFINE_DIM && expr->value == (int64_t)dim;
}

/* Dimension `dim` of the map is part of an index without a boundary mode. */
static bool should_be_bounded(const checked_access *access, unsigned dim) {
  stage_boundary boundary = {0};
  pm_affine_map map = stage_index_map(access->op);
  if (!is_combine(access)) stage_boundary_of_read(access->op, access->producer->op, &boundary);
  for (unsigned d = 0; d < map->n_results; d++)
    if (boundary.modes[d] == STAGE_NONE && uses_dim(map->results[d], dim)) return true;
  return false;
}

/* The value that leaves an index without bounds, or NULL. */
static const pm_value *find_unbounded(const checked_access *access) {
  stage_values *values = stage_values_new(pm_parent_of(access->op, &stage_pipeline));
  const pm_value *found = NULL;
  unsigned first = stage_index_operand(access->op);
  for (unsigned i = first; i < access->op->n_operands && !found; i++) {
    if (!should_be_bounded(access, i - first)) continue;
    stage_value_bounds bounds = stage_value_relation(values, pm_arg(access->op, i), access->body);
    found = bounds.unbounded;
    isl_map_free(bounds.relation);
  }
  stage_values_free(values);
  return found;
}

static void report_unbounded(const checked_access *access, const pm_value *value) {
  const pm_op *source = pm_def(value);
  pm_op_error(
      access->op,
      "%s @%s has a computed index without bounds, but it should stay inside the domain: clamp it, "
      "Min(Max(index, lo), hi), or declare the range of the image it comes from, --range IMAGE=LOW:HIGH",
      is_combine(access) ? "into" : "of", access->producer->name->text);
  pm_note(pm_op_context(source), source->loc, "'%s' here may give any %pT", source->desc->name,
          (const void *)value->type);
  note_domain(access->producer);
}

static bool stays_inside(const checked_access *access) {
  isl_map *outside =
      linear_subtract_range(isl_map_copy(access->relation), isl_set_copy(access->producer->domain));
  bool inside = isl_map_is_empty(outside) == isl_bool_true;
  const pm_value *source = inside ? NULL : find_unbounded(access);
  if (inside || source)
    isl_map_free(outside);
  else
    report_outside(access, outside);
  if (source) report_unbounded(access, source);
  return inside;
}

/* --- recurrences --- */

/* The points of the func that some case covers. */
static isl_set *covered_points(const stage_node *node) {
  isl_set *covered = isl_set_empty(isl_set_get_space(node->domain));
  for (size_t i = 0; i < node->cases.len; i++)
    covered = isl_set_union(covered, isl_set_copy(node->cases.data[i].set));
  return covered;
}

/* A case that reads its own func reads a point that is computed before, or the default. */
static bool reads_earlier(const checked_access *access) {
  isl_map *late = isl_map_lex_le(isl_set_get_space(access->producer->domain));
  late = isl_map_intersect(isl_map_copy(access->relation), late);
  late = isl_map_intersect_range(late, covered_points(access->producer));
  if (isl_map_is_empty(late) == isl_bool_true) {
    isl_map_free(late);
    return true;
  }
  pm_buf where = {0};
  put_witness(&where, access, late);
  pm_op_error(access->op,
              "of @%s itself%s, but points are computed in lexicographic order and a case should read only "
              "earlier ones, or ones that no case covers",
              access->producer->name->text, where.data);
  pm_buf_free(&where);
  return false;
}

static bool check_read(const stage_access *access) {
  const stage_node *consumer = access->consumer;
  bool in_case = access->case_index >= 0;
  checked_access checked = {.op = access->read,
                            .body = in_case ? consumer->cases.data[access->case_index].op
                                            : consumer->updates.data[access->update_index].op,
                            .consumer = consumer,
                            .producer = access->producer,
                            .relation = access->relation};
  return stays_inside(&checked) && (!in_case || consumer != access->producer || reads_earlier(&checked));
}

static bool check_target(const stage_node *node, const stage_update_info *update) {
  checked_access checked = {.op = pm_terminator(pm_region_at(update->op, stage_update_body)),
                            .body = update->op,
                            .consumer = node,
                            .producer = node,
                            .relation = update->target};
  return stays_inside(&checked);
}

/* Counts the targets; `*failed` goes up by those that leave their domains. */
static size_t check_targets(const stage_graph *graph, size_t *failed) {
  size_t n = 0;
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    for (size_t k = 0; k < node->updates.len; k++) *failed += !check_target(node, &node->updates.data[k]);
    n += node->updates.len;
  }
  return n;
}

static void remark_all_inside(pm_pass *p, const stage_graph *graph, size_t reads, size_t targets) {
  pm_remark_arg args[] = {{"reads", (double)reads}, {"targets", (double)targets}};
  pm_buf also = {0};
  if (targets > 0) pm_buf_printf(&also, " and %zu targets of updates", targets);
  pm_pass_remark(p, graph->pipeline->loc, PM_REMARK_ANALYSIS, args, targets > 0 ? 2 : 1,
                 "all %zu reads%s stay inside the domains for all parameter values", reads,
                 targets > 0 ? also.data : "");
  pm_buf_free(&also);
}

pm_result pass_check_bounds(pm_pass *p) {
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  size_t failed = 0;
  for (size_t i = 0; i < graph->accesses.len; i++) failed += !check_read(graph->accesses.data[i]);
  size_t targets = check_targets(graph, &failed);
  pm_pass_stat(p, "reads-checked", (int64_t)graph->accesses.len);
  if (targets > 0) pm_pass_stat(p, "targets-checked", (int64_t)targets);
  if (failed > 0) return PM_FAILED;
  remark_all_inside(p, graph, graph->accesses.len, targets);
  return PM_UNCHANGED;
}
