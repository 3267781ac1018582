/* The values of several iterations of a vector loop as the lanes of vectors: lane k is that of iteration k.
 */
#ifndef PM_PASSES_VECTOR_VECTORIZE_LANES_H
#define PM_PASSES_VECTOR_VECTORIZE_LANES_H

#include "dialects/loop/analyses/ranges.h"
#include "ir/builder.h"
#include "passes/vector/vectorize/place.h"

/* What changes in a place in the loop, and what there is for it in the new one: in lane k it is
 * base + offsets[k]. */
typedef struct lanes_offsets {
  place of, base;
  pm_value *offsets; /* NULL: all 0 */
} lanes_offsets;

typedef struct lanes {
  const loop_ranges *ranges;
  pm_op *loop;                        /* of one iteration at a time */
  unsigned n;                         /* lanes */
  pm_builder ahead, in;               /* ahead of that region, and in it */
  pm_value *counter;                  /* of the new loop: of lane 0 */
  pm_map *scalars, *vectors, *narrow; /* values of the loop -> of lane 0; all lanes; the same as i32 */
  PM_VEC(lanes_offsets) made;
} lanes;

/* The body has pure ops with kernels, constants, and what has lanes by lanes_set. The vectors are built at
 * `in`, which is in front of the loop, or in a region there that may run several times: those of `n`
 * iterations from `counter` on. lanes_end frees what is known. */
lanes lanes_begin(const loop_ranges *ranges, pm_op *loop, unsigned n, pm_builder in, pm_value *counter);
void lanes_end(lanes *l);
/* The vector of the value, which is built in the loop, or ahead of it, when it is asked for first. */
pm_value *lanes_of(lanes *l, pm_value *value);
void lanes_set(lanes *l, pm_value *value, pm_value *vector);
/* The place in lane 0, which depends on nothing but the counter and what is the same in all iterations. */
place lanes_first(lanes *l, const place *of);
/* The place in lane k is base + offsets[k], for any place; NULL: they are all 0. The caller frees the base.
 * Offsets are built once for all places in which the same changes. */
pm_value *lanes_find_offsets(lanes *l, const place *of, place *base);

#endif
