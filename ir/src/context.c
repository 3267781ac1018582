#include "ir/builtin.h"
#include "ir/src/context_private.h"

#include <stdlib.h>
#include <string.h>

/* --- interning table --- */

const void *pm_intern_find(const pm_intern *table, uint32_t hash, pm_intern_equal equal, const void *key) {
  if (!table->cap) return NULL;
  for (size_t i = hash & (table->cap - 1); table->slots[i].item; i = (i + 1) & (table->cap - 1))
    if (table->slots[i].hash == hash && equal(table->slots[i].item, key)) return table->slots[i].item;
  return NULL;
}

static void place(pm_intern *table, pm_intern_slot slot) {
  size_t i = slot.hash & (table->cap - 1);
  while (table->slots[i].item) i = (i + 1) & (table->cap - 1);
  table->slots[i] = slot;
}

static void grow(pm_intern *table) {
  pm_intern old = *table;
  table->cap = old.cap ? old.cap * 2 : 64;
  table->slots = pm_xcalloc(table->cap, sizeof *table->slots);
  for (size_t i = 0; i < old.cap; i++)
    if (old.slots[i].item) place(table, old.slots[i]);
  free(old.slots);
}

void pm_intern_add(pm_intern *table, uint32_t hash, const void *item) {
  if (2 * (table->len + 1) > table->cap) grow(table);
  place(table, (pm_intern_slot){item, hash});
  table->len++;
}

void pm_intern_free(pm_intern *table) {
  free(table->slots);
  *table = (pm_intern){0};
}

/* --- context --- */

pm_context *pm_context_new(void) {
  pm_context *ctx = pm_xcalloc(1, sizeof *ctx);
  ctx->arena = pm_arena_new();
  ctx->diag.max_errors = 20;
  pm_types_init(ctx);
  pm_register_dialect(ctx, &builtin_dialect);
  return ctx;
}

static void free_sources(pm_context *ctx) {
  for (size_t i = 0; i < ctx->sources.len; i++) {
    free(ctx->sources.data[i].name);
    free(ctx->sources.data[i].text);
    PM_VEC_FREE(ctx->sources.data[i].lines);
  }
  PM_VEC_FREE(ctx->sources);
  for (size_t i = 0; i < ctx->absent.len; i++) free(ctx->absent.data[i]);
  PM_VEC_FREE(ctx->absent);
}

static void free_dialects(pm_context *ctx) {
  for (size_t i = ctx->dialects.len; i-- > 0;) {
    pm_dialect_entry *entry = &ctx->dialects.data[i];
    if (entry->dialect->free_data) entry->dialect->free_data(entry->data);
  }
  PM_VEC_FREE(ctx->dialects);
}

void pm_context_free(pm_context *ctx) {
  if (!ctx) return;
  pm_attributes_free(ctx);
  free_dialects(ctx);
  PM_VEC_FREE(ctx->entries);
  PM_VEC_FREE(ctx->unregistered_kinds);
  PM_VEC_FREE(ctx->rewrites.counters);
  free_sources(ctx);
  pm_intern *tables[] = {&ctx->types, &ctx->attrs, &ctx->exprs, &ctx->maps, &ctx->ops, &ctx->unregistered};
  free(ctx->strings);
  for (size_t i = 0; i < PM_COUNT(tables); i++) pm_intern_free(tables[i]);
  free(ctx->passes.data);
  pm_arena_free(ctx->arena);
  free(ctx);
}

/* The slot of the string, or the free one where it is to be. */
static pm_string *string_slot(const pm_context *ctx, uint32_t hash, pm_str text) {
  size_t i = hash & (ctx->strings_cap - 1);
  for (pm_string s; (s = ctx->strings[i]); i = (i + 1) & (ctx->strings_cap - 1))
    if (s->hash == hash && s->len == text.len && memcmp(s->text, text.ptr, text.len) == 0) break;
  return &ctx->strings[i];
}

static void grow_strings(pm_context *ctx) {
  pm_string *old = ctx->strings;
  size_t old_cap = ctx->strings_cap;
  ctx->strings_cap = old_cap ? old_cap * 2 : 64;
  ctx->strings = pm_xcalloc(ctx->strings_cap, sizeof *ctx->strings);
  for (size_t i = 0; i < old_cap; i++)
    if (old[i]) *string_slot(ctx, old[i]->hash, (pm_str){old[i]->text, old[i]->len}) = old[i];
  free(old);
}

pm_string pm_get_string(pm_context *ctx, pm_str text) {
  uint32_t hash = (uint32_t)pm_hash_bytes(text.ptr, text.len, 0);
  if (2 * (ctx->n_strings + 1) > ctx->strings_cap) grow_strings(ctx);
  pm_string *slot = string_slot(ctx, hash, text);
  if (*slot) return *slot;
  struct pm_string_storage *s = pm_arena_alloc(ctx->arena, sizeof *s + text.len + 1);
  s->len = (uint32_t)text.len;
  s->hash = hash;
  if (text.len) memcpy(s->text, text.ptr, text.len);
  ctx->n_strings++;
  return *slot = s;
}

pm_string pm_get_cstring(pm_context *ctx, const char *text) {
  return pm_get_string(ctx, pm_str_of(text));
}

/* --- sources --- */

static pm_source *find_source(pm_context *ctx, const char *name) {
  for (size_t i = 0; i < ctx->sources.len; i++)
    if (strcmp(ctx->sources.data[i].name, name) == 0) return &ctx->sources.data[i];
  return NULL;
}

static void set_text(pm_source *source, char *text, size_t len) {
  free(source->text);
  source->text = text;
  source->len = len;
  source->lines.len = 0;
}

uint16_t pm_add_source(pm_context *ctx, const char *name, const char *text, size_t len) {
  pm_source *source = find_source(ctx, name);
  if (!source && ctx->sources.len >= UINT16_MAX) return 0;
  if (!source) {
    PM_VEC_PUSH(ctx->sources, ((pm_source){.name = pm_xstrdup(name)}));
    source = &PM_VEC_LAST(ctx->sources);
  }
  if (text && text != source->text) set_text(source, pm_xstrndup(text, len), len);
  return (uint16_t)(source - ctx->sources.data + 1);
}

uint16_t pm_take_source(pm_context *ctx, const char *name, char *text, size_t len) {
  uint16_t file = pm_add_source(ctx, name, NULL, 0);
  if (file)
    set_text(&ctx->sources.data[file - 1], text, len);
  else
    free(text);
  return file;
}

const char *pm_source_name(const pm_context *ctx, uint16_t file) {
  return file && file <= ctx->sources.len ? ctx->sources.data[file - 1].name : "<unknown>";
}

void pm_note_absent(pm_context *ctx, const char *path) {
  for (size_t i = 0; i < ctx->absent.len; i++)
    if (strcmp(ctx->absent.data[i], path) == 0) return;
  PM_VEC_PUSH(ctx->absent, pm_xstrdup(path));
}

size_t pm_absent_count(const pm_context *ctx) {
  return ctx->absent.len;
}

const char *pm_absent_at(const pm_context *ctx, size_t i) {
  return ctx->absent.data[i];
}

uint16_t pm_source_count(const pm_context *ctx) {
  return (uint16_t)ctx->sources.len;
}

pm_str pm_source_text(const pm_context *ctx, uint16_t file) {
  const pm_source *source = &ctx->sources.data[file - 1];
  return (pm_str){source->text, source->len};
}

static void find_lines(pm_source *source) {
  PM_VEC_PUSH(source->lines, 0);
  for (const char *at = source->text; (at = memchr(at, '\n', (size_t)(source->text + source->len - at)));)
    PM_VEC_PUSH(source->lines, (uint32_t)(++at - source->text));
}

pm_str pm_source_line(const pm_context *ctx, pm_loc loc) {
  if (!loc.file || loc.file > ctx->sources.len) return (pm_str){"", 0};
  pm_source *source = &ctx->sources.data[loc.file - 1];
  if (!source->text) return (pm_str){"", 0};
  if (!source->lines.len) find_lines(source);
  if (!loc.line || loc.line > source->lines.len) return (pm_str){"", 0};
  size_t from = source->lines.data[loc.line - 1];
  size_t to = loc.line < source->lines.len ? source->lines.data[loc.line] - 1u : source->len;
  if (to > from && source->text[to - 1] == '\r') to--;
  return (pm_str){source->text + from, to - from};
}

void pm_drop_source_texts(pm_context *ctx) {
  for (size_t i = 0; i < ctx->sources.len; i++) {
    pm_source *source = &ctx->sources.data[i];
    free(source->text);
    source->text = NULL;
    PM_VEC_FREE(source->lines);
  }
}

/* --- dialects --- */

static bool op_name_equal(const void *item, const void *key) {
  return pm_str_is(*(const pm_str *)key, ((const pm_op_desc *)item)->name);
}

static uint32_t hash_name(pm_str name) {
  return (uint32_t)pm_hash_bytes(name.ptr, name.len, 1);
}

/* What the dialect brings and another one has: its name, or the name of an op. */
static bool has_own_names(pm_context *ctx, const pm_dialect *dialect) {
  for (size_t i = 0; i < ctx->dialects.len; i++)
    if (strcmp(ctx->dialects.data[i].dialect->name, dialect->name) == 0)
      return pm_error(ctx, PM_NO_LOC, "there is a dialect '%s' already", dialect->name);
  for (const pm_op_desc *const *op = dialect->ops; op && *op; op++)
    if (pm_find_op_desc(ctx, pm_str_of((*op)->name)))
      return pm_error(ctx, PM_NO_LOC, "the dialect '%s' has an op '%s' that exists already", dialect->name,
                      (*op)->name);
  return true;
}

bool pm_register_dialect(pm_context *ctx, const pm_dialect *dialect) {
  for (size_t i = 0; i < ctx->dialects.len; i++)
    if (ctx->dialects.data[i].dialect == dialect) return true;
  if (!has_own_names(ctx, dialect)) return false;
  void *data = dialect->new_data ? dialect->new_data(ctx) : NULL;
  PM_VEC_PUSH(ctx->dialects, ((pm_dialect_entry){dialect, data}));
  for (const pm_op_desc *const *op = dialect->ops; op && *op; op++)
    pm_intern_add(&ctx->ops, hash_name(pm_str_of((*op)->name)), *op);
  return true;
}

void *pm_dialect_data(pm_context *ctx, const pm_dialect *dialect) {
  for (size_t i = 0; i < ctx->dialects.len; i++)
    if (ctx->dialects.data[i].dialect == dialect) return ctx->dialects.data[i].data;
  return NULL;
}

const pm_op_desc *pm_find_op_desc(pm_context *ctx, pm_str name) {
  return pm_intern_find(&ctx->ops, hash_name(name), op_name_equal, &name);
}

void pm_allow_unregistered(pm_context *ctx) {
  ctx->allows_unregistered = true;
}

bool pm_has_unregistered(const pm_context *ctx) {
  return ctx->unregistered.len > 0;
}

static const pm_op_desc *new_unregistered_op(pm_context *ctx, pm_str name) {
  static const pm_row no_rows = {PM_ROW_END, NULL, 0, false, false, NULL};
  static const pm_rule no_rules = {NULL, NULL, NULL};
  pm_op_desc *desc = pm_arena_alloc(ctx->arena, sizeof *desc);
  *desc = (pm_op_desc){.name = pm_get_string(ctx, name)->text,
                       .doc = "an op of a dialect that is not loaded",
                       .traits = PM_UNREGISTERED | PM_READS | PM_WRITES,
                       .args = &no_rows,
                       .results = &no_rows,
                       .attrs = &no_rows,
                       .regions = &no_rows,
                       .variadic_arg = -1,
                       .variadic_result = -1,
                       .rules = &no_rules};
  return desc;
}

const pm_op_desc *pm_get_unregistered_op(pm_context *ctx, pm_str name) {
  const pm_op_desc *known = pm_intern_find(&ctx->unregistered, hash_name(name), op_name_equal, &name);
  if (known) return known;
  const pm_op_desc *made = new_unregistered_op(ctx, name);
  pm_intern_add(&ctx->unregistered, hash_name(name), made);
  return made;
}

const pm_row pm_any_params[] = {{PM_ROW_END, NULL, 0, false, false, NULL}};

static bool is_of_dialect_there(const pm_context *ctx, pm_str name) {
  for (size_t i = 0; i < pm_dialect_count(ctx); i++) {
    pm_str prefix = pm_str_of(pm_dialect_at(ctx, i)->name);
    if (name.len > prefix.len && name.ptr[prefix.len] == '.' && memcmp(name.ptr, prefix.ptr, prefix.len) == 0)
      return true;
  }
  return false;
}

const pm_unregistered_kind *pm_get_unregistered_kind(pm_context *ctx, pm_str name) {
  if (!ctx->allows_unregistered || is_of_dialect_there(ctx, name)) return NULL;
  for (size_t i = 0; i < ctx->unregistered_kinds.len; i++)
    if (pm_str_is(name, ctx->unregistered_kinds.data[i]->type.name)) return ctx->unregistered_kinds.data[i];
  static const char doc[] = "of a dialect that is not loaded";
  const char *kept = pm_get_string(ctx, name)->text;
  pm_unregistered_kind *kind = pm_arena_alloc(ctx->arena, sizeof *kind);
  *kind = (pm_unregistered_kind){.type = {.name = kept, .doc = doc, .params = pm_any_params},
                                 .attr = {.name = kept, .doc = doc, .params = pm_any_params}};
  PM_VEC_PUSH(ctx->unregistered_kinds, kind);
  return kind;
}

size_t pm_dialect_count(const pm_context *ctx) {
  return ctx->dialects.len;
}

const pm_dialect *pm_dialect_at(const pm_context *ctx, size_t i) {
  return ctx->dialects.data[i].dialect;
}

void pm_stop_at_serial(pm_context *ctx, uint32_t serial) {
  ctx->stop_serial = serial;
}
