/* Loops over the cells that an update reaches: the parallelism of updates. */
#ifndef PM_DIALECTS_POLY_CELLS_H
#define PM_DIALECTS_POLY_CELLS_H

#include "dialects/stage/graph.h"

/* The outer loops of an update over the cells that its points reach: one for each index of the combine that
 * is a function of one dimension of the update; the contiguous dimension is taken in pieces. The points of
 * one cell are in one iteration of all of them. NULL when no index is such a function, or when the update
 * reads the stage: then its points keep their order. */
__isl_give isl_multi_union_pw_aff *poly_cell_loops(const stage_node *node, size_t number);

#endif
