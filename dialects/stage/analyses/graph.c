#include "dialects/stage/analyses/graph.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"
#include "dialects/stage/analyses/read_relation.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/boundary.h"

#include <stdlib.h>

/* While a graph is made: isl objects of attributes seen before, so that stages with one domain share one
 * object. */
typedef struct graph_builder {
  stage_graph *graph;
  pm_string facts_key;  /* of the context and the params: what a set within the context depends on */
  stage_values *values; /* NULL until an index is computed, unless they are given */
  bool ok;
} graph_builder;

static void free_set(void *set) {
  isl_set_free(set);
}

static void put_pointer(pm_buf *text, const void *pointer) {
  pm_buf_put(text, (const char *)&pointer, sizeof pointer);
}

/* Takes the text. */
static pm_string intern(const stage_graph *graph, pm_buf *text) {
  pm_string key = pm_get_string(graph->ctx, (pm_str){text->data, text->len});
  pm_buf_free(text);
  return key;
}

/* Of the context, and of the params in their order. */
static pm_string key_of_facts(const stage_graph *graph) {
  pm_buf text = {0};
  pm_buf_puts(&text, "context");
  put_pointer(&text, pm_attr_at(graph->pipeline, stage_pipeline_context));
  for (size_t i = 0; i < graph->params.len; i++) {
    put_pointer(&text, pm_sym_at(graph->params.data[i], stage_param_sym));
    put_pointer(&text, pm_res(graph->params.data[i], 0)->type);
  }
  return intern(graph, &text);
}

/* The set (taken) without what the context says of its params, and without a name. Stages have domains that
 * are alike, and isl takes long: found once. */
static isl_set *without_context(const stage_graph *graph, isl_set *set) {
  pm_buf text = {0};
  char *written = isl_set_to_str(set);
  pm_buf_puts(&text, "without");
  put_pointer(&text, key_of_facts(graph));
  pm_buf_puts(&text, written ? written : "");
  free(written);
  pm_string key = intern(graph, &text);
  isl_set *known = isl_find_kept(graph->ctx, key);
  if (known) {
    isl_set_free(set);
    return isl_set_copy(known);
  }
  set = isl_set_gist_params(set, isl_set_copy(stage_facts_of(graph->facts, set)));
  set = isl_set_coalesce(set);
  isl_keep(graph->ctx, key, isl_set_copy(set), free_set);
  return set;
}

pm_attr stage_set_attr(const stage_graph *graph, __isl_take isl_set *set, pm_attr like) {
  isl_set *names = isl_peek_set(like);
  set = without_context(graph, isl_set_reset_tuple_id(isl_set_coalesce(set)));
  for (unsigned i = 0; i < (unsigned)isl_set_dim(set, isl_dim_set); i++) {
    const char *name = isl_set_get_dim_name(names, isl_dim_set, i);
    if (name) set = isl_set_set_dim_name(set, isl_dim_set, i, name);
  }
  return isl_attr_of_set(graph->ctx, set);
}

/* Not restricted to the body's set when the indices are affine. */
static isl_map *relation_of(graph_builder *b, pm_op *read, bool *affine) {
  isl_map *relation = stage_has_computed_index(read) ? stage_read_relation_in(&b->values, read, affine)
                                                     : stage_affine_relation(read, affine);
  return isl_map_with_used_params(relation);
}

/* --- nodes --- */

/* Takes the params. */
static isl_set *context_of(pm_op *pipeline, __isl_take isl_space *params) {
  isl_set *given = isl_peek_set(pm_attr_at(pipeline, stage_pipeline_context));
  if (!given) return isl_set_universe(params);
  return isl_set_align_params(isl_set_params(isl_set_copy(given)), params);
}

/* The integer params in the order of the pipeline. */
static isl_space *param_space(const stage_graph *graph) {
  isl_space *space = isl_space_params_alloc(graph->isl, 0);
  for (size_t i = 0; i < graph->params.len; i++) {
    pm_op *param = graph->params.data[i];
    if (!pm_is_int_or_index(pm_res(param, 0)->type)) continue;
    unsigned n = (unsigned)isl_space_dim(space, isl_dim_param);
    space = isl_space_add_dims(space, isl_dim_param, 1);
    space = isl_space_set_dim_name(space, isl_dim_param, n, pm_sym_at(param, stage_param_sym)->text);
  }
  return space;
}

/* The set of an attribute within the context, without a name: of all graphs with that context. */
static isl_set *set_within(const graph_builder *b, pm_attr attr) {
  pm_buf text = {0};
  pm_buf_puts(&text, "set within");
  put_pointer(&text, b->facts_key);
  put_pointer(&text, attr);
  pm_string key = intern(b->graph, &text);
  isl_set *set = isl_find_kept(b->graph->ctx, key);
  if (set) return set;
  set = isl_set_reset_tuple_id(isl_set_copy(isl_peek_set(attr)));
  set = stage_facts_around(b->graph->facts, isl_with_used_params(set));
  set = isl_with_used_params(isl_set_remove_redundancies(set));
  isl_keep(b->graph->ctx, key, set, free_set);
  return set;
}

/* A copy of it with the name. */
static isl_set *set_of_attr(const graph_builder *b, pm_attr attr, pm_string name) {
  return isl_set_set_tuple_name(isl_set_copy(set_within(b, attr)), name->text);
}

pm_string stage_element_name(const pm_op *op, unsigned i) {
  if (pm_tuple_len(stage_type_of(op)) == 1) return stage_name_of(op);
  pm_buf text = {0};
  pm_buf_printf(&text, "%s_%u", stage_name_of(op)->text, i);
  return stage_free_name(op, &text);
}

static void add_cases(graph_builder *b, stage_node *node) {
  PM_FOR_OPS(op, pm_region_at(node->op, stage_func_cases)) {
    if (!pm_is(op, &stage_case)) continue;
    pm_attr attr = pm_attr_at(op, stage_case_set);
    isl_set *set = attr == stage_domain_of(node->op)
                       ? isl_set_copy(node->domain)
                       : isl_set_intersect(set_of_attr(b, attr, node->name), isl_set_copy(node->domain));
    PM_VEC_PUSH(node->cases, ((stage_case_info){op, set}));
  }
}

/* What is known of an index of an update. */
struct stage_index {
  bool asked;
  isl_aff *function; /* NULL: it is none */
};

/* What is known of a dimension at which updates reach a stage. */
struct stage_targets {
  bool asked, affine;
};

static void add_update(graph_builder *b, stage_node *node, pm_op *op) {
  stage_update_info update = {.op = op, .name = stage_update_name(op)};
  update.set = set_of_attr(b, pm_attr_at(op, stage_update_set), update.name);
  pm_op *combine = pm_terminator(pm_region_at(op, stage_update_body));
  isl_map *target = relation_of(b, combine, &update.affine);
  target = isl_map_intersect_domain(target, isl_set_copy(update.set));
  update.target = stage_facts_between(b->graph->facts, target, node->domain);
  update.indices = pm_xcalloc((size_t)isl_map_dim(update.target, isl_dim_out) + 1, sizeof *update.indices);
  PM_VEC_PUSH(node->updates, update);
  pm_map_set(b->graph->by_update, update.name, node);
}

static void add_updates(graph_builder *b, stage_node *node) {
  PM_FOR_OPS(op, pm_region_at(node->op, stage_func_cases))
  if (pm_is(op, &stage_update)) add_update(b, node, op);
}

static void add_node(graph_builder *b, pm_op *op) {
  stage_node *node = pm_xcalloc(1, sizeof(*node));
  node->op = op;
  node->name = stage_name_of(op);
  node->type = stage_type_of(op);
  node->facts = b->graph->facts;
  node->is_input = !pm_is(op, &stage_func);
  node->domain = set_of_attr(b, stage_domain_of(op), node->name);
  node->n_dims = (unsigned)isl_set_dim(node->domain, isl_dim_set);
  node->targets = pm_xcalloc(node->n_dims + 1, sizeof *node->targets);
  node->index = (unsigned)b->graph->nodes.len;
  PM_VEC_PUSH(b->graph->nodes, node);
  pm_map_set(b->graph->by_name, node->name, node);
  if (node->is_input) return;
  add_cases(b, node);
  add_updates(b, node);
}

static void add_nodes(graph_builder *b) {
  PM_FOR_OPS(op, pm_region_at(b->graph->pipeline, stage_pipeline_body))
  if (stage_is_array(op)) add_node(b, op);
}

/* --- accesses --- */

typedef struct read_collector {
  graph_builder *builder;
  stage_node *consumer;
  int case_index, update_index;
  isl_set *set; /* of the body; borrowed */
} read_collector;

/* Of the indices on the body's set, which follows from its attribute and from the stage's domain, within
 * what the context says of that and of the producer's. */
static pm_string key_of_access(const read_collector *c, pm_op *read, const stage_node *producer) {
  graph_builder *b = c->builder;
  const void *which[] = {stage_index_map(read), stage_domain_of(c->consumer->op),
                         stage_domain_of(producer->op)};
  pm_string name = pm_get_string(b->graph->ctx, (pm_str){(const char *)which, sizeof which});
  if (!b->values) b->values = stage_values_new(b->graph->pipeline);
  return stage_key_of_operands(b->values, "access", name, read, stage_index_operand(read),
                               stage_body_of(read));
}

/* Where the read goes, by its indices. */
static isl_map *indices_relation(read_collector *c, pm_op *read, const stage_node *producer, bool *affine) {
  pm_string key = key_of_access(c, read, producer);
  isl_map *kept = stage_find_relation(key, read, affine);
  if (kept) return kept;
  isl_map *relation = relation_of(c->builder, read, affine);
  relation = isl_map_intersect_domain(relation, isl_set_copy(c->set));
  relation = stage_facts_between(c->builder->graph->facts, relation, producer->domain);
  return stage_keep_relation(key, read, relation, *affine);
}

/* The same with boundary modes. */
static isl_map *access_relation(read_collector *c, pm_op *read, const stage_node *producer, bool *affine) {
  stage_boundary boundary;
  isl_map *relation = indices_relation(c, read, producer, affine);
  if (!stage_boundary_of_read(read, producer->op, &boundary)) return relation;
  relation = stage_boundary_relation(relation, &boundary, producer->domain);
  *affine = isl_map_is_single_valued(relation) == isl_bool_true;
  return relation;
}

static void add_access(read_collector *c, pm_op *read) {
  stage_graph *graph = c->builder->graph;
  stage_node *producer = stage_graph_find(graph, pm_sym_at(read, stage_read_stage));
  if (!producer || producer->n_dims != pm_attr_at(read, stage_read_map)->map->n_results) {
    c->builder->ok =
        pm_op_error(read, "of @%s should name an input or stage of the pipeline and give its dimensions",
                    pm_sym_at(read, stage_read_stage)->text);
    return;
  }
  stage_access *access = pm_xcalloc(1, sizeof(*access));
  access->read = read;
  access->consumer = c->consumer;
  access->producer = producer;
  access->case_index = c->case_index;
  access->update_index = c->update_index;
  access->relation = access_relation(c, read, producer, &access->affine);
  PM_VEC_PUSH(graph->accesses, access);
  if (producer == c->consumer) {
    PM_VEC_PUSH(producer->self_reads, access);
    return;
  }
  PM_VEC_PUSH(c->consumer->reads, access);
  PM_VEC_PUSH(producer->readers, access);
}

static pm_walk collect_read(void *user, pm_op *op) {
  if (pm_is(op, &stage_read)) add_access(user, op);
  return PM_WALK_ON;
}

static void add_accesses(graph_builder *b) {
  for (size_t i = 0; i < b->graph->nodes.len; i++) {
    stage_node *node = b->graph->nodes.data[i];
    for (size_t k = 0; k < node->cases.len; k++) {
      read_collector collector = {b, node, (int)k, -1, node->cases.data[k].set};
      pm_walk_pre(node->cases.data[k].op, collect_read, &collector);
    }
    for (size_t k = 0; k < node->updates.len; k++) {
      read_collector collector = {b, node, -1, (int)k, node->updates.data[k].set};
      pm_walk_pre(node->updates.data[k].op, collect_read, &collector);
    }
  }
}

static void add_outputs(graph_builder *b) {
  PM_FOR_OPS(op, pm_region_at(b->graph->pipeline, stage_pipeline_body)) {
    if (!pm_is(op, &stage_output)) continue;
    stage_node *node = stage_graph_find(b->graph, pm_sym_at(op, stage_output_stage));
    if (!node) {
      b->ok = pm_op_error(op, "of @%s should name a stage of the pipeline",
                          pm_sym_at(op, stage_output_stage)->text);
      continue;
    }
    node->is_output = true;
    node->order = pm_attr_at(op, stage_output_order);
    PM_VEC_PUSH(b->graph->outputs, node);
  }
}

static void add_params(stage_graph *graph) {
  PM_FOR_OPS(op, pm_region_at(graph->pipeline, stage_pipeline_body))
  if (pm_is(op, &stage_param)) PM_VEC_PUSH(graph->params, op);
}

/* --- order --- */

/* The nodes that are ready, by their place in the text: a binary heap. */
typedef PM_VEC(stage_node *) ready_heap;

static void heap_push(ready_heap *heap, stage_node *node) {
  PM_VEC_PUSH(*heap, node);
  size_t i = heap->len - 1;
  for (; i > 0 && heap->data[(i - 1) / 2]->index > node->index; i = (i - 1) / 2)
    heap->data[i] = heap->data[(i - 1) / 2];
  heap->data[i] = node;
}

static stage_node *heap_pop(ready_heap *heap) {
  stage_node *top = heap->data[0];
  stage_node *node = PM_VEC_POP(*heap);
  size_t i = 0;
  for (size_t child = 1; child < heap->len; child = 2 * i + 1) {
    if (child + 1 < heap->len && heap->data[child + 1]->index < heap->data[child]->index) child++;
    if (heap->data[child]->index >= node->index) break;
    heap->data[i] = heap->data[child];
    i = child;
  }
  if (heap->len > 0) heap->data[i] = node;
  return top;
}

/* A read of `node` whose producer has no place in the order yet. */
static stage_access *waiting_read(const stage_node *node, const size_t *missing) {
  for (size_t i = 0; i < node->reads.len; i++)
    if (missing[node->reads.data[i]->producer->index] > 0) return node->reads.data[i];
  return NULL;
}

/* Names the stages of one cycle among the nodes that still miss producers. */
static void report_cycle(const stage_graph *graph, const size_t *missing) {
  size_t n = graph->nodes.len, first = 0;
  while (missing[first] == 0) first++;
  stage_node *node = graph->nodes.data[first];
  for (size_t i = 0; i < n; i++) node = waiting_read(node, missing)->producer;
  pm_buf path = {0};
  stage_node *start = node;
  do {
    node = waiting_read(node, missing)->producer;
    pm_buf_printf(&path, " -> @%s", node->name->text);
  } while (node != start);
  pm_op_error(waiting_read(start, missing)->read,
              "closes a cycle, but stages should not depend on themselves: @%s%s", start->name->text,
              path.data);
  pm_buf_free(&path);
}

/* Kahn's algorithm; `order` gets the nodes, and the result is how many. missing[i] counts the reads of node i
 * whose producers have no place yet. */
static size_t order_nodes(const stage_graph *graph, size_t *missing, stage_node **order) {
  ready_heap ready = {0};
  size_t n = 0;
  for (size_t i = 0; i < graph->nodes.len; i++) {
    missing[i] = graph->nodes.data[i]->reads.len;
    if (missing[i] == 0) heap_push(&ready, graph->nodes.data[i]);
  }
  while (ready.len > 0) {
    stage_node *node = heap_pop(&ready);
    order[n++] = node;
    for (size_t i = 0; i < node->readers.len; i++) {
      stage_node *reader = node->readers.data[i]->consumer;
      if (--missing[reader->index] == 0) heap_push(&ready, reader);
    }
  }
  PM_VEC_FREE(ready);
  return n;
}

/* Sorts the nodes, producers first; false after a diagnostic when there is a cycle. */
static bool sort_nodes(stage_graph *graph) {
  size_t n = graph->nodes.len;
  size_t *missing = pm_xcalloc(n + 1, sizeof(*missing));
  stage_node **order = pm_xcalloc(n + 1, sizeof(*order));
  bool acyclic = order_nodes(graph, missing, order) == n;
  if (!acyclic) report_cycle(graph, missing);
  for (size_t i = 0; acyclic && i < n; i++) {
    graph->nodes.data[i] = order[i];
    order[i]->index = (unsigned)i;
  }
  free(missing);
  free(order);
  return acyclic;
}

/* --- the graph --- */

/* The values, which the reads may add to, are NULL or those that are known. */
static stage_graph *build_graph(pm_op *pipeline, stage_values **values) {
  stage_graph *graph = pm_xcalloc(1, sizeof(*graph));
  graph->ctx = pm_op_context(pipeline);
  graph->isl = pm_isl_ctx(graph->ctx);
  graph->pipeline = pipeline;
  graph->by_name = pm_map_new();
  graph->by_update = pm_map_new();
  add_params(graph);
  graph->estimates = pm_xcalloc(1, sizeof *graph->estimates);
  graph->estimates->values = pm_xcalloc(graph->params.len + 1, sizeof *graph->estimates->values);
  graph_builder builder = {graph, key_of_facts(graph), *values, true};
  graph->context = context_of(pipeline, param_space(graph));
  graph->facts = stage_facts_new(graph->context);
  add_nodes(&builder);
  add_accesses(&builder);
  add_outputs(&builder);
  *values = builder.values;
  if (builder.ok && sort_nodes(graph)) return graph;
  stage_graph_free(graph);
  return NULL;
}

stage_graph *stage_graph_new(pm_op *pipeline) {
  stage_values *values = NULL;
  stage_graph *graph = build_graph(pipeline, &values);
  stage_values_free(values);
  return graph;
}

stage_graph *stage_graph_new_from(pm_op *pipeline, stage_values *values) {
  return build_graph(pipeline, &values);
}

/* --- indices of updates --- */

static isl_aff *function_of(const stage_update_info *update, unsigned k) {
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

static void free_update(const stage_update_info *update) {
  for (isl_size k = 0; k < isl_map_dim(update->target, isl_dim_out); k++)
    isl_aff_free(update->indices[k].function);
  free(update->indices);
  isl_set_free(update->set);
  isl_map_free(update->target);
}

isl_aff *stage_update_index(const stage_update_info *update, unsigned k) {
  struct stage_index *index = &update->indices[k];
  if (!index->asked) *index = (struct stage_index){true, function_of(update, k)};
  return index->function;
}

static bool are_functions(const stage_node *node, unsigned k) {
  for (size_t i = 0; i < node->updates.len; i++) {
    const stage_update_info *update = &node->updates.data[i];
    if (isl_set_is_empty(update->set) != isl_bool_true && !stage_update_index(update, k)) return false;
  }
  return true;
}

bool stage_update_dim_is_affine(const stage_node *node, unsigned k) {
  struct stage_targets *found = &node->targets[k];
  if (!found->asked) *found = (struct stage_targets){true, are_functions(node, k)};
  return found->affine;
}

/* --- the end --- */

static void free_node(stage_node *node) {
  isl_set_free(node->domain);
  for (size_t i = 0; i < node->cases.len; i++) isl_set_free(node->cases.data[i].set);
  for (size_t i = 0; i < node->updates.len; i++) free_update(&node->updates.data[i]);
  PM_VEC_FREE(node->cases);
  PM_VEC_FREE(node->updates);
  PM_VEC_FREE(node->self_reads);
  PM_VEC_FREE(node->reads);
  PM_VEC_FREE(node->readers);
  free(node->targets);
  free(node);
}

isl_set *stage_access_instances(const stage_access *access) {
  const stage_node *node = access->consumer;
  return access->case_index >= 0 ? node->cases.data[access->case_index].set
                                 : node->updates.data[access->update_index].set;
}

void stage_graph_free(stage_graph *graph) {
  if (!graph) return;
  for (size_t i = 0; i < graph->accesses.len; i++) {
    isl_map_free(graph->accesses.data[i]->relation);
    free(graph->accesses.data[i]);
  }
  for (size_t i = 0; i < graph->nodes.len; i++) free_node(graph->nodes.data[i]);
  isl_set_free(graph->context);
  stage_facts_free(graph->facts);
  PM_VEC_FREE(graph->accesses);
  PM_VEC_FREE(graph->nodes);
  PM_VEC_FREE(graph->outputs);
  PM_VEC_FREE(graph->params);
  free(graph->estimates->values);
  free(graph->estimates);
  pm_map_free(graph->by_name);
  pm_map_free(graph->by_update);
  free(graph);
}

stage_node *stage_graph_find(const stage_graph *graph, pm_string name) {
  return pm_map_get(graph->by_name, name);
}

stage_node *stage_graph_find_update(const stage_graph *graph, pm_string name, size_t *number) {
  stage_node *node = pm_map_get(graph->by_update, name);
  for (size_t i = 0; node && i < node->updates.len; i++)
    if (node->updates.data[i].name == name) *number = i;
  return node;
}

/* --- as an analysis --- */

static void *compute_graph(pm_op *root, const void *values) {
  return stage_graph_new_from(root, (stage_values *)values);
}

static void free_graph(void *graph) {
  stage_graph_free(graph);
}

static bool equal_updates(const stage_update_info *a, const stage_update_info *b) {
  return a->op == b->op && a->name == b->name && a->affine == b->affine &&
         isl_set_is_equal(a->set, b->set) == isl_bool_true &&
         isl_map_is_equal(a->target, b->target) == isl_bool_true;
}

static bool equal_nodes(const stage_node *a, const stage_node *b) {
  if (a->op != b->op || a->name != b->name || a->is_output != b->is_output || a->order != b->order)
    return false;
  if (a->cases.len != b->cases.len || a->updates.len != b->updates.len) return false;
  if (isl_set_is_equal(a->domain, b->domain) != isl_bool_true) return false;
  for (size_t i = 0; i < a->cases.len; i++) {
    if (a->cases.data[i].op != b->cases.data[i].op) return false;
    if (isl_set_is_equal(a->cases.data[i].set, b->cases.data[i].set) != isl_bool_true) return false;
  }
  for (size_t i = 0; i < a->updates.len; i++)
    if (!equal_updates(&a->updates.data[i], &b->updates.data[i])) return false;
  return true;
}

static bool equal_accesses(const stage_access *a, const stage_access *b) {
  return a->read == b->read && a->case_index == b->case_index && a->update_index == b->update_index &&
         a->affine == b->affine && isl_map_is_equal(a->relation, b->relation) == isl_bool_true;
}

static bool equal_graphs(const void *left, const void *right) {
  const stage_graph *a = left, *b = right;
  if (a->nodes.len != b->nodes.len || a->accesses.len != b->accesses.len || a->outputs.len != b->outputs.len)
    return false;
  for (size_t i = 0; i < a->nodes.len; i++)
    if (!equal_nodes(a->nodes.data[i], b->nodes.data[i])) return false;
  for (size_t i = 0; i < a->accesses.len; i++)
    if (!equal_accesses(a->accesses.data[i], b->accesses.data[i])) return false;
  return isl_set_is_equal(a->context, b->context) == isl_bool_true;
}

const pm_analysis_desc stage_graph_analysis = {"stage-graph", compute_graph, free_graph, equal_graphs,
                                               &stage_values_analysis};
