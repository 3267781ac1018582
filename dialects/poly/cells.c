#include "dialects/poly/cells.h"

enum { COLUMNS = 256 }; /* of the contiguous dimension that one iteration of an outer loop takes */

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

/* Index `k` of the combine as one quasi-affine function on the update's set, or NULL. */
static isl_aff *index_function(const stage_update_info *update, unsigned k) {
  unsigned n = (unsigned)isl_map_dim(update->target, isl_dim_out);
  isl_map *one = isl_map_project_out(isl_map_copy(update->target), isl_dim_out, k + 1, n - k - 1);
  one = isl_map_project_out(one, isl_dim_out, 0, k);
  if (isl_map_is_single_valued(one) != isl_bool_true) {
    isl_map_free(one);
    return NULL;
  }
  isl_pw_multi_aff *index = isl_pw_multi_aff_gist(isl_pw_multi_aff_from_map(one), isl_set_copy(update->set));
  bool single = isl_pw_multi_aff_isa_multi_aff(index) == isl_bool_true;
  isl_multi_aff *plain = single ? isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_copy(index)) : NULL;
  isl_pw_multi_aff_free(index);
  isl_aff *aff = plain ? isl_multi_aff_get_aff(plain, 0) : NULL;
  isl_multi_aff_free(plain);
  return aff;
}

static isl_aff *divided(isl_aff *aff, int64_t divisor) {
  return isl_aff_floor(isl_aff_scale_down_val(aff, isl_val_int_from_si(isl_aff_get_ctx(aff), (long)divisor)));
}

/* One loop over cells that are reached by points of their own: the index `k` of the combine, or NULL. */
static isl_aff *cell_loop(const stage_update_info *update, unsigned k) {
  unsigned n = (unsigned)isl_set_dim(update->set, isl_dim_set);
  isl_aff *aff = index_function(update, k);
  int dim = aff ? only_dim(aff, n) : -1;
  if (dim < 0) {
    isl_aff_free(aff);
    return NULL;
  }
  bool contiguous = (unsigned)dim == n - 1 && isl_aff_dim(aff, isl_dim_div) == 0;
  return contiguous ? divided(aff, COLUMNS) : aff;
}

static bool reads_stage(const stage_node *node, size_t number) {
  for (size_t i = 0; i < node->self_reads.len; i++)
    if (node->self_reads.data[i]->update_index == (int)number) return true;
  return false;
}

/* The functions, which are taken, as the members of a band on the update's instances. */
static isl_multi_union_pw_aff *band_of(const stage_update_info *update, isl_aff_list *affs) {
  isl_space *space = isl_space_from_domain(isl_set_get_space(update->set));
  space = isl_space_add_dims(space, isl_dim_out, (unsigned)isl_aff_list_n_aff(affs));
  return isl_multi_union_pw_aff_from_multi_aff(isl_multi_aff_from_aff_list(space, affs));
}

__isl_give isl_multi_union_pw_aff *poly_cell_loops(const stage_node *node, size_t number) {
  const stage_update_info *update = &node->updates.data[number];
  if (reads_stage(node, number)) return NULL;
  isl_aff_list *affs = isl_aff_list_alloc(isl_set_get_ctx(update->set), (int)node->n_dims);
  for (unsigned k = 0; k < node->n_dims; k++) {
    isl_aff *aff = cell_loop(update, k);
    if (aff) affs = isl_aff_list_add(affs, aff);
  }
  if (isl_aff_list_n_aff(affs) > 0) return band_of(update, affs);
  isl_aff_list_free(affs);
  return NULL;
}
