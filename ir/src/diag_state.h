/* The diagnostics' part of a context. Private to ir/src. */
#ifndef PM_IR_SRC_DIAG_STATE_H
#define PM_IR_SRC_DIAG_STATE_H

#include "ir/diag.h"

/* A zeroed state counts nothing and reports to the default handler; the context's constructor calls
 * pm_diag_state_init. */
typedef struct pm_diag_state {
  pm_diag_handler handler; /* NULL: the default one */
  void *user;
  pm_diag_gate is_open; /* NULL: there is none */
  void *gate_user;
  unsigned max_errors; /* 0: no limit */
  unsigned n_warnings;
  unsigned n_errors; /* counted ones, the suppressed included */
  bool remarks;
  bool suppressing; /* the last error was over the limit: its notes are dropped too */
  void (*crash_hook)(void *user);
  void *crash_user;
} pm_diag_state;

/* pm_remark with the arguments of its format as a list; fills in the severity of `diag`. */
void pm_vremark(pm_context *ctx, pm_diag *diag, const char *fmt, va_list args);

#endif
