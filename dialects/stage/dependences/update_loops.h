/* Loops over the cells that an update reaches: the parallelism of updates. */
#ifndef PM_DIALECTS_STAGE_DEPENDENCES_UPDATE_LOOPS_H
#define PM_DIALECTS_STAGE_DEPENDENCES_UPDATE_LOOPS_H

#include "dialects/stage/analyses/graph.h"

/* The dimension of an update that is best the innermost: that of the contiguous index of the combine, when
 * that index is a plain function of one dimension, and along it no access steps over rows, or fewer do than
 * along the last dimension; else the last one. As the innermost it leaves the points of each cell in their
 * order: they agree in it. The update has dimensions. */
unsigned stage_update_row_dim(const stage_node *node, size_t number);

/* The outer loops of an update over the cells that its points reach: one for each index of the combine that
 * is a function of one dimension of the update, and that what the update reads of the stage has, too;
 * stage_update_row_dim is taken in pieces. The points of one cell, and those that read it, are in one
 * iteration of all of them. NULL when there is no such index: then the points keep their order. */
__isl_give isl_multi_union_pw_aff *stage_update_loops(const stage_node *node, size_t number);

/* The points of an update in lexicographic order, but for stage_update_row_dim, which is the last member.
 * owner[i] gets the dimension that member i is. */
__isl_give isl_multi_union_pw_aff *stage_update_point_loops(const stage_node *node, size_t number,
                                                            unsigned *owner);

#endif
