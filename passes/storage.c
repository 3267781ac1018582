/* storage: where the values of each stage live.
 *
 *   domain "{ by }" { … band "[{ by -> floor }…]" { extension "{ [t] -> bx[x, y] : … }" { … } } }
 *   =>
 *   domain "{ by }" {
 *     alloc @by : f32 in "output"
 *     … band … { alloc @bx : f32 in "stack" at #isl.map<"{ [t] -> [32t - 1] }"> size [34] extension … { … } }
 * }
 *
 * Outputs: the caller's array. Stages brought by an extension: a scratchpad of the tile, whose box is the
 * smallest one of constant size around the footprint (isl_map_get_range_simple_fixed_box_hull). All others:
 * an array over the box of the stage's domain.
 */
#include "dialects/poly/tree.h"
#include "dialects/stage/graph.h"
#include "passes/options.h"

#include <isl/fixed_box.h>
#include <isl/val.h>
#include <stdlib.h>

typedef struct scratchpad {
  const stage_node *node;
  isl_map *at; /* outer schedule dimensions -> first point */
  int64_t *size;
  int64_t bytes;
} scratchpad;

typedef PM_VEC(scratchpad) scratchpads;

typedef struct storing {
  pm_pass *pass;
  const stage_graph *graph;
  scratchpads found; /* of the extension at hand */
  bool ok;
} storing;

/* --- scratchpads --- */

static bool read_sizes(const storing *s, scratchpad *pad, __isl_take isl_multi_val *sizes) {
  const int64_t most = INT64_C(1) << 40;
  pad->size = pm_arena_alloc(pm_pass_arena(s->pass), (pad->node->n_dims + 1) * sizeof *pad->size);
  pad->bytes = (int64_t)pm_element_bytes(pad->node->type);
  for (unsigned d = 0; d < pad->node->n_dims; d++) {
    isl_val *v = isl_multi_val_get_at(sizes, (int)d);
    pad->size[d] = isl_val_get_num_si(v);
    isl_val_free(v);
    pad->bytes = pad->size[d] > 0 && pad->bytes <= most / pad->size[d] ? pad->bytes * pad->size[d] : most;
  }
  isl_multi_val_free(sizes);
  return pad->bytes < most;
}

/* The smallest box of constant size around the range. Where the extent varies from tile to tile (odd tiles of
 * a stage that is read at every second point), the box is that of the range without its divisions: at most a
 * point larger. */
static __isl_give isl_fixed_box *box_of(isl_map *map) {
  isl_fixed_box *box = isl_map_get_range_simple_fixed_box_hull(map);
  if (isl_fixed_box_is_valid(box) != isl_bool_false) return box;
  isl_fixed_box_free(box);
  isl_map *hull = isl_map_from_basic_map(isl_map_simple_hull(isl_map_remove_divs(isl_map_copy(map))));
  box = isl_map_get_range_simple_fixed_box_hull(hull);
  isl_map_free(hull);
  return box;
}

static isl_stat add_scratchpad(__isl_take isl_map *map, void *user) {
  storing *s = user;
  pm_string name = pm_get_cstring(s->graph->ctx, isl_map_get_tuple_name(map, isl_dim_out));
  scratchpad pad = {.node = stage_graph_find(s->graph, name)};
  isl_fixed_box *box = box_of(map);
  bool valid = pad.node && isl_fixed_box_is_valid(box) == isl_bool_true &&
               read_sizes(s, &pad, isl_fixed_box_get_size(box));
  if (valid) {
    pad.at = isl_map_from_multi_aff(isl_fixed_box_get_offset(box));
    PM_VEC_PUSH(s->found, pad);
  } else if (pad.size) {
    s->ok =
        pm_error(s->graph->ctx, pad.node->op->loc,
                 "the part of @%pS that a tile needs takes more than 2^40 bytes; the tiles should be smaller",
                 (const void *)name);
  } else {
    s->ok = pm_error(s->graph->ctx, pad.node ? pad.node->op->loc : s->graph->pipeline->loc,
                     "the part of @%pS that a tile needs has no constant size; it needs a group of its own",
                     (const void *)name);
  }
  isl_fixed_box_free(box);
  isl_map_free(map);
  return isl_stat_ok;
}

static int by_index(const void *a, const void *b) {
  unsigned x = ((const scratchpad *)a)->node->index, y = ((const scratchpad *)b)->node->index;
  return (x > y) - (x < y);
}

static void explain(const storing *s, const scratchpad *pad, const char *space) {
  pm_buf box = {0};
  for (unsigned d = 0; d < pad->node->n_dims; d++)
    pm_buf_printf(&box, "%s%lld", d ? "x" : "", (long long)pad->size[d]);
  pm_pass_remark(s->pass, pad->node->op->loc, PM_REMARK_PASSED,
                 (pm_remark_arg[]){{"bytes", (double)pad->bytes}}, 1,
                 "@%pS lives in a scratchpad of %s (%lld bytes, %s)", (const void *)pad->node->name,
                 box.data ? box.data : "one cell", (long long)pad->bytes, space);
  pm_buf_free(&box);
}

static void allocate_scratchpads(storing *s, pm_op *ext) {
  s->found.len = 0;
  isl_union_map_foreach_map(isl_peek_union_map(ext->attrs[poly_extension_map]), add_scratchpad, s);
  if (s->found.len) qsort(s->found.data, s->found.len, sizeof *s->found.data, by_index);
  int64_t total = 0;
  for (size_t i = 0; i < s->found.len; i++) total += s->found.data[i].bytes;
  const char *space = total > pm_opt_int(s->pass, storage_opt_stack_limit) ? "thread" : "stack";
  pm_builder b = pm_builder_before(ext);
  for (size_t i = 0; i < s->found.len; i++) {
    scratchpad *pad = &s->found.data[i];
    explain(s, pad, space);
    b.loc = pad->node->op->loc;
    poly_add_alloc(&b, pad->node->name, pad->node->type, space, pad->at, pad->size, NULL, pad->node->n_dims);
  }
  pm_pass_stat(s->pass, "scratch bytes", total);
}

/* --- whole arrays --- */

static void allocate_array(storing *s, pm_builder *b, const stage_node *node) {
  b->loc = node->op->loc;
  poly_add_alloc(b, node->name, node->type, node->is_output ? "output" : "heap", NULL, NULL, NULL, 0);
  if (!node->is_output)
    pm_pass_remark(s->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0, "@%pS is stored whole",
                   (const void *)node->name);
}

static void allocate_arrays(storing *s, pm_op *domain) {
  poly_names names = {0};
  poly_stage_names(s->graph->ctx, isl_peek_union_set(domain->attrs[poly_domain_instances]), &names);
  bool *wanted = pm_arena_alloc(pm_pass_arena(s->pass), s->graph->nodes.len * sizeof *wanted);
  for (size_t i = 0; i < names.len; i++) {
    const stage_node *node = stage_graph_find(s->graph, names.data[i]);
    if (node) wanted[node->index] = true;
  }
  for (size_t i = 0; i < s->graph->outputs.len; i++) wanted[s->graph->outputs.data[i]->index] = true;
  PM_VEC_FREE(names);
  pm_region *inside = pm_region_at(domain, poly_domain_child);
  pm_builder b = inside->first ? pm_builder_before(inside->first)
                               : pm_builder_at_end(domain->module, inside, domain->loc);
  for (size_t i = 0; i < s->graph->nodes.len; i++)
    if (wanted[i]) allocate_array(s, &b, s->graph->nodes.data[i]);
}

pm_result pass_storage(pm_pass *pass) {
  const stage_graph *graph = stage_graph_expanded(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_need_schedule(pm_pass_root(pass));
  if (!schedule) return PM_FAILED;
  pm_op *domain = poly_child(schedule);
  poly_erase_allocs(schedule);
  storing s = {.pass = pass, .graph = graph, .ok = true};
  allocate_arrays(&s, domain);
  poly_ops extensions = {0};
  poly_collect(schedule, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++) allocate_scratchpads(&s, extensions.data[i]);
  PM_VEC_FREE(extensions);
  PM_VEC_FREE(s.found);
  return s.ok ? PM_CHANGED : PM_FAILED;
}
