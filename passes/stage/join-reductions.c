/* join-reductions: reductions over the same points, which read the same, become one, of a tuple.
 *
 *   stage.func @least : u8 on D default 255 {    |  stage.func @both : (u8, i64) on D default [255, 0] {
 *     stage.update(%x, %y) on P {                |    stage.update(%x, %y) on P {
 *       %0 = stage.read @img[%x, %y] : u8        |      %0 = stage.read @img[%x, %y] : u8
 *       stage.combine min, %0 into [0] : u8      |      %1 = stage.read @img[%x, %y] : u8
 *     }                                          |      %2 = arith.cast %1 : (u8) -> i64
 *   }                                            |      stage.combine min, %0, sum, %2 into [0] : u8, i64
 *   stage.func @sums : i64 on D {                |    }
 *     stage.update(%x, %y) on P {                |  }
 *       %0 = stage.read @img[%x, %y] : u8        |
 *       %1 = arith.cast %0 : (u8) -> i64         |
 *       stage.combine sum, %1 into [0] : i64     |
 *     }                                          |
 *   }                                            |
 *
 * The picture is read once, in one loop, or by one launch of a device: horizontal fusion (Kennedy, Allen,
 * "Optimizing Compilers for Modern Architectures", 2002, 6.2.5), whose result later passes see as any stage.
 * Joined are stages of one depth in the graph, so that none waits for another, whose only values are those of
 * one update with the same points and cells.
 */
#include "dialects/isl/budget.h"
#include "dialects/isl/linear.h"
#include "dialects/poly/named_stages.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/statements.h"
#include "dialects/stage/stage.h"
#include "passes/options.h"

#include <stdlib.h>
#include <string.h>

typedef PM_VEC(const stage_node *) node_list;

typedef struct joiner {
  pm_pass *pass;
  const stage_graph *graph;
  const bool *named; /* by the schedule */
  unsigned *depth;   /* of stages, by index: one more than the greatest of what they read */
} joiner;

/* --- which --- */

static const pm_op *combine_of(const stage_node *node) {
  return pm_terminator(pm_region_at(node->updates.data[0].op, stage_update_body));
}

static unsigned *find_depths(const stage_graph *graph) {
  unsigned *depth = pm_xcalloc(graph->nodes.len + 1, sizeof *depth);
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    for (size_t k = 0; k < node->reads.len; k++) {
      unsigned least = depth[node->reads.data[k]->producer->index] + 1;
      if (depth[i] < least) depth[i] = least;
    }
  }
  return depth;
}

static bool is_candidate(const joiner *j, const stage_node *node) {
  if (node->is_input || node->is_output || j->named[node->index]) return false;
  if (node->cases.len || node->updates.len != 1 || node->self_reads.len) return false;
  const pm_op *combine = combine_of(node);
  return !stage_has_computed_index(combine) && !stage_combine_is_choice(combine) &&
         !stage_combine_assigns(combine) && !stage_has_guard(node->updates.data[0].op);
}

static bool are_equal_sets(isl_set *a, isl_set *b) {
  if (isl_set_dim(a, isl_dim_set) != isl_set_dim(b, isl_dim_set)) return false;
  a = isl_set_reset_tuple_id(isl_set_copy(a));
  b = isl_set_reset_tuple_id(isl_set_copy(b));
  bool equal = linear_decide_equal(a, b);
  isl_set_free(a);
  isl_set_free(b);
  return equal;
}

/* The dimensions of the maps of two reads, or combines, are the same coordinates and params. */
static bool have_same_place(const pm_op *a, pm_affine_map map_a, const pm_op *b, pm_affine_map map_b) {
  unsigned first_a = stage_index_operand(a), first_b = stage_index_operand(b);
  if (map_a != map_b) return false;
  for (unsigned i = 0; i < map_a->n_dims; i++) {
    const pm_value *one = pm_arg(a, first_a + i), *other = pm_arg(b, first_b + i);
    if (pm_is_arg(one) != pm_is_arg(other) ||
        (pm_is_arg(one) ? pm_value_index(one) != pm_value_index(other) : one != other))
      return false;
  }
  return true;
}

static bool read_same(const stage_node *a, const stage_node *b) {
  for (size_t i = 0; i < a->reads.len; i++)
    for (size_t k = 0; k < b->reads.len; k++) {
      const pm_op *one = a->reads.data[i]->read, *other = b->reads.data[k]->read;
      if (pm_attr_at(one, stage_read_stage) == pm_attr_at(other, stage_read_stage) &&
          have_same_place(one, stage_index_map(one), other, stage_index_map(other)))
        return true;
    }
  return false;
}

static bool belong_together(const joiner *j, const stage_node *a, const stage_node *b) {
  const pm_op *one = combine_of(a), *other = combine_of(b);
  return j->depth[a->index] == j->depth[b->index] && a->n_dims == b->n_dims &&
         stage_combine_any_order(one) == stage_combine_any_order(other) &&
         pm_attr_at(one, stage_combine_associative) == pm_attr_at(other, stage_combine_associative) &&
         have_same_place(one, stage_index_map(one), other, stage_index_map(other)) && read_same(a, b) &&
         are_equal_sets(a->domain, b->domain) &&
         are_equal_sets(a->updates.data[0].set, b->updates.data[0].set);
}

/* --- the stage of all --- */

static unsigned elements_of(const node_list *list) {
  unsigned n = 0;
  for (size_t i = 0; i < list->len; i++) n += pm_tuple_len(list->data[i]->type);
  return n;
}

static pm_op *build_func(const joiner *j, const node_list *list, pm_string name) {
  const stage_node *first = list->data[0];
  unsigned n = elements_of(list), at = 0;
  pm_type *types = pm_xcalloc(n, sizeof *types);
  pm_attr *defaults = pm_xcalloc(n, sizeof(pm_attr));
  for (size_t i = 0; i < list->len; i++)
    for (unsigned k = 0; k < pm_tuple_len(list->data[i]->type); k++) {
      types[at] = pm_tuple_at(list->data[i]->type, k);
      defaults[at++] = stage_default_at(list->data[i]->op, k);
    }
  pm_builder b = pm_builder_before(first->op);
  b.loc = first->op->loc;
  pm_attr attrs[stage_func_N_ATTRS] = {NULL};
  attrs[stage_func_sym] = pm_get_symbol(j->graph->ctx, name);
  attrs[stage_func_type] = pm_get_type_attr(pm_get_tuple(types, (uint16_t)n));
  attrs[stage_func_domain] = pm_attr_at(first->op, stage_func_domain);
  attrs[stage_func_default] = pm_get_array(j->graph->ctx, defaults, n);
  free(types);
  free(defaults);
  return pm_build(&b, &stage_func, NULL, 0, NULL, 0, attrs);
}

typedef struct combination {
  PM_VEC(pm_value *) operands;
  PM_VEC(pm_attr) kinds;
} combination;

/* Copies the body of the node's update, and notes what it combines. */
static void copy_body(const stage_node *node, pm_region *to, combination *all) {
  const pm_op *combine = combine_of(node);
  pm_region *from = pm_region_at(node->updates.data[0].op, stage_update_body);
  pm_map *values = pm_map_new();
  for (unsigned d = 0; d < from->n_args; d++) pm_map_set(values, from->args[d], to->args[d]);
  PM_FOR_OPS(op, from)
  if (op != combine) pm_insert(to, NULL, pm_clone(pm_module_of(to->op), op, values));
  pm_attr kind = pm_attr_at(combine, stage_combine_kind);
  for (unsigned i = 0; i < stage_combine_len(combine); i++) {
    pm_value *copied = pm_map_get(values, pm_arg(combine, i));
    PM_VEC_PUSH(all->operands, copied ? copied : pm_arg(combine, i));
    PM_VEC_PUSH(all->kinds, kind->cls == PM_ATTR_ARRAY ? kind->items[i] : kind);
  }
  pm_map_free(values);
}

static void build_update(const joiner *j, const node_list *list, pm_op *func) {
  const stage_node *first = list->data[0];
  const pm_op *old = first->updates.data[0].op, *combine = combine_of(first);
  pm_region *cases = pm_region_begin(pm_region_at(func, stage_func_cases));
  pm_builder b = pm_builder_at_end(pm_module_of(func), cases, old->loc);
  pm_op *update =
      pm_build(&b, &stage_update, NULL, 0, NULL, 0, (pm_attr[]){pm_attr_at(old, stage_update_set)});
  pm_set_extra(update, pm_extra(old));
  pm_region *body = pm_region_begin(pm_region_at(update, stage_update_body));
  const pm_region *from = pm_region_at(old, stage_update_body);
  for (unsigned d = 0; d < from->n_args; d++) pm_add_arg(body, from->args[d]->type, from->args[d]->name);
  combination all = {0};
  for (size_t i = 0; i < list->len; i++) copy_body(list->data[i], body, &all);
  for (unsigned i = stage_combine_len(combine); i < combine->n_operands; i++) {
    pm_value *index = pm_arg(combine, i);
    PM_VEC_PUSH(all.operands, pm_is_arg(index) ? body->args[pm_value_index(index)] : index);
  }
  pm_attr attrs[stage_combine_N_ATTRS];
  memcpy(attrs, pm_attrs(combine), sizeof attrs);
  attrs[stage_combine_kind] = pm_get_array(j->graph->ctx, all.kinds.data, (uint32_t)all.kinds.len);
  b = pm_builder_at_end(pm_module_of(func), body, combine->loc);
  pm_op *made = pm_build(&b, &stage_combine, all.operands.data, (unsigned)all.operands.len, NULL, 0, attrs);
  pm_set_extra(made, pm_extra(combine));
  PM_VEC_FREE(all.operands);
  PM_VEC_FREE(all.kinds);
}

/* The read is of all elements, of which those from `first` on are what it was. */
static void read_joined(pm_op *read, pm_op *func, unsigned first) {
  pm_type type = pm_attr_at(func, stage_func_type)->t;
  unsigned n = pm_tuple_len(type);
  pm_type *types = pm_xcalloc(n, sizeof *types);
  pm_value **operands = pm_xcalloc(read->n_operands + 1u, sizeof *operands),
           **results = pm_xcalloc(n, sizeof *results);
  for (unsigned i = 0; i < n; i++) types[i] = pm_tuple_at(type, i);
  for (unsigned i = 0; i < read->n_operands; i++) operands[i] = pm_arg(read, i);
  pm_attr attrs[stage_read_N_ATTRS];
  memcpy(attrs, pm_attrs(read), sizeof attrs);
  attrs[stage_read_stage] = pm_attr_at(func, stage_func_sym);
  pm_builder b = pm_builder_before(read);
  b.loc = read->loc;
  pm_op *all = pm_build(&b, &stage_read, operands, read->n_operands, types, n, attrs);
  pm_set_extra(all, pm_extra(read));
  for (unsigned i = 0; i < read->n_results; i++) results[i] = pm_res(all, first + i);
  pm_replace_op(read, results);
  free(types);
  free(operands);
  free(results);
}

static void join(const joiner *j, const node_list *list) {
  const stage_node *first = list->data[0];
  pm_string name = stage_unused_name(first->op, "joined");
  pm_pass_remark(j->pass, first->op->loc, PM_REMARK_PASSED, (pm_remark_arg[]){{"stages", (double)list->len}},
                 1, "the updates of @%pS and %zu more have the same points: @%pS has the values of all",
                 (const void *)first->name, list->len - 1, (const void *)name);
  pm_op *func = build_func(j, list, name);
  build_update(j, list, func);
  unsigned at = 0;
  for (size_t i = 0; i < list->len; i++) {
    const stage_node *node = list->data[i];
    for (size_t k = 0; k < node->readers.len; k++) read_joined(node->readers.data[k]->read, func, at);
    at += pm_tuple_len(node->type);
    pm_op_erase(node->op);
  }
}

/* Those that belong together with node number `first`, which are marked. */
static node_list find_joint(const joiner *j, size_t first, bool *taken) {
  const stage_graph *graph = j->graph;
  node_list list = {0};
  unsigned elements = 0, most = (unsigned)pm_opt_int(j->pass, join_reductions_opt_elements);
  for (size_t i = first; i < graph->nodes.len && elements < most; i++) {
    const stage_node *node = graph->nodes.data[i];
    if (taken[i] || !is_candidate(j, node) || (list.len && !belong_together(j, list.data[0], node))) continue;
    unsigned more = pm_tuple_len(node->type);
    if (elements + more > most) continue;
    elements += more;
    taken[i] = true;
    PM_VEC_PUSH(list, node);
  }
  return list;
}

/* All are found before the graph is changed. Producers are joined first: what consumers read is then copied
 * with them. */
pm_result pass_join_reductions(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  /* The user says where stages are computed, and says nothing of those that would be made here. */
  if (poly_has_demands(graph->pipeline)) return PM_UNCHANGED;
  joiner j = {pass, graph, poly_named_stages(pass), find_depths(graph)};
  bool *taken = pm_xcalloc(graph->nodes.len + 1, sizeof *taken);
  PM_VEC(node_list) lists = {0};
  int64_t done = 0;
  unsigned deepest = 0;
  isl_quota_open(graph->isl, (unsigned long)pm_opt_int(pass, join_reductions_opt_operations));
  for (size_t i = 0; i < graph->nodes.len; i++) {
    if (j.depth[i] > deepest) deepest = j.depth[i];
    if (!taken[i] && is_candidate(&j, graph->nodes.data[i])) PM_VEC_PUSH(lists, find_joint(&j, i, taken));
  }
  (void)isl_quota_close(graph->isl);
  for (unsigned depth = 0; depth <= deepest; depth++)
    for (size_t i = 0; i < lists.len; i++) {
      if (lists.data[i].len < 2 || j.depth[lists.data[i].data[0]->index] != depth) continue;
      join(&j, &lists.data[i]);
      done += (int64_t)lists.data[i].len;
    }
  for (size_t i = 0; i < lists.len; i++) PM_VEC_FREE(lists.data[i]);
  PM_VEC_FREE(lists);
  free(taken);
  free(j.depth);
  pm_pass_stat(pass, "reductions joined", done);
  return done ? PM_CHANGED : PM_UNCHANGED;
}
