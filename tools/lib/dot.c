#include "tools/lib/dot.h"

#include "dialects/poly/poly.h"
#include "dialects/stage/graph.h"
#include "tools/lib/sizes.h"

#include <stdlib.h>
#include <string.h>

static void put_escaped(pm_buf *out, const char *text) {
  for (; *text; text++) {
    switch (*text) {
    case '<':
      pm_buf_puts(out, "&lt;");
      break;
    case '>':
      pm_buf_puts(out, "&gt;");
      break;
    case '&':
      pm_buf_puts(out, "&amp;");
      break;
    case '"':
      pm_buf_puts(out, "&quot;");
      break;
    default:
      pm_buf_putc(out, *text);
    }
  }
}

/* --- nodes --- */

static void put_node(pm_buf *out, const stage_node *node, const char *indent) {
  pm_buf extents = {0};
  pm_put_domain_extents(&extents, node->op);
  pm_buf_printf(out, "%sn%u [label=<<b>", indent, node->index);
  put_escaped(out, node->name->text);
  pm_format(out, "</b><br/><font point-size=\"10\">%pT<br/>", (const void *)node->type);
  put_escaped(out, extents.data ? extents.data : "");
  pm_buf_puts(out, "</font>>");
  if (node->is_input) pm_buf_puts(out, ", fillcolor=\"#dcefd9\", color=\"#4d8b46\"");
  if (node->is_output) pm_buf_puts(out, ", fillcolor=\"#fde6cf\", color=\"#c2701c\", penwidth=2");
  pm_buf_puts(out, "];\n");
  pm_buf_free(&extents);
}

/* --- edges --- */

/* The reads of one index expression that differ by constants: `base` + low … `base` + high; base "" for
 * constants. */
typedef struct offset_range {
  char *base;
  int64_t low, high;
} offset_range;
typedef PM_VEC(offset_range) offset_ranges;

/* The constant part, and the expression without it (NULL for a constant). */
static int64_t split_constant(pm_affine_expr expr, pm_affine_expr *base) {
  *base = NULL;
  if (expr->kind == PM_AFFINE_CONST) return expr->value;
  *base = expr;
  if (expr->kind != PM_AFFINE_ADD || expr->rhs->kind != PM_AFFINE_CONST) return 0;
  *base = expr->lhs;
  return expr->rhs->value;
}

static const char *operand_name(const pm_value *value) {
  if (value->is_arg) return value->name ? value->name->text : "?";
  return pm_is(pm_def(value), &stage_param) ? pm_sym_at(pm_def(value), stage_param_sym)->text : "·";
}

static char *expr_text(pm_affine_expr expr, const pm_op *read) {
  if (!expr) return pm_xstrdup("");
  const char **names = pm_xcalloc(read->n_operands + 1u, sizeof *names);
  for (unsigned i = 0; i < read->n_operands; i++) names[i] = operand_name(pm_arg(read, i));
  pm_buf text = {0};
  pm_print_affine_expr(&text, expr, names, NULL);
  free(names);
  return pm_buf_take(&text);
}

static void add_index(offset_ranges *ranges, pm_affine_expr expr, const pm_op *read) {
  pm_affine_expr base;
  int64_t offset = split_constant(expr, &base);
  char *text = expr_text(base, read);
  for (size_t i = 0; i < ranges->len; i++) {
    offset_range *range = &ranges->data[i];
    if (strcmp(range->base, text) != 0) continue;
    range->low = offset < range->low ? offset : range->low;
    range->high = offset > range->high ? offset : range->high;
    free(text);
    return;
  }
  PM_VEC_PUSH(*ranges, ((offset_range){text, offset, offset}));
}

static void put_index(pm_buf *out, const char *base, int64_t offset) {
  pm_buf_puts(out, base);
  if (!*base)
    pm_buf_printf(out, "%lld", (long long)offset);
  else if (offset)
    pm_buf_printf(out, "%+lld", (long long)offset);
}

static void put_range(pm_buf *out, const offset_range *range) {
  put_index(out, range->base, range->low);
  if (range->low == range->high) return;
  pm_buf_puts(out, "…");
  put_index(out, range->base, range->high);
}

static void put_ranges(pm_buf *out, const offset_ranges *ranges) {
  enum { SHOWN = 2 };
  for (size_t i = 0; i < ranges->len && i < SHOWN; i++) {
    if (i) pm_buf_puts(out, " | ");
    put_range(out, &ranges->data[i]);
  }
  if (ranges->len > SHOWN) pm_buf_puts(out, " | …");
}

static void free_ranges(offset_ranges *ranges) {
  for (size_t i = 0; i < ranges->len; i++) free(ranges->data[i].base);
  PM_VEC_FREE(*ranges);
}

/* What `consumer` reads of `producer`, all its reads together, one dimension after the other. */
static void put_access(pm_buf *out, const stage_node *consumer, const stage_node *producer) {
  for (unsigned d = 0; d < producer->n_dims; d++) {
    offset_ranges ranges = {0};
    for (size_t i = 0; i < consumer->reads.len; i++) {
      const stage_access *access = consumer->reads.data[i];
      if (access->producer == producer)
        add_index(&ranges, pm_attr_at(access->read, stage_read_map)->map->results[d], access->read);
    }
    if (d) pm_buf_puts(out, ", ");
    put_ranges(out, &ranges);
    free_ranges(&ranges);
  }
}

static bool is_affine(const stage_node *consumer, const stage_node *producer) {
  for (size_t i = 0; i < consumer->reads.len; i++)
    if (consumer->reads.data[i]->producer == producer && !consumer->reads.data[i]->affine) return false;
  return true;
}

/* True for the first read of a pair of stages. */
static bool is_first(const stage_node *consumer, size_t read) {
  for (size_t i = 0; i < read; i++)
    if (consumer->reads.data[i]->producer == consumer->reads.data[read]->producer) return false;
  return true;
}

static void put_edges(pm_buf *out, const stage_node *consumer) {
  for (size_t i = 0; i < consumer->reads.len; i++) {
    const stage_node *producer = consumer->reads.data[i]->producer;
    if (!is_first(consumer, i)) continue;
    pm_buf label = {0};
    put_access(&label, consumer, producer);
    pm_buf_printf(out, "  n%u -> n%u [label=\"", producer->index, consumer->index);
    put_escaped(out, label.data ? label.data : "");
    pm_buf_printf(out, "\"%s];\n", is_affine(consumer, producer) ? "" : ", style=dashed");
    pm_buf_free(&label);
  }
}

/* --- groups --- */

/* The marks "group" of a schedule; the stages of each are those of the filters below it and of the nearest
 * one above. */
typedef struct group_list {
  const stage_graph *graph;
  PM_VEC(pm_op *) marks;
  int *group_of; /* by node: index in marks or -1 */
} group_list;

static bool is_group_mark(const pm_op *op) {
  return pm_is(op, &poly_mark) && strcmp(pm_sym_at(op, poly_mark_name)->text, "group") == 0;
}

typedef struct instance_names {
  group_list *groups;
  int group;
} instance_names;

static isl_stat take_instance(__isl_take isl_set *set, void *user) {
  instance_names *names = user;
  const char *name = isl_set_get_tuple_name(set);
  pm_string string = name ? pm_get_cstring(names->groups->graph->ctx, name) : NULL;
  stage_node *node = string ? stage_graph_find(names->groups->graph, string) : NULL;
  if (node) names->groups->group_of[node->index] = names->group;
  isl_set_free(set);
  return isl_stat_ok;
}

static void take_filter(group_list *groups, const pm_op *filter, int group) {
  instance_names names = {groups, group};
  if (!filter) return;
  isl_union_set *set = isl_peek_union_set(pm_attr_at(filter, poly_filter_instances));
  isl_union_set_foreach_set(set, take_instance, &names);
}

static pm_walk collect(void *user, pm_op *op) {
  group_list *groups = user;
  if (is_group_mark(op)) {
    PM_VEC_PUSH(groups->marks, op);
    take_filter(groups, pm_parent_of(op, &poly_filter), (int)groups->marks.len - 1);
  }
  if (pm_is(op, &poly_filter) && groups->marks.len && pm_is_ancestor(PM_VEC_LAST(groups->marks), op))
    take_filter(groups, op, (int)groups->marks.len - 1);
  return PM_WALK_ON;
}

static pm_walk find_tile(void *user, pm_op *op) {
  pm_attr *sizes = user;
  if (!*sizes && pm_is(op, &poly_band)) *sizes = pm_attr_at(op, poly_band_tile);
  return *sizes ? PM_WALK_STOP : PM_WALK_ON;
}

static void put_group_label(pm_buf *out, const group_list *groups, size_t group) {
  pm_attr sizes = NULL;
  pm_walk_pre(groups->marks.data[group], find_tile, &sizes);
  pm_buf_printf(out, "    label=\"group %zu", group + 1);
  for (uint32_t i = 0; sizes && i < sizes->len; i++)
    pm_buf_printf(out, "%s%lld", i ? " x " : ", tiles of ", (long long)sizes->items[i]->i);
  pm_buf_puts(out, "\";\n");
}

static void put_group(pm_buf *out, const group_list *groups, size_t group) {
  pm_buf_printf(out, "  subgraph cluster_%zu {\n", group);
  pm_buf_puts(out, "    style=\"rounded,filled\"; color=\"#9aa7b8\"; fillcolor=\"#f4f6f9\";\n"
                   "    labeljust=l; fontcolor=\"#5b6776\";\n");
  put_group_label(out, groups, group);
  for (size_t i = 0; i < groups->graph->nodes.len; i++)
    if (groups->group_of[i] == (int)group) put_node(out, groups->graph->nodes.data[i], "    ");
  pm_buf_puts(out, "  }\n");
}

static group_list find_groups(const stage_graph *graph) {
  group_list groups = {.graph = graph};
  groups.group_of = pm_xcalloc(graph->nodes.len + 1, sizeof *groups.group_of);
  for (size_t i = 0; i < graph->nodes.len; i++) groups.group_of[i] = -1;
  pm_walk_pre(graph->pipeline, collect, &groups);
  return groups;
}

static void put_graph(pm_buf *out, const stage_graph *graph, const group_list *groups) {
  pm_buf_puts(out, "digraph \"");
  put_escaped(out, pm_sym_at(graph->pipeline, stage_pipeline_sym)->text);
  pm_buf_puts(out, "\" {\n  graph [fontname=\"Helvetica\", fontsize=12, nodesep=0.35, ranksep=0.55];\n"
                   "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=12, "
                   "fillcolor=\"#e4ebf7\", color=\"#5470a6\"];\n"
                   "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#55606e\", fontcolor=\"#55606e\", "
                   "arrowsize=0.7];\n");
  for (size_t i = 0; i < groups->marks.len; i++) put_group(out, groups, i);
  for (size_t i = 0; i < graph->nodes.len; i++)
    if (groups->group_of[i] < 0) put_node(out, graph->nodes.data[i], "  ");
  for (size_t i = 0; i < graph->nodes.len; i++) put_edges(out, graph->nodes.data[i]);
  pm_buf_puts(out, "}\n");
}

bool pm_put_dot(pm_buf *out, pm_op *pipeline) {
  stage_graph *graph = stage_graph_new(pipeline);
  if (!graph) return false;
  group_list groups = find_groups(graph);
  put_graph(out, graph, &groups);
  PM_VEC_FREE(groups.marks);
  free(groups.group_of);
  stage_graph_free(graph);
  return true;
}
