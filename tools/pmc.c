/* pmc: compiles a program to C, assembly, an object or a shared library. */
#include "tools/lib/driver/driver.h"
#include "tools/lib/images/image.h"
#include "tools/lib/driver/native.h"
#include "tools/lib/driver/process.h"

#include "dialects/stage/stage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TOOL "pmc"

typedef struct pmc_options {
  pm_driver_options driver;
  const char *output;
} pmc_options;

static int fail(pm_buf *error) {
  pm_print_error(TOOL, error);
  return PM_EXIT_INPUT;
}

/* --- options --- */

typedef enum output_kind { OUT_C, OUT_HEADER, OUT_OBJECT, OUT_SHARED, OUT_ASSEMBLY, OUT_UNKNOWN } output_kind;

static output_kind kind_of(const char *path) {
  static const char *const ends[] = {
      [OUT_C] = ".c", [OUT_HEADER] = ".h", [OUT_OBJECT] = ".o", [OUT_SHARED] = ".so", [OUT_ASSEMBLY] = ".s"};
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < PM_COUNT(ends); i++)
    if (strcmp(dot, ends[i]) == 0) return (output_kind)i;
  return strcmp(path, "-") == 0 ? OUT_C : OUT_UNKNOWN;
}

static const struct argp_option option_rows[] = {
    {"output", 'o', "FILE", 0,
     "FILE.c, FILE.h, FILE.o, FILE.so or FILE.s; all but .h and "
     ".s bring FILE.h beside them; - is one file of C on standard output",
     -1},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  pmc_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = state->child_inputs[1] = &o->driver;
    break;
  case 'o':
    o->output = arg;
    if (kind_of(arg) == OUT_UNKNOWN)
      argp_error(state, "-o '%s': the name ends in none of .c, .h, .o, .so and .s", arg);
    break;
  case ARGP_KEY_END:
    if (!o->output) argp_error(state, "no output is given (-o FILE)");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static void parse_options(pmc_options *options, int argc, char **argv) {
  const struct argp_child children[] = {{&options->driver.argp, 0, NULL, 0}, {&pm_cc_argp, 0, NULL, 0}, {0}};
  const struct argp argp = {.options = option_rows,
                            .parser = parse_option,
                            .args_doc = "PROGRAM",
                            .doc = "Compile image-processing pipelines to C or native code.",
                            .children = children};
  pm_driver_begin(&options->driver);
  argp_parse(&argp, argc, argv, 0, NULL, options);
}

/* --- writing --- */

/* The path or its last part, with `extension` in place of its own; "-" counts as "pipeline.c". To be freed.
 */
static char *with_extension(const char *path, const char *extension, bool keep_directory) {
  if (strcmp(path, "-") == 0) path = "pipeline.c";
  const char *slash = strrchr(path, '/');
  const char *begin = keep_directory || !slash ? path : slash + 1;
  const char *dot = strrchr(begin, '.');
  pm_buf out = {0};
  pm_buf_put(&out, begin, (size_t)(dot - begin));
  pm_buf_puts(&out, extension);
  return pm_buf_take(&out);
}

static bool write_header(const char *output, const pm_target_output *c, pm_buf *error) {
  char *path = with_extension(output, ".h", true);
  bool ok = pm_write_bytes(path, &c->header, error);
  free(path);
  return ok;
}

static bool write_single_file(const pm_target_output *c, const char *header_name, pm_buf *error) {
  pm_buf text = {0};
  pm_put_single_file(&text, c, header_name);
  bool ok = pm_write_bytes("-", &text, error);
  pm_buf_free(&text);
  return ok;
}

static int write_text(const char *output, const pm_target_output *c, const char *header_name,
                      output_kind kind) {
  pm_buf error = {0};
  bool ok = strcmp(output, "-") == 0 ? write_single_file(c, header_name, &error)
                                     : (kind == OUT_HEADER || pm_write_bytes(output, &c->source, &error)) &&
                                           write_header(output, c, &error);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* What the compiler made goes to its place in one step. */
static int move_result(const char *made, const char *output, const pm_target_output *c, output_kind kind) {
  pm_buf error = {0};
  size_t len = 0;
  pm_buf bytes = {.data = pm_read_file(made, &len)};
  bytes.len = len;
  bool ok = bytes.data || pm_failf(&error, "cannot open '%s': %s", made, strerror(errno));
  ok = ok && pm_write_bytes(output, &bytes, &error) &&
       (kind == OUT_ASSEMBLY || write_header(output, c, &error));
  free(bytes.data);
  return ok ? PM_EXIT_OK : fail(&error);
}

/* The rules of floating point of the program: the strictest of its pipelines'. */
static const char *program_fp(pm_module *module) {
  static const char *const order[] = {"strict", "contract", "fast"};
  size_t strictest = PM_COUNT(order);
  PM_FOR_OPS(op, pm_module_body(module))
  for (size_t i = 0; pm_is(op, &stage_pipeline) && i < strictest; i++)
    if (strcmp(pm_driver_fp(op), order[i]) == 0) strictest = i;
  return order[strictest == PM_COUNT(order) ? 1 : strictest];
}

static int compile_native(const pmc_options *options, const pm_target_output *c, const char *fp,
                          output_kind kind) {
  static const pm_cc_kind kinds[] = {
      [OUT_OBJECT] = PM_CC_OBJECT, [OUT_SHARED] = PM_CC_SHARED, [OUT_ASSEMBLY] = PM_CC_ASSEMBLY};
  pm_cc_options cc = {TOOL, options->driver.cc, options->driver.cflags, fp, false};
  pm_work_dir dir;
  char *made = NULL;
  if (!pm_work_dir_init(&dir, TOOL)) return PM_EXIT_INPUT;
  char *base = with_extension(options->output, "", false);
  int code = pm_compile_c(&dir, base, c, kinds[kind], &cc, &made);
  if (code == PM_EXIT_OK) code = move_result(made, options->output, c, kind);
  free(base);
  free(made);
  pm_work_dir_free(&dir, false);
  return code;
}

static int compile(pm_module *module, const char *text, const pmc_options *options) {
  const char *fp = program_fp(module);
  output_kind kind = kind_of(options->output);
  char *header_name = with_extension(options->output, ".h", false);
  pm_target_output c;
  int code = PM_EXIT_INPUT;
  if (pm_driver_emit(module, text, &c_target, header_name, &options->driver, &c)) {
    code = kind == OUT_C || kind == OUT_HEADER ? write_text(options->output, &c, header_name, kind)
                                               : compile_native(options, &c, fp, kind);
    pm_target_output_free(&c);
  }
  free(header_name);
  return code;
}

static int run(pmc_options *options) {
  int code = PM_EXIT_INPUT;
  char *text = pm_driver_pipeline_text(&options->driver);
  if (!text) return code;
  pm_module *module = pm_driver_read(&options->driver);
  if (module) {
    code = compile(module, text, options);
    pm_module_free(module);
  }
  free(text);
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
