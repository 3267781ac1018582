/* Names that isl and C accept, each used once. */
#include "frontends/kit/kit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const words_of_c[] = {
    "auto",   "break",    "case",     "char",     "const", "continue", "default", "do",     "double",
    "else",   "enum",     "extern",   "float",    "for",   "goto",     "if",      "inline", "int",
    "long",   "register", "restrict", "return",   "short", "signed",   "sizeof",  "static", "struct",
    "switch", "typedef",  "union",    "unsigned", "void",  "volatile", "while",   "main"};

/* isl reads them in capitals, too. */
static const char *const words_of_isl[] = {"and",   "or",       "not",   "exists", "mod",   "floor",
                                           "ceil",  "floord",   "ceild", "min",    "max",   "implies",
                                           "infty", "infinity", "nan",   "true",   "false", "rat"};

static bool is_reserved(const char *text) {
  for (size_t i = 0; i < PM_COUNT(words_of_c); i++)
    if (strcmp(text, words_of_c[i]) == 0) return true;
  for (size_t i = 0; i < PM_COUNT(words_of_isl); i++)
    if (strcasecmp(text, words_of_isl[i]) == 0) return true;
  return false;
}

const char *kit_why_renamed(const char *text) {
  if (is_reserved(text)) return "is a word of C or isl";
  if (!isalpha((unsigned char)*text)) return "does not begin with a letter";
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && *text != '_') return "has more than letters, digits and _";
  return NULL;
}

pm_string kit_identifier(pm_context *ctx, const char *text) {
  pm_buf name = {0};
  if (!isalpha((unsigned char)*text)) pm_buf_puts(&name, "s_");
  for (; *text; text++) pm_buf_putc(&name, isalnum((unsigned char)*text) ? *text : '_');
  if (is_reserved(name.data)) pm_buf_putc(&name, '_');
  pm_string result = pm_get_string(ctx, (pm_str){name.data, name.len});
  pm_buf_free(&name);
  return result;
}

void kit_names_init(kit_names *names, pm_context *ctx) {
  *names = (kit_names){ctx, pm_map_new(), pm_map_new()};
}

void kit_names_free(kit_names *names) {
  pm_map_free(names->taken);
  pm_map_free(names->next);
}

/* `next` remembers where the counting of a base ended. */
pm_string kit_names_find(kit_names *names, const char *wanted) {
  pm_string base = kit_identifier(names->ctx, wanted);
  if (!pm_map_has(names->taken, base)) return base;
  for (uintptr_t n = (uintptr_t)pm_map_get(names->next, base) + 1;; n++) {
    pm_buf name = {0};
    pm_buf_printf(&name, "%s_%zu", base->text, (size_t)n);
    pm_string candidate = pm_get_string(names->ctx, (pm_str){name.data, name.len});
    pm_buf_free(&name);
    if (pm_map_has(names->taken, candidate)) continue;
    pm_map_set(names->next, base, (void *)n);
    return candidate;
  }
}

void kit_names_take(kit_names *names, pm_string name) {
  pm_map_set(names->taken, name, (void *)name);
}
