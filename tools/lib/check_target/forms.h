/* Programs for every row of arith, math, buf, vec and loop: on each type, on scalars, vectors and masks, as
 * far as the row takes them. */
#ifndef PM_TOOLS_CHECK_TARGET_FORMS_H
#define PM_TOOLS_CHECK_TARGET_FORMS_H

#include "targets/target.h"
#include "tools/lib/check_target/program.h"

/* Rows of one type and no attributes are tried as they stand in the dialect, so that a new op needs nothing;
 * others have a row of forms.def. */
void pm_check_add_forms(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice);
/* Appends a line for each op that a target may have a form of and no program has, with its classes. */
void pm_check_untried(const pm_check_programs *programs, pm_context *ctx, const pm_check_choice *choice,
                      pm_buf *out);
/* Appends the chosen ops of which the target lacks a form for scalars, vectors or masks: "vec.reduce,
 * arith.divi (vectors)". */
void pm_check_lacking(const pm_target *target, const pm_check_choice *choice, const pm_context *ctx,
                      pm_buf *out);

#endif
