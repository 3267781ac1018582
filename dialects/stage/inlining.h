/* A read of a stage becomes the stage's expression: what passes that inline have in common. */
#ifndef PM_DIALECTS_STAGE_INLINING_H
#define PM_DIALECTS_STAGE_INLINING_H

#include "dialects/stage/analyses/graph.h"

/* The read, which stands in a case, goes to the point at which the case is evaluated. */
bool stage_reads_own_point(const pm_op *read);
/* Two reads in one case go to the same point. */
bool stage_same_point(const pm_op *a, const pm_op *b);
/* Sets the case without guards that all points of `image` (borrowed) fall into, or NULL: none of the cases
 * has any of them. False when neither is so. */
bool stage_find_source(const stage_node *producer, isl_set *image, const stage_case_info **source);
/* The reads of the stage by one reader can be replaced once stages do not change any more: they are all in
 * cases, each of one case. The points that a case of the reader reads, at most; 0: they cannot, or there are
 * none.
 */
unsigned stage_points_made_again(const stage_node *stage, const stage_node *reader);
/* The case of the stage that a read in a case goes to; false when there is no one case. */
bool stage_source_of(const stage_access *access, const stage_case_info **source);
/* What the case computes, or the default value where it is NULL, in place of the read, which goes. */
void stage_inline_read(pm_op *read, const stage_node *producer, const stage_case_info *source);
/* Equal operations of a body become one, reads too, and those that are not used go. */
void stage_tidy_body(pm_region *body);

#endif
