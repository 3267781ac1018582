/* Expressions: their values, conversions and calls. Bodies of functions and objects are statements'
 * (statements.h), the only room above that is called from here. */
#ifndef PM_FRONTENDS_CXX_EXPRESSIONS_H
#define PM_FRONTENDS_CXX_EXPRESSIONS_H

#include "frontends/cxx/library.h"

/* --- evaluate.c --- */
cv cx_eval(cx_interp *in, const cx_node *n);
/* The condition holds, in *out; false after a diagnostic. */
bool cx_holds(cx_interp *in, const cx_node *condition, bool *out);
/* What `.` and `->` lead to: behind pointers. */
cv cx_behind(cv v);

/* --- convert.c --- */
/* The value as one of the type (NULL, auto: as it is). */
cv cx_convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v);
/* What `T name(args)` and `T(args)` make; `hint` is the name of the variable, or NULL. */
cv cx_construct(cx_interp *in, pm_loc loc, const cx_node *type, cv *args, const pm_loc *locs, unsigned n_args,
                bool is_braced, pm_string hint);
/* The arguments as a list. */
cv cx_list_of_args(const cx_making *making);

/* --- calls.c --- */
typedef struct cx_arguments {
  cv *values;
  cx_cell **cells; /* where they are kept, for parameters by reference; NULL: nowhere */
  const pm_loc *locs;
  unsigned n;
  bool ok;
} cx_arguments;
cx_arguments cx_eval_arguments(cx_interp *in, cx_node *const *items, unsigned n);
/* Declares the parameters in the scope; false after a diagnostic. */
bool cx_bind_parameters(cx_interp *in, pm_loc loc, const cx_node *function, cx_scope *scope,
                        const cx_arguments *args);
/* One call more is nested; false after a diagnostic. cx_leave_call follows in any case. */
bool cx_enter_call(cx_interp *in, pm_loc loc);
void cx_leave_call(cx_interp *in);
/* The function of the object without arguments, where it has one. */
cv cx_call_member(cx_interp *in, pm_loc loc, cx_object *object, const char *name);
/* The value of a call, or what is assigned to in its place. */
cv cx_eval_call(cx_interp *in, const cx_node *n);
cv cx_eval_call_place(cx_interp *in, const cx_node *n);

/* --- places.c --- */
/* Where the value of an expression is kept; NULL after a diagnostic. */
cx_cell *cx_place(cx_interp *in, const cx_node *n);
/* A name, a member or an item. */
bool cx_is_place(const cx_node *n);
/* The member of an object or a pair; NULL: it has none. */
cx_cell *cx_member_cell(const cx_interp *in, cv base, pm_string name);
cv cx_eval_index(cx_interp *in, const cx_node *n);
cv cx_eval_assign(cx_interp *in, const cx_node *n);
/* ++ and --, before or behind. */
cv cx_eval_step(cx_interp *in, const cx_node *n);

#endif
