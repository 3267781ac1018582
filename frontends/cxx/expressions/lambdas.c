/* Lambdas: what they capture. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/values/values.h"

/* --- the names in a body --- */

typedef CX_VEC(cx_node *) nodes;

static void collect(cx_interp *in, const cx_node *n, pm_map *seen, nodes *out) {
  if (!n) return;
  if (n->kind == CX_NAME && n->name && !pm_map_has(seen, n->name)) {
    pm_map_set(seen, n->name, out);
    CX_PUSH(in->arena, *out, (cx_node *)n);
  }
  const cx_node *parts[] = {n->a, n->b, n->kind == CX_LAMBDA ? n->c : NULL,
                            n->kind == CX_LAMBDA ? NULL : n->c};
  for (size_t i = 0; i < PM_COUNT(parts); i++) collect(in, parts[i], seen, out);
  for (uint32_t i = 0; i < n->n_items; i++) collect(in, n->items[i], seen, out);
}

/* A BLOCK of NAMEs, each once; looked for once for a lambda. */
static const cx_node *names_in(cx_interp *in, const cx_node *lambda) {
  const cx_node *known = pm_map_get(in->used_names, lambda);
  if (known) return known;
  nodes all = {0};
  pm_map *seen = pm_map_new();
  collect(in, lambda->b, seen, &all);
  for (uint32_t i = 0; i < lambda->n_items; i++) collect(in, lambda->items[i]->b, seen, &all);
  pm_map_free(seen);
  cx_node block = {.kind = CX_BLOCK, .items = all.data, .n_items = all.len};
  cx_node *kept = pm_arena_memdup(in->arena, &block, sizeof(block));
  pm_map_set(in->used_names, lambda, kept);
  return kept;
}

/* --- captures --- */

/* The variable of the functions around; NULL: the name is none, and is found from the lambda, too. */
static cx_cell *local_cell(cx_scope *scope, pm_string name) {
  for (; scope && scope->is_local; scope = scope->outer)
    for (uint32_t i = scope->names.len; i > 0; i--)
      if (scope->names.data[i - 1].name == name) return scope->names.data[i - 1].cell;
  return NULL;
}

static void capture_cell(cx_interp *in, cx_scope *into, pm_string name, cx_cell *cell, bool by_reference,
                         bool is_mutable) {
  if (by_reference || cell->value.kind == CV_CLASS) {
    cx_bind(in, into, name, cell, PM_NO_LOC);
    return;
  }
  if (cell->value.kind == CV_PACK) {
    cx_cell *pack = cx_declare(in, into, name, cx_new_list(in, CV_PACK));
    for (uint32_t i = 0; i < cell->value.list->items.len; i++) {
      const cx_cell *from = cell->value.list->items.data[i];
      cx_append(in, pack->value, cx_copy(in, from->value));
      pack->value.list->items.data[i]->type = from->type;
      pack->value.list->items.data[i]->is_const = from->is_const || !is_mutable;
    }
    return;
  }
  cx_cell *copy = cx_declare(in, into, name, cx_copy(in, cell->value));
  copy->type = cell->type;
  copy->is_captured = true;
  copy->is_const = cell->is_const || !is_mutable;
}

static void capture_named(cx_interp *in, cx_scope *into, const cx_node *n, bool is_mutable) {
  cx_cell *cell = n->b ? NULL : local_cell(in->scope, n->name);
  if (n->b) {
    bool is_list = n->b->kind == CX_LIST && n->b->n_items == 1;
    cv v = cx_eval_place(in, is_list ? n->b->items[0] : n->b, &cell);
    if (!cell || !n->is_reference) cell = cx_new_cell(in, v);
  }
  if (cell) capture_cell(in, into, n->name, cell, n->is_reference, is_mutable);
}

/* Functions and types in functions are seen without being captured, as constants are. */
static bool needs_no_capture(const cx_cell *cell) {
  return cell->is_const || cell->is_static || cell->value.kind == CV_CLASS ||
         (cell->value.kind == CV_FUNCTION && cell->value.function->node->kind == CX_FUNCTION);
}

cv cx_eval_lambda(cx_interp *in, const cx_node *n) {
  const cx_node *names = names_in(in, n), *captures = n->c;
  cx_scope *around = in->scope;
  while (around && around->is_local) around = around->outer;
  cx_scope *scope = cx_push_local_scope(in, around);
  for (uint32_t i = 0; i < captures->n_items; i++)
    if (captures->items[i]->kind == CX_NAME) capture_named(in, scope, captures->items[i], n->is_mutable);
  for (uint32_t i = 0; i < names->n_items; i++) {
    pm_string name = names->items[i]->name;
    cx_cell *cell = local_cell(in->scope, name);
    bool is_listed = false;
    for (uint32_t k = 0; k < scope->names.len; k++) is_listed |= scope->names.data[k].name == name;
    if (!cell || is_listed || (captures->op == CX_OP_NONE && !needs_no_capture(cell))) continue;
    capture_cell(in, scope, name, cell, captures->op != CX_OP_NE || cell->is_static, n->is_mutable);
  }
  cx_function f = {n, scope};
  return (cv){.kind = CV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
}
