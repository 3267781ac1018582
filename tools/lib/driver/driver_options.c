#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/process.h"

#include "dialects/machine/machine.h"
#include "tools/lib/driver/load_plugin.h"
#include "pm/pipeline_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
  OPT_FROM = 0x100,
  OPT_PASS_PIPELINE,
  OPT_FP,
  OPT_ESTIMATE,
  OPT_MACHINE,
  OPT_VECTOR,
  OPT_STRATEGY,
  OPT_TILE,
  OPT_INNER,
  OPT_VERSION_FOR,
  OPT_INLINE,
  OPT_NAIVE,
  OPT_SET,
  OPT_SCHEDULE,
  OPT_REMARKS,
  OPT_TIMING,
  OPT_REPRODUCER,
  OPT_PASS_TIMEOUT,
  OPT_DUMP_IR,
  OPT_CC,
  OPT_CFLAGS,
  OPT_CPU,
  OPT_FEATURES,
  OPT_TRIPLE,
  OPT_TARGET,
  OPT_PARALLEL,
  OPT_LOAD_PLUGIN
};

static const struct argp_option option_rows[] = {
    {0, 0, 0, 0, "The program:", 1},
    {"from", OPT_FROM, "FRONTEND", 0, "the program's language, see below (default: by the name)", 1},
    {"fp", OPT_FP, "strict|contract|fast", 0, "rules for floating point (default: contract)", 1},
    {"estimate", OPT_ESTIMATE, "NAME=VALUE", 0,
     "what an integer parameter usually is, for which groups and tiles are chosen; may be repeated", 1},
    {0, 0, 0, 0, "Looking inside:", 3},
    {"remarks", OPT_REMARKS, "all", OPTION_ARG_OPTIONAL,
     "say what was decided and why: what costs most, or all that there is to say", 3},
    {"timing", OPT_TIMING, 0, 0,
     "time from the program to the target's text, by pass, and to code that can be called", 3},
    {"dump-ir", OPT_DUMP_IR, "DIR", 0, "the IR after each pass, and index.html with what each changed", 3},
    {"reproducer", OPT_REPRODUCER, "FILE", 0,
     "on a failure, the IR before the pass and the rest of the pipeline", 3},
    {"pass-timeout", OPT_PASS_TIMEOUT, "SECONDS", 0,
     "end with a reproducer when a pass computes for longer than that", 3},
    {0}};

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
    {"schedule", OPT_SCHEDULE, "FILE|none", 0,
     "what it says in place of the program's schedule (pm-translate --print-schedule writes one); none: the "
     "program's "
     "is left out",
     2},
    {"machine", OPT_MACHINE, "NAME|FILE", 0,
     "the machine that is decided for: a name of pm-machine --list, one of a plugin, or a file that "
     "pm-machine "
     "writes (default: that of --cpu, else host)",
     2},
    {"vector", OPT_VECTOR, "BYTES|SET", 0,
     "its vectors: " PM_VECTOR_SETS " (default: the machine's, or those of --cpu)", 2},
    {"strategy", OPT_STRATEGY, "none|all|greedy|dp", 0, "which stages are tiled together", 2},
    {"tile", OPT_TILE, "32x256|none", 0, "tile sizes", 2},
    {"inner", OPT_INNER, "1|4x64|none", 0, "sizes of the steps that a tile is computed in", 2},
    {"version-for", OPT_VERSION_FOR, "NAME=VALUE,…", 0,
     "a version for integer parameters of about these values, which calls with such run; may be repeated", 2},
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
  case OPT_SCHEDULE:
    o->schedule = arg;
    return 0;
  case OPT_MACHINE:
    o->machine = arg;
    return 0;
  case OPT_VECTOR:
    if (!pm_machine_set_vector(&(pm_machine){0}, arg))
      argp_error(state, "--vector is '%s', but must be of " PM_VECTOR_SETS, arg);
    o->vector = arg;
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
  case OPT_VERSION_FOR:
    if (!pm_are_estimates(arg)) argp_error(state, "--version-for '%s' is not NAME=INTEGER,…", arg);
    PM_VEC_PUSH(o->versions, arg);
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
     "load the passes, dialects, frontends, targets and pipelines of a plugin; may be repeated", 5},
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

static const struct argp_option target_rows[] = {
    {"target", OPT_TARGET, "NAME", 0, "what to make code for: pm-translate --list-targets", 1},
    {"parallel", OPT_PARALLEL, PM_PARALLEL, 0,
     "what runs parallel loops: a pool of threads in the program, or OpenMP (default: the target's; llvm has "
     "pool, c openmp)",
     1},
    {0}};

static error_t parse_target_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case OPT_TARGET:
    o->target = target_of(o, arg, state);
    return 0;
  case OPT_PARALLEL:
    o->parallel = one_of(arg, PM_PARALLEL, "parallel", state);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp pm_target_argp = {target_rows, parse_target_option, 0, 0, 0, 0, 0};

static void read_frontend_values(pm_driver_options *o, struct argp_state *state) {
  pm_buf error = {0};
  const pm_frontend *frontend = pm_driver_frontend(o);
  if (frontend && !pm_frontend_values_read(&o->frontend, frontend, &error))
    argp_error(state, "%s", error.data);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (size_t i = 0; i < pm_frontend_count(o->ctx); i++) state->child_inputs[i] = &o->frontends[i];
    state->child_inputs[pm_frontend_count(o->ctx)] = o;
    state->child_inputs[pm_frontend_count(o->ctx) + 1] = o;
    state->child_inputs[pm_frontend_count(o->ctx) + 2] = o->ctx;
    break;
  case OPT_FROM:
    o->from = pm_frontend_named(o->ctx, arg, state);
    break;
  case OPT_FP:
    o->fp = one_of(arg, "strict|contract|fast", "fp", state);
    break;
  case OPT_ESTIMATE:
    if (!pm_is_estimate(arg)) argp_error(state, "--estimate '%s' is not NAME=INTEGER", arg);
    PM_VEC_PUSH(o->estimates, arg);
    break;
  case OPT_REMARKS:
    if (arg) one_of(arg, "all", "remarks", state);
    o->remarks.show = arg ? PM_SHOW_ALL : PM_SHOW_COSTLIEST;
    break;
  case OPT_TIMING:
    o->timing = true;
    break;
  case OPT_REPRODUCER:
    o->reproducer = arg;
    break;
  case OPT_PASS_TIMEOUT:
    if (!pm_read_timeout(arg, &o->pass_timeout))
      argp_error(state, "--pass-timeout '%s' is not 0.001..1000000", arg);
    break;
  case OPT_DUMP_IR:
    o->dump_ir = arg;
    break;
  case ARGP_KEY_ARG:
    if (o->program) argp_error(state, "more than one program: '%s' and '%s'", o->program, arg);
    o->program = arg;
    break;
  case ARGP_KEY_END:
    if (!o->program) argp_error(state, "no program is given");
    read_frontend_values(o, state);
    if (o->remarks.show) pm_keep_remarks(o->ctx, &o->remarks);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

/* One child for each frontend, then the optimizer, targets and plugins. */
static struct argp_child *new_children(const pm_context *ctx, const pm_frontend_argp *frontends) {
  size_t n = pm_frontend_count(ctx);
  struct argp_child *children = pm_xcalloc(n + 4, sizeof *children);
  for (size_t i = 0; i < n; i++)
    children[i] = (struct argp_child){&frontends[i].argp, 0, frontends[i].heading, 1};
  children[n] = (struct argp_child){&pm_optimizer_argp, 0, NULL, 0};
  children[n + 1] = (struct argp_child){&pm_target_argp, 0, NULL, 1};
  children[n + 2] = (struct argp_child){&pm_plugin_argp, 0, NULL, 0};
  return children;
}

pm_context *pm_driver_context_of(const char *tool, int argc, char **argv) {
  pm_context *ctx = pm_driver_context();
  pm_buf error = {0};
  if (pm_load_plugins_of(ctx, argc, argv, &error)) return ctx;
  pm_print_error(tool, &error);
  exit(PM_EXIT_INPUT);
}

void pm_driver_begin(pm_driver_options *options, int argc, char **argv) {
  options->ctx = pm_driver_context_of(options->tool, argc, argv);
  options->frontends = pm_frontend_argps_new(options->ctx, &options->frontend);
  options->children = new_children(options->ctx, options->frontends);
  options->argp =
      (struct argp){.options = option_rows, .parser = parse_option, .children = options->children};
}

/* --- compiling what a target emits --- */

static const struct argp_option cc_rows[] = {
    {0, 0, 0, 0, "The target's compiler:", 4},
    {"cc", OPT_CC, "COMMAND", 0, "the compiler (default: the target's; of C, cc)", 4},
    {"cflags", OPT_CFLAGS, "FLAGS", 0, "in place of the target's flags (of C: docs/pm-run.md)", 4},
    {0}};

/* Behind the compiler's. */
static const struct argp_option cpu_rows[] = {
    {"cpu", OPT_CPU, "NAME", 0,
     "the processor that groups and tiles are for, and that the target llvm makes code for, by LLVM's name "
     "(default: native, this one)",
     4},
    {"features", OPT_FEATURES, "LIST", 0, "its features for llvm, as +avx2,-fma (default: those that it has)",
     4},
    {0}};

static const struct argp_option triple_rows[] = {
    {"triple", OPT_TRIPLE, "TRIPLE", 0,
     "the system that the target llvm makes code for, as aarch64-linux-gnu (default: this one)", 4},
    {0}};

static error_t parse_cc_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = o;
    return 0;
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

static error_t parse_cpu_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  switch (key) {
  case OPT_CPU:
    o->cpu = arg;
    return 0;
  case OPT_FEATURES:
    o->features = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_triple_option(int key, char *arg, struct argp_state *state) {
  pm_driver_options *o = state->input;
  if (key != OPT_TRIPLE) return ARGP_ERR_UNKNOWN;
  o->triple = arg;
  return 0;
}

const struct argp pm_cpu_argp = {cpu_rows, parse_cpu_option, 0, 0, 0, 0, 0};
static const struct argp_child cc_children[] = {{&pm_cpu_argp, 0, NULL, 0}, {0}};
const struct argp pm_cc_argp = {cc_rows, parse_cc_option, 0, 0, cc_children, 0, 0};
const struct argp pm_triple_argp = {triple_rows, parse_triple_option, 0, 0, 0, 0, 0};
