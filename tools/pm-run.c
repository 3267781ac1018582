/* pm-run: compiles a pipeline in memory and runs it on pictures; checks it against the reference interpreter
 * and measures it. */
#include "dialects/stage/interp.h"
#include "tools/lib/bind.h"
#include "tools/lib/compare.h"
#include "tools/lib/driver.h"
#include "tools/lib/measure.h"
#include "tools/lib/native.h"
#include "tools/lib/output.h"
#include "tools/lib/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "pm-run"

typedef struct run_options {
  pm_driver_options driver;
  pm_bind_options bind;
  pm_scale_out scale_out;
  int threads;
  bool check, bench, against_naive, keep;
  double tolerance;
  size_t bench_rounds;
  const char *dump_c;
} run_options;

/* One run: the program as it was read, its arguments, and the compiled functions. */
typedef struct run_state {
  const run_options *options;
  pm_context *ctx;
  pm_module *module;
  pm_op *pipeline;
  stage_signature sig;
  pm_arguments args;
  pm_native *native, *naive;
  double read_seconds, lower_seconds;
  pm_times times[2]; /* of native and naive */
} run_state;

static int fail(pm_buf *error) {
  pm_print_error(TOOL, error);
  return PM_EXIT_INPUT;
}

/* --- options --- */

enum {
  OPT_IN = 0x200,
  OPT_OUT,
  OPT_PARAM,
  OPT_THREADS,
  OPT_CHECK,
  OPT_BENCH,
  OPT_AGAINST,
  OPT_DUMP_C,
  OPT_KEEP,
  OPT_SCALE_OUT,
  OPT_PAD,
  OPT_GRAY
};

static const struct argp_option option_rows[] = {
    {0, 0, 0, 0, "Arguments of the pipeline:", -3},
    {"in", OPT_IN, "NAME=FILE", 0, "an input: PNG, PNM, PFM or NPY (NAME= may be left out if there is one)",
     -3},
    {"out", OPT_OUT, "NAME=FILE", 0, "where an output goes: .png .pgm .ppm .pfm .npy", -3},
    {"param", OPT_PARAM, "NAME=VALUE", 0, "a scalar; sizes are found from the inputs", -3},
    {"gray", OPT_GRAY, 0, 0, "colour pictures become gray: .299 R + .587 G + .114 B", -3},
    {"pad", OPT_PAD, "zero|edge|mirror=N", 0, "a ring of N elements around every input picture", -3},
    {"scale-out", OPT_SCALE_OUT, "255|none|auto", 0,
     "values to samples of a picture: 0..1 to 0..255 (default), as they are, or min..max to 0..255", -3},
    {0, 0, 0, 0, "What to do:", -2},
    {"check", OPT_CHECK, "TOLERANCE", OPTION_ARG_OPTIONAL,
     "compare with the reference interpreter: floats bit by bit with --fp=strict, else within TOLERANCE "
     "(1e-5)",
     -2},
    {"bench", OPT_BENCH, "N", OPTION_ARG_OPTIONAL, "measure N calls (default: about a second)", -2},
    {"against", OPT_AGAINST, "naive", 0, "with --bench: measure the naive schedule in turn with this one",
     -2},
    {"threads", OPT_THREADS, "N", 0, "OpenMP threads", -2},
    {"dump-c", OPT_DUMP_C, "FILE", 0, "the emitted C, in one file", -2},
    {"keep", OPT_KEEP, 0, 0, "keep the directory with the C, the library and the compiler's messages", -2},
    {0}};

/* NAME=VALUE; a text without '=' has no name, when that is allowed. The text is split in place. */
static void add_named(pm_named_list *list, char *arg, bool needs_name, const char *flag,
                      struct argp_state *state) {
  char *equals = strchr(arg, '=');
  if ((needs_name && !equals) || equals == arg || (equals && !equals[1]) || !*arg)
    argp_error(state, "%s '%s' is not NAME=VALUE", flag, arg);
  if (equals) *equals = 0;
  PM_VEC_PUSH(*list, ((pm_named){equals ? arg : NULL, equals ? equals + 1 : arg}));
}

static long parse_count(const char *text, long min, long max, const char *flag, struct argp_state *state) {
  char *end;
  long value = strtol(text, &end, 10);
  if (end == text || *end || value < min || value > max)
    argp_error(state, "%s is '%s', but must be an integer in %ld..%ld", flag, text, min, max);
  return value;
}

static void parse_pad(pm_bind_options *bind, const char *arg, struct argp_state *state) {
  static const char *const modes[] = {
      [PM_PAD_ZERO] = "zero", [PM_PAD_EDGE] = "edge", [PM_PAD_MIRROR] = "mirror"};
  const char *equals = strchr(arg, '=');
  for (size_t i = 0; equals && i < PM_COUNT(modes); i++) {
    if (!pm_str_is((pm_str){arg, (size_t)(equals - arg)}, modes[i])) continue;
    bind->pad = (pm_pad_mode)i;
    bind->pad_width = parse_count(equals + 1, 0, INT32_MAX, "--pad", state);
    return;
  }
  argp_error(state, "--pad is '%s', but must be zero=N, edge=N or mirror=N", arg);
}

static pm_scale_out parse_scale(const char *arg, struct argp_state *state) {
  static const char *const words[] = {
      [PM_SCALE_255] = "255", [PM_SCALE_NONE] = "none", [PM_SCALE_AUTO] = "auto"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (strcmp(arg, words[i]) == 0) return (pm_scale_out)i;
  argp_error(state, "--scale-out is '%s', but must be 255, none or auto", arg);
  return PM_SCALE_255;
}

static double parse_tolerance(const char *arg, struct argp_state *state) {
  char *end;
  double value = arg ? strtod(arg, &end) : 1e-5;
  if (arg && (end == arg || *end || !(value >= 0))) argp_error(state, "--check=%s: not a tolerance", arg);
  return value;
}

static void check_usage(const run_options *o, struct argp_state *state) {
  if (!o->bind.outputs.len && !o->check && !o->bench)
    argp_error(state, "nothing to do: give --out, --check or --bench");
  if (o->against_naive && !o->bench) argp_error(state, "--against needs --bench");
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  run_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = state->child_inputs[1] = &o->driver;
    break;
  case OPT_IN:
    add_named(&o->bind.inputs, arg, false, "--in", state);
    break;
  case OPT_OUT:
    add_named(&o->bind.outputs, arg, false, "--out", state);
    break;
  case OPT_PARAM:
    add_named(&o->bind.params, arg, true, "--param", state);
    break;
  case OPT_GRAY:
    o->bind.gray = true;
    break;
  case OPT_PAD:
    parse_pad(&o->bind, arg, state);
    break;
  case OPT_SCALE_OUT:
    o->scale_out = parse_scale(arg, state);
    break;
  case OPT_CHECK:
    o->check = true;
    o->tolerance = parse_tolerance(arg, state);
    break;
  case OPT_BENCH:
    o->bench = true;
    o->bench_rounds = arg ? (size_t)parse_count(arg, 1, 1000000000, "--bench", state) : 0;
    break;
  case OPT_AGAINST:
    if (strcmp(arg, "naive") != 0) argp_error(state, "--against is '%s', but must be naive", arg);
    o->against_naive = true;
    break;
  case OPT_THREADS:
    o->threads = (int)parse_count(arg, 1, 4096, "--threads", state);
    break;
  case OPT_DUMP_C:
    o->dump_c = arg;
    break;
  case OPT_KEEP:
    o->keep = true;
    break;
  case ARGP_KEY_END:
    check_usage(o, state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_driver_argp, 0, NULL, 0}, {&pm_cc_argp, 0, NULL, 0}, {0}};
static const struct argp run_argp = {
    option_rows,
    parse_option,
    "PROGRAM",
    "Compile an image-processing pipeline (.py, .pm, .pmir) and run it on pictures.",
    children,
    0,
    0};

/* --- compiling --- */

static int dump_c(const char *path, const pm_target_output *c, const char *header_name) {
  pm_buf text = {0}, error = {0};
  pm_put_single_file(&text, c, header_name);
  bool ok = pm_write_bytes(path, &text, &error);
  pm_buf_free(&text);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* Lowers a copy of the program, in `seconds`, and compiles it; `dump` may be NULL. */
static int compile(run_state *s, const pm_driver_options *driver, const char *dump, double *seconds,
                   pm_native **out) {
  static const char base[] = "pipeline", header[] = "pipeline.h";
  pm_cc_options cc = {TOOL, driver->cc, driver->cflags, pm_driver_fp(s->pipeline), s->options->keep};
  pm_target_output c;
  int code = PM_EXIT_INPUT;
  char *text = pm_driver_pipeline_text(driver);
  if (!text) return code;
  double begin = pm_clock_seconds();
  pm_module *copy = pm_module_clone(s->module);
  if (pm_driver_emit(copy, text, &c_target, header, driver, &c)) {
    *seconds = pm_clock_seconds() - begin;
    code = dump ? dump_c(dump, &c, header) : PM_EXIT_OK;
    if (code == PM_EXIT_OK) *out = pm_native_new(&s->sig, &c, base, &cc, s->options->threads, &code);
    pm_target_output_free(&c);
  }
  pm_module_free(copy);
  free(text);
  return code;
}

/* After all that may have remarks: those of the naive schedule are not asked for. */
static int compile_naive(run_state *s) {
  pm_driver_options naive = s->options->driver;
  double seconds;
  naive.naive = true;
  naive.strategy = naive.tile = naive.inline_stages = NULL;
  naive.remarks = naive.timing = false;
  pm_enable_remarks(pm_op_context(s->pipeline), false);
  return compile(s, &naive, NULL, &seconds, &s->naive);
}

/* --- running --- */

static int call_error(run_state *s, int code) {
  pm_buf error = {0};
  pm_failf(&error, "@%s returned %d: %s", s->sig.name->text, code, pm_native_strerror(s->native, code));
  return fail(&error);
}

static int run_once(run_state *s) {
  pm_call call = pm_call_of(&s->args);
  double begin = pm_clock_seconds();
  int code = pm_native_call(s->native, &call);
  s->times[0].first = pm_clock_seconds() - begin;
  return code ? call_error(s, code) : PM_EXIT_OK;
}

static int compare_outputs(run_state *s, const pm_array *want) {
  bool exact = strcmp(pm_driver_fp(s->pipeline), "strict") == 0;
  int code = PM_EXIT_OK;
  for (size_t i = 0; i < s->args.n_outputs; i++) {
    pm_buf line = {0};
    pm_difference d = pm_compare(&s->args.outputs[i], &want[i], exact, s->options->tolerance);
    pm_put_comparison(&line, s->sig.outputs.data[i].name->text, &want[i], &d);
    fputs(line.data, stdout);
    pm_buf_free(&line);
    if (d.count) code = PM_EXIT_INPUT;
  }
  return code;
}

static int check(run_state *s) {
  pm_buf error = {0};
  pm_array *want;
  if (!pm_new_outputs(s->pipeline, &s->sig, &s->args.params, &want, &error)) return fail(&error);
  pm_call call = pm_call_of(&s->args);
  call.outputs = want;
  int code = stage_interpret(s->pipeline, &call) ? compare_outputs(s, want) : PM_EXIT_INPUT;
  pm_arrays_free(want, s->args.n_outputs);
  return code;
}

/* --- measuring --- */

static void put_row(const char *name, const char *text) {
  printf("bench: %-14s %s\n", name, text);
}

static void put_milliseconds(const char *name, double seconds) {
  char text[64];
  snprintf(text, sizeof text, "%.3f ms", 1e3 * seconds);
  put_row(name, text);
}

static void put_steady(const char *name, const pm_times *times) {
  char text[128];
  snprintf(text, sizeof text, "%.3f ms min, %.3f ms median of %zu calls", 1e3 * times->min,
           1e3 * times->median, times->n);
  put_row(name, text);
}

static void put_traffic(const run_state *s) {
  double bytes = pm_compulsory_bytes(&s->args);
  pm_buf text = {0};
  pm_buf_printf(&text, "%.2f GB/s of ", s->times[0].min > 0 ? bytes / s->times[0].min * 1e-9 : 0.0);
  pm_put_bytes(&text, bytes);
  pm_buf_puts(&text, " that must be read and written");
  put_row("traffic", text.data);
  pm_buf_free(&text);
}

static void put_memory(run_state *s) {
  pm_call call = pm_call_of(&s->args);
  pm_buf text = {0};
  pm_put_bytes(&text, (double)pm_native_scratch_bytes(s->native, &call));
  pm_buf_puts(&text, " of scratch; ");
  pm_put_bytes(&text, pm_intermediate_bytes(s->pipeline, &s->args.params));
  pm_buf_puts(&text, " if every stage were stored whole");
  put_row("memory", text.data);
  pm_buf_free(&text);
}

static void put_report(run_state *s) {
  char text[64];
  put_milliseconds("compile", s->read_seconds + s->lower_seconds);
  put_milliseconds("C compiler", pm_native_cc_seconds(s->native));
  put_milliseconds("first call", s->times[0].first);
  put_steady("steady", &s->times[0]);
  put_traffic(s);
  put_memory(s);
  snprintf(text, sizeof text, "%d", pm_native_threads(s->native));
  put_row("threads", text);
  if (!s->naive) return;
  put_steady("naive", &s->times[1]);
  snprintf(text, sizeof text, "%.2f times as fast as naive (min), %.2f (median)",
           s->times[1].min / s->times[0].min, s->times[1].median / s->times[0].median);
  put_row("ratio", text);
}

static int bench(run_state *s) {
  pm_native *natives[] = {s->native, s->naive};
  pm_call call = pm_call_of(&s->args);
  int code = pm_measure(natives, s->naive ? 2 : 1, &call, s->options->bench_rounds, s->times);
  if (code) return call_error(s, code);
  put_report(s);
  return PM_EXIT_OK;
}

/* --- outputs --- */

static bool encode_outputs(run_state *s, pm_buf *files, pm_buf *error) {
  const pm_named_list *list = &s->options->bind.outputs;
  for (size_t i = 0; i < s->sig.outputs.len; i++) {
    const stage_arg *arg = &s->sig.outputs.data[i];
    const char *path = pm_named_file(list, arg->name);
    if (path && !pm_encode_output(path, arg, &s->args.outputs[i], s->options->scale_out, &files[i], error))
      return false;
  }
  return true;
}

static bool write_files(run_state *s, const pm_buf *files, pm_buf *error) {
  for (size_t i = 0; i < s->sig.outputs.len; i++) {
    const char *path = pm_named_file(&s->options->bind.outputs, s->sig.outputs.data[i].name);
    if (path && !pm_write_bytes(path, &files[i], error)) return false;
  }
  return true;
}

/* No file is touched before all outputs are encoded. */
static int write_outputs(run_state *s) {
  pm_buf error = {0};
  pm_buf *files = pm_xcalloc(s->sig.outputs.len + 1, sizeof *files);
  bool ok = encode_outputs(s, files, &error) && write_files(s, files, &error);
  for (size_t i = 0; i < s->sig.outputs.len; i++) pm_buf_free(&files[i]);
  free(files);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* --- the whole --- */

static bool check_out_names(const pm_named_list *outputs, pm_buf *error) {
  for (size_t i = 0; i < outputs->len; i++)
    if (pm_image_format_of(outputs->data[i].value) == PM_IMAGE_UNKNOWN)
      return pm_failf(error, "--out '%s': the name ends in none of .png, .pgm, .ppm, .pnm, .pfm and .npy",
                      outputs->data[i].value);
  return true;
}

static int bind(run_state *s, run_options *options) {
  pm_buf error = {0};
  bool ok =
      pm_resolve_names(&options->bind.inputs, "--in", s->sig.inputs.data, s->sig.inputs.len, &error) &&
      pm_resolve_names(&options->bind.outputs, "--out", s->sig.outputs.data, s->sig.outputs.len, &error) &&
      check_out_names(&options->bind.outputs, &error) &&
      pm_bind(s->pipeline, &s->sig, &options->bind, &s->args, &error);
  return ok ? PM_EXIT_OK : fail(&error);
}

static int run_bound(run_state *s) {
  const run_options *o = s->options;
  int code = compile(s, &o->driver, o->dump_c, &s->lower_seconds, &s->native);
  if (code == PM_EXIT_OK && o->against_naive) code = compile_naive(s);
  if (code == PM_EXIT_OK) code = run_once(s);
  if (code == PM_EXIT_OK && o->check) code = check(s);
  if (code == PM_EXIT_OK && o->bench) code = bench(s);
  return code == PM_EXIT_OK ? write_outputs(s) : code;
}

static int run_pipeline(run_state *s, run_options *options) {
  stage_signature_get(s->pipeline, &s->sig);
  int code = bind(s, options);
  if (code == PM_EXIT_OK) code = run_bound(s);
  pm_native_free(s->naive);
  pm_native_free(s->native);
  pm_arguments_free(&s->args);
  stage_signature_free(&s->sig);
  return code;
}

static int run(run_options *options) {
  run_state s = {.options = options, .ctx = pm_driver_context(&options->driver)};
  int code = PM_EXIT_INPUT;
  double begin = pm_clock_seconds();
  s.module = pm_driver_read(s.ctx, &options->driver);
  s.read_seconds = pm_clock_seconds() - begin;
  s.pipeline = s.module ? pm_driver_pipeline(s.module, &options->driver) : NULL;
  if (s.pipeline) code = run_pipeline(&s, options);
  if (s.module) pm_module_free(s.module);
  pm_context_free(s.ctx);
  return code;
}

/* What was printed must have arrived. */
static int finish_output(int code) {
  pm_buf error = {0};
  if (fflush(stdout) == 0 && !ferror(stdout)) return code;
  pm_failf(&error, "cannot write to standard output: %s", strerror(errno));
  return fail(&error);
}

int main(int argc, char **argv) {
  run_options options = {.driver.tool = TOOL, .tolerance = 1e-5};
  pm_tool_begin();
  argp_parse(&run_argp, argc, argv, 0, NULL, &options);
  int code = finish_output(run(&options));
  PM_VEC_FREE(options.bind.params);
  PM_VEC_FREE(options.bind.inputs);
  PM_VEC_FREE(options.bind.outputs);
  pm_driver_options_free(&options.driver);
  return code;
}
