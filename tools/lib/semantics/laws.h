/* The laws of rewrite rules, run: `mini(c, x) => mini(x, c)` is built from its text, in every typing that
 * verifies, the rule is applied to it, and the kernels compare what both sides and the rewritten ops compute.
 *
 *   law     side => side {, clause}
 *   clause  name = side                 what the name stands for
 *           other words                 a condition: the rule need not apply to every typing
 *   side    with names of ops of the rule's dialect, or of arith; + - * < and numbers; c and d are constants,
 *           other names values
 *
 * All values of i8 and u8 are tried, where a law has two of them at most, and samples of other types. */
#ifndef PM_TOOLS_SEMANTICS_LAWS_H
#define PM_TOOLS_SEMANTICS_LAWS_H

#include "ir/context.h"

typedef struct pm_laws_checked {
  int64_t held, typings; /* laws that hold, and typings in which their rules applied */
  int64_t failed;
  int64_t left; /* laws that are not checked: their text says what is no value of a scalar */
} pm_laws_checked;

/* Checks the rules of all ops of the context, plugins' too. A failure is an error, with the values. A line of
 * `report` names each law that is not checked, and why. False: some failed. */
bool pm_check_laws(pm_context *ctx, pm_laws_checked *count, pm_buf *report) PM_MUST_USE;

#endif
