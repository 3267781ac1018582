/* Operators and conversions that classes of the program have [over.oper]. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/values/values.h"

#include <string.h>

static pm_string operator_name(cx_interp *in, const char *op) {
  pm_buf text = {0};
  pm_buf_printf(&text, "operator%s", op);
  pm_string name = pm_get_string(in->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name;
}

/* Operators of the program are looked at where an operand is no number: of a class, an enumeration, the
 * library. */
static bool may_have_operator(cv v) {
  return v.kind == CV_OBJECT || v.kind >= CV_LIBRARY || v.kind == CV_LIST ||
         (v.kind == CV_INT && v.number > 0);
}

/* The operator belongs to the library's values as they are: one of the program has to suit exactly. */
static bool is_of_library_alone(cx_interp *in, const cx_arguments *a) {
  bool alone = true;
  for (unsigned i = 0; i < a->n; i++) {
    const cx_class *of = cx_class_of(in, a->values[i]);
    alone &= cv_is_number(a->values[i]) || (of && !of->is_list);
  }
  return alone;
}

/* One operand at least is of a class for which the operator is made. */
static bool is_for_class(cx_interp *in, const cx_candidate *c, const cx_arguments *a) {
  cx_scope *outside = in->scope;
  const cx_argument *args = cx_ranked(in, a);
  bool is = false;
  in->scope = c->scope;
  for (unsigned i = 0; i < a->n; i++)
    is |= !cv_is_number(a->values[i]) && cx_rank_of(in, c->node->items[i]->a, &args[i]) > CX_USER;
  in->scope = outside;
  return is;
}

/* Calls the operator that suits best: of the class of the first operand or free. */
static bool call_operator(cx_interp *in, pm_loc loc, const char *op, const cx_arguments *a, cv *out) {
  pm_string name = operator_name(in, op);
  cx_candidates members = {0}, free_ones = {0};
  cx_arguments rest = *a;
  cx_candidate one, other;
  cx_rank worst = CX_NO_MATCH, worst_free = CX_NO_MATCH;
  rest.values++, rest.locs++, rest.n--;
  if (rest.cells) rest.cells++;
  if (rest.nodes) rest.nodes++;
  if (a->values[0].kind == CV_OBJECT)
    cx_add_methods(in, cx_taken_for(a->values[0]), a->values[0].object, name, &members);
  cx_add_operators(in, name, cx_ranked(in, a), a->n, &free_ones);
  if (members.len == 0 && free_ones.len == 0) return false;
  cx_choice of_class = cx_choose(in, &members, cx_ranked(in, &rest), rest.n, NULL, &one, &worst);
  cx_choice is_free = cx_choose(in, &free_ones, cx_ranked(in, a), a->n, NULL, &other, &worst_free);
  if (is_free == CX_ONE_SUITS && !is_for_class(in, &other, a)) is_free = CX_NONE_SUITS;
  if (is_free != CX_NONE_SUITS && worst_free < CX_EXACT && is_of_library_alone(in, a))
    is_free = CX_NONE_SUITS;
  if (of_class == CX_NONE_SUITS && is_free == CX_NONE_SUITS) return false;
  bool takes_member = is_free == CX_NONE_SUITS || (of_class != CX_NONE_SUITS && worst >= worst_free);
  cx_choice choice = takes_member ? of_class : is_free;
  const cx_arguments *given = takes_member ? &rest : a;
  if (choice == CX_SEVERAL_SUIT) {
    cx_fail(in, loc, "several operators '%s' suit %s equally well", op, cv_describe(in, a->values[0]));
    *out = cv_poison;
  } else {
    *out = cx_call_candidate(in, loc, takes_member ? &one : &other, given);
  }
  return true;
}

static bool call_with(cx_interp *in, pm_loc loc, const char *op, cv *values, const cx_node *const *nodes,
                      unsigned n, cv *out) {
  bool may = false;
  for (unsigned i = 0; i < n; i++) {
    if (values[i].kind == CV_POISON) return false;
    may |= may_have_operator(values[i]);
  }
  if (!may) return false;
  cx_arguments a = cx_values_as_arguments(in, loc, values, n);
  cx_cell **cells = pm_arena_alloc(in->arena, (n + 1) * sizeof(cx_cell *));
  cx_found found;
  for (unsigned i = 0; nodes && i < n; i++)
    if (nodes[i] && nodes[i]->kind == CX_NAME && cx_look_up(in, nodes[i], &found)) cells[i] = found.cell;
  a.cells = cells;
  a.nodes = (cx_node *const *)nodes;
  return call_operator(in, loc, op, &a, out);
}

bool cx_call_binary(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, const cx_node *const nodes[2], cv *out) {
  cv values[] = {a, b};
  return call_with(in, loc, cx_op_text(op), values, nodes, 2, out);
}

bool cx_call_unary(cx_interp *in, pm_loc loc, cx_op op, cv a, const cx_node *node, cv *out) {
  return call_with(in, loc, cx_op_text(op), &a, &node, 1, out);
}

/* --- conversions --- */

/* The conversion of the class or its bases that leads to the type, or the only one that leads near it; NULL:
 * to what an operator takes. */
static bool find_conversion(cx_interp *in, const cx_node *type, cv object, cx_candidate *out) {
  cx_line line = cx_line_of(in, cx_taken_for(object));
  cx_scope *outside = in->scope;
  pm_scalar scalar;
  unsigned n = 0;
  for (uint32_t i = 0; i < line.items.len; i++) {
    for (uint32_t k = 0; k < line.items.data[i]->node->n_items; k++) {
      const cx_node *m = line.items.data[i]->node->items[k];
      if (m->kind != CX_FUNCTION || !m->a || strcmp(m->name->text, "operator") != 0) continue;
      in->scope = line.items.data[i]->names;
      const cx_node *to = cx_resolve(in, m->a);
      in->scope = outside;
      bool is_scalar = cx_scalar_of(in, to, &scalar);
      bool suits =
          type ? cx_same_type(cx_bare_type(in, to), cx_bare_type(in, type)) : !to->c && !m->is_explicit;
      bool is_near = type && is_scalar && !m->is_explicit && cx_scalar_of(in, type, &scalar);
      if (suits || is_near)
        *out =
            (cx_candidate){m, cx_part(object.object, line.items.data[i]), object.object, line.items.data[i]};
      if (suits && type) return true;
      n += suits || is_near;
    }
  }
  return n == 1;
}

bool cx_convert_object(cx_interp *in, pm_loc loc, const cx_node *type, cv object, cv *out) {
  cx_candidate c;
  if (object.kind != CV_OBJECT || !find_conversion(in, type, object, &c)) return false;
  *out = cx_call_candidate(in, loc, &c, &(cx_arguments){.ok = true});
  return true;
}

static bool has_object(cv list) {
  bool has = false;
  for (uint32_t i = 0; i < list.list->items.len; i++)
    has |= list.list->items.data[i]->value.kind == CV_OBJECT;
  return has;
}

enum { MAX_DEPTH = 20 };

/* What stands in braces. */
static cv list_of_operands(cx_interp *in, pm_loc loc, cv list, unsigned depth) {
  cv result = cx_new_list(in, CV_LIST);
  for (uint32_t i = 0; i < list.list->items.len; i++) {
    cv item = list.list->items.data[i]->value;
    bool is_list = item.kind == CV_LIST && !item.list->of && depth < MAX_DEPTH && has_object(item);
    cx_append(in, result,
              is_list                  ? list_of_operands(in, loc, item, depth + 1)
              : item.kind == CV_OBJECT ? cx_as_operand(in, loc, item)
                                       : item);
  }
  return result;
}

cv cx_as_operand(cx_interp *in, pm_loc loc, cv v) {
  cv converted;
  const cx_cell *inner = cx_inner_cell(v);
  if (inner) return inner->value;
  if (v.kind == CV_LIST && !v.list->of && has_object(v)) return list_of_operands(in, loc, v, 0);
  return cx_convert_object(in, loc, NULL, v, &converted) ? converted : v;
}

cv cx_behind_arrow(cx_interp *in, pm_loc loc, cv object) {
  cv behind;
  for (int i = 0; i < 20 && object.kind == CV_OBJECT; i++) {
    if (!cx_call_own(in, loc, object, "operator->", &(cx_arguments){.ok = true}, &behind)) break;
    object = cx_behind(behind);
  }
  return object;
}

cv cx_operate(cx_interp *in, pm_loc loc, cx_op op, cv a, cv b, const cx_node *const nodes[2]) {
  cv result;
  if (cx_call_binary(in, loc, op, a, b, nodes, &result)) return result;
  return cx_binary(in, loc, op, cx_as_operand(in, loc, a), cx_as_operand(in, loc, b));
}
