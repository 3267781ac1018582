#include "tools/lib/page/html_group.h"

#include "dialects/poly/tree.h"
#include "tools/lib/page/html_tile.h"
#include "tools/lib/message.h"

#include <string.h>

/* --- predictions --- */

pm_prediction pm_prediction_of_group(const pm_groups *groups, size_t group, const pm_remark_refs *remarks) {
  pm_prediction p = {0};
  for (size_t i = groups->graph->nodes.len; i-- > 0 && !p.known;)
    if (groups->group_of[i] == (int)group) p = pm_group_prediction(&remarks[i]);
  return p;
}

double pm_predicted_time(const pm_groups *groups, const pm_remark_refs *remarks) {
  double time = 0;
  for (size_t i = 0; i < groups->marks.len; i++) time += pm_prediction_of_group(groups, i, remarks).time;
  return time;
}

static double percent(double part, double all) {
  return all > 0 ? 100 * part / all : 0;
}

/* `computing 1.26`; nothing for what takes no time. */
static void put_share(pm_buf *out, const char *what, double ns, const char **separator) {
  if (ns <= 0) return;
  pm_buf_printf(out, "%s%s %.3g ms", *separator, what, ns / 1e6);
  *separator = ", ";
}

static void put_time(pm_buf *out, const pm_prediction *p, double share, const char *whole) {
  const char *separator = ": ";
  pm_buf_printf(out, "<dt>predicted time</dt><dd>%.3g ms, %.0f %% of %s", p->time / 1e6, share, whole);
  put_share(out, "computing", p->compute, &separator);
  put_share(out, "moving data", p->traffic, &separator);
  put_share(out, "first use of memory", p->pages, &separator);
  put_share(out, "starting loops", p->start, &separator);
  pm_buf_puts(out, "</dd>\n");
}

/* Arrays that are smaller than the caches take less time than from memory. */
static void put_roofline(pm_buf *out, const pm_prediction *p) {
  if (p->least <= 0) return;
  pm_buf_puts(out, "<dt>share of the roofline</dt><dd>");
  if (p->least <= p->time)
    pm_buf_printf(out, "%.0f %%: to move each of its arrays once", percent(p->least, p->time));
  else
    pm_buf_puts(out, "its arrays are in the caches; to move each of them once");
  pm_buf_printf(out, " from and to memory takes %.3g ms</dd>\n", p->least / 1e6);
}

void pm_put_html_prediction(pm_buf *out, const pm_prediction *p, double share, const char *whole) {
  if (!p->known) return;
  put_time(out, p, share, whole);
  put_roofline(out, p);
  pm_buf_puts(out, "<dt>moved</dt><dd>");
  pm_put_bytes(out, p->bytes);
  pm_buf_printf(
      out,
      " from and to arrays</dd>\n<dt>recomputation</dt><dd>%.2f times as many points as there are</dd>\n",
      p->recomputation);
  pm_buf_printf(out, "<dt>parallel tasks</dt><dd>%.0f</dd>\n", p->tasks);
}

/* --- the stages of a group --- */

static const pm_op *alloc_of(const pm_groups *groups, const stage_node *node) {
  for (size_t i = 0; i < groups->allocs.len; i++)
    if (pm_sym_at(groups->allocs.data[i], poly_alloc_stage) == node->name) return groups->allocs.data[i];
  return NULL;
}

static void put_memory(pm_buf *out, const pm_op *alloc) {
  pm_attr size = alloc ? pm_attr_at(alloc, poly_alloc_size) : NULL;
  for (uint32_t i = 0; size && i < size->len; i++) {
    pm_buf_puts(out, i ? " x " : "");
    pm_put_extent(out, size->items[i]->i);
  }
  if (size) {
    pm_buf_puts(out, size->len ? ", " : "");
    pm_put_bytes(out, (double)poly_box_bytes(alloc));
    pm_buf_puts(out, poly_box_is_any_open(alloc) ? " times all" : "");
  } else if (alloc) {
    pm_buf_puts(out, "array");
  }
}

static void put_points(pm_buf *out, const pm_tile_part *part) {
  unsigned n = 0;
  for (size_t d = 0; d < part->along.len; d++)
    if (part->along.data[d].has) pm_buf_printf(out, "%s%.0f", n++ ? " x " : "", part->along.data[d].points);
}

/* `-1..257`, of the dimension that is `back` before the last. */
static void put_range(pm_buf *out, const pm_tile_part *part, size_t back) {
  size_t n = part->along.len;
  const pm_tile_stretch *s = back < n ? &part->along.data[n - 1 - back] : NULL;
  if (s && s->has) pm_buf_printf(out, "%.0f..%.0f", s->from, s->to);
}

static void put_cell(pm_buf *out, pm_buf *text) {
  pm_buf_printf(out, "<td>%s</td>", text->len ? text->data : "");
  text->len = 0;
}

static void put_row(pm_buf *out, const pm_groups *groups, const stage_node *node,
                    const pm_remark_refs *remarks) {
  pm_tile_part part = pm_tile_part_of(remarks);
  pm_prediction p = pm_stage_prediction(remarks);
  pm_buf text = {0};
  pm_buf_printf(out, "<tr><th><a href=\"#s%u\">%s</a></th>", node->index, node->name->text);
  put_points(&text, &part);
  put_cell(out, &text);
  put_range(&text, &part, 1);
  put_cell(out, &text);
  put_range(&text, &part, 0);
  put_cell(out, &text);
  put_memory(&text, alloc_of(groups, node));
  put_cell(out, &text);
  if (p.known) pm_buf_printf(&text, "%.2f &#215;", p.recomputation);
  put_cell(out, &text);
  if (p.known) pm_buf_printf(&text, "%.3g", p.time / 1e6);
  put_cell(out, &text);
  pm_buf_puts(out, "</tr>\n");
  pm_buf_free(&text);
  pm_tile_part_free(&part);
}

static void put_table(pm_buf *out, const pm_groups *groups, size_t group, const pm_remark_refs *remarks) {
  pm_buf_puts(out, "<table>\n<tr><th>stage</th><th>in a tile</th><th>rows</th><th>columns</th><th>keeps</th>"
                   "<th title=\"points that are computed, over points that there are\">computed</th>"
                   "<th>ms</th></tr>\n");
  for (size_t i = 0; i < groups->graph->nodes.len; i++)
    if (groups->group_of[i] == (int)group) put_row(out, groups, groups->graph->nodes.data[i], &remarks[i]);
  pm_buf_puts(out, "</table>\n");
}

static void put_steps(pm_buf *out, const pm_groups *groups, size_t group, const pm_remark_refs *remarks) {
  double step = 0, ahead = 0;
  for (size_t i = 0; i < groups->graph->nodes.len; i++) {
    const pm_kept_remark *r =
        groups->group_of[i] == (int)group ? pm_find_remark(&remarks[i], "tile", "step") : NULL;
    if (pm_number_in(r, "step", &step)) pm_number_in(r, "ahead", &ahead);
  }
  if (step > 0)
    pm_buf_printf(out,
                  "<dt>steps</dt><dd>a tile is computed %.0f row%s at a time, stages at most %.0f row%s "
                  "ahead</dd>\n",
                  step, step == 1 ? "" : "s", ahead, ahead == 1 ? "" : "s");
}

void pm_put_html_group(pm_buf *out, const pm_groups *groups, size_t group, const pm_remark_refs *remarks) {
  pm_prediction p = pm_prediction_of_group(groups, group, remarks);
  int64_t bytes = pm_group_scratch_bytes(groups, group);
  pm_buf_puts(out, "<dl class=\"facts\">\n");
  pm_put_html_prediction(out, &p, percent(p.time, pm_predicted_time(groups, remarks)), "the pipeline");
  put_steps(out, groups, group, remarks);
  if (bytes) {
    pm_buf_puts(out, "<dt>memory of a tile</dt><dd>");
    pm_put_bytes(out, (double)bytes);
    pm_buf_puts(out, " for each thread</dd>\n");
  }
  pm_buf_puts(out, "</dl>\n");
  pm_put_html_tile(out, groups, group, remarks);
  put_table(out, groups, group, remarks);
}

/* --- all groups --- */

static size_t count_stages(const pm_groups *groups, size_t group, const stage_node **last) {
  size_t n = 0;
  for (size_t i = 0; i < groups->graph->nodes.len; i++) {
    if (groups->group_of[i] != (int)group) continue;
    *last = groups->graph->nodes.data[i];
    n++;
  }
  return n;
}

/* `1.81 ms`, with a bar behind it. */
static void put_bar(pm_buf *out, const pm_prediction *p, double all) {
  pm_buf_printf(out, "<td class=\"bar\" style=\"--part:%.0f%%\">%.3g</td>", percent(p->time, all),
                p->time / 1e6);
}

static void put_line(pm_buf *out, const pm_groups *groups, size_t group, double all,
                     const pm_remark_refs *remarks) {
  const stage_node *last = NULL;
  size_t n = count_stages(groups, group, &last);
  pm_prediction p = pm_prediction_of_group(groups, group, remarks);
  int64_t bytes = pm_group_scratch_bytes(groups, group);
  pm_buf_printf(out, "<tr><th><a href=\"#g%zu\">%zu</a></th><td>%s", group + 1, group + 1,
                last ? last->name->text : "");
  if (n > 1) pm_buf_printf(out, " and %zu before", n - 1);
  pm_buf_puts(out, "</td>");
  if (p.known) {
    put_bar(out, &p, all);
    if (p.least <= p.time)
      pm_buf_printf(out, "<td>%.0f %%</td>", percent(p.least, p.time));
    else
      pm_buf_puts(out, "<td>cached</td>");
    pm_buf_printf(out, "<td>%.2f &#215;</td><td>", p.recomputation);
    pm_put_bytes(out, p.bytes);
    pm_buf_printf(out, "</td><td>%.0f</td><td>", p.tasks);
  } else {
    pm_buf_puts(out, "<td></td><td></td><td></td><td></td><td></td><td>");
  }
  if (bytes) pm_put_bytes(out, (double)bytes);
  pm_buf_puts(out, "</td></tr>\n");
}

void pm_put_html_groups(pm_buf *out, const pm_groups *groups, const pm_remark_refs *remarks) {
  double all = pm_predicted_time(groups, remarks);
  pm_buf_puts(out, "<table>\n<tr><th>group</th><th>stages</th><th title=\"predicted\">ms</th>"
                   "<th title=\"share of the roofline\">roofline</th>"
                   "<th title=\"points that are computed, over points that there are\">computed</th>"
                   "<th title=\"bytes from and to arrays\">moved</th><th title=\"iterations of the parallel "
                   "loop\">tasks</th><th title=\"memory of a tile, for each thread\">tile</th></tr>\n");
  for (size_t i = 0; i < groups->marks.len; i++) put_line(out, groups, i, all, remarks);
  pm_buf_puts(out, "</table>\n");
}
