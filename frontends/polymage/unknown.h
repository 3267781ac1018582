/* Values that are not known while the program is read: what comes from outside and has no --const, and in the
 * set-up what the language has not. Such a POISON carries the reason. It is no error to have one; it is one
 * when the pipeline depends on it: py_demand then reports the reason. */
#ifndef PM_FRONTENDS_POLYMAGE_UNKNOWN_H
#define PM_FRONTENDS_POLYMAGE_UNKNOWN_H

#include "frontends/polymage/interp.h"

/* A POISON with the reason. */
py_value py_not_known(py_interp *py, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
static inline bool py_is_unknown(py_value v) {
  return v.type == VAL_POISON && v.unknown;
}
/* Reports the reason, if there is one that was not reported; POISON. In the set-up the value stays. Constants
 * are kept for py_report_missing. */
py_value py_demand(py_interp *py, py_value v);
/* A value without which the program cannot go on. */
void py_miss_constant(py_interp *py, const py_constant *constant);
/* One error for all constants that are missing. */
void py_report_missing(py_interp *py);
/* The first of the values in lists that is POISON or that nothing was set for, or the value itself. */
py_value py_first_unknown(py_interp *py, pm_loc loc, py_value v);
/* The same of a call's arguments, or None; lists are looked into when `deep`. */
py_value py_first_unknown_of(py_interp *py, const py_call *call, bool deep);
/* A value from outside that nothing was set for, or a list that may have been changed: why it is not known.
 * Other values as they are. */
py_value py_need(py_interp *py, pm_loc loc, py_value v);

/* Any item of the list or dictionary may have been set to something else. */
void py_forget_items(py_interp *py, py_value v, py_value why);
/* In the set-up, of a call that is not known: lists that it may have changed. */
void py_forget_arguments(py_interp *py, py_env *env, const py_node *call, py_value result);
/* The statements may or may not run, because of `why`: what they would set is not known. False when more than
 * that depends on it. */
bool py_forget(py_interp *py, py_env *env, const py_node *n, py_value why);

#endif
