#include "ir/affine.h"

#include "ir/diag.h"
#include "ir/src/context_private.h"

#include <stdlib.h>
#include <string.h>

static bool expr_equal(const void *item, const void *key) {
  pm_affine_expr a = item, b = key;
  return a->kind == b->kind && a->value == b->value && a->lhs == b->lhs && a->rhs == b->rhs;
}

static pm_affine_expr intern_expr(struct pm_affine_expr_storage key) {
  uint64_t words[] = {key.kind, (uint64_t)key.value, (uintptr_t)key.lhs, (uintptr_t)key.rhs};
  uint32_t hash = (uint32_t)pm_hash_bytes(words, sizeof words, 4);
  pm_affine_expr found = pm_intern_find(&key.ctx->exprs, hash, expr_equal, &key);
  if (found) return found;
  found = pm_arena_memdup(key.ctx->arena, &key, sizeof key);
  pm_intern_add(&key.ctx->exprs, hash, found);
  return found;
}

pm_affine_expr pm_affine_const(pm_context *ctx, int64_t value) {
  return intern_expr((struct pm_affine_expr_storage){ctx, PM_AFFINE_CONST, value, NULL, NULL});
}

pm_affine_expr pm_affine_dim(pm_context *ctx, uint32_t position) {
  return intern_expr((struct pm_affine_expr_storage){ctx, PM_AFFINE_DIM, position, NULL, NULL});
}

pm_affine_expr pm_affine_sym(pm_context *ctx, uint32_t position) {
  return intern_expr((struct pm_affine_expr_storage){ctx, PM_AFFINE_SYM, position, NULL, NULL});
}

static int64_t apply(pm_affine_kind kind, int64_t a, int64_t b) {
  switch (kind) {
  case PM_AFFINE_ADD:
    return pm_wrap_add(a, b);
  case PM_AFFINE_MUL:
    return pm_wrap_mul(a, b);
  case PM_AFFINE_FLOORDIV:
    return pm_floor_div(a, b);
  case PM_AFFINE_CEILDIV:
    return pm_ceil_div(a, b);
  default:
    return pm_floor_mod(a, b);
  }
}

static bool is_const(pm_affine_expr e) {
  return e->kind == PM_AFFINE_CONST;
}

static pm_affine_expr simplify_add(pm_affine_expr l, pm_affine_expr r) {
  if (is_const(l)) return pm_affine_add(r, l);
  if (is_const(r) && r->value == 0) return l;
  if (is_const(r) && l->kind == PM_AFFINE_ADD && is_const(l->rhs))
    return pm_affine_addc(l->lhs, pm_wrap_add(l->rhs->value, r->value));
  if (l->kind == PM_AFFINE_ADD && is_const(l->rhs)) return pm_affine_add(pm_affine_add(l->lhs, r), l->rhs);
  return NULL;
}

static pm_affine_expr simplify_mul(pm_affine_expr l, pm_affine_expr r) {
  if (is_const(l)) return pm_affine_mul(r, l);
  if (!is_const(r)) return NULL;
  if (r->value == 0) return r;
  if (r->value == 1) return l;
  if (l->kind == PM_AFFINE_MUL && is_const(l->rhs))
    return pm_affine_mul(l->lhs, pm_affine_const(l->ctx, pm_wrap_mul(l->rhs->value, r->value)));
  return NULL;
}

static pm_affine_expr simplify_division(pm_affine_kind kind, pm_affine_expr l, pm_affine_expr r) {
  if (is_const(r) && r->value <= 0) pm_panic(NULL, "affine division by %lld", (long long)r->value);
  if (!is_const(r) || r->value != 1) return NULL;
  return kind == PM_AFFINE_MOD ? pm_affine_const(l->ctx, 0) : l;
}

pm_affine_expr pm_affine_binary(pm_affine_kind kind, pm_affine_expr l, pm_affine_expr r) {
  bool division = kind >= PM_AFFINE_FLOORDIV;
  if (is_const(l) && is_const(r) && !(division && r->value <= 0))
    return pm_affine_const(l->ctx, apply(kind, l->value, r->value));
  bool both_const = is_const(l) && is_const(r);
  pm_affine_expr simple = both_const && !division ? NULL
                          : kind == PM_AFFINE_ADD ? simplify_add(l, r)
                          : kind == PM_AFFINE_MUL ? simplify_mul(l, r)
                                                  : simplify_division(kind, l, r);
  return simple ? simple : intern_expr((struct pm_affine_expr_storage){l->ctx, kind, 0, l, r});
}

/* --- maps --- */

static bool map_equal(const void *item, const void *key) {
  pm_affine_map a = item, b = key;
  return a->n_dims == b->n_dims && a->n_syms == b->n_syms && a->n_results == b->n_results &&
         (a->n_results == 0 || memcmp(a->results, b->results, a->n_results * sizeof *a->results) == 0);
}

pm_affine_map pm_get_affine_map(pm_context *ctx, uint32_t n_dims, uint32_t n_syms,
                                const pm_affine_expr *results, uint32_t n_results) {
  struct pm_affine_map_storage key = {ctx, n_dims, n_syms, n_results, results};
  uint64_t head[] = {n_dims, n_syms, n_results};
  uint64_t h = pm_hash_bytes(head, sizeof head, 5);
  uint32_t hash = (uint32_t)(n_results ? pm_hash_bytes(results, n_results * sizeof *results, h) : h);
  pm_affine_map found = pm_intern_find(&ctx->maps, hash, map_equal, &key);
  if (found) return found;
  key.results = pm_arena_memdup(ctx->arena, results, n_results * sizeof *results);
  found = pm_arena_memdup(ctx->arena, &key, sizeof key);
  pm_intern_add(&ctx->maps, hash, found);
  return found;
}

int64_t pm_affine_eval(pm_affine_expr e, const int64_t *dims, const int64_t *syms) {
  if (e->kind == PM_AFFINE_CONST) return e->value;
  if (e->kind == PM_AFFINE_DIM) return dims[e->value];
  if (e->kind == PM_AFFINE_SYM) return syms[e->value];
  return apply(e->kind, pm_affine_eval(e->lhs, dims, syms), pm_affine_eval(e->rhs, dims, syms));
}

pm_affine_expr pm_affine_substitute(pm_affine_expr e, const pm_affine_expr *dims,
                                    const pm_affine_expr *syms) {
  if (e->kind == PM_AFFINE_CONST) return e;
  if (e->kind == PM_AFFINE_DIM) return dims ? dims[e->value] : e;
  if (e->kind == PM_AFFINE_SYM) return syms ? syms[e->value] : e;
  return pm_affine_binary(e->kind, pm_affine_substitute(e->lhs, dims, syms),
                          pm_affine_substitute(e->rhs, dims, syms));
}

static bool has_dims(pm_affine_expr e) {
  if (e->kind == PM_AFFINE_DIM) return true;
  return e->lhs && (has_dims(e->lhs) || has_dims(e->rhs));
}

static bool add_coeffs(pm_affine_expr e, int64_t factor, int64_t *coeffs) {
  if (!has_dims(e)) return true;
  if (e->kind == PM_AFFINE_DIM) {
    coeffs[e->value] = pm_wrap_add(coeffs[e->value], factor);
    return true;
  }
  if (e->kind == PM_AFFINE_ADD)
    return add_coeffs(e->lhs, factor, coeffs) && add_coeffs(e->rhs, factor, coeffs);
  if (e->kind == PM_AFFINE_MUL && is_const(e->rhs))
    return add_coeffs(e->lhs, pm_wrap_mul(factor, e->rhs->value), coeffs);
  return false;
}

bool pm_affine_dim_coeffs(pm_affine_expr e, int64_t *coeffs, uint32_t n_dims) {
  for (uint32_t i = 0; i < n_dims; i++) coeffs[i] = 0;
  return add_coeffs(e, 1, coeffs);
}

/* --- normal form --- */

typedef struct linear_term {
  pm_affine_expr expr;
  int64_t coeff;
} linear_term;

typedef struct linear_form {
  PM_VEC(linear_term) terms;
  int64_t constant;
} linear_form;

static void add_term(linear_form *form, pm_affine_expr expr, int64_t coeff) {
  for (size_t i = 0; i < form->terms.len; i++) {
    if (form->terms.data[i].expr != expr) continue;
    form->terms.data[i].coeff = pm_wrap_add(form->terms.data[i].coeff, coeff);
    return;
  }
  PM_VEC_PUSH(form->terms, ((linear_term){expr, coeff}));
}

static void collect_terms(linear_form *form, pm_affine_expr e, int64_t factor) {
  if (is_const(e)) {
    form->constant = pm_wrap_add(form->constant, pm_wrap_mul(factor, e->value));
  } else if (e->kind == PM_AFFINE_ADD) {
    collect_terms(form, e->lhs, factor);
    collect_terms(form, e->rhs, factor);
  } else if (e->kind == PM_AFFINE_MUL && is_const(e->rhs)) {
    collect_terms(form, e->lhs, pm_wrap_mul(factor, e->rhs->value));
  } else if (!e->lhs) {
    add_term(form, e, factor);
  } else {
    pm_affine_expr same = pm_affine_binary(e->kind, pm_affine_normalize(e->lhs), e->rhs);
    add_term(form, same, factor);
  }
}

pm_affine_expr pm_affine_normalize(pm_affine_expr e) {
  linear_form form = {0};
  collect_terms(&form, e, 1);
  pm_affine_expr sum = NULL;
  for (size_t i = 0; i < form.terms.len; i++) {
    linear_term *t = &form.terms.data[i];
    if (t->coeff == 0) continue;
    pm_affine_expr term = pm_affine_mul(t->expr, pm_affine_const(e->ctx, t->coeff));
    sum = sum ? pm_affine_add(sum, term) : term;
  }
  sum = sum ? pm_affine_addc(sum, form.constant) : pm_affine_const(e->ctx, form.constant);
  PM_VEC_FREE(form.terms);
  return sum;
}

/* Takes out of the form what `divisor` divides; gives the quotient of that. */
static pm_affine_expr take_multiples(linear_form *form, pm_affine_expr divisor) {
  int64_t d = divisor->value;
  pm_affine_expr quotient = pm_affine_const(divisor->ctx, pm_floor_div(form->constant, d));
  form->constant -= pm_floor_div(form->constant, d) * d;
  for (size_t i = 0; i < form->terms.len; i++) {
    linear_term *t = &form->terms.data[i];
    if (t->coeff % d != 0) continue;
    quotient = pm_affine_add(pm_affine_mul(t->expr, pm_affine_const(divisor->ctx, t->coeff / d)), quotient);
    t->coeff = 0;
  }
  return quotient;
}

static pm_affine_expr sum_of(const linear_form *form, pm_context *ctx) {
  pm_affine_expr sum = pm_affine_const(ctx, form->constant);
  for (size_t i = form->terms.len; i-- > 0;) {
    const linear_term *t = &form->terms.data[i];
    if (t->coeff) sum = pm_affine_add(pm_affine_mul(t->expr, pm_affine_const(ctx, t->coeff)), sum);
  }
  return sum;
}

static pm_affine_expr divide(pm_affine_expr e) {
  if (!e->lhs) return e;
  pm_affine_expr l = divide(e->lhs), r = divide(e->rhs);
  if (e->kind < PM_AFFINE_FLOORDIV || !is_const(r) || r->value <= 0) return pm_affine_binary(e->kind, l, r);
  linear_form form = {0};
  collect_terms(&form, l, 1);
  pm_affine_expr quotient = take_multiples(&form, r);
  pm_affine_expr rest = pm_affine_binary(e->kind, sum_of(&form, e->ctx), r);
  PM_VEC_FREE(form.terms);
  return e->kind == PM_AFFINE_MOD ? rest : pm_affine_add(quotient, rest);
}

pm_affine_expr pm_affine_divide_out(pm_affine_expr e) {
  return pm_affine_normalize(divide(e));
}

/* --- printing --- */

typedef struct names {
  const char *const *dims;
  const char *const *syms;
} names;

static void print_expr(pm_buf *out, pm_affine_expr e, names n, bool inside_product);

static void print_leaf(pm_buf *out, pm_affine_expr e, names n) {
  const char *const *table = e->kind == PM_AFFINE_DIM ? n.dims : n.syms;
  if (e->kind == PM_AFFINE_CONST)
    pm_buf_printf(out, "%lld", (long long)e->value);
  else if (table)
    pm_buf_puts(out, table[e->value]);
  else
    pm_buf_printf(out, "%c%lld", e->kind == PM_AFFINE_DIM ? 'd' : 's', (long long)e->value);
}

static void print_sum(pm_buf *out, pm_affine_expr e, names n) {
  print_expr(out, e->lhs, n, false);
  pm_affine_expr r = e->rhs;
  bool negative_const = is_const(r) && r->value < 0 && r->value != INT64_MIN;
  bool negative_product =
      r->kind == PM_AFFINE_MUL && is_const(r->rhs) && r->rhs->value < 0 && r->rhs->value != INT64_MIN;
  if (negative_const) {
    pm_buf_printf(out, " - %lld", (long long)-r->value);
  } else if (negative_product) {
    pm_buf_puts(out, " - ");
    print_expr(out, r->lhs, n, true);
    if (r->rhs->value != -1) pm_buf_printf(out, " * %lld", (long long)-r->rhs->value);
  } else {
    pm_buf_puts(out, " + ");
    print_expr(out, r, n, r->kind == PM_AFFINE_ADD);
  }
}

static void print_product(pm_buf *out, pm_affine_expr e, names n) {
  static const char *const words[] = {[PM_AFFINE_MUL] = " * ",
                                      [PM_AFFINE_FLOORDIV] = " floordiv ",
                                      [PM_AFFINE_CEILDIV] = " ceildiv ",
                                      [PM_AFFINE_MOD] = " mod "};
  print_expr(out, e->lhs, n, true);
  pm_buf_puts(out, words[e->kind]);
  print_expr(out, e->rhs, n, e->rhs->lhs != NULL);
}

static void print_expr(pm_buf *out, pm_affine_expr e, names n, bool inside_product) {
  if (!e->lhs) {
    print_leaf(out, e, n);
    return;
  }
  bool parens = inside_product && (e->kind == PM_AFFINE_ADD);
  if (parens) pm_buf_putc(out, '(');
  if (e->kind == PM_AFFINE_ADD)
    print_sum(out, e, n);
  else
    print_product(out, e, n);
  if (parens) pm_buf_putc(out, ')');
}

void pm_print_affine_expr(pm_buf *out, pm_affine_expr e, const char *const *dim_names,
                          const char *const *sym_names) {
  print_expr(out, e, (names){dim_names, sym_names}, false);
}

static void print_list(pm_buf *out, char letter, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) pm_buf_printf(out, "%s%c%u", i ? ", " : "", letter, i);
}

void pm_print_affine_map(pm_buf *out, pm_affine_map map) {
  pm_buf_puts(out, "affine_map<(");
  print_list(out, 'd', map->n_dims);
  pm_buf_puts(out, ")");
  if (map->n_syms) {
    pm_buf_puts(out, "[");
    print_list(out, 's', map->n_syms);
    pm_buf_puts(out, "]");
  }
  pm_buf_puts(out, " -> (");
  for (uint32_t i = 0; i < map->n_results; i++) {
    if (i) pm_buf_puts(out, ", ");
    pm_print_affine_expr(out, map->results[i], NULL, NULL);
  }
  pm_buf_puts(out, ")>");
}
