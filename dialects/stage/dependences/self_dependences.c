#include "dialects/stage/dependences/self_dependences.h"

/* Takes the dependences, a map between points of one tuple; clears coincident[d] for each dimension that has
 * a distance and is not inside dimensions that carry all of them. */
static void clear_carrying(__isl_take isl_map *dependences, unsigned n, int64_t *coincident) {
  isl_set *distances = isl_map_deltas(dependences);
  distances = isl_set_project_out_all_params(distances);
  for (unsigned d = 0; d < n; d++) {
    if (isl_set_is_empty(distances) == isl_bool_true) break;
    isl_set *zero = isl_set_fix_si(isl_set_copy(distances), isl_dim_set, d, 0);
    if (isl_set_is_equal(zero, distances) != isl_bool_true) coincident[d] = 0;
    isl_set_free(distances);
    distances = zero;
  }
  isl_set_free(distances);
}

void stage_coincidence(const stage_node *node, int64_t *coincident) {
  for (unsigned d = 0; d < node->n_dims; d++) coincident[d] = 1;
  for (size_t i = 0; i < node->self_reads.len; i++) {
    const stage_access *access = node->self_reads.data[i];
    if (access->update_index >= 0) continue;
    isl_map *reads = isl_map_intersect_range(isl_map_copy(access->relation), isl_set_copy(node->domain));
    clear_carrying(reads, node->n_dims, coincident);
  }
}

/* In which relation, EQ or GE, dimension `d` of a point stands to that of each point of the stage that it
 * reads. */
typedef __isl_give isl_map *(*relating)(__isl_take isl_map *, enum isl_dim_type, int, enum isl_dim_type, int);

static bool all_are(const stage_node *node, unsigned d, relating keep) {
  bool all = true;
  for (size_t i = 0; i < node->self_reads.len && all; i++) {
    const stage_access *access = node->self_reads.data[i];
    if (access->update_index >= 0) continue;
    isl_map *reads = isl_map_intersect_range(isl_map_copy(access->relation), isl_set_copy(node->domain));
    isl_map *kept = keep(isl_map_copy(reads), isl_dim_in, (int)d, isl_dim_out, (int)d);
    all = isl_map_is_subset(reads, kept) == isl_bool_true;
    isl_map_free(reads);
    isl_map_free(kept);
  }
  return all;
}

bool stage_is_free(const stage_node *node, unsigned d) {
  return all_are(node, d, isl_map_equate);
}

bool stage_goes_forward(const stage_node *node, unsigned d) {
  return all_are(node, d, isl_map_order_ge);
}

void stage_update_coincidence(const stage_node *node, size_t number, int64_t *coincident) {
  const stage_update_info *update = &node->updates.data[number];
  unsigned n = (unsigned)isl_set_dim(update->set, isl_dim_set);
  for (unsigned d = 0; d < n; d++) coincident[d] = 1;
  isl_map *from_cell = isl_map_reverse(isl_map_copy(update->target));
  clear_carrying(isl_map_apply_range(isl_map_copy(update->target), isl_map_copy(from_cell)), n, coincident);
  for (size_t i = 0; i < node->self_reads.len; i++) {
    const stage_access *access = node->self_reads.data[i];
    if (access->update_index != (int)number) continue;
    isl_map *pairs = isl_map_apply_range(isl_map_copy(access->relation), isl_map_copy(from_cell));
    clear_carrying(pairs, n, coincident);
  }
  isl_map_free(from_cell);
}
