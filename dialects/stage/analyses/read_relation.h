/* Inside the analysis of the graph: what makes relations of reads, and keeps them. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_READ_RELATION_H
#define PM_DIALECTS_STAGE_ANALYSES_READ_RELATION_H

#include "dialects/stage/analyses/graph.h"

/* The text (taken) with as many `_` as make it different from every symbol around the stage. */
pm_string stage_free_name(const pm_op *stage, pm_buf *text);
/* All instances of the body's space -> the point that is read; all operands are arguments of the body or
 * params. *affine: no dimension is left free. */
__isl_give isl_map *stage_affine_relation(pm_op *read_or_combine, bool *affine);
/* What was kept by that name, with the tuples of this read; NULL when there is none. */
__isl_give isl_map *stage_find_relation(pm_string key, pm_op *read_or_combine, bool *affine);
/* Keeps a copy of the relation in the context, which the first of several reads finds for all; gives the
 * relation back.
 */
__isl_give isl_map *stage_keep_relation(pm_string key, pm_op *read_or_combine, __isl_take isl_map *map,
                                        bool affine);

#endif
