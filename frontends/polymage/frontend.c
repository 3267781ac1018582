/* The row of the table of frontends: its options, as polymage_read takes them. */
#include "frontends/polymage/polymage.h"

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

typedef struct option_lists {
  PM_VEC(polymage_const) consts;
  PM_VEC(polymage_range) ranges;
  PM_VEC(const char *) live_outs;
  const char *function, *name;
} option_lists;

static void add_value(option_lists *lists, const pm_frontend_value *value) {
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

static pm_module *read_with(pm_context *ctx, const pm_frontend_input *input, const option_lists *lists) {
  polymage_options given = {.folder_of = input->file,
                            .function = lists->function,
                            .pipeline_name = lists->name,
                            .live_outs = lists->live_outs.data,
                            .n_live_outs = lists->live_outs.len,
                            .consts = lists->consts.data,
                            .n_consts = lists->consts.len,
                            .ranges = lists->ranges.data,
                            .n_ranges = lists->ranges.len,
                            .fp = input->fp};
  return polymage_read(ctx, input->file, input->text, input->len, &given);
}

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  option_lists lists = {0};
  for (size_t i = 0; i < input->n_values; i++) add_value(&lists, &input->values[i]);
  pm_module *module = read_with(ctx, input, &lists);
  PM_VEC_FREE(lists.consts);
  PM_VEC_FREE(lists.ranges);
  PM_VEC_FREE(lists.live_outs);
  return module;
}

static const char *const extensions[] = {"py", "pm", NULL};

const pm_frontend polymage_frontend = {.name = "polymage",
                                       .language = "PolyMage",
                                       .extensions = extensions,
                                       .doc = "PolyMage's DSL with the Python around it",
                                       .options = options,
                                       .read = read_program};
