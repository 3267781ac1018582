#include "dialects/poly/tiling/group_members.h"

#include "dialects/stage/dependences/distance.h"

#include <stdlib.h>

static bool add_stage(const stage_node *node, pm_op *filter, poly_members *out) {
  pm_op *band = poly_child(filter);
  if (!pm_is(band, &poly_band) || pm_attr_at(band, poly_band_tile)) return false;
  PM_VEC_PUSH(out->list, ((poly_member){node, filter, band, poly_band_map(band, node->name)}));
  return true;
}

static bool add_member(const stage_graph *graph, pm_op *filter, poly_members *out) {
  poly_names names = {0};
  size_t number = 0;
  poly_stage_names(graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  pm_string name = names.len == 1 ? names.data[0] : NULL;
  PM_VEC_FREE(names);
  const stage_node *node = name ? stage_graph_find(graph, name) : NULL;
  if (node) return add_stage(node, filter, out);
  node = name ? stage_graph_find_update(graph, name, &number) : NULL;
  if (node) PM_VEC_PUSH(out->updates, ((poly_member_update){node, number, filter}));
  return node != NULL;
}

static bool have_stages(const poly_members *members) {
  for (size_t i = 0; i < members->updates.len; i++)
    if (poly_member_number(members, members->updates.data[i].node) < 0) return false;
  return members->list.len > 0;
}

static void free_members(poly_members *members) {
  for (size_t i = 0; i < members->list.len; i++) isl_map_free(members->list.data[i].schedule);
  PM_VEC_FREE(members->list);
  PM_VEC_FREE(members->updates);
}

/* False when the group is of another form; the list is to be freed in any case. */
static bool read_members(const stage_graph *graph, pm_op *mark, poly_members *out) {
  pm_op *sequence = poly_child(mark);
  if (!pm_is(sequence, &poly_sequence)) return false;
  PM_FOR_OPS(filter, pm_region_at(sequence, 0))
  if (!add_member(graph, filter, out)) return false;
  if (!have_stages(out)) return false;
  out->n_dims = poly_band_members(out->list.data[0].band);
  return true;
}

/* --- as an analysis --- */

struct poly_groups {
  PM_VEC(pm_op *) marks;   /* in the order of the tree */
  PM_VEC(poly_members) of; /* by mark; no members: of another form */
};

static void add_group(poly_groups *groups, const stage_graph *graph, pm_op *mark) {
  poly_members members = {0};
  if (!read_members(graph, mark, &members)) {
    free_members(&members);
    members = (poly_members){0};
  }
  PM_VEC_PUSH(groups->marks, mark);
  PM_VEC_PUSH(groups->of, members);
}

static void *find_groups(pm_op *root, const void *graph) {
  poly_groups *groups = pm_xcalloc(1, sizeof *groups);
  pm_op *schedule = poly_find_schedule(root);
  poly_ops marks = {0};
  if (schedule) poly_collect(schedule, &poly_mark, &marks);
  for (size_t i = 0; i < marks.len; i++)
    if (poly_is_mark(marks.data[i], POLY_MARK_group)) add_group(groups, graph, marks.data[i]);
  PM_VEC_FREE(marks);
  return groups;
}

static void free_groups(void *result) {
  poly_groups *groups = result;
  for (size_t i = 0; i < groups->of.len; i++) free_members(&groups->of.data[i]);
  PM_VEC_FREE(groups->of);
  PM_VEC_FREE(groups->marks);
  free(groups);
}

const pm_analysis_desc poly_groups_analysis = {"groups", find_groups, free_groups, NULL,
                                               &stage_graph_analysis};

size_t poly_group_count(const poly_groups *groups) {
  return groups->marks.len;
}

pm_op *poly_group_at(const poly_groups *groups, size_t i) {
  return groups->marks.data[i];
}

const poly_members *poly_members_at(const poly_groups *groups, size_t i) {
  return groups->of.data[i].list.len ? &groups->of.data[i] : NULL;
}

/* --- members --- */

int poly_member_number(const poly_members *members, const stage_node *node) {
  for (size_t i = 0; i < members->list.len; i++)
    if (members->list.data[i].node == node) return (int)i;
  return -1;
}

static __isl_give isl_map *one_dimension(const poly_members *members, int number, unsigned dim) {
  isl_map *map = isl_map_copy(members->list.data[number].schedule);
  map = isl_map_project_out(map, isl_dim_out, dim + 1, members->n_dims - dim - 1);
  return isl_map_project_out(map, isl_dim_out, 0, dim);
}

bool poly_member_distance(stage_distances *distances, const poly_members *members, const stage_access *access,
                          unsigned dim, int64_t *lo, int64_t *hi) {
  isl_map *reader = one_dimension(members, poly_member_number(members, access->consumer), dim);
  isl_map *producer = one_dimension(members, poly_member_number(members, access->producer), dim);
  *lo = INT32_MAX;
  *hi = INT32_MIN;
  bool bounded = stage_widen_distances(distances, access, reader, producer, lo, hi, NULL);
  isl_map_free(reader);
  isl_map_free(producer);
  return bounded;
}

__isl_give isl_aff *poly_member_position(const poly_member *member, unsigned dim) {
  isl_pw_multi_aff *schedule = isl_pw_multi_aff_from_map(isl_map_copy(member->schedule));
  isl_multi_aff *ma = isl_pw_multi_aff_as_multi_aff(schedule);
  isl_aff *aff = isl_multi_aff_get_aff(ma, (int)dim);
  isl_multi_aff_free(ma);
  return aff;
}

unsigned poly_first_sized_of(const poly_members *members, const int64_t *sizes, size_t n, int64_t *size) {
  size_t unused = n > members->n_dims ? n - members->n_dims : 0;
  *size = sizes[unused < n ? unused : n - 1];
  return n < members->n_dims ? members->n_dims - (unsigned)n : 0;
}
