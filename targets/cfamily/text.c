/* Lines of the emitted text, and what is remembered while it is made. */
#include <stdlib.h>
#include <string.h>

#include "targets/cfamily/cfamily.h"

enum { MAX_COLUMN = 110 };

void c_put(c_emitter *e, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(e->out, fmt, args);
  va_end(args);
}

void c_begin(c_emitter *e) {
  e->line_start = e->out->len;
  for (unsigned i = 0; i < e->indent; i++) pm_buf_puts(e->out, "  ");
}

/* Where to break a line from column `from` on: the last blank after a comma or operator of those inside the
 * fewest brackets, in the right half of what fits; 0 when there is none. */
static size_t break_point(const char *line, size_t len, size_t from) {
  size_t best = 0;
  int depth = 0, best_depth = 0;
  for (size_t i = from; i < len && (i <= MAX_COLUMN || !best); i++) {
    depth += line[i] == '(' || line[i] == '[';
    depth -= line[i] == ')' || line[i] == ']';
    if (line[i] != ' ' || !strchr(",+-*/%&|^?:<>=", line[i - 1]) ||
        (best > MAX_COLUMN / 2 && depth > best_depth))
      continue;
    best = i;
    best_depth = depth;
  }
  return best;
}

void c_end(c_emitter *e) {
  size_t first = 2 * e->indent + 1, indent = 2 * e->indent + 4;
  while (e->out->len - e->line_start > MAX_COLUMN) {
    char *line = e->out->data + e->line_start;
    size_t len = e->out->len - e->line_start, at = break_point(line, len, first);
    if (!at || at + 1 >= len) break;
    char *rest = pm_xstrndup(line + at + 1, len - at - 1);
    e->out->len = e->line_start + at;
    pm_buf_putc(e->out, '\n');
    e->line_start = e->out->len;
    for (size_t i = 0; i < indent; i++) pm_buf_putc(e->out, ' ');
    pm_buf_puts(e->out, rest);
    free(rest);
    first = indent + 1;
  }
  pm_buf_putc(e->out, '\n');
}

void c_line(c_emitter *e, const char *fmt, ...) {
  va_list args;
  c_begin(e);
  va_start(args, fmt);
  pm_buf_vprintf(e->out, fmt, args);
  va_end(args);
  pm_buf_putc(e->out, '\n');
}

void c_close_block(c_emitter *e) {
  e->indent--;
  c_line(e, "}");
}

/* --- comments, strings --- */

void c_comment_text(c_emitter *e, const char *text) {
  for (; *text; text++)
    c_put(e, "%c", text[0] == '*' && text[1] == '/' ? '#' : (unsigned char)*text < 0x20 ? ' ' : *text);
}

void c_comment_location(c_emitter *e, const pm_op *op) {
  if (!op->loc.file || (op->loc.file == e->last_loc.file && op->loc.line == e->last_loc.line)) return;
  const char *name = pm_source_name(e->ctx, op->loc.file);
  const char *slash = name ? strrchr(name, '/') : NULL;
  e->last_loc = op->loc;
  if (!name) return;
  c_begin(e);
  c_put(e, "/* ");
  c_comment_text(e, slash ? slash + 1 : name);
  c_put(e, ":%u */\n", op->loc.line);
}

void c_string_text(c_emitter *e, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\')
      c_put(e, "\\%c", c);
    else if (c < 0x20 || c == 0x7f)
      c_put(e, "\\%03o", c);
    else if (c == '?')
      c_put(e, "\\?");
    else
      c_put(e, "%c", c);
  }
}

/* --- state --- */

const char *c_type_name(const c_emitter *e, pm_type type) {
  return e->language->types[type->scalar];
}

static c_var *var_of(c_emitter *e, const void *key) {
  c_var *var = pm_map_get(e->vars, key);
  if (var) return var;
  var = pm_arena_alloc(e->arena, sizeof(*var));
  pm_map_set(e->vars, key, var);
  return var;
}

c_var *c_var_of(c_emitter *e, const pm_value *value) {
  return var_of(e, value);
}

c_var *c_pool_of(c_emitter *e, const pm_op *alloc) {
  return var_of(e, alloc);
}

void c_emitter_init(c_emitter *e, pm_context *ctx, const c_language *language, void *own) {
  *e = (c_emitter){.language = language,
                   .own = own,
                   .ctx = ctx,
                   .arena = pm_arena_new(),
                   .vars = pm_map_new(),
                   .plans = pm_map_new()};
  c_names_init(&e->names, ctx, language->words);
}

void c_emitter_free(c_emitter *e) {
  c_names_free(&e->names);
  pm_map_free(e->vars);
  pm_map_free(e->plans);
  pm_arena_free(e->arena);
}

void c_begin_function(c_emitter *e, const pm_op *func) {
  e->ranges = loop_find_called_ranges(func, NULL, 0);
  e->last_loc = PM_NO_LOC;
  c_make_plan(e, func);
}

void c_end_function(c_emitter *e) {
  loop_ranges_free(e->ranges);
  loop_ranges_free(e->small);
  e->ranges = e->small = NULL;
}
