/* Contributions of updates in pieces: see pieces.h. */
#include "dialects/stage/pieces.h"

#include <stdlib.h>
#include <string.h>

bool stage_update_reads_itself(const stage_node *node, size_t number) {
  for (size_t i = 0; i < node->self_reads.len; i++)
    if (node->self_reads.data[i]->update_index == (int)number) return true;
  return false;
}

const char *stage_why_in_order(const pm_op *combine) {
  if (stage_combine_assigns(combine)) return "it assigns, and no value can be assigned without effect";
  if (stage_combine_any_order(combine)) return NULL;
  return "the order of its combinations matters for floats; the mark associative or fp fast permits any";
}

pm_attr stage_combine_identities(const pm_op *combine) {
  unsigned n = stage_combine_len(combine);
  if (n == 1) return stage_combine_identity(combine, 0);
  pm_attr *items = pm_xcalloc(n, sizeof(pm_attr));
  for (unsigned i = 0; i < n; i++) items[i] = stage_combine_identity(combine, i);
  pm_attr all = pm_get_array(pm_op_context(combine), items, n);
  free(items);
  return all;
}

static pm_attr prepended_map(const pm_op *combine, unsigned n) {
  pm_context *ctx = pm_op_context(combine);
  pm_affine_map map = stage_index_map(combine);
  pm_affine_expr *dims = pm_xcalloc(map->n_dims + 1, sizeof *dims),
                 *results = pm_xcalloc(map->n_results + n + 1, sizeof *results);
  for (unsigned i = 0; i < map->n_dims; i++) dims[i] = pm_affine_dim(ctx, i + n);
  for (unsigned i = 0; i < n; i++) results[i] = pm_affine_dim(ctx, i);
  for (unsigned k = 0; k < map->n_results; k++)
    results[k + n] = pm_affine_substitute(map->results[k], dims, NULL);
  pm_attr attr = pm_get_map_attr(pm_get_affine_map(ctx, map->n_dims + n, 0, results, map->n_results + n));
  free(results);
  free(dims);
  return attr;
}

void stage_prepend_indices(pm_op *combine, unsigned n) {
  unsigned first = stage_index_operand(combine);
  PM_VEC(pm_value *) operands = {0};
  for (unsigned i = 0; i < first; i++) PM_VEC_PUSH(operands, pm_arg(combine, i));
  for (unsigned i = 0; i < n; i++) PM_VEC_PUSH(operands, combine->region->args[i]);
  for (unsigned i = first; i < combine->n_operands; i++) PM_VEC_PUSH(operands, pm_arg(combine, i));
  pm_attr attrs[stage_combine_N_ATTRS];
  memcpy(attrs, pm_attrs(combine), sizeof attrs);
  attrs[stage_combine_map] = prepended_map(combine, n);
  pm_builder b = pm_builder_before(combine);
  pm_op *made = pm_build(&b, &stage_combine, operands.data, (unsigned)operands.len, NULL, 0, attrs);
  pm_set_extra(made, pm_extra(combine));
  PM_VEC_FREE(operands);
  pm_op_erase(combine);
}

void stage_build_combine_like(pm_builder *b, const pm_op *like, pm_value *const *values, unsigned n_dims) {
  pm_attr attrs[stage_combine_N_ATTRS];
  memcpy(attrs, pm_attrs(like), sizeof attrs);
  attrs[stage_combine_map] = pm_get_map_attr(stage_own_point(pm_op_context(like), n_dims));
  PM_VEC(pm_value *) operands = {0};
  for (unsigned i = 0; i < stage_combine_len(like); i++) PM_VEC_PUSH(operands, values[i]);
  for (unsigned d = b->region->n_args - n_dims; d < b->region->n_args; d++)
    PM_VEC_PUSH(operands, b->region->args[d]);
  pm_build(b, &stage_combine, operands.data, (unsigned)operands.len, NULL, 0, attrs);
  PM_VEC_FREE(operands);
}
