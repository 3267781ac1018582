#include "tools/lib/page/dump_page.h"

#include "ir/diag.h"
#include "tools/lib/diff.h"
#include "tools/lib/page/markup.h"

#include <inttypes.h>

/* The files html.css and dump.css, made by CMake. */
extern const char pm_html_css[], pm_dump_css[];

void pm_put_dump_head(pm_buf *out) {
  pm_buf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                   "<title>IR after each pass</title>\n<style>\n");
  pm_buf_puts(out, pm_html_css);
  pm_buf_puts(out, pm_dump_css);
  pm_buf_puts(out, "</style>\n</head>\n<body class=\"dumps\">\n<h1>IR after each pass</h1>\n<table>\n"
                   "<tr><th></th><th>pass</th><th>on</th><th></th><th class=\"number\">ms</th>"
                   "<th class=\"number\">ops</th><th>lines</th></tr>\n");
}

void pm_put_dump_end(pm_buf *out) {
  pm_buf_puts(out, "</table>\n</body>\n</html>\n");
}

/* --- what changed --- */

enum { MAX_SHOWN = 2000 };

typedef struct changes {
  size_t removed, added, shown;
  pm_buf text;
} changes;

static void put_line(void *user, char kind, pm_str line) {
  changes *c = user;
  const char *element = kind == '+' ? "ins" : kind == '-' ? "del" : "span";
  c->added += kind == '+';
  c->removed += kind == '-';
  if (c->shown++ >= MAX_SHOWN) return;
  pm_buf_printf(&c->text, "<%s%s>", element, kind == '@' ? " class=\"hunk\"" : "");
  if (kind != '@') pm_buf_putc(&c->text, kind);
  pm_put_markup(&c->text, line);
  pm_buf_printf(&c->text, "\n</%s>", element);
}

static void put_changes(pm_buf *out, pm_str before, pm_str after) {
  changes c = {0};
  pm_diff(before, after, put_line, &c);
  if (c.text.len) {
    pm_buf_printf(out, "<details><summary>-%zu +%zu</summary><pre>%s", c.removed, c.added, c.text.data);
    if (c.shown > MAX_SHOWN) pm_buf_printf(out, "… %zu lines more: compare the files", c.shown - MAX_SHOWN);
    pm_buf_puts(out, "</pre></details>");
  }
  pm_buf_free(&c.text);
}

/* --- rows --- */

static const char *state_of(const pm_pass_run *run) {
  if (!run->pass) return "";
  return run->result == PM_FAILED ? "failed" : run->result == PM_CHANGED ? "changed" : "unchanged";
}

static void put_pass(pm_buf *out, const pm_pass_run *run, const char *file) {
  if (file) pm_buf_puts(out, "<a href=\"");
  if (file) pm_puts_markup(out, file);
  if (file) pm_buf_puts(out, "\">");
  pm_puts_markup(out, run->pass ? run->pass->name : "input");
  if (file) pm_buf_puts(out, "</a>");
}

static void put_root(pm_buf *out, const pm_op *root) {
  pm_buf text = {0};
  if (root) pm_format(&text, "%pO", (const void *)root);
  pm_puts_markup(out, text.data ? text.data : "");
  pm_buf_free(&text);
}

void pm_put_dump_row(pm_buf *out, const pm_pass_run *run, const char *file, pm_str before, pm_str after) {
  pm_buf_printf(out, "<tr class=\"%s\"><td class=\"number\">%" PRId64 "</td><td>",
                run->pass ? state_of(run) : "input", run->number);
  put_pass(out, run, file);
  pm_buf_puts(out, "</td><td>");
  put_root(out, run->root);
  pm_buf_printf(out, "</td><td>%s</td><td class=\"number\">", state_of(run));
  if (run->pass) pm_buf_printf(out, "%.2f", 1e3 * run->seconds);
  pm_buf_printf(out, "</td><td class=\"number\">%" PRId64 "</td><td>",
                pm_count_ops(pm_module_op(run->module)));
  put_changes(out, before, after);
  pm_buf_puts(out, "</td></tr>\n");
}
