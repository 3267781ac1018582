/* Types, as TYPE nodes: what their names mean, and which function of several is called with values of them.
 */
#ifndef PM_FRONTENDS_CXX_TYPES_H
#define PM_FRONTENDS_CXX_TYPES_H

#include "frontends/cxx/cxx.h"

#include <string.h>

static inline bool cx_is_named(const cx_node *type, const char *name) {
  return strcmp(type->name->text, name) == 0;
}
/* The argument of a template; NULL: there are fewer. */
static inline const cx_node *cx_argument_of(const cx_node *type, unsigned i) {
  return type && i < type->n_items ? type->items[i] : NULL;
}
/* The scalar type that a name of C++ is; false for other names. */
bool cx_scalar_of_name(pm_string name, pm_scalar *out);
/* The scalar type of a TYPE node, through aliases; false for others. */
bool cx_scalar_of(const cx_interp *in, const cx_node *type, pm_scalar *out);
/* The TYPE that an alias of the program stands for, else the node itself. */
const cx_node *cx_resolve(const cx_interp *in, const cx_node *type);
/* The class or enumeration of the program that the TYPE names; NULL: there is none. */
const cx_node *cx_class_named(const cx_interp *in, const cx_node *type);
/* The name is one of a type: of the program, of C++ or of the library. */
bool cx_is_type_name(const cx_interp *in, pm_string name);
/* Of the functions of that name the one whose parameters suit the values best; else what was found. */
cv cx_choose_overload(cx_interp *in, pm_string name, cv found, const cv *args, unsigned n_args);

#endif
