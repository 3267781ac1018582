/* Iterations of a loop that are next to one another, as the lanes of vectors. */
#ifndef PM_DIALECTS_LOOP_REWRITE_LANES_H
#define PM_DIALECTS_LOOP_REWRITE_LANES_H

#include "dialects/loop/rewrite/phase.h"

typedef struct loop_lanes {
  const pm_op *loop;       /* whose step is 1 */
  const loop_phase *phase; /* of a loop around, or inside: has the copies of what is not in lanes */
  pm_value *base;          /* lane 0 is the iteration base + offset */
  int64_t offset;
  unsigned lanes;
  pm_map *vectors; /* values of the loop to their vectors; may be NULL where nothing is computed */
} loop_lanes;

/* At the builder: the vector of a value, which has the value in all lanes where the loop has none. */
pm_value *loop_lanes_value(const loop_lanes *l, pm_builder *b, pm_value *value);
/* Loads, from which lane k goes to the k-th next element of a row, as one vector. */
pm_value *loop_lanes_load(const loop_lanes *l, pm_builder *b, const pm_op *load);
/* The same of a store, of the vector. */
void loop_lanes_store(const loop_lanes *l, pm_builder *b, const pm_op *store, pm_value *vector);
/* A prefetch, of lane 0. */
void loop_lanes_prefetch(const loop_lanes *l, pm_builder *b, const pm_op *prefetch);
/* The op, which is pure and has one result, on vectors. */
pm_value *loop_lanes_compute(const loop_lanes *l, pm_builder *b, const pm_op *op);

#endif
