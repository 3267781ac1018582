/* Types: UInt(8), Float(32) and what is asked of them. */
#include "frontends/halide/evaluate/evaluate.h"

#include <string.h>

static bool is_named(const cx_call *c, const char *name) {
  return strcmp(c->name->text, name) == 0;
}

static cv host_int(int64_t i) {
  return cv_int(PM_I32, i);
}

static cv self_of(const cx_call *c) {
  return c->self;
}

static cv type_bits(const cx_call *c) {
  unsigned bits = c->self.number == HV_NO_BITS ? 0 : cx_bits((pm_scalar)c->self.scalar);
  return host_int(is_named(c, "bytes") ? (bits + 7) / 8 : bits);
}

static cv type_is(const cx_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  bool is_float = cx_is_float(type), is_unsigned = cx_is_unsigned(type);
  if (is_named(c, "is_float")) return cv_bool(is_float);
  if (is_named(c, "is_bool")) return cv_bool(type == PM_I1);
  if (is_named(c, "is_uint")) return cv_bool(is_unsigned);
  if (is_named(c, "is_int")) return cv_bool(!is_float && !is_unsigned);
  return cv_bool(!is_float);
}

static cv type_lanes(const cx_call *c) {
  return is_named(c, "lanes") ? host_int(1) : cv_bool(is_named(c, "is_scalar"));
}

static cv type_code(const cx_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  const char *code = cx_is_float(type) ? "Type::Float" : cx_is_unsigned(type) ? "Type::UInt" : "Type::Int";
  return (cv){.kind = HV_WORD, .text = pm_get_cstring(c->in->ctx, code)};
}

/* can_represent(type) */
static cv type_can_represent(const cx_call *c) {
  pm_scalar narrow;
  if (!cx_takes(c, 1, 1) || !h_to_type(c->in, c->locs[0], c->args[0], &narrow)) return cv_poison;
  return cv_bool(h_can_represent((pm_scalar)c->self.scalar, narrow));
}

static cv type_with_bits(const cx_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  int64_t bits = cx_bits(type);
  if (is_named(c, "widen"))
    bits *= 2;
  else if (is_named(c, "narrow"))
    bits /= 2;
  else if (!cx_takes(c, 1, 1) || !cx_to_int(c->in, c->locs[0], c->args[0], &bits, "the number of bits"))
    return cv_poison;
  bool is_float = cx_is_float(type);
  if (is_float ? bits != 32 && bits != 64 : bits != 1 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
    return cx_fail(c->in, c->loc, "there is no type like %s of %lld bits", hx_type_name(type),
                   (long long)bits);
  if (is_float) return hv_type(bits == 32 ? PM_F32 : PM_F64);
  return hv_type(cx_integer((unsigned)bits, !cx_is_unsigned(type)));
}

static cv type_with_code(const cx_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  if (!cx_takes(c, 1, 1)) return cv_poison;
  const char *code = c->args[0].kind == HV_WORD ? c->args[0].text->text : "";
  bool is_float = strcmp(code, "Type::Float") == 0 || strcmp(code, "halide_type_float") == 0,
       is_int = strcmp(code, "Type::Int") == 0 || strcmp(code, "halide_type_int") == 0;
  if (!is_float && !is_int && strcmp(code, "Type::UInt") != 0 && strcmp(code, "halide_type_uint") != 0)
    return cx_fail(c->in, c->locs[0], "Type::Int, Type::UInt or Type::Float should be here");
  if (!is_float) return hv_type(cx_integer(cx_bits(type), is_int));
  if (cx_bits(type) == 32 || cx_bits(type) == 64) return hv_type(cx_bits(type) == 32 ? PM_F32 : PM_F64);
  return cx_fail(c->in, c->loc, "there is no float of %u bits here", cx_bits(type));
}

static cv type_extreme(const cx_call *c) {
  pm_scalar type = (pm_scalar)c->self.scalar;
  h_program *p = h_program_of(c->in);
  return hv_expr(is_named(c, "max") ? hx_greatest(p, c->loc, type) : hx_least(p, c->loc, type));
}

const cx_row h_type_rows[] = {{"bits", type_bits},
                              {"bytes", type_bits},
                              {"is_float", type_is},
                              {"is_int", type_is},
                              {"is_uint", type_is},
                              {"is_bool", type_is},
                              {"is_int_or_uint", type_is},
                              {"with_bits", type_with_bits},
                              {"with_code", type_with_code},
                              {"widen", type_with_bits},
                              {"narrow", type_with_bits},
                              {"element_of", self_of},
                              {"max", type_extreme},
                              {"min", type_extreme},
                              {"value", self_of},
                              {"lanes", type_lanes},
                              {"is_scalar", type_lanes},
                              {"is_vector", type_lanes},
                              {"is_handle", type_lanes},
                              {"code", type_code},
                              {"can_represent", type_can_represent},
                              {"set", h_set_param},
                              {NULL, NULL}};
