/* Estimates: the values of integer parameters that cost models count with. */
#ifndef PM_TOOLS_DRIVER_ESTIMATES_H
#define PM_TOOLS_DRIVER_ESTIMATES_H

#include "dialects/stage/analyses/graph.h"
#include "tools/lib/images/sizes.h"

/* Texts of --estimate, "R=2560", which are borrowed. */
typedef PM_VEC(const char *) pm_estimate_list;

bool pm_is_estimate(const char *text);
/* Several, with commas between. */
bool pm_are_estimates(const char *text);
/* Whether the list has one of that parameter. */
bool pm_has_estimate(const pm_estimate_list *estimates, const char *param);
/* Gives them to the parameters of the module's pipelines, in place of what the program says. False after an
 * error, where none has such a parameter. */
bool pm_set_estimates(pm_module *module, const pm_estimate_list *estimates, pm_buf *error);
/* Gives integer parameters without an estimate this one. */
void pm_set_usual_estimates(pm_module *module, int64_t size);

/* A warning of `tool` about estimates of the program, which none of `given` replaces, that are far from the
 * values of a call. */
void pm_warn_of_estimates(const char *tool, const stage_signature *sig, const pm_params *params,
                          const pm_estimate_list *given);
/* Gives integer parameters without an estimate the value that they have in a call. */
void pm_set_called_estimates(const stage_signature *sig, const pm_params *params);

#endif
