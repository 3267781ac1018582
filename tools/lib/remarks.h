/* Remarks as JSON. */
#ifndef PM_TOOLS_REMARKS_H
#define PM_TOOLS_REMARKS_H

#include "ir/diag.h"

/* One object and a newline:
 * {"kind": "passed", "pass": "group", "file": "a.pmir", "line": 3, "column": 1, "message": "…", "args":
 * {"bytes": 3}} */
void pm_put_remark_json(pm_context *ctx, const pm_diag *remark, pm_buf *out);

#endif
