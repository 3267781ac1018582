/* interchange: the loop along rows becomes the innermost.
 *
 *   band "[{ grid -> z }, { grid -> x }, { grid -> y }]" permutable coincident [1, 1, 1]
 *   =>
 *   band "[{ grid -> x }, { grid -> y }, { grid -> z }]" permutable coincident [1, 1, 1]
 *
 * Elements along z of grid(x, y, z) are next to one another in memory. They are computed one after the other
 * then (Allen, Kennedy, "Automatic loop interchange", 1984). Only loops that carry no dependence are
 * interchanged, and only where a row is long enough for vectors.
 */
#include "dialects/poly/bands.h"
#include "passes/options.h"

static bool all_have_long_rows(const stage_statements *statements, const pm_op *band) {
  poly_names names = {0};
  poly_band_names(band, &names);
  bool all = names.len > 0;
  for (size_t i = 0; i < names.len && all; i++) all = poly_has_long_rows(statements, names.data[i]);
  PM_VEC_FREE(names);
  return all;
}

static bool move_rows_inside(const stage_statements *statements, pm_op *band) {
  unsigned n = poly_band_members(band), row = 0;
  if (!poly_is_free_nest(band) || poly_runs_along_rows(statements, band, n - 1) ||
      !all_have_long_rows(statements, band))
    return false;
  while (row < n && !poly_runs_along_rows(statements, band, row)) row++;
  if (row < n) poly_move_last(band, row);
  return row < n;
}

pm_result pass_interchange(pm_pass *pass) {
  return poly_change_bands(pass, move_rows_inside, "loops interchanged");
}
