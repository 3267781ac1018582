/* Iterators of vectors, and the functions of C++ that take them. */
#include "frontends/halide/interp.h"

#include <string.h>

hv h_list_iterator(const h_call *c) {
  bool is_end = strcmp(c->name->text, "end") == 0;
  return (hv){.kind = HV_ITERATOR, .list = c->self.list, .number = is_end ? c->self.list->items.len : 0};
}

/* Both are of one list, the first one first. */
static bool is_range(hv first, hv last) {
  return first.kind == HV_ITERATOR && last.kind == HV_ITERATOR && first.list == last.list &&
         first.number <= last.number && last.number <= first.list->items.len;
}

static bool takes_range(const h_call *c, unsigned n_args) {
  bool ok = c->n_args == n_args && is_range(c->args[0], c->args[1]);
  if (!ok)
    h_fail(c->in, c->loc, "%s takes two iterators of one list, the first one first%s", c->name->text,
           n_args > 2 ? ", and a value" : "");
  return ok;
}

hv h_distance(const h_call *c) {
  return takes_range(c, 2) ? hv_int(PM_I64, (int64_t)c->args[1].number - c->args[0].number) : hv_poison;
}

hv h_find(const h_call *c) {
  if (!takes_range(c, 3)) return hv_poison;
  hv it = c->args[0];
  for (; it.number < c->args[1].number && h_may_go_on(c->in, c->loc); it.number++) {
    hv same = h_binary(c->in, c->loc, CX_OP_EQ, it.list->items.data[it.number]->value, c->args[2]);
    if (same.kind == HV_POISON) return same;
    if (same.kind == HV_INT && same.i) return it;
  }
  return it;
}

hv h_reverse(const h_call *c) {
  if (!takes_range(c, 2)) return hv_poison;
  hv_cell **items = c->args[0].list->items.data;
  for (uint32_t i = c->args[0].number, k = c->args[1].number; i + 1 < k; i++) {
    hv_cell *cell = items[i];
    items[i] = items[--k];
    items[k] = cell;
  }
  return hv_void;
}

hv h_copy_range(h_interp *in, pm_loc loc, hv first, hv last) {
  hv list = hv_new_list(in, HV_LIST);
  if (!is_range(first, last))
    return h_fail(in, loc, "the iterators should be of one list, the first one first");
  for (uint32_t i = first.number; i < last.number && h_may_go_on(in, loc); i++)
    hv_append(in, list, hv_copy(in, first.list->items.data[i]->value));
  return list;
}

/* v.insert(at, value), v.insert(at, first, last): what is behind moves. */
hv h_list_insert(const h_call *c) {
  hv_list *list = c->self.list;
  uint32_t old = list->items.len;
  bool range = c->n_args == 3 && is_range(c->args[1], c->args[2]),
       here = c->n_args > 0 && c->args[0].kind == HV_ITERATOR && c->args[0].list == list &&
              c->args[0].number <= old;
  if (!here || (!range && c->n_args != 2))
    return h_fail(c->in, c->loc, "insert takes a place of the list, and a value or a range");
  hv added = range ? h_copy_range(c->in, c->loc, c->args[1], c->args[2]) : hv_new_list(c->in, HV_LIST);
  if (!range) hv_append(c->in, added, hv_copy(c->in, c->args[1]));
  uint32_t at = c->args[0].number, n = added.list->items.len;
  if (n > H_MAX_ITEMS - old)
    return h_fail(c->in, c->loc, "the list has %u items, it should not grow further", (unsigned)old);
  for (uint32_t i = 0; i < n; i++) hv_append(c->in, c->self, hv_void);
  memmove(list->items.data + at + n, list->items.data + at, (old - at) * sizeof(*list->items.data));
  memcpy(list->items.data + at, added.list->items.data, n * sizeof(*list->items.data));
  return hv_void;
}
