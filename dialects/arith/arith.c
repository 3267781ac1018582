/* The arith dialect: descriptors, the forms and checks that the rows do not give, and builders. */
#include "dialects/arith/arith.h"

#include "ir/text.h"

#include <stdlib.h>
#include <string.h>

#define PM_DIALECT arith
#define PM_DIALECT_DEF "dialects/arith/arith.def"
#include "ir/define_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

const pm_dialect arith_dialect = {
    .name = "arith", .ops = arith_op_table, .doc = "scalar and vector arithmetic; signedness is in the type"};

/* --- predicates --- */

static const char *const pred_names[] = {"eq", "ne", "lt", "le", "gt", "ge"};

const char *arith_pred_name(arith_pred pred) {
  return pred_names[pred];
}

/* PM_COUNT(pred_names) when unknown. */
static unsigned find_pred(const char *name) {
  unsigned i = 0;
  while (i < PM_COUNT(pred_names) && strcmp(pred_names[i], name) != 0) i++;
  return i;
}

arith_pred arith_cmp_pred(const pm_op *cmp) {
  unsigned pred = find_pred(pm_sym_at(cmp, arith_cmp_predicate)->text);
  if (pred == PM_COUNT(pred_names)) pm_panic(cmp, "comparison with an unknown predicate");
  return (arith_pred)pred;
}

/* --- checks --- */

/* Both scalar, or vectors with one number of lanes. */
static bool same_shape(pm_type a, pm_type b) {
  return a->cls == b->cls && a->lanes == b->lanes;
}

bool arith_constant_verify(const pm_op *op) {
  pm_attr value = pm_attr_at(op, arith_constant_value);
  pm_type type = pm_res(op, 0)->type;
  if (value->t == type || value->t == pm_elem_type(type)) return true;
  return pm_op_error(op, "has a value of type %pT but a result of type %pT", (const void *)value->t,
                     (const void *)type);
}

bool arith_cmp_verify(const pm_op *op) {
  pm_string pred = pm_sym_at(op, arith_cmp_predicate);
  if (find_pred(pred->text) == PM_COUNT(pred_names))
    return pm_op_error(op, "has the predicate '%pS'; it should be one of eq, ne, lt, le, gt, ge",
                       (const void *)pred);
  pm_type wanted = pm_with_scalar(pm_arg(op, arith_cmp_lhs)->type, PM_I1), type = pm_res(op, 0)->type;
  if (type == wanted) return true;
  return pm_op_error(op, "has a result of type %pT; for these operands it should be %pT", (const void *)type,
                     (const void *)wanted);
}

bool arith_select_verify(const pm_op *op) {
  pm_type a = pm_arg(op, arith_select_a)->type, b = pm_arg(op, arith_select_b)->type;
  pm_type condition = pm_arg(op, arith_select_condition)->type, type = pm_res(op, 0)->type;
  if (a != b || type != a)
    return pm_op_error(op,
                       "chooses between %pT and %pT with a result of type %pT; the three should be one type",
                       (const void *)a, (const void *)b, (const void *)type);
  if (condition->cls == PM_TYPE_SCALAR || same_shape(condition, a)) return true;
  return pm_op_error(op, "has a condition of type %pT; it should be i1 or %pT", (const void *)condition,
                     (const void *)pm_with_scalar(a, PM_I1));
}

static bool verify_conversion(const pm_op *op) {
  pm_type from = pm_arg(op, 0)->type, to = pm_res(op, 0)->type;
  if (same_shape(from, to)) return true;
  return pm_op_error(op, "converts %pT to %pT; both should have one shape", (const void *)from,
                     (const void *)to);
}

bool arith_cast_verify(const pm_op *op) {
  return verify_conversion(op);
}
bool arith_sat_cast_verify(const pm_op *op) {
  return verify_conversion(op);
}

bool arith_bitcast_verify(const pm_op *op) {
  pm_type from = pm_arg(op, 0)->type, to = pm_res(op, 0)->type;
  if (same_shape(from, to) &&
      pm_get_scalar_info((pm_scalar)from->scalar)->bits == pm_get_scalar_info((pm_scalar)to->scalar)->bits)
    return true;
  return pm_op_error(op, "takes the bits of %pT as %pT; both should have one shape and width",
                     (const void *)from, (const void *)to);
}

/* --- constant: ` 3 : i32`, ` true`, and as a splat ` 3 : i32 : vector<8xi32>`, ` true : vector<8xi1>` --- */

/* The value as a number of the scalar type: splats are kept and written so. */
static pm_attr scalar_value(pm_attr value) {
  pm_type elem = pm_elem_type(value->t);
  if (value->t == elem) return value;
  return value->cls == PM_ATTR_INT ? pm_get_int(elem, value->i) : pm_get_float(elem, value->f);
}

void arith_constant_print(struct pm_printer *p, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  pm_p_attr_dict(p, op, (const char *const[]){"value", NULL});
  pm_p(p, " %pA", (const void *)scalar_value(pm_attr_at(op, arith_constant_value)));
  if (type->cls == PM_TYPE_VECTOR) pm_p(p, " : %pT", (const void *)type);
}

bool arith_constant_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_attr value;
  if (!pm_q_opt_attr_dict(p, state)) return false;
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_attr(p, NULL, &value)) return false;
  if (value->cls != PM_ATTR_INT && value->cls != PM_ATTR_FLOAT)
    return pm_q_error(p, loc, "%pA is not a number; a constant is written `3 : i32`", (const void *)value);
  pm_type type = value->t;
  if (pm_q_opt_punct(p, ":") && !pm_q_type(p, &type)) return false;
  pm_state_attr(pm_q_context(p), state, "value", value);
  PM_VEC_PUSH(state->results, type);
  return true;
}

/* --- cmp: ` lt, %a, %b : f32` --- */

void arith_cmp_print(struct pm_printer *p, const pm_op *op) {
  pm_p(p, " %pS, ", (const void *)pm_sym_at(op, arith_cmp_predicate));
  pm_p_values(p, pm_operands(op), op->n_operands);
  pm_p_attr_dict(p, op, (const char *const[]){"predicate", NULL});
  pm_p(p, " : %pT", (const void *)pm_arg(op, arith_cmp_lhs)->type);
}

/* ` %a, %b` up to the type: appends the names; counts them. */
static bool parse_operand_list(struct pm_parser *p, pm_operand_refs *refs, size_t n, const char *what) {
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_operands(p, refs)) return false;
  return refs->len == n || pm_q_error(p, loc, "%s has %zu operands; it should have %zu", what, refs->len, n);
}

static bool parse_cmp_operands(struct pm_parser *p, struct pm_op_state *state, pm_operand_refs *refs) {
  pm_type type;
  if (!parse_operand_list(p, refs, arith_cmp_N_ARGS, "a comparison")) return false;
  if (!pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":") || !pm_q_type(p, &type)) return false;
  for (size_t i = 0; i < refs->len; i++)
    if (!pm_q_resolve(p, &refs->data[i], type, state)) return false;
  PM_VEC_PUSH(state->results, pm_is_memref(type) ? type : pm_with_scalar(type, PM_I1));
  return true;
}

bool arith_cmp_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_string pred;
  if (!pm_q_name(p, &pred) || !pm_q_punct(p, ",")) return false;
  pm_context *ctx = pm_q_context(p);
  pm_state_attr(ctx, state, "predicate", pm_get_string_attr(ctx, (pm_str){pred->text, pred->len}));
  pm_operand_refs refs = {0};
  bool ok = parse_cmp_operands(p, state, &refs);
  PM_VEC_FREE(refs);
  return ok;
}

/* --- select: ` %c, %a, %b : f32`, and with a vector ` %c, %a, %b : vector<8xi1>, vector<8xf32>` --- */

void arith_select_print(struct pm_printer *p, const pm_op *op) {
  pm_type condition = pm_arg(op, arith_select_condition)->type, type = pm_res(op, 0)->type;
  pm_p(p, " ");
  pm_p_values(p, pm_operands(op), op->n_operands);
  pm_p_attr_dict(p, op, NULL);
  pm_p(p, " : ");
  if (type->cls == PM_TYPE_VECTOR) pm_p(p, "%pT, ", (const void *)condition);
  pm_p(p, "%pT", (const void *)type);
}

/* `type` or `condition type, type`. */
static bool parse_select_types(struct pm_parser *p, pm_type *condition, pm_type *type) {
  *condition = pm_get_i1(pm_q_context(p));
  if (!pm_q_punct(p, ":") || !pm_q_type(p, type)) return false;
  if (!pm_q_opt_punct(p, ",")) return true;
  *condition = *type;
  return pm_q_type(p, type);
}

static bool parse_select_operands(struct pm_parser *p, struct pm_op_state *state, pm_operand_refs *refs) {
  pm_type condition, type;
  if (!parse_operand_list(p, refs, arith_select_N_ARGS, "a select")) return false;
  if (!pm_q_opt_attr_dict(p, state) || !parse_select_types(p, &condition, &type)) return false;
  for (size_t i = 0; i < refs->len; i++)
    if (!pm_q_resolve(p, &refs->data[i], i == arith_select_condition ? condition : type, state)) return false;
  PM_VEC_PUSH(state->results, type);
  return true;
}

bool arith_select_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_operand_refs refs = {0};
  bool ok = parse_select_operands(p, state, &refs);
  PM_VEC_FREE(refs);
  return ok;
}

/* --- builders --- */

pm_value *arith_build_constant(pm_builder *b, pm_attr value) {
  pm_attr scalar = scalar_value(value);
  return pm_res(pm_build(b, &arith_constant, NULL, 0, &value->t, 1, &scalar), 0);
}

pm_value *arith_build_index(pm_builder *b, int64_t value) {
  return arith_build_constant(b, pm_get_index_attr(pm_module_context(b->module), value));
}

/* The bits of u64's greatest are those of -1. */
static int64_t greatest_int(const pm_scalar_info *type) {
  uint64_t ones = UINT64_MAX >> (64 - type->bits);
  return (int64_t)(type->is_signed ? ones >> 1 : ones);
}

pm_attr arith_int_identity(const pm_op_desc *op, pm_type type) {
  const pm_scalar_info *info = pm_get_scalar_info(type->scalar);
  int64_t greatest = greatest_int(info);
  if (op == &arith_muli) return pm_get_int(type, 1);
  if (op == &arith_mini) return pm_get_int(type, greatest);
  if (op == &arith_maxi) return pm_get_int(type, info->is_signed ? -greatest - 1 : 0);
  if (op == &arith_andi) return pm_get_int(type, info->is_signed ? -1 : greatest);
  return pm_get_int(type, 0);
}

pm_value *arith_build_int(pm_builder *b, pm_type type, int64_t value) {
  return arith_build_constant(b, pm_get_int(type, value));
}

pm_value *arith_build_float(pm_builder *b, pm_type type, double value) {
  return arith_build_constant(b, pm_get_float(type, value));
}

pm_scalar arith_scalar_through(pm_scalar to) {
  const pm_scalar_info *info = pm_get_scalar_info(to);
  return info->bits < 32 || (info->bits == 32 && info->is_signed) ? PM_I32 : PM_I64;
}

pm_value *arith_build_cast(pm_builder *b, pm_value *v, pm_type type) {
  return v->type == type ? v : pm_res(pm_build(b, &arith_cast, &v, 1, &type, 1, NULL), 0);
}

pm_value *arith_build_cmp(pm_builder *b, arith_pred pred, pm_value *l, pm_value *r) {
  pm_attr name = pm_get_string_attr(pm_module_context(b->module), pm_str_of(arith_pred_name(pred)));
  pm_type type = pm_with_scalar(l->type, PM_I1);
  return pm_res(pm_build(b, &arith_cmp, (pm_value *[]){l, r}, arith_cmp_N_ARGS, &type, 1, &name), 0);
}

pm_value *arith_build_select(pm_builder *b, pm_value *c, pm_value *x, pm_value *y) {
  return pm_res(pm_build(b, &arith_select, (pm_value *[]){c, x, y}, arith_select_N_ARGS, &x->type, 1, NULL),
                0);
}

pm_value *arith_materialize(pm_builder *b, pm_attr value) {
  bool number = value && (value->cls == PM_ATTR_INT || value->cls == PM_ATTR_FLOAT);
  return number ? arith_build_constant(b, value) : NULL;
}
