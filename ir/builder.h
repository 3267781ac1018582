/* Making ops at an insertion point. */
#ifndef PM_IR_BUILDER_H
#define PM_IR_BUILDER_H

#include "ir/ir.h"

typedef struct pm_builder {
  pm_module *module;
  pm_region *region;
  pm_op *before; /* insert before this op; NULL: at the end of the region */
  pm_loc loc;    /* given to new ops */
} pm_builder;

static inline pm_builder pm_builder_at_end(pm_module *m, pm_region *r, pm_loc loc) {
  pm_builder b = {m, r, NULL, loc};
  return b;
}
static inline pm_builder pm_builder_before(pm_op *op) {
  pm_builder b = {pm_module_of(op), op->region, op, op->loc};
  return b;
}

/* The general form. Arrays may be NULL when their count is 0. All regions of the descriptor are made present.
 * `attrs` has desc->n_attrs entries in slot order (NULL entries: absent), or is NULL for no attributes. */
pm_op *pm_build(pm_builder *b, const pm_op_desc *desc, pm_value *const *operands, unsigned n_operands,
                const pm_type *results, unsigned n_results, const pm_attr *attrs);
/* One result of the type of the first operand: arith.addi and its like. Returns the result. */
pm_value *pm_build_unary(pm_builder *b, const pm_op_desc *desc, pm_value *a);
pm_value *pm_build_binary(pm_builder *b, const pm_op_desc *desc, pm_value *l, pm_value *r);

#endif
