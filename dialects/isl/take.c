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

/* Of NULL, which isl gives for want of operations, NULL. */
__isl_give isl_set *isl_with_used_params(__isl_take isl_set *set) {
  for (int end = (int)isl_set_dim(set, isl_dim_param), i = end; end > 0; end = i) {
    while (i > 0 && isl_set_involves_dims(set, isl_dim_param, (unsigned)i - 1, 1) == isl_bool_false) i--;
    if (i < end)
      set = isl_set_project_out(set, isl_dim_param, (unsigned)i, (unsigned)(end - i));
    else
      i--;
  }
  return set;
}

__isl_give isl_map *isl_map_with_used_params(__isl_take isl_map *map) {
  int i = (int)isl_map_dim(map, isl_dim_param);
  while (i > 0 && isl_map_involves_dims(map, isl_dim_param, (unsigned)i - 1, 1) != isl_bool_false) i--;
  return i > 0 ? isl_set_unwrap(isl_with_used_params(isl_map_wrap(map))) : map;
}

bool isl_have_equal_params(__isl_take isl_space *a, __isl_take isl_space *b) {
  bool equal = isl_space_has_equal_params(a, b) == isl_bool_true;
  isl_space_free(a);
  isl_space_free(b);
  return equal;
}

static __isl_give isl_set *union_from(__isl_keep isl_set_list *sets, int first, int n) {
  if (n == 1) return isl_set_list_get_set(sets, first);
  return isl_set_union(union_from(sets, first, n / 2), union_from(sets, first + n / 2, n - n / 2));
}

__isl_give isl_set *isl_take_union(__isl_take isl_set_list *sets, __isl_take isl_space *space) {
  int n = (int)isl_set_list_n_set(sets);
  isl_set *all = n > 0 ? union_from(sets, 0, n) : sets ? isl_set_empty(isl_space_copy(space)) : NULL;
  isl_set_list_free(sets);
  isl_space_free(space);
  return all;
}

/* isl compares all pairs of parts. */
enum { MOST_PAIRED = 64 };

static __isl_give isl_set *coalesce_from(__isl_keep isl_set_list *parts, int first, int n) {
  if (n <= MOST_PAIRED) return isl_set_coalesce(union_from(parts, first, n));
  isl_set *all =
      isl_set_union(coalesce_from(parts, first, n / 2), coalesce_from(parts, first + n / 2, n - n / 2));
  return isl_set_n_basic_set(all) <= MOST_PAIRED ? isl_set_coalesce(all) : all;
}

static isl_stat add_part(__isl_take isl_basic_set *part, void *user) {
  isl_set_list **parts = user;
  *parts = isl_set_list_add(*parts, isl_set_from_basic_set(part));
  return isl_stat_ok;
}

static __isl_give isl_set *coalesced(__isl_keep isl_set *set) {
  if (isl_set_n_basic_set(set) <= MOST_PAIRED) return isl_set_coalesce(isl_set_copy(set));
  isl_set_list *parts = isl_set_list_alloc(isl_set_get_ctx(set), isl_set_n_basic_set(set));
  isl_set_foreach_basic_set(set, add_part, &parts);
  isl_set *all = coalesce_from(parts, 0, isl_set_n_basic_set(set));
  isl_set_list_free(parts);
  return all;
}

__isl_give isl_set *isl_coalesce(__isl_take isl_set *set) {
  isl_ask(isl_set_get_ctx(set));
  isl_set *simple = coalesced(set);
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
