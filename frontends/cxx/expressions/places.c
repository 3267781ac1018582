/* Where values are kept: names, members, items; and what is assigned to them. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

/* --- members and items --- */

static cx_cell *pair_cell(cv pair, pm_string name) {
  bool first = strcmp(name->text, "first") == 0, second = strcmp(name->text, "second") == 0;
  return first || second ? pair.list->items.data[second] : NULL;
}

cx_cell *cx_member_cell(const cx_interp *in, cv base, pm_string name) {
  cx_cell *cell = NULL;
  if (base.kind == CV_OBJECT) return cx_find_member(base.object, name);
  if (base.kind == CV_LIST && base.list->items.len == 2) cell = pair_cell(base, name);
  if (!cell && in->library->member_cell) cell = in->library->member_cell(base, name);
  return cell;
}

static cx_cell *map_cell(cx_interp *in, pm_loc loc, cv map, cv key) {
  cx_cell *known = cx_map_find(in, loc, map, key);
  if (known) return known;
  if (map.list->items.len >= CX_MAX_ITEMS) {
    cx_fail(in, loc, "the map has %d entries, it should not grow further", CX_MAX_ITEMS);
    return NULL;
  }
  cv pair = cx_new_list(in, CV_LIST);
  const cx_node *of = map.list->of;
  cx_append(in, pair, key);
  cx_append(in, pair, of ? cx_construct(in, loc, of, NULL, NULL, 0, false, NULL) : cv_void);
  cx_append(in, map, pair);
  pair.list->items.data[1]->type = of;
  return pair.list->items.data[1];
}

/* The item of a list or a map; false: the value has none such. *out is NULL after a diagnostic. */
static bool item_cell(cx_interp *in, pm_loc loc, cv base, cv index, cx_cell **out) {
  if (cx_is_sequence(in, base))
    *out = cx_list_cell(in, loc, base, index);
  else if (base.kind == CV_MAP)
    *out = map_cell(in, loc, base, index);
  else
    return false;
  return true;
}

cv cx_eval_index(cx_interp *in, const cx_node *n) {
  cv base = cx_behind(cx_eval(in, n->a)), index = cx_eval(in, n->b);
  cx_cell *cell;
  if (base.kind == CV_POISON || index.kind == CV_POISON) return cv_poison;
  if (item_cell(in, n->loc, base, index, &cell)) return cell ? cell->value : cv_poison;
  const cx_class *of = cx_class_of(in, base);
  if (of && of->index) return of->index(in, n->loc, base, index);
  return base.kind == CV_IGNORED ? base : cx_fail(in, n->loc, "%s has no elements", cv_describe(in, base));
}

/* --- places --- */

bool cx_is_place(const cx_node *n) {
  return n->kind == CX_NAME || n->kind == CX_MEMBER || n->kind == CX_INDEX;
}

static cx_cell *place_of_name(cx_interp *in, const cx_node *n) {
  cx_cell *cell = cx_find(in->scope, n->name);
  if (!cell) cx_unknown_name(in, n->loc, n->name, "name");
  return cell;
}

static cx_cell *place_of_member(cx_interp *in, const cx_node *n) {
  cv base = cx_behind(cx_eval(in, n->a));
  cx_cell *cell = cx_member_cell(in, base, n->name);
  if (!cell && base.kind == CV_IGNORED) return cx_new_cell(in, base);
  if (!cell && base.kind != CV_POISON)
    cx_fail(in, n->loc, "%s has no member '%s'", cv_describe(in, base), n->name->text);
  return cell;
}

static cx_cell *place_of_item(cx_interp *in, const cx_node *n) {
  cv base = cx_behind(cx_eval(in, n->a)), index = cx_eval(in, n->b);
  cx_cell *cell;
  if (base.kind == CV_POISON || index.kind == CV_POISON) return NULL;
  if (item_cell(in, n->loc, base, index, &cell)) return cell;
  if (base.kind == CV_IGNORED) return cx_new_cell(in, base);
  cx_fail(in, n->loc, "%s has no elements", cv_describe(in, base));
  return NULL;
}

static cx_cell *no_place(cx_interp *in, const cx_node *n) {
  cx_fail(in, n->loc, "this cannot be assigned to");
  return NULL;
}

static cx_cell *place_of_pointer(cx_interp *in, const cx_node *n) {
  cv base = cx_eval(in, n->a);
  if (base.kind == CV_POINTER && base.cell) return base.cell;
  if (base.kind == CV_ITERATOR && base.number < base.list->items.len)
    return base.list->items.data[base.number];
  return no_place(in, n);
}

cx_cell *cx_place(cx_interp *in, const cx_node *n) {
  bool is_step = n->kind == CX_UNARY && (n->op == CX_OP_INC || n->op == CX_OP_DEC);
  if (n->kind == CX_NAME) return place_of_name(in, n);
  if (n->kind == CX_MEMBER) return place_of_member(in, n);
  if (n->kind == CX_INDEX) return place_of_item(in, n);
  if (n->kind == CX_UNARY && n->op == CX_OP_MUL) return place_of_pointer(in, n);
  if (!is_step && n->kind != CX_ASSIGN) return no_place(in, n);
  cx_eval(in, n);
  return cx_place(in, n->a);
}

/* --- assignments --- */

static cv assign_cell(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv value) {
  cv result;
  if (value.kind == CV_POISON) return cell->value = value;
  if (cell->is_const) return cx_fail(in, loc, "what is assigned to is const");
  const cx_class *of = cx_class_of(in, cell->value);
  if (of && of->store && of->store(in, loc, cell, op, &value, &result)) return result;
  if (op != CX_OP_NONE) value = cx_binary(in, loc, op, cell->value, value);
  return cell->value = cx_convert(in, loc, cell->type, op == CX_OP_NONE ? cx_copy(in, value) : value);
}

/* What a name or an element has, without a diagnostic; poison where it takes more than a look. */
static cv look_up(const cx_interp *in, const cx_node *n) {
  const cx_cell *cell = n->kind == CX_NAME ? cx_find(in->scope, n->name) : NULL;
  if (n->kind == CX_INT) return cv_int(PM_I64, n->i);
  if (n->kind != CX_INDEX) return cell ? cell->value : cv_poison;
  cv list = look_up(in, n->a), index = look_up(in, n->b);
  bool known =
      list.kind == CV_LIST && index.kind == CV_INT && index.i >= 0 && index.i < (int64_t)list.list->items.len;
  return known ? list.list->items.data[index.i]->value : cv_poison;
}

/* A call on the left that the library assigns to, or whose value is nothing to assign to; false: it is a
 * place. */
static bool assign_call(cx_interp *in, const cx_node *n, cv *out) {
  const cx_library *library = in->library;
  bool is_call = n->a->kind == CX_CALL;
  cv left = is_call ? cx_eval_call_place(in, n->a) : cx_eval(in, n->a), right = cx_eval(in, n->b);
  const cx_class *of = cx_class_of(in, left);
  *out = left;
  if (of && of->assign) {
    of->assign(in, n->loc, left, n->op, right);
    return true;
  }
  if (is_call && left.kind == CV_POISON && library->mark_failed) library->mark_failed(look_up(in, n->a->a));
  if (is_call && left.kind != CV_POISON && left.kind != CV_IGNORED)
    *out =
        cx_fail(in, n->loc, "this cannot be assigned to%s", library->assignment ? library->assignment : "");
  return is_call;
}

cv cx_eval_assign(cx_interp *in, const cx_node *n) {
  cv result;
  bool of_call = n->a->kind == CX_CALL || (n->a->kind == CX_INDEX && n->a->a->kind == CX_CALL);
  if (of_call && assign_call(in, n, &result)) return result;
  cv right = cx_eval(in, n->b);
  cx_cell *cell = cx_place(in, n->a);
  return cell ? assign_cell(in, n->loc, cell, n->op, right) : cv_poison;
}

cv cx_eval_step(cx_interp *in, const cx_node *n) {
  cx_cell *cell = cx_place(in, n->a);
  if (!cell) return cv_poison;
  cv before = cell->value;
  cv after = assign_cell(in, n->loc, cell, n->op == CX_OP_INC ? CX_OP_ADD : CX_OP_SUB, cv_int(PM_I32, 1));
  return n->kind == CX_POSTFIX ? before : after;
}
