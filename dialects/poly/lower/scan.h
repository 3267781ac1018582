/* Loops of a schedule tree without a search: for the trees that the scheduling passes make, where each
 * statement has a nest of its own, inside tile loops or not. */
#ifndef PM_DIALECTS_POLY_LOWER_SCAN_H
#define PM_DIALECTS_POLY_LOWER_SCAN_H

#include "dialects/poly/lower/loop_bounds.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/statements.h"

typedef enum poly_scan_kind {
  POLY_SCAN_BLOCK,
  POLY_SCAN_IF,
  POLY_SCAN_LOOP,
  POLY_SCAN_ALLOCS,
  POLY_SCAN_STATEMENT
} poly_scan_kind;

enum { POLY_SCAN_DEPTH = 64 }; /* loops inside each other at most */

/* An allocation with a box of its own, and the first point of that. */
typedef struct poly_scan_box {
  pm_op *alloc;
  pm_affine_expr *point;
} poly_scan_box;

/* A node and what is inside it, in order. Affine expressions are over the loops around, the outermost first,
 * and the parameters of the context as symbols. */
typedef struct poly_scan poly_scan;
struct poly_scan {
  poly_scan_kind kind;
  poly_scan *first, *last, *next;
  /* IF: all of them; with `n_nests`, all of the conditions of one of the nests at least */
  const poly_condition *conditions;
  unsigned n_conditions;
  const poly_nest *nests;
  unsigned n_nests;
  poly_scan *otherwise; /* IF: a block for where they do not hold; NULL: nothing */
  /* LOOP: over all values between the bounds of any of `levels` */
  const poly_level **levels;
  unsigned n_levels;
  unsigned depth;
  poly_loop_marks marks;
  /* ALLOCS: for what is inside */
  const poly_scan_box *boxes;
  unsigned n_boxes;
  /* STATEMENT: the coordinates of the point are the loops from `depth` on, in the order of `order` */
  const stage_statement *statement;
  const unsigned *order;
};

/* What the context says of the params that the tree below `node` and the given part of the root's instances
 * (both borrowed) have, with these alone. */
__isl_give isl_set *poly_scan_context(const stage_statements *statements, isl_union_set *domain, pm_op *node);

/* The loops below `node`, a child of the root's sequence or the root poly.domain itself, for the given part
 * of the root's instances (borrowed). Symbols of expressions are the params of `context` (borrowed). The tree
 * is expanded, and one that poly_check_tree accepts. NULL when a part of it needs isl's AST generation:
 * several statements in one nest, skewed loops, divisions of loops. From the arena. */
poly_scan *poly_scan_tree(pm_arena *arena, const stage_statements *statements, isl_set *context,
                          isl_union_set *domain, pm_op *node);

/* The same of any tree, in bounded time: loops over convex sets without divisions around the instances, and
 * statements under the conditions that say which points are theirs. NULL when a set of a statement has no
 * bounds, a number is too large, the box of an allocation is no affine function, or what divisions stand for
 * takes isl too long. */
poly_scan *poly_scan_guarded(pm_arena *arena, const stage_statements *statements, isl_set *context,
                             isl_union_set *domain, pm_op *node);

#endif
