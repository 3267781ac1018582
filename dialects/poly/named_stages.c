#include "dialects/poly/named_stages.h"

#include "dialects/poly/tree.h"

typedef struct naming {
  const stage_statements *statements;
  bool *named;
} naming;

/* What has memory there. */
static void note_allocs(const naming *n, pm_op *schedule) {
  poly_ops allocs = {0};
  poly_collect(schedule, &poly_alloc, &allocs);
  for (size_t i = 0; i < allocs.len; i++) {
    const stage_node *node =
        stage_graph_find(stage_statements_graph(n->statements), pm_sym_at(allocs.data[i], poly_alloc_stage));
    if (node) n->named[node->index] = true;
  }
  PM_VEC_FREE(allocs);
}

static void note_names(const naming *n, __isl_take isl_union_set *instances) {
  const stage_graph *graph = stage_statements_graph(n->statements);
  poly_names names = {0};
  poly_stage_names(graph->ctx, instances, &names);
  for (size_t i = 0; i < names.len; i++) {
    const stage_statement *statement = stage_find_statement(n->statements, names.data[i]);
    const stage_node *node = statement ? statement->node : stage_graph_find(graph, names.data[i]);
    if (node) n->named[node->index] = true;
  }
  PM_VEC_FREE(names);
  isl_union_set_free(instances);
}

const bool *poly_named_stages(pm_pass *pass) {
  pm_op *schedule = poly_find_schedule(pm_pass_root(pass));
  const stage_statements *statements = schedule ? STAGE_STATEMENTS(pass) : NULL;
  size_t n = STAGE_GRAPH(pass)->nodes.len;
  naming found = {statements, pm_arena_alloc(pm_pass_arena(pass), (n + 1) * sizeof *found.named)};
  if (!statements) return found.named;
  pm_op *domain = poly_child(schedule);
  poly_ops extensions = {0};
  note_names(&found, isl_union_set_copy(isl_peek_union_set(pm_attr_at(domain, poly_domain_instances))));
  poly_collect(schedule, &poly_extension, &extensions);
  for (size_t i = 0; i < extensions.len; i++) note_names(&found, poly_instances_of(extensions.data[i]));
  PM_VEC_FREE(extensions);
  note_allocs(&found, schedule);
  return found.named;
}
