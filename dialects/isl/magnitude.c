#include "dialects/isl/magnitude.h"

#include "dialects/isl/linear.h"

#include <isl/ilp.h>
#include <isl/val.h>

enum { SMALL_BITS = 20 };

/* In absolute value; infinity and what is no number are not. */
static bool is_below(__isl_take isl_val *value, unsigned bits) {
  isl_val *limit = isl_val_2exp(isl_val_int_from_ui(isl_val_get_ctx(value), bits));
  bool below = isl_val_is_rat(value) == isl_bool_true;
  isl_val *magnitude = isl_val_abs(value);
  below = below && isl_val_lt(magnitude, limit) == isl_bool_true;
  isl_val_free(magnitude);
  isl_val_free(limit);
  return below;
}

static bool has_numbers(isl_aff *aff, unsigned bits);

static bool has_numbers_in_division(isl_aff *aff, int i, unsigned bits) {
  isl_aff *division = isl_aff_get_div(aff, i);
  bool large = has_numbers(division, bits);
  isl_aff_free(division);
  return large;
}

/* Of that many bits or more. Borrows; divisions that it does not have count as 0. */
static bool has_numbers(isl_aff *aff, unsigned bits) {
  static const enum isl_dim_type types[] = {isl_dim_param, isl_dim_in, isl_dim_div};
  bool large =
      !is_below(isl_aff_get_constant_val(aff), bits) || !is_below(isl_aff_get_denominator_val(aff), bits);
  for (size_t t = 0; t < PM_COUNT(types); t++)
    for (int i = 0; !large && i < (int)isl_aff_dim(aff, types[t]); i++) {
      isl_val *coefficient = isl_aff_get_coefficient_val(aff, types[t], i);
      bool none = isl_val_is_zero(coefficient) == isl_bool_true;
      large = !is_below(coefficient, bits) ||
              (!none && types[t] == isl_dim_div && has_numbers_in_division(aff, i, bits));
    }
  return large;
}

typedef struct number_search {
  unsigned bits;
  bool found;
} number_search;

static isl_stat find_numbers(__isl_take isl_set *set, __isl_take isl_aff *aff, void *user) {
  number_search *search = user;
  search->found = search->found || has_numbers(aff, search->bits);
  isl_set_free(set);
  isl_aff_free(aff);
  return isl_stat_ok;
}

bool isl_has_numbers(isl_pw_aff *function, unsigned bits) {
  number_search search = {bits, false};
  isl_pw_aff_foreach_piece(function, find_numbers, &search);
  return search.found;
}

bool isl_has_large_numbers(isl_pw_aff *function) {
  return isl_has_numbers(function, SMALL_BITS);
}

static bool has_large_values(isl_pw_aff *function) {
  return !(is_below(isl_pw_aff_max_val(isl_pw_aff_copy(function)), ISL_NUMBER_BITS) &&
           is_below(isl_pw_aff_min_val(isl_pw_aff_copy(function)), ISL_NUMBER_BITS));
}

bool isl_take_is_too_large(__isl_take isl_pw_aff *function) {
  bool large = isl_has_large_numbers(function);
  isl_set *domain = isl_pw_aff_domain(isl_pw_aff_copy(function));
  large = large && isl_set_is_empty(domain) != isl_bool_true;
  isl_set_free(domain);
  large = large && (isl_has_numbers(function, ISL_NUMBER_BITS) || has_large_values(function));
  isl_pw_aff_free(function);
  return large;
}

bool isl_aff_has_large_numbers(isl_aff *function) {
  return has_numbers(function, SMALL_BITS);
}

/* Shown without isl. */
static bool is_small_on(isl_aff *function, isl_set *points) {
  const int64_t limit = INT64_C(1) << (ISL_NUMBER_BITS - 1);
  int64_t low, high;
  return !has_numbers(function, ISL_NUMBER_BITS) &&
         linear_floor_range(points, function, &low, &high) == LINEAR_FOUND && low > -limit && high < limit;
}

bool isl_is_too_large_on(isl_aff *function, isl_set *points) {
  if (is_small_on(function, points)) return false;
  isl_pw_aff *there = isl_pw_aff_from_aff(isl_aff_copy(function));
  return isl_take_is_too_large(isl_pw_aff_intersect_domain(there, isl_set_copy(points)));
}
