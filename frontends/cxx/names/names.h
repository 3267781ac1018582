/* Names: scopes, what they hold, and what is found in classes of the program, by the standard's rules
 * [basic.lookup].
 */
#ifndef PM_FRONTENDS_CXX_NAMES_H
#define PM_FRONTENDS_CXX_NAMES_H

#include "frontends/cxx/cxx.h"

/* --- scopes.c --- */
cx_cell *cx_new_cell(cx_interp *in, cv value);
/* Where names are declared that stand in the scope. */
cx_scope *cx_declaring(cx_scope *scope);
void cx_bind(cx_interp *in, cx_scope *scope, pm_string name, cx_cell *cell, pm_loc loc);
cx_cell *cx_declare(cx_interp *in, cx_scope *scope, pm_string name, cv value);
cx_scope *cx_push_scope(cx_interp *in, cx_scope *outer);
/* Of a function or a block. */
cx_scope *cx_push_local_scope(cx_interp *in, cx_scope *outer);
/* The object whose member function runs, or NULL. */
cx_object *cx_current_object(const cx_interp *in);
/* The class whose member function runs, or NULL. */
const cx_instance *cx_current_class(const cx_interp *in);
/* Reports the name once: from here on it is poison. */
cv cx_unknown_name(cx_interp *in, pm_loc loc, pm_string name, const char *what);

/* What a name is found to be, in the scope that is nearest: a cell, whose scope has more where it is a
 * function; or functions of a class. */
typedef struct cx_found {
  cx_cell *cell;
  cx_scope *scope;             /* that has it */
  const cx_instance *instance; /* the class that has functions of that name, where `cell` is NULL */
  cx_object *object;           /* with it, or NULL */
  CX_VEC(cx_scope *) also;     /* namespaces that are used and have it, too */
  bool is_qualified;
} cx_found;

/* Looks a NAME or TYPE up: `a`, `A::b`, `::x`. False: it is no name of the program. */
bool cx_look_up(cx_interp *in, const cx_node *name, cx_found *out);
/* The cell of a name without `::`, where it is a variable, type, namespace or function; else NULL. */
cx_cell *cx_find(cx_interp *in, cx_scope *scope, pm_string name);
/* The name in this scope alone, and the namespaces that it uses. */
bool cx_find_here(cx_interp *in, cx_scope *scope, pm_string name, cx_found *out);
/* The last part of `A::b`. */
pm_string cx_last_part(cx_interp *in, pm_string name);
/* What is before the last `::`, as a NAME; NULL: there is none. */
const cx_node *cx_qualifier(cx_interp *in, const cx_node *name);

/* --- classes.c --- */
/* The class, template or alias of a template as it is declared; NULL: it is none. */
cx_class_info *cx_info(const cx_interp *in, const cx_node *node);
cx_class_info *cx_new_info(cx_interp *in, const cx_node *node);
/* The number of the enumeration that its values have. */
uint32_t cx_enum_number(cx_interp *in, const cx_node *node);
const cx_node *cx_find_class(cx_interp *in, pm_string name);
/* The class and its bases, from the most derived on, in the order in which names are looked for. */
typedef struct cx_line {
  CX_VEC(const cx_instance *) items;
} cx_line;
cx_line cx_line_of(cx_interp *in, const cx_instance *instance);
bool cx_derives(const cx_instance *instance, const cx_node *base);
/* The class is a base of itself or of the other one. */
bool cx_is_base(const cx_instance *base, const cx_instance *derived);
/* A member, static member, type or function that the class or a base has. */
bool cx_find_in_class(cx_interp *in, const cx_instance *instance, cx_object *object, pm_string name,
                      cx_found *out);
/* How the object looks from the class. */
cx_scope *cx_part(const cx_object *object, const cx_instance *instance);
/* --- objects of classes that derive from one of the library --- */
/* The class, or the base of it, whose objects have an inner value; NULL: there is none. */
const cx_instance *cx_inner_owner(const cx_instance *instance);
/* Where the inner value of an object is kept; NULL: what the value is has none. */
cx_cell *cx_inner_cell(cv v);
/* The inner value of an object that has one; else the value itself. */
cv cx_inner(cv v);
/* That of the object whose member function runs, where what a name was found to be is hidden by members of
 * the library's class: it is outside of the class, or `found` is NULL; else NULL. */
cx_cell *cx_nearer_inner(const cx_interp *in, const cx_found *found);
/* `using Base::name` in the class. */
bool cx_uses_name(const cx_instance *instance, pm_string name);

/* The function takes so many arguments. */
unsigned cx_least_arguments(const cx_node *function);
/* The last parameter is a pack. */
bool cx_has_pack(const cx_node *function);
bool cx_takes_arguments(const cx_node *function, unsigned n_args);
/* The class derives from one of the library. */
bool cx_is_of_library(const cx_interp *in, const cx_node *class_node);

#endif
