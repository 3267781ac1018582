/* The reference interpreter of the stage dialect: by definition. Every stage is computed whole, over its
 * domain, in topological order; every point's case is looked up, overlapping cases and reads outside the
 * producer's domain are errors at the place of the case or read, with the point. It evaluates a row of points
 * at a time (pm_eval_lanes), which changes nothing of the values. A stage with a case that reads the stage
 * itself is computed in the lexicographic order of its points, over all cases; such a read of a point that is
 * not earlier and lies in the set of a case (whether its guards hold or not) is an error at the read, with
 * both points. Updates run after the cases, in order, each over its set in lexicographic order; a combination
 * outside the domain is an error at the stage.combine, with both points. */
#ifndef PM_DIALECTS_STAGE_INTERPRETER_INTERP_H
#define PM_DIALECTS_STAGE_INTERPRETER_INTERP_H

#include "dialects/arith/call.h"

/* False after a diagnostic: a wrong number or shape of arguments (each is named with both sizes), parameter
 * values outside the context, a violation of the rules above, or not enough memory. */
bool stage_interpret(pm_op *pipeline, const pm_call *call) PM_MUST_USE;
/* Calls `see` after each stage with its values over the box of its domain, one array for each element of its
 * type: for dumping intermediates. */
typedef void (*stage_watch_fn)(void *user, pm_op *func, const pm_array *values);
bool stage_interpret_watched(pm_op *pipeline, const pm_call *call, stage_watch_fn see,
                             void *user) PM_MUST_USE;

#endif
