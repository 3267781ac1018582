/* Remarks as JSON, and as a list. */
#ifndef PM_TOOLS_DRIVER_REMARKS_H
#define PM_TOOLS_DRIVER_REMARKS_H

#include "ir/diag.h"

/* One object and a newline:
 * {"kind": "passed", "pass": "group", "file": "a.pmir", "line": 3, "column": 1, "message": "…", "args":
 * {"bytes": 3}} */
void pm_put_remark_json(pm_context *ctx, const pm_diag *remark, pm_buf *out);

/* Remarks of a run, kept for what is made of them behind it. */
typedef struct pm_kept_remark {
  pm_remark_kind kind;
  pm_loc loc;
  char *pass, *message;
  pm_remark_arg *args; /* as in pm_diag, n_args of them; keys are the passes' */
  size_t n_args;
} pm_kept_remark;
typedef struct pm_remark_list {
  PM_VEC(pm_kept_remark) all; /* in the order in which they came */
  bool print;                 /* print them too, as without a list */
  bool silent;                /* the diagnostic before was not printed, so its notes are not */
} pm_remark_list;

/* Enables remarks and sets a handler that keeps them and prints every other diagnostic; the list must live as
 * long as the context makes diagnostics. */
void pm_keep_remarks(pm_context *ctx, pm_remark_list *list);
void pm_remark_list_free(pm_remark_list *list);

#endif
