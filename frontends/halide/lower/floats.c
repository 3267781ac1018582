/* Indices that are computed as floats of coordinates and int parameters. A float holds eighths up to 2^21:
 * calls with larger parameters in such indices, or pictures of more than 2^19 points in a row, are refused,
 * so that these floats have the bounds of what they are made of. */
#include "frontends/halide/lower/lower.h"

/* Where an expression stands: outside of indices, in an index, in a float that becomes one. */
typedef enum place { ELSEWHERE, IN_INDEX, IN_FLOAT, N_PLACES } place;

typedef struct search {
  pm_map *seen[N_PLACES]; /* hx, and h_symbol whose values are looked at */
  PM_VEC(h_symbol *) funcs[N_PLACES];
  bool *has_coordinates;
  h_exprs *params;
} search;

static void look(search *s, hx *e, place at);

static void look_at_values(search *s, h_symbol *func, place at) {
  if (func->kind != H_FUNC || pm_map_has(s->seen[at], func)) return;
  pm_map_set(s->seen[at], func, func);
  PM_VEC_PUSH(s->funcs[at], func);
}

/* A parameter is in it: the others are numbers, whatever the call is. */
static bool depends_on_call(const hx *e) {
  if (e->op == HX_PARAM) return true;
  for (unsigned i = 0; i < e->n_args; i++)
    if (depends_on_call(e->args[i])) return true;
  return false;
}

static void look_at_cast(search *s, hx *e, place at) {
  hx *from = e->args[0];
  bool from_float = cx_is_float((pm_scalar)from->type), to_float = cx_is_float((pm_scalar)e->type);
  if (at == IN_INDEX && from_float && !to_float) at = IN_FLOAT;
  if (at == IN_FLOAT && e->type == PM_F32 && from->is_of_params) {
    if (depends_on_call(from)) PM_VEC_PUSH(*s->params, from);
  } else if (at == IN_FLOAT && e->type == PM_F32 && from->is_coordinate) {
    *s->has_coordinates = true;
  }
  look(s, from, at);
}

static void look(search *s, hx *e, place at) {
  if (pm_map_has(s->seen[at], e)) return;
  pm_map_set(s->seen[at], e, e);
  if (e->op == HX_CAST || e->op == HX_SAT_CAST) {
    look_at_cast(s, e, at);
    return;
  }
  if (e->op == HX_CALL && at != ELSEWHERE) look_at_values(s, e->symbol, at);
  for (unsigned i = 0; i < e->n_args; i++) look(s, e->args[i], e->op == HX_CALL ? IN_INDEX : at);
}

static void look_at_definition(search *s, const h_symbol *func, const h_definition *d, place at) {
  for (unsigned i = 0; i < func->n_dims; i++) look(s, d->args[i], IN_INDEX);
  for (unsigned i = 0; i < func->n_elements; i++) look(s, d->values[i], at);
}

static void look_at_func(search *s, const h_symbol *func, place at) {
  look_at_definition(s, func, &func->pure, at);
  for (uint32_t k = 0; k < func->updates.len; k++) look_at_definition(s, func, &func->updates.data[k], at);
}

void h_find_floats(h_program *p, h_exprs *params, bool *has_coordinates) {
  search s = {.params = params, .has_coordinates = has_coordinates};
  for (int i = 0; i < N_PLACES; i++) s.seen[i] = pm_map_new();
  for (uint32_t i = 0; i < p->funcs.len; i++)
    if (p->funcs.data[i]->needed) look_at_func(&s, p->funcs.data[i], ELSEWHERE);
  for (bool more = true; more;) {
    more = false;
    for (place at = IN_INDEX; at <= IN_FLOAT; at++)
      while (s.funcs[at].len > 0) {
        look_at_func(&s, PM_VEC_POP(s.funcs[at]), at);
        more = true;
      }
  }
  for (int i = 0; i < N_PLACES; i++) {
    pm_map_free(s.seen[i]);
    PM_VEC_FREE(s.funcs[i]);
  }
}
