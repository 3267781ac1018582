/* Iterators of vectors, and the functions of C++ that take them. */
#include "frontends/cxx/std/std.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

cv std_list_iterator(const cx_call *c) {
  bool is_end = strcmp(c->name->text, "end") == 0;
  return (cv){.kind = CV_ITERATOR, .list = c->self.list, .number = is_end ? c->self.list->items.len : 0};
}

/* Both are of one list, the first one first. */
static bool is_range(cv first, cv last) {
  return first.kind == CV_ITERATOR && last.kind == CV_ITERATOR && first.list == last.list &&
         first.number <= last.number && last.number <= first.list->items.len;
}

bool std_takes_range(const cx_call *c, unsigned least, unsigned most) {
  bool ok = c->n_args >= least && c->n_args <= most && is_range(c->args[0], c->args[1]);
  if (!ok)
    cx_fail(c->in, c->loc, "%s takes two iterators of one list, the first one first%s", c->name->text,
            least > 2 ? ", and a value" : "");
  return ok;
}

cv std_distance(const cx_call *c) {
  return std_takes_range(c, 2, 2) ? cv_int(PM_I64, (int64_t)c->args[1].number - c->args[0].number)
                                  : cv_poison;
}

cv std_find(const cx_call *c) {
  if (!std_takes_range(c, 3, 3)) return cv_poison;
  cv it = c->args[0];
  for (; it.number < c->args[1].number && cx_may_go_on(c->in, c->loc); it.number++) {
    cv same = cx_binary(c->in, c->loc, CX_OP_EQ, it.list->items.data[it.number]->value, c->args[2]);
    if (same.kind == CV_POISON) return same;
    if (same.kind == CV_INT && same.i) return it;
  }
  return it;
}

cv std_reverse(const cx_call *c) {
  if (!std_takes_range(c, 2, 2)) return cv_poison;
  cx_cell **items = c->args[0].list->items.data;
  for (uint32_t i = c->args[0].number, k = c->args[1].number; i + 1 < k; i++) {
    cx_cell *cell = items[i];
    items[i] = items[--k];
    items[k] = cell;
  }
  std_changed(c, c->args[0].list);
  return cv_void;
}

cv std_copy_range(cx_interp *in, pm_loc loc, cv first, cv last) {
  cv list = cx_new_list(in, CV_LIST);
  if (!is_range(first, last))
    return cx_fail(in, loc, "the iterators should be of one list, the first one first");
  for (uint32_t i = first.number; i < last.number && cx_may_go_on(in, loc); i++)
    cx_append(in, list, cx_copy(in, first.list->items.data[i]->value));
  return list;
}

/* v.insert(at, value), v.insert(at, first, last): what is behind moves. */
cv std_list_insert(const cx_call *c) {
  cx_list *list = c->self.list;
  uint32_t old = list->items.len;
  bool range = c->n_args == 3 && is_range(c->args[1], c->args[2]),
       here = c->n_args > 0 && c->args[0].kind == CV_ITERATOR && c->args[0].list == list &&
              c->args[0].number <= old;
  if (!here || (!range && c->n_args != 2))
    return cx_fail(c->in, c->loc, "insert takes a position of the list, and a value or a range");
  if (!std_may_resize(c)) return cv_poison;
  cv added = range ? std_copy_range(c->in, c->loc, c->args[1], c->args[2]) : cx_new_list(c->in, CV_LIST);
  if (!range) cx_append(c->in, added, cx_copy(c->in, c->args[1]));
  uint32_t at = c->args[0].number, n = added.list->items.len;
  if (n > CX_MAX_ITEMS - old)
    return cx_fail(c->in, c->loc, "the list has %u items, it should not grow further", (unsigned)old);
  for (uint32_t i = 0; i < n; i++) cx_append(c->in, c->self, cv_void);
  memmove(list->items.data + at + n, list->items.data + at, (old - at) * sizeof(*list->items.data));
  memcpy(list->items.data + at, added.list->items.data, n * sizeof(*list->items.data));
  return cv_void;
}
