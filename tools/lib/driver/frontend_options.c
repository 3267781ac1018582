#include "tools/lib/driver/frontend_options.h"

#include <stdlib.h>

enum { FIRST_KEY = 0x100 };

/* --- the command line --- */

static size_t option_count(const pm_frontend *frontend) {
  size_t n = 0;
  while (frontend->options && frontend->options[n].name) n++;
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

const pm_frontend *pm_frontend_named(const pm_context *ctx, const char *name, struct argp_state *state) {
  const pm_frontend *frontend = pm_find_frontend(ctx, name);
  pm_buf known = {0};
  for (size_t i = 0; i < pm_frontend_count(ctx); i++)
    pm_buf_printf(&known, "%s%s", i ? "|" : "", pm_frontend_at(ctx, i)->name);
  if (!frontend) argp_error(state, "--from is '%s', but must be %s", name, known.data);
  pm_buf_free(&known);
  return frontend;
}
