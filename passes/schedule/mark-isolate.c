/* mark-isolate: tiles that no border cuts have loops of their own.
 *
 *   band "[{ by -> floor(y/256) }]" tile [256] { … mark "vector" { band "[{ by -> y }]" } … }
 *   =>
 *   mark "isolate" {
 *     band "[{ by -> floor(y/256) }]" tile [256] { … mark "vector" { band "[{ by -> y }]" } … } }
 *
 * It is done for the innermost tile loops around vector loops and unrolled ones, whose bounds it cuts:
 * lower-poly makes the two versions of what is inside (dialects/poly/lower/full_tiles.h). The code inside
 * gets twice as long, so that it is left where it is long already, and where at the estimates a row has
 * fewer points than a tile.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/estimates.h"
#include "dialects/stage/analyses/statements.h"
#include "passes/options.h"

#include <stdlib.h>

static pm_walk stop_at_tiles(void *root, pm_op *op) {
  bool inside = op != root && pm_is(op, &poly_band) && poly_child(op);
  return inside && poly_goes_over_pieces(op) ? PM_WALK_STOP : PM_WALK_ON;
}

static pm_walk stop_at_several(void *user, pm_op *op) {
  (void)user;
  return poly_is_mark(op, POLY_MARK_vector) || poly_is_mark(op, POLY_MARK_unroll) ? PM_WALK_STOP : PM_WALK_ON;
}

/* The innermost of the bands that go over tiles, around loops that take several iterations at a time. */
static bool is_around_vectors(pm_op *band) {
  return poly_child(band) && poly_goes_over_pieces(band) && pm_walk_pre(band, stop_at_tiles, band) &&
         !pm_walk_pre(band, stop_at_several, NULL);
}

typedef struct counting {
  const stage_statements *statements;
  int64_t ops;
} counting;

/* Ops of the statements that the innermost bands run. */
static pm_walk add_innermost(void *user, pm_op *op) {
  if (!pm_is(op, &poly_band)) return PM_WALK_ON;
  for (const pm_op *below = poly_child(op); below; below = poly_child(below))
    if (!pm_is(below, &poly_mark)) return PM_WALK_ON;
  counting *c = user;
  poly_names names = {0};
  poly_band_names(op, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_statement *s = stage_find_statement(c->statements, names.data[i]);
    if (s && s->body) c->ops += pm_count_ops(s->body);
  }
  PM_VEC_FREE(names);
  return PM_WALK_ON;
}

static bool is_short(pm_pass *pass, pm_op *band) {
  counting c = {.statements = STAGE_STATEMENTS(pass)};
  int64_t most = pm_opt_int(pass, mark_isolate_opt_max_ops);
  pm_walk_pre(band, add_innermost, &c);
  bool is = c.ops <= most;
  pm_pass_remark(pass, band->loc, is ? PM_REMARK_PASSED : PM_REMARK_MISSED,
                 (pm_remark_arg[]){{"ops", (double)c.ops}}, 1,
                 is ? "full tiles have separate loops: %lld ops more"
                    : "full tiles have no separate loops: these have %lld ops, more than the limit of %lld",
                 (long long)c.ops, (long long)most);
  return is;
}

/* Values of the member, which takes the points. */
static double count_values(const pm_op *band, unsigned member, __isl_take isl_set *points) {
  isl_union_pw_aff *function = isl_multi_union_pw_aff_get_union_pw_aff(
      isl_peek_mupa(pm_attr_at(band, poly_band_schedule)), (int)member);
  isl_union_set *values =
      isl_union_set_apply(isl_union_set_from_set(points), isl_union_map_from_union_pw_aff(function));
  bool any = isl_union_set_is_empty(values) == isl_bool_false;
  isl_set *range = any ? isl_set_from_union_set(isl_union_set_copy(values)) : NULL;
  double n = range ? stage_extent(range, 0) : 0;
  isl_set_free(range);
  isl_union_set_free(values);
  return n;
}

/* A row of a statement or a stage has several tiles at the estimates, or all points of one. */
static bool has_full_tile(pm_pass *pass, const pm_op *band, unsigned member, pm_string name) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  const stage_statement *s = stage_find_statement(STAGE_STATEMENTS(pass), name);
  const stage_node *node = s ? s->node : stage_graph_find(graph, name);
  pm_attr sizes = pm_attr_at(band, poly_band_tile);
  if (!node) return false;
  isl_set *points = stage_at_estimates(graph, isl_set_copy(s ? s->set : node->domain), pm_usual_size(band));
  unsigned n_dims = (unsigned)isl_set_dim(points, isl_dim_set);
  double row = n_dims ? stage_extent(points, n_dims - 1) : 0;
  bool exact = sizes && member < sizes->len && row >= (double)sizes->items[member]->i;
  return count_values(band, member, points) > 1 || exact;
}

static bool has_full_tiles(pm_pass *pass, const pm_op *band, unsigned member) {
  poly_names names = {0};
  bool any = false;
  poly_band_names(band, &names);
  for (size_t i = 0; i < names.len && !any; i++) any = has_full_tile(pass, band, member, names.data[i]);
  PM_VEC_FREE(names);
  if (!any)
    pm_pass_remark(pass, band->loc, PM_REMARK_MISSED, NULL, 0,
                   "full tiles have no separate loops: at the estimates a row has fewer points than a tile");
  return any;
}

pm_result pass_mark_isolate(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(graph->pipeline);
  int64_t marked = 0;
  poly_ops bands = {0};
  poly_collect(schedule, &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) {
    pm_op *band = bands.data[i];
    unsigned last = poly_band_members(band) - 1;
    if (!is_around_vectors(band) || !poly_may_mark(band, last, POLY_MARK_isolate)) continue;
    if (!has_full_tiles(pass, band, last) || !is_short(pass, band)) continue;
    poly_mark_member(band, last, POLY_MARK_isolate);
    marked++;
  }
  PM_VEC_FREE(bands);
  pm_pass_stat(pass, "loops isolated", marked);
  return marked ? PM_CHANGED : PM_UNCHANGED;
}
