/* pm-reduce: makes IR small that shows a fault: a message, a crash, a value that passes change, or what a
 * command says. Each try is a process of its own, which changes its copy of the module; several run at a
 * time. Who interrupts it gets what is left until then. */
#include "dialects/dialects.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "pm/pipelines.h"
#include "tools/lib/driver/child.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/driver/progress.h"
#include "tools/lib/images/image.h"
#include "tools/lib/message.h"
#include "tools/lib/semantics/command.h"
#include "tools/lib/semantics/program.h"
#include "tools/lib/semantics/reductions.h"
#include "tools/lib/semantics/verify.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL "pm-reduce"
enum { MOST_JOBS = 64, MOST_FAULT = 400, FEW_OPS = 4000000 };

typedef struct options {
  pm_program program;
  const char *test, *output;
  bool verifies;
  pm_named_list params;
  unsigned jobs, seconds;
} options;

/* --- options --- */

enum { KEY_TEST = 256, KEY_VERIFY, KEY_JOBS, KEY_TIMEOUT };

static const struct argp_option option_rows[] = {
    {"verify-semantics", KEY_VERIFY, "R=35,C=767", OPTION_ARG_OPTIONAL,
     "the fault is a value that a pass changes, as pm-opt --verify-semantics finds it", 0},
    {"test", KEY_TEST, "COMMAND", 0,
     "the fault is there when this exits with 0; it gets the file of the IR as $1, behind the passes if "
     "there are any",
     0},
    {"output", 'o', "FILE", 0, "write there instead of standard output", 0},
    {"jobs", KEY_JOBS, "N", 0, "tries at a time (default: one for each processor)", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "a try that takes longer does not show the fault (default: 60)",
     0},
    {0}};

static unsigned number_of(const char *arg, unsigned most, const char *name, struct argp_state *state) {
  char *end;
  long value = strtol(arg, &end, 10);
  if (end == arg || *end || value < 1 || value > (long)most)
    argp_error(state, "--%s is '%s', but should be a number from 1 to %u", name, arg, most);
  return (unsigned)value;
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->program;
    break;
  case KEY_VERIFY:
    o->verifies = true;
    pm_add_all_named(&o->params, arg, state);
    break;
  case KEY_TEST:
    o->test = arg;
    break;
  case 'o':
    o->output = arg;
    break;
  case KEY_JOBS:
    o->jobs = number_of(arg, MOST_JOBS, "jobs", state);
    break;
  case KEY_TIMEOUT:
    o->seconds = number_of(arg, 100000, "timeout", state);
    break;
  case ARGP_KEY_END:
    if (!o->program.pipeline && !o->test)
      argp_error(state, "neither --pass-pipeline nor --test is given: there is no fault to keep");
    if (o->verifies && !o->program.pipeline) argp_error(state, "--verify-semantics needs a --pass-pipeline");
    if (o->verifies && o->test) argp_error(state, "--verify-semantics and --test are two faults, give one");
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_program_argp, 0, NULL, 0}, {0}};
static const struct argp reduce_argp = {.options = option_rows,
                                        .parser = parse_option,
                                        .args_doc = "PROGRAM.pmir",
                                        .doc = "Make IR small that shows a fault. Without --test and "
                                               "--verify-semantics the fault is the first error of "
                                               "the passes, but for its names and numbers, or their crash.",
                                        .children = children};

/* --- the fault --- */

typedef PM_VEC(char *) pass_list;

typedef struct reducer {
  const options *o;
  pm_module *module;
  pass_list passes; /* each a pipeline that runs one pass */
  char fault[MOST_FAULT], sizes_text[MOST_FAULT];
  pm_named_list sizes; /* at which values differ */
  bool is_brief;       /* those are the only ones that are tried */
  pm_progress progress;
  unsigned tries;
} reducer;

static void put_passes(pm_buf *out, const pass_list *passes) {
  pm_buf_puts(out, "");
  for (size_t i = 0; i < passes->len; i++) pm_buf_printf(out, "%s%s", i ? "," : "", passes->data[i]);
}

static bool is_of_word(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

/* Digits of a word, as of a type or pass, are no number. */
static bool begins_name_or_number(const char *text, const char *c) {
  bool within_word = c > text && is_of_word(c[-1]);
  return *c == '@' || *c == '%' || (isdigit((unsigned char)*c) && !within_word);
}

/* The first error, without its names and numbers. */
static void keep_fault(void *user, pm_context *ctx, const pm_diag *diag) {
  char *fault = user;
  size_t n = 0;
  (void)ctx;
  if (diag->severity != PM_ERROR || *fault) return;
  for (const char *c = diag->message; *c && n + 1 < MOST_FAULT; c++) {
    bool begins_name = begins_name_or_number(diag->message, c);
    fault[n++] = begins_name ? '_' : *c;
    while (begins_name && is_of_word(c[1])) c++;
  }
  fault[n] = 0;
}

static bool run_pipeline(const reducer *r, pm_module *module, pm_states *states) {
  pm_buf text = {0};
  pm_run_config config = pm_default_run_config();
  config.warn_idle = false;
  if (states) {
    config.after_pass = pm_states_keep;
    config.after_user = states;
  }
  put_passes(&text, &r->passes);
  pm_pass_manager *manager = pm_pass_manager_new(r->o->program.ctx);
  bool ok =
      pm_parse_pipeline(manager, "--pass-pipeline", text.data) && pm_run_passes(manager, module, &config);
  pm_pass_manager_free(manager);
  pm_buf_free(&text);
  return ok;
}

/* Without the sizes, and without the values that differ. An access out of bounds is a wrong value, too. */
static void cut_values(char *fault, bool accesses) {
  static const char *const refused = " that cannot be run", *const differs = " that computes something else";
  char *that = strstr(fault, accesses ? refused : differs);
  char *at = strstr(fault, " at "), *colon = strstr(fault, ": ");
  if (that)
    snprintf(that, MOST_FAULT - (size_t)(that - fault), "%s", differs);
  else if (at && colon && at < colon)
    memmove(at, colon, strlen(colon) + 1);
}

static bool verify(pm_states *states, const pm_named_list *params, double ops, pm_verified *count) {
  const pm_verify_options options = {.tool = TOOL, .params = params, .most_ops = ops, .is_brief = true};
  return pm_verify_states(states, &options, count);
}

/* Once a size is known at which values differ, it is the only one, or comes before few others. */
static void find_wrong_value(const reducer *r, char *fault, char *sizes) {
  pm_states *states = pm_states_new(r->module);
  pm_verified count = {0};
  bool ok = run_pipeline(r, r->module, states);
  if (ok && r->sizes.len) {
    ok = verify(states, &r->sizes, 0, &count);
    if (!ok && !count.bad[0]) { /* it has no such call any more */
      ok = true;
      *fault = 0;
    }
  }
  if (ok && !(r->sizes.len && r->is_brief))
    ok = verify(states, &r->o->params, r->sizes.len ? FEW_OPS : PM_VERIFY_OPS, &count);
  strcpy(sizes, count.bad);
  if (!ok) cut_values(fault, count.accesses);
  pm_states_free(states);
}

/* What the module shows now; it is changed. */
static void find_fault(const reducer *r, char *fault, char *sizes) {
  pm_set_diag_handler(r->o->program.ctx, keep_fault, fault);
  pm_set_max_errors(r->o->program.ctx, 0);
  if (r->o->verifies)
    find_wrong_value(r, fault, sizes);
  else if ((!r->o->program.pipeline || run_pipeline(r, r->module, NULL)) && r->o->test)
    strcpy(fault, pm_run_on_ir(TOOL, r->o->test, r->module) == 0 ? "the test" : "");
  if (r->o->test && strcmp(fault, "the test") != 0) *fault = 0;
}

/* --- tries --- */

/* Items of a reduction, or, without one, passes. */
typedef struct change {
  const pm_reduction *reduction;
  size_t first, n;
} change;

typedef struct attempt {
  reducer *r;
  change change; /* of no items: the program as it is */
  pm_child child;
} attempt;

static void drop_passes(reducer *r, const change *c) {
  size_t end = c->first + c->n < r->passes.len ? c->first + c->n : r->passes.len;
  for (size_t i = c->first; i < end; i++) free(r->passes.data[i]);
  for (size_t i = end; i < r->passes.len; i++) r->passes.data[c->first + i - end] = r->passes.data[i];
  if (end > c->first) r->passes.len -= end - c->first;
}

static void apply(reducer *r, const change *c) {
  if (c->reduction)
    c->reduction->apply(r->module, c->first, c->n);
  else
    drop_passes(r, c);
}

static size_t count_items(const reducer *r, const pm_reduction *reduction) {
  return reduction ? reduction->count(r->module) : r->passes.len;
}

/* Without the module. */
static int64_t count_ops(const reducer *r) {
  return pm_count_ops(pm_module_op(r->module)) - 1;
}

/* In a child: the answer is the fault and the sizes, a line each. */
static void run_attempt(void *user, pm_buf *answer) {
  attempt *a = user;
  reducer *r = a->r;
  char fault[MOST_FAULT] = "", sizes[MOST_FAULT] = "";
  size_t before = count_items(r, a->change.reduction);
  int64_t ops = count_ops(r);
  pm_set_diag_handler(r->o->program.ctx, pm_drop_diag, NULL);
  if (a->change.n) apply(r, &a->change);
  bool is_less = !a->change.n || count_items(r, a->change.reduction) < before || count_ops(r) < ops;
  if (is_less && pm_verify_module(r->module)) find_fault(r, fault, sizes);
  pm_buf_printf(answer, "%s\n%s", fault, sizes);
}

static void begin_attempt(attempt *a) {
  a->r->tries++;
  a->child = pm_begin_child(TOOL, run_attempt, a, a->r->o->seconds);
}

/* Its fault, and at which sizes values differ, or "". A crash is a fault, too; a try that takes too long is
 * none. */
static pm_child_end end_attempt(attempt *a, char *fault, char *sizes) {
  pm_child_result result = pm_end_child(&a->child);
  *fault = *sizes = 0;
  if (result.end == PM_CHILD_DONE) {
    size_t n = strcspn(result.answer.data, "\n");
    snprintf(fault, MOST_FAULT, "%.*s", (int)n, result.answer.data);
    snprintf(sizes, MOST_FAULT, "%s", result.answer.data + n + 1);
  }
  if (result.end == PM_CHILD_CRASHED && WIFSIGNALED(result.status))
    snprintf(fault, MOST_FAULT, "a crash by signal %d", WTERMSIG(result.status));
  if (result.end == PM_CHILD_CRASHED && WIFEXITED(result.status) && WEXITSTATUS(result.status) == PM_EXIT_BUG)
    strcpy(fault, "an internal error");
  if (result.end == PM_CHILD_FAILED) fputs(result.log.data, stderr);
  pm_child_result_free(&result);
  return result.end;
}

static void tell(reducer *r) {
  pm_progress_update(&r->progress, 0, "%lld ops, %zu passes, %u tries", (long long)count_ops(r),
                     r->passes.len, r->tries);
}

/* The first of several changes, one behind the other, that keeps the fault; several are tried at a time. */
static bool try_changes(reducer *r, const pm_reduction *reduction, size_t *at, size_t chunk) {
  attempt attempts[MOST_JOBS];
  size_t items = count_items(r, reduction);
  while (*at < items && !pm_stop_asked()) {
    unsigned n = 0, first = MOST_JOBS;
    for (; n < r->o->jobs && *at + n * chunk < items; n++) {
      attempts[n] = (attempt){r, {reduction, *at + n * chunk, chunk}, {0}};
      begin_attempt(&attempts[n]);
    }
    for (unsigned i = 0; i < n; i++) {
      char fault[MOST_FAULT], sizes[MOST_FAULT];
      (void)end_attempt(&attempts[i], fault, sizes);
      if (first == MOST_JOBS && strcmp(fault, r->fault) == 0) first = i;
    }
    tell(r);
    if (first < MOST_JOBS) apply(r, &attempts[first].change);
    *at += (first < MOST_JOBS ? first : n) * chunk;
    if (first < MOST_JOBS) return true;
  }
  return false;
}

/* Delta debugging (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002): all
 * items, then halves, quarters and so on. True: something went. */
static bool reduce_by(reducer *r, const pm_reduction *reduction) {
  bool any = false;
  for (size_t chunk = count_items(r, reduction); chunk > 0; chunk /= 2) {
    size_t at = 0;
    while (try_changes(r, reduction, &at, chunk)) any = true;
  }
  return any;
}

static void reduce_all(reducer *r) {
  for (bool again = true; again;) {
    again = reduce_by(r, NULL);
    for (const pm_reduction *by = pm_reductions; by->name; by++) again |= reduce_by(r, by);
  }
}

/* Most tries show no fault. They are short at the sizes that are known; other sizes may then do with less. */
static void reduce(reducer *r) {
  r->is_brief = true;
  reduce_all(r);
  r->is_brief = false;
  if (r->o->verifies) reduce_all(r);
}

/* --- the whole --- */

static void add_pass(void *user, const pm_pass_desc *pass, const char *alone) {
  pass_list *passes = user;
  (void)pass;
  PM_VEC_PUSH(*passes, pm_xstrdup(alone));
}

/* False after a diagnostic. */
static bool list_passes(reducer *r) {
  if (!r->o->program.pipeline) return true;
  pm_pass_manager *manager = pm_pass_manager_new(r->o->program.ctx);
  bool ok = pm_parse_pipeline(manager, "--pass-pipeline", r->o->program.pipeline);
  if (ok) pm_each_pass(manager, add_pass, &r->passes);
  pm_pass_manager_free(manager);
  return ok;
}

static bool write_result(const reducer *r) {
  pm_buf text = {0};
  if (r->o->program.pipeline) {
    pm_buf_puts(&text, "// configuration: ");
    pm_print_context_options(r->o->program.ctx, &text);
    pm_buf_puts(&text, "--pass-pipeline='");
    put_passes(&text, &r->passes);
    pm_buf_puts(&text, "'\n");
  }
  pm_print_module(&text, r->module, (pm_print_options){0});
  bool ok = r->o->output ? pm_write_file(r->o->output, text.data, text.len)
                         : fwrite(text.data, 1, text.len, stdout) == text.len;
  if (!ok)
    pm_error(r->o->program.ctx, PM_NO_LOC, "cannot write '%s': %s", r->o->output ? r->o->output : "-",
             strerror(errno));
  pm_buf_free(&text);
  return ok;
}

static bool say_no_fault(const reducer *r, pm_child_end end) {
  pm_context *ctx = r->o->program.ctx;
  const char *file = r->o->program.file;
  if (end == PM_CHILD_LATE)
    return pm_error(ctx, PM_NO_LOC, "'%s' shows no fault within %u seconds (--timeout)", file, r->o->seconds);
  if (end == PM_CHILD_STOPPED)
    return pm_error(ctx, PM_NO_LOC, "a signal came before '%s' showed a fault", file);
  return pm_error(ctx, PM_NO_LOC, "'%s' shows no fault", file);
}

/* The fault of the program as it is. */
static bool find_first_fault(reducer *r) {
  attempt a = {.r = r};
  begin_attempt(&a);
  pm_child_end end = end_attempt(&a, r->fault, r->sizes_text);
  pm_add_all_named(&r->sizes, r->sizes_text, NULL);
  return *r->fault || say_no_fault(r, end);
}

static bool reduce_module(const options *o, pm_module *module) {
  reducer r = {.o = o, .module = module, .progress = pm_progress_begin(TOOL, PM_PROGRESS_AUTO)};
  bool ok = list_passes(&r) && find_first_fault(&r);
  int64_t ops = count_ops(&r);
  size_t passes = r.passes.len;
  if (ok) {
    reduce(&r);
    pm_progress_end(&r.progress);
    fprintf(stderr, "%s: %s: %lld to %lld ops, %zu to %zu passes, in %u tries\n", TOOL, r.fault,
            (long long)ops, (long long)count_ops(&r), passes, r.passes.len, r.tries);
    ok = write_result(&r);
  }
  pm_progress_end(&r.progress);
  for (size_t i = 0; i < r.passes.len; i++) free(r.passes.data[i]);
  PM_VEC_FREE(r.passes);
  PM_VEC_FREE(r.sizes);
  return ok;
}

static unsigned processors(void) {
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n < 1 ? 1 : n > MOST_JOBS ? MOST_JOBS : (unsigned)n;
}

int main(int argc, char **argv) {
  options o = {.jobs = processors(), .seconds = 60};
  pm_tool_begin();
  pm_catch_stops();
  o.program.ctx = pm_driver_context_of(TOOL, argc, argv);
  pm_argp_parse(TOOL, &reduce_argp, argc, argv, 0, &o);
  pm_buf error = {0};
  pm_module *module = pm_read_ir(&o.program, &error);
  bool ok = module && (!o.output || pm_check_output(o.output, &error)) && reduce_module(&o, module);
  if (error.len) pm_print_error(TOOL, &error);
  pm_buf_free(&error);
  if (module) pm_module_free(module);
  pm_context_free(o.program.ctx);
  PM_VEC_FREE(o.params);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
