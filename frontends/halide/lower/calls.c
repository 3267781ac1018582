/* Which calls are taken: the sizes for which all reads of inputs are inside of them, and what else the inputs
 * and outputs say. */
#include "frontends/halide/lower/inference.h"
#include "frontends/halide/lower/intervals.h"
#include "frontends/halide/lower/lower.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/certainty.h"
#include "dialects/stage/stage.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/local_space.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <string.h>

enum {
  MOST_IN_FLOAT = 1 << 21, /* integers whose eighths a float holds */
  MOST_IN_A_ROW = 1 << 19, /* coordinates of which a float holds some times */
  MUCH_MEMORY = 100000000  /* bytes that no picture needs */
};

/* isl's operations to fit estimates. */
static const unsigned long OPERATIONS = 4000000;

/* --- inputs --- */

/* The parameters for which a read of an input leaves it. */
static isl_set *sizes_outside(const h_inference *f, const stage_access *a) {
  isl_set *points = isl_set_apply(h_instances_of(f, a), isl_map_copy(a->relation));
  points = linear_intersect_params(points, isl_set_copy(f->sizes));
  return isl_set_params(linear_set_subtract(points, isl_set_copy(a->producer->domain)));
}

/* The lines of what is read along each dimension. */
static void lines_of(const h_inference *f, const stage_access *a, isl_set **lines) {
  isl_set *instances = h_instances_of(f, a);
  if (h_affine_image(a, instances, lines)) {
    isl_set_free(instances);
    return;
  }
  isl_set *points = isl_set_apply(instances, isl_map_remove_divs(isl_map_copy(a->relation)));
  for (unsigned d = 0; d < a->producer->n_dims; d++) lines[d] = isl_set_remove_divs(h_line_along(points, d));
  isl_set_free(points);
}

typedef struct insides {
  isl_set *whole, *inside; /* NULL: not known */
} insides;

static isl_stat add_inside(isl_basic_set *part, void *user) {
  insides *in = user;
  isl_set *line = isl_set_from_basic_set(part);
  if (in->inside && !linear_set_is_subset(line, in->whole)) {
    isl_set *one = h_inside(line, in->whole);
    in->inside = one ? h_meet(in->inside, one) : isl_set_free(in->inside);
  }
  isl_set_free(line);
  return isl_stat_ok;
}

/* Parameters for which the box around what is read is in the input, a convex set; NULL: not known. */
static isl_set *sizes_inside(const h_inference *f, const stage_access *a) {
  isl_set *lines[KIT_MAX_DIMS];
  insides in = {.inside = isl_set_universe(isl_set_get_space(f->context))};
  lines_of(f, a, lines);
  for (unsigned d = 0; d < a->producer->n_dims; d++) {
    in.whole = h_line_along(a->producer->domain, d);
    lines[d] = linear_intersect_params(lines[d], isl_set_copy(f->sizes));
    isl_set_foreach_basic_set(lines[d], add_inside, &in);
    isl_set_free(in.whole);
    isl_set_free(lines[d]);
  }
  return in.inside;
}

/* The parameters for which all that is read of the inputs is in them. */
isl_set *h_sizes_with_inputs(h_inference *f) {
  isl_set *sizes = isl_set_copy(f->context);
  for (size_t i = 0; i < f->graph->accesses.len; i++) {
    const stage_access *a = f->graph->accesses.data[i];
    if (!a->producer->is_input || !f->domains[a->consumer->index]) continue;
    isl_set *inside = f->bounds == H_ENDS ? sizes_inside(f, a) : NULL;
    if (inside && !linear_set_is_subset(sizes, inside)) sizes = h_meet(sizes, isl_set_copy(inside));
    if (!inside) sizes = isl_set_coalesce(linear_set_subtract(sizes, sizes_outside(f, a)));
    isl_set_free(inside);
    if (!f->costly_read && isl_budget_is_spent(f->graph->isl)) f->costly_read = a;
  }
  return f->bounds == H_ENDS ? sizes : isl_set_coalesce(isl_set_remove_redundancies(sizes));
}

/* The first read of an input that no sizes allow, alone or with those before it, or NULL. */
static const stage_access *find_outside(const h_inference *f, bool alone) {
  isl_set *sizes = isl_set_copy(f->context);
  const stage_access *found = NULL;
  for (size_t i = 0; i < f->graph->accesses.len && !found; i++) {
    const stage_access *a = f->graph->accesses.data[i];
    if (!a->producer->is_input || !f->domains[a->consumer->index]) continue;
    if (alone) {
      isl_set_free(sizes);
      sizes = isl_set_copy(f->context);
    }
    sizes = isl_set_subtract(sizes, sizes_outside(f, a));
    if (isl_set_is_empty(sizes) == isl_bool_true) found = a;
  }
  isl_set_free(sizes);
  return found;
}

/* What is wrong with the index of a read. */
static void put_wrong_index(pm_buf *where, const stage_access *a) {
  const char *name = a->producer->name->text;
  stage_certainty certainty = stage_find_certainty(a->read);
  bool is_table = pm_is(a->producer->op, &stage_constant);
  if (certainty.product) {
    pm_buf_printf(where, "%s is read at an index with the product ", name);
    stage_put_product(where, certainty.product);
    pm_buf_puts(where, ", which is not known to stay inside");
  } else if (!certainty.exact || is_table) {
    pm_buf_printf(where, "%s is read at an index that is not known to stay inside", name);
  } else {
    pm_buf_printf(where, "%s is read outside of it, whatever its size is", name);
  }
}

static bool report_read(const h_inference *f, const stage_access *a) {
  pm_buf where = {0};
  put_wrong_index(&where, a);
  pm_error(f->graph->ctx, a->read->loc, "%s; clamp(…) or a boundary condition keeps it inside", where.data);
  pm_buf_free(&where);
  return false;
}

/* Of domains that begin at 0. */
bool h_report_input(const h_inference *f) {
  const stage_access *a = find_outside(f, true);
  if (a) return report_read(f, a);
  a = find_outside(f, false);
  return pm_error(
      f->graph->ctx, a ? a->read->loc : f->l->pipeline->loc,
      "no sizes of the inputs allow all that is read of them, and the bounds that the program gives");
}

/* A call of the context comes to the read. */
static bool has_calls(const h_inference *f, const stage_access *a, isl_set *context) {
  isl_set *instances = isl_set_intersect(h_instances_of(f, a), isl_map_domain(isl_map_copy(a->relation)));
  isl_map *calls = isl_map_from_range(isl_set_intersect_params(instances, isl_set_copy(context)));
  bool any = !linear_map_is_empty(calls);
  isl_map_free(calls);
  return any;
}

static bool is_left_out(const h_inference *f, const stage_node *input) {
  for (size_t i = 0; i < f->left_out.len; i++)
    if (f->left_out.data[i]->producer == input) return true;
  return false;
}

/* Reads that no call comes to: the sizes lack those for which it would, because of what they read. The first
 * one of each input. */
void h_find_left_out(h_inference *f, isl_set *sizes) {
  for (size_t i = 0; i < f->graph->accesses.len; i++) {
    const stage_access *a = f->graph->accesses.data[i];
    if (!a->producer->is_input || !f->domains[a->consumer->index] || is_left_out(f, a->producer)) continue;
    if (!has_calls(f, a, sizes) && has_calls(f, a, f->context)) PM_VEC_PUSH(f->left_out, a);
  }
}

void h_warn_of_left_out(const h_inference *f) {
  for (size_t i = 0; i < f->left_out.len; i++) {
    const stage_access *a = f->left_out.data[i];
    pm_buf where = {0};
    put_wrong_index(&where, a);
    pm_warning(f->graph->ctx, a->read->loc,
               "%s; calls that come to it are refused, clamp(…) or a boundary condition keeps it inside",
               where.data);
    pm_buf_free(&where);
  }
}

/* --- estimates --- */

static isl_set *with_value(isl_set *sizes, const char *param, int64_t value) {
  int at = isl_set_find_dim_by_name(sizes, isl_dim_param, param);
  return at < 0 ? sizes : isl_set_fix_si(sizes, isl_dim_param, (unsigned)at, (int)value);
}

/* The greatest value of the parameter, at most `limit` unless that is 0; 0: there is none, or no greatest. */
static int64_t greatest_of(isl_set *sizes, const char *param, int64_t limit) {
  int at = isl_set_find_dim_by_name(sizes, isl_dim_param, param);
  if (at < 0) return 0;
  isl_set *values = isl_set_from_params(isl_set_copy(sizes));
  if (limit > 0) values = isl_set_upper_bound_si(values, isl_dim_param, (unsigned)at, (int)limit);
  values = isl_set_move_dims(values, isl_dim_set, 0, isl_dim_param, (unsigned)at, 1);
  values = isl_set_project_out(values, isl_dim_param, 0, (unsigned)isl_set_dim(values, isl_dim_param));
  isl_local_space *line = isl_local_space_from_space(isl_set_get_space(values));
  isl_aff *self = isl_aff_var_on_domain(line, isl_dim_set, 0);
  isl_val *most = isl_set_max_val(values, self);
  int64_t value = most && isl_val_is_int(most) == isl_bool_true ? isl_val_get_num_si(most) : 0;
  isl_val_free(most);
  isl_aff_free(self);
  isl_set_free(values);
  return value;
}

static bool is_estimate(const h_symbol *s) {
  return s->has_estimate && s->types[0] == PM_I32 && s->estimate > 0 && s->estimate <= INT32_MAX;
}

static isl_set *with_estimate(isl_set *sizes, const h_symbol *s) {
  return is_estimate(s) ? with_value(sizes, s->name->text, s->estimate) : sizes;
}

/* The sizes with the estimates of the inputs; NULL: there are none. */
static isl_set *sizes_of_inputs(const h_inference *f) {
  const h_program *p = f->l->program;
  isl_set *sizes = isl_set_copy(f->context);
  bool any = false;
  for (uint32_t i = 0; i < p->inputs.len; i++) {
    const h_symbol *s = p->inputs.data[i];
    if (s->kind == H_PARAM) sizes = with_estimate(sizes, s);
    for (unsigned d = 0; s->kind == H_BUFFER && d < s->n_dims; d++) {
      any |= is_estimate(s->extents[d]);
      sizes = with_estimate(sizes, s->extents[d]);
    }
  }
  if (any) return sizes;
  isl_set_free(sizes);
  return NULL;
}

/* The estimates of extents of outputs fit those of the inputs: they are the greatest that the context allows,
 * or what the program says, if that is less. Those stay that take isl too many operations. */
void h_fit_estimates(const h_inference *f) {
  const h_program *p = f->l->program;
  pm_type type = pm_get_scalar(f->graph->ctx, PM_I64);
  isl_budget_begin(f->graph->isl, OPERATIONS);
  isl_set *sizes = sizes_of_inputs(f);
  for (uint32_t i = 0; sizes && i < p->outputs.len; i++)
    for (unsigned d = 0; d < p->outputs.data[i]->n_dims; d++) {
      h_symbol *extent = p->outputs.data[i]->extents[d];
      int64_t value = greatest_of(sizes, extent->name->text, is_estimate(extent) ? extent->estimate : 0);
      if (value <= 0 || value > INT32_MAX) continue;
      pm_set_attr(pm_def(extent->value), stage_param_estimate, pm_get_int(type, value));
      sizes = with_value(sizes, extent->name->text, value);
    }
  isl_set_free(sizes);
  (void)isl_budget_end(f->graph->isl);
}

/* --- floats in indices --- */

/* Where sums may be ordered anew, their errors should be small, too. */
static int64_t exact_here(const h_inference *f, int64_t most) {
  return f->l->options->fp && strcmp(f->l->options->fp, "fast") == 0 ? most >> 4 : most;
}

static void put_at_most(const h_inference *f, pm_buf *text, hx *e, int64_t most) {
  kit_exprs x = h_lower_exprs(f->l);
  kit_refusal no;
  h_program *p = f->l->program;
  pm_buf condition = {0};
  hx *limit = hx_int(p, e->loc, PM_I32, exact_here(f, most));
  if (kit_put_condition(&x, hx_binary(p, e->loc, HX_LE, e, limit), &condition, &no))
    pm_buf_printf(text, " and (%s)", condition.data);
  pm_buf_free(&condition);
}

static void put_small_extents(const h_inference *f, pm_buf *text, h_symbol *s) {
  for (unsigned d = 0; d < s->n_dims; d++)
    put_at_most(f, text, h_extent(f->l->program, s->loc, s, d), MOST_IN_A_ROW);
}

/* What floats in indices are of is so small that they are exact: other calls are refused. */
static void put_float_limits(const h_inference *f, pm_buf *text) {
  h_program *p = f->l->program;
  h_exprs params = {0};
  bool has_coordinates = false;
  h_find_floats(p, &params, &has_coordinates);
  for (size_t i = 0; i < params.len; i++) {
    put_at_most(f, text, params.data[i], MOST_IN_FLOAT);
    put_at_most(f, text, hx_negate(p, params.data[i]->loc, params.data[i]), MOST_IN_FLOAT);
  }
  for (uint32_t i = 0; i < p->inputs.len && has_coordinates; i++)
    if (p->inputs.data[i]->kind == H_BUFFER) put_small_extents(f, text, p->inputs.data[i]);
  for (uint32_t i = 0; i < p->outputs.len && has_coordinates; i++)
    put_small_extents(f, text, p->outputs.data[i]);
  PM_VEC_FREE(params);
}

isl_set *h_with_float_limits(const h_inference *f, isl_set *context) {
  pm_buf text = {0};
  pm_buf_puts(&text, "[");
  for (unsigned i = 0; i < (unsigned)isl_set_dim(context, isl_dim_param); i++)
    pm_buf_printf(&text, "%s%s", i ? ", " : "", isl_set_get_dim_name(context, isl_dim_param, i));
  pm_buf_puts(&text, "] -> { : 0 = 0");
  put_float_limits(f, &text);
  pm_buf_puts(&text, " }");
  context = isl_set_intersect(context, isl_set_read_from_str(f->graph->isl, text.data));
  pm_buf_free(&text);
  return isl_set_coalesce(context);
}

/* --- memory --- */

/* Funcs that are read at computed indices are stored whole. */
void h_warn_of_memory(const h_inference *f) {
  for (size_t i = 0; i < f->graph->nodes.len; i++) {
    const stage_node *node = f->graph->nodes.data[i];
    if (node->is_input || node->is_output || !f->domains[i] || !h_has_computed_reader(node)) continue;
    double bytes = 0;
    for (unsigned k = 0; k < pm_tuple_len(node->type); k++)
      bytes += (double)pm_scalar_bytes((pm_scalar)pm_tuple_at(node->type, k)->scalar);
    bytes *= h_points_at(f, f->domains[i], H_SMALL);
    if (bytes < MUCH_MEMORY) continue;
    pm_warning(f->graph->ctx, node->op->loc,
               "%pS takes %.0f MB for the smallest pictures: it is read at indices that may be many numbers; "
               "clamp(…) "
               "gives closer bounds",
               (const void *)node->name, bytes / 1e6);
  }
}
