/* The bodies of cases, made ready to be evaluated on many points at a time; for the interpreter of the stage
 * dialect. */
#ifndef PM_DIALECTS_STAGE_BODY_H
#define PM_DIALECTS_STAGE_BODY_H

#include "dialects/stage/points.h"

/* The values of one stage over the box of its domain. */
typedef struct stage_memory {
  pm_array array;
  int64_t lower[PM_MAX_RANK];   /* the first point of the box */
  int64_t strides[PM_MAX_RANK]; /* in elements */
  uint8_t *inside;              /* per cell whether it is in the domain; NULL when the domain is the box */
  bool owned;                   /* array.data is the interpreter's */
} stage_memory;

/* What the body of a case reads and writes; all borrowed for the life of the body. */
typedef struct stage_body_env {
  pm_op *case_op;
  const pm_map *params; /* pm_value of a stage.param -> its const pm_lane */
  const pm_map *memory; /* pm_string -> stage_memory of each stage and input computed so far */
  const stage_memory *target;
  uint16_t *writer; /* per cell of the target: 0 or 1 + the index of the case that wrote it; NULL: cases are
                       disjoint */
  uint16_t case_index;
  pm_op *const *cases; /* for the message about an overlap */
} stage_body_env;

typedef struct stage_body stage_body;

/* NULL after a diagnostic: an op that cannot be evaluated. */
stage_body *stage_body_new(const stage_body_env *env);
void stage_body_free(stage_body *body);
/* Evaluates the case at the points and writes its values; a stage_points_fn. False after a diagnostic: a read
 * outside a domain, or a point that another case wrote. */
bool stage_body_run(void *body, const stage_points *points);

#endif
