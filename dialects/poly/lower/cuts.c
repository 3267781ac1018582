#include "dialects/poly/lower/cuts.h"

bool poly_may_be_full(const poly_loop_marks *marks) {
  return !marks->of[POLY_MARK_parallel] && !marks->of[POLY_MARK_item] &&
         (marks->of[POLY_MARK_vector] || marks->of[POLY_MARK_unroll]);
}

/* a - b is the number. */
static bool is_distance(pm_affine_expr a, pm_affine_expr b, int64_t *distance) {
  pm_affine_expr minus = pm_affine_mul(b, pm_affine_const(b->ctx, -1));
  pm_affine_expr difference = pm_affine_normalize(pm_affine_add(a, minus));
  *distance = difference->kind == PM_AFFINE_CONST ? difference->value : 0;
  return difference->kind == PM_AFFINE_CONST;
}

void poly_order_of_cut(const poly_cut *cut, unsigned other, pm_affine_expr *less, pm_affine_expr *more) {
  *less = cut->exprs[cut->upper ? cut->of_tile : other];
  *more = cut->exprs[cut->upper ? other : cut->of_tile];
}

/* Where the bound of the cut is that of the tile, `upper` is more than `lower` by that much at least. */
static bool is_further(const poly_cut *holds, pm_affine_expr lower, pm_affine_expr upper, int64_t least) {
  for (unsigned i = 0; i < holds->n; i++) {
    pm_affine_expr less, more;
    int64_t low, high;
    if (i == holds->of_tile) continue;
    poly_order_of_cut(holds, i, &less, &more);
    if (is_distance(less, lower, &low) && is_distance(upper, more, &high) && low + high >= least) return true;
  }
  return false;
}

/* Those of loops that compute most first, else as they are. */
static void order_cuts(poly_cuts *cuts) {
  for (size_t i = 1; i < cuts->len; i++)
    for (size_t k = i; k > 0 && cuts->data[k].work > cuts->data[k - 1].work; k--) {
      poly_cut later = cuts->data[k];
      cuts->data[k] = cuts->data[k - 1];
      cuts->data[k - 1] = later;
    }
}

/* Where the bound of `before` is that of the tile: that of `c` cannot be, or is. */
static void compare_cuts(const poly_cut *before, poly_cut *c) {
  bool implied = true;
  for (unsigned i = 0; i < c->n; i++) {
    pm_affine_expr less, more;
    if (i == c->of_tile) continue;
    poly_order_of_cut(c, i, &less, &more);
    c->never = c->never || is_further(before, more, less, 1);
    implied = implied && is_further(before, less, more, 0);
  }
  c->implied = c->implied || implied;
}

const poly_cut *poly_find_cut(const poly_cuts *cuts, const void *loop, bool upper) {
  for (size_t i = 0; i < cuts->len; i++)
    if (cuts->data[i].loop == loop && cuts->data[i].upper == upper) return &cuts->data[i];
  return NULL;
}

/* A loop with a cut has no bound of the picture in a full tile. */
static bool is_any_full(const poly_cuts *cuts) {
  for (size_t i = 0; i < cuts->len; i++) {
    const poly_cut *begin = poly_find_cut(cuts, cuts->data[i].loop, false);
    const poly_cut *end = poly_find_cut(cuts, cuts->data[i].loop, true);
    if (!(begin && begin->never) && !(end && end->never)) return true;
  }
  return false;
}

bool poly_decide_cuts(poly_cuts *cuts) {
  order_cuts(cuts);
  for (size_t i = 0; i < cuts->len; i++)
    for (size_t k = 0; k < i && !cuts->data[i].never; k++)
      if (!cuts->data[k].never) compare_cuts(&cuts->data[k], &cuts->data[i]);
  return is_any_full(cuts);
}

bool poly_is_more_in_full(const poly_cuts *cuts, pm_affine_expr lower, pm_affine_expr upper) {
  for (size_t i = 0; i < cuts->len; i++)
    if (!cuts->data[i].never && is_further(&cuts->data[i], lower, upper, 1)) return true;
  return false;
}
