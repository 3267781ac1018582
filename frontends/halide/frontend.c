/* The row of the table of frontends, and the way from text to a module. */
#include "frontends/frontend.h"
#include "dialects/stage/words.h"
#include "frontends/cxx/program.h"
#include "frontends/halide/evaluate/evaluate.h"
#include "frontends/halide/lower/lower.h"
#include "frontends/halide/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the program --- */

static void set_consts(cx_interp *in) {
  h_state *state = h_state_of(in);
  state->n_consts = state->options->n_consts;
  state->consts = pm_arena_alloc(in->arena, (state->n_consts + 1) * sizeof(*state->consts));
  for (size_t i = 0; i < state->n_consts; i++)
    state->consts[i] =
        (h_const_use){state->options->consts[i].name, state->options->consts[i].text, PM_NO_LOC, false};
}

static bool has_param(const h_program *p, const char *name) {
  for (uint32_t i = 0; i < p->inputs.len; i++)
    if (p->inputs.data[i]->kind == H_PARAM && strcmp(p->inputs.data[i]->name->text, name) == 0) return true;
  return false;
}

static void report_unused(cx_interp *in, pm_loc loc, const h_const_use *use) {
  if (use->loc.line)
    pm_error(in->ctx, use->loc,
             "the alias gives '%s' a value, the generator has no GeneratorParam of that name", use->name);
  else
    pm_error(in->ctx, loc, "--const %s: the program has no GeneratorParam of that name", use->name);
}

static void check_consts(cx_interp *in, pm_loc loc) {
  const h_state *state = h_state_of(in);
  for (size_t i = 0; i < state->n_consts; i++)
    if (!state->consts[i].used) report_unused(in, loc, &state->consts[i]);
  for (size_t i = 0; i < state->options->n_ranges; i++)
    if (!has_param(&state->program, state->options->ranges[i].name))
      pm_error(in->ctx, loc, "--range %s: the program has no scalar input of that name",
               state->options->ranges[i].name);
}

/* Runs the preludes and the program; false where it cannot go on. */
static bool run_program(cx_interp *in, const char *file, pm_str text, pm_loc loc) {
  h_state *state = h_state_of(in);
  for (size_t i = 0; i < state->options->n_preludes; i++)
    if (!cx_include(in, pm_xstrdup(state->options->preludes[i])))
      pm_error(in->ctx, loc, "--include %s: the file cannot be read", state->options->preludes[i]);
  state->generator = NULL;
  state->generator_name = NULL;
  if (!in->stopped) cx_run_text(in, loc.file, file, text);
  if (!in->stopped) h_run_generator(in, loc);
  if (!in->stopped) check_consts(in, loc);
  return !in->stopped;
}

static void put_clamp(pm_buf *out, const char *low, const char *high) {
  pm_buf_printf(out, "clamp(index, %s, %s)", low, high);
}

static void put_boundary(pm_buf *out, const char *stage) {
  pm_buf_printf(out, "a boundary condition, such as BoundaryConditions::repeat_edge(%s),", stage);
}

void halide_set_words(pm_context *ctx) {
  static const stage_words words = {put_clamp, put_boundary};
  stage_set_words(ctx, &words);
}

pm_module *halide_read(pm_context *ctx, const char *file, const char *text, size_t len,
                       const halide_options *options) {
  cx_interp in;
  h_state state;
  pm_module *module = NULL;
  unsigned errors = pm_error_count(ctx);
  h_begin(&in, &state, ctx, options, file);
  set_consts(&in);
  pm_loc loc = {.file = pm_add_source(ctx, file, text, len)};
  halide_set_words(ctx);
  if (run_program(&in, file, (pm_str){text, len}, loc) && pm_error_count(ctx) == errors) {
    const char *name = options->pipeline_name;
    if (!name && state.generator_name) name = state.generator_name->text;
    if (state.generator) loc = state.generator->loc;
    module = lower_halide(&state.program, options, loc, name);
  }
  h_end(&in);
  return module;
}

/* --- options --- */

enum { OPTION_CONST, OPTION_RANGE, OPTION_GENERATOR, OPTION_NAME, OPTION_FOLDER, OPTION_PRELUDE, N_OPTIONS };

static const pm_frontend_option options[] = {
    [OPTION_CONST] = {"const", PM_FRONTEND_CONST, "NAME=VALUE",
                      "the value of a GeneratorParam; of a port NAME.type, NAME.dim and NAME.size"},
    [OPTION_RANGE] = {"range", PM_FRONTEND_RANGE, "NAME=LOW:HIGH",
                      "what a scalar input may be; floats outside count as the nearest end"},
    [OPTION_GENERATOR] = {"generator", PM_FRONTEND_TEXT, "NAME",
                          "the generator, of several in one file (default: the last)"},
    [OPTION_NAME] = {"name", PM_FRONTEND_TEXT, "NAME",
                     "of the function (default: the generator's, or the first output's)"},
    [OPTION_FOLDER] = {"I", PM_FRONTEND_TEXT, "DIR",
                       "where headers are that are not beside the file; may be repeated"},
    [OPTION_PRELUDE] = {"include", PM_FRONTEND_TEXT, "FILE",
                        "C++ that is read before the program, functions of another file; may be repeated"},
    [N_OPTIONS] = {0}};

halide_given halide_take_options(const pm_frontend_input *input) {
  halide_given g = {
      .options = {.fp = input->fp, .has_groups = input->has_groups, .no_schedule = input->no_schedule},
      .arena = pm_arena_new()};
  for (size_t i = 0; i < input->n_values; i++) {
    const pm_frontend_value *v = &input->values[i];
    char number[32];
    snprintf(number, sizeof(number), "%lld", (long long)v->number);
    switch (v->option - options) {
    case OPTION_CONST:
      PM_VEC_PUSH(g.consts,
                  ((halide_const){v->text, v->constant ? v->constant
                                                       : pm_arena_strndup(g.arena, number, strlen(number))}));
      break;
    case OPTION_RANGE:
      PM_VEC_PUSH(g.ranges, ((halide_range){v->text, v->low, v->high}));
      break;
    case OPTION_GENERATOR:
      g.options.generator = v->text;
      break;
    case OPTION_FOLDER:
      PM_VEC_PUSH(g.folders, v->text);
      break;
    case OPTION_PRELUDE:
      PM_VEC_PUSH(g.preludes, v->text);
      break;
    default:
      g.options.pipeline_name = v->text;
      break;
    }
  }
  g.options.folders = g.folders.data;
  g.options.n_folders = g.folders.len;
  g.options.preludes = g.preludes.data;
  g.options.n_preludes = g.preludes.len;
  g.options.consts = g.consts.data;
  g.options.n_consts = g.consts.len;
  g.options.ranges = g.ranges.data;
  g.options.n_ranges = g.ranges.len;
  return g;
}

void halide_given_free(halide_given *g) {
  PM_VEC_FREE(g->folders);
  PM_VEC_FREE(g->preludes);
  PM_VEC_FREE(g->consts);
  PM_VEC_FREE(g->ranges);
  pm_arena_free(g->arena);
}

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  halide_given given = halide_take_options(input);
  pm_module *module = halide_read(ctx, input->file, input->text, input->len, &given.options);
  halide_given_free(&given);
  return module;
}

static const char *const extensions[] = {"cpp", "cc", "cxx", "hl", NULL};

const pm_frontend halide_frontend = {.name = "halide",
                                     .language = "Halide",
                                     .extensions = extensions,
                                     .doc = "Halide's generators and the C++ around them",
                                     .options = options,
                                     .read = read_program,
                                     .session = &halide_session};
