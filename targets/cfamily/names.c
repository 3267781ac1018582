/* Identifiers of the emitted text: none that the language takes, none twice in a scope. */
#include <stdlib.h>
#include <string.h>

#include "targets/cfamily/cfamily.h"

static bool is_among(const char *const *names, const char *text, size_t len) {
  for (; names && *names; names++)
    if (!strncmp(text, *names, len) && !(*names)[len]) return true;
  return false;
}

static bool starts_with(const char *text, const char *start) {
  return !strncmp(text, start, strlen(start));
}

static bool ends_with(const char *text, const char *end) {
  size_t len = strlen(text), n = strlen(end);
  return len > n && !strcmp(text + len - n, end);
}

/* Also with an ending that makes another name of it. */
static bool is_variant_among(const c_words *words, const char *const *names, const char *text) {
  size_t len = strlen(text);
  if (is_among(names, text, len)) return true;
  for (const char *const *end = words->variants; end && *end; end++)
    if (ends_with(text, *end) && is_among(names, text, len - strlen(*end))) return true;
  return false;
}

static bool has_taken_start(const c_words *words, const char *text) {
  for (const char *const *start = words->starts; start && *start; start++)
    if (starts_with(text, *start)) return true;
  return false;
}

static bool is_reserved(const c_words *words, const char *text) {
  for (const char *const *end = words->ends; end && *end; end++)
    if (ends_with(text, *end)) return true;
  return has_taken_start(words, text) || is_variant_among(words, words->reserved, text);
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A letter in front of what may not begin a name, a line behind what may not be one. */
static void put_identifier(const c_words *words, pm_buf *out, pm_str text) {
  for (size_t i = 0; i < text.len; i++) pm_buf_putc(out, is_word(text.ptr[i]) ? text.ptr[i] : '_');
  pm_buf_puts(out, "");
  bool digit = !text.len || (text.ptr[0] >= '0' && text.ptr[0] <= '9');
  if (digit || has_taken_start(words, out->data)) {
    pm_buf prefixed = {0};
    pm_buf_printf(&prefixed, "v%s%s", digit || out->data[0] == '_' ? "" : "_", out->data);
    pm_buf_free(out);
    *out = prefixed;
  }
  if (is_reserved(words, out->data)) pm_buf_putc(out, '_');
}

const char *c_identifier(const c_names *names, pm_str text) {
  pm_buf buf = {0};
  put_identifier(names->words, &buf, text);
  pm_string name = pm_get_string(names->ctx, (pm_str){buf.data, buf.len});
  pm_buf_free(&buf);
  return name->text;
}

const char *c_function_identifier(const c_names *names, pm_str text) {
  const char *name = c_identifier(names, text);
  if (!is_variant_among(names->words, names->words->library, name)) return name;
  pm_buf buf = {0};
  pm_buf_printf(&buf, "%s_", name);
  pm_string longer = pm_get_string(names->ctx, (pm_str){buf.data, buf.len});
  pm_buf_free(&buf);
  return longer->text;
}

void c_names_init(c_names *names, pm_context *ctx, const c_words *words) {
  *names = (c_names){.ctx = ctx, .words = words, .taken = pm_map_new(), .next = pm_map_new()};
}

void c_names_free(c_names *names) {
  pm_map_free(names->taken);
  pm_map_free(names->next);
  PM_VEC_FREE(names->scope);
}

static bool take(c_names *names, pm_string name) {
  if (pm_map_has(names->taken, name)) return false;
  pm_map_set(names->taken, name, NULL);
  PM_VEC_PUSH(names->scope, name);
  return true;
}

static pm_string numbered(c_names *names, pm_string base) {
  uintptr_t n = (uintptr_t)pm_map_get(names->next, base) + 1;
  pm_map_set(names->next, base, (void *)n);
  pm_buf buf = {0};
  pm_buf_printf(&buf, "%s_%zu", base->text, (size_t)n);
  pm_string name = pm_get_string(names->ctx, (pm_str){buf.data, buf.len});
  pm_buf_free(&buf);
  return name;
}

const char *c_new_name(c_names *names, pm_str hint) {
  pm_string base = pm_get_cstring(names->ctx, c_identifier(names, hint));
  pm_string name = base;
  while (!take(names, name)) name = numbered(names, base);
  return name->text;
}

size_t c_open_scope(const c_names *names) {
  return names->scope.len;
}

void c_close_scope(c_names *names, size_t mark) {
  while (names->scope.len > mark) pm_map_remove(names->taken, PM_VEC_POP(names->scope));
}
