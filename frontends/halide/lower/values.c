/* Expressions to ops. */
#include "frontends/halide/lower/lower.h"

#include "dialects/arith/arith.h"
#include "dialects/math/math.h"

#include <stdlib.h>
#include <string.h>

/* --- as the kit sees them --- */

static kit_node other(const hx *e, const char *why) {
  return (kit_node){.kind = KIT_OTHER, .loc = e->loc, .why = why};
}

static kit_node show_var(const h_lowering *l, const hx *e) {
  for (unsigned d = 0; d < l->dims.n; d++)
    if (l->vars[d] == e->var)
      return (kit_node){.kind = KIT_NAME, .loc = e->loc, .name = l->dims.names[d]->text};
  return other(e, e->op == HX_RVAR ? "a dimension of another RDom" : "a Var");
}

static const char *why_not_affine(const hx *e) {
  switch (e->op) {
  case HX_FLOAT:
    return "a number that is not an integer";
  case HX_CALL:
    return "a value of a Func";
  case HX_PARAM:
    return "a parameter that is no int";
  case HX_MIN:
    return "a min";
  case HX_MAX:
    return "a max";
  case HX_SELECT:
    return "a select";
  case HX_CAST:
    return "a cast";
  default:
    return "a function of values";
  }
}

static bool is_scalar(const hx *e) {
  return e->op == HX_PARAM && !e->symbol->is_extent;
}

/* "a product with the parameter n (--range=n=2:2 makes it a number)" */
static kit_node other_with(const h_lowering *l, const hx *e, const char *what, const h_symbol *param) {
  const char *name = param->name->text;
  pm_buf text = {0};
  pm_buf_printf(&text, "%s the parameter %s (--range=%s=2:2 makes it a number)", what, name, name);
  pm_string why = pm_get_string(l->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return other(e, why->text);
}

/* A product or quotient that would be affine if a parameter were a number. */
static kit_node with_param(const h_lowering *l, const hx *e) {
  const hx *a = e->args[0], *b = e->args[1];
  if (e->op != HX_MUL) return other_with(l, e, "a division by", b->symbol);
  return other_with(l, e, "a product with", is_scalar(b) ? b->symbol : a->symbol);
}

static bool is_affine_but_for_param(const hx *e) {
  if (e->op == HX_DIV || e->op == HX_MOD) return is_scalar(e->args[1]);
  if (e->op != HX_MUL || !e->is_of_params) return false;
  const hx *a = e->args[0], *b = e->args[1];
  return a->op != HX_INT && b->op != HX_INT && (is_scalar(a) || is_scalar(b));
}

static kit_node show(const void *user, const void *expr) {
  static const kit_kind kinds[HX_ABS + 1] = {
      [HX_ADD] = KIT_ADD, [HX_SUB] = KIT_SUB, [HX_MUL] = KIT_MUL, [HX_DIV] = KIT_DIV,
      [HX_MOD] = KIT_MOD, [HX_EQ] = KIT_EQ,   [HX_NE] = KIT_NE,   [HX_LT] = KIT_LT,
      [HX_LE] = KIT_LE,   [HX_GT] = KIT_GT,   [HX_GE] = KIT_GE};
  const hx *e = expr;
  bool is_logical = e->type == PM_I1 && (e->op == HX_BIT_AND || e->op == HX_BIT_OR);
  if (is_logical)
    return (kit_node){
        .kind = e->op == HX_BIT_AND ? KIT_AND : KIT_OR, .loc = e->loc, .args = {e->args[0], e->args[1]}};
  if (e->op == HX_VAR || e->op == HX_RVAR) return show_var(user, e);
  bool compares_ints = e->op >= HX_EQ && e->op <= HX_GE && e->args[0]->type == PM_I32;
  if (e->type != PM_I32 && !compares_ints) return other(e, why_not_affine(e));
  if (e->op == HX_INT) return (kit_node){.kind = KIT_INT, .loc = e->loc, .value = e->i};
  const h_symbol *param = hx_param_of(e);
  if (param) return (kit_node){.kind = KIT_NAME, .loc = e->loc, .name = param->name->text};
  if (is_affine_but_for_param(e)) return with_param(user, e);
  bool divides = e->op == HX_DIV || e->op == HX_MOD; /* Euclidean: by a positive number it rounds down */
  if (!kinds[e->op] || (divides && (e->args[1]->op != HX_INT || e->args[1]->i <= 0)))
    return other(e, divides ? "a division by what is no positive constant" : why_not_affine(e));
  return (kit_node){.kind = kinds[e->op], .loc = e->loc, .args = {e->args[0], e->args[1]}};
}

kit_exprs h_lower_exprs(const h_lowering *l) {
  return (kit_exprs){show, l};
}

static kit_node show_bound(const void *user, const void *expr) {
  const hx *e = expr;
  bool is_extreme = e->type == PM_I32 && (e->op == HX_MIN || e->op == HX_MAX);
  if (!is_extreme) return show(user, expr);
  return (kit_node){
      .kind = e->op == HX_MIN ? KIT_MIN : KIT_MAX, .loc = e->loc, .args = {e->args[0], e->args[1]}};
}

kit_exprs h_lower_bounds(const h_lowering *l) {
  return (kit_exprs){show_bound, l};
}

/* --- indices --- */

static const pm_op_desc *binary_desc(const hx *e) {
  bool is_float = cx_is_float((pm_scalar)e->type);
  switch (e->op) {
  case HX_ADD:
    return is_float ? &arith_addf : &arith_addi;
  case HX_SUB:
    return is_float ? &arith_subf : &arith_subi;
  case HX_MUL:
    return is_float ? &arith_mulf : &arith_muli;
  case HX_DIV:
    return is_float ? &arith_divf : &arith_divi;
  case HX_MOD:
    return &arith_remi;
  case HX_TRUNC_DIV:
    return &arith_trunc_div;
  case HX_TRUNC_MOD:
    return &arith_trunc_rem;
  case HX_MIN:
    return is_float ? &arith_minf : &arith_mini;
  case HX_MAX:
    return is_float ? &arith_maxf : &arith_maxi;
  case HX_BIT_AND:
    return &arith_andi;
  case HX_BIT_OR:
    return &arith_ori;
  case HX_BIT_XOR:
    return &arith_xori;
  case HX_SHL:
    return &arith_shli;
  case HX_SHR:
    return &arith_shri;
  case HX_POW:
    return &math_pow;
  case HX_ATAN2:
    return &math_atan2;
  default:
    return NULL;
  }
}

static bool is_index_arithmetic(hx_op op) {
  switch (op) {
  case HX_ADD:
  case HX_SUB:
  case HX_MUL:
  case HX_DIV:
  case HX_MOD:
  case HX_MIN:
  case HX_MAX:
  case HX_SELECT:
    return true;
  default:
    return false;
  }
}

pm_type h_lower_type(const h_lowering *l, const h_symbol *s) {
  pm_type types[HX_MAX_ELEMENTS];
  for (unsigned i = 0; i < s->n_elements; i++) types[i] = pm_get_scalar(l->ctx, (pm_scalar)s->types[i]);
  return s->n_elements == 1 ? types[0] : pm_get_tuple(types, (uint16_t)s->n_elements);
}

/* The arithmetic of an index has 64 bits, as that of coordinates: Halide leaves open what int32 does not
 * hold. */
static pm_value *lower_index(h_lowering *l, hx *e) {
  pm_type index = pm_get_index(l->ctx);
  if (e->is_coordinate || e->type != PM_I32 || !is_index_arithmetic(e->op)) return h_lower_value(l, e);
  if (e->index_stamp == l->stamp) return e->index_value;
  pm_value *args[3] = {NULL}, *v = NULL;
  bool chooses = e->op == HX_SELECT;
  for (unsigned i = 0; i < e->n_args; i++) {
    args[i] = chooses && i == 0 ? h_lower_value(l, e->args[i]) : lower_index(l, e->args[i]);
    if (!args[i]) return NULL;
    l->builder.loc = e->loc;
    if (!chooses || i > 0) args[i] = arith_build_cast(&l->builder, args[i], index);
  }
  v = chooses ? arith_build_select(&l->builder, args[0], args[1], args[2])
              : pm_build_binary(&l->builder, binary_desc(e), args[0], args[1]);
  e->index_stamp = l->stamp;
  e->index_value = v;
  return v;
}

static pm_value *lower_operand(h_lowering *l, hx *e) {
  return e->op == HX_PARAM ? e->symbol->value : lower_index(l, e);
}

/* --- reads --- */

bool h_lower_indices(h_lowering *l, hx *const *args, unsigned n_args, pm_affine_map *map,
                     h_operands *operands) {
  const void *indices[KIT_MAX_DIMS];
  kit_exprs x = h_lower_exprs(l);
  for (unsigned d = 0; d < n_args; d++) indices[d] = args[n_args - 1 - d];
  kit_index plan = kit_plan_indices(&l->kit, &x, indices, n_args, l->program->arena);
  *map = plan.map;
  for (unsigned i = 0; i < plan.n_operands; i++) {
    pm_value *v = lower_operand(l, (hx *)plan.operands[i]);
    if (!v) return false;
    PM_VEC_PUSH(*operands, v);
  }
  return true;
}

static pm_attr boundary_of(h_lowering *l, const h_symbol *s) {
  static const char *const words[] = {
      [H_NONE] = "none",     [H_CLAMP] = "clamp",         [H_REPEAT] = "repeat",
      [H_MIRROR] = "mirror", [H_MIRROR101] = "mirror101", [H_CONSTANT] = ""};
  pm_attr items[KIT_MAX_DIMS];
  for (unsigned d = 0; d < s->n_dims; d++) {
    h_boundary mode = s->boundary[s->n_dims - 1 - d];
    pm_type type = pm_get_scalar(l->ctx, (pm_scalar)s->types[0]);
    if (mode != H_CONSTANT)
      items[d] = pm_get_string_attr(l->ctx, pm_str_of(words[mode]));
    else if (s->exterior->op == HX_INT)
      items[d] = pm_get_int(type, s->exterior->i);
    else
      items[d] = pm_get_float(type, s->exterior->f);
  }
  return pm_get_array(l->ctx, items, s->n_dims);
}

bool h_is_mode(const h_symbol *s) {
  if (!s->has_boundary || s->is_output) return false;
  return s->is_inlined || (!s->has_readers && !s->schedule);
}

static pm_value *lower_call(h_lowering *l, hx *e) {
  h_operands operands = {0};
  pm_affine_map map;
  pm_value *value = NULL;
  if (h_lower_indices(l, e->args, e->n_args, &map, &operands)) {
    const h_symbol *s = e->symbol, *moded = h_is_mode(s)                       ? s
                                            : l->self && l->self->has_boundary ? l->self
                                                                               : NULL;
    if (h_is_mode(s)) s = s->pure.values[0]->symbol;
    pm_attr boundary = moded ? boundary_of(l, moded) : NULL;
    l->builder.loc = e->loc;
    value = stage_build_read(&l->builder, s->is_apart ? s->whole_name : s->name, h_lower_type(l, s), map,
                             operands.data, boundary);
    value = pm_res(pm_def(value), e->element);
  }
  PM_VEC_FREE(operands);
  return value;
}

/* --- operations --- */

static const pm_op_desc *unary_desc(hx_op op) {
  switch (op) {
  case HX_SQRT:
    return &math_sqrt;
  case HX_EXP:
    return &math_exp;
  case HX_LOG:
    return &math_log;
  case HX_SIN:
    return &math_sin;
  case HX_COS:
    return &math_cos;
  case HX_TAN:
    return &math_tan;
  case HX_ASIN:
    return &math_asin;
  case HX_ACOS:
    return &math_acos;
  case HX_ATAN:
    return &math_atan;
  case HX_SINH:
    return &math_sinh;
  case HX_COSH:
    return &math_cosh;
  case HX_TANH:
    return &math_tanh;
  case HX_ASINH:
    return &math_asinh;
  case HX_ACOSH:
    return &math_acosh;
  case HX_ATANH:
    return &math_atanh;
  case HX_FLOOR:
    return &math_floor;
  case HX_CEIL:
    return &math_ceil;
  case HX_TRUNC:
    return &math_trunc;
  case HX_RINT:
    return &math_rint;
  case HX_ABS:
    return &math_abs;
  default:
    return NULL;
  }
}

/* Coordinates are of type index, among coordinates. */
static pm_type computed_type(const h_lowering *l, const hx *e) {
  if (e->is_coordinate && e->type == PM_I32) return pm_get_index(l->ctx);
  return pm_get_scalar(l->ctx, (pm_scalar)e->type);
}

/* The operand in the type in which the operation is computed: that of values, unless all is of coordinates.
 */
static pm_value *operand(h_lowering *l, hx *e, bool of_coordinates) {
  return of_coordinates ? h_lower_value(l, e) : h_lower_typed(l, e);
}

static bool all_coordinates(const hx *e) {
  for (unsigned i = 0; i < e->n_args; i++)
    if (!e->args[i]->is_coordinate) return false;
  return true;
}

static pm_value *lower_compare(h_lowering *l, hx *e) {
  static const arith_pred preds[] = {[HX_EQ] = ARITH_EQ, [HX_NE] = ARITH_NE, [HX_LT] = ARITH_LT,
                                     [HX_LE] = ARITH_LE, [HX_GT] = ARITH_GT, [HX_GE] = ARITH_GE};
  bool in_index = all_coordinates(e);
  pm_value *a = operand(l, e->args[0], in_index), *b = operand(l, e->args[1], in_index);
  if (!a || !b) return NULL;
  l->builder.loc = e->loc;
  return arith_build_cmp(&l->builder, preds[e->op], a, b);
}

static pm_value *lower_not(h_lowering *l, hx *e) {
  pm_value *a = h_lower_value(l, e->args[0]);
  if (!a) return NULL;
  l->builder.loc = e->loc;
  return pm_build_binary(&l->builder, &arith_xori, a, arith_build_int(&l->builder, pm_get_i1(l->ctx), 1));
}

static pm_value *lower_select(h_lowering *l, hx *e) {
  pm_value *c = h_lower_value(l, e->args[0]);
  pm_value *a = c ? operand(l, e->args[1], e->is_coordinate) : NULL,
           *b = a ? operand(l, e->args[2], e->is_coordinate) : NULL;
  if (!b) return NULL;
  l->builder.loc = e->loc;
  return arith_build_select(&l->builder, c, a, b);
}

static pm_value *lower_cast(h_lowering *l, hx *e) {
  pm_value *v = h_lower_value(l, e->args[0]);
  pm_type type = pm_get_scalar(l->ctx, (pm_scalar)e->type);
  if (!v) return NULL;
  l->builder.loc = e->loc;
  if (e->op == HX_CAST) return arith_build_cast(&l->builder, v, type);
  return pm_res(pm_build(&l->builder, &arith_sat_cast, &v, 1, &type, 1, NULL), 0);
}

static pm_value *lower_bitcast(h_lowering *l, hx *e) {
  pm_value *v = h_lower_typed(l, e->args[0]);
  pm_type type = pm_get_scalar(l->ctx, (pm_scalar)e->type);
  if (!v) return NULL;
  l->builder.loc = e->loc;
  return pm_res(pm_build(&l->builder, &arith_bitcast, &v, 1, &type, 1, NULL), 0);
}

static pm_value *lower_binary(h_lowering *l, hx *e) {
  pm_value *a = operand(l, e->args[0], e->is_coordinate),
           *b = a ? operand(l, e->args[1], e->is_coordinate) : NULL;
  if (!b) return NULL;
  l->builder.loc = e->loc;
  if (b->type != a->type) b = arith_build_cast(&l->builder, b, a->type); /* the amount of a shift */
  return pm_build_binary(&l->builder, binary_desc(e), a, b);
}

static pm_value *lower_unary(h_lowering *l, hx *e) {
  pm_value *a = h_lower_typed(l, e->args[0]);
  if (!a) return NULL;
  l->builder.loc = e->loc;
  return pm_build_unary(&l->builder, unary_desc(e->op), a);
}

static pm_value *lower_param(h_lowering *l, const hx *e) {
  pm_value *v = e->symbol->value;
  l->builder.loc = e->loc;
  return e->is_coordinate ? arith_build_cast(&l->builder, v, pm_get_index(l->ctx)) : v;
}

static pm_value *lower_var(h_lowering *l, const hx *e) {
  for (unsigned d = 0; d < l->dims.n; d++)
    if (l->vars[d] == e->var) return l->body->args[d];
  pm_error(l->ctx, e->loc, "%s has no value here", e->var->name->text);
  return NULL;
}

static pm_value *lower_zero(h_lowering *l, const hx *e) {
  pm_type type = computed_type(l, e);
  return cx_is_float((pm_scalar)e->type) ? arith_build_float(&l->builder, type, 0)
                                         : arith_build_int(&l->builder, type, 0);
}

static pm_value *lower_node(h_lowering *l, hx *e) {
  l->builder.loc = e->loc;
  switch (e->op) {
  case HX_INT:
    if (e->is_coordinate) return arith_build_index(&l->builder, e->i);
    return arith_build_int(&l->builder, computed_type(l, e), e->i);
  case HX_FLOAT:
    return arith_build_float(&l->builder, computed_type(l, e), e->f);
  case HX_UNDEF: /* outside of a boundary: any value is one */
    return lower_zero(l, e);
  case HX_VAR:
  case HX_RVAR:
    return lower_var(l, e);
  case HX_PARAM:
    return lower_param(l, e);
  case HX_CALL:
    return lower_call(l, e);
  case HX_NOT:
    return lower_not(l, e);
  case HX_SELECT:
    return lower_select(l, e);
  case HX_CAST:
  case HX_SAT_CAST:
    return lower_cast(l, e);
  case HX_BITCAST:
    return lower_bitcast(l, e);
  default:
    if (e->op >= HX_EQ && e->op <= HX_GE) return lower_compare(l, e);
    return binary_desc(e) ? lower_binary(l, e) : lower_unary(l, e);
  }
}

pm_value *h_lower_value(h_lowering *l, hx *e) {
  if (e->stamp == l->stamp) return e->value;
  pm_value *v = lower_node(l, e);
  e->stamp = l->stamp;
  e->value = v;
  return v;
}

pm_value *h_lower_typed(h_lowering *l, hx *e) {
  pm_value *v = h_lower_value(l, e);
  pm_type type = pm_get_scalar(l->ctx, (pm_scalar)e->type);
  if (!v || v->type == type) return v;
  l->builder.loc = e->loc;
  return arith_build_cast(&l->builder, v, type);
}
