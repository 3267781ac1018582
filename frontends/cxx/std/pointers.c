/* Members of std::optional and of pointers that are classes. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/values/values.h"

static cv has_value(const cx_call *c) {
  return cv_bool(c->self.cell != NULL);
}

static cv value(const cx_call *c) {
  c->in->result_cell = c->self.cell;
  return c->self.cell ? c->self.cell->value : cx_fail(c->in, c->loc, "the optional has no value");
}

static cv value_or(const cx_call *c) {
  if (!cx_takes(c, 1, 1)) return cv_poison;
  return c->self.cell ? c->self.cell->value : c->args[0];
}

static cv get(const cx_call *c) {
  return c->self;
}

/* make_unique<T>(arguments), make_shared */
cv std_make_pointer(const cx_call *c) {
  const cx_node *type = c->at && c->at->n_items > 0 ? c->at->items[0] : NULL;
  if (!type) return cx_fail(c->in, c->loc, "%s has no type in <>", c->name->text);
  cx_cell cell = {.type = type};
  cx_arguments a = cx_arguments_of(c);
  cell.value = cx_construct(c->in, c->loc, type, &a, false, NULL);
  if (cell.value.kind == CV_POISON) return cv_poison;
  return (cv){.kind = CV_POINTER, .cell = pm_arena_memdup(c->in->arena, &cell, sizeof(cell))};
}

const cx_row std_pointer_rows[] = {
    {"has_value", has_value}, {"value", value}, {"value_or", value_or}, {"get", get}, {NULL, NULL}};
