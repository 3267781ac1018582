/* Rewrites the text that isl gives: `-5 + 2C` becomes `2*C - 5`. */
#include "dialects/isl/conditions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The text from `text` on up to the character behind the last digit. */
static const char *skip_digits(const char *text) {
  while (isdigit((unsigned char)*text)) text++;
  return text;
}

static const char *skip_name(const char *text) {
  while (isalnum((unsigned char)*text) || *text == '_' || *text == '\'') text++;
  return text;
}

static bool begins_name(char c) {
  return isalpha((unsigned char)c) || c == '_';
}

/* `2C`, a number before a name, or a name alone; NULL when it is something else. */
static const char *end_of_term(const char *text) {
  const char *name = skip_digits(text);
  return begins_name(*name) ? skip_name(name) : NULL;
}

static void put_term(pm_buf *out, const char *text, const char *end) {
  const char *name = skip_digits(text);
  if (name > text) pm_buf_printf(out, "%.*s*", (int)(name - text), text);
  pm_buf_put(out, name, (size_t)(end - name));
}

/* A constant, ` + ` and a term at `text`, which begins an expression: the term first. The end of them, or
 * NULL when something else is there. */
static const char *put_turned(pm_buf *out, const char *text) {
  bool negative = *text == '-';
  const char *digits = text + negative, *end = skip_digits(digits);
  if (end == digits || strncmp(end, " + ", 3) != 0) return NULL;
  const char *term = end + 3, *term_end = end_of_term(term);
  if (!term_end) return NULL;
  put_term(out, term, term_end);
  pm_buf_printf(out, " %c %.*s", negative ? '-' : '+', (int)(end - digits), digits);
  return term_end;
}

/* What comes before is no operand. */
static bool begins_expression(const pm_buf *out, size_t first) {
  size_t at = out->len;
  while (at > first && out->data[at - 1] == ' ') at--;
  if (at == first || strchr("<>=(,:", out->data[at - 1])) return true;
  return at >= first + 3 &&
         (memcmp(&out->data[at - 3], "and", 3) == 0 || memcmp(&out->data[at - 2], "or", 2) == 0);
}

/* `(R)` at `text`, which is no argument: the end of it, with the name put; else NULL. */
static const char *put_bare(pm_buf *out, const char *text) {
  bool argument =
      out->len && (isalnum((unsigned char)out->data[out->len - 1]) || out->data[out->len - 1] == '_');
  if (*text != '(' || argument || !begins_name(text[1])) return NULL;
  const char *end = skip_name(text + 1);
  if (*end != ')') return NULL;
  pm_buf_put(out, text + 1, (size_t)(end - text - 1));
  return end + 1;
}

static void put_rewritten(pm_buf *out, const char *text, const char *end) {
  size_t first = out->len;
  while (text < end) {
    const char *next = begins_expression(out, first) ? put_turned(out, text) : NULL;
    if (!next) next = put_bare(out, text);
    bool term = !next && (isdigit((unsigned char)*text) || begins_name(*text));
    if (term) {
      next = end_of_term(text);
      if (next)
        put_term(out, text, next);
      else
        pm_buf_put(out, text, (size_t)((next = skip_digits(text)) - text));
    }
    if (!next) pm_buf_putc(out, *text++);
    if (next) text = next;
  }
}

/* The conditions of `[R] -> { : … }`. */
static void put_between(pm_buf *out, const char *text) {
  const char *begin = strchr(text, '{'), *end = strrchr(text, '}');
  const char *colon = begin ? strchr(begin, ':') : NULL, *first = colon ? colon + 1 : end;
  while (first < end && *first == ' ') first++;
  while (first < end && end[-1] == ' ') end--;
  if (first < end)
    put_rewritten(out, first, end);
  else
    pm_buf_puts(out, "anything");
}

/* Dimensions become parameters: isl would put what holds of them into the tuple. */
static isl_set *without_tuple(const isl_set *set, const pm_string *names) {
  isl_set *all = isl_set_reset_tuple_id(isl_set_copy((isl_set *)set));
  unsigned n = (unsigned)isl_set_dim(all, isl_dim_set), first = (unsigned)isl_set_dim(all, isl_dim_param);
  all = isl_set_move_dims(all, isl_dim_param, first, isl_dim_set, 0, n);
  for (unsigned d = 0; d < n; d++) all = isl_set_set_dim_name(all, isl_dim_param, first + d, names[d]->text);
  return isl_set_params(all);
}

void isl_put_conditions(pm_buf *out, const isl_set *set, const pm_string *names) {
  bool has_tuple = isl_set_is_params((isl_set *)set) != isl_bool_true;
  isl_set *all = has_tuple ? without_tuple(set, names) : isl_set_copy((isl_set *)set);
  char *text = isl_set_to_str(all);
  if (isl_set_is_empty(all) == isl_bool_true)
    pm_buf_puts(out, "nothing");
  else
    put_between(out, text ? text : "");
  free(text);
  isl_set_free(all);
}
