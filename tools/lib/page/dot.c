#include "tools/lib/page/dot.h"

#include "dialects/stage/analyses/graph.h"
#include "tools/lib/page/accesses.h"
#include "tools/lib/page/groups.h"
#include "tools/lib/page/markup.h"
#include "tools/lib/images/sizes.h"

#include <stdlib.h>

/* --- nodes --- */

static void put_node(pm_buf *out, const stage_node *node, const char *indent) {
  pm_buf extents = {0};
  pm_put_domain_extents(&extents, node->op);
  pm_buf_printf(out, "%sn%u [label=<<b>", indent, node->index);
  pm_puts_markup(out, node->name->text);
  pm_format(out, "</b><br/><font point-size=\"10\">%pT<br/>", (const void *)node->type);
  pm_puts_markup(out, extents.data ? extents.data : "");
  pm_buf_puts(out, "</font>>");
  if (node->is_input) pm_buf_puts(out, ", fillcolor=\"#dcefd9\", color=\"#4d8b46\"");
  if (node->is_output) pm_buf_puts(out, ", fillcolor=\"#fde6cf\", color=\"#c2701c\", penwidth=2");
  pm_buf_puts(out, "];\n");
  pm_buf_free(&extents);
}

/* --- edges --- */

/* Above that many edges their labels hide more than they show: an SVG has them when the pointer is there. */
enum { MOST_LABELS = 60 };

/* True for the first read of a pair of stages. */
static bool is_first(const stage_node *consumer, size_t read) {
  for (size_t i = 0; i < read; i++)
    if (consumer->reads.data[i]->producer == consumer->reads.data[read]->producer) return false;
  return true;
}

static size_t count_edges(const stage_graph *graph) {
  size_t n = 0;
  for (size_t i = 0; i < graph->nodes.len; i++)
    for (size_t r = 0; r < graph->nodes.data[i]->reads.len; r++) n += is_first(graph->nodes.data[i], r);
  return n;
}

static void put_edge(pm_buf *out, const stage_node *consumer, const stage_node *producer, bool labelled) {
  pm_access_list accesses = {0};
  pm_buf label = {0};
  pm_collect_accesses(&accesses, consumer, producer, NULL);
  pm_put_accesses(&label, &accesses);
  pm_buf_printf(out, "  n%u -> n%u [%s=\"", producer->index, consumer->index,
                labelled ? "label" : "edgetooltip");
  if (!labelled) pm_buf_printf(out, "%s reads %s at ", consumer->name->text, producer->name->text);
  pm_puts_dot_string(out, label.data);
  pm_buf_printf(out, "\"%s];\n", pm_accesses_are_computed(&accesses) ? ", style=dashed" : "");
  pm_buf_free(&label);
  PM_VEC_FREE(accesses);
}

static void put_edges(pm_buf *out, const stage_node *consumer, bool labelled) {
  for (size_t i = 0; i < consumer->reads.len; i++)
    if (is_first(consumer, i)) put_edge(out, consumer, consumer->reads.data[i]->producer, labelled);
}

/* --- the graph --- */

static void put_group(pm_buf *out, const pm_groups *groups, size_t group) {
  pm_buf_printf(out, "  subgraph cluster_%zu {\n", group);
  pm_buf_puts(out, "    style=\"rounded,filled\"; color=\"#9aa7b8\"; fillcolor=\"#f4f6f9\";\n"
                   "    labeljust=l; fontcolor=\"#5b6776\";\n");
  pm_buf_puts(out, "    label=\"");
  pm_put_group_title(out, groups, group);
  pm_buf_puts(out, "\";\n");
  for (size_t i = 0; i < groups->graph->nodes.len; i++)
    if (groups->group_of[i] == (int)group) put_node(out, groups->graph->nodes.data[i], "    ");
  pm_buf_puts(out, "  }\n");
}

static void put_graph(pm_buf *out, const stage_graph *graph, const pm_groups *groups) {
  pm_buf_puts(out, "digraph \"");
  pm_puts_dot_string(out, pm_sym_at(graph->pipeline, stage_pipeline_sym)->text);
  pm_buf_puts(out, "\" {\n  graph [fontname=\"Helvetica\", fontsize=12, nodesep=0.35, ranksep=0.55];\n"
                   "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12, "
                   "fillcolor=\"#e4ebf7\", color=\"#5470a6\"];\n"
                   "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#55606e\", fontcolor=\"#55606e\", "
                   "arrowsize=0.7];\n");
  bool labelled = count_edges(graph) <= MOST_LABELS;
  if (!labelled) pm_buf_puts(out, "  graph [nodesep=0.2, ranksep=0.4, concentrate=true];\n");
  for (size_t i = 0; i < groups->marks.len; i++) put_group(out, groups, i);
  for (size_t i = 0; i < graph->nodes.len; i++)
    if (groups->group_of[i] < 0) put_node(out, graph->nodes.data[i], "  ");
  for (size_t i = 0; i < graph->nodes.len; i++) put_edges(out, graph->nodes.data[i], labelled);
  pm_buf_puts(out, "}\n");
}

bool pm_put_dot(pm_buf *out, pm_op *pipeline) {
  stage_graph *graph = stage_graph_new(pipeline);
  if (!graph) return false;
  pm_groups groups = pm_groups_find(graph);
  put_graph(out, graph, &groups);
  pm_groups_free(&groups);
  stage_graph_free(graph);
  return true;
}
