/* mark-atomic: updates of computed elements, as of a histogram, run in parallel by atomic operations.
 *
 *   band "[{ hist_u0 -> x }, { hist_u0 -> y }]" coincident [0, 0]
 *   =>
 *   mark "atomic" { band "[{ hist_u0 -> x }, { hist_u0 -> y }]" permutable coincident [1, 1] }
 *
 * In hist(img(x, y)) += 1 any two points may update one element, and nothing else orders them. The mark drops
 * this order where the device has an atomic operation for the update (stage_may_be_atomic), and
 * verify-schedule ignores it then. The band has all points of the update. It is marked once: it carries no
 * dependence any more.
 */
#include "dialects/poly/bands.h"
#include "passes/options.h"

#include <stdlib.h>

/* The band goes through all points of an update whose order matters only since several may come to an
 * element, at computed indices. */
static bool may_be_atomic(const stage_statements *statements, const pm_op *band) {
  const stage_statement *s = poly_only_statement(statements, band);
  unsigned n = poly_band_members(band);
  if (!s || s->kind != STAGE_UPDATE || s->node->self_reads.len || !poly_is_innermost(band)) return false;
  return n > 0 && n == (unsigned)isl_set_dim(s->set, isl_dim_set) && poly_first_coincident(band) == n &&
         stage_may_be_atomic(pm_terminator(pm_region_at(s->body, stage_update_body)));
}

static void set_all_coincident(pm_op *band) {
  unsigned n = poly_band_members(band);
  int64_t *coincident = pm_xcalloc(n, sizeof *coincident);
  for (unsigned k = 0; k < n; k++) coincident[k] = 1;
  pm_set_attr(band, poly_band_coincident, pm_get_index_array(pm_op_context(band), coincident, n));
  pm_set_attr(band, poly_band_permutable, pm_get_unit(pm_op_context(band)));
  free(coincident);
}

static bool mark_atomic(const stage_statements *statements, pm_op *band) {
  if (!may_be_atomic(statements, band)) return false;
  set_all_coincident(band);
  pm_builder b = pm_builder_before(band);
  b = poly_add_mark(&b, POLY_MARK_atomic);
  pm_move_before(band, b.region, NULL);
  return true;
}

pm_result pass_mark_atomic(pm_pass *pass) {
  return poly_change_bands(pass, mark_atomic, "atomic updates");
}
