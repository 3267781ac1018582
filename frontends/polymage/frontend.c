/* The row of the table of frontends: its options, as polymage_read takes them. */
#include "frontends/polymage/session.h"

#include <stdlib.h>

enum { OPTION_CONST, OPTION_RANGE, OPTION_LIVE_OUT, OPTION_FUNCTION, OPTION_NAME, N_OPTIONS };

static const pm_frontend_option options[] = {
    [OPTION_CONST] =
        {"const", PM_FRONTEND_CONST, "NAME=VALUE",
         "a compile-time constant of the program: a number, a word, or some with commas between"},
    [OPTION_RANGE] = {"range", PM_FRONTEND_RANGE, "IMAGE=LOW:HIGH",
                      "the elements of an image; one outside counts as the nearest end"},
    [OPTION_LIVE_OUT] = {"live-out", PM_FRONTEND_WORDS, "NAME,…", "the outputs of the program"},
    [OPTION_FUNCTION] = {"function", PM_FRONTEND_TEXT, "NAME", "the function that builds the pipeline"},
    [OPTION_NAME] = {"name", PM_FRONTEND_TEXT, "NAME", "of the function (default: the first output's)"},
    [N_OPTIONS] = {0}};

static void add_value(polymage_given *lists, const pm_frontend_value *value) {
  switch (value->option - options) {
  case OPTION_CONST:
    PM_VEC_PUSH(lists->consts, ((polymage_const){value->text, value->number, value->constant}));
    break;
  case OPTION_RANGE:
    PM_VEC_PUSH(lists->ranges, ((polymage_range){value->text, value->low, value->high}));
    break;
  case OPTION_LIVE_OUT:
    PM_VEC_PUSH(lists->live_outs, value->text);
    break;
  case OPTION_FUNCTION:
    lists->function = value->text;
    break;
  case OPTION_NAME:
    lists->name = value->text;
    break;
  }
}

polymage_given polymage_take_options(const pm_frontend_input *input) {
  polymage_given g = {0};
  for (size_t i = 0; i < input->n_values; i++) add_value(&g, &input->values[i]);
  g.options = (polymage_options){.folder_of = input->file,
                                 .function = g.function,
                                 .pipeline_name = g.name,
                                 .live_outs = g.live_outs.data,
                                 .n_live_outs = g.live_outs.len,
                                 .consts = g.consts.data,
                                 .n_consts = g.consts.len,
                                 .ranges = g.ranges.data,
                                 .n_ranges = g.ranges.len,
                                 .fp = input->fp};
  return g;
}

void polymage_given_free(polymage_given *g) {
  PM_VEC_FREE(g->consts);
  PM_VEC_FREE(g->ranges);
  PM_VEC_FREE(g->live_outs);
}

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  polymage_given given = polymage_take_options(input);
  pm_module *module = polymage_read(ctx, input->file, input->text, input->len, &given.options);
  polymage_given_free(&given);
  return module;
}

static const char *const extensions[] = {"py", "pm", NULL};

const pm_frontend polymage_frontend = {.name = "polymage",
                                       .language = "PolyMage",
                                       .extensions = extensions,
                                       .doc = "PolyMage's DSL with the Python around it",
                                       .options = options,
                                       .read = read_program,
                                       .session = &polymage_session};
