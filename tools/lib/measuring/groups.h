/* What pm-run --profile measures: the groups of stages of a program, by themselves. */
#ifndef PM_TOOLS_MEASURING_GROUPS_H
#define PM_TOOLS_MEASURING_GROUPS_H

#include "dialects/machine/machine.h"
#include "tools/lib/measuring/measure.h"

/* A group: what a call computes of it takes `seconds`. The other numbers are those of the remark of the pass
 * `group`, 0 where it says none. */
typedef struct pm_group_sample {
  char *name; /* of its last stage */
  double stages, seconds, predicted_seconds;
  double bytes;      /* that it moves between arrays and itself */
  double operations; /* sums, products, quotients, calls …, each point of a stage once */
} pm_group_sample;

struct pm_profile {
  pm_module *module; /* the program with its parameter */
  stage_signature sig;
  pm_native *native;
  pm_remark_list remarks;
  pm_machine machine;             /* that the prediction is for */
  PM_VEC(pm_group_sample) groups; /* in the order of the program */
  PM_VEC(size_t) parts;           /* by part of a call: its group */
  double rest;                    /* seconds of a call without groups: arguments, whole arrays */
};

/* Adds the parameter that says how many parts a call computes, as the last. False with a message: its name is
 * taken. */
bool pm_profile_extend(pm_op *pipeline, pm_buf *error) PM_MUST_USE;
/* For --set: the code leaves out what is behind that number. */
const char *pm_profile_setting(void);
/* After that has been compiled, with remarks: the groups, without times. */
void pm_profile_find_groups(pm_profile *profile);
/* Times them by calls with these arguments, which are of the program without the parameter: the least of so
 * many rounds, or, when that is 0, of those of about so many seconds. The code that a call failed with, else
 * 0. */
int pm_profile_measure(pm_profile *profile, const pm_call *call, size_t rounds, double seconds) PM_MUST_USE;
void pm_profile_free(pm_profile *profile);

#endif
