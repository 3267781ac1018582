/* strip-mine: recurrences down the columns get an outer loop over strips of columns.
 *
 *   band "[{ f -> x }, { f -> y }]" coincident [0, 1]
 *   =>
 *   band "[{ f -> floor(y/256) }]" coincident [1] {
 *     band "[{ f -> x }, { f -> y }]" coincident [0, 1] }
 *
 * In f(x, y) = f(x - 1, y) + … a point waits for the row before it, in its column alone. Strips of columns
 * are independent, so that threads may compute them, and each still goes along rows (Wolfe, "More iteration
 * space tiling", 1989). A band that has its strips already is left alone.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/bands.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "passes/options.h"

/* The band is that of one stage, whose columns depend on themselves only, and has no other loop for threads.
 */
static bool has_free_columns(const stage_statements *statements, const pm_op *band) {
  const stage_node *node = poly_only_recurrence(statements, band);
  unsigned n = poly_band_members(band);
  return node && poly_first_coincident(band) + 1 == n && !poly_is_inside(band, POLY_MARK_parallel) &&
         poly_is_innermost(band) && poly_may_be_vector(statements, band) &&
         stage_is_free(node, node->n_dims - 1) && !poly_has_strips(band, n - 1, PM_STRIP_COLUMNS);
}

static bool strip_mine_columns(const stage_statements *statements, pm_op *band) {
  if (!has_free_columns(statements, band)) return false;
  poly_add_strips(band, poly_band_members(band) - 1, PM_STRIP_COLUMNS);
  return true;
}

pm_result pass_strip_mine(pm_pass *pass) {
  return poly_change_bands(pass, strip_mine_columns, "recurrences in strips");
}
