/* What the loops compute about themselves fits 64 bits: bounds, conditions, coordinates and extents, for all
 * parameter values. Proven on the ops that were built, by ranges, whatever isl made them of. */
#include "passes/loop/lower-poly/lowering.h"

#include "dialects/isl/take.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/ranges.h"
#include "dialects/stage/analyses/values.h"

#include <isl/ilp.h>

typedef struct fit_check {
  const lowering *l;
  loop_ranges *ranges;
  pm_map *seen; /* the ops that were looked at */
  bool ok;
} fit_check;

void lower_note_value(lowering *l, pm_value *value) {
  PM_VEC_PUSH(l->noted_values, value);
}

void lower_note_exprs(lowering *l, const pm_affine_expr *exprs, unsigned n, pm_loc loc) {
  for (unsigned i = 0; i < n; i++) PM_VEC_PUSH(l->noted_exprs, ((lower_noted_expr){exprs[i], loc}));
}

/* --- what is known of the parameters --- */

/* What the type holds, narrowed by the context. */
static loop_known_range range_of_param(isl_set *context, const pm_op *param) {
  const char *name = pm_sym_at(param, loop_param_sym)->text;
  int at = isl_set_find_dim_by_name(context, isl_dim_param, name);
  loop_known_range known = {pm_res(param, 0), arith_range_of_type((pm_scalar)pm_res(param, 0)->type->scalar)};
  if (at < 0) return known;
  isl_set *values = isl_set_move_dims(isl_set_from_params(isl_set_copy(context)), isl_dim_set, 0,
                                      isl_dim_param, (unsigned)at, 1);
  bool low = isl_take_int_below(isl_set_dim_min_val(isl_set_copy(values), 0), INT64_MAX, &known.range.lo);
  bool high = isl_take_int_below(isl_set_dim_max_val(values, 0), INT64_MAX, &known.range.hi);
  known.range.known = known.range.known || (low && high);
  return known;
}

/* Only those of 64 bits: of the others the type is enough. */
static loop_ranges *ranges_of(const lowering *l) {
  PM_VEC(loop_known_range) known = {0};
  isl_set *types = stage_types_of_params(l->graph->pipeline, false);
  isl_set *context = isl_set_intersect(isl_set_copy(l->graph->context), types);
  PM_FOR_OPS(op, pm_region_at(l->func, 0))
  if (pm_is(op, &loop_param) && pm_is_int_or_index(pm_res(op, 0)->type) &&
      pm_get_scalar_info((pm_scalar)pm_res(op, 0)->type->scalar)->bits == 64)
    PM_VEC_PUSH(known, range_of_param(context, op));
  loop_ranges *ranges = loop_find_ranges(l->func, known.data, known.len);
  isl_set_free(context);
  PM_VEC_FREE(known);
  return ranges;
}

/* --- the proof --- */

static void report(fit_check *c, pm_loc loc) {
  if (c->ok)
    pm_error(
        c->l->ctx, loc,
        "the index arithmetic of these loops may overflow 64 bits for some parameter values, but should not; "
        "coefficients and offsets should be smaller, or parameters should have smaller types "
        "or bounds, which the pass check-bounds gives to those of 64 bits");
  c->ok = false;
}

static bool is_number(const pm_op *op) {
  return op->n_results == 1 && pm_is_int_or_index(pm_res(op, 0)->type) && !pm_is_bool(pm_res(op, 0)->type);
}

/* The op that defines the value, and all that it is computed of. */
static void check_value(fit_check *c, const pm_value *value) {
  const pm_op *op = pm_def(value);
  if (!c->ok || !op || !pm_has_trait(op, PM_PURE) || pm_map_has(c->seen, op)) return;
  pm_map_set(c->seen, op, NULL);
  if (is_number(op) && !loop_is_exact(c->ranges, value)) report(c, op->loc);
  for (unsigned i = 0; i < op->n_operands; i++) check_value(c, pm_arg(op, i));
}

static arith_range range_of_expr(fit_check *c, const lower_noted_expr *noted, pm_affine_expr e) {
  const pm_value *const *operands = (const pm_value *const *)c->l->pool.operands.data;
  if (e->kind == PM_AFFINE_CONST) return (arith_range){true, e->value, e->value};
  if (!e->lhs) {
    check_value(c, operands[e->value]);
    return loop_range_of(c->ranges, operands[e->value]);
  }
  arith_range a = range_of_expr(c, noted, e->lhs), b = range_of_expr(c, noted, e->rhs);
  arith_range all = loop_combined_range(e->kind, a, b);
  if (!all.known) report(c, noted->loc);
  return all;
}

/* So that a step beyond the end fits, too. */
static void check_bound(fit_check *c, const pm_op *loop, const pm_value *bound) {
  const int64_t most = (int64_t)1 << 62;
  arith_range range = loop_range_of(c->ranges, bound);
  check_value(c, bound);
  if (!range.known || range.lo < -most || range.hi > most) report(c, loop->loc);
}

static pm_walk check_loop(void *user, pm_op *op) {
  fit_check *c = user;
  if (!loop_is_loop(op)) return PM_WALK_ON;
  check_bound(c, op, pm_arg(op, 0));
  check_bound(c, op, pm_arg(op, 1));
  return c->ok ? PM_WALK_ON : PM_WALK_STOP;
}

bool lower_check_fits(lowering *l) {
  fit_check c = {l, ranges_of(l), pm_map_new(), true};
  pm_walk_pre(l->func, check_loop, &c);
  for (size_t i = 0; i < l->noted_values.len && c.ok; i++) check_value(&c, l->noted_values.data[i]);
  for (size_t i = 0; i < l->noted_exprs.len && c.ok; i++)
    range_of_expr(&c, &l->noted_exprs.data[i], l->noted_exprs.data[i].expr);
  pm_map_free(c.seen);
  loop_ranges_free(c.ranges);
  return c.ok;
}
