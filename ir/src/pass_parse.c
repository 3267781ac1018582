/* Pipelines from text and to text.
 *
 *   pipeline := [entry ("," entry)*]
 *   entry    := pass ["{" option* "}"] | op "(" pipeline ")" | named pipeline
 *   option   := name ["=" value], separated by blanks or commas; a value is a word or "quoted"
 */
#include "ir/builtin.h"
#include "ir/src/pass_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct pipeline_parser pipeline_parser;
struct pipeline_parser {
  pm_pass_manager *pm;
  const char *text, *at, *end;
  uint16_t file;
  pm_pipeline *in; /* where entries are added */
  unsigned depth;
  const pm_named_pipeline *named; /* whose text this is, or NULL, */
  const pipeline_parser *outer;   /* and who named it */
};

/* --- names --- */

pm_nearest pm_nearest_to(pm_str wanted) {
  unsigned limit = wanted.len > 8 ? 3 : wanted.len > 3 ? 2 : 1;
  return (pm_nearest){wanted, NULL, limit + 1};
}

void pm_nearest_add(pm_nearest *best, const char *name) {
  unsigned distance = pm_edit_distance(best->wanted, pm_str_of(name), best->distance);
  if (distance >= best->distance) return;
  best->distance = distance;
  best->name = name;
}

/* --- errors --- */

static pm_loc loc_of(const pipeline_parser *p, const char *at) {
  uint32_t line = 1;
  const char *line_start = p->text;
  for (const char *c = p->text; c < at; c++) {
    if (*c != '\n') continue;
    line++;
    line_start = c + 1;
  }
  size_t col = (size_t)(at - line_start) + 1;
  return (pm_loc){line, (uint16_t)(col > UINT16_MAX ? UINT16_MAX : col), p->file};
}

static bool error_at(const pipeline_parser *p, const char *at, const char *fmt, ...) PM_PRINTF(3, 4);
static bool error_at(const pipeline_parser *p, const char *at, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  pm_error(p->pm->ctx, loc_of(p, at), "%s", text.data);
  pm_buf_free(&text);
  return false;
}

/* `what 'name' is unknown`, with the nearest name if there is one. */
static bool unknown(const pipeline_parser *p, const char *what, const pm_nearest *best) {
  int len = (int)best->wanted.len;
  if (best->name)
    return error_at(p, best->wanted.ptr, "unknown %s '%.*s'; did you mean '%s'?", what, len, best->wanted.ptr,
                    best->name);
  return error_at(p, best->wanted.ptr, "unknown %s '%.*s'", what, len, best->wanted.ptr);
}

static bool unknown_pass(const pipeline_parser *p, pm_str name) {
  pm_nearest best = pm_nearest_to(name);
  for (size_t i = 0; i < pm_pass_count(p->pm->ctx); i++)
    pm_nearest_add(&best, pm_pass_at(p->pm->ctx, i)->name);
  for (size_t i = 0; i < pm_pipeline_count(p->pm->ctx); i++)
    pm_nearest_add(&best, pm_pipeline_at(p->pm->ctx, i)->name);
  if (!best.name && pm_find_op_desc(p->pm->ctx, name))
    return error_at(p, name.ptr, "'%.*s' is an op, not a pass: its passes follow in parentheses",
                    (int)name.len, name.ptr);
  return unknown(p, "pass", &best);
}

static bool unknown_op(const pipeline_parser *p, pm_str name) {
  pm_context *ctx = p->pm->ctx;
  pm_nearest best = pm_nearest_to(name);
  for (size_t i = 0; i < pm_dialect_count(ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(ctx, i)->ops; *op; op++)
      pm_nearest_add(&best, (*op)->name);
  if (!best.name && pm_find_pass(ctx, name))
    return error_at(p, name.ptr, "'%.*s' is a pass: it takes options in braces, not passes in parentheses",
                    (int)name.len, name.ptr);
  return unknown(p, "op", &best);
}

static bool unknown_option(const pipeline_parser *p, const pm_pass_desc *pass, pm_str name) {
  pm_nearest best = pm_nearest_to(name);
  size_t n = pm_opt_count(pass);
  for (size_t i = 0; i < n; i++) pm_nearest_add(&best, pass->opts[i].name);
  if (best.name) return unknown(p, "option", &best);
  pm_buf known = {0};
  pm_buf_puts(&known, n ? "it has" : "it has none");
  for (size_t i = 0; i < n; i++) pm_buf_printf(&known, "%s %s", i ? "," : "", pass->opts[i].name);
  error_at(p, name.ptr, "unknown option '%.*s' of pass '%s': %s", (int)name.len, name.ptr, pass->name,
           known.data);
  pm_buf_free(&known);
  return false;
}

/* --- words --- */

static void skip_blanks(pipeline_parser *p) {
  while (p->at < p->end && strchr(" \t\r\n", *p->at)) p->at++;
}

static bool accept(pipeline_parser *p, char c) {
  skip_blanks(p);
  if (p->at == p->end || *p->at != c) return false;
  p->at++;
  return true;
}

static bool is_word_char(char c) {
  return c && !strchr(" \t\r\n,(){}=\"", c);
}

static pm_str take_word(pipeline_parser *p) {
  const char *start = p->at;
  while (p->at < p->end && is_word_char(*p->at)) p->at++;
  return (pm_str){start, (size_t)(p->at - start)};
}

/* --- options --- */

/* A quoted value, without its quotes, into `out`. */
static bool take_quoted(pipeline_parser *p, pm_buf *out) {
  const char *open = p->at++;
  pm_buf_puts(out, "");
  while (p->at < p->end && *p->at != '"') {
    bool escape = *p->at == '\\' && p->at + 1 < p->end;
    if (escape) p->at++;
    pm_buf_putc(out, escape && *p->at == 'n' ? '\n' : *p->at);
    p->at++;
  }
  if (p->at == p->end) return error_at(p, open, "this quote is not closed");
  p->at++;
  return true;
}

/* The text behind '=', or "true" when there is none: what a bare name means. */
static bool take_value(pipeline_parser *p, const pm_opt_desc *opt, pm_buf *out) {
  if (p->at == p->end || *p->at != '=') {
    if (opt->kind == PM_OPT_BOOL)
      pm_buf_puts(out, "true");
    else
      return error_at(p, p->at, "option '%s' needs a value: %s=…", opt->name, opt->name);
    return true;
  }
  p->at++;
  if (p->at < p->end && *p->at == '"') return take_quoted(p, out);
  pm_str word = take_word(p);
  pm_buf_puts(out, "");
  pm_buf_put(out, word.ptr, word.len);
  return true;
}

static bool set_option(const pipeline_parser *p, pm_pass_item *item, size_t i, const pm_buf *text,
                       const char *at) {
  const pm_opt_desc *opt = &item->desc->opts[i];
  pm_opt_value value;
  pm_buf allowed = {0};
  bool ok = pm_opt_value_read(opt, (pm_str){text->data, text->len}, &value, &allowed);
  if (ok) {
    pm_opt_value_free(&item->opts[i]);
    item->opts[i] = value;
    item->opts[i].given = true;
  } else {
    error_at(p, at, "option '%s' is '%s', but takes %s", opt->name, text->data, allowed.data);
  }
  pm_buf_free(&allowed);
  return ok;
}

static bool parse_option(pipeline_parser *p, pm_pass_item *item) {
  pm_str name = take_word(p);
  if (!name.len) return error_at(p, p->at, "found '%c', expected the name of an option or '}'", *p->at);
  size_t i = 0;
  while (i < item->n_opts && !pm_str_is(name, item->desc->opts[i].name)) i++;
  if (i == item->n_opts) return unknown_option(p, item->desc, name);
  if (item->opts[i].given)
    return error_at(p, name.ptr, "option '%s' of pass '%s' is given twice", item->desc->opts[i].name,
                    item->desc->name);
  const char *value_at = p->at < p->end && *p->at == '=' ? p->at + 1 : p->at;
  pm_buf value = {0};
  bool ok = take_value(p, &item->desc->opts[i], &value) && set_option(p, item, i, &value, value_at);
  pm_buf_free(&value);
  return ok;
}

static bool parse_options(pipeline_parser *p, pm_pass_item *item) {
  if (!accept(p, '{')) return true;
  const char *open = p->at - 1;
  for (;;) {
    skip_blanks(p);
    while (accept(p, ',')) skip_blanks(p);
    if (p->at == p->end) return error_at(p, open, "this '{' is not closed");
    if (accept(p, '}')) return true;
    if (!parse_option(p, item)) return false;
  }
}

static void set_defaults(pm_pass_item *item) {
  for (size_t i = 0; i < item->n_opts; i++) {
    pm_buf allowed = {0};
    const pm_opt_desc *opt = &item->desc->opts[i];
    if (!pm_opt_value_read(opt, pm_str_of(opt->fallback), &item->opts[i], &allowed))
      pm_panic(NULL, "the default '%s' of option '%s' of pass '%s' should be %s", opt->fallback, opt->name,
               item->desc->name, allowed.data);
    pm_buf_free(&allowed);
  }
}

/* --- entries --- */

/* The op that a pass is run on, below the op of pipeline `in`; NULL after an error. */
static const pm_op_desc *find_anchor(const pipeline_parser *p, const pm_pass_desc *pass, pm_str name) {
  const pm_op_desc *around_it = p->in->root;
  if (strcmp(pass->anchor, "any") == 0) return around_it;
  const pm_op_desc *anchor = pm_find_op_desc(p->pm->ctx, pm_str_of(pass->anchor));
  if (!anchor) {
    error_at(p, name.ptr, "pass '%s' runs on '%s', which no registered dialect has", pass->name,
             pass->anchor);
    return NULL;
  }
  if (anchor == around_it || around_it == &builtin_module) return anchor;
  error_at(p, name.ptr, "pass '%s' runs on '%s', but is in a pipeline of '%s'", pass->name, pass->anchor,
           around_it->name);
  return NULL;
}

static bool parse_named(pipeline_parser *p, const pm_named_pipeline *named, pm_str name);

static bool parse_pass(pipeline_parser *p, pm_str name) {
  const pm_pass_desc *desc = pm_find_pass(p->pm->ctx, name);
  const pm_named_pipeline *named = desc ? NULL : pm_find_pipeline(p->pm->ctx, name);
  if (named) return parse_named(p, named, name);
  if (!desc) return unknown_pass(p, name);
  const pm_op_desc *anchor = find_anchor(p, desc, name);
  if (!anchor) return false;
  pm_pass_item *item = pm_xcalloc(1, sizeof *item);
  item->desc = desc;
  item->anchor = anchor;
  item->loc = loc_of(p, name.ptr);
  item->n_opts = pm_opt_count(desc);
  item->opts = pm_xcalloc(item->n_opts + 1, sizeof *item->opts);
  set_defaults(item);
  pm_pipeline_entry entry = {.pass = item};
  PM_VEC_PUSH(p->in->entries, entry);
  return parse_options(p, item);
}

static bool open_nested(pipeline_parser *p, pm_str name) {
  const pm_op_desc *op = pm_find_op_desc(p->pm->ctx, name);
  if (!op) return unknown_op(p, name);
  if (p->depth == PM_MAX_PIPELINE_DEPTH)
    return error_at(p, name.ptr, "pipelines are nested more than %d deep", PM_MAX_PIPELINE_DEPTH);
  pm_pipeline_entry entry = {.nested = pm_pipeline_new(p->in, op)};
  PM_VEC_PUSH(p->in->entries, entry);
  p->in = entry.nested;
  p->depth++;
  return true;
}

/* What may follow a pass or a closed pipeline; *more says that an entry must follow. */
static bool parse_after_entry(pipeline_parser *p, bool *more) {
  *more = false;
  while (accept(p, ')')) {
    if (!p->depth) return error_at(p, p->at - 1, "this ')' closes nothing");
    p->in = p->in->parent;
    p->depth--;
  }
  if (accept(p, ',')) {
    *more = true;
    return true;
  }
  if (p->at < p->end) return error_at(p, p->at, "found '%c', expected ',' between passes", *p->at);
  return true;
}

/* One entry, up to where the next one begins. */
static bool parse_entry(pipeline_parser *p, bool *more) {
  skip_blanks(p);
  pm_str name = take_word(p);
  if (!name.len && p->at < p->end)
    return error_at(p, p->at, "found '%c', expected the name of a pass or op", *p->at);
  if (!name.len) return error_at(p, p->at, "found the end, expected the name of a pass or op");
  *more = true;
  if (!accept(p, '(')) return parse_pass(p, name) && parse_after_entry(p, more);
  if (!open_nested(p, name)) return false;
  skip_blanks(p);
  bool empty = p->at < p->end && *p->at == ')';
  return empty ? parse_after_entry(p, more) : true;
}

static bool parse_all(pipeline_parser *p) {
  skip_blanks(p);
  bool more = p->at < p->end;
  while (more)
    if (!parse_entry(p, &more)) return false;
  if (p->depth) return error_at(p, p->end, "found the end, expected ')' for '%s('", p->in->root->name);
  return true;
}

static bool parse_text(pipeline_parser *p, const char *where, const char *text) {
  size_t len = strlen(text);
  p->text = p->at = text;
  p->end = text + len;
  p->file = pm_add_source(p->pm->ctx, where, text, len);
  return parse_all(p);
}

/* Adds what the text of the pipeline says in place of its name. */
static bool parse_named(pipeline_parser *p, const pm_named_pipeline *named, pm_str name) {
  if (accept(p, '{')) return error_at(p, name.ptr, "'%s' is a pipeline: it takes no options", named->name);
  for (const pipeline_parser *outer = p; outer; outer = outer->outer)
    if (outer->named == named) return error_at(p, name.ptr, "pipeline '%s' contains itself", named->name);
  pipeline_parser inner = {.pm = p->pm, .in = p->in, .named = named, .outer = p};
  pm_buf where = {0};
  pm_buf_printf(&where, "pipeline '%s'", named->name);
  bool ok = parse_text(&inner, where.data, named->text);
  pm_buf_free(&where);
  if (!ok) pm_note(p->pm->ctx, loc_of(p, name.ptr), "the pipeline '%s' is named here", named->name);
  return ok;
}

bool pm_parse_pipeline(pm_pass_manager *pm, const char *where, const char *text) {
  pipeline_parser p = {.pm = pm, .in = pm->top};
  size_t before = pm->top->entries.len;
  if (parse_text(&p, where, text) && pm_check_order(pm, before)) return true;
  pm_pipeline_truncate(pm->top, before);
  return false;
}

/* --- printing --- */

typedef struct pipeline_printer {
  pm_buf *out;
  const pm_pass_item *first; /* printing begins with it; NULL once it was met */
  bool given_only;           /* of the options, those that the text gave */
} pipeline_printer;

static void print_pass(const pipeline_printer *p, const pm_pass_item *item) {
  bool any = false;
  pm_buf_puts(p->out, item->desc->name);
  for (size_t i = 0; i < item->n_opts; i++) {
    const pm_opt_desc *opt = &item->desc->opts[i];
    if (p->given_only && !item->opts[i].given) continue;
    pm_buf_printf(p->out, "%s%s=", any ? " " : "{", opt->name);
    pm_opt_value_print(p->out, opt, &item->opts[i]);
    any = true;
  }
  if (any) pm_buf_putc(p->out, '}');
}

static void print_entries(pipeline_printer *p, const pm_pipeline *pipeline) {
  bool any = false;
  for (size_t i = 0; i < pipeline->entries.len; i++) {
    pm_pipeline_entry entry = pipeline->entries.data[i];
    if (entry.pass == p->first) p->first = NULL;
    if (p->first && entry.pass) continue;
    size_t undo = p->out->len;
    if (any) pm_buf_putc(p->out, ',');
    if (entry.pass) {
      print_pass(p, entry.pass);
    } else {
      pm_buf_printf(p->out, "%s(", entry.nested->root->name);
      print_entries(p, entry.nested);
      pm_buf_putc(p->out, ')');
    }
    if (p->first)
      p->out->len = undo;
    else
      any = true;
  }
}

static void print_pipeline(const pm_pass_manager *pm, pipeline_printer p) {
  pm_buf_puts(p.out, "");
  print_entries(&p, pm->top);
  p.out->data[p.out->len] = 0;
}

void pm_print_one_pass(const pm_pipeline *in, const pm_pass_item *item, pm_buf *out) {
  const pm_pipeline *around[PM_MAX_PIPELINE_DEPTH + 1];
  size_t n = 0;
  for (; in->parent; in = in->parent) around[n++] = in;
  for (size_t i = n; i-- > 0;) pm_buf_printf(out, "%s(", around[i]->root->name);
  print_pass(&(pipeline_printer){.out = out, .given_only = true}, item);
  for (size_t i = 0; i < n; i++) pm_buf_putc(out, ')');
}

void pm_print_pipeline_from(const pm_pass_manager *pm, const pm_pass_item *first, pm_buf *out) {
  print_pipeline(pm, (pipeline_printer){out, first, false});
}

void pm_print_pipeline(const pm_pass_manager *pm, pm_buf *out) {
  print_pipeline(pm, (pipeline_printer){out, NULL, false});
}

void pm_print_given_pipeline(const pm_pass_manager *pm, pm_buf *out) {
  print_pipeline(pm, (pipeline_printer){out, NULL, true});
}
