/* Vectors, arrays, pairs and maps. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/types/types.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

/* --- types --- */

static bool is_among(const cx_node *type, const char *const *names) {
  while (*names && !cx_is_named(type, *names)) names++;
  return *names;
}

bool std_is_list_type(const cx_node *type) {
  static const char *const names[] = {
      "vector", "array", "initializer_list", "pair", "tuple", "set", "unordered_set", "deque", "list",
      "stack",  NULL};
  return is_among(type, names);
}

bool std_is_map_type(const cx_node *type) {
  static const char *const names[] = {"map", "unordered_map", NULL};
  return is_among(type, names);
}

static bool is_pair_type(const cx_node *type) {
  static const char *const names[] = {"pair", "tuple", NULL};
  return is_among(type, names);
}

static bool is_set_type(const cx_node *type) {
  static const char *const names[] = {"set", "unordered_set", NULL};
  return is_among(type, names);
}

static bool has_item(cx_interp *in, pm_loc loc, cv list, cv item) {
  for (uint32_t i = 0; i < list.list->items.len && cx_may_go_on(in, loc); i++) {
    cv same = cx_operate(in, loc, CX_OP_EQ, list.list->items.data[i]->value, item, NULL);
    if (same.kind == CV_INT && same.i) return true;
  }
  return false;
}

static cv to_set(cx_interp *in, pm_loc loc, const cx_node *type, cv from) {
  cv set = cx_new_list(in, CV_LIST);
  set.list->of = cx_argument_of(type, 0);
  set.list->is_sorted = cx_is_named(type, "set");
  set.list->is_set = true;
  for (uint32_t i = 0; i < from.list->items.len; i++) {
    cv item = cx_convert(in, loc, set.list->of, from.list->items.data[i]->value);
    if (!has_item(in, loc, set, item)) cx_put_entry(in, loc, set, item);
  }
  return set;
}

/* --- conversions and construction --- */

/* The items that are not given are made of nothing. */
static cv fill_array(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  int64_t n;
  if (!cx_argument_of(type, 1) ||
      !cx_to_int(in, loc, cx_eval(in, type->items[1]), &n, "the length of an array"))
    return v;
  if (n < (int64_t)v.list->items.len || n > CX_MAX_ITEMS)
    return cx_fail(in, loc, "%u values are here, the array has %lld", v.list->items.len, (long long)n);
  while ((int64_t)v.list->items.len < n && cx_may_go_on(in, loc)) {
    cx_append(in, v, cx_construct(in, loc, v.list->of, &cx_no_arguments, false, NULL));
    v.list->items.data[v.list->items.len - 1]->type = v.list->of;
  }
  return v;
}

cv std_to_list(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  if (v.kind == CV_MAP || (v.kind != CV_LIST && cx_is_sequence(in, v))) return v;
  if (v.kind != CV_LIST) return cx_fail(in, loc, "this is %s, a list should be here", cv_describe(in, v));
  if (is_set_type(type)) return v.list->is_set ? v : to_set(in, loc, type, v);
  bool is_pair = is_pair_type(type);
  for (uint32_t i = 0; i < v.list->items.len; i++) {
    cx_cell *item = v.list->items.data[i];
    const cx_node *of = cx_argument_of(type, is_pair ? i : 0);
    item->value = cx_convert(in, loc, of, item->value);
    item->type = of;
  }
  if (!is_pair) v.list->of = cx_argument_of(type, 0);
  return cx_is_named(type, "array") ? fill_array(in, loc, type, v) : v;
}

cv std_to_map(cx_interp *in, pm_loc loc, const cx_node *type, cv v) {
  if (v.kind == CV_MAP) return v;
  if (v.kind != CV_LIST) return cx_fail(in, loc, "this is %s, a map should be here", cv_describe(in, v));
  cv map = cx_new_list(in, CV_MAP);
  map.list->of = cx_argument_of(type, 1);
  map.list->is_sorted = cx_is_named(type, "map");
  for (uint32_t i = 0; i < v.list->items.len; i++) {
    cv pair = v.list->items.data[i]->value;
    if (pair.kind != CV_LIST || pair.list->items.len != 2)
      return cx_fail(in, loc, "an entry of a map is %s, it should be {key, value}", cv_describe(in, pair));
    pair = cx_copy(in, pair);
    for (unsigned k = 0; k < 2; k++)
      pair.list->items.data[k]->value =
          cx_convert(in, loc, cx_argument_of(type, k), pair.list->items.data[k]->value);
    pair.list->items.data[1]->type = map.list->of;
    if (!cx_map_find(in, loc, map, pair.list->items.data[0]->value)) cx_put_entry(in, loc, map, pair);
  }
  return map;
}

/* vector<T>(n), vector<T>(n, value), vector<T>{a, b}, a copy of another. */
cv std_make_list(const cx_making *m) {
  const cx_node *of = cx_argument_of(m->type, 0);
  for (uint32_t i = 0; i < m->type->n_items; i++)
    if (m->type->items[i] && m->type->items[i]->kind == CX_TYPE && m->type->items[i]->is_reference)
      return cx_fail(m->in, m->loc, "a %s of references is not supported, one of pointers is",
                     m->type->name->text);
  if (m->n_args == 1 && !m->is_braced && m->args[0].kind == CV_LIST)
    return cx_convert(m->in, m->loc, m->type, cx_copy(m->in, m->args[0]));
  if (m->is_braced || is_pair_type(m->type)) return cx_convert(m->in, m->loc, m->type, cx_list_of_args(m));
  if (m->n_args == 2 && m->args[0].kind == CV_ITERATOR && m->args[1].kind == CV_ITERATOR)
    return cx_convert(m->in, m->loc, m->type, std_copy_range(m->in, m->loc, m->args[0], m->args[1]));
  int64_t n = 0;
  if (cx_is_named(m->type, "array") && cx_argument_of(m->type, 1)) {
    if (!cx_to_int(m->in, m->loc, cx_eval(m->in, m->type->items[1]), &n, "the length of an array"))
      return cv_poison;
  } else if (m->n_args > 0 && !cx_to_int(m->in, m->locs[0], m->args[0], &n, "the length of a vector")) {
    return cv_poison;
  }
  if (n < 0 || n > CX_MAX_ITEMS)
    return cx_fail(m->in, m->loc, "the length is %lld, it should be 0 to %d", (long long)n, CX_MAX_ITEMS);
  cv list = cx_new_list(m->in, CV_LIST);
  list.list->of = of;
  for (int64_t i = 0; i < n && cx_may_go_on(m->in, m->loc); i++) {
    cv item = m->n_args > 1 ? cx_convert(m->in, m->loc, of, cx_copy(m->in, m->args[1]))
                            : cx_construct(m->in, m->loc, of, &cx_no_arguments, false, NULL);
    cx_append(m->in, list, item);
    list.list->items.data[i]->type = of;
  }
  return list;
}

cv std_make_map(const cx_making *m) {
  return std_to_map(m->in, m->loc, m->type, cx_list_of_args(m));
}

/* --- members --- */

static cv list_size(const cx_call *c) {
  uint32_t n = c->self.list->items.len;
  return std_is_called(c, "empty") ? cv_bool(n == 0) : cv_int(PM_U64, n);
}

/* What emplace_back makes of its arguments. */
static cv new_item(const cx_call *c) {
  const cx_node *of = c->self.list->of;
  if (!of || !std_is_called(c, "emplace_back"))
    return cx_takes(c, 1, 1) ? cx_convert(c->in, c->locs[0], of, cx_copy(c->in, c->args[0])) : cv_poison;
  cx_arguments a = cx_arguments_of(c);
  return cx_construct(c->in, c->loc, of, &a, false, NULL);
}

bool std_may_resize(const cx_call *c) {
  return cx_may_resize(c->in, c->loc, c->self.list);
}

static cv list_push(const cx_call *c) {
  if (c->self.list->items.len >= CX_MAX_ITEMS)
    return cx_fail(c->in, c->loc, "the list has %d items, it should not grow further", CX_MAX_ITEMS);
  cv item = new_item(c);
  if (item.kind == CV_POISON || !std_may_resize(c)) return cv_poison;
  cx_append(c->in, c->self, item);
  cx_cell *last = c->self.list->items.data[c->self.list->items.len - 1];
  last->type = c->self.list->of;
  if (!std_is_called(c, "emplace_back")) return cv_void;
  c->in->result_cell = last;
  return last->value;
}

static cv list_pop(const cx_call *c) {
  if (c->self.list->items.len == 0) return cx_fail(c->in, c->loc, "the list has no items");
  if (!std_may_resize(c)) return cv_poison;
  c->self.list->items.len--;
  return cv_void;
}

static cv list_clear(const cx_call *c) {
  if (!std_may_resize(c)) return cv_poison;
  c->self.list->items.len = 0;
  return cv_void;
}

static cv list_end(const cx_call *c) {
  uint32_t n = c->self.list->items.len;
  if (n == 0) return cx_fail(c->in, c->loc, "the list has no items");
  c->in->result_cell = c->self.list->items.data[std_is_called(c, "front") ? 0 : n - 1];
  return c->in->result_cell->value;
}

static cv list_at(const cx_call *c) {
  int64_t i;
  if (!cx_takes(c, 1, 1) || !cx_to_int(c->in, c->locs[0], c->args[0], &i, "the index")) return cv_poison;
  c->in->result_cell = cx_list_cell(c->in, c->loc, c->self, cv_int(PM_I64, i));
  return c->in->result_cell ? c->in->result_cell->value : cv_poison;
}

static cv list_resize(const cx_call *c) {
  int64_t n;
  if (c->n_args == 0 || !cx_to_int(c->in, c->locs[0], c->args[0], &n, "the length")) return cv_poison;
  if (n < 0 || n > CX_MAX_ITEMS)
    return cx_fail(c->in, c->loc, "the length is %lld, it should be 0 to %d", (long long)n, CX_MAX_ITEMS);
  if (n != (int64_t)c->self.list->items.len && !std_may_resize(c)) return cv_poison;
  if (n < (int64_t)c->self.list->items.len) c->self.list->items.len = (uint32_t)n;
  while ((int64_t)c->self.list->items.len < n && cx_may_go_on(c->in, c->loc)) {
    cv item = c->n_args > 1 ? cx_copy(c->in, c->args[1]) : cv_void;
    if (c->self.list->own)
      item = c->in->library->new_item(c->in, c->self.list);
    else if (c->n_args == 1 && c->self.list->of)
      item = cx_construct(c->in, c->loc, c->self.list->of, &cx_no_arguments, false, NULL);
    cx_append(c->in, c->self, item);
    c->self.list->items.data[c->self.list->items.len - 1]->type = c->self.list->of;
  }
  return cv_void;
}

static cv map_at(const cx_call *c) {
  if (!cx_takes(c, 1, 1)) return cv_poison;
  cx_cell *cell = cx_map_find(c->in, c->loc, c->self, c->args[0]);
  if (std_is_called(c, "at")) c->in->result_cell = cell;
  if (std_is_called(c, "count") || std_is_called(c, "contains")) return cv_int(PM_U64, cell != NULL);
  return cell ? cell->value : cx_fail(c->in, c->loc, "the map has no such key");
}

static cv map_insert(const cx_call *c) {
  cv pair = cx_new_list(c->in, CV_LIST);
  if (c->n_args == 1 && c->args[0].kind == CV_LIST && c->args[0].list->items.len == 2)
    pair = cx_copy(c->in, c->args[0]);
  for (unsigned i = 0; i < c->n_args && c->n_args == 2; i++)
    cx_append(c->in, pair, cx_copy(c->in, c->args[i]));
  if (pair.list->items.len != 2) return cx_fail(c->in, c->loc, "a key and a value should be inserted");
  if (c->self.list->items.len >= CX_MAX_ITEMS)
    return cx_fail(c->in, c->loc, "the map has %d entries, it should not grow further", CX_MAX_ITEMS);
  if (!cx_map_find(c->in, c->loc, c->self, pair.list->items.data[0]->value))
    cx_put_entry(c->in, c->loc, c->self, pair);
  return cv_void;
}

static cv list_erase(const cx_call *c) {
  cx_list *list = c->self.list;
  bool is_range = c->n_args == 2;
  uint32_t from = c->n_args > 0 ? c->args[0].number : 0, to = is_range ? c->args[1].number : from + 1;
  bool ok = (c->n_args == 1 || is_range) && c->args[0].kind == CV_ITERATOR && c->args[0].list == list &&
            (!is_range || (c->args[1].kind == CV_ITERATOR && c->args[1].list == list)) && from <= to &&
            to <= list->items.len;
  if (!ok) return cx_fail(c->in, c->loc, "erase takes a position of the list, or two");
  if (!std_may_resize(c)) return cv_poison;
  memmove(list->items.data + from, list->items.data + to, (list->items.len - to) * sizeof(*list->items.data));
  list->items.len -= to - from;
  return c->args[0];
}

/* Of sets: whether the value is in it. */
static cv list_count(const cx_call *c) {
  return cx_takes(c, 1, 1) ? cv_int(PM_U64, has_item(c->in, c->loc, c->self, c->args[0])) : cv_poison;
}

static cv list_insert(const cx_call *c) {
  if (!c->self.list->is_set) return std_list_insert(c);
  if (!cx_takes(c, 1, 1)) return cv_poison;
  cv item = cx_convert(c->in, c->locs[0], c->self.list->of, cx_copy(c->in, c->args[0]));
  if (!has_item(c->in, c->loc, c->self, item)) cx_put_entry(c->in, c->loc, c->self, item);
  return cv_void;
}

static cv list_assign(const cx_call *c) {
  int64_t n;
  if (!cx_takes(c, 2, 2) || !cx_to_int(c->in, c->locs[0], c->args[0], &n, "the length")) return cv_poison;
  if (n < 0 || n > CX_MAX_ITEMS)
    return cx_fail(c->in, c->loc, "the length is %lld, it should be 0 to %d", (long long)n, CX_MAX_ITEMS);
  if (!std_may_resize(c)) return cv_poison;
  c->self.list->items.len = 0;
  for (int64_t i = 0; i < n && cx_may_go_on(c->in, c->loc); i++) {
    cx_append(c->in, c->self, cx_convert(c->in, c->locs[1], c->self.list->of, cx_copy(c->in, c->args[1])));
    c->self.list->items.data[i]->type = c->self.list->of;
  }
  return cv_void;
}

/* It takes no room ahead. */
static cv list_reserve(const cx_call *c) {
  return c->self;
}

/* m.find(key), of a set too: an iterator, at the end where it has none such. */
static cv find_key(const cx_call *c) {
  if (!cx_takes(c, 1, 1)) return cv_poison;
  cv it = {.kind = CV_ITERATOR, .list = c->self.list};
  bool is_map = c->self.kind == CV_MAP;
  if (!is_map && !c->self.list->is_set)
    return cx_fail(c->in, c->loc, "a list has no member 'find', std::find looks for an item");
  for (; it.number < it.list->items.len && cx_may_go_on(c->in, c->loc); it.number++) {
    cv item = it.list->items.data[it.number]->value;
    cv same = cx_operate(c->in, c->loc, CX_OP_EQ, is_map ? item.list->items.data[0]->value : item, c->args[0],
                         NULL);
    if (same.kind == CV_POISON) return same;
    if (same.kind == CV_INT && same.i) break;
  }
  return it;
}

/* m.erase(key), m.erase(position) */
static cv map_erase(const cx_call *c) {
  bool at_position = c->n_args == 1 && c->args[0].kind == CV_ITERATOR;
  cv it = at_position ? c->args[0] : find_key(c);
  if (it.kind != CV_ITERATOR) return cv_poison;
  cx_list *list = c->self.list;
  bool is_there = it.list == list && it.number < list->items.len;
  if (at_position && !is_there) return cx_fail(c->in, c->loc, "erase takes a position of the map, or a key");
  if (is_there && !std_may_resize(c)) return cv_poison;
  if (is_there) {
    memmove(list->items.data + it.number, list->items.data + it.number + 1,
            (list->items.len - it.number - 1) * sizeof(*list->items.data));
    list->items.len--;
  }
  return at_position ? it : cv_int(PM_U64, is_there);
}

/* v.swap(w) */
static cv list_swap(const cx_call *c) {
  bool alike = c->n_args == 1 && c->args[0].kind == c->self.kind && c->cells && c->cells[0];
  if (!alike) return cx_fail(c->in, c->loc, "swap takes a variable of the same type");
  if (!std_may_resize(c)) return cv_poison;
  cx_list own = *c->self.list;
  *c->self.list = *c->args[0].list;
  *c->args[0].list = own;
  return cv_void;
}

const cx_row std_list_rows[] = {
    {"size", list_size},        {"str", std_written},        {"empty", list_size},
    {"push_back", list_push},   {"emplace_back", list_push}, {"pop_back", list_pop},
    {"push", list_push}, /* a stack's */
    {"pop", list_pop},          {"top", list_end},           {"clear", list_clear},
    {"back", list_end},         {"front", list_end},         {"at", list_at},
    {"resize", list_resize},    {"reserve", list_reserve},   {"begin", std_list_iterator},
    {"end", std_list_iterator}, {"insert", list_insert},     {"erase", list_erase},
    {"count", list_count},      {"contains", list_count},    {"assign", list_assign},
    {"find", find_key},         {"swap", list_swap},         {NULL, NULL}};

const cx_row std_map_rows[] = {{"size", list_size},
                               {"empty", list_size},
                               {"at", map_at},
                               {"count", map_at},
                               {"contains", map_at},
                               {"insert", map_insert},
                               {"emplace", map_insert},
                               {"find", find_key},
                               {"erase", map_erase},
                               {"begin", std_list_iterator},
                               {"end", std_list_iterator},
                               {"clear", list_clear},
                               {"swap", list_swap},
                               {NULL, NULL}};
