#include "dialects/stage/dependences/summed_planes.h"

static bool depends_on(isl_map *map, unsigned d) {
  return isl_map_involves_dims(map, isl_dim_in, d, 1) != isl_bool_false;
}

/* The one coordinate that the map, without its set, depends on; -1: none or several. */
static int only_coordinate(isl_map *map) {
  int only = -1;
  for (unsigned d = 0; d < (unsigned)isl_map_dim(map, isl_dim_in); d++) {
    if (!depends_on(map, d)) continue;
    if (only >= 0) return -1;
    only = (int)d;
  }
  return only;
}

isl_map *stage_summed_planes(const stage_access *access, isl_map *planes) {
  if (access->update_index < 0 || !access->affine) return NULL;
  const stage_update_info *u = &access->consumer->updates.data[access->update_index];
  isl_map *read = isl_map_apply_range(isl_map_copy(access->relation), isl_map_copy(planes));
  read = isl_map_gist_domain(read, isl_set_copy(u->set));
  isl_map *cells = isl_map_gist_domain(isl_map_copy(u->target), isl_set_copy(u->set));
  int d = only_coordinate(read);
  bool summed = d >= 0 && !depends_on(cells, (unsigned)d);
  isl_map_free(cells);
  return summed ? read : isl_map_free(read);
}
