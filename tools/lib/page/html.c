#include "tools/lib/page/html.h"

#include "dialects/stage/analyses/graph.h"
#include "ir/text.h"
#include "tools/lib/editor/grammar.h"
#include "tools/lib/page/groups.h"
#include "tools/lib/page/html_group.h"
#include "tools/lib/page/html_loops.h"
#include "tools/lib/page/html_stage.h"
#include "tools/lib/page/markup.h"
#include "tools/lib/message.h"

#include <stdlib.h>
#include <string.h>

/* The files html.css, html_layout.js and html_view.js, made by CMake. */
extern const char pm_html_css[], pm_html_layout_js[], pm_html_view_js[];

/* --- remarks and their stages --- */

typedef struct page {
  const stage_graph *graph;
  pm_groups groups;
  pm_remark_refs *of_stage; /* by node */
  pm_remark_refs of_pipeline, all;
  pm_word_set *words; /* of IR */
} page;

static size_t name_length(const char *text) {
  return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static void add_remark(pm_remark_refs *refs, const pm_kept_remark *remark) {
  if (refs->len && PM_VEC_LAST(*refs) == remark) return;
  PM_VEC_PUSH(*refs, remark);
}

/* To every stage named in the message that is still there; false when the message names none at all. */
static bool add_by_name(page *p, const pm_kept_remark *remark, bool *found) {
  const char *at = strchr(remark->message, '@');
  bool named = at != NULL;
  for (; at; at = strchr(at + 1, '@')) {
    pm_str name = {at + 1, name_length(at + 1)};
    const stage_node *node = stage_graph_find(p->graph, pm_get_string(p->graph->ctx, name));
    if (node) add_remark(&p->of_stage[node->index], remark);
    *found = *found || node;
  }
  return named;
}

static bool is_at(const pm_op *op, pm_loc loc) {
  return op->loc.file == loc.file && op->loc.line == loc.line && op->loc.col == loc.col;
}

/* To the stage at that place; several there are those of one line that ran several times, and it is not known
 * which of them is meant. */
static void add_by_place(page *p, const pm_kept_remark *remark, bool *found) {
  size_t n = 0, stage = 0;
  for (size_t i = 0; i < p->graph->nodes.len && remark->loc.line; i++) {
    if (!is_at(p->graph->nodes.data[i]->op, remark->loc)) continue;
    stage = i;
    n++;
  }
  *found = n == 1;
  if (*found) add_remark(&p->of_stage[stage], remark);
}

static void add_remarks(page *p, const pm_remark_list *remarks) {
  for (size_t i = 0; i < remarks->all.len; i++) {
    const pm_kept_remark *remark = &remarks->all.data[i];
    bool found = false;
    PM_VEC_PUSH(p->all, remark);
    if (!add_by_name(p, remark, &found)) add_by_place(p, remark, &found);
    if (!found) add_remark(&p->of_pipeline, remark);
  }
}

static page page_new(const stage_graph *graph, const pm_remark_list *remarks) {
  page p = {.graph = graph, .groups = pm_groups_find(graph), .words = pm_word_set_new(graph->ctx)};
  p.of_stage = pm_xcalloc(graph->nodes.len + 1, sizeof *p.of_stage);
  add_remarks(&p, remarks);
  return p;
}

static void page_free(page *p) {
  for (size_t i = 0; i < p->graph->nodes.len; i++) PM_VEC_FREE(p->of_stage[i]);
  PM_VEC_FREE(p->of_pipeline);
  PM_VEC_FREE(p->all);
  pm_word_set_free(p->words);
  free(p->of_stage);
  pm_groups_free(&p->groups);
}

/* --- the pipeline --- */

static void put_params(pm_buf *out, const stage_graph *graph) {
  if (!graph->params.len) return;
  pm_buf_puts(out, "<dt>parameters</dt><dd>");
  for (size_t i = 0; i < graph->params.len; i++) {
    const pm_op *param = graph->params.data[i];
    pm_buf_printf(out, "%s%s : %s", i ? ", " : "", pm_sym_at(param, stage_param_sym)->text,
                  pm_get_scalar_info((pm_scalar)pm_res(param, 0)->type->scalar)->name);
    if (pm_attr_at(param, stage_param_estimate))
      pm_buf_printf(out, " (about %lld)", (long long)pm_int_at(param, stage_param_estimate));
  }
  pm_buf_puts(out, "</dd>\n");
}

static void put_outputs(pm_buf *out, const stage_graph *graph) {
  pm_buf_puts(out, "<dt>outputs</dt><dd>");
  for (size_t i = 0; i < graph->outputs.len; i++)
    pm_buf_printf(out, "%s<a href=\"#s%u\">%s</a>", i ? ", " : "", graph->outputs.data[i]->index,
                  graph->outputs.data[i]->name->text);
  pm_buf_puts(out, "</dd>\n");
}

static void put_memory(pm_buf *out, const pm_kept_remark *peak) {
  double bytes, thread;
  if (!pm_number_in(peak, "bytes", &bytes) || !pm_number_in(peak, "bytes a thread", &thread)) return;
  pm_buf_puts(out, "<dt>peak memory of intermediates</dt><dd>");
  if (bytes > 0) pm_put_bytes(out, bytes);
  if (bytes > 0 && thread > 0) pm_buf_puts(out, ", and ");
  if (thread > 0) pm_put_bytes(out, thread);
  if (thread > 0) pm_buf_puts(out, " for each thread");
  pm_buf_puts(out, bytes + thread > 0 ? "</dd>\n" : "none</dd>\n");
}

/* What the groups take together, and what the predictions are made for. */
static void put_sums(pm_buf *out, const page *p) {
  double time = pm_predicted_time(&p->groups, p->of_stage);
  const pm_kept_remark *assumed = pm_find_remark(&p->all, "group", "cores");
  if (time > 0) {
    pm_buf_printf(out, "<dt>predicted time</dt><dd>%.3g ms; ", time / 1e6);
    pm_puts_markup(out, assumed ? assumed->message : "");
    pm_buf_puts(out, "</dd>\n");
  }
  put_memory(out, pm_find_remark(&p->all, "share-storage", "bytes a thread"));
}

static void put_pipeline(pm_buf *out, const page *p) {
  const pm_op *pipeline = p->graph->pipeline;
  pm_attr context = pm_attr_at(pipeline, stage_pipeline_context);
  pm_string fp = pm_sym_at(pipeline, stage_pipeline_fp);
  pm_buf_puts(out, "<section id=\"pipeline\">\n<h2>pipeline ");
  pm_puts_markup(out, pm_sym_at(pipeline, stage_pipeline_sym)->text);
  pm_buf_puts(out, "</h2>\n<dl>\n");
  put_params(out, p->graph);
  if (context) {
    pm_buf_puts(out, "<dt>context</dt><dd><code>");
    pm_puts_markup(out, context->s->text);
    pm_buf_puts(out, "</code></dd>\n");
  }
  if (fp) pm_buf_printf(out, "<dt>floating point</dt><dd>%s</dd>\n", fp->text);
  put_outputs(out, p->graph);
  put_sums(out, p);
  pm_buf_puts(out, "</dl>\n");
  if (p->groups.marks.len) pm_put_html_groups(out, &p->groups, p->of_stage);
  pm_buf_puts(
      out,
      "<p class=\"hint\">Click a stage, or a group at its title, to read about it, and beside the boxes to "
      "come back. Green: inputs and constants; orange: outputs; dashed: read at computed indices.</p>\n");
  if (p->of_pipeline.len) {
    pm_buf_printf(out, "<details%s><summary>%zu remarks</summary>\n", p->groups.marks.len ? "" : " open",
                  p->of_pipeline.len);
    pm_put_html_remarks(out, &p->of_pipeline);
    pm_buf_puts(out, "</details>\n");
  }
  pm_buf_puts(out, "</section>\n");
}

/* --- stages --- */

/* The stages of a group, or with -1 those of none. */
static void put_stages(pm_buf *out, const page *p, int group) {
  for (size_t i = 0; i < p->graph->nodes.len; i++)
    if (p->groups.group_of[i] == group)
      pm_put_html_stage(out, p->graph->nodes.data[i], &p->groups, &p->of_stage[i], p->words);
}

static void put_group(pm_buf *out, const page *p, size_t group) {
  pm_prediction predicted = pm_prediction_of_group(&p->groups, group, p->of_stage);
  pm_buf title = {0};
  pm_put_group_title(&title, &p->groups, group);
  if (predicted.known) pm_buf_printf(&title, ", %.3g ms", predicted.time / 1e6);
  pm_buf_printf(out, "<section class=\"group\" id=\"g%zu\" data-title=\"%s\">\n<h2>%s</h2>\n", group + 1,
                title.data, title.data);
  pm_put_html_group(out, &p->groups, group, p->of_stage);
  put_stages(out, p, (int)group);
  pm_buf_puts(out, "</section>\n");
  pm_buf_free(&title);
}

static void put_summary(pm_buf *out, const page *p) {
  size_t n = p->graph->nodes.len, groups = p->groups.marks.len;
  pm_buf_printf(out, "%zu stage%s and inputs", n, n == 1 ? "" : "s");
  if (groups) pm_buf_printf(out, ", %zu group%s", groups, groups == 1 ? "" : "s");
  if (!p->graph->pipeline->loc.file) return;
  pm_buf_puts(out, ", from ");
  pm_puts_markup(out, pm_source_name(p->graph->ctx, p->graph->pipeline->loc.file));
}

static const char head[] = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                           "<meta name=\"viewport\" content=\"width=device-width\">\n";
static const char tools[] =
    "<input type=\"search\" id=\"search\" placeholder=\"find stages  ( / )\" aria-label=\"find stages\">\n"
    "<span id=\"found\"></span>\n<span id=\"buttons\">\n<button id=\"both\" title=\"loops and C beside the "
    "graph (c)\">loops and C</button>"
    "<button id=\"fold\">fold all</button><button id=\"unfold\">unfold all</button>\n"
    "<button id=\"in\" title=\"nearer (+)\">+</button><button id=\"out\" title=\"farther "
    "(-)\">&#8722;</button>"
    "<button id=\"fit\" title=\"all of it (0)\">fit</button></span>\n";

/* Up to the end of the header. */
static void put_head(pm_buf *out, const page *p) {
  pm_buf name = {0};
  pm_puts_markup(&name, pm_sym_at(p->graph->pipeline, stage_pipeline_sym)->text);
  pm_buf_printf(out, "%s<title>%s</title>\n<style>\n%s", head, name.data, pm_html_css);
  pm_find_grammar_form("css")->put(p->words, out);
  pm_buf_puts(out, "</style>\n</head>\n");
  pm_buf_printf(out, "<body>\n<header>\n<h1><a href=\"#pipeline\">%s</a></h1>\n<p>", name.data);
  put_summary(out, p);
  pm_buf_printf(out, "</p>\n%s</header>\n", tools);
  pm_buf_free(&name);
}

enum { MOST_NUMBERS = 4 /* lines of them in a constant */ };

static bool begins_with(pm_str line, const char *text) {
  return line.len >= strlen(text) && memcmp(line.ptr, text, strlen(text)) == 0;
}

static bool ends_with(pm_str line, const char *text) {
  size_t n = strlen(text);
  return line.len >= n && memcmp(line.ptr + line.len - n, text, n) == 0;
}

static pm_str trimmed(pm_str line) {
  while (line.len && *line.ptr == ' ') line.ptr++, line.len--;
  return line;
}

/* Without most of the lines between `= {` and `};`, the numbers of a large constant. */
static void put_code(pm_buf *out, const char *code) {
  bool inside = false;
  size_t numbers = 0;
  for (const char *end; *code; code = end) {
    end = code + strcspn(code, "\n");
    pm_str line = {code, (size_t)(end - code)};
    end += *end != 0;
    bool last = inside && begins_with(trimmed(line), "};");
    if (last && numbers > MOST_NUMBERS)
      pm_buf_printf(out, "    … %zu more lines of numbers\n", numbers - MOST_NUMBERS);
    inside = (inside && !last) || ends_with(line, "= {");
    numbers = inside && !ends_with(line, "= {") ? numbers + 1 : 0;
    if (numbers > MOST_NUMBERS) continue;
    pm_put_markup(out, line);
    pm_buf_putc(out, '\n');
  }
}

/* The loops of the schedule, and the C beside them; nothing without a schedule. */
static void put_program(pm_buf *out, const page *p, const char *code) {
  pm_buf loops = {0};
  pm_put_html_loops(&loops, p->graph, &p->groups);
  if (loops.len) {
    pm_buf_printf(out, "<div id=\"program\">\n<div id=\"loops\">\n<h2>loops</h2>\n%s</div>\n", loops.data);
    if (code) {
      pm_buf_puts(out, "<div id=\"code\">\n<h2>C</h2>\n<pre>");
      put_code(out, code);
      pm_buf_puts(out, "</pre>\n</div>\n");
    }
    pm_buf_puts(out, "</div>\n");
  }
  pm_buf_free(&loops);
}

static void put_page(pm_buf *out, const page *p, const char *code) {
  put_head(out, p);
  pm_buf_puts(out, "<main>\n<div id=\"view\"></div>\n");
  put_program(out, p, code);
  pm_buf_puts(out, "<aside>\n");
  put_pipeline(out, p);
  put_stages(out, p, -1);
  for (size_t i = 0; i < p->groups.marks.len; i++) put_group(out, p, i);
  pm_buf_printf(out, "</aside>\n</main>\n<script>\n\"use strict\";\n%s%s</script>\n</body>\n</html>\n",
                pm_html_layout_js, pm_html_view_js);
}

bool pm_put_html(pm_buf *out, pm_op *pipeline, const pm_remark_list *remarks, const char *code) {
  stage_graph *graph = stage_graph_new(pipeline);
  if (!graph) return false;
  page p = page_new(graph, remarks);
  put_page(out, &p, code);
  page_free(&p);
  stage_graph_free(graph);
  return true;
}
