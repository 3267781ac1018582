/* Types, as TYPE nodes: what their names mean, and which function of several is called with values of them.
 *
 * A type is closed when its names mean the same wherever it is: other names of types are replaced, classes of
 * the program are in `c`, arguments are closed. */
#ifndef PM_FRONTENDS_CXX_TYPES_H
#define PM_FRONTENDS_CXX_TYPES_H

#include "frontends/cxx/names/names.h"

#include <string.h>

/* --- types.c --- */
static inline bool cx_is_named(const cx_node *type, const char *name) {
  return type->name && strcmp(type->name->text, name) == 0;
}
/* The argument of a template; NULL: there are fewer. */
static inline const cx_node *cx_argument_of(const cx_node *type, unsigned i) {
  return type && i < type->n_items ? type->items[i] : NULL;
}
/* The scalar type that a name of C++ is; false for other names. */
bool cx_scalar_of_name(pm_string name, pm_scalar *out);
/* The scalar type of a TYPE node, through other names; false for others. */
bool cx_scalar_of(cx_interp *in, const cx_node *type, pm_scalar *out);
/* An argument of a template, closed: a type, or a constant, which becomes an INT where it is one. */
cx_node *cx_closed_argument(cx_interp *in, cx_node *argument);
/* The TYPE, closed; what is no TYPE as it is. */
const cx_node *cx_resolve(cx_interp *in, const cx_node *type);
/* A closed class with the defaults of the arguments that are not given. */
const cx_node *cx_with_defaults(cx_interp *in, const cx_node *type);
/* The class or enumeration of the program that the TYPE names; NULL: there is none. */
const cx_node *cx_class_named(cx_interp *in, const cx_node *type);
/* The name is one of a type: of the program, of C++ or of the library. */
bool cx_is_type_name(cx_interp *in, const cx_node *name);
/* Both are closed. */
bool cx_same_type(const cx_node *a, const cx_node *b);
/* Without const, & and *. */
const cx_node *cx_bare_type(cx_interp *in, const cx_node *type);
/* The type of a value, closed; `auto` where it is not known. */
const cx_node *cx_type_of_value(cx_interp *in, cv v);
/* Names the arguments of a template in the scope; those that are not given have their defaults. False: one is
 * missing. */
bool cx_bind_arguments(cx_interp *in, cx_scope *scope, const cx_node *params, cx_node *const *given,
                       uint32_t n);

/* What the parameter of a template is for the argument. */
cv cx_value_of_argument(cx_interp *in, const cx_node *param, const cx_node *argument);

/* --- packs.c --- */
/* What a pattern stands for: cx_begin_expansion, then for each cx_expand_to, after which the names of packs
 * in it are those of one parameter, then cx_end_expansion in any case. */
typedef struct cx_expansion {
  cx_scope *outside;
  CX_VEC(cx_binding) packs;
  uint32_t n;
} cx_expansion;
/* False after a diagnostic. */
bool cx_begin_expansion(cx_interp *in, pm_loc loc, const cx_node *pattern, cx_expansion *out);
void cx_expand_to(cx_interp *in, const cx_expansion *e, uint32_t i);
void cx_end_expansion(cx_interp *in, const cx_expansion *e);
bool cx_has_packs(cx_interp *in, const cx_node *pattern);
/* Arguments of a template, closed and expanded. */
cx_node **cx_closed_arguments(cx_interp *in, cx_node *const *items, uint32_t n, uint32_t *n_out);
/* The value of a parameter of a template that is a pack. */
cv cx_pack_of(cx_interp *in, const cx_node *param, cx_node *const *arguments, uint32_t n);
/* The function with n parameters of these types (NULL: that of the pack) in the place of its pack. */
const cx_node *cx_with_parameters(cx_interp *in, const cx_node *function, cx_node *const *types, uint32_t n);

/* --- overloads.c --- */
/* What may be called. */
typedef struct cx_candidate {
  const cx_node *node; /* FUNCTION */
  cx_scope *scope;     /* around it; of a template with its arguments */
  cx_object *object;   /* of a member function, or NULL */
  const cx_instance *instance;
} cx_candidate;
typedef CX_VEC(cx_candidate) cx_candidates;

/* An argument of a call: its value, where it is kept (NULL: nowhere) and how it is written (NULL: not known).
 */
typedef struct cx_argument {
  cv value;
  const cx_cell *cell;
  const cx_node *node;
} cx_argument;

/* How well a value suits a parameter, as the standard ranks conversions [over.ics.rank]. */
typedef enum cx_rank {
  CX_NO_MATCH,
  CX_USER,            /* a constructor or a conversion of a class, or of the library */
  CX_CONVERSION = 50, /* of numbers and pointers; to a base, less by one for each class on the way */
  CX_PROMOTION,
  CX_EXACT
} cx_rank;
cx_rank cx_rank_of(cx_interp *in, const cx_node *type, const cx_argument *argument);
/* The type is the one of the library that the class of the object derives from. */
bool cx_is_inner_type(cx_interp *in, const cx_node *type, cv object);

/* Adds the functions that the name was found to be. */
void cx_add_candidates(cx_interp *in, const cx_found *found, pm_string name, cx_candidates *out);
/* The functions of that name that the class has, or the nearest base that has one. */
void cx_add_methods(cx_interp *in, const cx_instance *instance, cx_object *object, pm_string name,
                    cx_candidates *out);
void cx_add_constructors(cx_interp *in, const cx_instance *instance, cx_object *object, cx_candidates *out);
/* Operators of that name that are found where they stand or beside the classes of the arguments. */
void cx_add_operators(cx_interp *in, pm_string name, const cx_argument *args, unsigned n, cx_candidates *out);

typedef enum cx_choice { CX_NONE_SUITS, CX_ONE_SUITS, CX_SEVERAL_SUIT } cx_choice;
/* The candidate that suits the arguments best, and the worst of its ranks; `given`: template arguments of the
 * call. */
cx_choice cx_choose(cx_interp *in, const cx_candidates *candidates, const cx_argument *args, unsigned n_args,
                    const cx_node *given, cx_candidate *out, cx_rank *worst);
/* The two functions have parameters of the same types. */
bool cx_same_parameters(cx_interp *in, const cx_node *a, const cx_node *b);
/* The body of a function of a class, which may stand outside of it. */
const cx_node *cx_defined(cx_interp *in, const cx_instance *instance, const cx_node *function);

#endif
