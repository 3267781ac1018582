/* Forms of schedules (ir/pass.h). */
#ifndef PM_DIALECTS_POLY_FORMS_H
#define PM_DIALECTS_POLY_FORMS_H

#include "ir/pass.h"

extern const pm_form poly_scheduled_form, poly_grouped_form, poly_tiled_form, poly_stored_form,
    poly_expanded_form, poly_restructured_form, poly_vectors_form, poly_parallel_form;

#endif
