#include "ir/builder.h"

static void append(pm_op_state *state, pm_value *const *operands, unsigned n_operands, const pm_type *results,
                   unsigned n_results) {
  for (unsigned i = 0; i < n_operands; i++) PM_VEC_PUSH(state->operands, operands[i]);
  for (unsigned i = 0; i < n_results; i++) PM_VEC_PUSH(state->results, results[i]);
}

pm_op *pm_build(pm_builder *b, const pm_op_desc *desc, pm_value *const *operands, unsigned n_operands,
                const pm_type *results, unsigned n_results, const pm_attr *attrs) {
  pm_op_state state = {.desc = desc, .loc = b->loc, .n_regions = desc->n_regions};
  append(&state, operands, n_operands, results, n_results);
  pm_op *op = pm_op_new(b->module, &state);
  pm_op_state_free(&state);
  for (unsigned i = 0; attrs && i < desc->n_attrs; i++) pm_set_attr(op, i, attrs[i]);
  for (unsigned i = 0; i < desc->n_regions; i++) pm_region_begin(pm_region_at(op, i));
  pm_insert(b->region, b->before, op);
  return op;
}

pm_value *pm_build_unary(pm_builder *b, const pm_op_desc *desc, pm_value *a) {
  return pm_res(pm_build(b, desc, &a, 1, &a->type, 1, NULL), 0);
}

pm_value *pm_build_binary(pm_builder *b, const pm_op_desc *desc, pm_value *l, pm_value *r) {
  return pm_res(pm_build(b, desc, (pm_value *[]){l, r}, 2, &l->type, 1, NULL), 0);
}
