/* pm-translate: a program in one form to another: IR, the text of a target, a picture of its stages. */
#include "dialects/poly/poly.h"
#include "dialects/stage/stage.h"
#include "frontends/halide/schedule_file.h"
#include "ir/text.h"
#include "tools/lib/page/dot.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/expected.h"
#include "pm/pipeline_text.h"
#include "tools/lib/page/html.h"
#include "tools/lib/images/image.h"
#include "targets/lib/work_dir.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "pm-translate"

typedef enum translation { TO_PMIR, TO_DOT, TO_SVG, TO_HTML, TO_SCHEDULE, TO_TARGET, TO_NOTHING } translation;

typedef struct translate_options {
  pm_driver_options driver;
  const char *word; /* of --to, or NULL */
  translation to;
  const pm_target *target; /* of TO_TARGET; else of the code in a page, and of the pipeline that runs */
  const char *output;
  bool verify_diagnostics, no_check;
} translate_options;

/* --- options --- */

enum { OPT_LIST_TARGETS = 0x200, OPT_VERIFY_DIAGNOSTICS, OPT_NO_CHECK, OPT_PRINT_SCHEDULE };

static const char *const words[] = {
    [TO_PMIR] = "pmir", [TO_DOT] = "dot", [TO_SVG] = "svg", [TO_HTML] = "html", [TO_SCHEDULE] = "schedule"};

static void set_target(translate_options *o, const pm_target *target) {
  if (!target || o->to != TO_NOTHING) return;
  o->target = target;
  o->to = TO_TARGET;
}

static void set_picture(translate_options *o, const char *word) {
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (strcmp(word, words[i]) == 0) o->to = (translation)i;
}

/* "pmir, dot, svg, html or those of the targets": to be freed. */
static char *known_words(const translate_options *o) {
  pm_buf text = {0};
  size_t n = pm_target_count(o->driver.ctx);
  for (size_t i = 0; i < PM_COUNT(words); i++) pm_buf_printf(&text, "%s%s", i ? ", " : "", words[i]);
  for (size_t i = 0; i < n; i++)
    pm_buf_printf(&text, "%s%s", i + 1 < n ? ", " : " or ", pm_target_at(o->driver.ctx, i)->name);
  return pm_buf_take(&text);
}

static const struct argp_option option_rows[] = {
    {"to", 't', "pmir|dot|svg|html|schedule|TARGET", 0,
     "what to make (default: by the name of the output, else pmir)", -1},
    {"output", 'o', "FILE", 0, "where to write (default: standard output)", -1},
    {"print-schedule", OPT_PRINT_SCHEDULE, 0, 0,
     "the same as --to=schedule: what the optimizer decides, in the words of Halide, as --schedule reads it",
     -1},
    {"list-targets", OPT_LIST_TARGETS, 0, 0,
     "the targets, with those of plugins named before; the ends of their files' names, and what they make",
     -1},
    {"no-check", OPT_NO_CHECK, 0, 0,
     "of a program that no passes run on, do not prove that every read stays inside its domain", -1},
    {"verify-diagnostics", OPT_VERIFY_DIAGNOSTICS, 0, 0,
     "check the diagnostics against `expected-error {{text}}` and its like in the program; no output", -1},
    {0}};

static void list_targets(const pm_context *ctx) {
  for (size_t i = 0; i < pm_target_count(ctx); i++) {
    const pm_target *target = pm_target_at(ctx, i);
    printf("%-8s .%-4s %s\n", target->name, target->files[0].extension, target->doc);
  }
}

/* The target of that name, else the first whose source has that extension, unless it wants its name. */
static void set_target_by_extension(translate_options *o, const char *extension) {
  set_target(o, pm_find_target(o->driver.ctx, extension));
  for (size_t i = 0; i < pm_target_count(o->driver.ctx); i++) {
    const pm_target *target = pm_target_at(o->driver.ctx, i);
    if (!target->only_by_name && strcmp(target->files[0].extension, extension) == 0) set_target(o, target);
  }
}

static void unknown_translation(const translate_options *o, struct argp_state *state) {
  char *known = known_words(o);
  if (o->word)
    argp_error(state, "--to is '%s', but must be %s", o->word, known);
  else
    argp_error(state, "say with --to what to make: %s", known);
  free(known);
}

/* Passes run before the program is drawn or printed. */
static bool wants_passes(const pm_driver_options *o) {
  return o->pass_pipeline || o->strategy || o->tile || o->inner || o->inline_stages || o->versions.len ||
         o->settings.len;
}

static void refuse_no_check(const translate_options *o, struct argp_state *state) {
  if (o->no_check && (o->to == TO_TARGET || wants_passes(&o->driver)))
    argp_error(state,
               "--no-check is for programs that no passes run on; here the passes say what is checked");
}

/* By --to, else the name of the output; text is that of --target. Without any of them, IR. */
static void choose_translation(translate_options *o, struct argp_state *state) {
  const char *dot = o->output ? strrchr(o->output, '.') : NULL, *word = o->word ? o->word
                                                                        : dot   ? dot + 1
                                                                                : "";
  set_picture(o, word);
  if (o->word)
    set_target(o, pm_find_target(o->driver.ctx, word));
  else
    set_target(o, o->driver.target);
  if (!o->word) set_target_by_extension(o, word);
  if (o->to == TO_NOTHING && !o->word && !o->output) o->to = TO_PMIR;
  if (o->to == TO_NOTHING) unknown_translation(o, state);
  if (o->to == TO_TARGET && o->driver.target && o->driver.target != o->target)
    argp_error(state, "--to is '%s', but --target is '%s'", o->word, o->driver.target->name);
  refuse_no_check(o, state);
  if (o->to == TO_TARGET) o->driver.target = o->target;
  if (o->to != TO_TARGET) o->target = o->driver.target ? o->driver.target : pm_target_at(o->driver.ctx, 0);
  if (o->to == TO_SCHEDULE && !o->driver.pass_pipeline && !o->driver.target)
    o->driver.pass_pipeline = words[TO_SCHEDULE];
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  translate_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (int i = 0; i < 3; i++) state->child_inputs[i] = &o->driver;
    break;
  case 't':
    o->word = arg;
    break;
  case 'o':
    o->output = arg;
    break;
  case OPT_VERIFY_DIAGNOSTICS:
    o->verify_diagnostics = true;
    break;
  case OPT_NO_CHECK:
    o->no_check = true;
    break;
  case OPT_PRINT_SCHEDULE:
    o->word = words[TO_SCHEDULE];
    break;
  case OPT_LIST_TARGETS:
    list_targets(o->driver.ctx);
    exit(fflush(stdout) == 0 ? PM_EXIT_OK : PM_EXIT_INPUT);
  case ARGP_KEY_END:
    choose_translation(o, state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void parse_options(translate_options *options, int argc, char **argv) {
  const struct argp_child children[] = {
      {&options->driver.argp, 0, NULL, 0}, {&pm_cpu_argp, 0, NULL, 0}, {&pm_triple_argp, 0, NULL, 0}, {0}};
  const struct argp argp = {
      .options = option_rows,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc =
          "Translate image-processing pipelines to IR, the text of a target or a picture. Passes "
          "run before that only when they are given, but for a target, whose own pipeline runs. Without them "
          "a program is checked as pmc checks it.",
      .children = children};
  pm_driver_begin(&options->driver, argc, argv);
  pm_argp_parse(TOOL, &argp, argc, argv, 0, options);
}

/* --- pictures --- */

static int graphviz_error(int why, const char *log) {
  pm_buf error = {0};
  size_t len;
  char *text = why ? NULL : pm_read_file(log, PM_MAX_TEXT, &len);
  if (why)
    pm_failf(&error, "cannot run 'dot' (of graphviz): %s; --to=dot works without it", strerror(why));
  else
    pm_failf(&error, "'dot' (of graphviz) fails: %s", text ? text : "");
  free(text);
  pm_print_error(TOOL, &error);
  return PM_EXIT_INPUT;
}

static int run_graphviz(const pm_work_dir *dir, const pm_buf *dot, pm_buf *svg) {
  char *source = pm_work_dir_file(dir, "graph", "dot"), *result = pm_work_dir_file(dir, "graph", "svg"),
       *log = pm_work_dir_file(dir, "graph", "log");
  char *argv[] = {"dot", "-Tsvg", "-o", result, source, NULL};
  pm_buf error = {0};
  int status = 0;
  size_t len = 0;
  int why = pm_write_bytes(source, dot, &error) ? pm_spawn(dir, argv, log, &status) : EIO;
  int code = why || status ? graphviz_error(why, log) : PM_EXIT_OK;
  char *text = code == PM_EXIT_OK ? pm_read_file(result, PM_MAX_TEXT, &len) : NULL;
  if (text) pm_buf_put(svg, text, len);
  pm_buf_free(&error);
  free(text);
  free(source);
  free(result);
  free(log);
  return code;
}

static int make_svg(const pm_buf *dot, pm_buf *svg) {
  pm_work_dir dir;
  pm_buf error = {0};
  if (!pm_work_dir_init(&dir, true, &error)) {
    pm_print_error(TOOL, &error);
    return PM_EXIT_INPUT;
  }
  int code = run_graphviz(&dir, dot, svg);
  pm_work_dir_free(&dir, NULL);
  return code;
}

/* Says so when the passes have lowered every pipeline. */
static bool is_left(pm_module *module) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &stage_pipeline)) return true;
  pm_buf error = {0};
  pm_failf(&error, "no pipeline (stage.pipeline) is left to draw; the passes must end before lower-poly, as "
                   "--pass-pipeline=schedule does");
  pm_print_error(TOOL, &error);
  return false;
}

static pm_walk is_alloc(void *user, pm_op *op) {
  (void)user;
  return pm_is(op, &poly_alloc) ? PM_WALK_STOP : PM_WALK_ON;
}

/* The target's text of a pipeline that has its schedule and memory, made of a copy; nothing for others. */
static bool add_code(pm_op *pipeline, const translate_options *options, pm_buf *code) {
  if (pm_walk_pre(pipeline, is_alloc, NULL)) return true;
  pm_module *copy = pm_module_new(pm_op_context(pipeline), pipeline->loc);
  pm_target_output made;
  pm_insert(pm_module_body(copy), NULL, pm_clone(copy, pipeline, NULL));
  bool ok =
      pm_driver_emit(copy, options->target->lower, options->target, "pipeline.h", &options->driver, &made);
  if (ok) {
    pm_buf_puts(code, made.source.data);
    pm_target_output_free(&made);
  }
  pm_module_free(copy);
  return ok;
}

static int make_page(pm_op *pipeline, const translate_options *options, const pm_remark_list *remarks,
                     pm_buf *out) {
  pm_buf code = {0};
  bool ok = add_code(pipeline, options, &code) && pm_put_html(out, pipeline, remarks, code.data);
  pm_buf_free(&code);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}

static int draw(pm_op *pipeline, const translate_options *options, const pm_remark_list *remarks,
                pm_buf *out) {
  translation to = options->to;
  if (to == TO_HTML) return make_page(pipeline, options, remarks, out);
  pm_buf dot = {0};
  if (!pm_put_dot(&dot, pipeline)) return PM_EXIT_INPUT;
  if (to == TO_DOT) {
    *out = dot;
    return PM_EXIT_OK;
  }
  int code = make_svg(&dot, out);
  pm_buf_free(&dot);
  return code;
}

static int make_picture(pm_module *module, const translate_options *options, const pm_remark_list *remarks,
                        pm_buf *out) {
  if (wants_passes(&options->driver) && !is_left(module)) return PM_EXIT_INPUT;
  pm_op *pipeline = pm_driver_pipeline(module, &options->driver);
  return pipeline ? draw(pipeline, options, remarks, out) : PM_EXIT_INPUT;
}

/* --- the rest --- */

static int make_text(pm_module *module, const char *text, const translate_options *options, pm_buf *out) {
  static const char header[] = "pipeline.h";
  pm_target_output made;
  bool ok = pm_driver_emit(module, text, options->target, header, &options->driver, &made);
  if (ok) {
    pm_put_single_file(out, &made, header);
    pm_target_output_free(&made);
  }
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}

/* What pmc refuses is refused here too. A copy is checked: the text stays as it was written. */
static bool is_legal(pm_module *module, const translate_options *options) {
  pm_module *copy = pm_module_clone(module);
  bool legal = pm_driver_run(copy, "stage.pipeline(check-bounds)", options->target, &options->driver);
  pm_module_free(copy);
  return legal;
}

/* The passes run on a copy: what they took from the program is seen beside it. The last that decides what a
 * schedule says is `group`. */
static int make_schedule(pm_module *module, const char *text, const translate_options *options, pm_buf *out) {
  pm_module *copy = pm_module_clone(module);
  char *until = pm_pipeline_until(text, "group");
  pm_op *pipeline = pm_driver_pipeline(module, &options->driver);
  pm_op *scheduled =
      pipeline && pm_driver_run(copy, until, options->target, &options->driver) && is_left(copy)
          ? pm_driver_pipeline(copy, &options->driver)
          : NULL;
  bool ok = scheduled && halide_put_schedule(out, pipeline, scheduled);
  free(until);
  pm_module_free(copy);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}

static int translate(pm_module *module, const char *text, const translate_options *options,
                     const pm_remark_list *remarks, pm_buf *out) {
  if (options->to == TO_TARGET) return make_text(module, text, options, out);
  if (options->to == TO_SCHEDULE) return make_schedule(module, text, options, out);
  bool ok = wants_passes(&options->driver) ? pm_driver_run(module, text, options->target, &options->driver)
                                           : options->no_check || is_legal(module, options);
  if (!ok) return PM_EXIT_INPUT;
  if (options->to != TO_PMIR) return make_picture(module, options, remarks, out);
  pm_print_module(out, module, (pm_print_options){0});
  return PM_EXIT_OK;
}

static int write_result(const translate_options *options, const pm_buf *out) {
  pm_buf error = {0};
  if (pm_write_bytes(options->output ? options->output : "-", out, &error)) return PM_EXIT_OK;
  pm_print_error(TOOL, &error);
  return PM_EXIT_INPUT;
}

static int make(translate_options *options, const char *text, const pm_remark_list *remarks) {
  pm_module *module = pm_driver_read(&options->driver);
  pm_buf out = {0};
  int code = module ? translate(module, text, options, remarks, &out) : PM_EXIT_INPUT;
  if (code == PM_EXIT_OK && !options->verify_diagnostics) code = write_result(options, &out);
  pm_buf_free(&out);
  if (module) pm_module_free(module);
  return code;
}

/* The announcements of the program; NULL after a message. */
static pm_expected *read_expected(const translate_options *options) {
  const char *program = options->driver.program;
  pm_buf error = {0};
  size_t len;
  pm_expected *expected = NULL;
  char *text = strcmp(program, "-") == 0 ? NULL : pm_read_file(program, PM_MAX_TEXT, &len);
  if (text && !pm_expected_new(&expected, program, text, &error)) fputs(error.data, stderr);
  pm_buf_free(&error);
  if (!text) {
    pm_failf(&error, "--verify-diagnostics cannot read '%s', it should be a file", program);
    pm_print_error(TOOL, &error);
  }
  free(text);
  return expected;
}

/* Whether the program's diagnostics are those that it announces. */
static int verify(pm_context *ctx, translate_options *options, const char *text) {
  pm_expected *expected = read_expected(options);
  if (!expected) return PM_EXIT_INPUT;
  pm_remark_list none = {0};
  pm_buf report = {0};
  pm_set_max_errors(ctx, 0);
  pm_set_diag_handler(ctx, pm_expected_handler, expected);
  int code = make(options, text, &none);
  bool announced = pm_expected_check(expected, &report);
  if (report.len) fputs(report.data, stderr);
  if (announced && code == PM_EXIT_INPUT && pm_error_count(ctx)) code = PM_EXIT_OK;
  pm_buf_free(&report);
  pm_expected_free(expected);
  return announced ? code : PM_EXIT_INPUT;
}

static int run(translate_options *options) {
  pm_context *ctx = options->driver.ctx;
  pm_buf error = {0};
  if (!options->verify_diagnostics && !pm_check_output(options->output, &error)) {
    pm_print_error(TOOL, &error);
    return PM_EXIT_INPUT;
  }
  char *text = pm_driver_pipeline_text(options->target, &options->driver);
  if (!text) return PM_EXIT_INPUT;
  pm_remark_list *remarks = &options->driver.remarks;
  if (options->to == TO_HTML && !options->verify_diagnostics) pm_keep_remarks(ctx, remarks);
  int code = options->verify_diagnostics ? verify(ctx, options, text) : make(options, text, remarks);
  free(text);
  return code;
}

int main(int argc, char **argv) {
  translate_options options = {.driver.tool = TOOL, .to = TO_NOTHING};
  pm_tool_begin();
  parse_options(&options, argc, argv);
  int code = run(&options);
  pm_driver_options_free(&options.driver);
  return code;
}
