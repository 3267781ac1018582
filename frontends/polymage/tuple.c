/* Stages of several values: what is written where, and the elements of a read. */
#include "frontends/polymage/arguments.h"

#include <stdlib.h>

/* --- types --- */

bool dsl_is_tuple_of_types(py_value v) {
  if (v.type != VAL_TUPLE || v.seq->len < 2 || v.seq->len > DSL_MAX_ELEMENTS) return false;
  for (size_t i = 0; i < v.seq->len; i++)
    if (v.seq->items[i].type != VAL_TYPE) return false;
  return true;
}

void dsl_set_types(py_interp *py, dsl_symbol *stage, py_value types) {
  pm_scalar *elems = pm_arena_alloc(py->arena, types.seq->len * sizeof(*elems));
  for (size_t i = 0; i < types.seq->len; i++) elems[i] = types.seq->items[i].scalar;
  stage->type = elems[0];
  stage->elems = elems;
  stage->n_elems = (unsigned)types.seq->len;
}

/* --- values --- */

dsl_expr *dsl_to_value(py_interp *py, pm_loc loc, py_value v, const char *what) {
  if (v.type != VAL_TUPLE) return dsl_to_expr(py, loc, v, what);
  dsl_expr **elems = pm_arena_alloc(py->arena, (v.seq->len + 1) * sizeof(*elems));
  for (size_t i = 0; i < v.seq->len; i++)
    if (!(elems[i] = dsl_to_expr(py, loc, v.seq->items[i], "an element"))) return NULL;
  return dsl_new(py->dsl, DSL_TUPLE, loc, elems, (unsigned)v.seq->len);
}

bool dsl_check_elements(py_interp *py, const dsl_symbol *stage, const dsl_expr *value) {
  unsigned has = value->op == DSL_TUPLE ? value->n_args : 1, wanted = stage->n_elems ? stage->n_elems : 1;
  if (has == wanted && (wanted > 1) == (value->op == DSL_TUPLE)) return true;
  if (wanted == 1)
    return py_fail(py, value->loc,
                   "a stage of one value is given a tuple, its type should be one too: (Float, Int)"),
           false;
  return py_fail(py, value->loc, "a stage of %u values is given %u, it should be (…, …) of %u", wanted, has,
                 wanted),
         false;
}

/* --- elements --- */

static const dsl_symbol *tuple_read(py_value v) {
  bool is_read = v.type == VAL_EXPR && v.expr->op == DSL_READ;
  return is_read && v.expr->symbol->n_elems ? v.expr->symbol : NULL;
}

bool dsl_is_tuple_read(py_value v) {
  return tuple_read(v) != NULL;
}

static py_value element(py_interp *py, pm_loc loc, py_value read, int64_t i) {
  dsl_expr *e = dsl_new(py->dsl, DSL_ELEMENT, loc, &read.expr, 1);
  e->i = i;
  return dsl_expr_value(e);
}

py_value dsl_element(py_interp *py, pm_loc loc, py_value read, py_value key) {
  long long n = (long long)tuple_read(read)->n_elems;
  if (!py_is_int(key) || py_as_int(key) < 0 || py_as_int(key) >= n)
    return py_fail(py, loc, "the element of a tuple is %s, it should be an integer of 0 to %lld",
                   py_describe(py, key), n - 1);
  return element(py, loc, read, py_as_int(key));
}

py_value dsl_elements(py_interp *py, pm_loc loc, py_value read) {
  unsigned n = tuple_read(read)->n_elems;
  py_value all = py_new_seq(py->arena, VAL_TUPLE, n);
  for (unsigned i = 0; i < n; i++) py_seq_push(py->arena, all.seq, element(py, loc, read, i));
  return all;
}
