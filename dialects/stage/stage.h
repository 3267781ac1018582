/* The stage dialect: see stage.def for its ops. */
#ifndef PM_DIALECTS_STAGE_H
#define PM_DIALECTS_STAGE_H

#define PM_DIALECT stage
#define PM_DIALECT_DEF "dialects/stage/stage.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect stage_dialect;

typedef enum stage_combine_op {
  STAGE_SUM,
  STAGE_PRODUCT,
  STAGE_MIN,
  STAGE_MAX,
  STAGE_AND,
  STAGE_OR
} stage_combine_op;
/* What a stage.combine does; false when its attribute is no such word. */
bool stage_combine_op_of(const pm_op *combine, stage_combine_op *out);
/* The op of arith that combines two values of the type: `new = op(cell, value)`. */
const pm_op_desc *stage_combine_desc(const pm_op *combine);

#endif
