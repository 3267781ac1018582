/* Table: numbers in lists as an array of constants. */
#include "frontends/polymage/arguments.h"

typedef struct table {
  py_interp *py;
  pm_loc loc;
  pm_scalar type;
  unsigned rank;
  int64_t extents[DSL_MAX_DIMS];
  py_value *values; /* row-major */
  size_t n;
} table;

/* --- the lists --- */

static bool is_list(py_value v) {
  return py_is_seq(v) || v.type == VAL_RANGE;
}

/* The extents of nested lists, from the first item of each. */
static bool measure(table *t, py_value list) {
  int64_t total = 1;
  for (; is_list(list); list = py_iterable_at(list, 0)) {
    size_t len = py_iterable_len(list);
    if (t->rank == DSL_MAX_DIMS || len == 0)
      return py_fail(t->py, t->loc,
                     "a table is empty or nested too deep, it should be a list of numbers, or of lists"),
             false;
    if (len > (size_t)(PM_MAX_DENSE / total))
      return py_fail(t->py, t->loc, "a table has more than %d values, an Image should give them",
                     (int)PM_MAX_DENSE),
             false;
    total *= (int64_t)len;
    t->extents[t->rank++] = (int64_t)len;
  }
  t->values = pm_arena_alloc(t->py->arena, (size_t)total * sizeof(*t->values));
  return true;
}

static bool flatten(table *t, py_value list, unsigned depth) {
  if (depth == t->rank) {
    t->values[t->n++] = list;
    return !py_is_poison(list);
  }
  if (py_is_poison(list)) return false;
  if (!is_list(list) || py_iterable_len(list) != (size_t)t->extents[depth])
    return py_fail(t->py, t->loc, "the rows of a table differ in length, they should be equally long"), false;
  for (int64_t i = 0; i < t->extents[depth]; i++)
    if (!flatten(t, py_iterable_at(list, (size_t)i), depth + 1)) return false;
  return true;
}

/* --- values --- */

static bool is_float(const table *t) {
  return pm_get_scalar_info(t->type)->is_float;
}

static bool check_value(const table *t, py_value v) {
  const char *name = dsl_type_name(t->type);
  if (py_is_poison(v)) return false;
  if (!py_is_number(v) || (!is_float(t) && !py_is_int(v)))
    return py_fail(t->py, t->loc, "a table of %s has %s, it should have %s", name, py_describe(t->py, v),
                   is_float(t) ? "numbers" : "integers"),
           false;
  if (!is_float(t) && !dsl_holds(t->type, v))
    return py_fail(t->py, t->loc,
                   "a table of %s has %lld, which is out of its range: another type should hold it", name,
                   (long long)py_as_int(v)),
           false;
  if (is_float(t) && !dsl_holds(t->type, v))
    return py_fail(t->py, t->loc, "a table of Float has %g, which is out of its range: Double should hold it",
                   py_as_float(v)),
           false;
  return true;
}

/* Without a type, the values are what they are alone: Int, or Float where one of them is no integer. */
static pm_scalar type_of_values(const table *t) {
  for (size_t i = 0; i < t->n; i++)
    if (t->values[i].type == VAL_FLOAT) return PM_F32;
  return PM_I32;
}

/* NULL after a diagnostic. */
static pm_attr make_values(const table *t) {
  pm_type elem = pm_get_scalar(t->py->ctx, t->type);
  pm_number *numbers = pm_arena_alloc(t->py->arena, t->n * sizeof *numbers);
  for (size_t i = 0; i < t->n; i++) {
    if (!check_value(t, t->values[i])) return NULL;
    numbers[i] =
        is_float(t) ? (pm_number){.f = py_as_float(t->values[i])} : (pm_number){.i = py_as_int(t->values[i])};
  }
  return pm_get_dense(pm_get_memref(elem, (uint16_t)t->rank, t->extents, PM_SPACE_NONE), numbers);
}

/* --- the object --- */

static dsl_symbol *make_table(const table *t, pm_loc loc, pm_attr values) {
  dsl_program *dsl = t->py->dsl;
  dsl_symbol *s = dsl_new_symbol(dsl, DSL_IMAGE, loc);
  s->type = t->type;
  s->n_dims = t->rank;
  s->has_domain = true;
  s->values = values;
  s->extents = pm_arena_alloc(t->py->arena, t->rank * sizeof(*s->extents));
  for (unsigned d = 0; d < t->rank; d++) s->extents[d] = dsl_new_int(dsl, loc, t->extents[d]);
  return s;
}

/* Lists in place of ranges. */
static py_call with_lists(py_interp *py, const py_call *call) {
  py_call copy = *call;
  py_arg *args = pm_arena_alloc(py->arena, (call->n_args + 1) * sizeof *args);
  for (unsigned i = 0; i < call->n_args; i++) {
    py_value v = call->args[i].value;
    args[i] = call->args[i];
    if (v.type != VAL_RANGE || py_iterable_len(v) > PM_MAX_DENSE) continue;
    args[i].value = py_new_seq(py->arena, VAL_LIST, py_iterable_len(v));
    for (size_t k = 0; k < py_iterable_len(v); k++)
      py_seq_push(py->arena, args[i].value.seq, py_iterable_at(v, k));
  }
  copy.args = args;
  return copy;
}

py_value dsl_call_table(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Table(type, \"name\", [values])";
  static const char *const keywords[] = {"typ", "name", "values", "boundary", NULL};
  py_call given = with_lists(py, call);
  if (!dsl_sort_arguments(py, &given, &g, 1, 0, keywords, expected)) return PY_POISON;
  if (g.n_seqs == 0) return py_fail(py, call->loc, "a table has no values, it should be %s", expected);
  table t = {.py = py, .loc = g.seqs[0]->loc};
  if (!measure(&t, g.seqs[0]->value) || !flatten(&t, g.seqs[0]->value, 0)) return PY_POISON;
  t.type = g.type ? g.type->value.scalar : type_of_values(&t);
  pm_attr values = make_values(&t);
  if (!values) return PY_POISON;
  dsl_symbol *s = make_table(&t, call->loc, values);
  dsl_set_name(py, s, g.name);
  return dsl_set_given_boundary(py, s, &g) ? dsl_symbol_value(s) : PY_POISON;
}
