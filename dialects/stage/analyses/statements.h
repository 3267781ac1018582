/* The statements of a pipeline: what a schedule tree orders in the end. Every store that is emitted is an
 * instance of one of them: the points of a case, those that hold the default, the cells of an output's array
 * beside its domain, and the points of an update. Points of a case, and of the default, that are no convex
 * set are several statements, one for each convex piece, but not those of a stage that reads itself: its
 * points need each other in between.
 *
 * A tree may schedule a stage as a whole, by its name, until the pass expand-statements names its statements.
 * Tuples:
 *
 *   f            the stage; and its only statement, when that has all points of the stage
 *   f_case0      its first case, f_default and f_outside; further pieces are f_case0_1, f_case0_2, …
 *   f_u0         its first update */
#ifndef PM_DIALECTS_STAGE_ANALYSES_STATEMENTS_H
#define PM_DIALECTS_STAGE_ANALYSES_STATEMENTS_H

#include "dialects/stage/analyses/graph.h"

typedef enum stage_statement_kind {
  STAGE_OUTSIDE,
  STAGE_DEFAULT,
  STAGE_CASE,
  STAGE_UPDATE
} stage_statement_kind;

typedef struct stage_statement {
  stage_statement_kind kind;
  unsigned number; /* of the case or update */
  const stage_node *node;
  pm_op *body;      /* stage.case or stage.update; NULL: it stores the default value */
  pm_string name;   /* of the tuple of its instances */
  isl_set *set;     /* its instances */
  bool overwritten; /* a default whose cells a case with guards may store again, after it */
} stage_statement;

/* All statements of a pipeline: by stage; of a stage outside, default, cases, updates, which is the order in
 * which they store to a cell. Made from the stage graph, which outlives it. */
typedef struct stage_statements stage_statements;

extern const pm_analysis_desc stage_statements_analysis;
#define STAGE_STATEMENTS(pass) ((const stage_statements *)pm_pass_analysis(pass, &stage_statements_analysis))
const stage_graph *stage_statements_graph(const stage_statements *statements);
/* NULL when no statement has the name. */
const stage_statement *stage_find_statement(const stage_statements *statements, pm_string name);
/* The statements of a stage, updates too, or of all; borrowed. */
const stage_statement *stage_statements_of(const stage_statements *statements, const stage_node *node,
                                           size_t *n);
const stage_statement *stage_all_statements(const stage_statements *statements, size_t *n);
/* The statement is all of its stage but updates: the two have one name. */
bool stage_is_whole_stage(const stage_statement *statement);
/* Its instances with the tuple of the stage; the caller's. Not of an update. */
__isl_give isl_set *stage_statement_points(const stage_statement *statement);

#endif
