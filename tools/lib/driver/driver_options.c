#include "tools/lib/driver/driver.h"

#include "tools/lib/driver/load_plugin.h"
#include "tools/lib/driver/pipeline_text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPT_FROM = 0x100,
  OPT_PASS_PIPELINE,
  OPT_FP,
  OPT_STRATEGY,
  OPT_TILE,
  OPT_INNER,
  OPT_INLINE,
  OPT_NAIVE,
  OPT_SET,
  OPT_REMARKS,
  OPT_TIMING,
  OPT_REPRODUCER,
  OPT_DUMP_IR,
  OPT_CC,
  OPT_CFLAGS,
  OPT_CONST,
  OPT_RANGE,
  OPT_LIVE_OUT,
  OPT_NAME,
  OPT_TARGET,
  OPT_LOAD_PLUGIN
};

static const struct argp_option option_rows[] = {
    {0, 0, 0, 0, "The program:", 1},
    {"from", OPT_FROM, "LANGUAGE", 0, "polymage or pmir (default: by the name)", 1},
    {"const", OPT_CONST, "NAME=INTEGER", 0, "a compile-time constant of a PolyMage program", 1},
    {"range", OPT_RANGE, "IMAGE=LOW:HIGH", 0,
     "the elements of an image of a PolyMage program; one outside counts as the nearest end", 1},
    {"live-out", OPT_LIVE_OUT, "NAME,…", 0, "the outputs of a PolyMage program", 1},
    {"name", OPT_NAME, "NAME", 0, "of a PolyMage program's function (default: the first output's)", 1},
    {"fp", OPT_FP, "strict|contract|fast", 0, "rules for floating point (default: contract)", 1},
    {"target", OPT_TARGET, "NAME", 0, "what to make code for: pm-translate --list-targets", 1},
    {0, 0, 0, 0, "Looking inside:", 3},
    {"remarks", OPT_REMARKS, 0, 0, "say what was decided, and why", 3},
    {"timing", OPT_TIMING, 0, 0, "time from the program to the target's text, by pass", 3},
    {"dump-ir", OPT_DUMP_IR, "DIR", 0, "the IR after each pass", 3},
    {"reproducer", OPT_REPRODUCER, "FILE", 0,
     "on a failure, the IR before the pass and the rest of the pipeline", 3},
    {0}};

static void own(pm_driver_options *o, char *text) {
  PM_VEC_PUSH(o->owned, text);
}

/* NAME=INTEGER */
static void add_const(pm_driver_options *o, const char *arg, struct argp_state *state) {
  const char *equals = strchr(arg, '=');
  char *end = NULL;
  errno = 0;
  long long value = equals ? strtoll(equals + 1, &end, 0) : 0;
  if (!equals || equals == arg || end == equals + 1 || *end || errno)
    argp_error(state, "--const '%s' is not NAME=INTEGER", arg);
  char *name = pm_xstrndup(arg, (size_t)(equals - arg));
  own(o, name);
  PM_VEC_PUSH(o->consts, ((polymage_const){name, value}));
}

/* IMAGE=LOW:HIGH */
static void add_range(pm_driver_options *o, const char *arg, struct argp_state *state) {
  const char *equals = strchr(arg, '=');
  char *colon = NULL, *end = NULL;
  double low = equals ? strtod(equals + 1, &colon) : 0;
  bool ok = equals && equals != arg && colon != equals + 1 && *colon == ':';
  double high = ok ? strtod(colon + 1, &end) : 0;
  if (!ok || end == colon + 1 || *end || !(low <= high) || !isfinite(low) || !isfinite(high))
    argp_error(state, "--range '%s' is not IMAGE=LOW:HIGH with two numbers, the lower first", arg);
  char *name = pm_xstrndup(arg, (size_t)(equals - arg));
  own(o, name);
  PM_VEC_PUSH(o->ranges, ((polymage_range){name, low, high}));
}

static void add_live_outs(pm_driver_options *o, const char *arg, struct argp_state *state) {
  char *names = pm_xstrdup(arg), *rest = NULL;
  own(o, names);
  for (char *name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
    PM_VEC_PUSH(o->live_outs, name);
  if (o->live_outs.len == 0) argp_error(state, "--live-out has no name");
}

/* `arg` if it is one of the words, which are separated by '|'. */
static const char *one_of(const char *arg, const char *words, const char *option, struct argp_state *state) {
  size_t n = strlen(arg);
  for (const char *at = words; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
    if (n && strncmp(at, arg, n) == 0 && (at[n] == '|' || at[n] == 0)) return arg;
  argp_error(state, "--%s is '%s', but must be %s", option, arg, words);
  return NULL;
}

/* Positive numbers of 64 bits with x between them. */
static bool are_tile_sizes(const char *at) {
  for (;; at++) {
    char *end;
    errno = 0;
    if (*at < '0' || *at > '9' || strtoll(at, &end, 10) <= 0 || errno) return false;
    if (!*end) return true;
    if (*end != 'x') return false;
    at = end;
  }
}

static const char *tile_sizes(const char *arg, const char *option, const char *like,
                              struct argp_state *state) {
  if (strcmp(arg, "none") != 0 && !are_tile_sizes(arg))
    argp_error(state, "--%s is '%s', but must be sizes of at least 1, like %s, or none", option, arg, like);
  return arg;
}

/* --- the optimizer --- */

static const struct argp_option optimizer_rows[] = {
    {0, 0, 0, 0, "The optimizer:", 2},
    {"pass-pipeline", OPT_PASS_PIPELINE, "TEXT", 0,
     "the passes to run, or the name of a pipeline (default: default)", 2},
    {"strategy", OPT_STRATEGY, "none|all|greedy|dp", 0, "which stages are tiled together", 2},
    {"tile", OPT_TILE, "32x256|none", 0, "tile sizes", 2},
    {"inner", OPT_INNER, "1|4x64|none", 0, "sizes of the steps that a tile is computed in", 2},
    {"inline", OPT_INLINE, "0|1", 0, "inline point-wise stages", 2},
    {"naive", OPT_NAIVE, 0, 0, "the same as --pass-pipeline=naive", 2},
    {"set", OPT_SET, "PASS{OPTION=VALUE}", 0, "options of a pass of the pipeline, as tile{own=false}", 2},
    {0}};

static error_t parse_optimizer_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case OPT_PASS_PIPELINE:
    o->pass_pipeline = arg;
    return 0;
  case OPT_STRATEGY:
    o->strategy = one_of(arg, "none|all|greedy|dp", "strategy", state);
    return 0;
  case OPT_TILE:
    o->tile = tile_sizes(arg, "tile", "32x256", state);
    return 0;
  case OPT_INNER:
    o->inner = tile_sizes(arg, "inner", "1 or 4x64", state);
    return 0;
  case OPT_INLINE:
    o->inline_stages = one_of(arg, "0|1", "inline", state);
    return 0;
  case OPT_NAIVE:
    o->pass_pipeline = "naive";
    return 0;
  case OPT_SET:
    if (!pm_pipeline_is_setting(arg)) argp_error(state, "--set '%s' is not PASS{OPTION=VALUE}", arg);
    PM_VEC_PUSH(o->settings, arg);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp pm_optimizer_argp = {optimizer_rows, parse_optimizer_option, 0, 0, 0, 0, 0};

/* --- plugins --- */

static const struct argp_option plugin_rows[] = {
    {0, 0, 0, 0, "Plugins:", 5},
    {"load-plugin", OPT_LOAD_PLUGIN, "FILE.so", 0,
     "load the dialects, passes and targets of a plugin; may be repeated", 5},
    {0}};

static error_t parse_plugin_option(int key, char *arg, struct argp_state *state) {
  pm_buf error = {0};
  if (key != OPT_LOAD_PLUGIN) return ARGP_ERR_UNKNOWN;
  if (pm_load_plugin(state->input, arg, &error)) return 0;
  pm_print_error(state->name, &error);
  exit(PM_EXIT_INPUT);
}

const struct argp pm_plugin_argp = {plugin_rows, parse_plugin_option, 0, 0, 0, 0, 0};

/* --- the program, and looking inside --- */

static const pm_target *target_of(const pm_driver_options *o, const char *name, struct argp_state *state) {
  const pm_target *target = pm_find_target(o->ctx, name);
  if (target) return target;
  char *names = pm_driver_target_names(o->ctx);
  argp_error(state, "--target is '%s', but must be one of %s", name, names);
  free(names);
  return NULL;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = o;
    state->child_inputs[1] = o->ctx;
    break;
  case OPT_TARGET:
    o->target = target_of(o, arg, state);
    break;
  case OPT_FROM:
    o->from = one_of(arg, "polymage|pmir", "from", state);
    break;
  case OPT_FP:
    o->fp = one_of(arg, "strict|contract|fast", "fp", state);
    break;
  case OPT_REMARKS:
    o->remarks = true;
    break;
  case OPT_TIMING:
    o->timing = true;
    break;
  case OPT_REPRODUCER:
    o->reproducer = arg;
    break;
  case OPT_DUMP_IR:
    o->dump_ir = arg;
    break;
  case OPT_CONST:
    add_const(o, arg, state);
    break;
  case OPT_RANGE:
    add_range(o, arg, state);
    break;
  case OPT_LIVE_OUT:
    add_live_outs(o, arg, state);
    break;
  case OPT_NAME:
    o->name = arg;
    break;
  case ARGP_KEY_ARG:
    if (o->program) argp_error(state, "more than one program: '%s' and '%s'", o->program, arg);
    o->program = arg;
    break;
  case ARGP_KEY_END:
    if (!o->program) argp_error(state, "no program is given");
    pm_enable_remarks(o->ctx, o->remarks);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child driver_children[] = {
    {&pm_optimizer_argp, 0, NULL, 0}, {&pm_plugin_argp, 0, NULL, 0}, {0}};
const struct argp pm_driver_argp = {option_rows, parse_option, 0, 0, driver_children, 0, 0};

/* --- compiling what a target emits --- */

static const struct argp_option cc_rows[] = {
    {0, 0, 0, 0, "The target's compiler:", 4},
    {"cc", OPT_CC, "COMMAND", 0, "the compiler (default: the target's; of C, cc)", 4},
    {"cflags", OPT_CFLAGS, "FLAGS", 0, "in place of the target's flags (of C: docs/pm-run.md)", 4},
    {0}};

static error_t parse_cc_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case OPT_CC:
    if (!arg[strspn(arg, " ")]) argp_error(state, "--cc is '%s', but must be a command", arg);
    o->cc = arg;
    return 0;
  case OPT_CFLAGS:
    o->cflags = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp pm_cc_argp = {cc_rows, parse_cc_option, 0, 0, 0, 0, 0};
