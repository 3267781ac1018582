/* The named pipelines of pm/pipelines.def. */
#ifndef PM_PM_PIPELINES_H
#define PM_PM_PIPELINES_H

#include "ir/pass.h"

void pm_register_all_pipelines(pm_context *ctx);
/* `name: what it is`, then its text, for every pipeline of the context. */
void pm_list_pipelines(const pm_context *ctx, pm_buf *out);

#endif
