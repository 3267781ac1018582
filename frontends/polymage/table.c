/* Table: constants in lists as a stage. The box of all points is halved until a part has few of them, which
 * is a case; the value at a point of it is chosen by comparisons. */
#include "frontends/polymage/arguments.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { TABLE_MAX_VALUES = 1024, TABLE_CASE_VALUES = 32 };

typedef struct table {
  py_interp *py;
  pm_loc loc;
  dsl_symbol *stage;
  unsigned rank;
  size_t extents[DSL_MAX_DIMS];
  py_value *values; /* row-major */
  size_t n;
} table;

typedef struct box {
  size_t begin[DSL_MAX_DIMS], end[DSL_MAX_DIMS];
} box;

/* --- values --- */

static bool holds_int(const pm_scalar_info *type, int64_t i) {
  if (!type->is_signed) return i >= 0 && (type->bits == 64 || i < INT64_C(1) << type->bits);
  return type->bits == 64 || (i >= -(INT64_C(1) << (type->bits - 1)) && i < INT64_C(1) << (type->bits - 1));
}

static bool check_value(const table *t, py_value v) {
  const pm_scalar_info *type = pm_get_scalar_info(t->stage->type);
  const char *name = dsl_type_name(t->stage->type);
  bool is_float = t->stage->type == PM_F32 || t->stage->type == PM_F64;
  if (py_is_poison(v)) return false;
  if (!py_is_number(v) || (!is_float && !py_is_int(v)))
    return py_fail(t->py, t->loc, "a table of %s has %s, it should have %s", name, py_describe(v),
                   is_float ? "numbers" : "integers"),
           false;
  if (!is_float && !holds_int(type, py_as_int(v)))
    return py_fail(t->py, t->loc, "a table of %s has %lld, which is out of its range", name,
                   (long long)py_as_int(v)),
           false;
  if (t->stage->type == PM_F32 && isfinite(py_as_float(v)) && fabs(py_as_float(v)) > FLT_MAX)
    return py_fail(t->py, t->loc, "a table of Float has %g, which is out of its range", py_as_float(v)),
           false;
  return true;
}

/* The extents of nested lists, from the first item of each. */
static bool measure(table *t, py_value list) {
  size_t total = 1;
  for (; py_is_seq(list); list = list.seq->items[0]) {
    if (t->rank == DSL_MAX_DIMS || list.seq->len == 0)
      return py_fail(t->py, t->loc,
                     "a table is empty or nested too deep, it should be a list of numbers, or of lists"),
             false;
    total *= list.seq->len;
    if (total > TABLE_MAX_VALUES)
      return py_fail(t->py, t->loc, "a table has more than %d values, an Image should give them",
                     (int)TABLE_MAX_VALUES),
             false;
    t->extents[t->rank++] = list.seq->len;
  }
  t->values = pm_arena_alloc(t->py->arena, total * sizeof(*t->values));
  return true;
}

static bool flatten(table *t, py_value list, unsigned depth) {
  if (depth == t->rank) {
    t->values[t->n++] = list;
    return check_value(t, list);
  }
  if (py_is_poison(list)) return false;
  if (!py_is_seq(list) || list.seq->len != t->extents[depth])
    return py_fail(t->py, t->loc, "the rows of a table differ in length, they should be equally long"), false;
  for (size_t i = 0; i < list.seq->len; i++)
    if (!flatten(t, list.seq->items[i], depth + 1)) return false;
  return true;
}

/* --- the stage --- */

static size_t size_of(const table *t, const box *b) {
  size_t n = 1;
  for (unsigned d = 0; d < t->rank; d++) n *= b->end[d] - b->begin[d];
  return n;
}

static unsigned longest(const table *t, const box *b) {
  unsigned at = 0;
  for (unsigned d = 1; d < t->rank; d++)
    if (b->end[d] - b->begin[d] > b->end[at] - b->begin[at]) at = d;
  return at;
}

/* The longest dimension is cut in the middle; the result is where. */
static unsigned halve(const table *t, const box *b, box *low, box *high) {
  unsigned d = longest(t, b);
  *low = *high = *b;
  low->end[d] = high->begin[d] = b->begin[d] + (b->end[d] - b->begin[d]) / 2;
  return d;
}

static dsl_expr *compare(const table *t, dsl_op op, unsigned d, size_t with) {
  dsl_program *dsl = t->py->dsl;
  dsl_expr *args[2] = {dsl_new_use(dsl, t->loc, t->stage->domain.variables[d]),
                       dsl_new_int(dsl, t->loc, (int64_t)with)};
  return dsl_new(dsl, op, t->loc, args, 2);
}

static dsl_expr *number(const table *t, py_value v) {
  bool is_float = t->stage->type == PM_F32 || t->stage->type == PM_F64;
  return is_float ? dsl_new_real(t->py->dsl, t->loc, py_as_float(v))
                  : dsl_new_int(t->py->dsl, t->loc, py_as_int(v));
}

static py_value first_of(const table *t, const box *b) {
  size_t at = 0;
  for (unsigned d = 0; d < t->rank; d++) at = at * t->extents[d] + b->begin[d];
  return t->values[at];
}

static bool is_number_node(const dsl_expr *e) {
  return e->op == DSL_INT || e->op == DSL_REAL;
}

/* By their bits: zeros of both signs differ. */
static bool is_same_number(const dsl_expr *a, const dsl_expr *b) {
  return is_number_node(a) && a->op == b->op && a->i == b->i;
}

static dsl_expr *value_in(const table *t, const box *b) {
  box low, high;
  if (size_of(t, b) == 1) return number(t, first_of(t, b));
  unsigned d = halve(t, b, &low, &high);
  dsl_expr *args[3] = {NULL, value_in(t, &low), value_in(t, &high)};
  if (is_same_number(args[1], args[2])) return args[1];
  args[0] = compare(t, DSL_LT, d, high.begin[d]);
  return dsl_new(t->py->dsl, DSL_SELECT, t->loc, args, 3);
}

static dsl_expr *both(const table *t, dsl_expr *a, dsl_expr *b) {
  dsl_expr *args[2] = {a, b};
  return a ? dsl_new(t->py->dsl, DSL_AND, t->loc, args, 2) : b;
}

/* NULL for the whole table. */
static dsl_expr *inside(const table *t, const box *b) {
  dsl_expr *condition = NULL;
  for (unsigned d = 0; d < t->rank; d++) {
    if (b->begin[d] > 0) condition = both(t, condition, compare(t, DSL_GE, d, b->begin[d]));
    if (b->end[d] < t->extents[d]) condition = both(t, condition, compare(t, DSL_LT, d, b->end[d]));
  }
  return condition;
}

static void add_cases(table *t, const box *b) {
  box low, high;
  if (size_of(t, b) > TABLE_CASE_VALUES) {
    halve(t, b, &low, &high);
    add_cases(t, &low);
    add_cases(t, &high);
    return;
  }
  dsl_case branch = {.loc = t->loc, .condition = inside(t, b), .value = value_in(t, b)};
  PM_VEC_PUSH(t->stage->cases, dsl_case_value(t->py, &branch).branch);
}

static void set_domain(table *t) {
  static const char *const names[DSL_MAX_DIMS] = {"i", "j", "k", "l", "m", "n", "o", "p"};
  dsl_domain *domain = &t->stage->domain;
  dsl_program *dsl = t->py->dsl;
  domain->n_dims = t->stage->n_dims = t->rank;
  t->stage->has_domain = true;
  domain->variables = pm_arena_alloc(t->py->arena, t->rank * sizeof(*domain->variables));
  domain->intervals = pm_arena_alloc(t->py->arena, t->rank * sizeof(*domain->intervals));
  for (unsigned d = 0; d < t->rank; d++) {
    dsl_interval points = {.loc = t->loc, .step = 1, .lower = dsl_new_int(dsl, t->loc, 0)};
    points.upper = dsl_new_int(dsl, t->loc, (int64_t)t->extents[d] - 1);
    domain->intervals[d] = pm_arena_memdup(t->py->arena, &points, sizeof(points));
    domain->variables[d] = dsl_new_symbol(dsl, DSL_VARIABLE, t->loc);
    domain->variables[d]->given = pm_get_cstring(t->py->ctx, names[d]);
  }
}

py_value dsl_call_table(py_interp *py, const py_call *call) {
  dsl_given g;
  static const char expected[] = "Table(type, \"name\", [values])";
  static const char *const keywords[] = {"typ", "name", "values", "boundary", NULL};
  if (!dsl_sort_arguments(py, call, &g, 1, 0, keywords, expected)) return PY_POISON;
  if (!g.type || g.n_seqs == 0)
    return py_fail(py, call->loc, "a table has no %s, it should be %s", g.type ? "values" : "type", expected);
  table t = {.py = py, .loc = g.seqs[0]->loc, .stage = dsl_new_symbol(py->dsl, DSL_FUNCTION, call->loc)};
  t.stage->type = g.type->value.scalar;
  t.stage->is_table = true;
  dsl_set_name(py, t.stage, g.name);
  t.stage->broken = !dsl_set_given_boundary(py, t.stage, &g) || !measure(&t, g.seqs[0]->value) ||
                    !flatten(&t, g.seqs[0]->value, 0);
  if (t.stage->broken) return PY_POISON;
  set_domain(&t);
  box all = {{0}, {0}};
  for (unsigned d = 0; d < t.rank; d++) all.end[d] = t.extents[d];
  add_cases(&t, &all);
  return dsl_symbol_value(t.stage);
}
