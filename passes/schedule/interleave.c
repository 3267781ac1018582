/* interleave: recurrences along rows, and sums of floats along them, run for eight rows at a time.
 *
 *   band "[{ f -> x }, { f -> y }]" coincident [1, 0]
 *   =>
 *   band "[{ f -> floor(x/8) }]" permutable coincident [1] {
 *     band "[{ f -> y }]" coincident [0] { mark "unroll" times 8 { band "[{ f -> x }]" coincident [1] } } }
 *
 * In f(x, y) = f(x, y - 1) + … each element waits for the one before it, so that latencies add up along a
 * row. Rows are independent, so that the operations of several overlap. The same holds for sums of floats,
 * whose order is kept. The loop over their elements, right around that over their points, goes over pieces of
 * rows then. It is unroll-and-jam (Callahan, Carr, Kennedy, "Improving register allocation for subscripted
 * variables", 1990). A second run finds no band whose last loop goes along such rows.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/bands.h"
#include "dialects/stage/analyses/work.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "passes/options.h"

/* Innermost; the last member carries a dependence, and the one before it none. */
static bool waits_along_last(const pm_op *band) {
  unsigned n = poly_band_members(band);
  return n >= 2 && poly_is_innermost(band) && !poly_member_is_coincident(band, n - 1) &&
         poly_member_is_coincident(band, n - 2);
}

/* The band is that of one recurrence, whose rows depend on themselves only, an element on those before it:
 * the last member goes along a row, the one before it over rows. */
static bool has_free_rows(const stage_statements *statements, const pm_op *band) {
  const stage_node *node = poly_only_recurrence(statements, band);
  if (!node || !waits_along_last(band)) return false;
  unsigned n = poly_band_members(band);
  int over = poly_dim_of_member(band, n - 2, node->name);
  return poly_runs_along_rows(statements, band, n - 1) && over >= 0 && stage_is_free(node, (unsigned)over);
}

/* The member over rows becomes the last, and several rows are one iteration. */
static void put_rows_inside(pm_op *band) {
  unsigned over = poly_band_members(band) - 2;
  poly_move_last(band, over);
  pm_op *mark = poly_mark_member(band, over + 1, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), PM_INTERLEAVED_ROWS));
}

static void interleave_rows(pm_op *band) {
  poly_add_strips(band, poly_band_members(band) - 2, PM_INTERLEAVED_ROWS);
  put_rows_inside(band);
}

/* The update whose points the band goes through, or NULL. It sums floats in order along the last member, and
 * into other elements along the member before it. */
static const stage_statement *sum_in_order(const stage_statements *statements, const pm_op *band) {
  const stage_statement *s = poly_only_statement(statements, band);
  if (!s || s->kind != STAGE_UPDATE || s->node->self_reads.len || !waits_along_last(band)) return NULL;
  stage_work w = stage_work_in(s->body, s->set);
  return w.chained > 0 && w.gathers <= 0 ? s : NULL;
}

/* The member of the band of elements right around that goes over the same rows as the last but one; -1: none.
 */
static int member_around(const pm_op *band, const pm_op *outer, pm_string name) {
  int over = poly_dim_of_member(band, poly_band_members(band) - 2, name);
  if (!pm_is(outer, &poly_band) || pm_attr_at(outer, poly_band_tile) || over < 0) return -1;
  for (unsigned k = 0; k < poly_band_members(outer); k++)
    if (poly_dim_of_member(outer, k, name) == over) return poly_member_is_coincident(outer, k) ? (int)k : -1;
  return -1;
}

/* `[{ u -> x }]` around `[{ u -> x }, { u -> y }]` becomes pieces of x around y and x. */
static bool interleave_sums(const stage_statements *statements, pm_op *band) {
  const stage_statement *s = sum_in_order(statements, band);
  pm_op *outer = pm_parent(band);
  int at = s ? member_around(band, outer, s->name) : -1;
  if (at < 0) return false;
  isl_multi_union_pw_aff *elements =
      isl_multi_union_pw_aff_copy(isl_peek_mupa(pm_attr_at(outer, poly_band_schedule)));
  isl_union_pw_aff *pieces = poly_strip_of(outer, (unsigned)at, PM_INTERLEAVED_ROWS);
  elements = isl_multi_union_pw_aff_set_union_pw_aff(elements, at, pieces);
  pm_set_attr(outer, poly_band_schedule, isl_attr_of_mupa(pm_op_context(outer), elements));
  put_rows_inside(band);
  return true;
}

static bool interleave(const stage_statements *statements, pm_op *band) {
  if (!has_free_rows(statements, band)) return interleave_sums(statements, band);
  interleave_rows(band);
  return true;
}

pm_result pass_interleave(pm_pass *pass) {
  return poly_change_bands(pass, interleave, "recurrences interleaved");
}
