/* Packs of parameters, and what `a...` stands for [temp.variadic]. */
#include "frontends/cxx/types/types.h"

enum { MAX_DEPTH = 100 };

static pm_string first_part(cx_interp *in, pm_string name) {
  const char *end = strstr(name->text, "::");
  return end ? pm_get_string(in->ctx, (pm_str){name->text, (size_t)(end - name->text)}) : name;
}

static void add_pack(cx_interp *in, pm_string name, cx_expansion *out) {
  cx_cell *cell = cx_find(in, in->scope, first_part(in, name));
  if (!cell || cell->value.kind != CV_PACK) return;
  for (uint32_t i = 0; i < out->packs.len; i++)
    if (out->packs.data[i].cell == cell) return;
  cx_binding b = {.name = first_part(in, name), .cell = cell};
  CX_PUSH(in->arena, out->packs, b);
}

/* The packs that the pattern names, but for those of expansions in it. */
static void find_packs(cx_interp *in, const cx_node *n, unsigned depth, cx_expansion *out) {
  bool has_own = n && (n->kind == CX_EXPANSION || n->kind == CX_FOLD || (n->kind == CX_SIZEOF && n->is_long));
  if (!n || has_own || depth > MAX_DEPTH) return;
  in->steps++;
  if ((n->kind == CX_NAME || n->kind == CX_TYPE) && n->name) add_pack(in, n->name, out);
  const cx_node *const parts[] = {n->a, n->b, n->kind == CX_TYPE ? NULL : n->c};
  for (size_t i = 0; i < PM_COUNT(parts); i++) find_packs(in, parts[i], depth + 1, out);
  for (uint32_t i = 0; i < n->n_items; i++) find_packs(in, n->items[i], depth + 1, out);
}

bool cx_has_packs(cx_interp *in, const cx_node *pattern) {
  cx_expansion e = {0};
  find_packs(in, pattern, 0, &e);
  return e.packs.len > 0;
}

bool cx_begin_expansion(cx_interp *in, pm_loc loc, const cx_node *pattern, cx_expansion *out) {
  *out = (cx_expansion){.outside = in->scope};
  find_packs(in, pattern, 0, out);
  if (out->packs.len == 0) {
    cx_fail(in, loc, "'...' is here, what it follows should have a pack");
    return false;
  }
  out->n = out->packs.data[0].cell->value.list->items.len;
  for (uint32_t i = 1; i < out->packs.len; i++) {
    uint32_t n = out->packs.data[i].cell->value.list->items.len;
    if (n == out->n) continue;
    cx_fail(in, loc, "the pack '%s' has %u parameters and '%s' %u, they should have as many",
            out->packs.data[0].name->text, out->n, out->packs.data[i].name->text, n);
    return false;
  }
  return true;
}

void cx_expand_to(cx_interp *in, const cx_expansion *e, uint32_t i) {
  in->scope = cx_push_local_scope(in, e->outside);
  for (uint32_t k = 0; k < e->packs.len; k++)
    cx_bind(in, in->scope, e->packs.data[k].name, e->packs.data[k].cell->value.list->items.data[i],
            PM_NO_LOC);
}

void cx_end_expansion(cx_interp *in, const cx_expansion *e) {
  in->scope = e->outside;
}

/* --- arguments of templates --- */

cx_node **cx_closed_arguments(cx_interp *in, cx_node *const *items, uint32_t n, uint32_t *n_out) {
  CX_VEC(cx_node *) all = {0};
  for (uint32_t i = 0; i < n; i++) {
    cx_expansion e;
    if (items[i]->kind != CX_EXPANSION) {
      CX_PUSH(in->arena, all, cx_closed_argument(in, items[i]));
      continue;
    }
    bool ok = cx_begin_expansion(in, items[i]->loc, items[i]->a, &e);
    for (uint32_t k = 0; ok && k < e.n; k++) {
      cx_expand_to(in, &e, k);
      CX_PUSH(in->arena, all, cx_closed_argument(in, items[i]->a));
    }
    cx_end_expansion(in, &e);
  }
  *n_out = all.len;
  return all.data;
}

cv cx_pack_of(cx_interp *in, const cx_node *param, cx_node *const *arguments, uint32_t n) {
  cv pack = {.kind = CV_PACK, .list = pm_arena_alloc(in->arena, sizeof(cx_list))};
  for (uint32_t i = 0; i < n; i++)
    CX_PUSH(in->arena, pack.list->items, cx_new_cell(in, cx_value_of_argument(in, param, arguments[i])));
  return pack;
}

/* --- functions --- */

const cx_node *cx_with_parameters(cx_interp *in, const cx_node *function, cx_node *const *types, uint32_t n) {
  cx_node *expanded = pm_arena_memdup(in->arena, function, sizeof(*expanded));
  const cx_node *pack = function->items[function->n_items - 1];
  expanded->n_items = function->n_items - 1 + n;
  expanded->items = pm_arena_alloc(in->arena, (expanded->n_items + 1) * sizeof(*expanded->items));
  memcpy(expanded->items, function->items, (function->n_items - 1) * sizeof(*expanded->items));
  for (uint32_t i = 0; i < n; i++) {
    cx_node *one = pm_arena_memdup(in->arena, pack, sizeof(*one));
    one->is_long = false;
    one->is_static = true;
    if (types) one->a = types[i];
    expanded->items[function->n_items - 1 + i] = one;
  }
  expanded->is_long = true;
  expanded->s = (cx_node *)pack;
  return expanded;
}
