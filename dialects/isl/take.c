#include "dialects/isl/take.h"

#include "dialects/isl/budget.h"
#include "dialects/isl/linear.h"

bool isl_take_is_empty(__isl_take isl_map *map) {
  bool empty = linear_map_is_empty(map);
  isl_map_free(map);
  return empty;
}

bool isl_take_is_subset(__isl_take isl_map *a, __isl_take isl_map *b) {
  bool subset = linear_map_is_subset(a, b);
  if (!subset) {
    isl_ask(isl_map_get_ctx(a));
    subset = isl_map_is_subset(a, b) == isl_bool_true;
    subset = isl_answered(isl_map_get_ctx(a)) && subset;
  }
  isl_map_free(a);
  isl_map_free(b);
  return subset;
}

bool isl_take_is_injective(__isl_take isl_map *map) {
  isl_ask(isl_map_get_ctx(map));
  bool injective = isl_map_is_injective(map) == isl_bool_true;
  injective = isl_answered(isl_map_get_ctx(map)) && injective;
  isl_map_free(map);
  return injective;
}

__isl_give isl_set *isl_coalesce(__isl_take isl_set *set) {
  isl_ask(isl_set_get_ctx(set));
  isl_set *simple = isl_set_coalesce(isl_set_copy(set));
  bool answered = isl_answered(isl_set_get_ctx(set));
  isl_set_free(answered ? set : simple);
  return answered ? simple : set;
}

bool isl_take_int_below(__isl_take isl_val *value, int64_t limit, int64_t *out) {
  bool ok = isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, (long)limit) < 0 &&
            isl_val_cmp_si(value, (long)-limit) > 0;
  if (ok) *out = (int64_t)isl_val_get_num_si(value);
  isl_val_free(value);
  return ok;
}
