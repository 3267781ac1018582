/* Which function of several is called. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/types/types.h"

/* How well a value suits a parameter of that type: 0, not at all; 2, it is one. */
static unsigned suits(const cx_interp *in, const cx_node *type, cv v) {
  pm_scalar scalar;
  unsigned how;
  if (!type || !type->name || cx_is_named(type, "auto")) return 1;
  if (cx_scalar_of(in, type, &scalar)) return !cv_is_number(v) ? 0 : v.scalar == scalar ? 2 : 1;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->suits && l->suits(type, v, &how)) return how;
  return 1;
}

/* Of an overload that cannot be called so 0. */
static unsigned suitability(const cx_interp *in, const cx_node *function, const cv *args, unsigned n_args) {
  unsigned sum = 1;
  if (!cx_takes_arguments(function, n_args)) return 0;
  for (unsigned i = 0; i < n_args; i++) {
    unsigned one = suits(in, function->items[i]->a, args[i]);
    if (one == 0) return 0;
    sum += one;
  }
  return sum;
}

cv cx_choose_overload(cx_interp *in, pm_string name, cv found, const cv *args, unsigned n_args) {
  if (found.kind != CV_FUNCTION || found.function->node->kind != CX_FUNCTION) return found;
  unsigned best = suitability(in, found.function->node, args, n_args);
  in->steps += in->globals->names.len / 64; /* which are looked at one after the other */
  for (const cx_scope *s = in->scope; s; s = s->outer)
    for (uint32_t i = 0; i < s->names.len; i++) {
      cv other = s->names.data[i].cell->value;
      if (s->names.data[i].name != name || other.kind != CV_FUNCTION) continue;
      unsigned suitable = suitability(in, other.function->node, args, n_args);
      if (suitable <= best) continue;
      best = suitable;
      found = other;
    }
  return found;
}
