/* map-groups: which loops of a device's launch run on its groups of work-items.
 *
 *   band "[{ f -> x }, { f -> y }]" permutable coincident [1, 1]
 *   =>
 *   mark "parallel" schedule "dynamic" { band "[{ f -> floor(x/8) }]" permutable coincident [1] {
 *     band "[{ f -> x }, { f -> y }]" permutable coincident [1, 1] } }
 *
 * It takes the same loops as mark-threads. A group computes an iteration of a loop over tiles, and of those
 * right inside, up to the dimensions of a launch. Other loops are strip-mined: a group computes a piece of
 * them, whose iterations are for its items (map-items). PPCG does the same (Verdoolaege et al., "Polyhedral
 * parallel code generation for CUDA", 2013). What strip-mine or skew has cut has its pieces. A second run
 * finds no more.
 */
#include "dialects/poly/bands.h"
#include "passes/options.h"

enum {
  CUT_LOOPS = 2,          /* loops of a band that the items of a group share */
  CUT_ITERATIONS = 8,     /* of a loop for groups, where loops inside are for items, too */
  CUT_POINTS = 32,        /* of the loop inside, if each goes through points */
  CUT_ITERATIONS_1D = 256 /* of a loop that is alone */
};

/* Up to `most` loops right inside the marked one are for groups, too: how many there are. */
static int64_t mark_inside(const stage_statements *statements, const pm_op *mark, unsigned most, bool tiles) {
  int64_t marked = 0;
  pm_op *rest = poly_child(poly_child(mark));
  while (marked < most && rest && pm_is(rest, &poly_band) && (!tiles || pm_attr_at(rest, poly_band_tile)) &&
         poly_member_is_coincident(rest, 0)) {
    rest = poly_child(poly_child(poly_mark_parallel(statements, rest, 0)));
    marked++;
  }
  return marked;
}

/* The first member and, of those right inside, up to `more` loops over tiles. */
static int64_t map_tiles(const stage_statements *statements, pm_op *band, unsigned first, unsigned more) {
  return 1 + mark_inside(statements, poly_mark_parallel(statements, band, first), more, true);
}

/* Cuts the last of the coincident members `first` up to `end`, and marks the loops over pieces and those of
 * the members before. */
static int64_t map_pieces(const stage_statements *statements, pm_op *band, unsigned first, unsigned end,
                          unsigned more) {
  unsigned count = end - first, inside = count < CUT_LOOPS ? count : CUT_LOOPS;
  bool both = inside > 1 && !poly_is_innermost(band);
  poly_add_strips(band, end - inside, inside > 1 ? CUT_ITERATIONS : CUT_ITERATIONS_1D);
  if (both) poly_add_strips(band, end - 1, CUT_POINTS);
  pm_op *outer = both ? pm_parent(pm_parent(band)) : pm_parent(band);
  pm_op *mark = poly_mark_parallel(statements, outer, 0);
  unsigned most = count - inside + both;
  return 1 + (first == 0 ? mark_inside(statements, mark, most < more ? most : more, false) : 0);
}

/* Of a band without tiles. What the members before the first carry is waited for, unless the band is
 * permutable. */
static int64_t map_loops(const stage_statements *statements, pm_op *band, unsigned first, unsigned more) {
  if (!pm_attr_at(band, poly_band_permutable)) {
    band = poly_split_band(band, first);
    first = 0;
  }
  unsigned n = poly_band_members(band), end = first;
  while (end < n && poly_member_is_coincident(band, end)) end++;
  if (end < n || !poly_goes_over_pieces(band)) return map_pieces(statements, band, first, end, more);
  return 1 + mark_inside(statements, poly_mark_parallel(statements, band, first), more, false);
}

pm_result pass_map_groups(pm_pass *pass) {
  const stage_statements *statements = STAGE_STATEMENTS(pass);
  if (!statements) return PM_FAILED;
  int64_t marked = 0;
  unsigned more = (unsigned)pm_opt_int(pass, map_groups_opt_grid) - 1;
  poly_ops bands = {0};
  poly_collect_free_bands(poly_find_schedule(pm_pass_root(pass)), &bands);
  for (size_t i = 0; i < bands.len; i++) {
    pm_op *band = bands.data[i];
    unsigned first = poly_first_coincident(band);
    marked += pm_attr_at(band, poly_band_tile) ? map_tiles(statements, band, first, more)
                                               : map_loops(statements, band, first, more);
  }
  PM_VEC_FREE(bands);
  pm_pass_stat(pass, "parallel loops", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
