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

cx_cell *cx_member_cell(cx_interp *in, cv base, pm_string name) {
  cx_cell *cell = NULL;
  cx_found found;
  if (base.kind == CV_OBJECT) {
    const cx_node *before = cx_qualifier(in, &(cx_node){.kind = CX_NAME, .name = name});
    const cx_instance *from = before ? cx_base_named(in, base, before) : cx_taken_for(base);
    if (cx_find_in_class(in, from, base.object, cx_last_part(in, name), &found)) return found.cell;
    if (!cx_inner_cell(base)) return NULL;
    name = cx_last_part(in, name);
    base = cx_inner(base);
  }
  if (base.kind == CV_LIST && base.list->items.len == 2) cell = pair_cell(base, name);
  if (!cell && in->library->member_cell) cell = in->library->member_cell(base, name);
  return cell;
}

void cx_put_entry(cx_interp *in, pm_loc loc, cv list, cv item) {
  if (!cx_may_resize(in, loc, list.list)) return;
  bool of_map = list.kind == CV_MAP;
  uint32_t at = list.list->items.len;
  cx_append(in, list, item);
  cx_cell **items = list.list->items.data, *own = items[at];
  for (; list.list->is_sorted && at > 0; at--) {
    cv key = of_map ? item.list->items.data[0]->value : item, other = items[at - 1]->value;
    cv less = cx_operate(in, loc, CX_OP_LT, key, of_map ? other.list->items.data[0]->value : other, NULL);
    if (less.kind != CV_INT || !less.i) break;
    items[at] = items[at - 1];
  }
  items[at] = own;
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
  cx_append(in, pair, of ? cx_construct(in, loc, of, &cx_no_arguments, false, NULL) : cv_void);
  cx_put_entry(in, loc, map, pair);
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

static cv character(cx_interp *in, pm_loc loc, cv text, cv index) {
  int64_t i;
  if (!cx_to_int(in, loc, index, &i, "the index")) return cv_poison;
  if (i >= 0 && i < (int64_t)text.text->len) return cv_int(PM_I8, text.text->text[i]);
  return cx_fail(in, loc, "the string has %u characters, number %lld is asked for", text.text->len,
                 (long long)i);
}

static bool call_index(cx_interp *in, pm_loc loc, cv base, cv index, cv *out) {
  cx_arguments a = cx_values_as_arguments(in, loc, &index, 1);
  return base.kind == CV_OBJECT && cx_call_own(in, loc, base, "operator[]", &a, out);
}

cv cx_index_value(cx_interp *in, pm_loc loc, cv base, cv index) {
  cv result;
  cx_cell *cell;
  if (base.kind == CV_POISON || index.kind == CV_POISON) return cv_poison;
  if (call_index(in, loc, base, index, &result)) return result;
  base = cx_inner(base);
  if (item_cell(in, loc, base, index, &cell)) return cell ? cell->value : cv_poison;
  if (base.kind == CV_STRING) return character(in, loc, base, index);
  const cx_class *of = cx_class_of(in, base);
  if (of && of->index) return of->index(in, loc, base, index);
  return base.kind == CV_IGNORED ? base : cx_fail(in, loc, "%s has no elements", cv_describe(in, base));
}

/* The value of an element of the library; what is none as it is. */
static cv loaded(cx_interp *in, cv v) {
  const cx_class *of = cx_class_of(in, v);
  return of && of->is_element ? of->load(in, v) : v;
}

cv cx_eval_index(cx_interp *in, const cx_node *n) {
  cv base = cx_behind(cx_eval(in, n->a)), index = cx_eval(in, n->b);
  return loaded(in, cx_index_value(in, n->loc, base, index));
}

/* --- places --- */

bool cx_is_place(const cx_node *n) {
  return n->kind == CX_NAME || n->kind == CX_MEMBER || n->kind == CX_INDEX;
}

/* It may be evaluated again: nothing is called and nothing assigned to. */
static bool is_repeatable(const cx_node *n) {
  switch (n->kind) {
  case CX_NAME:
  case CX_INT:
  case CX_THIS:
    return true;
  case CX_MEMBER:
    return is_repeatable(n->a);
  case CX_UNARY:
    return n->op != CX_OP_INC && n->op != CX_OP_DEC && is_repeatable(n->a);
  case CX_INDEX:
  case CX_BINARY:
    return is_repeatable(n->a) && is_repeatable(n->b);
  default:
    return false;
  }
}

/* An element of the library is not loaded. */
static cv eval_item(cx_interp *in, const cx_node *n, cx_cell **cell) {
  *cell = NULL;
  cv result, base = cx_behind(cx_eval(in, n->a)), index = cx_eval(in, n->b);
  if (base.kind == CV_POISON || index.kind == CV_POISON) return cv_poison;
  in->result_cell = NULL;
  if (call_index(in, n->loc, base, index, &result)) {
    *cell = in->result_cell;
    return result;
  }
  if (item_cell(in, n->loc, cx_inner(base), index, cell)) return *cell ? (*cell)->value : cv_poison;
  return cx_index_value(in, n->loc, base, index);
}

static cv eval_named(cx_interp *in, const cx_node *n, cx_cell **cell) {
  cx_found found;
  cv value;
  bool is = cx_look_up(in, n, &found) && found.cell && !cx_eval_inherited(in, n, &found, &value);
  if (!is) return cx_eval(in, n);
  *cell = found.cell;
  return found.cell->value;
}

/* What was assigned to, or stepped, is the place of the expression [expr.ass]. */
static cv eval_changed(cx_interp *in, const cx_node *n, cx_cell **cell) {
  cv v = cx_eval(in, n);
  return v.kind == CV_POISON || !is_repeatable(n->a) ? v : cx_eval_place(in, n->a, cell);
}

static cv eval_called(cx_interp *in, const cx_node *n, cx_cell **cell) {
  in->result_cell = NULL;
  cv v = cx_eval_call(in, n);
  *cell = in->result_cell;
  return v;
}

cv cx_eval_place(cx_interp *in, const cx_node *n, cx_cell **cell) {
  bool is_step = n->op == CX_OP_INC || n->op == CX_OP_DEC;
  cv v;
  *cell = NULL;
  switch (n->kind) {
  case CX_NAME:
    return eval_named(in, n, cell);
  case CX_MEMBER:
    return cx_eval_member(in, n, cell);
  case CX_INDEX:
    v = eval_item(in, n, cell);
    return *cell ? v : loaded(in, v);
  case CX_CALL:
    return eval_called(in, n, cell);
  case CX_TERNARY:
    return cx_eval_ternary(in, n, cell);
  case CX_UNARY:
    if (n->op == CX_OP_MUL) return cx_eval_pointed(in, n, cell);
    return is_step ? eval_changed(in, n, cell) : cx_eval(in, n);
  case CX_ASSIGN:
    return eval_changed(in, n, cell);
  case CX_CAST:
    return n->a->is_reference ? cx_eval_place(in, n->b, cell) : cx_eval(in, n);
  default:
    return cx_eval(in, n);
  }
}

/* What is changed: a place, or what an index leads to and the library assigns to. */
typedef struct changed {
  cx_cell *cell;
  cv element;
  cv whole, of; /* the cell is a member of this value, which then goes to what a call has made; VOID: none */
} changed;

static cx_cell *place_of_value(cx_interp *in, const cx_node *n, cx_cell *cell, cv v) {
  if (cell || v.kind == CV_POISON) return cell;
  if (v.kind == CV_IGNORED || v.kind == CV_OBJECT) return cx_new_cell(in, v);
  cx_fail(in, n->loc, "this cannot be assigned to");
  return NULL;
}

cx_cell *cx_place(cx_interp *in, const cx_node *n) {
  cx_cell *cell;
  cv v = cx_eval_place(in, n, &cell);
  return place_of_value(in, n, cell, v);
}

/* A member of what a call gives, as out().x, which the library may assign to as a whole; NULL after a
 * diagnostic. */
static cx_cell *find_member_of_call(cx_interp *in, const cx_node *n, changed *out) {
  cv left = cx_eval_call_place(in, n->a);
  const cx_class *of = cx_class_of(in, left);
  if (left.kind == CV_POISON) return NULL;
  if (of && of->assign && of->load && !in->result_cell) {
    out->of = left;
    out->whole = left = of->load(in, left);
  }
  if (n->is_pointer && left.kind == CV_OBJECT) left = cx_behind_arrow(in, n->loc, left);
  cx_cell *cell = cx_member_cell(in, cx_behind(left), n->name);
  if (cell || left.kind == CV_POISON) return cell;
  return left.kind == CV_IGNORED ? cx_new_cell(in, left)
                                 : (cx_fail(in, n->loc, "%s has no member '%s' that is assigned to",
                                            cv_describe(in, left), n->name->text),
                                    NULL);
}

/* False after a diagnostic. */
static bool find_changed(cx_interp *in, const cx_node *n, changed *out) {
  *out = (changed){.element = cv_void, .whole = cv_void, .of = cv_void};
  if (n->kind == CX_MEMBER && n->a->kind == CX_CALL && in->library->member_cell)
    return (out->cell = find_member_of_call(in, n, out));
  cv v = n->kind == CX_INDEX ? eval_item(in, n, &out->cell) : cx_eval_place(in, n, &out->cell);
  const cx_class *of = out->cell ? NULL : cx_class_of(in, v);
  if (of && of->assign && n->kind == CX_INDEX)
    out->element = v;
  else
    out->cell = place_of_value(in, n, out->cell, v);
  return out->cell || out->element.kind != CV_VOID;
}

/* --- assignments --- */

/* By `operator=`, `operator+=` and their like, of the class or free. */
static bool assign_object(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv value, cv *out) {
  pm_buf name = {0};
  cv values[] = {cell->value, value};
  cx_cell *cells[] = {cell, NULL};
  cx_candidates candidates = {0};
  cx_candidate c;
  cx_rank worst;
  if (cell->value.kind != CV_OBJECT && (op == CX_OP_NONE || cv_is_number(cell->value))) return false;
  pm_buf_printf(&name, "operator%s=", op == CX_OP_NONE ? "" : cx_op_text(op));
  pm_string text = pm_get_string(in->ctx, (pm_str){name.data, name.len});
  pm_buf_free(&name);
  cx_arguments all = cx_values_as_arguments(in, loc, values, 2),
               right = cx_values_as_arguments(in, loc, values + 1, 1);
  all.cells = cells;
  if (cell->value.kind == CV_OBJECT)
    cx_add_methods(in, cx_taken_for(cell->value), cell->value.object, text, &candidates);
  bool of_class = cx_choose(in, &candidates, cx_ranked(in, &right), 1, NULL, &c, &worst) != CX_NONE_SUITS;
  if (!of_class) {
    candidates = (cx_candidates){0};
    cx_add_operators(in, text, cx_ranked(in, &all), 2, &candidates);
    if (cx_choose(in, &candidates, cx_ranked(in, &all), 2, NULL, &c, &worst) == CX_NONE_SUITS) return false;
  }
  *out = cx_call_candidate(in, loc, &c, of_class ? &right : &all);
  return true;
}

/* An object is assigned to as what the library's class has of it, where its own class has nothing to say. */
static bool assigns_inner(cx_interp *in, const cx_cell *cell, cx_op op, cv value) {
  const cx_instance *of = cx_inner_cell(cell->value) ? cx_inner_owner(cell->value.object->instance) : NULL;
  if (!of || op != CX_OP_NONE) return of;
  return cx_uses_name(of, pm_get_cstring(in->ctx, "operator=")) &&
         cx_rank_of(in, of->type, &(cx_argument){.value = value}) == CX_NO_MATCH;
}

/* The variable is of the class, not of a type that its values are converted to. */
static bool is_of_class(const cx_cell *cell, const cx_class *of) {
  return cell->type && cell->type->name && of->type &&
         (cx_is_named(cell->type, of->type) || cx_is_named(cell->type, "auto"));
}

/* The members of the object become those of another one of its class, which is there for that: what refers to
 * the object goes on to do so. */
static bool assign_members(cx_interp *in, cv to, cv from) {
  bool alike = to.kind == CV_OBJECT && from.kind == CV_OBJECT &&
               to.object->instance == from.object->instance && to.object != from.object &&
               !to.object->instance->is_of_library && !to.number && !from.number;
  cx_scope *own = alike ? to.object->members : NULL;
  alike = alike && own->names.len == from.object->members->names.len;
  for (uint32_t i = 0; alike && i < own->names.len; i++) cx_note_change(in, own->names.data[i].cell);
  for (uint32_t i = 0; alike && i < own->names.len; i++)
    own->names.data[i].cell->value = from.object->members->names.data[i].cell->value;
  return alike;
}

cv cx_assign(cx_interp *in, pm_loc loc, cx_cell *cell, cx_op op, cv value) {
  cv result;
  if (value.kind == CV_POISON) {
    cx_note_change(in, cell);
    return cell->value = value;
  }
  if (assign_object(in, loc, cell, op, value, &result)) return result;
  if (cell->is_const) return cx_fail(in, loc, "what is assigned to is const");
  if (assigns_inner(in, cell, op, value)) {
    cx_assign(in, loc, cx_inner_cell(cell->value), op, value);
    return cell->value;
  }
  const cx_class *of = cx_class_of(in, cell->value);
  if (of && of->assign && is_of_class(cell, of)) {
    of->assign(in, loc, cell->value, op, cx_as_operand(in, loc, value));
    return cell->value;
  }
  if (of && of->store && of->store(in, loc, cell, op, &value, &result)) return result;
  if (op != CX_OP_NONE) value = cx_operate(in, loc, op, cell->value, value, NULL);
  if (op == CX_OP_NONE || value.kind == CV_OBJECT) value = cx_copy_as(in, cell->type, value);
  value = cx_convert(in, loc, cell->type, value);
  if (assign_members(in, cell->value, value)) return cell->value;
  cx_note_change(in, cell);
  return cell->value = value;
}

/* What a name or an element has, without a diagnostic; poison where it takes more than a look. */
static cv look_up(cx_interp *in, const cx_node *n) {
  cx_found found;
  const cx_cell *cell = n->kind == CX_NAME && cx_look_up(in, n, &found) ? found.cell : NULL;
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
  in->result_cell = NULL;
  cv left = is_call ? cx_eval_call_place(in, n->a) : cx_eval(in, n->a);
  cx_cell *cell = is_call ? in->result_cell : NULL;
  cv right = cx_eval(in, n->b);
  const cx_class *of = cx_class_of(in, left);
  *out = left;
  if (of && of->assign) {
    right = cx_as_operand(in, n->b->loc, right);
    of->assign(in, n->loc, left, n->op, right);
    if (of->load && right.kind != CV_POISON) *out = of->load(in, left);
    return true;
  }
  if (left.kind == CV_OBJECT && !cell && is_call) cell = cx_new_cell(in, left);
  if (cell) {
    *out = cx_assign(in, n->loc, cell, n->op, right);
    return true;
  }
  if (is_call && left.kind == CV_POISON && library->mark_failed) library->mark_failed(look_up(in, n->a->a));
  if (is_call && left.kind != CV_POISON && left.kind != CV_IGNORED)
    *out =
        cx_fail(in, n->loc, "this cannot be assigned to%s", library->assignment ? library->assignment : "");
  return is_call;
}

static cv change(cx_interp *in, pm_loc loc, const changed *c, cx_op op, cv value) {
  if (c->cell && c->whole.kind != CV_VOID) {
    cv result = cx_assign(in, loc, c->cell, op, value);
    cx_class_of(in, c->of)->assign(in, loc, c->of, CX_OP_NONE, c->whole);
    return result;
  }
  if (c->cell) return cx_assign(in, loc, c->cell, op, value);
  cx_class_of(in, c->element)->assign(in, loc, c->element, op, cx_as_operand(in, loc, value));
  return loaded(in, c->element);
}

cv cx_eval_assign(cx_interp *in, const cx_node *n) {
  cv result;
  bool of_call = n->a->kind == CX_CALL || (n->a->kind == CX_INDEX && n->a->a->kind == CX_CALL);
  if (of_call && assign_call(in, n, &result)) return result;
  cv right = cx_eval(in, n->b);
  changed c;
  return find_changed(in, n->a, &c) ? change(in, n->loc, &c, n->op, right) : cv_poison;
}

/* operator++(), and operator++(int) behind. */
static bool call_step(cx_interp *in, const cx_node *n, cv object, cv *out) {
  cv zero = cv_int(PM_I32, 0);
  cx_arguments a = cx_values_as_arguments(in, n->loc, &zero, n->kind == CX_POSTFIX);
  return cx_call_own(in, n->loc, object, n->op == CX_OP_INC ? "operator++" : "operator--", &a, out);
}

cv cx_eval_step(cx_interp *in, const cx_node *n) {
  changed c;
  if (!find_changed(in, n->a, &c)) return cv_poison;
  cv before = c.cell ? c.cell->value : loaded(in, c.element), result;
  bool is_postfix = n->kind == CX_POSTFIX;
  if (is_postfix && before.kind == CV_OBJECT) before = cx_copy(in, before);
  if (c.cell && c.cell->value.kind == CV_OBJECT && call_step(in, n, c.cell->value, &result)) return result;
  cv after = change(in, n->loc, &c, n->op == CX_OP_INC ? CX_OP_ADD : CX_OP_SUB, cv_int(PM_I32, 1));
  return is_postfix ? before : after;
}
