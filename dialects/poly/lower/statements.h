/* From stages to statements: a schedule tree of stages becomes an isl_schedule of statements, one for each
 * case of a stage, one for each update, one for the points that hold the default, and one for the cells of an
 * output's array that are no points of it. */
#ifndef PM_DIALECTS_POLY_LOWER_STATEMENTS_H
#define PM_DIALECTS_POLY_LOWER_STATEMENTS_H

#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"

#include <isl/schedule.h>

typedef struct poly_statement {
  const stage_node *node;
  pm_op *body;  /* stage.case, or NULL: the default value */
  isl_set *set; /* instances; tuple named `name` */
  pm_string name;
  bool guarded; /* some case of the stage has a guard */
  bool update;  /* body is a stage.update; in the tree its instances have the tuple `name` too */
  bool outside; /* of the stage's domain: cells of the array that hold the default */
  bool ahead;   /* stored ahead of the tree, which leaves it out; see poly_find_ahead */
} poly_statement;

typedef struct poly_statements {
  const stage_graph *graph;
  PM_VEC(poly_statement)
  list; /* by stage; what is outside, the default, which guarded cases overwrite, the cases, the updates */
  pm_map *by_name;  /* pm_string -> index + 1 */
  pm_map *first_of; /* stage_node -> index + 1 of its first statement */
} poly_statements;

/* The graph must outlive the result. */
poly_statements *poly_statements_new(const stage_graph *graph);
void poly_statements_free(poly_statements *statements);
const poly_statement *poly_find_statement(const poly_statements *statements, pm_string name);
/* The name of its instances in the tree. */
pm_string poly_statement_tuple(const poly_statement *statement);

/* Tells which statements are ahead of the tree: default values of whole arrays, and of the cells outside of a
 * domain, are stored first of all, in loops of their own: inside the tiles they would split the tile loops
 * into border and interior. Not those that a guarded case may overwrite: they are as large as the case; nor
 * those of stages that have the cells of an array in turn. */
void poly_find_ahead(poly_statements *statements, pm_op *schedule);
/* The schedule of one statement: the loops in the order of its dimensions, the last as a vector loop. */
__isl_give isl_schedule *poly_statement_schedule(const poly_statement *statement);

/* An allocation with a box of its own (attribute `at`), and the loops around it. */
typedef struct poly_site {
  pm_op *alloc;
  isl_union_map *prefix; /* statement instances -> the schedule dimensions that `at` is a function of */
} poly_site;
typedef PM_VEC(poly_site) poly_sites;
void poly_sites_free(poly_sites *sites);

/* The schedule of what is below `node`, a child of the root's sequence or the root poly.domain itself, for
 * the given part of the root's instances (borrowed), without statements that are ahead. The tree is one that
 * poly_check_tree accepts. The marks that stand in the isl_schedule beside those of the tree: "alloc:<n>"
 * above the child of a node that holds allocation number n of `sites`, and "end" below the band of a mark
 * "parallel". NULL after a diagnostic.
 * isl (0.25 at least) brings strided loops of several statements to one residue by moving some of them, and
 * may move one past another that should come first at the same point. So where statements share a band and
 * one of them is strided there, instances of all are given without strides, and *wide says so: the caller
 * has to leave those out that are not in the set of their statement. */
__isl_give isl_schedule *poly_to_isl_schedule(pm_op *node, isl_union_set *domain,
                                              const poly_statements *statements, poly_sites *sites,
                                              bool *wide);

#endif
