/* A read of a stage becomes the stage's expression: what passes that inline have in common. */
#ifndef PM_DIALECTS_STAGE_INLINING_H
#define PM_DIALECTS_STAGE_INLINING_H

#include "dialects/stage/analyses/graph.h"

/* The read, which stands in a case, goes to the point at which the case is evaluated. */
bool stage_reads_own_point(const pm_op *read);
/* Sets the case without guards that all points of `image` (borrowed) fall into, or NULL: none of the cases
 * has any of them. False when neither is so. */
bool stage_find_source(const stage_node *producer, isl_set *image, const stage_case_info **source);
/* What the case computes, or the default value where it is NULL, in place of the read, which goes. */
void stage_inline_read(pm_op *read, const stage_node *producer, const stage_case_info *source);
/* Equal operations of a body become one, reads too, and those that are not used go. */
void stage_tidy_body(pm_region *body);

#endif
