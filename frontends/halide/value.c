/* Values of the host code, and scopes. */
#include "frontends/halide/interp.h"

#include <stdarg.h>
#include <string.h>

const char *const h_namespaces[] = {"Halide", "Internal", NULL};

const hv hv_poison = {.kind = HV_POISON};
const hv hv_void = {.kind = HV_VOID};

void h_interp_init(h_interp *in, pm_context *ctx, const halide_options *options) {
  *in = (h_interp){.ctx = ctx, .arena = pm_arena_new(), .options = options};
  in->program = (h_program){.ctx = ctx,
                            .arena = in->arena,
                            .vars = pm_map_new(),
                            .reported = pm_map_new(),
                            .has_groups = options->has_groups};
  in->globals = in->scope = hv_push_scope(in, NULL);
  in->globals->cells = pm_map_new();
  in->namespaces = pm_map_new();
}

void h_interp_free(h_interp *in) {
  pm_map_free(in->program.vars);
  pm_map_free(in->program.reported);
  pm_map_free(in->globals->cells);
  pm_map_free(in->namespaces);
  pm_arena_free(in->arena);
}

hv hv_int(pm_scalar type, int64_t i) {
  unsigned bits = hx_bits(type), unused = 64 - bits;
  if (type == PM_I1)
    i = i != 0;
  else if (bits < 64 && hx_is_unsigned_type(type))
    i = (int64_t)((uint64_t)i << unused >> unused);
  else if (bits < 64)
    i = (int64_t)((uint64_t)i << unused) >> unused;
  return (hv){.kind = HV_INT, .scalar = (uint8_t)type, .i = i};
}

hv hv_bool(bool b) {
  return hv_int(PM_I1, b);
}

hv hv_float(pm_scalar type, double f) {
  return (hv){.kind = HV_FLOAT, .scalar = (uint8_t)type, .f = type == PM_F32 ? (double)(float)f : f};
}

hv hv_text(pm_context *ctx, const char *text, size_t len) {
  return (hv){.kind = HV_STRING, .text = pm_get_string(ctx, (pm_str){text, len})};
}

hv hv_expr(hx *e) {
  return (hv){.kind = HV_EXPR, .expr = e};
}

hv hv_symbol(h_symbol *s) {
  static const hv_kind kinds[] = {[H_FUNC] = HV_FUNC, [H_BUFFER] = HV_BUFFER, [H_PARAM] = HV_PARAM};
  return (hv){.kind = kinds[s->kind], .symbol = s};
}

hv_cell *hv_new_cell(h_interp *in, hv value) {
  hv_cell *cell = pm_arena_alloc(in->arena, sizeof(*cell));
  cell->value = value;
  return cell;
}

hv hv_new_list(h_interp *in, hv_kind kind) {
  return (hv){.kind = kind, .list = pm_arena_alloc(in->arena, sizeof(hv_list))};
}

void hv_append(h_interp *in, hv list, hv value) {
  H_PUSH(in->arena, list.list->items, hv_new_cell(in, value));
}

hv_cell *h_map_find(h_interp *in, pm_loc loc, hv map, hv key) {
  in->steps += map.list->items.len / 2;
  for (uint32_t i = 0; i < map.list->items.len; i++) {
    hv pair = map.list->items.data[i]->value;
    if (pair.kind != HV_LIST || pair.list->items.len != 2) continue; /* the program has changed it */
    hv same = h_binary(in, loc, CX_OP_EQ, pair.list->items.data[0]->value, key);
    if (same.kind == HV_INT && same.i) return pair.list->items.data[1];
  }
  return NULL;
}

/* Stops where the program has too much, which the next step reports. */
static hv copy_list(h_interp *in, hv v) {
  hv copy = hv_new_list(in, v.kind);
  copy.list->of = v.list->of;
  for (uint32_t i = 0; i < v.list->items.len && pm_arena_bytes(in->arena) <= H_MAX_BYTES; i++) {
    const hv_cell *from = v.list->items.data[i];
    hv_append(in, copy, hv_copy(in, from->value));
    copy.list->items.data[i]->type = from->type;
  }
  return copy;
}

static hv copy_object(h_interp *in, hv v) {
  hv copy = {.kind = HV_OBJECT, .object = pm_arena_alloc(in->arena, sizeof(hv_object))};
  const hv_scope *from = v.object->members;
  copy.object->node = v.object->node;
  copy.object->members = hv_push_scope(in, from->outer);
  copy.object->members->object = copy.object;
  for (uint32_t i = 0; i < from->names.len; i++) {
    const hv_binding *b = &from->names.data[i];
    hv_cell *cell = hv_declare(in, copy.object->members, b->name, hv_copy(in, b->cell->value));
    cell->type = b->cell->type;
  }
  return copy;
}

hv hv_copy(h_interp *in, hv v) {
  if (v.kind == HV_LIST || v.kind == HV_MAP || v.kind == HV_TUPLE) return copy_list(in, v);
  if (v.kind == HV_OBJECT && !v.object->is_generator) return copy_object(in, v);
  return v;
}

bool hv_is_number(hv v) {
  return v.kind == HV_INT || v.kind == HV_FLOAT;
}

bool hv_as_int(hv v, int64_t *out) {
  bool fits = v.kind == HV_INT || (v.f > -9.2e18 && v.f < 9.2e18);
  *out = v.kind == HV_INT ? v.i : fits ? (int64_t)v.f : 0;
  return fits;
}

unsigned h_max_edits(pm_string name) {
  return name->len < 3 ? 0 : name->len < 6 ? 1 : 2;
}

static const char *describe_number(hv v) {
  if (v.kind == HV_INT) return v.scalar == PM_I1 ? "a bool" : "an integer";
  return v.scalar == PM_F32 ? "a float" : "a double";
}

const char *hv_describe(hv v) {
  static const char *const words[] = {[HV_POISON] = "wrong",
                                      [HV_VOID] = "nothing",
                                      [HV_STRING] = "a string",
                                      [HV_TYPE] = "a Type",
                                      [HV_EXPR] = "an Expr",
                                      [HV_VAR] = "a Var",
                                      [HV_RDOM] = "an RDom",
                                      [HV_FUNC] = "a Func",
                                      [HV_BUFFER] = "a buffer",
                                      [HV_PARAM] = "a parameter",
                                      [HV_REF] = "a call of a Func",
                                      [HV_TUPLE] = "a Tuple",
                                      [HV_LIST] = "a list",
                                      [HV_MAP] = "a map",
                                      [HV_OBJECT] = "an object",
                                      [HV_FUNCTION] = "a function",
                                      [HV_CLASS] = "a class",
                                      [HV_DIM] = "a dimension",
                                      [HV_STAGE] = "a stage of a Func",
                                      [HV_WORD] = "an enumerator",
                                      [HV_TARGET] = "a Target",
                                      [HV_LEVEL] = "a LoopLevel",
                                      [HV_IGNORED] = "a tag",
                                      [HV_POINTER] = "a pointer",
                                      [HV_ITERATOR] = "an iterator"};
  if (hv_is_number(v)) return describe_number(v);
  if (v.kind == HV_EXPR && !v.expr) return "an Expr that is not defined";
  return words[v.kind];
}

/* --- scopes --- */

hv_cell *hv_find(const hv_scope *scope, pm_string name) {
  for (; scope && !scope->cells; scope = scope->outer)
    for (uint32_t i = scope->names.len; i > 0; i--)
      if (scope->names.data[i - 1].name == name) return scope->names.data[i - 1].cell;
  return scope ? pm_map_get(scope->cells, name) : NULL;
}

void hv_bind(h_interp *in, hv_scope *scope, pm_string name, hv_cell *cell, pm_loc loc) {
  hv_binding b = {name, cell, loc};
  H_PUSH(in->arena, scope->names, b);
  if (scope->cells) pm_map_set(scope->cells, name, cell);
}

hv_cell *hv_declare(h_interp *in, hv_scope *scope, pm_string name, hv value) {
  hv_cell *cell = hv_new_cell(in, value);
  hv_bind(in, scope, name, cell, PM_NO_LOC);
  return cell;
}

hv_scope *hv_push_scope(h_interp *in, hv_scope *outer) {
  hv_scope *scope = pm_arena_alloc(in->arena, sizeof(*scope));
  scope->outer = outer;
  return scope;
}

hv h_fail(h_interp *in, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  if (!in->stopped) h_error(&in->program, loc, "%s", text.data);
  if (++in->failures > H_MAX_FAILURES) in->stopped = true; /* a loop comes here again and again */
  pm_buf_free(&text);
  return hv_poison;
}
