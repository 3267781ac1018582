/* Diagnostics. Wording: what it has, then what it should have; lower case, no full stop; a note points at the
 * other party. Formats take printf's directives, checked by the compiler as %p, plus
 *   %pO  const pm_op *      its name and, for a symbol, @name    'stage.func' @Ix
 *   %pV  const pm_value *   as it prints                         %x
 *   %pT  pm_type            !type                                vector<8xf32>
 *   %pA  pm_attr            attribute                            3 : i32
 *   %pS  pm_string          its text                             harris
 */
#ifndef PM_IR_DIAG_H
#define PM_IR_DIAG_H

#include "ir/context.h"

typedef enum pm_severity { PM_ERROR, PM_WARNING, PM_REMARK, PM_NOTE } pm_severity;
typedef enum pm_remark_kind { PM_REMARK_PASSED, PM_REMARK_MISSED, PM_REMARK_ANALYSIS } pm_remark_kind;

/* A number that a remark carries. `time` is what it is about costs: ns that the pass group predicts, at the
 * estimates. Tools that show only some remarks show the costliest. */
typedef struct pm_remark_arg {
  const char *key;
  double value;
} pm_remark_arg;

typedef struct pm_diag {
  pm_severity severity;
  pm_loc loc;
  const char *message; /* borrowed for the call */
  /* only for remarks */
  pm_remark_kind kind;
  const char *pass;
  const pm_remark_arg *args;
  size_t n_args;
} pm_diag;

/* Called once per diagnostic, in order; a PM_NOTE belongs to the diagnostic before it. The default handler
 * prints `file:line:col: error: text`, the source line and a caret to stderr; remarks are dropped by default.
 */
typedef void (*pm_diag_handler)(void *user, pm_context *ctx, const pm_diag *diag);
void pm_set_diag_handler(pm_context *ctx, pm_diag_handler handler, void *user);
/* A handler for what is only tried: it says nothing. */
void pm_drop_diag(void *user, pm_context *ctx, const pm_diag *diag);
/* Another handler up to the end of the scope, where all is as it was: the handler, what was counted, and the
 * limit, which there is none of inside. */
typedef struct pm_diag_scope {
  pm_diag_handler handler;
  void *user;
  unsigned max_errors, n_errors, n_warnings;
} pm_diag_scope;
pm_diag_scope pm_begin_diag_scope(pm_context *ctx, pm_diag_handler handler, void *user);
void pm_end_diag_scope(pm_context *ctx, pm_diag_scope scope);
/* Diagnostics are dropped, and errors not counted, while the gate is not open; NULL: there is none. */
typedef bool (*pm_diag_gate)(void *user);
void pm_set_diag_gate(pm_context *ctx, pm_diag_gate is_open, void *user);
/* The default handler's text, for handlers that wrap it. */
void pm_print_diag(pm_context *ctx, const pm_diag *diag, pm_buf *out);
/* Remarks are only formatted when wanted; off by default. */
void pm_enable_remarks(pm_context *ctx, bool on);
/* For a pass whose explanation takes more than formatting. */
bool pm_wants_remarks(const pm_context *ctx);
/* After this many errors the rest is counted but not reported; 0 = no limit. Default 20. */
void pm_set_max_errors(pm_context *ctx, unsigned max);

/* Always returns false, so that `return pm_error(...)` reads well in functions whose result says "ok". */
bool pm_error(pm_context *ctx, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
void pm_warning(pm_context *ctx, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
void pm_note(pm_context *ctx, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
/* An error at an op, prefixed by its name: 'stage.read' … */
bool pm_op_error(const pm_op *op, const char *fmt, ...) PM_PRINTF(2, 3);
void pm_remark(pm_context *ctx, pm_loc loc, pm_remark_kind kind, const char *pass, const pm_remark_arg *args,
               size_t n_args, const char *fmt, ...) PM_PRINTF(7, 8);
unsigned pm_error_count(const pm_context *ctx);
unsigned pm_warning_count(const pm_context *ctx);

/* Formats with the directives above. */
void pm_vformat(pm_buf *out, const char *fmt, va_list args);
void pm_format(pm_buf *out, const char *fmt, ...) PM_PRINTF(2, 3);

/* Our own fault, found at the op, which may be NULL: raises PM_FAULT_BUG (ir/fault.h). */
PM_NORETURN void pm_panic(const pm_op *op, const char *fmt, ...) PM_PRINTF(2, 3);
/* One hook per context. Who handles faults calls it, as do handlers of fatal signals: it may do only what is
 * safe in one, so it prepares its texts beforehand. NULL: none. */
void pm_set_crash_hook(pm_context *ctx, void (*hook)(void *user), void *user);
/* Calls the hook and forgets it: it runs once, although it may crash itself. */
void pm_run_crash_hook(pm_context *ctx);

#endif
