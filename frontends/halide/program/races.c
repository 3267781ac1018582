/* Whether iterations of an update write different elements: from indices that are sums of RVars times what
 * does not change, as 2 * r.x + 1 or r.y * width + r.x. */
#include "frontends/halide/program/schedule.h"

#include <stdlib.h>

enum { MAX_TERMS = 16, MAX_FACTORS = 4, MAX_VARS = HX_MAX_DIMS };

/* A number times values that are the same in all iterations, in any order. */
typedef struct term {
  int64_t times;
  unsigned n;
  const hx *factors[MAX_FACTORS];
} term;

/* A sum of such terms, no two of which have the same factors. */
typedef struct polynomial {
  unsigned n;
  term terms[MAX_TERMS];
} polynomial;

/* An index: the RVar number i of the RDom times by[i], and what is the same in all iterations. */
typedef struct linear_form {
  polynomial by[MAX_VARS], rest;
} linear_form;

/* --- polynomials: false where they have too many terms, or numbers too large --- */

static bool has_factor(const term *t, const hx *factor, bool *used) {
  for (unsigned i = 0; i < t->n; i++)
    if (!used[i] && hx_same(t->factors[i], factor)) return used[i] = true;
  return false;
}

static bool same_factors(const term *a, const term *b) {
  bool used[MAX_FACTORS] = {false};
  if (a->n != b->n) return false;
  for (unsigned i = 0; i < a->n; i++)
    if (!has_factor(b, a->factors[i], used)) return false;
  return true;
}

static bool add_term(polynomial *p, const term *t, int64_t sign) {
  int64_t times;
  if (__builtin_mul_overflow(t->times, sign, &times)) return false;
  for (unsigned i = 0; i < p->n; i++) {
    if (!same_factors(&p->terms[i], t)) continue;
    if (__builtin_add_overflow(p->terms[i].times, times, &p->terms[i].times)) return false;
    if (p->terms[i].times == 0) p->terms[i] = p->terms[--p->n];
    return true;
  }
  if (times == 0) return true;
  if (p->n == MAX_TERMS) return false;
  p->terms[p->n] = *t;
  p->terms[p->n++].times = times;
  return true;
}

static bool add_polynomial(polynomial *p, const polynomial *q, int64_t sign) {
  for (unsigned i = 0; i < q->n; i++)
    if (!add_term(p, &q->terms[i], sign)) return false;
  return true;
}

static bool add_product_of_terms(polynomial *p, const term *a, const term *b) {
  term t = *a;
  if (a->n + b->n > MAX_FACTORS || __builtin_mul_overflow(a->times, b->times, &t.times)) return false;
  for (unsigned i = 0; i < b->n; i++) t.factors[t.n++] = b->factors[i];
  return add_term(p, &t, 1);
}

static bool add_product(polynomial *p, const polynomial *a, const polynomial *b) {
  for (unsigned i = 0; i < a->n; i++)
    for (unsigned k = 0; k < b->n; k++)
      if (!add_product_of_terms(p, &a->terms[i], &b->terms[k])) return false;
  return true;
}

/* It is 1 or more: the size of a picture, or the extent of an RDom that has points. */
static bool is_size(const hx *e, const h_rdom *rdom) {
  if (e->op == HX_PARAM && (e->symbol->is_extent || (e->symbol->has_low && e->symbol->low >= 1))) return true;
  for (unsigned i = 0; i < rdom->n_dims; i++)
    if (hx_same(e, rdom->extent[i])) return true;
  return false;
}

static bool is_positive(const polynomial *p, const h_rdom *rdom) {
  int64_t least = 0;
  for (unsigned i = 0; i < p->n; i++) {
    const term *t = &p->terms[i];
    if (t->times < 0 && t->n > 0) return false;
    for (unsigned k = 0; k < t->n; k++)
      if (!is_size(t->factors[k], rdom)) return false;
    if (__builtin_add_overflow(least, t->times, &least)) return false;
  }
  return least > 0;
}

/* --- indices --- */

static bool put_fixed(const hx *e, polynomial *out) {
  term t = {1, 1, {e}};
  if (e->op == HX_INT) t = (term){.times = e->i};
  return add_term(out, &t, 1);
}

static bool is_zero(const linear_form *f) {
  for (unsigned i = 0; i < MAX_VARS; i++)
    if (f->by[i].n > 0) return false;
  return true;
}

static bool add_form(linear_form *f, const linear_form *g, int64_t sign) {
  for (unsigned i = 0; i < MAX_VARS; i++)
    if (!add_polynomial(&f->by[i], &g->by[i], sign)) return false;
  return add_polynomial(&f->rest, &g->rest, sign);
}

static bool add_scaled_form(linear_form *f, const linear_form *g, const polynomial *by) {
  for (unsigned i = 0; i < MAX_VARS; i++)
    if (!add_product(&f->by[i], &g->by[i], by)) return false;
  return add_product(&f->rest, &g->rest, by);
}

static bool put_form(const hx *e, const h_rdom *rdom, linear_form *out);

static bool put_operation(const hx *e, const h_rdom *rdom, linear_form *out) {
  linear_form *parts = pm_xcalloc(2, sizeof *parts);
  bool ok = put_form(e->args[0], rdom, &parts[0]) && put_form(e->args[1], rdom, &parts[1]);
  if (ok && e->op == HX_MUL) {
    unsigned factor = is_zero(&parts[1]) ? 1 : 0;
    ok = is_zero(&parts[factor]) && add_scaled_form(out, &parts[1 - factor], &parts[factor].rest);
  } else if (ok) {
    ok = add_form(out, &parts[0], 1) && add_form(out, &parts[1], e->op == HX_ADD ? 1 : -1);
  }
  free(parts);
  return ok;
}

/* `out` is of zeros. False where it is no such sum. */
static bool put_form(const hx *e, const h_rdom *rdom, linear_form *out) {
  if (e->op == HX_RVAR && e->var->rdom == rdom) {
    term one = {.times = 1};
    return add_term(&out->by[e->var->dim], &one, 1);
  }
  if (e->type == PM_I32 && (e->op == HX_ADD || e->op == HX_SUB || e->op == HX_MUL) && e->depth < 64)
    return put_operation(e, rdom, out);
  return e->is_of_params && put_fixed(e, &out->rest);
}

/* --- which RVars an index tells --- */

/* The index is another wherever the RVar is, whatever the RVars that are not known do: by is greater than the
 * sum of what they can add, (extent - 1) times each factor. */
static bool tells(const h_rdom *rdom, const linear_form *f, const polynomial *extents, const bool *known,
                  unsigned var, int64_t sign) {
  polynomial lead = {0}, one = {1, {{.times = -1}}};
  if (f->by[var].n == 0 || !add_polynomial(&lead, &f->by[var], sign)) return false;
  for (unsigned i = 0; i < rdom->n_dims; i++) {
    polynomial most = extents[i], others = {0}, magnitude = {0};
    if (i == var || known[i] || f->by[i].n == 0) continue;
    int64_t turn = is_positive(&f->by[i], rdom) ? 1 : -1;
    if (!add_polynomial(&magnitude, &f->by[i], turn) || !is_positive(&magnitude, rdom)) return false;
    if (extents[i].n == 0 || !add_polynomial(&most, &one, 1) || !add_product(&others, &magnitude, &most) ||
        !add_polynomial(&lead, &others, -1))
      return false;
  }
  return is_positive(&lead, rdom);
}

static void put_extents(const h_rdom *rdom, polynomial *out) {
  for (unsigned i = 0; i < rdom->n_dims; i++) {
    linear_form *form = pm_xcalloc(1, sizeof *form);
    if (put_form(rdom->extent[i], rdom, form) && is_zero(form)) out[i] = form->rest;
    free(form);
  }
}

/* The RVars that follow from the element that an iteration writes. */
static void find_known(const h_symbol *s, const h_definition *d, bool *known) {
  unsigned n = d->rdom->n_dims;
  polynomial *extents = pm_xcalloc(MAX_VARS, sizeof *extents);
  linear_form *forms = pm_xcalloc(HX_MAX_DIMS, sizeof *forms);
  bool is_sum[HX_MAX_DIMS], more = true;
  put_extents(d->rdom, extents);
  for (unsigned k = 0; k < s->n_dims; k++) is_sum[k] = put_form(d->args[k], d->rdom, &forms[k]);
  while (more) {
    more = false;
    for (unsigned k = 0; k < s->n_dims; k++)
      for (unsigned i = 0; is_sum[k] && i < n; i++) {
        if (known[i]) continue;
        known[i] = tells(d->rdom, &forms[k], extents, known, i, 1) ||
                   tells(d->rdom, &forms[k], extents, known, i, -1);
        more |= known[i];
      }
  }
  free(extents);
  free(forms);
}

bool h_writes_apart(const h_symbol *s, const h_definition *d, const h_var *var) {
  bool known[MAX_VARS] = {false};
  if (!d->rdom || var->rdom != d->rdom) return false;
  find_known(s, d, known);
  return known[var->dim];
}
