/* Values: numbers, texts, lists, maps, and what they are taken for. */
#include "frontends/cxx/library.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/values/values.h"

#include <math.h>
#include <string.h>

/* --- scalar types --- */

bool cx_is_float(pm_scalar type) {
  return pm_get_scalar_info(type)->is_float;
}

bool cx_is_unsigned(pm_scalar type) {
  return type == PM_I1 || (type >= PM_U8 && type <= PM_U64);
}

unsigned cx_bits(pm_scalar type) {
  return pm_get_scalar_info(type)->bits;
}

pm_scalar cx_integer(unsigned bits, bool is_signed) {
  switch (bits) {
  case 1:
    return PM_I1;
  case 8:
    return is_signed ? PM_I8 : PM_U8;
  case 16:
    return is_signed ? PM_I16 : PM_U16;
  case 32:
    return is_signed ? PM_I32 : PM_U32;
  default:
    return is_signed ? PM_I64 : PM_U64;
  }
}

/* --- making and copying --- */

cv cv_int(pm_scalar type, int64_t i) {
  unsigned bits = cx_bits(type), unused = 64 - bits;
  if (type == PM_I1)
    i = i != 0;
  else if (bits < 64 && cx_is_unsigned(type))
    i = (int64_t)((uint64_t)i << unused >> unused);
  else if (bits < 64)
    i = (int64_t)((uint64_t)i << unused) >> unused;
  return (cv){.kind = CV_INT, .scalar = (uint8_t)type, .i = i};
}

cv cv_bool(bool b) {
  return cv_int(PM_I1, b);
}

cv cv_float(pm_scalar type, double f) {
  return (cv){.kind = CV_FLOAT, .scalar = (uint8_t)type, .f = type == PM_F32 ? (double)(float)f : f};
}

cv cv_one(pm_scalar type) {
  return cx_is_float(type) ? cv_float(type, 1) : cv_int(type, 1);
}

cv cv_text(pm_context *ctx, const char *text, size_t len) {
  return (cv){.kind = CV_STRING, .text = pm_get_string(ctx, (pm_str){text, len})};
}

cv cx_new_list(cx_interp *in, unsigned kind) {
  cv list = {.kind = (uint16_t)kind, .list = pm_arena_alloc(in->arena, sizeof(cx_list))};
  list.list->number = in->n_lists++;
  return list;
}

void cx_append(cx_interp *in, cv list, cv value) {
  CX_PUSH(in->arena, list.list->items, cx_new_cell(in, value));
}

/* Stops where the program has too much, which the next step reports. */
static cv copy_list(cx_interp *in, cv v) {
  cv copy = cx_new_list(in, v.kind);
  copy.scalar = v.scalar;
  copy.number = v.number;
  copy.list->of = v.list->of;
  copy.list->is_sorted = v.list->is_sorted;
  copy.list->is_set = v.list->is_set;
  for (uint32_t i = 0; i < v.list->items.len && pm_arena_bytes(in->arena) <= CX_MAX_BYTES; i++) {
    const cx_cell *from = v.list->items.data[i];
    cx_append(in, copy, cx_copy(in, from->value));
    copy.list->items.data[i]->type = from->type;
  }
  return copy;
}

/* A lambda that may change what it has captured: the copy has that for itself. */
static cv copy_lambda(cx_interp *in, cv v) {
  cx_function f = *v.function;
  f.scope = cx_push_local_scope(in, v.function->scope->outer);
  for (uint32_t i = 0; i < v.function->scope->names.len; i++) {
    cx_binding own = v.function->scope->names.data[i];
    if (own.cell->is_captured) {
      own.cell = pm_arena_memdup(in->arena, own.cell, sizeof(*own.cell));
      own.cell->value = cx_copy(in, own.cell->value);
    }
    CX_PUSH(in->arena, f.scope->names, own);
  }
  return (cv){.kind = CV_FUNCTION, .function = pm_arena_memdup(in->arena, &f, sizeof(f))};
}

cv cx_copy(cx_interp *in, cv v) {
  if (v.kind == CV_FUNCTION && v.function->node->kind == CX_LAMBDA && v.function->node->is_mutable)
    return copy_lambda(in, v);
  if (v.kind == CV_POINTER && v.scalar == 1 && v.cell) { /* an optional */
    cx_cell cell = *v.cell;
    cell.value = cx_copy(in, cell.value);
    v.cell = pm_arena_memdup(in->arena, &cell, sizeof(cell));
  }
  if (v.kind == CV_MAP || cx_is_sequence(in, v)) return copy_list(in, v);
  if (v.kind == CV_OBJECT && !v.object->instance->is_of_library) return in->copy_object(in, v, 0);
  return v;
}

bool cv_as_int(cv v, int64_t *out) {
  bool fits = v.kind == CV_INT || (v.f > -9.2e18 && v.f < 9.2e18);
  *out = v.kind == CV_INT ? v.i : fits ? (int64_t)v.f : 0;
  return fits;
}

double cv_as_double(cv v) {
  if (v.kind == CV_FLOAT) return v.f;
  return cx_is_unsigned((pm_scalar)v.scalar) ? (double)(uint64_t)v.i : (double)v.i;
}

double cv_rounded(pm_scalar type, cv v) {
  if (type != PM_F32) return cv_as_double(v);
  if (v.kind == CV_FLOAT) return (float)v.f;
  return cx_is_unsigned((pm_scalar)v.scalar) ? (float)(uint64_t)v.i : (float)v.i;
}

/* --- lists and maps --- */

cv cx_characters(cx_interp *in, cv text) {
  cv list = cx_new_list(in, CV_LIST);
  in->steps += text.text->len;
  for (size_t i = 0; i < text.text->len; i++) {
    cx_append(in, list, cv_int(PM_I8, text.text->text[i]));
    list.list->items.data[i]->is_const = true;
  }
  return list;
}

cx_cell *cx_list_cell(cx_interp *in, pm_loc loc, cv list, cv index) {
  int64_t i;
  if (in->is_trial && list.list->items.len > 0) return list.list->items.data[0];
  if (!cx_to_int(in, loc, index, &i, "the index")) return NULL;
  if (i >= 0 && i < (int64_t)list.list->items.len) return list.list->items.data[i];
  if (list.list->items.len == 0)
    cx_fail(in, loc, "the list has no items, number %lld is asked for", (long long)i);
  else
    cx_fail(in, loc, "the index is %lld, it should be 0 to %u", (long long)i, list.list->items.len - 1);
  return NULL;
}

cx_cell *cx_map_find(cx_interp *in, pm_loc loc, cv map, cv key) {
  in->steps += map.list->items.len / 2;
  for (uint32_t i = 0; i < map.list->items.len; i++) {
    cv pair = map.list->items.data[i]->value;
    if (pair.kind != CV_LIST || pair.list->items.len != 2) continue; /* the program has changed it */
    cv same = cx_binary(in, loc, CX_OP_EQ, pair.list->items.data[0]->value, key);
    if (same.kind == CV_INT && same.i) return pair.list->items.data[1];
  }
  return NULL;
}

/* --- words --- */

static const char *describe_number(cv v) {
  if (v.kind == CV_INT) return v.scalar == PM_I1 ? "a bool" : "an integer";
  return v.scalar == PM_F32 ? "a float" : "a double";
}

const char *cv_describe(const cx_interp *in, cv v) {
  static const char *const words[] = {[CV_POISON] = "wrong",
                                      [CV_VOID] = "nothing",
                                      [CV_STRING] = "a string",
                                      [CV_LIST] = "a list",
                                      [CV_MAP] = "a map",
                                      [CV_OBJECT] = "an object",
                                      [CV_FUNCTION] = "a function",
                                      [CV_BUILTIN] = "a function",
                                      [CV_CLASS] = "a class",
                                      [CV_IGNORED] = "a tag",
                                      [CV_NAMESPACE] = "a namespace",
                                      [CV_POINTER] = "a pointer",
                                      [CV_ITERATOR] = "an iterator",
                                      [CV_PACK] = "a pack"};
  const cx_class *of = cx_class_of(in, v);
  if (of) return of->describe ? of->describe(v) : of->what;
  return cv_is_number(v) ? describe_number(v) : words[v.kind];
}

/* --- what a value is taken for --- */

/* Of the library's integers those of signed types. */
static bool is_known_int(const cx_interp *in, cv v, int64_t *out) {
  cv number;
  if (!cx_constant(in, v, &number)) return false;
  *out = number.i;
  return !cx_is_unsigned((pm_scalar)number.scalar);
}

bool cx_to_int(cx_interp *in, pm_loc loc, cv v, int64_t *out, const char *what) {
  if (cv_is_number(v) && cv_as_int(v, out)) return true;
  if (cv_is_number(v)) {
    cx_fail(in, loc, "%s is %g, it should be an integer", what, v.f == v.f ? v.f : NAN);
    return false;
  }
  if (is_known_int(in, v, out)) return true;
  if (v.kind != CV_POISON)
    cx_fail(in, loc, "%s is %s, it should be an integer that is known while the program is compiled", what,
            cv_describe(in, v));
  return false;
}

bool cx_to_bool(cx_interp *in, pm_loc loc, cv v, bool *out) {
  const char *hint = in->library->condition;
  const cx_class *of = cx_class_of(in, v);
  bool is_literal = v.kind == CV_STRING && v.scalar == 1;
  if (is_literal || (of && of->is_address)) {
    *out = true;
    return true;
  }
  switch (v.kind) {
  case CV_INT:
    *out = v.i != 0;
    return true;
  case CV_FLOAT:
    *out = v.f != 0;
    return true;
  case CV_POINTER:
    *out = v.cell != NULL;
    return true;
  case CV_FUNCTION:
  case CV_BUILTIN:
    *out = true;
    return true;
  case CV_POISON:
    return false;
  default:
    cx_fail(in, loc, "the condition is %s, it should be known while the program is compiled%s",
            cv_describe(in, v), hint ? hint : "");
    return false;
  }
}
