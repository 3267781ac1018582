/* Points to show in diagnostics. */
#ifndef PM_DIALECTS_ISL_WITNESS_H
#define PM_DIALECTS_ISL_WITNESS_H

#include "dialects/isl/isl_dialect.h"

#include <isl/point.h>

/* A point of the relation, which is taken: its coordinates are those of the parameters, of the input and of
 * the output, nested tuples flattened. Lexicographically the smallest when there is one, else any; the
 * caller's. */
__isl_give isl_point *isl_witness(__isl_take isl_map *relation);
/* Coordinate number `at` in decimal. */
void isl_put_coordinate(pm_buf *out, isl_point *point, unsigned at);
/* `[3, 4]`: n coordinates from `first` on; `(3, 4)` as indices. */
void isl_put_tuple(pm_buf *out, isl_point *point, unsigned first, unsigned n);
void isl_put_indices(pm_buf *out, isl_point *point, unsigned first, unsigned n);
/* `name = 3`, after a comma when there is text in front; "d<at>" when the name is NULL. */
void isl_put_binding(pm_buf *out, const char *name, isl_point *point, unsigned at);
/* `R = 1, C = 1`: the parameters of `space`, which come first in the point. */
void isl_put_params(pm_buf *out, isl_space *space, isl_point *point);

#endif
