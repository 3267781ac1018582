/* Convex sets without divisions around others, and what remains to be asked of their points. */
#ifndef PM_DIALECTS_POLY_LOWER_GUARDS_H
#define PM_DIALECTS_POLY_LOWER_GUARDS_H

#include "dialects/poly/lower/loop_bounds.h"

/* The set is one basic set without divisions, which loops visit without conditions. */
bool poly_is_plain(isl_set *set);
/* Such a set around one, which is taken. The context (borrowed) holds. */
__isl_give isl_set *poly_plain_around(__isl_take isl_set *set, isl_set *context);
/* A plain set around the first `n` dimensions of one, which is taken. */
__isl_give isl_set *poly_first_dims(__isl_take isl_set *set, unsigned n);

/* Which points are in `set` (taken) among those of which `known` (borrowed, plain) holds, in the space of
 * the set: those that meet all conditions of one of the nests, which have no levels. No nests: all points
 * are. Divisions are floors in the expressions. False when a number is too large, or a division is one that
 * isl cannot name soon. */
bool poly_find_guard(pm_context *ctx, pm_arena *arena, __isl_take isl_set *set, isl_basic_set *known,
                     poly_nest **nests, unsigned *n_nests);

#endif
