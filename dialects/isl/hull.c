#include "dialects/isl/hull.h"

__isl_give isl_basic_set *isl_hull_within(__isl_take isl_set *set, isl_set *context) {
  if (isl_set_n_basic_set(set) < 2) return isl_set_simple_hull(set);
  set = isl_set_gist_params(set, isl_set_copy(context));
  return isl_set_simple_hull(
      isl_set_intersect_params(isl_set_from_basic_set(isl_set_simple_hull(set)), isl_set_copy(context)));
}
