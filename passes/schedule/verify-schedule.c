/* verify-schedule: the schedule computes what the pipeline means, for all parameter values of the context.
 *
 *   poly.mark "parallel" { poly.band "[{ by[x] -> [(floor((x)/32))] }]" { poly.alloc @bx … size [34]
 *     poly.extension "{ [t] -> bx[x] : 32t <= x < 32t + 32 }" { … by[x] reads bx[x - 1] … } } }
 *   error: 'stage.read' of @bx: by[32] reads bx[31] for R = 33, but it is not computed before in that memory
 *
 * Proven with isl on the instances themselves, from the tree alone: (a) every point of an output is computed;
 * (b) each read comes after a write of the same point to the same memory; (c) no loop marked parallel or
 * vector carries a dependence, private memory aside, and no cell that points share, since a dimension is
 * folded, is overwritten between the write of one and its last read; of allocations that share memory, all
 * uses of one come before the next one, and of those in turn all uses of a cell; (d) every access is inside
 * its allocation; (e) loops count with numbers that fit 64 bits. (b) makes (a) hold for all other stages. Of
 * a stage with updates, the value before them is one write and each point of an update that may reach the
 * cell another: in the memory that is read, all of them come before the read, each once and in their order.
 */
#include "dialects/isl/budget.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/poly/check/check_conflicts.h"
#include "dialects/poly/check/check_folded.h"
#include "dialects/poly/check/check_marks.h"
#include "dialects/poly/check/check_numbers.h"
#include "dialects/poly/check/check_reads.h"
#include "dialects/poly/check/check_sharing.h"
#include "dialects/poly/check/check_turns.h"
#include "dialects/poly/check/check_updates.h"
#include "dialects/poly/check/instance_text.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/tree.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <stdlib.h>

typedef struct checker {
  poly_occurrences found;
  stage_interior_reads interior;
  bool has_memory; /* false before the pass storage ran on a tree of stages: then only the order is checked */
  bool expanded;   /* every store is to be in the tree */
  const stage_node *unproven; /* for which the quota of the proof was not enough; NULL: none */
} checker;

/* { [o] -> P[p] : o <= p < o + size }, any p where a dimension is folded or the box has all of the stage */
static __isl_give isl_map *box_from_corner(__isl_take isl_space *space, pm_attr size, pm_attr fold) {
  isl_map *box = isl_map_universe(isl_space_copy(space));
  isl_local_space *local = isl_local_space_from_space(space);
  for (unsigned i = 0; i < size->len; i++) {
    if (!size->items[i]->i || (fold && fold->items[i]->i)) continue;
    isl_constraint *low = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    low = isl_constraint_set_coefficient_si(low, isl_dim_out, (int)i, 1);
    box = isl_map_add_constraint(box, isl_constraint_set_coefficient_si(low, isl_dim_in, (int)i, -1));
    isl_constraint *high = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    high = isl_constraint_set_coefficient_si(high, isl_dim_out, (int)i, -1);
    high = isl_constraint_set_coefficient_si(high, isl_dim_in, (int)i, 1);
    isl_val *last = isl_val_int_from_si(isl_local_space_get_ctx(local), (long)(size->items[i]->i - 1));
    box = isl_map_add_constraint(box, isl_constraint_set_constant_val(high, last));
  }
  isl_local_space_free(local);
  return box;
}

/* Iterations of the loops around an allocation -> the points that have a cell. */
static __isl_give isl_map *cells_of(const poly_memory *m, const stage_node *node) {
  isl_map *at = isl_map_copy(isl_peek_map(pm_attr_at(m->alloc, poly_alloc_at)));
  isl_space *space = isl_space_from_domain(isl_space_range(isl_map_get_space(at)));
  space = isl_space_add_dims(space, isl_dim_out, node->n_dims);
  space = isl_space_set_tuple_name(space, isl_dim_out, node->name->text);
  return isl_map_apply_range(at, box_from_corner(space, pm_attr_at(m->alloc, poly_alloc_size),
                                                 pm_attr_at(m->alloc, poly_alloc_fold)));
}

static bool check_box(const poly_occurrence *o) {
  unsigned around = o->writes->depth;
  if (o->writes->whole ||
      stage_is_subset(o->node->facts, poly_roughly_executed_in(o, around, o), cells_of(o->writes, o->node)))
    return true;
  isl_map *outside =
      stage_subtract(o->node->facts, poly_executed_in(o, around), cells_of(o->writes, o->node));
  char *point = poly_sample_point(o->node, outside);
  if (!point) return true;
  pm_op_error(o->writes->alloc, "of @%s has no element for %s, but the schedule writes it",
              o->node->name->text, point);
  free(point);
  return false;
}

static bool check_in_domain(const poly_occurrence *o) {
  isl_map *outside = stage_subtract_range(o->node->facts, poly_executed_in(o, 0), poly_occurrence_points(o));
  char *point = poly_sample_instance(o, outside);
  if (!point) return true;
  pm_op_error(o->node->op, "does not have %s in its domain, but the schedule computes it", point);
  free(point);
  return false;
}

static bool check_writes(const checker *c, const poly_occurrence *o) {
  bool ok = o->in_domain || check_in_domain(o);
  if (!c->has_memory) return ok;
  if (!o->writes) return pm_op_error(o->node->op, "is computed where no 'poly.alloc' of it is in scope");
  return check_box(o) && ok;
}

/* Other writes of the same memory by the same stage. */
static bool check_rewrites(const checker *c, const poly_occurrence *o) {
  const poly_occurrence_list *writers = &c->found.stores[o->node->index];
  bool ok = true;
  for (size_t i = 0; ok && i < writers->len && (i == 0 || writers->data[i - 1] != o); i++) {
    const poly_occurrence *other = writers->data[i];
    if (poly_may_store_same(o, other) && poly_may_share(other->writes, o->writes) &&
        poly_may_conflict(o, other, false))
      ok = poly_check_conflicts(o, other, poly_executed(other));
  }
  return ok;
}

static bool leaves(const checker *c, const poly_occurrence *o) {
  if (!c->has_memory) return true;
  return o->writes && poly_alloc_is_output(o->writes->alloc);
}

/* { -> Stage[p] } of the points (taken) that the occurrence does not have. */
static isl_map *without_executed(isl_map *points, const poly_occurrence *o) {
  isl_map *executed = isl_map_from_range(isl_map_range(poly_executed_in(o, 0)));
  return stage_subtract(o->node->facts, points, executed);
}

/* Updates run on the output array, too. */
static bool check_output_update(const checker *c, const stage_node *node, size_t number) {
  const poly_occurrence_list *all = &c->found.update[node->index][number];
  const stage_update_info *update = &node->updates.data[number];
  isl_map *missing = isl_map_from_range(isl_set_copy(update->set));
  for (size_t i = 0; i < all->len; i++)
    if (leaves(c, all->data[i])) missing = without_executed(missing, all->data[i]);
  return stage_take_is_empty(node->facts, missing) ||
         pm_op_error(update->op, "has points that the schedule does not run%s",
                     c->has_memory ? " in the output array" : "");
}

static bool check_output_updates(const checker *c, const stage_node *node) {
  bool ok = true;
  for (size_t i = 0; i < node->updates.len; i++) ok = ok && check_output_update(c, node, i);
  return ok;
}

static bool check_output(const checker *c, const stage_node *node) {
  const poly_occurrence_list *writers = &c->found.stages[node->index];
  isl_map *missing = isl_map_from_range(isl_set_copy(node->domain));
  for (size_t i = 0; i < writers->len; i++)
    if (leaves(c, writers->data[i])) missing = without_executed(missing, writers->data[i]);
  char *point = poly_sample_point(node, missing);
  if (!point) return true;
  pm_op_error(node->op, "is an output with %s, but the schedule does not compute that%s", point,
              c->has_memory ? " in its output array" : "");
  free(point);
  return false;
}

/* The cells beside the domain of an output are stored, too. */
static bool check_outside(const checker *c, const stage_statement *s) {
  isl_map *missing = isl_map_from_range(stage_statement_points(s));
  const poly_occurrence_list *stores = &c->found.stores[s->node->index];
  for (size_t i = 0; i < stores->len; i++)
    if (stores->data[i]->statement == s && leaves(c, stores->data[i]))
      missing = without_executed(missing, stores->data[i]);
  char *point = poly_sample_point(s->node, missing);
  if (!point) return true;
  pm_op_error(s->node->op,
              "has %s in its output array, outside its domain, but the schedule does not store it", point);
  free(point);
  return false;
}

static bool check_output_cells(const checker *c) {
  size_t n;
  const stage_statement *all = stage_all_statements(c->found.statements, &n);
  bool ok = true;
  for (size_t i = 0; i < n; i++)
    if (all[i].kind == STAGE_OUTSIDE) ok = check_outside(c, &all[i]) && ok;
  return ok;
}

static bool check_stage(const checker *c, const poly_occurrence *o) {
  bool ok = check_writes(c, o);
  return check_rewrites(c, o) && ok;
}

static bool check_update(const checker *c, poly_occurrence *o) {
  bool ok = poly_check_update(&c->found, o);
  return (!c->has_memory || poly_check_update_memory(o)) && ok;
}

static bool check_all(checker *c) {
  const poly_occurrences *found = &c->found;
  const stage_graph *graph = found->graph;
  bool ok = true;
  for (size_t i = 0; i < graph->outputs.len; i++) ok = check_output(c, graph->outputs.data[i]) && ok;
  if (c->expanded) ok = check_output_cells(c) && ok;
  for (size_t i = 0; i < graph->outputs.len; i++) ok = ok && check_output_updates(c, graph->outputs.data[i]);
  for (size_t i = 0; i < found->all.len; i++) {
    poly_occurrence *o = found->all.data[i];
    ok = (o->update ? check_update(c, o) : check_stage(c, o)) && ok;
    ok = poly_check_reads(found, &c->interior, o) && ok;
    if (!c->unproven && isl_quota_is_spent(graph->isl)) c->unproven = o->node;
  }
  for (size_t i = 0; i < graph->nodes.len; i++)
    for (size_t k = 0; k < found->stages[i].len; k++)
      ok = ok && poly_check_recurrence(found, found->stages[i].data[k]);
  for (size_t i = 0; i < found->memories.len; i++)
    if (found->memories.data[i]->folded) ok = ok && poly_check_folded(found, found->memories.data[i]);
  return poly_check_sharing(found) && poly_check_turns(found) && ok;
}

static void explain(pm_pass *p, const checker *c) {
  const stage_graph *graph = c->found.graph;
  size_t n = c->found.all.len, reads = graph->accesses.len;
  pm_remark_arg args[] = {{"statements", (double)n}, {"reads", (double)reads}};
  if (c->has_memory)
    pm_pass_remark(p, graph->pipeline->loc, PM_REMARK_ANALYSIS, args, 2,
                   "the schedule of %zu statements and %zu reads is legal for all parameter values", n,
                   reads);
  else
    pm_pass_remark(p, graph->pipeline->loc, PM_REMARK_ANALYSIS, args, 2,
                   "the order of %zu statements and %zu reads is legal for all parameter values; there is no "
                   "memory for them yet",
                   n, reads);
}

/* Errors for want of isl's operations are not shown: of that there is one. */
static bool is_answered(void *isl) {
  return !isl_quota_is_spent(isl);
}

/* *unproven: the stage whose check took the rest of the quota; NULL: none did. */
static bool check_schedule(pm_pass *p, const stage_graph *graph, pm_op *schedule,
                           const stage_node **unproven) {
  checker c = {.interior = stage_begin_interior_reads(pm_pass_arena(p), graph)};
  bool ok = poly_find_occurrences(pm_pass_arena(p), STAGE_STATEMENTS(p), schedule, POLY_MARKED, &c.found);
  c.expanded = pm_attr_at(schedule, poly_schedule_expanded) != NULL;
  c.has_memory = c.expanded || c.found.memories.len > 0;
  ok = ok && check_all(&c);
  if (ok) explain(p, &c);
  poly_free_occurrences(&c.found);
  *unproven = c.unproven;
  return ok;
}

/* The option is for up to a hundred stages, more have more. */
static unsigned long operations_for(pm_pass *p, const stage_graph *graph) {
  return (unsigned long)pm_opt_int(p, verify_schedule_opt_operations) * (1 + graph->nodes.len / 100);
}

static bool error_unproven(const stage_graph *graph, const stage_node *node) {
  return pm_op_error(
      node ? node->op : graph->pipeline,
      "has a schedule whose proof takes more work than it is given; simpler bounds and indices, "
      "--const or --range may help, and 'verify-schedule{operations=…}' gives more");
}

static bool check_within_quota(pm_pass *p, const stage_graph *graph, pm_op *schedule) {
  const stage_node *unproven;
  pm_set_diag_gate(graph->ctx, is_answered, graph->isl);
  isl_quota_open(graph->isl, operations_for(p, graph));
  bool ok = check_schedule(p, graph, schedule, &unproven);
  bool spent = isl_quota_close(graph->isl);
  pm_set_diag_gate(graph->ctx, NULL, NULL);
  return spent ? error_unproven(graph, unproven) : ok;
}

pm_result pass_verify_schedule(pm_pass *p) {
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(graph->pipeline);
  const stage_statements *statements = STAGE_STATEMENTS(p);
  bool ok = poly_check_tree(statements, schedule) && poly_check_marks(statements, schedule) &&
            poly_check_numbers(graph, statements, schedule) && check_within_quota(p, graph, schedule);
  return ok ? PM_UNCHANGED : PM_FAILED;
}
