/* The trials that were made of a program for a key: what goes into an entry of the file, and comes from it.
 */
#ifndef PM_TOOLS_TUNING_SESSION_H
#define PM_TOOLS_TUNING_SESSION_H

#include "tools/lib/driver/tuned.h"
#include "tools/lib/tuning/trial.h"

typedef struct pm_tuning_trial {
  pm_settings settings;
  char *text; /* of the settings */
  pm_trial trial;
} pm_tuning_trial;

typedef struct pm_tuning {
  const char *path;
  pm_tuned_key key;
  char *version; /* of the tools and of the target's compiler: times of others do not count */
  PM_VEC(pm_tuning_trial) trials;
  double seconds;             /* of all runs */
  double usual_seconds;       /* of the default, in the last measurement */
  const char *best;           /* text of a trial's settings; NULL: the default */
  double best_seconds, ratio; /* measured in turn with the default when `final` */
  bool final;
} pm_tuning;

void pm_tuning_free(pm_tuning *session);
/* Takes the trials of the entry of that key, if the file is there and has one, made by the same version; of
 * another, `forgotten` says how many there are. False with a message. */
bool pm_tuning_read(pm_tuning *session, size_t *forgotten, pm_buf *error) PM_MUST_USE;
bool pm_tuning_write(const pm_tuning *session, pm_buf *error) PM_MUST_USE;

/* NULL: there was none. */
const pm_tuning_trial *pm_tuning_find(const pm_tuning *session, const char *text);
/* Takes the settings and the trial; the result is borrowed until the next. */
const pm_tuning_trial *pm_tuning_add(pm_tuning *session, pm_settings *settings, pm_trial *trial);
/* Drops those that were late under a shorter limit. */
void pm_tuning_forget_late(pm_tuning *session, double limit);
bool pm_is_build(pm_trial_state state);
unsigned pm_tuning_builds(const pm_tuning *session);
unsigned pm_tuning_count(const pm_tuning *session, pm_trial_state state);
const char *pm_trial_word(pm_trial_state state);

#endif
