/* Names: scopes, what they hold, and what is found in classes of the program. */
#ifndef PM_FRONTENDS_CXX_NAMES_H
#define PM_FRONTENDS_CXX_NAMES_H

#include "frontends/cxx/cxx.h"

/* --- scopes.c --- */
cx_cell *cx_new_cell(cx_interp *in, cv value);
cx_cell *cx_find(const cx_scope *scope, pm_string name);
void cx_bind(cx_interp *in, cx_scope *scope, pm_string name, cx_cell *cell, pm_loc loc);
cx_cell *cx_declare(cx_interp *in, cx_scope *scope, pm_string name, cv value);
cx_scope *cx_push_scope(cx_interp *in, cx_scope *outer);
/* The member of that name; NULL: there is none. */
cx_cell *cx_find_member(const cx_object *object, pm_string name);
/* The object whose member function runs, or NULL. */
cx_object *cx_current_object(const cx_interp *in);
/* Reports the name once: from here on it is poison. */
cv cx_unknown_name(cx_interp *in, pm_loc loc, pm_string name, const char *what);

/* --- classes.c --- */
const cx_node *cx_find_class(const cx_interp *in, pm_string name);
/* The function takes so many arguments. */
unsigned cx_least_arguments(const cx_node *function);
bool cx_takes_arguments(const cx_node *function, unsigned n_args);
/* The function of that name in a class or its bases, NULL: none. Of several one that takes so many arguments.
 */
const cx_node *cx_find_method(cx_interp *in, const cx_node *class_node, pm_string name, unsigned n_args);
const cx_node *cx_find_constructor(const cx_node *class_node, unsigned n_args);
/* The class derives from one of the library. */
bool cx_is_of_library(const cx_interp *in, const cx_node *class_node);

/* What `A::b` is: enumerator `number` of the ENUM, or the declarator of the DECLARE, a member that is static
 * or constant. */
typedef struct cx_qualified {
  const cx_node *node;
  uint32_t number;
} cx_qualified;
bool cx_find_qualified(cx_interp *in, pm_string name, cx_qualified *out);

#endif
