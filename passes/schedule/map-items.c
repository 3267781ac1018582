/* map-items: which loops run on the work-items of a group.
 *
 *   mark "parallel" { band "[{ f -> floor(x/8) }]" { band "[{ f -> x }, { f -> y }]" coincident [1, 1] } }
 *   =>
 *   mark "parallel" { band "[{ f -> floor(x/8) }]" { mark "item" { band "[{ f -> x }]" coincident [1] {
 *     mark "item" { band "[{ f -> y }]" coincident [1] } } } } }
 *
 * It takes the last members of the innermost bands, adjacent ones that carry no dependence. An update has the
 * loops over its elements instead, where an item can go through all points of an element. A loop that is
 * mapped to groups has no items, and neither has one inside of a loop of items: a second run finds no more.
 */
#include "dialects/poly/bands.h"
#include "passes/options.h"

/* The band goes over elements of an update, which may be computed at once. */
static bool has_free_elements(const pm_op *band) {
  unsigned n = pm_is(band, &poly_band) ? poly_band_members(band) : 0;
  return n > 0 && !pm_attr_at(band, poly_band_tile) && !poly_is_mark(pm_parent(band), POLY_MARK_parallel) &&
         poly_member_is_coincident(band, n - 1) && !poly_goes_over_pieces(band);
}

/* The band right around, over elements whose points the band goes through, or that have their first values in
 * it; else the band. */
static pm_op *around_points(pm_op *band) {
  pm_op *elements = pm_parent(band);
  if (pm_is(elements, &poly_filter) && pm_is(pm_parent(elements), &poly_sequence))
    elements = pm_parent(pm_parent(elements));
  return has_free_elements(elements) ? elements : band;
}

static bool may_have_items(const pm_op *band, unsigned member) {
  return poly_member_is_coincident(band, member) && poly_may_mark(band, member, POLY_MARK_item) &&
         !poly_is_mark(pm_parent(band), POLY_MARK_parallel);
}

/* The last coincident members, `most` at most: how many. */
static int64_t mark_last_members(pm_op *band, int64_t most) {
  int64_t marked = 0;
  unsigned end = poly_band_members(band);
  while (end > 0 && !poly_member_is_coincident(band, end - 1)) end--;
  while (marked < most && end > 0 && may_have_items(band, end - 1)) {
    band = pm_parent(poly_mark_member(band, end - 1, POLY_MARK_item));
    marked++;
    end--;
  }
  return marked;
}

pm_result pass_map_items(pm_pass *pass) {
  int64_t marked = 0, most = pm_opt_int(pass, map_items_opt_items);
  poly_ops bands = {0};
  poly_collect(poly_find_schedule(pm_pass_root(pass)), &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) {
    pm_op *band = bands.data[i];
    if (!poly_is_innermost(band) || poly_is_inside(band, POLY_MARK_item)) continue;
    if (poly_band_members(band)) marked += mark_last_members(around_points(band), most);
  }
  PM_VEC_FREE(bands);
  pm_pass_stat(pass, "loops of items", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
