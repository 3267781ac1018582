/* mark-parallel: which loops run on several threads and which become vectors.
 *
 *   mark "group" { band "[{ by -> floor(x/32) }, { by -> floor(y/256) }]" coincident [1, 1] { … } }
 *   =>
 *   mark "group" { mark "parallel" deal "dynamic" { band "[{ by -> floor(x/32) }]" coincident [1] {
 *     band "[{ by -> floor(y/256) }]" coincident [1] { … } } } }
 *
 * Parallel: the first coincident member of the outermost band that has one, of each group (of each stage or
 * update, when the group has no tile loops). Vector: the last member of the innermost bands, if it is
 * coincident and runs over the last dimension of its stages, the contiguous one, or over that of updates
 * whose targets follow it there. Where another member of such a band does, and all may go in any order, that
 * one becomes the last: `[{ grid -> z }, { grid -> x }, { grid -> y }]` of `grid(x, y, z)` becomes x, y, z.
 * Planes that read something in common, the channels of a picture, go into the vector loop, unrolled. A
 * stage that reads itself along its columns only, `f(x, y) = f(x - 1, y) +
 * …`, gets an outer loop over pieces of the rows, which is parallel. Of one that reads itself along its rows
 * only, `f(x, y) = f(x, y - 1) + …`, eight rows take turns, since each cell waits for the one before it; sums
 * of floats along rows do so, too. One that reads itself along both, and only what lies before, goes through
 * tiles in waves: those with the same sum of numbers at once.
 */
#include "dialects/machine/machine.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/planes.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/analyses/work.h"
#include "dialects/stage/dependences/self_dependences.h"
#include "passes/options.h"

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <stdlib.h>
#include <string.h>

typedef struct marker {
  pm_pass *pass;
  const stage_graph *graph;
  const stage_statements *statements;
} marker;

static bool is_coincident(const pm_op *band, unsigned member) {
  pm_attr list = band->attrs[poly_band_coincident];
  return list && member < list->len && list->items[member]->i != 0;
}

/* The one dimension of its domain that the last dimension of what the map gives depends on; -1 when there is
 * none or several. Takes the map, which may be NULL. */
static int dim_of_last(isl_map *map) {
  int only = -1;
  unsigned n_in = map ? (unsigned)isl_map_dim(map, isl_dim_in) : 0;
  unsigned n_out = map ? (unsigned)isl_map_dim(map, isl_dim_out) : 0, found = 0;
  if (n_out) map = isl_map_project_out(map, isl_dim_out, 0, n_out - 1);
  for (unsigned d = 0; d < n_in && n_out; d++) {
    if (isl_map_involves_dims(map, isl_dim_in, d, 1) != isl_bool_true) continue;
    only = (int)d;
    found++;
  }
  isl_map_free(map);
  return found == 1 ? only : -1;
}

/* The stage of the instances that have the name. */
static const stage_node *stage_of(const marker *m, pm_string name) {
  const stage_statement *s = stage_find_statement(m->statements, name);
  return s ? s->node : stage_graph_find(m->graph, name);
}

/* The dimension of a stage or statement along which it goes through a row of the stage; -1: none. */
static int row_dim(const marker *m, pm_string name) {
  const stage_statement *s = stage_find_statement(m->statements, name);
  const stage_node *node = stage_of(m, name);
  if (!node || !s || s->kind != STAGE_UPDATE) return node ? (int)node->n_dims - 1 : -1;
  const stage_update_info *update = &node->updates.data[s->number];
  return dim_of_last(isl_map_gist_domain(isl_map_copy(update->target), isl_set_copy(update->set)));
}

typedef struct function_search {
  pm_string name; /* of the instances */
  int dim;
} function_search;

/* The one dimension that the function depends on; -1 when there is none or several. */
static isl_stat find_dim(__isl_take isl_set *where, __isl_take isl_aff *aff, void *user) {
  int *dim = user, only = -1, found = 0;
  for (int d = 0; d < (int)isl_aff_dim(aff, isl_dim_in); d++) {
    if (isl_aff_involves_dims(aff, isl_dim_in, (unsigned)d, 1) != isl_bool_true) continue;
    only = d;
    found++;
  }
  *dim = found == 1 ? only : -1;
  isl_set_free(where);
  isl_aff_free(aff);
  return isl_stat_ok;
}

/* A function in pieces depends on no one dimension. */
static isl_stat find_function(__isl_take isl_pw_aff *function, void *user) {
  function_search *s = user;
  isl_id *name = isl_pw_aff_get_tuple_id(function, isl_dim_in);
  bool is = name && strcmp(isl_id_get_name(name), s->name->text) == 0;
  if (is && isl_pw_aff_n_piece(function) == 1) isl_pw_aff_foreach_piece(function, find_dim, &s->dim);
  isl_id_free(name);
  isl_pw_aff_free(function);
  return isl_stat_ok;
}

/* The dimension that the member is, up to a factor, of instances; -1: none. */
static int dim_of_member(const pm_op *band, unsigned member, pm_string name) {
  function_search s = {name, -1};
  isl_multi_union_pw_aff *all = isl_peek_mupa(band->attrs[poly_band_schedule]);
  isl_union_pw_aff *one = isl_multi_union_pw_aff_get_union_pw_aff(all, (int)member);
  isl_union_pw_aff_foreach_pw_aff(one, find_function, &s);
  isl_union_pw_aff_free(one);
  return s.dim;
}

/* The member goes through a row. */
static bool runs_over_row(const marker *m, const pm_op *band, unsigned member, pm_string name) {
  int dim = dim_of_member(band, member, name);
  return dim >= 0 && dim == row_dim(m, name);
}

/* The statement that alone runs in the band, or NULL. */
static const stage_statement *only_statement(const marker *m, const pm_op *band) {
  poly_names names = {0};
  poly_band_names(band, &names);
  const stage_statement *s = names.len == 1 ? stage_find_statement(m->statements, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return s;
}

static isl_stat count_fixed(__isl_take isl_basic_set *part, void *user) {
  unsigned *fixed = user, n = 0;
  for (int d = 0; d < (int)isl_basic_set_dim(part, isl_dim_set); d++) {
    isl_constraint *equality = NULL;
    n += isl_basic_set_has_defining_equality(part, isl_dim_set, d, &equality) == isl_bool_true;
    isl_constraint_free(equality);
  }
  if (n < *fixed) *fixed = n;
  isl_basic_set_free(part);
  return isl_stat_ok;
}

/* Dimensions that an equality gives: loops over them have one iteration. */
static unsigned fixed_dims(const stage_statement *s) {
  unsigned fixed = s->node->n_dims;
  isl_set_foreach_basic_set(s->set, count_fixed, &fixed);
  return fixed;
}

/* Members of bands in each other below the node, at most. */
static unsigned depth_below(const pm_op *node) {
  unsigned most = 0;
  PM_FOR_OPS(op, pm_region_at(node, 0)) {
    if (pm_is(op, &poly_alloc)) continue;
    unsigned depth = depth_below(op) + (pm_is(op, &poly_band) ? poly_band_members(op) : 0);
    if (depth > most) most = depth;
  }
  return most;
}

/* The iterations of the member are nests of loops, those with one iteration aside. */
static bool has_nests_inside(const marker *m, const pm_op *band, unsigned member) {
  unsigned loops = poly_band_members(band) - member - 1 + depth_below(band);
  const stage_statement *s = loops > 1 ? only_statement(m, band) : NULL;
  return loops > 1 + (s ? fixed_dims(s) : 0);
}

static pm_walk is_band(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &poly_band) ? PM_WALK_STOP : PM_WALK_ON;
}

/* Nothing is below but statements. */
static bool is_innermost(const pm_op *band) {
  pm_op *child = poly_child(band);
  return !child || pm_walk_pre(child, is_band, NULL);
}

/* All that run in the band go through their rows along the member. */
static bool all_run_over_row(const marker *m, const pm_op *band, unsigned member) {
  poly_names names = {0};
  poly_band_names(band, &names);
  bool all = names.len > 0;
  for (size_t i = 0; i < names.len && all; i++) all = runs_over_row(m, band, member, names.data[i]);
  PM_VEC_FREE(names);
  return all;
}

static bool is_vector_band(const marker *m, const pm_op *band) {
  unsigned n = poly_band_members(band);
  return n && is_innermost(band) && is_coincident(band, n - 1) && all_run_over_row(m, band, n - 1);
}

static bool is_inside(const pm_op *op, poly_mark_kind kind) {
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    if (poly_is_mark(up, kind)) return true;
  return false;
}

/* The last member, which no mark around forbids it. */
static bool may_be_vector(const marker *m, const pm_op *band) {
  return !is_inside(band, POLY_MARK_vector) && is_vector_band(m, band) &&
         poly_may_mark(band, poly_band_members(band) - 1, POLY_MARK_vector);
}

/* Member `at` becomes a loop for threads, whose iterations are nests of loops or not: those differ in cost
 * and are few, so that they are dealt out one at a time. */
static pm_op *mark_member(const marker *m, pm_op *band, unsigned at) {
  pm_str deal = has_nests_inside(m, band, at) ? PM_STR("dynamic") : PM_STR("static");
  pm_op *mark = poly_mark_member(band, at, POLY_MARK_parallel);
  pm_set_attr(mark, poly_mark_deal, pm_get_string_attr(m->graph->ctx, deal));
  return mark;
}

/* --- the order of loops --- */

/* A row of the statement has PM_SHORT_ROW points, as far as constants say. */
static bool has_long_rows(const marker *m, pm_string name) {
  const stage_statement *s = stage_find_statement(m->statements, name);
  int row = row_dim(m, name);
  if (!s || row < 0) return false;
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s->set));
  isl_aff *at = isl_aff_var_on_domain(space, isl_dim_set, (unsigned)row);
  isl_val *length = isl_val_sub(isl_set_max_val(s->set, at), isl_set_min_val(s->set, at));
  isl_aff_free(at);
  bool is_long = isl_val_cmp_si(length, PM_SHORT_ROW - 1) >= 0;
  isl_val_free(length);
  return is_long;
}

static bool all_have_long_rows(const marker *m, const pm_op *band) {
  poly_names names = {0};
  poly_band_names(band, &names);
  bool all = names.len > 0;
  for (size_t i = 0; i < names.len && all; i++) all = has_long_rows(m, names.data[i]);
  PM_VEC_FREE(names);
  return all;
}

static bool is_in_band(const pm_op *op) {
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    if (pm_is(up, &poly_band)) return true;
  return false;
}

/* Innermost, inside of loops that may run on threads, and of loops that may go in any order. */
static bool is_free_nest(const pm_op *band) {
  bool all = band->attrs[poly_band_permutable] && !band->attrs[poly_band_tile] && is_innermost(band) &&
             is_in_band(band);
  for (unsigned k = 0; k < poly_band_members(band) && all; k++) all = is_coincident(band, k);
  return all;
}

static void move_last(const marker *m, pm_op *band, unsigned member) {
  unsigned n = poly_band_members(band);
  unsigned *order = pm_arena_alloc(pm_pass_arena(m->pass), n * sizeof *order);
  for (unsigned k = 0; k + 1 < n; k++) order[k] = k < member ? k : k + 1;
  order[n - 1] = member;
  poly_permute_band(band, order);
}

/* The member along rows becomes the innermost, where another is: cells next to one another are next to one
 * another in time. */
static bool permute(const marker *m, pm_op *band) {
  unsigned n = poly_band_members(band), row = 0;
  if (!is_free_nest(band) || all_run_over_row(m, band, n - 1) || !all_have_long_rows(m, band)) return false;
  while (row < n && !all_run_over_row(m, band, row)) row++;
  if (row < n) move_last(m, band, row);
  return row < n;
}

/* Its number, or that of members when there is none. */
static unsigned first_coincident(const pm_op *band) {
  unsigned n = poly_band_members(band), member = 0;
  while (member < n && !is_coincident(band, member)) member++;
  return member;
}

/* --- planes in one loop --- */

/* Tiles around the band have all of the planes, of which there are n. */
static bool has_all_planes(const pm_op *band, pm_string name, int dim, int64_t n) {
  for (const pm_op *up = pm_parent(band); up; up = pm_parent(up)) {
    pm_attr sizes = pm_is(up, &poly_band) ? up->attrs[poly_band_tile] : NULL;
    for (unsigned k = 0; sizes && k < poly_band_members(up); k++)
      if (sizes->items[k]->i < n && dim_of_member(up, k, name) == dim) return false;
  }
  return true;
}

/* The member whose planes are worth being computed together, or -1. */
static int planes_member(const marker *m, const pm_op *band) {
  const stage_statement *s = only_statement(m, band);
  if (!s || s->kind != STAGE_CASE || !s->body || !is_free_nest(band)) return -1;
  for (unsigned k = 0; k + 1 < poly_band_members(band); k++) {
    int dim = dim_of_member(band, k, s->name);
    int64_t n = dim >= 0 ? stage_planes_along(s->body, s->set, (unsigned)dim) : 0;
    if (n > 0 && has_all_planes(band, s->name, dim, n)) return (int)k;
  }
  return -1;
}

/* All planes of a point are computed at once, so that what they read in common is read once: `[{ f -> c },
 * { f -> x }, { f -> y }]` becomes x and y, a vector loop, and in it c, straight code. */
static bool put_planes_inside(const marker *m, pm_op *band) {
  int planes = planes_member(m, band);
  unsigned n = poly_band_members(band);
  if (planes < 0) return false;
  move_last(m, band, (unsigned)planes);
  pm_op *mark = poly_mark_member(band, n - 2, POLY_MARK_vector);
  mark = poly_mark_member(poly_child(poly_child(mark)), 0, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), 0));
  return true;
}

/* --- default values --- */

/* The band stores default values only, too few for several threads. */
static bool stores_few_defaults(const marker *m, const pm_op *band) {
  const stage_statement *s = only_statement(m, band);
  return s && !s->body &&
         stage_points_in(m->graph, s->set, pm_usual_size(pm_pass_root(m->pass))) <
             (double)pm_opt_int(m->pass, mark_parallel_opt_least_cells);
}

/* --- recurrences --- */

/* The one stage that the band schedules, if it reads itself; else NULL. */
static const stage_node *only_recurrence(const marker *m, const pm_op *band) {
  poly_names names = {0};
  poly_band_names(band, &names);
  const stage_statement *s = names.len == 1 ? stage_find_statement(m->statements, names.data[0]) : NULL;
  const stage_node *node =
      names.len == 1 && !(s && s->kind == STAGE_UPDATE) ? stage_of(m, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return node && node->self_reads.len ? node : NULL;
}

/* The band is that of one stage, whose columns depend on themselves only, and has no other loop for threads.
 */
static bool has_free_columns(const marker *m, const pm_op *band) {
  const stage_node *node = only_recurrence(m, band);
  return node && first_coincident(band) + 1 == poly_band_members(band) &&
         !is_inside(band, POLY_MARK_parallel) && may_be_vector(m, band) &&
         stage_is_free(node, node->n_dims - 1);
}

/* The band is that of one stage, whose rows depend on themselves only, a cell on those before it: the last
 * member goes along a row, the one before it over rows. */
static bool has_free_rows(const marker *m, const pm_op *band) {
  const stage_node *node = only_recurrence(m, band);
  unsigned n = poly_band_members(band);
  if (!node || n < 2 || !is_innermost(band) || is_coincident(band, n - 1) || !is_coincident(band, n - 2))
    return false;
  int over = dim_of_member(band, n - 2, node->name);
  return all_run_over_row(m, band, n - 1) && over >= 0 && stage_is_free(node, (unsigned)over);
}

/* The band is that of one stage, whose points wait for others along both of the last two members, for none
 * further on along either; no other loop of it is for threads. */
static bool goes_in_waves(const marker *m, const pm_op *band) {
  const stage_node *node = only_recurrence(m, band);
  unsigned n = poly_band_members(band);
  if (!node || n < 2 || !is_innermost(band) || first_coincident(band) < n ||
      is_inside(band, POLY_MARK_parallel))
    return false;
  for (unsigned k = n - 2; k < n; k++) {
    int dim = dim_of_member(band, k, node->name);
    if (dim < 0 || !stage_goes_forward(node, (unsigned)dim)) return false;
  }
  return true;
}

/* The number of the piece of the member that a point is in; so many of its values are a piece. */
static __isl_give isl_union_pw_aff *piece_of(const pm_op *band, unsigned member, int64_t length) {
  isl_multi_union_pw_aff *all = isl_peek_mupa(band->attrs[poly_band_schedule]);
  isl_union_pw_aff *one = isl_multi_union_pw_aff_get_union_pw_aff(all, (int)member);
  isl_val *size = isl_val_int_from_si(isl_union_pw_aff_get_ctx(one), length);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(one, size));
}

/* Puts a band of one member around the band. Takes the member. */
static void put_around(pm_op *band, isl_union_pw_aff *member, int64_t coincident, const int64_t *tile) {
  pm_builder b = pm_builder_before(band);
  b = poly_add_band(&b, isl_multi_union_pw_aff_from_union_pw_aff(member),
                    (poly_band_info){.permutable = true, .coincident = &coincident, .tile = tile});
  pm_move_before(band, b.region, NULL);
}

static void add_pieces(pm_op *band, unsigned member, int64_t length) {
  put_around(band, piece_of(band, member, length), 1, NULL);
}

/* Tiles of the last two members, those of a wave at once: `[{ f -> x }, { f -> y }]` becomes the sum of the
 * pieces of x and y, the pieces of y, and x and y. What a tile waits for is in waves before. */
static void add_waves(pm_op *band) {
  unsigned n = poly_band_members(band);
  const int64_t rows = PM_WAVEFRONT_ROWS, columns = PM_WAVEFRONT_COLUMNS;
  put_around(band, isl_union_pw_aff_add(piece_of(band, n - 2, rows), piece_of(band, n - 1, columns)), 0,
             &rows);
  put_around(band, piece_of(band, n - 1, columns), 1, &columns);
}

/* The member over rows becomes the last, and so many rows are one iteration. */
static void put_rows_inside(const marker *m, pm_op *band) {
  unsigned over = poly_band_members(band) - 2;
  move_last(m, band, over);
  pm_op *mark = poly_mark_member(band, over + 1, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), PM_INTERLEAVED_ROWS));
}

/* Rows take turns: `[{ f -> x }, { f -> y }]` becomes pieces of x, y, x. */
static void interleave_rows(const marker *m, pm_op *band) {
  add_pieces(band, poly_band_members(band) - 2, PM_INTERLEAVED_ROWS);
  put_rows_inside(m, band);
}

/* --- sums in order --- */

/* The band goes through the points of one update, which sums floats in order along its last member, into
 * other cells along the member before it. */
static const stage_statement *sum_in_order(const marker *m, const pm_op *band) {
  const stage_statement *s = only_statement(m, band);
  unsigned n = poly_band_members(band);
  if (!s || s->kind != STAGE_UPDATE || s->node->self_reads.len || n < 2 || !is_innermost(band)) return NULL;
  if (is_coincident(band, n - 1) || !is_coincident(band, n - 2)) return NULL;
  stage_work w = stage_work_in(s->body, s->set);
  return w.chained > 0 && w.gathers <= 0 ? s : NULL;
}

/* The member of the band of cells right around that goes over the same rows as the last but one; -1: none. */
static int member_around(const pm_op *band, const pm_op *outer, pm_string name) {
  int over = dim_of_member(band, poly_band_members(band) - 2, name);
  if (!pm_is(outer, &poly_band) || outer->attrs[poly_band_tile] || over < 0) return -1;
  for (unsigned k = 0; k < poly_band_members(outer); k++)
    if (dim_of_member(outer, k, name) == over) return is_coincident(outer, k) ? (int)k : -1;
  return -1;
}

/* Sums of rows take turns: `[{ u -> x }]` around `[{ u -> x }, { u -> y }]` becomes pieces of x around y and
 * x. */
static bool interleave_sums(const marker *m, pm_op *band) {
  const stage_statement *s = sum_in_order(m, band);
  pm_op *outer = pm_parent(band);
  int at = s ? member_around(band, outer, s->name) : -1;
  if (at < 0) return false;
  isl_multi_union_pw_aff *cells =
      isl_multi_union_pw_aff_copy(isl_peek_mupa(outer->attrs[poly_band_schedule]));
  cells =
      isl_multi_union_pw_aff_set_union_pw_aff(cells, at, piece_of(outer, (unsigned)at, PM_INTERLEAVED_ROWS));
  pm_set_attr(outer, poly_band_schedule, isl_attr_of_mupa(pm_op_context(outer), cells));
  put_rows_inside(m, band);
  return true;
}

/* --- loops that are no vectors, or slow ones --- */

static void add_reason(pm_buf *reasons, const char *fmt, ...) PM_PRINTF(2, 3);
static void add_reason(pm_buf *reasons, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  pm_buf_puts(reasons, reasons->len ? ", " : "");
  pm_vformat(reasons, fmt, args);
  va_end(args);
}

static void add_accesses(pm_buf *reasons, double n, const char *how) {
  if (n > 0) add_reason(reasons, "it reads or writes %.0f time%s a point %s", n, n > 1 ? "s" : "", how);
}

/* What is not next to one another for neighbours. */
static void add_apart(pm_buf *reasons, const stage_work *w) {
  add_accesses(reasons, w->gathers, "at computed indices");
  add_accesses(reasons, w->strided, "with a stride other than 1");
}

static bool is_strict(const marker *m) {
  pm_string fp = pm_sym_at(m->graph->pipeline, stage_pipeline_fp);
  return fp && strcmp(fp->text, "strict") == 0;
}

/* Of a loop that is not marked. The C compiler makes vectors of an update's loop where nothing stands against
 * it. */
static void add_obstacles(const marker *m, const pm_op *band, const stage_statement *s, const stage_work *w,
                          pm_buf *reasons) {
  unsigned last = poly_band_members(band) - 1;
  if (s->kind == STAGE_UPDATE) {
    add_apart(reasons, w);
    if (w->chained > 0) add_reason(reasons, "it sums floats into one cell, in order");
    if (w->calls > 0) add_reason(reasons, "it calls functions");
  } else if (!is_coincident(band, last) || (s->node->self_reads.len && is_inside(band, POLY_MARK_unroll))) {
    add_reason(reasons, s->node->self_reads.len ? "it reads what earlier iterations compute"
                                                : "its iterations depend on one another");
  } else if (!all_run_over_row(m, band, last)) {
    add_reason(reasons, "it does not run along rows");
  } else {
    add_reason(reasons, "a mark around it says otherwise");
  }
}

/* Of a loop that is marked. */
static void add_slow(const marker *m, const stage_statement *s, const stage_work *w, pm_buf *reasons) {
  add_apart(reasons, w);
  if (stage_has_guard(s->body)) add_reason(reasons, "a condition that is not affine decides what is stored");
  if (!has_long_rows(m, s->name)) add_reason(reasons, "rows have fewer than %d points", PM_SHORT_ROW);
  if (w->calls > 0 && is_strict(m)) add_reason(reasons, "it calls functions, under strict floating point");
}

/* The statement's part of the time that is predicted for its stage; 0: none is. */
static double time_of(const marker *m, const stage_statement *s) {
  int64_t usual = pm_usual_size(pm_pass_root(m->pass));
  const stage_node *node = s->node;
  double points = 0;
  if (!pm_attr_at(node->op, stage_func_time)) return 0;
  double time = (double)pm_int_at(node->op, stage_func_time);
  if (s->kind == STAGE_UPDATE) return time;
  for (size_t i = 0; i < node->cases.len; i++)
    points += stage_points_in(m->graph, node->cases.data[i].set, usual);
  return points > 0 ? time * stage_points_in(m->graph, s->set, usual) / points : 0;
}

static void remark_vectors(const marker *m, const stage_statement *s, const char *which, pm_buf *reasons) {
  double time = time_of(m, s);
  if (time > 0) pm_buf_printf(reasons, "; it takes %.3g ms", time / 1e6);
  pm_pass_remark(m->pass, s->body->loc, PM_REMARK_MISSED, (pm_remark_arg[]){{"time", time}}, time > 0,
                 "the innermost loop of @%pS has %s vectors: %s", (const void *)s->node->name, which,
                 reasons->data);
}

static void explain_statement(const marker *m, const pm_op *band, const stage_statement *s, bool marked) {
  pm_buf reasons = {0};
  stage_work w = stage_work_in(s->body, s->set);
  if (marked)
    add_slow(m, s, &w, &reasons);
  else
    add_obstacles(m, band, s, &w, &reasons);
  if (reasons.len) remark_vectors(m, s, marked ? "slow" : "no", &reasons);
  pm_buf_free(&reasons);
}

/* Of a statement, or of all cases of a stage that has its statements below. */
static void explain_instances(const marker *m, const pm_op *band, pm_string name) {
  bool marked = is_inside(band, POLY_MARK_vector);
  const stage_statement *only = stage_find_statement(m->statements, name), *all = only;
  const stage_node *node = stage_of(m, name);
  size_t n = node ? 1 : 0;
  if (node && !only) all = stage_statements_of(m->statements, node, &n);
  for (size_t i = 0; i < n; i++)
    if (all[i].body && (only || all[i].kind == STAGE_CASE)) explain_statement(m, band, &all[i], marked);
}

static void explain_vectors(const marker *m, pm_op *schedule) {
  poly_ops bands = {0};
  if (!pm_wants_remarks(m->graph->ctx)) return;
  poly_collect(schedule, &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) {
    const pm_op *band = bands.data[i];
    poly_names names = {0};
    if (!is_innermost(band) || !poly_band_members(band)) continue;
    poly_band_names(band, &names);
    for (size_t k = 0; k < names.len; k++) explain_instances(m, band, names.data[k]);
    PM_VEC_FREE(names);
  }
  PM_VEC_FREE(bands);
}

/* --- groups of items --- */

enum {
  PIECE_LOOPS = 2,  /* loops of a band that the items of a group share */
  PIECE = 8,        /* iterations of a loop for groups, where loops inside are for items, too */
  PIECE_INNER = 32, /* of the loop inside, if each goes through points */
  PIECE_ALONE = 256 /* of a loop that is alone */
};

static bool wants_items(const marker *m) {
  return pm_opt_int(m->pass, mark_parallel_opt_items) > 0;
}

static unsigned most_grid(const marker *m) {
  return (unsigned)pm_opt_int(m->pass, mark_parallel_opt_grid);
}

/* Up to `most` loops right inside the marked one are for groups, too: the number of those. */
static int64_t mark_inside(const marker *m, const pm_op *mark, unsigned most, bool tiles) {
  int64_t marked = 0;
  pm_op *rest = poly_child(poly_child(mark));
  while (marked < most && rest && pm_is(rest, &poly_band) && (!tiles || rest->attrs[poly_band_tile]) &&
         is_coincident(rest, 0)) {
    rest = poly_child(poly_child(mark_member(m, rest, 0)));
    marked++;
  }
  return marked;
}

/* Loops that have no tiles, from the member on: pieces of those for items, unless the last goes over pieces
 * already, and the loops around these, are for groups. What the members before carry is waited for, unless
 * the band is permutable. */
static int64_t mark_groups(const marker *m, pm_op *band, unsigned first) {
  if (!band->attrs[poly_band_permutable]) {
    band = poly_split_band(band, first);
    first = 0;
  }
  unsigned n = poly_band_members(band), end = first;
  while (end < n && is_coincident(band, end)) end++;
  unsigned count = end - first, inside = count < PIECE_LOOPS ? count : PIECE_LOOPS;
  if (end == n && poly_goes_over_pieces(band))
    return 1 + mark_inside(m, mark_member(m, band, first), most_grid(m) - 1, false);
  bool both = inside > 1 && !is_innermost(band);
  add_pieces(band, end - inside, inside > 1 ? PIECE : PIECE_ALONE);
  if (both) add_pieces(band, end - 1, PIECE_INNER);
  pm_op *mark = mark_member(m, both ? pm_parent(pm_parent(band)) : pm_parent(band), 0);
  unsigned most = count - inside + both;
  if (most > most_grid(m) - 1) most = most_grid(m) - 1;
  return 1 + (first == 0 ? mark_inside(m, mark, most, false) : 0);
}

/* The last coincident members that stand next to each other: of all their iterations none waits for another.
 */
static int64_t mark_items(const marker *m, pm_op *band) {
  int64_t marked = 0, most = pm_opt_int(m->pass, mark_parallel_opt_items);
  unsigned end = poly_band_members(band);
  while (end > 0 && !is_coincident(band, end - 1)) end--;
  while (marked < most && end > 0 && is_coincident(band, end - 1) &&
         poly_may_mark(band, end - 1, POLY_MARK_item) && !poly_is_mark(pm_parent(band), POLY_MARK_parallel)) {
    band = pm_parent(poly_mark_member(band, end - 1, POLY_MARK_item));
    marked++;
    end--;
  }
  return marked;
}

/* The band right around, over the cells of an update whose points the band goes through, or that have their
 * first values in it, if all cells may be computed at once; else the band: an item does all points of a cell.
 */
static pm_op *around_points(pm_op *band) {
  pm_op *cells = pm_parent(band);
  if (pm_is(cells, &poly_filter) && pm_is(pm_parent(cells), &poly_sequence))
    cells = pm_parent(pm_parent(cells));
  bool are = pm_is(cells, &poly_band) && poly_band_members(cells) > 0 && !cells->attrs[poly_band_tile] &&
             !poly_is_mark(pm_parent(cells), POLY_MARK_parallel) &&
             is_coincident(cells, poly_band_members(cells) - 1) && !poly_goes_over_pieces(cells);
  return are ? cells : band;
}

/* --- updates in one step --- */

/* The band goes through all points of an update whose order matters only since several may come to a cell,
 * at computed indices, and that may do to it what it does in one step. */
static bool may_be_atomic(const marker *m, const pm_op *band) {
  const stage_statement *s = only_statement(m, band);
  unsigned n = poly_band_members(band);
  if (!s || s->kind != STAGE_UPDATE || s->node->self_reads.len || !is_innermost(band)) return false;
  return n > 0 && n == (unsigned)isl_set_dim(s->set, isl_dim_set) && first_coincident(band) == n &&
         stage_may_be_atomic(pm_terminator(pm_region_at(s->body, stage_update_body)));
}

/* Under the mark the loops carry no dependence. */
static bool make_atomic(const marker *m, pm_op *band) {
  if (!may_be_atomic(m, band)) return false;
  int64_t *coincident = pm_xcalloc(poly_band_members(band), sizeof *coincident);
  for (unsigned k = 0; k < poly_band_members(band); k++) coincident[k] = 1;
  pm_set_attr(band, poly_band_coincident,
              pm_get_index_array(m->graph->ctx, coincident, poly_band_members(band)));
  pm_set_attr(band, poly_band_permutable, pm_get_unit(m->graph->ctx));
  free(coincident);
  pm_builder b = pm_builder_before(band);
  b = poly_add_mark(&b, POLY_MARK_atomic);
  pm_move_before(band, b.region, NULL);
  return true;
}

/* --- tiles of items --- */

/* The mark of the group whose tiles the items of a device compute each on its own, or NULL. */
static pm_op *group_of_items(const pm_op *op) {
  pm_op *up = pm_parent(op);
  while (up && !poly_is_mark(up, POLY_MARK_group)) up = pm_parent(up);
  return up && poly_has_worker(up, "item") ? up : NULL;
}

/* Tiles next to one another along the last dimension are those of items. */
static bool deal_tiles(pm_op *band) {
  if (!band->attrs[poly_band_tile] || !group_of_items(band) || !poly_is_coincident(band)) return false;
  poly_mark_member(band, poly_band_members(band) - 1, POLY_MARK_item);
  return true;
}

/* The points of a row of an item's tile, which are few, are straight code. */
static bool unroll_row(pm_op *band) {
  unsigned last = poly_band_members(band) - 1;
  if (!is_inside(band, POLY_MARK_item) || !group_of_items(band)) return false;
  if (!poly_may_mark(band, last, POLY_MARK_unroll)) return false;
  pm_op *mark = poly_mark_member(band, last, POLY_MARK_unroll);
  pm_set_attr(mark, poly_mark_times, pm_get_index_attr(pm_op_context(mark), 0));
  return true;
}

/* --- memory --- */

/* Memory of a thread is that of all where there is one. */
static int64_t move_to_heap(const marker *m, pm_op *schedule) {
  int64_t moved = 0;
  poly_ops allocs = {0};
  poly_collect(schedule, &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    if (poly_space_of(allocs.data[i]) != PM_SPACE_THREAD || is_inside(allocs.data[i], POLY_MARK_parallel))
      continue;
    pm_set_attr(allocs.data[i], poly_alloc_space, poly_space_attr(m->graph->ctx, PM_SPACE_HEAP));
    moved++;
  }
  PM_VEC_FREE(allocs);
  return moved;
}

/* Bands inside of the one that is about to be marked are not looked at again. */
static void forget_inside(poly_ops *bands, size_t marked) {
  for (size_t k = marked + 1; k < bands->len; k++)
    if (bands->data[k] && pm_is_ancestor(bands->data[marked], bands->data[k])) bands->data[k] = NULL;
}

pm_result pass_mark_parallel(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  marker m = {pass, graph, STAGE_STATEMENTS(pass)};
  int64_t parallel = 0, vector = 0, items = 0, permuted = 0, interleaved = 0, waves = 0, unrolled = 0,
          planes = 0, atomic = 0;
  poly_ops bands = {0};
  poly_collect(schedule, &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++)
    if (has_free_columns(&m, bands.data[i]))
      add_pieces(bands.data[i], poly_band_members(bands.data[i]) - 1, PM_STRIP_COLUMNS);
  for (size_t i = 0; i < bands.len && pm_opt_bool(pass, mark_parallel_opt_atomic); i++)
    atomic += make_atomic(&m, bands.data[i]);
  for (size_t i = 0; i < bands.len; i++) permuted += permute(&m, bands.data[i]);
  for (size_t i = 0; i < bands.len; i++) {
    if (goes_in_waves(&m, bands.data[i])) {
      add_waves(bands.data[i]);
      waves++;
    }
    if (wants_items(&m)) continue;
    bool free_rows = has_free_rows(&m, bands.data[i]);
    if (free_rows) interleave_rows(&m, bands.data[i]);
    if (!free_rows && !interleave_sums(&m, bands.data[i])) continue;
    bands.data[i] = NULL;
    interleaved++;
  }
  for (size_t i = 0; i < bands.len; i++) {
    pm_op *band = bands.data[i];
    if (!band || wants_items(&m) || !may_be_vector(&m, band)) continue;
    bool together = put_planes_inside(&m, band);
    if (!together) poly_mark_member(band, poly_band_members(band) - 1, POLY_MARK_vector);
    planes += together;
    vector++;
  }
  for (size_t i = 0; i < bands.len && wants_items(&m); i++) items += deal_tiles(bands.data[i]);
  bands.len = 0;
  poly_collect(schedule, &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) {
    if (!bands.data[i]) continue;
    unsigned member = first_coincident(bands.data[i]);
    if (is_inside(bands.data[i], POLY_MARK_parallel) || is_inside(bands.data[i], POLY_MARK_vector)) continue;
    if (member == poly_band_members(bands.data[i])) continue;
    if (!wants_items(&m) && stores_few_defaults(&m, bands.data[i])) continue;
    if (!poly_may_mark(bands.data[i], member, POLY_MARK_parallel)) continue;
    forget_inside(&bands, i);
    if (wants_items(&m) && !bands.data[i]->attrs[poly_band_tile])
      parallel += mark_groups(&m, bands.data[i], member);
    else
      parallel += 1 + mark_inside(&m, mark_member(&m, bands.data[i], member), most_grid(&m) - 1, true);
  }
  bands.len = 0;
  if (wants_items(&m)) poly_collect(schedule, &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) {
    if (!is_innermost(bands.data[i]) || !poly_band_members(bands.data[i])) continue;
    bool of_item = is_inside(bands.data[i], POLY_MARK_item);
    if (of_item) unrolled += unroll_row(bands.data[i]);
    if (!of_item) items += mark_items(&m, around_points(bands.data[i]));
  }
  PM_VEC_FREE(bands);
  pm_pass_stat(pass, "parallel loops", parallel);
  pm_pass_stat(pass, "vector loops", vector);
  pm_pass_stat(pass, "loops of items", items);
  pm_pass_stat(pass, "rows of items unrolled", unrolled);
  pm_pass_stat(pass, "loops interchanged", permuted);
  pm_pass_stat(pass, "recurrences interleaved", interleaved);
  pm_pass_stat(pass, "recurrences in waves", waves);
  pm_pass_stat(pass, "planes in one loop", planes);
  pm_pass_stat(pass, "updates in one step", atomic);
  int64_t moved = move_to_heap(&m, schedule);
  if (!wants_items(&m)) explain_vectors(&m, schedule);
  pm_pass_stat(pass, "scratchpads for one thread", moved);
  return parallel + vector + items + permuted + interleaved + waves + moved + atomic ? PM_CHANGED
                                                                                     : PM_UNCHANGED;
}
