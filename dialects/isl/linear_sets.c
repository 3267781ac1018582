/* What systems of linear constraints tell of sets and maps. */
#include "dialects/isl/budget.h"
#include "dialects/isl/linear_rows.h"
#include "dialects/isl/take.h"

#include <stdlib.h>
#include <string.h>

/* --- parts of sets --- */

bool linear_same_dims(isl_basic_set *a, isl_basic_set *b) {
  return isl_basic_set_dim(a, isl_dim_set) == isl_basic_set_dim(b, isl_dim_set) &&
         isl_have_equal_params(isl_basic_set_get_space(a), isl_basic_set_get_space(b));
}

/* Where the columns of a matrix are in a system: those from `first` on `shift` further. */
typedef struct alignment {
  unsigned first, shift;
} alignment;

static const alignment as_they_are = {0, 0};

/* The least constant that no number is too large with. */
static const int64_t LARGE = INT64_C(1) << 47;

/* Row i without its columns from `end` on, as one of the system, which may have more; false when a number is
 * too large. In place of a constant that is, a row gets one that says more, and *more is set. */
static bool read_row(const linear_system *s, isl_mat *matrix, int i, unsigned end, alignment at, int64_t *row,
                     bool *more) {
  bool ok = end + at.shift <= linear_n_columns(s);
  *more = ok && !linear_read_cell(matrix, i, 0, &row[0]);
  if (*more) {
    isl_val *constant = isl_mat_get_element_val(matrix, i, 0);
    ok = isl_val_is_pos(constant) == isl_bool_true;
    row[0] = LARGE;
    isl_val_free(constant);
  }
  for (unsigned k = 1; ok && k < end; k++)
    ok = linear_read_cell(matrix, i, (int)k, &row[k < at.first ? k : k + at.shift]);
  return ok;
}

typedef enum truth { SHOWN, REFUTED, OPEN } truth;

/* What a row of a set says of a system that may be a part of it. */
typedef struct claim {
  isl_mat *matrix; /* borrowed */
  int i;
  bool equality;
  unsigned end;  /* columns but divisions */
  int64_t times; /* it holds where this divides the row; 1: where the row is at least 0, of an equality 0 */
} claim;

static bool is_zero_at(isl_mat *matrix, int i, unsigned k) {
  isl_val *v = isl_mat_get_element_val(matrix, i, (int)k);
  bool zero = isl_val_is_zero(v) == isl_bool_true;
  isl_val_free(v);
  return zero;
}

static unsigned rows_with(isl_mat *matrix, unsigned k) {
  unsigned n = 0;
  for (int i = 0; i < (int)isl_mat_rows(matrix); i++) n += !is_zero_at(matrix, i, k);
  return n;
}

/* The row has one division, and no other row has that; false when it has others. */
static bool read_times(claim *c, isl_mat *other) {
  c->times = 1;
  for (unsigned k = c->end; k < (unsigned)isl_mat_cols(c->matrix); k++) {
    if (is_zero_at(c->matrix, c->i, k)) continue;
    bool alone = c->equality && c->times == 1 && rows_with(c->matrix, k) == 1 && rows_with(other, k) == 0;
    if (!alone || !linear_read_cell(c->matrix, c->i, (int)k, &c->times)) return false;
  }
  return c->times != 0;
}

static bool goes_below(linear_system *s, const int64_t *row) {
  int64_t least = 0;
  linear_answer answer = linear_least(s, row, &least);
  return answer == LINEAR_NONE || (answer == LINEAR_FOUND && least < 0);
}

/* Of a row that is not implied. */
static bool is_refuted(linear_system *s, int64_t *row, bool equality) {
  if (goes_below(s, row)) return true;
  for (unsigned k = 0; equality && k < linear_n_columns(s); k++) row[k] = -row[k];
  return equality && goes_below(s, row);
}

static truth truth_of(linear_system *s, const claim *c, alignment at, bool refute) {
  int64_t *row = pm_xcalloc(linear_n_columns(s) + 1, sizeof *row);
  bool more = false;
  truth found = OPEN;
  if (!read_row(s, c->matrix, c->i, c->end, at, row, &more) || (more && c->equality))
    found = OPEN;
  else if (c->times != 1)
    found = linear_is_multiple(s, row, c->times) ? SHOWN : OPEN;
  else if (linear_implies_row(s, row, c->equality))
    found = SHOWN;
  else if (refute && !more && is_refuted(s, row, c->equality))
    found = REFUTED;
  free(row);
  return found;
}

/* Of the rows of the first matrix. */
static truth truth_of_rows(linear_system *s, isl_mat *matrix, isl_mat *other, claim like, alignment at,
                           bool refute) {
  truth all = SHOWN;
  for (int i = 0; (all == SHOWN || (refute && all == OPEN)) && i < (int)isl_mat_rows(matrix); i++) {
    claim c = {matrix, i, like.equality, like.end, 1};
    truth one = read_times(&c, other) ? truth_of(s, &c, at, refute) : OPEN;
    if (one != SHOWN) all = one;
  }
  return all;
}

/* All points of the system are in the set; refuted where that is asked for. */
static truth is_inside(linear_system *s, isl_basic_set *whole, alignment at, bool refute) {
  isl_mat *equalities = linear_equalities(whole), *inequalities = linear_inequalities(whole);
  unsigned end = (unsigned)isl_mat_cols(equalities) - (unsigned)isl_basic_set_dim(whole, isl_dim_div);
  claim of = {.equality = true, .end = end};
  truth all = truth_of_rows(s, equalities, inequalities, of, at, refute);
  of.equality = false;
  if (all == SHOWN || (refute && all == OPEN)) {
    truth more = truth_of_rows(s, inequalities, equalities, of, at, refute);
    if (more != SHOWN) all = more;
  }
  isl_mat_free(equalities);
  isl_mat_free(inequalities);
  return all;
}

bool linear_is_subset(isl_basic_set *part, isl_basic_set *whole) {
  linear_system *s = linear_same_dims(part, whole) ? linear_system_new(part) : NULL;
  bool subset = s && is_inside(s, whole, as_they_are, false) == SHOWN;
  linear_system_free(s);
  return subset;
}

/* Of one part; refuted only when the other set has one part too. */
static truth is_inside_one(isl_basic_set *part, isl_basic_set_list *wholes, alignment at, bool refute) {
  linear_system *s = linear_system_new(part);
  int n = (int)isl_basic_set_list_n_basic_set(wholes);
  truth found = s && linear_is_empty(s) ? SHOWN : OPEN;
  for (int i = 0; s && found == OPEN && i < n; i++) {
    isl_basic_set *whole = isl_basic_set_list_get_basic_set(wholes, i);
    found = is_inside(s, whole, at, refute && n == 1);
    isl_basic_set_free(whole);
  }
  linear_system_free(s);
  return found;
}

/* Every part, which is taken, is a part of one of the others, which are taken; both have the same params. */
static truth are_inside(__isl_take isl_set *part, __isl_take isl_set *whole, alignment at, bool refute) {
  isl_basic_set_list *parts = isl_set_get_basic_set_list(part), *wholes = isl_set_get_basic_set_list(whole);
  truth all = parts && wholes ? SHOWN : OPEN;
  for (int i = 0; all == SHOWN && i < (int)isl_basic_set_list_n_basic_set(parts); i++) {
    isl_basic_set *one = isl_basic_set_list_get_basic_set(parts, i);
    all = is_inside_one(one, wholes, at, refute);
    isl_basic_set_free(one);
  }
  isl_basic_set_list_free(parts);
  isl_basic_set_list_free(wholes);
  isl_set_free(part);
  isl_set_free(whole);
  return all;
}

/* The tuples of the given types of both are the same. Takes the spaces. */
static bool match(__isl_take isl_space *a, enum isl_dim_type ta, __isl_take isl_space *b,
                  enum isl_dim_type tb) {
  bool equal = isl_space_tuple_is_equal(a, ta, b, tb) == isl_bool_true;
  isl_space_free(a);
  isl_space_free(b);
  return equal;
}

/* Gives both, in place, the params of both in one order. */
static void align_params(isl_set **a, isl_set **b) {
  if (isl_have_equal_params(isl_set_get_space(*a), isl_set_get_space(*b))) return;
  *a = isl_set_align_params(*a, isl_set_get_space(*b));
  *b = isl_set_align_params(*b, isl_set_get_space(*a));
}

bool linear_map_is_subset(isl_map *part, isl_map *whole) {
  if (!match(isl_map_get_space(part), isl_dim_in, isl_map_get_space(whole), isl_dim_in) ||
      !match(isl_map_get_space(part), isl_dim_out, isl_map_get_space(whole), isl_dim_out))
    return false;
  isl_set *pairs = isl_map_wrap(isl_map_copy(part)), *all = isl_map_wrap(isl_map_copy(whole));
  align_params(&pairs, &all);
  return are_inside(pairs, all, as_they_are, false) == SHOWN;
}

bool linear_range_is_subset(isl_map *map, isl_set *range) {
  if (!match(isl_map_get_space(map), isl_dim_out, isl_set_get_space(range), isl_dim_set)) return false;
  isl_set *pairs = isl_map_wrap(isl_map_copy(map)), *all = isl_set_copy(range);
  align_params(&pairs, &all);
  alignment at = {1 + (unsigned)isl_set_dim(pairs, isl_dim_param), (unsigned)isl_map_dim(map, isl_dim_in)};
  return are_inside(pairs, all, at, false) == SHOWN;
}

/* What isl answered, NULL: nothing; then the map itself, which is taken. */
static __isl_give isl_map *answer_or(__isl_take isl_map *answer, __isl_take isl_map *map) {
  if (isl_answered(isl_map_get_ctx(map))) {
    isl_map_free(map);
    return answer;
  }
  return map;
}

__isl_give isl_map *linear_subtract(__isl_take isl_map *map, __isl_take isl_map *minus) {
  if (!linear_map_is_subset(map, minus)) {
    isl_ask(isl_map_get_ctx(map));
    return answer_or(isl_map_subtract(isl_map_copy(map), minus), map);
  }
  isl_map *none = isl_map_empty(isl_map_get_space(map));
  isl_map_free(map);
  isl_map_free(minus);
  return none;
}

__isl_give isl_map *linear_subtract_range(__isl_take isl_map *map, __isl_take isl_set *minus) {
  if (!linear_range_is_subset(map, minus)) {
    isl_ask(isl_map_get_ctx(map));
    return answer_or(isl_map_subtract_range(isl_map_copy(map), minus), map);
  }
  isl_map *none = isl_map_empty(isl_map_get_space(map));
  isl_map_free(map);
  isl_set_free(minus);
  return none;
}

__isl_give isl_set *linear_set_subtract(__isl_take isl_set *set, __isl_take isl_set *minus) {
  return isl_map_range(linear_subtract_range(isl_map_from_range(set), minus));
}

static truth is_set_inside(isl_set *part, isl_set *whole, bool refute) {
  if (part == whole) return SHOWN;
  if (!match(isl_set_get_space(part), isl_dim_set, isl_set_get_space(whole), isl_dim_set)) return OPEN;
  isl_set *points = isl_set_copy(part), *all = isl_set_copy(whole);
  align_params(&points, &all);
  return are_inside(points, all, as_they_are, refute);
}

bool linear_set_is_subset(isl_set *part, isl_set *whole) {
  return is_set_inside(part, whole, false) == SHOWN;
}

bool linear_decide_subset(isl_set *part, isl_set *whole) {
  truth found = is_set_inside(part, whole, true);
  if (found != OPEN) return found == SHOWN;
  isl_ask(isl_set_get_ctx(part));
  bool inside = isl_set_is_subset(part, whole) == isl_bool_true;
  return isl_answered(isl_set_get_ctx(part)) && inside;
}

bool linear_decide_equal(isl_set *a, isl_set *b) {
  truth found = is_set_inside(a, b, true), back = found == SHOWN ? is_set_inside(b, a, true) : found;
  if (back != OPEN) return back == SHOWN;
  isl_ask(isl_set_get_ctx(a));
  bool equal = isl_set_is_equal(a, b) == isl_bool_true;
  return isl_answered(isl_set_get_ctx(a)) && equal;
}

/* --- emptiness --- */

typedef enum emptiness { EMPTY, NOT_EMPTY, UNKNOWN } emptiness;

static emptiness emptiness_of(__isl_take isl_basic_set *set) {
  linear_system *s = linear_system_new(set);
  emptiness found = s && linear_is_empty(s) ? EMPTY : s && linear_has_point(s) ? NOT_EMPTY : UNKNOWN;
  linear_system_free(s);
  isl_basic_set_free(set);
  return found;
}

static emptiness emptiness_of_parts(isl_set *set) {
  isl_basic_set_list *list = isl_set_get_basic_set_list(set);
  emptiness found = list ? EMPTY : UNKNOWN;
  for (int i = 0; found == EMPTY && i < (int)isl_basic_set_list_n_basic_set(list); i++)
    found = emptiness_of(isl_basic_set_list_get_basic_set(list, i));
  isl_basic_set_list_free(list);
  return found;
}

bool linear_set_is_empty(isl_set *set) {
  emptiness found = emptiness_of_parts(set);
  if (found != UNKNOWN) return found == EMPTY;
  isl_ask(isl_set_get_ctx(set));
  bool empty = isl_set_is_empty(set) == isl_bool_true;
  return isl_answered(isl_set_get_ctx(set)) && empty;
}

bool linear_map_is_empty(isl_map *map) {
  isl_set *set = isl_map_wrap(isl_map_copy(map));
  bool empty = linear_set_is_empty(set);
  isl_set_free(set);
  return empty;
}

/* --- parts --- */

/* The list (taken) with the part (taken), if that has points. */
static isl_set_list *with_part(isl_set_list *list, isl_basic_set *part) {
  emptiness found = emptiness_of(isl_basic_set_copy(part));
  if (found == NOT_EMPTY || (found == UNKNOWN && isl_basic_set_is_empty(part) != isl_bool_true))
    return isl_set_list_add(list, isl_set_from_basic_set(part));
  isl_basic_set_free(part);
  return list;
}

__isl_give isl_set *linear_intersect_params(__isl_take isl_set *set, __isl_take isl_set *params) {
  align_params(&set, &params);
  if (!set || isl_set_n_basic_set(params) != 1) return isl_set_intersect_params(set, params);
  isl_space *space = isl_set_get_space(set);
  isl_basic_set_list *parts = isl_set_get_basic_set_list(set), *facts = isl_set_get_basic_set_list(params);
  isl_set_list *both = isl_set_list_alloc(isl_set_get_ctx(set), 1);
  for (int i = 0; i < isl_basic_set_list_n_basic_set(parts); i++)
    both = with_part(both, isl_basic_set_intersect_params(isl_basic_set_list_get_basic_set(parts, i),
                                                          isl_basic_set_list_get_basic_set(facts, 0)));
  isl_basic_set_list_free(parts);
  isl_basic_set_list_free(facts);
  isl_set_free(set);
  isl_set_free(params);
  return isl_take_union(both, space);
}

typedef isl_basic_map *basic_product(isl_basic_map *a, isl_basic_map *b);

/* The products of each part of one with each of the other; NULL when one is NULL or has no parts. Both are
 * borrowed, and have the same params. */
static isl_map *product_of_parts(isl_map *a, isl_map *b, basic_product *product) {
  if (!a || !b) return NULL;
  isl_basic_map_list *of_a = isl_map_get_basic_map_list(a), *of_b = isl_map_get_basic_map_list(b);
  isl_set_list *both = isl_set_list_alloc(isl_map_get_ctx(a), 1);
  isl_space *space = NULL;
  for (int i = 0; i < isl_basic_map_list_n_basic_map(of_a); i++)
    for (int k = 0; k < isl_basic_map_list_n_basic_map(of_b); k++) {
      isl_basic_set *part = isl_basic_map_wrap(
          product(isl_basic_map_list_get_basic_map(of_a, i), isl_basic_map_list_get_basic_map(of_b, k)));
      if (!space) space = isl_basic_set_get_space(part);
      both = with_part(both, part);
    }
  isl_basic_map_list_free(of_a);
  isl_basic_map_list_free(of_b);
  if (space) return isl_set_unwrap(isl_take_union(both, space));
  isl_set_list_free(both);
  return NULL;
}

__isl_give isl_map *linear_flat_domain_product(__isl_take isl_map *a, __isl_take isl_map *b) {
  a = isl_map_align_params(a, isl_map_get_space(b));
  b = isl_map_align_params(b, isl_map_get_space(a));
  isl_map *both = product_of_parts(a, b, isl_basic_map_domain_product);
  if (!both) return isl_map_flat_domain_product(a, b);
  isl_map_free(a);
  isl_map_free(b);
  return isl_map_flatten_domain(both);
}

__isl_give isl_map *linear_flat_range_product(__isl_take isl_map *a, __isl_take isl_map *b) {
  a = isl_map_align_params(a, isl_map_get_space(b));
  b = isl_map_align_params(b, isl_map_get_space(a));
  isl_map *both = product_of_parts(a, b, isl_basic_map_range_product);
  if (!both) return isl_map_flat_range_product(a, b);
  isl_map_free(a);
  isl_map_free(b);
  return isl_map_flatten_range(both);
}

/* --- ranges --- */

typedef struct range {
  int64_t low, high;
  bool any;
} range;

/* Of the row, and of its negative, which it is then, for the points of one part. */
static linear_answer widen_range(linear_system *s, int64_t *row, range *r) {
  int64_t low = 0, high = 0;
  linear_answer answer = linear_least(s, row, &low);
  for (unsigned k = 0; k < linear_n_columns(s); k++) row[k] = -row[k];
  if (answer == LINEAR_FOUND) answer = linear_least(s, row, &high);
  r->low = !r->any || low < r->low ? low : r->low;
  r->high = !r->any || -high > r->high ? -high : r->high;
  r->any = true;
  return answer;
}

/* Takes the part. The row lacks the columns of divisions. */
static linear_answer widen_by_part(__isl_take isl_basic_set *part, const int64_t *row, unsigned n, range *r) {
  linear_system *s = linear_system_new(part);
  linear_answer answer = !s ? LINEAR_UNKNOWN : LINEAR_FOUND;
  if (s && !linear_is_empty(s)) {
    int64_t *cells = pm_xcalloc(linear_n_columns(s), sizeof *cells);
    memcpy(cells, row, n * sizeof *cells);
    answer = widen_range(s, cells, r);
    free(cells);
  }
  linear_system_free(s);
  isl_basic_set_free(part);
  return answer;
}

/* The least and greatest value of a row of n columns on the set. */
static linear_answer find_range(isl_set *set, const int64_t *row, unsigned n, int64_t *low, int64_t *high) {
  isl_basic_set_list *parts = isl_set_get_basic_set_list(set);
  range r = {0};
  linear_answer answer = LINEAR_FOUND;
  for (int i = 0; answer == LINEAR_FOUND && i < (int)isl_basic_set_list_n_basic_set(parts); i++)
    answer = widen_by_part(isl_basic_set_list_get_basic_set(parts, i), row, n, &r);
  isl_basic_set_list_free(parts);
  *low = r.low;
  *high = r.high;
  return r.any ? answer : LINEAR_UNKNOWN;
}

static unsigned n_plain_columns(isl_set *set) {
  return 1 + (unsigned)isl_set_dim(set, isl_dim_param) + (unsigned)isl_set_dim(set, isl_dim_set);
}

linear_answer linear_dim_range(isl_set *set, unsigned dim, int64_t *low, int64_t *high) {
  unsigned n = n_plain_columns(set);
  int64_t *row = pm_xcalloc(n, sizeof *row);
  row[1 + (unsigned)isl_set_dim(set, isl_dim_param) + dim] = 1;
  linear_answer answer = find_range(set, row, n, low, high);
  free(row);
  return answer;
}

linear_box linear_box_of(isl_set *set) {
  linear_box box = {(unsigned)isl_set_dim(set, isl_dim_set), NULL, NULL};
  box.low = pm_xcalloc(2 * box.n + 1, sizeof *box.low);
  box.high = box.low + box.n;
  for (unsigned d = 0; d < box.n; d++)
    if (linear_dim_range(set, d, &box.low[d], &box.high[d]) != LINEAR_FOUND) {
      box.low[d] = INT64_MIN;
      box.high[d] = INT64_MAX;
    }
  return box;
}

void linear_box_free(linear_box box) {
  free(box.low);
}

bool linear_are_apart(const linear_box *a, const linear_box *b) {
  bool apart = false;
  for (unsigned d = 0; d < a->n; d++) apart = apart || a->high[d] < b->low[d] || b->high[d] < a->low[d];
  return apart;
}

linear_answer linear_greatest_difference(isl_set *set, unsigned dim, int64_t *difference) {
  isl_set *pairs = isl_map_wrap(isl_map_from_domain_and_range(isl_set_copy(set), isl_set_copy(set)));
  unsigned n = n_plain_columns(pairs), first = 1 + (unsigned)isl_set_dim(set, isl_dim_param) + dim;
  int64_t *row = pm_xcalloc(n, sizeof *row), least;
  row[first] = -1;
  row[first + (unsigned)isl_set_dim(set, isl_dim_set)] = 1;
  linear_answer answer = find_range(pairs, row, n, &least, difference);
  free(row);
  isl_set_free(pairs);
  return answer;
}

/* Numbers of functions are below it. */
static const int64_t MOST_IN_FUNCTION = INT64_C(1) << 32;

/* Adds the coefficients of one kind, times the denominator; false when one is large. */
static bool read_coefficients(isl_aff *aff, enum isl_dim_type type, isl_val *den, int64_t *row) {
  bool ok = true;
  for (int i = 0; ok && i < (int)isl_aff_dim(aff, type); i++) {
    isl_val *v = isl_val_mul(isl_aff_get_coefficient_val(aff, type, i), isl_val_copy(den));
    ok = isl_take_int_below(v, MOST_IN_FUNCTION, &row[i]);
  }
  return ok;
}

static bool uses_divisions(isl_aff *aff) {
  bool uses = false;
  for (int i = 0; i < (int)isl_aff_dim(aff, isl_dim_div) && !uses; i++) {
    isl_val *v = isl_aff_get_coefficient_val(aff, isl_dim_div, i);
    uses = isl_val_is_zero(v) != isl_bool_true;
    isl_val_free(v);
  }
  return uses;
}

/* The function as a row, which is divided by *den; false when it has divisions or a number is large. */
static bool read_aff(isl_aff *aff, int64_t *row, int64_t *den) {
  unsigned n_params = (unsigned)isl_aff_dim(aff, isl_dim_param);
  isl_val *by = isl_aff_get_denominator_val(aff);
  isl_val *constant = isl_val_mul(isl_aff_get_constant_val(aff), isl_val_copy(by));
  bool ok = !uses_divisions(aff) && isl_take_int_below(isl_val_copy(by), MOST_IN_FUNCTION, den);
  ok = isl_take_int_below(constant, MOST_IN_FUNCTION, &row[0]) && ok;
  ok = ok && read_coefficients(aff, isl_dim_param, by, row + 1) &&
       read_coefficients(aff, isl_dim_in, by, row + 1 + n_params);
  isl_val_free(by);
  return ok;
}

static bool is_function_on(isl_aff *aff, isl_set *set) {
  isl_space *domain = isl_aff_get_domain_space(aff), *space = isl_set_get_space(set);
  bool is = isl_space_is_equal(domain, space) == isl_bool_true;
  isl_space_free(domain);
  isl_space_free(space);
  return is;
}

/* Takes the part. */
static bool part_differs(__isl_take isl_basic_set *part, const int64_t *row, unsigned n, int64_t by) {
  linear_system *s = linear_system_new(part);
  int64_t *cells = pm_xcalloc(s ? linear_n_columns(s) : 1, sizeof *cells), low = 0, high = 0;
  if (s) memcpy(cells, row, n * sizeof *cells);
  bool found = s && linear_low_value(s, cells, &low);
  for (unsigned k = 0; found && k < n; k++) cells[k] = -cells[k];
  found = found && linear_low_value(s, cells, &high) && -high - low >= by;
  free(cells);
  linear_system_free(s);
  isl_basic_set_free(part);
  return found;
}

/* The function, on the set, as a row of *n columns, which is divided by *den; NULL when it is none. */
static int64_t *row_of_function(isl_set *set, isl_aff *function, unsigned *n, int64_t *den) {
  *n = n_plain_columns(set);
  int64_t *row = pm_xcalloc(*n, sizeof *row);
  isl_aff *aff = isl_aff_align_params(isl_aff_copy(function), isl_set_get_space(set));
  bool ok = is_function_on(aff, set) && read_aff(aff, row, den);
  isl_aff_free(aff);
  if (ok) return row;
  free(row);
  return NULL;
}

/* The set with the params of the function too, behind its own. */
static isl_set *with_params_of(isl_set *set, isl_aff *function) {
  if (isl_have_equal_params(isl_set_get_space(set), isl_aff_get_domain_space(function)))
    return isl_set_copy(set);
  isl_space *all = isl_space_align_params(isl_aff_get_domain_space(function), isl_set_get_space(set));
  return isl_set_align_params(isl_set_copy(set), all);
}

bool linear_floors_differ(isl_set *points, isl_aff *function, int64_t by) {
  unsigned n;
  isl_set *set = with_params_of(points, function);
  int64_t den = 1, *row = row_of_function(set, function, &n, &den);
  isl_basic_set_list *parts = isl_set_get_basic_set_list(set);
  bool found = false;
  for (int i = 0; row && !found && i < (int)isl_basic_set_list_n_basic_set(parts); i++)
    found = part_differs(isl_basic_set_list_get_basic_set(parts, i), row, n, by * den);
  isl_basic_set_list_free(parts);
  isl_set_free(set);
  free(row);
  return found;
}

linear_answer linear_floor_range(isl_set *points, isl_aff *function, int64_t *low, int64_t *high) {
  unsigned n;
  isl_set *set = with_params_of(points, function);
  int64_t den = 1, *row = row_of_function(set, function, &n, &den);
  *low = *high = 0;
  linear_answer answer = row ? find_range(set, row, n, low, high) : LINEAR_UNKNOWN;
  free(row);
  isl_set_free(set);
  *low = pm_floor_div(*low, den);
  *high = pm_floor_div(*high, den);
  return answer;
}
