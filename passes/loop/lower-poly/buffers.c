/* The memory of stages: arguments of the call, whole arrays, scratchpads. */
#include "passes/loop/lower-poly/lowering.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/conditions.h"
#include "dialects/isl/linear.h"
#include "dialects/poly/check/well_formed.h"
#include "dialects/poly/lower/guards.h"
#include "dialects/machine/machine.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/values.h"

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/val.h>
#include <string.h>

/* --- arguments, extents, arrays --- */

static void bind_param(lowering *l, const char *name, pm_value *value) {
  isl_id *id = isl_id_alloc(l->graph->isl, name, NULL);
  pm_map_set(l->env.values, id, value);
  PM_VEC_PUSH(l->iterators, id);
  int at = isl_set_find_dim_by_name(l->graph->context, isl_dim_param, name);
  if (at >= 0) l->params[at] = affine_pool_expr(&l->pool, value);
}

static void add_params(lowering *l, pm_builder *b) {
  for (size_t i = 0; i < l->graph->params.len; i++) {
    pm_op *param = l->graph->params.data[i];
    if (pm_attr_at(param, stage_param_derived)) continue;
    b->loc = param->loc;
    pm_attr attrs[loop_param_N_ATTRS] = {NULL};
    attrs[loop_param_sym] = pm_attr_at(param, stage_param_sym);
    attrs[loop_param_estimate] = pm_attr_at(param, stage_param_estimate);
    pm_type type = pm_res(param, stage_param_value)->type;
    pm_op *op = pm_build(b, &loop_param, NULL, 0, &type, 1, attrs);
    pm_res(op, 0)->name = pm_sym_at(param, stage_param_sym);
    pm_map_set(l->param_values, pm_sym_at(param, stage_param_sym), pm_res(op, 0));
    if (pm_is_int_or_index(type)) bind_param(l, pm_sym_at(param, stage_param_sym)->text, pm_res(op, 0));
  }
}

pm_value *lower_param_value(lowering *l, pm_builder *b, isl_ast_build *build, __isl_take isl_pw_aff *pa) {
  isl_ast_expr *expr = isl_ast_build_expr_from_pw_aff(build, pa);
  pm_value *v = expr ? ast_build_value(b, &l->env, expr) : NULL;
  isl_ast_expr_free(expr);
  if (v)
    lower_note_value(l, v);
  else
    l->failed = true;
  return v;
}

/* Computed of the others, whatever the context says: that is asked for afterwards. */
static void add_derived_params(lowering *l, pm_builder *b) {
  isl_ast_build *build = isl_ast_build_from_context(isl_set_universe(isl_set_get_space(l->graph->context)));
  for (size_t i = 0; i < l->graph->params.len && !l->failed; i++) {
    const pm_op *param = l->graph->params.data[i];
    pm_attr derived = pm_attr_at(param, stage_param_derived);
    if (!derived) continue;
    b->loc = param->loc;
    isl_set *numbers =
        isl_set_align_params(isl_set_copy(isl_peek_set(derived)), isl_set_get_space(l->graph->context));
    pm_value *value = lower_param_value(l, b, build, isl_set_dim_max(numbers, 0));
    if (!value) continue;
    if (!value->name) value->name = pm_sym_at(param, stage_param_sym);
    bind_param(l, pm_sym_at(param, stage_param_sym)->text, value);
    pm_type type = pm_res(param, stage_param_value)->type;
    if (pm_uses(pm_res(param, stage_param_value)) && value->type != type)
      value = arith_build_cast(b, value, type);
    pm_map_set(l->param_values, pm_sym_at(param, stage_param_sym), value);
  }
  isl_ast_build_free(build);
}

/* The same as an affine expression. */
static pm_affine_expr param_expr(lowering *l, pm_builder *b, isl_ast_build *build,
                                 __isl_take isl_pw_aff *pa) {
  pm_value *v = lower_param_value(l, b, build, pa);
  return v ? affine_pool_expr(&l->pool, v) : NULL;
}

enum { MOST_DIMS = 64 };

typedef struct box {
  pm_value *extents[MOST_DIMS];
  pm_affine_expr lower[MOST_DIMS];
} box;

static void empty_box(lowering *l, pm_builder *b, unsigned n_dims, box *out) {
  for (unsigned d = 0; d < n_dims; d++) {
    out->extents[d] = arith_build_index(b, 0);
    out->lower[d] = pm_affine_const(l->ctx, 0);
  }
}

/* The affine function that it is where it is defined; NULL when there are several. */
static __isl_give isl_aff *only_function(isl_pw_aff *pa) {
  isl_pw_aff *whole = isl_pw_aff_gist(isl_pw_aff_copy(pa), isl_pw_aff_domain(isl_pw_aff_copy(pa)));
  isl_aff *aff =
      isl_pw_aff_isa_aff(whole) == isl_bool_true ? isl_pw_aff_as_aff(isl_pw_aff_copy(whole)) : NULL;
  isl_pw_aff_free(whole);
  return aff;
}

/* Extents of a domain that is empty for some parameters say nothing there. Where they might all be positive,
 * the first becomes 0. */
static void close_extents(const lowering *l, const stage_node *node, isl_pw_aff **extents) {
  isl_set *empty = stage_facts_all_of(l->graph->facts, node->domain);
  empty = isl_set_subtract(empty, isl_set_params(isl_set_copy(node->domain)));
  empty = isl_set_align_params(empty, isl_set_get_space(l->graph->context));
  isl_set *open = isl_set_copy(empty);
  for (unsigned d = 0; d < node->n_dims; d++) {
    isl_aff *aff = only_function(extents[d]);
    if (aff) open = isl_set_intersect(open, isl_pw_aff_pos_set(isl_pw_aff_from_aff(aff)));
  }
  if (node->n_dims && isl_set_is_empty(open) != isl_bool_true) {
    isl_aff *zero = isl_aff_zero_on_domain_space(isl_set_get_space(empty));
    extents[0] = isl_pw_aff_union_add(extents[0], isl_pw_aff_alloc(isl_set_copy(empty), zero));
  }
  isl_set_free(open);
  isl_set_free(empty);
}

/* isl's operations for the box of an intermediate array, and the pieces that its bounds may have. */
enum { BOX_OPERATIONS = 50000, BOX_PIECES = 8 };

static void free_bounds(isl_pw_aff **bounds, unsigned n) {
  for (unsigned d = 0; d < n; d++) isl_pw_aff_free(bounds[d]);
}

/* The first and the last coordinate of the set along each dimension. */
static void find_bounds(isl_set *set, isl_pw_aff **lower, isl_pw_aff **upper) {
  for (int d = 0; d < (int)isl_set_dim(set, isl_dim_set); d++) {
    lower[d] = isl_set_dim_min(isl_set_copy(set), d);
    upper[d] = isl_set_dim_max(isl_set_copy(set), d);
  }
}

static bool has_few_pieces(isl_pw_aff *bound) {
  isl_size n = isl_pw_aff_n_piece(bound);
  return n > 0 && n <= BOX_PIECES;
}

/* The same where these are found soon, and are functions of few pieces; else false, and none. */
static bool find_simple_bounds(isl_set *set, isl_pw_aff **lower, isl_pw_aff **upper) {
  isl_ctx *isl = isl_set_get_ctx(set);
  unsigned n = (unsigned)isl_set_dim(set, isl_dim_set), d = 0;
  bool simple = true;
  isl_budget_begin(isl, BOX_OPERATIONS);
  for (; simple && d < n; d++) {
    lower[d] = isl_set_dim_min(isl_set_copy(set), (int)d);
    upper[d] = isl_set_dim_max(isl_set_copy(set), (int)d);
    simple = has_few_pieces(lower[d]) && has_few_pieces(upper[d]);
  }
  simple = !isl_budget_end(isl) && simple;
  if (simple) return true;
  free_bounds(lower, d);
  free_bounds(upper, d);
  return false;
}

/* Of the bounds of a dimension that are functions of the params the closest ones at the estimates; NULL:
 * there are none. */
typedef struct closest {
  const lowering *l;
  unsigned dim;
  isl_aff *lo, *hi;
  double lo_at, hi_at;
} closest;

static double at_estimates(const lowering *l, isl_aff *bound) {
  int64_t usual = pm_usual_size(l->graph->pipeline);
  isl_val *constant = isl_aff_get_constant_val(bound);
  double sum = isl_val_get_d(constant);
  isl_val_free(constant);
  for (size_t i = 0; i < l->graph->params.len; i++) {
    const char *name = pm_sym_at(l->graph->params.data[i], stage_param_sym)->text;
    int at = isl_aff_find_dim_by_name(bound, isl_dim_param, name);
    isl_val *by = at < 0 ? NULL : isl_aff_get_coefficient_val(bound, isl_dim_param, at);
    if (by) sum += isl_val_get_d(by) * (double)stage_estimate_of(l->graph, i, usual);
    isl_val_free(by);
  }
  return sum;
}

static isl_stat take_closer(__isl_take isl_constraint *c, void *user) {
  closest *f = user;
  bool lower = isl_constraint_is_lower_bound(c, isl_dim_set, f->dim) == isl_bool_true;
  bool upper = isl_constraint_is_upper_bound(c, isl_dim_set, f->dim) == isl_bool_true;
  for (unsigned d = 0; d < (unsigned)isl_constraint_dim(c, isl_dim_set); d++)
    if (d != f->dim && isl_constraint_involves_dims(c, isl_dim_set, d, 1) != isl_bool_false)
      lower = upper = false;
  isl_aff *bound = lower || upper ? isl_constraint_get_bound(c, isl_dim_set, (int)f->dim) : NULL;
  isl_constraint_free(c);
  if (!bound) return isl_stat_ok;
  bound = isl_aff_project_domain_on_params(bound);
  double at = at_estimates(f->l, bound);
  if (lower && (!f->lo || at > f->lo_at)) {
    isl_aff_free(f->lo);
    f->lo = isl_aff_ceil(isl_aff_copy(bound));
    f->lo_at = at;
  }
  if (upper && (!f->hi || at < f->hi_at)) {
    isl_aff_free(f->hi);
    f->hi = isl_aff_floor(isl_aff_copy(bound));
    f->hi_at = at;
  }
  isl_aff_free(bound);
  return isl_stat_ok;
}

/* The first coordinate and the extent of the set, which is convex, along a dimension: from one of its bounds
 * to another, and nothing where they are in disorder. False: it has none. */
static bool find_closest(const lowering *l, isl_set *set, unsigned d, isl_pw_aff **lo, isl_pw_aff **extent) {
  isl_basic_set *only = isl_set_simple_hull(isl_set_copy(set));
  closest f = {l, d, NULL, NULL, 0, 0};
  isl_basic_set_foreach_constraint(only, take_closer, &f);
  isl_basic_set_free(only);
  if (!f.lo || !f.hi) {
    isl_aff_free(f.lo);
    isl_aff_free(f.hi);
    return false;
  }
  isl_pw_aff *n = isl_pw_aff_from_aff(isl_aff_add_constant_si(isl_aff_sub(f.hi, isl_aff_copy(f.lo)), 1));
  isl_aff *zero = isl_aff_zero_on_domain(isl_aff_get_domain_local_space(f.lo));
  *extent = isl_pw_aff_max(n, isl_pw_aff_from_aff(zero));
  *lo = isl_pw_aff_from_aff(f.lo);
  return true;
}

/* The same of a box around the domain. False: there is no such box. */
static bool find_loose_box(const lowering *l, const stage_node *node, isl_pw_aff **lower,
                           isl_pw_aff **extents) {
  isl_set *around = poly_plain_around(isl_set_copy(node->domain), l->graph->context);
  unsigned d = 0;
  while (d < node->n_dims && find_closest(l, around, d, &lower[d], &extents[d])) d++;
  isl_set_free(around);
  if (d == node->n_dims) return true;
  free_bounds(lower, d);
  free_bounds(extents, d);
  return false;
}

/* Puts the extents in place of the last coordinates. */
static void find_extents(const lowering *l, const stage_node *node, isl_pw_aff **lower, isl_pw_aff **upper) {
  for (unsigned d = 0; d < node->n_dims; d++) {
    upper[d] = isl_pw_aff_sub(upper[d], isl_pw_aff_copy(lower[d]));
    upper[d] = isl_pw_aff_add_constant_val(upper[d], isl_val_one(l->graph->isl));
  }
  close_extents(l, node, upper);
}

/* The box of an intermediate array is loose where its own has bounds of many pieces. */
static void find_lower_and_extents(const lowering *l, const stage_node *node, isl_pw_aff **lower,
                                   isl_pw_aff **extents) {
  bool inner = !node->is_input && !node->is_output;
  bool simple = inner && find_simple_bounds(node->domain, lower, extents);
  if (inner && !simple && find_loose_box(l, node, lower, extents)) return;
  if (!simple) find_bounds(node->domain, lower, extents);
  find_extents(l, node, lower, extents);
}

/* Extents and first point of the box of a domain; what is constant becomes part of the affine expressions. */
static bool find_box(lowering *l, pm_builder *b, const stage_node *node, box *out) {
  if (node->n_dims > MOST_DIMS)
    return pm_op_error(node->op, "has %u dimensions, but at most %d are supported", node->n_dims, MOST_DIMS);
  if (isl_set_is_empty(node->domain) == isl_bool_true) {
    empty_box(l, b, node->n_dims, out);
    return true;
  }
  isl_pw_aff *lower[MOST_DIMS], *extents[MOST_DIMS];
  isl_ast_build *build =
      isl_ast_build_from_context(isl_set_copy(stage_facts_of(l->graph->facts, node->domain)));
  find_lower_and_extents(l, node, lower, extents);
  for (unsigned d = 0; d < node->n_dims; d++) {
    out->lower[d] =
        node->is_input ? pm_affine_const(l->ctx, 0) : param_expr(l, b, build, isl_pw_aff_copy(lower[d]));
    isl_pw_aff_free(lower[d]);
  }
  bool ok = true;
  for (unsigned d = 0; d < node->n_dims; d++) {
    out->extents[d] = lower_param_value(l, b, build, extents[d]);
    if (ok && !(out->lower[d] && out->extents[d]))
      ok = pm_op_error(node->op, "has a domain that is not bounded in dimension %u", d);
  }
  isl_ast_build_free(build);
  return ok;
}

/* The values of a stage in memory: a lower_buffer of this shape for each element of its tuples. */
typedef struct shape {
  const stage_node *node;
  int64_t *dims;
  pm_value **extents; /* by dimension, where it is PM_DYNAMIC; NULL: none is */
  pm_value **memrefs; /* once they are built */
} shape;

typedef PM_VEC(shape) shapes;

static shape new_shape(lowering *l, const stage_node *node) {
  unsigned n = pm_tuple_len(node->type);
  shape s = {.node = node};
  s.dims = pm_arena_alloc(l->arena, (node->n_dims + 1) * sizeof *s.dims);
  s.memrefs = pm_arena_alloc(l->arena, n * sizeof *s.memrefs);
  return s;
}

static void require_pixels(pm_builder *b, pm_string array, pm_value *stride, unsigned channels) {
  pm_buf text = {0};
  pm_buf_printf(&text, "the pixels of %s are %u elements apart", array->text, channels);
  loop_build_require(b, arith_build_cmp(b, ARITH_EQ, stride, arith_build_int(b, stride->type, channels)),
                     text.data);
  pm_buf_free(&text);
}

/* The array of which the caller gives the strides, in params, but the last one, which is 1; they are added to
 * the extents. */
static pm_type add_strides(lowering *l, pm_builder *b, pm_string array, pm_type dense, affine_values *sizes) {
  pm_type number = pm_get_scalar(l->ctx, PM_I64);
  int64_t *strides = pm_arena_alloc(l->arena, (dense->rank + 1) * sizeof *strides);
  unsigned pixel = dense->rank > 1 ? buf_channels(sizes->data[dense->rank - 1]) : 0;
  for (unsigned d = 0; d < dense->rank; d++) {
    strides[d] = d + 1 < dense->rank ? PM_DYNAMIC : 1;
    if (d + 1 == dense->rank) break;
    pm_buf text = {0};
    pm_buf_printf(&text, "%s_s%u", array->text, d);
    pm_value *stride = loop_build_own_param(b, text.data, number);
    pm_buf_free(&text);
    if (d + 2 == dense->rank && pixel) {
      strides[d] = pixel;
      require_pixels(b, array, stride, pixel);
      continue;
    }
    PM_VEC_PUSH(*sizes, arith_build_cast(b, stride, pm_get_index(l->ctx)));
  }
  return pm_get_strided(dense, strides);
}

/* Arrays of the caller. */
static void build_arguments(lowering *l, pm_builder *b, const pm_op_desc *desc, shape *s) {
  unsigned n = pm_tuple_len(s->node->type);
  pm_string box = stage_box_of(l->graph->pipeline, s->node->name);
  for (unsigned i = 0; i < n; i++) {
    pm_string name = stage_element_name(s->node->op, i);
    pm_type type =
        pm_get_memref(pm_tuple_at(s->node->type, i), (uint16_t)s->node->n_dims, s->dims, PM_SPACE_NONE);
    pm_attr attrs[buf_output_N_ATTRS] = {pm_get_symbol(l->ctx, name)};
    affine_values sizes = {0};
    for (unsigned d = 0; d < s->node->n_dims; d++) PM_VEC_PUSH(sizes, s->extents[d]);
    if (pm_attr_at(l->graph->pipeline, stage_pipeline_region)) type = add_strides(l, b, name, type, &sizes);
    if (n > 1 && desc == &buf_output) attrs[buf_output_stage] = pm_get_symbol(l->ctx, s->node->name);
    if (desc == &buf_output && box != s->node->name) attrs[buf_output_box] = pm_get_symbol(l->ctx, box);
    pm_op *op = pm_build(b, desc, sizes.data, (unsigned)sizes.len, &type, 1, attrs);
    PM_VEC_FREE(sizes);
    pm_res(op, 0)->name = name;
    s->memrefs[i] = pm_res(op, 0);
  }
}

/* Memory for element `i` of all shapes that have it, which share it; false when none has. */
static bool build_element(lowering *l, pm_builder *b, shapes *list, unsigned i, pm_space space) {
  PM_VEC(pm_type) types = {0};
  affine_values extents = {0};
  pm_string name = NULL;
  for (size_t k = 0; k < list->len; k++) {
    const shape *s = &list->data[k];
    if (i >= pm_tuple_len(s->node->type)) continue;
    name = stage_element_name(s->node->op, i);
    PM_VEC_PUSH(types,
                pm_get_memref(pm_tuple_at(s->node->type, i), (uint16_t)s->node->n_dims, s->dims, space));
    for (unsigned d = 0; s->extents && d < s->node->n_dims; d++)
      if (s->dims[d] == PM_DYNAMIC) PM_VEC_PUSH(extents, s->extents[d]);
  }
  bool any = types.len > 0;
  pm_attr attrs[buf_alloc_N_ATTRS] = {types.len == 1 ? pm_get_symbol(l->ctx, name) : NULL};
  pm_op *op = any ? pm_build(b, &buf_alloc, extents.data, (unsigned)extents.len, types.data,
                             (unsigned)types.len, attrs)
                  : NULL;
  unsigned result = 0;
  for (size_t k = 0; any && k < list->len; k++) {
    shape *s = &list->data[k];
    if (i >= pm_tuple_len(s->node->type)) continue;
    pm_res(op, result)->name = stage_element_name(s->node->op, i);
    s->memrefs[i] = pm_res(op, result++);
  }
  PM_VEC_FREE(types);
  PM_VEC_FREE(extents);
  return any;
}

/* Memory that the shapes share. */
static void build_memory(lowering *l, pm_builder *b, shapes *list, pm_space space) {
  unsigned i = 0;
  while (build_element(l, b, list, i, space)) i++;
}

/* Those in the node of `alloc` that share its memory, itself first. */
static void collect_pool(pm_op *alloc, poly_ops *out) {
  pm_attr pool = pm_attr_at(alloc, poly_alloc_pool);
  PM_VEC_PUSH(*out, alloc);
  if (!pool) return;
  PM_FOR_OPS(op, alloc->region)
  if (op != alloc && pm_is(op, &poly_alloc) && pm_attr_at(op, poly_alloc_pool) == pool) PM_VEC_PUSH(*out, op);
}

/* In the arena; NULL after a diagnostic. */
static lower_box *box_of_stage(lowering *l, pm_builder *b, const stage_node *node) {
  box bounds;
  b->loc = node->op->loc;
  if (!find_box(l, b, node, &bounds)) {
    l->failed = true;
    return NULL;
  }
  lower_box *kept = pm_arena_alloc(l->arena, sizeof *kept);
  *kept = (lower_box){pm_arena_memdup(l->arena, bounds.extents, node->n_dims * sizeof *bounds.extents),
                      pm_arena_memdup(l->arena, bounds.lower, node->n_dims * sizeof *bounds.lower)};
  return kept;
}

/* Finds the extents of the array over the stage's box, and its origin; false after a diagnostic. */
static bool find_array(lowering *l, pm_builder *b, const stage_node *node, shape *out) {
  const lower_box *bounds = box_of_stage(l, b, node);
  if (!bounds) return false;
  *out = new_shape(l, node);
  for (unsigned d = 0; d < node->n_dims; d++) out->dims[d] = PM_DYNAMIC;
  out->extents = pm_arena_alloc(l->arena, (node->n_dims + 1) * sizeof *out->extents);
  for (unsigned d = 0; d < node->n_dims; d++) out->extents[d] = bounds->extents[stage_dim_of(node->order, d)];
  l->buffers[node->index] =
      (lower_buffer){.memrefs = out->memrefs, .origin = bounds->lower, .order = node->order};
  return true;
}

static void add_argument(lowering *l, pm_builder *b, const stage_node *node, const pm_op_desc *desc) {
  shape s;
  if (find_array(l, b, node, &s)) build_arguments(l, b, desc, &s);
}

/* isl says by a number that a condition always holds, or never. */
static bool is_never(const pm_value *holds) {
  pm_attr number = pm_constant_value(holds);
  return !pm_is_bool(holds->type) && number && number->i == 0;
}

static bool involves_param(isl_set *set, const char *name) {
  int at = isl_set_find_dim_by_name(set, isl_dim_param, name);
  return at >= 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)at, 1) == isl_bool_true;
}

typedef struct listing {
  pm_buf *text;
  const char *before;
} listing;

static isl_stat put_part(isl_basic_set *part, void *user) {
  listing *list = user;
  isl_set *set = isl_set_from_basic_set(part);
  pm_buf_puts(list->text, list->before);
  isl_put_conditions(list->text, set, NULL);
  list->before = ", or ";
  isl_set_free(set);
  return isl_stat_ok;
}

typedef PM_VEC(isl_set *) set_list;

static bool one_involves(const set_list *sets, const char *name) {
  for (size_t i = 0; i < sets->len; i++)
    if (involves_param(sets->data[i], name)) return true;
  return false;
}

/* What the derived params are that the set has, or those that they are derived from. */
static void put_derived(pm_buf *text, const lowering *l, isl_set *set) {
  listing list = {text, ", where "};
  set_list all = {0};
  PM_VEC_PUSH(all, isl_set_copy(set));
  for (size_t i = l->graph->params.len; i-- > 0;) {
    const pm_op *param = l->graph->params.data[i];
    if (!one_involves(&all, pm_sym_at(param, stage_param_sym)->text)) continue;
    isl_set *function = stage_param_function(param);
    if (!function) continue;
    isl_set_foreach_basic_set(function, put_part, &list);
    list.before = ", and ";
    PM_VEC_PUSH(all, function);
  }
  for (size_t i = 0; i < all.len; i++) isl_set_free(all.data[i]);
  PM_VEC_FREE(all);
}

/* The set of parameters as a condition. It is built without the context, which would make it true. */
static void build_requirement(lowering *l, pm_builder *b, isl_set *required) {
  isl_ast_build *build = isl_ast_build_from_context(isl_set_universe(isl_set_get_space(required)));
  isl_ast_expr *expr = isl_ast_build_expr_from_set(build, isl_set_copy(required));
  pm_value *holds = expr ? ast_build_value(b, &l->env, expr) : NULL;
  isl_ast_expr_free(expr);
  isl_ast_build_free(build);
  if (!holds) {
    l->failed = true;
    return;
  }
  lower_note_value(l, holds);
  pm_buf text = {0};
  bool never = is_never(holds);
  isl_set *stated = isl_peek_set(pm_attr_at(l->graph->pipeline, stage_pipeline_context));
  isl_put_conditions(&text, never && stated ? stated : required, NULL);
  if (!never) put_derived(&text, l, required);
  if (never) holds = arith_build_int(b, pm_get_scalar(l->ctx, PM_I1), 0);
  if (pm_is_bool(holds->type)) loop_build_require(b, holds, text.data);
  pm_buf_free(&text);
}

/* The values of one parameter in the set; NULL when it is bounded there by constraints of its own, or not at
 * all. */
static __isl_give isl_set *unstated_bounds(isl_set *required, isl_set *context, const char *param) {
  int at = isl_set_find_dim_by_name(required, isl_dim_param, param);
  if (at < 0) return NULL;
  unsigned n = (unsigned)isl_set_dim(required, isl_dim_param), first = (unsigned)at;
  isl_set *others = isl_set_remove_redundancies(isl_set_copy(required));
  others = isl_set_drop_constraints_involving_dims(others, isl_dim_param, 0, first);
  others = isl_set_drop_constraints_involving_dims(others, isl_dim_param, first + 1, n - first - 1);
  isl_set *box = isl_set_copy(context);
  box = isl_set_eliminate(isl_set_eliminate(box, isl_dim_param, 0, first), isl_dim_param, first + 1,
                          n - first - 1);
  box = isl_set_from_basic_set(isl_set_simple_hull(box));
  bool stated = isl_set_is_subset(others, box) == isl_bool_true;
  isl_set_free(others);
  if (!stated) return box;
  isl_set_free(box);
  return NULL;
}

/* A sum of parameters of 64 bits may wrap where it is required to be small: first each is required to be
 * something that it may be at all. */
static void add_bounds(lowering *l, pm_builder *b, isl_set *required, isl_set *context) {
  for (size_t i = 0; i < l->graph->params.len; i++) {
    pm_op *param = l->graph->params.data[i];
    if (!stage_is_wide_param(param)) continue;
    isl_set *box = unstated_bounds(required, context, pm_sym_at(param, stage_param_sym)->text);
    if (box) build_requirement(l, b, box);
    isl_set_free(box);
  }
}

/* Derived params are computed as indices, and should fit their types. */
static void add_types_of_derived(lowering *l, pm_builder *b) {
  for (size_t i = 0; i < l->graph->params.len; i++) {
    const pm_op *param = l->graph->params.data[i];
    if (!pm_attr_at(param, stage_param_derived)) continue;
    isl_set *types = stage_types_of_params(l->graph->pipeline, false);
    const char *name = pm_sym_at(param, stage_param_sym)->text;
    for (unsigned d = (unsigned)isl_set_dim(types, isl_dim_param); d-- > 0;)
      if (strcmp(isl_set_get_dim_name(types, isl_dim_param, d), name) != 0)
        types = isl_set_project_out(types, isl_dim_param, d, 1);
    build_requirement(l, b, types);
    isl_set_free(types);
  }
}

typedef struct unimplied {
  const lowering *l;
  isl_basic_set *left;
} unimplied;

/* Keeps the constraint (taken) unless a derived param has it by what it is. */
static isl_stat add_unimplied(isl_constraint *c, void *user) {
  unimplied *u = user;
  isl_set *one = isl_set_from_basic_set(isl_basic_set_from_constraint(isl_constraint_copy(c)));
  bool is_implied = false;
  for (size_t i = 0; i < u->l->graph->params.len && !is_implied; i++) {
    const pm_op *param = u->l->graph->params.data[i];
    isl_set *function =
        involves_param(one, pm_sym_at(param, stage_param_sym)->text) ? stage_param_function(param) : NULL;
    is_implied = function && linear_set_is_subset(function, one);
    isl_set_free(function);
  }
  isl_set_free(one);
  if (!is_implied)
    u->left = isl_basic_set_add_constraint(u->left, c);
  else
    isl_constraint_free(c);
  return isl_stat_ok;
}

/* Of the required (taken) what is to be asked of the caller. */
static isl_set *without_implied(const lowering *l, isl_set *required) {
  if (isl_set_n_basic_set(required) != 1 || isl_set_involves_locals(required) == isl_bool_true)
    return required;
  isl_basic_set *all = isl_set_simple_hull(required);
  unimplied u = {l, isl_basic_set_universe(isl_basic_set_get_space(all))};
  isl_basic_set_foreach_constraint(all, add_unimplied, &u);
  isl_basic_set_free(all);
  return isl_set_from_basic_set(u.left);
}

/* The context, but for what the types of the params say. */
static void add_requirement(lowering *l, pm_builder *b) {
  add_types_of_derived(l, b);
  isl_set *types = stage_types_of_params(l->graph->pipeline, false);
  types = isl_set_align_params(types, isl_set_get_space(l->graph->context));
  isl_set *context = isl_set_intersect(isl_set_copy(l->graph->context), isl_set_copy(types));
  stage_facts *known = stage_facts_new(types);
  isl_set *required = without_implied(l, stage_facts_gist(l->graph->facts, known));
  stage_facts_free(known);
  isl_set_free(types);
  add_bounds(l, b, required, context);
  isl_set_free(context);
  if (isl_set_plain_is_universe(required) != isl_bool_true) build_requirement(l, b, required);
  isl_set_free(required);
}

static void add_constant(lowering *l, pm_builder b, const stage_node *node) {
  pm_attr values = pm_attr_at(node->op, stage_constant_values);
  shape s = new_shape(l, node);
  lower_buffer *own = &l->buffers[node->index];
  b.loc = node->op->loc;
  s.memrefs[0] = buf_build_constant(&b, node->name, values);
  s.memrefs[0]->name = node->name;
  *own = (lower_buffer){.memrefs = s.memrefs,
                        .origin = pm_arena_alloc(l->arena, (node->n_dims + 1) * sizeof *own->origin)};
  for (unsigned d = 0; d < node->n_dims; d++) own->origin[d] = pm_affine_const(l->ctx, 0);
}

/* Inputs, then outputs, in the order of the pipeline: with the params these are the call's arguments;
 * constants. */
static void add_arguments(lowering *l, pm_builder *b) {
  PM_FOR_OPS(op, pm_region_at(l->graph->pipeline, 0)) {
    if (!pm_is(op, &stage_input)) continue;
    add_argument(l, b, stage_graph_find(l->graph, pm_sym_at(op, stage_input_sym)), &buf_input);
  }
  for (size_t i = 0; i < l->graph->outputs.len; i++)
    add_argument(l, b, l->graph->outputs.data[i], &buf_output);
  for (size_t i = 0; i < l->graph->nodes.len; i++)
    if (pm_is(l->graph->nodes.data[i]->op, &stage_constant)) add_constant(l, *b, l->graph->nodes.data[i]);
}

static const stage_node *stage_of(const lowering *l, const pm_op *alloc) {
  return stage_graph_find(l->graph, pm_sym_at(alloc, poly_alloc_stage));
}

/* The array of the stage is that of the first one of its turn, or of its own, which is added to the list. */
static void add_array(lowering *l, pm_builder *b, const pm_op *alloc, shapes *list) {
  const stage_node *node = stage_of(l, alloc), *first = stage_of(l, poly_first_of_turn(alloc));
  lower_buffer *own = &l->buffers[node->index];
  shape s;
  if (own->memrefs) return;
  if (first != node) {
    *own = l->buffers[first->index];
  } else {
    if (!find_array(l, b, node, &s)) return;
    PM_VEC_PUSH(*list, s);
  }
  if (pm_attr_at(alloc, poly_alloc_turn)) own->stage = pm_get_symbol(l->ctx, node->name);
}

/* The whole arrays that share memory with that of `alloc`, and that. */
static void add_shared_arrays(lowering *l, pm_builder *b, pm_op *alloc) {
  poly_ops sharing = {0};
  shapes list = {0};
  collect_pool(alloc, &sharing);
  for (size_t i = 0; i < sharing.len; i++) add_array(l, b, sharing.data[i], &list);
  b->loc = alloc->loc;
  if (list.len) build_memory(l, b, &list, PM_SPACE_HEAP);
  PM_VEC_FREE(sharing);
  PM_VEC_FREE(list);
}

static void find_open_boxes(lowering *l, pm_builder *b, pm_op *schedule) {
  poly_ops allocs = {0};
  poly_collect(schedule, &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len && !l->failed; i++)
    if (poly_box_is_any_open(allocs.data[i]))
      pm_map_set(l->open, allocs.data[i], box_of_stage(l, b, stage_of(l, allocs.data[i])));
  PM_VEC_FREE(allocs);
}

/* Whole arrays: allocations without a box of their own, and not the caller's. */
static void add_whole_arrays(lowering *l, pm_builder *b, pm_op *schedule) {
  poly_ops allocs = {0};
  poly_collect(schedule, &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    const stage_node *node = stage_of(l, allocs.data[i]);
    if (node && !pm_attr_at(allocs.data[i], poly_alloc_at) && !l->buffers[node->index].memrefs)
      add_shared_arrays(l, b, allocs.data[i]);
  }
  PM_VEC_FREE(allocs);
}

void lower_params(lowering *l, pm_builder *b) {
  add_params(l, b);
  add_derived_params(l, b);
}

void lower_arrays(lowering *l, pm_builder *b, pm_op *schedule) {
  lower_params(l, b);
  add_requirement(l, b);
  add_arguments(l, b);
  if (!l->failed) add_whole_arrays(l, b, schedule);
  if (!l->failed) find_open_boxes(l, b, schedule);
}

/* --- scratchpads --- */

/* The innermost parallel loop around the builder, or NULL. */
static pm_op *parallel_around(const pm_builder *b) {
  pm_op *loop = b->region->op;
  while (loop && !pm_is(loop, &loop_parallel)) loop = pm_parent(loop);
  return loop;
}

static shape shape_of_box(lowering *l, const pm_op *alloc) {
  shape s = new_shape(l, stage_of(l, alloc));
  const lower_box *all = pm_map_get(l->open, alloc);
  for (unsigned d = 0; d < s.node->n_dims; d++) {
    int64_t size = pm_attr_at(alloc, poly_alloc_size)->items[d]->i;
    s.dims[d] = size ? size : PM_DYNAMIC;
  }
  s.extents = all ? all->extents : NULL;
  return s;
}

/* Out of all that is in the loop, or else in the function, to the beginning of the one. */
static void leave_serial_loops(const lowering *l, pm_builder *b, pm_op *loop) {
  if (loop && b->region->op != loop) {
    b->region = pm_region_at(loop, loop_parallel_body);
    b->before = b->region->first;
  }
  while (!loop && b->region->op != l->func) {
    b->before = b->region->op;
    b->region = b->before->region;
  }
}

/* A thread's memory is made directly in the parallel loop; where that runs once, and is no loop, there is one
 * thread. Memory of the heap is made once, outside of all serial loops. */
static void build_scratch_memory(lowering *l, pm_builder b, shapes *list, pm_space space) {
  pm_op *loop = parallel_around(&b);
  if (space == PM_SPACE_THREAD && !loop) space = PM_SPACE_HEAP;
  if (space != PM_SPACE_STACK) leave_serial_loops(l, &b, loop);
  build_memory(l, &b, list, space);
}

/* The region is inside the other, and no loop between has iterations at the same time. */
static bool runs_in_order_inside(const pm_region *region, const pm_region *outer) {
  while (region && region != outer) {
    const pm_op *op = region->op;
    region = op && !pm_is(op, &loop_parallel) && !lower_is_vector(op) ? op->region : NULL;
  }
  return region != NULL;
}

/* What isl takes apart, since a loop runs once, is one iteration still and shares the memory; so may what
 * runs later. */
static pm_value **find_or_build_memory(lowering *l, pm_builder b, pm_op *alloc) {
  pm_value **made = pm_map_get(l->scratch, alloc);
  if (made && runs_in_order_inside(b.region, pm_def(made[0])->region)) return made;
  poly_ops sharing = {0};
  shapes list = {0};
  collect_pool(alloc, &sharing);
  for (size_t i = 0; i < sharing.len; i++) PM_VEC_PUSH(list, shape_of_box(l, sharing.data[i]));
  build_scratch_memory(l, b, &list, poly_space_of(alloc));
  for (size_t i = 0; i < sharing.len; i++) pm_map_set(l->scratch, sharing.data[i], list.data[i].memrefs);
  made = list.data[0].memrefs;
  PM_VEC_FREE(sharing);
  PM_VEC_FREE(list);
  return made;
}

void lower_scratchpad(lowering *l, pm_builder b, pm_op *alloc, pm_affine_expr *origin) {
  const lower_box *all = pm_map_get(l->open, alloc);
  for (unsigned d = 0; all && d < stage_of(l, alloc)->n_dims; d++)
    if (poly_box_is_open(alloc, d)) origin[d] = all->lower[d];
  b.loc = alloc->loc;
  lower_note_exprs(l, origin, stage_of(l, alloc)->n_dims, alloc->loc);
  l->buffers[stage_of(l, alloc)->index] = (lower_buffer){.memrefs = find_or_build_memory(l, b, alloc),
                                                         .origin = origin,
                                                         .fold = pm_attr_at(alloc, poly_alloc_fold)};
}

lower_buffer *lower_buffer_of(lowering *l, const pm_op *alloc) {
  return &l->buffers[stage_graph_find(l->graph, pm_sym_at(alloc, poly_alloc_stage))->index];
}
