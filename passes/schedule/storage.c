/* storage: where the values of each stage live. Allocations that the tree has already stay.
 *
 *   domain "{ by }" { … band "[{ by -> floor }…]" { extension "{ [t] -> bx[x, y] : … }" { … } } }
 *   =>
 *   domain "{ by }" {
 *     alloc @by : f32 in "output"
 *     … band … { alloc @bx : f32 in "stack" at "{ [t] -> [32t - 1] }" size [34] extension … { … } } }
 *
 * Outputs: the caller's array. Stages brought by an extension: a scratchpad of the tile, whose box is the
 * smallest one of constant size around the footprint (isl_map_get_range_simple_fixed_box_hull). All others:
 * an array over the box of the stage's domain. Where the footprint has no constant extent along a dimension,
 * as that of a recurrence has in the strip of a picture, the scratchpad has all of the stage along it: size
 * 0. Where a serial band below the extension walks over a dimension of the footprint, other than the
 * contiguous one, a scratchpad has no more slices of it than are alive at once, rounded up to a power of two:
 *
 *     alloc @bx … size [4, 258] fold [4, 0]
 *     extension … { band "[{ bx -> x; by -> x + 1 }]" { sequence { … } } }
 */
#include "dialects/isl/take.h"
#include "dialects/poly/tiling/ring.h"
#include "dialects/poly/tree.h"
#include "dialects/stage/analyses/graph.h"
#include "passes/options.h"

#include <isl/fixed_box.h>
#include <isl/val.h>
#include <stdlib.h>

typedef struct scratchpad {
  const stage_node *node;
  isl_map *at;   /* outer schedule dimensions -> first point */
  int64_t *size; /* 0: all that the stage has */
  int64_t *fold; /* NULL: no dimension is folded */
  poly_ring ring;
  int64_t whole;   /* the extent of the ring's dimension without folding, 0: not a constant */
  int64_t bytes;   /* for one coordinate of the dimensions of which it has all */
  int64_t padding; /* cells at the end of each row, so that the next one begins a line of the cache */
} scratchpad;

typedef PM_VEC(scratchpad) scratchpads;

typedef struct storing {
  pm_pass *pass;
  const stage_graph *graph;
  stage_distances *distances;
  bool *placed;           /* by node index: the tree that the pass found says where it lives */
  const pm_op *at;        /* the extension at hand */
  scratchpads found;      /* of it */
  poly_inner_tiles steps; /* of the bands that walk over it */
  bool ok;
} storing;

static const int64_t most_bytes = INT64_C(1) << 40, much = INT64_C(1) << 28;

/* --- boxes --- */

static void read_sizes(scratchpad *pad, __isl_take isl_multi_val *sizes) {
  for (unsigned d = 0; d < pad->node->n_dims; d++) {
    isl_val *v = isl_multi_val_get_at(sizes, (int)d);
    pad->size[d] = isl_val_get_num_si(v);
    isl_val_free(v);
  }
  isl_multi_val_free(sizes);
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

/* False when there is no box of constant size. */
static bool find_box(scratchpad *pad, isl_map *map) {
  isl_fixed_box *box = box_of(map);
  bool valid = isl_fixed_box_is_valid(box) == isl_bool_true;
  if (valid) {
    pad->at = isl_map_from_multi_aff(isl_fixed_box_get_offset(box));
    read_sizes(pad, isl_fixed_box_get_size(box));
  }
  isl_fixed_box_free(box);
  return valid;
}

/* The range with 0 as the one value of the coordinate. Takes the map. */
static __isl_give isl_map *flatten(__isl_take isl_map *map, unsigned d) {
  isl_id *stage = isl_map_get_tuple_id(map, isl_dim_out);
  map = isl_map_insert_dims(isl_map_project_out(map, isl_dim_out, d, 1), isl_dim_out, d, 1);
  return isl_map_set_tuple_id(isl_map_fix_si(map, isl_dim_out, d, 0), isl_dim_out, stage);
}

/* A constant that is as large comes of what a parameter is at most. */
static const int64_t longest = INT64_C(1) << 20, shortest = 1 << 8;

static bool has_constant_extent(isl_map *map, unsigned d, int64_t limit) {
  unsigned n = (unsigned)isl_map_dim(map, isl_dim_out);
  int64_t extent;
  isl_map *along = isl_map_project_out(isl_map_copy(map), isl_dim_out, d + 1, n - d - 1);
  along = isl_map_project_out(along, isl_dim_out, 0, d);
  isl_fixed_box *box = box_of(along);
  bool constant = isl_fixed_box_is_valid(box) == isl_bool_true;
  if (constant) {
    isl_multi_val *size = isl_fixed_box_get_size(box);
    constant = isl_take_int_below(isl_multi_val_get_val(size, 0), limit, &extent);
    isl_multi_val_free(size);
  }
  isl_fixed_box_free(box);
  isl_map_free(along);
  return constant;
}

/* Some extent is too long for memory of constant size. */
static bool is_long(const scratchpad *pad) {
  for (unsigned d = 0; d < pad->node->n_dims; d++)
    if (pad->size[d] >= longest) return true;
  return false;
}

/* Along the dimensions in which the range has no constant extent below the limit all that the stage has: size
 * 0. */
static bool find_open_box(scratchpad *pad, isl_map *map, int64_t limit) {
  unsigned n = pad->node->n_dims;
  isl_map *flat = isl_map_copy(map);
  pad->at = isl_map_free(pad->at);
  for (unsigned d = 0; d < n; d++)
    if (!has_constant_extent(map, d, limit)) flat = flatten(flat, d);
  bool found = find_box(pad, flat);
  for (unsigned d = 0; d < n && found; d++)
    if (!has_constant_extent(map, d, limit)) pad->size[d] = 0;
  isl_map_free(flat);
  return found;
}

static int64_t power_of_two_from(int64_t least) {
  int64_t power = 1;
  while (power < least) power *= 2;
  return power;
}

/* The first point of a ring is of no importance: 0. */
static void fold_box(const storing *s, scratchpad *pad) {
  unsigned d = pad->ring.dim;
  int64_t slices = power_of_two_from(pad->ring.slices);
  pad->whole = pad->size[d];
  if (pad->whole > 0 && slices >= pad->whole) return;
  pad->size[d] = slices;
  pad->fold = pm_arena_alloc(pm_pass_arena(s->pass), pad->node->n_dims * sizeof *pad->fold);
  pad->fold[d] = slices;
  pad->at = flatten(pad->at, d);
}

/* --- rows --- */

/* Cells of which the elements of each buffer of the stage fill whole lines; 1: some size does not divide a
 * line. */
static int64_t line_cells(const storing *s, pm_type type) {
  int64_t line = pm_opt_int(s->pass, storage_opt_row_align), cells = 1;
  for (unsigned i = 0; i < pm_tuple_len(type); i++) {
    int64_t bytes = (int64_t)pm_element_bytes(pm_tuple_at(type, i));
    if (line % bytes) return 1;
    if (line / bytes > cells) cells = line / bytes;
  }
  return cells;
}

/* Makes the rows whole lines, if they get longer by a sixteenth at most. */
static void pad_rows(const storing *s, scratchpad *pad) {
  unsigned n = pad->node->n_dims;
  int64_t rows = 1, *row = n ? &pad->size[n - 1] : NULL;
  for (unsigned d = 0; d + 1 < n; d++) rows = pm_wrap_mul(rows, pad->size[d]);
  int64_t line = line_cells(s, pad->node->type), rest = row ? *row % line : 0;
  if (!rest || rows == 1 || line - rest > *row / 16) return;
  pad->padding = line - rest;
  *row += pad->padding;
}

/* --- scratchpads --- */

static bool has_ring(const storing *s, scratchpad *pad) {
  return pm_opt_bool(s->pass, storage_opt_fold) && !pad->node->updates.len &&
         poly_find_ring(s->distances, &s->steps, pad->node, &pad->ring) &&
         pad->ring.dim + 1 < pad->node->n_dims;
}

/* False when it is too much. */
static bool count_bytes(scratchpad *pad) {
  pad->bytes = (int64_t)pm_element_bytes(pad->node->type);
  for (unsigned d = 0; d < pad->node->n_dims; d++) {
    int64_t size = pad->size[d] ? pad->size[d] : 1;
    pad->bytes = pad->bytes <= most_bytes / size ? pad->bytes * size : most_bytes;
  }
  return pad->bytes < most_bytes;
}

static bool is_open(const scratchpad *pad) {
  for (unsigned d = 0; d < pad->node->n_dims; d++)
    if (!pad->size[d]) return true;
  return false;
}

/* A box of constant size or, where that is much, one with open dimensions: the longest ones first. What a
 * call has there may be less by far. False after a diagnostic. */
static bool find_memory(const storing *s, scratchpad *pad, isl_map *map) {
  bool ring = has_ring(s, pad), is_much = true;
  pad->size = pm_arena_alloc(pm_pass_arena(s->pass), (pad->node->n_dims + 1) * sizeof *pad->size);
  bool found = find_box(pad, map) && !is_long(pad);
  for (int64_t limit = longest; is_much && limit >= shortest; limit /= 2) {
    if (!found && !find_open_box(pad, map, limit))
      return pm_error(s->graph->ctx, pad->node->op->loc,
                      "the part of %pS that a tile needs has no bounding box", (const void *)pad->node->name);
    pad->fold = NULL;
    if (ring) fold_box(s, pad);
    is_much = !count_bytes(pad) || pad->bytes > much;
    found = false;
  }
  pad_rows(s, pad);
  if (count_bytes(pad)) return true;
  return pm_error(s->graph->ctx, pad->node->op->loc,
                  "the part of %pS that a tile needs takes more than 2^40 bytes; the tiles should be smaller",
                  (const void *)pad->node->name);
}

/* The tree that the pass found says where the stage lives that the extension brings. */
static bool is_placed(const storing *s, pm_string name) {
  const stage_node *node = stage_graph_find(s->graph, name);
  const pm_op *alloc = poly_find_alloc(s->at, name);
  return node && alloc && (pm_attr_at(alloc, poly_alloc_at) || s->placed[node->index]);
}

/* Updates reach cells of their stage, which is brought too. What the tree places already stays there. */
static isl_stat add_scratchpad(__isl_take isl_map *map, void *user) {
  storing *s = user;
  pm_string name = pm_get_cstring(s->graph->ctx, isl_map_get_tuple_name(map, isl_dim_out));
  size_t number;
  if (stage_graph_find_update(s->graph, name, &number) || is_placed(s, name)) {
    isl_map_free(map);
    return isl_stat_ok;
  }
  scratchpad pad = {.node = stage_graph_find(s->graph, name)};
  if (!pad.node)
    s->ok = pm_error(s->graph->ctx, s->graph->pipeline->loc,
                     "the schedule adds @%pS, which should be a stage", (const void *)name);
  else if (find_memory(s, &pad, map))
    PM_VEC_PUSH(s->found, pad);
  else
    pad.at = isl_map_free(pad.at);
  s->ok = s->ok && pad.at;
  isl_map_free(map);
  return isl_stat_ok;
}

static int by_index(const void *a, const void *b) {
  unsigned x = ((const scratchpad *)a)->node->index, y = ((const scratchpad *)b)->node->index;
  return (x > y) - (x < y);
}

/* `a ring of 4 of 34 rows: 4x258`, `a scratchpad of 34x258` */
static void put_memory(pm_buf *out, const scratchpad *pad) {
  unsigned n = pad->node->n_dims;
  if (pad->fold) {
    pm_buf_printf(out, "ring of %lld", (long long)pad->size[pad->ring.dim]);
    if (pad->whole) pm_buf_printf(out, " of %lld", (long long)pad->whole);
    pm_buf_printf(out, " %s: ", pad->ring.dim + 2 == n ? "rows" : "slices");
  } else {
    pm_buf_puts(out, "scratchpad of ");
  }
  for (unsigned d = 0; d < n; d++) {
    pm_buf_puts(out, d ? "x" : "");
    if (pad->size[d])
      pm_buf_printf(out, "%lld", (long long)pad->size[d]);
    else
      pm_buf_puts(out, "all");
  }
  if (n == 0) pm_buf_puts(out, "one element");
}

static int64_t padding_bytes(const scratchpad *pad) {
  return pad->padding ? pad->bytes / pad->size[pad->node->n_dims - 1] * pad->padding : 0;
}

static void explain(const storing *s, const scratchpad *pad, pm_space space) {
  pm_buf memory = {0};
  put_memory(&memory, pad);
  pm_buf_printf(&memory, " (%lld bytes%s, ", (long long)pad->bytes, is_open(pad) ? " times all" : "");
  if (pad->padding) pm_buf_printf(&memory, "%lld of them padding, ", (long long)padding_bytes(pad));
  pm_remark_arg args[] = {{"bytes", (double)pad->bytes},
                          {"padding", (double)padding_bytes(pad)},
                          {"slices", pad->fold ? (double)pad->size[pad->ring.dim] : 0},
                          {"alive", pad->fold ? (double)pad->ring.slices : 0}};
  pm_pass_remark(s->pass, pad->node->op->loc, PM_REMARK_PASSED, args, pad->fold ? 4 : 2,
                 "@%pS lives in a %s%s)", (const void *)pad->node->name, memory.data,
                 pm_get_space_info(space)->name);
  pm_buf_free(&memory);
}

static bool is_stepped(const storing *s, const stage_node *node) {
  for (size_t i = 0; i < s->steps.len; i++)
    if (s->steps.data[i].node == node) return true;
  return false;
}

/* Why a scratchpad is not folded, though a serial band walks over it. */
static void explain_unfolded(const storing *s, const scratchpad *pad) {
  if (pad->fold || !is_stepped(s, pad->node) || pad->whole == 1 || !pm_opt_bool(s->pass, storage_opt_fold))
    return;
  if (pad->whole)
    pm_pass_remark(s->pass, pad->node->op->loc, PM_REMARK_MISSED,
                   (pm_remark_arg[]){{"slices", (double)pad->ring.slices}, {"extent", (double)pad->whole}}, 2,
                   "@%pS is not folded: %lld of its %lld slices are needed at once",
                   (const void *)pad->node->name, (long long)pad->ring.slices, (long long)pad->whole);
  else
    pm_pass_remark(s->pass, pad->node->op->loc, PM_REMARK_MISSED, NULL, 0,
                   "@%pS is not folded: its steps do not follow one dimension other than the last, or a "
                   "distance is not bounded",
                   (const void *)pad->node->name);
}

/* The steps of the serial bands that walk over what the extension brings: over all of it, or over parts. */
static void find_steps(storing *s, const pm_op *node) {
  pm_op *below = poly_child(node);
  if (below && pm_is(below, &poly_sequence)) {
    PM_FOR_OPS(filter, pm_region_at(below, 0)) find_steps(s, filter);
  } else if (below && pm_is(below, &poly_band)) {
    const pm_op *inside = poly_child(below);
    if (inside && pm_is(inside, &poly_sequence)) poly_find_inner_tiles(s->graph, below, &s->steps);
  }
}

static void find_scratchpads(storing *s, pm_op *ext) {
  s->found.len = 0;
  s->at = ext;
  find_steps(s, ext);
  isl_union_map_foreach_map(isl_peek_union_map(pm_attr_at(ext, poly_extension_map)), add_scratchpad, s);
  if (s->found.len) qsort(s->found.data, s->found.len, sizeof *s->found.data, by_index);
}

static void allocate_scratchpads(storing *s, pm_op *ext) {
  find_scratchpads(s, ext);
  int64_t total = 0;
  for (size_t i = 0; i < s->found.len; i++) total += s->found.data[i].bytes;
  pm_space constant = total > pm_opt_int(s->pass, storage_opt_stack_limit) ? PM_SPACE_THREAD : PM_SPACE_STACK;
  pm_builder b = pm_builder_before(ext);
  for (size_t i = 0; i < s->found.len; i++) {
    scratchpad *pad = &s->found.data[i];
    pm_space space = is_open(pad) ? PM_SPACE_HEAP : constant;
    explain(s, pad, space);
    explain_unfolded(s, pad);
    b.loc = pad->node->op->loc;
    poly_add_alloc(&b, pad->node->name, pad->node->type, space, pad->at, pad->size, pad->fold,
                   pad->node->n_dims);
  }
  poly_free_inner_tiles(&s->steps);
  pm_pass_stat(s->pass, "scratch bytes", total);
}

/* --- whole arrays --- */

static void allocate_array(storing *s, pm_builder *b, const stage_node *node) {
  b->loc = node->op->loc;
  poly_add_alloc(b, node->name, node->type, node->is_output ? PM_SPACE_NONE : PM_SPACE_HEAP, NULL, NULL, NULL,
                 0);
  if (!node->is_output)
    pm_pass_remark(s->pass, node->op->loc, PM_REMARK_MISSED, NULL, 0, "@%pS is stored in a whole array",
                   (const void *)node->name);
}

static void find_placed(storing *s, pm_op *schedule) {
  poly_ops allocs = {0};
  s->placed = pm_arena_alloc(pm_pass_arena(s->pass), (s->graph->nodes.len + 1) * sizeof *s->placed);
  poly_collect(schedule, &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    const stage_node *node = stage_graph_find(s->graph, pm_sym_at(allocs.data[i], poly_alloc_stage));
    if (node) s->placed[node->index] = true;
  }
  PM_VEC_FREE(allocs);
}

static void allocate_arrays(storing *s, pm_op *domain) {
  poly_names names = {0};
  poly_stage_names(s->graph->ctx, isl_peek_union_set(pm_attr_at(domain, poly_domain_instances)), &names);
  bool *wanted = pm_arena_alloc(pm_pass_arena(s->pass), s->graph->nodes.len * sizeof *wanted);
  for (size_t i = 0; i < names.len; i++) {
    const stage_node *node = stage_graph_find(s->graph, names.data[i]);
    if (node) wanted[node->index] = true;
  }
  for (size_t i = 0; i < s->graph->outputs.len; i++) wanted[s->graph->outputs.data[i]->index] = true;
  PM_VEC_FREE(names);
  pm_region *inside = pm_region_at(domain, poly_domain_child);
  pm_builder b = inside->first ? pm_builder_before(inside->first)
                               : pm_builder_at_end(pm_module_of(domain), inside, domain->loc);
  for (size_t i = 0; i < s->graph->nodes.len; i++)
    if (wanted[i] && !s->placed[i]) allocate_array(s, &b, s->graph->nodes.data[i]);
}

pm_result pass_storage(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  pm_op *domain = poly_child(schedule);
  storing s = {.pass = pass, .graph = graph, .distances = STAGE_DISTANCES(pass), .ok = true};
  find_placed(&s, schedule);
  allocate_arrays(&s, domain);
  poly_ops extensions = {0};
  poly_collect(schedule, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++) allocate_scratchpads(&s, extensions.data[i]);
  PM_VEC_FREE(extensions);
  PM_VEC_FREE(s.found);
  stage_count_distances(pass);
  return s.ok ? PM_CHANGED : PM_FAILED;
}
