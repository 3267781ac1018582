/* expand-boundaries: boundary modes become index arithmetic of the body that reads.
 *
 *   %v = stage.read @f[%x - 5] boundary clamp : f32     // @f on { [x] : 0 <= x < R }, %x in 0 .. R - 1
 *   ->
 *   %0 = arith.addi %x, -5 : index                      // constants written inside
 *   %1 = arith.maxi %0, 0 : index
 *   %v = stage.read @f[%1] : f32
 *
 * With j the index, lo .. hi the dimension, n = hi - lo + 1 and rem the Euclidean remainder (by 0: 0):
 *
 *   clamp       min(max(j, lo), hi)
 *   repeat      lo + rem(j - lo, n)
 *   mirror      lo + min(m, 2 n - 1 - m)    m = rem(j - lo, 2 n)
 *   mirror101   lo + min(m, 2 n - 2 - m)    m = rem(j - lo, 2 n - 2)
 *   constant    select(lo <= j and j <= hi, the value at the clamped index, the constant)
 *
 * Where isl proves that an index leaves by less than one period there is no division: repeat adds or
 * subtracts n, mirror is min(max(j, 2 lo - 1 - j), 2 hi + 1 - j), and mirror101 min(max(j, 2 lo - j), 2 hi -
 * j). The part for a side that the index never leaves by is left out. No read and no input has a boundary
 * afterwards.
 *
 * A recurrence with a constant boundary reads nothing at its border, where the clamped index could be a point
 * that is not computed yet; its case is split into the border, which has the constant, and the rest. */
#include "dialects/arith/arith.h"
#include "dialects/isl/affine_pool.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/boundary.h"
#include "passes/options.h"

#include <isl/ast_build.h>
#include <isl/id.h>
#include <stdlib.h>

/* How the indices of one dimension leave the domain. */
typedef struct reach {
  bool below, above;
  bool far; /* by a period or more */
} reach;

/* A read that has an attribute to lose. */
typedef struct moded_read {
  const stage_access *access;
  stage_boundary boundary;
  reach reach[PM_MAX_RANK];
} moded_read;

/* What was built in the body at hand for one index. */
typedef struct mapped_index {
  const stage_node *producer;
  unsigned dim;
  stage_mode mode;
  pm_affine_expr from, to;
  pm_value *inside; /* of STAGE_CONSTANT: whether the index is; else NULL */
} mapped_index;

/* The corners of a stage's box in the body at hand, one dimension. */
typedef struct interval {
  const stage_node *producer;
  unsigned dim;
  pm_affine_expr lower, upper;
} interval;

typedef struct expander {
  pm_pass *pass;
  const stage_graph *graph;
  PM_VEC(moded_read) reads;
  isl_ast_build *build;
  ast_env params;
  PM_VEC(isl_id *) ids; /* the keys of params */
  /* the body at hand */
  const pm_op *body;
  affine_pool pool;
  PM_VEC(mapped_index) known;
  PM_VEC(interval) intervals;
  pm_map *built; /* pm_affine_expr, normalized -> its pm_value */
  int64_t n_mapped;
} expander;

/* --- how far the indices go --- */

/* The set, of the form of stage_bounds_and_indices, has a point with the property. */
static bool some(isl_set *indices, const char *property) {
  isl_set *which = isl_set_read_from_str(isl_set_get_ctx(indices), property);
  bool found = isl_set_is_disjoint(indices, which) != isl_bool_true;
  isl_set_free(which);
  return found;
}

static reach reach_of(isl_map *relation, isl_set *domain, unsigned d, stage_mode mode) {
  isl_set *indices = stage_bounds_and_indices(relation, domain, d);
  reach r = {.below = some(indices, "{ [l, h, v] : v < l }"),
             .above = some(indices, "{ [l, h, v] : v > h }")};
  r.far = mode == STAGE_MIRROR101 ? some(indices, "{ [l, h, v] : v < 2l - h or v > 2h - l }")
                                  : some(indices, "{ [l, h, v] : v < 2l - h - 1 or v > 2h - l + 1 }");
  isl_set_free(indices);
  return r;
}

/* An index that may wrap may be anything. */
static void find_reach(stage_values *values, moded_read *moded) {
  bool affine;
  pm_op *read = moded->access->read;
  isl_map *relation = stage_read_relation_in(&values, read, &affine);
  relation = isl_map_intersect_domain(relation, isl_set_copy(stage_access_instances(moded->access)));
  for (unsigned d = 0; d < moded->access->producer->n_dims; d++) {
    stage_mode mode = moded->boundary.modes[d];
    if (mode == STAGE_NONE) continue;
    moded->reach[d] = stage_index_may_wrap(values, read, d)
                          ? (reach){true, true, true}
                          : reach_of(relation, moded->access->producer->domain, d, mode);
  }
  isl_map_free(relation);
}

/* All reads are looked at before the first is changed. */
static void find_reads(expander *x) {
  stage_values *values = STAGE_VALUES(x->pass);
  x->reads.len = 0;
  for (size_t i = 0; i < x->graph->accesses.len; i++) {
    moded_read moded = {.access = x->graph->accesses.data[i]};
    const pm_op *read = moded.access->read;
    bool has_mode = stage_boundary_of_read(read, moded.access->producer->op, &moded.boundary);
    if (!has_mode && !pm_attr_at(read, stage_read_boundary)) continue;
    if (has_mode) find_reach(values, &moded);
    PM_VEC_PUSH(x->reads, moded);
  }
}

/* --- recurrences --- */

static bool leaves_to_constant(const moded_read *moded, unsigned d) {
  return moded->boundary.modes[d] == STAGE_CONSTANT && (moded->reach[d].below || moded->reach[d].above);
}

/* A case that reads its own stage beyond a border that is constant, or NULL. */
static const moded_read *find_recurrence(const expander *x) {
  for (size_t i = 0; i < x->reads.len; i++) {
    const moded_read *moded = &x->reads.data[i];
    const stage_access *access = moded->access;
    if (access->consumer != access->producer || access->case_index < 0) continue;
    for (unsigned d = 0; d < access->producer->n_dims; d++)
      if (leaves_to_constant(moded, d)) return moded;
  }
  return NULL;
}

/* The instances at which dimension `d` of the relation is in the domain. */
static isl_set *instances_inside(isl_map *relation, const stage_node *producer, unsigned d) {
  isl_set *inside = isl_set_copy(producer->domain);
  for (unsigned i = 0; i < producer->n_dims; i++)
    if (i != d) inside = isl_set_eliminate(inside, isl_dim_set, i, 1);
  return isl_map_domain(isl_map_intersect_range(isl_map_copy(relation), inside));
}

/* The case applies at the points (taken); without any it goes. */
static void restrict_case(const expander *x, pm_op *case_op, isl_set *points) {
  bool empty = isl_set_is_empty(points) == isl_bool_true;
  pm_set_attr(case_op, stage_case_set, stage_set_attr(x->graph, points, pm_attr_at(case_op, stage_case_set)));
  if (empty) pm_op_erase(case_op);
}

/* A copy of the read's case at the points (taken), where the read gives the values of dimension `d`. */
static void add_border(const expander *x, const moded_read *moded, isl_set *points, unsigned d) {
  pm_op *read = moded->access->read, *case_op = stage_body_of(read);
  pm_map *copies = pm_map_new();
  pm_op *border = pm_clone(pm_module_of(case_op), case_op, copies);
  pm_insert(case_op->region, case_op->next, border);
  pm_op *copy = pm_def(pm_map_get(copies, pm_res(read, 0)));
  pm_builder b = pm_builder_before(copy);
  pm_value *constant = arith_build_constant(&b, moded->boundary.values[d]);
  pm_replace_op(copy, &constant);
  pm_map_free(copies);
  restrict_case(x, border, points);
}

/* The boundary without the constants that were split off. */
static pm_attr rest_of_boundary(const moded_read *moded) {
  stage_boundary rest = moded->boundary;
  unsigned rank = moded->access->producer->n_dims;
  for (unsigned d = 0; d < rank; d++)
    if (leaves_to_constant(moded, d)) rest.modes[d] = STAGE_NONE;
  return stage_boundary_attr(pm_op_context(moded->access->read), &rest, rank);
}

/* False after a diagnostic. The graph is of before. */
static bool split_recurrence(const expander *x, const moded_read *moded) {
  const stage_access *access = moded->access;
  bool affine;
  isl_map *relation = stage_read_relation(access->read, &affine);
  isl_set *rest = isl_set_copy(stage_access_instances(access));
  for (unsigned d = 0; d < access->producer->n_dims && affine; d++) {
    if (!leaves_to_constant(moded, d)) continue;
    isl_set *inside = instances_inside(relation, access->producer, d);
    isl_set *border = isl_set_subtract(isl_set_copy(rest), isl_set_copy(inside));
    rest = isl_set_intersect(rest, inside);
    add_border(x, moded, border, d);
  }
  isl_map_free(relation);
  pm_set_attr(access->read, stage_read_boundary, rest_of_boundary(moded));
  if (!affine)
    pm_error(pm_op_context(access->read), access->read->loc,
             "%s reads itself with a constant boundary and a computed index, but the index should be affine",
             access->producer->name->text);
  restrict_case(x, stage_body_of(access->read), rest);
  return affine;
}

/* Looks at the reads, and splits cases until no recurrence has a constant border. False after a diagnostic.
 */
static bool split_recurrences(expander *x) {
  const moded_read *recurrence;
  while ((x->graph = STAGE_GRAPH(x->pass)) != NULL) {
    find_reads(x);
    recurrence = find_recurrence(x);
    if (!recurrence) return true;
    if (!split_recurrence(x, recurrence)) return false;
    pm_pass_invalidate(x->pass);
  }
  return false;
}

/* --- expressions of the parameters --- */

static void bind_params(expander *x) {
  x->params.values = pm_map_new();
  for (size_t i = 0; i < x->graph->params.len; i++) {
    pm_op *param = x->graph->params.data[i];
    if (!pm_is_int_or_index(pm_res(param, 0)->type)) continue;
    isl_id *id = isl_id_alloc(x->graph->isl, pm_sym_at(param, stage_param_sym)->text, NULL);
    pm_map_set(x->params.values, id, pm_res(param, 0));
    PM_VEC_PUSH(x->ids, id);
  }
}

/* Takes `bound`. NULL after a diagnostic. */
static pm_affine_expr expr_of_bound(expander *x, pm_builder *b, isl_pw_aff *bound) {
  isl_ast_expr *ast = isl_ast_build_expr_from_pw_aff(x->build, bound);
  pm_affine_expr expr = ast ? affine_of_ast(&x->pool, b, &x->params, ast) : NULL;
  isl_ast_expr_free(ast);
  return expr;
}

static bool build_interval(expander *x, pm_builder *b, const stage_node *producer, unsigned d,
                           interval *out) {
  isl_set *domain = producer->domain;
  *out = (interval){.producer = producer, .dim = d};
  out->lower = expr_of_bound(x, b, isl_set_dim_min(isl_set_copy(domain), (int)d));
  out->upper = expr_of_bound(x, b, isl_set_dim_max(isl_set_copy(domain), (int)d));
  if (out->lower && out->upper) return true;
  return pm_error(pm_op_context(producer->op), producer->op->loc,
                  "%s has bounds in dimension %u that are not expressions of the parameters",
                  producer->name->text, d);
}

static bool find_interval(expander *x, pm_builder *b, const stage_node *producer, unsigned d, interval *out) {
  for (size_t i = 0; i < x->intervals.len; i++) {
    *out = x->intervals.data[i];
    if (out->producer == producer && out->dim == d) return true;
  }
  if (!build_interval(x, b, producer, d, out)) return false;
  PM_VEC_PUSH(x->intervals, *out);
  return true;
}

static pm_affine_expr minus(pm_affine_expr a, pm_affine_expr b) {
  return pm_affine_add(a, pm_affine_mul(b, pm_affine_const(b->ctx, -1)));
}

static pm_affine_expr twice(pm_affine_expr a) {
  return pm_affine_mul(a, pm_affine_const(a->ctx, 2));
}

static pm_affine_expr extent_of(const interval *range) {
  return pm_affine_addc(minus(range->upper, range->lower), 1);
}

static pm_value *build(const expander *x, pm_builder *b, pm_affine_expr expr) {
  expr = pm_affine_normalize(expr);
  pm_value *value = pm_map_get(x->built, expr);
  if (value) return value;
  value = affine_build_value(b, &x->pool, expr);
  pm_map_set(x->built, expr, value);
  return value;
}

/* --- the laws --- */

static pm_value *clamp(const expander *x, pm_builder *b, pm_value *j, const interval *range, reach r) {
  if (r.below) j = pm_build_binary(b, &arith_maxi, j, build(x, b, range->lower));
  if (r.above) j = pm_build_binary(b, &arith_mini, j, build(x, b, range->upper));
  return j;
}

static pm_value *shift_by_period(const expander *x, pm_builder *b, pm_value *j, const interval *range,
                                 reach r) {
  pm_affine_expr n = extent_of(range);
  if (r.below) {
    pm_value *outside = arith_build_cmp(b, ARITH_LT, j, build(x, b, range->lower));
    j = arith_build_select(b, outside, pm_build_binary(b, &arith_addi, j, build(x, b, n)), j);
  }
  if (r.above) {
    pm_value *outside = arith_build_cmp(b, ARITH_GT, j, build(x, b, range->upper));
    j = arith_build_select(b, outside, pm_build_binary(b, &arith_subi, j, build(x, b, n)), j);
  }
  return j;
}

/* `edge` is 1 when the edge is repeated, else 0. */
static pm_value *reflect_once(const expander *x, pm_builder *b, pm_value *j, const interval *range, reach r,
                              int64_t edge) {
  if (r.below) {
    pm_value *around = build(x, b, pm_affine_addc(twice(range->lower), -edge));
    j = pm_build_binary(b, &arith_maxi, j, pm_build_binary(b, &arith_subi, around, j));
  }
  if (r.above) {
    pm_value *around = build(x, b, pm_affine_addc(twice(range->upper), edge));
    j = pm_build_binary(b, &arith_mini, j, pm_build_binary(b, &arith_subi, around, j));
  }
  return j;
}

/* rem(j - lo, period) */
static pm_value *build_phase(const expander *x, pm_builder *b, pm_value *j, const interval *range,
                             pm_affine_expr period) {
  bool from_zero = range->lower->kind == PM_AFFINE_CONST && range->lower->value == 0;
  if (!from_zero) j = pm_build_binary(b, &arith_subi, j, build(x, b, range->lower));
  return pm_build_binary(b, &arith_remi, j, build(x, b, period));
}

/* min(m, last - m) of the phase m. */
static pm_value *reflect(const expander *x, pm_builder *b, pm_value *j, const interval *range,
                         pm_affine_expr period, pm_affine_expr last) {
  pm_value *phase = build_phase(x, b, j, range, period);
  return pm_build_binary(b, &arith_mini, phase, pm_build_binary(b, &arith_subi, build(x, b, last), phase));
}

static pm_affine_expr index_of_value(expander *x, pm_value *value) {
  return affine_pool_expr(&x->pool, value);
}

static pm_affine_expr map_index(expander *x, pm_builder *b, pm_value *j, const interval *range,
                                stage_mode mode, reach r) {
  pm_affine_expr n = extent_of(range), period = twice(n);
  switch (mode) {
  case STAGE_REPEAT:
    if (!r.far) return index_of_value(x, shift_by_period(x, b, j, range, r));
    return pm_affine_add(index_of_value(x, build_phase(x, b, j, range, n)), range->lower);
  case STAGE_MIRROR:
    if (!r.far) return index_of_value(x, reflect_once(x, b, j, range, r, 1));
    j = reflect(x, b, j, range, period, pm_affine_addc(period, -1));
    return pm_affine_add(index_of_value(x, j), range->lower);
  case STAGE_MIRROR101:
    if (!r.far) return index_of_value(x, reflect_once(x, b, j, range, r, 0));
    period = pm_affine_addc(period, -2);
    return pm_affine_add(index_of_value(x, reflect(x, b, j, range, period, period)), range->lower);
  default:
    return index_of_value(x, clamp(x, b, j, range, r));
  }
}

/* lo <= j and j <= hi; one of the two when the other always holds. */
static pm_value *build_inside(const expander *x, pm_builder *b, pm_value *j, const interval *range, reach r) {
  pm_value *low = NULL, *high = NULL;
  if (r.below) low = arith_build_cmp(b, ARITH_GE, j, build(x, b, range->lower));
  if (r.above) high = arith_build_cmp(b, ARITH_LE, j, build(x, b, range->upper));
  return low && high ? pm_build_binary(b, &arith_andi, low, high) : low ? low : high;
}

/* --- reads --- */

static mapped_index *find_known(const expander *x, const mapped_index *like) {
  for (size_t i = 0; i < x->known.len; i++) {
    mapped_index *known = &x->known.data[i];
    if (known->producer == like->producer && known->dim == like->dim && known->mode == like->mode &&
        known->from == like->from)
      return known;
  }
  return NULL;
}

/* The index `from` of dimension `d` inside the domain; equal ones of a body are built once. False after a
 * diagnostic. */
static bool map_dimension(expander *x, pm_builder *b, const moded_read *moded, unsigned d,
                          pm_affine_expr from, mapped_index *out) {
  interval range;
  reach r = moded->reach[d];
  *out = (mapped_index){moded->access->producer, d, moded->boundary.modes[d], from, from, NULL};
  if (!r.below && !r.above) return true;
  const mapped_index *known = find_known(x, out);
  if (known) {
    *out = *known;
    return true;
  }
  if (!find_interval(x, b, out->producer, d, &range)) return false;
  pm_value *j = build(x, b, from);
  out->to = map_index(x, b, j, &range, out->mode, r);
  if (out->mode == STAGE_CONSTANT) out->inside = build_inside(x, b, j, &range, r);
  PM_VEC_PUSH(x->known, *out);
  x->n_mapped++;
  return true;
}

static pm_affine_expr index_in_pool(expander *x, const pm_op *read, unsigned d) {
  pm_affine_expr *dims = pm_xcalloc(read->n_operands + 1u, sizeof *dims);
  for (unsigned i = 0; i < read->n_operands; i++) dims[i] = affine_pool_expr(&x->pool, pm_arg(read, i));
  pm_affine_expr expr = pm_affine_substitute(pm_attr_at(read, stage_read_map)->map->results[d], dims, NULL);
  free(dims);
  return expr;
}

/* The read at the indices, without a boundary. */
static pm_op *build_read(expander *x, pm_builder *b, const pm_op *old, const pm_affine_expr *point) {
  affine_values operands = {0};
  pm_affine_map map = affine_pool_map(&x->pool, x->graph->ctx, point,
                                      pm_attr_at(old, stage_read_map)->map->n_results, &operands);
  pm_attr attrs[stage_read_N_ATTRS] = {
      [stage_read_stage] = pm_attr_at(old, stage_read_stage), [stage_read_map] = pm_get_map_attr(map)};
  PM_VEC(pm_type) types = {0};
  for (unsigned i = 0; i < old->n_results; i++) PM_VEC_PUSH(types, pm_res(old, i)->type);
  pm_op *read =
      pm_build(b, &stage_read, operands.data, (unsigned)operands.len, types.data, old->n_results, attrs);
  pm_set_extra(read, pm_extra(old));
  PM_VEC_FREE(operands);
  PM_VEC_FREE(types);
  return read;
}

/* The constant of the first dimension that is outside, else the value. */
static pm_value *select_inside(pm_builder *b, const moded_read *moded, const mapped_index *indices,
                               pm_value *value) {
  for (unsigned d = moded->access->producer->n_dims; d-- > 0;)
    if (indices[d].inside)
      value =
          arith_build_select(b, indices[d].inside, value, arith_build_constant(b, moded->boundary.values[d]));
  return value;
}

static bool expand_read(expander *x, const moded_read *moded) {
  pm_op *read = moded->access->read;
  pm_builder b = pm_builder_before(read);
  mapped_index indices[PM_MAX_RANK];
  pm_affine_expr point[PM_MAX_RANK];
  for (unsigned d = 0; d < moded->access->producer->n_dims; d++) {
    if (!map_dimension(x, &b, moded, d, index_in_pool(x, read, d), &indices[d])) return false;
    point[d] = indices[d].to;
  }
  pm_op *inside = build_read(x, &b, read, point);
  PM_VEC(pm_value *) values = {0};
  for (unsigned i = 0; i < read->n_results; i++) {
    PM_VEC_PUSH(values, select_inside(&b, moded, indices, pm_res(inside, i)));
    values.data[i]->name = pm_res(read, i)->name;
  }
  pm_replace_op(read, values.data);
  PM_VEC_FREE(values);
  return true;
}

/* --- the pass --- */

static void leave_body(expander *x) {
  if (!x->body) return;
  affine_pool_free(&x->pool);
  pm_map_free(x->built);
  x->known.len = 0;
  x->intervals.len = 0;
  x->body = NULL;
}

static void enter_body(expander *x, const pm_op *body) {
  if (x->body == body) return;
  leave_body(x);
  affine_pool_init(&x->pool);
  x->built = pm_map_new();
  x->body = body;
}

static bool expand_reads(expander *x) {
  bool ok = true;
  bind_params(x);
  x->build = isl_ast_build_from_context(isl_set_copy(x->graph->context));
  for (size_t i = 0; i < x->reads.len && ok; i++) {
    enter_body(x, stage_body_of(x->reads.data[i].access->read));
    ok = expand_read(x, &x->reads.data[i]);
  }
  leave_body(x);
  isl_ast_build_free(x->build);
  for (size_t i = 0; i < x->ids.len; i++) isl_id_free(x->ids.data[i]);
  pm_map_free(x->params.values);
  return ok;
}

static bool clear_mode(pm_op *op, unsigned slot) {
  bool has = pm_attr_at(op, slot) != NULL;
  if (has) pm_set_attr(op, slot, NULL);
  return has;
}

static bool clear_inputs(pm_op *pipeline) {
  bool changed = false;
  PM_FOR_OPS(op, pm_region_at(pipeline, stage_pipeline_body)) {
    if (pm_is(op, &stage_input)) changed |= clear_mode(op, stage_input_boundary);
    if (pm_is(op, &stage_constant)) changed |= clear_mode(op, stage_constant_boundary);
  }
  return changed;
}

static void remark_expanded(const expander *x) {
  size_t n = x->reads.len;
  pm_remark_arg args[] = {{"reads", (double)n}, {"indices", (double)x->n_mapped}};
  pm_pass_remark(x->pass, x->graph->pipeline->loc, PM_REMARK_PASSED, args, PM_COUNT(args),
                 "the boundary mode%s of %zu read%s became arithmetic of %lld ind%s", n == 1 ? "" : "s", n,
                 n == 1 ? "" : "s", (long long)x->n_mapped, x->n_mapped == 1 ? "ex" : "ices");
  pm_pass_stat(x->pass, "reads-expanded", (int64_t)n);
}

pm_result pass_expand_boundaries(pm_pass *p) {
  expander x = {.pass = p};
  bool ok = split_recurrences(&x) && (x.reads.len == 0 || expand_reads(&x));
  if (ok && x.reads.len > 0) remark_expanded(&x);
  bool changed = ok && (clear_inputs(pm_pass_root(p)) || x.reads.len > 0);
  PM_VEC_FREE(x.reads);
  PM_VEC_FREE(x.ids);
  PM_VEC_FREE(x.known);
  PM_VEC_FREE(x.intervals);
  return !ok ? PM_FAILED : changed ? PM_CHANGED : PM_UNCHANGED;
}
