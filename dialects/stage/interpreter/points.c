/* A set is cut into disjoint basic sets. Of each, all dimensions but the last run over a box; a row's
 * constraints then give the interval of the last one, and those that need an integer division of it, such as
 * parity, are tested at each point of the interval. The basic sets are walked together, the one whose next
 * row is the lexicographically first before the others; where intervals of one row overlap they are merged
 * point by point. Short rows are gathered into chunks of points. */
#include "dialects/stage/interpreter/points.h"

#include "dialects/isl/take.h"

#include <isl/ilp.h>
#include <isl/mat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_ROW = 48 };

/* sum of coeffs[i] * dims[i], then of the divisions, + constant; n_dims + n_divs + 1 numbers. */
typedef struct linear_row {
  int64_t *coeffs;
  bool equality;   /* of constraints */
  int64_t divisor; /* of divisions: floor(row / divisor) */
  bool along_row;  /* depends on the last dimension through a division, or is a division that depends on it */
} linear_row;

typedef struct piece {
  unsigned n_dims, n_divs, set;
  int64_t lower[PM_MAX_RANK], upper[PM_MAX_RANK];
  PM_VEC(linear_row) divs, constraints;
  bool empty, failed;
  bool tests; /* some constraints are along the row */
  /* the walk */
  int64_t *values; /* of the point: dimensions and divisions */
  int64_t lo, hi;  /* the interval of the last dimension */
  bool finished;
} piece;

typedef struct enumeration {
  stage_points_fn see;
  void *user;
  stage_points scattered;
  pm_lane *coords[PM_MAX_RANK];
  unsigned n_dims;
  PM_VEC(piece) pieces;
  PM_VEC(piece *) current; /* those with points in the row at hand, by where they begin */
} enumeration;

/* --- from isl --- */

static int64_t take_int(isl_val *value, piece *p) {
  int64_t number = 0;
  if (!isl_take_int_below(value, (int64_t)1 << 62, &number)) p->failed = true;
  return number;
}

static linear_row new_row(const piece *p) {
  return (linear_row){.coeffs = pm_xcalloc(p->n_dims + p->n_divs + 1, sizeof(int64_t)), .divisor = 1};
}

static int64_t *constant_of(const piece *p, linear_row *row) {
  return &row->coeffs[p->n_dims + p->n_divs];
}

/* Some division that the row uses depends on the last dimension. */
static bool uses_division_along_row(const piece *p, const linear_row *row) {
  for (size_t i = 0; i < p->divs.len; i++)
    if (row->coeffs[p->n_dims + i] && p->divs.data[i].along_row) return true;
  return false;
}

static int64_t scaled(isl_val *value, const isl_val *by, piece *p) {
  return take_int(isl_val_mul(value, isl_val_copy((isl_val *)(uintptr_t)by)), p);
}

static void read_division(piece *p, isl_aff *div) {
  linear_row row = new_row(p);
  isl_val *denominator = isl_aff_get_denominator_val(div);
  for (unsigned i = 0; i < p->n_dims; i++)
    row.coeffs[i] = scaled(isl_aff_get_coefficient_val(div, isl_dim_in, (int)i), denominator, p);
  for (unsigned i = 0; i < p->divs.len; i++)
    row.coeffs[p->n_dims + i] = scaled(isl_aff_get_coefficient_val(div, isl_dim_div, (int)i), denominator, p);
  *constant_of(p, &row) = scaled(isl_aff_get_constant_val(div), denominator, p);
  row.divisor = take_int(denominator, p);
  row.along_row = (p->n_dims && row.coeffs[p->n_dims - 1]) || uses_division_along_row(p, &row);
  PM_VEC_PUSH(p->divs, row);
  isl_aff_free(div);
}

static void read_constraints(piece *p, isl_mat *rows, bool equality) {
  unsigned n = p->n_dims + p->n_divs + 1;
  for (isl_size r = 0; r < isl_mat_rows(rows); r++) {
    linear_row row = new_row(p);
    for (unsigned i = 0; i < n; i++)
      row.coeffs[i] = take_int(isl_mat_get_element_val(rows, (int)r, (int)i), p);
    row.equality = equality;
    row.along_row = uses_division_along_row(p, &row);
    PM_VEC_PUSH(p->constraints, row);
  }
  isl_mat_free(rows);
}

static void read_box(piece *p, isl_basic_set *basic) {
  isl_set *set = isl_set_from_basic_set(isl_basic_set_copy(basic));
  p->empty = isl_set_is_empty(set) == isl_bool_true;
  for (unsigned d = 0; d < p->n_dims && !p->empty; d++) {
    p->lower[d] = take_int(isl_set_dim_min_val(isl_set_copy(set), (int)d), p);
    p->upper[d] = take_int(isl_set_dim_max_val(isl_set_copy(set), (int)d), p);
  }
  isl_set_free(set);
}

/* The greatest size that the row can have inside the box; divisions are no larger than what they divide. */
static double bound_of(const piece *p, const linear_row *row, const double *most) {
  unsigned n = p->n_dims + p->n_divs;
  double sum = fabs((double)row->coeffs[n]);
  for (unsigned i = 0; i < n; i++) sum += fabs((double)row->coeffs[i]) * most[i];
  return sum;
}

/* Nothing that is computed for a point of the box leaves 62 bits. */
static bool fits_64_bits(const piece *p) {
  double *most = pm_xcalloc(p->n_dims + p->n_divs + 1, sizeof *most);
  bool fits = true;
  for (unsigned d = 0; d < p->n_dims; d++)
    most[d] = fmax(fabs((double)p->lower[d]), fabs((double)p->upper[d]));
  for (unsigned i = 0; i < p->n_divs; i++) {
    most[p->n_dims + i] = bound_of(p, &p->divs.data[i], most);
    fits = fits && most[p->n_dims + i] < 0x1p62;
  }
  for (size_t i = 0; i < p->constraints.len; i++)
    fits = fits && bound_of(p, &p->constraints.data[i], most) < 0x1p62;
  free(most);
  return fits;
}

static bool has_tests(const piece *p) {
  for (size_t i = 0; i < p->constraints.len; i++)
    if (p->constraints.data[i].along_row) return true;
  return false;
}

static void begin_walk(piece *p) {
  p->tests = has_tests(p);
  p->finished = p->empty;
  p->values = pm_xcalloc(p->n_dims + p->n_divs + 1, sizeof *p->values);
  if (p->n_dims) memcpy(p->values, p->lower, p->n_dims * sizeof *p->values);
}

static void read_piece(piece *p, isl_basic_set *basic) {
  p->n_dims = (unsigned)isl_basic_set_dim(basic, isl_dim_set);
  p->n_divs = (unsigned)isl_basic_set_dim(basic, isl_dim_div);
  read_box(p, basic);
  for (unsigned i = 0; i < p->n_divs; i++) read_division(p, isl_basic_set_get_div(basic, (int)i));
  read_constraints(
      p, isl_basic_set_equalities_matrix(basic, isl_dim_set, isl_dim_div, isl_dim_cst, isl_dim_param), true);
  read_constraints(
      p, isl_basic_set_inequalities_matrix(basic, isl_dim_set, isl_dim_div, isl_dim_cst, isl_dim_param),
      false);
  if (!p->failed && !p->empty) p->failed = !fits_64_bits(p);
  begin_walk(p);
}

static void free_piece(piece *p) {
  for (size_t i = 0; i < p->divs.len; i++) free(p->divs.data[i].coeffs);
  for (size_t i = 0; i < p->constraints.len; i++) free(p->constraints.data[i].coeffs);
  PM_VEC_FREE(p->divs);
  PM_VEC_FREE(p->constraints);
  free(p->values);
}

/* --- points --- */

static int64_t value_of(const piece *p, const linear_row *row) {
  unsigned n = p->n_dims + p->n_divs;
  int64_t sum = row->coeffs[n];
  for (unsigned i = 0; i < n; i++) sum += row->coeffs[i] * p->values[i];
  return sum;
}

/* Sets the divisions that do or do not depend on the last dimension. */
static void compute_divisions(piece *p, bool along_row) {
  for (unsigned i = 0; i < p->n_divs; i++) {
    const linear_row *div = &p->divs.data[i];
    if (div->along_row == along_row) p->values[p->n_dims + i] = pm_floor_div(value_of(p, div), div->divisor);
  }
}

/* Cuts [*lo, *hi] by a constraint c * x + rest >= 0 or == 0, where `rest` is its value at x = 0. */
static void cut(int64_t c, int64_t rest, bool equality, int64_t *lo, int64_t *hi) {
  if (c == 0) {
    if (equality ? rest != 0 : rest < 0) *hi = *lo - 1;
    return;
  }
  int64_t from = c > 0 ? -pm_floor_div(rest, c) : pm_floor_div(rest, -c);
  bool is_lower = c > 0;
  if ((is_lower || equality) && from > *lo) *lo = from;
  if ((!is_lower || equality) && from < *hi) *hi = from;
  if (equality && rest % c != 0) *hi = *lo - 1;
}

/* The interval of the last dimension for the prefix in the values, by the constraints that give one. */
static void find_interval(piece *p) {
  unsigned last = p->n_dims - 1;
  p->lo = p->lower[last];
  p->hi = p->upper[last];
  p->values[last] = 0;
  compute_divisions(p, false);
  for (size_t i = 0; i < p->constraints.len && p->lo <= p->hi; i++) {
    const linear_row *row = &p->constraints.data[i];
    if (!row->along_row) cut(row->coeffs[last], value_of(p, row), row->equality, &p->lo, &p->hi);
  }
}

/* The constraints that are left hold at the point. */
static bool holds_along_row(piece *p) {
  compute_divisions(p, true);
  for (size_t i = 0; i < p->constraints.len; i++) {
    const linear_row *row = &p->constraints.data[i];
    if (!row->along_row) continue;
    int64_t value = value_of(p, row);
    if (row->equality ? value != 0 : value < 0) return false;
  }
  return true;
}

static bool flush(enumeration *e) {
  bool go_on = e->scattered.n == 0 || e->see(e->user, &e->scattered);
  e->scattered.n = 0;
  return go_on;
}

static bool add_point(enumeration *e, const piece *p) {
  if (e->scattered.set != p->set && !flush(e)) return false;
  e->scattered.set = p->set;
  for (unsigned d = 0; d < e->n_dims; d++) e->coords[d][e->scattered.n].i = p->values[d];
  return ++e->scattered.n < STAGE_CHUNK || flush(e);
}

static bool emit_row(enumeration *e, const piece *p) {
  stage_points row = {.set = p->set, .row = true};
  memcpy(row.origin, p->values, e->n_dims * sizeof *p->values);
  if (!flush(e)) return false;
  for (int64_t x = p->lo; x <= p->hi; x += STAGE_CHUNK) {
    row.origin[e->n_dims - 1] = x;
    row.n = (size_t)(p->hi - x < STAGE_CHUNK ? p->hi - x + 1 : STAGE_CHUNK);
    if (!e->see(e->user, &row)) return false;
  }
  return true;
}

/* The point of the row at `x`, where the piece has it. */
static bool emit_point(enumeration *e, piece *p, int64_t x) {
  if (x < p->lo || x > p->hi) return true;
  p->values[p->n_dims - 1] = x;
  return (p->tests && !holds_along_row(p)) || add_point(e, p);
}

/* The points from `lo` to `hi` of pieces whose intervals overlap, in the order of their sets. */
static bool emit_merged(enumeration *e, piece *const *pieces, size_t n, int64_t lo, int64_t hi) {
  for (int64_t x = lo; x <= hi; x++)
    for (size_t i = 0; i < n; i++)
      if (!emit_point(e, pieces[i], x)) return false;
  return true;
}

/* The pieces lie in one array in the order of their sets. */
static int by_place(const void *a, const void *b) {
  const piece *p = *(piece *const *)a, *q = *(piece *const *)b;
  return (p > q) - (p < q);
}

static bool emit_group(enumeration *e, piece **pieces, size_t n, int64_t hi) {
  const piece *p = pieces[0];
  if (n == 1 && !p->tests && p->hi - p->lo >= SHORT_ROW) return emit_row(e, p);
  int64_t lo = p->lo;
  qsort(pieces, n, sizeof *pieces, by_place);
  return emit_merged(e, pieces, n, lo, hi);
}

/* The row at hand, in groups of overlapping intervals. */
static bool emit_current(enumeration *e) {
  bool go_on = true;
  size_t end;
  for (size_t i = 0; i < e->current.len && go_on; i = end) {
    int64_t hi = e->current.data[i]->hi;
    for (end = i + 1; end < e->current.len && e->current.data[end]->lo <= hi; end++)
      if (e->current.data[end]->hi > hi) hi = e->current.data[end]->hi;
    go_on = emit_group(e, e->current.data + i, end - i, hi);
  }
  return go_on;
}

/* Steps to the next row of the box; `finished` after the last. */
static void next_row(piece *p) {
  for (unsigned d = p->n_dims - 1; d-- > 0;) {
    if (p->values[d]++ < p->upper[d]) return;
    p->values[d] = p->lower[d];
  }
  p->finished = true;
}

static int compare_rows(const enumeration *e, const int64_t *a, const int64_t *b) {
  for (unsigned d = 0; d + 1 < e->n_dims; d++)
    if (a[d] != b[d]) return a[d] < b[d] ? -1 : 1;
  return 0;
}

/* Copies the first of the rows that the pieces are at; false after the last. */
static bool find_row(const enumeration *e, int64_t *row) {
  const int64_t *first = NULL;
  for (size_t i = 0; i < e->pieces.len; i++) {
    const piece *p = &e->pieces.data[i];
    if (!p->finished && (!first || compare_rows(e, p->values, first) < 0)) first = p->values;
  }
  if (first) memcpy(row, first, e->n_dims * sizeof *row);
  return first != NULL;
}

static void add_current(enumeration *e, piece *p) {
  PM_VEC_PUSH(e->current, p);
  for (size_t i = e->current.len - 1; i > 0 && p->lo < e->current.data[i - 1]->lo; i--) {
    e->current.data[i] = e->current.data[i - 1];
    e->current.data[i - 1] = p;
  }
}

/* Collects the pieces that have points in the row; those that have none step over it. */
static void find_current(enumeration *e, const int64_t *row) {
  e->current.len = 0;
  for (size_t i = 0; i < e->pieces.len; i++) {
    piece *p = &e->pieces.data[i];
    if (p->finished || compare_rows(e, p->values, row) != 0) continue;
    find_interval(p);
    if (p->lo <= p->hi)
      add_current(e, p);
    else
      next_row(p);
  }
}

static bool each_row(enumeration *e) {
  int64_t row[PM_MAX_RANK];
  while (find_row(e, row)) {
    find_current(e, row);
    if (!emit_current(e)) return false;
    for (size_t i = 0; i < e->current.len; i++) next_row(e->current.data[i]);
  }
  return true;
}

/* The point of each set that is not empty. */
static bool each_scalar(enumeration *e) {
  for (size_t i = 0; i < e->pieces.len; i++)
    if (!e->pieces.data[i].empty && !add_point(e, &e->pieces.data[i])) return false;
  return true;
}

/* --- sets --- */

static bool add_piece(enumeration *e, isl_basic_set *basic, unsigned set) {
  piece p = {.set = set};
  read_piece(&p, basic);
  PM_VEC_PUSH(e->pieces, p);
  isl_basic_set_free(basic);
  return !p.failed;
}

/* False when a number is too large. */
static bool add_set(enumeration *e, isl_set *set, unsigned number) {
  set = isl_set_compute_divs(isl_set_make_disjoint(isl_set_coalesce(isl_set_copy(set))));
  isl_basic_set_list *basics = isl_set_get_basic_set_list(set);
  bool ok = basics != NULL;
  isl_size n = isl_basic_set_list_n_basic_set(basics);
  for (isl_size i = 0; i < n && ok; i++)
    ok = add_piece(e, isl_basic_set_list_get_basic_set(basics, (int)i), number);
  isl_basic_set_list_free(basics);
  isl_set_free(set);
  return ok;
}

static stage_points_result each_point(enumeration *e, isl_set *const *sets, size_t n_sets) {
  for (size_t i = 0; i < n_sets; i++)
    if (!add_set(e, sets[i], (unsigned)i)) return STAGE_POINTS_FAILED;
  bool go_on = (e->n_dims ? each_row(e) : each_scalar(e)) && flush(e);
  return go_on ? STAGE_POINTS_DONE : STAGE_POINTS_STOPPED;
}

stage_points_result stage_each_point(isl_set *const *sets, size_t n_sets, stage_points_fn see, void *user) {
  if (n_sets == 0) return STAGE_POINTS_DONE;
  enumeration e = {.see = see, .user = user, .n_dims = (unsigned)isl_set_dim(sets[0], isl_dim_set)};
  pm_lane *lanes = pm_xcalloc((size_t)(e.n_dims + 1) * STAGE_CHUNK, sizeof *lanes);
  for (unsigned d = 0; d < e.n_dims; d++)
    e.scattered.coords[d] = e.coords[d] = lanes + (size_t)d * STAGE_CHUNK;
  stage_points_result result = each_point(&e, sets, n_sets);
  for (size_t i = 0; i < e.pieces.len; i++) free_piece(&e.pieces.data[i]);
  PM_VEC_FREE(e.pieces);
  PM_VEC_FREE(e.current);
  free(lanes);
  return result;
}
