/* Types and functions of OpenCL C. */
#include "frontends/cxx/types/types.h"
#include "frontends/imagecl/imagecl.h"

#include <string.h>

/* --- types --- */

static const char *const integers[][2] = {
    {"uchar", "uint8_t"}, {"ushort", "uint16_t"}, {"uint", "uint32_t"}, {"ulong", "uint64_t"}};

bool ic_is_type(pm_string name) {
  for (size_t i = 0; i < PM_COUNT(integers); i++)
    if (strcmp(integers[i][0], name->text) == 0) return true;
  return strcmp(name->text, "Image") == 0 || strcmp(name->text, "Pixel") == 0;
}

const cx_node *ic_meant(cx_interp *in, const cx_node *type) {
  for (size_t i = 0; type->name && i < PM_COUNT(integers); i++) {
    if (strcmp(type->name->text, integers[i][0]) != 0) continue;
    cx_node *meant = pm_arena_memdup(in->arena, type, sizeof *type);
    meant->name = pm_get_cstring(in->ctx, integers[i][1]);
    return meant;
  }
  return NULL;
}

/* --- arguments --- */

/* All are numbers; false after a diagnostic. */
static bool takes_numbers(const cx_call *c, unsigned n) {
  if (!cx_takes(c, n, n)) return false;
  for (unsigned i = 0; i < n; i++) {
    cv ignored;
    if (px_is_number(c->args[i])) continue;
    if (!ic_to_scalar(c->in, c->locs[i], PM_F32, c->args[i], &ignored) && c->args[i].kind != CV_POISON)
      cx_fail(c->in, c->locs[i], "this is %s, a number should be here", cv_describe(c->in, c->args[i]));
    return false;
  }
  return true;
}

/* The type that C computes in with all of them. */
static pm_scalar common_type(const cv *args, unsigned n) {
  pm_scalar type = px_type_of(args[0]);
  for (unsigned i = 1; i < n; i++)
    if (px_type_of(args[i]) != type) type = cx_usual_type(cv_one(type), cv_one(px_type_of(args[i])));
  return type;
}

static void convert_all(const cx_call *c, pm_scalar type, cv *out) {
  for (unsigned i = 0; i < c->n_args; i++) out[i] = px_convert(c->in, c->locs[i], type, c->args[i]);
}

/* Floats of doubles where one is a double, else of floats. */
static pm_scalar float_type(const cv *args, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (px_type_of(args[i]) == PM_F64) return PM_F64;
  return PM_F32;
}

static cv operate(const cx_call *c, cx_op op, cv a, cv b) {
  return px_operate(c->in, c->loc, op, a, b);
}

/* --- functions --- */

/* Of two types it is the common one. */
static cv do_extreme(const cx_call *c) {
  cv v[2];
  if (!takes_numbers(c, 2)) return cv_poison;
  convert_all(c, common_type(c->args, 2), v);
  return px_extreme(c->in, c->loc, strcmp(c->name->text, "max") == 0, v[0], v[1]);
}

static cv do_clamp(const cx_call *c) {
  cv v[3];
  if (!takes_numbers(c, 3)) return cv_poison;
  convert_all(c, common_type(c->args, 3), v);
  return px_extreme(c->in, c->loc, false, px_extreme(c->in, c->loc, true, v[0], v[1]), v[2]);
}

static cv do_mad(const cx_call *c) {
  if (!takes_numbers(c, 3)) return cv_poison;
  return operate(c, CX_OP_ADD, operate(c, CX_OP_MUL, c->args[0], c->args[1]), c->args[2]);
}

/* a + (b - a) * t */
static cv do_mix(const cx_call *c) {
  cv v[3];
  if (!takes_numbers(c, 3)) return cv_poison;
  convert_all(c, float_type(c->args, 3), v);
  return operate(c, CX_OP_ADD, v[0], operate(c, CX_OP_MUL, operate(c, CX_OP_SUB, v[1], v[0]), v[2]));
}

/* select(a, b, c): b where c holds */
static cv do_select(const cx_call *c) {
  cv v[2];
  if (!takes_numbers(c, 3)) return cv_poison;
  cx_call values = *c;
  values.n_args = 2;
  convert_all(&values, common_type(c->args, 2), v);
  if (cv_is_number(c->args[2])) return cv_as_double(c->args[2]) != 0 ? v[1] : v[0];
  return px_select(c->in, c->loc, c->args[2], v[1], v[0]);
}

/* A function of frontends/pixel or of C++, by another name. */
static cv call_named(const cx_call *c, const char *name, cv *args, unsigned n) {
  cx_call call = *c;
  bool found;
  call.name = pm_get_cstring(c->in->ctx, name);
  call.args = args;
  call.n_args = n;
  if (!cx_all_numbers(&call)) return px_math(c->in, call.name)(&call);
  return cx_call_library(&call, &found);
}

static cv do_rsqrt(const cx_call *c) {
  cv v[1];
  if (!takes_numbers(c, 1)) return cv_poison;
  pm_scalar type = float_type(c->args, 1);
  convert_all(c, type, v);
  return operate(c, CX_OP_DIV, cv_float(type, 1), call_named(c, "sqrt", v, 1));
}

static cv do_hypot(const cx_call *c) {
  cv v[2];
  if (!takes_numbers(c, 2)) return cv_poison;
  convert_all(c, float_type(c->args, 2), v);
  cv sum = operate(c, CX_OP_ADD, operate(c, CX_OP_MUL, v[0], v[0]), operate(c, CX_OP_MUL, v[1], v[1]));
  return call_named(c, "sqrt", &sum, 1);
}

/* --- convert_T, convert_T_sat, convert_T_rte --- */

/* The type behind `convert_`, and what follows it. */
static bool find_conversion(const char *text, pm_scalar *type, const char **rest) {
  static const char *const names[] = {"char", "uchar", "short", "ushort", "int",
                                      "uint", "long",  "ulong", "float",  "double"};
  static const pm_scalar types[] = {PM_I8,  PM_U8,  PM_I16, PM_U16, PM_I32,
                                    PM_U32, PM_I64, PM_U64, PM_F32, PM_F64};
  if (strncmp(text, "convert_", 8) != 0) return false;
  for (size_t i = 0; i < PM_COUNT(names); i++) {
    size_t n = strlen(names[i]);
    if (strncmp(text + 8, names[i], n) != 0 || (text[8 + n] && text[8 + n] != '_')) continue;
    *type = types[i];
    *rest = text + 8 + n;
    return true;
  }
  return false;
}

static cv do_convert(const cx_call *c) {
  static const char *const modes[][2] = {
      {"_rte", "rint"}, {"_rtz", "trunc"}, {"_rtp", "ceil"}, {"_rtn", "floor"}};
  pm_scalar type;
  const char *rest;
  if (!takes_numbers(c, 1) || !find_conversion(c->name->text, &type, &rest)) return cv_poison;
  cv v = c->args[0];
  bool saturates = strncmp(rest, "_sat", 4) == 0;
  if (saturates) rest += 4;
  for (size_t i = 0; i < PM_COUNT(modes); i++) {
    if (strcmp(rest, modes[i][0]) != 0) continue;
    if (cx_is_float(px_type_of(v)) && !cx_is_float(type)) v = call_named(c, modes[i][1], &v, 1);
    rest = "";
  }
  if (*rest || (saturates && (cx_is_float(type) || cx_bits(type) > 16)))
    return cx_fail(c->in, c->loc,
                   "'%s' is not supported, _sat of 8 and 16 bits and _rte, _rtz, _rtp, _rtn are",
                   c->name->text);
  if (saturates) {
    int64_t most = (1 << (cx_is_unsigned(type) ? cx_bits(type) : cx_bits(type) - 1)) - 1;
    cv bounds[] = {v, cv_int(PM_I32, cx_is_unsigned(type) ? 0 : -most - 1), cv_int(PM_I32, most)};
    pm_loc locs[] = {c->loc, c->loc, c->loc};
    cx_call clamp = *c;
    clamp.args = bounds;
    clamp.locs = locs;
    clamp.n_args = 3;
    v = do_clamp(&clamp);
  }
  return px_convert(c->in, c->loc, type, v);
}

/* --- the others --- */

/* Without `native_` and `half_`. */
static const char *plain_name(const char *name) {
  if (strncmp(name, "native_", 7) == 0) return name + 7;
  return strncmp(name, "half_", 5) == 0 ? name + 5 : name;
}

static cv do_abs(const cx_call *c) {
  return takes_numbers(c, 1) ? call_named(c, "abs", c->args, 1) : cv_poison;
}

/* Of floats: integers become some. */
static cv do_float_function(const cx_call *c) {
  cv v[3];
  if (!cx_takes(c, 1, 3) || !takes_numbers(c, c->n_args)) return cv_poison;
  convert_all(c, float_type(c->args, c->n_args), v);
  return call_named(c, plain_name(c->name->text), v, c->n_args);
}

cx_handler ic_math(const cx_interp *in, pm_string name) {
  static const cx_row rows[] = {{"min", do_extreme}, {"max", do_extreme}, {"clamp", do_clamp},
                                {"mad", do_mad},     {"mix", do_mix},     {"select", do_select},
                                {"rsqrt", do_rsqrt}, {"hypot", do_hypot}, {"abs", do_abs}};
  const char *plain = plain_name(name->text), *rest;
  pm_scalar type;
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (strcmp(rows[i].name, plain) == 0) return rows[i].call;
  if (find_conversion(name->text, &type, &rest)) return do_convert;
  if (strncmp(plain, "make_", 5) == 0 || strncmp(plain, "convert_", 8) == 0) return NULL;
  return px_math(in, pm_get_cstring(in->ctx, plain)) ? do_float_function : NULL;
}
