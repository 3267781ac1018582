#include "tools/lib/page/groups.h"

#include "dialects/poly/tree.h"
#include "tools/lib/images/sizes.h"

#include <isl/aff.h>
#include <stdlib.h>
#include <string.h>

typedef struct instance_names {
  pm_groups *groups;
  int group;
} instance_names;

static stage_node *stage_of_instances(const stage_graph *graph, pm_string name) {
  size_t number;
  stage_node *node = stage_graph_find(graph, name);
  return node ? node : stage_graph_find_update(graph, name, &number);
}

static isl_stat take_instance(__isl_take isl_set *set, void *user) {
  instance_names *names = user;
  const char *name = isl_set_get_tuple_name(set);
  pm_string string = name ? pm_get_cstring(names->groups->graph->ctx, name) : NULL;
  stage_node *node = string ? stage_of_instances(names->groups->graph, string) : NULL;
  if (node) names->groups->group_of[node->index] = names->group;
  isl_set_free(set);
  return isl_stat_ok;
}

static void take_filter(pm_groups *groups, const pm_op *filter, int group) {
  instance_names names = {groups, group};
  if (!filter) return;
  isl_union_set *set = isl_peek_union_set(pm_attr_at(filter, poly_filter_instances));
  isl_union_set_foreach_set(set, take_instance, &names);
}

static pm_walk collect(void *user, pm_op *op) {
  pm_groups *groups = user;
  if (poly_is_mark(op, POLY_MARK_group)) {
    PM_VEC_PUSH(groups->marks, op);
    take_filter(groups, pm_parent_of(op, &poly_filter), (int)groups->marks.len - 1);
  }
  if (pm_is(op, &poly_filter) && groups->marks.len && pm_is_ancestor(PM_VEC_LAST(groups->marks), op))
    take_filter(groups, op, (int)groups->marks.len - 1);
  if (pm_is(op, &poly_alloc)) PM_VEC_PUSH(groups->allocs, op);
  return PM_WALK_ON;
}

pm_groups pm_groups_find(const stage_graph *graph) {
  pm_groups groups = {.graph = graph};
  groups.group_of = pm_xcalloc(graph->nodes.len + 1, sizeof *groups.group_of);
  for (size_t i = 0; i < graph->nodes.len; i++) groups.group_of[i] = -1;
  pm_walk_pre(graph->pipeline, collect, &groups);
  return groups;
}

void pm_groups_free(pm_groups *groups) {
  PM_VEC_FREE(groups->marks);
  PM_VEC_FREE(groups->allocs);
  free(groups->group_of);
}

/* Sizes of a tile by dimension of a stage that leaves the group, 0: it is not tiled. */
typedef struct tile_sizes {
  const stage_node *node;
  PM_VEC(int64_t) sizes;
} tile_sizes;

/* The last stage of the group that its tile loops count. */
static const stage_node *last_counted(const pm_groups *groups, size_t group, const pm_op *band) {
  for (size_t i = groups->graph->nodes.len; i-- > 0;) {
    const stage_node *node = groups->graph->nodes.data[i];
    isl_map *map = groups->group_of[i] == (int)group ? poly_band_map(band, node->name) : NULL;
    isl_map_free(map);
    if (map) return node;
  }
  return NULL;
}

/* A dimension that is shorter than a tile has no other size. */
static int64_t size_along(const stage_node *node, unsigned d, int64_t size) {
  int64_t extent;
  return pm_constant_extent(node->op, d, &extent) && extent < size ? extent : size;
}

static void add_member(tile_sizes *t, __isl_keep isl_pw_multi_aff *members, unsigned member, int64_t size) {
  isl_pw_aff *value = isl_pw_multi_aff_get_pw_aff(members, (int)member);
  for (unsigned d = 0; d < t->node->n_dims; d++)
    if (isl_pw_aff_involves_dims(value, isl_dim_in, d, 1) == isl_bool_true)
      t->sizes.data[d] = size_along(t->node, d, size);
  isl_pw_aff_free(value);
}

typedef struct tile_search {
  const pm_groups *groups;
  size_t group;
  tile_sizes found;
} tile_search;

/* Tile loops stand outside of all others, in one band or in several. */
static pm_walk add_tile(void *user, pm_op *op) {
  tile_search *s = user;
  if (!pm_is(op, &poly_band)) return PM_WALK_ON;
  pm_attr tile = pm_attr_at(op, poly_band_tile);
  if (!tile) return PM_WALK_SKIP;
  if (!s->found.node) {
    s->found.node = last_counted(s->groups, s->group, op);
    for (unsigned d = 0; s->found.node && d < s->found.node->n_dims; d++) PM_VEC_PUSH(s->found.sizes, 0);
  }
  isl_map *map = s->found.node ? poly_band_map(op, s->found.node->name) : NULL;
  isl_pw_multi_aff *members = map ? isl_pw_multi_aff_from_map(map) : NULL;
  for (uint32_t i = 0; members && i < tile->len; i++) add_member(&s->found, members, i, tile->items[i]->i);
  isl_pw_multi_aff_free(members);
  return PM_WALK_ON;
}

void pm_put_group_title(pm_buf *out, const pm_groups *groups, size_t group) {
  const int64_t whole = INT64_C(1) << 30;
  tile_search s = {.groups = groups, .group = group};
  unsigned n = 0;
  pm_walk_pre(groups->marks.data[group], add_tile, &s);
  pm_buf_printf(out, "group %zu", group + 1);
  for (size_t i = 0; i < s.found.sizes.len; i++) {
    int64_t size = s.found.sizes.data[i];
    if (!size) continue;
    pm_buf_puts(out, n++ ? " x " : ", tiles of ");
    if (size < whole)
      pm_buf_printf(out, "%lld", (long long)size);
    else
      pm_buf_puts(out, "all");
  }
  PM_VEC_FREE(s.found.sizes);
}

void pm_put_extent(pm_buf *out, int64_t extent) {
  if (extent)
    pm_buf_printf(out, "%lld", (long long)extent);
  else
    pm_buf_puts(out, "all");
}

int64_t pm_group_scratch_bytes(const pm_groups *groups, size_t group) {
  int64_t bytes = 0;
  for (size_t i = 0; i < groups->allocs.len; i++) {
    const pm_op *alloc = groups->allocs.data[i];
    if (pm_is_ancestor(groups->marks.data[group], alloc))
      bytes = pm_wrap_add(bytes, poly_memory_bytes(alloc));
  }
  return bytes;
}
