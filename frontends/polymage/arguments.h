/* The arguments of the language's functions. Private to this frontend's tables of functions. */
#ifndef PM_FRONTENDS_POLYMAGE_ARGUMENTS_H
#define PM_FRONTENDS_POLYMAGE_ARGUMENTS_H

#include "dialects/arith/call.h"
#include "frontends/polymage/interp.h"

enum { DSL_MAX_DIMS = PM_MAX_RANK };

/* What a constructor was given; each at most once, found by its kind. */
typedef struct dsl_given {
  const py_arg *type, *types, *name, *boundary, *estimate, *seqs[2], *values[3];
  unsigned n_seqs, n_values;
} dsl_given;

/* Sorts the arguments into kinds; `boundary` and `estimate` by their keywords. `keywords` ends with NULL;
 * `expected` says in words what the constructor takes. False after a diagnostic. */
bool dsl_sort_arguments(py_interp *py, const py_call *call, dsl_given *out, unsigned max_seqs,
                        unsigned max_values, const char *const *keywords, const char *expected);
extern const char *const dsl_no_keywords[];
bool dsl_is_keyword(const py_arg *arg, const char *const *accepted);
/* "argument 3 of Interval is the string 'x'" */
const char *dsl_argument(const py_interp *py, const py_call *call, const py_arg *arg);
/* ", Float is a type" of Python's float, which is none; else empty. */
const char *dsl_meant_type(const py_interp *py, py_value v);
/* ", the string 'f' is its name", or nothing. */
const char *dsl_its_name(const py_interp *py, const dsl_given *g);
/* Exactly `n` arguments without names. NULL for `expected` is that of a function of one expression. */
bool dsl_check_positional(py_interp *py, const py_call *call, unsigned n, const char *expected);
/* The name that the program gives; NULL is none. */
void dsl_set_name(py_interp *py, dsl_symbol *symbol, const py_arg *name);

/* The scalar type has the number, rounded when it is a float. */
bool dsl_holds(pm_scalar type, py_value number);

/* The value as an expression, `what` being its role in messages; NULL after a diagnostic. */
dsl_expr *dsl_to_expr(py_interp *py, pm_loc loc, py_value v, const char *what);
/* The same, or a tuple of them. */
dsl_expr *dsl_to_value(py_interp *py, pm_loc loc, py_value v, const char *what);
dsl_expr *dsl_to_cond(py_interp *py, pm_loc loc, py_value v);
py_value dsl_expr_value(dsl_expr *e);
py_value dsl_symbol_value(dsl_symbol *s);
/* Takes the case over; a copy. */
py_value dsl_case_value(py_interp *py, const dsl_case *branch);

/* What the parameter usually is, for cost models; a value that is not known is left out with a remark. False
 * after a diagnostic. */
bool dsl_set_estimate(py_interp *py, pm_loc loc, dsl_symbol *parameter, py_value value);
/* False after a diagnostic; without a boundary nothing happens. */
bool dsl_set_given_boundary(py_interp *py, dsl_symbol *symbol, const dsl_given *g);

/* --- tuple.c --- */
/* (Float, Int) */
bool dsl_is_tuple_of_types(py_value v);
void dsl_set_types(py_interp *py, dsl_symbol *stage, py_value types);
/* The value has as many elements as the stage; false after a diagnostic. */
bool dsl_check_elements(py_interp *py, const dsl_symbol *stage, const dsl_expr *value);

/* Table(type, values), in table.c */
py_value dsl_call_table(py_interp *py, const py_call *call);
/* The functions that make a pipeline's objects, up to a row without a name. */
extern const py_builtin dsl_object_functions[];

#endif
