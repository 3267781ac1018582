/* undef: elements that a definition leaves as they are, as Halide's RemoveUndef.cpp has them. What is made of
 * an undefined value is undefined, but for a select, which is defined where the side that it takes is:
 *
 *   f(r) = select(in(r) > 5, 7, undef<int>())      f(r) = select(in(r) > 5, 7, f(r))
 *
 * In a first definition there is nothing to leave: what is undefined is 0. */
#include "frontends/halide/lower/lower.h"

/* An expression; value NULL: undefined; defined NULL: always. */
typedef struct part {
  hx *value, *defined;
} part;

typedef struct search {
  h_program *program;
  pm_map *known; /* hx -> part */
} search;

static bool has_undef(hx *e, uint32_t stamp) {
  if (e->stamp == stamp) return false;
  e->stamp = stamp;
  bool has = e->op == HX_UNDEF;
  for (unsigned i = 0; i < e->n_args && !has; i++) has = has_undef(e->args[i], stamp);
  return has;
}

static bool any_has_undef(h_program *p, hx *const *exprs, unsigned n) {
  bool has = false;
  for (unsigned i = 0; i < n; i++) has |= has_undef(exprs[i], ++p->next_stamp);
  return has;
}

/* --- parts --- */

static hx *both(h_program *p, hx *a, hx *b) {
  return !a ? b : !b ? a : hx_node2(p, a->loc, HX_BIT_AND, a, b);
}

static part part_of_select(h_program *p, hx *e, part c, part a, part b) {
  if (!c.value || (!a.value && !b.value)) return (part){NULL, NULL};
  hx *taken = both(p, c.value, a.defined), *left = both(p, hx_not(p, e->loc, c.value), b.defined);
  if (!a.value) return (part){b.value, both(p, c.defined, left)};
  if (!b.value) return (part){a.value, both(p, c.defined, taken)};
  hx *side = a.defined || b.defined ? hx_node2(p, e->loc, HX_BIT_OR, taken, left) : NULL;
  return (part){hx_with_args(p, e, (hx *[]){c.value, a.value, b.value}), both(p, c.defined, side)};
}

static part part_of(search *s, hx *e);

static part part_of_node(search *s, hx *e) {
  hx *args[UINT8_MAX], *defined = NULL;
  bool same = true;
  if (e->op == HX_UNDEF) return (part){NULL, NULL};
  if (e->op == HX_SELECT)
    return part_of_select(s->program, e, part_of(s, e->args[0]), part_of(s, e->args[1]),
                          part_of(s, e->args[2]));
  for (unsigned i = 0; i < e->n_args; i++) {
    part arg = part_of(s, e->args[i]);
    if (!arg.value) return arg;
    args[i] = arg.value;
    same &= args[i] == e->args[i];
    defined = both(s->program, defined, arg.defined);
  }
  return (part){same ? e : hx_with_args(s->program, e, args), defined};
}

static part part_of(search *s, hx *e) {
  part *known = pm_map_get(s->known, e);
  if (!known) {
    part made = part_of_node(s, e);
    known = pm_arena_memdup(s->program->arena, &made, sizeof made);
    pm_map_set(s->known, e, known);
  }
  return *known;
}

/* --- definitions --- */

/* One condition is of all elements, but for those that are never defined. */
static bool check_conditions(const h_program *p, const h_symbol *s, const part *parts) {
  const part *first = NULL;
  for (unsigned i = 0; i < s->n_elements; i++) {
    if (!parts[i].value) continue;
    if (!first) first = &parts[i];
    hx *a = first->defined, *b = parts[i].defined;
    if (a != b && !(a && b && hx_same(a, b)))
      return pm_error(p->ctx, parts[i].value->loc,
                      "the elements of %pS are undef under different conditions, it should be one",
                      (const void *)s->name);
  }
  return true;
}

static bool check_places(h_program *p, const h_symbol *s, const h_definition *d) {
  uint32_t stamp = ++p->next_stamp;
  for (unsigned i = 0; i < s->n_dims; i++)
    if (has_undef(d->args[i], stamp))
      return pm_error(p->ctx, d->args[i]->loc, "an index of this update is undef, it should have a value");
  for (uint32_t i = 0; d->rdom && i < d->rdom->predicates.len; i++)
    if (has_undef(d->rdom->predicates.data[i], stamp))
      return pm_error(p->ctx, d->loc, "a condition of the RDom is undef, it should have a value");
  return true;
}

static bool settle(h_program *p, const h_symbol *s, h_definition *d, bool is_update) {
  part parts[HX_MAX_ELEMENTS];
  if (!any_has_undef(p, d->values, s->n_elements)) return check_places(p, s, d);
  search all = {p, pm_map_new()};
  for (unsigned i = 0; i < s->n_elements; i++) parts[i] = part_of(&all, d->values[i]);
  pm_map_free(all.known);
  if (!check_places(p, s, d) || !check_conditions(p, s, parts)) return false;
  for (unsigned i = 0; i < s->n_elements; i++) {
    pm_loc loc = d->values[i]->loc;
    hx *kept = is_update ? hx_call(p, loc, (h_symbol *)s, d->args, s->n_dims, i)
                         : hx_int(p, loc, (pm_scalar)s->types[i], 0);
    hx *value = parts[i].value, *defined = parts[i].defined;
    d->values[i] = !value ? kept : defined ? hx_select(p, loc, defined, value, kept) : value;
  }
  if (!is_update && s->is_output)
    pm_remark(p->ctx, d->loc, PM_REMARK_MISSED, "halide", NULL, 0,
              "what is undef in the first definition of %pS is 0, not what the caller has there",
              (const void *)s->name);
  return true;
}

/* Where it is read, its readers are undefined, too. */
static bool mark_inlined(h_program *p) {
  bool any = false;
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    h_symbol *s = p->funcs.data[i];
    if (!s->needed || s->is_inlined || s->has_boundary || !h_is_inlinable(p, s)) continue;
    s->is_inlined = any_has_undef(p, s->pure.values, s->n_elements);
    any |= s->is_inlined;
  }
  return any;
}

bool h_settle_undef(h_program *p) {
  while (mark_inlined(p))
    if (!h_inline_marked(p)) return false;
  for (uint32_t i = 0; i < p->funcs.len; i++) {
    h_symbol *s = p->funcs.data[i];
    if (!s->needed || s->is_inlined) continue;
    if (!settle(p, s, &s->pure, false)) return false;
    for (uint32_t k = 0; k < s->updates.len; k++)
      if (!settle(p, s, &s->updates.data[k], true)) return false;
  }
  return true;
}
