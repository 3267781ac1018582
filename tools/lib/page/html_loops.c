#include "tools/lib/page/html_loops.h"

#include "dialects/poly/tree.h"
#include "tools/lib/page/markup.h"
#include "tools/lib/message.h"

#include <isl/aff.h>
#include <stdlib.h>
#include <string.h>

typedef struct loops {
  pm_buf *out;
  const stage_graph *graph;
  const pm_groups *groups;
  unsigned *n_loops; /* so far */
} loops;

static void put_node(const loops *l, const pm_op *node, const char *mark);

static void put_stage(const loops *l, pm_string instances) {
  size_t number;
  const stage_node *node = stage_graph_find(l->graph, instances);
  const stage_node *updated = node ? NULL : stage_graph_find_update(l->graph, instances, &number);
  if (node) pm_buf_printf(l->out, "<a href=\"#s%u\">%s</a>", node->index, node->name->text);
  if (updated)
    pm_buf_printf(l->out, "update %zu of <a href=\"#s%u\">%s</a>", number, updated->index,
                  updated->name->text);
  if (!node && !updated) pm_put_markup(l->out, pm_str_of(instances->text));
}

/* --- memory --- */

static void put_memory(const loops *l, const pm_op *alloc) {
  const char *space = pm_sym_at(alloc, poly_alloc_space)->text;
  pm_attr size = pm_attr_at(alloc, poly_alloc_size), fold = pm_attr_at(alloc, poly_alloc_fold);
  if (strcmp(space, "output") == 0) return;
  pm_buf_puts(l->out, "<li class=\"memory\">");
  put_stage(l, pm_sym_at(alloc, poly_alloc_stage));
  pm_buf_puts(l->out, size ? ": " : ": whole");
  for (uint32_t i = 0; size && i < size->len; i++) {
    pm_buf_puts(l->out, i ? " x " : "");
    pm_put_extent(l->out, size->items[i]->i);
    pm_buf_puts(l->out, fold && fold->items[i]->i ? " (ring)" : "");
  }
  if (size) {
    pm_buf_puts(l->out, ", ");
    pm_put_bytes(l->out, (double)poly_box_bytes(alloc));
    pm_buf_puts(l->out, poly_box_is_any_open(alloc) ? " times all" : "");
  }
  pm_buf_printf(l->out, ", %s</li>\n", space);
}

static void put_allocs(const loops *l, const pm_op *node) {
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (pm_is(op, &poly_alloc)) put_memory(l, op);
}

/* --- loops --- */

/* What is between `[(` and `)]`, which isl puts around the value of a function. */
static pm_str value_in(const char *text) {
  const char *begin = strstr(text, "-> [("), *end = strstr(text, ")]");
  if (begin && end && end > begin) return (pm_str){begin + 5, (size_t)(end - begin - 5)};
  return pm_str_of(text);
}

typedef struct function_list {
  const loops *l;
  PM_VEC(char *) values; /* each once */
} function_list;

static isl_stat add_function(__isl_take isl_pw_aff *function, void *user) {
  function_list *list = user;
  char *text = isl_pw_aff_to_str(function);
  pm_str value = value_in(text);
  bool known = false;
  for (size_t i = 0; i < list->values.len; i++)
    known = known || pm_str_eq(pm_str_of(list->values.data[i]), value);
  if (!known) PM_VEC_PUSH(list->values, pm_xstrndup(value.ptr, value.len));
  free(text);
  isl_pw_aff_free(function);
  return isl_stat_ok;
}

/* `x by 257` for floor((x)/257), of a loop over tiles of that size. */
static void put_function(pm_buf *out, const char *text, int64_t tile) {
  static const char begin[] = "floor((";
  pm_buf end = {0};
  pm_buf_printf(&end, ")/%lld)", (long long)tile);
  size_t before = strlen(begin), len = strlen(text);
  bool is_tile = len > before + end.len && strncmp(text, begin, before) == 0 &&
                 strcmp(text + len - end.len, end.data) == 0;
  pm_put_markup(out, is_tile ? (pm_str){text + before, len - before - end.len} : pm_str_of(text));
  if (is_tile) pm_buf_printf(out, " by %lld", (long long)tile);
  pm_buf_free(&end);
}

/* The values of a member on the stages inside, as `x` or `x, x + 1`. */
static void put_functions(const loops *l, const pm_op *band, unsigned member) {
  function_list list = {.l = l};
  pm_attr sizes = pm_attr_at(band, poly_band_tile);
  isl_union_pw_aff *all = isl_multi_union_pw_aff_get_union_pw_aff(
      isl_peek_mupa(pm_attr_at(band, poly_band_schedule)), (int)member);
  isl_union_pw_aff_foreach_pw_aff(all, add_function, &list);
  isl_union_pw_aff_free(all);
  for (size_t i = 0; i < list.values.len; i++) {
    pm_buf_puts(l->out, i ? ", " : "");
    put_function(l->out, list.values.data[i], sizes ? sizes->items[member]->i : 0);
    free(list.values.data[i]);
  }
  PM_VEC_FREE(list.values);
}

/* The member is 0 on all stages: it counts nothing. */
static bool is_zero(const pm_op *band, unsigned member) {
  isl_union_pw_aff *all = isl_multi_union_pw_aff_get_union_pw_aff(
      isl_peek_mupa(pm_attr_at(band, poly_band_schedule)), (int)member);
  isl_union_set *zero = isl_union_pw_aff_zero_union_set(isl_union_pw_aff_copy(all));
  isl_union_set *domain = isl_union_pw_aff_domain(all);
  bool is = isl_union_set_is_equal(zero, domain) == isl_bool_true;
  isl_union_set_free(zero);
  isl_union_set_free(domain);
  return is;
}

/* False for a member that makes no loop; one with a mark stands there all the same. */
static bool begin_loop(const loops *l, const pm_op *band, unsigned member, const char *mark) {
  bool zero = is_zero(band, member);
  if (zero && !*mark) return false;
  unsigned number = ++*l->n_loops;
  pm_buf_printf(l->out, "<li id=\"l%u\"><a class=\"loop\" href=\"#l%u\"><b>%s</b> <code>", number, number,
                *mark ? mark : "for");
  if (zero)
    pm_buf_puts(l->out, "once");
  else
    put_functions(l, band, member);
  pm_buf_puts(l->out, "</code></a>\n<ul>");
  return true;
}

static void put_inside(const loops *l, const pm_op *node, const char *mark);

static void put_band(const loops *l, const pm_op *band, const char *mark) {
  unsigned n = poly_band_members(band), open = 0;
  for (unsigned i = 0; i < n; i++) open += begin_loop(l, band, i, i == 0 ? mark : "");
  put_inside(l, band, "");
  while (open--) pm_buf_puts(l->out, "</ul></li>\n");
}

static bool has_filters(const pm_op *node) {
  for (const pm_op *child = poly_child(node); child; child = poly_child(child))
    if (pm_is(child, &poly_sequence) || pm_is(child, &poly_set)) return true;
  return false;
}

/* The stages of an innermost filter. */
static void put_names(const loops *l, const pm_op *filter) {
  poly_names names = {0};
  poly_stage_names(l->graph->ctx, isl_peek_union_set(pm_attr_at(filter, poly_filter_instances)), &names);
  for (size_t i = 0; i < names.len; i++) {
    pm_buf_puts(l->out, i ? ", " : "");
    put_stage(l, names.data[i]);
  }
  PM_VEC_FREE(names);
}

static void put_filter(const loops *l, const pm_op *filter) {
  bool innermost = !has_filters(filter);
  if (innermost) {
    pm_buf_puts(l->out, "<li>");
    put_names(l, filter);
    pm_buf_puts(l->out, "\n<ul>");
  }
  put_inside(l, filter, "");
  if (innermost) pm_buf_puts(l->out, "</ul></li>\n");
}

static void put_group(const loops *l, const pm_op *mark) {
  size_t number = 0;
  while (number < l->groups->marks.len && l->groups->marks.data[number] != mark) number++;
  pm_buf_printf(l->out, "<li><a href=\"#g%zu\">", number + 1);
  pm_put_group_title(l->out, l->groups, number);
  pm_buf_puts(l->out, "</a>\n<ul>\n");
  put_inside(l, mark, "");
  pm_buf_puts(l->out, "</ul></li>\n");
}

/* A mark of the loop below, behind the others of it. */
static void put_mark(const loops *l, const pm_op *node, const char *others) {
  pm_buf all = {0};
  pm_buf_printf(&all, "%s%s%s", others, *others ? " " : "", pm_sym_at(node, poly_mark_name)->text);
  put_inside(l, node, all.data);
  pm_buf_free(&all);
}

static void put_node(const loops *l, const pm_op *node, const char *mark) {
  if (pm_is(node, &poly_band))
    put_band(l, node, mark);
  else if (poly_is_mark(node, POLY_MARK_group))
    put_group(l, node);
  else if (pm_is(node, &poly_mark))
    put_mark(l, node, mark);
  else if (pm_is(node, &poly_filter))
    put_filter(l, node);
  else
    put_inside(l, node, mark);
}

static void put_inside(const loops *l, const pm_op *node, const char *mark) {
  put_allocs(l, node);
  PM_FOR_OPS(op, pm_region_at(node, 0))
  if (!pm_is(op, &poly_alloc)) put_node(l, op, mark);
}

void pm_put_html_loops(pm_buf *out, const stage_graph *graph, const pm_groups *groups) {
  const pm_op *schedule = poly_find_schedule(graph->pipeline);
  if (!schedule) return;
  unsigned n = 0;
  pm_buf_puts(out, "<ul class=\"loops\">\n");
  put_inside(&(loops){out, graph, groups, &n}, schedule, "");
  pm_buf_puts(out, "</ul>\n");
}
