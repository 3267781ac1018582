#include "dialects/isl/hull.h"

#include "dialects/isl/linear.h"

__isl_give isl_basic_set *isl_hull_within(__isl_take isl_set *set, isl_set *context) {
  if (isl_set_n_basic_set(set) < 2) return isl_set_simple_hull(set);
  unsigned rank = (unsigned)isl_set_dim(set, isl_dim_set);
  set = linear_intersect_params(set, isl_set_copy(context));
  /* Pieces without conditions on parameters alone, by which isl would move the bounds of one to hold the
   * others. */
  isl_set *free = isl_set_drop_constraints_not_involving_dims(isl_set_copy(set), isl_dim_set, 0, rank);
  isl_basic_set *hull = isl_set_unshifted_simple_hull(set);
  hull = isl_basic_set_intersect(hull, isl_set_simple_hull(free));
  return isl_set_simple_hull(linear_intersect_params(isl_set_from_basic_set(hull), isl_set_copy(context)));
}
