/* The named pipelines of tools/pipelines.def. */
#ifndef PM_TOOLS_DRIVER_PIPELINES_H
#define PM_TOOLS_DRIVER_PIPELINES_H

#include "ir/support.h"

/* The text of the pipeline called `name` ("default"), or NULL. */
const char *pm_named_pipeline(const char *name);
/* `name  what it is`, one a line. */
void pm_list_pipelines(pm_buf *out);

#endif
