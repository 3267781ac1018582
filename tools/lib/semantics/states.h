/* What each pass of a pipeline leaves, kept, and searched for the first that is wrong. */
#ifndef PM_TOOLS_SEMANTICS_STATES_H
#define PM_TOOLS_SEMANTICS_STATES_H

#include "ir/pass.h"
#include "ir/rewrite.h"

/* The passes that make loops of the module's schedule tree as it is. To be freed; NULL after diagnostics. */
char *pm_passes_to_loops(pm_module *module);

/* What a pass has left; the first: what there was before any. */
typedef struct pm_state {
  const pm_pass_desc *pass; /* NULL: the first */
  char *alone;              /* the pipeline that runs the pass */
  char *options;            /* of pm-opt, for what runs on the module (pm_print_context_options) */
  pm_module *module;
  pm_module *lowered; /* see pm_lowered_state */
  bool is_lowered;    /* that was asked */
} pm_state;

typedef struct pm_states {
  pm_context *ctx;
  PM_VEC(pm_state) all;
} pm_states;

/* Keeps a copy of the module, as it is before any pass. To be freed. */
pm_states *pm_states_new(pm_module *module);
void pm_states_free(pm_states *states);
/* For pm_run_config.after_pass, with the states as its user: keeps a copy of what each pass leaves. Always
 * true. */
bool pm_states_keep(void *user, pm_module *module, const pm_pass_desc *pass, const char *alone);
/* A copy of the module with loops in place of its schedules, borrowed; NULL: they cannot be lowered as they
 * are. */
pm_module *pm_lowered_state(pm_state *state);

typedef enum pm_verdict { PM_GOOD, PM_BAD, PM_SKIPPED } pm_verdict;
typedef struct pm_judge {
  pm_verdict (*judge)(void *user, pm_state *state);
  void *user;
} pm_judge;

/* The first state that is bad, and the last good one before it, by halving, where number 0 is good and number
 * `last` bad. Those between the two, if any, are skipped. */
typedef struct pm_culprit {
  size_t good, bad;
} pm_culprit;
pm_culprit pm_find_bad_state(pm_states *states, const pm_judge *judge, size_t last);
/* Notes the rewrite of the bad state's pass that makes it bad, where leaving it and later ones out helps. */
void pm_note_bad_rewrite(pm_states *states, const pm_judge *judge, pm_culprit culprit);
/* `the pass 'x'`, or that it is one of several. */
void pm_put_culprit(pm_buf *out, const pm_states *states, pm_culprit culprit);
/* Writes what is before the bad pass, with its pipeline, and notes the command that runs it. `path` NULL:
 * <TMPDIR>/<tool>-wrong-<process>.pmir. `options` are of that command. */
void pm_write_culprit(const pm_states *states, pm_culprit culprit, const char *path, const char *tool,
                      const char *options);

#endif
