/* The stages that a schedule tree names. */
#ifndef PM_DIALECTS_POLY_NAMED_STAGES_H
#define PM_DIALECTS_POLY_NAMED_STAGES_H

#include "dialects/stage/analyses/statements.h"

/* By node index: the schedule that the root has already names the stage, a statement or an update of it, or
 * gives it memory; all false without a schedule. In the arena. The pass needs stage_statements_analysis. */
const bool *poly_named_stages(pm_pass *pass);

#endif
