/* A schedule tree of statements as an isl_schedule, for isl's AST generation. */
#ifndef PM_DIALECTS_POLY_LOWER_ISL_TREE_H
#define PM_DIALECTS_POLY_LOWER_ISL_TREE_H

#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/statements.h"

#include <isl/schedule.h>

/* A mark, or an allocation with a box of its own (attribute `at`) and the loops around it. */
typedef struct poly_site {
  pm_op *op;
  isl_union_map
      *prefix; /* statement instances -> the schedule dimensions that `at` is a function of; or NULL */
} poly_site;
typedef PM_VEC(poly_site) poly_sites;
void poly_sites_free(poly_sites *sites);

/* The schedule of what is below `node`, a child of the root's sequence or the root poly.domain itself, for
 * the given part of the root's instances (borrowed). The tree is expanded, and one that poly_check_tree
 * accepts. The marks of the isl_schedule: "alloc:<n>" above the child of a node that holds an allocation, and
 * "mark:<n>" in place of a mark, both site number n; "end" below the band of a mark of a loop. NULL
 * after a diagnostic; what isl gives no answer for leaves the quota spent. isl (0.25 at least) brings strided
 * loops of several statements to one residue by moving some of them, and may move one past another that
 * should come first at the same point. So where statements share a band and one of them is strided there,
 * instances of all are given without strides, and *wide says so: the caller has to leave those out that are
 * not in the set of their statement. */
__isl_give isl_schedule *poly_to_isl_schedule(pm_op *node, isl_union_set *domain,
                                              const stage_statements *statements, poly_sites *sites,
                                              bool *wide);

#endif
