/* planes-first: interleaved channels become planes.
 *
 *   stage.func @f : f32 on { [x, y, c] : … and 0 <= c <= 2 } {   |  … on { [c, x, y] : … } {
 *     stage.case(%x, %y, %c) on … {                              |    stage.case(%c, %x, %y) on … {
 *       %0 = stage.read @g[%x, %y - 1, %c] : f32                 |      … @g[%c, %x, %y - 1]
 *       …                                                        |      …
 *   stage.output @f                                              |  stage.output @f order [1, 2, 0]
 *
 * Rows of as few elements as a pixel has channels make no vectors and no tiles. So the few points of a last
 * dimension go ahead of the rows, in the order of loops and in memory. Arrays of the caller stay as they are:
 * inputs are read, and outputs stored, at every third element. unroll-planes takes the planes of such a row
 * into one loop, where their vectors are whole ones and shuffles.
 *
 * Cases of some planes, as of the colours and of alpha, are made cases of a plane each, which fuse-bands
 * joins again.
 *
 * A stage with updates, one that reads itself, and one that a schedule names stay as they are. (Halide's
 * reorder, and layouts by reorder_storage, are the same by hand.)
 */
#include "dialects/arith/call.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "passes/options.h"

#include <isl/aff.h>
#include <isl/ilp.h>
#include <isl/map.h>
#include <isl/val.h>

/* Dimension k of the new points is the old one `from[k]`; the old one d becomes `to[d]`. */
typedef struct order {
  unsigned n, from[PM_MAX_RANK], to[PM_MAX_RANK];
} order;

/* The last one goes ahead of the rows and their number. */
static order order_of(unsigned n) {
  order o = {.n = n};
  unsigned first = n < 3 ? 0 : n - 3, k = 0;
  for (unsigned d = 0; d < first; d++) o.from[k++] = d;
  o.from[k++] = n - 1;
  for (unsigned d = first; d + 1 < n; d++) o.from[k++] = d;
  for (k = 0; k < n; k++) o.to[o.from[k]] = k;
  return o;
}

static bool is_interleaved(const stage_node *node) {
  unsigned n = node->n_dims;
  return n >= 2 && n <= PM_MAX_RANK && stage_is_of_planes(node->domain, n - 1) &&
         !stage_is_of_planes(node->domain, n - 2);
}

static bool may_change(const stage_graph *graph, const stage_node *node, const bool *named) {
  return !node->is_input && !node->updates.len && !node->self_reads.len && !named[node->index] &&
         !poly_find_demand(graph->pipeline, node->name);
}

static pm_attr reorder_set(pm_context *ctx, pm_attr attr, const order *o) {
  isl_set *set = isl_peek_set(attr);
  isl_space *space = isl_space_map_from_set(isl_set_get_space(set));
  isl_multi_aff *old = isl_multi_aff_identity(isl_space_copy(space)), *new = isl_multi_aff_zero(space);
  for (unsigned k = 0; k < o->n; k++)
    new = isl_multi_aff_set_aff(new, (int)k, isl_multi_aff_get_at(old, (int)o->from[k]));
  isl_multi_aff_free(old);
  isl_set *made = isl_set_apply(isl_set_copy(set), isl_map_from_multi_aff(new));
  for (unsigned k = 0; k < o->n; k++) {
    const char *name = isl_set_get_dim_name(set, isl_dim_set, o->from[k]);
    if (name) made = isl_set_set_dim_name(made, isl_dim_set, k, name);
  }
  return isl_attr_of_set(ctx, made);
}

static void reorder_body(pm_region *body, const order *o) {
  pm_value *args[PM_MAX_RANK];
  for (unsigned k = 0; k < o->n; k++) args[k] = body->args[o->from[k]];
  for (unsigned k = 0; k < o->n; k++) {
    body->args[k] = args[k];
    pm_as_arg(args[k])->index = k;
  }
}

static void reorder_read(pm_op *read, const order *o) {
  pm_affine_map map = stage_index_map(read);
  pm_affine_expr results[PM_MAX_RANK];
  for (unsigned k = 0; k < o->n; k++) results[k] = map->results[o->from[k]];
  pm_set_attr(
      read, stage_read_map,
      pm_get_map_attr(pm_get_affine_map(pm_op_context(read), map->n_dims, map->n_syms, results, o->n)));
}

/* The array keeps its own. */
static void reorder_output(pm_op *output, const order *o) {
  pm_attr before = pm_attr_at(output, stage_output_order);
  int64_t dims[PM_MAX_RANK];
  for (unsigned i = 0; i < o->n; i++) dims[i] = o->to[stage_dim_of(before, i)];
  pm_set_attr(output, stage_output_order, pm_get_index_array(pm_op_context(output), dims, o->n));
}

static void reorder(const stage_graph *graph, const stage_node *node) {
  order o = order_of(node->n_dims);
  pm_set_attr(node->op, stage_func_domain, reorder_set(graph->ctx, stage_domain_of(node->op), &o));
  for (size_t i = 0; i < node->cases.len; i++) {
    pm_op *one = node->cases.data[i].op;
    pm_set_attr(one, stage_case_set, reorder_set(graph->ctx, pm_attr_at(one, stage_case_set), &o));
    reorder_body(pm_region_at(one, stage_case_body), &o);
  }
  for (size_t i = 0; i < node->readers.len; i++) reorder_read(node->readers.data[i]->read, &o);
  PM_FOR_OPS(op, pm_region_at(graph->pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == node->name) reorder_output(op, &o);
}

/* --- cases of some planes --- */

typedef struct plane_parts {
  unsigned n;
  isl_set *sets[STAGE_MOST_PLANES];
} plane_parts;

/* The points of the case in each plane that has some. */
static plane_parts parts_of(const pm_op *case_op, unsigned dim, int64_t first, int64_t last) {
  plane_parts parts = {0};
  for (int64_t plane = first; plane <= last; plane++) {
    isl_set *set = isl_set_copy(isl_peek_set(pm_attr_at(case_op, stage_case_set)));
    set = isl_set_fix_si(set, isl_dim_set, dim, (int)plane);
    if (isl_set_is_empty(set) == isl_bool_true)
      isl_set_free(set);
    else
      parts.sets[parts.n++] = set;
  }
  return parts;
}

/* Takes the parts. */
static void split_case(const stage_graph *graph, pm_op *case_op, plane_parts parts) {
  pm_attr like = pm_attr_at(case_op, stage_case_set);
  for (unsigned i = parts.n; i-- > 0;) {
    pm_op *one = i ? pm_clone(pm_module_of(case_op), case_op, NULL) : case_op;
    if (i) pm_insert(case_op->region, case_op->next, one);
    pm_set_attr(one, stage_case_set, stage_set_attr(graph, parts.sets[i], like));
  }
}

/* Where some case lacks a plane along the dimension, whose coordinates are first to last. */
static void split_cases(const stage_graph *graph, const stage_node *node, unsigned dim, int64_t first,
                        int64_t last) {
  bool some = false;
  for (int turn = 0; turn < 2; turn++)
    for (size_t i = 0; i < node->cases.len; i++) {
      plane_parts parts = parts_of(node->cases.data[i].op, dim, first, last);
      some = some || parts.n <= last - first;
      if (turn && some && parts.n > 1) {
        split_case(graph, node->cases.data[i].op, parts);
        continue;
      }
      for (unsigned k = 0; k < parts.n; k++) isl_set_free(parts.sets[k]);
    }
}

static int64_t bound_of(__isl_take isl_val *bound) {
  int64_t number = isl_val_get_num_si(bound);
  isl_val_free(bound);
  return number;
}

pm_result pass_planes_first(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  const bool *named = poly_named_stages(pass);
  bool changed = false;
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    if (!may_change(graph, node, named) || !is_interleaved(node)) continue;
    unsigned last = node->n_dims - 1;
    reorder(graph, node);
    split_cases(graph, node, order_of(node->n_dims).to[last],
                bound_of(isl_set_dim_min_val(isl_set_copy(node->domain), (int)last)),
                bound_of(isl_set_dim_max_val(isl_set_copy(node->domain), (int)last)));
    changed = true;
    pm_pass_stat(pass, "stages", 1);
    pm_pass_remark(pass, node->op->loc, PM_REMARK_PASSED, NULL, 0,
                   "the channels of @%pS are planes, ahead of its rows", (const void *)node->name);
  }
  return changed ? PM_CHANGED : PM_UNCHANGED;
}
