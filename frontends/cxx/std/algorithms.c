/* Functions of <algorithm>, <numeric> and <utility> on values and on what is between two iterators. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

cv std_swap(const cx_call *c) {
  if (!cx_takes(c, 2, 2)) return cv_poison;
  cx_cell *a = c->cells ? c->cells[0] : NULL, *b = c->cells ? c->cells[1] : NULL;
  if (!a || !b || a->is_const || b->is_const)
    return cx_fail(c->in, c->loc, "swap takes two variables or items that are not constant");
  cv value = a->value;
  cx_set_cell(c->in, a, b->value);
  cx_set_cell(c->in, b, value);
  return cv_void;
}

/* Whether a comes before b, by the function that was passed or by <; false after a diagnostic, in *ok. */
static bool is_less(const cx_call *c, cv a, cv b, bool *ok) {
  bool less = false;
  cv args[] = {a, b};
  cv answer =
      c->n_args > 2 ? cx_call_with(c, c->args[2], args, 2) : cx_operate(c->in, c->loc, CX_OP_LT, a, b, NULL);
  *ok = *ok && answer.kind != CV_POISON && cx_to_bool(c->in, c->loc, answer, &less);
  return less;
}

/* By insertion, which is stable: equal items keep their order. */
cv std_sort(const cx_call *c) {
  bool ok = std_takes_range(c, 2, 3);
  for (uint32_t i = ok ? c->args[0].number + 1 : 0; ok && i < c->args[1].number; i++)
    for (uint32_t k = i; ok && k > c->args[0].number && cx_may_go_on(c->in, c->loc); k--) {
      cx_cell **items = c->args[0].list->items.data;
      if (!is_less(c, items[k]->value, items[k - 1]->value, &ok) || !ok) break;
      cv value = items[k]->value;
      cx_set_cell(c->in, items[k], items[k - 1]->value);
      cx_set_cell(c->in, items[k - 1], value);
    }
  if (ok) std_changed(c, c->args[0].list);
  return ok ? cv_void : cv_poison;
}

/* accumulate(first, last, value), and with what is done instead of +. */
cv std_accumulate(const cx_call *c) {
  if (!std_takes_range(c, 3, 4)) return cv_poison;
  cv sum = c->args[2];
  for (uint32_t i = c->args[0].number; i < c->args[1].number && cx_may_go_on(c->in, c->loc); i++) {
    cv args[] = {sum, c->args[0].list->items.data[i]->value};
    cv next = c->n_args > 3 ? cx_call_with(c, c->args[3], args, 2)
                            : cx_operate(c->in, c->loc, CX_OP_ADD, args[0], args[1], NULL);
    if (next.kind == CV_POISON) return next;
    sum = cx_convert(c->in, c->loc, cx_type_of_value(c->in, sum), next);
  }
  return sum;
}

/* Sets the items from `first` on: to `value`, or counting on from there. */
static cv set_items(const cx_call *c, bool counts) {
  if (!std_takes_range(c, 3, 3)) return cv_poison;
  cv value = c->args[2], one = cv_int(PM_I32, 1);
  for (uint32_t i = c->args[0].number; i < c->args[1].number && cx_may_go_on(c->in, c->loc); i++) {
    cx_cell *cell = c->args[0].list->items.data[i];
    cx_set_cell(c->in, cell, cx_convert(c->in, c->loc, cell->type, cx_copy(c->in, value)));
    if (counts) value = cx_binary(c->in, c->loc, CX_OP_ADD, value, one);
    if (value.kind == CV_POISON) return value;
  }
  std_changed(c, c->args[0].list);
  return cv_void;
}

cv std_iota(const cx_call *c) {
  return set_items(c, true);
}

cv std_fill(const cx_call *c) {
  return set_items(c, false);
}

/* --- items --- */

/* get<n>(tuple): a place. */
cv std_get(const cx_call *c) {
  int64_t n;
  if (!cx_takes(c, 1, 1) || !c->at || c->at->n_items != 1 ||
      !cx_to_int(c->in, c->loc, cx_eval(c->in, c->at->items[0]), &n, "the number of the item"))
    return cv_poison;
  if (!cx_is_sequence(c->in, c->args[0]) || n < 0 || n >= (int64_t)c->args[0].list->items.len)
    return cx_fail(c->in, c->loc, "%s has no item %lld", cv_describe(c->in, c->args[0]), (long long)n);
  c->in->result_cell = c->args[0].list->items.data[n];
  return c->in->result_cell->value;
}

/* The answer of what was passed for the item; false after a diagnostic, in *ok. */
static bool answers(const cx_call *c, cv callee, cv item, bool *ok) {
  bool yes = false;
  cv answer = cx_call_with(c, callee, &item, 1);
  *ok = *ok && answer.kind != CV_POISON && cx_to_bool(c->in, c->loc, answer, &yes);
  return *ok && yes;
}

/* max_element, min_element: the first of the extreme ones. */
cv std_extreme_item(const cx_call *c) {
  if (!std_takes_range(c, 2, 3)) return cv_poison;
  bool of_max = strncmp(c->name->text, "max", 3) == 0, ok = true;
  cv best = c->args[0];
  for (cv it = best; it.number < c->args[1].number && ok && cx_may_go_on(c->in, c->loc); it.number++) {
    cv a = it.list->items.data[best.number]->value, b = it.list->items.data[it.number]->value;
    if (of_max ? is_less(c, a, b, &ok) : is_less(c, b, a, &ok)) best = it;
  }
  return ok ? best : cv_poison;
}

/* count(first, last, value), count_if(first, last, f) */
cv std_count(const cx_call *c) {
  if (!std_takes_range(c, 3, 3)) return cv_poison;
  bool by_function = strcmp(c->name->text, "count_if") == 0, ok = true;
  int64_t n = 0;
  for (uint32_t i = c->args[0].number; i < c->args[1].number && ok && cx_may_go_on(c->in, c->loc); i++) {
    cv item = c->args[0].list->items.data[i]->value;
    cv same = by_function ? cv_void : cx_operate(c->in, c->loc, CX_OP_EQ, item, c->args[2], NULL);
    n += by_function ? answers(c, c->args[2], item, &ok) : same.kind == CV_INT && same.i;
  }
  return ok ? cv_int(PM_I64, n) : cv_poison;
}

/* all_of, any_of, none_of */
cv std_holds(const cx_call *c) {
  if (!std_takes_range(c, 3, 3)) return cv_poison;
  bool of_all = strncmp(c->name->text, "all", 3) == 0, ok = true, stop = false;
  for (uint32_t i = c->args[0].number; i < c->args[1].number && !stop && ok && cx_may_go_on(c->in, c->loc);
       i++)
    stop = answers(c, c->args[2], c->args[0].list->items.data[i]->value, &ok) != of_all;
  return ok ? cv_bool(strncmp(c->name->text, "any", 3) == 0 ? stop : !stop) : cv_poison;
}

cv std_find_if(const cx_call *c) {
  if (!std_takes_range(c, 3, 3)) return cv_poison;
  bool ok = true;
  cv it = c->args[0];
  for (; it.number < c->args[1].number && cx_may_go_on(c->in, c->loc); it.number++)
    if (answers(c, c->args[2], it.list->items.data[it.number]->value, &ok) || !ok) break;
  return ok ? it : cv_poison;
}

cv std_for_each(const cx_call *c) {
  if (!std_takes_range(c, 3, 3)) return cv_poison;
  for (uint32_t i = c->args[0].number; i < c->args[1].number && cx_may_go_on(c->in, c->loc); i++) {
    cv item = c->args[0].list->items.data[i]->value;
    if (cx_call_with(c, c->args[2], &item, 1).kind == CV_POISON) return cv_poison;
  }
  return c->args[2];
}

/* replace(first, last, old, new), replace_if(first, last, f, new) */
cv std_replace(const cx_call *c) {
  cx_call range = *c;
  range.n_args = c->n_args == 4 ? 3 : 0;
  if (!std_takes_range(&range, 3, 3)) return cv_poison;
  bool by_function = strcmp(c->name->text, "replace_if") == 0, ok = true;
  for (uint32_t i = c->args[0].number; i < c->args[1].number && ok && cx_may_go_on(c->in, c->loc); i++) {
    cx_cell *cell = c->args[0].list->items.data[i];
    cv same = by_function ? cv_void : cx_operate(c->in, c->loc, CX_OP_EQ, cell->value, c->args[2], NULL);
    bool is_one = by_function ? answers(c, c->args[2], cell->value, &ok) : same.kind == CV_INT && same.i;
    if (is_one) cx_set_cell(c->in, cell, cx_convert(c->in, c->loc, cell->type, cx_copy(c->in, c->args[3])));
  }
  if (ok) std_changed(c, c->args[0].list);
  return ok ? cv_void : cv_poison;
}

/* transform(first, last, to, f) */
cv std_transform(const cx_call *c) {
  if (c->n_args != 4 || c->args[2].kind != CV_ITERATOR)
    return cx_fail(c->in, c->loc, "transform takes two iterators of one list, where to, and a function");
  cx_call range = *c;
  range.n_args = 3;
  if (!std_takes_range(&range, 3, 3)) return cv_poison;
  cv to = c->args[2];
  for (uint32_t i = c->args[0].number; i < c->args[1].number && cx_may_go_on(c->in, c->loc);
       i++, to.number++) {
    cv item = c->args[0].list->items.data[i]->value, made = cx_call_with(c, c->args[3], &item, 1);
    if (made.kind == CV_POISON) return made;
    if (to.number >= to.list->items.len)
      return cx_fail(c->in, c->loc, "the list that is written to ends before");
    cx_cell *cell = to.list->items.data[to.number];
    cx_set_cell(c->in, cell, cx_convert(c->in, c->loc, cell->type, cx_copy(c->in, made)));
  }
  std_changed(c, to.list);
  return to;
}
