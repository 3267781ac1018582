/* The memory that a call of a loop.func takes for intermediates.
 *
 * Constant sizes: what is alive at the same time counts together (the allocations of a region and the largest
 * of the regions below), once, or once a thread below a loop that runs on several. Sizes that are computed:
 * their sum. */
#ifndef PM_DIALECTS_LOOP_ANALYSES_SCRATCH_H
#define PM_DIALECTS_LOOP_ANALYSES_SCRATCH_H

#include "ir/builder.h"

typedef struct loop_scratch {
  int64_t once, each_thread;    /* bytes of constant sizes; INT64_MAX when they do not fit */
  PM_VEC(const pm_op *) allocs; /* those of other sizes that only the scalar arguments decide; workspaces */
  pm_map *needed;               /* the ops that their bytes are computed from */
  bool partial;                 /* there are allocations whose size depends on more */
} loop_scratch;

/* Allocations of computed sizes have their bytes. The caller frees the result with loop_scratch_free. */
loop_scratch loop_find_scratch(const pm_op *func);
void loop_scratch_free(loop_scratch *scratch);

/* Each thread has what the op makes. */
bool loop_is_in_threads(const pm_op *op);
/* Bytes of a type of constant extents; negative ones count as 0; false when they do not fit 64 bits. */
bool loop_constant_bytes(pm_type type, int64_t *bytes);
/* Elements that have a place in such an array; false also when an extent is open. */
bool loop_constant_cells(pm_type type, int64_t *cells);
/* The same of a buf.alloc: the largest of its arrays. INT64_MAX when they do not fit. */
int64_t loop_constant_alloc_bytes(const pm_op *alloc);

/* What the op asks the system for, when that is a value: of a buf.workspace, or of a buf.alloc that is in
 * none.
 */
pm_value *loop_memory_bytes(const pm_op *op);
/* The bytes of an array as a value, at most INT64_MAX: all extents of a dense array, else the first extent
 * and stride. `open` are its operands. */
pm_value *loop_build_array_bytes(pm_builder *b, pm_type type, const pm_use *open);
/* The same of a buf.alloc: arrays that share memory take that of the largest. */
pm_value *loop_build_alloc_bytes(pm_builder *b, const pm_op *alloc);
/* The value is computed from parameters by pure ops. */
bool loop_depends_on_arguments(const pm_value *v);

#endif
