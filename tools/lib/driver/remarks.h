/* Remarks as JSON, as a list, and the costliest of a list. */
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
/* What the user sees of them: none; the costliest, when the tool says so; all, each when it comes. */
typedef enum pm_shown_remarks { PM_SHOW_NONE, PM_SHOW_COSTLIEST, PM_SHOW_ALL } pm_shown_remarks;
typedef struct pm_remark_list {
  PM_VEC(pm_kept_remark) all; /* in the order in which they came */
  pm_shown_remarks show;
  bool silent; /* the diagnostic before was not printed, so its notes are not */
} pm_remark_list;

/* Enables remarks and sets a handler that keeps them and prints every other diagnostic; the list must live as
 * long as the context makes diagnostics. */
void pm_keep_remarks(pm_context *ctx, pm_remark_list *list);
void pm_remark_list_free(pm_remark_list *list);

/* The number of that name; false when the remark, which may be NULL, has none. */
bool pm_number_in(const pm_kept_remark *remark, const char *key, double *value);

/* `@f`, the first name in the text; empty: there is none. */
pm_str pm_first_name(const char *message);

/* Remarks of one kind have the same pass and text, names, numbers and sets aside; a kind costs what its
 * remarks cost together. Prints the ten costliest kinds, each as its costliest remark and the number of the
 * others; those without a cost come last, in the order in which they came. */
void pm_put_costliest(pm_context *ctx, const pm_remark_list *list, pm_buf *out); /* costliest.c */
/* Does so on stderr where they are to be shown; they are then no longer. */
void pm_say_costliest(pm_context *ctx, pm_remark_list *list);

#endif
