/* The bodies of cases and updates, made ready to be evaluated on many points at a time; for the interpreter
 * of the stage dialect. */
#ifndef PM_DIALECTS_STAGE_INTERPRETER_BODY_H
#define PM_DIALECTS_STAGE_INTERPRETER_BODY_H

#include "dialects/stage/interpreter/points.h"

/* The values of one stage over the box of its domain. */
typedef struct stage_memory {
  const pm_op *stage; /* stage.func or stage.input */
  pm_array *arrays;   /* one for each element of its tuples, all of the same extents */
  unsigned n_arrays;
  /* by dimension of the stage, which the arrays may have in another order */
  int64_t lower[PM_MAX_RANK];   /* the first point of the box */
  int64_t extents[PM_MAX_RANK]; /* of the box */
  int64_t strides[PM_MAX_RANK]; /* in elements */
  uint8_t *inside;              /* per cell whether it is in the domain; NULL when the domain is the box */
  bool owned;                   /* the data of the arrays is the interpreter's */
} stage_memory;

/* The cell (index into each array) of point number k, which is in the box. */
int64_t stage_cell_of(const stage_memory *memory, const stage_points *points, size_t k);

/* What a body reads and writes; all borrowed for the life of the body. */
typedef struct stage_body_env {
  pm_op *op;            /* stage.case or stage.update */
  const pm_map *params; /* pm_value of a stage.param -> its const pm_lane */
  const pm_map
      *memory; /* pm_string -> stage_memory of each stage and input computed so far, and of the target */
  const stage_memory *target;
  /* the rest only for cases */
  const uint8_t *covered; /* of a stage with a case that reads it: per cell whether it is in the set of a
                             case; else NULL */
  uint16_t *writer; /* per cell of the target: 0 or 1 + the index of the case that wrote it; NULL: cases are
                       disjoint */
  uint16_t case_index;
  pm_op *const *cases; /* for the message about an overlap */
} stage_body_env;

typedef struct stage_body stage_body;

/* NULL after a diagnostic: an op that cannot be evaluated. */
stage_body *stage_body_new(const stage_body_env *env);
void stage_body_free(stage_body *body);
/* Evaluates the body at the points, and writes the values of a case or combines those of an update with the
 * target's cells, point by point as far as one can tell; a stage_points_fn. A case that reads its own stage
 * needs all points of all cases in lexicographic order. False after a diagnostic: a read or combination
 * outside a domain, a point that another case wrote, or a read of the stage itself at a point that is
 * computed later. */
bool stage_body_run(void *body, const stage_points *points);

#endif
