/* Forms of pipelines of stages (ir/pass.h). */
#ifndef PM_DIALECTS_STAGE_FORMS_H
#define PM_DIALECTS_STAGE_FORMS_H

#include "ir/pass.h"

extern const pm_form stage_stages_form, stage_no_modes_form;

#endif
