/* Values of C++, and its operators on them. */
#ifndef PM_FRONTENDS_CXX_VALUES_H
#define PM_FRONTENDS_CXX_VALUES_H

#include "frontends/cxx/cxx.h"

/* --- scalar types --- */
bool cx_is_float(pm_scalar type);
bool cx_is_unsigned(pm_scalar type);
unsigned cx_bits(pm_scalar type);
/* The integer type of that size. */
pm_scalar cx_integer(unsigned bits, bool is_signed);

/* --- values --- */
cv cv_int(pm_scalar type, int64_t i); /* wraps */
cv cv_bool(bool b);
cv cv_float(pm_scalar type, double f);
/* 1, which stands for the type. */
cv cv_one(pm_scalar type);
cv cv_text(pm_context *ctx, const char *text, size_t len);
/* "an integer", "a list": for messages. */
const char *cv_describe(const cx_interp *in, cv v);
double cv_as_double(cv number);
/* As one of the type of floats, rounded once. */
double cv_rounded(pm_scalar type, cv number);
/* The number without its fraction; false where it does not fit 64 bits. */
bool cv_as_int(cv number, int64_t *out);
/* Lists and structs are values: what is assigned is a copy. */
cv cx_copy(cx_interp *in, cv v);

/* --- lists and maps --- */
/* The characters of a string, which are constant. */
cv cx_characters(cx_interp *in, cv text);
cv cx_new_list(cx_interp *in, unsigned kind);
void cx_append(cx_interp *in, cv list, cv value);
/* The item of that number, NULL after a diagnostic. */
cx_cell *cx_list_cell(cx_interp *in, pm_loc loc, cv list, cv index);
/* The value of the key; NULL: there is none. */
cx_cell *cx_map_find(cx_interp *in, pm_loc loc, cv map, cv key);

/* --- what a value is taken for; false after a diagnostic --- */
bool cx_to_int(cx_interp *in, pm_loc loc, cv v, int64_t *out, const char *what);
bool cx_to_bool(cx_interp *in, pm_loc loc, cv v, bool *out);

/* --- operators --- */
/* The type in which C++ computes with both numbers [expr.arith.conv]. */
pm_scalar cx_usual_type(cv a, cv b);
cv cx_unary(cx_interp *in, pm_loc loc, cx_op op, cv a);
cv cx_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b);

#endif
