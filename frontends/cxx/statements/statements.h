/* Statements and declarations, objects of classes, and programs of files. */
#ifndef PM_FRONTENDS_CXX_STATEMENTS_H
#define PM_FRONTENDS_CXX_STATEMENTS_H

#include "frontends/cxx/library.h"

/* --- statements.c --- */
/* SPLIT: at some points it is NEXT, at others what in->exits says (frontends/cxx/cxx.h). */
typedef enum cx_flow { CX_FLOW_NEXT, CX_FLOW_BREAK, CX_FLOW_CONTINUE, CX_FLOW_RETURN, CX_FLOW_SPLIT } cx_flow;
cx_flow cx_run(cx_interp *in, const cx_node *n);
/* The items of a BLOCK in the scope at work. */
cx_flow cx_run_items(cx_interp *in, const cx_node *block);

/* --- split.c: statements behind which some points go on and others do not --- */
/* What goes on, and how. */
typedef cx_flow cx_rest(cx_interp *in, const cx_node *n, uint32_t at);
/* `if` with a condition that is not known. */
cx_flow cx_run_both(cx_interp *in, const cx_node *n, cv condition);
/* Behind a SPLIT: the rest runs at the points that go on. */
cx_flow cx_run_rest(cx_interp *in, const cx_node *n, uint32_t at, cx_rest *rest);
/* Behind a `switch` that has SPLIT, which its breaks leave. */
cx_flow cx_without_breaks(cx_interp *in);
/* Behind a round of a loop that has SPLIT: the rounds that follow. */
cx_flow cx_run_rounds(cx_interp *in, const cx_node *n, cx_rest *rest);

/* --- declarations.c --- */
void cx_declare_variables(cx_interp *in, const cx_node *n);
void cx_declare_enum(cx_interp *in, const cx_node *n);
/* The enumerators in the scope at work. */
void cx_declare_enumerators(cx_interp *in, const cx_node *n);
void cx_declare_namespace(cx_interp *in, const cx_node *n);
void cx_declare_using(cx_interp *in, const cx_node *n);
void cx_declare_function(cx_interp *in, const cx_node *n);
void cx_declare_alias(cx_interp *in, const cx_node *n);
void cx_declare_class(cx_interp *in, const cx_node *n);
/* The array that is declared: of a LIST of values, or NULL, and of what the type makes by itself. */
cv cx_make_array(cx_interp *in, const cx_node *type, const cx_node *declarator, const cv *values);
/* A variable of that scope; its value is evaluated in the one at work. */
void cx_declare_into(cx_interp *in, cx_scope *into, const cx_node *type, const cx_node *declarator);
/* The value that a variable begins with. */
cv cx_declared_value(cx_interp *in, const cx_node *type, const cx_node *declarator);

/* --- objects.c --- */
/* The class with the arguments that the type (NULL: none) has; NULL after a diagnostic, or where it is none.
 */
cx_instance *cx_instantiate(cx_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type);
/* A copy of the object, or of the base that is this part of it. */
cv cx_copy_object(cx_interp *in, cv object, uint32_t part);
/* Evaluates a static member. */
void cx_evaluate_member(cx_interp *in, cx_cell *cell);
/* `type` has the arguments of a template in its items; it may be NULL. */
cv cx_new_object(cx_interp *in, pm_loc loc, const cx_node *class_node, const cx_node *type,
                 const cx_arguments *args, bool is_braced);

#endif
