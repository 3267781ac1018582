#include "tools/lib/driver/frontend_options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_KEY = 0x100 };

void pm_frontend_values_free(pm_frontend_values *values) {
  for (size_t i = 0; i < values->owned.len; i++) free(values->owned.data[i]);
  PM_VEC_FREE(values->owned);
  PM_VEC_FREE(values->values);
  PM_VEC_FREE(values->given);
}

/* --- the command line --- */

static size_t option_count(const pm_frontend *frontend) {
  size_t n = 0;
  while (frontend->options[n].name) n++;
  return n;
}

static int key_of(const pm_frontend *frontend, size_t i) {
  const char *name = frontend->options[i].name;
  return name[1] ? FIRST_KEY + (int)i : name[0];
}

static error_t note_option(int key, char *arg, struct argp_state *state) {
  const pm_frontend_argp *part = state->input;
  size_t i = 0, n = option_count(part->frontend);
  while (i < n && key_of(part->frontend, i) != key) i++;
  if (i == n) return ARGP_ERR_UNKNOWN;
  pm_given_option given = {part->frontend->options[i].name, arg};
  PM_VEC_PUSH(part->into->given, given);
  return 0;
}

/* The first row only says what the frontend is. */
static struct argp_option *rows_of(const pm_frontend_argp *part) {
  const pm_frontend *frontend = part->frontend;
  size_t n = option_count(frontend);
  struct argp_option *rows = pm_xcalloc(n + 2, sizeof *rows);
  rows[0] = (struct argp_option){part->choice, 0, NULL, OPTION_DOC, part->doc, 0};
  for (size_t i = 0; i < n; i++) {
    const pm_frontend_option *option = &frontend->options[i];
    rows[i + 1] = (struct argp_option){
        option->name[1] ? option->name : NULL, key_of(frontend, i), option->form, 0, option->doc, 0};
  }
  return rows;
}

static void init_argp(pm_frontend_argp *part, const pm_frontend *frontend, pm_frontend_values *into) {
  pm_buf heading = {0}, choice = {0}, doc = {0};
  pm_buf_printf(&heading, "Programs in %s:", frontend->language);
  pm_buf_printf(&choice, "--from=%s", frontend->name);
  pm_buf_puts(&doc, frontend->doc);
  for (const char *const *e = frontend->extensions; *e; e++)
    pm_buf_printf(&doc, "%s.%s", e == frontend->extensions ? " (" : " ", *e);
  pm_buf_puts(&doc, *frontend->extensions ? ")" : "");
  *part = (pm_frontend_argp){frontend, into, .heading = pm_buf_take(&heading), .choice = pm_buf_take(&choice),
                             .doc = pm_buf_take(&doc)};
  part->rows = rows_of(part);
  part->argp = (struct argp){.options = part->rows, .parser = note_option};
}

pm_frontend_argp *pm_frontend_argps_new(const pm_context *ctx, pm_frontend_values *into) {
  size_t n = pm_frontend_count(ctx);
  pm_frontend_argp *argps = pm_xcalloc(n + 1, sizeof *argps);
  for (size_t i = 0; i < n; i++) init_argp(&argps[i], pm_frontend_at(ctx, i), into);
  return argps;
}

void pm_frontend_argps_free(pm_frontend_argp *argps, size_t n) {
  for (size_t i = 0; i < n; i++) {
    free(argps[i].rows);
    free(argps[i].heading);
    free(argps[i].choice);
    free(argps[i].doc);
  }
  free(argps);
}

/* --- values --- */

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

static void bad_value(const pm_frontend_option *option, const char *text, const char *more,
                      struct argp_state *state) {
  argp_error(state, "%s%s '%s' is not %s%s", pm_option_dashes(option->name), option->name, text, option->form,
             more);
}

static void read_text(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                      struct argp_state *state) {
  (void)state;
  PM_VEC_PUSH(values->values, ((pm_frontend_value){.option = option, .text = text}));
}

static void read_words(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                       struct argp_state *state) {
  char *words = pm_xstrdup(text), *rest = NULL;
  size_t before = values->values.len;
  PM_VEC_PUSH(values->owned, words);
  for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
    PM_VEC_PUSH(values->values, ((pm_frontend_value){.option = option, .text = word}));
  if (values->values.len == before) argp_error(state, "--%s has no name", option->name);
}

static void read_int(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                     struct argp_state *state) {
  pm_frontend_value value = {.option = option, .text = take_name(values, text)};
  const char *equals = strchr(text, '=');
  char *end = NULL;
  errno = 0;
  value.number = value.text ? strtoll(equals + 1, &end, 0) : 0;
  if (!value.text || end == equals + 1 || *end || errno) bad_value(option, text, "", state);
  PM_VEC_PUSH(values->values, value);
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

static void read_const(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                       struct argp_state *state) {
  pm_frontend_value value = {.option = option, .text = take_name(values, text)};
  const char *equals = strchr(text, '=');
  bool ok = value.text && equals[1];
  for (const char *at = equals; ok && at; at = strchr(at + 1, ','))
    if (at[1] || at == equals) ok = is_constant(at + 1, strcspn(at + 1, ","));
  if (!ok) bad_value(option, text, ", the value a number or a word, or some with commas between", state);
  char *end = NULL;
  errno = 0;
  value.number = ok ? strtoll(equals + 1, &end, 0) : 0;
  if (ok && (*end || errno)) value.constant = equals + 1;
  PM_VEC_PUSH(values->values, value);
}

static void read_range(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                       struct argp_state *state) {
  pm_frontend_value value = {.option = option, .text = take_name(values, text)};
  const char *equals = strchr(text, '=');
  char *colon = NULL, *end = NULL;
  value.low = value.text ? strtod(equals + 1, &colon) : 0;
  bool ok = value.text && colon != equals + 1 && *colon == ':';
  value.high = ok ? strtod(colon + 1, &end) : 0;
  if (!ok || end == colon + 1 || *end || !(value.low <= value.high) || !isfinite(value.low) ||
      !isfinite(value.high))
    bad_value(option, text, " with two numbers, the lower first", state);
  PM_VEC_PUSH(values->values, value);
}

typedef void (*value_reader)(pm_frontend_values *values, const pm_frontend_option *option, const char *text,
                             struct argp_state *state);

void pm_frontend_values_read(pm_frontend_values *values, const pm_frontend *frontend,
                             struct argp_state *state) {
  static const value_reader readers[] = {[PM_FRONTEND_TEXT] = read_text,
                                         [PM_FRONTEND_WORDS] = read_words,
                                         [PM_FRONTEND_INT] = read_int,
                                         [PM_FRONTEND_CONST] = read_const,
                                         [PM_FRONTEND_RANGE] = read_range};
  for (size_t i = 0; i < values->given.len; i++) {
    pm_given_option given = values->given.data[i];
    const pm_frontend_option *option = pm_find_frontend_option(frontend, given.name);
    if (option) readers[option->kind](values, option, given.text, state);
  }
}

const char *pm_frontend_foreign_option(const pm_frontend_values *values, const pm_frontend *frontend) {
  for (size_t i = 0; i < values->given.len; i++)
    if (!pm_find_frontend_option(frontend, values->given.data[i].name)) return values->given.data[i].name;
  return NULL;
}
