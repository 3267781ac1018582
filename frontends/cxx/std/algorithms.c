/* Functions of <algorithm>, <numeric> and <utility> on values and on what is between two iterators. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/values/values.h"

cv std_swap(const cx_call *c) {
  if (!cx_takes(c, 2, 2)) return cv_poison;
  cx_cell *a = c->cells ? c->cells[0] : NULL, *b = c->cells ? c->cells[1] : NULL;
  if (!a || !b || a->is_const || b->is_const)
    return cx_fail(c->in, c->loc, "swap takes two variables or items that are not constant");
  cv value = a->value;
  a->value = b->value;
  b->value = value;
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
      items[k]->value = items[k - 1]->value;
      items[k - 1]->value = value;
    }
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
    cell->value = cx_convert(c->in, c->loc, cell->type, cx_copy(c->in, value));
    if (counts) value = cx_binary(c->in, c->loc, CX_OP_ADD, value, one);
    if (value.kind == CV_POISON) return value;
  }
  return cv_void;
}

cv std_iota(const cx_call *c) {
  return set_items(c, true);
}

cv std_fill(const cx_call *c) {
  return set_items(c, false);
}
