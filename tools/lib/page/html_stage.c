#include "tools/lib/page/html_stage.h"

#include "dialects/poly/tree.h"
#include "ir/text.h"
#include "tools/lib/page/accesses.h"
#include "tools/lib/page/html_group.h"
#include "tools/lib/page/markup.h"
#include "tools/lib/message.h"
#include "tools/lib/images/sizes.h"

#include <stdlib.h>
#include <string.h>

#include <isl/aff.h>

/* --- places --- */

static void put_place_name(pm_buf *out, pm_context *ctx, pm_loc loc) {
  pm_puts_markup(out, pm_source_name(ctx, loc.file));
  if (loc.line) pm_buf_printf(out, ":%u:%u", (unsigned)loc.line, (unsigned)loc.col);
}

void pm_put_html_place(pm_buf *out, pm_context *ctx, pm_loc loc) {
  if (!loc.file) return;
  pm_str line = pm_source_line(ctx, loc);
  pm_buf_puts(out, "<div class=\"place\">");
  put_place_name(out, ctx, loc);
  pm_buf_puts(out, "</div>\n");
  if (!line.len) return;
  pm_buf_puts(out, "<pre>");
  pm_put_markup(out, line);
  pm_buf_puts(out, "</pre>\n");
}

/* --- sets --- */

static __isl_give isl_pw_aff *extent_of(__isl_keep isl_set *set, int dim) {
  return isl_pw_aff_sub(isl_set_dim_max(isl_set_copy(set), dim), isl_set_dim_min(isl_set_copy(set), dim));
}

static bool has_constant_extent(__isl_keep isl_set *set, int dim) {
  isl_pw_aff *extent = extent_of(set, dim);
  bool is = isl_pw_aff_is_cst(extent) == isl_bool_true;
  isl_pw_aff_free(extent);
  return is;
}

static isl_stat stop_unless_thin(__isl_take isl_basic_set *part, void *user) {
  isl_set *domain = user, *set = isl_set_from_basic_set(part);
  bool thin = false;
  for (int d = 0; d < isl_set_dim(set, isl_dim_set) && !thin; d++)
    thin = has_constant_extent(set, d) && !has_constant_extent(domain, d);
  isl_set_free(set);
  return thin ? isl_stat_ok : isl_stat_error;
}

/* Each part of the case is of a constant width in a dimension in which the domain grows with the image. */
static bool is_boundary(const stage_node *node, const stage_case_info *info) {
  return isl_set_foreach_basic_set(info->set, stop_unless_thin, node->domain) == isl_stat_ok;
}

static void put_attr_text(pm_buf *out, pm_attr attr) {
  pm_buf_puts(out, "<code>");
  pm_puts_markup(out, attr->s->text);
  pm_buf_puts(out, "</code>");
}

/* --- rows of the description --- */

static void begin_row(pm_buf *out, const char *name) {
  pm_buf_printf(out, "<dt>%s</dt><dd>", name);
}

static void end_row(pm_buf *out) {
  pm_buf_puts(out, "</dd>\n");
}

static void put_link(pm_buf *out, const stage_node *node) {
  pm_buf_printf(out, "<a href=\"#s%u\">%s</a>", node->index, node->name->text);
}

static void put_case(pm_buf *out, const pm_op *op, bool boundary) {
  pm_buf_printf(out, "<li%s>", boundary ? " class=\"boundary\"" : "");
  put_attr_text(out, pm_attr_at(op, stage_case_set));
  if (boundary) pm_buf_puts(out, " <em>boundary</em>");
  pm_put_html_place(out, pm_op_context(op), op->loc);
  pm_buf_puts(out, "</li>\n");
}

static void put_cases(pm_buf *out, const stage_node *node) {
  if (!node->cases.len) return;
  begin_row(out, "cases");
  pm_buf_puts(out, "<ol>\n");
  for (size_t i = 0; i < node->cases.len; i++) {
    const stage_case_info *info = &node->cases.data[i];
    put_case(out, info->op, is_boundary(node, info));
  }
  pm_buf_puts(out, "</ol>");
  end_row(out);
}

/* A word, or of a tuple an array of words. */
static void put_kinds(pm_buf *out, pm_attr kinds) {
  bool tuple = kinds->cls == PM_ATTR_ARRAY;
  for (uint32_t i = 0; i < (tuple ? kinds->len : 1); i++)
    pm_buf_printf(out, "%s%s", i ? ", " : "", (tuple ? kinds->items[i] : kinds)->s->text);
}

static void put_updates(pm_buf *out, const stage_node *node) {
  if (!node->updates.len) return;
  begin_row(out, "updates");
  pm_buf_puts(out, "<ol>\n");
  for (size_t i = 0; i < node->updates.len; i++) {
    const pm_op *op = node->updates.data[i].op;
    const pm_op *combine = pm_terminator(pm_region_at(op, stage_update_body));
    pm_buf_puts(out, "<li>");
    put_kinds(out, pm_attr_at(combine, stage_combine_kind));
    pm_buf_puts(out, " over ");
    put_attr_text(out, pm_attr_at(op, stage_update_set));
    pm_put_html_place(out, pm_op_context(op), op->loc);
    pm_buf_puts(out, "</li>\n");
  }
  pm_buf_puts(out, "</ol>");
  end_row(out);
}

static void put_default(pm_buf *out, const stage_node *node) {
  pm_attr value = node->is_input ? NULL : pm_attr_at(node->op, stage_func_default);
  if (!value) return;
  pm_buf text = {0};
  pm_format(&text, "%pA", (const void *)value);
  begin_row(out, "default");
  pm_puts_markup(out, text.data);
  end_row(out);
  pm_buf_free(&text);
}

enum { MOST_VALUES = 16, MOST_IR = 600 };

static void put_values(pm_buf *out, const stage_node *node) {
  pm_attr values = pm_is(node->op, &stage_constant) ? pm_attr_at(node->op, stage_constant_values) : NULL;
  if (!values) return;
  begin_row(out, "values");
  for (uint32_t i = 0; i < values->len && i < MOST_VALUES; i++) {
    pm_buf text = {0};
    pm_print_attr(&text, pm_dense_at(values, i));
    pm_buf_puts(out, i ? ", " : "");
    pm_put_markup(out, (pm_str){text.data, strcspn(text.data, " ")});
    pm_buf_free(&text);
  }
  if (values->len > MOST_VALUES) pm_buf_printf(out, ", … (%u)", values->len);
  end_row(out);
}

/* --- reads --- */

/* In the order of the text; once for each of the several that do the same. */
typedef PM_VEC(const stage_node *) stage_list;

static void add_stage(stage_list *list, const stage_node *node) {
  for (size_t i = 0; i < list->len; i++)
    if (list->data[i] == node) return;
  PM_VEC_PUSH(*list, node);
}

static void put_pattern(pm_buf *out, const pm_access_list *accesses) {
  pm_buf text = {0};
  pm_put_accesses(&text, accesses);
  pm_buf_puts(out, " at <code>");
  pm_puts_markup(out, text.data);
  pm_buf_puts(out, "</code>, ");
  pm_put_access_kinds(out, accesses);
  if (accesses->len > 1) pm_buf_printf(out, ", %zu reads", accesses->len);
  pm_buf_free(&text);
}

static void put_pattern_in(pm_buf *out, const stage_node *consumer, const stage_node *producer,
                           const pm_op *body, const char *what, size_t number) {
  pm_access_list accesses = {0};
  pm_collect_accesses(&accesses, consumer, producer, body);
  if (accesses.len) {
    pm_buf_printf(out, "<li>%s %zu", what, number + 1);
    put_pattern(out, &accesses);
    pm_buf_puts(out, "</li>\n");
  }
  PM_VEC_FREE(accesses);
}

static void put_patterns_by_body(pm_buf *out, const stage_node *consumer, const stage_node *producer) {
  pm_buf_puts(out, "\n<ul>\n");
  for (size_t i = 0; i < consumer->cases.len; i++)
    put_pattern_in(out, consumer, producer, consumer->cases.data[i].op, "case", i);
  for (size_t i = 0; i < consumer->updates.len; i++)
    put_pattern_in(out, consumer, producer, consumer->updates.data[i].op, "update", i);
  pm_buf_puts(out, "</ul>\n");
}

static void put_read(pm_buf *out, const stage_node *consumer, const stage_node *producer) {
  pm_access_list accesses = {0};
  pm_buf label = {0};
  pm_collect_accesses(&accesses, consumer, producer, NULL);
  pm_put_accesses(&label, &accesses);
  pm_buf_printf(out, "<li data-from=\"s%u\"%s data-label=\"", producer->index,
                pm_accesses_are_computed(&accesses) ? " data-computed=\"\"" : "");
  pm_puts_markup(out, label.data);
  pm_buf_puts(out, "\">");
  if (producer == consumer) pm_buf_puts(out, "itself, ");
  put_link(out, producer);
  put_pattern(out, &accesses);
  if (consumer->cases.len + consumer->updates.len > 1) put_patterns_by_body(out, consumer, producer);
  pm_buf_puts(out, "</li>\n");
  pm_buf_free(&label);
  PM_VEC_FREE(accesses);
}

static void put_reads(pm_buf *out, const stage_node *node) {
  stage_list producers = {0};
  for (size_t i = 0; i < node->reads.len; i++) add_stage(&producers, node->reads.data[i]->producer);
  if (node->self_reads.len) add_stage(&producers, node);
  if (producers.len) {
    begin_row(out, "reads");
    pm_buf_puts(out, "<ul>\n");
    for (size_t i = 0; i < producers.len; i++) put_read(out, node, producers.data[i]);
    pm_buf_puts(out, "</ul>");
    end_row(out);
  }
  PM_VEC_FREE(producers);
}

static void put_reader(pm_buf *out, const stage_node *consumer, const stage_node *producer) {
  pm_access_list accesses = {0};
  pm_collect_accesses(&accesses, consumer, producer, NULL);
  pm_buf_puts(out, "<li>");
  put_link(out, consumer);
  put_pattern(out, &accesses);
  pm_buf_puts(out, "</li>\n");
  PM_VEC_FREE(accesses);
}

static void put_readers(pm_buf *out, const stage_node *node) {
  stage_list readers = {0};
  for (size_t i = 0; i < node->readers.len; i++) add_stage(&readers, node->readers.data[i]->consumer);
  if (readers.len) {
    begin_row(out, "read by");
    pm_buf_puts(out, "<ul>\n");
    for (size_t i = 0; i < readers.len; i++) put_reader(out, readers.data[i], node);
    pm_buf_puts(out, "</ul>");
    end_row(out);
  }
  PM_VEC_FREE(readers);
}

/* --- the schedule --- */

static void put_box(pm_buf *out, pm_attr size) {
  for (uint32_t i = 0; i < size->len; i++) {
    pm_buf_puts(out, i ? " x " : "");
    pm_put_extent(out, size->items[i]->i);
  }
  if (!size->len) pm_buf_puts(out, "one element");
}

static void put_alloc(pm_buf *out, const pm_op *alloc) {
  const char *space = pm_sym_at(alloc, poly_alloc_space)->text;
  pm_attr size = pm_attr_at(alloc, poly_alloc_size);
  if (size) {
    pm_buf_puts(out, pm_attr_at(alloc, poly_alloc_fold) ? "ring of " : "scratchpad of ");
    put_box(out, size);
    pm_buf_printf(out, ", %lld bytes%s (%s)", (long long)poly_box_bytes(alloc),
                  poly_box_is_any_open(alloc) ? " times all" : "", space);
  } else {
    pm_buf_puts(out, strcmp(space, "output") == 0 ? "whole array, the caller's" : "whole array");
    if (strcmp(space, "output") != 0) pm_buf_printf(out, " (%s)", space);
  }
}

/* ` in memory shared with @a, @b`: the others of the same number in the attribute. */
static void put_others(pm_buf *out, const pm_op *alloc, unsigned slot, const char *what) {
  pm_attr number = pm_attr_at(alloc, slot);
  unsigned n = 0;
  if (!number) return;
  PM_FOR_OPS(op, alloc->region) {
    if (op == alloc || !pm_is(op, &poly_alloc) || pm_attr_at(op, slot) != number) continue;
    pm_buf_printf(out, "%s@%s", n++ ? ", " : what, pm_sym_at(op, poly_alloc_stage)->text);
  }
}

static void put_storage(pm_buf *out, const stage_node *node, const pm_groups *groups) {
  pm_buf text = {0};
  if (node->is_input)
    pm_buf_puts(&text, pm_is(node->op, &stage_input) ? "the caller's array" : "part of the code");
  for (size_t i = 0; i < groups->allocs.len; i++) {
    if (pm_sym_at(groups->allocs.data[i], poly_alloc_stage) != node->name) continue;
    if (text.len) pm_buf_puts(&text, "; ");
    put_alloc(&text, groups->allocs.data[i]);
    put_others(&text, groups->allocs.data[i], poly_alloc_pool, " in memory shared with ");
    put_others(&text, groups->allocs.data[i], poly_alloc_turn, " overwritten in place, with ");
  }
  if (text.len) {
    begin_row(out, "storage");
    pm_puts_markup(out, text.data);
    end_row(out);
  }
  pm_buf_free(&text);
}

/* `259 x 578 points, from (-1, -1) to (257, 576)` */
static void put_tile(pm_buf *out, const pm_remark_refs *remarks) {
  pm_tile_part part = pm_tile_part_of(remarks);
  pm_buf from = {0}, to = {0};
  unsigned n = 0;
  if (part.along.len) begin_row(out, "in a tile that begins at 0");
  for (size_t d = 0; d < part.along.len; d++) {
    const pm_tile_stretch *s = &part.along.data[d];
    if (!s->has) continue;
    pm_buf_printf(out, "%s%.0f", n ? " x " : "", s->points);
    pm_buf_printf(&from, "%s%.0f", n ? ", " : "", s->from);
    pm_buf_printf(&to, "%s%.0f", n++ ? ", " : "", s->to);
  }
  if (n) pm_buf_printf(out, " points, from (%s) to (%s)", from.data, to.data);
  if (part.along.len) end_row(out);
  pm_buf_free(&from);
  pm_buf_free(&to);
  pm_tile_part_free(&part);
}

static void put_prediction(pm_buf *out, const pm_remark_refs *remarks) {
  pm_prediction p = pm_stage_prediction(remarks);
  double share = 0;
  pm_number_in(pm_find_remark(remarks, "group", "whole"), "share", &share);
  pm_put_html_prediction(out, &p, share, "its group");
}

static void put_group(pm_buf *out, const stage_node *node, const pm_groups *groups) {
  int group = groups->group_of[node->index];
  if (group < 0) return;
  begin_row(out, "group");
  pm_buf_printf(out, "<a href=\"#g%d\">", group + 1);
  pm_put_group_title(out, groups, (size_t)group);
  pm_buf_puts(out, "</a>");
  end_row(out);
}

/* The numbers of a remark, those that it says in other words too. */
static void put_numbers(pm_buf *out, const pm_kept_remark *remark) {
  if (!remark->n_args) return;
  pm_buf_puts(out, " <span class=\"numbers\">");
  for (size_t i = 0; i < remark->n_args; i++)
    pm_buf_printf(out, "%s%s = %.6g", i ? ", " : "", remark->args[i].key, remark->args[i].value);
  pm_buf_puts(out, "</span>");
}

void pm_put_html_remarks(pm_buf *out, const pm_remark_refs *remarks) {
  static const char *const kinds[] = {"passed", "missed", "analysis"};
  pm_buf_puts(out, "<ul class=\"remarks\">\n");
  for (size_t i = 0; i < remarks->len; i++) {
    const pm_kept_remark *remark = remarks->data[i];
    pm_buf_printf(out, "<li class=\"%s\"><b>", kinds[remark->kind]);
    pm_puts_markup(out, remark->pass);
    pm_buf_printf(out, "</b> %s: ", kinds[remark->kind]);
    pm_puts_markup(out, remark->message);
    put_numbers(out, remark);
    pm_buf_puts(out, "</li>\n");
  }
  pm_buf_puts(out, "</ul>");
}

/* --- the whole --- */

static void put_ir(pm_buf *out, const stage_node *node, const pm_word_set *words) {
  pm_buf text = {0};
  pm_print_op(&text, node->op, (pm_print_options){0});
  bool cut = pm_is(node->op, &stage_constant) && text.len > MOST_IR;
  pm_buf_puts(out, "<details><summary>IR</summary><pre class=\"ir\">");
  pm_put_ir_markup(out, words, (pm_str){text.data, cut ? MOST_IR : text.len});
  pm_buf_printf(out, "%s</pre></details>\n", cut ? " …" : "");
  pm_buf_free(&text);
}

static void put_title(pm_buf *out, const stage_node *node, const pm_groups *groups) {
  const char *kind = pm_is(node->op, &stage_constant) ? "constant"
                     : node->is_input                 ? "input"
                     : node->is_output                ? "output"
                                                      : "stage";
  pm_buf note = {0};
  pm_format(&note, "%pT, ", (const void *)node->type);
  pm_put_domain_extents(&note, node->op);
  pm_buf_printf(out, "<article id=\"s%u\" data-name=\"%s\" data-kind=\"%s\"", node->index, node->name->text,
                kind);
  if (groups->group_of[node->index] >= 0)
    pm_buf_printf(out, " data-group=\"g%d\"", groups->group_of[node->index] + 1);
  pm_buf_puts(out, " data-note=\"");
  pm_puts_markup(out, note.data);
  pm_buf_printf(out, "\">\n<h3>%s</h3>\n<p>%s, ", node->name->text, kind);
  pm_puts_markup(out, note.data);
  pm_buf_puts(out, "</p>\n");
  pm_buf_free(&note);
}

void pm_put_html_stage(pm_buf *out, const stage_node *node, const pm_groups *groups,
                       const pm_remark_refs *remarks, const pm_word_set *words) {
  put_title(out, node, groups);
  pm_put_html_place(out, groups->graph->ctx, node->op->loc);
  pm_buf_puts(out, "<dl>\n");
  begin_row(out, "domain");
  put_attr_text(out, stage_domain_of(node->op));
  end_row(out);
  put_cases(out, node);
  put_updates(out, node);
  put_default(out, node);
  put_values(out, node);
  put_reads(out, node);
  put_readers(out, node);
  put_storage(out, node, groups);
  put_group(out, node, groups);
  put_tile(out, remarks);
  put_prediction(out, remarks);
  if (remarks->len) {
    begin_row(out, "remarks");
    pm_put_html_remarks(out, remarks);
    end_row(out);
  }
  pm_buf_puts(out, "</dl>\n");
  put_ir(out, node, words);
  pm_buf_puts(out, "</article>\n");
}
