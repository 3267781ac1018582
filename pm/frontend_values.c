#include "pm/frontend_values.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void pm_frontend_values_free(pm_frontend_values *values) {
  for (size_t i = 0; i < values->owned.len; i++) free(values->owned.data[i]);
  PM_VEC_FREE(values->owned);
  PM_VEC_FREE(values->values);
  PM_VEC_FREE(values->given);
}

const char *pm_option_dashes(const char *name) {
  return name[1] ? "--" : "-";
}

/* The name before '=' of a text that has one, else NULL. */
static char *take_name(pm_frontend_values *values, const char *text) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text) return NULL;
  char *name = pm_xstrndup(text, (size_t)(equals - text));
  PM_VEC_PUSH(values->owned, name);
  return name;
}

static bool bad_value(const pm_frontend_option *option, const char *text, const char *more, pm_buf *error) {
  return pm_failf(error, "%s%s '%s' is not %s%s", pm_option_dashes(option->name), option->name, text,
                  option->form, more);
}

static bool read_text(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                      pm_buf *error) {
  (void)error;
  PM_VEC_PUSH(values->values, ((pm_frontend_value){.option = option, .text = text}));
  return true;
}

static bool read_words(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                       pm_buf *error) {
  char *words = pm_xstrdup(text), *rest = NULL;
  size_t before = values->values.len;
  PM_VEC_PUSH(values->owned, words);
  for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
    PM_VEC_PUSH(values->values, ((pm_frontend_value){.option = option, .text = word}));
  return values->values.len > before || pm_failf(error, "--%s has no name", option->name);
}

static bool read_int(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                     pm_buf *error) {
  pm_frontend_value value = {.option = option, .text = take_name(values, text)};
  const char *equals = strchr(text, '=');
  char *end = NULL;
  errno = 0;
  value.number = value.text ? strtoll(equals + 1, &end, 0) : 0;
  if (!value.text || end == equals + 1 || *end || errno) return bad_value(option, text, "", error);
  PM_VEC_PUSH(values->values, value);
  return true;
}

/* A word, or a number to its end. */
static bool is_constant(const char *text, size_t len) {
  char *item = pm_xstrndup(text, len), *end = item;
  bool word = isalpha((unsigned char)*item) || *item == '_';
  if (!word) (void)strtod(item, &end);
  bool ok = len > 0 && (word || !*end);
  free(item);
  return ok;
}

static bool read_const(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                       pm_buf *error) {
  pm_frontend_value value = {.option = option, .text = take_name(values, text)};
  const char *equals = strchr(text, '=');
  bool ok = value.text && equals[1];
  for (const char *at = equals; ok && at; at = strchr(at + 1, ','))
    if (at[1] || at == equals) ok = is_constant(at + 1, strcspn(at + 1, ","));
  if (!ok)
    return bad_value(option, text, ", the value a number or a word, or some with commas between", error);
  char *end = NULL;
  errno = 0;
  value.number = strtoll(equals + 1, &end, 0);
  if (*end || errno) value.constant = equals + 1;
  PM_VEC_PUSH(values->values, value);
  return true;
}

static bool read_range(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                       pm_buf *error) {
  pm_frontend_value value = {.option = option, .text = take_name(values, text)};
  const char *equals = strchr(text, '=');
  char *colon = NULL, *end = NULL;
  value.low = value.text ? strtod(equals + 1, &colon) : 0;
  bool ok = value.text && colon != equals + 1 && *colon == ':';
  value.high = ok ? strtod(colon + 1, &end) : 0;
  if (!ok || end == colon + 1 || *end || !(value.low <= value.high) || !isfinite(value.low) ||
      !isfinite(value.high))
    return bad_value(option, text, " with two numbers, the lower first", error);
  PM_VEC_PUSH(values->values, value);
  return true;
}

typedef bool (*value_reader)(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                             pm_buf *error);

bool pm_frontend_values_read(pm_frontend_values *values, const pm_frontend *frontend, pm_buf *error) {
  static const value_reader readers[] = {[PM_FRONTEND_TEXT] = read_text,
                                         [PM_FRONTEND_WORDS] = read_words,
                                         [PM_FRONTEND_INT] = read_int,
                                         [PM_FRONTEND_CONST] = read_const,
                                         [PM_FRONTEND_RANGE] = read_range};
  for (size_t i = 0; i < values->given.len; i++) {
    pm_given_option given = values->given.data[i];
    const pm_frontend_option *option = pm_find_frontend_option(frontend, given.name);
    if (option && !readers[option->kind](values, option, given.text, error)) return false;
  }
  return true;
}

const char *pm_frontend_foreign_option(const pm_frontend_values *values, const pm_frontend *frontend) {
  for (size_t i = 0; i < values->given.len; i++)
    if (!pm_find_frontend_option(frontend, values->given.data[i].name)) return values->given.data[i].name;
  return NULL;
}
