/* skew: recurrences along rows and columns go through tiles in wavefronts.
 *
 *   band "[{ f -> x }, { f -> y }]" coincident [0, 0]
 *   =>
 *   band "[{ f -> floor(x/32) + floor(y/512) }]" permutable coincident [0] tile [32] {
 *     band "[{ f -> floor(y/512) }]" permutable coincident [1] tile [512] {
 *       band "[{ f -> x }, { f -> y }]" coincident [0, 0] } }
 *
 * In f(x, y) = f(x, y - 1) + f(x - 1, y) + … a point waits for earlier points along both dimensions. A tile
 * then waits for tiles with a smaller sum of numbers only. Tiles with the same sum are independent: a
 * wavefront (Wolfe, "Loop skewing: the wavefront method revisited", 1986). A band that has its wavefronts
 * already is left alone.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/bands.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "passes/options.h"

/* The points of the stage wait for none behind them along the last two members. */
static bool goes_forward(const pm_op *band, const stage_node *node) {
  unsigned n = poly_band_members(band);
  bool forward = true;
  for (unsigned k = n - 2; k < n && forward; k++) {
    int dim = poly_dim_of_member(band, k, node->name);
    forward = dim >= 0 && stage_goes_forward(node, (unsigned)dim);
  }
  return forward;
}

/* The band is that of one recurrence, none of whose loops may have threads. */
static bool may_be_skewed(const stage_statements *statements, const pm_op *band) {
  const stage_node *node = poly_only_recurrence(statements, band);
  unsigned n = poly_band_members(band);
  return node && n >= 2 && poly_is_innermost(band) && poly_first_coincident(band) == n &&
         !poly_is_inside(band, POLY_MARK_parallel) && goes_forward(band, node) &&
         !poly_has_strips(band, n - 1, PM_WAVEFRONT_COLUMNS);
}

static bool skew(const stage_statements *statements, pm_op *band) {
  const int64_t rows = PM_WAVEFRONT_ROWS, columns = PM_WAVEFRONT_COLUMNS;
  unsigned n = poly_band_members(band);
  if (!may_be_skewed(statements, band)) return false;
  isl_union_pw_aff *row = poly_strip_of(band, n - 2, rows), *column = poly_strip_of(band, n - 1, columns);
  poly_add_around(band, isl_union_pw_aff_add(row, isl_union_pw_aff_copy(column)), false, &rows);
  poly_add_around(band, column, true, &columns);
  return true;
}

pm_result pass_skew(pm_pass *pass) {
  return poly_change_bands(pass, skew, "recurrences in wavefronts");
}
