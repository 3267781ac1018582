/* Simplex in dictionaries (Chvatal, Linear Programming, chapters 2 and 3): every row is a variable as a sum
 * over the columns, which are 0 at the vertex at hand. Bland's rule, so that it ends. */
#include "dialects/isl/budget.h"
#include "dialects/isl/linear_memo.h"

#include <isl/mat.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PIVOTS = 400, FREE = -1, GONE = -2 };
static const long MOST_READ = 1L << 48; /* sizes of 64 bits are at most 2^40, see check-bounds */

/* den * variable = row . (1, columns). Variables from 0 on are constraints, which are at least 0; FREE is a
 * dimension.
 */
typedef struct tableau {
  unsigned n_rows, n_columns; /* column 0 is that of the constant */
  int64_t *cells, *dens;
  int *row_is, *column_is; /* GONE: a row or column that does not matter, as that of an equality */
  unsigned pivots;
  bool failed; /* a number is too large */
} tableau;

struct linear_system {
  tableau t; /* the last row is for questions */
  unsigned n_read;
  int *place; /* of column k of the constraints: the row that it is; -1: it is that column still */
  bool empty;
};

static int64_t *row_at(const tableau *t, unsigned i) {
  return t->cells + (size_t)i * t->n_columns;
}

static int64_t times(tableau *t, int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || product == INT64_MIN) t->failed = true;
  return product;
}

static int64_t plus(tableau *t, int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum == INT64_MIN) t->failed = true;
  return sum;
}

static void reduce(tableau *t, unsigned i) {
  int64_t *row = row_at(t, i), common = t->dens[i];
  if (t->failed) return; /* a number that did not fit is 0 */
  for (unsigned k = 0; k < t->n_columns && common != 1; k++) common = pm_gcd(common, row[k]);
  if (common == 1) return;
  t->dens[i] /= common;
  for (unsigned k = 0; k < t->n_columns; k++) row[k] /= common;
}

/* Solves the row for the column. */
static void turn_row(tableau *t, unsigned r, unsigned column) {
  int64_t *row = row_at(t, r), p = row[column], sign = p > 0 ? -1 : 1;
  for (unsigned k = 0; k < t->n_columns; k++) row[k] *= sign;
  row[column] = -sign * t->dens[r];
  t->dens[r] = p > 0 ? p : -p;
  reduce(t, r);
}

/* Puts the row in place of the column in another row. */
static void substitute(tableau *t, unsigned i, unsigned r, unsigned column) {
  int64_t *to = row_at(t, i), *from = row_at(t, r), q = to[column], den = t->dens[r];
  if (!q) return;
  to[column] = 0;
  for (unsigned k = 0; k < t->n_columns; k++) {
    int64_t scaled = den == 1 ? to[k] : times(t, to[k], den);
    if (from[k]) scaled = plus(t, scaled, times(t, q, from[k]));
    to[k] = scaled;
  }
  if (den == 1) return;
  t->dens[i] = times(t, t->dens[i], den);
  reduce(t, i);
}

static void pivot(tableau *t, unsigned r, unsigned column) {
  turn_row(t, r, column);
  for (unsigned i = 0; i < t->n_rows && !t->failed; i++)
    if (i != r && t->row_is[i] != GONE) substitute(t, i, r, column);
  int row = t->row_is[r];
  t->row_is[r] = t->column_is[column];
  t->column_is[column] = row;
  if (++t->pivots > MOST_PIVOTS) t->failed = true;
}

/* --- a vertex --- */

/* A row of a constraint that has the column, of 1 or -1 when there is one; n_rows: none. */
static unsigned row_with(const tableau *t, unsigned column) {
  unsigned found = t->n_rows;
  for (unsigned i = 0; i < t->n_rows; i++) {
    int64_t v = t->row_is[i] >= 0 ? row_at(t, i)[column] : 0;
    if ((v == 1 || v == -1) && t->dens[i] == 1) return i;
    if (v && found == t->n_rows) found = i;
  }
  return found;
}

/* A dimension that the row has; 0: none. */
static unsigned free_column(const tableau *t, unsigned r) {
  unsigned found = 0;
  for (unsigned k = 1; k < t->n_columns; k++) {
    int64_t v = t->column_is[k] == FREE ? row_at(t, r)[k] : 0;
    if (v == 1 || v == -1) return k;
    if (v) found = k;
  }
  return found;
}

static void drop_column(tableau *t, unsigned column) {
  for (unsigned i = 0; i < t->n_rows; i++) row_at(t, i)[column] = 0;
  t->column_is[column] = GONE;
}

/* The row that should be at least 0 first by number, of those that are not; n_rows: none. */
static unsigned violated_row(const tableau *t) {
  unsigned found = t->n_rows;
  for (unsigned i = 0; i < t->n_rows; i++)
    if (t->row_is[i] >= 0 && row_at(t, i)[0] < 0 && (found == t->n_rows || t->row_is[i] < t->row_is[found]))
      found = i;
  return found;
}

/* The first column by number with a coefficient of that sign in the row; 0: none. */
static unsigned column_with_sign(const tableau *t, unsigned r, int sign) {
  unsigned found = 0;
  for (unsigned k = 1; k < t->n_columns; k++)
    if (t->column_is[k] >= 0 && row_at(t, r)[k] * sign > 0 &&
        (!found || t->column_is[k] < t->column_is[found]))
      found = k;
  return found;
}

/* False when the constraints exclude each other. */
static bool find_vertex(tableau *t) {
  while (!t->failed) {
    unsigned r = violated_row(t);
    if (r == t->n_rows) return true;
    unsigned column = column_with_sign(t, r, 1);
    if (!column) return false;
    pivot(t, r, column);
  }
  return true;
}

/* --- the least value of a row --- */

/* Row i lets the column grow less than row k does. */
static bool is_tighter(tableau *t, unsigned i, unsigned k, unsigned column) {
  int64_t left = times(t, row_at(t, i)[0], -row_at(t, k)[column]);
  int64_t right = times(t, row_at(t, k)[0], -row_at(t, i)[column]);
  return left < right || (left == right && t->row_is[i] < t->row_is[k]);
}

/* The constraint other than `except` that is 0 first when the column grows; n_rows: none. */
static unsigned limiting_row(tableau *t, unsigned column, unsigned except) {
  unsigned found = t->n_rows;
  for (unsigned i = 0; i < t->n_rows; i++) {
    if (i == except || t->row_is[i] < 0 || row_at(t, i)[column] >= 0) continue;
    if (found == t->n_rows || is_tighter(t, i, found, column)) found = i;
  }
  return found;
}

static bool has_free(const tableau *t, unsigned r) {
  for (unsigned k = 1; k < t->n_columns; k++)
    if (t->column_is[k] == FREE && row_at(t, r)[k]) return true;
  return false;
}

/* The row is above -1 wherever the others are at least 0. From a vertex. */
static bool stays_above(tableau *t, unsigned r) {
  if (has_free(t, r)) return false;
  while (!t->failed && row_at(t, r)[0] > -t->dens[r]) {
    unsigned column = column_with_sign(t, r, -1);
    if (!column) return true;
    unsigned limit = limiting_row(t, column, r);
    if (limit == t->n_rows || t->failed) return false;
    pivot(t, limit, column);
  }
  return false;
}

/* From a vertex to one where the row is least; false when there is none, or a number is too large. */
static bool go_to_least(tableau *t, unsigned r) {
  if (has_free(t, r)) return false;
  for (unsigned column; !t->failed && (column = column_with_sign(t, r, -1)) != 0;) {
    unsigned limit = limiting_row(t, column, r);
    if (limit == t->n_rows || t->failed) return false;
    pivot(t, limit, column);
  }
  return !t->failed;
}

/* --- systems --- */

static tableau new_tableau(unsigned n_rows, unsigned n_columns) {
  tableau t = {.n_rows = n_rows, .n_columns = n_columns};
  t.cells = pm_xcalloc((size_t)n_rows * n_columns + 1, sizeof *t.cells);
  t.dens = pm_xcalloc(n_rows + 1, sizeof *t.dens);
  t.row_is = pm_xcalloc(n_rows + 1, sizeof *t.row_is);
  t.column_is = pm_xcalloc(n_columns + 1, sizeof *t.column_is);
  return t;
}

static void free_tableau(tableau *t) {
  free(t->cells);
  free(t->dens);
  free(t->row_is);
  free(t->column_is);
}

static tableau copy_tableau(const tableau *t) {
  tableau copy = new_tableau(t->n_rows, t->n_columns);
  memcpy(copy.cells, t->cells, (size_t)t->n_rows * t->n_columns * sizeof *t->cells);
  memcpy(copy.dens, t->dens, t->n_rows * sizeof *t->dens);
  memcpy(copy.row_is, t->row_is, t->n_rows * sizeof *t->row_is);
  memcpy(copy.column_is, t->column_is, t->n_columns * sizeof *t->column_is);
  copy.failed = t->failed;
  return copy;
}

bool linear_read_cell(isl_mat *matrix, int row, int column, int64_t *out) {
  isl_val *v = isl_mat_get_element_val(matrix, row, column);
  bool zero = isl_val_is_zero(v) == isl_bool_true;
  bool small = zero || (isl_val_cmp_si(v, MOST_READ) < 0 && isl_val_cmp_si(v, -MOST_READ) > 0);
  *out = small && !zero ? isl_val_get_num_si(v) : 0;
  isl_val_free(v);
  return small;
}

/* Takes the matrix, whose rows are at least 0, after those that were read. */
static void read_matrix(linear_system *s, __isl_take isl_mat *matrix) {
  tableau *t = &s->t;
  for (int i = 0; i < (int)isl_mat_rows(matrix); i++) {
    unsigned r = s->n_read++;
    t->dens[r] = 1;
    t->row_is[r] = (int)r;
    for (unsigned k = 0; k < t->n_columns; k++)
      if (!linear_read_cell(matrix, i, (int)k, &row_at(t, r)[k])) t->failed = true;
  }
  isl_mat_free(matrix);
}

__isl_give isl_mat *linear_equalities(isl_basic_set *set) {
  return isl_basic_set_equalities_matrix(set, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div);
}

__isl_give isl_mat *linear_inequalities(isl_basic_set *set) {
  return isl_basic_set_inequalities_matrix(set, isl_dim_cst, isl_dim_param, isl_dim_set, isl_dim_div);
}

/* Row r of an equality: a dimension goes into its place. */
static void use_equality(linear_system *s, unsigned r) {
  tableau *t = &s->t;
  unsigned column = free_column(t, r);
  if (!column) {
    s->empty = s->empty || row_at(t, r)[0] != 0;
    t->row_is[r] = GONE;
    return;
  }
  s->place[column] = (int)r;
  pivot(t, r, column);
  drop_column(t, column);
}

/* Of a row that is at least 0, over integers: its constant is a multiple of what divides all else. */
static void tighten(tableau *t, unsigned r) {
  int64_t *row = row_at(t, r), common = 0;
  for (unsigned k = 1; k < t->n_columns; k++) common = pm_gcd(common, row[k]);
  if (common == 0) return;
  t->dens[r] = 1;
  row[0] = pm_floor_div(row[0], common);
  for (unsigned k = 1; k < t->n_columns; k++) row[k] /= common;
}

/* Dimensions become rows, so that only constraints are columns. */
static void use_inequalities(linear_system *s) {
  tableau *t = &s->t;
  for (unsigned r = 0; r < t->n_rows && !t->failed; r++)
    if (t->row_is[r] >= 0) tighten(t, r);
  for (unsigned k = 1; k < t->n_columns && !t->failed; k++) {
    unsigned r = t->column_is[k] == FREE ? row_with(t, k) : t->n_rows;
    if (r == t->n_rows) continue;
    s->place[k] = (int)r;
    pivot(t, r, k);
  }
  if (!s->empty && !t->failed) s->empty = !find_vertex(t);
  s->empty = s->empty && !t->failed;
}

static linear_system *new_system(unsigned n_rows, unsigned n_columns) {
  linear_system *s = pm_xcalloc(1, sizeof *s);
  s->t = new_tableau(n_rows + 1, n_columns);
  s->t.row_is[n_rows] = GONE;
  s->t.column_is[0] = GONE;
  s->place = pm_xcalloc(n_columns + 1, sizeof *s->place);
  for (unsigned k = 1; k < n_columns; k++) {
    s->t.column_is[k] = FREE;
    s->place[k] = -1;
  }
  return s;
}

/* The system of the matrices, some of which may be NULL: equalities first. Takes them. */
static linear_system *system_of_rows(isl_mat *parts[4]) {
  unsigned n_rows = 0, n_equalities = 0;
  for (unsigned i = 0; i < 4; i++) {
    n_rows += parts[i] ? (unsigned)isl_mat_rows(parts[i]) : 0;
    if (i < 2) n_equalities = n_rows;
  }
  linear_system *s = new_system(n_rows, (unsigned)isl_mat_cols(parts[0]));
  for (unsigned i = 0; i < 4; i++)
    if (parts[i]) read_matrix(s, parts[i]);
  for (unsigned r = 0; r < n_equalities && !s->t.failed; r++) use_equality(s, r);
  if (!s->t.failed) use_inequalities(s);
  if (!s->t.failed) return s;
  linear_system_free(s);
  return NULL;
}

/* The system of both sets, of one space, and without divisions. Its constraints are numbered: equalities,
 * then the inequalities of `set`, then those of `also`. */
static linear_system *system_of(isl_basic_set *set, isl_basic_set *also) {
  isl_mat *parts[4] = {linear_equalities(set), linear_equalities(also), linear_inequalities(set),
                       linear_inequalities(also)};
  if (parts[0] && parts[1] && parts[2] && parts[3]) return system_of_rows(parts);
  for (unsigned i = 0; i < PM_COUNT(parts); i++) isl_mat_free(parts[i]);
  return NULL; /* isl's operations are spent */
}

static linear_system *copy_system(const linear_system *s) {
  linear_system *copy = pm_xcalloc(1, sizeof *copy);
  *copy = (linear_system){copy_tableau(&s->t), s->n_read, NULL, s->empty};
  copy->place = pm_xcalloc(s->t.n_columns + 1, sizeof *copy->place);
  memcpy(copy->place, s->place, s->t.n_columns * sizeof *copy->place);
  return copy;
}

linear_system *linear_system_new(isl_basic_set *set) {
  isl_mat *rows[4] = {linear_equalities(set), NULL, linear_inequalities(set), NULL};
  linear_memo *memo = linear_memo_of(isl_basic_set_get_ctx(set));
  const linear_system *known = memo && rows[0] && rows[2] ? linear_memo_find(memo, rows[0], rows[2]) : NULL;
  if (known || !rows[0] || !rows[2]) {
    isl_mat_free(rows[0]);
    isl_mat_free(rows[2]);
    return known ? copy_system(known) : NULL; /* isl's operations may be spent */
  }
  isl_mat *equalities = isl_mat_copy(rows[0]), *inequalities = isl_mat_copy(rows[2]);
  linear_system *s = system_of_rows(rows);
  if (s && memo) {
    linear_memo_add(memo, equalities, inequalities, copy_system(s));
  } else {
    isl_mat_free(equalities);
    isl_mat_free(inequalities);
  }
  return s;
}

void linear_system_free(linear_system *s) {
  if (!s) return;
  free_tableau(&s->t);
  free(s->place);
  free(s);
}

unsigned linear_n_columns(const linear_system *s) {
  return s->t.n_columns;
}

bool linear_is_empty(const linear_system *s) {
  return s->empty;
}

/* --- points --- */

/* Dimensions and divisions that are fractions where den * row = values[row]. */
static unsigned count_fractions(const linear_system *s, const int64_t *values) {
  unsigned n = 0;
  for (unsigned k = 1; k < s->t.n_columns; k++)
    n += s->place[k] >= 0 && values[s->place[k]] % s->t.dens[s->place[k]] != 0;
  return n;
}

/* Moves the values to where the column is greater by 1; false when a constraint does not hold there. */
static bool step_along(const tableau *t, unsigned column, int64_t *values) {
  bool holds = true;
  for (unsigned i = 0; i < t->n_rows; i++) {
    holds = holds && !__builtin_add_overflow(values[i], row_at(t, i)[column], &values[i]);
    holds = holds && (t->row_is[i] < 0 || values[i] >= 0);
  }
  return holds;
}

/* Steps along the column after which dimensions are fractions as before; `most` when these are more. */
static unsigned steps_along(const linear_system *s, unsigned column, int64_t most) {
  int64_t period = 1;
  for (unsigned k = 1; k < s->t.n_columns && period < most; k++) {
    int64_t den = s->place[k] >= 0 ? s->t.dens[s->place[k]] : 1;
    if (den != 1 && row_at(&s->t, (unsigned)s->place[k])[column])
      period = den < most ? period / pm_gcd(period, den) * den : most;
  }
  return (unsigned)(period < most ? period : most);
}

/* Goes some steps along the column when fewer dimensions are fractions there. The least number of fractions
 * is *least. */
static void go_along(const linear_system *s, unsigned column, unsigned most, int64_t *values,
                     unsigned *least) {
  const tableau *t = &s->t;
  unsigned n_steps = steps_along(s, column, most);
  int64_t *trial = pm_xmalloc(t->n_rows * sizeof *trial);
  memcpy(trial, values, t->n_rows * sizeof *trial);
  while (n_steps-- > 0 && *least > 0 && step_along(t, column, trial)) {
    unsigned n = count_fractions(s, trial);
    if (n >= *least) continue;
    memcpy(values, trial, t->n_rows * sizeof *values);
    *least = n;
  }
  free(trial);
}

/* For a value that is exact, and for one that is low. */
enum { MOST_STEPS = 8, MOST_STEPS_TO_LOW = 512 };

/* There are integers at the vertex, or at few steps from it: along columns that the last row does not have,
 * or along all when its value there may be another. Gives that value times its denominator. */
static bool has_point_near(const linear_system *s, bool other, int64_t *value) {
  const tableau *t = &s->t;
  unsigned last = t->n_rows - 1;
  int64_t *values = pm_xcalloc(t->n_rows + 1, sizeof *values);
  for (unsigned i = 0; i < t->n_rows; i++) values[i] = row_at(t, i)[0];
  unsigned n = count_fractions(s, values);
  for (unsigned k = 1; k < t->n_columns && n > 0; k++)
    if (t->column_is[k] >= 0 && (other || row_at(t, last)[k] == 0))
      go_along(s, k, other ? MOST_STEPS_TO_LOW : MOST_STEPS, values, &n);
  *value = values[last];
  free(values);
  return n == 0;
}

/* The last row has no columns. */
static void clear_question(linear_system *s) {
  tableau *t = &s->t;
  memset(row_at(t, t->n_rows - 1), 0, t->n_columns * sizeof *t->cells);
  t->row_is[t->n_rows - 1] = GONE;
}

bool linear_has_point(linear_system *s) {
  if (s->empty || s->t.failed) return false;
  int64_t none;
  clear_question(s);
  return has_point_near(s, false, &none);
}

/* The row over dimensions as one over the columns of the tableau, in its last row. */
static void put_question(linear_system *s, const int64_t *row) {
  tableau *t = &s->t;
  unsigned last = t->n_rows - 1;
  int64_t *to = row_at(t, last);
  memset(to, 0, t->n_columns * sizeof *to);
  t->dens[last] = 1;
  t->row_is[last] = FREE;
  to[0] = row[0];
  for (unsigned k = 1; k < t->n_columns; k++) {
    if (!row[k]) continue;
    int64_t den = s->place[k] < 0 ? 1 : t->dens[s->place[k]];
    if (den != 1)
      for (unsigned i = 0; i < t->n_columns; i++) to[i] = times(t, to[i], den);
    int64_t factor = times(t, row[k], t->dens[last]);
    t->dens[last] = times(t, t->dens[last], den);
    if (s->place[k] < 0) to[k] = plus(t, to[k], factor);
    if (s->place[k] < 0) continue;
    const int64_t *from = row_at(t, (unsigned)s->place[k]);
    for (unsigned i = 0; i < t->n_columns; i++)
      if (from[i]) to[i] = plus(t, to[i], times(t, factor, from[i]));
  }
  if (!t->failed) reduce(t, last);
}

bool linear_implies(linear_system *s, const int64_t *row) {
  tableau *t = &s->t;
  if (s->empty || t->failed) return s->empty && !t->failed;
  t->pivots = 0;
  put_question(s, row);
  bool implied = !t->failed && stays_above(t, t->n_rows - 1);
  t->row_is[t->n_rows - 1] = GONE;
  return implied && !t->failed;
}

/* All columns of the tableau are integers. */
bool linear_is_multiple(linear_system *s, const int64_t *row, int64_t of) {
  tableau *t = &s->t;
  unsigned last = t->n_rows - 1;
  if (s->empty || t->failed) return s->empty && !t->failed;
  put_question(s, row);
  bool multiple = !t->failed && t->dens[last] == 1;
  for (unsigned k = 0; multiple && k < t->n_columns; k++) multiple = row_at(t, last)[k] % of == 0;
  t->row_is[last] = GONE;
  return multiple;
}

bool linear_implies_row(linear_system *s, int64_t *row, bool equality) {
  bool ok = linear_implies(s, row);
  for (unsigned k = 0; ok && equality && k < linear_n_columns(s); k++) row[k] = -row[k];
  return ok && (!equality || linear_implies(s, row));
}

linear_answer linear_least(linear_system *s, const int64_t *row, int64_t *least) {
  tableau *t = &s->t;
  unsigned last = t->n_rows - 1;
  if (s->empty || t->failed) return LINEAR_UNKNOWN;
  t->pivots = 0;
  put_question(s, row);
  bool found = !t->failed && go_to_least(t, last);
  if (t->failed) return LINEAR_UNKNOWN;
  if (!found) clear_question(s);
  int64_t value;
  linear_answer answer = !has_point_near(s, false, &value) ? LINEAR_UNKNOWN
                         : found                           ? LINEAR_FOUND
                                                           : LINEAR_NONE;
  if (found) *least = value / t->dens[last];
  t->row_is[last] = GONE;
  return answer;
}

bool linear_low_value(linear_system *s, const int64_t *row, int64_t *low) {
  tableau *t = &s->t;
  unsigned last = t->n_rows - 1;
  if (s->empty || t->failed) return false;
  t->pivots = 0;
  put_question(s, row);
  int64_t value = 0;
  bool found = !t->failed && go_to_least(t, last) && !t->failed && has_point_near(s, true, &value);
  *low = value / t->dens[last];
  t->row_is[last] = GONE;
  return found;
}

/* --- constraints that others imply --- */

/* Row i of equalities, which may lack the last columns, is 0 where the system holds. */
static bool implies_equality(linear_system *s, isl_mat *matrix, int i) {
  int64_t *row = pm_xcalloc(linear_n_columns(s) + 1, sizeof *row);
  bool ok = true;
  for (unsigned k = 0; ok && k < (unsigned)isl_mat_cols(matrix); k++)
    ok = linear_read_cell(matrix, i, (int)k, &row[k]);
  ok = ok && linear_implies_row(s, row, true);
  free(row);
  return ok;
}

static int n_equalities(isl_basic_set *set) {
  isl_mat *equalities = linear_equalities(set);
  int n = (int)isl_mat_rows(equalities);
  isl_mat_free(equalities);
  return n;
}

static unsigned row_of_constraint(const tableau *t, int number) {
  unsigned r = 0;
  while (r < t->n_rows && t->row_is[r] != number) r++;
  return r;
}

static unsigned column_of_constraint(const tableau *t, int number) {
  unsigned k = 1;
  while (k < t->n_columns && t->column_is[k] != number) k++;
  return k;
}

/* The constraint that is 0 first when the column gets less than 0; n_rows: none. */
static unsigned limiting_row_below(tableau *t, unsigned column) {
  unsigned found = t->n_rows;
  for (unsigned i = 0; i < t->n_rows; i++) {
    if (t->row_is[i] < 0 || row_at(t, i)[column] <= 0) continue;
    if (found == t->n_rows || times(t, row_at(t, i)[0], row_at(t, found)[column]) <
                                  times(t, row_at(t, found)[0], row_at(t, i)[column]))
      found = i;
  }
  return found;
}

/* Leaves the constraint out when those that are left imply it; else the tableau is as it was. */
static bool leave_out(tableau *t, int number) {
  tableau trial = copy_tableau(t);
  unsigned r = row_of_constraint(t, number), column = column_of_constraint(t, number);
  if (r == t->n_rows && column < t->n_columns) {
    r = limiting_row_below(&trial, column);
    if (r < t->n_rows && !trial.failed) pivot(&trial, r, column);
  }
  bool implied = r < t->n_rows && !trial.failed && stays_above(&trial, r) && !trial.failed;
  if (implied) trial.row_is[r] = GONE;
  tableau unused = implied ? *t : trial;
  if (implied) *t = trial;
  free_tableau(&unused);
  return implied;
}

/* Leaves out the row that is there already, in the matrix from which it came. */
static __isl_give isl_mat *without_rows(__isl_take isl_mat *matrix, const bool *out) {
  for (int i = (int)isl_mat_rows(matrix); i-- > 0;)
    if (out[i]) matrix = isl_mat_drop_rows(matrix, (unsigned)i, 1);
  return matrix;
}

/* The equalities that `known` does not imply. */
static __isl_give isl_mat *without_known(__isl_take isl_mat *equalities, isl_basic_set *known) {
  int n = (int)isl_mat_rows(equalities);
  linear_system *s = n ? linear_system_new(known) : NULL;
  bool *out = pm_xcalloc((size_t)n + 1, sizeof *out);
  for (int i = 0; s && i < n; i++) out[i] = implies_equality(s, equalities, i);
  linear_system_free(s);
  equalities = without_rows(equalities, out);
  free(out);
  return equalities;
}

/* The set without the constraints that the others and `known` imply; NULL when a number is too large. */
static isl_basic_set *without_implied(isl_basic_set *set, isl_basic_set *known) {
  linear_system *s = system_of(set, known);
  if (!s) return NULL;
  isl_space *space = isl_basic_set_get_space(set);
  isl_mat *equalities = linear_equalities(set), *inequalities = linear_inequalities(set);
  int first = (int)isl_mat_rows(equalities) + n_equalities(known);
  int n = (int)isl_mat_rows(inequalities);
  bool *out = pm_xcalloc((size_t)n + 1, sizeof *out);
  for (int i = 0; i < n && !s->empty; i++) out[i] = leave_out(&s->t, first + i);
  bool empty = s->empty;
  linear_system_free(s);
  inequalities = without_rows(inequalities, out);
  equalities = without_known(equalities, known);
  free(out);
  if (!empty)
    return isl_basic_set_from_constraint_matrices(space, equalities, inequalities, isl_dim_cst, isl_dim_param,
                                                  isl_dim_set, isl_dim_div);
  isl_mat_free(equalities);
  isl_mat_free(inequalities);
  return isl_basic_set_empty(space);
}

static bool has_divisions(isl_basic_set *set) {
  return isl_basic_set_dim(set, isl_dim_div) > 0;
}

/* --- one order of constraints: isl's is another for sets that were computed than for those that were read
 * --- */

/* By the last column that they have, then column by column, the constant last. */
static int compare_rows(const int64_t *a, const int64_t *b, int n) {
  int k = n - 1;
  while (k > 0 && !a[k] && !b[k]) k--;
  if (k > 0 && !a[k] != !b[k]) return a[k] ? 1 : -1;
  for (k = 1; k < n; k++)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return (a[0] > b[0]) - (a[0] < b[0]);
}

/* Moves row i to its place among those before it; rows[] has their cells. */
static __isl_give isl_mat *insert_row(__isl_take isl_mat *matrix, int i, const int64_t **rows, int columns) {
  for (; i > 0 && compare_rows(rows[i - 1], rows[i], columns) > 0; i--) {
    const int64_t *row = rows[i];
    rows[i] = rows[i - 1];
    rows[i - 1] = row;
    matrix = isl_mat_swap_rows(matrix, (unsigned)i - 1, (unsigned)i);
  }
  return matrix;
}

/* The rows from first to last; as they are when a number is too large. */
static __isl_give isl_mat *sorted(__isl_take isl_mat *matrix) {
  int n = (int)isl_mat_rows(matrix), columns = (int)isl_mat_cols(matrix);
  int64_t *cells = pm_xcalloc((size_t)n * (size_t)columns + 1, sizeof *cells);
  const int64_t **rows = pm_xcalloc((size_t)n + 1, sizeof *rows);
  bool ok = true;
  for (int i = 0; ok && i < n; i++) {
    rows[i] = cells + (size_t)i * (size_t)columns;
    for (int k = 0; ok && k < columns; k++) ok = linear_read_cell(matrix, i, k, &cells[i * columns + k]);
  }
  for (int i = 1; ok && i < n; i++) matrix = insert_row(matrix, i, rows, columns);
  free(rows);
  free(cells);
  return matrix;
}

/* Takes the set, without divisions. */
static __isl_give isl_basic_set *in_order(__isl_take isl_basic_set *set) {
  isl_space *space = isl_basic_set_get_space(set);
  isl_mat *equalities = sorted(linear_equalities(set)), *inequalities = sorted(linear_inequalities(set));
  isl_basic_set_free(set);
  return isl_basic_set_from_constraint_matrices(space, equalities, inequalities, isl_dim_cst, isl_dim_param,
                                                isl_dim_set, isl_dim_div);
}

/* isl_basic_set_gist; the set as it is where isl does not answer. */
static __isl_give isl_basic_set *gist_by_isl(__isl_take isl_basic_set *set, isl_basic_set *known) {
  isl_ask(isl_basic_set_get_ctx(set));
  isl_basic_set *rest = isl_basic_set_gist(isl_basic_set_copy(set), isl_basic_set_copy(known));
  bool answered = isl_answered(isl_basic_set_get_ctx(set));
  isl_basic_set_free(answered ? set : rest);
  return answered ? rest : set;
}

__isl_give isl_basic_set *linear_gist(__isl_take isl_basic_set *set, isl_basic_set *known) {
  bool plain = linear_same_dims(set, known) && !has_divisions(set) && !has_divisions(known);
  if (plain) set = in_order(set);
  isl_basic_set *rest = plain ? without_implied(set, known) : NULL;
  if (!rest) return gist_by_isl(set, known);
  isl_basic_set_free(set);
  return rest;
}
