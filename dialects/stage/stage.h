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
/* The contributions to one cell may be combined in any order and grouping: the op says so (`associative`), or
 * its values are integers, or the pipeline's fp is fast, or it is a min or max of floats and fp is not strict
 * (they depend on the order only where there are NaNs or zeros of both signs). Whether the body reads the
 * stage itself is another matter. */
bool stage_combine_any_order(const pm_op *combine);

#endif
