/* Funcs that directives make: f.clone_in(g) computes the same as f, and g reads it; f.in(g) is a Func between
 * f and g, which has the values of f. */
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/program/schedule.h"

#include <stdio.h>
#include <string.h>

static bool add_reader(const cx_call *c, struct h_copy *copy, cv v, pm_loc loc) {
  if (v.kind == CV_LIST) {
    for (uint32_t i = 0; i < v.list->items.len; i++)
      if (!add_reader(c, copy, v.list->items.data[i]->value, loc)) return false;
    return true;
  }
  if (v.kind == CV_POISON) return false;
  if (v.kind != HV_FUNC) {
    cx_fail(c->in, loc, "%s has %s as a reader, a Func should be there", c->name->text,
            cv_describe(c->in, v));
    return false;
  }
  if (h_symbol_of(v) == copy->of) {
    cx_fail(c->in, loc, "%s cannot be read by itself in place of another", h_symbol_of(v)->name->text);
    return false;
  }
  if (!h_has_reader(copy, h_symbol_of(v))) CX_PUSH(c->in->arena, copy->readers, h_symbol_of(v));
  return true;
}

/* The one that is for the same readers already, whichever word made it, as in Halide. */
static h_symbol *find_copy(const cx_call *c, const struct h_copy *wanted) {
  const h_program *p = h_program_of(c->in);
  for (uint32_t i = 0; i < p->copies.len; i++) {
    const struct h_copy *copy = p->copies.data[i]->copy;
    bool same = copy->of == wanted->of && copy->readers.len == wanted->readers.len;
    for (uint32_t k = 0; k < wanted->readers.len && same; k++)
      same = h_has_reader(copy, wanted->readers.data[k]);
    if (same) return p->copies.data[i];
  }
  return NULL;
}

/* Each reads one of them. */
static bool check_other_copies(const cx_call *c, const struct h_copy *wanted) {
  const h_program *p = h_program_of(c->in);
  for (uint32_t i = 0; i < p->copies.len; i++) {
    const struct h_copy *copy = p->copies.data[i]->copy;
    for (uint32_t k = 0; copy->of == wanted->of && k < wanted->readers.len; k++) {
      if (!h_has_reader(copy, wanted->readers.data[k])) continue;
      cx_fail(c->in, c->loc, "%s reads %s in place of %s already", wanted->readers.data[k]->name->text,
              p->copies.data[i]->name->text, copy->of->name->text);
      pm_note(c->in->ctx, copy->loc, "it is made here");
      return false;
    }
  }
  return true;
}

static const h_var *numbered_var(cx_interp *in, unsigned i) {
  char name[16];
  snprintf(name, sizeof(name), "_%u", i);
  return h_get_var(h_program_of(in), pm_get_cstring(in->ctx, name));
}

static h_symbol *new_copy(const cx_call *c, struct h_copy *copy) {
  cx_interp *in = c->in;
  h_symbol *of = copy->of;
  pm_buf name = {0};
  pm_buf_printf(&name, "%s_%s", of->name->text, h_word_of(copy));
  if (copy->readers.len > 0) pm_buf_printf(&name, "_%s", copy->readers.data[0]->name->text);
  h_symbol *s = h_new_symbol(h_program_of(in), H_FUNC, c->loc, name.data);
  pm_buf_free(&name);
  s->copy = copy;
  s->is_defined = true;
  s->n_dims = of->n_dims;
  s->n_elements = of->n_elements;
  memcpy(s->types, of->types, sizeof(s->types));
  s->pure = of->pure;
  for (unsigned d = 0; of->kind == H_BUFFER && d < s->n_dims; d++)
    s->pure.args[d] = hx_var(h_program_of(in), c->loc, numbered_var(in, d));
  for (uint32_t i = 0; copy->is_clone && i < of->updates.len; i++)
    CX_PUSH(in->arena, s->updates, of->updates.data[i]);
  if (!copy->is_clone && !of->user) of->user = s, of->use = c->loc;
  CX_PUSH(in->arena, h_program_of(in)->copies, s);
  return s;
}

/* One that a directive that is not followed would have made. */
static cv remark_unknown_reader(const cx_call *c) {
  pm_remark(c->in->ctx, c->loc, PM_REMARK_MISSED, "halide", NULL, 0,
            "%s of %s is not followed: a reader is not there", c->name->text,
            h_symbol_of(c->self)->name->text);
  return (cv){.kind = CV_IGNORED};
}

cv h_make_copy(const cx_call *c, bool is_clone) {
  if (c->self.kind == HV_STAGE)
    return cx_fail(c->in, c->loc, "%s takes a Func, not one of its updates", c->name->text);
  struct h_copy *copy = pm_arena_alloc(c->in->arena, sizeof(*copy));
  *copy = (struct h_copy){.of = h_symbol_of(c->self), .is_clone = is_clone, .loc = c->loc};
  for (unsigned i = 0; i < c->n_args; i++) {
    if (c->args[i].kind == CV_IGNORED) return remark_unknown_reader(c);
    if (!add_reader(c, copy, c->args[i], c->locs[i])) return cv_poison;
  }
  bool is_all = c->n_args == 0 && !is_clone;
  if (!is_all && copy->readers.len == 0)
    return cx_fail(c->in, c->loc, "%s should name the Funcs that read it", c->name->text);
  h_symbol *known = find_copy(c, copy);
  if (known) return hv_symbol(known);
  return check_other_copies(c, copy) ? hv_symbol(new_copy(c, copy)) : cv_poison;
}
