#include "dialects/isl/take.h"

#include "dialects/isl/linear.h"

bool isl_take_is_empty(__isl_take isl_map *map) {
  bool empty = linear_map_is_empty(map);
  isl_map_free(map);
  return empty;
}

bool isl_take_is_subset(__isl_take isl_map *a, __isl_take isl_map *b) {
  bool subset = linear_map_is_subset(a, b) || isl_map_is_subset(a, b) == isl_bool_true;
  isl_map_free(a);
  isl_map_free(b);
  return subset;
}

bool isl_take_int_below(__isl_take isl_val *value, int64_t limit, int64_t *out) {
  bool ok = isl_val_is_int(value) == isl_bool_true && isl_val_cmp_si(value, (long)limit) < 0 &&
            isl_val_cmp_si(value, (long)-limit) > 0;
  if (ok) *out = (int64_t)isl_val_get_num_si(value);
  isl_val_free(value);
  return ok;
}
