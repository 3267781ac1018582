/* Memory cells <-> lanes, for the interpreters. */
#ifndef PM_DIALECTS_ARITH_EVAL_H
#define PM_DIALECTS_ARITH_EVAL_H

#include "ir/lanes.h"

/* n elements of the scalar type, `stride` elements apart. */
void arith_load_lanes(pm_scalar scalar, const void *cells, int64_t stride, pm_lane *out, size_t n);
void arith_store_lanes(pm_scalar scalar, const pm_lane *lanes, void *cells, int64_t stride, size_t n);
/* All numbers of a DENSE, one after the other. */
void arith_store_dense(pm_attr dense, void *cells);

#endif
