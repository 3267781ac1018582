/* Estimates: the values of integer parameters that cost models count with. */
#ifndef PM_PM_ESTIMATES_H
#define PM_PM_ESTIMATES_H

#include "ir/ir.h"

/* Texts of --estimate, "R=2560", which are borrowed. */
typedef PM_VEC(const char *) pm_estimate_list;

bool pm_is_estimate(const char *text);
/* Several, with commas between. */
bool pm_are_estimates(const char *text);
/* Whether the list has one of that parameter. */
bool pm_has_estimate(const pm_estimate_list *estimates, const char *param);
/* Gives them to the parameters of the module's pipelines, in place of what the program says. False after an
 * error: none has such a parameter, or the conditions of one exclude the value. */
bool pm_set_estimates(pm_module *module, const pm_estimate_list *estimates, pm_buf *error);
/* Gives integer parameters without an estimate this one, or the number next to it that the pipeline's context
 * allows. */
void pm_set_usual_estimates(pm_module *module, int64_t size);
/* Gives a stage.param this one. */
void pm_set_estimate(pm_op *param, int64_t value);

#endif
