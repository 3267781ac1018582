/* What pm-tune may change of a pipeline: rows of knobs.def. */
#ifndef PM_TOOLS_TUNING_KNOBS_H
#define PM_TOOLS_TUNING_KNOBS_H

#include "ir/support.h"

typedef enum pm_knob_id {
#define KNOB(id, kind, where, setting, values, doc) PM_KNOB_##id,
#include "tools/lib/tuning/knobs.def"
#undef KNOB
  PM_N_KNOBS
} pm_knob_id;

/* The value of each knob, from 1; 0: as the pipeline says. */
typedef struct pm_candidate {
  uint16_t choice[PM_N_KNOBS];
} pm_candidate;
typedef PM_VEC(pm_candidate) pm_candidates;

/* Values of a knob that a pipeline has; those of SIZES are rows and columns of a grid. */
typedef struct pm_knob_values {
  PM_VEC(char *) texts;
  unsigned columns; /* 1 but for SIZES */
} pm_knob_values;

typedef struct pm_knobs {
  pm_knob_values of[PM_N_KNOBS]; /* none where the pipeline has not what the knob sets */
} pm_knobs;

/* The rows, a line each: name, settings, values, what it is. */
void pm_list_knobs(pm_buf *out);

void pm_knobs_open(pm_knobs *knobs, const char *pipeline);
void pm_knobs_close(pm_knobs *knobs);

bool pm_same_candidate(const pm_candidate *a, const pm_candidate *b);
/* The settings, each to be freed, in the order of the rows. */
typedef PM_VEC(char *) pm_settings;
void pm_settings_of(const pm_knobs *knobs, const pm_candidate *candidate, pm_settings *out);
void pm_settings_free(pm_settings *settings);
/* With blanks between them: to be freed. */
char *pm_settings_text(const pm_settings *settings);

/* Appends the candidates that differ in one knob: by any value from or to that of the pipeline and for
 * words, else by the next one. */
void pm_put_moves(const pm_knobs *knobs, const pm_candidate *from, pm_candidates *out);
/* Appends every tile size with every strategy, of each number and word every `nth`. */
void pm_put_tilings(const pm_knobs *knobs, unsigned nth, pm_candidates *out);
/* A candidate in which `n` knobs that there are have values that a random state says, which it changes. */
pm_candidate pm_draw_candidate(const pm_knobs *knobs, const pm_candidate *from, unsigned n, uint64_t *state);

#endif
