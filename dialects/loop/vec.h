/* The vec dialect: see vec.def for its ops. */
#ifndef PM_DIALECTS_VEC_H
#define PM_DIALECTS_VEC_H

#define PM_DIALECT vec
#define PM_DIALECT_DEF "dialects/loop/vec.def"
#include "ir/declare_ops.h"
#undef PM_DIALECT
#undef PM_DIALECT_DEF

extern const pm_dialect vec_dialect;

/* Kinds of vec.reduce: rows of reduce.def. */
typedef enum vec_kind {
#define KIND(id, word, ints, floats) VEC_##id,
#include "dialects/loop/reduce.def"
#undef KIND
  VEC_N_KINDS
} vec_kind;
vec_kind vec_kind_of(const pm_op *reduce);
/* The op of arith that joins two lanes; NULL when the kind is none for floats. */
const pm_op_desc *vec_reduce_op(const pm_op *reduce);
/* Joins the lanes of the operand, from lane 0 on. */
void vec_reduce_lanes(const pm_op *reduce, const pm_lane *lanes, pm_lane *out);

#endif
