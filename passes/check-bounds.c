/* check-bounds: every read of a stage or input goes to a point of its domain, for all parameter values of the
 * context.
 *
 *   stage.func @by on { [x] : 0 <= x < R } { stage.case(%x) … { stage.read @bx[%x - 1] … } }    // @bx on {
 * [x] : 0 <= x < R } error: 'stage.read' of @bx at [-1] for x = 0, R = 1, but …
 *
 * The image of the case's set under the access is compared with the producer's domain. Guards are not looked
 * at: a read must stay inside also where a guard before it does not hold, so that it may be evaluated
 * speculatively. */
#include "dialects/stage/graph.h"
#include "passes/options.h"

#include <isl/point.h>
#include <stdlib.h>
#include <string.h>

/* Text of an isl value; a NULL or infinite one prints as isl prints it. Takes `value`. */
static void put_value(pm_buf *out, isl_val *value) {
  char *text = isl_val_to_str(value);
  pm_buf_puts(out, text ? text : "?");
  free(text);
  isl_val_free(value);
}

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

/* One point of a relation, parameters first: lexicographically the smallest when there is one, else any.
 * Takes it. */
static isl_point *witness_of(pm_context *ctx, isl_map *relation) {
  isl_set *set = isl_set_flatten(isl_map_wrap(relation));
  set = isl_set_move_dims(set, isl_dim_set, 0, isl_dim_param, 0, (unsigned)isl_set_dim(set, isl_dim_param));
  isl_set *smallest = isl_set_lexmin(isl_set_copy(set));
  if (smallest) {
    isl_set_free(set);
    return isl_set_sample_point(smallest);
  }
  isl_ctx_reset_error(pm_isl_ctx(ctx));
  return isl_set_sample_point(set);
}

static void put_coordinate(pm_buf *out, isl_point *point, unsigned at) {
  put_value(out, isl_point_get_coordinate_val(point, isl_dim_set, (int)at));
}

/* `x = 0, y = 0, R = 1` of a witness whose coordinates are n_params parameters and then the consumer's point.
 */
static void put_instance(pm_buf *out, const stage_access *access, isl_point *point, unsigned n_params) {
  pm_region *body = pm_region_at(access->consumer->cases.data[access->case_index].op, stage_case_body);
  for (unsigned i = 0; i < body->n_args; i++) {
    pm_string name = body->args[i]->name;
    if (name)
      pm_buf_printf(out, "%s%s = ", out->len > 0 ? ", " : "", name->text);
    else
      pm_buf_printf(out, "%sd%u = ", out->len > 0 ? ", " : "", i);
    put_coordinate(out, point, n_params + i);
  }
  for (unsigned i = 0; i < n_params; i++) {
    const char *name = isl_map_get_dim_name(access->relation, isl_dim_param, i);
    pm_buf_printf(out, "%s%s = ", out->len > 0 ? ", " : "", name ? name : "?");
    put_coordinate(out, point, i);
  }
}

static void put_target(pm_buf *out, const stage_access *access, isl_point *point, unsigned first) {
  pm_buf_putc(out, '[');
  for (unsigned i = 0; i < access->producer->n_dims; i++) {
    if (i > 0) pm_buf_puts(out, ", ");
    put_coordinate(out, point, first + i);
  }
  pm_buf_putc(out, ']');
}

/* `outside` (taken) is the part of the access that leaves the producer's domain. */
static void report_outside(const stage_access *access, isl_map *outside) {
  unsigned n_params = (unsigned)isl_map_dim(outside, isl_dim_param);
  isl_point *point = witness_of(pm_op_context(access->read), outside);
  pm_buf target = {0}, instance = {0};
  put_target(&target, access, point, n_params + access->consumer->n_dims);
  put_instance(&instance, access, point, n_params);
  isl_point_free(point);
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
