/* Accesses of one index. */
#ifndef PM_DIALECTS_LOOP_REWRITE_ONE_INDEX_H
#define PM_DIALECTS_LOOP_REWRITE_ONE_INDEX_H

#include "dialects/isl/affine_pool.h"
#include "dialects/loop/access.h"

/* The op, with this access, has one index: an expression over the pool and the symbols. */
void loop_set_place(pm_op *op, const loop_access *access, pm_affine_expr index, const affine_pool *pool,
                    const affine_values *symbols);

#endif
