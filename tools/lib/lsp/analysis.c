#include "tools/lib/lsp/analysis.h"

#include "ir/lexer.h"
#include "ir/pass.h"
#include "pm/pipelines.h"
#include "tools/lib/lsp/names.h"
#include "tools/lib/lsp/places.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST_ERRORS = 1000, ERROR = 1, WARNING = 2 };

/* Errors of programs that their languages do not see. */
static const char checks[] = "stage.pipeline(check-bounds)";

typedef struct collector {
  const pm_document_text *document;
  pm_lines lines;
  json_t *diagnostics;
} collector;

bool pm_is_ir(const pm_document_text *document) {
  return document->frontend == pm_find_frontend(document->ctx, "pmir");
}

/* --- places --- */

static size_t end_of_token(pm_str text, size_t begin) {
  pm_lexer lexer;
  pm_token token;
  pm_lexer_init(&lexer, text.ptr + begin, text.len - begin, 0);
  pm_lex(&lexer, &token);
  return token.start == text.ptr + begin ? (size_t)(lexer.cur - text.ptr) : begin;
}

static bool is_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || ((unsigned char)c & 0x80);
}

/* Of programs in other languages: words and numbers, else a character. */
static size_t end_of_word(pm_str text, size_t begin) {
  size_t end = begin;
  while (end < text.len && is_word_char(text.ptr[end])) end++;
  return end > begin || begin == text.len || text.ptr[begin] == '\n' ? end : end + 1;
}

/* What is about no line in particular stands at the first. */
static json_t *range_at(const collector *c, pm_loc loc) {
  size_t begin = pm_offset_of_loc(&c->lines, loc);
  pm_str text = c->lines.text;
  size_t end = !loc.line               ? pm_lines_text(&c->lines, 0).len
               : pm_is_ir(c->document) ? end_of_token(text, begin)
                                       : end_of_word(text, begin);
  return pm_range_of(&c->lines, begin, end);
}

static bool is_here(const collector *c, pm_context *ctx, pm_loc loc) {
  return !loc.file || strcmp(pm_source_name(ctx, loc.file), c->document->path) == 0;
}

/* A Location in another file, whose text may be known. */
static json_t *location_elsewhere(pm_context *ctx, pm_loc loc) {
  char *uri = pm_uri_of_path(pm_source_name(ctx, loc.file));
  pm_str text = pm_source_text(ctx, loc.file);
  pm_lines lines = pm_lines_of(text.ptr ? text : PM_STR(""));
  size_t begin = pm_offset_of_loc(&lines, loc);
  json_t *location = json_pack("{s:s, s:o}", "uri", uri, "range",
                               pm_range_of(&lines, begin, end_of_word(lines.text, begin)));
  pm_lines_free(&lines);
  free(uri);
  return location;
}

static json_t *related_to(const collector *c, pm_context *ctx, pm_loc loc, const char *message) {
  json_t *location = is_here(c, ctx, loc)
                         ? json_pack("{s:s, s:o}", "uri", c->document->uri, "range", range_at(c, loc))
                         : location_elsewhere(ctx, loc);
  return json_pack("{s:o, s:o}", "location", location, "message", pm_json_text(pm_str_of(message)));
}

/* --- diagnostics --- */

static json_t *diagnostic(json_t *range, int severity, const char *message) {
  return json_pack("{s:o, s:i, s:s, s:o, s:[]}", "range", range, "severity", severity, "source", "pm",
                   "message", pm_json_text(pm_str_of(message)), "relatedInformation");
}

static void add_note(collector *c, pm_context *ctx, pm_loc loc, const char *message) {
  size_t n = json_array_size(c->diagnostics);
  json_t *last = n ? json_array_get(c->diagnostics, n - 1) : NULL;
  json_array_append_new(json_object_get(last, "relatedInformation"), related_to(c, ctx, loc, message));
}

/* One of another file stands at the first line, and says where it is. */
static void add_elsewhere(collector *c, pm_context *ctx, const pm_diag *diag, int severity) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s:%u:%u: %s", pm_source_name(ctx, diag->loc.file), (unsigned)diag->loc.line,
                (unsigned)diag->loc.col, diag->message);
  json_array_append_new(c->diagnostics, diagnostic(range_at(c, PM_NO_LOC), severity, text.data));
  add_note(c, ctx, diag->loc, diag->message);
  pm_buf_free(&text);
}

static void collect(void *user, pm_context *ctx, const pm_diag *diag) {
  collector *c = user;
  int severity = diag->severity == PM_ERROR ? ERROR : WARNING;
  if (diag->severity == PM_REMARK) return;
  if (diag->severity == PM_NOTE)
    add_note(c, ctx, diag->loc, diag->message);
  else if (is_here(c, ctx, diag->loc))
    json_array_append_new(c->diagnostics, diagnostic(range_at(c, diag->loc), severity, diag->message));
  else
    add_elsewhere(c, ctx, diag, severity);
}

/* --- reading --- */

static pm_module *read_ir(const pm_document_text *d, collector *c, json_t *found) {
  pm_name_index *index = pm_name_index_new(d->ctx, &c->lines);
  pm_parse_listener listener = pm_name_index_listener(index);
  pm_module *module = pm_parse_module_for(d->ctx, d->path, d->text.ptr, d->text.len, true, &listener);
  pm_name_index_put(index, found);
  pm_name_index_free(index);
  return module;
}

static void check(pm_context *ctx, pm_module *module) {
  pm_run_config config = pm_default_run_config();
  config.warn_idle = false;
  pm_pass_manager *passes = pm_pass_manager_new(ctx);
  bool ok = pm_parse_pipeline(passes, "checks", checks) && pm_run_passes(passes, module, &config);
  if (!ok && !pm_error_count(ctx)) pm_error(ctx, PM_NO_LOC, "the program cannot be checked");
  pm_pass_manager_free(passes);
}

static pm_module *read_program(const pm_document_text *d) {
  pm_buf error = {0};
  if (!pm_frontend_values_read(d->values, d->frontend, &error)) {
    pm_error(d->ctx, PM_NO_LOC, "%s", error.data);
    pm_buf_free(&error);
    return NULL;
  }
  const pm_frontend_input input = {.file = d->path,
                                   .text = d->text.ptr,
                                   .len = d->text.len,
                                   .values = d->values->values.data,
                                   .n_values = d->values->values.len};
  pm_module *module = d->frontend->read(d->ctx, &input);
  if (module) check(d->ctx, module);
  return module;
}

void pm_analyze_text(void *user, pm_buf *answer) {
  const pm_document_text *d = user;
  collector c = {.document = d, .lines = pm_lines_of(d->text), .diagnostics = json_array()};
  json_t *found = json_pack("{s:o}", "diagnostics", c.diagnostics);
  pm_set_diag_handler(d->ctx, collect, &c);
  pm_set_max_errors(d->ctx, MOST_ERRORS);
  pm_module *module = pm_is_ir(d) ? read_ir(d, &c, found) : read_program(d);
  if (module) pm_module_free(module);
  pm_lines_free(&c.lines);
  char *text = json_dumps(found, JSON_COMPACT);
  json_decref(found);
  if (!text) pm_out_of_memory();
  pm_buf_puts(answer, text);
  free(text);
}

/* --- in the caller --- */

static void say_end(const pm_child_result *result, double seconds, pm_buf *text) {
  if (result->end == PM_CHILD_LATE)
    pm_buf_printf(text, "the text is not read after %g s, which may be a loop that does not end", seconds);
  else if (result->end == PM_CHILD_CRASHED && WIFSIGNALED(result->status))
    pm_buf_printf(text, "reading the text crashed by signal %d, which is a bug of ours",
                  WTERMSIG(result->status));
  else if (result->end == PM_CHILD_CRASHED)
    pm_buf_puts(text, "reading the text ended with an internal error, which is a bug of ours");
  else
    pm_buf_puts(text, "no process can be made that reads the text");
}

json_t *pm_take_analysis(const pm_child_result *result, double seconds) {
  bool done = result->end == PM_CHILD_DONE;
  json_t *found = done ? json_loadb(result->answer.data, result->answer.len, 0, NULL) : NULL;
  if (found) return found;
  pm_buf text = {0};
  pm_lines nothing = pm_lines_of(PM_STR(""));
  say_end(result, seconds, &text);
  found = json_pack("{s:[o]}", "diagnostics", diagnostic(pm_range_of(&nothing, 0, 0), ERROR, text.data));
  pm_lines_free(&nothing);
  pm_buf_free(&text);
  return found;
}
