/* What the library brings that a program is written against: a table of names and of hooks, which its
 * frontend fills in. A hook may be NULL; one that gives a bool gives false where it has nothing to say. */
#ifndef PM_FRONTENDS_CXX_LIBRARY_H
#define PM_FRONTENDS_CXX_LIBRARY_H

#include "frontends/cxx/cxx.h"

/* A call of what a library brings. */
typedef struct cx_call {
  cx_interp *in;
  pm_loc loc;
  pm_string name;
  cv self; /* of a method, or what is called */
  cv *args;
  const pm_loc *locs; /* of the arguments */
  unsigned n_args;
  const cx_node *at;     /* has the template arguments in its items; may be NULL */
  cx_cell *const *cells; /* where the arguments are kept, each or NULL; may be NULL */
} cx_call;

typedef cv (*cx_handler)(const cx_call *call);

typedef struct cx_row {
  const char *name;
  cx_handler call;
} cx_row;

/* What stands in the parentheses of a call, evaluated. */
typedef struct cx_arguments {
  cv *values;
  cx_cell *const *cells; /* where they are kept, for parameters by reference; NULL: nowhere */
  cx_node *const *nodes; /* how they are written; NULL: not known */
  const pm_loc *locs;
  unsigned n;
  bool ok;
} cx_arguments;
extern const cx_arguments cx_no_arguments;

/* What `T name(args)` and `T(args)` make. */
typedef struct cx_making {
  cx_interp *in;
  pm_loc loc;
  const cx_node *type;
  cv *args;
  const pm_loc *locs;
  unsigned n_args;
  const cx_arguments *all; /* the same, and where they are kept */
  bool is_braced;
  pm_string hint; /* the name of the variable, or NULL */
} cx_making;

/* A kind of values of the library. */
typedef struct cx_class {
  const char *what;                 /* "a Picture": for messages */
  const char *type;                 /* "Picture": what an argument of a template is found to be; or NULL */
  bool is_list;                     /* its values are lists of items, as those of vectors are */
  bool is_address;                  /* a condition that holds: an address is not null */
  const char *(*describe)(cv self); /* in place of `what` */
  cx_handler call;                  /* self(args) */
  cv (*index)(cx_interp *in, pm_loc loc, cv self, cv index);
  /* self.name, which is no call */
  bool (*member)(cx_interp *in, pm_loc loc, cv self, pm_string name, cv *out);
  /* The value of what a call has made, where nothing is assigned to it. */
  cv (*load)(cx_interp *in, cv self);
  /* left op= right, where a call or an index has made what stands on the left */
  void (*assign)(cx_interp *in, pm_loc loc, cv left, cx_op op, cv right);
  /* It is the element that an index leads to: read it is loaded. */
  bool is_element;
  /* A variable that has a value of this kind is assigned to: false where its value is to be what *value then
   * is, else *result is the value of the assignment. */
  bool (*store)(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv *value, cv *result);
} cx_class;

struct cx_library {
  const cx_library *base; /* what it stands on, as cx_std (std/std.h); or NULL */

  /* --- names --- */
  const char *const *namespaces; /* that names are written without; NULL-terminated */
  const cx_row *functions;       /* up to a row without a name */
  /* A function that is not in the rows. */
  cx_handler (*other_function)(const cx_interp *in, pm_string name);
  /* The function to call where all arguments are numbers, whatever else has the name. */
  cx_handler (*number_function)(pm_string name);
  /* A NAME that is no function, as an enumerator is; with arguments of a template. */
  bool (*find_name)(cx_interp *in, const cx_node *name, cv *out);
  /* A macro that declares something: NAME(…). */
  void (*run_macro)(cx_interp *in, const cx_node *macro);
  /* `#pragma text`, while the file is read: before anything of it runs. */
  void (*run_pragma)(cx_interp *in, pm_loc loc, pm_str text);
  /* The header brings what the library brings. */
  bool (*is_header)(const char *name);
  /* The option for programs of another language, whose header it is; NULL: it is none, or not known. */
  const char *(*option_of_header)(const char *name);
  /* The files to read where the header is not found, the first that is there; NULL behind the last. The
   * caller frees it. */
  char *(*header_in_place)(const char *name, unsigned number);

  /* --- types; `type` is a TYPE with a name, through aliases --- */
  bool (*is_type)(pm_string name);
  /* The type that another name of one stands for, as `conditional<b, T, U>::type` does: closed. */
  const cx_node *(*meant)(cx_interp *in, const cx_node *type);
  /* A class of the program that derives from it is one that the library makes the objects of, and runs. One
   * that derives from another type of the library has a value of that type in its objects. */
  bool (*is_base)(pm_string name);
  bool (*convert)(cx_interp *in, pm_loc loc, const cx_node *type, cv v, cv *out);
  bool (*construct)(const cx_making *making, cv *out);
  /* How well the value suits a parameter: 0, not at all; 2, it is of the type. */
  bool (*suits)(const cx_node *type, cv v, unsigned *how);
  /* A variable of the type may be declared here; false after a diagnostic. */
  bool (*may_declare)(cx_interp *in, const cx_node *type, const cx_node *declarator);

  /* --- values --- */
  const cx_class *classes; /* by the kind, from CV_LIBRARY on */
  /* Members that are called, of a kind of values, C++'s own too: up to a row without a name; NULL: none. What
   * is a list has those of lists besides. */
  const cx_row *(*methods)(unsigned kind);
  /* A member that is not in the rows. */
  cx_handler (*other_method)(const cx_call *call);
  /* Where no name of the rows is near: another one, or NULL. */
  const char *(*nearest_method)(unsigned kind, pm_string name);
  /* A member of what is no object and not of the library, a place. */
  cx_cell *(*member_cell)(cv self, pm_string name);
  bool (*unary)(cx_interp *in, pm_loc loc, cx_op op, cv a, cv *out);
  /* One of the operands at least is of the library, where this has values of its own. */
  bool (*binary)(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, cv *out);
  /* The integer that a value of the library is known to be. */
  bool (*constant)(cv v, cv *number);
  /* --- values that differ from point to point, and conditions of them; all NULL: there are none --- */
  bool (*is_unknown)(cv v);
  /* As a number of the type. */
  bool (*to_scalar)(cx_interp *in, pm_loc loc, pm_scalar type, cv v, cv *out);
  /* a where the condition holds, else b; one of them or the condition is of the library. */
  cv (*select)(cx_interp *in, pm_loc loc, cv condition, cv a, cv b);

  /* The loop, or the function where it is called with these arguments, computes nothing that matters: it does
   * not run. What it would have changed is then not known. */
  bool (*passes_over)(cx_interp *in, const cx_node *loop_or_function, const cx_arguments *args, cv *result);
  /* A loop whose condition is not known, ahead of a round; false: it is an error. */
  bool (*run_loop)(cx_interp *in, const cx_node *loop);
  /* `new T[n]`, which stands for n values by itself. */
  bool (*new_array)(cx_interp *in, pm_loc loc, const cx_node *type, cv n, cv *out);
  /* One more item of a list, of what its `own` says. */
  cv (*new_item)(cx_interp *in, const cx_list *list);
  /* What is called in `callee(…) = value` would be defined, had the call not failed. */
  void (*mark_failed)(cv callee);

  /* --- words of messages --- */
  const char *callables;  /* what may be called: "a function or a Picture" */
  const char *condition;  /* what stands behind a condition that is not known: "; …" */
  const char *assignment; /* behind a call that is assigned to: ", …" */
};

/* The class of a value of the library; NULL: it is C++'s own. */
const cx_class *cx_class_of(const cx_interp *in, cv v);
/* The integer that a value of the library is known to be; false: it is none. */
bool cx_constant(const cx_interp *in, cv v, cv *number);
/* Its values have items, `list`. */
bool cx_is_sequence(const cx_interp *in, cv v);
/* A function by its name; `found` says whether there is one. */
cv cx_call_library(const cx_call *call, bool *found);
bool cx_has_function(const cx_call *call);
cv cx_call_method(const cx_call *call, bool *found);
bool cx_has_method(const cx_call *call);
/* The function is one of C++'s library that takes objects as they are, as templates do: of no numbers. */
bool cx_takes_objects(const cx_call *call);
/* The type is one of a library whose values are of its own kinds. */
bool cx_is_own_type(const cx_interp *in, const cx_node *type);
/* A nearest name among those of the library, or NULL. */
const char *cx_nearest_function(const cx_interp *in, pm_string name);
const char *cx_nearest_method(const cx_interp *in, cv self, pm_string name);
/* Reports and gives false where the call has another number of arguments. */
enum { CX_MANY = 100 };
bool cx_takes(const cx_call *call, unsigned least, unsigned most);
/* There are arguments, and all are numbers. */
bool cx_all_numbers(const cx_call *call);

#endif
