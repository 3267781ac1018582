#include "dialects/stage/dependences/update_loops.h"

#include "dialects/machine/machine.h"

/* The dimension of the map's domain that the function reads; -1 when it reads none or several. */
static int only_dim(isl_aff *aff, unsigned n) {
  int only = -1;
  for (unsigned d = 0; d < n; d++) {
    if (isl_aff_involves_dims(aff, isl_dim_in, d, 1) != isl_bool_true) continue;
    if (only >= 0) return -1;
    only = (int)d;
  }
  return only;
}

static isl_aff *divided(isl_aff *aff, int64_t divisor) {
  return isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), (long)divisor)));
}

static isl_map *index_of(isl_map *relation, unsigned k) {
  unsigned n = (unsigned)isl_map_dim(relation, isl_dim_out);
  isl_map *index = isl_map_project_out(isl_map_copy(relation), isl_dim_out, k + 1, n - k - 1);
  return isl_map_project_out(index, isl_dim_out, 0, k);
}

/* What a point reads of the stage has the index `k` of the cell that it reaches: those of different indices
 * do not depend on each other. The index is a function. */
static bool keeps_index(const stage_node *node, size_t number, unsigned k) {
  isl_map *reached = index_of(node->updates.data[number].target, k);
  bool keeps = true;
  for (size_t i = 0; i < node->self_reads.len && keeps; i++) {
    const stage_access *access = node->self_reads.data[i];
    if (access->update_index != (int)number) continue;
    isl_map *read =
        isl_map_intersect_domain(index_of(access->relation, k), isl_set_copy(node->updates.data[number].set));
    keeps = isl_map_is_subset(read, reached) == isl_bool_true;
    isl_map_free(read);
  }
  isl_map_free(reached);
  return keeps;
}

/* From points of the set to those that differ from them in dimension `d` at most. */
static isl_map *moves_along(isl_set *set, unsigned d) {
  isl_map *moves = isl_map_from_domain_and_range(isl_set_copy(set), isl_set_copy(set));
  for (int k = 0; k < (int)isl_set_dim(set, isl_dim_set); k++)
    if (k != (int)d) moves = isl_map_equate(moves, isl_dim_in, k, isl_dim_out, k);
  return moves;
}

/* An index of the access but the last depends on dimension `d` of the update. */
static bool steps_over_rows(isl_map *relation, isl_set *set, unsigned d) {
  unsigned n = (unsigned)isl_map_dim(relation, isl_dim_out);
  if (n == 0) return false;
  isl_map *outer = isl_map_project_out(isl_map_copy(relation), isl_dim_out, n - 1, 1);
  isl_map *moved = isl_map_apply_range(moves_along(set, d), isl_map_copy(outer));
  bool steps = isl_map_is_subset(moved, outer) != isl_bool_true;
  isl_map_free(moved);
  isl_map_free(outer);
  return steps;
}

static unsigned count_strided(const stage_node *node, size_t number, unsigned d) {
  const stage_update_info *update = &node->updates.data[number];
  unsigned n = steps_over_rows(update->target, update->set, d);
  for (size_t i = 0; i < node->reads.len; i++)
    if (node->reads.data[i]->update_index == (int)number)
      n += steps_over_rows(node->reads.data[i]->relation, update->set, d);
  return n;
}

/* The one dimension that the last index of the combine is, but for a constant; -1 when there is none. */
static int contiguous_dim(const stage_node *node, size_t number) {
  const stage_update_info *update = &node->updates.data[number];
  isl_aff *aff = node->n_dims ? stage_update_index(update, node->n_dims - 1) : NULL;
  if (!aff) return -1;
  int d = isl_aff_dim(aff, isl_dim_div) == 0 ? only_dim(aff, (unsigned)isl_set_dim(update->set, isl_dim_set))
                                             : -1;
  isl_val *coefficient = d < 0 ? NULL : isl_aff_get_coefficient_val(aff, isl_dim_in, d);
  if (coefficient && isl_val_is_one(coefficient) != isl_bool_true) d = -1;
  isl_val_free(coefficient);
  return d;
}

unsigned stage_update_row_dim(const stage_node *node, size_t number) {
  unsigned last = (unsigned)isl_set_dim(node->updates.data[number].set, isl_dim_set) - 1;
  int d = contiguous_dim(node, number);
  if (d >= 0 && !keeps_index(node, number, node->n_dims - 1)) d = -1;
  unsigned strided = d < 0 ? 0 : count_strided(node, number, (unsigned)d);
  return d < 0 || (strided && strided >= count_strided(node, number, last)) ? last : (unsigned)d;
}

/* One loop over cells that are reached by points of their own: the index `k` of the combine, or NULL. */
static isl_aff *cell_loop(const stage_node *node, size_t number, unsigned k, unsigned row) {
  const stage_update_info *update = &node->updates.data[number];
  unsigned n = (unsigned)isl_set_dim(update->set, isl_dim_set);
  isl_aff *aff = stage_update_index(update, k);
  int dim = aff ? only_dim(aff, n) : -1;
  if (dim < 0 || !keeps_index(node, number, k)) return NULL;
  bool in_pieces = (unsigned)dim == row && isl_aff_dim(aff, isl_dim_div) == 0;
  return in_pieces ? divided(isl_aff_copy(aff), PM_STRIP_COLUMNS) : isl_aff_copy(aff);
}

/* The functions, which are taken, as the members of a band on the update's instances. */
static isl_multi_union_pw_aff *band_of(const stage_update_info *update, isl_aff_list *affs) {
  isl_space *space = isl_space_from_domain(isl_set_get_space(update->set));
  space = isl_space_add_dims(space, isl_dim_out, (unsigned)isl_aff_list_n_aff(affs));
  return isl_multi_union_pw_aff_from_multi_aff(isl_multi_aff_from_aff_list(space, affs));
}

__isl_give isl_multi_union_pw_aff *stage_update_loops(const stage_node *node, size_t number) {
  const stage_update_info *update = &node->updates.data[number];
  if (isl_set_dim(update->set, isl_dim_set) == 0) return NULL;
  unsigned row = stage_update_row_dim(node, number);
  isl_aff_list *affs = isl_aff_list_alloc(isl_set_get_ctx(update->set), (int)node->n_dims);
  for (unsigned k = 0; k < node->n_dims; k++) {
    isl_aff *aff = cell_loop(node, number, k, row);
    if (aff) affs = isl_aff_list_add(affs, aff);
  }
  if (isl_aff_list_n_aff(affs) > 0) return band_of(update, affs);
  isl_aff_list_free(affs);
  return NULL;
}

__isl_give isl_multi_union_pw_aff *stage_update_point_loops(const stage_node *node, size_t number,
                                                            unsigned *owner) {
  const stage_update_info *update = &node->updates.data[number];
  unsigned n = (unsigned)isl_set_dim(update->set, isl_dim_set), row = stage_update_row_dim(node, number);
  isl_local_space *space = isl_local_space_from_space(isl_set_get_space(update->set));
  isl_aff_list *affs = isl_aff_list_alloc(isl_set_get_ctx(update->set), (int)n);
  for (unsigned i = 0; i < n; i++) {
    owner[i] = i + 1 == n ? row : i < row ? i : i + 1;
    affs = isl_aff_list_add(affs, isl_aff_var_on_domain(isl_local_space_copy(space), isl_dim_set, owner[i]));
  }
  isl_local_space_free(space);
  return band_of(update, affs);
}
