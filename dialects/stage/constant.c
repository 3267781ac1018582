/* stage.constant: arrays of numbers that are known. */
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/boundary.h"
#include "dialects/stage/stage.h"
#include "ir/text.h"

/* --- the box of its extents --- */

pm_attr stage_constant_domain(const pm_op *constant) {
  static const char names[PM_MAX_RANK + 1] = "ijklmnopqrstuvwx";
  pm_type extents = pm_attr_at(constant, stage_constant_values)->t;
  pm_buf text = {0};
  pm_buf_puts(&text, "{ [");
  for (unsigned d = 0; d < extents->rank; d++) pm_buf_printf(&text, "%s%c", d ? ", " : "", names[d]);
  pm_buf_puts(&text, "]");
  for (unsigned d = 0; d < extents->rank; d++)
    pm_buf_printf(&text, "%s 0 <= %c < %lld", d ? " and" : " :", names[d], (long long)extents->dims[d]);
  pm_buf_puts(&text, " }");
  pm_str set = {text.data, text.len};
  pm_attr domain = pm_get_custom(pm_op_context(constant), &isl_set_kind, constant->loc, set);
  pm_buf_free(&text);
  return domain;
}

/* --- text: ` @lut boundary clamp dense<3xu8: [3, 1, 2]>` --- */

void stage_constant_print(struct pm_printer *p, const pm_op *op) {
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, stage_constant_sym));
  stage_boundary_print(p, pm_attr_at(op, stage_constant_boundary));
  pm_p(p, " ");
  pm_p_attr(p, pm_attr_at(op, stage_constant_values));
  pm_p_attr_dict(p, op, (const char *const[]){"sym", "values", "boundary", NULL});
}

bool stage_constant_parse(struct pm_parser *p, struct pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  pm_string name;
  pm_attr boundary = NULL, values;
  if (!pm_q_symbol(p, &name)) return false;
  pm_state_attr(ctx, state, "sym", pm_get_symbol(ctx, name));
  if (pm_q_opt_word(p, "boundary") && !stage_boundary_parse(p, &boundary)) return false;
  pm_loc loc = pm_q_loc(p);
  if (!pm_q_attr(p, NULL, &values)) return false;
  if (values->cls != PM_ATTR_DENSE) return pm_q_error(p, loc, "the values should be dense<…> numbers");
  pm_state_attr(ctx, state, "values", values);
  if (boundary)
    pm_state_attr(ctx, state, "boundary", stage_boundary_typed(boundary, pm_elem_type(values->t)));
  return pm_q_opt_attr_dict(p, state);
}

/* --- reads at points that are known --- */

pm_attr stage_constant_read(const pm_op *constant, const pm_op *read) {
  pm_attr operands[PM_MAX_RANK];
  if (read->n_operands > PM_COUNT(operands)) return NULL;
  for (unsigned i = 0; i < read->n_operands; i++)
    if (!(operands[i] = pm_constant_value(pm_arg(read, i)))) return NULL;
  return pm_dense_read(pm_attr_at(constant, stage_constant_values), stage_index_map(read), operands);
}

bool stage_read_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!operands[i]) return false;
  const pm_region *body = pm_region_at(pm_parent_of(op, &stage_pipeline), stage_pipeline_body);
  const pm_op *read = pm_lookup_symbol(body, pm_sym_at(op, stage_read_stage));
  if (pm_is(read, &stage_constant)) out->attr = stage_constant_read(read, op);
  return out->attr != NULL;
}
