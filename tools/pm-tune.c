/* pm-tune: tries other options of the optimizer for a program, measures what comes of them, and writes the
 * best into a file that pmc and pm-run take. docs/pm-tune.md. */
#include "dialects/machine/machine.h"
#include "tools/lib/driver/cache.h"
#include "tools/lib/driver/call_options.h"
#include "pm/hash.h"
#include "tools/lib/driver/hooks.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/images/image.h"
#include "tools/lib/tuning/search.h"
#include "tools/lib/tuning/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TOOL "pm-tune"

typedef struct tune_options {
  pm_driver_options driver;
  pm_call_options call;
  unsigned builds;
  double seconds; /* of this run */
  double limit;   /* of a trial; 0: by the default's */
  const char *output;
  char **words; /* of the command line, as they were */
  int n_words;
  bool *own; /* which of them are about tuning */
} tune_options;

typedef struct tuner {
  const tune_options *options;
  pm_tuned_program program;
  pm_knobs knobs;
  pm_tuning session;
  pm_built usual; /* the default */
  double begin;   /* by the clock */
  double before;  /* seconds of earlier runs */
  double limit;   /* of a trial */
  double best;    /* the least ratio until now */
  pm_progress progress;
  bool measured; /* something, in this run */
  int code;
} tuner;

static int fail(pm_buf *error) {
  pm_print_error(TOOL, error);
  return PM_EXIT_INPUT;
}

/* --- options --- */

enum { OPT_BUILDS = 3000, OPT_TIME, OPT_LIMIT, OPT_LIST_KNOBS, MOST_BUILDS = 100, USUAL_BUILDS = 40 };
/* Seconds for what has nothing to be compared with, and the least limit of a trial that is not given. */
enum { LONGEST = 600, LEAST_LIMIT = 30 };

static const struct argp_option option_rows[] = {
    {"builds", OPT_BUILDS, "N", 0, "programs to build in all runs together, 100 at most (default: 40)", -1},
    {"time", OPT_TIME, "SECONDS", 0, "end this run after that time", -1},
    {"limit", OPT_LIMIT, "SECONDS", 0,
     "the time that a candidate may take to be built and measured (default: four times what the default "
     "takes, and 30 at least)",
     -1},
    {"list-knobs", OPT_LIST_KNOBS, 0, 0, "what may be changed, and the values", -1},
    {"output", 'o', "FILE", 0,
     "where the result goes, and what was measured before comes from (default: PROGRAM.tuned.json, without "
     "the end of the program's name)",
     -1},
    {0}};

/* The option that was read last, with its argument, is none of pm-run's. */
static void mark_own(tune_options *o, const char *arg, const struct argp_state *state) {
  o->own[state->next - 1] = true;
  if (arg == state->argv[state->next - 1]) o->own[state->next - 2] = true;
}

static double parse_seconds(const char *arg, const char *option, struct argp_state *state) {
  char *end;
  double seconds = strtod(arg, &end);
  if (end == arg || *end || !(seconds > 0 && seconds <= 1e6))
    argp_error(state, "%s is '%s', but must be seconds, above 0 and up to 1000000", option, arg);
  return seconds;
}

PM_NORETURN static void list_knobs(void) {
  pm_buf text = {0};
  pm_list_knobs(&text);
  fputs(text.data, stdout);
  pm_buf_free(&text);
  exit(fflush(stdout) == 0 ? PM_EXIT_OK : PM_EXIT_INPUT);
}

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  tune_options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &o->call;
    state->child_inputs[1] = state->child_inputs[2] = &o->driver;
    return 0;
  case OPT_BUILDS:
    o->builds = (unsigned)pm_argp_count(arg, 0, MOST_BUILDS, "--builds", state);
    break;
  case OPT_TIME:
    o->seconds = parse_seconds(arg, "--time", state);
    break;
  case OPT_LIMIT:
    o->limit = parse_seconds(arg, "--limit", state);
    break;
  case OPT_LIST_KNOBS:
    list_knobs();
  case 'o':
    o->output = arg;
    break;
  case ARGP_KEY_END:
    pm_choose_run_target(&o->driver, state);
    pm_check_threads(&o->call, o->driver.target, state);
    if (!o->output && strcmp(o->driver.program, "-") == 0)
      argp_error(state, "the program is standard input: give a file for the result (-o FILE)");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  mark_own(o, arg, state);
  return 0;
}

static void keep_words(tune_options *o, int argc, char **argv) {
  o->words = pm_xcalloc((size_t)argc + 1, sizeof *o->words);
  o->own = pm_xcalloc((size_t)argc + 1, sizeof *o->own);
  o->n_words = argc;
  for (int i = 0; i < argc; i++) o->words[i] = pm_xstrdup(argv[i]);
}

static void parse_options(tune_options *o, int argc, char **argv) {
  const struct argp_child children[] = {
      {&pm_call_argp, 0, NULL, 0}, {&o->driver.argp, 0, NULL, 0}, {&pm_cc_argp, 0, NULL, 0}, {0}};
  const struct argp argp = {
      .options = option_rows,
      .parser = parse_option,
      .args_doc = "PROGRAM",
      .doc = "Measure other options of the optimizer, and keep the best for pmc --tuned and pm-run --tuned.",
      .children = children};
  keep_words(o, argc, argv);
  o->builds = USUAL_BUILDS;
  pm_driver_begin(&o->driver, argc, argv);
  pm_argp_parse(TOOL, &argp, argc, argv, ARGP_IN_ORDER, o);
}

static void free_options(tune_options *o) {
  for (int i = 0; i < o->n_words; i++) free(o->words[i]);
  free(o->words);
  free(o->own);
  pm_call_options_free(&o->call);
  pm_driver_options_free(&o->driver);
}

/* --- what is said --- */

/* A word for a shell. */
static void put_quoted(pm_buf *out, const char *word) {
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=./,:+%@";
  if (*word && !word[strspn(word, plain)]) {
    pm_buf_puts(out, word);
    return;
  }
  pm_buf_putc(out, '\'');
  for (; *word; word++)
    if (*word == '\'')
      pm_buf_puts(out, "'\\''");
    else
      pm_buf_putc(out, *word);
  pm_buf_putc(out, '\'');
}

/* pm-run with what the command line says of the program and its arguments. */
static void put_run(pm_buf *out, const tune_options *o) {
  pm_buf_puts(out, "pm-run");
  for (int i = 1; i < o->n_words; i++) {
    if (o->own[i]) continue;
    pm_buf_putc(out, ' ');
    put_quoted(out, o->words[i]);
  }
}

static void put_settings(pm_buf *out, const pm_settings *settings) {
  for (size_t i = 0; i < settings->len; i++) pm_buf_printf(out, " --set='%s'", settings->data[i]);
}

/* The first line of what a child printed. */
static void put_first_line(pm_buf *out, const pm_buf *log) {
  if (log->len) pm_buf_printf(out, ": %.*s", (int)strcspn(log->data, "\n"), log->data);
}

static void say_wrong(const tuner *t, const pm_tuning_trial *trial) {
  pm_buf error = {0}, settings = {0};
  put_settings(&settings, &trial->settings);
  pm_buf_printf(&error, "%lld values differ%s with%s: this is a bug; it is seen by\n  ",
                (long long)trial->trial.differing, trial->trial.strict ? " under --fp=strict" : "",
                settings.data);
  put_run(&error, t->options);
  if (trial->trial.strict) pm_buf_puts(&error, " --fp=strict");
  pm_buf_printf(&error, " --bench=1 --against=\"%s\"", settings.data + 1);
  pm_print_error(TOOL, &error);
  pm_buf_free(&settings);
}

/* A crash is the program's, or one of our passes': both are bugs of ours, but not of what may win. */
static void say_crashed(const pm_tuning_trial *trial) {
  pm_buf warning = {0};
  pm_buf_puts(&warning, "a trial crashed with");
  put_settings(&warning, &trial->settings);
  put_first_line(&warning, &trial->trial.log);
  pm_print_warning(TOOL, &warning);
}

static void say_trial(tuner *t, const pm_tuning_trial *trial) {
  bool wrong = trial->trial.state == PM_TRIAL_wrong, crashed = trial->trial.state == PM_TRIAL_crashed;
  if (wrong || crashed) pm_progress_end(&t->progress);
  if (wrong) say_wrong(t, trial);
  if (crashed) say_crashed(trial);
}

static void say_progress(tuner *t) {
  unsigned builds = pm_tuning_builds(&t->session);
  double done = (double)builds / fmax(1, t->options->builds);
  bool timed = t->options->seconds < HUGE_VAL;
  double time = timed ? (pm_clock_seconds() - t->begin) / t->options->seconds : 0;
  pm_progress_update(&t->progress, fmin(1, fmax(done, time)),
                     "build %u of %u, candidate %zu; the best takes %.2f of the default's time", builds,
                     t->options->builds, t->session.trials.len, t->best);
}

/* --- the search --- */

static void predict(void *user, const pm_candidate *candidates, size_t n, double *seconds) {
  const double limit = 20;
  tuner *t = user;
  pm_predict_candidates(&t->program, &t->knobs, candidates, n, limit, seconds);
}

static bool may_go_on(const tuner *t) {
  return !pm_stop_asked() && pm_clock_seconds() - t->begin < t->options->seconds &&
         pm_tuning_builds(&t->session) < t->options->builds;
}

/* False after a message. */
static bool save(tuner *t) {
  pm_buf error = {0};
  t->session.seconds = t->before + pm_clock_seconds() - t->begin;
  if (pm_tuning_write(&t->session, &error)) return true;
  pm_progress_end(&t->progress);
  t->code = fail(&error);
  return false;
}

/* The best until then is a result already. */
static void note_result(tuner *t, const pm_tuning_trial *trial) {
  if (trial->trial.state != PM_TRIAL_measured || trial->trial.ratio >= t->best) return;
  t->best = trial->trial.ratio;
  t->session.ratio = trial->trial.ratio;
  t->session.best_seconds = trial->trial.seconds;
  t->session.best = trial->text;
  t->session.final = false;
}

static pm_trial_context context_of(const tuner *t, const XXH128_hash_t *known, size_t n) {
  return (pm_trial_context){.program = &t->program,
                            .usual = &t->usual,
                            .known = known,
                            .n_known = n,
                            .best = t->best,
                            .limit = t->limit};
}

/* No stop was asked, but the system makes no process. */
static void say_not_made(tuner *t, const pm_trial *trial) {
  pm_progress_end(&t->progress);
  if (trial->log.len) fputs(trial->log.data, stderr);
  t->code = PM_EXIT_INPUT;
}

/* False: none was made. */
static bool make_trial(tuner *t, pm_settings *settings) {
  pm_trial trial;
  size_t n = t->session.trials.len;
  XXH128_hash_t *known = pm_xcalloc(n + 1, sizeof *known);
  known[0] = t->usual.digest;
  for (size_t i = 0; i < n; i++) known[i + 1] = t->session.trials.data[i].trial.digest;
  pm_trial_context context = context_of(t, known, n + 1);
  bool made = pm_try_candidate(&context, settings, &trial);
  free(known);
  if (!made) {
    if (!pm_stop_asked()) say_not_made(t, &trial);
    pm_trial_free(&trial);
    return false;
  }
  const pm_tuning_trial *added = pm_tuning_add(&t->session, settings, &trial);
  t->measured = true;
  if (added->trial.state == PM_TRIAL_wrong) t->code = PM_EXIT_BUG;
  note_result(t, added);
  say_trial(t, added);
  return save(t);
}

/* A trial of an earlier run counts as it is. */
static bool measure(void *user, const pm_candidate *candidate, double *ratio, bool *built) {
  tuner *t = user;
  pm_settings settings = {0};
  pm_settings_of(&t->knobs, candidate, &settings);
  char *text = pm_settings_text(&settings);
  bool ok = pm_tuning_find(&t->session, text) != NULL;
  say_progress(t);
  if (!ok) ok = may_go_on(t) && make_trial(t, &settings);
  const pm_tuning_trial *trial = ok ? pm_tuning_find(&t->session, text) : NULL;
  if (trial && trial->trial.state == PM_TRIAL_measured) *ratio = trial->trial.ratio;
  *built = trial && pm_is_build(trial->trial.state);
  pm_settings_free(&settings);
  free(text);
  return ok;
}

/* --- the last measurement --- */

static int by_ratio(const void *a, const void *b) {
  double x = (*(const pm_tuning_trial *const *)a)->trial.ratio,
         y = (*(const pm_tuning_trial *const *)b)->trial.ratio;
  return (x > y) - (x < y);
}

typedef PM_VEC(const pm_tuning_trial *) trial_list;

enum { FINALISTS = 3 };

/* Those that were faster than the default, the fastest first. */
static trial_list find_finalists(const pm_tuning *s) {
  trial_list list = {0};
  for (size_t i = 0; i < s->trials.len; i++)
    if (s->trials.data[i].trial.state == PM_TRIAL_measured && s->trials.data[i].trial.ratio < 1)
      PM_VEC_PUSH(list, &s->trials.data[i]);
  if (list.len) qsort(list.data, list.len, sizeof *list.data, by_ratio);
  if (list.len > FINALISTS) list.len = FINALISTS;
  return list;
}

static void take_finalists(tuner *t, const trial_list *list, const pm_finalist *finalists, double usual) {
  t->session.usual_seconds = t->session.best_seconds = usual;
  t->session.best = NULL;
  for (size_t i = 0; i < list->len; i++) {
    if (finalists[i].seconds >= t->session.best_seconds) continue;
    t->session.best_seconds = finalists[i].seconds;
    t->session.best = list->data[i]->text;
  }
  t->session.ratio = t->session.best_seconds / usual;
  t->session.final = true;
}

/* The fastest and the default in turn. */
static void measure_finalists(tuner *t) {
  pm_finalist finalists[FINALISTS];
  double usual;
  trial_list list = find_finalists(&t->session);
  for (size_t i = 0; i < list.len; i++)
    finalists[i] = (pm_finalist){.settings = &list.data[i]->settings, .build = &list.data[i]->trial.build};
  pm_trial_context context = context_of(t, NULL, 0);
  if (!list.len)
    t->session.final = t->session.trials.len > 0;
  else if (pm_try_finalists(&context, finalists, list.len, &usual))
    take_finalists(t, &list, finalists, usual);
  PM_VEC_FREE(list);
}

/* --- the result --- */

static void put_counts(pm_buf *out, const pm_tuning *s) {
  for (unsigned i = 0; i < PM_N_TRIAL_STATES; i++) {
    unsigned n = pm_tuning_count(s, (pm_trial_state)i);
    if (n) pm_buf_printf(out, ", %u %s", n, pm_trial_word((pm_trial_state)i));
  }
}

static void print_result(const tuner *t) {
  const pm_tuning *s = &t->session;
  const pm_tuning_trial *best = s->best ? pm_tuning_find(s, s->best) : NULL;
  pm_buf text = {0};
  pm_buf_printf(&text, "tuned: %u builds in %.0f s", pm_tuning_builds(s), s->seconds);
  put_counts(&text, s);
  pm_buf_printf(&text, "\ndefault: %.3f ms\n", 1e3 * s->usual_seconds);
  if (best) {
    pm_buf_printf(&text, "best: %.3f ms, %.3f of the default's time%s, with\n ", 1e3 * s->best_seconds,
                  s->ratio, s->final ? "" : " (not measured again)");
    put_settings(&text, &best->settings);
  } else {
    pm_buf_puts(&text, "best: the default");
  }
  pm_buf_putc(&text, '\n');
  if (s->trials.len) pm_buf_printf(&text, "file: %s\n", s->path);
  fputs(text.data, stdout);
  pm_buf_free(&text);
}

/* --- the whole --- */

/* False after messages. */
static bool try_default(tuner *t) {
  enum { TIMES = 4 };
  pm_buf log = {0}, error = {0};
  double begin = pm_clock_seconds(), seconds;
  bool ok = pm_try_default(&t->program, LONGEST, &t->usual, &seconds, &log);
  t->limit =
      t->options->limit > 0 ? t->options->limit : fmax(LEAST_LIMIT, TIMES * (pm_clock_seconds() - begin));
  if (t->session.usual_seconds <= 0) t->session.usual_seconds = t->session.best_seconds = seconds;
  if (!ok && !pm_stop_asked()) {
    if (log.len) fputs(log.data, stderr);
    pm_failf(&error, "the program does not run with the default options");
    t->code = fail(&error);
  }
  pm_buf_free(&log);
  return ok;
}

static void search(tuner *t) {
  pm_search search = {
      .knobs = &t->knobs, .builds = t->options->builds, .predict = predict, .measure = measure, .user = t};
  t->progress = pm_progress_begin(TOOL, t->options->call.progress);
  say_progress(t);
  if (try_default(t)) {
    pm_search_run(&search);
    if (t->code != PM_EXIT_INPUT && !pm_stop_asked() && (t->measured || !t->session.final))
      measure_finalists(t);
    if (t->code != PM_EXIT_INPUT && t->session.trials.len) save(t);
  }
  pm_progress_end(&t->progress);
}

static void put_version(const tuner *t, pm_buf *out) {
  const pm_driver_options *d = &t->options->driver;
  pm_build_options options = {.compiler = d->cc, .flags = d->cflags, .cpu = d->cpu, .features = d->features};
  pm_put_process_version(out);
  if (d->target->put_versions) d->target->put_versions(&options, out);
}

/* What was wrong is a bug until it is repaired, by tools of another version. */
static void take_session(tuner *t) {
  const tune_options *o = t->options;
  pm_tuning_forget_late(&t->session, o->limit > 0 ? o->limit : LEAST_LIMIT);
  t->before = t->session.seconds;
  t->best = 1;
  for (size_t i = 0; i < t->session.trials.len; i++) {
    const pm_tuning_trial *trial = &t->session.trials.data[i];
    if (trial->trial.state == PM_TRIAL_measured) t->best = fmin(t->best, trial->trial.ratio);
    if (trial->trial.state != PM_TRIAL_wrong) continue;
    say_wrong(t, trial);
    t->code = PM_EXIT_BUG;
  }
}

/* False after a message. */
static bool read_session(tuner *t) {
  pm_buf error = {0}, version = {0}, hash = {0}, warning = {0};
  size_t forgotten;
  put_version(t, &version);
  pm_put_hash(&hash, XXH3_128bits(version.data, version.len));
  pm_buf_free(&version);
  t->session.version = pm_buf_take(&hash);
  t->session.ratio = 1;
  if (!pm_check_output(t->session.path, &error) || !pm_tuning_read(&t->session, &forgotten, &error))
    return fail(&error) == PM_EXIT_OK;
  if (forgotten) {
    pm_buf_printf(&warning,
                  "%zu trials in '%s' are of other tools, or of another compiler: they are repeated",
                  forgotten, t->session.path);
    pm_print_warning(TOOL, &warning);
  }
  take_session(t);
  return true;
}

/* In a child: what a target loads for it must not be there when others are made. */
static void ask_device(void *user, pm_buf *answer) {
  const pm_tuned_program *p = user;
  if (!pm_tuned_device(p->driver->target, p->driver, answer)) _exit(PM_EXIT_INPUT);
}

static int no_device(pm_child_result *result) {
  if (result->log.len) fputs(result->log.data, stderr);
  pm_child_result_free(result);
  return pm_stop_asked() ? 128 + pm_stop_asked() : PM_EXIT_INPUT;
}

static int tune_bound(tuner *t, const char *path) {
  const tune_options *o = t->options;
  pm_tuned_program *p = &t->program;
  pm_set_called_estimates(&p->sig, &p->args.params);
  p->text = pm_driver_pipeline_text(o->driver.target, &o->driver);
  if (!p->text) return PM_EXIT_INPUT;
  t->session.path = path;
  pm_catch_stops();
  pm_child_result device = pm_run_child("pm-tune", ask_device, &t->program, LONGEST);
  if (device.end != PM_CHILD_DONE) return no_device(&device);
  pm_tuned_key_make(&t->session.key, p->module, p->pipeline, &p->args.params, p->text, o->driver.target,
                    &o->driver, device.answer.data, o->call.threads);
  pm_child_result_free(&device);
  pm_knobs_open(&t->knobs, p->text);
  if (!read_session(t))
    t->code = PM_EXIT_INPUT;
  else if (may_go_on(t) || !t->session.final)
    search(t);
  if (t->code != PM_EXIT_INPUT && (t->usual.file.len || t->session.final)) print_result(t);
  pm_knobs_close(&t->knobs);
  pm_tuning_free(&t->session);
  return t->code ? t->code : pm_stop_asked() ? 128 + pm_stop_asked() : PM_EXIT_OK;
}

static bool bind(pm_tuned_program *p, tune_options *o, pm_buf *error) {
  pm_bind_options *bind = &o->call.bind;
  pm_split_channels(&bind->inputs);
  bind->choice = (pm_size_choice){.usual = pm_usual_size(pm_module_op(p->module)), .most = INT64_MAX};
  return pm_resolve_names(&bind->inputs, "--in", "input", p->sig.inputs.data, p->sig.inputs.len, error) &&
         pm_resolve_names(&bind->raws, "--raw", "input", p->sig.inputs.data, p->sig.inputs.len, error) &&
         pm_bind(p->pipeline, &p->sig, bind, &p->args, error);
}

static int tune_pipeline(tuner *t, tune_options *o) {
  pm_tuned_program *p = &t->program;
  pm_buf error = {0};
  char *path = o->output ? pm_xstrdup(o->output) : pm_tuned_path(o->driver.program);
  stage_signature_get(p->pipeline, &p->sig);
  int code = bind(p, o, &error) ? tune_bound(t, path) : fail(&error);
  free(p->text);
  pm_built_free(&t->usual);
  pm_arguments_free(&p->args);
  stage_signature_free(&p->sig);
  free(path);
  return code;
}

static int tune(tune_options *o) {
  tuner t = {.options = o, .begin = pm_clock_seconds()};
  t.program = (pm_tuned_program){.tool = TOOL, .driver = &o->driver, .call = &o->call};
  t.program.module = pm_driver_read(&o->driver);
  if (!t.program.module) return PM_EXIT_INPUT;
  t.program.pipeline = pm_driver_pipeline(t.program.module, &o->driver);
  int code = t.program.pipeline ? tune_pipeline(&t, o) : PM_EXIT_INPUT;
  pm_module_free(t.program.module);
  return code;
}

int main(int argc, char **argv) {
  tune_options options = {.driver.tool = TOOL, .seconds = HUGE_VAL};
  pm_tool_begin();
  parse_options(&options, argc, argv);
  int code = tune(&options);
  free_options(&options);
  return code;
}
