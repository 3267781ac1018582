/* The stages of a group that has no tile loops yet, and how far apart they depend on one another. */
#ifndef PM_DIALECTS_POLY_TILING_GROUP_MEMBERS_H
#define PM_DIALECTS_POLY_TILING_GROUP_MEMBERS_H

#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/dependences/distance.h"

typedef struct poly_member {
  const stage_node *node;
  pm_op *filter, *band;
  isl_map *schedule; /* Stage[…] -> the common dimensions */
} poly_member;

typedef struct poly_member_update {
  const stage_node *node; /* a member */
  size_t number;
  pm_op *filter;
} poly_member_update;

typedef struct poly_members {
  PM_VEC(poly_member) list;           /* producers first */
  PM_VEC(poly_member_update) updates; /* of these stages, in the order of the tree */
  unsigned n_dims;                    /* common dimensions */
} poly_members;

/* The marks "group" of a tree, in its order, and their members. A change of one group leaves what is known of
 * the others right. */
typedef struct poly_groups poly_groups;
extern const pm_analysis_desc poly_groups_analysis;
#define POLY_GROUPS(pass) ((const poly_groups *)pm_pass_analysis(pass, &poly_groups_analysis))
size_t poly_group_count(const poly_groups *groups);
pm_op *poly_group_at(const poly_groups *groups, size_t i);
/* The members of a group that holds a sequence with one filter and one band a stage, and filters of their
 * updates, as the pass group leaves it; NULL of others. */
const poly_members *poly_members_at(const poly_groups *groups, size_t i);
/* The number of a stage in the list; -1: it is none of them. */
int poly_member_number(const poly_members *members, const stage_node *node);
/* The distances producer - reader of an access along a common dimension. False when they are not bounded by
 * numbers; *lo > *hi when nothing is read. */
bool poly_member_distance(stage_distances *distances, const poly_members *members, const stage_access *access,
                          unsigned dim, int64_t *lo, int64_t *hi);
/* A common dimension as an affine function of the stage's own, which the schedule is; the caller's. */
__isl_give isl_aff *poly_member_position(const poly_member *member, unsigned dim);
/* The first of the common dimensions that sizes of the n innermost ones are for, and its size. There is one
 * at least.
 */
unsigned poly_first_sized_of(const poly_members *members, const int64_t *sizes, size_t n, int64_t *size);

#endif
