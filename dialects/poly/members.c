#include "dialects/poly/members.h"

#include "dialects/poly/distance.h"

#include <stdlib.h>

static bool add_member(const stage_graph *graph, pm_op *filter, poly_members *out) {
  poly_names names = {0};
  poly_stage_names(graph->ctx, isl_peek_union_set(filter->attrs[poly_filter_instances]), &names);
  const stage_node *node = names.len == 1 ? stage_graph_find(graph, names.data[0]) : NULL;
  pm_op *band = poly_child(filter);
  bool ok = node && pm_is(band, &poly_band) && !band->attrs[poly_band_tile];
  if (ok) PM_VEC_PUSH(out->list, ((poly_member){node, filter, band, poly_band_map(band, node->name)}));
  PM_VEC_FREE(names);
  return ok;
}

bool poly_find_members(const stage_graph *graph, pm_op *mark, poly_members *out) {
  pm_op *sequence = poly_child(mark);
  bool ok = poly_is_mark(mark, "group") && pm_is(sequence, &poly_sequence);
  *out = (poly_members){0};
  if (ok) {
    PM_FOR_OPS(filter, pm_region_at(sequence, 0))
    ok = ok && add_member(graph, filter, out);
  }
  ok = ok && out->list.len > 0;
  if (ok)
    out->n_dims = poly_band_members(out->list.data[0].band);
  else
    poly_free_members(out);
  return ok;
}

void poly_free_members(poly_members *members) {
  for (size_t i = 0; i < members->list.len; i++) isl_map_free(members->list.data[i].schedule);
  PM_VEC_FREE(members->list);
  *members = (poly_members){0};
}

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

bool poly_member_distance(const poly_members *members, const stage_access *access, unsigned dim, int64_t *lo,
                          int64_t *hi) {
  isl_map *reader = one_dimension(members, poly_member_number(members, access->consumer), dim);
  isl_map *producer = one_dimension(members, poly_member_number(members, access->producer), dim);
  *lo = INT32_MAX;
  *hi = INT32_MIN;
  bool bounded = poly_widen_distances(access->relation, reader, producer, 1, lo, hi);
  isl_map_free(reader);
  isl_map_free(producer);
  return bounded;
}
