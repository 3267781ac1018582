/* unroll-planes: planes that read something in common are computed in one loop along the row.
 *
 *   band "[{ f -> c }, { f -> x }, { f -> y }]" permutable coincident [1, 1, 1]
 *   =>
 *   band "[{ f -> x }, { f -> y }]" permutable coincident [1, 1] {
 *     mark "unroll" times 0 { band "[{ f -> c }]" permutable coincident [1] } }
 *
 * In f(c, x, y) = img(c, x, y) * alpha(x, y) the channels of a point become straight code. mark-vector marks
 * the loop around it, in which common reads are made once (dialects/stage/analyses/planes.h). It is
 * unroll-and-jam of the loop over planes, as interleave does it to rows.
 */
#include "dialects/poly/bands.h"
#include "dialects/stage/analyses/planes.h"
#include "passes/options.h"

/* Tiles around the band have all of the planes, of which there are n. */
static bool has_all_planes(const pm_op *band, pm_string name, int dim, int64_t n) {
  for (const pm_op *up = pm_parent(band); up; up = pm_parent(up)) {
    pm_attr sizes = pm_is(up, &poly_band) ? pm_attr_at(up, poly_band_tile) : NULL;
    for (unsigned k = 0; sizes && k < poly_band_members(up); k++)
      if (sizes->items[k]->i < n && poly_dim_of_member(up, k, name) == dim) return false;
  }
  return true;
}

/* The member whose planes are worth being computed together, or -1. */
static int planes_member(const stage_statements *statements, const pm_op *band) {
  const stage_statement *s = poly_only_statement(statements, band);
  if (!s || s->kind != STAGE_CASE || !s->body || !poly_is_free_nest(band)) return -1;
  for (unsigned k = 0; k + 1 < poly_band_members(band); k++) {
    int dim = poly_dim_of_member(band, k, s->name);
    int64_t n = dim >= 0 ? stage_planes_along(s->node, s->body, s->set, (unsigned)dim) : 0;
    if (n > 0 && has_all_planes(band, s->name, dim, n)) return (int)k;
  }
  return -1;
}

static bool put_planes_inside(const stage_statements *statements, pm_op *band) {
  int planes = poly_may_be_vector(statements, band) ? planes_member(statements, band) : -1;
  if (planes < 0) return false;
  unsigned last = poly_band_members(band) - 1;
  poly_move_last(band, (unsigned)planes);
  pm_op *mark = poly_mark_member(band, last, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), 0));
  return true;
}

pm_result pass_unroll_planes(pm_pass *pass) {
  return poly_change_bands(pass, put_planes_inside, "planes in one loop");
}
