/* The marks of a schedule tree: marks.def has the rows. */
#ifndef PM_DIALECTS_POLY_MARKS_H
#define PM_DIALECTS_POLY_MARKS_H

#include "dialects/poly/poly.h"
#include "ir/builder.h"

typedef enum poly_mark_kind {
#define MARK(id, of, doc) POLY_MARK_##id,
#include "dialects/poly/marks.def"
  POLY_N_MARKS
} poly_mark_kind;

typedef struct poly_mark_info {
  const char *word;
  bool of_loop; /* else of the subtree */
  const char *doc;
} poly_mark_info;

const poly_mark_info *poly_get_mark_info(poly_mark_kind kind);
/* Of a poly.mark. */
poly_mark_kind poly_mark_kind_of(const pm_op *mark);
/* Whether the op, which may be NULL, is a mark of this kind. */
bool poly_is_mark(const pm_op *op, poly_mark_kind kind);
/* Makes a mark without values at the builder, and returns a builder inside; the op is the parent of that. */
pm_builder poly_add_mark(pm_builder *b, poly_mark_kind kind);
/* The same of a parallel loop, whose iterations are nests of loops or not: those differ in cost and are few,
 * so that they are dealt out one at a time. */
pm_builder poly_add_parallel(pm_builder *b, bool of_nests);

/* The marks of one loop: by kind, NULL where there is none. */
typedef struct poly_loop_marks {
  const pm_op *of[POLY_N_MARKS];
} poly_loop_marks;

/* The mark too, if it is one of a loop. */
void poly_take_mark(poly_loop_marks *marks, const pm_op *mark);

/* For poly_mark_verify: a known mark with the values that it may have. */
bool poly_verify_mark(const pm_op *mark);

#endif
