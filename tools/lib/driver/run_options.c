#include "tools/lib/driver/run_options.h"

#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/tuned.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPT_OUT = 0x200,
  OPT_CHECK,
  OPT_BENCH,
  OPT_AGAINST,
  OPT_BENCH_JSON,
  OPT_PROFILE,
  OPT_DUMP_SOURCE,
  OPT_KEEP,
  OPT_SCALE_OUT,
  OPT_DEPTH,
  OPT_REPEAT,
  OPT_FEED,
  OPT_TOLERANCE,
  OPT_NO_CACHE,
  OPT_REGION,
  OPT_NEEDS
};

static const struct argp_option option_rows[] = {
    {"out", OPT_OUT, "NAME=FILE", 0,
     "where an output goes: .png .pgm .ppm .pfm .tif .jpg .exr .npy .txt .csv", -3},
    {"scale-out", OPT_SCALE_OUT, "unit|none|auto|NUMBER", 0,
     "values to samples: 'unit' 0..1 to the whole range (default), 'none' as they are, 'auto' smallest to "
     "black and greatest to white, or a number, which is white",
     -3},
    {"depth", OPT_DEPTH, "8|16", 0, "bits of the samples of pictures (default: those of u8 and u16, else 8)",
     -3},
    {0, 0, 0, 0, "What to do:", -2},
    {"check", OPT_CHECK, "EPSILON", OPTION_ARG_OPTIONAL,
     "compare with the reference interpreter: floats bit by bit with --fp=strict, else within EPSILON "
     "(1e-5); if something differs, --fp=strict is tried, too",
     -2},
    {"tolerance", OPT_TOLERANCE, "SHARE", 0,
     "with --check: the share of an output's elements that may differ, as 0.001 or 0.1% (default: 0)", -2},
    {"repeat", OPT_REPEAT, "N", 0,
     "call the pipeline N times, outputs of a call being inputs of the next; %d in the name of an --out file "
     "is the number of the call",
     -2},
    {"feed", OPT_FEED, "OUT=IN", 0,
     "with --repeat: output OUT is input IN of the next call (may be left out if only one pair agrees)", -2},
    {"bench", OPT_BENCH, "N|SECONDSs", OPTION_ARG_OPTIONAL,
     "measure N calls, or for about so many seconds, as 0.5s (default: 1s)", -2},
    {"against", OPT_AGAINST, "VARIANT", 0,
     "with --bench: call also the program optimized in another way, alternately, and compare times and "
     "values; VARIANT is naive, options of optimizer and compiler in one word, or FILE.c or "
     "FILE.so with a function of the same name and parameters; may be repeated",
     -2},
    {"profile", OPT_PROFILE, 0, 0, "with --bench: the time of each group of stages, too", -2},
    {"bench-json", OPT_BENCH_JSON, "FILE", 0, "with --bench: the measurements as JSON", -2},
    {"dump-source", OPT_DUMP_SOURCE, "FILE", 0, "what the target emits, in one file; .c: that of C", -2},
    {"dump-c", 0, 0, OPTION_ALIAS, 0, -2},
    {"keep", OPT_KEEP, 0, 0,
     "keep the directory with what was emitted, what was made of it, and the messages", -2},
    {"region", OPT_REGION, "[OUT=]0:512,100:300", 0,
     "compute this box of an output alone, of each dimension the first index and the one behind the last; of "
     "each "
     "output once",
     0},
    {"needs", OPT_NEEDS, 0, 0,
     "say which box of each input those of --region need, and run nothing; --param gives the sizes, or "
     "inputs do",
     0},
    {"no-cache", OPT_NO_CACHE, 0, 0,
     "compile the program also if an earlier run has kept what it was compiled to", -2},
    {0}};

static void parse_scale_out(pm_output_options *output, const char *arg, struct argp_state *state) {
  static const char *const words[] = {
      [PM_SCALE_UNIT] = "unit", [PM_SCALE_NONE] = "none", [PM_SCALE_AUTO] = "auto"};
  output->asked = true;
  output->scale =
      (pm_scale_out_kind)pm_argp_scale(arg, words, PM_SCALE_WHITE, &output->white, "--scale-out", state);
}

static double parse_epsilon(const char *arg, struct argp_state *state) {
  char *end;
  double value = arg ? strtod(arg, &end) : 1e-5;
  if (arg && (end == arg || *end || !(value >= 0)))
    argp_error(state, "--check is '%s', but must be a number of at least 0", arg);
  return value;
}

/* "0.001" or "0.1%". */
static double parse_share(const char *arg, struct argp_state *state) {
  char *end;
  double value = strtod(arg, &end);
  bool number = end != arg;
  if (number && *end == '%') {
    value /= 100;
    end++;
  }
  if (!number || *end || !(value >= 0 && value <= 1))
    argp_error(state, "--tolerance is '%s', but must be a share in 0..1 or in percent, as 0.1%%", arg);
  return value;
}

/* Calls, as 9, or seconds, as 0.5s. */
static void parse_bench(const char *arg, pm_run_options *o, struct argp_state *state) {
  char *end;
  o->bench_seconds = strtod(arg, &end);
  if (end == arg || strcmp(end, "s") != 0)
    o->bench_rounds = (size_t)pm_argp_count(arg, 1, 1000000000, "--bench", state);
  else if (!(o->bench_seconds >= 0 && o->bench_seconds <= 1e6))
    argp_error(state, "--bench is '%s', but seconds must be in 0..1000000", arg);
}

static bool ends_in(const char *path, const char *extension) {
  const char *dot = strrchr(path, '.');
  return dot && strcmp(dot + 1, extension) == 0;
}

/* The target that compiles sources with the end of the name; NULL: none does. */
static const pm_target *target_of_source(const pm_context *ctx, const char *name) {
  for (size_t i = 0; i < pm_target_count(ctx); i++) {
    const pm_target *target = pm_target_at(ctx, i);
    if (target->open && ends_in(name, target->files->extension)) return target;
  }
  return NULL;
}

/* A check or a measurement alone needs no picture. */
static void take_random(pm_run_options *o) {
  bool given = o->call.bind.inputs.len || o->call.bind.params.len || o->outputs.len;
  if (!given && (o->check || o->bench)) o->call.bind.random = true;
}

static void check_usage(const pm_run_options *o, struct argp_state *state) {
  if (!o->outputs.len && !o->check && !o->bench && !o->needs)
    argp_error(state, "nothing to do: give --out, --check or --bench");
  if (o->needs && !o->region.boxes.len) argp_error(state, "--needs needs --region");
  if (o->needs && (o->outputs.len || o->check || o->bench))
    argp_error(state, "--needs runs nothing: without --out, --check and --bench");
  if (o->tolerance > 0 && !o->check) argp_error(state, "--tolerance needs --check");
  if (o->against.len && !o->bench) argp_error(state, "--against needs --bench");
  if (o->profile && (!o->bench || o->repeat > 1 || o->region.boxes.len || o->driver.versions.len))
    argp_error(state, "--profile needs --bench, and is of one call, without --region and --version-for");
  if (o->bench_json && !o->bench) argp_error(state, "--bench-json needs --bench");
  if (o->feeds.len && !o->numbered) argp_error(state, "--feed needs --repeat");
  pm_check_threads(&o->call, o->driver.target, state);
}

/* Cuts the next word off a text, as a shell does without its variables: spaces part words, but not between
 * quotes, which are left out. NULL when there is none; *open: the last quote has no second one. */
static char *next_word(char **rest, bool *open) {
  char *read = *rest + strspn(*rest, " "), *word = read, *write = read, quote = 0;
  if (!*read) return NULL;
  for (; *read && (quote || *read != ' '); read++) {
    if (*read == quote)
      quote = 0;
    else if (!quote && (*read == '\'' || *read == '"'))
      quote = *read;
    else
      *write++ = *read;
  }
  *rest = read + (*read != 0);
  *write = 0;
  *open = quote != 0;
  return word;
}

static bool has_open_quote(const char *text) {
  char *copy = pm_xstrdup(text), *rest = copy;
  bool open = false;
  while (next_word(&rest, &open)) continue;
  free(copy);
  return open;
}

/* The target is known. */
static pm_against parse_against(const char *text, const pm_context *ctx, struct argp_state *state) {
  if (strcmp(text, "naive") == 0) return PM_AGAINST_OPTIONS;
  if (*text == '-') {
    if (has_open_quote(text)) argp_error(state, "--against is '%s', in which a quote is not closed", text);
    return PM_AGAINST_OPTIONS;
  }
  if (target_of_source(ctx, text)) return PM_AGAINST_SOURCE;
  if (!ends_in(text, "so"))
    argp_error(state,
               "--against is '%s', but must be naive, options, as --strategy=none, a file .so, or one that a "
               "target compiles, as .c",
               text);
  return PM_AGAINST_LIBRARY;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pm_run_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->call;
    state->child_inputs[1] = state->child_inputs[2] = state->child_inputs[3] = &o->driver;
    break;
  case OPT_OUT:
    pm_argp_named(&o->outputs, arg, false, "--out", "NAME=FILE", state);
    break;
  case OPT_DEPTH:
    o->output.asked = true;
    o->output.depth = pm_argp_word(arg, (const char *const[]){"8", "16"}, 2, "--depth", state) == 1 ? 16 : 8;
    break;
  case OPT_SCALE_OUT:
    parse_scale_out(&o->output, arg, state);
    break;
  case OPT_REPEAT:
    o->numbered = true;
    o->repeat = (size_t)pm_argp_count(arg, 1, 1000000000, "--repeat", state);
    break;
  case OPT_FEED:
    pm_argp_named(&o->feeds, arg, true, "--feed", "OUT=IN", state);
    break;
  case OPT_CHECK:
    o->check = true;
    o->epsilon = parse_epsilon(arg, state);
    break;
  case OPT_TOLERANCE:
    o->tolerance = parse_share(arg, state);
    break;
  case OPT_BENCH:
    o->bench = true;
    parse_bench(arg ? arg : "1s", o, state);
    break;
  case OPT_AGAINST:
    PM_VEC_PUSH(o->against, (pm_run_variant){.text = arg});
    break;
  case OPT_PROFILE:
    o->profile = true;
    break;
  case OPT_BENCH_JSON:
    o->bench_json = arg;
    break;
  case OPT_DUMP_SOURCE:
    o->dump_source = arg;
    break;
  case OPT_KEEP:
    o->keep = true;
    break;
  case OPT_REGION:
    pm_argp_named(&o->region.boxes, arg, false, "--region", "NAME=0:512,100:300", state);
    break;
  case OPT_NEEDS:
    o->needs = true;
    break;
  case OPT_NO_CACHE:
    o->no_cache = true;
    break;
  case ARGP_KEY_END:
    if (!o->driver.target && o->dump_source)
      o->driver.target = target_of_source(o->driver.ctx, o->dump_source);
    pm_choose_run_target(&o->driver, state);
    check_usage(o, state);
    take_random(o);
    o->output.bgr = o->call.bind.picture.bgr;
    for (size_t i = 0; i < o->against.len; i++)
      o->against.data[i].kind = parse_against(o->against.data[i].text, o->driver.ctx, state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* --- variants --- */

static const struct argp_child variant_children[] = {{&pm_optimizer_argp, 0, NULL, 0},
                                                     {&pm_target_argp, 0, NULL, 0},
                                                     {&pm_cc_argp, 0, NULL, 0},
                                                     {&pm_tuned_argp, 0, NULL, 0},
                                                     {0}};

static error_t parse_variant_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (size_t i = 0; variant_children[i].argp; i++) state->child_inputs[i] = o;
    return 0;
  case ARGP_KEY_ARG:
    argp_error(state, "'%s' is no option", arg);
    return 0;
  case ARGP_KEY_END:
    if (o->target || o->cc || o->cflags) pm_choose_run_target(o, state);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp variant_argp = {NULL, parse_variant_option, 0, 0, variant_children, 0, 0};

/* The program's options without what it says about optimizing, the pipeline excepted. */
static pm_driver_options without_choices(const pm_driver_options *program) {
  pm_driver_options o = *program;
  o.strategy = o.tile = o.inner = o.inline_stages = NULL;
  o.timing = false;
  o.dump_ir = NULL;
  memset(&o.remarks, 0, sizeof o.remarks);
  memset(&o.versions, 0, sizeof o.versions);
  memset(&o.settings, 0, sizeof o.settings);
  memset(&o.tuned_settings, 0, sizeof o.tuned_settings);
  o.tuned = NULL;
  memset(&o.owned, 0, sizeof o.owned);
  return o;
}

/* The words of --against as a command line; they live as long as the options. A file is compiled as the
 * program is, and so are options for the same target, unless they say how. */
static void parse_variant(pm_run_variant *v, const pm_driver_options *program) {
  PM_VEC(char *) words = {0};
  bool open;
  v->driver = without_choices(program);
  if (v->kind == PM_AGAINST_SOURCE) v->driver.target = target_of_source(program->ctx, v->text);
  if (v->kind != PM_AGAINST_OPTIONS) return;
  char *text = pm_xstrdup(strcmp(v->text, "naive") == 0 ? "--naive" : v->text), *rest = text;
  PM_VEC_PUSH(v->driver.owned, text);
  PM_VEC_PUSH(words, "pm-run --against");
  for (char *word = next_word(&rest, &open); word; word = next_word(&rest, &open)) PM_VEC_PUSH(words, word);
  PM_VEC_PUSH(words, NULL);
  v->driver.cc = v->driver.cflags = v->driver.parallel = NULL;
  v->driver.target = NULL;
  argp_parse(&variant_argp, (int)words.len - 1, words.data, ARGP_NO_HELP, NULL, &v->driver);
  if (!v->driver.target) v->driver.target = program->target;
  if (v->driver.target == program->target && !v->driver.cc) v->driver.cc = program->cc;
  if (v->driver.target == program->target && !v->driver.cflags) v->driver.cflags = program->cflags;
  if (v->driver.target == program->target && !v->driver.parallel) v->driver.parallel = program->parallel;
  PM_VEC_FREE(words);
}

static void free_variant(pm_run_variant *v) {
  for (size_t i = 0; i < v->driver.owned.len; i++) free(v->driver.owned.data[i]);
  PM_VEC_FREE(v->driver.owned);
  PM_VEC_FREE(v->driver.versions);
  PM_VEC_FREE(v->driver.settings);
  PM_VEC_FREE(v->driver.tuned_settings);
}

void pm_run_options_parse(pm_run_options *options, int argc, char **argv) {
  const struct argp_child children[] = {{&pm_call_argp, 0, NULL, 0},
                                        {&options->driver.argp, 0, NULL, 0},
                                        {&pm_cc_argp, 0, NULL, 0},
                                        {&pm_tuned_argp, 0, NULL, 0},
                                        {0}};
  const struct argp argp = {.options = option_rows,
                            .parser = parse_option,
                            .args_doc = "PROGRAM",
                            .doc =
                                "Compile an image-processing pipeline and run it on pictures, or on random "
                                "numbers. Of IR (.pmir) the passes run that it has not been through.",
                            .children = children};
  options->repeat = 1;
  pm_driver_begin(&options->driver, argc, argv);
  pm_argp_parse(options->driver.tool, &argp, argc, argv, 0, options);
  for (size_t i = 0; i < options->against.len; i++)
    parse_variant(&options->against.data[i], &options->driver);
}

void pm_run_options_free(pm_run_options *options) {
  pm_boxes_free(&options->region);
  pm_call_options_free(&options->call);
  PM_VEC_FREE(options->outputs);
  PM_VEC_FREE(options->feeds);
  for (size_t i = 0; i < options->against.len; i++) free_variant(&options->against.data[i]);
  PM_VEC_FREE(options->against);
  pm_driver_options_free(&options->driver);
}
