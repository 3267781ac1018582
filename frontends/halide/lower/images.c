/* What reads reach from a box of instances, by interval arithmetic over bounds that are sums of params. */
#include "frontends/halide/lower/intervals.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/stage.h"
#include "ir/support.h"

#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/space.h>
#include <isl/val.h>
#include <stdlib.h>

/* Products of three such numbers, one of them large, have 64 bits. */
enum { MOST_CASES = 4, LARGEST = 1 << 30, LARGEST_DIVISOR = 1 << 20 };

/* --- bounds --- */

/* floor((constant + sum of coefs * params) / by) + offset */
typedef struct bound {
  int64_t by, offset, constant, *coefs;
} bound;

/* On one side, all of which hold. */
typedef struct bounds {
  unsigned n;
  bound at[H_MOST_BOUNDS];
} bounds;

/* One of the cases holds, or none is known. */
typedef struct side {
  unsigned n;
  bounds at[MOST_CASES];
} side;

/* What a value is: times * symbol + rest, which is no quotient. */
typedef struct form {
  bool known;
  int64_t times;
  const pm_value *symbol;
  bound rest;
} form;

typedef struct span {
  side low, high;
  form form;
} span;

typedef struct image {
  isl_space *space; /* of the instances */
  unsigned n_params, n_dims;
  span *spans; /* by dimension */
  PM_VEC(void *) memory;
  const stage_access *access;
  pm_map *values; /* pm_value -> span; NULL: indices are affine, and what is not exact fails */
  stage_values *known;
  const h_facts *facts;
  bool failed;
} image;

static bool is_small(int64_t i) {
  return i > -LARGEST && i < LARGEST;
}

static void *new_memory(image *m, size_t n) {
  void *memory = pm_xcalloc(1, n);
  PM_VEC_PUSH(m->memory, memory);
  return memory;
}

static bound new_bound(image *m, int64_t constant) {
  return (bound){.by = 1, .constant = constant, .coefs = new_memory(m, (m->n_params + 1) * sizeof(int64_t))};
}

static bool is_small_bound(const image *m, const bound *e) {
  bool small = e->by < LARGEST_DIVISOR && e->offset < LARGEST_DIVISOR && e->offset > -LARGEST_DIVISOR &&
               is_small(e->constant);
  for (unsigned i = 0; i < m->n_params; i++) small = small && is_small(e->coefs[i]);
  return small;
}

/* a + b, of which one at least is no quotient. */
static bool add_bounds(image *m, const bound *x, const bound *y, bound *out) {
  if (x->by != 1 && y->by != 1) return false;
  if (x->by == 1 && y->by != 1) {
    const bound *swap = x;
    x = y;
    y = swap;
  }
  *out = new_bound(m, x->constant + (y->constant + y->offset) * x->by);
  out->by = x->by;
  out->offset = x->offset;
  for (unsigned i = 0; i < m->n_params; i++) out->coefs[i] = x->coefs[i] + y->coefs[i] * x->by;
  return is_small_bound(m, out);
}

/* For by > 0, by * floor(e / den) is at most by * e / den, and at least by * (e - den + 1) / den. */
static bool scale_bound(image *m, const bound *x, int64_t by, bool above, bound *out) {
  *out = new_bound(m, x->constant * by);
  out->by = x->by;
  out->offset = x->offset * by;
  for (unsigned i = 0; i < m->n_params; i++) out->coefs[i] = x->coefs[i] * by;
  if (!above && x->by != 1 && by != 1) out->constant += (x->by - 1) * (1 - by);
  return is_small_bound(m, out);
}

static bool scale_low(image *m, const bound *x, int64_t by, bound *out) {
  return scale_bound(m, x, by, false, out);
}

static bool scale_high(image *m, const bound *x, int64_t by, bound *out) {
  return scale_bound(m, x, by, true, out);
}

/* -floor(e / den) = floor((den - 1 - e) / den) */
static bool negate_bound(image *m, const bound *x, int64_t by, bound *out) {
  (void)by;
  *out = new_bound(m, x->by - 1 - x->constant);
  out->by = x->by;
  out->offset = -x->offset;
  for (unsigned i = 0; i < m->n_params; i++) out->coefs[i] = -x->coefs[i];
  return is_small_bound(m, out);
}

/* A quotient of a number is one. */
static void evaluate(const image *m, bound *e) {
  for (unsigned i = 0; i < m->n_params; i++)
    if (e->coefs[i]) return;
  e->constant = pm_floor_div(e->constant, e->by) + e->offset;
  e->by = 1;
  e->offset = 0;
}

static bool divide_bound(image *m, const bound *x, int64_t by, bound *out) {
  *out = new_bound(m, x->constant + x->offset * x->by);
  out->by = x->by * by;
  for (unsigned i = 0; i < m->n_params; i++) out->coefs[i] = x->coefs[i];
  evaluate(m, out);
  return is_small_bound(m, out);
}

/* --- what is known of params --- */

static void forget(h_facts *facts) {
  linear_system_free(facts->system);
  isl_set_free(facts->params);
}

bool h_take_facts(h_facts *facts, isl_set *params) {
  if (facts->params == params) return facts->system;
  forget(facts);
  isl_basic_set *hull = isl_set_simple_hull(isl_set_copy(params));
  *facts = (h_facts){.params = isl_set_copy(params), .system = hull ? linear_system_new(hull) : NULL};
  isl_basic_set_free(hull);
  return facts->system;
}

void h_free_facts(h_facts *facts) {
  forget(facts);
  *facts = (h_facts){0};
}

/* x <= y for all params that there are. */
static bool is_at_most(const image *m, const bound *x, const bound *y) {
  unsigned n_known = (unsigned)isl_set_dim(m->facts->params, isl_dim_param);
  int64_t *row = pm_xcalloc(m->n_params + linear_n_columns(m->facts->system) + 1, sizeof *row);
  row[0] = (y->constant + y->offset * y->by) * x->by - (x->constant + x->offset * x->by) * y->by;
  bool same = true, all_known = true;
  for (unsigned i = 0; i < m->n_params; i++) {
    int64_t more = y->coefs[i] * x->by - x->coefs[i] * y->by;
    same = same && more == 0;
    all_known = all_known && (i < n_known || more == 0);
    if (i < n_known) row[1 + i] = more;
  }
  bool is = same ? row[0] >= 0 : all_known && linear_implies(m->facts->system, row);
  free(row);
  return is;
}

static bool is_no_further(const image *m, const bound *x, const bound *y, bool above) {
  return above ? is_at_most(m, x, y) : is_at_most(m, y, x);
}

/* --- one side --- */

static void drop_implied(const image *m, bounds *all, bool above) {
  for (unsigned i = all->n; i-- > 0;) {
    bool is_implied = false;
    for (unsigned k = 0; k < all->n && !is_implied; k++)
      is_implied = k != i && is_no_further(m, &all->at[k], &all->at[i], above);
    if (is_implied) all->at[i] = all->at[--all->n];
  }
}

static bool is_covered(const image *m, const bounds *one, const bounds *by, bool above) {
  for (unsigned k = 0; k < by->n; k++) {
    bool is = false;
    for (unsigned i = 0; i < one->n && !is; i++) is = is_no_further(m, &one->at[i], &by->at[k], above);
    if (!is) return false;
  }
  return true;
}

/* Adds a case, which is not there where it has no bounds. */
static void add_case(image *m, side *s, bounds one, bool above, bool *is_bounded) {
  if (m->facts) {
    drop_implied(m, &one, above);
    for (unsigned i = s->n; i-- > 0;) {
      if (is_covered(m, &one, &s->at[i], above)) return;
      if (is_covered(m, &s->at[i], &one, above)) s->at[i] = s->at[--s->n];
    }
  }
  *is_bounded = *is_bounded && one.n > 0 && s->n < MOST_CASES;
  if (*is_bounded) s->at[s->n++] = one;
}

static void add_bound(image *m, bounds *all, const bound *one) {
  if (all->n < H_MOST_BOUNDS)
    all->at[all->n++] = *one;
  else if (!m->values)
    m->failed = true;
}

static side finished(image *m, const side *s, bool is_bounded) {
  if (is_bounded) return *s;
  if (!m->values) m->failed = true;
  return (side){0};
}

static side side_of(const bound *one) {
  return (side){.n = 1, .at = {{.n = 1, .at = {*one}}}};
}

static side number(image *m, int64_t value) {
  bound one = new_bound(m, value);
  return side_of(&one);
}

/* Each of the bounds, by a number. */
static side map_side(image *m, const side *x, int64_t by, bool (*f)(image *, const bound *, int64_t, bound *),
                     bool above) {
  side all = {0};
  bool is_bounded = x->n > 0;
  for (unsigned i = 0; i < x->n; i++) {
    bounds mapped = {0};
    bound one;
    for (unsigned k = 0; k < x->at[i].n; k++)
      if (f(m, &x->at[i].at[k], by, &one))
        add_bound(m, &mapped, &one);
      else if (!m->values)
        m->failed = true;
    add_case(m, &all, mapped, above, &is_bounded);
  }
  return finished(m, &all, is_bounded);
}

static void add_sums(image *m, const bounds *x, const bounds *y, bounds *out) {
  bound sum;
  for (unsigned i = 0; i < x->n; i++)
    for (unsigned k = 0; k < y->n; k++)
      if (add_bounds(m, &x->at[i], &y->at[k], &sum))
        add_bound(m, out, &sum);
      else if (!m->values)
        m->failed = true;
}

static void add_all(image *m, const bounds *x, const bounds *y, bounds *out) {
  *out = *x;
  for (unsigned i = 0; i < y->n; i++) add_bound(m, out, &y->at[i]);
}

/* Each case of the one with each of the other. */
static side join_sides(image *m, const side *x, const side *y,
                       void (*f)(image *, const bounds *, const bounds *, bounds *), bool above) {
  side all = {0};
  bool is_bounded = x->n > 0 && y->n > 0;
  for (unsigned i = 0; i < x->n; i++)
    for (unsigned k = 0; k < y->n; k++) {
      bounds one = {0};
      f(m, &x->at[i], &y->at[k], &one);
      add_case(m, &all, one, above, &is_bounded);
    }
  return finished(m, &all, is_bounded);
}

static side sum_of(image *m, const side *x, const side *y, bool above) {
  return join_sides(m, x, y, add_sums, above);
}

/* Both hold. */
static side closer(image *m, const side *x, const side *y, bool above) {
  if (x->n == 0) return *y;
  return y->n == 0 ? *x : join_sides(m, x, y, add_all, above);
}

/* One of them holds. */
static side further(image *m, const side *x, const side *y, bool above) {
  side all = {0};
  bool is_bounded = x->n > 0 && y->n > 0;
  for (unsigned i = 0; i < x->n; i++) add_case(m, &all, x->at[i], above, &is_bounded);
  for (unsigned i = 0; i < y->n; i++) add_case(m, &all, y->at[i], above, &is_bounded);
  return finished(m, &all, is_bounded);
}

/* --- forms --- */

static form form_of_symbol(image *m, const pm_value *symbol) {
  return (form){true, 1, symbol, new_bound(m, 0)};
}

static form scaled_form(image *m, const form *x, int64_t by) {
  form out = {.known = x->known && is_small(x->times * by), .times = x->times * by, .symbol = x->symbol};
  if (out.known) out.known = scale_bound(m, &x->rest, by, true, &out.rest);
  return out;
}

static form sum_of_forms(image *m, const form *x, const form *y) {
  bool fit = x->known && y->known && (x->times == 0 || y->times == 0 || x->symbol == y->symbol);
  form out = {.known = fit, .times = x->times + y->times, .symbol = x->times ? x->symbol : y->symbol};
  if (fit) out.known = add_bounds(m, &x->rest, &y->rest, &out.rest);
  return out;
}

/* --- operations --- */

static span span_of_number(image *m, int64_t value) {
  side one = number(m, value);
  return (span){one, one, {.known = true, .rest = one.at[0].at[0]}};
}

static span sum_of_spans(image *m, const span *x, const span *y) {
  return (span){sum_of(m, &x->low, &y->low, false), sum_of(m, &x->high, &y->high, true),
                sum_of_forms(m, &x->form, &y->form)};
}

static span negated(image *m, const span *x) {
  return (span){map_side(m, &x->high, -1, negate_bound, false), map_side(m, &x->low, -1, negate_bound, true),
                scaled_form(m, &x->form, -1)};
}

static span scaled(image *m, const span *x, int64_t by) {
  if (by == 0) return span_of_number(m, 0);
  span positive = by < 0 ? negated(m, x) : *x;
  int64_t size = by < 0 ? -by : by;
  return (span){map_side(m, &positive.low, size, scale_low, false),
                map_side(m, &positive.high, size, scale_high, true), scaled_form(m, &x->form, by)};
}

static span divided(image *m, const span *x, int64_t by) {
  return (span){
      map_side(m, &x->low, by, divide_bound, false), map_side(m, &x->high, by, divide_bound, true), {0}};
}

/* The half of what both are together, which the lesser one is no larger than. */
static void add_half_of_sum(image *m, const span *x, const span *y, bool above, side *to) {
  form sum = sum_of_forms(m, &x->form, &y->form);
  bound half;
  if (!sum.known || sum.times != 0 || !divide_bound(m, &sum.rest, 2, &half)) return;
  if (!above) half.constant += half.by - 1;
  side one = side_of(&half);
  *to = closer(m, to, &one, above);
}

static span least(image *m, const span *x, const span *y) {
  span out = {further(m, &x->low, &y->low, false), closer(m, &x->high, &y->high, true), {0}};
  add_half_of_sum(m, x, y, true, &out.high);
  return out;
}

static span greatest(image *m, const span *x, const span *y) {
  span out = {closer(m, &x->low, &y->low, false), further(m, &x->high, &y->high, true), {0}};
  add_half_of_sum(m, x, y, false, &out.low);
  return out;
}

static bool is_never_negative(const image *m, const span *x) {
  bound zero = {.by = 1, .coefs = pm_xcalloc(m->n_params + 1, sizeof(int64_t))};
  bounds below = {.n = 1, .at = {zero}};
  bool is = x->low.n > 0;
  for (unsigned i = 0; i < x->low.n; i++) is = is && is_covered(m, &x->low.at[i], &below, false);
  free(zero.coefs);
  return is;
}

/* Euclid's remainder, which is 0 where the divisor is. */
static span remainder_of(image *m, const span *x, const span *by) {
  side zero = number(m, 0), minus_one = number(m, -1);
  span negative = negated(m, by);
  side most = sum_of(m, &by->high, &minus_one, true), other = sum_of(m, &negative.high, &minus_one, true);
  most = further(m, &most, &other, true);
  most = further(m, &most, &zero, true);
  if (is_never_negative(m, x)) most = closer(m, &most, &x->high, true);
  return (span){zero, most, {0}};
}

/* --- values --- */

static span span_of_param(image *m, const pm_op *param) {
  int at = isl_space_find_dim_by_name(m->space, isl_dim_param, pm_sym_at(param, stage_param_sym)->text);
  if (at < 0) {
    m->failed = true;
    return (span){0};
  }
  span out = span_of_number(m, 0);
  out.low.at[0].at[0].coefs[at] = 1; /* and of the others, which are the same */
  return out;
}

/* Numbers, if any are known. */
static span span_of_any(image *m, pm_value *value, const pm_op *body) {
  int64_t low, high;
  span out = {.form = form_of_symbol(m, value)};
  if (!stage_value_span(m->known, value, body, &low, &high) || !is_small(low) || !is_small(high)) return out;
  out.low = number(m, low);
  out.high = number(m, high);
  return out;
}

/* The conversion leaves all numbers as they are. */
static bool is_widening(pm_type from, pm_type to) {
  if (!pm_is_int(from) || from->scalar == PM_U64) return false;
  const pm_scalar_info *a = pm_get_scalar_info((pm_scalar)from->scalar);
  if (pm_is_index(to)) return true;
  if (!pm_is_int(to) || to->scalar == PM_I1) return false;
  const pm_scalar_info *b = pm_get_scalar_info((pm_scalar)to->scalar);
  return a->is_signed == b->is_signed ? a->bits <= b->bits : b->is_signed && a->bits < b->bits;
}

static const span *span_of_value(image *m, pm_value *value, const pm_op *body);

/* An op of coordinates, which does not wrap. */
static bool span_of_index(image *m, const pm_op *op, const pm_op *body, span *out) {
  const span *x = span_of_value(m, pm_arg(op, 0), body), *y = span_of_value(m, pm_arg(op, 1), body);
  pm_attr number = pm_constant_value(pm_arg(op, 1));
  int64_t by = number && number->cls == PM_ATTR_INT && is_small(number->i) ? number->i : 0;
  if (pm_is(op, &arith_addi)) {
    *out = sum_of_spans(m, x, y);
  } else if (pm_is(op, &arith_subi)) {
    span negative = negated(m, y);
    *out = sum_of_spans(m, x, &negative);
  } else if (pm_is(op, &arith_muli) && number && is_small(number->i)) {
    *out = scaled(m, x, by);
  } else if (pm_is(op, &arith_divi) && by > 0) {
    *out = divided(m, x, by);
  } else if (pm_is(op, &arith_remi)) {
    *out = remainder_of(m, x, y);
  } else {
    return false;
  }
  return true;
}

static bool span_of_op(image *m, const pm_op *op, const pm_op *body, span *out) {
  pm_type type = pm_res(op, 0)->type;
  if (pm_is(op, &arith_constant)) {
    pm_attr value = pm_attr_at(op, arith_constant_value);
    bool is = value->cls == PM_ATTR_INT && is_small(value->i);
    if (is) *out = span_of_number(m, value->i);
    return is;
  }
  if (pm_is(op, &stage_param) && pm_is_int(type)) {
    *out = span_of_param(m, op);
    return true;
  }
  if (pm_is(op, &arith_cast) && is_widening(pm_arg(op, 0)->type, type)) {
    *out = *span_of_value(m, pm_arg(op, 0), body);
    return true;
  }
  if (pm_is(op, &arith_mini) || pm_is(op, &arith_maxi)) {
    const span *x = span_of_value(m, pm_arg(op, 0), body), *y = span_of_value(m, pm_arg(op, 1), body);
    *out = pm_is(op, &arith_mini) ? least(m, x, y) : greatest(m, x, y);
    return true;
  }
  return pm_is_index(type) && op->n_operands == 2 && span_of_index(m, op, body, out);
}

static const span *span_of_value(image *m, pm_value *value, const pm_op *body) {
  span *known = pm_map_get(m->values, value);
  if (known) return known;
  known = new_memory(m, sizeof *known);
  const pm_op *op = pm_is_arg(value) ? NULL : pm_def(value);
  if (pm_is_arg(value) && pm_value_index(value) < m->n_dims)
    *known = m->spans[pm_value_index(value)];
  else if (!op || !span_of_op(m, op, body, known))
    *known = span_of_any(m, value, body);
  if (!known->form.known) known->form = form_of_symbol(m, value);
  pm_map_set(m->values, value, known);
  return known;
}

/* --- indices --- */

static const pm_op *body_of(const stage_access *a) {
  return a->case_index >= 0 ? a->consumer->cases.data[a->case_index].op
                            : a->consumer->updates.data[a->update_index].op;
}

static pm_region *region_of(const stage_access *a) {
  return pm_region_at((pm_op *)body_of(a), a->case_index >= 0 ? stage_case_body : stage_update_body);
}

static span span_of_operand(image *m, pm_value *value) {
  if (pm_is_arg(value) && pm_value_index(value) < m->n_dims) return m->spans[pm_value_index(value)];
  const pm_op *param = pm_is_arg(value) ? NULL : pm_def(value);
  if (pm_is(param, &stage_param)) return span_of_param(m, param);
  if (m->values) return *span_of_value(m, value, body_of(m->access));
  m->failed = true;
  return (span){0};
}

static span span_of(image *m, pm_affine_expr e) {
  const pm_op *read = m->access->read;
  if (e->kind == PM_AFFINE_CONST && is_small(e->value)) return span_of_number(m, e->value);
  if (e->kind == PM_AFFINE_DIM)
    return span_of_operand(m, pm_arg(read, stage_index_operand(read) + (unsigned)e->value));
  if (e->kind < PM_AFFINE_ADD) {
    m->failed = true;
    return (span){0};
  }
  span x = span_of(m, e->lhs), y;
  if (e->kind == PM_AFFINE_ADD) {
    y = span_of(m, e->rhs);
    return sum_of_spans(m, &x, &y);
  }
  int64_t by = e->rhs->kind == PM_AFFINE_CONST && is_small(e->rhs->value) ? e->rhs->value : 0;
  if (e->kind == PM_AFFINE_MUL && by) return scaled(m, &x, by);
  if (e->kind == PM_AFFINE_FLOORDIV && by > 0) return divided(m, &x, by);
  if (e->kind == PM_AFFINE_MOD && by > 0) return (span){number(m, 0), number(m, by - 1), {0}};
  m->failed = true;
  return (span){0};
}

/* --- boxes --- */

/* The integer; out of all bounds where it is large. */
static int64_t take_int(isl_val *v) {
  int64_t i =
      isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, LARGEST) < 0 && isl_val_cmp_si(v, -LARGEST) > 0
          ? isl_val_get_num_si(v)
          : LARGEST;
  isl_val_free(v);
  return i;
}

/* The constraint as a bound of the dimension, which its coefficient is `by` of. */
static bound bound_of(image *m, isl_constraint *c, int64_t by) {
  bound e = new_bound(m, take_int(isl_constraint_get_constant_val(c)));
  int64_t sign = by > 0 ? -1 : 1;
  e.by = by > 0 ? by : -by;
  e.constant *= sign;
  for (unsigned i = 0; i < m->n_params; i++)
    e.coefs[i] = sign * take_int(isl_constraint_get_coefficient_val(c, isl_dim_param, (int)i));
  if (by > 0) e.constant += by - 1; /* rounded up */
  return e;
}

static bool put_bound(const image *m, side *s, bound one) {
  s->n = 1;
  if (s->at[0].n == H_MOST_BOUNDS || !is_small_bound(m, &one)) return false;
  s->at[0].at[s->at[0].n++] = one;
  return true;
}

/* Bounds of each dimension by itself. */
static bool read_constraint(image *m, isl_constraint *c) {
  int at = -1;
  int64_t by = 0;
  for (unsigned d = 0; d < m->n_dims; d++) {
    int64_t one = take_int(isl_constraint_get_coefficient_val(c, isl_dim_set, (int)d));
    if (one != 0 && at >= 0) return false;
    if (one != 0) at = (int)d, by = one;
  }
  if (at < 0) return true;
  span *s = &m->spans[at];
  bool is_equality = isl_constraint_is_equality(c) == isl_bool_true;
  if (is_equality && by != 1 && by != -1) return false;
  return ((by < 0 && !is_equality) || put_bound(m, &s->low, bound_of(m, c, by))) &&
         ((by > 0 && !is_equality) || put_bound(m, &s->high, bound_of(m, c, by)));
}

static bool read_box(image *m, isl_set *instances) {
  isl_basic_set_list *parts = isl_set_get_basic_set_list(instances);
  bool ok = isl_basic_set_list_n_basic_set(parts) == 1;
  isl_basic_set *part = ok ? isl_basic_set_list_get_at(parts, 0) : NULL;
  ok = ok && isl_basic_set_dim(part, isl_dim_div) == 0;
  isl_constraint_list *all = ok ? isl_basic_set_get_constraint_list(part) : NULL;
  for (int i = 0; ok && i < (int)isl_constraint_list_n_constraint(all); i++) {
    isl_constraint *c = isl_constraint_list_get_at(all, i);
    ok = read_constraint(m, c);
    isl_constraint_free(c);
  }
  for (unsigned d = 0; ok && d < m->n_dims; d++) ok = m->spans[d].low.n && m->spans[d].high.n;
  isl_constraint_list_free(all);
  isl_basic_set_free(part);
  isl_basic_set_list_free(parts);
  return ok;
}

/* by * v <= …, or >= */
static isl_constraint *constraint_of(const image *m, isl_local_space *line, const bound *e, bool above) {
  isl_ctx *isl = isl_local_space_get_ctx(line);
  isl_constraint *c = isl_constraint_alloc_inequality(isl_local_space_copy(line));
  int64_t sign = above ? 1 : -1, constant = e->constant + e->offset * e->by - (above ? 0 : e->by - 1);
  c = isl_constraint_set_coefficient_val(c, isl_dim_set, 0, isl_val_int_from_si(isl, (long)(-sign * e->by)));
  c = isl_constraint_set_constant_val(c, isl_val_int_from_si(isl, (long)(sign * constant)));
  for (unsigned i = 0; i < m->n_params; i++)
    c = isl_constraint_set_coefficient_val(c, isl_dim_param, (int)i,
                                           isl_val_int_from_si(isl, (long)(sign * e->coefs[i])));
  return c;
}

static isl_basic_set *between(const image *m, isl_local_space *line, const bounds *low, const bounds *high) {
  isl_basic_set *part = isl_basic_set_universe(isl_local_space_get_space(line));
  for (unsigned i = 0; i < low->n; i++)
    part = isl_basic_set_add_constraint(part, constraint_of(m, line, &low->at[i], false));
  for (unsigned i = 0; i < high->n; i++)
    part = isl_basic_set_add_constraint(part, constraint_of(m, line, &high->at[i], true));
  return part;
}

static isl_set *line_of(const image *m, const span *s) {
  isl_space *space = isl_space_add_dims(isl_space_set_from_params(isl_space_params(isl_space_copy(m->space))),
                                        isl_dim_set, 1);
  isl_local_space *line = isl_local_space_from_space(isl_space_copy(space));
  isl_set *all = isl_set_empty(space);
  for (unsigned i = 0; i < s->low.n; i++)
    for (unsigned k = 0; k < s->high.n; k++)
      all = h_with_parts(all, isl_set_from_basic_set(between(m, line, &s->low.at[i], &s->high.at[k])));
  isl_local_space_free(line);
  return all;
}

/* --- reads --- */

static bool find_lines(image *m, isl_set *instances, isl_set **lines) {
  pm_affine_map map = stage_index_map(m->access->read);
  m->space = isl_set_get_space(instances);
  m->n_params = (unsigned)isl_space_dim(m->space, isl_dim_param);
  m->n_dims = (unsigned)isl_space_dim(m->space, isl_dim_set);
  m->spans = new_memory(m, (m->n_dims + 1) * sizeof *m->spans);
  unsigned n = 0;
  m->failed = !read_box(m, instances);
  for (unsigned d = 0; d < m->n_dims && m->values; d++)
    m->spans[d].form = form_of_symbol(m, region_of(m->access)->args[d]);
  while (!m->failed && n < map->n_results) {
    span s = span_of(m, map->results[n]);
    m->failed = m->failed || s.low.n == 0 || s.high.n == 0;
    if (!m->failed) lines[n++] = line_of(m, &s);
  }
  for (unsigned d = 0; m->failed && d < n; d++) isl_set_free(lines[d]);
  for (size_t i = 0; i < m->memory.len; i++) free(m->memory.data[i]);
  PM_VEC_FREE(m->memory);
  isl_space_free(m->space);
  return !m->failed;
}

bool h_affine_image(const stage_access *access, isl_set *instances, isl_set **lines) {
  if (!access->affine || stage_has_computed_index(access->read) ||
      pm_attr_at(access->read, stage_read_boundary))
    return false;
  image m = {.access = access};
  return find_lines(&m, instances, lines);
}

bool h_image(const stage_access *access, isl_set *instances, stage_values *values, const h_facts *facts,
             isl_set **lines) {
  if (pm_attr_at(access->read, stage_read_boundary)) return false;
  isl_set *aligned = isl_set_align_params(isl_set_copy(instances), isl_set_get_space(facts->params));
  image m = {.access = access, .values = pm_map_new(), .known = values, .facts = facts};
  bool found = aligned && find_lines(&m, aligned, lines);
  pm_map_free(m.values);
  isl_set_free(aligned);
  return found;
}
