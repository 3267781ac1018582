/* What pm-tune does with candidates, each in a process of its own: predictions, builds, measurements. */
#ifndef PM_TOOLS_TUNING_TRIAL_H
#define PM_TOOLS_TUNING_TRIAL_H

#include "tools/lib/driver/call_options.h"
#include "tools/lib/driver/child.h"
#include "tools/lib/tuning/knobs.h"

#include <xxhash.h>

/* A program with its arguments. */
typedef struct pm_tuned_program {
  const char *tool;
  pm_driver_options *driver;
  const pm_call_options *call;
  pm_module *module;
  pm_op *pipeline;
  stage_signature sig;
  pm_arguments args;
  char *text; /* the pipeline without settings */
} pm_tuned_program;

/* What the target made of it. */
typedef struct pm_built {
  pm_buf file;
  char *entry;
  XXH128_hash_t digest; /* of what was emitted */
} pm_built;
void pm_built_free(pm_built *build);

/* Rows: PM_TRIAL(id, is a build). Their names stand in files. */
#define PM_TRIALS(T)                                                                                         \
  T(measured, true)                                                                                          \
  T(same, false)                                                                                             \
  T(slow, true)                                                                                              \
  T(invalid, true)                                                                                           \
  T(refused, false) /* by a pass, ahead of any build */                                                      \
  T(late, true)                                                                                              \
  T(crashed, true)                                                                                           \
  T(wrong, true)

typedef enum pm_trial_state {
#define PM_TRIAL(id, builds) PM_TRIAL_##id,
  PM_TRIALS(PM_TRIAL)
#undef PM_TRIAL
      PM_N_TRIAL_STATES
} pm_trial_state;

typedef struct pm_trial {
  pm_trial_state state;
  double ratio;      /* of least times to the default's, in turn */
  double seconds;    /* of a call; of one that is late, its limit */
  int64_t differing; /* values, under strict rules when `strict` */
  bool strict;
  XXH128_hash_t digest;
  pm_built build; /* of one that was measured in this process */
  pm_buf log;     /* why it is invalid, crashed or wrong */
} pm_trial;
void pm_trial_free(pm_trial *trial);

/* Builds the default and calls it. False when it fails, or a stop is asked: what it said is in the log. */
bool pm_try_default(const pm_tuned_program *program, double limit, pm_built *build, double *seconds,
                    pm_buf *log) PM_MUST_USE;

/* What a trial is told of those before. */
typedef struct pm_trial_context {
  const pm_tuned_program *program;
  const pm_built *usual;      /* the default's */
  const XXH128_hash_t *known; /* texts that need no trial */
  size_t n_known;
  double best;  /* ratio */
  double limit; /* seconds for the trial */
} pm_trial_context;

/* False: no trial was made, as a stop was asked or the system makes no process, which the log says then. */
bool pm_try_candidate(const pm_trial_context *context, const pm_settings *settings,
                      pm_trial *trial) PM_MUST_USE;

/* One that is to be measured again. */
typedef struct pm_finalist {
  const pm_settings *settings;
  const pm_built *build; /* without a file: it is built again */
  double seconds;        /* set */
} pm_finalist;
/* Measures them and the default in turn. False: they were not, as above or for a failure. */
bool pm_try_finalists(const pm_trial_context *context, pm_finalist *finalists, size_t n,
                      double *usual_seconds) PM_MUST_USE;

/* The pipeline with the settings: to be freed. */
char *pm_text_with(const pm_tuned_program *program, const pm_settings *settings);

/* predict.c: sets what the pass group predicts for each; HUGE_VAL where a pass refuses it, 0 where nothing is
 * known: there is no such pass, or it took too long. */
void pm_predict_candidates(const pm_tuned_program *program, const pm_knobs *knobs,
                           const pm_candidate *candidates, size_t n, double limit, double *seconds);

#endif
