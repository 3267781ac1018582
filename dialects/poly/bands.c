#include "dialects/poly/bands.h"

#include "dialects/machine/machine.h"

#include <isl/constraint.h>
#include <isl/id.h>
#include <isl/ilp.h>
#include <stdlib.h>
#include <string.h>

/* --- of the band alone --- */

bool poly_member_is_coincident(const pm_op *band, unsigned member) {
  pm_attr list = pm_attr_at(band, poly_band_coincident);
  return list && member < list->len && list->items[member]->i != 0;
}

unsigned poly_first_coincident(const pm_op *band) {
  unsigned n = poly_band_members(band), member = 0;
  while (member < n && !poly_member_is_coincident(band, member)) member++;
  return member;
}

static pm_walk stop_at_band(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &poly_band) ? PM_WALK_STOP : PM_WALK_ON;
}

bool poly_is_innermost(const pm_op *band) {
  pm_op *child = poly_child(band);
  return !child || pm_walk_pre(child, stop_at_band, NULL);
}

static bool is_in_band(const pm_op *op) {
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    if (pm_is(up, &poly_band)) return true;
  return false;
}

bool poly_is_free_nest(const pm_op *band) {
  bool all = pm_attr_at(band, poly_band_permutable) && !pm_attr_at(band, poly_band_tile) &&
             poly_is_innermost(band) && is_in_band(band);
  for (unsigned k = 0; k < poly_band_members(band) && all; k++) all = poly_member_is_coincident(band, k);
  return all;
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

static isl_union_pw_aff *function_of(const pm_op *band, unsigned member) {
  isl_multi_union_pw_aff *all = isl_peek_mupa(pm_attr_at(band, poly_band_schedule));
  return isl_multi_union_pw_aff_get_union_pw_aff(all, (int)member);
}

int poly_dim_of_member(const pm_op *band, unsigned member, pm_string name) {
  function_search s = {name, -1};
  isl_union_pw_aff *one = function_of(band, member);
  isl_union_pw_aff_foreach_pw_aff(one, find_function, &s);
  isl_union_pw_aff_free(one);
  return s.dim;
}

/* --- of what runs in it --- */

const stage_statement *poly_only_statement(const stage_statements *statements, const pm_op *band) {
  poly_names names = {0};
  poly_band_names(band, &names);
  const stage_statement *s = names.len == 1 ? stage_find_statement(statements, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return s;
}

/* The stage of the instances that have the name. */
static const stage_node *stage_of_instances(const stage_statements *statements, pm_string name) {
  const stage_statement *s = stage_find_statement(statements, name);
  return s ? s->node : stage_graph_find(stage_statements_graph(statements), name);
}

const stage_node *poly_only_recurrence(const stage_statements *statements, const pm_op *band) {
  poly_names names = {0};
  poly_band_names(band, &names);
  const stage_statement *s = names.len == 1 ? stage_find_statement(statements, names.data[0]) : NULL;
  bool of_cases = names.len == 1 && !(s && s->kind == STAGE_UPDATE);
  const stage_node *node = of_cases ? stage_of_instances(statements, names.data[0]) : NULL;
  PM_VEC_FREE(names);
  return node && node->self_reads.len ? node : NULL;
}

/* The one dimension of its domain that the last dimension of what the map gives depends on; -1 when there is
 * none or several. Takes the map, which may be NULL. */
static int dim_of_last(__isl_take isl_map *map) {
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

/* The dimension of a stage or statement along which it goes through a row of the stage; -1: none. */
static int row_dim(const stage_statements *statements, pm_string name) {
  const stage_statement *s = stage_find_statement(statements, name);
  const stage_node *node = stage_of_instances(statements, name);
  if (!node || !s || s->kind != STAGE_UPDATE) return node ? (int)node->n_dims - 1 : -1;
  const stage_update_info *update = &node->updates.data[s->number];
  return dim_of_last(isl_map_gist_domain(isl_map_copy(update->target), isl_set_copy(update->set)));
}

bool poly_runs_along_rows(const stage_statements *statements, const pm_op *band, unsigned member) {
  poly_names names = {0};
  poly_band_names(band, &names);
  bool all = names.len > 0;
  for (size_t i = 0; i < names.len && all; i++) {
    int dim = poly_dim_of_member(band, member, names.data[i]);
    all = dim >= 0 && dim == row_dim(statements, names.data[i]);
  }
  PM_VEC_FREE(names);
  return all;
}

bool poly_has_long_rows(const stage_statements *statements, pm_string name) {
  const stage_statement *s = stage_find_statement(statements, name);
  int row = row_dim(statements, name);
  if (!s || row < 0) return false;
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s->set));
  isl_aff *at = isl_aff_var_on_domain(space, isl_dim_set, (unsigned)row);
  isl_val *length = isl_val_sub(isl_set_max_val(s->set, at), isl_set_min_val(s->set, at));
  isl_aff_free(at);
  bool is_long = isl_val_cmp_si(length, PM_SHORT_ROW - 1) >= 0;
  isl_val_free(length);
  return is_long;
}

bool poly_may_be_vector(const stage_statements *statements, const pm_op *band) {
  unsigned n = poly_band_members(band);
  return n && !poly_is_inside(band, POLY_MARK_vector) && poly_member_is_coincident(band, n - 1) &&
         poly_runs_along_rows(statements, band, n - 1) && poly_may_mark(band, n - 1, POLY_MARK_vector);
}

/* --- changes --- */

pm_result poly_change_bands(pm_pass *pass, poly_change *change, const char *statistic) {
  const stage_statements *statements = STAGE_STATEMENTS(pass);
  int64_t changed = 0;
  poly_ops bands = {0};
  if (!statements) return PM_FAILED;
  poly_collect(poly_find_schedule(pm_pass_root(pass)), &poly_band, &bands);
  for (size_t i = 0; i < bands.len; i++) changed += change(statements, bands.data[i]);
  PM_VEC_FREE(bands);
  pm_pass_stat(pass, statistic, changed);
  return changed ? PM_CHANGED : PM_UNCHANGED;
}

void poly_move_last(pm_op *band, unsigned member) {
  unsigned n = poly_band_members(band);
  unsigned *order = pm_xcalloc(n, sizeof *order);
  for (unsigned k = 0; k + 1 < n; k++) order[k] = k < member ? k : k + 1;
  order[n - 1] = member;
  poly_permute_band(band, order);
  free(order);
}

__isl_give isl_union_pw_aff *poly_strip_of(const pm_op *band, unsigned member, int64_t length) {
  isl_union_pw_aff *one = function_of(band, member);
  isl_val *size = isl_val_int_from_si(isl_union_pw_aff_get_ctx(one), length);
  return isl_union_pw_aff_floor(isl_union_pw_aff_scale_down_val(one, size));
}

void poly_add_around(pm_op *band, __isl_take isl_union_pw_aff *member, bool coincident, const int64_t *tile) {
  const int64_t of_member = coincident;
  pm_builder b = pm_builder_before(band);
  b = poly_add_band(&b, isl_multi_union_pw_aff_from_union_pw_aff(member),
                    (poly_band_info){.permutable = true, .coincident = &of_member, .tile = tile});
  pm_move_before(band, b.region, NULL);
}

void poly_add_strips(pm_op *band, unsigned member, int64_t length) {
  poly_add_around(band, poly_strip_of(band, member, length), true, NULL);
}

bool poly_has_strips(const pm_op *band, unsigned member, int64_t length) {
  const pm_op *outer = pm_parent(band);
  if (!pm_is(outer, &poly_band) || poly_band_members(outer) != 1) return false;
  isl_union_pw_aff *around = function_of(outer, 0), *strips = poly_strip_of(band, member, length);
  bool same = isl_union_pw_aff_plain_is_equal(around, strips) == isl_bool_true;
  isl_union_pw_aff_free(around);
  isl_union_pw_aff_free(strips);
  return same;
}

/* --- loops of threads --- */

static bool may_be_parallel(const pm_op *band) {
  unsigned member = poly_first_coincident(band);
  return !poly_is_inside(band, POLY_MARK_parallel) && !poly_is_inside(band, POLY_MARK_vector) &&
         member < poly_band_members(band) && poly_may_mark(band, member, POLY_MARK_parallel);
}

static pm_walk take_outermost(void *user, pm_op *op) {
  poly_ops *out = user;
  if (!pm_is(op, &poly_band) || !may_be_parallel(op)) return PM_WALK_ON;
  PM_VEC_PUSH(*out, op);
  return PM_WALK_SKIP;
}

void poly_collect_free_bands(pm_op *schedule, poly_ops *out) {
  pm_walk_pre(schedule, take_outermost, out);
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

/* The iterations of the member are nests of loops, those with one iteration not counted. */
static bool has_nests_inside(const stage_statements *statements, const pm_op *band, unsigned member) {
  unsigned loops = poly_band_members(band) - member - 1 + depth_below(band);
  const stage_statement *s = loops > 1 ? poly_only_statement(statements, band) : NULL;
  return loops > 1 + (s ? fixed_dims(s) : 0);
}

pm_op *poly_mark_parallel(const stage_statements *statements, pm_op *band, unsigned member) {
  pm_str kind = has_nests_inside(statements, band, member) ? PM_STR("dynamic") : PM_STR("static");
  pm_op *mark = poly_mark_member(band, member, POLY_MARK_parallel);
  pm_set_attr(mark, poly_mark_schedule, pm_get_string_attr(pm_op_context(mark), kind));
  return mark;
}
