/* map-tiles: of tiles that single work-items compute, those next to one another are a group's.
 *
 *   mark "group" worker "item" {
 *     band "[{ f -> floor(x/4) }, { f -> floor(y/4) }]" coincident [1, 1] tile [4, 4] { … } }
 *   =>
 *   mark "group" worker "item" {
 *     band "[{ f -> floor(x/4) }]" coincident [1] tile [4] {
 *       mark "item" { band "[{ f -> floor(y/4) }]" coincident [1] tile [4] { … } } } }
 *
 * The mark "group" has the worker, which group or tile has chosen. Neighbouring items then read neighbouring
 * elements, along the last dimension. map-groups takes the other loops over tiles, so that it runs later.
 */
#include "dialects/poly/bands.h"
#include "passes/options.h"

/* The nearest mark "group" around says that a work-item computes a tile. */
static bool is_computed_by_items(const pm_op *op) {
  const pm_op *up = pm_parent(op);
  while (up && !poly_is_mark(up, POLY_MARK_group)) up = pm_parent(up);
  return up && poly_has_worker(up, "item");
}

static pm_walk stop_at_items(void *user, pm_op *op) {
  (void)user;
  return poly_is_mark(op, POLY_MARK_item) ? PM_WALK_STOP : PM_WALK_ON;
}

/* Loops of items are around the band or below it. */
static bool has_items(pm_op *band) {
  return poly_is_inside(band, POLY_MARK_item) || !pm_walk_pre(band, stop_at_items, NULL);
}

static bool map_to_items(const stage_statements *statements, pm_op *band) {
  (void)statements;
  if (!pm_attr_at(band, poly_band_tile) || !is_computed_by_items(band) || !poly_is_coincident(band))
    return false;
  if (has_items(band)) return false;
  poly_mark_member(band, poly_band_members(band) - 1, POLY_MARK_item);
  return true;
}

pm_result pass_map_tiles(pm_pass *pass) {
  return poly_change_bands(pass, map_to_items, "loops of items");
}
