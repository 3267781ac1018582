/* Messages to the handler of a host. */
#ifndef PM_PM_MESSAGES_H
#define PM_PM_MESSAGES_H

#include "ir/diag.h"
#include "pm/pm.h"

/* Nothing happens where the options have no handler. */
void pm_tell(const pm_options *options, const pm_message *message);
void pm_tell_diagnostic(const pm_options *options, const pm_context *ctx, const pm_diag *diag);

#endif
