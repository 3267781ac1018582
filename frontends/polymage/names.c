/* Final names: identifiers of isl and C, unique among parameters, images and stages. */
#include "frontends/polymage/lower.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const reserved[] = {
    "auto",    "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
    "else",    "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
    "long",    "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
    "switch",  "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "and",    "or",
    "not",     "exists",   "mod",      "floor",    "ceil",  "floord",   "ceild",   "min",    "max",
    "implies", "infty",    "infinity", "NaN",      "true",  "false",    "rat",     "main",
};

static bool is_reserved(const char *text) {
  for (size_t i = 0; i < PM_COUNT(reserved); i++)
    if (strcmp(text, reserved[i]) == 0) return true;
  return false;
}

pm_string lower_identifier(pm_context *ctx, const char *text) {
  pm_buf name = {0};
  if (!isalpha((unsigned char)*text)) pm_buf_puts(&name, "s_");
  for (; *text; text++) pm_buf_putc(&name, isalnum((unsigned char)*text) ? *text : '_');
  if (is_reserved(name.data)) pm_buf_putc(&name, '_');
  pm_string result = pm_get_string(ctx, (pm_str){name.data, name.len});
  pm_buf_free(&name);
  return result;
}

static const char *fallback(const dsl_symbol *symbol) {
  switch (symbol->kind) {
  case DSL_PARAMETER:
    return "param";
  case DSL_VARIABLE:
    return "x";
  case DSL_IMAGE:
    return "img";
  case DSL_FUNCTION:
    return "f";
  }
  return "s";
}

/* `base`, or base_1, base_2 … when it is taken. `next` remembers where the counting of a base ended. */
static pm_string unique(pm_context *ctx, pm_string base, const pm_map *taken, pm_map *next) {
  if (!pm_map_has(taken, base)) return base;
  for (uintptr_t n = (uintptr_t)pm_map_get(next, base) + 1;; n++) {
    pm_buf name = {0};
    pm_buf_printf(&name, "%s_%zu", base->text, (size_t)n);
    pm_string candidate = pm_get_string(ctx, (pm_str){name.data, name.len});
    pm_buf_free(&name);
    if (pm_map_has(taken, candidate)) continue;
    pm_map_set(next, base, (void *)n);
    return candidate;
  }
}

static void name_symbol(dsl_program *program, dsl_symbol *symbol, pm_map *taken, pm_map *next) {
  const char *given = symbol->given && symbol->given->len > 0 ? symbol->given->text : fallback(symbol);
  symbol->name = unique(program->ctx, lower_identifier(program->ctx, given), taken, next);
  if (symbol->kind != DSL_VARIABLE) pm_map_set(taken, symbol->name, symbol);
}

/* Explicit names are kept before derived ones; variables need only differ from parameters. */
void lower_names(dsl_program *program) {
  pm_map *taken = pm_map_new(), *params = pm_map_new(), *next = pm_map_new();
  for (int derived = 0; derived < 2; derived++)
    for (size_t i = 0; i < program->symbols.len; i++) {
      dsl_symbol *symbol = program->symbols.data[i];
      if (symbol->kind == DSL_VARIABLE || symbol->explicit_name == (derived != 0)) continue;
      name_symbol(program, symbol, taken, next);
      if (symbol->kind == DSL_PARAMETER) pm_map_set(params, symbol->name, symbol);
    }
  for (size_t i = 0; i < program->symbols.len; i++)
    if (program->symbols.data[i]->kind == DSL_VARIABLE)
      name_symbol(program, program->symbols.data[i], params, next);
  pm_map_free(taken);
  pm_map_free(params);
  pm_map_free(next);
}
