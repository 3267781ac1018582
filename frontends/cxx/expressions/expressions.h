/* Expressions: their values, conversions and calls. Bodies of functions and objects are statements'
 * (statements.h), the only room above that is called from here. */
#ifndef PM_FRONTENDS_CXX_EXPRESSIONS_H
#define PM_FRONTENDS_CXX_EXPRESSIONS_H

#include "frontends/cxx/library.h"
#include "frontends/cxx/types/types.h"

/* --- evaluate.c --- */
cv cx_eval(cx_interp *in, const cx_node *n);
/* Of a condition: what the class of an object makes of it. */
cv cx_eval_condition(cx_interp *in, const cx_node *condition);
/* The condition holds, in *out; false after a diagnostic. */
bool cx_holds(cx_interp *in, const cx_node *condition, bool *out);
/* A NAME that is a member of the library's class that the one at hand derives from; `found`: what it else is,
 * or NULL. */
bool cx_eval_inherited(cx_interp *in, const cx_node *n, const cx_found *found, cv *out);
/* `a.name`, `*a` and `a ? b : c`; *cell as of cx_eval_place. */
cv cx_eval_ternary(cx_interp *in, const cx_node *n, cx_cell **cell);
cv cx_eval_member(cx_interp *in, const cx_node *n, cx_cell **cell);
cv cx_eval_pointed(cx_interp *in, const cx_node *n, cx_cell **cell);
/* What `.` and `->` lead to: behind pointers. */
cv cx_behind(cv v);

/* --- branches.c: conditions that are not known, as those of a pixel, so that both branches run --- */
bool cx_is_unknown(const cx_interp *in, cv v);
/* The cell is about to be changed: all that changes a value calls this, or cx_set_cell. */
void cx_note_change(cx_interp *in, cx_cell *cell);
void cx_set_cell(cx_interp *in, cx_cell *cell, cv value);
/* The list may get more or fewer items here; false after a diagnostic: that would not be undone. */
bool cx_may_resize(cx_interp *in, pm_loc loc, const cx_list *list);
/* What a branch has changed, and to what. */
typedef CX_VEC(cx_change) cx_changes;
typedef struct cx_branch {
  uint32_t mark;
  cv path;
  uint64_t from;
} cx_branch;
/* From here on the condition holds. */
cx_branch cx_begin_branch(cx_interp *in, pm_loc loc, cv condition);
/* Cells have what they had before it; the result is what they had at its end. */
cx_changes cx_end_branch(cx_interp *in, const cx_branch *branch);
/* Cells get what the branches have made of them: `yes` where the condition holds, `no` elsewhere. */
void cx_join(cx_interp *in, pm_loc loc, cv condition, const cx_changes *yes, const cx_changes *no);
cv cx_choose_value(cx_interp *in, pm_loc loc, cv condition, cv a, cv b);
cv cx_and(cx_interp *in, pm_loc loc, cv a, cv b);
cv cx_or(cx_interp *in, pm_loc loc, cv a, cv b);
cv cx_not(cx_interp *in, pm_loc loc, cv a);

/* --- convert.c --- */
/* The value as one of the type (NULL, auto: as it is). */
cv cx_convert(cx_interp *in, pm_loc loc, const cx_node *type, cv v);
/* Where a reference of the type to what is in the cell refers to: in an object that may be what the library's
 * class has of it. */
cx_cell *cx_referred(cx_interp *in, const cx_node *type, cx_cell *cell);
/* What a variable or parameter of the type has of the value: an array that is given as a pointer is that
 * array, else a copy. */
cv cx_copy_as(cx_interp *in, const cx_node *type, cv v);
/* Declares a reference of the type, in in->scope, to the value, which is kept in the cell (NULL: nowhere).
 * The new cell, where it is to a value of its own; else NULL. */
cx_cell *cx_bind_reference(cx_interp *in, cx_scope *into, pm_string name, const cx_node *type, cv value,
                           cx_cell *cell, pm_loc loc);
/* What `T name(args)` and `T(args)` make; `hint` is the name of the variable, or NULL. */
cv cx_construct(cx_interp *in, pm_loc loc, const cx_node *type, const cx_arguments *args, bool is_braced,
                pm_string hint);
/* The arguments as a list. */
cv cx_list_of_args(const cx_making *making);

/* --- calls.c --- */
cx_arguments cx_eval_arguments(cx_interp *in, cx_node *const *items, unsigned n);
/* Those of a call of the library. */
cx_arguments cx_arguments_of(const cx_call *call);
/* All at one place, kept nowhere. */
cx_arguments cx_values_as_arguments(cx_interp *in, pm_loc loc, cv *values, unsigned n);
const cx_argument *cx_ranked(cx_interp *in, const cx_arguments *args);
/* Declares the parameters in the scope; defaults are those of `declared`. False after a diagnostic. */
bool cx_bind_parameters(cx_interp *in, pm_loc loc, const cx_node *function, const cx_node *declared,
                        cx_scope *scope, const cx_arguments *args);
/* One call more is nested; false after a diagnostic. cx_leave_call follows in any case. */
bool cx_enter_call(cx_interp *in, pm_loc loc);
void cx_leave_call(cx_interp *in);
cv cx_call_candidate(cx_interp *in, pm_loc loc, const cx_candidate *candidate, const cx_arguments *args);
/* Chooses the function to call; false after a diagnostic. */
bool cx_choose_function(cx_interp *in, pm_loc loc, const char *name, const cx_candidates *candidates,
                        const cx_arguments *args, const cx_node *given, cx_candidate *out);
/* The function of the object, where it has one that takes the arguments. */
bool cx_call_own(cx_interp *in, pm_loc loc, cv object, const char *name, const cx_arguments *args, cv *out);
/* The same without arguments; nothing where it has none. */
cv cx_call_member(cx_interp *in, pm_loc loc, cx_object *object, const char *name);
/* What a function calls that was passed to it: at its own place. */
cv cx_call_with(const cx_call *call, cv callee, cv *args, unsigned n);
/* The class of the object, or its base, that the NAME names; else as which it is taken. */
const cx_instance *cx_base_named(cx_interp *in, cv object, const cx_node *name);
/* The class as which the object is taken. */
const cx_instance *cx_taken_for(cv object);
/* The value of a call, or what is assigned to in its place. */
cv cx_eval_call(cx_interp *in, const cx_node *n);
cv cx_eval_call_place(cx_interp *in, const cx_node *n);

/* --- operators.c: those of classes of the program --- */
/* Where the program has an operator for the operands: calls it. */
bool cx_call_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, const cx_node *const nodes[2], cv *out);
bool cx_call_unary(cx_interp *in, pm_loc loc, cx_op op, cv a, const cx_node *node, cv *out);
/* What `->` of an object leads to, which its class may have an operator for. */
cv cx_behind_arrow(cx_interp *in, pm_loc loc, cv object);
/* The object as the type by a conversion that its class has; false: it has none such. */
bool cx_convert_object(cx_interp *in, pm_loc loc, const cx_node *type, cv object, cv *out);
/* An object for which the library is given a value: its inner value, or that of the one conversion that its
 * class has; else as it is. */
cv cx_as_operand(cx_interp *in, pm_loc loc, cv v);
/* Binary operators, those of the program first. */
cv cx_operate(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, const cx_node *const nodes[2]);

/* --- lambdas.c --- */
cv cx_eval_lambda(cx_interp *in, const cx_node *n);

/* --- places.c --- */
/* Where the value of an expression is kept; NULL after a diagnostic. */
cx_cell *cx_place(cx_interp *in, const cx_node *n);
/* The value of any expression, and where it is kept in *cell; NULL there: nowhere that is known. */
cv cx_eval_place(cx_interp *in, const cx_node *n, cx_cell **cell);
/* A name, a member or an item. */
bool cx_is_place(const cx_node *n);
/* The member of an object or a pair; NULL: it has none. */
cx_cell *cx_member_cell(cx_interp *in, cv base, pm_string name);
/* Puts the entry of a map, the item of a set, where its key belongs: behind smaller ones, or at the end. */
void cx_put_entry(cx_interp *in, pm_loc loc, cv list, cv item);
cv cx_eval_index(cx_interp *in, const cx_node *n);
cv cx_index_value(cx_interp *in, pm_loc loc, cv base, cv index);
/* cell op= value */
cv cx_assign(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv value);
cv cx_eval_assign(cx_interp *in, const cx_node *n);
/* ++ and --, before or behind. */
cv cx_eval_step(cx_interp *in, const cx_node *n);

#endif
