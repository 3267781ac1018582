/* Forms of loops (ir/pass.h). */
#ifndef PM_DIALECTS_LOOP_FORMS_H
#define PM_DIALECTS_LOOP_FORMS_H

#include "ir/pass.h"

extern const pm_form loop_loops_form, loop_joined_form, loop_inline_form, loop_kernels_form, loop_groups_form,
    loop_barriers_form, loop_dimensions_form, loop_one_index_form, loop_workspace_form, loop_abi_form,
    loop_numbers_form;

#endif
