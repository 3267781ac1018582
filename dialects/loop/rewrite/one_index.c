#include "dialects/loop/rewrite/one_index.h"

static void set_operands_from(pm_op *op, unsigned first, const affine_values *operands) {
  while (op->n_operands > first + operands->len) pm_remove_operand(op, op->n_operands - 1u);
  for (size_t i = 0; i < operands->len; i++)
    if (first + i < op->n_operands)
      pm_set_operand(op, first + (unsigned)i, operands->data[i]);
    else
      pm_add_operand(op, operands->data[i]);
}

void loop_set_place(pm_op *op, const loop_access *access, pm_affine_expr index, const affine_pool *pool,
                    const affine_values *symbols) {
  unsigned first = op->n_operands - loop_n_indices(access);
  affine_values operands = {0};
  pm_affine_map map = affine_pool_map(pool, index->ctx, &index, 1, &operands);
  uint32_t n_dims = map->n_dims, n_syms = (uint32_t)symbols->len;
  for (size_t i = 0; i < symbols->len; i++) PM_VEC_PUSH(operands, symbols->data[i]);
  set_operands_from(op, first, &operands);
  loop_set_access_map(op, pm_get_affine_map(index->ctx, n_dims, n_syms, map->results, 1));
  PM_VEC_FREE(operands);
}
