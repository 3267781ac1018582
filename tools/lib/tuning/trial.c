#include "tools/lib/tuning/trial.h"

#include "pm/pipeline_text.h"
#include "tools/lib/measuring/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pm_built_free(pm_built *build) {
  pm_buf_free(&build->file);
  free(build->entry);
  build->entry = NULL;
}

void pm_trial_free(pm_trial *trial) {
  pm_built_free(&trial->build);
  pm_buf_free(&trial->log);
}

/* All passes of the settings are in the pipeline. */
char *pm_text_with(const pm_tuned_program *program, const pm_settings *settings) {
  char *text = pm_xstrdup(program->text);
  for (size_t i = 0; i < settings->len; i++) {
    char *merged = pm_pipeline_merge(text, settings->data[i]);
    if (!merged) continue;
    free(text);
    text = merged;
  }
  return text;
}

/* --- answers of children --- */

/* What a child found; the file and the name of the entry come behind it. */
typedef struct answer {
  pm_trial_state state;
  double ratio, seconds;
  int64_t differing;
  bool strict;
  XXH128_hash_t digest;
  size_t file_len, entry_len;
} answer;

static void put_answer(pm_buf *out, answer a, const pm_built *build) {
  a.file_len = build->file.len;
  a.entry_len = build->entry ? strlen(build->entry) : 0;
  pm_buf_put(out, (const char *)&a, sizeof a);
  pm_buf_put(out, build->file.data, build->file.len);
  pm_buf_put(out, build->entry, a.entry_len);
}

/* False when something is missing. */
static bool take_answer(const pm_buf *in, answer *a, pm_built *build) {
  if (in->len < sizeof *a) return false;
  memcpy(a, in->data, sizeof *a);
  if (in->len != sizeof *a + a->file_len + a->entry_len) return false;
  pm_buf_put(&build->file, in->data + sizeof *a, a->file_len);
  build->entry = pm_xstrndup(in->data + sizeof *a + a->file_len, a->entry_len);
  build->digest = a->digest;
  return true;
}

/* --- building, in a child --- */

static const char *fp_of(const pm_tuned_program *p, bool strict) {
  return strict ? "strict" : pm_fp_of(p->pipeline);
}

static pm_build_options options_of(const pm_tuned_program *p, bool strict) {
  return (pm_build_options){.base = "pipeline",
                            .compiler = p->driver->cc,
                            .flags = p->driver->cflags,
                            .cpu = p->driver->cpu,
                            .features = p->driver->features,
                            .fp = fp_of(p, strict),
                            .threads = p->call->threads,
                            .owns_process = true};
}

/* What the target emits; false after a message. */
static bool emit(const pm_tuned_program *p, const char *text, bool strict, pm_target_output *out) {
  pm_module *copy = pm_module_clone(p->module);
  pm_set_fp(copy, fp_of(p, strict));
  bool ok = pm_driver_emit(copy, text, p->driver->target, "pipeline.h", p->driver, out);
  pm_module_free(copy);
  return ok;
}

static XXH128_hash_t digest_of(const pm_target_output *text) {
  return XXH3_128bits(text->source.data, text->source.len);
}

static bool compile(const pm_tuned_program *p, const pm_target_output *text, bool strict, pm_built *build) {
  pm_build_options options = options_of(p, strict);
  build->entry = pm_xstrdup(text->entry.data);
  build->digest = digest_of(text);
  return pm_tool_compile(p->driver->target, text, &options, p->tool, &build->file) == PM_EXIT_OK;
}

static bool build_text(const pm_tuned_program *p, const char *text, bool strict, pm_built *build) {
  pm_target_output emitted;
  if (!emit(p, text, strict, &emitted)) return false;
  bool ok = compile(p, &emitted, strict, build);
  pm_target_output_free(&emitted);
  return ok;
}

/* NULL after a message. */
static pm_native *open_build(const pm_tuned_program *p, const pm_built *build, bool strict) {
  pm_build_options options = options_of(p, strict);
  int code;
  return pm_tool_load(&p->sig, p->driver->target, &build->file, build->entry, &options, p->tool, &code);
}

/* --- calling, in a child --- */

/* Variants with the same arguments, the default first. */
typedef struct calls {
  const pm_tuned_program *p;
  pm_bench bench;
  pm_iteration it, kept;
  pm_feed_list feeds;
  pm_progress silent;
} calls;

static bool say(const pm_tuned_program *p, pm_buf *error) {
  pm_print_error(p->tool, error);
  return false;
}

/* False after a message. */
static bool begin_calls(calls *c, const pm_tuned_program *p, pm_variant *variants, size_t n, bool strict) {
  pm_buf error = {0};
  *c = (calls){.p = p};
  if (!pm_iteration_init(&c->it, p->pipeline, &p->sig, &p->args, &c->feeds, &error) ||
      !pm_iteration_init(&c->kept, p->pipeline, &p->sig, &p->args, &c->feeds, &error))
    return say(p, &error);
  c->bench = (pm_bench){.callable = p->pipeline,
                        .variants = variants,
                        .n_variants = n,
                        .it = &c->it,
                        .kept = &c->kept,
                        .repeat = 1,
                        .exact = strict || strcmp(pm_fp_of(p->pipeline), "strict") == 0,
                        .tolerance = 1e-5};
  return true;
}

static void end_calls(calls *c) {
  pm_iteration_free(&c->it);
  pm_iteration_free(&c->kept);
}

/* False after a message. */
static bool is_done(const calls *c, int code) {
  pm_buf error = {0};
  if (!code) return true;
  const char *why = pm_native_strerror(c->bench.failed->native, code);
  pm_failf(&error, "the call returned %d%s%s", code, why ? ": " : "", why ? why : "");
  return say(c->p, &error);
}

/* Calls on one thread of this computer are measured by the time of the processor, which others who use it
 * disturb less. */
static bool counts_processor(const calls *c) {
  bool threads = c->p->driver->target->has & PM_TARGET_THREADS;
  return threads && pm_native_threads(c->bench.variants[0].native) == 1;
}

/* The least of the rounds until now, or the middle of the last ones by the processor, as `seconds` of each
 * variant. */
static bool measure(calls *c, size_t rounds, double *seconds) {
  bool by_processor = counts_processor(c), ok = is_done(c, pm_measure(&c->bench, rounds, 0, &c->silent));
  for (size_t i = 0; ok && i < c->bench.n_variants; i++) {
    const pm_times *times = &c->bench.variants[i].times;
    bool first = seconds[i] <= 0;
    seconds[i] = by_processor ? times->processor : first ? times->min : fmin(seconds[i], times->min);
  }
  return ok;
}

/* At least 7 calls, more where they are short. */
static size_t rounds_for(double seconds) {
  const double least = 7, most = 50, all = 0.3;
  return (size_t)fmin(most, fmax(least, all / fmax(seconds, 1e-6)));
}

/* Of the default and a candidate. A call that fails leaves no ratio. */
static bool measure_ratio(calls *c, size_t rounds, double seconds[2], answer *a) {
  if (!measure(c, rounds, seconds)) return false;
  a->seconds = seconds[1];
  a->ratio = seconds[1] / seconds[0];
  return true;
}

/* --- the default --- */

typedef struct default_work {
  const pm_tuned_program *program;
} default_work;

static void be_default(void *user, pm_buf *out) {
  const pm_tuned_program *p = ((default_work *)user)->program;
  pm_settings none = {0};
  pm_built build = {0};
  pm_variant variant = {.target = p->driver->target};
  calls c;
  double seconds = 0;
  char *text = pm_text_with(p, &none);
  pm_driver_load(p->driver, p->driver->target);
  if (!build_text(p, text, false, &build)) return;
  variant.native = open_build(p, &build, false);
  if (!variant.native || !begin_calls(&c, p, &variant, 1, false) || !measure(&c, 2, &seconds)) return;
  if (!measure(&c, rounds_for(seconds), &seconds)) return;
  put_answer(out,
             (answer){.state = PM_TRIAL_measured, .ratio = 1, .seconds = seconds, .digest = build.digest},
             &build);
}

bool pm_try_default(const pm_tuned_program *program, double limit, pm_built *build, double *seconds,
                    pm_buf *log) {
  default_work work = {program};
  answer a = {0};
  pm_child_result result = pm_run_child("pm-tune", be_default, &work, limit);
  bool ok = result.end == PM_CHILD_DONE && take_answer(&result.answer, &a, build);
  *seconds = a.seconds;
  *log = result.log;
  result.log = (pm_buf){0};
  pm_child_result_free(&result);
  return ok;
}

/* --- a candidate --- */

typedef struct candidate_work {
  const pm_trial_context *context;
  char *text;
} candidate_work;

static bool is_known(const pm_trial_context *x, XXH128_hash_t digest) {
  for (size_t i = 0; i < x->n_known; i++)
    if (XXH128_isEqual(x->known[i], digest)) return true;
  return false;
}

/* Sets what differs from the default in one more call of each; false after a message. */
static bool compare(calls *c, answer *a) {
  bool ok = is_done(c, pm_compare_variants(&c->bench));
  a->differing = c->bench.variants[1].differing;
  return ok;
}

/* The same under strict rules, where every bit is to be the same. */
static bool compare_strictly(const pm_trial_context *x, const char *text, answer *a) {
  const pm_tuned_program *p = x->program;
  pm_built builds[2] = {{.entry = NULL}, {.entry = NULL}};
  pm_variant variants[2] = {{0}};
  calls c;
  const char *texts[] = {p->text, text};
  for (size_t i = 0; i < 2; i++) {
    if (!build_text(p, texts[i], true, &builds[i])) return false;
    variants[i].native = open_build(p, &builds[i], true);
    if (!variants[i].native) return false;
  }
  a->strict = true;
  bool ok = begin_calls(&c, p, variants, 2, true) && compare(&c, a);
  end_calls(&c);
  return ok;
}

/* Measured, slow or wrong; invalid after a message. What seems to be the best is measured for longer. */
static pm_trial_state call_candidate(const pm_trial_context *x, const char *text, const pm_built *build,
                                     answer *a) {
  const pm_tuned_program *p = x->program;
  pm_variant variants[2] = {{.native = open_build(p, x->usual, false)},
                            {.native = open_build(p, build, false)}};
  calls c;
  double seconds[2] = {0};
  if (!variants[0].native || !variants[1].native || !begin_calls(&c, p, variants, 2, false) ||
      !compare(&c, a) || (a->differing && !c.bench.exact && !compare_strictly(x, text, a)))
    return PM_TRIAL_invalid;
  if (a->differing) return PM_TRIAL_wrong;
  if (!measure_ratio(&c, 2, seconds, a) || (a->ratio > 2 * x->best && !measure_ratio(&c, 2, seconds, a)))
    return PM_TRIAL_invalid;
  if (a->ratio > 2 * x->best) return PM_TRIAL_slow;
  size_t rounds = rounds_for(a->seconds);
  if (!measure_ratio(&c, rounds, seconds, a)) return PM_TRIAL_invalid;
  if (a->ratio < x->best && !measure_ratio(&c, 4 * rounds, seconds, a)) return PM_TRIAL_invalid;
  return PM_TRIAL_measured;
}

static void be_candidate(void *user, pm_buf *out) {
  const candidate_work *w = user;
  const pm_tuned_program *p = w->context->program;
  pm_target_output emitted;
  pm_built build = {0};
  answer a = {.state = PM_TRIAL_refused};
  pm_driver_load(p->driver, p->driver->target);
  if (emit(p, w->text, false, &emitted)) {
    a.digest = digest_of(&emitted);
    bool known = is_known(w->context, a.digest);
    a.state = known ? PM_TRIAL_same : PM_TRIAL_invalid;
    if (!known && compile(p, &emitted, false, &build))
      a.state = call_candidate(w->context, w->text, &build, &a);
  }
  put_answer(out, a, &build);
}

static void take_trial(const pm_child_result *result, double limit, pm_trial *trial) {
  answer a = {0};
  bool late = result->end == PM_CHILD_LATE;
  trial->state = late ? PM_TRIAL_late : PM_TRIAL_crashed;
  trial->seconds = late ? limit : 0;
  if (result->end != PM_CHILD_DONE || !take_answer(&result->answer, &a, &trial->build)) return;
  trial->state = a.state;
  trial->ratio = a.ratio;
  trial->seconds = a.seconds;
  trial->differing = a.differing;
  trial->strict = a.strict;
  trial->digest = a.digest;
}

bool pm_try_candidate(const pm_trial_context *context, const pm_settings *settings, pm_trial *trial) {
  candidate_work work = {context, pm_text_with(context->program, settings)};
  *trial = (pm_trial){0};
  pm_child_result result = pm_run_child("pm-tune", be_candidate, &work, context->limit);
  bool made = result.end != PM_CHILD_STOPPED && result.end != PM_CHILD_FAILED;
  if (made) take_trial(&result, context->limit, trial);
  trial->log = result.log;
  result.log = (pm_buf){0};
  pm_child_result_free(&result);
  free(work.text);
  return made;
}

/* --- the last ones --- */

typedef struct final_work {
  const pm_trial_context *context;
  const pm_finalist *finalists;
  size_t n;
} final_work;

/* NULL after a message. */
static pm_native *open_finalist(const pm_tuned_program *p, const pm_finalist *f) {
  pm_built own = {0};
  if (f->build && f->build->file.len) return open_build(p, f->build, false);
  char *text = pm_text_with(p, f->settings);
  bool ok = build_text(p, text, false, &own);
  free(text);
  return ok ? open_build(p, &own, false) : NULL;
}

/* The answer is the time of each. */
static void be_finalists(void *user, pm_buf *out) {
  const final_work *w = user;
  const pm_tuned_program *p = w->context->program;
  pm_variant *variants = pm_xcalloc(w->n + 1, sizeof *variants);
  double *seconds = pm_xcalloc(w->n + 1, sizeof *seconds);
  calls c;
  pm_driver_load(p->driver, p->driver->target);
  variants[0].native = open_build(p, w->context->usual, false);
  for (size_t i = 0; i < w->n; i++) variants[i + 1].native = open_finalist(p, &w->finalists[i]);
  for (size_t i = 0; i <= w->n; i++)
    if (!variants[i].native) return;
  if (!begin_calls(&c, p, variants, w->n + 1, false) || !measure(&c, 2, seconds)) return;
  if (!measure(&c, 4 * rounds_for(seconds[0]), seconds)) return;
  pm_buf_put(out, (const char *)seconds, (w->n + 1) * sizeof *seconds);
}

bool pm_try_finalists(const pm_trial_context *context, pm_finalist *finalists, size_t n,
                      double *usual_seconds) {
  final_work work = {context, finalists, n};
  pm_child_result result = pm_run_child("pm-tune", be_finalists, &work, context->limit * (double)(n + 1));
  bool ok = result.end == PM_CHILD_DONE && result.answer.len == (n + 1) * sizeof(double);
  if (ok) memcpy(usual_seconds, result.answer.data, sizeof *usual_seconds);
  for (size_t i = 0; ok && i < n; i++)
    memcpy(&finalists[i].seconds, result.answer.data + (i + 1) * sizeof(double), sizeof(double));
  pm_child_result_free(&result);
  return ok;
}
