/* What a schedule tree may say of the stages of its pipeline. */
#ifndef PM_DIALECTS_POLY_CHECK_WELL_FORMED_H
#define PM_DIALECTS_POLY_CHECK_WELL_FORMED_H

#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"

/* True when the poly.alloc has a box of its own, else it is the whole array of the stage. */
bool poly_alloc_has_box(const pm_op *alloc);
/* True when it is the caller's array. */
bool poly_alloc_is_output(const pm_op *alloc);
/* The domains are equal but for the name. */
bool poly_have_same_points(const stage_node *a, const stage_node *b);
/* A poly.alloc inside `depth` loops is for a stage of the pipeline and its type, in the caller's array only
 * for an output, and its box has the dimensions of the stage and one corner for each iteration of the loops;
 * stages in turn have one domain. False after a diagnostic. */
bool poly_check_alloc(const stage_graph *graph, const pm_op *alloc, unsigned depth);
/* The stage whose instances a set of `op` in this space has: all that the stage stores, or those of one
 * statement of it
 * (*statement, else NULL), as its name says. NULL after a diagnostic. Takes the space. */
const stage_node *poly_check_instances(const stage_statements *statements, const pm_op *op,
                                       __isl_take isl_space *space, const stage_statement **statement);
/* The params of the space (taken; may be NULL) are those of the pipeline. False after a diagnostic. */
bool poly_check_params(const stage_graph *graph, const pm_op *op, __isl_take isl_space *space);
/* All of the above for the allocations, domains, filters and extensions of a tree, whose parameters are those
 * of the pipeline. */
bool poly_check_tree(const stage_statements *statements, pm_op *schedule);

#endif
