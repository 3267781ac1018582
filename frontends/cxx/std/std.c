/* The table of C++'s library. */
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

static const cx_row *methods_of(unsigned kind) {
  return kind == CV_POINTER  ? std_pointer_rows
         : kind == CV_LIST   ? std_list_rows
         : kind == CV_MAP    ? std_map_rows
         : kind == CV_STRING ? std_text_rows
                             : NULL;
}

/* --- names --- */

/* Macros of C's headers. */
static bool find_number(pm_string name, cv *out) {
  static const struct {
    const char *name;
    pm_scalar type;
    int64_t i;
  } integers[] = {
      {"INT8_MIN", PM_I32, INT8_MIN},   {"INT8_MAX", PM_I32, INT8_MAX},   {"UINT8_MAX", PM_I32, UINT8_MAX},
      {"INT16_MIN", PM_I32, INT16_MIN}, {"INT16_MAX", PM_I32, INT16_MAX}, {"UINT16_MAX", PM_I32, UINT16_MAX},
      {"INT32_MIN", PM_I32, INT32_MIN}, {"INT32_MAX", PM_I32, INT32_MAX}, {"UINT32_MAX", PM_U32, UINT32_MAX},
      {"INT64_MIN", PM_I64, INT64_MIN}, {"INT64_MAX", PM_I64, INT64_MAX}, {"UINT64_MAX", PM_U64, -1},
      {"SCHAR_MIN", PM_I32, SCHAR_MIN}, {"SCHAR_MAX", PM_I32, SCHAR_MAX}, {"UCHAR_MAX", PM_I32, UCHAR_MAX},
      {"SHRT_MIN", PM_I32, SHRT_MIN},   {"SHRT_MAX", PM_I32, SHRT_MAX},   {"USHRT_MAX", PM_I32, USHRT_MAX},
      {"INT_MIN", PM_I32, INT_MIN},     {"INT_MAX", PM_I32, INT_MAX},     {"UINT_MAX", PM_U32, UINT_MAX},
      {"CHAR_BIT", PM_I32, CHAR_BIT}};
  static const struct {
    const char *name;
    pm_scalar type;
    double f;
  } floats[] = {{"M_PI", PM_F64, 3.14159265358979323846},
                {"INFINITY", PM_F32, INFINITY},
                {"NAN", PM_F32, NAN},
                {"FLT_MIN", PM_F32, FLT_MIN},
                {"FLT_MAX", PM_F32, FLT_MAX},
                {"FLT_EPSILON", PM_F32, FLT_EPSILON},
                {"DBL_MIN", PM_F64, DBL_MIN},
                {"DBL_MAX", PM_F64, DBL_MAX},
                {"DBL_EPSILON", PM_F64, DBL_EPSILON}};
  for (size_t i = 0; i < PM_COUNT(integers); i++)
    if (strcmp(name->text, integers[i].name) == 0) {
      *out = cv_int(integers[i].type, integers[i].i);
      return true;
    }
  for (size_t i = 0; i < PM_COUNT(floats); i++)
    if (strcmp(name->text, floats[i].name) == 0) {
      *out = cv_float(floats[i].type, floats[i].f);
      return true;
    }
  return false;
}

static bool find_name(cx_interp *in, const cx_node *n, cv *out) {
  pm_string name = n->name;
  static const char *const ignored[] = {"cout", "cerr", "endl", "stdout", "stderr"};
  if (std_find_trait(in, n, out)) return true;
  if (strcmp(name->text, "string::npos") == 0) {
    *out = cv_int(PM_U64, -1);
    return true;
  }
  if (strcmp(name->text, "nullopt") == 0) {
    *out = (cv){.kind = CV_POINTER};
    return true;
  }
  if (find_number(name, out)) return true;
  for (size_t i = 0; i < PM_COUNT(ignored); i++)
    if (strcmp(name->text, ignored[i]) == 0) {
      *out = (cv){.kind = CV_IGNORED};
      return true;
    }
  return false;
}

/* --- types --- */

static bool is_type(pm_string name) {
  static const char *const names[] = {"string", "vector", "array",    "map",          "pair",         "tuple",
                                      "set",    "stack",  "optional", "stringstream", "ostringstream"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(names[i], name->text) == 0) return true;
  return false;
}

static bool is_text_type(const cx_node *type) {
  return cx_is_named(type, "string") || cx_is_named(type, "string_view");
}

static bool is_optional_type(const cx_node *type) {
  return cx_is_named(type, "optional");
}

/* A value in a cell of its own, that copies do not share; without one the cell is NULL. */
static cv make_optional(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  cv one = {.kind = CV_POINTER, .scalar = 1};
  if (v.kind == CV_POISON) return v;
  if (v.kind == CV_POINTER && v.cell && v.scalar == 1) v = v.cell->value;
  if (v.kind == CV_POINTER && !v.cell) return one;
  one.cell = pm_arena_alloc(in->arena, sizeof(cx_cell));
  one.cell->type = cx_argument_of(type, 0);
  one.cell->value = cx_convert(in, loc, one.cell->type, v);
  return one;
}

static bool is_pointer_type(const cx_node *type) {
  return cx_is_named(type, "unique_ptr") || cx_is_named(type, "shared_ptr");
}

/* Its values are taken as they are. */
static bool is_open_type(const cx_node *type) {
  size_t len = type->name->len;
  bool is_iterator = len > 8 && strcmp(type->name->text + len - 8, "iterator") == 0;
  return is_iterator || is_pointer_type(type) || cx_is_named(type, "function");
}

static bool convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out) {
  if (is_optional_type(type))
    *out = make_optional(in, loc, type, v);
  else if (is_open_type(type) || std_is_stream_type(type))
    *out = v;
  else if (std_is_list_type(type))
    *out = std_to_list(in, loc, type, v);
  else if (std_is_map_type(type))
    *out = std_to_map(in, loc, type, v);
  else if (is_text_type(type))
    *out = std_to_text(in, loc, v);
  else
    return false;
  return true;
}

static bool construct(const cx_making *m, cv *out) {
  if (is_optional_type(m->type))
    *out = make_optional(m->in, m->loc, m->type, m->n_args > 0 ? m->args[0] : (cv){.kind = CV_POINTER});
  else if (std_is_stream_type(m->type))
    *out = std_make_stream(m);
  else if (std_is_list_type(m->type))
    *out = std_make_list(m);
  else if (std_is_map_type(m->type))
    *out = std_make_map(m);
  else if (is_text_type(m->type))
    *out = std_make_text(m);
  else if (is_open_type(m->type) && m->n_args != 1)
    *out = (cv){.kind = CV_POINTER};
  else
    return false;
  return true;
}

static bool suits(const cx_node *type, cv v, unsigned *how) {
  bool of_lists = cx_is_named(type, "vector"), of_texts = cx_is_named(type, "string");
  const cx_node *of = cx_argument_of(type, 0);
  if (of_lists && v.kind == CV_LIST && of && v.list->of) {
    *how = cx_same_type(of, v.list->of) ? 2 : 0;
    return true;
  }
  bool is_made = of_lists ? v.kind == CV_LIST && !v.list->of : v.scalar == 1; /* of {…}, of a literal */
  *how = v.kind != (of_lists ? CV_LIST : CV_STRING) ? of_texts && std_are_characters(v) : is_made ? 1 : 2;
  return of_lists || of_texts;
}

const cx_library cx_std = {.functions = std_functions,
                           .number_function = std_number_function,
                           .find_name = find_name,
                           .is_type = is_type,
                           .meant = std_meant,
                           .convert = convert,
                           .construct = construct,
                           .suits = suits,
                           .methods = methods_of,
                           .binary = std_write};
