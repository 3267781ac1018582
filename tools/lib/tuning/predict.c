/* The cost model as prior: the passes up to `group`, in one child for many candidates. */
#include "pm/pipeline_text.h"
#include "tools/lib/measuring/measure.h"
#include "tools/lib/tuning/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef struct predictions {
  const pm_tuned_program *program;
  char **texts; /* of the candidates */
  size_t n;
  double *seconds;        /* shared with the caller: what was found stays when the child is late */
  pm_remark_list remarks; /* of one candidate */
} predictions;

static char *ahead_of_group(const char *text) {
  char *until = pm_pipeline_until(text, "group"), *ahead = pm_pipeline_drop(until, "group");
  free(until);
  return ahead;
}

/* The pass alone. It says by itself what the groups of dp cost in tiles of their own, of others when it is
 * asked to appraise them. */
static char *group_alone(const char *text) {
  char *strategy = pm_pipeline_get(text, "group", "strategy"), *own = pm_pipeline_get(text, "tile", "own");
  bool by_itself = (!strategy || strcmp(strategy, "dp") == 0) && !(own && strcmp(own, "false") == 0);
  char *item = pm_pipeline_item(text, "group"), *with = pm_pipeline_set(item, "group", "appraise", "true");
  pm_buf out = {0};
  pm_buf_printf(&out, "stage.pipeline(%s)", by_itself ? item : with);
  free(strategy);
  free(own);
  free(item);
  free(with);
  return pm_buf_take(&out);
}

static double predict_group(predictions *w, pm_module *module, const char *text) {
  pm_module *copy = pm_module_clone(module);
  char *group = group_alone(text);
  pm_keep_remarks(w->program->driver->ctx, &w->remarks);
  bool ok = pm_driver_run(copy, group, w->program->driver->target, w->program->driver);
  double seconds = ok ? pm_last_prediction(&w->remarks) : HUGE_VAL;
  pm_remark_list_free(&w->remarks);
  pm_module_free(copy);
  free(group);
  return seconds;
}

/* All candidates whose passes ahead of `group` are the same, from number `first` on. */
static void predict_alike(predictions *w, char *const *ahead, size_t first, bool *done) {
  pm_module *copy = pm_module_clone(w->program->module);
  pm_enable_remarks(w->program->driver->ctx, false);
  bool ok = pm_driver_run(copy, ahead[first], w->program->driver->target, w->program->driver);
  for (size_t i = first; i < w->n; i++) {
    if (done[i] || strcmp(ahead[i], ahead[first]) != 0) continue;
    done[i] = true;
    w->seconds[i] = ok ? predict_group(w, copy, w->texts[i]) : HUGE_VAL;
  }
  pm_module_free(copy);
}

static void be_predictor(void *user, pm_buf *out) {
  predictions *w = user;
  char **ahead = pm_xcalloc(w->n, sizeof *ahead);
  bool *done = pm_xcalloc(w->n, sizeof *done);
  for (size_t i = 0; i < w->n; i++) ahead[i] = ahead_of_group(w->texts[i]);
  for (size_t i = 0; i < w->n; i++)
    if (!done[i]) predict_alike(w, ahead, i, done);
  pm_buf_putc(out, 1);
}

static char **texts_of(const pm_tuned_program *p, const pm_knobs *knobs, const pm_candidate *candidates,
                       size_t n) {
  char **texts = pm_xcalloc(n, sizeof *texts);
  for (size_t i = 0; i < n; i++) {
    pm_settings settings = {0};
    pm_settings_of(knobs, &candidates[i], &settings);
    texts[i] = pm_text_with(p, &settings);
    pm_settings_free(&settings);
  }
  return texts;
}

void pm_predict_candidates(const pm_tuned_program *program, const pm_knobs *knobs,
                           const pm_candidate *candidates, size_t n, double limit, double *seconds) {
  size_t bytes = n * sizeof(double);
  if (!n || !pm_pipeline_has(program->text, "group")) return;
  void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return;
  predictions work = {
      .program = program, .texts = texts_of(program, knobs, candidates, n), .n = n, .seconds = shared};
  pm_child_result result = pm_run_child("pm-tune", be_predictor, &work, limit);
  memcpy(seconds, shared, bytes);
  munmap(shared, bytes);
  pm_child_result_free(&result);
  for (size_t i = 0; i < n; i++) free(work.texts[i]);
  free(work.texts);
}
