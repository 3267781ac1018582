/* pm-opt: IR text in, passes, IR text out. For people who write passes. */
#include "dialects/dialects.h"
#include "dialects/machine/machine.h"
#include "ir/pass.h"
#include "ir/rewrite.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "targets/target.h"
#include "tools/lib/driver/call_options.h"
#include "tools/lib/driver/dialect_docs.h"
#include "tools/lib/driver/dumps.h"
#include "tools/lib/driver/estimates.h"
#include "tools/lib/driver/expected.h"
#include "tools/lib/driver/load_plugin.h"
#include "tools/lib/driver/measures_json.h"
#include "tools/lib/message.h"
#include "pm/pipelines.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/editor/grammar.h"
#include "tools/lib/driver/remarks.h"
#include "tools/lib/semantics/laws.h"
#include "tools/lib/semantics/program.h"
#include "tools/lib/semantics/verify.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum listing {
  LIST_NOTHING,
  LIST_PASSES,
  LIST_DIALECTS,
  LIST_DOCS,
  LIST_PIPELINES,
  LIST_FRONTENDS,
  LIST_GRAMMAR,
  CHECK_RULES
} listing;

enum { DEFAULT_MAX_ERRORS = 20 };

typedef struct options {
  pm_context *ctx; /* has what names on the command line may mean */
  const char *input, *output;
  const char *where, *pipeline; /* the text, and what its diagnostics call it */
  bool dump_pipeline, run_reproducer;
  bool split, verify_diagnostics, no_verify, allow_unregistered;
  bool remarks, remarks_json, timing_json, statistics_json;
  bool verify_semantics, print_diffs;
  const char *dump_dir;  /* NULL: no files */
  double pass_timeout;   /* in seconds; 0: none */
  pm_named_list sizes;   /* none: those that the IR's numbers give */
  int64_t rewrite_limit; /* as pm_begin_rewrites has it */
  PM_VEC(pm_debug_counter) counters;
  bool list_counters;
  unsigned max_errors; /* 0: no limit */
  uint32_t stop_at_op;
  const char *machine; /* NULL: not given */
  int64_t size;        /* 0: not given */
  pm_estimate_list estimates;
  listing list;
  const pm_grammar_form *grammar; /* of LIST_GRAMMAR */
  pm_print_options print;
  pm_run_config run;
} options;

typedef struct session {
  options opts;
  pm_context *ctx;
  pm_pass_manager *passes;
  pm_expected *expected; /* with --verify-diagnostics */
  const char *name;      /* of the input, in locations */
  pm_buf out;            /* all modules printed so far, */
  bool is_written;       /* or the only one has been written */
  pm_buf report;
} session;

/* --- options --- */

enum {
  KEY_PASS_PIPELINE = 256,
  KEY_MACHINE,
  KEY_SIZE,
  KEY_PIPELINE,
  KEY_DUMP_PIPELINE,
  KEY_RUN_REPRODUCER,
  KEY_ESTIMATE,
  KEY_REPRODUCER,
  KEY_VERIFY_EACH,
  KEY_NO_VERIFY,
  KEY_VERIFY_SEMANTICS,
  KEY_REWRITE_LIMIT,
  KEY_DEBUG_COUNTER,
  KEY_LIST_COUNTERS,
  KEY_CHECK_KEPT,
  KEY_TIMING,
  KEY_STATISTICS,
  KEY_PRINT_BEFORE,
  KEY_PRINT_AFTER,
  KEY_PRINT_BEFORE_ALL,
  KEY_PRINT_AFTER_ALL,
  KEY_PRINT_CHANGED,
  KEY_PRINT_ON_FAILURE,
  KEY_DUMP_IR,
  KEY_BISECT,
  KEY_PASS_TIMEOUT,
  KEY_SPLIT,
  KEY_VERIFY_DIAGNOSTICS,
  KEY_GENERIC,
  KEY_UNREGISTERED,
  KEY_LOCS,
  KEY_NO_ALIASES,
  KEY_NO_INLINE,
  KEY_MAX_ERRORS,
  KEY_REMARKS,
  KEY_PLUGIN,
  KEY_STOP_AT_OP,
  KEY_LIST_PASSES,
  KEY_LIST_DIALECTS,
  KEY_LIST_PIPELINES,
  KEY_LIST_FRONTENDS,
  KEY_CHECK_RULES,
  KEY_DOCS,
  KEY_GRAMMAR
};

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Passes:", 1},
    {"pass-pipeline", KEY_PASS_PIPELINE, "TEXT", 0,
     "run these passes and named pipelines, as in stage.pipeline(group{max-size=8}),cse", 1},
    {"pipeline", KEY_PIPELINE, "NAME", 0, "run a named pipeline (see --list-pipelines)", 1},
    {"dump-pass-pipeline", KEY_DUMP_PIPELINE, NULL, 0,
     "print the pipeline with all its options; without an input file, nothing else is done", 1},
    {"run-reproducer", KEY_RUN_REPRODUCER, NULL, 0, "run the pipeline that the input's first line names", 1},
    {"machine", KEY_MACHINE, "NAME|FILE", 0,
     "the machine that is decided for, an attribute of the module (default: what the module says, or host)",
     1},
    {"size", KEY_SIZE, "N", 0, "what integer parameters without an estimate usually are there", 1},
    {"estimate", KEY_ESTIMATE, "NAME=VALUE", 0, "what an integer parameter usually is; may be repeated", 1},
    {"load-plugin", KEY_PLUGIN, "FILE", 0, "load a plugin: passes, dialects and other parts", 1},
    {NULL, 0, NULL, 0, "Text:", 2},
    {"output", 'o', "FILE", 0, "write there instead of standard output", 2},
    {"split-input-file", KEY_SPLIT, NULL, 0, "the input is modules separated by lines `// -----`", 2},
    {"allow-unregistered", KEY_UNREGISTERED, NULL, 0,
     "keep ops of dialects that are not loaded, which have the generic form", 2},
    {"print-generic", KEY_GENERIC, NULL, 0, "print the generic form of every op", 2},
    {"generic", 0, NULL, OPTION_ALIAS, NULL, 2},
    {"print-locs", KEY_LOCS, NULL, 0, "print locations", 2},
    {"no-aliases", KEY_NO_ALIASES, NULL, 0,
     "print attributes of more than 80 characters in full wherever they are, but for aliases of the input",
     2},
    {"no-inline", KEY_NO_INLINE, NULL, 0,
     "print all ops on lines of their own, those too that only compute a bound, an extent or a condition", 2},
    {NULL, 0, NULL, 0, "Checks:", 3},
    {"verify-each", KEY_VERIFY_EACH, "0|1", 0, "verify after every pass (default 1)", 3},
    {"no-verify", KEY_NO_VERIFY, NULL, 0, "do not verify the input, nor after any pass", 3},
    {"verify-semantics", KEY_VERIFY_SEMANTICS, "R=35,C=767", OPTION_ARG_OPTIONAL,
     "interpret what each pass leaves, and stop when it computes something else than the input did (default: "
     "at sizes next to borders of tiles)",
     3},
    {"check-rules", KEY_CHECK_RULES, NULL, 0,
     "run the laws of all rewrite rules, plugins' too, on all values of 8 bits and samples of others", 3},
    {"verify-diagnostics", KEY_VERIFY_DIAGNOSTICS, NULL, 0,
     "the diagnostics must be those that comments `expected-error@+1 {{text}}` announce", 3},
    {"check-kept", KEY_CHECK_KEPT, NULL, 0, "recompute the analyses that passes say they keep", 3},
    {"opt-bisect-limit", KEY_BISECT, "N", 0, "run the first N passes only, and say which", 3},
    {"rewrite-limit", KEY_REWRITE_LIMIT, "N", 0,
     "apply the first N rules, folds, merges of equal ops and moves out of loops only, and say which was the "
     "last",
     3},
    {"debug-counter", KEY_DEBUG_COUNTER, "NAME=SKIP:COUNT", 0,
     "of the rewrites of that pass or rule, as arith.addi.add_zero, leave out the first SKIP, apply the next "
     "COUNT, and leave out the rest; may be repeated",
     3},
    {"reproducer", KEY_REPRODUCER, "FILE", 0, "on a failure, write the IR and the rest of the pipeline there",
     3},
    {"pass-timeout", KEY_PASS_TIMEOUT, "SECONDS", 0,
     "end with a reproducer when a pass computes for longer than that", 3},
    {"max-errors", KEY_MAX_ERRORS, "N", 0, "stop reporting errors after N (default 20; 0: never)", 3},
    {"stop-at-op", KEY_STOP_AT_OP, "N", 0, "trap in the debugger when the op of that serial number is made",
     3},
    {NULL, 0, NULL, 0, "Reports, on standard error:", 4},
    {"timing", KEY_TIMING, "text|json", OPTION_ARG_OPTIONAL, "the time of every pass", 4},
    {"statistics", KEY_STATISTICS, "text|json", OPTION_ARG_OPTIONAL, "the counts of every pass", 4},
    {"list-debug-counters", KEY_LIST_COUNTERS, NULL, 0,
     "how often each debug counter could count, and how often it was let", 4},
    {"remarks", KEY_REMARKS, "text|json", OPTION_ARG_OPTIONAL, "what passes did and did not do, and why", 4},
    {"print-before", KEY_PRINT_BEFORE, "PASSES", 0, "the IR before these passes (names separated by commas)",
     4},
    {"print-after", KEY_PRINT_AFTER, "PASSES", 0, "the IR after these passes", 4},
    {"print-before-all", KEY_PRINT_BEFORE_ALL, NULL, 0, "the IR before every pass", 4},
    {"print-after-all", KEY_PRINT_AFTER_ALL, NULL, 0, "the IR after every pass", 4},
    {"print-changed", KEY_PRINT_CHANGED, "all|diff", OPTION_ARG_OPTIONAL,
     "the IR after every pass that changed it, or the lines that it changed", 4},
    {"print-on-failure", KEY_PRINT_ON_FAILURE, NULL, 0, "the IR that a pass which fails leaves", 4},
    {"dump-ir", KEY_DUMP_IR, "DIR", 0,
     "a numbered file there for the input and after every pass, and index.html with what each changed", 4},
    {NULL, 0, NULL, 0, "Lists:", 5},
    {"list-passes", KEY_LIST_PASSES, NULL, 0, "every pass with its options", 5},
    {"list-pipelines", KEY_LIST_PIPELINES, NULL, 0, "the named pipelines", 5},
    {"list-dialects", KEY_LIST_DIALECTS, NULL, 0, "every dialect", 5},
    {"list-frontends", KEY_LIST_FRONTENDS, NULL, 0, "every frontend with its options", 5},
    {"print-dialect-docs", KEY_DOCS, NULL, 0, "every op, in Markdown", 5},
    {"print-grammar", KEY_GRAMMAR, "textmate|pygments|vim|kate|css", 0, "how editors colour IR", 5},
    {0},
};

static int64_t number_of(const char *text, int64_t max, const char *option, struct argp_state *state) {
  char *end;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  if (end == text || *end || errno || value < 0 || value > max)
    argp_error(state, "--%s is '%s', but should be a number from 0 to %" PRId64, option, text, max);
  return value;
}

static void set_pipeline(options *o, const char *where, const char *text, struct argp_state *state) {
  if (o->pipeline) argp_error(state, "more than one pipeline is given");
  o->where = where;
  o->pipeline = text;
}

static void set_named_pipeline(options *o, const char *name, struct argp_state *state) {
  if (!pm_find_pipeline(o->ctx, pm_str_of(name)))
    argp_error(state, "there is no pipeline '%s': see --list-pipelines", name);
  set_pipeline(o, "--pipeline", name, state);
}

/* Of the form of a report, NULL: text. */
static bool is_json(const char *form, const char *option, struct argp_state *state) {
  bool json = form && strcmp(form, "json") == 0;
  if (form && !json && strcmp(form, "text") != 0)
    argp_error(state, "--%s is '%s', but should be text or json", option, form);
  return json;
}

/* "rewrite", a pass, or an op and a rule of it or of a pass. */
static bool is_counter(pm_context *ctx, pm_str name) {
  size_t dot = name.len;
  while (dot > 0 && name.ptr[dot - 1] != '.') dot--;
  return pm_str_is(name, "rewrite") || pm_find_pass(ctx, name) ||
         (dot > 0 && pm_find_op_desc(ctx, (pm_str){name.ptr, dot - 1}));
}

static void set_print_changed(options *o, const char *form, struct argp_state *state) {
  o->print_diffs = form && strcmp(form, "diff") == 0;
  o->run.print_changed = !o->print_diffs;
  if (form && !o->print_diffs && strcmp(form, "all") != 0)
    argp_error(state, "--print-changed is '%s', but should be all or diff", form);
}

/* `NAME=SKIP` or `NAME=SKIP:COUNT`, as LLVM has it; false with an error. */
static bool add_counter(options *o, const char *text, pm_buf *error) {
  pm_debug_counter counter = {.count = -1};
  const char *equal = strrchr(text, '=');
  char *end = NULL;
  bool ok = equal && equal > text && equal[1] >= '0' && equal[1] <= '9';
  errno = 0;
  if (ok) counter.skip = strtoll(equal + 1, &end, 10);
  if (ok && *end == ':' && end[1] >= '0' && end[1] <= '9') counter.count = strtoll(end + 1, &end, 10);
  if (!ok || *end || errno) return pm_failf(error, "--debug-counter '%s' is not NAME=SKIP:COUNT", text);
  pm_str name = {text, (size_t)(equal - text)};
  if (!is_counter(o->ctx, name))
    return pm_failf(
        error, "--debug-counter '%s': there is no pass, and no op before the last dot, of that name", text);
  counter.name = pm_get_string(o->ctx, name)->text;
  PM_VEC_PUSH(o->counters, counter);
  return true;
}

/* Options that only set something in the run's configuration. */
static bool parse_run_option(options *o, int key, char *arg, struct argp_state *state) {
  pm_run_config *run = &o->run;
  switch (key) {
  case KEY_VERIFY_EACH:
    run->verify_each = number_of(arg, 1, "verify-each", state) != 0;
    return true;
  case KEY_CHECK_KEPT:
    run->check_kept = true;
    return true;
  case KEY_TIMING:
    o->timing_json = is_json(arg, "timing", state);
    run->timing = !o->timing_json;
    return true;
  case KEY_STATISTICS:
    o->statistics_json = is_json(arg, "statistics", state);
    run->statistics = !o->statistics_json;
    return true;
  case KEY_PRINT_ON_FAILURE:
    run->print_on_failure = true;
    return true;
  case KEY_PRINT_BEFORE:
    run->print_before = arg;
    return true;
  case KEY_PRINT_AFTER:
    run->print_after = arg;
    return true;
  case KEY_PRINT_BEFORE_ALL:
    run->print_before_all = true;
    return true;
  case KEY_PRINT_AFTER_ALL:
    run->print_after_all = true;
    return true;
  case KEY_BISECT:
    run->bisect_limit = number_of(arg, INT64_MAX, "opt-bisect-limit", state);
    return true;
  case KEY_REPRODUCER:
    run->reproducer = arg;
    return true;
  default:
    return false;
  }
}

static void set_grammar(options *o, const char *name, struct argp_state *state) {
  o->list = LIST_GRAMMAR;
  o->grammar = pm_find_grammar_form(name);
  if (!o->grammar)
    argp_error(state, "--print-grammar is '%s', but should be textmate, pygments, vim, kate or css", name);
}

static bool parse_list_option(options *o, int key) {
  switch (key) {
  case KEY_LIST_PASSES:
    o->list = LIST_PASSES;
    return true;
  case KEY_LIST_DIALECTS:
    o->list = LIST_DIALECTS;
    return true;
  case KEY_LIST_PIPELINES:
    o->list = LIST_PIPELINES;
    return true;
  case KEY_LIST_FRONTENDS:
    o->list = LIST_FRONTENDS;
    return true;
  case KEY_CHECK_RULES:
    o->list = CHECK_RULES;
    return true;
  case KEY_DOCS:
    o->list = LIST_DOCS;
    return true;
  default:
    return false;
  }
}

/* Options that check, bound or leave out something. */
static bool parse_check_option(options *o, int key, char *arg, struct argp_state *state) {
  pm_buf error = {0};
  switch (key) {
  case KEY_NO_VERIFY:
    o->no_verify = true;
    return true;
  case KEY_VERIFY_SEMANTICS:
    o->verify_semantics = true;
    pm_add_all_named(&o->sizes, arg, state);
    return true;
  case KEY_VERIFY_DIAGNOSTICS:
    o->verify_diagnostics = true;
    return true;
  case KEY_REWRITE_LIMIT:
    o->rewrite_limit = number_of(arg, INT64_MAX, "rewrite-limit", state);
    if (!o->rewrite_limit) o->rewrite_limit = -1;
    return true;
  case KEY_DEBUG_COUNTER:
    if (!add_counter(o, arg, &error)) argp_error(state, "%s", error.data);
    return true;
  case KEY_LIST_COUNTERS:
    o->list_counters = true;
    return true;
  case KEY_PASS_TIMEOUT:
    if (!pm_read_timeout(arg, &o->pass_timeout))
      argp_error(state, "--pass-timeout '%s' is not 0.001..1000000", arg);
    return true;
  case KEY_MAX_ERRORS:
    o->max_errors = (unsigned)number_of(arg, UINT32_MAX, "max-errors", state);
    return true;
  case KEY_STOP_AT_OP:
    o->stop_at_op = (uint32_t)number_of(arg, UINT32_MAX, "stop-at-op", state);
    return true;
  default:
    return false;
  }
}

static error_t parse_other_option(options *o, int key, char *arg, struct argp_state *state) {
  switch (key) {
  case KEY_PASS_PIPELINE:
    set_pipeline(o, "--pass-pipeline", arg, state);
    return 0;
  case KEY_PIPELINE:
    set_named_pipeline(o, arg, state);
    return 0;
  case KEY_DUMP_PIPELINE:
    o->dump_pipeline = true;
    return 0;
  case KEY_RUN_REPRODUCER:
    o->run_reproducer = true;
    return 0;
  case KEY_MACHINE:
    o->machine = arg;
    return 0;
  case KEY_SIZE:
    o->size = pm_argp_count(arg, 1, 1000000000, "--size", state);
    return 0;
  case KEY_ESTIMATE:
    if (!pm_is_estimate(arg)) argp_error(state, "--estimate '%s' is not NAME=INTEGER", arg);
    PM_VEC_PUSH(o->estimates, arg);
    return 0;
  case KEY_SPLIT:
    o->split = true;
    return 0;
  case KEY_GENERIC:
    o->print.generic = true;
    return 0;
  case KEY_UNREGISTERED:
    o->allow_unregistered = true;
    return 0;
  case KEY_LOCS:
    o->print.locs = true;
    return 0;
  case KEY_NO_ALIASES:
    o->print.aliases = o->run.print.aliases = false;
    return 0;
  case KEY_NO_INLINE:
    o->print.inlines = o->run.print.inlines = false;
    return 0;
  case KEY_PRINT_CHANGED:
    set_print_changed(o, arg, state);
    return 0;
  case KEY_DUMP_IR:
    o->dump_dir = arg;
    return 0;
  case KEY_REMARKS:
    o->remarks = true;
    o->remarks_json = is_json(arg, "remarks", state);
    return 0;
  case KEY_GRAMMAR:
    set_grammar(o, arg, state);
    return 0;
  case KEY_PLUGIN: /* was loaded before: pm_load_plugins_of */
    return 0;
  case 'o':
    o->output = arg;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  if (key == ARGP_KEY_ARG) {
    if (o->input) argp_error(state, "more than one input file is given: '%s' and '%s'", o->input, arg);
    o->input = arg;
    return 0;
  }
  if (key == ARGP_KEY_END) {
    if (o->run_reproducer && o->pipeline) argp_error(state, "--run-reproducer has its own pipeline");
    return 0;
  }
  if (parse_run_option(o, key, arg, state) || parse_list_option(o, key)) return 0;
  if (parse_check_option(o, key, arg, state)) return 0;
  return parse_other_option(o, key, arg, state);
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse_option,
    .args_doc = "[FILE]",
    .doc = "Reads IR text (from standard input when FILE is - or absent), runs passes, prints IR text.\v"
           "Exit status: 0 when all went well, 1 when the input is at fault, 2 for wrong options, 70 for a "
           "bug of ours.",
};

/* --- diagnostics --- */

static void handle_as_json(void *user, pm_context *ctx, const pm_diag *diag) {
  pm_buf text = {0};
  (void)user;
  if (diag->severity == PM_REMARK)
    pm_put_remark_json(ctx, diag, &text);
  else
    pm_print_diag(ctx, diag, &text);
  fwrite(text.data, 1, text.len, stderr);
  pm_buf_free(&text);
}

static bool set_up_diagnostics(session *s, const char *text) {
  const options *o = &s->opts;
  pm_buf error = {0};
  pm_enable_remarks(s->ctx, o->remarks);
  if (o->remarks_json) pm_set_diag_handler(s->ctx, handle_as_json, NULL);
  pm_set_max_errors(s->ctx, o->verify_diagnostics ? 0 : o->max_errors);
  if (!o->verify_diagnostics) return true;
  if (pm_expected_new(&s->expected, s->name, text, &error)) {
    pm_set_diag_handler(s->ctx, pm_expected_handler, s->expected);
    return true;
  }
  fwrite(error.data, 1, error.len, stderr);
  pm_buf_free(&error);
  return false;
}

static void flush_report(session *s) {
  if (s->report.len) fwrite(s->report.data, 1, s->report.len, stderr);
  s->report.len = 0;
}

static void tell_hidden_errors(const session *s) {
  unsigned max = s->opts.max_errors, n = pm_error_count(s->ctx);
  if (!s->expected && max && n > max)
    fprintf(stderr, "%u more errors are not shown (--max-errors)\n", n - max);
}

/* --- one module --- */

static void tell_rewrites(const session *s) {
  pm_rewrite_count done = pm_rewrites_done(s->ctx);
  if (!s->opts.rewrite_limit) return;
  if (!done.done)
    fprintf(stderr, "rewrites: none\n");
  else
    fprintf(stderr, "rewrites: %lld, the last on '%s': %s\n", (long long)done.done, done.on->name, done.what);
}

static void begin_rewrites(const session *s) {
  pm_begin_rewrites(s->ctx, s->opts.rewrite_limit);
  for (size_t i = 0; i < s->opts.counters.len; i++) {
    pm_debug_counter c = s->opts.counters.data[i];
    pm_add_debug_counter(s->ctx, pm_str_of(c.name), c.skip, c.count);
  }
  if (s->opts.list_counters) pm_count_all_rewrites(s->ctx);
}

static void tell_counters(session *s) {
  size_t n;
  const pm_debug_counter *all = pm_debug_counters(s->ctx, &n);
  if (s->opts.list_counters)
    pm_buf_puts(&s->report, "debug counters: rewrites that could be done, and were\n");
  for (size_t i = 0; s->opts.list_counters && i < n; i++)
    pm_buf_printf(&s->report, "  %10" PRId64 " %10" PRId64 "  %s\n", all[i].seen, all[i].done, all[i].name);
  for (size_t i = 0; !s->opts.list_counters && i < n; i++)
    if (!all[i].seen && strcmp(all[i].name, "rewrite") != 0)
      pm_warning(s->ctx, PM_NO_LOC, "the debug counter '%s' has counted nothing", all[i].name);
}

static bool verify_semantics(session *s, pm_states *states) {
  const options *o = &s->opts;
  const pm_verify_options verify = {
      .tool = "pm-opt", .reproducer = o->run.reproducer, .params = &o->sizes, .most_ops = PM_VERIFY_OPS};
  pm_verified count;
  bool ok = pm_verify_states(states, &verify, &count);
  if (ok)
    pm_buf_printf(&s->report, "verify-semantics: %lld calls at %lld sizes compute the same\n",
                  (long long)count.calls, (long long)count.sizes);
  return ok;
}

static bool run_passes(session *s, pm_module *module) {
  pm_run_config config = s->opts.run;
  begin_rewrites(s);
  pm_states *states = s->opts.verify_semantics ? pm_states_new(module) : NULL;
  if (states) {
    config.after_pass = pm_states_keep;
    config.after_user = states;
  }
  pm_dumps *dumps = pm_dumps_new(s->opts.dump_dir, s->opts.print_diffs ? &s->report : NULL, &config);
  pm_limit_passes(&config, &s->opts.pass_timeout);
  bool ok = pm_run_guarded("pm-opt", s->passes, module, &config);
  pm_dumps_free(dumps);
  if (s->opts.timing_json) pm_put_timing_json(s->passes, &s->report);
  if (s->opts.statistics_json) pm_put_statistics_json(s->passes, &s->report);
  tell_rewrites(s);
  tell_counters(s);
  pm_begin_rewrites(s->ctx, 0);
  ok = ok && (!states || verify_semantics(s, states));
  if (states) pm_states_free(states);
  return ok;
}

/* --- output --- */

static const char *output_path(const session *s) {
  return s->opts.output ? s->opts.output : "-";
}

static int cannot_write(const session *s) {
  pm_buf error = {0};
  pm_failf(&error, "cannot write '%s': %s", output_path(s), strerror(errno));
  pm_print_error("pm-opt", &error);
  return PM_EXIT_INPUT;
}

/* The only module's text is written while it is printed; others wait for all to be well. */
static bool print_output(session *s, pm_module *module) {
  pm_writer writer;
  if (s->opts.split || s->expected) {
    pm_print_module(&s->out, module, s->opts.print);
    return true;
  }
  s->is_written = true;
  pm_drop_source_texts(s->ctx);
  if (!pm_writer_open(&writer, output_path(s))) return cannot_write(s) == PM_EXIT_OK;
  pm_print_module_in_pieces(module, s->opts.print, pm_writer_put, &writer);
  return pm_writer_close(&writer) || cannot_write(s) == PM_EXIT_OK;
}

static bool run_module(session *s, const char *text, size_t len) {
  pm_module *module = pm_parse_module(s->ctx, s->name, text, len, !s->opts.no_verify);
  pm_buf error = {0};
  if (!module) return false;
  pm_set_machine(module, s->opts.machine, s->opts.size);
  bool ok = pm_set_estimates(module, &s->opts.estimates, &error);
  if (!ok) pm_print_error("pm-opt", &error);
  ok = ok && run_passes(s, module);
  flush_report(s);
  ok = ok && print_output(s, module);
  pm_module_free(module);
  return ok;
}

static bool check_rules(session *s) {
  pm_laws_checked count;
  bool ok = pm_check_laws(s->ctx, &count, &s->out);
  pm_buf_printf(&s->out, "%lld laws hold, in %lld typings; %lld fail, %lld are not checked\n",
                (long long)count.held, (long long)count.typings, (long long)count.failed,
                (long long)count.left);
  return ok;
}

/* The line `// -----` at or after `at`, or NULL. */
static const char *find_separator(const char *at) {
  static const char line[] = "// -----";
  while (at) {
    if (strncmp(at, line, sizeof line - 1) == 0) return at;
    at = strchr(at, '\n');
    if (at) at++;
  }
  return NULL;
}

/* What stands before the piece is replaced by empty lines, so that locations are those of the whole file. */
static bool run_piece(session *s, unsigned lines_before, const char *text, size_t len) {
  pm_buf piece = {0};
  for (unsigned i = 0; i < lines_before; i++) pm_buf_putc(&piece, '\n');
  pm_buf_puts(&piece, "");
  pm_buf_put(&piece, text, len);
  bool ok = run_module(s, piece.data, piece.len);
  pm_buf_free(&piece);
  return ok;
}

static bool run_pieces(session *s, const char *text, size_t text_len) {
  const char *text_end = text + text_len;
  bool ok = true;
  unsigned line = 0;
  for (const char *end = find_separator(text);; end = find_separator(text)) {
    size_t len = (size_t)((end ? end : text_end) - text);
    if (s->out.len) pm_buf_puts(&s->out, "\n// -----\n\n");
    ok &= run_piece(s, line, text, len);
    if (!end) return ok;
    const char *next = end + strcspn(end, "\n");
    next += *next == '\n';
    for (; text < next; text++) line += *text == '\n';
  }
}

/* --- pipelines --- */

/* What follows `word` at `*at`, which is moved behind it; false when something else is there. */
static bool take_word(const char **at, const char *word) {
  size_t n = strlen(word);
  if (strncmp(*at, word, n) != 0) return false;
  *at += n;
  return true;
}

static bool load_plugin(session *s, const char *path, pm_buf *error) {
  return pm_load_plugin(s->ctx, path, error);
}

static bool take_counter(session *s, const char *text, pm_buf *error) {
  return add_counter(&s->opts, text, error);
}

/* Takes each `option'VALUE' ` at `*at`, which is moved behind them; false after an error. */
static bool take_options(session *s, const char **at, const char *option,
                         bool (*take)(session *s, const char *value, pm_buf *error)) {
  pm_buf error = {0};
  bool ok = true;
  while (ok && take_word(at, option)) {
    size_t n = strcspn(*at, "'\n");
    char *value = pm_xstrndup(*at, n);
    ok = take(s, value, &error);
    *at += n;
    free(value);
    if (!take_word(at, "' ")) break;
  }
  if (!ok) pm_print_error("pm-opt", &error);
  return ok;
}

/* Up to the last quote of the line at `at`; to be freed, NULL when there is none. */
static char *take_quoted_line(const char *at) {
  const char *end = at + strcspn(at, "\n");
  while (end > at && *end != '\'') end--;
  return *end == '\'' ? pm_xstrndup(at, (size_t)(end - at)) : NULL;
}

/* The first line: `// configuration: --pass-pipeline='TEXT'`, with what pm_print_context_options has before
 * the pipeline. */
static bool parse_reproducer_pipeline(session *s, const char *text) {
  const char *at = text;
  bool head = take_word(&at, "// configuration: ");
  if (head && !take_options(s, &at, "--load-plugin='", load_plugin)) return false;
  if (take_word(&at, "--allow-unregistered ")) pm_allow_unregistered(s->ctx);
  if (head && !take_options(s, &at, "--debug-counter='", take_counter)) return false;
  char *pipeline = head && take_word(&at, "--pass-pipeline='") ? take_quoted_line(at) : NULL;
  bool ok = pipeline ? pm_parse_pipeline(s->passes, "reproducer", pipeline)
                     : pm_error(s->ctx, PM_NO_LOC,
                                "'%s' is no reproducer: its first line should be "
                                "// configuration: --pass-pipeline='…'",
                                s->name);
  free(pipeline);
  return ok;
}

/* `text` is the input's, NULL when there is none. */
static bool make_passes(session *s, const char *text) {
  s->passes = pm_pass_manager_new(s->ctx);
  if (s->opts.run_reproducer) return text && parse_reproducer_pipeline(s, text);
  return !s->opts.pipeline || pm_parse_pipeline(s->passes, s->opts.where, s->opts.pipeline);
}

static void dump_pipeline(const session *s, FILE *to) {
  pm_buf text = {0};
  pm_print_pipeline(s->passes, &text);
  fprintf(to, "%s\n", text.data);
  pm_buf_free(&text);
}

/* --- the whole --- */

static int write_output(const session *s) {
  bool ok = pm_write_file(output_path(s), s->out.data ? s->out.data : "", s->out.len);
  return ok ? PM_EXIT_OK : cannot_write(s);
}

static bool check_expected(const session *s) {
  pm_buf report = {0};
  bool ok = pm_expected_check(s->expected, &report);
  if (!ok) fwrite(report.data, 1, report.len, stderr);
  pm_buf_free(&report);
  return ok;
}

/* Frees the text, or hands it to the context, which the parser reads it from: of pieces it has copies. */
static bool run_input(session *s, char *text, size_t len) {
  if (!s->opts.split) {
    pm_str kept = pm_source_text(s->ctx, pm_take_source(s->ctx, s->name, text, len));
    return run_module(s, kept.ptr, kept.len);
  }
  bool ok = run_pieces(s, text, len);
  free(text);
  return ok;
}

/* Frees the text. */
static int run_text(session *s, char *text, size_t len) {
  bool ready = set_up_diagnostics(s, text) && make_passes(s, text);
  if (ready && s->opts.dump_pipeline) dump_pipeline(s, stderr);
  if (!ready) free(text);
  bool ok = ready && run_input(s, text, len);
  tell_hidden_errors(s);
  if (s->expected) ok = check_expected(s);
  if (!ok) return PM_EXIT_INPUT;
  return s->is_written ? PM_EXIT_OK : write_output(s);
}

static int run_file(session *s) {
  const char *path = s->opts.input ? s->opts.input : "-";
  size_t len;
  char *text = pm_read_file(path, PM_MAX_TEXT, &len);
  pm_buf error = {0};
  if (!text) {
    pm_failf(&error, "cannot open '%s': %s", path, strerror(errno));
    pm_print_error("pm-opt", &error);
    return PM_EXIT_INPUT;
  }
  s->name = strcmp(path, "-") == 0 ? "<stdin>" : path;
  return run_text(s, text, len);
}

static void print_grammar(session *s) {
  pm_word_set *words = pm_word_set_new(s->ctx);
  s->opts.grammar->put(words, &s->out);
  pm_word_set_free(words);
}

static int print_list(session *s) {
  bool holds = true;
  switch (s->opts.list) {
  case LIST_PASSES:
    pm_list_passes(s->ctx, &s->out);
    break;
  case LIST_DIALECTS:
    pm_list_dialects(s->ctx, &s->out);
    break;
  case LIST_DOCS:
    pm_print_dialect_docs(s->ctx, &s->out);
    break;
  case LIST_GRAMMAR:
    print_grammar(s);
    break;
  case LIST_PIPELINES:
    pm_list_pipelines(s->ctx, &s->out);
    break;
  case LIST_FRONTENDS:
    pm_list_frontends(s->ctx, &s->out);
    break;
  case CHECK_RULES:
    holds = check_rules(s);
    break;
  case LIST_NOTHING:
    break;
  }
  int status = write_output(s);
  return status == PM_EXIT_OK && !holds ? PM_EXIT_INPUT : status;
}

static int only_dump_pipeline(session *s) {
  if (!make_passes(s, NULL)) return PM_EXIT_INPUT;
  dump_pipeline(s, stdout);
  return PM_EXIT_OK;
}

static bool begin_session(session *s, int argc, char **argv) {
  pm_buf error = {0};
  s->ctx = pm_context_new();
  pm_register_all_dialects(s->ctx);
  pm_register_all_passes(s->ctx);
  pm_register_all_targets(s->ctx);
  pm_register_all_frontends(s->ctx);
  pm_register_all_pipelines(s->ctx);
  if (pm_load_plugins_of(s->ctx, argc, argv, &error)) return true;
  pm_print_error("pm-opt", &error);
  return false;
}

static int run_session(session *s, int argc, char **argv) {
  if (!begin_session(s, argc, argv)) return PM_EXIT_INPUT;
  s->opts.ctx = s->ctx;
  pm_argp_parse("pm-opt", &parser, argc, argv, 0, &s->opts);
  s->opts.run.report = &s->report;
  if (s->opts.no_verify) s->opts.run.verify_each = false;
  if (s->opts.allow_unregistered) pm_allow_unregistered(s->ctx);
  if (s->opts.stop_at_op) pm_stop_at_serial(s->ctx, s->opts.stop_at_op);
  if (!pm_can_write(output_path(s))) return cannot_write(s);
  if (s->opts.list) return print_list(s);
  if (s->opts.dump_pipeline && !s->opts.input && !s->opts.run_reproducer) return only_dump_pipeline(s);
  return run_file(s);
}

int main(int argc, char **argv) {
  session s = {
      .opts = {.print = PM_PRINT_READABLE, .max_errors = DEFAULT_MAX_ERRORS, .run = pm_default_run_config()}};
  pm_tool_begin();
  int status = run_session(&s, argc, argv);
  pm_pass_manager_free(s.passes);
  pm_expected_free(s.expected);
  pm_context_free(s.ctx);
  PM_VEC_FREE(s.opts.estimates);
  PM_VEC_FREE(s.opts.sizes);
  PM_VEC_FREE(s.opts.counters);
  pm_buf_free(&s.out);
  pm_buf_free(&s.report);
  return status;
}
