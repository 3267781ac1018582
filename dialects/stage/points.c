/* A set is cut into disjoint basic sets. Of each, all dimensions but the last run over a box; a row's
 * constraints then give the interval of the last one, and those that need an integer division of it, such as
 * parity, are tested at each point of the interval. Short rows are gathered into chunks of points. */
#include "dialects/stage/points.h"

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
  unsigned n_dims, n_divs;
  int64_t lower[PM_MAX_RANK], upper[PM_MAX_RANK];
  PM_VEC(linear_row) divs, constraints;
  bool empty, failed;
} piece;

typedef struct enumeration {
  stage_points_fn see;
  void *user;
  stage_points scattered;
  pm_lane *coords[PM_MAX_RANK];
  unsigned n_dims;
  int64_t *values; /* of the point: dimensions and divisions of the piece */
} enumeration;

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

/* --- from isl --- */

static int64_t take_int(isl_val *value, piece *p) {
  bool fits = value && isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, 1L << 62) < 0 &&
              isl_val_cmp_si(value, -(1L << 62)) > 0;
  int64_t number = fits ? isl_val_get_num_si(value) : 0;
  if (!fits) p->failed = true;
  isl_val_free(value);
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
}

static void free_piece(piece *p) {
  for (size_t i = 0; i < p->divs.len; i++) free(p->divs.data[i].coeffs);
  for (size_t i = 0; i < p->constraints.len; i++) free(p->constraints.data[i].coeffs);
  PM_VEC_FREE(p->divs);
  PM_VEC_FREE(p->constraints);
}

/* --- points --- */

static int64_t value_of(const piece *p, const linear_row *row, const int64_t *values) {
  unsigned n = p->n_dims + p->n_divs;
  int64_t sum = row->coeffs[n];
  for (unsigned i = 0; i < n; i++) sum += row->coeffs[i] * values[i];
  return sum;
}

/* Sets the divisions that do or do not depend on the last dimension. */
static void compute_divisions(const piece *p, int64_t *values, bool along_row) {
  for (unsigned i = 0; i < p->n_divs; i++) {
    const linear_row *div = &p->divs.data[i];
    if (div->along_row == along_row)
      values[p->n_dims + i] = floor_div(value_of(p, div, values), div->divisor);
  }
}

/* Cuts [*lo, *hi] by a constraint c * x + rest >= 0 or == 0, where `rest` is its value at x = 0. */
static void cut(int64_t c, int64_t rest, bool equality, int64_t *lo, int64_t *hi) {
  if (c == 0) {
    if (equality ? rest != 0 : rest < 0) *hi = *lo - 1;
    return;
  }
  int64_t from = c > 0 ? -floor_div(rest, c) : floor_div(rest, -c);
  bool is_lower = c > 0;
  if ((is_lower || equality) && from > *lo) *lo = from;
  if ((!is_lower || equality) && from < *hi) *hi = from;
  if (equality && rest % c != 0) *hi = *lo - 1;
}

/* The interval of the last dimension for the prefix in `values`, by the constraints that give one. */
static void row_interval(const piece *p, int64_t *values, int64_t *lo, int64_t *hi) {
  unsigned last = p->n_dims - 1;
  *lo = p->lower[last];
  *hi = p->upper[last];
  values[last] = 0;
  compute_divisions(p, values, false);
  for (size_t i = 0; i < p->constraints.len && *lo <= *hi; i++) {
    const linear_row *row = &p->constraints.data[i];
    if (!row->along_row) cut(row->coeffs[last], value_of(p, row, values), row->equality, lo, hi);
  }
}

/* The constraints that are left hold at the point. */
static bool holds_along_row(const piece *p, int64_t *values) {
  compute_divisions(p, values, true);
  for (size_t i = 0; i < p->constraints.len; i++) {
    const linear_row *row = &p->constraints.data[i];
    if (!row->along_row) continue;
    int64_t value = value_of(p, row, values);
    if (row->equality ? value != 0 : value < 0) return false;
  }
  return true;
}

static bool flush(enumeration *e) {
  bool go_on = e->scattered.n == 0 || e->see(e->user, &e->scattered);
  e->scattered.n = 0;
  return go_on;
}

static bool add_point(enumeration *e, const int64_t *values) {
  for (unsigned d = 0; d < e->n_dims; d++) e->coords[d][e->scattered.n].i = values[d];
  return ++e->scattered.n < STAGE_CHUNK || flush(e);
}

static bool emit_row(enumeration *e, const int64_t *values, int64_t lo, int64_t hi) {
  stage_points row = {.row = true};
  memcpy(row.origin, values, e->n_dims * sizeof *values);
  for (int64_t x = lo; x <= hi; x += STAGE_CHUNK) {
    row.origin[e->n_dims - 1] = x;
    row.n = (size_t)(hi - x < STAGE_CHUNK ? hi - x + 1 : STAGE_CHUNK);
    if (!e->see(e->user, &row)) return false;
  }
  return true;
}

static bool emit_points(enumeration *e, const piece *p, int64_t *values, int64_t lo, int64_t hi, bool test) {
  for (int64_t x = lo; x <= hi; x++) {
    values[p->n_dims - 1] = x;
    if (test && !holds_along_row(p, values)) continue;
    if (!add_point(e, values)) return false;
  }
  return true;
}

static bool has_tests(const piece *p) {
  for (size_t i = 0; i < p->constraints.len; i++)
    if (p->constraints.data[i].along_row) return true;
  return false;
}

/* Steps the prefix to the next in its box; false after the last. */
static bool next_prefix(const piece *p, int64_t *values) {
  for (unsigned d = p->n_dims - 1; d-- > 0;) {
    if (values[d]++ < p->upper[d]) return true;
    values[d] = p->lower[d];
  }
  return false;
}

static bool each_row(enumeration *e, const piece *p) {
  bool test = has_tests(p), go_on = true;
  int64_t *values = e->values, lo, hi;
  memcpy(values, p->lower, p->n_dims * sizeof *values);
  do {
    row_interval(p, values, &lo, &hi);
    go_on =
        test || hi - lo < SHORT_ROW ? emit_points(e, p, values, lo, hi, test) : emit_row(e, values, lo, hi);
  } while (go_on && next_prefix(p, values));
  return go_on;
}

static stage_points_result each_point_of_piece(enumeration *e, isl_basic_set *basic) {
  piece p = {0};
  read_piece(&p, basic);
  bool failed = p.failed, go_on = true;
  if (!failed && !p.empty) {
    e->values = pm_xcalloc(p.n_dims + p.n_divs + 1, sizeof *e->values);
    go_on = p.n_dims ? each_row(e, &p) : add_point(e, NULL);
    free(e->values);
  }
  free_piece(&p);
  return failed ? STAGE_POINTS_FAILED : go_on ? STAGE_POINTS_DONE : STAGE_POINTS_STOPPED;
}

static stage_points_result each_piece(enumeration *e, isl_basic_set_list *pieces) {
  stage_points_result result = pieces ? STAGE_POINTS_DONE : STAGE_POINTS_FAILED;
  isl_size n = isl_basic_set_list_n_basic_set(pieces);
  for (isl_size i = 0; i < n && result == STAGE_POINTS_DONE; i++) {
    isl_basic_set *basic = isl_basic_set_list_get_basic_set(pieces, (int)i);
    result = each_point_of_piece(e, basic);
    isl_basic_set_free(basic);
  }
  if (result == STAGE_POINTS_DONE && !flush(e)) result = STAGE_POINTS_STOPPED;
  return result;
}

stage_points_result stage_each_point(isl_set *set, stage_points_fn see, void *user) {
  enumeration e = {.see = see, .user = user, .n_dims = (unsigned)isl_set_dim(set, isl_dim_set)};
  pm_lane *lanes = pm_xcalloc((size_t)(e.n_dims + 1) * STAGE_CHUNK, sizeof *lanes);
  for (unsigned d = 0; d < e.n_dims; d++)
    e.scattered.coords[d] = e.coords[d] = lanes + (size_t)d * STAGE_CHUNK;
  set = isl_set_compute_divs(isl_set_make_disjoint(isl_set_coalesce(set)));
  isl_basic_set_list *pieces = isl_set_get_basic_set_list(set);
  stage_points_result result = each_piece(&e, pieces);
  isl_basic_set_list_free(pieces);
  isl_set_free(set);
  free(lanes);
  return result;
}
