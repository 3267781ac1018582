#include "dialects/stage/analyses/index_function.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/graph.h"

#include <isl/ilp.h>
#include <stdlib.h>

enum { MAX_QUOTIENTS = 4 /* of a division that are told apart */ };

/* --- what depends on the point and the params alone --- */

static bool is_known(const pm_map *known, const pm_op *body, const pm_value *value) {
  if (pm_is_arg(value)) return pm_value_region(value) == pm_region_at(body, 0);
  return pm_is(pm_def(value), &stage_param) || pm_map_has(known, value);
}

static bool is_index_arithmetic(const pm_map *known, const pm_op *body, const pm_op *op) {
  if (op->n_results != 1 || !pm_has_trait(op, PM_PURE)) return false;
  if (!pm_is_int_or_index(pm_res(op, 0)->type)) return false;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!pm_is_int_or_index(pm_arg(op, i)->type) || !is_known(known, body, pm_arg(op, i))) return false;
  return true;
}

/* --- functions --- */

/* The relation (taken) at the instances where it gives one number. */
static isl_map *where_known(isl_map *relation) {
  isl_map *twice = linear_flat_range_product(isl_map_copy(relation), isl_map_copy(relation));
  isl_map *several = isl_map_order_lt(twice, isl_dim_out, 0, isl_dim_out, 1);
  return isl_map_subtract_domain(relation, isl_map_domain(several));
}

/* What the value is where it is known; NULL when that is nowhere. */
static isl_pw_aff *value_function(stage_values *values, pm_value *value, const pm_op *body) {
  stage_value_bounds bounds = stage_value_relation(values, value, body);
  isl_map *relation = bounds.exact ? bounds.relation : where_known(bounds.relation);
  if (isl_map_is_empty(relation) == isl_bool_true) {
    isl_map_free(relation);
    return NULL;
  }
  isl_pw_multi_aff *point = isl_pw_multi_aff_from_map(relation);
  isl_pw_aff *function = isl_pw_multi_aff_get_pw_aff(point, 0);
  isl_pw_multi_aff_free(point);
  return isl_pw_aff_coalesce(function);
}

/* --- sites --- */

typedef struct site_collector {
  stage_values *values;
  pm_op *body;
  pm_map *known;     /* values computed from the point and the params alone */
  pm_map *functions; /* pm_value -> 1 + its number in sites->functions */
  pm_map *exprs;     /* pm_affine_expr -> 1 + the last site with it in sites->list */
  stage_sites *sites;
  pm_op *op; /* that is looked at */
  unsigned position;
} site_collector;

/* Takes the function. */
static unsigned add_function(site_collector *c, isl_pw_aff *function) {
  PM_VEC_PUSH(c->sites->functions, function);
  return (unsigned)c->sites->functions.len;
}

/* 1 + the number of the value's function, 0 when it has none. */
static unsigned number_of(site_collector *c, pm_value *value) {
  if (pm_map_has(c->functions, value)) return (unsigned)(uintptr_t)pm_map_get(c->functions, value);
  isl_pw_aff *function = value_function(c->values, value, c->body);
  unsigned number = function ? add_function(c, function) : 0;
  pm_map_set(c->functions, value, (void *)(uintptr_t)number);
  return number;
}

static void add_site(site_collector *c, unsigned index, unsigned number) {
  if (number) PM_VEC_PUSH(c->sites->list, ((stage_site){c->op, c->position, index, number - 1}));
}

static void add_value(site_collector *c, pm_value *value) {
  if (!pm_is_arg(value) && is_known(c->known, c->body, value)) add_site(c, 0, number_of(c, value));
}

/* --- indices --- */

static isl_pw_aff *function_of_expr(site_collector *c, unsigned first, pm_affine_expr expr);

static isl_pw_aff *function_with_constant(site_collector *c, unsigned first, pm_affine_expr expr) {
  isl_pw_aff *lhs = expr->rhs->kind == PM_AFFINE_CONST ? function_of_expr(c, first, expr->lhs) : NULL;
  if (!lhs) return NULL;
  isl_val *by = isl_val_int_from_si(isl_pw_aff_get_ctx(lhs), (long)expr->rhs->value);
  if (expr->kind == PM_AFFINE_ADD) return isl_pw_aff_add_constant_val(lhs, by);
  if (expr->kind == PM_AFFINE_MUL) return isl_pw_aff_scale_val(lhs, by);
  if (expr->kind == PM_AFFINE_MOD) return isl_pw_aff_mod_val(lhs, by);
  isl_pw_aff *quotient = isl_pw_aff_scale_down_val(lhs, by);
  return expr->kind == PM_AFFINE_FLOORDIV ? isl_pw_aff_floor(quotient) : isl_pw_aff_ceil(quotient);
}

/* Of an expression that is no constant; NULL when an operand has no function. Operand `first` is dimension 0.
 */
static isl_pw_aff *function_of_expr(site_collector *c, unsigned first, pm_affine_expr expr) {
  if (expr->kind == PM_AFFINE_DIM) {
    unsigned number = number_of(c, pm_arg(c->op, first + (unsigned)expr->value));
    return number ? isl_pw_aff_copy(c->sites->functions.data[number - 1]) : NULL;
  }
  if (expr->kind != PM_AFFINE_ADD || expr->rhs->kind == PM_AFFINE_CONST)
    return expr->kind >= PM_AFFINE_ADD ? function_with_constant(c, first, expr) : NULL;
  isl_pw_aff *lhs = function_of_expr(c, first, expr->lhs);
  isl_pw_aff *rhs = lhs ? function_of_expr(c, first, expr->rhs) : NULL;
  if (rhs) return isl_pw_aff_add(lhs, rhs);
  isl_pw_aff_free(lhs);
  return NULL;
}

/* What the expression is made of: all its operands are known, one of them is computed, it divides. */
typedef struct expr_traits {
  bool known, computed, divides;
} expr_traits;

static void look_at_expr(const site_collector *c, unsigned first, pm_affine_expr expr, expr_traits *traits) {
  if (expr->kind == PM_AFFINE_DIM) {
    const pm_value *value = pm_arg(c->op, first + (unsigned)expr->value);
    traits->known = traits->known && is_known(c->known, c->body, value);
    traits->computed = traits->computed || pm_map_has(c->known, value);
  }
  if (expr->kind < PM_AFFINE_ADD) return;
  traits->divides = traits->divides || expr->kind > PM_AFFINE_MUL;
  look_at_expr(c, first, expr->lhs, traits);
  look_at_expr(c, first, expr->rhs, traits);
}

static bool same_operands(const pm_op *a, const pm_op *b) {
  unsigned i = stage_index_operand(a), k = stage_index_operand(b);
  if (a->n_operands - i != b->n_operands - k) return false;
  while (i < a->n_operands && pm_arg(a, i) == pm_arg(b, k)) i++, k++;
  return i == a->n_operands;
}

/* The function of a site before at the same index; false: there is none. */
static bool add_known_index(site_collector *c, unsigned index, pm_affine_expr expr) {
  size_t last = (size_t)(uintptr_t)pm_map_get(c->exprs, expr);
  const stage_site *site = last ? &c->sites->list.data[last - 1] : NULL;
  if (!site || !same_operands(site->op, c->op)) return false;
  add_site(c, index, site->function + 1);
  return true;
}

static void add_index(site_collector *c, unsigned first, unsigned index, pm_affine_expr expr) {
  expr_traits traits = {.known = true};
  if (add_known_index(c, index, expr)) return;
  look_at_expr(c, first, expr, &traits);
  if (!traits.known || !(traits.computed || traits.divides)) return;
  if (stage_index_may_wrap(c->values, c->op, index)) return;
  if (expr->kind == PM_AFFINE_DIM) {
    add_site(c, index, number_of(c, pm_arg(c->op, first + (unsigned)expr->value)));
    return;
  }
  isl_pw_aff *function = function_of_expr(c, first, expr);
  if (!function) return;
  add_site(c, index, add_function(c, function));
  pm_map_set(c->exprs, expr, (void *)(uintptr_t)c->sites->list.len);
}

static void add_indices(site_collector *c, pm_affine_map map, unsigned first) {
  for (unsigned k = 0; k < map->n_results; k++) add_index(c, first, k, map->results[k]);
}

static void visit_op(site_collector *c) {
  pm_op *op = c->op;
  if (is_index_arithmetic(c->known, c->body, op)) pm_map_set(c->known, pm_res(op, 0), op);
  if (pm_is(op, &stage_read) || pm_is(op, &stage_combine))
    add_indices(c, stage_index_map(op), stage_index_operand(op));
  else if (pm_is(op, &stage_guard))
    add_value(c, pm_arg(op, stage_guard_condition));
  else if (pm_is(op, &arith_select))
    add_value(c, pm_arg(op, arith_select_condition));
  else if (pm_is(op, &arith_mini) || pm_is(op, &arith_maxi))
    add_value(c, pm_res(op, 0));
}

void stage_collect_sites(stage_values *values, pm_op *body, stage_sites *out) {
  site_collector c = {values, body, pm_map_new(), pm_map_new(), pm_map_new(), out, NULL, 0};
  PM_FOR_OPS(op, pm_region_at(body, 0)) {
    c.op = op;
    visit_op(&c);
    c.position++;
  }
  pm_map_free(c.known);
  pm_map_free(c.functions);
  pm_map_free(c.exprs);
}

void stage_sites_free(stage_sites *sites) {
  for (size_t i = 0; i < sites->functions.len; i++) isl_pw_aff_free(sites->functions.data[i]);
  PM_VEC_FREE(sites->list);
  PM_VEC_FREE(sites->functions);
}

/* --- pieces --- */

/* Takes both. */
static void add_piece(stage_pieces *pieces, isl_set *where, isl_aff *value) {
  if (linear_set_is_empty(where)) {
    isl_set_free(where);
    isl_aff_free(value);
  } else {
    PM_VEC_PUSH(*pieces, ((stage_piece){where, value}));
  }
}

/* What is rounded down in division number `i` of the function, which uses it; else NULL. */
static isl_aff *dividend(isl_aff *aff, unsigned i) {
  isl_val *times = isl_aff_get_coefficient_val(aff, isl_dim_div, (int)i);
  bool used = isl_val_is_zero(times) == isl_bool_false;
  isl_val_free(times);
  return used ? isl_aff_get_div(aff, (int)i) : NULL;
}

static bool are_few(int64_t low, int64_t high) {
  return low > -INT32_MAX && high < INT32_MAX && high - low < MAX_QUOTIENTS;
}

/* The least and greatest quotient of the division on the set; false when they are not bounded or many. */
static bool few_quotients(isl_set *set, isl_aff *dividend, int64_t *low, int64_t *high) {
  linear_answer answer = linear_floor_range(set, dividend, low, high);
  if (answer != LINEAR_UNKNOWN) return answer == LINEAR_FOUND && are_few(*low, *high);
  if (linear_floors_differ(set, dividend, MAX_QUOTIENTS)) return false;
  isl_aff *quotient = isl_aff_floor(isl_aff_copy(dividend));
  isl_val *least = isl_set_min_val(set, quotient), *greatest = isl_set_max_val(set, quotient);
  bool bounded = isl_val_is_int(least) == isl_bool_true && isl_val_is_int(greatest) == isl_bool_true &&
                 isl_val_cmp_si(least, -INT32_MAX) > 0 && isl_val_cmp_si(greatest, INT32_MAX) < 0;
  *low = bounded ? isl_val_get_num_si(least) : 0;
  *high = bounded ? isl_val_get_num_si(greatest) : 0;
  isl_val_free(least);
  isl_val_free(greatest);
  isl_aff_free(quotient);
  return bounded && are_few(*low, *high);
}

static isl_aff *number_like(isl_aff *like, int64_t number) {
  isl_local_space *space = isl_local_space_from_space(isl_aff_get_domain_space(like));
  return isl_aff_val_on_domain(space, isl_val_int_from_si(isl_aff_get_ctx(like), number));
}

/* The instances of the set where the quotient is this number. */
static isl_set *where_quotient(isl_set *set, isl_aff *dividend, int64_t number) {
  isl_set *low = isl_aff_ge_set(isl_aff_copy(dividend), number_like(dividend, number));
  isl_set *high = isl_aff_lt_set(isl_aff_copy(dividend), number_like(dividend, number + 1));
  return isl_set_intersect(isl_set_copy(set), isl_set_intersect(low, high));
}

/* The function with a number in place of division `i`. */
static isl_aff *with_quotient(isl_aff *aff, unsigned i, int64_t number) {
  isl_val *times = isl_aff_get_coefficient_val(aff, isl_dim_div, (int)i);
  aff = isl_aff_set_coefficient_si(isl_aff_copy(aff), isl_dim_div, (int)i, 0);
  return isl_aff_add_constant_val(aff, isl_val_mul(times, isl_val_int_from_si(isl_aff_get_ctx(aff), number)));
}

/* Adds the pieces of the function on the set, which it takes, by the quotients of one division; false, and
 * takes nothing, when every division has many. */
static bool add_by_quotient(stage_pieces *todo, isl_set *where, isl_aff *value) {
  unsigned n = (unsigned)isl_aff_dim(value, isl_dim_div);
  for (unsigned i = 0; i < n; i++) {
    isl_aff *divided = dividend(value, i);
    int64_t low = 0, high = 0;
    bool few = divided && few_quotients(where, divided, &low, &high);
    for (int64_t q = low; few && q <= high; q++)
      add_piece(todo, where_quotient(where, divided, q), with_quotient(value, i, q));
    isl_aff_free(divided);
    if (!few) continue;
    isl_set_free(where);
    isl_aff_free(value);
    return true;
  }
  return false;
}

typedef struct piece_collector {
  isl_set *set;
  stage_pieces *pieces;
} piece_collector;

static isl_stat collect_piece(isl_set *where, isl_aff *value, void *user) {
  piece_collector *c = user;
  if (linear_set_is_subset(c->set, where)) {
    isl_set_free(where);
    where = isl_set_copy(c->set);
  } else {
    where = isl_set_intersect(where, isl_set_copy(c->set));
  }
  add_piece(c->pieces, where, value);
  return isl_stat_ok;
}

void stage_pieces_on(isl_pw_aff *function, isl_set *set, stage_pieces *out) {
  stage_pieces todo = {0};
  piece_collector c = {set, &todo};
  isl_pw_aff_foreach_piece(function, collect_piece, &c);
  while (todo.len > 0) {
    stage_piece piece = todo.data[--todo.len];
    if (!add_by_quotient(&todo, piece.where, piece.value)) PM_VEC_PUSH(*out, piece);
  }
  PM_VEC_FREE(todo);
}

bool stage_is_one_piece(const stage_pieces *pieces, isl_set *set) {
  if (pieces->len != 1) return false;
  isl_set *where = pieces->data[0].where;
  return linear_decide_subset(set, where);
}

void stage_pieces_free(stage_pieces *pieces) {
  for (size_t i = 0; i < pieces->len; i++) {
    isl_set_free(pieces->data[i].where);
    isl_aff_free(pieces->data[i].value);
  }
  PM_VEC_FREE(*pieces);
}

/* --- back to expressions --- */

typedef struct expr_builder {
  pm_context *ctx;
  isl_aff *aff;
  isl_val *den; /* of all coefficients */
  pm_affine_expr sum;
  bool fits;
} expr_builder;

/* Adds the term times the coefficient (taken), which is multiplied by the denominator. */
static void add_term(expr_builder *b, pm_affine_expr term, isl_val *times) {
  times = isl_val_mul(times, isl_val_copy(b->den));
  b->fits = b->fits && term && isl_val_is_int(times) == isl_bool_true &&
            isl_val_cmp_si(times, INT32_MIN) >= 0 && isl_val_cmp_si(times, INT32_MAX) <= 0;
  int64_t number = b->fits ? isl_val_get_num_si(times) : 0;
  isl_val_free(times);
  if (number) b->sum = pm_affine_add(b->sum, pm_affine_mul(term, pm_affine_const(b->ctx, number)));
}

static void add_dims(expr_builder *b, enum isl_dim_type type, unsigned first) {
  unsigned n = (unsigned)isl_aff_dim(b->aff, type);
  for (unsigned i = 0; i < n; i++)
    add_term(b, pm_affine_dim(b->ctx, first + i), isl_aff_get_coefficient_val(b->aff, type, (int)i));
}

static void add_quotients(expr_builder *b) {
  unsigned n = (unsigned)isl_aff_dim(b->aff, isl_dim_div);
  for (unsigned i = 0; i < n; i++) {
    isl_aff *divided = dividend(b->aff, i);
    if (divided)
      add_term(b, stage_expr_of_aff(b->ctx, divided),
               isl_aff_get_coefficient_val(b->aff, isl_dim_div, (int)i));
    isl_aff_free(divided);
  }
}

pm_affine_expr stage_expr_of_aff(pm_context *ctx, isl_aff *aff) {
  expr_builder b = {ctx, aff, isl_aff_get_denominator_val(aff), pm_affine_const(ctx, 0), true};
  unsigned n_args = (unsigned)isl_aff_dim(aff, isl_dim_in);
  add_dims(&b, isl_dim_in, 0);
  add_dims(&b, isl_dim_param, n_args);
  add_quotients(&b);
  add_term(&b, pm_affine_const(ctx, 1), isl_aff_get_constant_val(aff));
  bool fits = b.fits && isl_val_cmp_si(b.den, INT32_MAX) <= 0;
  int64_t by = fits ? isl_val_get_num_si(b.den) : 1;
  isl_val_free(b.den);
  if (!fits) return NULL;
  return by == 1 ? b.sum : pm_affine_binary(PM_AFFINE_FLOORDIV, b.sum, pm_affine_const(ctx, by));
}

/* --- maps of reads --- */

static void note_dims(pm_affine_expr expr, pm_value *const *values, stage_operands *operands) {
  if (expr->kind == PM_AFFINE_DIM) {
    for (size_t i = 0; i < operands->len; i++)
      if (operands->data[i] == values[expr->value]) return;
    PM_VEC_PUSH(*operands, values[expr->value]);
  } else if (expr->kind >= PM_AFFINE_ADD) {
    note_dims(expr->lhs, values, operands);
    note_dims(expr->rhs, values, operands);
  }
}

static pm_affine_expr dim_of(pm_context *ctx, const stage_operands *operands, const pm_value *value) {
  size_t k = 0;
  while (k < operands->len && operands->data[k] != value) k++;
  return pm_affine_dim(ctx, k < operands->len ? (uint32_t)k : 0);
}

pm_affine_map stage_map_over(pm_context *ctx, pm_value *const *values, size_t n_values,
                             const pm_affine_expr *results, unsigned n_results, stage_operands *operands) {
  pm_affine_expr *dims = pm_xcalloc(n_values + 1, sizeof *dims);
  pm_affine_expr *over = pm_xcalloc(n_results + 1, sizeof *over);
  for (unsigned k = 0; k < n_results; k++) note_dims(results[k], values, operands);
  for (size_t i = 0; i < n_values; i++) dims[i] = dim_of(ctx, operands, values[i]);
  for (unsigned k = 0; k < n_results; k++) over[k] = pm_affine_substitute(results[k], dims, NULL);
  pm_affine_map map = pm_get_affine_map(ctx, (uint32_t)operands->len, 0, over, n_results);
  free(dims);
  free(over);
  return map;
}
