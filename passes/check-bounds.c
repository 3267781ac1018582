/* check-bounds: every read of a stage or input goes to a point of its domain, for all parameter values of the
 * context.
 *
 *   stage.func @by on { [x] : 0 <= x < R } { stage.case(%x) … { stage.read @bx[%x - 1] … } }    // @bx on {
 * [x] : 0 <= x < R } error: 'stage.read' of @bx at [-1] for x = 0, R = 1, but …
 *
 * The image of the case's set under the access is compared with the producer's domain. Guards are not looked
 * at: a read must stay inside also where a guard before it does not hold, so that it may be evaluated
 * speculatively. */
#include "dialects/isl/witness.h"
#include "dialects/stage/graph.h"
#include "passes/options.h"

#include <string.h>

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

/* `x = 0, y = 0, R = 1` of a witness whose coordinates are the parameters, the consumer's point and the
 * producer's. */
static void put_instance(pm_buf *out, const stage_access *access, isl_space *space, isl_point *point) {
  pm_region *body = pm_region_at(access->consumer->cases.data[access->case_index].op, stage_case_body);
  unsigned n_params = (unsigned)isl_space_dim(space, isl_dim_param);
  for (unsigned i = 0; i < body->n_args; i++)
    isl_put_binding(out, body->args[i]->name ? body->args[i]->name->text : NULL, point, n_params + i);
  isl_put_params(out, space, point);
}

/* `outside` (taken) is the part of the access that leaves the producer's domain. */
static void report_outside(const stage_access *access, isl_map *outside) {
  isl_space *space = isl_map_get_space(outside);
  isl_point *point = isl_witness(outside);
  pm_buf target = {0}, instance = {0};
  unsigned first = (unsigned)isl_space_dim(space, isl_dim_param) + access->consumer->n_dims;
  isl_put_tuple(&target, point, first, access->producer->n_dims);
  put_instance(&instance, access, space, point);
  isl_point_free(point);
  isl_space_free(space);
  const char *producer = access->producer->name->text;
  pm_op_error(access->read, "of @%s at %s%s%s, but @%s should read @%s only inside its domain", producer,
              target.data, instance.len > 0 ? " for " : "", instance.len > 0 ? instance.data : "",
              access->consumer->name->text, producer);
  note_domain(access->producer);
  pm_buf_free(&target);
  pm_buf_free(&instance);
}

static void report_computed(const stage_access *access) {
  pm_op_error(
      access->read,
      "of @%s has a computed index that is not bounded, but an index should be affine in the case's "
      "arguments "
      "and the params: data-dependent reads are not supported yet; clamp the index to the domain and select "
      "among affine reads",
      access->producer->name->text);
  note_domain(access->producer);
}

static bool stays_inside(const stage_access *access) {
  if (!access->affine) {
    report_computed(access);
    return false;
  }
  isl_map *outside =
      isl_map_subtract_range(isl_map_copy(access->relation), isl_set_copy(access->producer->domain));
  bool inside = isl_map_is_empty(outside) == isl_bool_true;
  if (inside)
    isl_map_free(outside);
  else
    report_outside(access, outside);
  return inside;
}

pm_result pass_check_bounds(pm_pass *p) {
  const stage_graph *graph = STAGE_GRAPH(p);
  if (!graph) return PM_FAILED;
  size_t outside = 0;
  for (size_t i = 0; i < graph->accesses.len; i++) outside += !stays_inside(graph->accesses.data[i]);
  pm_pass_stat(p, "reads-checked", (int64_t)graph->accesses.len);
  if (outside > 0) return PM_FAILED;
  pm_pass_remark(p, graph->pipeline->loc, PM_REMARK_ANALYSIS,
                 (pm_remark_arg[]){{"reads", (double)graph->accesses.len}}, 1,
                 "all %zu reads stay inside the domains for all parameter values", graph->accesses.len);
  return PM_UNCHANGED;
}
