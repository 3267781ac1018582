/* vec.reduce: the kinds, text form, verification and fold. */
#include "dialects/arith/arith.h"
#include "dialects/loop/vec.h"
#include "ir/lanes.h"
#include "ir/text.h"

#include <stdlib.h>

static const struct kind_row {
  const char *name;
  const pm_op_desc *ints, *floats;
} kinds[] = {
#define KIND(id, word, ints, floats) [VEC_##id] = {word, ints, floats},
#include "dialects/loop/reduce.def"
#undef KIND
};

static unsigned find_kind(pm_string name) {
  unsigned i = 0;
  while (i < PM_COUNT(kinds) && !pm_str_is((pm_str){name->text, name->len}, kinds[i].name)) i++;
  return i;
}

vec_kind vec_kind_of(const pm_op *reduce) {
  unsigned kind = find_kind(pm_sym_at(reduce, vec_reduce_kind));
  if (kind == PM_COUNT(kinds)) pm_panic(reduce, "has an unknown kind");
  return (vec_kind)kind;
}

const pm_op_desc *vec_op_named(pm_string kind) {
  unsigned i = find_kind(kind);
  return i < PM_COUNT(kinds) ? kinds[i].ints : NULL;
}

const char *vec_name_of_op(const pm_op_desc *op) {
  for (unsigned i = 0; i < PM_COUNT(kinds); i++)
    if (kinds[i].ints == op) return kinds[i].name;
  return NULL;
}

const pm_op_desc *vec_reduce_op(const pm_op *reduce) {
  const struct kind_row *kind = &kinds[vec_kind_of(reduce)];
  return pm_is_float(pm_arg(reduce, vec_reduce_source)->type) ? kind->floats : kind->ints;
}

void vec_reduce_lanes(const pm_op *reduce, const pm_lane *lanes, pm_lane *out) {
  pm_type type = pm_arg(reduce, vec_reduce_source)->type;
  pm_kernel kernel = pm_find_kernel_of(vec_reduce_op(reduce), (pm_scalar)type->scalar);
  *out = lanes[0];
  for (uint32_t k = 1; k < type->lanes; k++) kernel((const pm_lane *const[]){out, &lanes[k]}, out, 1);
}

static bool unknown_kind(const pm_op *op, pm_string name) {
  pm_buf list = {0};
  for (unsigned i = 0; i < PM_COUNT(kinds); i++)
    pm_buf_printf(&list, "%s%s", i == 0 ? "" : i + 1 < PM_COUNT(kinds) ? ", " : " or ", kinds[i].name);
  pm_op_error(op, "has the kind '%s', which should be %s", name->text, list.data);
  pm_buf_free(&list);
  return false;
}

bool vec_reduce_verify(const pm_op *op) {
  pm_string name = pm_sym_at(op, vec_reduce_kind);
  pm_type from = pm_arg(op, vec_reduce_source)->type, type = pm_res(op, 0)->type;
  if (find_kind(name) == PM_COUNT(kinds)) return unknown_kind(op, name);
  if (!vec_reduce_op(op))
    return pm_op_error(op, "has the kind '%s' and lanes of type %pT, which should be integers", name->text,
                       (const void *)pm_elem_type(from));
  if (type == pm_elem_type(from)) return true;
  return pm_op_error(op, "has a result of type %pT, which should be %pT", (const void *)type,
                     (const void *)pm_elem_type(from));
}

void vec_reduce_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"kind", NULL};
  pm_p(p, " %pS, ", (const void *)pm_sym_at(op, vec_reduce_kind));
  pm_p_value(p, pm_arg(op, vec_reduce_source));
  pm_p_attr_dict(p, op, shown);
  pm_p(p, " : %pT", (const void *)pm_arg(op, vec_reduce_source)->type);
}

bool vec_reduce_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  pm_string kind = NULL;
  pm_operand_ref source;
  pm_type type = NULL;
  if (!pm_q_name(p, &kind) || !pm_q_punct(p, ",") || !pm_q_operand(p, &source) ||
      !pm_q_opt_attr_dict(p, state) || !pm_q_punct(p, ":"))
    return false;
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_type(p, &type)) return false;
  if (type->cls != PM_TYPE_VECTOR) return pm_q_error(p, loc, "a reduction takes a vector");
  pm_state_attr(ctx, state, "kind", pm_get_string_attr(ctx, (pm_str){kind->text, kind->len}));
  PM_VEC_PUSH(state->results, pm_elem_type(type));
  return pm_q_resolve(p, &source, type, state);
}

/* All lanes of a constant are equal. */
bool vec_reduce_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  uint32_t n = pm_arg(op, vec_reduce_source)->type->lanes;
  if (!operands[0]) return false;
  pm_lane *lanes = pm_xcalloc(n, sizeof *lanes), result;
  for (uint32_t k = 0; k < n; k++) lanes[k] = pm_lane_of_attr(operands[0]);
  vec_reduce_lanes(op, lanes, &result);
  free(lanes);
  out->attr = pm_attr_of_lane(pm_res(op, 0)->type, result);
  return true;
}
