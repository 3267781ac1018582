/* Conditions that are not known while the program is compiled: both branches run, one after the other, and
 * what they have changed is chosen by the condition. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

bool cx_is_unknown(const cx_interp *in, cv v) {
  return v.kind >= CV_LIBRARY && in->library->is_unknown && in->library->is_unknown(v);
}

/* --- conditions --- */

static bool is_known(cv v, bool value) {
  return v.kind == CV_INT && (v.i != 0) == value;
}

cv cx_and(cx_interp *in, pm_loc loc, cv a, cv b) {
  if (is_known(a, false) || is_known(b, true)) return a;
  if (is_known(b, false) || is_known(a, true)) return b;
  return cx_binary(in, loc, CX_OP_AND, a, b);
}

cv cx_or(cx_interp *in, pm_loc loc, cv a, cv b) {
  if (is_known(a, true) || is_known(b, false)) return a;
  if (is_known(b, true) || is_known(a, false)) return b;
  return cx_binary(in, loc, CX_OP_OR, a, b);
}

cv cx_not(cx_interp *in, pm_loc loc, cv a) {
  return a.kind == CV_INT ? cv_bool(!a.i) : cx_unary(in, loc, CX_OP_NOT, a);
}

/* --- values --- */

static bool is_same(cv a, cv b) {
  if (a.kind != b.kind || a.scalar != b.scalar || a.number != b.number) return false;
  return a.kind == CV_FLOAT ? memcmp(&a.f, &b.f, sizeof a.f) == 0 : a.i == b.i;
}

static cv choose_items(cx_interp *in, pm_loc loc, cv condition, cv a, cv b) {
  cv list = cx_new_list(in, a.kind);
  list.scalar = a.scalar;
  list.number = a.number;
  list.list->of = a.list->of;
  for (uint32_t i = 0; i < a.list->items.len; i++)
    cx_append(
        in, list,
        cx_choose_value(in, loc, condition, a.list->items.data[i]->value, b.list->items.data[i]->value));
  return list;
}

/* What has no value yet on one side is what it is on the other. */
cv cx_choose_value(cx_interp *in, pm_loc loc, cv condition, cv a, cv b) {
  if (is_same(a, b) || b.kind == CV_VOID || b.kind == CV_POISON) return a;
  if (a.kind == CV_VOID || a.kind == CV_POISON) return b;
  if (cx_is_sequence(in, a) && a.kind == b.kind && a.list->items.len == b.list->items.len)
    return choose_items(in, loc, condition, a, b);
  bool a_known = cv_is_number(a) || cx_is_unknown(in, a), b_known = cv_is_number(b) || cx_is_unknown(in, b);
  if (!a_known || !b_known)
    return cx_fail(in, loc, "a condition that differs from point to point chooses between %s and %s",
                   cv_describe(in, a), cv_describe(in, b));
  return in->library->select(in, loc, condition, a, b);
}

/* --- branches --- */

bool cx_may_resize(cx_interp *in, pm_loc loc, const cx_list *list) {
  if (!in->branches || list->number >= in->branch_from) return true;
  cx_fail(in, loc,
          "a list gets other items under a condition that differs from point to point, or in a loop "
          "that does");
  return false;
}

void cx_set_cell(cx_interp *in, cx_cell *cell, cv value) {
  cx_note_change(in, cell);
  cell->value = value;
}

void cx_note_change(cx_interp *in, cx_cell *cell) {
  if (in->branches) CX_PUSH(in->arena, in->changes, ((cx_change){cell, cell->value}));
}

cx_branch cx_begin_branch(cx_interp *in, pm_loc loc, cv condition) {
  cx_branch branch = {in->changes.len, in->path, in->branch_from};
  in->branch_from = in->n_lists;
  in->path = cx_and(in, loc, in->path, condition);
  in->branches++;
  return branch;
}

static const cx_change *find_change(const cx_changes *all, const cx_cell *cell) {
  for (uint32_t i = 0; i < all->len; i++)
    if (all->data[i].cell == cell) return &all->data[i];
  return NULL;
}

cx_changes cx_end_branch(cx_interp *in, const cx_branch *branch) {
  cx_changes made = {0};
  for (uint32_t i = in->changes.len; i-- > branch->mark;) {
    cx_change *change = &in->changes.data[i];
    if (!find_change(&made, change->cell))
      CX_PUSH(in->arena, made, ((cx_change){change->cell, change->cell->value}));
    change->cell->value = change->before;
  }
  in->changes.len = branch->mark;
  in->branches--;
  in->path = branch->path;
  in->branch_from = branch->from;
  return made;
}

void cx_join(cx_interp *in, pm_loc loc, cv condition, const cx_changes *yes, const cx_changes *no) {
  for (uint32_t i = 0; i < yes->len; i++) {
    cx_cell *cell = yes->data[i].cell;
    const cx_change *other = no ? find_change(no, cell) : NULL;
    cx_note_change(in, cell);
    cell->value =
        cx_choose_value(in, loc, condition, yes->data[i].before, other ? other->before : cell->value);
  }
  for (uint32_t i = 0; no && i < no->len; i++) {
    cx_cell *cell = no->data[i].cell;
    if (find_change(yes, cell)) continue;
    cx_note_change(in, cell);
    cell->value = cx_choose_value(in, loc, condition, cell->value, no->data[i].before);
  }
}
