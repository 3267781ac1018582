/* unroll-rows: the points of a row of a work-item's tile are straight code.
 *
 *   mark "item" { band "[{ f -> floor(y/4) }]" tile [4] { … band "[{ f -> x }, { f -> y }]" … } }
 *   =>
 *   mark "item" { band "[{ f -> floor(y/4) }]" tile [4] { … band "[{ f -> x }]" {
 *     mark "unroll" times 0 { band "[{ f -> y }]" } … } }
 *
 * They are few. Then what an item keeps of a row is in registers, whose indices are constants. A loop that is
 * unrolled already is left alone.
 */
#include "dialects/poly/bands.h"
#include "passes/options.h"

/* A loop of items over tiles is around the band. */
static bool is_in_tile_of_item(const pm_op *band) {
  const pm_op *up = pm_parent(band);
  while (up &&
         !(pm_is(up, &poly_band) && up->attrs[poly_band_tile] && poly_is_mark(pm_parent(up), POLY_MARK_item)))
    up = pm_parent(up);
  return up;
}

static bool unroll_row(const stage_statements *statements, pm_op *band, void *user) {
  (void)statements;
  (void)user;
  unsigned n = poly_band_members(band);
  if (!n || !poly_is_innermost(band) || !is_in_tile_of_item(band)) return false;
  if (!poly_may_mark(band, n - 1, POLY_MARK_unroll)) return false;
  pm_op *mark = poly_mark_member(band, n - 1, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), 0));
  return true;
}

pm_result pass_unroll_rows(pm_pass *pass) {
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  int64_t marked = poly_change_bands(NULL, schedule, unroll_row, NULL);
  pm_pass_stat(pass, "rows of items unrolled", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
