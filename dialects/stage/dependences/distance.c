#include "dialects/stage/dependences/distance.h"

#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"

#include <isl/ilp.h>
#include <isl/mat.h>
#include <isl/val.h>
#include <stdlib.h>
#include <string.h>

enum { POLY_MAX_COMMON = 64 };

/* Of a read in one dimension, over all that it reads; lo > hi: nothing. Without bounds the numbers are those
 * that there are. */
typedef struct distance {
  int64_t lo, hi;
  bool unbounded;
} distance;

/* From the deltas, which are not empty. */
static void find_in_deltas(isl_set *deltas, unsigned dim, distance *out) {
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(deltas));
  isl_aff *coordinate = isl_aff_var_on_domain(local, isl_dim_set, dim);
  out->unbounded = !isl_take_int_below(isl_set_min_val(deltas, coordinate), INT32_MAX, &out->lo) ||
                   !isl_take_int_below(isl_set_max_val(deltas, coordinate), INT32_MAX, &out->hi);
  isl_aff_free(coordinate);
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

/* Of a read at affine functions, when all distances are constant; false when they are not seen to be. */
static bool find_constants(isl_map *relation, const function *from, const function *to, unsigned n,
                           distance *out) {
  function read;
  bool ok = function_of(relation, &read);
  for (unsigned d = 0; ok && d < n; d++) {
    ok = constant_difference(to, &read, from, d, &out[d].lo);
    out[d].hi = out[d].lo;
  }
  free(read.c);
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

/* Numbers of more than 31 bits count as none. */
static linear_answer least_distance(linear_system *s, const int64_t *row, int64_t *least) {
  linear_answer answer = linear_least(s, row, least);
  bool large = answer == LINEAR_FOUND && (*least >= INT32_MAX || *least <= -INT32_MAX);
  return large ? LINEAR_NONE : answer;
}

/* By the least and greatest value of the row; false when it is not seen whether it has them. */
static bool widen_by_row(linear_system *s, int64_t *row, distance *out) {
  int64_t least = 0;
  linear_answer answer = least_distance(s, row, &least);
  if (answer == LINEAR_FOUND && least < out->lo) out->lo = least;
  for (unsigned i = 0; i < linear_n_columns(s); i++) row[i] = -row[i];
  if (answer == LINEAR_FOUND) answer = least_distance(s, row, &least);
  if (answer == LINEAR_FOUND && -least > out->hi) out->hi = -least;
  out->unbounded = out->unbounded || answer == LINEAR_NONE;
  return answer != LINEAR_UNKNOWN;
}

/* Takes the part of a read, [consumer -> producer]. */
static bool widen_by_part(__isl_take isl_basic_set *part, const function *from, const function *to,
                          unsigned n, distance *out) {
  linear_system *s = linear_system_new(part);
  bool ok = s != NULL, any = ok && !linear_is_empty(s);
  int64_t *row = pm_xcalloc(any ? linear_n_columns(s) : 1, sizeof *row);
  for (unsigned d = 0; any && ok && d < n; d++) {
    memset(row, 0, linear_n_columns(s) * sizeof *row);
    put_difference(from, to, d, row);
    ok = widen_by_row(s, row, &out[d]);
  }
  free(row);
  linear_system_free(s);
  isl_basic_set_free(part);
  return ok;
}

static bool widen_by_parts(isl_map *relation, const function *from, const function *to, unsigned n,
                           distance *out) {
  isl_set *pairs = isl_map_wrap(isl_map_copy(relation));
  isl_basic_set_list *parts = isl_set_get_basic_set_list(pairs);
  bool ok = true;
  for (int i = 0; ok && i < (int)isl_basic_set_list_n_basic_set(parts); i++)
    ok = widen_by_part(isl_basic_set_list_get_basic_set(parts, i), from, to, n, out);
  isl_basic_set_list_free(parts);
  isl_set_free(pairs);
  return ok;
}

static void widen_with_isl(isl_map *relation, isl_map *consumer, isl_map *producer, unsigned n,
                           distance *out) {
  isl_map *common = isl_map_apply_domain(isl_map_copy(relation), isl_map_copy(consumer));
  common = isl_map_apply_range(common, isl_map_copy(producer));
  isl_set *deltas = isl_set_project_out_all_params(isl_map_deltas(common));
  if (isl_set_is_empty(deltas) != isl_bool_true)
    for (unsigned d = 0; d < n; d++) find_in_deltas(deltas, d, &out[d]);
  isl_set_free(deltas);
}

/* --- what is known --- */

enum emptiness { NOT_EMPTY, EMPTY, NOT_ASKED };

/* Of a read between two schedules. */
typedef struct answer {
  isl_map *asked[2];                       /* the schedules of the consumer and of the producer */
  isl_map *relation, *consumer, *producer; /* of the read, and these, with the same params */
  function from, to; /* these, when both are functions without divisions; else no numbers */
  unsigned n;
  distance *distances;  /* by dimension */
  enum emptiness empty; /* the read; when its distances were found without an answer to that */
  struct answer *next;  /* of the same read */
} answer;

struct stage_distances {
  const stage_graph *graph;
  pm_map *answers; /* stage_access -> its first answer */
  PM_VEC(answer *) all;
  size_t n_computed;
};

static void free_answer(answer *a) {
  isl_map_free(a->asked[0]);
  isl_map_free(a->asked[1]);
  isl_map_free(a->relation);
  isl_map_free(a->consumer);
  isl_map_free(a->producer);
  free(a->from.c);
  free(a->to.c);
  free(a->distances);
  free(a);
}

static void forget_functions(answer *a) {
  free(a->from.c);
  free(a->to.c);
  a->from = a->to = (function){0};
}

static void read_functions(answer *a) {
  bool ok = a->n <= POLY_MAX_COMMON && function_of(a->consumer, &a->from) && function_of(a->producer, &a->to);
  if (!ok) forget_functions(a);
}

static void clear_distances(answer *a) {
  for (unsigned d = 0; d < a->n; d++) a->distances[d] = (distance){INT64_MAX, INT64_MIN, false};
}

/* Finds the distances. */
static void compute(answer *a) {
  isl_map *relation = a->relation;
  a->empty = NOT_EMPTY;
  if (a->from.c && find_constants(relation, &a->from, &a->to, a->n, a->distances)) {
    a->empty = NOT_ASKED;
    return;
  }
  clear_distances(a);
  if (a->from.c && widen_by_parts(relation, &a->from, &a->to, a->n, a->distances)) return;
  clear_distances(a);
  widen_with_isl(relation, a->consumer, a->producer, a->n, a->distances);
}

/* The rows are the same but for constants and a common factor: `times` a row of one is `by` that of the
 * other.
 */
typedef struct ratio {
  int64_t times, by;
} ratio;

/* Goes on with a ratio, which is 0 as long as the rows had zeros alone. */
static bool is_proportional(const int64_t *a, const int64_t *b, unsigned n, ratio *r) {
  for (unsigned i = 1; i < n; i++) {
    if ((a[i] == 0) != (b[i] == 0)) return false;
    if (a[i] == 0) continue;
    if (r->times == 0) *r = (ratio){llabs(b[i]), llabs(a[i])};
    if (a[i] * r->times != b[i] * r->by) return false;
  }
  return true;
}

static int64_t constant_part(const answer *a, unsigned d) {
  return row_of(&a->to, d)[0] - row_of(&a->from, d)[0];
}

/* From a distance of the known answer to that of the other; false when it is none. */
static bool carry_over(int64_t known, int64_t shift, ratio r, int64_t to_shift, int64_t *out) {
  int64_t moved = known - shift;
  if (moved >= INT32_MAX || moved <= -INT32_MAX || moved * r.by % r.times != 0) return false;
  *out = moved * r.by / r.times + to_shift;
  return true;
}

/* Dimension `d` of the answer from dimension `e` of one that is known, of the same read. */
static bool carry_dimension(answer *a, unsigned d, const answer *known, unsigned e) {
  ratio r = {0, 0};
  const distance *from = &known->distances[e];
  distance *to = &a->distances[d];
  if (!is_proportional(row_of(&a->from, d), row_of(&known->from, e), columns_of(&a->from), &r) ||
      !is_proportional(row_of(&a->to, d), row_of(&known->to, e), columns_of(&a->to), &r))
    return false;
  *to = *from;
  if (from->unbounded) return false;
  if (from->lo > from->hi) return true;
  if (r.times == 0) r = (ratio){1, 1};
  int64_t shift = constant_part(known, e), to_shift = constant_part(a, d);
  return carry_over(from->lo, shift, r, to_shift, &to->lo) &&
         carry_over(from->hi, shift, r, to_shift, &to->hi);
}

static bool have_equal_params(isl_map *a, isl_map *b) {
  return isl_have_equal_params(isl_map_get_space(a), isl_map_get_space(b));
}

static bool find_dimension(answer *a, unsigned d, const answer *known) {
  for (; known; known = known->next)
    for (unsigned e = 0; known->from.c && e < known->n && have_equal_params(a->relation, known->relation);
         e++) {
      if (!carry_dimension(a, d, known, e)) continue;
      if (known->empty != NOT_EMPTY) a->empty = known->empty;
      return true;
    }
  return false;
}

/* From answers that are known; false: they do not tell all. */
static bool find_known(answer *a, const answer *known) {
  a->empty = NOT_EMPTY;
  for (unsigned d = 0; d < a->n; d++)
    if (!a->from.c || !find_dimension(a, d, known)) return false;
  return true;
}

static bool is_same_question(const answer *a, isl_map *consumer, isl_map *producer) {
  return isl_map_plain_is_equal(a->asked[0], consumer) == isl_bool_true &&
         isl_map_plain_is_equal(a->asked[1], producer) == isl_bool_true;
}

static void align_params(answer *a) {
  isl_space *params = isl_space_align_params(isl_map_get_space(a->relation), isl_map_get_space(a->consumer));
  params = isl_space_align_params(params, isl_map_get_space(a->producer));
  a->relation = isl_map_align_params(a->relation, isl_space_copy(params));
  a->consumer = isl_map_align_params(a->consumer, isl_space_copy(params));
  a->producer = isl_map_align_params(a->producer, params);
}

static answer *new_answer(isl_map *relation, isl_map *consumer, isl_map *producer) {
  answer *a = pm_xcalloc(1, sizeof *a);
  a->asked[0] = isl_map_copy(consumer);
  a->asked[1] = isl_map_copy(producer);
  a->relation = isl_map_copy(relation);
  a->consumer = isl_map_copy(consumer);
  a->producer = isl_map_copy(producer);
  if (!have_equal_params(relation, consumer) || !have_equal_params(relation, producer)) align_params(a);
  a->n = (unsigned)isl_map_dim(producer, isl_dim_out);
  a->distances = pm_xcalloc(a->n + 1, sizeof *a->distances);
  read_functions(a);
  return a;
}

/* Those of the read between the schedules: known, or found now. */
static answer *answer_of(stage_distances *memo, const stage_access *access, isl_map *consumer,
                         isl_map *producer) {
  answer *first = pm_map_get(memo->answers, access);
  for (answer *a = first; a; a = a->next)
    if (is_same_question(a, consumer, producer)) return a;
  answer *a = new_answer(access->relation, consumer, producer);
  if (!find_known(a, first)) {
    compute(a);
    memo->n_computed++;
  }
  PM_VEC_PUSH(memo->all, a);
  a->next = first;
  pm_map_set(memo->answers, access, a);
  return a;
}

/* The read reads something. */
static bool is_made(answer *a, isl_map *relation) {
  if (a->empty == NOT_ASKED) a->empty = linear_map_is_empty(relation) ? EMPTY : NOT_EMPTY;
  return a->empty == NOT_EMPTY;
}

static bool are_within(const answer *a, const int64_t *min, const int64_t *max) {
  for (unsigned d = 0; d < a->n; d++)
    if (a->distances[d].lo < min[d] || a->distances[d].hi > max[d]) return false;
  return true;
}

bool stage_widen_distances(stage_distances *of, const stage_access *access, isl_map *consumer,
                           isl_map *producer, int64_t *min, int64_t *max, bool *unbounded) {
  answer *a = answer_of(of, access, consumer, producer);
  bool bounded = true;
  if (!are_within(a, min, max) && is_made(a, access->relation))
    for (unsigned d = 0; d < a->n; d++) {
      if (a->distances[d].lo < min[d]) min[d] = a->distances[d].lo;
      if (a->distances[d].hi > max[d]) max[d] = a->distances[d].hi;
    }
  for (unsigned d = 0; d < a->n; d++) {
    if (!a->distances[d].unbounded) continue;
    bounded = false;
    if (unbounded) unbounded[d] = true;
  }
  return bounded;
}

/* --- as an analysis --- */

static void *new_distances(pm_op *root, const void *graph) {
  (void)root;
  stage_distances *memo = pm_xcalloc(1, sizeof *memo);
  memo->graph = graph;
  memo->answers = pm_map_new();
  return memo;
}

static void free_distances(void *result) {
  stage_distances *memo = result;
  for (size_t i = 0; i < memo->all.len; i++) free_answer(memo->all.data[i]);
  PM_VEC_FREE(memo->all);
  pm_map_free(memo->answers);
  free(memo);
}

const pm_analysis_desc stage_distances_analysis = {"distances", new_distances, free_distances, NULL,
                                                   &stage_graph_analysis};

const stage_graph *stage_graph_of_distances(const stage_distances *of) {
  return of->graph;
}

void stage_count_distances(pm_pass *pass) {
  stage_distances *of = STAGE_DISTANCES(pass);
  if (of) pm_pass_stat(pass, "distances computed", (int64_t)of->n_computed);
  if (of) of->n_computed = 0;
}

/* --- dimensions of schedules --- */

bool stage_has_dimension(isl_map *schedule, unsigned n, unsigned dim) {
  isl_map *one = isl_map_project_out(isl_map_copy(schedule), isl_dim_out, dim + 1, n - dim - 1);
  one = isl_map_project_out(one, isl_dim_out, 0, dim);
  isl_val *constant = isl_map_plain_get_val_if_fixed(one, isl_dim_out, 0);
  bool fixed = isl_val_is_int(constant) == isl_bool_true;
  isl_val_free(constant);
  isl_map_free(one);
  return !fixed;
}
