#include "tools/lib/check_target/run.h"

#include "dialects/loop/call.h"
#include "dialects/loop/loop.h"
#include "dialects/stage/stage.h"
#include "ir/text.h"
#include "tools/lib/check_target/call.h"
#include "tools/lib/driver/child.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { MOST_AT_ONCE = 64, MOST_JOBS = 64 }; /* programs of a child, and children */

typedef struct range {
  size_t first, n;
} range;
typedef PM_VEC(range) ranges;

typedef struct run {
  const pm_check_options *o;
  const pm_check_programs *programs;
  pm_buf said, why; /* the first diagnostic of a step; what is wrong with a call */
  pm_buf *answer;
} run;

char *pm_check_passes(const pm_check_options *o, bool is_pipeline) {
  pm_buf error = {0};
  char *lower = is_pipeline ? pm_passes_text(o->ctx, &o->choices, &error) : pm_xstrdup("");
  if (error.len) (void)pm_error(o->ctx, PM_NO_LOC, "%s", error.data);
  pm_buf_free(&error);
  char *whole = lower ? pm_whole_text(o->target, lower) : NULL;
  free(lower);
  return whole;
}

/* --- in the child --- */

/* The first error. */
static void keep_diag(void *user, pm_context *ctx, const pm_diag *diag) {
  pm_buf *said = user;
  (void)ctx;
  if (diag->severity == PM_ERROR && !said->len) pm_buf_puts(said, diag->message);
}

static void put_result(run *r, size_t i, pm_check_verdict verdict, const char *text) {
  size_t n = text ? strlen(text) : 0;
  while (n > 0 && text[n - 1] == '\n') n--;
  pm_buf_printf(r->answer, "%zu %d %zu ", i, (int)verdict, n);
  pm_buf_put(r->answer, text ? text : "", n);
}

/* What was said, with what was done. */
static void fail_with(run *r, size_t i, const char *what) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%s%s", what, *what && r->said.len ? ": " : "", r->said.len ? r->said.data : "");
  put_result(r, i, PM_CHECK_FAIL, text.data);
  pm_buf_free(&text);
}

static pm_module *parse(run *r, range all) {
  pm_buf text = {0};
  for (size_t i = 0; i < all.n; i++) pm_buf_puts(&text, r->programs->data[all.first + i].text);
  pm_module *module = pm_parse_module(r->o->ctx, "program", text.data, text.len, true);
  pm_buf_free(&text);
  return module;
}

static pm_op *find(pm_module *module, const pm_check_program *program) {
  PM_FOR_OPS(op, pm_module_body(module)) {
    bool is_pipeline = pm_is(op, &stage_pipeline), is_func = pm_is(op, &loop_func);
    if (!is_pipeline && !is_func) continue;
    pm_string symbol = pm_sym_at(op, is_pipeline ? stage_pipeline_sym : loop_func_sym);
    if (strcmp(symbol->text, program->symbol) == 0) return op;
  }
  return NULL;
}

/* Of functions; pipelines are refused when they are loops. */
static bool is_accepted(run *r, size_t i, pm_op *op) {
  r->said.len = 0;
  if (pm_is(op, &stage_pipeline) || pm_target_check(r->o->target, op)) return true;
  if (r->said.len)
    put_result(r, i, PM_CHECK_REFUSED, r->said.data);
  else
    put_result(r, i, PM_CHECK_FAIL, "it is refused without a diagnostic");
  return false;
}

/* Functions without a caller go, too. */
static void erase(pm_op *op) {
  pm_op *before = pm_prev(op);
  pm_op_erase(op);
  if (before && pm_is(before, &loop_func) && loop_is_private(before)) pm_op_erase(before);
}

/* How many stay. */
static size_t take_out_refused(run *r, range all, pm_module *module) {
  size_t left = 0;
  for (size_t i = 0; i < all.n; i++) {
    pm_op *op = find(module, &r->programs->data[all.first + i]);
    bool stays = is_accepted(r, all.first + i, op);
    left += stays;
    if (!stays) erase(op);
  }
  return left;
}

static bool run_passes(run *r, pm_module *module, bool is_pipeline) {
  pm_run_config config = pm_default_run_config();
  config.warn_idle = false;
  char *text = pm_check_passes(r->o, is_pipeline);
  bool ok = text && (*text ? pm_run_text(module, text, &r->o->choices, &config)
                           : pm_prepare_module(module, &r->o->choices));
  free(text);
  return ok;
}

typedef enum built { BUILT, PASSES_REFUSE, EMIT_REFUSES, COMPILE_FAILS, NAMES_DIFFER } built;

/* Several functions are found by their names, which must be those of the IR then. */
static bool keeps_names(pm_module *module, const pm_target_output *text) {
  PM_FOR_OPS(op, pm_module_body(module))
  if (pm_is(op, &loop_func) && !loop_is_private(op))
    return strcmp(pm_sym_at(op, loop_func_sym)->text, text->entry.data) == 0;
  return false;
}

static void put_report(pm_buf *out, const pm_report *report) {
  pm_buf_printf(out, "%s\n%s", report->error.len ? report->error.data : "",
                report->log.len ? report->log.data : "");
}

static built build(run *r, pm_module *module, bool is_pipeline, bool is_alone, pm_target_output *text,
                   pm_buf *file) {
  const pm_target *target = r->o->target;
  pm_report report = {0};
  r->said.len = 0;
  if (!run_passes(r, module, is_pipeline)) return PASSES_REFUSE;
  if (!pm_emit(target, module, "program.h", text)) return EMIT_REFUSES;
  if (!text->entry.len || (!is_alone && !keeps_names(module, text))) return NAMES_DIFFER;
  if (target->compile(text, target->opens, &r->o->build, file, &report) != PM_OUTCOME_OK)
    put_report(&r->said, &report);
  pm_buf_free(&report.error);
  pm_buf_free(&report.log);
  return r->said.len ? COMPILE_FAILS : BUILT;
}

/* Of a program that is alone. */
static void put_not_built(run *r, size_t i, built how) {
  if (how == COMPILE_FAILS) fail_with(r, i, "what is emitted does not compile");
  if (how == NAMES_DIFFER) fail_with(r, i, "the hook 'emit' gives no name of its function");
  if (how != PASSES_REFUSE && how != EMIT_REFUSES) return;
  if (r->said.len)
    put_result(r, i, PM_CHECK_UNEMITTED, r->said.data);
  else
    fail_with(r, i,
              how == EMIT_REFUSES ? "the hook 'emit' fails without a diagnostic"
                                  : "the passes fail without one");
}

static bool check_call(run *r, const pm_check_program *program, pm_op *op, pm_native *native,
                       const char *sizes) {
  pm_check_call call = {.program = program, .sizes = sizes, .native = native, .why = &r->why};
  bool ok = pm_check_call_begin(&call, op) && (program->check ? program->check : pm_check_same)(&call);
  pm_check_call_end(&call);
  return ok;
}

static void check_program(run *r, size_t i, pm_op *op, const pm_buf *file, const char *entry) {
  const pm_check_program *program = &r->programs->data[i];
  pm_report report = {0};
  pm_outcome outcome;
  stage_signature sig;
  bool ok = true;
  r->why.len = r->said.len = 0;
  pm_callable_signature(op, &sig);
  pm_build_options options = r->o->build;
  if (program->threads) options.threads = program->threads;
  pm_native *native = pm_native_new(&sig, NULL, r->o->target, file, entry, &options, &outcome, &report);
  if (!native)
    ok =
        pm_failf(&r->why, "what is compiled cannot be opened: %s", report.error.len ? report.error.data : "");
  for (const char *const *sizes = program->calls; ok && *sizes; sizes++)
    ok = check_call(r, program, op, native, *sizes);
  if (ok)
    put_result(r, i, PM_CHECK_PASS, NULL);
  else
    fail_with(r, i, r->why.len ? r->why.data : "");
  pm_native_free(native);
  pm_buf_free(&report.error);
  pm_buf_free(&report.log);
  stage_signature_free(&sig);
}

static void check_range(run *r, range all);

static void halve(run *r, range all) {
  check_range(r, (range){all.first, all.n / 2});
  check_range(r, (range){all.first + all.n / 2, all.n - all.n / 2});
}

static void call_all(run *r, range all, pm_module *whole, pm_module *made_of, const pm_buf *file,
                     const pm_target_output *text) {
  for (size_t i = all.first; i < all.first + all.n; i++) {
    const pm_check_program *program = &r->programs->data[i];
    if (find(made_of, program))
      check_program(r, i, find(whole, program), file, all.n > 1 ? program->symbol : text->entry.data);
  }
}

/* `whole` is what the interpreter runs, `accepted` what the target gets. */
static void build_and_call(run *r, range all, pm_module *whole, pm_module *accepted) {
  pm_target_output text = {0};
  pm_buf file = {0};
  pm_module *made = pm_module_clone(accepted);
  bool is_pipeline = pm_is(find(whole, &r->programs->data[all.first]), &stage_pipeline);
  built how = build(r, made, is_pipeline, all.n == 1, &text, &file);
  pm_module_free(made);
  if (how == BUILT)
    call_all(r, all, whole, accepted, &file, &text);
  else if (all.n > 1)
    halve(r, all);
  else
    put_not_built(r, all.first, how);
  pm_target_output_free(&text);
  pm_buf_free(&file);
}

static void check_range(run *r, range all) {
  r->said.len = 0;
  pm_module *whole = parse(r, all);
  if (!whole && all.n > 1) {
    halve(r, all);
    return;
  }
  if (!whole) {
    fail_with(r, all.first, "this is no IR");
    return;
  }
  pm_module *accepted = pm_module_clone(whole);
  if (take_out_refused(r, all, accepted)) build_and_call(r, all, whole, accepted);
  pm_module_free(accepted);
  pm_module_free(whole);
}

/* --- in the tool --- */

typedef struct attempt {
  run *r;
  range range;
  pm_child child;
} attempt;

/* What is called may crash, and the message of a tool's own crash would be wrong. */
static void leave_signals(void) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < PM_COUNT(fatal); i++) signal(fatal[i], SIG_DFL);
}

static void work(void *user, pm_buf *answer) {
  attempt *a = user;
  leave_signals();
  a->r->answer = answer;
  pm_set_max_errors(a->r->o->ctx, 0);
  pm_set_diag_handler(a->r->o->ctx, keep_diag, &a->r->said);
  check_range(a->r, a->range);
}

static void begin(attempt *a, run *r, range range) {
  *a = (attempt){.r = r, .range = range};
  a->child = pm_begin_child(r->o->tool, work, a, r->o->seconds);
}

/* What fails among others is tried alone: it may be their fault. */
static void take_results(const pm_buf *answer, bool is_alone, ranges *todo, pm_check_result *results) {
  for (char *at = answer->data, *end = at + answer->len; at < end;) {
    size_t i = strtoull(at, &at, 10);
    int verdict = (int)strtol(at, &at, 10);
    size_t n = strtoull(at, &at, 10);
    free(results[i].text);
    results[i] = (pm_check_result){(pm_check_verdict)verdict, n ? strndup(at + 1, n) : NULL};
    at += 1 + n;
    if (verdict == PM_CHECK_FAIL && !is_alone) PM_VEC_PUSH(*todo, ((range){i, 1}));
  }
}

/* Of a program that is alone. */
static void put_end(const attempt *a, const pm_child_result *result, pm_check_result *out) {
  pm_buf text = {0};
  if (result->end == PM_CHILD_LATE)
    pm_buf_printf(&text, "it takes longer than %g seconds", a->r->o->seconds);
  else if (WIFSIGNALED(result->status))
    pm_buf_printf(&text, "it is ended by a signal: %s", strsignal(WTERMSIG(result->status)));
  else
    pm_buf_printf(&text, "it ends the process with the exit status %d", WEXITSTATUS(result->status));
  if (result->log.len)
    pm_buf_printf(&text, "\n%.*s", (int)(result->log.len < 2000 ? result->log.len : 2000), result->log.data);
  *out = (pm_check_result){PM_CHECK_FAIL, pm_buf_take(&text)};
}

/* What crashes is tried in halves, and what takes too long one by one. False: nothing can be tried. */
static bool end(attempt *a, ranges *todo, pm_check_result *results) {
  pm_child_result result = pm_end_child(&a->child);
  size_t first = a->range.first, n = a->range.n;
  bool ok = result.end != PM_CHILD_FAILED && result.end != PM_CHILD_STOPPED;
  if (result.end == PM_CHILD_FAILED) fputs(result.log.data, stderr);
  if (result.end == PM_CHILD_DONE) {
    take_results(&result.answer, n == 1, todo, results);
  } else if (result.end == PM_CHILD_LATE && n > 1) {
    for (size_t i = n; i-- > 0;) PM_VEC_PUSH(*todo, ((range){first + i, 1}));
  } else if (ok && n > 1) {
    PM_VEC_PUSH(*todo, ((range){first + n / 2, n - n / 2}));
    PM_VEC_PUSH(*todo, ((range){first, n / 2}));
  } else if (ok) {
    put_end(a, &result, &results[first]);
  }
  pm_child_result_free(&result);
  return ok;
}

/* The last first; some for each child. */
static ranges divide(const pm_check_programs *programs, unsigned jobs) {
  ranges todo = {0};
  size_t most = programs->len / (4 * jobs) + 1;
  if (most > MOST_AT_ONCE) most = MOST_AT_ONCE;
  for (size_t last = programs->len, n; last > 0; last -= n) {
    n = last < most ? last : most;
    PM_VEC_PUSH(todo, ((range){last - n, n}));
  }
  return todo;
}

/* Children are waited for in the order in which they began. */
static bool run_all(run *r, ranges *todo, pm_check_result *results) {
  attempt attempts[MOST_JOBS];
  size_t begun = 0, ended = 0;
  bool ok = true;
  while (begun > ended || (ok && todo->len)) {
    while (ok && todo->len && begun - ended < r->o->jobs) {
      begin(&attempts[begun % MOST_JOBS], r, PM_VEC_POP(*todo));
      begun++;
    }
    ok &= end(&attempts[ended++ % MOST_JOBS], todo, results);
  }
  return ok;
}

pm_check_result *pm_check_run(const pm_check_options *o, const pm_check_programs *programs) {
  run r = {.o = o, .programs = programs};
  pm_check_result *results = pm_xcalloc(programs->len + 1, sizeof *results);
  ranges todo = divide(programs, o->jobs);
  bool ok = run_all(&r, &todo, results);
  PM_VEC_FREE(todo);
  if (ok) return results;
  pm_check_results_free(results, programs->len);
  return NULL;
}

void pm_check_results_free(pm_check_result *results, size_t n) {
  for (size_t i = 0; i < n; i++) free(results[i].text);
  free(results);
}
