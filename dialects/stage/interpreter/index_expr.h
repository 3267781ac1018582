/* Indices of reads, made ready to be evaluated on many points at a time. */
#ifndef PM_DIALECTS_STAGE_INTERPRETER_INDEX_EXPR_H
#define PM_DIALECTS_STAGE_INTERPRETER_INDEX_EXPR_H

#include "dialects/arith/eval.h"
#include "dialects/stage/interpreter/points.h"

/* What one dimension of the read's map stands for. */
typedef struct index_operand {
  enum { INDEX_CONSTANT, INDEX_DIM, INDEX_LANES } kind;
  int64_t number; /* the constant, the dimension of the case, or the slot */
} index_operand;

typedef struct index_node {
  enum {
    INDEX_PUSH_CONSTANT,
    INDEX_PUSH_DIM,
    INDEX_PUSH_LANES,
    INDEX_ADD,
    INDEX_MUL,
    INDEX_FLOORDIV,
    INDEX_CEILDIV,
    INDEX_MOD
  } kind;
  int64_t number;
} index_node;

/* An affine expression in postfix form. */
typedef struct index_expr {
  PM_VEC(index_node) nodes;
  unsigned depth; /* of the stack that an evaluation needs */
  bool
      linear; /* along the last dimension of the case, with coefficient `step`, and without computed values */
  int64_t step;
  uint32_t dims; /* bit d: reads dimension d of the case */
} index_expr;

/* `last_dim` is the dimension along rows. */
void index_expr_init(index_expr *e, pm_affine_expr expr, const index_operand *operands, unsigned last_dim);
void index_expr_free(index_expr *e);
/* At one point; only for expressions without computed values. `stack` has e->depth entries. */
int64_t index_expr_at(const index_expr *e, const int64_t *point, int64_t *stack);
/* On n <= STAGE_CHUNK lanes; slot number s begins at slots[s * STAGE_CHUNK], dimension d at slot d. `stack`
 * has e->depth * STAGE_CHUNK entries; the result is at its start. */
void index_expr_lanes(const index_expr *e, const pm_lane *slots, size_t n, int64_t *stack);

#endif
