#include "dialects/poly/check/check_marks.h"

#include "dialects/poly/tree.h"

/* The nearest mark of the kind around, or NULL. */
static pm_op *mark_around(const pm_op *op, poly_mark_kind kind) {
  pm_op *up = pm_parent(op);
  while (up && !poly_is_mark(up, kind)) up = pm_parent(up);
  return up;
}

static const char *word_of(const pm_op *mark) {
  return poly_get_mark_info(poly_mark_kind_of(mark))->word;
}

/* The band whose loop the mark is of, or NULL. */
static const pm_op *band_of(const pm_op *mark) {
  const pm_op *op = poly_child(mark);
  while (op && pm_is(op, &poly_mark)) op = poly_child(op);
  return op && pm_is(op, &poly_band) ? op : NULL;
}

/* The mark with another that it stands right below. */
static bool agree(const pm_op *mark, const pm_op *other) {
  poly_mark_kind one = poly_mark_kind_of(mark), two = poly_mark_kind_of(other);
  if (one == two) return pm_op_error(mark, "\"%s\" is there twice for one loop", word_of(mark));
  if (poly_get_mark_info(one)->loops & poly_get_mark_info(two)->loops) return true;
  pm_op_error(mark, "\"%s\" contradicts the mark \"%s\" of the same loop", word_of(mark), word_of(other));
  pm_note(pm_op_context(mark), other->loc, "the other mark is here");
  return false;
}

/* Between loops of items is nothing but the one loop of the outer. */
static bool check_item(const pm_op *mark) {
  const pm_op *outer = mark_around(mark, POLY_MARK_item), *up = pm_parent(mark);
  while (up != outer && pm_is(up, &poly_mark)) up = pm_parent(up);
  if (!outer || (up == band_of(outer) && poly_band_members(up) == 1)) return true;
  pm_op_error(mark,
              "\"item\" is inside of another, but not right inside: nothing can wait for its items there");
  pm_note(pm_op_context(mark), outer->loc, "the other mark is here");
  return false;
}

static bool check_mark(const pm_op *mark) {
  if (!poly_child(mark))
    return pm_op_error(mark, "\"%s\" has nothing below it, but should stand above a node", word_of(mark));
  if (!poly_get_mark_info(poly_mark_kind_of(mark))->loops) return true;
  if (!band_of(mark))
    return pm_op_error(mark, "\"%s\" marks no loop, but should stand right above a band", word_of(mark));
  for (const pm_op *up = pm_parent(mark); pm_is(up, &poly_mark); up = pm_parent(up))
    if (poly_get_mark_info(poly_mark_kind_of(up))->loops && !agree(mark, up)) return false;
  if (poly_is_mark(mark, POLY_MARK_item) && !check_item(mark)) return false;
  bool threads = poly_is_mark(mark, POLY_MARK_parallel) || poly_is_mark(mark, POLY_MARK_item);
  const pm_op *vector = threads ? mark_around(mark, POLY_MARK_vector) : NULL;
  if (!vector || band_of(vector) == band_of(mark)) return true;
  pm_op_error(mark, "\"%s\" is inside a vector loop, whose iterations have no threads", word_of(mark));
  pm_note(pm_op_context(mark), vector->loc, "the vector loop is here");
  return false;
}

static bool check_alloc(const pm_op *alloc) {
  if (poly_space_of(alloc) != PM_SPACE_THREAD || mark_around(alloc, POLY_MARK_parallel)) return true;
  return pm_op_error(
      alloc, "of @%s is in \"thread\", but no parallel loop is around it; \"heap\" is for all threads",
      pm_sym_at(alloc, poly_alloc_stage)->text);
}

static pm_walk check(void *user, pm_op *op) {
  bool *ok = user;
  if (pm_is(op, &poly_mark)) *ok = check_mark(op) && *ok;
  if (pm_is(op, &poly_alloc)) *ok = check_alloc(op) && *ok;
  return PM_WALK_ON;
}

bool poly_check_marks(pm_op *schedule) {
  bool ok = true;
  pm_walk_pre(schedule, check, &ok);
  return ok;
}
