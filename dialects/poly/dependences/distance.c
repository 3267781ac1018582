#include "dialects/poly/dependences/distance.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"

#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

enum { POLY_MAX_COMMON = 64 };

static bool widen(isl_set *deltas, unsigned dim, int64_t *min, int64_t *max) {
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(deltas));
  isl_aff *coordinate = isl_aff_var_on_domain(local, isl_dim_set, dim);
  int64_t lo = 0, hi = 0;
  bool ok = isl_take_int_below(isl_set_min_val(deltas, coordinate), INT32_MAX, &lo) &&
            isl_take_int_below(isl_set_max_val(deltas, coordinate), INT32_MAX, &hi);
  isl_aff_free(coordinate);
  if (lo < *min) *min = lo;
  if (hi > *max) *max = hi;
  return ok;
}

/* --- constant distances, without isl --- */

/* Row k: what output k is of 1, the params and the inputs. */
typedef struct function {
  unsigned n_params, n_in, n_out;
  int64_t *c;
} function;

static unsigned columns_of(const function *f) {
  return 1 + f->n_params + f->n_in;
}

static int64_t *row_of(const function *f, unsigned k) {
  return f->c + (size_t)k * columns_of(f);
}

/* The equality, of columns for 1, params, inputs and outputs, as the row of the one output that it has; false
 * when a number is large. */
static bool read_equality(const function *f, isl_mat *equalities, int at, bool *known) {
  unsigned n = columns_of(f), n_used = 0, output = 0;
  int64_t sign = 0, v = 0;
  for (unsigned k = 0; k < f->n_out; k++) {
    if (!isl_take_int_below(isl_mat_get_element_val(equalities, at, (int)(n + k)), INT32_MAX, &v))
      return false;
    if (v) output = k;
    if (v) sign = -v;
    n_used += v != 0;
  }
  if (n_used != 1 || (sign != 1 && sign != -1) || known[output]) return true;
  known[output] = true;
  for (unsigned i = 0; i < n; i++) {
    if (!isl_take_int_below(isl_mat_get_element_val(equalities, at, (int)i), INT32_MAX, &v)) return false;
    row_of(f, output)[i] = sign * v;
  }
  return true;
}

/* Takes the map; false when it is not seen to give every output as a function without divisions. */
static bool read_function(__isl_take isl_basic_map *map, function *f) {
  f->n_params = (unsigned)isl_basic_map_dim(map, isl_dim_param);
  f->n_in = (unsigned)isl_basic_map_dim(map, isl_dim_in);
  f->n_out = (unsigned)isl_basic_map_dim(map, isl_dim_out);
  bool ok = isl_basic_map_dim(map, isl_dim_div) == 0;
  isl_mat *rows =
      isl_basic_map_equalities_matrix(map, isl_dim_cst, isl_dim_param, isl_dim_in, isl_dim_out, isl_dim_div);
  bool *known = pm_xcalloc(f->n_out + 1, sizeof *known);
  f->c = pm_xcalloc((size_t)f->n_out * columns_of(f) + 1, sizeof *f->c);
  for (int i = 0; ok && i < (int)isl_mat_rows(rows); i++) ok = read_equality(f, rows, i, known);
  for (unsigned k = 0; ok && k < f->n_out; k++) ok = known[k];
  isl_mat_free(rows);
  isl_basic_map_free(map);
  free(known);
  return ok;
}

static bool function_of(isl_map *map, function *f) {
  f->c = NULL;
  if (isl_map_n_basic_map(map) != 1) return false;
  isl_basic_map_list *list = isl_map_get_basic_map_list(map);
  isl_basic_map *only = isl_basic_map_list_get_basic_map(list, 0);
  isl_basic_map_list_free(list);
  return read_function(only, f);
}

/* outer(inner(x)) - other(x) in dimension `dim`, when it is one number. */
static bool constant_difference(const function *outer, const function *inner, const function *other,
                                unsigned dim, int64_t *out) {
  unsigned n = columns_of(inner);
  const int64_t *through = row_of(outer, dim), *minus = row_of(other, dim);
  for (unsigned i = n; i-- > 0;) {
    int64_t sum = (i < 1 + inner->n_params ? through[i] : 0) - minus[i];
    for (unsigned k = 0; k < inner->n_out; k++) sum += through[1 + outer->n_params + k] * row_of(inner, k)[i];
    if (i > 0 && sum != 0) return false;
    *out = sum;
  }
  return true;
}

static bool have_equal_params(isl_map *a, isl_map *b) {
  isl_space *s = isl_map_get_space(a), *t = isl_map_get_space(b);
  bool equal = isl_space_has_equal_params(s, t) == isl_bool_true;
  isl_space_free(s);
  isl_space_free(t);
  return equal;
}

static void widen_by(int64_t distance, int64_t *min, int64_t *max) {
  if (distance < *min) *min = distance;
  if (distance > *max) *max = distance;
}

/* Of a read at affine functions, when all distances are constant; false when they are not seen to be. */
static bool widen_by_constants(isl_map *relation, const function *from, const function *to, unsigned n,
                               int64_t *min, int64_t *max) {
  int64_t distances[POLY_MAX_COMMON];
  function read;
  bool ok = function_of(relation, &read), within = true;
  for (unsigned d = 0; ok && d < n; d++) {
    ok = constant_difference(to, &read, from, d, &distances[d]);
    within = within && ok && distances[d] >= min[d] && distances[d] <= max[d];
  }
  free(read.c);
  if (ok && !within && !linear_map_is_empty(relation))
    for (unsigned d = 0; d < n; d++) widen_by(distances[d], &min[d], &max[d]);
  return ok;
}

/* --- distances of linear parts, without isl --- */

/* to(output) - from(input) in dimension `dim`, over columns for 1, params, inputs and outputs. */
static void put_difference(const function *from, const function *to, unsigned dim, int64_t *row) {
  const int64_t *plus = row_of(to, dim), *minus = row_of(from, dim);
  unsigned n_both = 1 + from->n_params;
  for (unsigned i = 0; i < n_both; i++) row[i] = plus[i] - minus[i];
  for (unsigned i = n_both; i < columns_of(from); i++) row[i] = -minus[i];
  for (unsigned i = n_both; i < columns_of(to); i++) row[i + from->n_in] = plus[i];
}

typedef struct distances {
  unsigned n;
  int64_t *min, *max;
  bool *unbounded; /* by dimension */
} distances;

/* Numbers of more than 31 bits count as none. */
static linear_answer least_distance(linear_system *s, const int64_t *row, int64_t *least) {
  linear_answer answer = linear_least(s, row, least);
  bool large = answer == LINEAR_FOUND && (*least >= INT32_MAX || *least <= -INT32_MAX);
  return large ? LINEAR_NONE : answer;
}

/* By the least and greatest value of the row; false when it is not seen whether it has them. */
static bool widen_by_row(linear_system *s, int64_t *row, distances *out, unsigned dim) {
  int64_t least = 0;
  linear_answer answer = least_distance(s, row, &least);
  if (answer == LINEAR_FOUND && least < out->min[dim]) out->min[dim] = least;
  for (unsigned i = 0; i < linear_n_columns(s); i++) row[i] = -row[i];
  if (answer == LINEAR_FOUND) answer = least_distance(s, row, &least);
  if (answer == LINEAR_FOUND && -least > out->max[dim]) out->max[dim] = -least;
  out->unbounded[dim] = out->unbounded[dim] || answer == LINEAR_NONE;
  return answer != LINEAR_UNKNOWN;
}

/* Takes the part of a read, [consumer -> producer]. */
static bool widen_by_part(__isl_take isl_basic_set *part, const function *from, const function *to,
                          distances *out) {
  linear_system *s = linear_system_new(part);
  bool ok = s != NULL, any = ok && !linear_is_empty(s);
  int64_t *row = pm_xcalloc(any ? linear_n_columns(s) : 1, sizeof *row);
  for (unsigned d = 0; any && ok && d < out->n; d++) {
    memset(row, 0, linear_n_columns(s) * sizeof *row);
    put_difference(from, to, d, row);
    ok = widen_by_row(s, row, out, d);
  }
  free(row);
  linear_system_free(s);
  isl_basic_set_free(part);
  return ok;
}

static bool widen_by_parts(isl_map *relation, const function *from, const function *to, distances *out) {
  isl_set *pairs = isl_map_wrap(isl_map_copy(relation));
  isl_basic_set_list *parts = isl_set_get_basic_set_list(pairs);
  bool ok = true;
  for (int i = 0; ok && i < (int)isl_basic_set_list_n_basic_set(parts); i++)
    ok = widen_by_part(isl_basic_set_list_get_basic_set(parts, i), from, to, out);
  isl_basic_set_list_free(parts);
  isl_set_free(pairs);
  return ok;
}

/* False when the distances, by which min and max may be widened already, are not all seen. */
static bool widen_without_isl(isl_map *relation, isl_map *consumer, isl_map *producer, distances *out) {
  function from = {0}, to = {0};
  bool ok = out->n <= POLY_MAX_COMMON && have_equal_params(relation, consumer) &&
            have_equal_params(relation, producer) && function_of(consumer, &from) &&
            function_of(producer, &to) &&
            (widen_by_constants(relation, &from, &to, out->n, out->min, out->max) ||
             widen_by_parts(relation, &from, &to, out));
  free(from.c);
  free(to.c);
  return ok;
}

static void widen_with_isl(isl_map *relation, isl_map *consumer, isl_map *producer, distances *out) {
  isl_map *common = isl_map_apply_domain(isl_map_copy(relation), isl_map_copy(consumer));
  common = isl_map_apply_range(common, isl_map_copy(producer));
  isl_set *deltas = isl_set_project_out_all_params(isl_map_deltas(common));
  if (isl_set_is_empty(deltas) != isl_bool_true)
    for (unsigned d = 0; d < out->n; d++) out->unbounded[d] = !widen(deltas, d, &out->min[d], &out->max[d]);
  isl_set_free(deltas);
}

/* --- distances --- */

bool poly_widen_distances(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n, int64_t *min,
                          int64_t *max) {
  return poly_widen_distances_but_free(relation, consumer, producer, n, min, max, NULL);
}

/* Notes the dimension as free when the producer lacks it. */
static bool is_free(isl_map *producer, unsigned n, unsigned dim, bool *lacking) {
  if (!lacking || poly_has_dimension(producer, n, dim)) return false;
  return lacking[dim] = true;
}

bool poly_widen_distances_but_free(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n,
                                   int64_t *min, int64_t *max, bool *lacking) {
  distances out = {n, min, max, pm_xcalloc(n + 1, sizeof *out.unbounded)};
  bool bounded = true;
  if (!widen_without_isl(relation, consumer, producer, &out))
    widen_with_isl(relation, consumer, producer, &out);
  for (unsigned d = 0; d < n; d++)
    bounded = (!out.unbounded[d] || is_free(producer, n, d, lacking)) && bounded;
  free(out.unbounded);
  return bounded;
}

bool poly_has_dimension(isl_map *schedule, unsigned n, unsigned dim) {
  isl_map *one = isl_map_project_out(isl_map_copy(schedule), isl_dim_out, dim + 1, n - dim - 1);
  one = isl_map_project_out(one, isl_dim_out, 0, dim);
  isl_val *constant = isl_map_plain_get_val_if_fixed(one, isl_dim_out, 0);
  bool fixed = isl_val_is_int(constant) == isl_bool_true;
  isl_val_free(constant);
  isl_map_free(one);
  return !fixed;
}
