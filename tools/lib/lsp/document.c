#include "tools/lib/lsp/document.h"

#include "ir/lexer.h"
#include "ir/op_desc.h"
#include "tools/lib/driver/dialect_docs.h"

#include <stdlib.h>
#include <string.h>

enum { INTS_A_NAME = 4, /* of pm_name_index_put */ COMPLETE_FUNCTION = 3, COMPLETE_VARIABLE = 6 };

pm_document *pm_document_new(pm_context *ctx, pm_frontend_values *values, const char *uri,
                             const char *language) {
  pm_document *d = pm_xcalloc(1, sizeof *d);
  d->uri = pm_xstrdup(uri);
  d->path = pm_path_of_uri(uri);
  if (!d->path) d->path = pm_xstrdup(uri);
  const pm_frontend *frontend = pm_frontend_of_file(ctx, d->path);
  if (!frontend) frontend = pm_find_frontend(ctx, language);
  d->as =
      (pm_document_text){.ctx = ctx, .frontend = frontend, .values = values, .uri = d->uri, .path = d->path};
  return d;
}

void pm_document_free(pm_document *d) {
  pm_lines_free(&d->lines);
  json_decref(d->version);
  json_decref(d->found);
  free(d->text);
  free(d->path);
  free(d->uri);
  free(d);
}

void pm_document_set(pm_document *d, pm_str text, json_t *version) {
  free(d->text);
  pm_lines_free(&d->lines);
  json_decref(d->version);
  d->text = pm_xstrndup(text.ptr, text.len);
  d->as.text = (pm_str){d->text, text.len};
  d->lines = pm_lines_of(d->as.text);
  d->version = json_incref(version);
  d->stale = true;
}

/* --- names --- */

static const json_t *names_of(const pm_document *d) {
  return json_object_get(d->found, "names");
}

size_t pm_document_count_names(const pm_document *d) {
  return json_array_size(names_of(d)) / INTS_A_NAME;
}

pm_found_name pm_document_name(const pm_document *d, size_t i) {
  json_int_t ints[INTS_A_NAME];
  for (size_t k = 0; k < INTS_A_NAME; k++)
    ints[k] = json_integer_value(json_array_get(names_of(d), i * INTS_A_NAME + k));
  return (pm_found_name){(size_t)ints[0], (size_t)ints[1], ints[2], ints[3] != 0};
}

bool pm_document_find_name(const pm_document *d, size_t offset, pm_found_name *name) {
  size_t low = 0, high = pm_document_count_names(d);
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (pm_document_name(d, middle).end < offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == pm_document_count_names(d)) return false;
  *name = pm_document_name(d, low);
  return name->begin <= offset;
}

const json_t *pm_document_meaning(const pm_document *d, json_int_t meaning) {
  return json_array_get(json_object_get(d->found, "meanings"), (size_t)meaning);
}

/* --- hover --- */

static pm_str trimmed(pm_str line) {
  while (line.len && (*line.ptr == ' ' || *line.ptr == '\t')) line.ptr++, line.len--;
  while (line.len && strchr(" \t{", line.ptr[line.len - 1])) line.len--;
  return line;
}

/* The line of a definition, as code. */
static void put_line_at(const pm_document *d, size_t offset, pm_buf *out) {
  pm_str line = trimmed(pm_lines_text(&d->lines, pm_lines_find(&d->lines, offset)));
  pm_buf_printf(out, "```pmir\n%.*s\n```\n", (int)line.len, line.ptr);
}

static const pm_row *row_of(const pm_op_desc *op, json_int_t result) {
  if (!op->n_results) return NULL;
  return &op->results[result < op->n_results ? result : op->n_results - 1];
}

static void put_origin(const pm_document *d, const json_t *meaning, pm_buf *out) {
  const char *name = json_string_value(json_object_get(meaning, "op"));
  json_int_t result = json_integer_value(json_object_get(meaning, "result"));
  const pm_op_desc *op = pm_find_op_desc(d->as.ctx, pm_str_of(name));
  const pm_row *row = op && result >= 0 ? row_of(op, result) : NULL;
  if (op && result < 0) pm_buf_printf(out, "\nAn argument of a region of `%s`.\n", name);
  if (row) pm_buf_printf(out, "\nThe result `%s` of `%s`: %s.\n", row->name, name, row->doc);
}

static void put_meaning(const pm_document *d, const pm_found_name *at, pm_buf *out) {
  const json_t *meaning = pm_document_meaning(d, at->meaning);
  const char *types = json_string_value(json_object_get(meaning, "types"));
  size_t begin = (size_t)json_integer_value(json_object_get(meaning, "begin"));
  size_t end = (size_t)json_integer_value(json_object_get(meaning, "end"));
  if (types && *types)
    pm_buf_printf(out, "```pmir\n%.*s : %s\n```\n", (int)(end - begin), d->text + begin, types);
  put_line_at(d, begin, out);
  if (types) put_origin(d, meaning, out);
}

/* The token of the line that has the offset; false: none. */
static bool find_token(const pm_document *d, size_t offset, pm_token *token, size_t *end) {
  pm_lexer lexer;
  size_t line = pm_lines_find(&d->lines, offset);
  pm_str text = pm_lines_text(&d->lines, line);
  pm_lexer_init(&lexer, text.ptr, text.len, 0);
  do {
    pm_lex(&lexer, token);
    *end = (size_t)(lexer.cur - d->text);
  } while (token->kind != PM_TOK_EOF && *end <= offset);
  return token->kind != PM_TOK_EOF && (size_t)(token->start - d->text) <= offset;
}

static void put_op(const pm_op_desc *op, pm_buf *out) {
  pm_buf_printf(out, "**%s**\n\n", op->name);
  pm_put_op_docs(op, out);
}

void pm_put_hover(const pm_document *d, size_t offset, pm_buf *out, size_t *begin, size_t *end) {
  pm_found_name name;
  pm_token token;
  const pm_op_desc *op = NULL;
  if (pm_document_find_name(d, offset, &name)) {
    *begin = name.begin;
    *end = name.end;
    put_meaning(d, &name, out);
    return;
  }
  if (find_token(d, offset, &token, end) && (token.kind == PM_TOK_WORD || token.kind == PM_TOK_STRING))
    op = pm_find_op_desc(d->as.ctx, token.text);
  if (!op) return;
  *begin = (size_t)(token.start - d->text);
  put_op(op, out);
}

/* --- completion --- */

static json_t *item(const pm_document *d, pm_str label, int kind, const char *detail, size_t begin,
                    size_t end) {
  return json_pack("{s:o, s:i, s:s, s:{s:o, s:o}}", "label", pm_json_text(label), "kind", kind, "detail",
                   detail, "textEdit", "range", pm_range_of(&d->lines, begin, end), "newText",
                   pm_json_text(label));
}

static json_t *complete_ops(const pm_document *d, size_t begin, size_t end) {
  json_t *items = json_array();
  for (size_t i = 0; i < pm_dialect_count(d->as.ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(d->as.ctx, i)->ops; *op; op++)
      json_array_append_new(items,
                            item(d, pm_str_of((*op)->name), COMPLETE_FUNCTION, (*op)->doc, begin, end));
  return items;
}

/* Names that begin with the sign, each definition once. */
static json_t *complete_names(const pm_document *d, char sign, size_t begin, size_t end) {
  json_t *items = json_array(), *seen = json_object();
  for (size_t i = 0; i < pm_document_count_names(d); i++) {
    pm_found_name name = pm_document_name(d, i);
    pm_str label = {d->text + name.begin, name.end - name.begin};
    if (!name.defines || *label.ptr != sign || json_object_getn(seen, label.ptr, label.len)) continue;
    json_object_setn_new(seen, label.ptr, label.len, json_true());
    const char *types = json_string_value(json_object_get(pm_document_meaning(d, name.meaning), "types"));
    json_array_append_new(items, item(d, label, COMPLETE_VARIABLE, types ? types : "", begin, end));
  }
  json_decref(seen);
  return items;
}

json_t *pm_complete(const pm_document *d, size_t offset) {
  size_t begin = offset;
  while (begin &&
         (pm_is_plain_word((pm_str){d->text + begin - 1, 1}) || strchr("0123456789$.", d->text[begin - 1])))
    begin--;
  char sign = begin ? d->text[begin - 1] : 0;
  if (sign == '%' || sign == '@') return complete_names(d, sign, begin - 1, offset);
  return complete_ops(d, begin, offset);
}

/* --- did you mean --- */

/* What is in quotes next, behind *at, which goes on behind it. */
static bool take_quoted(const char **at, pm_str *text) {
  const char *begin = strchr(*at, '\''), *end = begin ? strchr(begin + 1, '\'') : NULL;
  if (!end) return false;
  *text = (pm_str){begin + 1, (size_t)(end - begin - 1)};
  *at = end + 1;
  return true;
}

/* The word that stands at the offset, and the one that the message has instead. */
static bool find_words(const pm_document *d, size_t offset, const char *message, pm_str *wrong,
                       pm_str *right) {
  const char *at = message ? strstr(message, "did you mean ") : NULL;
  return at && take_quoted(&message, wrong) && take_quoted(&at, right) &&
         wrong->len <= d->as.text.len - offset && memcmp(d->text + offset, wrong->ptr, wrong->len) == 0;
}

json_t *pm_correction_of(const pm_document *d, json_t *diagnostic) {
  size_t begin;
  pm_str wrong, right;
  const char *message = json_string_value(json_object_get(diagnostic, "message"));
  const json_t *start = json_object_get(json_object_get(diagnostic, "range"), "start");
  if (!pm_offset_of_position(&d->lines, start, &begin) || !find_words(d, begin, message, &wrong, &right))
    return NULL;
  pm_buf title = {0};
  pm_buf_printf(&title, "change to '%.*s'", (int)right.len, right.ptr);
  json_t *edit = json_pack("{s:o, s:o}", "range", pm_range_of(&d->lines, begin, begin + wrong.len), "newText",
                           pm_json_text(right));
  json_t *action = json_pack("{s:o, s:s, s:[O], s:{s:{s:[o]}}}", "title", pm_json_text(pm_str_of(title.data)),
                             "kind", "quickfix", "diagnostics", diagnostic, "edit", "changes", d->uri, edit);
  pm_buf_free(&title);
  return action;
}
