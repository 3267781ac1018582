/* Bodies made simpler where their indices and conditions are one function of the point. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_SIMPLIFY_H
#define PM_DIALECTS_STAGE_ANALYSES_SIMPLIFY_H

#include "dialects/stage/analyses/index_function.h"

/* What is done to the op at `position` of a body. */
typedef struct stage_decision {
  enum {
    STAGE_SET_INDEX,    /* coordinate `number` of a read or combine becomes `expr` */
    STAGE_TAKE_OPERAND, /* the op gives its operand `number` */
    STAGE_DROP_GUARD,   /* the guard always holds */
    STAGE_DROP_BODY     /* the guard never holds, so the case or update goes */
  } kind;
  unsigned position, number;
  pm_affine_expr expr; /* over the arguments of the body and then all params of the pipeline */
} stage_decision;
typedef PM_VEC(stage_decision) stage_decisions;

/* Adds what may be done to the body when its set is `set`, a part of the one that the sites were found for: a
 * computed index that is one quasi-affine function there becomes it; a select, min or max that always gives
 * the same operand becomes that; a guard that always or never holds goes. Proven with isl, for all values of
 * the params within the context. What depends on values that are read stays. `values` is as it was for the
 * sites. */
void stage_decide(const stage_graph *graph, stage_values *values, const stage_sites *sites, isl_set *set,
                  pm_arena *arena, stage_decisions *out);
/* Changes the body, the one that was looked at or a copy of it; erases it when a guard never holds. */
void stage_apply(const stage_graph *graph, pm_op *body, pm_arena *arena, const stage_decisions *decisions);

#endif
