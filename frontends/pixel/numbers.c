/* Numbers of each pixel: C's arithmetic on them as ops, and vectors of four. */
#include "dialects/arith/arith.h"
#include "dialects/math/math.h"
#include "frontends/cxx/types/types.h"
#include "frontends/pixel/pixel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of an affine expression of the host's numbers. */
enum { MOST_NODES = 24 };

/* --- numbers --- */

static px_body *body_of(const cx_interp *in) {
  return ((const px_state *)in->user)->body;
}

static cv new_number(cx_interp *in, pm_scalar type, px_number number) {
  number.of_host = !body_of(in)->y && (!number.affine || !px_has_dims(number.affine));
  return (cv){
      .kind = PX_NUMBER, .scalar = (uint8_t)type, .own = pm_arena_memdup(in->arena, &number, sizeof number)};
}

cv px_number_of(cx_interp *in, pm_scalar type, pm_value *value) {
  return new_number(in, type, (px_number){.value = value});
}

static cv affine_number(cx_interp *in, pm_scalar type, pm_affine_expr expr) {
  if (expr->kind == PM_AFFINE_CONST) return cv_int(type, expr->value);
  return new_number(in, type, (px_number){.affine = expr});
}

cv px_affine(cx_interp *in, pm_affine_expr expr) {
  return affine_number(in, PM_I32, expr);
}

bool px_has_dims(pm_affine_expr e) {
  if (e->kind == PM_AFFINE_DIM) return true;
  return e->lhs && (px_has_dims(e->lhs) || px_has_dims(e->rhs));
}

static px_number *number_of(cv v) {
  return v.own;
}

bool px_is_number(cv v) {
  return cv_is_number(v) || v.kind == PX_NUMBER;
}

pm_scalar px_type_of(cv v) {
  return (pm_scalar)v.scalar;
}

static const struct {
  const char *name, *described, *of_host;
} type_names[] = {[PM_I1] = {"bool", "a bool of each pixel", "a bool that the call decides"},
                  [PM_I8] = {"char", "a char of each pixel", "a char that the call decides"},
                  [PM_U8] = {"uchar", "a uchar of each pixel", "a uchar that the call decides"},
                  [PM_I16] = {"short", "a short of each pixel", "a short that the call decides"},
                  [PM_U16] = {"ushort", "a ushort of each pixel", "a ushort that the call decides"},
                  [PM_I32] = {"int", "an int of each pixel", "an int that the call decides"},
                  [PM_U32] = {"uint", "a uint of each pixel", "a uint that the call decides"},
                  [PM_I64] = {"long", "a long of each pixel", "a long that the call decides"},
                  [PM_U64] = {"ulong", "a ulong of each pixel", "a ulong that the call decides"},
                  [PM_F32] = {"float", "a float of each pixel", "a float that the call decides"},
                  [PM_F64] = {"double", "a double of each pixel", "a double that the call decides"}};

const char *px_type_name(pm_scalar type) {
  return type_names[type].name;
}

const char *px_describe(cv v) {
  return number_of(v)->of_host ? type_names[v.scalar].of_host : type_names[v.scalar].described;
}

/* A known number that stands for the types of C's rules. */
static cv like(cv v) {
  return cv_one(px_type_of(v));
}

static pm_builder *builder_of(cx_interp *in) {
  return &body_of(in)->b;
}

bool px_is_unknown(cv v) {
  return v.kind == PX_NUMBER;
}

static pm_value *build_affine(const px_state *s, pm_affine_expr e) {
  px_body *body = s->body;
  pm_builder *b = &body->b;
  if (e->kind == PM_AFFINE_CONST) return arith_build_index(b, e->value);
  if (e->kind == PM_AFFINE_DIM) return e->value ? body->x : body->y;
  if (e->kind == PM_AFFINE_SYM) return arith_build_cast(b, s->params[e->value], pm_get_index(e->ctx));
  const pm_op_desc *const ops[] = {[PM_AFFINE_ADD] = &arith_addi,
                                   [PM_AFFINE_MUL] = &arith_muli,
                                   [PM_AFFINE_FLOORDIV] = &arith_divi,
                                   [PM_AFFINE_MOD] = &arith_remi};
  return pm_build_binary(b, ops[e->kind], build_affine(s, e->lhs), build_affine(s, e->rhs));
}

void px_end_body(px_body *body) {
  if (body->copies) pm_map_free(body->copies);
  body->copies = NULL;
}

void px_count_read(cx_interp *in, pm_loc loc, px_body *body) {
  if (body->n_reads++ < PX_MOST_READS || in->stopped) return;
  cx_fail(in, loc, "the kernel has more than %d reads once its loops are unrolled, it should have fewer",
          PX_MOST_READS);
  in->stopped = true;
}

bool px_is_one_more(const pm_op *add, const pm_value *value) {
  if (!pm_is(add, &arith_addi) || pm_arg(add, 0) != value || pm_is_arg(pm_arg(add, 1))) return false;
  const pm_op *one = pm_def(pm_arg(add, 1));
  return pm_is(one, &arith_constant) && pm_attr_at(one, arith_constant_value)->i == 1;
}

static pm_region *region_of(const pm_value *v) {
  return pm_value_region(v);
}

/* A value of the body of another stage is computed anew in this one; what is known around both is there. */
static pm_value *value_here(px_body *body, pm_value *v) {
  if (pm_is_ancestor(region_of(v)->op, body->b.region->op)) return v;
  if (pm_is_arg(v)) return pm_value_index(v) ? body->x : body->y;
  if (!body->copies) body->copies = pm_map_new();
  if (pm_map_has(body->copies, v)) return pm_map_get(body->copies, v);
  pm_op *op = pm_def(v);
  pm_map *operands = pm_map_new();
  for (unsigned i = 0; i < op->n_operands; i++)
    pm_map_set(operands, pm_arg(op, i), value_here(body, pm_arg(op, i)));
  pm_op *copy = pm_clone(body->b.module, op, operands);
  pm_map_free(operands);
  pm_insert(body->b.region, body->b.before, copy);
  for (unsigned i = 0; i < op->n_results; i++) pm_map_set(body->copies, pm_res(op, i), pm_res(copy, i));
  return pm_map_get(body->copies, v);
}

static pm_value *unconverted(cx_interp *in, cv v) {
  px_number *n = number_of(v);
  pm_type type = pm_get_scalar(in->ctx, px_type_of(v));
  if (n->value && region_of(n->value) != builder_of(in)->region) {
    if (!n->affine) return value_here(body_of(in), n->value);
    return arith_build_cast(builder_of(in), build_affine(in->user, n->affine), type);
  }
  if (!n->value) n->value = arith_build_cast(builder_of(in), build_affine(in->user, n->affine), type);
  return n->value;
}

/* It has no dims, and is a number of the integer type for all values of the parameters. */
static bool fits(cx_interp *in, pm_affine_expr e, pm_scalar type) {
  const px_state *s = in->user;
  if (px_has_dims(e)) return false;
  if (e->kind == PM_AFFINE_CONST)
    return cv_int(type, e->value).i == e->value && (type != PM_U64 || e->value >= 0);
  return s->fits && s->fits(in, e, type);
}

/* All numbers of one integer type are of the other one. */
static bool widens(pm_scalar from, pm_scalar to) {
  if (cx_is_unsigned(from) == cx_is_unsigned(to)) return cx_bits(from) <= cx_bits(to);
  return cx_is_unsigned(from) && cx_bits(from) < cx_bits(to);
}

/* Few enough nodes; no parameter is a factor of another. */
static bool is_short(pm_affine_expr e, unsigned *most) {
  if (!*most || (e->kind == PM_AFFINE_MUL && e->rhs->kind != PM_AFFINE_CONST)) return false;
  --*most;
  return !e->lhs || (is_short(e->lhs, most) && is_short(e->rhs, most));
}

static pm_value *constant(cx_interp *in, pm_scalar type, cv v) {
  pm_type t = pm_get_scalar(in->ctx, type);
  int64_t whole = 0;
  if (cx_is_float(type)) return arith_build_float(builder_of(in), t, cv_rounded(type, v));
  (void)cv_as_int(v, &whole);
  if (type == PM_I1) return arith_build_int(builder_of(in), t, v.kind == CV_INT ? v.i != 0 : v.f != 0);
  return arith_build_int(builder_of(in), t, cv_int(type, whole).i);
}

pm_value *px_value_of(cx_interp *in, pm_loc loc, cv v, pm_scalar type) {
  if (v.kind == CV_POISON) return NULL;
  if (!px_is_number(v)) {
    cx_fail(in, loc, "this is %s, a number should be here", cv_describe(in, v));
    return NULL;
  }
  if (!body_of(in)) {
    cx_fail(in, loc, "a number of a pixel is used outside of kernel()");
    return NULL;
  }
  builder_of(in)->loc = loc;
  if (cv_is_number(v)) return constant(in, type, v);
  return arith_build_cast(builder_of(in), unconverted(in, v), pm_get_scalar(in->ctx, type));
}

cv px_convert(cx_interp *in, pm_loc loc, pm_scalar type, cv v) {
  int64_t whole;
  if (v.kind == CV_POISON) return v;
  if (v.kind == PX_NUMBER) {
    pm_affine_expr e = number_of(v)->affine;
    bool keeps =
        e && !cx_is_float(type) && cx_bits(type) >= 32 && (widens(px_type_of(v), type) || fits(in, e, type));
    if (type == px_type_of(v)) return v;
    if (keeps) return affine_number(in, type, e);
    pm_value *value = px_value_of(in, loc, v, type);
    return value ? px_number_of(in, type, value) : cv_poison;
  }
  if (!cv_is_number(v)) return cx_fail(in, loc, "this is %s, a number should be here", cv_describe(in, v));
  if (cx_is_float(type)) return cv_float(type, cv_rounded(type, v));
  if (type == PM_I1) return cv_bool(v.kind == CV_INT ? v.i != 0 : v.f != 0);
  if (cv_as_int(v, &whole)) return cv_int(type, whole);
  return cx_fail(in, loc, "this is %g, it should be near an integer", v.f);
}

/* --- arithmetic --- */

/* Quotient or remainder by a constant; a quotient of a quotient is one. */
static pm_affine_expr divided(cx_op op, pm_affine_expr a, pm_affine_expr b) {
  bool again = op == CX_OP_DIV && a->kind == PM_AFFINE_FLOORDIV && a->rhs->value <= INT32_MAX / b->value;
  if (again) return divided(op, a->lhs, pm_affine_const(a->ctx, a->rhs->value * b->value));
  pm_affine_expr e = pm_affine_binary(op == CX_OP_DIV ? PM_AFFINE_FLOORDIV : PM_AFFINE_MOD, a, b);
  return op == CX_OP_DIV ? pm_affine_divide_out(e) : e;
}

/* Sums, differences and products that stay affine, of parameters quotients, too; false: this one does not. */
static bool affine_of(cx_interp *in, cx_op op, cv a, cv b, cv *out) {
  pm_affine_expr e[2];
  const cv operands[] = {a, b};
  pm_scalar type = cx_usual_type(like(a), like(b));
  bool divides = op == CX_OP_DIV || op == CX_OP_MOD;
  if (op != CX_OP_ADD && op != CX_OP_SUB && op != CX_OP_MUL && !divides) return false;
  if (cx_is_float(type)) return false;
  for (unsigned i = 0; i < 2; i++) {
    bool known = operands[i].kind == CV_INT;
    e[i] = known                           ? pm_affine_const(in->ctx, operands[i].i)
           : operands[i].kind == PX_NUMBER ? number_of(operands[i])->affine
                                           : NULL;
    unsigned most = MOST_NODES;
    if (!e[i] || !is_short(e[i], &most)) return false;
  }
  bool of_call = !px_has_dims(e[0]) && !px_has_dims(e[1]);
  bool has_factor = e[0]->kind == PM_AFFINE_CONST || e[1]->kind == PM_AFFINE_CONST || of_call;
  if ((type != PM_I32 || divides) && !of_call) return false;
  if (op == CX_OP_MUL && !has_factor) return false;
  if (divides && (e[1]->kind != PM_AFFINE_CONST || e[1]->value < 1 || !fits(in, e[0], PM_U64))) return false;
  if (op == CX_OP_MUL && e[0]->kind == PM_AFFINE_CONST) e[0] = e[1], e[1] = pm_affine_const(in->ctx, a.i);
  if (op == CX_OP_SUB) e[1] = pm_affine_mul(e[1], pm_affine_const(in->ctx, -1));
  pm_affine_expr result = divides           ? divided(op, e[0], e[1])
                          : op == CX_OP_MUL ? pm_affine_mul(e[0], e[1])
                                            : pm_affine_add(e[0], e[1]);
  result = pm_affine_normalize(result);
  if (cx_is_unsigned(type) && !fits(in, result, type)) return false;
  *out = affine_number(in, type, result);
  return true;
}

static const pm_op_desc *op_of(cx_op op, bool is_float) {
  switch (op) {
  case CX_OP_ADD:
    return is_float ? &arith_addf : &arith_addi;
  case CX_OP_SUB:
    return is_float ? &arith_subf : &arith_subi;
  case CX_OP_MUL:
    return is_float ? &arith_mulf : &arith_muli;
  case CX_OP_DIV:
    return is_float ? &arith_divf : &arith_trunc_div;
  case CX_OP_MOD:
    return is_float ? NULL : &arith_trunc_rem;
  case CX_OP_SHL:
    return is_float ? NULL : &arith_shli;
  case CX_OP_SHR:
    return is_float ? NULL : &arith_shri;
  case CX_OP_BIT_AND:
    return is_float ? NULL : &arith_andi;
  case CX_OP_BIT_OR:
    return is_float ? NULL : &arith_ori;
  case CX_OP_BIT_XOR:
    return is_float ? NULL : &arith_xori;
  default:
    return NULL;
  }
}

static bool is_logical(cx_op op) {
  return op == CX_OP_AND || op == CX_OP_OR;
}

static cv compare(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  static const arith_pred preds[] = {[CX_OP_LT] = ARITH_LT, [CX_OP_LE] = ARITH_LE, [CX_OP_GT] = ARITH_GT,
                                     [CX_OP_GE] = ARITH_GE, [CX_OP_EQ] = ARITH_EQ, [CX_OP_NE] = ARITH_NE};
  pm_scalar type = cx_usual_type(like(a), like(b));
  pm_value *l = px_value_of(in, loc, a, type), *r = px_value_of(in, loc, b, type);
  return l && r ? px_number_of(in, PM_I1, arith_build_cmp(builder_of(in), preds[op], l, r)) : cv_poison;
}

static cv compute(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  bool is_shift = op == CX_OP_SHL || op == CX_OP_SHR;
  pm_scalar type = is_logical(op) ? PM_I1 : cx_usual_type(like(a), is_shift ? cv_int(PM_I32, 1) : like(b));
  const pm_op_desc *desc =
      is_logical(op) ? (op == CX_OP_AND ? &arith_andi : &arith_ori) : op_of(op, cx_is_float(type));
  if (!desc)
    return cx_fail(in, loc, "'%s' is for integers, one of these is %s", cx_op_text(op),
                   cx_is_float(px_type_of(a)) ? cv_describe(in, a) : cv_describe(in, b));
  pm_value *l = px_value_of(in, loc, a, type), *r = px_value_of(in, loc, b, type);
  return l && r ? px_number_of(in, type, pm_build_binary(builder_of(in), desc, l, r)) : cv_poison;
}

static cv numbers(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  cv out;
  if (cv_is_number(a) && cv_is_number(b)) return cx_binary(in, loc, op, a, b);
  if (affine_of(in, op, a, b, &out)) return out;
  if (op >= CX_OP_LT && op <= CX_OP_NE) return compare(in, loc, op, a, b);
  return compute(in, loc, op, a, b);
}

cv px_extreme(cx_interp *in, pm_loc loc, bool is_max, cv a, cv b) {
  pm_scalar type = px_type_of(a);
  bool is_float = cx_is_float(type);
  if (cv_is_number(a) && cv_is_number(b)) {
    cv takes_a = cx_binary(in, loc, is_max ? CX_OP_GT : CX_OP_LT, a, b);
    return takes_a.kind == CV_INT && takes_a.i ? a : px_convert(in, loc, type, b);
  }
  pm_value *l = px_value_of(in, loc, a, type), *r = px_value_of(in, loc, b, type);
  const pm_op_desc *desc =
      is_max ? (is_float ? &arith_maxf : &arith_maxi) : (is_float ? &arith_minf : &arith_mini);
  return l && r ? px_number_of(in, type, pm_build_binary(builder_of(in), desc, l, r)) : cv_poison;
}

cv px_select(cx_interp *in, pm_loc loc, cv condition, cv a, cv b) {
  pm_scalar type = px_type_of(a) == px_type_of(b) ? px_type_of(a) : cx_usual_type(like(a), like(b));
  pm_value *c = px_value_of(in, loc, condition, PM_I1), *x = px_value_of(in, loc, a, type),
           *y = px_value_of(in, loc, b, type);
  return c && x && y ? px_number_of(in, type, arith_build_select(builder_of(in), c, x, y)) : cv_poison;
}

bool px_to_scalar(cx_interp *in, pm_loc loc, pm_scalar type, cv v, cv *out) {
  if (v.kind == PX_UNKNOWN) return *out = v, true;
  if (v.kind != PX_NUMBER) return false;
  *out = px_convert(in, loc, type, v);
  return true;
}

/* --- vectors --- */

bool px_vector_type(const char *name, pm_scalar *lane) {
  static const struct {
    const char *name;
    pm_scalar lane;
  } rows[] = {{"char4", PM_I8},   {"uchar4", PM_U8},  {"short4", PM_I16}, {"ushort4", PM_U16},
              {"int4", PM_I32},   {"uint4", PM_U32},  {"long4", PM_I64},  {"ulong4", PM_U64},
              {"float4", PM_F32}, {"double4", PM_F64}};
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (strcmp(name, rows[i].name) == 0) return *lane = rows[i].lane, true;
  return false;
}

cv px_vector(cx_interp *in, pm_scalar lane, const cv *lanes) {
  cv v = cx_new_list(in, PX_VECTOR);
  v.scalar = (uint8_t)lane;
  for (unsigned i = 0; i < PX_LANES; i++) {
    cx_append(in, v, lanes[i]);
    v.list->items.data[i]->type = cx_type_of_value(in, like(v));
  }
  return v;
}

cx_cell *px_lane_cell(cv self, pm_string name) {
  static const char names[] = "xyzw";
  const char *at = name->len == 1 ? strchr(names, name->text[0]) : NULL;
  return self.kind == PX_VECTOR && at ? self.list->items.data[at - names] : NULL;
}

static cv lane_of(cv v, unsigned i) {
  return v.kind == PX_VECTOR ? v.list->items.data[i]->value : v;
}

/* The signed integer of that width. */
static pm_scalar mask_type(pm_scalar lane) {
  return cx_integer(cx_bits(lane), true);
}

/* Without promotion: each lane is computed as C does and then of the type again. */
static cv vectors(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  pm_scalar lane = px_type_of(a.kind == PX_VECTOR ? a : b);
  bool compares = op >= CX_OP_LT && op <= CX_OP_NE;
  cv lanes[PX_LANES];
  if (a.kind == b.kind && px_type_of(a) != px_type_of(b))
    return cx_fail(in, loc, "the lanes of the two vectors have different types, convert_… makes them equal");
  if (is_logical(op)) return cx_fail(in, loc, "'%s' is for scalars, this is a vector", cx_op_text(op));
  if ((a.kind != PX_VECTOR && !px_is_number(a)) || (b.kind != PX_VECTOR && !px_is_number(b))) {
    cv other = a.kind == PX_VECTOR ? b : a;
    return cx_fail(in, loc, "this is %s, a vector or a scalar should be here", cv_describe(in, other));
  }
  for (unsigned i = 0; i < PX_LANES; i++) {
    cv l = px_convert(in, loc, lane, lane_of(a, i)), r = px_convert(in, loc, lane, lane_of(b, i));
    cv result = l.kind == CV_POISON || r.kind == CV_POISON ? cv_poison : numbers(in, loc, op, l, r);
    lanes[i] = px_convert(in, loc, compares ? mask_type(lane) : lane, result);
    if (lanes[i].kind == CV_POISON) return cv_poison;
  }
  return px_vector(in, compares ? mask_type(lane) : lane, lanes);
}

/* --- operators --- */

bool px_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out) {
  bool is_vector = a.kind == PX_VECTOR || b.kind == PX_VECTOR;
  if (a.kind == PX_UNKNOWN || b.kind == PX_UNKNOWN) return *out = (cv){.kind = PX_UNKNOWN}, true;
  bool are_numbers = px_is_number(a) && px_is_number(b);
  if (!is_vector && !are_numbers) return false;
  *out = is_vector ? vectors(in, loc, op, a, b) : numbers(in, loc, op, a, b);
  return true;
}

cv px_operate(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b) {
  cv out;
  return px_binary(in, loc, op, a, b, &out) ? out : cv_poison;
}

static cv unary_number(cx_interp *in, pm_loc loc, cx_op op, cv a) {
  if (cv_is_number(a)) return cx_unary(in, loc, op, a);
  pm_scalar type = op == CX_OP_NOT ? PM_I1 : cx_usual_type(like(a), cv_int(PM_I32, 1));
  if (op == CX_OP_ADD) return px_convert(in, loc, type, a);
  if (op == CX_OP_SUB && !cx_is_float(type)) return numbers(in, loc, CX_OP_SUB, cv_int(type, 0), a);
  if (op == CX_OP_BIT_NOT && cx_is_float(type))
    return cx_fail(in, loc, "'~' is for integers, this is a float");
  pm_value *v = px_value_of(in, loc, a, type);
  if (!v) return cv_poison;
  pm_builder *b = builder_of(in);
  if (op == CX_OP_SUB) return px_number_of(in, type, pm_build_unary(b, &arith_negf, v));
  pm_value *ones = arith_build_int(b, v->type, op == CX_OP_NOT ? 1 : -1);
  return px_number_of(in, type, pm_build_binary(b, &arith_xori, v, ones));
}

bool px_unary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv *out) {
  cv lanes[PX_LANES];
  if (op != CX_OP_ADD && op != CX_OP_SUB && op != CX_OP_NOT && op != CX_OP_BIT_NOT) return false;
  if (a.kind == PX_UNKNOWN) return *out = a, true;
  if (a.kind == PX_NUMBER) return *out = unary_number(in, loc, op, a), true;
  if (a.kind != PX_VECTOR) return false;
  for (unsigned i = 0; i < PX_LANES; i++)
    lanes[i] = px_convert(in, loc, px_type_of(a), unary_number(in, loc, op, lane_of(a, i)));
  *out = op == CX_OP_NOT ? cx_fail(in, loc, "'!' is for scalars, this is a vector")
                         : px_vector(in, px_type_of(a), lanes);
  return true;
}

/* --- functions of numbers --- */

typedef struct function {
  const char *name;
  const pm_op_desc *op;
  unsigned n;
} function;

static const function functions[] = {
    {"exp", &math_exp, 1},     {"log", &math_log, 1},    {"sqrt", &math_sqrt, 1},   {"pow", &math_pow, 2},
    {"fabs", &math_abs, 1},    {"sin", &math_sin, 1},    {"cos", &math_cos, 1},     {"tan", &math_tan, 1},
    {"asin", &math_asin, 1},   {"acos", &math_acos, 1},  {"atan", &math_atan, 1},   {"atan2", &math_atan2, 2},
    {"floor", &math_floor, 1}, {"ceil", &math_ceil, 1},  {"round", &math_round, 1}, {"trunc", &math_trunc, 1},
    {"rint", &math_rint, 1},   {"sinh", &math_sinh, 1},  {"cosh", &math_cosh, 1},   {"tanh", &math_tanh, 1},
    {"fmin", &arith_minf, 2},  {"fmax", &arith_maxf, 2}, {"fma", &math_fma, 3}};

/* With an `f` behind it, too. */
static const function *find_function(const char *name) {
  for (size_t i = 0; i < PM_COUNT(functions); i++) {
    size_t len = strlen(functions[i].name);
    if (strncmp(name, functions[i].name, len) == 0 && (!name[len] || strcmp(name + len, "f") == 0))
      return &functions[i];
  }
  return NULL;
}

/* Of C++: floats of float, doubles of all else; with an `f` of float. */
static cv call_function(const cx_call *c, const function *f, const cv *args) {
  bool is_single = strcmp(c->name->text + strlen(f->name), "f") == 0, all_single = true;
  pm_value *values[3];
  for (unsigned i = 0; i < f->n; i++) {
    if (!px_is_number(args[i]))
      return cx_fail(c->in, c->locs[i], "this is %s, a number should be here", cv_describe(c->in, args[i]));
    all_single = all_single && px_type_of(args[i]) == PM_F32;
  }
  pm_scalar type = is_single || all_single ? PM_F32 : PM_F64;
  for (unsigned i = 0; i < f->n; i++)
    if (!(values[i] = px_value_of(c->in, c->loc, args[i], type))) return cv_poison;
  pm_type result = pm_get_scalar(c->in->ctx, type);
  pm_op *op = pm_build(builder_of(c->in), f->op, values, f->n, &result, 1, NULL);
  return px_number_of(c->in, type, pm_res(op, 0));
}

static cv do_function(const cx_call *c) {
  const function *f = find_function(c->name->text);
  cv lanes[PX_LANES], args[3];
  bool is_vector = false;
  if (!cx_takes(c, f->n, f->n)) return cv_poison;
  for (unsigned i = 0; i < f->n; i++) is_vector = is_vector || c->args[i].kind == PX_VECTOR;
  if (!is_vector) return call_function(c, f, c->args);
  for (unsigned k = 0; k < PX_LANES; k++) {
    for (unsigned i = 0; i < f->n; i++) args[i] = lane_of(c->args[i], k);
    lanes[k] = call_function(c, f, args);
    if (lanes[k].kind == CV_POISON) return cv_poison;
  }
  return px_vector(c->in, px_type_of(lanes[0]), lanes);
}

/* log2f(x) */
static cv do_log2(const cx_call *c) {
  if (!cx_takes(c, 1, 1)) return cv_poison;
  cx_call log = *c;
  bool is_single = strcmp(c->name->text, "log2f") == 0 || px_type_of(c->args[0]) == PM_F32;
  log.name = pm_get_cstring(c->in->ctx, is_single ? "logf" : "log");
  return numbers(c->in, c->loc, CX_OP_DIV, do_function(&log),
                 cv_float(is_single ? PM_F32 : PM_F64, is_single ? (double)logf(2) : 0.69314718055994530942));
}

static cv absolute(const cx_call *c, cv v) {
  pm_scalar type = cx_usual_type(like(v), cv_int(PM_I32, 1));
  if (cx_is_float(type)) return call_function(c, find_function("fabs"), &v);
  cv less = numbers(c->in, c->loc, CX_OP_LT, v, cv_int(PM_I32, 0));
  v = px_convert(c->in, c->loc, type, v);
  return px_select(c->in, c->loc, less, numbers(c->in, c->loc, CX_OP_SUB, cv_int(type, 0), v), v);
}

static cv do_abs(const cx_call *c) {
  if (!cx_takes(c, 1, 1)) return cv_poison;
  if (c->args[0].kind == PX_NUMBER) return absolute(c, c->args[0]);
  return cx_fail(c->in, c->locs[0], "this is %s, a number should be here", cv_describe(c->in, c->args[0]));
}

/* Of two of one type, vectors too, or of a vector and its scalar. */
static cv do_extreme(const cx_call *c) {
  bool is_max = strcmp(c->name->text, "max") == 0;
  cv lanes[PX_LANES];
  if (!cx_takes(c, 2, 2)) return cv_poison;
  cv a = c->args[0], b = c->args[1];
  if (a.kind != PX_VECTOR && b.kind != PX_VECTOR) {
    if (!px_is_number(a) || !px_is_number(b) || px_type_of(a) != px_type_of(b))
      return cx_fail(c->in, c->loc, "%s has %s and %s, two numbers of one type should be here", c->name->text,
                     cv_describe(c->in, a), cv_describe(c->in, b));
    return px_extreme(c->in, c->loc, is_max, a, b);
  }
  pm_scalar lane = px_type_of(a.kind == PX_VECTOR ? a : b);
  for (unsigned i = 0; i < PX_LANES; i++)
    lanes[i] = px_extreme(c->in, c->loc, is_max, px_convert(c->in, c->loc, lane, lane_of(a, i)),
                          px_convert(c->in, c->loc, lane, lane_of(b, i)));
  return px_vector(c->in, lane, lanes);
}

/* std::clamp(v, low, high) of three of one type. */
static cv do_clamp(const cx_call *c) {
  if (!cx_takes(c, 3, 3)) return cv_poison;
  for (unsigned i = 0; i < 3; i++)
    if (!px_is_number(c->args[i]) || px_type_of(c->args[i]) != px_type_of(c->args[0]))
      return cx_fail(c->in, c->locs[i], "clamp has %s and %s, three numbers of one type should be here",
                     cv_describe(c->in, c->args[0]), cv_describe(c->in, c->args[i]));
  cv v = c->args[0], low = c->args[1], high = c->args[2];
  cv above = cx_choose_value(c->in, c->loc, numbers(c->in, c->loc, CX_OP_LT, high, v), high, v);
  return cx_choose_value(c->in, c->loc, numbers(c->in, c->loc, CX_OP_LT, v, low), low, above);
}

/* make_uchar4(a, b, c, d), make_uchar4(a), convert_uchar4(v) */
static cv do_make(const cx_call *c) {
  bool converts = strncmp(c->name->text, "convert_", 8) == 0;
  cv lanes[PX_LANES];
  pm_scalar lane;
  if (!px_vector_type(c->name->text + (converts ? 8 : 5), &lane)) return cv_poison;
  if (c->n_args != 1 && (converts || c->n_args != PX_LANES))
    return cx_fail(c->in, c->loc, "%s has %u arguments, it should have %s", c->name->text, c->n_args,
                   converts ? "a vector" : "1 or 4");
  for (unsigned i = 0; i < PX_LANES; i++) {
    lanes[i] = px_convert(c->in, c->loc, lane, lane_of(c->args[c->n_args == 1 ? 0 : i], i));
    if (lanes[i].kind == CV_POISON) return cv_poison;
  }
  return px_vector(c->in, lane, lanes);
}

cx_handler px_math(const cx_interp *in, pm_string name) {
  pm_scalar lane;
  const char *text = name->text;
  (void)in;
  if (strcmp(text, "min") == 0 || strcmp(text, "max") == 0) return do_extreme;
  if (strcmp(text, "abs") == 0) return do_abs;
  if (strcmp(text, "clamp") == 0) return do_clamp;
  if (strcmp(text, "log2") == 0 || strcmp(text, "log2f") == 0) return do_log2;
  if (strncmp(text, "make_", 5) == 0 && px_vector_type(text + 5, &lane)) return do_make;
  if (strncmp(text, "convert_", 8) == 0 && px_vector_type(text + 8, &lane)) return do_make;
  return find_function(text) ? do_function : NULL;
}

/* --- variables --- */

/* The cell, or an item of the array that it has. */
static bool has_cell(const cx_interp *in, const cx_cell *in_cell, const cx_cell *cell) {
  bool has = in_cell == cell;
  if (!cx_is_sequence(in, in_cell->value)) return has;
  for (uint32_t i = 0; i < in_cell->value.list->items.len && !has; i++)
    has = has_cell(in, in_cell->value.list->items.data[i], cell);
  return has;
}

bool px_is_in_scope(const cx_interp *in, const cx_cell *cell) {
  for (const cx_scope *s = in->scope; s; s = s->outer)
    for (uint32_t i = 0; i < s->names.len; i++)
      if (has_cell(in, s->names.data[i].cell, cell)) return true;
  return false;
}
