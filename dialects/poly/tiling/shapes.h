/* Shapes of tiles along one dimension in which nothing is computed twice and every stage is stored whole. */
#ifndef PM_DIALECTS_POLY_TILING_SHAPES_H
#define PM_DIALECTS_POLY_TILING_SHAPES_H

#include "dialects/poly/tiling/group_members.h"

/* Cuts the group of these members below the mark, which has no tiles, along the first of the innermost
 * dimensions that sizes are given for. False, with nothing changed, when the group cannot be cut so; a remark
 * says why when a distance stands against it. */
typedef bool poly_tile_shape(pm_pass *pass, const stage_graph *graph, pm_op *mark,
                             const poly_members *members, const int64_t *sizes, size_t n_sizes);

/* Tiles that shrink from stage to stage, then the wedges between them. */
poly_tile_shape poly_tile_split;
/* Tiles between two slanted families of lines, a wave of them at a time; of a stage that reads itself along
 * the dimension after that of its time. */
poly_tile_shape poly_tile_diamond;

#endif
