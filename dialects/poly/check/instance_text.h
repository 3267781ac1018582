/* Instances in diagnostics. */
#ifndef PM_DIALECTS_POLY_CHECK_INSTANCE_TEXT_H
#define PM_DIALECTS_POLY_CHECK_INSTANCE_TEXT_H

#include "dialects/isl/witness.h"
#include "dialects/poly/check/occurrences.h"

/* ` for R = 1, C = 1`: the parameters of `space`, which come first in the point; nothing without any. */
void poly_put_for_params(pm_buf *out, isl_space *space, isl_point *point);
/* `bx[3, 4]` from the coordinates at `first`. */
void poly_put_point(pm_buf *out, const stage_node *node, isl_point *point, unsigned first);
/* The same of an occurrence, which may be an update; the first coordinate behind it. */
unsigned poly_put_instance(pm_buf *out, const poly_occurrence *o, isl_point *point, unsigned first);
/* `harris[0, 0] for R = 3, C = 3`: a point of the stage in the range of `map`, which is taken; to be freed.
 * NULL when there is none. */
char *poly_sample_point(const stage_node *node, __isl_take isl_map *map);
/* The same of an instance of an occurrence, which may be an update. */
char *poly_sample_instance(const poly_occurrence *o, __isl_take isl_map *map);

#endif
