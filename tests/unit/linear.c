/* Linear systems: what they show of random sets is what isl says, and it is most of what isl says. */
#include "dialects/dialects.h"
#include "dialects/isl/linear.h"
#include "dialects/isl/take.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <stdio.h>
#include <stdlib.h>

enum { SETS = 400, DIMS = 3, PARAMS = 1 };

static unsigned state;

static int pick(int low, int high) {
  state = state * 1103515245u + 12345u;
  return low + (int)((state >> 16) % (unsigned)(high - low + 1));
}

/* Of one in ten a number as of a size of 64 bits. */
static isl_constraint *with_random_constant(isl_constraint *c) {
  isl_val *constant = isl_val_int_from_si(isl_constraint_get_ctx(c), pick(-6, 9));
  isl_val *large = isl_val_2exp(isl_val_int_from_si(isl_constraint_get_ctx(c), 40));
  if (pick(0, 9) == 0)
    constant = isl_val_mul(constant, large);
  else
    isl_val_free(large);
  return isl_constraint_set_constant_val(c, constant);
}

static isl_constraint *random_constraint(isl_local_space *space, bool equality) {
  isl_constraint *c = equality ? isl_constraint_alloc_equality(isl_local_space_copy(space))
                               : isl_constraint_alloc_inequality(isl_local_space_copy(space));
  for (int d = 0; d < DIMS; d++) c = isl_constraint_set_coefficient_si(c, isl_dim_set, d, pick(-2, 2));
  c = isl_constraint_set_coefficient_si(c, isl_dim_param, 0, pick(-1, 1));
  return with_random_constant(c);
}

static isl_basic_set *random_set(isl_ctx *isl) {
  isl_space *space = isl_space_set_alloc(isl, PARAMS, DIMS);
  isl_local_space *local = isl_local_space_from_space(isl_space_copy(space));
  isl_basic_set *set = isl_basic_set_universe(space);
  int n = pick(1, 9);
  for (int i = 0; i < n; i++)
    set = isl_basic_set_add_constraint(set, random_constraint(local, pick(0, 7) == 0));
  isl_local_space_free(local);
  return set;
}

/* With a multiple of 2 or 3 that is near a sum of the dimensions. */
static isl_basic_set *random_set_with_division(isl_ctx *isl) {
  isl_basic_set *set = isl_basic_set_insert_dims(random_set(isl), isl_dim_set, DIMS, 1);
  isl_local_space *local = isl_local_space_from_space(isl_basic_set_get_space(set));
  int factor = pick(2, 3), slack = pick(0, factor - 1);
  isl_constraint *low = random_constraint(local, false);
  isl_local_space_free(local);
  low = isl_constraint_set_coefficient_si(low, isl_dim_set, DIMS, factor);
  isl_aff *above = isl_aff_add_constant_si(isl_aff_neg(isl_constraint_get_aff(low)), slack);
  set = isl_basic_set_add_constraint(set, isl_inequality_from_aff(above));
  return isl_basic_set_project_out(isl_basic_set_add_constraint(set, low), isl_dim_set, DIMS, 1);
}

static isl_map *map_of(isl_basic_set *set) {
  return isl_map_from_range(isl_set_from_basic_set(isl_basic_set_copy(set)));
}

/* So that nothing is proven of what isl could not make. */
static void no_map_is_not_empty(void **unused) {
  (void)unused;
  assert_false(linear_map_is_empty(NULL));
}

static void empty_sets_are_found(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  unsigned n_empty = 0, n_shown = 0, n_points = 0;
  state = 1;
  for (int i = 0; i < SETS; i++) {
    isl_basic_set *set = i % 4 ? random_set(isl) : random_set_with_division(isl);
    isl_map *map = map_of(set);
    linear_system *s = linear_system_new(set);
    bool empty = isl_basic_set_is_empty(set) == isl_bool_true;
    assert_non_null(s);
    assert_int_equal(linear_map_is_empty(map), empty);
    assert_false(linear_is_empty(s) && !empty);
    assert_false(linear_has_point(s) && empty);
    n_empty += empty;
    n_shown += linear_is_empty(s);
    n_points += linear_has_point(s);
    linear_system_free(s);
    isl_map_free(map);
    isl_basic_set_free(set);
  }
  assert_true(n_empty > SETS / 20 && n_shown > n_empty / 2 && n_points > SETS / 4);
  isl_ctx_free(isl);
}

/* Of the first dimension. */
static isl_val *least_by_isl(isl_basic_set *set) {
  isl_set *whole = isl_set_from_basic_set(isl_basic_set_copy(set));
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(whole));
  isl_aff *first = isl_aff_var_on_domain(local, isl_dim_set, 0);
  isl_val *least = isl_set_min_val(whole, first);
  isl_aff_free(first);
  isl_set_free(whole);
  return least;
}

static void least_values_are_those_of_isl(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  unsigned n_least = 0, n_found = 0, n_none = 0;
  state = 4;
  for (int i = 0; i < SETS; i++) {
    isl_basic_set *set = i % 2 ? random_set(isl) : random_set_with_division(isl);
    linear_system *s = linear_system_new(set);
    int64_t row[1 + PARAMS + DIMS + 8] = {[1 + PARAMS] = 1}, least = 0;
    assert_true(linear_n_columns(s) <= PM_COUNT(row));
    isl_val *expected = least_by_isl(set);
    linear_answer answer = linear_least(s, row, &least);
    if (answer == LINEAR_FOUND) assert_int_equal(isl_val_cmp_si(expected, (long)least), 0);
    if (answer == LINEAR_NONE) assert_true(isl_val_is_neginfty(expected) == isl_bool_true);
    n_least += isl_val_is_int(expected) == isl_bool_true;
    n_found += answer == LINEAR_FOUND;
    n_none += answer == LINEAR_NONE;
    isl_val_free(expected);
    linear_system_free(s);
    isl_basic_set_free(set);
  }

  assert_true(n_least > SETS / 8 && n_found > n_least / 3 && n_none > SETS / 8);
  isl_ctx_free(isl);
}

/* Of the first dimension and of a third of it, rounded down. */
static void ranges_are_those_of_isl(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  unsigned n_found = 0;
  state = 5;
  for (int i = 0; i < SETS; i++) {
    isl_set *set = isl_set_from_basic_set(random_set(isl));
    for (int d = 0; d < DIMS; d++) {
      set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)d, -7);
      set = isl_set_upper_bound_si(set, isl_dim_set, (unsigned)d, 7);
    }
    if (i % 2) set = isl_set_union(set, isl_set_fix_si(isl_set_copy(set), isl_dim_set, 1, 3));
    isl_aff *first =
        isl_aff_var_on_domain(isl_local_space_from_space(isl_set_get_space(set)), isl_dim_set, 0);
    isl_aff *third = isl_aff_scale_down_ui(first, 3);
    int64_t low, high, low_third, high_third;
    if (linear_dim_range(set, 0, &low, &high) == LINEAR_FOUND) {
      isl_val *least = isl_set_dim_min_val(isl_set_copy(set), 0),
              *most = isl_set_dim_max_val(isl_set_copy(set), 0);
      assert_int_equal(isl_val_cmp_si(least, (long)low), 0);
      assert_int_equal(isl_val_cmp_si(most, (long)high), 0);
      isl_val_free(least);
      isl_val_free(most);
      assert_int_equal(linear_floor_range(set, third, &low_third, &high_third), LINEAR_FOUND);
      assert_int_equal(low_third, pm_floor_div(low, 3));
      assert_int_equal(high_third, pm_floor_div(high, 3));
      n_found++;
    }
    isl_aff_free(third);
    isl_set_free(set);
  }

  assert_true(n_found > SETS / 4);
  isl_ctx_free(isl);
}

static void subsets_are_subsets(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  unsigned n_subsets = 0, n_shown = 0;
  state = 2;
  for (int i = 0; i < SETS; i++) {
    isl_basic_set *whole = random_set(isl);
    isl_basic_set *part = isl_basic_set_intersect(random_set(isl), isl_basic_set_copy(whole));
    if (pick(0, 1)) part = isl_basic_set_intersect(part, random_set(isl));
    if (pick(0, 3) == 0) whole = isl_basic_set_intersect(whole, random_set(isl));
    bool subset = isl_basic_set_is_subset(part, whole) == isl_bool_true;
    bool shown = linear_is_subset(part, whole);
    assert_false(shown && !subset);
    n_subsets += subset;
    n_shown += shown;
    isl_basic_set_free(part);
    isl_basic_set_free(whole);
  }
  assert_true(n_subsets > SETS / 4 && n_shown > n_subsets * 9 / 10);
  isl_ctx_free(isl);
}

/* `i = 2 k + c` for some k, in a dimension. */
static isl_basic_set *with_stride(isl_basic_set *set) {
  isl_space *space = isl_basic_set_get_space(set);
  isl_set *strided = isl_set_add_dims(isl_set_universe(space), isl_dim_set, 1);
  isl_local_space *local = isl_local_space_from_space(isl_set_get_space(strided));
  isl_constraint *c = isl_constraint_alloc_equality(local);
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, pick(0, DIMS - 1), 1);
  c = isl_constraint_set_coefficient_si(c, isl_dim_set, DIMS, pick(2, 4));
  c = isl_constraint_set_constant_si(c, pick(0, 3));
  strided = isl_set_project_out(isl_set_add_constraint(strided, c), isl_dim_set, DIMS, 1);
  return isl_set_simple_hull(isl_set_intersect(isl_set_from_basic_set(set), strided));
}

static isl_set *whole_of(isl_basic_set *set) {
  return isl_set_from_basic_set(isl_basic_set_copy(set));
}

/* Where it cannot tell, isl is asked; what is counted is what it tells without. */
static void decisions_are_those_of_isl(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  unsigned n_strided = 0, n_equal = 0;
  state = 7;
  for (int i = 0; i < SETS; i++) {
    isl_basic_set *whole = pick(0, 1) ? with_stride(random_set(isl)) : random_set(isl);
    isl_basic_set *part = pick(0, 3) ? isl_basic_set_copy(whole) : random_set(isl);
    if (pick(0, 3)) part = isl_basic_set_intersect(part, random_set(isl));
    isl_set *a = whole_of(part), *b = whole_of(whole);
    bool subset = isl_set_is_subset(a, b) == isl_bool_true;
    assert_int_equal(linear_decide_subset(a, b), subset);
    assert_int_equal(linear_decide_equal(a, b), isl_set_is_equal(a, b) == isl_bool_true);
    n_strided += isl_basic_set_dim(whole, isl_dim_div) > 0 && linear_set_is_subset(a, b);
    n_equal += linear_decide_equal(a, b);
    isl_set_free(a);
    isl_set_free(b);
    isl_basic_set_free(part);
    isl_basic_set_free(whole);
  }
  assert_true(n_strided > SETS / 8 && n_equal > SETS / 8);
  isl_ctx_free(isl);
}

static isl_set *read_set(isl_ctx *isl, const char *text) {
  return isl_set_read_from_str(isl, text);
}

/* Params may be in any order, and more of them in one than in the other. */
static void params_need_no_order(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  isl_set *part = read_set(isl, "[C, R] -> { [i, j] : 0 <= i < R and 0 <= j < C and R <= 9 }");
  isl_set *whole = read_set(isl, "[R] -> { [i, j] : 0 <= i < R and 0 <= j }");
  assert_true(linear_set_is_subset(part, whole));
  assert_false(linear_set_is_subset(whole, part));
  assert_false(linear_decide_subset(whole, part));
  isl_set_free(part);
  isl_set_free(whole);
  isl_ctx_free(isl);
}

/* A bound of 64 bits holds where a smaller one does; it refutes nothing. */
static void large_bounds_are_seen(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  isl_set *bytes = read_set(isl, "{ [v] : 0 <= v <= 255 }");
  isl_set *words = read_set(isl, "{ [v] : -9223372036854775808 <= v <= 9223372036854775807 }");
  isl_set *large = read_set(isl, "{ [v] : 0 <= v <= 4611686018427387904 }");
  assert_true(linear_set_is_subset(bytes, words));
  assert_false(linear_set_is_subset(large, words));
  assert_true(linear_decide_subset(large, words));
  isl_set_free(bytes);
  isl_set_free(words);
  isl_set_free(large);
  isl_ctx_free(isl);
}

static void sets_within_params_are_those_of_isl(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  state = 8;
  for (int i = 0; i < SETS; i++) {
    isl_set *set = isl_set_from_basic_set(random_set(isl)),
            *params = isl_set_params(isl_set_from_basic_set(random_set(isl)));
    isl_set *expected = isl_set_intersect_params(isl_set_copy(set), isl_set_copy(params));
    isl_set *found = linear_intersect_params(set, params);
    assert_true(isl_set_is_equal(found, expected) == isl_bool_true);
    assert_int_equal(isl_set_plain_is_empty(found), isl_set_is_empty(expected));
    isl_set_free(found);
    isl_set_free(expected);
  }
  isl_ctx_free(isl);
}

/* The quotients of the first dimension. */
static void quotients_differ_as_for_isl(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  unsigned n_differ = 0;
  state = 9;
  for (int i = 0; i < SETS; i++) {
    isl_set *set = isl_set_from_basic_set(random_set(isl));
    set = isl_set_upper_bound_si(isl_set_lower_bound_si(set, isl_dim_set, 0, -50), isl_dim_set, 0, 50);
    isl_local_space *local = isl_local_space_from_space(isl_set_get_space(set));
    isl_aff *half = isl_aff_scale_down_ui(isl_aff_var_on_domain(local, isl_dim_set, 0), 2);
    bool differ = linear_floors_differ(set, half, 6);
    isl_val *least = isl_set_dim_min_val(isl_set_copy(set), 0), *most = isl_set_dim_max_val(set, 0);
    isl_val *distance = isl_val_sub(most, least);
    if (differ) assert_true(isl_val_cmp_si(distance, 12) >= 0);
    n_differ += differ;
    isl_val_free(distance);
    isl_aff_free(half);
  }
  assert_true(n_differ > SETS / 4);
  isl_ctx_free(isl);
}

static void gist_says_the_same(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  state = 3;
  for (int i = 0; i < SETS; i++) {
    isl_basic_set *known = random_set(isl), *set = random_set(isl);
    isl_basic_set *gist = linear_gist(isl_basic_set_copy(set), known);
    isl_basic_set *left = isl_basic_set_intersect(gist, isl_basic_set_copy(known));
    isl_basic_set *right = isl_basic_set_intersect(set, isl_basic_set_copy(known));
    assert_int_equal(isl_basic_set_is_equal(left, right), isl_bool_true);
    isl_basic_set *nothing = linear_gist(isl_basic_set_copy(right), right);
    assert_true(isl_basic_set_plain_is_universe(nothing) == isl_bool_true ||
                isl_basic_set_is_empty(right) == isl_bool_true);
    isl_basic_set_free(nothing);
    isl_basic_set_free(left);
    isl_basic_set_free(right);
    isl_basic_set_free(known);
  }
  isl_ctx_free(isl);
}

/* --- take.h --- */

/* Rows 2 i and 2 i + 1 of a picture, for each i; every third is left out where `gaps` are wanted. */
static isl_set_list *bands(isl_ctx *isl, int n, bool gaps) {
  isl_set_list *list = isl_set_list_alloc(isl, n);
  for (int i = 0; i < n; i++) {
    char text[128];
    snprintf(text, sizeof text, "[C] -> { S[x, y] : %d <= x <= %d and 0 <= y < C }", 2 * i, 2 * i + 1);
    if (!gaps || i % 3) list = isl_set_list_add(list, isl_set_read_from_str(isl, text));
  }
  return list;
}

static void unions_of_many_are_those_of_isl(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  for (int n = 0; n <= 300; n = 3 * n + 1) {
    isl_space *space = isl_space_set_tuple_name(isl_space_set_alloc(isl, 0, 2), isl_dim_set, "S");
    isl_set *expected = isl_set_empty(isl_space_copy(space));
    isl_set_list *list = bands(isl, n, true);
    for (int i = 0; i < (int)isl_set_list_n_set(list); i++)
      expected = isl_set_union(expected, isl_set_list_get_set(list, i));
    isl_set *all = isl_take_union(list, space);
    assert_int_equal(isl_set_is_equal(all, expected), isl_bool_true);
    isl_set_free(all);
    isl_set_free(expected);
  }
  isl_ctx_free(isl);
}

/* Bands without gaps are one; with gaps, pairs are. */
static void many_parts_are_joined(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  for (int gaps = 0; gaps < 2; gaps++) {
    isl_set *all = isl_take_union(bands(isl, 300, gaps), isl_space_set_alloc(isl, 0, 2));
    isl_set *joined = isl_coalesce(isl_set_copy(all));
    assert_int_equal(isl_set_is_equal(all, joined), isl_bool_true);
    if (gaps)
      assert_true(isl_set_n_basic_set(joined) <= 110);
    else
      assert_int_equal(isl_set_n_basic_set(joined), 1);
    isl_set_free(all);
    isl_set_free(joined);
  }
  isl_ctx_free(isl);
}

static void params_without_use_are_dropped(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  static const char *const texts[] = {
      "[a, b, c, d, e] -> { S[x] : 0 <= x < b or (x > d and x mod 3 = e mod 3) }",
      "[a, b, c, d, e] -> { S[x] : a <= x }",
      "[a, b, c, d, e] -> { S[x] : x >= e }",
      "[a, b, c, d, e] -> { S[x] : x = 0 }",
      "{ S[x] : x > 0 }",
      "[a, b, c, d, e] -> { S[x] : exists k : x = a + 2 k and c > 0 }"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    isl_set *set = isl_set_read_from_str(isl, texts[i]);
    isl_set *expected = isl_set_drop_unused_params(isl_set_copy(set)), *used = isl_with_used_params(set);
    assert_int_equal(isl_set_dim(used, isl_dim_param), isl_set_dim(expected, isl_dim_param));
    assert_int_equal(isl_set_is_equal(used, expected), isl_bool_true);
    isl_set_free(expected);
    isl_set_free(used);
  }
  isl_ctx_free(isl);
}

/* Sets that boxes tell apart have no point in common. */
static void boxes_are_around(void **unused) {
  (void)unused;
  isl_ctx *isl = isl_ctx_alloc();
  state = 11;
  for (int i = 0; i < SETS; i++) {
    isl_set *a = isl_set_from_basic_set(random_set(isl)), *b = isl_set_from_basic_set(random_set(isl));
    linear_box of_a = linear_box_of(a), of_b = linear_box_of(b);
    if (linear_are_apart(&of_a, &of_b)) assert_int_equal(isl_set_is_disjoint(a, b), isl_bool_true);
    linear_box_free(of_a);
    linear_box_free(of_b);
    isl_set_free(a);
    isl_set_free(b);
  }
  isl_set *bands_of[2] = {isl_set_read_from_str(isl, "[R] -> { [x, y] : 0 <= x <= 1 and 0 <= y < R }"),
                          isl_set_read_from_str(isl, "[R] -> { [x, y] : 2 <= x <= 3 and 0 <= y < R }")};
  linear_box one = linear_box_of(bands_of[0]), other = linear_box_of(bands_of[1]);
  assert_true(linear_are_apart(&one, &other));
  assert_false(linear_are_apart(&one, &one));
  linear_box_free(one);
  linear_box_free(other);
  isl_set_free(bands_of[0]);
  isl_set_free(bands_of[1]);
  isl_ctx_free(isl);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(unions_of_many_are_those_of_isl),
                                     cmocka_unit_test(many_parts_are_joined),
                                     cmocka_unit_test(params_without_use_are_dropped),
                                     cmocka_unit_test(boxes_are_around),
                                     cmocka_unit_test(no_map_is_not_empty),
                                     cmocka_unit_test(empty_sets_are_found),
                                     cmocka_unit_test(least_values_are_those_of_isl),
                                     cmocka_unit_test(ranges_are_those_of_isl),
                                     cmocka_unit_test(subsets_are_subsets),
                                     cmocka_unit_test(gist_says_the_same),
                                     cmocka_unit_test(decisions_are_those_of_isl),
                                     cmocka_unit_test(params_need_no_order),
                                     cmocka_unit_test(large_bounds_are_seen),
                                     cmocka_unit_test(sets_within_params_are_those_of_isl),
                                     cmocka_unit_test(quotients_differ_as_for_isl)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
