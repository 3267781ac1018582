/* The search of pm-tune: which candidates are tried, and in which order. It depends on what was predicted and
 * measured alone, so that it goes the same way again over trials that are known. */
#ifndef PM_TOOLS_TUNING_SEARCH_H
#define PM_TOOLS_TUNING_SEARCH_H

#include "tools/lib/tuning/knobs.h"

typedef struct pm_search {
  const pm_knobs *knobs;
  unsigned builds; /* that may be made, the default's not counted */
  /* Sets what each is predicted to take: HUGE_VAL where passes refuse it, 0 where nothing is known. */
  void (*predict)(void *user, const pm_candidate *candidates, size_t n, double *seconds);
  /* The time over the default's; HUGE_VAL: it is none that may win. *built: a build was needed. False: the
   * search ends. */
  bool (*measure)(void *user, const pm_candidate *candidate, double *ratio, bool *built);
  void *user;
} pm_search;

/* Ends when the builds are made, when `measure` says so, or when nothing is left. */
void pm_search_run(const pm_search *search);

#endif
