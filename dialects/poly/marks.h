/* The marks of a schedule tree: marks.def has the rows. */
#ifndef PM_DIALECTS_POLY_MARKS_H
#define PM_DIALECTS_POLY_MARKS_H

#include "dialects/poly/poly.h"
#include "ir/builder.h"

typedef enum poly_mark_kind {
#define MARK(id, loops, doc) POLY_MARK_##id,
#include "dialects/poly/marks.def"
  POLY_N_MARKS
} poly_mark_kind;

typedef enum poly_loop_kinds { POLY_SERIAL = 1, POLY_VECTOR = 2, POLY_THREADS = 4 } poly_loop_kinds;

typedef struct poly_mark_info {
  const char *word;
  unsigned loops; /* a sum of poly_loop_kinds, which the marks of one loop share a term of; 0: of a subtree */
  const char *doc;
} poly_mark_info;

const poly_mark_info *poly_get_mark_info(poly_mark_kind kind);
/* Of a poly.mark. */
poly_mark_kind poly_mark_kind_of(const pm_op *mark);
/* Whether the op, which may be NULL, is a mark of this kind. */
bool poly_is_mark(const pm_op *op, poly_mark_kind kind);
/* Some mark of this kind is around the op. */
bool poly_is_inside(const pm_op *op, poly_mark_kind kind);
/* Makes a mark without values at the builder, and returns a builder inside; the op is the parent of that. */
pm_builder poly_add_mark(pm_builder *b, poly_mark_kind kind);
/* Whether the marks of the loop that a member is allow one of this kind, which it does not have. */
bool poly_may_mark(const pm_op *band, unsigned member, poly_mark_kind kind);
/* Puts a mark above a member of a band, those before it in a band outside, those behind it in one inside;
 * `band` is erased. Returns the mark. */
pm_op *poly_mark_member(pm_op *band, unsigned member, poly_mark_kind kind);
/* Puts the members before `member` in a band outside. Returns the band of the others; `band` is erased, if it
 * is not that. */
pm_op *poly_split_band(pm_op *band, unsigned member);

/* The marks of one loop, and of the subtrees that it is in: by kind, NULL where there is none. */
typedef struct poly_loop_marks {
  const pm_op *of[POLY_N_MARKS];
} poly_loop_marks;

/* The mark too. */
void poly_take_mark(poly_loop_marks *marks, const pm_op *mark);
/* Those of the subtrees: what the loops inside of the loop have. */
poly_loop_marks poly_marks_inside(const poly_loop_marks *marks);

/* For poly_mark_verify: a known mark with the values that it may have. */
bool poly_verify_mark(const pm_op *mark);

#endif
