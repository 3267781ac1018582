/* Programs that are wrong only for small sizes: two cases that overlap when the picture has three columns, a
 * border that is read outside of a picture of one row. Such sizes are taken out of the pipeline's context,
 * with a warning, so that the call refuses them. */
#include "frontends/kit/kit.h"

#include "dialects/isl/conditions.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/analyses/facts.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"
#include "ir/diag.h"

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <stdlib.h>

static isl_set *context_set(const kit *k) {
  return k->context ? isl_set_params(isl_set_copy(isl_peek_set(k->context))) : NULL;
}

/* What of the context there is to say of the parameters of the set; NULL: there is no context. */
static isl_set *context_about(kit *k, isl_set *set) {
  if (!k->context) return NULL;
  if (k->facts_of != k->context) {
    isl_set *context = context_set(k);
    stage_facts_free(k->facts);
    k->facts = stage_facts_new(context);
    k->facts_of = k->context;
    isl_set_free(context);
  }
  return stage_facts_all_of(k->facts, set);
}

/* The set of parameters (taken) within the context. */
static isl_set *possible(kit *k, isl_set *sizes) {
  isl_set *context = context_about(k, sizes);
  return context ? linear_intersect_params(isl_with_used_params(sizes), context) : sizes;
}

/* The context lets the parameter be as large as you like: those of a program's own constraints are not. */
static bool is_free(isl_set *context, const char *name) {
  int at = context ? isl_set_find_dim_by_name(context, isl_dim_param, name) : -1;
  if (at < 0) return true;
  isl_set *values = isl_set_from_params(isl_set_copy(context));
  values = isl_set_move_dims(values, isl_dim_set, 0, isl_dim_param, (unsigned)at, 1);
  values = isl_set_project_out(values, isl_dim_param, 0, (unsigned)isl_set_dim(values, isl_dim_param));
  bool is_bounded = isl_set_dim_has_upper_bound(values, isl_dim_set, 0) != isl_bool_false;
  isl_set_free(values);
  return !is_bounded;
}

/* { [m] : some values of the parameters in `bad` are all at least m }, of those that are free; takes it. NULL
 * when none is. */
static isl_set *lowest_of(isl_set *context, isl_set *bad) {
  unsigned n = (unsigned)isl_set_dim(bad, isl_dim_param), n_free = 0;
  bool *free_ones = pm_xcalloc(n + 1, sizeof *free_ones);
  for (unsigned i = 0; i < n; i++) {
    free_ones[i] = is_free(context, isl_set_get_dim_name(bad, isl_dim_param, i));
    n_free += free_ones[i];
  }
  bad = isl_set_move_dims(isl_set_from_params(bad), isl_dim_set, 0, isl_dim_param, 0, n);
  bad = isl_set_reset_tuple_id(isl_set_add_dims(bad, isl_dim_set, 1));
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(bad));
  for (unsigned i = 0; i < n; i++) {
    if (!free_ones[i]) continue;
    isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_copy(local));
    c = isl_constraint_set_coefficient_si(c, isl_dim_set, (int)i, 1);
    bad = isl_set_add_constraint(bad, isl_constraint_set_coefficient_si(c, isl_dim_set, (int)n, -1));
  }
  isl_local_space_free(local);
  free(free_ones);
  if (n_free > 0) return isl_set_project_out(bad, isl_dim_set, 0, n);
  isl_set_free(bad);
  return NULL;
}

/* No point of `bad`, a set of parameters within the context, has all free ones large. */
static bool is_only_small(isl_set *context, isl_set *bad) {
  isl_set *lowest = lowest_of(context, isl_with_used_params(isl_set_copy(bad)));
  if (!lowest) return false;
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(lowest));
  isl_aff *m = isl_aff_var_on_domain(local, isl_dim_set, 0);
  isl_val *most = isl_set_max_val(lowest, m);
  bool small = isl_val_is_int(most) == isl_bool_true;
  isl_val_free(most);
  isl_aff_free(m);
  isl_set_free(lowest);
  return small;
}

/* --- points --- */

/* The sizes for which the set has points. */
static isl_set *sizes_with_points(kit *k, pm_attr set) {
  return possible(k, isl_set_params(isl_set_copy(isl_peek_set(set))));
}

kit_points kit_find_points(kit *k, pm_attr set) {
  if (pm_map_has(k->with_points, set)) return KIT_POINTS;
  isl_set *sizes = sizes_with_points(k, set), *context = context_about(k, sizes);
  bool none = isl_set_is_empty(sizes) == isl_bool_true;
  bool small = !none && is_only_small(context, sizes);
  isl_set_free(context);
  isl_set_free(sizes);
  if (!none && !small) pm_map_set(k->with_points, set, NULL);
  return none ? KIT_NO_POINTS : small ? KIT_SMALL_POINTS : KIT_POINTS;
}

/* `x goes from 5 to 3`, and the set of these points, NULL when there is none. */
static pm_attr put_range(kit *k, pm_buf *out, pm_loc loc, pm_string dim, const kit_exprs *x,
                         const void *lower, const void *upper) {
  kit_refusal no;
  kit_dims dims = {.n = 1, .names = {dim}};
  pm_buf text = {0};
  kit_begin_set(k, &text, &dims);
  bool ok = kit_put_interval(k, &text, dim, x, lower, upper, 1);
  pm_buf_printf(out, "%s goes from ", dim->text);
  kit_put_affine(x, lower, out, &no);
  pm_buf_puts(out, " to ");
  kit_put_affine(x, upper, out, &no);
  return kit_end_set(k, loc, &text, ok);
}

bool kit_check_interval(kit *k, pm_loc loc, pm_string dim, const kit_exprs *x, const void *lower,
                        const void *upper) {
  static const char should[] = "the lower bound should come first, and the upper one not be below it";
  pm_buf range = {0}, sizes = {0};
  pm_attr set = put_range(k, &range, loc, dim, x, lower, upper);
  kit_points points = set ? kit_find_points(k, set) : KIT_POINTS;
  if (points == KIT_NO_POINTS) pm_error(k->ctx, loc, "%s, which has no points; %s", range.data, should);
  if (points == KIT_SMALL_POINTS) {
    isl_set *where = sizes_with_points(k, set), *context = context_about(k, where);
    where = isl_set_coalesce(context ? isl_set_gist(where, context) : where);
    isl_put_conditions(&sizes, where, NULL);
    isl_set_free(where);
    pm_warning(k->ctx, loc, "%s, which has points only for %s; %s", range.data, sizes.data, should);
  }
  pm_buf_free(&range);
  pm_buf_free(&sizes);
  return set && points != KIT_NO_POINTS;
}

/* --- narrowing --- */

/* The context without `bad` (taken), which is not empty and only small. */
static void narrow(kit *k, pm_loc loc, const char *what, isl_set *bad) {
  isl_set *context = context_set(k);
  context = context ? isl_set_subtract(context, bad) : isl_set_complement(bad);
  context = isl_set_coalesce(isl_set_remove_redundancies(context));
  pm_buf text = {0};
  isl_put_conditions(&text, context, NULL);
  pm_warning(k->ctx, loc, "%s for some small sizes; the pipeline takes only those with %s", what, text.data);
  pm_buf_free(&text);
  k->context = isl_attr_of_set(k->ctx, context);
}

bool kit_narrow(kit *k, pm_loc loc, const char *what, isl_set *wrong) {
  isl_set *bad = possible(k, isl_set_params(isl_set_copy(wrong))), *context = context_about(k, bad);
  bool small = is_only_small(context, bad);
  isl_set_free(context);
  if (small && isl_set_is_empty(bad) != isl_bool_true)
    narrow(k, loc, what, bad);
  else
    isl_set_free(bad);
  return small;
}

/* The points that a read reaches outside of what it reads, with the instances that do: the points alone have
 * divisions that isl would have to find names for. NULL when there are none. */
static isl_set *points_outside(const stage_access *access) {
  isl_map *reached = isl_map_copy(access->relation);
  isl_set *outside = isl_map_wrap(linear_subtract_range(reached, isl_set_copy(access->producer->domain)));
  if (isl_set_is_empty(outside) == isl_bool_false) return outside;
  isl_set_free(outside);
  return NULL;
}

static void narrow_read(kit *k, const stage_access *access) {
  isl_set *outside = points_outside(access);
  if (outside) kit_narrow(k, access->read->loc, "the index leaves the domain", outside);
  isl_set_free(outside);
}

bool kit_leaves_domain(kit *k, const stage_access *access) {
  isl_set *outside = access->affine ? points_outside(access) : NULL;
  if (!outside) return false;
  isl_set *bad = possible(k, isl_set_params(outside)), *context = context_about(k, bad);
  bool leaves = isl_set_is_empty(bad) != isl_bool_true && !is_only_small(context, bad);
  isl_set_free(context);
  isl_set_free(bad);
  return leaves;
}

/* The sizes at which a read with a boundary mode finds nothing. */
static void narrow_to_points(kit *k, const pm_op *read, const pm_op *stage) {
  stage_boundary boundary;
  if (!stage || !stage_boundary_of_read(read, stage, &boundary)) return;
  isl_set *sizes = isl_set_params(stage_instances(pm_parent(read)));
  isl_set *domain = isl_set_copy(isl_peek_set(stage_domain_of(stage)));
  isl_set *empty = isl_set_subtract(sizes, isl_set_params(domain));
  if (isl_set_is_empty(empty) == isl_bool_false)
    kit_narrow(k, read->loc, "what is read has no points", empty);
  isl_set_free(empty);
}

typedef struct narrowing {
  kit *k;
  pm_map *stages; /* by name, images and constants too */
} narrowing;

static pm_walk narrow_boundary(void *user, pm_op *op) {
  const narrowing *n = user;
  if (pm_is(op, &stage_read))
    narrow_to_points(n->k, op, pm_map_get(n->stages, pm_sym_at(op, stage_read_stage)));
  return PM_WALK_ON;
}

void kit_narrow_boundaries(kit *k, pm_op *pipeline) {
  narrowing n = {k, pm_map_new()};
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body))
  if (stage_is_array(op)) pm_map_set(n.stages, stage_name_of(op), op);
  pm_walk_pre(pipeline, narrow_boundary, &n);
  pm_map_free(n.stages);
  pm_set_attr(pipeline, stage_pipeline_context, k->context);
}

void kit_assume_coordinates(kit *k, pm_op *pipeline, unsigned bits) {
  if (!k->values) k->values = stage_values_new(pipeline);
  stage_values_assume_coordinates(k->values, bits);
}

struct stage_graph *kit_graph(kit *k, pm_op *pipeline) {
  if (!k->values) k->values = stage_values_new(pipeline);
  return stage_graph_new_from(pipeline, k->values);
}

void kit_forget(kit *k, const pm_op *func) {
  if (k->values) stage_values_forget(k->values, func);
}

void kit_narrow_reads(kit *k, pm_op *pipeline) {
  stage_graph *graph = kit_graph(k, pipeline);
  for (size_t i = 0; graph && i < graph->accesses.len; i++)
    if (graph->accesses.data[i]->affine) narrow_read(k, graph->accesses.data[i]);
  stage_graph_free(graph);
  pm_set_attr(pipeline, stage_pipeline_context, k->context);
}
