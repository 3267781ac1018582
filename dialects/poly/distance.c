#include "dialects/poly/distance.h"

#include "dialects/isl/take.h"

#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/val.h>
#include <stdlib.h>

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

/* Finds the distances of a read at affine functions, all of them constant; false when they are not seen to
 * be. */
static bool constant_distances(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n,
                               int64_t *distances) {
  function read, from = {0}, to = {0};
  bool ok = have_equal_params(relation, consumer) && have_equal_params(relation, producer);
  ok = function_of(relation, &read) && ok && function_of(consumer, &from) && function_of(producer, &to);
  for (unsigned d = 0; ok && d < n; d++) ok = constant_difference(&to, &read, &from, d, &distances[d]);
  free(read.c);
  free(from.c);
  free(to.c);
  return ok;
}

static void widen_by(const int64_t *distances, unsigned n, int64_t *min, int64_t *max) {
  for (unsigned d = 0; d < n; d++) {
    if (distances[d] < min[d]) min[d] = distances[d];
    if (distances[d] > max[d]) max[d] = distances[d];
  }
}

static bool are_within(const int64_t *distances, unsigned n, const int64_t *min, const int64_t *max) {
  for (unsigned d = 0; d < n; d++)
    if (distances[d] < min[d] || distances[d] > max[d]) return false;
  return true;
}

bool poly_widen_distances(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n, int64_t *min,
                          int64_t *max) {
  return poly_widen_distances_but_free(relation, consumer, producer, n, min, max, NULL);
}

/* Notes the dimension as free when the producer lacks it. */
static bool is_free(isl_map *producer, unsigned n, unsigned dim, bool *free) {
  if (!free || poly_has_dimension(producer, n, dim)) return false;
  return free[dim] = true;
}

bool poly_widen_distances_but_free(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n,
                                   int64_t *min, int64_t *max, bool *free) {
  int64_t distances[POLY_MAX_COMMON];
  if (n <= POLY_MAX_COMMON && constant_distances(relation, consumer, producer, n, distances)) {
    bool changes = !are_within(distances, n, min, max) && isl_map_is_empty(relation) != isl_bool_true;
    if (changes) widen_by(distances, n, min, max);
    return true;
  }
  isl_map *common = isl_map_apply_domain(isl_map_copy(relation), isl_map_copy(consumer));
  common = isl_map_apply_range(common, isl_map_copy(producer));
  isl_set *deltas = isl_set_project_out_all_params(isl_map_deltas(common));
  bool bounded = true;
  if (isl_set_is_empty(deltas) != isl_bool_true)
    for (unsigned d = 0; d < n; d++)
      bounded = (widen(deltas, d, &min[d], &max[d]) || is_free(producer, n, d, free)) && bounded;
  isl_set_free(deltas);
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
