/* infer-domains: the domain of a stage becomes the points that the outputs need.
 *
 *   stage.func @bx on { [x] : 0 <= x < R } { stage.case(%x) on { [x] : 0 <= x < R } { … } }
 *   stage.func @by on { [x] : 0 <= x < R } {
 *     stage.case(%x) on { [x] : 2 <= x < R } { stage.read @bx[%x - 1] … } }
 *   stage.output @by
 *   =>
 *   stage.func @bx on { [x] : 0 < x <= R - 2 } { stage.case(%x) on { [x] : 0 < x <= R - 2 } { … } }
 *
 * Backwards from the outputs, whose domains stay whole: what a stage needs is the union of the images of its
 * readers' cases under their accesses, exact; of a union that is not convex, and of bounds with divisions,
 * the simple hull is taken. It is taken at once: the images of a stencil's reads make a box, while their
 * exact union lacks its corners. Cases are cut likewise, cases without points and stages without needed
 * points go, and constants that nobody reads. Inputs and params are arguments of the call and stay. A stage
 * with updates, or one that reads itself, stays whole when anything of it is needed, and all instances of its
 * updates need what they read. */
#include "dialects/isl/hull.h"
#include "dialects/isl/linear.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

#include <isl/mat.h>
#include <isl/val.h>
#include <string.h>

typedef struct inference {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named; /* by node index: the schedule names the stage */
  isl_set **needed;  /* one a node, by index; NULL: nothing yet */
  bool *is_read;     /* of inputs and constants */
  bool changed;
} inference;

/* `needed` inside the node's domain; convex, unless the domain itself is not. Takes `needed`. */
static isl_set *needed_domain(const inference *inf, const stage_node *node, isl_set *needed) {
  needed = isl_set_coalesce(isl_set_intersect(needed, isl_set_copy(node->domain)));
  if (isl_set_n_basic_set(needed) <= 1) return needed;
  isl_set *hull = isl_set_from_basic_set(isl_hull_within(needed, inf->graph->context));
  return isl_set_coalesce(isl_set_intersect(hull, isl_set_copy(node->domain)));
}

static const char *braces(pm_attr set) {
  const char *brace = strchr(set->s->text, '{');
  return brace ? brace : set->s->text;
}

/* The attribute of a case that covers the domain, or NULL: one set is written in one way. */
static pm_attr case_attr_of(const stage_node *node, isl_set *domain) {
  for (size_t i = 0; i < node->cases.len; i++)
    if (linear_decide_equal(domain, node->cases.data[i].set))
      return pm_attr_at(node->cases.data[i].op, stage_case_set);
  return NULL;
}

static void set_domain(inference *inf, const stage_node *node, isl_set *domain) {
  if (linear_decide_equal(domain, node->domain)) return;
  pm_attr before = pm_attr_at(node->op, stage_func_domain);
  pm_attr after = case_attr_of(node, domain);
  if (!after) after = stage_set_attr(inf->graph, isl_set_copy(domain), before);
  pm_set_attr(node->op, stage_func_domain, after);
  inf->changed = true;
  pm_pass_stat(inf->pass, "domains-shrunk", 1);
  pm_pass_remark(inf->pass, node->op->loc, PM_REMARK_PASSED, NULL, 0,
                 "the domain of @%s shrinks from %s to %s", node->name->text, braces(before), braces(after));
}

static bool is_zero(isl_mat *matrix, int row, int column) {
  isl_val *v = isl_mat_get_element_val(matrix, row, column);
  bool zero = isl_val_is_zero(v) == isl_bool_true;
  isl_val_free(v);
  return zero;
}

/* One set between bounds without divisions, of all points or those at constant steps. */
static bool is_regular(isl_set *set) {
  if (isl_set_n_basic_set(set) != 1) return false;
  isl_basic_set *only = isl_set_simple_hull(isl_set_copy(set));
  int n_divs = (int)isl_basic_set_dim(only, isl_dim_div);
  isl_mat *bounds =
      isl_basic_set_inequalities_matrix(only, isl_dim_div, isl_dim_cst, isl_dim_param, isl_dim_set);
  bool regular = true;
  for (int i = 0; i < (int)isl_mat_rows(bounds); i++)
    for (int k = 0; k < n_divs; k++) regular = regular && is_zero(bounds, i, k);
  isl_mat_free(bounds);
  isl_basic_set_free(only);
  return regular;
}

/* The hull, without divisions, unless it is points at constant steps. Takes the set. */
static isl_set *simplified(const inference *inf, isl_set *set) {
  bool steps = isl_set_involves_locals(set) == isl_bool_true;
  if (steps) set = isl_set_coalesce(set);
  if (steps && is_regular(set)) return set;
  return isl_set_from_basic_set(isl_hull_within(isl_set_remove_divs(set), inf->graph->context));
}

/* Adds what the read needs at the instances `set`. */
static void need_producer(inference *inf, const stage_access *access, isl_set *set) {
  if (access->producer->is_input) {
    inf->is_read[access->producer->index] = true;
    return;
  }
  isl_set *image = isl_set_apply(isl_set_copy(set), isl_map_copy(access->relation));
  isl_set **needed = &inf->needed[access->producer->index];
  if (!*needed)
    *needed =
        isl_set_involves_locals(image) == isl_bool_true ? simplified(inf, image) : isl_set_coalesce(image);
  else if (linear_decide_subset(image, *needed))
    isl_set_free(image);
  else
    *needed = simplified(inf, isl_set_union(*needed, image));
}

/* Adds what the case's reads need at the points `set`. */
static void need_producers(inference *inf, const stage_node *node, unsigned case_index, isl_set *set) {
  for (size_t i = 0; i < node->reads.len; i++)
    if (node->reads.data[i]->case_index == (int)case_index) need_producer(inf, node->reads.data[i], set);
}

/* Updates run whole. */
static void need_producers_of_updates(inference *inf, const stage_node *node) {
  for (size_t i = 0; i < node->reads.len; i++) {
    const stage_access *access = node->reads.data[i];
    if (access->update_index >= 0) need_producer(inf, access, node->updates.data[access->update_index].set);
  }
}

/* Its values depend on more of it than the points where they are read, or a schedule has its points. */
static bool stays_whole(const inference *inf, const stage_node *node) {
  return inf->named[node->index] || node->is_output || node->updates.len > 0 || node->self_reads.len > 0;
}

/* Cuts the case to the domain, or erases it when no point is left. */
static void cut_case(inference *inf, const stage_node *node, unsigned case_index, isl_set *domain) {
  const stage_case_info *info = &node->cases.data[case_index];
  isl_set *set = isl_set_intersect(isl_set_copy(info->set), isl_set_copy(domain));
  if (isl_set_is_empty(set) == isl_bool_true) {
    isl_set_free(set);
    pm_pass_remark(inf->pass, info->op->loc, PM_REMARK_PASSED, NULL, 0,
                   "a case of @%s has no needed point and is removed", node->name->text);
    pm_op_erase(info->op);
    inf->changed = true;
    return;
  }
  need_producers(inf, node, case_index, set);
  if (linear_decide_equal(set, info->set)) {
    isl_set_free(set);
    return;
  }
  pm_attr before = pm_attr_at(info->op, stage_case_set);
  pm_set_attr(info->op, stage_case_set, stage_set_attr(inf->graph, set, before));
  inf->changed = true;
}

static void erase_stage(inference *inf, const stage_node *node) {
  pm_pass_remark(inf->pass, node->op->loc, PM_REMARK_PASSED, NULL, 0,
                 "@%s is not needed by any output and is removed", node->name->text);
  pm_pass_stat(inf->pass, "stages-removed", 1);
  poly_forget_stage(inf->graph->pipeline, node->name, NULL, 0);
  pm_op_erase(node->op);
  inf->changed = true;
}

/* All readers were visited before. Takes the node's needed set. */
static void visit_stage(inference *inf, const stage_node *node) {
  isl_set *needed = inf->needed[node->index];
  inf->needed[node->index] = NULL;
  if (!needed && !node->is_output && !inf->named[node->index]) {
    erase_stage(inf, node);
    return;
  }
  isl_set *domain =
      stays_whole(inf, node) ? isl_set_copy(node->domain) : needed_domain(inf, node, isl_set_copy(needed));
  if (isl_set_is_empty(domain) == isl_bool_true) {
    isl_set_free(domain);
    domain = isl_set_copy(node->domain);
  }
  set_domain(inf, node, domain);
  for (unsigned i = 0; i < node->cases.len; i++) cut_case(inf, node, i, domain);
  need_producers_of_updates(inf, node);
  isl_set_free(domain);
  isl_set_free(needed);
}

pm_result pass_infer_domains(pm_pass *p) {
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  isl_set **needed = pm_arena_alloc(pm_pass_arena(p), (graph->nodes.len + 1) * sizeof(isl_set *));
  bool *is_read = pm_arena_alloc(pm_pass_arena(p), graph->nodes.len + 1);
  inference inf = {p, graph, poly_named_stages(p), needed, is_read, false};
  for (size_t i = graph->nodes.len; i-- > 0;) {
    const stage_node *node = graph->nodes.data[i];
    if (!node->is_input) visit_stage(&inf, node);
    if (pm_is(node->op, &stage_constant) && !is_read[i]) erase_stage(&inf, node);
  }
  return inf.changed ? PM_CHANGED : PM_UNCHANGED;
}
