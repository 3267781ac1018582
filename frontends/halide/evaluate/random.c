/* random_float, random_int, random_uint: Halide's generator, a permutation polynomial modulo 2^32 applied
 * once for each of the seed, the number of the call, the number of the definition, and its Vars and RVars.
 * Calls and definitions are counted as Halide counts them, so the numbers are the same where both see the
 * same ones. */
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

typedef struct randoms {
  cx_interp *in;
  pm_map *known;                   /* hx -> what it becomes */
  hx *points[2 * HX_MAX_DIMS + 1]; /* the number of the definition, then Vars and RVars, the last first */
  unsigned n_points;
} randoms;

static hx *number(h_program *p, pm_loc loc, uint32_t n) {
  return hx_int(p, loc, PM_U32, n);
}

/* (a x + b) x + c */
static hx *permuted(h_program *p, pm_loc loc, hx *x) {
  static const uint32_t a = 1040796640, b = 1121052041, c = 576942909;
  hx *line = hx_node2(p, loc, HX_ADD, hx_node2(p, loc, HX_MUL, number(p, loc, a), x), number(p, loc, b));
  return hx_node2(p, loc, HX_ADD, hx_node2(p, loc, HX_MUL, line, x), number(p, loc, c));
}

static hx *mixed(h_program *p, pm_loc loc, hx *sum, hx *e) {
  hx *term = hx_cast(p, loc, PM_U32, e);
  return permuted(p, loc, sum ? hx_node2(p, loc, HX_ADD, sum, term) : term);
}

/* 23 of the bits as the fraction of a float from 0 to less than 1. */
static hx *as_float(h_program *p, pm_loc loc, hx *bits) {
  hx *fraction = hx_node2(p, loc, HX_SHR, bits, number(p, loc, 9));
  hx *from_1 = hx_node2(p, loc, HX_BIT_OR, fraction, number(p, loc, (uint32_t)127 << 23));
  hx *one = hx_float(p, loc, PM_F32, 1);
  hx *value = hx_node2(p, loc, HX_SUB, hx_node(p, loc, HX_BITCAST, PM_F32, &from_1, 1), one);
  return hx_node2(p, loc, HX_MAX, hx_node2(p, loc, HX_MIN, value, one), hx_float(p, loc, PM_F32, 0));
}

static hx *value_of(const randoms *r, const hx *e) {
  h_program *p = h_program_of(r->in);
  hx *sum = NULL;
  for (unsigned i = 0; i < e->n_args; i++) sum = mixed(p, e->loc, sum, e->args[i]);
  for (unsigned i = 0; i < r->n_points; i++) sum = mixed(p, e->loc, sum, r->points[i]);
  hx *bits = hx_node2(p, e->loc, HX_BIT_XOR, sum, hx_node2(p, e->loc, HX_SHR, sum, number(p, e->loc, 16)));
  return e->type == PM_F32 ? as_float(p, e->loc, bits) : bits;
}

static hx *lowered(const randoms *r, hx *e) {
  if (e->n_args == 0) return e;
  hx *known = pm_map_get(r->known, e), *args[3];
  if (known) return known;
  hx *result = e;
  bool same = true;
  hx **all = e->n_args <= PM_COUNT(args) ? args : pm_arena_alloc(r->in->arena, e->n_args * sizeof(*all));
  for (unsigned i = 0; i < e->n_args; i++) {
    all[i] = lowered(r, e->args[i]);
    same &= all[i] == e->args[i];
  }
  if (!same) result = hx_with_args(h_program_of(r->in), e, all);
  if (e->op == HX_RANDOM) result = value_of(r, result);
  pm_map_set(r->known, e, result);
  return result;
}

static void find_points(randoms *r, const h_symbol *s, const h_definition *d, int64_t definition) {
  h_program *p = h_program_of(r->in);
  r->points[r->n_points++] = number(p, d->loc, (uint32_t)definition);
  for (unsigned i = d->rdom ? d->rdom->n_dims : 0; i > 0; i--)
    r->points[r->n_points++] = hx_var(p, d->loc, &d->rdom->vars[i - 1]);
  for (unsigned i = s->n_dims; i > 0; i--)
    if (d->args[i - 1]->op == HX_VAR) r->points[r->n_points++] = d->args[i - 1];
}

void h_lower_random(cx_interp *in, const h_symbol *s, h_definition *d) {
  int64_t definition = h_program_of(in)->n_definitions++;
  if (h_program_of(in)->n_randoms == 0) return;
  randoms r = {.in = in, .known = pm_map_new()};
  find_points(&r, s, d, definition);
  for (unsigned i = 0; i < s->n_dims; i++) d->args[i] = lowered(&r, d->args[i]);
  for (unsigned i = 0; i < s->n_elements; i++) d->values[i] = lowered(&r, d->values[i]);
  for (uint32_t i = 0; d->rdom && i < d->rdom->predicates.len; i++)
    d->rdom->predicates.data[i] = lowered(&r, d->rdom->predicates.data[i]);
  pm_map_free(r.known);
}

cv h_random(const cx_call *c) {
  h_program *p = h_program_of(c->in);
  bool is_float = strcmp(c->name->text, "random_float") == 0,
       is_int = strcmp(c->name->text, "random_int") == 0;
  hx *args[2];
  unsigned n = 0;
  if (c->n_args > 1)
    return cx_fail(c->in, c->loc, "%s has %u arguments, it should have a seed at most", c->name->text,
                   c->n_args);
  if (c->n_args == 1 && !(args[n++] = h_to_expr(c->in, c->locs[0], c->args[0]))) return cv_poison;
  if (n == 1 && args[0]->type != PM_I32 && (is_float || args[0]->type != PM_U32))
    return cx_fail(c->in, c->locs[0], "the seed has type %s, it should be int32",
                   hx_type_name((pm_scalar)args[0]->type));
  args[n++] = number(p, c->loc, (uint32_t)p->n_randoms++);
  hx *e = hx_node(p, c->loc, HX_RANDOM, is_float ? PM_F32 : PM_U32, args, n);
  return hv_expr(is_int ? hx_cast(p, c->loc, PM_I32, e) : e);
}
