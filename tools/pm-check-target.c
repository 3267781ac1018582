/* pm-check-target: whether a target does what it says: programs for each of its forms, for its ABI and its
 * pipelines are compiled by it, called, and compared with the interpreters. */
#include "ir/text.h"
#include "tools/lib/check_target/call.h"
#include "tools/lib/check_target/forms.h"
#include "tools/lib/check_target/report.h"
#include "tools/lib/check_target/sections.h"
#include "tools/lib/driver/child.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/semantics/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "pm-check-target"
/* There is no device, or no compiler: see docs/add-a-target.md. */
enum { EXIT_CANNOT_RUN = 3, MOST_JOBS = 64, USUAL_LANES_EACH = 1 };

typedef struct options {
  pm_driver_options driver; /* --target, --parallel and --cc alone */
  pm_check_choice choice;
  PM_VEC(const char *) sections, calls;
  pm_check_data data;
  const char *file, *folder;
  unsigned jobs, seconds;
} options;

/* --- sections --- */

typedef void add_programs(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice);

static const struct section {
  const char *name;
  add_programs *add;
} sections[] = {
    {"forms", pm_check_add_forms},     {"requires", pm_check_add_requires},   {"abi", pm_check_add_abi},
    {"borders", pm_check_add_borders}, {"pipelines", pm_check_add_pipelines},
};

/* --- options --- */

enum {
  KEY_FILTER = 256,
  KEY_SECTION,
  KEY_TYPES,
  KEY_LANES,
  KEY_JOBS,
  KEY_TIMEOUT,
  KEY_FOLDER,
  KEY_CALL,
  KEY_DATA,
  KEY_SEED,
  KEY_ULPS,
  KEY_PROGRAMS
};

static const struct argp_option option_rows[] = {
    {"section", KEY_SECTION, "NAME", 0,
     "only this part: forms, requires, abi, borders or pipelines; may be repeated", 0},
    {"filter", KEY_FILTER, "OP", 0, "forms: only this op, as arith.shri, or dialect; may be repeated", 0},
    {"types", KEY_TYPES, "LIST", 0, "forms: only these, as i1,u8,f32 (default: all but index)", 0},
    {"lanes", KEY_LANES, "LIST", 0,
     "forms: lanes of vectors, each on each type (default: of 2,3,4,8,16 one on each type)", 0},
    {"ulps", KEY_ULPS, "N", 0,
     "forms: functions of math may differ by so many units in the last place (default: 0)", 0},
    {"programs", KEY_PROGRAMS, "N", 0, "pipelines: so many random ones (default: 20)", 0},
    {"seed", KEY_SEED, "N", 0, "pipelines: the seed of the first, the next has the next (default: 1)", 0},
    {"jobs", KEY_JOBS, "N", 0, "programs at a time (default: one for each processor)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "for 64 programs together (default: 120)", 0},
    {"reproducers", KEY_FOLDER, "DIR", 0,
     "where programs that fail are written (default: the folder of temporary files)", 0},
    {"call", KEY_CALL, "NAME=VALUE,…", 0, "a call of PROGRAM.pmir; may be repeated", 0},
    {"data", KEY_DATA, "plain|hard|tame", 0, "what its inputs hold (default: plain)", 0},
    {0}};

static unsigned number_of(const char *arg, unsigned least, unsigned most, const char *name,
                          struct argp_state *state) {
  char *end;
  long value = strtol(arg, &end, 10);
  if (end == arg || *end || value < (long)least || value > (long)most)
    argp_error(state, "--%s is '%s', but should be a number from %u to %u", name, arg, least, most);
  return (unsigned)value;
}

static void add_section(options *o, const char *name, struct argp_state *state) {
  size_t i = 0;
  while (i < PM_COUNT(sections) && strcmp(sections[i].name, name) != 0) i++;
  if (i == PM_COUNT(sections))
    argp_error(state, "--section is '%s', but must be one of those of --help", name);
  PM_VEC_PUSH(o->sections, name);
}

static void add_type(options *o, const char *name, struct argp_state *state) {
  int scalar = 0;
  while (scalar < PM_INDEX && strcmp(pm_get_scalar_info((pm_scalar)scalar)->name, name) != 0) scalar++;
  if (scalar == PM_INDEX) argp_error(state, "--types has '%s', which is no type of elements", name);
  o->choice.types[scalar] = true;
}

static void set_types(options *o, char *list, struct argp_state *state) {
  memset(o->choice.types, 0, sizeof o->choice.types);
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ",")) add_type(o, word, state);
}

static void set_lanes(options *o, char *list, struct argp_state *state) {
  o->choice.lanes.len = 0;
  for (char *word = strtok(list, ","); word; word = strtok(NULL, ","))
    PM_VEC_PUSH(o->choice.lanes, number_of(word, 2, 64, "lanes", state));
  o->choice.lanes_each = o->choice.lanes.len;
}

static pm_check_data data_of(const char *arg, struct argp_state *state) {
  static const char *const words[] = {"plain", "hard", "tame"};
  size_t i = 0;
  while (i < PM_COUNT(words) && strcmp(words[i], arg) != 0) i++;
  if (i == PM_COUNT(words)) argp_error(state, "--data is '%s', but must be plain|hard|tame", arg);
  return (pm_check_data)i;
}

static void check_options(const options *o, struct argp_state *state) {
  const pm_target *target = o->driver.target;
  if (!target) argp_error(state, "no target is given (--target)");
  if (!target->open)
    argp_error(state, "--target is '%s', which emits text, but cannot run it in this process", target->name);
  if (o->calls.len && !o->file) argp_error(state, "--call needs a PROGRAM.pmir");
  if (o->file && !o->calls.len) argp_error(state, "'%s' needs a --call", o->file);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = state->child_inputs[1] = &o->driver;
    state->child_inputs[2] = o->driver.ctx;
    break;
  case KEY_SECTION:
    add_section(o, arg, state);
    break;
  case KEY_FILTER:
    PM_VEC_PUSH(o->choice.filters, arg);
    break;
  case KEY_TYPES:
    set_types(o, arg, state);
    break;
  case KEY_LANES:
    set_lanes(o, arg, state);
    break;
  case KEY_ULPS:
    o->choice.ulps = number_of(arg, 0, 1000, "ulps", state);
    break;
  case KEY_PROGRAMS:
    o->choice.pipelines = number_of(arg, 0, 1000000, "programs", state);
    break;
  case KEY_SEED:
    o->choice.seed = number_of(arg, 0, 1000000000, "seed", state);
    break;
  case KEY_JOBS:
    o->jobs = number_of(arg, 1, MOST_JOBS, "jobs", state);
    break;
  case KEY_TIMEOUT:
    o->seconds = number_of(arg, 1, 100000, "timeout", state);
    break;
  case KEY_FOLDER:
    o->folder = arg;
    break;
  case KEY_CALL:
    PM_VEC_PUSH(o->calls, arg);
    break;
  case KEY_DATA:
    o->data = data_of(arg, state);
    break;
  case ARGP_KEY_ARG:
    if (o->file) argp_error(state, "more than one program: '%s' and '%s'", o->file, arg);
    o->file = arg;
    break;
  case ARGP_KEY_END:
    check_options(o, state);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {
    {&pm_target_argp, 0, NULL, 1}, {&pm_cc_argp, 0, NULL, 4}, {&pm_plugin_argp, 0, NULL, 5}, {0}};
static const struct argp check_argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "[PROGRAM.pmir]",
    .doc =
        "Check a target whose programs can be called in this process: what they compute is compared with the "
        "interpreters, bit by bit. Exits with 1 when something is wrong, with 3 when the target cannot run "
        "here.",
    .children = children};

/* --- the programs --- */

static bool is_wanted(const options *o, const char *section) {
  for (size_t i = 0; i < o->sections.len; i++)
    if (strcmp(o->sections.data[i], section) == 0) return true;
  return !o->sections.len;
}

static bool covers_all(const pm_check_choice *choice) {
  return choice->types[PM_I1] && choice->types[PM_I32] && choice->types[PM_F32] && choice->lanes.len;
}

/* Of the table itself. Returns how many ops are in no program: they need a row of forms.def. */
static size_t report_table(const options *o, const pm_check_programs *programs) {
  pm_buf lacking = {0}, untried = {0};
  size_t n = 0;
  pm_check_lacking(o->driver.target, &o->choice, o->driver.ctx, &lacking);
  if (covers_all(&o->choice)) pm_check_untried(programs, o->driver.ctx, &o->choice, &untried);
  if (lacking.len) printf("  no form: %s\n", lacking.data);
  for (const char *at = untried.data; at && *at; n++) {
    size_t length = strcspn(at, "\n");
    printf("  FAIL %.*s\n", (int)length, at);
    at += length + 1;
  }
  pm_buf_free(&lacking);
  pm_buf_free(&untried);
  return n;
}

static pm_check_options run_options(const options *o) {
  const pm_driver_options *d = &o->driver;
  return (pm_check_options){
      .tool = TOOL,
      .ctx = d->ctx,
      .target = d->target,
      .choices = {.target = d->target, .fp = "strict", .cpu = d->cpu, .parallel = d->parallel},
      .build = {.base = "program",
                .compiler = d->cc,
                .flags = d->cflags,
                .cpu = d->cpu,
                .features = d->features,
                .fp = "strict",
                .threads = 1,
                .owns_process = true},
      .jobs = o->jobs,
      .seconds = o->seconds};
}

/* False: nothing could be tried. */
static bool check_programs(const options *o, const char *section, const pm_check_programs *programs,
                           size_t *failed) {
  const pm_check_options run = run_options(o);
  pm_check_result *results = pm_check_run(&run, programs);
  if (!results) return false;
  *failed += pm_check_report(&run, section, o->folder, programs, results);
  fflush(stdout);
  pm_check_results_free(results, programs->len);
  return true;
}

static bool check_section(const options *o, const struct section *section, size_t *failed) {
  pm_check_programs programs = {0};
  section->add(&programs, o->driver.ctx, &o->choice);
  bool ok = check_programs(o, section->name, &programs, failed);
  if (ok && section->add == pm_check_add_forms) *failed += report_table(o, &programs);
  pm_check_programs_free(&programs);
  return ok;
}

static int check_sections(const options *o) {
  size_t failed = 0;
  for (size_t i = 0; i < PM_COUNT(sections); i++)
    if (is_wanted(o, sections[i].name) && !check_section(o, &sections[i], &failed)) return PM_EXIT_INPUT;
  return failed ? PM_EXIT_INPUT : PM_EXIT_OK;
}

/* --- a program of the user's --- */

static bool read_program(const options *o, pm_buf *text, char **symbol, pm_buf *error) {
  size_t len;
  char *read = pm_read_file(o->file, PM_MAX_TEXT, &len);
  if (!read) return pm_failf(error, "cannot open '%s': %s", o->file, strerror(errno));
  pm_module *module = pm_parse_module(o->driver.ctx, o->file, read, len, true);
  pm_op *op = module ? pm_only_callable(module, o->file, error) : NULL;
  pm_buf_put(text, read, len);
  if (op) *symbol = pm_xstrdup(pm_sym_at(op, 0)->text);
  if (module) pm_module_free(module);
  free(read);
  return op;
}

static int check_file(options *o) {
  pm_buf text = {0}, error = {0}, name = {0};
  pm_check_programs programs = {0};
  char *symbol = NULL;
  size_t failed = 0;
  bool ok = read_program(o, &text, &symbol, &error);
  if (error.len) pm_print_error(TOOL, &error);
  if (ok) {
    pm_buf_puts(&name, o->file);
    pm_check_program *program = pm_check_add(&programs, "program", &name, &text);
    PM_VEC_PUSH(o->calls, NULL);
    free(program->symbol);
    program->symbol = symbol;
    program->calls = o->calls.data;
    program->data = o->data;
    ok = check_programs(o, "program", &programs, &failed);
  }
  pm_buf_free(&text);
  pm_check_programs_free(&programs);
  return ok && !failed ? PM_EXIT_OK : PM_EXIT_INPUT;
}

/* --- whether it can run here --- */

static const char smoke[] = "loop.func @f0 fp \"strict\" {\n%n = loop.param @n : index\n"
                            "%o = buf.output @o(%n) : memref<?xi32>\n%c0 = arith.constant 0 : index\n"
                            "%one = arith.constant 1 : i32\nloop.for %x = %c0 to %n step 1 {\n"
                            "buf.store %one, %o[%x] : memref<?xi32>\n}\n}\n";

static bool returns_zero(pm_check_call *call) {
  return pm_check_code(call, 0);
}

/* The least program that a target may have; where it cannot be called, what is missing is said. */
static int try_target(const options *o) {
  static const char *const calls[] = {"n=4", NULL};
  const pm_check_options run = run_options(o);
  pm_check_programs programs = {0};
  pm_buf name = {0}, text = {0}, error = {0};
  const pm_target *target = o->driver.target;
  if (target->is_ready && !target->is_ready(&error)) {
    pm_print_error(TOOL, &error);
    return EXIT_CANNOT_RUN;
  }
  pm_buf_puts(&name, "the least program");
  pm_buf_puts(&text, smoke);
  pm_check_program *program = pm_check_add(&programs, "smoke", &name, &text);
  program->calls = calls;
  program->check = returns_zero;
  pm_check_result *result = pm_check_run(&run, &programs);
  bool ok = result && result->verdict == PM_CHECK_PASS;
  if (result && !ok) pm_failf(&error, "the target '%s' cannot run here: %s", target->name, result->text);
  if (error.len) pm_print_error(TOOL, &error);
  if (result) pm_check_results_free(result, programs.len);
  pm_check_programs_free(&programs);
  return ok ? PM_EXIT_OK : EXIT_CANNOT_RUN;
}

static unsigned processors(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST_JOBS ? MOST_JOBS : (unsigned)n;
}

static void set_usual_choice(options *o) {
  static const unsigned lanes[] = {2, 3, 4, 8, 16};
  o->choice.seed = 1;
  o->choice.pipelines = 20;
  for (int scalar = 0; scalar < PM_INDEX; scalar++) o->choice.types[scalar] = true;
  for (size_t i = 0; i < PM_COUNT(lanes); i++) PM_VEC_PUSH(o->choice.lanes, lanes[i]);
  o->choice.lanes_each = USUAL_LANES_EACH;
}

int main(int argc, char **argv) {
  options o = {.driver = {.tool = TOOL}, .jobs = processors(), .seconds = 120};
  pm_tool_begin();
  pm_catch_stops();
  o.driver.ctx = pm_driver_context_of(TOOL, argc, argv);
  set_usual_choice(&o);
  pm_argp_parse(TOOL, &check_argp, argc, argv, 0, &o);
  int code = try_target(&o);
  if (code == PM_EXIT_OK) code = o.file ? check_file(&o) : check_sections(&o);
  PM_VEC_FREE(o.choice.lanes);
  PM_VEC_FREE(o.choice.filters);
  PM_VEC_FREE(o.sections);
  PM_VEC_FREE(o.calls);
  pm_context_free(o.driver.ctx);
  return code;
}
