/* Indices and conditions that a body computes from its point and the params alone, as piecewise quasi-affine
 * functions of the point. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_INDEX_FUNCTION_H
#define PM_DIALECTS_STAGE_ANALYSES_INDEX_FUNCTION_H

#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"

/* A place in a body where such a value matters: one coordinate of the point of a stage.read or stage.combine,
 * the condition of an arith.select or stage.guard, or the result of an arith.mini or arith.maxi. */
typedef struct stage_site {
  pm_op *op;
  unsigned position; /* of the op in the body */
  unsigned index;    /* the coordinate, of a read or combine */
  unsigned function; /* in `functions` */
} stage_site;

typedef struct stage_sites {
  PM_VEC(stage_site) list;
  PM_VEC(isl_pw_aff *) functions; /* within the body's set and the context; a condition is 0 or 1 */
} stage_sites;

/* Adds the sites of the body whose functions may have more than one piece, or another form than the one that
 * is written. Where a value may be several numbers (a sum that wraps) its function is not defined; indices
 * that are affine as they stand, without divisions, are left out. */
void stage_collect_sites(stage_values *values, pm_op *body, stage_sites *out);
void stage_sites_free(stage_sites *sites);

/* One function on a part of the instances, not empty. */
typedef struct stage_piece {
  isl_set *where;
  isl_aff *value;
} stage_piece;
typedef PM_VEC(stage_piece) stage_pieces;

/* Adds the pieces of the function on the set, whether they cover it or not. A quotient that takes few values
 * there is a number in each. */
void stage_pieces_on(isl_pw_aff *function, isl_set *set, stage_pieces *out);
/* The pieces on the set are one, and it covers the set. */
bool stage_is_one_piece(const stage_pieces *pieces, isl_set *set);
void stage_pieces_free(stage_pieces *pieces);

/* The function, rounded down, over dims that are first the arguments of the body, then the params of its
 * space; NULL when a coefficient does not fit 32 bits. */
pm_affine_expr stage_expr_of_aff(pm_context *ctx, isl_aff *aff);

typedef PM_VEC(pm_value *) stage_operands;

/* The map with these results, which are expressions over the values. Its dims are numbered as they appear, as
 * the parser does, and equal values are one; adds what they stand for to `operands`, which is empty. */
pm_affine_map stage_map_over(pm_context *ctx, pm_value *const *values, size_t n_values,
                             const pm_affine_expr *results, unsigned n_results, stage_operands *operands);

#endif
