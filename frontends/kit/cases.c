/* Conditions of cases: their affine part as a set, the rest as guards; and cases that overlap. */
#include "frontends/kit/kit.h"

#include "dialects/isl/budget.h"
#include "ir/diag.h"

#include <isl/constraint.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <stdlib.h>

enum { MAX_CONJUNCTS = 1000 };

/* isl's operations for the points of a case. */
static const unsigned long OPERATIONS = 200000;
enum { MOST_DIVISIONS = 4 };

/* The conjuncts of a condition from left to right; what is more than so many stays together: a condition that
 * an expression has twice is there twice, and there twice as often in the next. */
static void split(const kit_exprs *x, const void *condition, kit_guards *conjuncts) {
  kit_guards stack = {0};
  PM_VEC_PUSH(stack, condition);
  while (stack.len > 0) {
    const void *expr = PM_VEC_POP(stack);
    kit_node e = x->show(x->user, expr);
    if (e.kind == KIT_AND && conjuncts->len + stack.len < MAX_CONJUNCTS) {
      PM_VEC_PUSH(stack, e.args[1]);
      PM_VEC_PUSH(stack, e.args[0]);
    } else {
      PM_VEC_PUSH(*conjuncts, expr);
    }
  }
  PM_VEC_FREE(stack);
}

/* --- comparisons of sums --- */

/* A sum of multiples of the params and dimensions of a set; `ok` as long as it is one. */
typedef struct sum {
  const kit_exprs *x;
  isl_set *set; /* borrowed */
  unsigned n_params;
  int64_t constant, *times; /* of params, then of dimensions */
  bool ok;
} sum;

static void add_times(sum *s, int64_t *to, int64_t by) {
  if (__builtin_add_overflow(*to, by, to)) s->ok = false;
}

static void add_name(sum *s, const char *name, int64_t by) {
  int dim = isl_set_find_dim_by_name(s->set, isl_dim_set, name);
  int param = dim < 0 ? isl_set_find_dim_by_name(s->set, isl_dim_param, name) : -1;
  if (dim < 0 && param < 0)
    s->ok = false;
  else
    add_times(s, &s->times[dim < 0 ? (unsigned)param : s->n_params + (unsigned)dim], by);
}

static void add_expr(sum *s, const void *expr, int64_t by, unsigned depth);

static void add_product(sum *s, const kit_node *e, int64_t by, unsigned depth) {
  int64_t factor = 0;
  bool left = kit_constant(s->x, e->args[0], &factor);
  s->ok =
      s->ok && (left || kit_constant(s->x, e->args[1], &factor)) && !__builtin_mul_overflow(by, factor, &by);
  if (s->ok) add_expr(s, e->args[left ? 1 : 0], by, depth);
}

/* Adds a multiple of the expression. */
static void add_expr(sum *s, const void *expr, int64_t by, unsigned depth) {
  enum { MOST_DEPTH = 100 };
  kit_node e = s->x->show(s->x->user, expr);
  int64_t product = 0;
  s->ok = s->ok && depth < MOST_DEPTH && by != INT64_MIN;
  if (!s->ok) return;
  switch (e.kind) {
  case KIT_INT:
    s->ok = !__builtin_mul_overflow(e.value, by, &product);
    add_times(s, &s->constant, product);
    return;
  case KIT_NAME:
    add_name(s, e.name, by);
    return;
  case KIT_ADD:
  case KIT_SUB:
    add_expr(s, e.args[0], by, depth + 1);
    add_expr(s, e.args[1], e.kind == KIT_ADD ? by : -by, depth + 1);
    return;
  case KIT_NEG:
    add_expr(s, e.args[0], -by, depth + 1);
    return;
  case KIT_MUL:
    add_product(s, &e, by, depth + 1);
    return;
  default:
    s->ok = false;
  }
}

/* The constraint that the sum is at least 0, or 0. */
static __isl_give isl_constraint *constraint_of(const sum *s, bool equality) {
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s->set));
  isl_ctx *isl = isl_set_get_ctx(s->set);
  isl_constraint *c =
      equality ? isl_constraint_alloc_equality(space) : isl_constraint_alloc_inequality(space);
  c = isl_constraint_set_constant_val(c, isl_val_int_from_si(isl, s->constant));
  for (unsigned k = 0; k < s->n_params + (unsigned)isl_set_dim(s->set, isl_dim_set); k++) {
    bool param = k < s->n_params;
    isl_val *times = isl_val_int_from_si(isl, s->times[k]);
    c = isl_constraint_set_coefficient_val(c, param ? isl_dim_param : isl_dim_set,
                                           (int)(param ? k : k - s->n_params), times);
  }
  return c;
}

/* The difference of the sides that is at least 0 where the comparison holds, or 0 where they are equal. */
static sum difference_of(const kit_exprs *x, const kit_node *e, isl_set *set) {
  bool less = e->kind == KIT_LT || e->kind == KIT_LE;
  sum s = {.x = x, .set = set, .n_params = (unsigned)isl_set_dim(set, isl_dim_param), .ok = true};
  s.times = pm_xcalloc(s.n_params + (unsigned)isl_set_dim(set, isl_dim_set) + 1, sizeof *s.times);
  add_expr(&s, e->args[0], less ? -1 : 1, 0);
  add_expr(&s, e->args[1], less ? 1 : -1, 0);
  if (e->kind == KIT_LT || e->kind == KIT_GT) add_times(&s, &s.constant, -1);
  return s;
}

/* Takes the set; false, and it is as it was, when the condition is no comparison of sums. */
static bool add_comparison(isl_set **set, const kit_exprs *x, const void *condition) {
  kit_node e = x->show(x->user, condition);
  if (e.kind != KIT_EQ && e.kind != KIT_LT && e.kind != KIT_LE && e.kind != KIT_GT && e.kind != KIT_GE)
    return false;
  sum s = difference_of(x, &e, *set);
  if (s.ok) *set = isl_set_add_constraint(*set, constraint_of(&s, e.kind == KIT_EQ));
  free(s.times);
  return s.ok;
}

/* --- sets --- */

/* Takes the set; that of the points where the condition holds, which is affine. NULL when isl does not accept
 * its text. */
static __isl_give isl_set *add_text(const kit *k, __isl_take isl_set *set, const kit_exprs *x,
                                    const void *condition) {
  pm_buf text = {0};
  kit_refusal no;
  kit_dims dims = {.n = (unsigned)isl_set_dim(set, isl_dim_set)};
  for (unsigned d = 0; d < dims.n; d++)
    dims.names[d] = pm_get_cstring(k->ctx, isl_set_get_dim_name(set, isl_dim_set, d));
  kit_begin_set(k, &text, &dims);
  kit_put_condition(x, condition, &text, &no);
  pm_buf_puts(&text, " }");
  isl_set *points = isl_set_read_from_str(isl_set_get_ctx(set), text.data);
  pm_buf_free(&text);
  return isl_set_intersect(set, points);
}

static isl_stat see_divisions(isl_basic_set *part, void *user) {
  int n = (int)isl_basic_set_dim(part, isl_dim_div), *most = user;
  if (n > *most) *most = n;
  isl_basic_set_free(part);
  return isl_stat_ok;
}

/* Passes ask for integer points of it, which are hard to find behind many divisions. */
static bool has_many_divisions(isl_set *set) {
  int most = 0;
  isl_set_foreach_basic_set(set, see_divisions, &most);
  return most > MOST_DIVISIONS;
}

/* isl's shortest form of the points of the domain where the conditions hold, which are affine. NULL after a
 * diagnostic, or where that takes too many operations or divisions. */
static pm_attr find_points(kit *k, const kit_exprs *x, pm_attr domain, pm_loc loc,
                           const kit_guards *conditions, bool *costly) {
  isl_set *set = isl_set_copy(isl_peek_set(domain));
  isl_ctx *isl = isl_set_get_ctx(set);
  isl_budget_begin(isl, OPERATIONS);
  for (size_t i = 0; set && i < conditions->len; i++)
    if (!add_comparison(&set, x, conditions->data[i])) set = add_text(k, set, x, conditions->data[i]);
  set = isl_set_coalesce(isl_set_remove_redundancies(set));
  *costly = isl_budget_end(isl) || has_many_divisions(set);
  if (set && !*costly) return isl_attr_of_set(k->ctx, set);
  isl_set_free(set);
  if (!*costly) pm_error(k->ctx, loc, "the condition of the case is not accepted: %s", pm_isl_error(k->ctx));
  return NULL;
}

/* Sets of equal text are made once. */
static pm_attr points_where(kit *k, const kit_exprs *x, pm_attr domain, pm_loc loc,
                            const kit_guards *conditions, const pm_buf *text, bool *costly) {
  pm_string key = pm_get_string(k->ctx, (pm_str){text->data, text->len});
  pm_attr attr = pm_map_get(k->case_sets, key);
  *costly = !attr && pm_map_has(k->case_sets, key);
  if (attr || *costly) return attr;
  attr = find_points(k, x, domain, loc, conditions, costly);
  if (attr || *costly) pm_map_set(k->case_sets, key, (void *)attr);
  return attr;
}

/* Adds the conjunct, and its text, to the affine conditions, or to the guards. */
static void add_conjunct(const kit_exprs *x, const void *condition, pm_buf *text, kit_guards *affine,
                         kit_guards *guards) {
  pm_buf conjunct = {0};
  kit_refusal no;
  if (kit_put_condition(x, condition, &conjunct, &no)) {
    pm_buf_printf(text, " and %s", conjunct.data);
    PM_VEC_PUSH(*affine, condition);
  } else {
    PM_VEC_PUSH(*guards, condition);
  }
  pm_buf_free(&conjunct);
}

pm_attr kit_case_set(kit *k, const kit_exprs *x, pm_attr domain, pm_loc loc, const void *condition,
                     kit_guards *guards) {
  if (!condition) return domain;
  kit_guards conjuncts = {0}, affine = {0};
  bool costly = false;
  split(x, condition, &conjuncts);
  pm_buf text = {0};
  pm_buf_put(&text, domain->s->text, domain->s->len);
  for (size_t i = 0; i < conjuncts.len; i++) add_conjunct(x, conjuncts.data[i], &text, &affine, guards);
  pm_attr attr = affine.len ? points_where(k, x, domain, loc, &affine, &text, &costly) : domain;
  for (size_t i = 0; costly && i < affine.len; i++) PM_VEC_PUSH(*guards, affine.data[i]);
  if (costly) attr = domain;
  pm_buf_free(&text);
  PM_VEC_FREE(conjuncts);
  PM_VEC_FREE(affine);
  return attr;
}

/* --- overlaps --- */

static void put_coordinates(pm_buf *out, isl_set *set, isl_point *point, enum isl_dim_type type) {
  isl_size n = isl_set_dim(set, type);
  for (int i = 0; i < n; i++) {
    isl_val *v = isl_point_get_coordinate_val(point, type, i);
    const char *name = isl_set_get_dim_name(set, type, (unsigned)i);
    pm_buf_printf(out, "%s%s = %ld", i > 0 ? ", " : "", name ? name : "?", isl_val_get_num_si(v));
    isl_val_free(v);
  }
}

static bool report_overlap(const kit *k, pm_string stage, const kit_case *a, const kit_case *b,
                           isl_set *both) {
  isl_point *point = isl_set_sample_point(isl_set_copy(both));
  pm_buf where = {0};
  put_coordinates(&where, both, point, isl_dim_set);
  if (isl_set_dim(both, isl_dim_param) > 0) {
    pm_buf_puts(&where, " for ");
    put_coordinates(&where, both, point, isl_dim_param);
  }
  isl_point_free(point);
  pm_error(k->ctx, b->loc, "the case overlaps an earlier one of %pS at %s, cases should exclude each other",
           (const void *)stage, where.data);
  pm_note(k->ctx, a->loc, "the earlier case is here");
  pm_buf_free(&where);
  return false;
}

/* The points of both within the context. */
static isl_set *in_both(const kit *k, const kit_case *a, const kit_case *b) {
  isl_set *both = isl_set_intersect(isl_set_copy(isl_peek_set(a->set)), isl_set_copy(isl_peek_set(b->set)));
  if (!k->context) return both;
  return isl_set_intersect_params(both, isl_set_params(isl_set_copy(isl_peek_set(k->context))));
}

bool kit_is_disjoint(const kit *k, const kit_case *a, const kit_case *b) {
  if (!a->set || !b->set) return true;
  isl_set *both = in_both(k, a, b);
  bool disjoint = isl_set_is_empty(both) != isl_bool_false;
  isl_set_free(both);
  return disjoint;
}

bool kit_check_disjoint(kit *k, pm_string stage, const kit_case *a, const kit_case *b) {
  isl_set *both = in_both(k, a, b);
  bool ok =
      kit_narrow(k, b->loc, "the case overlaps an earlier one", both) || report_overlap(k, stage, a, b, both);
  isl_set_free(both);
  return ok;
}
