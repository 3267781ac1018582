/* Declarations: variables, arrays, enumerations, functions, other names of types. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

/* --- arrays --- */

/* The name of an item of an array; without a name none. */
static pm_string numbered(cx_interp *in, pm_string name, int64_t i) {
  pm_buf text = {0};
  if (!name) return NULL;
  pm_buf_printf(&text, "%s_%lld", name->text, (long long)i);
  pm_string result = pm_get_string(in->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return result;
}

/* Arrays: nested lists of what the type makes. */
static cv make_array(cx_interp *in, const cx_node *type, const cx_node *d, unsigned level, pm_string hint) {
  int64_t n;
  cv list = cx_new_list(in, CV_LIST);
  if (level == d->n_items) return cx_construct(in, d->loc, type, NULL, NULL, 0, false, hint);
  if (!d->items[level]) return list;
  if (!cx_to_int(in, d->items[level]->loc, cx_eval(in, d->items[level]), &n, "the length of the array"))
    return cv_poison;
  if (n < 0 || n > CX_MAX_ITEMS)
    return cx_fail(in, d->loc, "the length of the array is %lld, it should be 0 to %d", (long long)n,
                   CX_MAX_ITEMS);
  for (int64_t i = 0; i < n && cx_may_go_on(in, d->loc); i++) {
    cv item = make_array(in, type, d, level + 1, numbered(in, hint, i));
    if (item.kind == CV_POISON) return item;
    cx_append(in, list, item);
    if (level + 1 == d->n_items) list.list->items.data[i]->type = type;
  }
  return list;
}

/* The items of a list in braces for an array of `levels` dimensions, each as one of the type. */
static cv convert_items(cx_interp *in, const cx_node *type, cv list, unsigned levels, pm_loc loc) {
  for (uint32_t i = 0; i < list.list->items.len; i++) {
    cx_cell *cell = list.list->items.data[i];
    bool inner = levels > 1 && cell->value.kind == CV_LIST;
    cell->value = inner ? convert_items(in, type, cell->value, levels - 1, loc)
                        : cx_convert(in, loc, type, cell->value);
    if (!inner) cell->type = type;
  }
  return list;
}

/* `(…)` behind a name: a CALL of nothing. */
static bool is_in_parentheses(const cx_node *value) {
  return value->kind == CX_CALL && !value->a;
}

static cv declared_array(cx_interp *in, const cx_node *type, const cx_node *d) {
  pm_scalar scalar;
  cv array = make_array(in, type, d, 0, cx_scalar_of(in, type, &scalar) ? NULL : d->name);
  if (!d->b || array.kind == CV_POISON) return array;
  if (is_in_parentheses(d->b)) return cx_fail(in, d->b->loc, "(…) is here, {…} should hold the values");
  cv given = cx_eval(in, d->b);
  if (given.kind != CV_LIST)
    return given.kind == CV_POISON ? given : cx_fail(in, d->loc, "a list should be here");
  given = convert_items(in, type, given, d->n_items, d->loc);
  if (!d->items[0]) return given;
  if (given.list->items.len > array.list->items.len)
    return cx_fail(in, d->b->loc, "%u values are here, the array has %u", given.list->items.len,
                   array.list->items.len);
  for (uint32_t i = 0; i < given.list->items.len; i++) array.list->items.data[i] = given.list->items.data[i];
  return array;
}

/* --- variables --- */

cv cx_declared_value(cx_interp *in, const cx_node *type, const cx_node *d) {
  bool has_name = type && type->kind == CX_TYPE && type->name;
  if (has_name && in->library->may_declare && !in->library->may_declare(in, type, d)) return cv_poison;
  if (d->n_items > 0) return declared_array(in, type, d);
  if (!d->b) return cx_construct(in, d->loc, type, NULL, NULL, 0, false, d->name);
  bool in_parentheses = is_in_parentheses(d->b);
  if (in_parentheses || (d->b->kind == CX_LIST && !cx_is_named(type, "auto"))) {
    cx_arguments a = cx_eval_arguments(in, d->b->items, d->b->n_items);
    if (!a.ok) return cv_poison;
    return cx_construct(in, d->loc, type, a.values, a.locs, a.n, !in_parentheses, d->name);
  }
  cv v = cx_eval(in, d->b);
  return cx_convert(in, d->b->loc, type, cx_copy(in, v));
}

static void declare_binding(cx_interp *in, const cx_node *d) {
  bool wrapped = d->b && is_in_parentheses(d->b) && d->b->n_items == 1;
  cv v = d->b ? cx_eval(in, wrapped ? d->b->items[0] : d->b) : cv_poison;
  for (uint32_t i = 0; i < d->n_items; i++) {
    cv item = cv_poison;
    if (cx_is_sequence(in, v) && i < v.list->items.len) item = v.list->items.data[i]->value;
    cx_declare(in, in->scope, d->items[i]->name, item);
  }
}

/* A second variable of one scope, which is none; a class may have one of the name of its base's. */
static bool is_redeclared(cx_interp *in, const cx_node *d) {
  const cx_scope *s = in->scope;
  if (s->cells && !pm_map_has(s->cells, d->name)) return false;
  for (uint32_t i = 0; !s->object && i < s->names.len; i++) {
    const cx_binding *b = &s->names.data[i];
    if (b->name != d->name || b->loc.line == 0) continue;
    cx_fail(in, d->loc, "'%s' is declared twice", d->name->text);
    pm_note(in->ctx, b->loc, "it is declared here before");
    return true;
  }
  return false;
}

static void declare_variable(cx_interp *in, const cx_node *type, const cx_node *d) {
  if (!d->name) {
    declare_binding(in, d);
    return;
  }
  if (is_redeclared(in, d)) return;
  if (type->is_reference && d->b && cx_is_place(d->b)) {
    cx_cell *cell = cx_place(in, d->b);
    cx_bind(in, in->scope, d->name, cell ? cell : cx_new_cell(in, cv_poison), d->loc);
    return;
  }
  cx_cell *cell = cx_new_cell(in, cx_declared_value(in, type, d));
  cx_bind(in, in->scope, d->name, cell, d->loc);
  cell->type = d->n_items > 0 ? NULL : cx_resolve(in, type); /* elsewhere its name may mean another one */
  cell->is_const = type->is_const && !type->is_pointer && !type->is_reference;
}

void cx_declare_variables(cx_interp *in, const cx_node *n) {
  for (uint32_t i = 0; i < n->n_items; i++) declare_variable(in, n->a, n->items[i]);
}

/* --- enumerations, functions, types --- */

void cx_declare_enum(cx_interp *in, const cx_node *n) {
  int64_t next = 0;
  if (n->name) cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n});
  for (uint32_t i = 0; !n->is_scoped && i < n->n_items; i++, next = pm_wrap_add(next, 1)) {
    int64_t value;
    if (n->items[i]->b &&
        cx_to_int(in, n->items[i]->loc, cx_eval(in, n->items[i]->b), &value, "an enumerator"))
      next = value;
    cx_declare(in, in->scope, n->items[i]->name, cv_int(PM_I32, next));
  }
}

/* The definition with the defaults that the declaration has. */
static const cx_node *with_defaults(cx_interp *in, const cx_node *definition, const cx_node *declared) {
  cx_node *n = pm_arena_memdup(in->arena, definition, sizeof(*n));
  if (n->n_items == 0) return n;
  n->items = pm_arena_memdup(in->arena, n->items, n->n_items * sizeof(*n->items));
  for (uint32_t i = 0; i < n->n_items && i < declared->n_items; i++) {
    if (n->items[i]->b || !declared->items[i]->b) continue;
    n->items[i] = pm_arena_memdup(in->arena, n->items[i], sizeof(*n->items[i]));
    n->items[i]->b = declared->items[i]->b;
  }
  return n;
}

void cx_declare_function(cx_interp *in, const cx_node *n) {
  cx_cell *known = n->b ? cx_find(in->scope, n->name) : NULL;
  bool completes = known && known->value.kind == CV_FUNCTION && !known->value.function->node->b;
  cx_function f = {completes ? with_defaults(in, n, known->value.function->node) : n, in->scope};
  cv value = {.kind = CV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
  if (completes)
    known->value = value;
  else
    cx_declare(in, in->scope, n->name, value);
}

/* using name = type, and using A::name. */
void cx_declare_alias(cx_interp *in, const cx_node *n) {
  if (n->a && n->a->kind == CX_TYPE) cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n->a});
}

void cx_declare_class(cx_interp *in, const cx_node *n) {
  CX_PUSH(in->arena, in->classes, n);
  if (n->name) cx_declare(in, in->scope, n->name, (cv){.kind = CV_CLASS, .node = n});
}
