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

/* The loop that the mark is of goes over tiles. */
static bool marks_tiles(const pm_op *mark) {
  const pm_op *band = poly_child(mark);
  while (pm_is(band, &poly_mark)) band = poly_child(band);
  return pm_is(band, &poly_band) && pm_attr_at(band, poly_band_tile);
}

static bool is_in_tile_of_item(const pm_op *band) {
  const pm_op *up = pm_parent(band);
  while (up && !(poly_is_mark(up, POLY_MARK_item) && marks_tiles(up))) up = pm_parent(up);
  return up;
}

static bool unroll_row(const stage_statements *statements, pm_op *band) {
  (void)statements;
  unsigned n = poly_band_members(band);
  if (!n || !poly_is_innermost(band) || !is_in_tile_of_item(band)) return false;
  if (!poly_may_mark(band, n - 1, POLY_MARK_unroll)) return false;
  pm_op *mark = poly_mark_member(band, n - 1, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), 0));
  return true;
}

pm_result pass_unroll_rows(pm_pass *pass) {
  return poly_change_bands(pass, unroll_row, "rows of items unrolled");
}
