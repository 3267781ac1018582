/* Reads as relations between instances and points. */
#include "dialects/stage/analyses/read_relation.h"

#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/boundary.h"

#include <isl/ilp.h>
#include <stdlib.h>

/* The space of an affine expression: instances of a body and the params that its operands name, or, when an
 * operand is a computed value, the operands. */
typedef struct read_space {
  pm_op *read;
  unsigned first; /* operand that is dimension 0 of the map */
  bool of_operands;
  isl_local_space *domain;
} read_space;

pm_op *stage_body_of(const pm_op *op) {
  pm_op *body = pm_parent(op);
  while (body && !pm_is(body, &stage_case) && !pm_is(body, &stage_update)) body = pm_parent(body);
  return body;
}

static unsigned update_number(const pm_op *update) {
  unsigned n = 0;
  for (const pm_op *op = pm_prev(update); op; op = pm_prev(op)) n += pm_is(op, &stage_update);
  return n;
}

pm_string stage_free_name(const pm_op *stage, pm_buf *text) {
  pm_string name = pm_get_cstring(pm_op_context(stage), text->data);
  while (pm_lookup_symbol(stage->region, name)) {
    pm_buf_putc(text, '_');
    name = pm_get_cstring(pm_op_context(stage), text->data);
  }
  pm_buf_free(text);
  return name;
}

pm_string stage_update_name(const pm_op *update) {
  const pm_op *func = pm_parent(update);
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_u%u", pm_sym_at(func, stage_func_sym)->text, update_number(update));
  return stage_free_name(func, &text);
}

/* The tuple of a body's instances. */
static pm_string instance_name(const pm_op *body) {
  return pm_is(body, &stage_case) ? pm_sym_at(pm_parent(body), stage_func_sym) : stage_update_name(body);
}

static isl_set *peek_body_set(const pm_op *body) {
  return isl_peek_set(
      pm_attr_at(body, pm_is(body, &stage_case) ? (unsigned)stage_case_set : (unsigned)stage_update_set));
}

__isl_give isl_set *stage_instances(const pm_op *body) {
  return isl_set_set_tuple_name(isl_set_copy(peek_body_set(body)), instance_name(body)->text);
}

/* The stage that a read or combine goes to. */
static pm_string stage_of_read(const pm_op *read) {
  return pm_is(read, &stage_read) ? pm_sym_at(read, stage_read_stage)
                                  : pm_sym_at(pm_parent(stage_body_of(read)), stage_func_sym);
}

static bool is_param(const pm_value *value) {
  return !pm_is_arg(value) && pm_is(pm_def(value), &stage_param);
}

static bool is_body_arg(const pm_value *value, const pm_op *body) {
  return pm_is_arg(value) && pm_value_region(value) == pm_region_at(body, 0);
}

/* The tuple of a body's instances with the params that `read` uses. */
static isl_space *space_of_read(pm_op *read) {
  pm_op *body = stage_body_of(read);
  isl_ctx *isl = pm_isl_ctx(pm_op_context(read));
  isl_space *space = isl_space_set_alloc(isl, 0, pm_region_at(body, 0)->n_args);
  space = isl_space_set_tuple_name(space, isl_dim_set, instance_name(body)->text);
  for (unsigned i = 0; i < read->n_operands; i++) {
    if (!is_param(pm_arg(read, i))) continue;
    const char *name = pm_sym_at(pm_def(pm_arg(read, i)), stage_param_sym)->text;
    if (isl_space_find_dim_by_name(space, isl_dim_param, name) >= 0) continue;
    unsigned n = (unsigned)isl_space_dim(space, isl_dim_param);
    space = isl_space_set_dim_name(isl_space_add_dims(space, isl_dim_param, 1), isl_dim_param, n, name);
  }
  return space;
}

/* The function that dimension `i` of the map is. */
static isl_aff *aff_of_operand(const read_space *s, unsigned i) {
  isl_local_space *domain = isl_local_space_copy(s->domain);
  if (s->of_operands) return isl_aff_var_on_domain(domain, isl_dim_set, i);
  const pm_value *value = pm_arg(s->read, s->first + i);
  if (pm_is_arg(value)) return isl_aff_var_on_domain(domain, isl_dim_set, pm_value_index(value));
  const char *name = pm_sym_at(pm_def(value), stage_param_sym)->text;
  int position = isl_local_space_find_dim_by_name(s->domain, isl_dim_param, name);
  return isl_aff_var_on_domain(domain, isl_dim_param, (unsigned)position);
}

static isl_aff *aff_of_expr(const read_space *s, pm_affine_expr expr);

static isl_aff *aff_of_division(pm_affine_kind kind, isl_aff *lhs, int64_t divisor) {
  isl_val *by = isl_val_int_from_si(isl_aff_get_ctx(lhs), (long)divisor);
  if (kind == PM_AFFINE_MOD) return isl_aff_mod_val(lhs, by);
  isl_aff *quotient = isl_aff_scale_down_val(lhs, by);
  return kind == PM_AFFINE_FLOORDIV ? isl_aff_floor(quotient) : isl_aff_ceil(quotient);
}

static isl_aff *aff_of_binary(const read_space *s, pm_affine_expr expr) {
  isl_aff *lhs = aff_of_expr(s, expr->lhs);
  if (!lhs) return NULL;
  if (expr->kind == PM_AFFINE_ADD) {
    isl_aff *rhs = aff_of_expr(s, expr->rhs);
    if (!rhs) return isl_aff_free(lhs);
    return isl_aff_add(lhs, rhs);
  }
  if (expr->rhs->kind != PM_AFFINE_CONST) return isl_aff_free(lhs);
  if (expr->kind != PM_AFFINE_MUL) return aff_of_division(expr->kind, lhs, expr->rhs->value);
  return isl_aff_scale_val(lhs, isl_val_int_from_si(isl_aff_get_ctx(lhs), (long)expr->rhs->value));
}

/* NULL when the expression is not affine in the space. */
static isl_aff *aff_of_expr(const read_space *s, pm_affine_expr expr) {
  switch (expr->kind) {
  case PM_AFFINE_CONST: {
    isl_val *value = isl_val_int_from_si(isl_local_space_get_ctx(s->domain), (long)expr->value);
    return isl_aff_val_on_domain(isl_local_space_copy(s->domain), value);
  }
  case PM_AFFINE_DIM:
    return aff_of_operand(s, (unsigned)expr->value);
  case PM_AFFINE_SYM:
    return NULL;
  default:
    return aff_of_binary(s, expr);
  }
}

static isl_aff *aff_or_zero(const read_space *s, pm_affine_expr expr, bool *affine) {
  isl_aff *aff = aff_of_expr(s, expr);
  *affine = aff != NULL;
  return aff ? aff : isl_aff_zero_on_domain(isl_local_space_copy(s->domain));
}

/* The read on the given space: its domain -> point, of which the `n` results are the coordinates. *affine: no
 * dimension is left free. */
static isl_map *map_on(const read_space *s, const pm_affine_expr *results, unsigned n, bool *affine) {
  isl_space *space = isl_local_space_get_space(s->domain);
  space = isl_space_add_dims(isl_space_from_domain(space), isl_dim_out, n);
  space = isl_space_set_tuple_name(space, isl_dim_out, stage_of_read(s->read)->text);
  isl_multi_aff *point = isl_multi_aff_zero(space);
  PM_VEC(unsigned) free_dims = {0};
  for (unsigned i = 0; i < n; i++) {
    bool exact;
    point = isl_multi_aff_set_aff(point, (int)i, aff_or_zero(s, results[i], &exact));
    if (!exact) PM_VEC_PUSH(free_dims, i);
  }
  isl_map *relation = isl_map_from_multi_aff(point);
  for (size_t i = 0; i < free_dims.len; i++)
    relation = isl_map_eliminate(relation, isl_dim_out, free_dims.data[i], 1);
  *affine = free_dims.len == 0;
  PM_VEC_FREE(free_dims);
  return relation;
}

isl_map *stage_affine_relation(pm_op *read, bool *affine) {
  read_space s = {read, stage_index_operand(read), false, isl_local_space_from_space(space_of_read(read))};
  isl_map *relation = map_on(&s, stage_index_map(read)->results, stage_index_map(read)->n_results, affine);
  isl_local_space_free(s.domain);
  return relation;
}

/* Some indices of a read, or parts of them, and the operands that they name. */
typedef struct indices {
  pm_op *read;
  const pm_affine_expr *exprs;
  unsigned n;
  PM_VEC(pm_value *) operands;
  PM_VEC(pm_affine_expr) places; /* by dimension of the map: which of these it is */
} indices;

static void mark_dims(pm_affine_expr expr, bool *named) {
  if (expr->kind == PM_AFFINE_DIM) named[expr->value] = true;
  if (expr->kind < PM_AFFINE_ADD) return;
  mark_dims(expr->lhs, named);
  mark_dims(expr->rhs, named);
}

static indices indices_of(pm_op *read, const pm_affine_expr *exprs, unsigned n) {
  indices x = {.read = read, .exprs = exprs, .n = n};
  pm_affine_map map = stage_index_map(read);
  bool *named = pm_xcalloc(map->n_dims + 1u, sizeof *named);
  for (unsigned i = 0; i < n; i++) mark_dims(exprs[i], named);
  for (unsigned i = 0; i < map->n_dims; i++) {
    PM_VEC_PUSH(x.places, pm_affine_dim(map->ctx, (uint32_t)x.operands.len));
    if (named[i]) PM_VEC_PUSH(x.operands, pm_arg(read, stage_index_operand(read) + i));
  }
  free(named);
  return x;
}

static void free_indices(indices *x) {
  PM_VEC_FREE(x->operands);
  PM_VEC_FREE(x->places);
}

/* Instances of the body -> what the operands may be together; *exact: each is one number. */
static isl_map *operands_relation(stage_values *values, const indices *x, bool *exact) {
  return stage_tuple_relation(values, x->operands.data, (unsigned)x->operands.len, stage_body_of(x->read),
                              exact);
}

/* Some value of the function (taken) on the set is no number of 64 bits. */
static bool leaves_64_bits(isl_set *set, isl_aff *function) {
  isl_val *low = isl_set_min_val(set, function), *high = isl_set_max_val(set, function);
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(isl_set_get_ctx(set), 63));
  bool finite = isl_val_is_int(low) == isl_bool_true && isl_val_is_int(high) == isl_bool_true;
  bool above = !finite || isl_val_ge(high, limit) == isl_bool_true;
  limit = isl_val_neg(limit);
  bool below = !finite || isl_val_lt(low, limit) == isl_bool_true;
  isl_val_free(low);
  isl_val_free(high);
  isl_val_free(limit);
  isl_aff_free(function);
  return above || below;
}

static bool may_wrap(const read_space *s, isl_set *operands, pm_affine_expr expr) {
  if (expr->kind < PM_AFFINE_ADD) return false;
  if (may_wrap(s, operands, expr->lhs) || may_wrap(s, operands, expr->rhs)) return true;
  if (expr->kind > PM_AFFINE_MUL) return false;
  isl_aff *function = aff_of_expr(s, expr);
  return !function || leaves_64_bits(operands, function);
}

typedef struct span {
  int64_t low, high;
} span;

/* Of a quotient or remainder by a positive number. */
static span span_of_division(pm_affine_kind kind, span a, int64_t by) {
  if (kind == PM_AFFINE_MOD) return (span){0, by - 1};
  bool up = kind == PM_AFFINE_CEILDIV;
  return (span){up ? pm_ceil_div(a.low, by) : pm_floor_div(a.low, by),
                up ? pm_ceil_div(a.high, by) : pm_floor_div(a.high, by)};
}

/* a + b, or a * b with b a number; false when a bound does not fit. */
static bool span_of_sum_or_product(pm_affine_kind kind, span a, span b, span *out) {
  if (kind == PM_AFFINE_ADD)
    return !__builtin_add_overflow(a.low, b.low, &out->low) &&
           !__builtin_add_overflow(a.high, b.high, &out->high);
  bool turns = b.low < 0;
  return !__builtin_mul_overflow(turns ? a.high : a.low, b.low, &out->low) &&
         !__builtin_mul_overflow(turns ? a.low : a.high, b.low, &out->high);
}

/* What the spans of the values tell of an expression: false when that is nothing, or a sum or product in it
 * might leave 64 bits. */
static bool find_span(stage_values *values, pm_op *read, pm_affine_expr expr, span *out) {
  span a, b;
  *out = (span){expr->value, expr->value};
  if (expr->kind == PM_AFFINE_CONST) return true;
  if (expr->kind == PM_AFFINE_DIM)
    return stage_value_span(values, pm_arg(read, stage_index_operand(read) + (unsigned)expr->value),
                            stage_body_of(read), &out->low, &out->high);
  if (expr->kind < PM_AFFINE_ADD || !find_span(values, read, expr->lhs, &a)) return false;
  if (!find_span(values, read, expr->rhs, &b)) return false;
  bool by_number = expr->rhs->kind == PM_AFFINE_CONST;
  if (expr->kind == PM_AFFINE_ADD || (expr->kind == PM_AFFINE_MUL && by_number))
    return span_of_sum_or_product(expr->kind, a, b, out);
  if (expr->kind == PM_AFFINE_MUL || !by_number || b.low <= 0) return false;
  *out = span_of_division(expr->kind, a, b.low);
  return true;
}

static bool expr_may_wrap(stage_values *values, pm_op *read, pm_affine_expr expr) {
  span whole;
  unsigned first = stage_index_operand(read);
  if (expr->kind < PM_AFFINE_ADD || read->n_operands == first) return false;
  if (find_span(values, read, expr, &whole)) return false;
  isl_set *instances = isl_set_copy(stage_values_instances(values, stage_body_of(read)));
  bool exact;
  indices x = indices_of(read, &expr, 1);
  isl_set *operands = isl_set_apply(instances, operands_relation(values, &x, &exact));
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(operands));
  expr = pm_affine_substitute(expr, x.places.data, NULL);
  bool wraps = isl_set_is_empty(operands) != isl_bool_true &&
               may_wrap(&(read_space){read, first, true, space}, operands, expr);
  isl_local_space_free(space);
  isl_set_free(operands);
  free_indices(&x);
  return wraps;
}

static bool divides_wrapped(stage_values *values, pm_op *read, pm_affine_expr expr) {
  if (expr->kind < PM_AFFINE_ADD) return false;
  if (expr->kind > PM_AFFINE_MUL) return expr_may_wrap(values, read, expr->lhs);
  return divides_wrapped(values, read, expr->lhs) || divides_wrapped(values, read, expr->rhs);
}

/* Quotients and remainders of sums that may wrap: each is a number of its own. */
typedef struct unknown_quotients {
  stage_values *values;
  pm_op *read;
  PM_VEC(span) bounds; /* of the operands after those of the map */
} unknown_quotients;

static pm_affine_expr replace_quotients(unknown_quotients *u, pm_affine_expr expr) {
  span dividend = {INT64_MIN, INT64_MAX};
  if (expr->kind < PM_AFFINE_ADD) return expr;
  if (expr->kind <= PM_AFFINE_MUL) {
    pm_affine_expr lhs = replace_quotients(u, expr->lhs), rhs = replace_quotients(u, expr->rhs);
    return expr->kind == PM_AFFINE_ADD ? pm_affine_add(lhs, rhs) : pm_affine_mul(lhs, rhs);
  }
  bool by_number = expr->rhs->kind == PM_AFFINE_CONST && expr->rhs->value > 0;
  if (!by_number || !expr_may_wrap(u->values, u->read, expr->lhs)) return expr;
  PM_VEC_PUSH(u->bounds, span_of_division(expr->kind, dividend, expr->rhs->value));
  return pm_affine_dim(expr->ctx, (int64_t)(stage_index_map(u->read)->n_dims + u->bounds.len - 1));
}

/* `operands` (taken) with a dimension more for each unknown quotient. */
static isl_map *with_quotients(isl_map *operands, const unknown_quotients *u) {
  isl_ctx *isl = isl_map_get_ctx(operands);
  for (size_t i = 0; i < u->bounds.len; i++) {
    unsigned at = (unsigned)isl_map_dim(operands, isl_dim_out);
    isl_val *low = isl_val_int_from_si(isl, (long)u->bounds.data[i].low);
    isl_val *high = isl_val_int_from_si(isl, (long)u->bounds.data[i].high);
    operands = isl_map_add_dims(operands, isl_dim_out, 1);
    operands = isl_map_lower_bound_val(operands, isl_dim_out, at, low);
    operands = isl_map_upper_bound_val(operands, isl_dim_out, at, high);
  }
  return operands;
}

/* How an expression depends on operands that are no functions of the instances. */
typedef enum dependence { ON_NONE, ON_ONE /* other numbers of it give others */, ON_SOME } dependence;

static dependence dependence_of(stage_values *values, pm_op *read, pm_affine_expr expr) {
  if (expr->kind == PM_AFFINE_CONST) return ON_NONE;
  if (expr->kind == PM_AFFINE_DIM) {
    pm_value *operand = pm_arg(read, stage_index_operand(read) + (unsigned)expr->value);
    stage_value_bounds bounds = stage_value_relation(values, operand, stage_body_of(read));
    isl_map_free(bounds.relation);
    return bounds.exact ? ON_NONE : ON_ONE;
  }
  if (expr->kind < PM_AFFINE_ADD) return ON_SOME;
  dependence a = dependence_of(values, read, expr->lhs), b = dependence_of(values, read, expr->rhs);
  if (b == ON_NONE && (a == ON_NONE || expr->kind == PM_AFFINE_ADD)) return a;
  if (a == ON_NONE && expr->kind == PM_AFFINE_ADD) return b;
  bool scaled = expr->kind == PM_AFFINE_MUL && expr->rhs->kind == PM_AFFINE_CONST && expr->rhs->value != 0;
  return scaled ? a : ON_SOME;
}

/* An index takes as many numbers as an operand that takes several at some instance: seen without isl. */
static bool takes_several(stage_values *values, const indices *x) {
  for (unsigned i = 0; i < x->n; i++)
    if (dependence_of(values, x->read, x->exprs[i]) == ON_ONE) return true;
  return false;
}

/* isl compares each pair of parts. */
enum { MOST_COALESCED = 16 };

/* --- relations that are found once --- */

typedef struct kept_relation {
  isl_map *map;
  bool affine;
} kept_relation;

static void free_kept(void *user) {
  kept_relation *kept = user;
  isl_map_free(kept->map);
  free(kept);
}

isl_map *stage_find_relation(pm_string key, pm_op *read, bool *affine) {
  const kept_relation *kept = key ? isl_find_kept(pm_op_context(read), key) : NULL;
  if (!kept) return NULL;
  *affine = kept->affine;
  isl_map *map = isl_map_copy(kept->map);
  map = isl_map_set_tuple_name(map, isl_dim_in, instance_name(stage_body_of(read))->text);
  return isl_map_set_tuple_name(map, isl_dim_out, stage_of_read(read)->text);
}

isl_map *stage_keep_relation(pm_string key, pm_op *read, isl_map *map, bool affine) {
  if (!key || !map) return map;
  kept_relation *kept = pm_xcalloc(1, sizeof *kept);
  *kept = (kept_relation){isl_map_copy(map), affine};
  isl_keep(pm_op_context(read), key, kept, free_kept);
  return map;
}

/* Instances of the body, in its set and the context -> the indices, some of which are computed. *total: none
 * is left free; *exact: the operands are known. */
static isl_map *indices_relation(stage_values *values, indices *x, bool *total, bool *exact) {
  unknown_quotients unknown = {values, x->read, {0}};
  pm_affine_expr results[PM_MAX_RANK];
  for (unsigned i = 0; i < x->n; i++) results[i] = replace_quotients(&unknown, x->exprs[i]);
  isl_map *operands = with_quotients(operands_relation(values, x, exact), &unknown);
  for (size_t i = 0; i < unknown.bounds.len; i++)
    PM_VEC_PUSH(x->places, pm_affine_dim(stage_index_map(x->read)->ctx, (uint32_t)(x->operands.len + i)));
  for (unsigned i = 0; i < x->n; i++) results[i] = pm_affine_substitute(results[i], x->places.data, NULL);
  isl_space *space = isl_space_range(isl_map_get_space(operands));
  read_space s = {x->read, stage_index_operand(x->read), true, isl_local_space_from_space(space)};
  isl_map *relation = isl_map_apply_range(operands, map_on(&s, results, x->n, total));
  isl_local_space_free(s.domain);
  *exact = *exact && unknown.bounds.len == 0;
  PM_VEC_FREE(unknown.bounds);
  return relation;
}

/* They are functions of the instances. */
static bool are_known(stage_values *values, const indices *x, isl_map *relation, bool exact) {
  return exact || (!takes_several(values, x) && isl_map_is_single_valued(relation) == isl_bool_true);
}

/* Of one index alone: see stage_index_relation. *known: it is a function. */
static isl_map *index_relation(stage_values *values, pm_op *read, unsigned i, bool *known) {
  bool total, exact;
  indices x = indices_of(read, &stage_index_map(read)->results[i], 1);
  pm_affine_expr expr = pm_affine_substitute(x.exprs[0], x.places.data, NULL);
  pm_string key = stage_key_of_tuple(values, "index", expr, x.operands.data, (unsigned)x.operands.len,
                                     stage_body_of(read));
  isl_map *relation = stage_find_relation(key, read, known);
  if (!relation) {
    relation = isl_map_coalesce(indices_relation(values, &x, &total, &exact));
    *known = total && are_known(values, &x, relation, exact);
    relation = stage_keep_relation(key, read, relation, *known);
  }
  free_indices(&x);
  return isl_map_reset_tuple_id(relation, isl_dim_out);
}

static bool share_operands(pm_op *read, unsigned i, unsigned k) {
  const pm_affine_expr *results = stage_index_map(read)->results;
  indices a = indices_of(read, &results[i], 1), b = indices_of(read, &results[k], 1);
  bool share = false;
  for (size_t at = 0; at < a.operands.len * b.operands.len; at++)
    share = share || a.operands.data[at / b.operands.len] == b.operands.data[at % b.operands.len];
  free_indices(&a);
  free_indices(&b);
  return share;
}

/* What one of the indices is says nothing of what another is at the same instance. */
static bool are_apart(pm_op *read, const bool *known) {
  unsigned n = stage_index_map(read)->n_results;
  for (unsigned i = 0; i < n; i++)
    for (unsigned k = 0; k < i; k++)
      if (!known[i] && !known[k] && share_operands(read, i, k)) return false;
  return true;
}

/* The point, of whose indices each has cases of its own: reads of a stencil share what is found of these.
 * NULL: indices that are not known depend on each other. */
static isl_map *point_of_indices(stage_values *values, pm_op *read, bool *affine) {
  unsigned n = stage_index_map(read)->n_results;
  bool known[PM_MAX_RANK];
  isl_map *point = NULL;
  *affine = true;
  for (unsigned i = 0; i < n; i++) {
    isl_map *index = index_relation(values, read, i, &known[i]);
    point = point ? linear_flat_range_product(point, index) : index;
    *affine = *affine && known[i];
  }
  if (!are_apart(read, known)) return isl_map_free(point);
  return isl_map_set_tuple_name(point, isl_dim_out, stage_of_read(read)->text);
}

/* Instances of the body, in its set and the context -> point; some indices are computed. */
static isl_map *find_computed_relation(stage_values *values, pm_op *read, bool *affine) {
  pm_affine_map map = stage_index_map(read);
  isl_map *relation = point_of_indices(values, read, affine);
  if (relation) return relation;
  bool exact;
  indices all = indices_of(read, map->results, map->n_results);
  relation = indices_relation(values, &all, affine, &exact);
  if (isl_map_n_basic_map(relation) <= MOST_COALESCED) relation = isl_map_coalesce(relation);
  *affine = *affine && are_known(values, &all, relation, exact);
  free_indices(&all);
  return relation;
}

static isl_map *computed_relation(stage_values *values, pm_op *read, bool *affine) {
  pm_string key = stage_key_of_operands(values, "indices", stage_index_map(read), read,
                                        stage_index_operand(read), stage_body_of(read));
  isl_map *kept = stage_find_relation(key, read, affine);
  if (kept) return kept;
  isl_map *relation = find_computed_relation(values, read, affine);
  return stage_keep_relation(key, read, relation, *affine);
}

isl_map *stage_index_relation(stage_values **values, pm_op *read, unsigned i) {
  bool known;
  if (!*values) *values = stage_values_new(pm_parent_of(read, &stage_pipeline));
  return index_relation(*values, read, i, &known);
}

bool stage_has_computed_index(const pm_op *read) {
  const pm_op *body = stage_body_of(read);
  for (unsigned i = stage_index_operand(read); i < read->n_operands; i++)
    if (!is_body_arg(pm_arg(read, i), body) && !is_param(pm_arg(read, i))) return true;
  return false;
}

bool stage_may_be_atomic(const pm_op *combine) {
  return stage_has_computed_index(combine) && stage_combine_is_atomic(combine);
}

bool stage_index_may_wrap(stage_values *values, pm_op *read, unsigned i) {
  return expr_may_wrap(values, read, stage_index_map(read)->results[i]);
}

bool stage_dividend_may_wrap(stage_values *values, pm_op *read, unsigned i) {
  return divides_wrapped(values, read, stage_index_map(read)->results[i]);
}

__isl_give isl_map *stage_read_relation_in(stage_values **values, pm_op *read, bool *affine) {
  if (!stage_has_computed_index(read))
    return isl_map_intersect_domain(stage_affine_relation(read, affine),
                                    stage_instances(stage_body_of(read)));
  if (!*values) *values = stage_values_new(pm_parent_of(read, &stage_pipeline));
  return computed_relation(*values, read, affine);
}

__isl_give isl_map *stage_read_relation(pm_op *read, bool *affine) {
  stage_values *values = NULL;
  isl_map *relation = stage_read_relation_in(&values, read, affine);
  stage_values_free(values);
  return relation;
}
