/* Statements: how they follow each other. */
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/values/values.h"

/* Those from number `at` on. */
static cx_flow run_items_from(cx_interp *in, const cx_node *n, uint32_t at) {
  for (uint32_t i = at; i < n->n_items && !in->stopped; i++) {
    cx_flow f = cx_run(in, n->items[i]);
    if (f == CX_FLOW_SPLIT && i + 1 < n->n_items) return cx_run_rest(in, n, i + 1, run_items_from);
    if (f != CX_FLOW_NEXT) return f;
  }
  return CX_FLOW_NEXT;
}

cx_flow cx_run_items(cx_interp *in, const cx_node *n) {
  return run_items_from(in, n, 0);
}

static cx_flow run_block(cx_interp *in, const cx_node *n) {
  cx_scope *outside = in->scope;
  in->scope = cx_push_local_scope(in, outside);
  cx_flow f = cx_run_items(in, n);
  in->scope = outside;
  return f;
}

/* What one `if` of a chain declares is known behind its `else`. */
static cx_flow run_chain(cx_interp *in, const cx_node *n) {
  bool yes;
  for (; n && n->kind == CX_IF; n = n->c) {
    if (!cx_may_go_on(in, n->loc)) return CX_FLOW_NEXT;
    if (n->n_items > 0) {
      in->scope = cx_push_local_scope(in, in->scope);
      cx_run(in, n->items[0]);
    }
    cv condition = cx_eval_condition(in, n->a);
    if (cx_is_unknown(in, condition)) return cx_run_both(in, n, condition);
    if (!cx_to_bool(in, n->a->loc, condition, &yes)) return CX_FLOW_NEXT;
    if (yes) return cx_run(in, n->b);
  }
  return n ? cx_run(in, n) : CX_FLOW_NEXT;
}

static cx_flow run_if(cx_interp *in, const cx_node *n) {
  cx_scope *outside = in->scope;
  in->scope = cx_push_local_scope(in, outside);
  cx_flow f = run_chain(in, n);
  in->scope = outside;
  return f;
}

/* The flow behind a round of a loop; false: the loop ends, with *f. */
static bool goes_on(cx_flow *f) {
  if (*f == CX_FLOW_RETURN) return false;
  bool more = *f != CX_FLOW_BREAK;
  *f = CX_FLOW_NEXT;
  return more;
}

/* The condition of a loop, ahead of a round; false: the loop is over. */
static bool goes_round(cx_interp *in, const cx_node *n) {
  bool yes;
  cv condition = cx_eval_condition(in, n->a);
  if (cx_is_unknown(in, condition) && in->library->run_loop && in->library->run_loop(in, n)) return false;
  return cx_to_bool(in, n->a->loc, condition, &yes) && yes;
}

/* `at` is 1 behind a round. */
static cx_flow run_rounds_of_for(cx_interp *in, const cx_node *n, uint32_t at) {
  cx_flow f = CX_FLOW_NEXT;
  if (at && n->b) cx_eval(in, n->b);
  while (cx_may_go_on(in, n->loc)) {
    if (n->a && !goes_round(in, n)) break;
    f = cx_run(in, n->c);
    if (f == CX_FLOW_SPLIT) return cx_run_rounds(in, n, run_rounds_of_for);
    if (!goes_on(&f)) break;
    if (n->b) cx_eval(in, n->b);
  }
  return f;
}

static cx_flow run_for(cx_interp *in, const cx_node *n) {
  cx_scope *outside = in->scope;
  in->scope = cx_push_local_scope(in, outside);
  if (n->n_items > 0 && n->items[0]) cx_run(in, n->items[0]);
  cx_flow f = run_rounds_of_for(in, n, 0);
  in->scope = outside;
  return f;
}

static cx_flow run_range_for(cx_interp *in, const cx_node *n) {
  cx_scope *outside = in->scope;
  cv list = cx_inner(cx_behind(cx_eval(in, n->a)));
  cx_flow f = CX_FLOW_NEXT;
  if (list.kind == CV_POISON || list.kind == CV_IGNORED) return f;
  if (list.kind == CV_STRING) list = cx_characters(in, list);
  if (list.kind != CV_MAP && !cx_is_sequence(in, list)) {
    cx_fail(in, n->a->loc, "this is %s, a list should be here", cv_describe(in, list));
    return f;
  }
  const cx_node *type = n->items[0]->a, *d = n->items[0]->items[0];
  for (uint32_t i = 0; i < list.list->items.len && cx_may_go_on(in, n->loc); i++) {
    cx_cell *item = list.list->items.data[i];
    in->scope = cx_push_local_scope(in, outside);
    if (!d->name) {
      cv whole = type->is_reference ? item->value : cx_copy(in, item->value);
      for (uint32_t k = 0; whole.kind == CV_LIST && k < d->n_items && k < whole.list->items.len; k++)
        cx_bind(in, in->scope, d->items[k]->name, whole.list->items.data[k], d->loc);
    } else if (d->name && type->is_reference) {
      cx_bind(in, in->scope, d->name, item, d->loc);
    } else if (d->name) {
      cx_declare(in, in->scope, d->name, cx_convert(in, n->a->loc, type, cx_copy(in, item->value)))->type =
          type;
    }
    f = cx_run(in, n->c);
    if (f == CX_FLOW_SPLIT) {
      cx_fail(in, n->loc, "a loop over a list ends at some points only, one with a counter may do so");
      break;
    }
    if (!goes_on(&f)) break;
  }
  in->scope = outside;
  return f;
}

/* `at` is 1 behind a round. */
static cx_flow run_rounds_of_while(cx_interp *in, const cx_node *n, uint32_t at) {
  cx_scope *outside = in->scope;
  cx_flow f = CX_FLOW_NEXT;
  if (at && n->is_do && !goes_round(in, n)) return f;
  while (cx_may_go_on(in, n->loc)) {
    if (n->n_items > 0) { /* a variable, each time anew */
      in->scope = cx_push_local_scope(in, outside);
      cx_run(in, n->items[0]);
    }
    if (!n->is_do && !goes_round(in, n)) break;
    f = cx_run(in, n->c);
    if (f == CX_FLOW_SPLIT) {
      f = cx_run_rounds(in, n, run_rounds_of_while);
      break;
    }
    if (!goes_on(&f)) break;
    if (n->is_do && !goes_round(in, n)) break;
  }
  in->scope = outside;
  return f;
}

static cx_flow run_while(cx_interp *in, const cx_node *n) {
  return run_rounds_of_while(in, n, 0);
}

/* The number of the item behind the label that the value chooses, or that of the default. */
static uint32_t chosen_label(cx_interp *in, const cx_node *body, cv value) {
  uint32_t found = body->n_items;
  for (uint32_t i = 0; i < body->n_items; i++) {
    const cx_node *label = body->items[i];
    if (label->kind != CX_LABEL) continue;
    if (!label->a) {
      found = i;
      continue;
    }
    cv same = cx_binary(in, label->loc, CX_OP_EQ, value, cx_eval(in, label->a));
    if (same.kind == CV_INT && same.i) return i;
  }
  return found;
}

static cx_flow run_switch(cx_interp *in, const cx_node *n) {
  cx_scope *outside = in->scope;
  cv value = cx_eval(in, n->a);
  cx_flow f = CX_FLOW_NEXT;
  if (cx_is_unknown(in, value))
    value = cx_fail(in, n->loc, "a switch differs from point to point, which is not supported; 'if' is");
  if (value.kind == CV_POISON) return f;
  in->scope = cx_push_local_scope(in, outside);
  f = run_items_from(in, n->c, chosen_label(in, n->c, value));
  in->scope = outside;
  if (f == CX_FLOW_SPLIT) return cx_without_breaks(in);
  return f == CX_FLOW_BREAK ? CX_FLOW_NEXT : f;
}

static void refuse(cx_interp *in, const cx_node *n) {
  if (n->name && !in->scope->is_local && !in->scope->instance)
    CX_PUSH(in->arena, in->refused, n);
  else
    cx_fail(in, n->loc, "%.*s", (int)n->text.len, n->text.ptr);
}

static void run_macro(cx_interp *in, const cx_node *n) {
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->run_macro) l->run_macro(in, n);
}

/* What declares something; false: it does something else. */
static bool run_declaration(cx_interp *in, const cx_node *n) {
  switch (n->kind) {
  case CX_DECLARE:
    cx_declare_variables(in, n);
    return true;
  case CX_FUNCTION:
    cx_declare_function(in, n);
    return true;
  case CX_CLASS:
    cx_declare_class(in, n);
    return true;
  case CX_ENUM:
    cx_declare_enum(in, n);
    return true;
  case CX_ALIAS:
    cx_declare_alias(in, n);
    return true;
  case CX_USING:
    cx_declare_using(in, n);
    return true;
  case CX_NAMESPACE:
    cx_declare_namespace(in, n);
    return true;
  case CX_MACRO:
    run_macro(in, n);
    return true;
  case CX_REFUSED:
    refuse(in, n);
    return true;
  default:
    return false;
  }
}

static cx_flow run_return(cx_interp *in, const cx_node *n) {
  cx_cell *cell = NULL;
  in->result = !n->a ? cv_void : in->returns_place ? cx_eval_place(in, n->a, &cell) : cx_eval(in, n->a);
  in->result_cell = cell;
  return CX_FLOW_RETURN;
}

static bool is_passed_over(cx_interp *in, const cx_node *n) {
  cv result;
  bool is_loop = n->kind == CX_FOR || n->kind == CX_WHILE || n->kind == CX_RANGE_FOR;
  return is_loop && in->library->passes_over && in->library->passes_over(in, n, NULL, &result);
}

static cx_flow run_statement(cx_interp *in, const cx_node *n) {
  if (run_declaration(in, n) || is_passed_over(in, n)) return CX_FLOW_NEXT;
  switch (n->kind) {
  case CX_IF:
    return run_if(in, n);
  case CX_FOR:
    return run_for(in, n);
  case CX_RANGE_FOR:
    return run_range_for(in, n);
  case CX_WHILE:
    return run_while(in, n);
  case CX_SWITCH:
    return run_switch(in, n);
  case CX_LABEL:
    return CX_FLOW_NEXT;
  case CX_BREAK:
    return CX_FLOW_BREAK;
  case CX_CONTINUE:
    return CX_FLOW_CONTINUE;
  case CX_RETURN:
    return run_return(in, n);
  case CX_BLOCK:
    return run_block(in, n);
  default:
    cx_eval(in, n->kind == CX_EXPRESSION ? n->a : n);
    return CX_FLOW_NEXT;
  }
}

cx_flow cx_run(cx_interp *in, const cx_node *n) {
  if (!cx_may_go_on(in, n->loc) || !cx_may_nest(in, n->loc, "statement")) return CX_FLOW_RETURN;
  in->nesting++;
  cx_flow f = run_statement(in, n);
  in->nesting--;
  return f;
}
