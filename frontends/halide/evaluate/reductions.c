/* sum(…), argmin(…) and their like inside of an expression: each is a Func of the Vars of its argument. */
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

typedef struct reduction {
  cx_interp *in;
  pm_loc loc;
  h_rdom *rdom; /* that is reduced over; NULL until one is found */
  bool is_given;
  const hx *other; /* an RVar of a second RDom, where none was given */
  /* the Func's Vars, and what they stand for outside */
  const h_var *vars[HX_MAX_DIMS];
  hx *actuals[HX_MAX_DIMS];
  unsigned n_vars;
  bool too_many;
  uint32_t stamp;
  pm_map *renamed; /* node -> node with Vars in place of RVars of other RDoms */
} reduction;

static void add_var(reduction *r, const h_var *var, hx *actual) {
  for (unsigned i = 0; i < r->n_vars; i++)
    if (r->actuals[i]->var == actual->var) return;
  r->too_many |= r->n_vars == HX_MAX_DIMS;
  if (r->too_many) return;
  r->vars[r->n_vars] = var;
  r->actuals[r->n_vars++] = actual;
}

/* An RVar of another RDom is a Var of the Func. */
static void add_outer(reduction *r, hx *e) {
  for (unsigned i = 0; i < r->n_vars; i++)
    if (r->actuals[i]->var == e->var) return;
  h_var *var = pm_arena_alloc(r->in->arena, sizeof(*var));
  var->name = h_unique_name(h_program_of(r->in), "v");
  add_var(r, var, e);
}

static void collect(reduction *r, hx *e) {
  if (e->stamp == r->stamp) return;
  e->stamp = r->stamp;
  if (e->op == HX_VAR) add_var(r, e->var, e);
  if (e->op == HX_RVAR) {
    if (!r->rdom) r->rdom = e->var->rdom;
    if (r->rdom != e->var->rdom && !r->is_given) r->other = e;
    if (r->rdom != e->var->rdom && r->is_given) add_outer(r, e);
  }
  for (unsigned i = 0; i < e->n_args; i++) collect(r, e->args[i]);
}

static hx *rename_outer(reduction *r, hx *e) {
  if (e->op == HX_RVAR && e->var->rdom != r->rdom)
    for (unsigned i = 0; i < r->n_vars; i++)
      if (r->actuals[i]->var == e->var) return hx_var(h_program_of(r->in), e->loc, r->vars[i]);
  if (e->n_args == 0) return e;
  hx *known = pm_map_get(r->renamed, e);
  if (known) return known;
  hx *copy = pm_arena_memdup(r->in->arena, e, sizeof(*e));
  copy->args = pm_arena_memdup(r->in->arena, e->args, e->n_args * sizeof(*e->args));
  for (unsigned i = 0; i < e->n_args; i++) copy->args[i] = rename_outer(r, e->args[i]);
  pm_map_set(r->renamed, e, copy);
  return copy;
}

/* The RDom, where one is given, and the expression behind it; NULL after a diagnostic. */
static hx *read_arguments(const cx_call *c, reduction *r) {
  unsigned i = 0;
  if (c->n_args > 0 && c->args[0].kind == HV_RDOM && c->n_args > 1) {
    r->rdom = h_rdom_of(c->args[0]);
    r->is_given = true;
    i = 1;
  }
  if (i >= c->n_args) {
    cx_fail(c->in, c->loc, "%s has no argument, an expression of an RDom should be one", c->name->text);
    return NULL;
  }
  hx *e = h_to_expr(c->in, c->locs[i], c->args[i]);
  if (!e) return NULL;
  r->stamp = ++h_program_of(c->in)->next_stamp;
  collect(r, e);
  for (uint32_t k = 0; r->rdom && k < r->rdom->predicates.len; k++) collect(r, r->rdom->predicates.data[k]);
  if (!r->rdom)
    cx_fail(c->in, c->loc, "the argument of %s has no RVar, it should be of an RDom", c->name->text);
  else if (r->other)
    cx_fail(c->in, r->other->loc,
            "the argument of %s has two RDoms, %s and %s; which is meant should come first", c->name->text,
            r->rdom->name->text, r->other->var->rdom->name->text);
  else if (r->too_many)
    cx_fail(c->in, c->loc, "the argument of %s has more than %d Vars", c->name->text, HX_MAX_DIMS);
  else
    return r->is_given ? rename_outer(r, e) : e;
  return NULL;
}

static pm_string name_of(const cx_call *c) {
  cv last = c->args[c->n_args - 1];
  if (last.kind == CV_STRING) return last.text;
  return last.kind == HV_FUNC ? h_symbol_of(last)->name : c->name;
}

static h_ref *ref_of(const reduction *r, h_symbol *func, bool outside) {
  h_ref *ref = pm_arena_alloc(r->in->arena, sizeof(*ref));
  ref->symbol = func;
  ref->loc = r->loc;
  ref->placeholder = -1;
  ref->n_args = r->n_vars;
  for (unsigned i = 0; i < r->n_vars; i++)
    ref->args[i] = outside ? r->actuals[i] : hx_var(h_program_of(r->in), r->loc, r->vars[i]);
  return ref;
}

static cv define_and_read(const cx_call *c, reduction *r, cv beginning, h_ref **inside) {
  h_symbol *func = h_new_symbol(h_program_of(c->in), H_FUNC, c->loc, name_of(c)->text);
  *inside = ref_of(r, func, false);
  return h_define(c->in, c->loc, *inside, CX_OP_NONE, beginning) ? hv_symbol(func) : cv_poison;
}

static cv reduce_to_one(const cx_call *c, reduction *r, hx *e) {
  h_program *p = h_program_of(c->in);
  const char *name = c->name->text;
  pm_scalar type = (pm_scalar)e->type;
  hx *begin = hx_int(p, c->loc, type, strcmp(name, "product") == 0);
  h_ref *self;
  if (strcmp(name, "maximum") == 0) begin = hx_least(p, c->loc, type);
  if (strcmp(name, "minimum") == 0) begin = hx_greatest(p, c->loc, type);
  cv func = define_and_read(c, r, hv_expr(begin), &self);
  if (func.kind == CV_POISON) return func;
  hx *old = h_read(c->in, c->loc, self, 0), *value = NULL;
  if (strcmp(name, "sum") == 0) value = hx_binary(p, c->loc, HX_ADD, old, e);
  if (strcmp(name, "product") == 0) value = hx_binary(p, c->loc, HX_MUL, old, e);
  if (strcmp(name, "maximum") == 0) value = hx_binary(p, c->loc, HX_MAX, old, e);
  if (strcmp(name, "minimum") == 0) value = hx_binary(p, c->loc, HX_MIN, old, e);
  if (!value) return cx_fail(c->in, c->loc, "%s is not supported", name);
  if (!h_define(c->in, c->loc, ref_of(r, h_symbol_of(func), false), CX_OP_NONE, hv_expr(value)))
    return cv_poison;
  return hv_ref(ref_of(r, h_symbol_of(func), true));
}

/* A Tuple of the coordinates and the value; of equal values the first stays. */
static cv reduce_to_place(const cx_call *c, reduction *r, hx *e) {
  h_program *p = h_program_of(c->in);
  bool is_max = strcmp(c->name->text, "argmax") == 0;
  unsigned n = r->rdom->n_dims;
  cv begin = cx_new_list(c->in, HV_TUPLE), better = cx_new_list(c->in, HV_TUPLE),
     result = cx_new_list(c->in, HV_TUPLE);
  h_ref *self;
  for (unsigned i = 0; i < n; i++) cx_append(c->in, begin, hv_expr(hx_int(p, c->loc, PM_I32, 0)));
  cx_append(
      c->in, begin,
      hv_expr(is_max ? hx_least(p, c->loc, (pm_scalar)e->type) : hx_greatest(p, c->loc, (pm_scalar)e->type)));
  cv func = define_and_read(c, r, begin, &self);
  if (func.kind == CV_POISON) return func;
  hx *test = hx_binary(p, c->loc, is_max ? HX_GT : HX_LT, e, h_read(c->in, c->loc, self, n));
  for (unsigned i = 0; i <= n; i++) {
    hx *new_value = i < n ? hx_var(p, c->loc, &r->rdom->vars[i]) : e;
    cx_append(c->in, better, hv_expr(hx_select(p, c->loc, test, new_value, h_read(c->in, c->loc, self, i))));
  }
  if (!h_define(c->in, c->loc, ref_of(r, h_symbol_of(func), false), CX_OP_NONE, better)) return cv_poison;
  for (unsigned i = 0; i <= n; i++)
    cx_append(c->in, result, hv_expr(h_read(c->in, c->loc, ref_of(r, h_symbol_of(func), true), i)));
  return result;
}

cv h_reduce(const cx_call *c) {
  reduction r = {.in = c->in, .loc = c->loc, .renamed = pm_map_new()};
  hx *e = read_arguments(c, &r);
  bool is_place = strncmp(c->name->text, "arg", 3) == 0;
  cv result = !e ? cv_poison : is_place ? reduce_to_place(c, &r, e) : reduce_to_one(c, &r, e);
  pm_map_free(r.renamed);
  return result;
}
