/* Estimates beside the values of a call. */
#ifndef PM_TOOLS_DRIVER_ESTIMATES_H
#define PM_TOOLS_DRIVER_ESTIMATES_H

#include "dialects/stage/analyses/graph.h"
#include "pm/estimates.h"
#include "tools/lib/images/sizes.h"

/* A warning of `tool` about estimates of the program, which none of `given` replaces, that are far from the
 * values of a call. */
void pm_warn_of_estimates(const char *tool, const stage_signature *sig, const pm_params *params,
                          const pm_estimate_list *given);
/* Gives integer parameters without an estimate the value that they have in a call. */
void pm_set_called_estimates(const stage_signature *sig, const pm_params *params);

#endif
