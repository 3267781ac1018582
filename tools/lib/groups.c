#include "tools/lib/groups.h"

#include "dialects/poly/tree.h"

#include <stdlib.h>
#include <string.h>

/* The stages of a group are those of the filters below its mark and of the nearest filter above. */
static bool is_group_mark(const pm_op *op) {
  return pm_is(op, &poly_mark) && strcmp(pm_sym_at(op, poly_mark_name)->text, "group") == 0;
}

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
  if (is_group_mark(op)) {
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

typedef PM_VEC(int64_t) tile_sizes;

/* Tile loops stand outside of all others, in one band or in several. */
static pm_walk add_tile(void *user, pm_op *op) {
  tile_sizes *sizes = user;
  if (!pm_is(op, &poly_band)) return PM_WALK_ON;
  pm_attr tile = pm_attr_at(op, poly_band_tile);
  for (uint32_t i = 0; tile && i < tile->len; i++) PM_VEC_PUSH(*sizes, tile->items[i]->i);
  return tile ? PM_WALK_ON : PM_WALK_SKIP;
}

void pm_put_group_title(pm_buf *out, const pm_groups *groups, size_t group) {
  tile_sizes sizes = {0};
  pm_walk_pre(groups->marks.data[group], add_tile, &sizes);
  pm_buf_printf(out, "group %zu", group + 1);
  for (size_t i = 0; i < sizes.len; i++)
    pm_buf_printf(out, "%s%lld", i ? " x " : ", tiles of ", (long long)sizes.data[i]);
  PM_VEC_FREE(sizes);
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
