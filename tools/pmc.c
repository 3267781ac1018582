/* pmc: compiles a program to a file that one of the targets makes: C, assembly, an object, a shared library.
 */
#include "tools/lib/driver/depfile.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/images/image.h"
#include "tools/lib/driver/hooks.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/driver/tuned.h"

#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/stage/stage.h"

#include <stdlib.h>
#include <string.h>

#define TOOL "pmc"

typedef struct pmc_options {
  pm_driver_options driver;
  const char *output;
  const char *depfile;     /* NULL: none */
  const pm_target *target; /* that makes the file */
  const pm_target_file *file;
} pmc_options;

static int fail(pm_buf *error) {
  pm_print_error(TOOL, error);
  return PM_EXIT_INPUT;
}

/* --- options --- */

/* The extension of a path, without its dot; NULL when it has none. */
static const char *extension_of(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot ? dot + 1 : NULL;
}

/* Whether the target may make the file, for what --target says. */
static bool may_make(const pmc_options *o, const pm_target *target) {
  return o->driver.target ? o->driver.target == target : !target->only_by_name;
}

/* A target without processors of its own compiles for this computer, unless --cc says another compiler. */
static bool is_for_here(const pm_target *target, const pm_target_file *file, const pm_driver_options *o) {
  return !(target->has & PM_TARGET_PROCESSORS) && file && file->kind == PM_FILE_COMPILED && !o->cc;
}

/* Asks the target that is given, or all in turn; "-" is the source. */
static void find_file(pmc_options *o) {
  const char *extension = extension_of(o->output);
  bool dash = strcmp(o->output, "-") == 0;
  for (size_t i = 0; i < pm_target_count(o->driver.ctx) && !o->file; i++) {
    const pm_target *target = pm_target_at(o->driver.ctx, i);
    if (!may_make(o, target)) continue;
    const pm_target_file *file = dash        ? target->files
                                 : extension ? pm_target_find_file(target, extension)
                                             : NULL;
    bool elsewhere = o->driver.triple || o->driver.cpu;
    if (elsewhere && !o->driver.target && is_for_here(target, file, &o->driver)) continue;
    o->target = target;
    o->file = file;
  }
}

/* One of the first n targets makes such files. */
static bool is_made_before(const pm_context *ctx, size_t n, const char *extension) {
  for (size_t i = 0; i < n; i++)
    if (pm_target_find_file(pm_target_at(ctx, i), extension)) return true;
  return false;
}

/* Those of target number i; unless it is the one that is given, without what others make before. */
static void put_extensions(const pmc_options *o, size_t i, pm_buf *out) {
  const pm_target *target = pm_target_at(o->driver.ctx, i);
  for (const pm_target_file *file = target->files; file->extension; file++)
    if (o->driver.target || !is_made_before(o->driver.ctx, i, file->extension))
      pm_buf_printf(out, "%s.%s", out->len ? ", " : "", file->extension);
}

/* ".c, .h and so on" of the target that is given, or of all: to be freed. */
static char *known_extensions(const pmc_options *o) {
  pm_buf text = {0};
  for (size_t i = 0; i < pm_target_count(o->driver.ctx); i++)
    if (may_make(o, pm_target_at(o->driver.ctx, i))) put_extensions(o, i, &text);
  return pm_buf_take(&text);
}

static void unknown_file(const pmc_options *o, struct argp_state *state) {
  char *known = known_extensions(o);
  if (o->driver.target)
    argp_error(state, "-o '%s': the target '%s' makes only %s", o->output, o->driver.target->name, known);
  else
    argp_error(state, "-o '%s': the name should end in one of %s", o->output, known);
  free(known);
}

static void refuse_triple(const pmc_options *o, struct argp_state *state) {
  if (o->driver.triple && is_for_here(o->target, o->file, &o->driver))
    argp_error(state,
               "--triple is '%s', but the target '%s' compiles for this computer: give --target=llvm, or a "
               "compiler of that system with --cc",
               o->driver.triple, o->target->name);
}

enum { OPT_REGIONS = 2000, OPT_DEPFILE };

static const struct argp_option option_rows[] = {
    {"output", 'o', "FILE", 0,
     "FILE.c, FILE.h, FILE.o, FILE.so, FILE.s or what another target makes; what needs a header brings "
     "FILE.h "
     "beside it; - is the source, in one file, on standard output",
     -1},
    {"regions", OPT_REGIONS, 0, 0,
     "beside each function NAME_region, which computes boxes of its outputs from windows of its inputs, and "
     "NAME_needs",
     -1},
    {"depfile", OPT_DEPFILE, "FILE", 0, "a rule of make there, which names the files that were read", -1},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pmc_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    for (int i = 0; i < 4; i++) state->child_inputs[i] = &o->driver;
    break;
  case 'o':
    o->output = arg;
    break;
  case OPT_REGIONS:
    o->driver.regions = true;
    break;
  case OPT_DEPFILE:
    o->depfile = arg;
    break;
  case ARGP_KEY_END:
    if (!o->output) argp_error(state, "no output is given (-o FILE)");
    find_file(o);
    if (!o->file) unknown_file(o, state);
    refuse_triple(o, state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void parse_options(pmc_options *options, int argc, char **argv) {
  const struct argp_child children[] = {{&options->driver.argp, 0, NULL, 0},
                                        {&pm_cc_argp, 0, NULL, 0},
                                        {&pm_triple_argp, 0, NULL, 0},
                                        {&pm_tuned_argp, 0, NULL, 0},
                                        {0}};
  const struct argp argp = {
      .options = option_rows,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc = "Compile image-processing pipelines to C, native code, or what another target makes.",
      .children = children};
  pm_driver_begin(&options->driver, argc, argv);
  pm_argp_parse(TOOL, &argp, argc, argv, 0, options);
}

/* --- writing --- */

/* The path or its last part, with `end` in place of its extension; "-" counts as "pipeline". To be freed. */
static char *with_end(const char *path, const char *end, bool keep_directory) {
  pm_buf out = {0};
  const char *slash = strrchr(path, '/');
  const char *begin = keep_directory || !slash ? path : slash + 1, *extension = extension_of(begin);
  if (strcmp(path, "-") == 0)
    pm_buf_puts(&out, "pipeline");
  else
    pm_buf_put(&out, begin, extension ? (size_t)(extension - begin) - 1 : strlen(begin));
  pm_buf_puts(&out, end);
  return pm_buf_take(&out);
}

/* Where the header goes, where the file is one or needs one: to be freed, else NULL. */
static char *header_path(const pmc_options *options) {
  bool header = options->file->kind == PM_FILE_HEADER || options->file->with_header;
  return header && strcmp(options->output, "-") != 0 ? with_end(options->output, ".h", true) : NULL;
}

/* The file, with its header where there is one: both, or none. */
static bool write_files(const pmc_options *options, const pm_buf *file, const pm_buf *header, pm_buf *error) {
  char *path = header_path(options);
  bool only = options->file->kind == PM_FILE_HEADER;
  char *paths[] = {only ? NULL : (char *)options->output, path};
  pm_buf texts[] = {*file, *header};
  bool ok = pm_write_all_bytes(paths, texts, 2, error);
  free(path);
  return ok;
}

/* The text includes its header by that name, in which nothing can be escaped. */
static bool can_be_included(const char *output, pm_buf *error) {
  for (const char *c = output; *c; c++)
    if (*c == '"' || *c == '\\' || (unsigned char)*c < ' ')
      return pm_failf(
          error, "the output's name has a quote, a backslash or a control character, which C cannot include");
  return true;
}

static bool check_outputs(const pmc_options *options, pm_buf *error) {
  char *path = header_path(options);
  bool ok = can_be_included(options->output, error) && pm_check_output(options->output, error) &&
            pm_check_output(path, error) && pm_check_output(options->depfile, error);
  free(path);
  return ok;
}

static bool write_single_file(const pm_target_output *text, const char *header_name, pm_buf *error) {
  pm_buf single = {0};
  pm_put_single_file(&single, text, header_name);
  bool ok = pm_write_bytes("-", &single, error);
  pm_buf_free(&single);
  return ok;
}

static int write_text(const pmc_options *options, const pm_target_output *text, const char *header_name) {
  pm_buf error = {0};
  bool ok = strcmp(options->output, "-") == 0 ? write_single_file(text, header_name, &error)
                                              : write_files(options, &text->source, &text->header, &error);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* What the target's compiler made goes to its place in one step. */
static int write_compiled(const pmc_options *options, const pm_target_output *text, const char *fp) {
  char *base = with_end(options->output, "", false);
  pm_build_options build = {.base = base,
                            .compiler = options->driver.cc,
                            .flags = options->driver.cflags,
                            .triple = options->driver.triple,
                            .cpu = options->driver.cpu,
                            .features = options->driver.features,
                            .fp = fp,
                            .owns_process = true};
  pm_buf file = {0}, error = {0};
  pm_report report = {0};
  pm_outcome outcome = options->target->compile(text, options->file->extension, &build, &file, &report);
  int code = pm_finish_hook(outcome, &report, TOOL);
  if (code == PM_EXIT_OK && !write_files(options, &file, &text->header, &error)) code = fail(&error);
  free(base);
  pm_buf_free(&file);
  return code;
}

static int write_depfile(const pmc_options *options) {
  pm_buf rule = {0}, error = {0};
  pm_put_depfile(&rule, options->output, &options->driver);
  bool ok = pm_write_bytes(options->depfile, &rule, &error);
  pm_buf_free(&rule);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* Callers need the name. */
static void warn_of_name(pm_module *module, const pm_target_output *text) {
  PM_FOR_OPS(op, pm_module_body(module)) {
    if (!pm_is(op, &loop_func) || loop_is_private(op)) continue;
    const char *symbol = pm_sym_at(op, loop_func_sym)->text;
    if (text->entry.len && strcmp(symbol, text->entry.data) != 0)
      pm_warning(pm_op_context(op), (pm_loc){.file = op->loc.file},
                 "the function is named %s: '%s' has a meaning in C already", text->entry.data, symbol);
    return;
  }
}

static int compile(pm_module *module, const char *text, const pmc_options *options) {
  const char *fp = pm_strictest_fp(module);
  char *header_name = with_end(options->output, ".h", false);
  pm_target_output out;
  int code = PM_EXIT_INPUT;
  if (pm_driver_emit(module, text, options->target, header_name, &options->driver, &out)) {
    warn_of_name(module, &out);
    code = options->file->kind == PM_FILE_COMPILED ? write_compiled(options, &out, fp)
                                                   : write_text(options, &out, header_name);
    pm_target_output_free(&out);
  }
  free(header_name);
  return code;
}

/* The text to run is found once the program is read: what is tuned depends on it. */
static int compile_tuned(pm_module *module, pmc_options *options) {
  if (!pm_take_tuned(&options->driver, options->target, module, NULL, 0)) return PM_EXIT_INPUT;
  char *text = pm_driver_pipeline_text(options->target, &options->driver);
  int code = text ? compile(module, text, options) : PM_EXIT_INPUT;
  free(text);
  return code;
}

static int run(pmc_options *options) {
  pm_buf error = {0};
  if (!check_outputs(options, &error)) return fail(&error);
  char *text = pm_driver_pipeline_text(options->target, &options->driver);
  if (!text) return PM_EXIT_INPUT;
  free(text);
  pm_driver_load(&options->driver, options->target);
  pm_module *module = pm_driver_read(&options->driver);
  int code = module ? compile_tuned(module, options) : PM_EXIT_INPUT;
  if (code == PM_EXIT_OK && options->depfile) code = write_depfile(options);
  if (module) pm_module_free(module);
  return code;
}

int main(int argc, char **argv) {
  pmc_options options = {.driver.tool = TOOL};
  pm_tool_begin();
  parse_options(&options, argc, argv);
  int code = run(&options);
  pm_driver_options_free(&options.driver);
  return code;
}
