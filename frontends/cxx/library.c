/* What the library brings, and what it stands on. */
#include "frontends/cxx/library.h"

#include <string.h>

const cx_class *cx_class_of(const cx_interp *in, cv v) {
  return v.kind >= CV_LIBRARY ? &in->library->classes[v.kind - CV_LIBRARY] : NULL;
}

bool cx_constant(const cx_interp *in, cv v, cv *number) {
  return v.kind >= CV_LIBRARY && in->library->constant && in->library->constant(v, number);
}

bool cx_is_sequence(const cx_interp *in, cv v) {
  const cx_class *of = cx_class_of(in, v);
  return v.kind == CV_LIST || (of && of->is_list);
}

bool cx_all_numbers(const cx_call *call) {
  for (unsigned i = 0; i < call->n_args; i++)
    if (!cv_is_number(call->args[i])) return false;
  return call->n_args > 0;
}

bool cx_takes(const cx_call *c, unsigned least, unsigned most) {
  if (c->n_args >= least && c->n_args <= most) return true;
  pm_buf should = {0};
  pm_buf_printf(&should, "%u", least);
  if (most == CX_MANY)
    pm_buf_puts(&should, " or more");
  else if (least < most)
    pm_buf_printf(&should, " to %u", most);
  cx_fail(c->in, c->loc, "%s has %u %s, it should have %s", c->name ? c->name->text : "the call", c->n_args,
          c->n_args == 1 ? "argument" : "arguments", should.data);
  pm_buf_free(&should);
  return false;
}

/* --- rows --- */

static const cx_row *find_row(const cx_row *rows, const char *name) {
  for (; rows && rows->name; rows++)
    if (strcmp(rows->name, name) == 0) return rows;
  return NULL;
}

static void look_at_rows(cx_nearest *nearest, const cx_row *row) {
  for (; row && row->name; row++) cx_look_at(nearest, row->name);
}

static cx_handler handler_of(const cx_library *l, const cx_call *call) {
  const cx_row *row = find_row(l->functions, call->name->text);
  if (row) return row->call;
  return l->other_function ? l->other_function(call->in, call->name) : NULL;
}

/* Among the functions of that name the one for numbers, where all arguments are some; the last, which is
 * C++'s own, where a list alone is given, as to max({a, b}); else the first. */
static cx_handler find_function(const cx_call *call) {
  bool are_numbers = cx_all_numbers(call), is_list = call->n_args == 1 && call->args[0].kind == CV_LIST;
  cx_handler first = NULL, of_numbers = NULL;
  for (const cx_library *l = call->in->library; l; l = l->base) {
    if (!first || is_list) first = handler_of(l, call) ? handler_of(l, call) : first;
    if (!of_numbers && l->number_function) of_numbers = l->number_function(call->name);
  }
  return of_numbers && (are_numbers || !first) ? of_numbers : first;
}

bool cx_has_function(const cx_call *call) {
  return find_function(call);
}

bool cx_takes_objects(const cx_call *call) {
  const cx_library *of = NULL;
  bool is_of_numbers = false;
  for (const cx_library *l = call->in->library; l; l = l->base) {
    if (!of && handler_of(l, call)) of = l;
    is_of_numbers |= l->number_function && l->number_function(call->name);
  }
  return of && !of->classes && !is_of_numbers;
}

bool cx_is_own_type(const cx_interp *in, const cx_node *type) {
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->classes && l->is_type && l->is_type(type->name)) return true;
  return false;
}

cv cx_call_library(const cx_call *call, bool *found) {
  cx_handler function = find_function(call);
  *found = function != NULL;
  call->in->result_cell = NULL;
  return function ? function(call) : cv_poison;
}

const char *cx_nearest_function(const cx_interp *in, pm_string name) {
  cx_nearest nearest = cx_begin_nearest(name);
  for (const cx_library *l = in->library; l; l = l->base) look_at_rows(&nearest, l->functions);
  return nearest.best;
}

/* --- members --- */

static const cx_row *methods_of(const cx_library *l, unsigned kind) {
  return l->methods ? l->methods(kind) : NULL;
}

static cx_handler method_in(const cx_library *l, const cx_call *call, unsigned kind) {
  const cx_row *row = find_row(methods_of(l, kind), call->name->text);
  if (row) return row->call;
  return l->other_method ? l->other_method(call) : NULL;
}

static cx_handler find_method(const cx_call *call) {
  const cx_interp *in = call->in;
  cx_handler method = NULL;
  for (const cx_library *l = in->library; l && !method; l = l->base) {
    method = method_in(l, call, call->self.kind);
    if (!method && cx_is_sequence(in, call->self)) method = method_in(l, call, CV_LIST);
  }
  return method;
}

bool cx_has_method(const cx_call *call) {
  return find_method(call);
}

cv cx_call_method(const cx_call *call, bool *found) {
  cx_handler method = find_method(call);
  *found = method != NULL;
  call->in->result_cell = NULL;
  return method ? method(call) : cv_poison;
}

const char *cx_nearest_method(const cx_interp *in, cv self, pm_string name) {
  cx_nearest nearest = cx_begin_nearest(name);
  for (const cx_library *l = in->library; l; l = l->base) {
    look_at_rows(&nearest, methods_of(l, self.kind));
    if (cx_is_sequence(in, self)) look_at_rows(&nearest, methods_of(l, CV_LIST));
  }
  for (const cx_library *l = in->library; l && !nearest.best; l = l->base)
    if (l->nearest_method) nearest.best = l->nearest_method(self.kind, name);
  return nearest.best;
}
