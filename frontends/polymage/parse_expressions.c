/* Expressions of the Python subset: atoms, what follows them, operators. */
#include "frontends/polymage/parse.h"

#include <stdlib.h>

/* --- atoms --- */

py_node *parse_name(parser *p) {
  py_node *n = parse_node(p, NODE_NAME, p->t->loc);
  n->name = p->t->name;
  if (!parse_expect(p, TOK_NAME)) return NULL;
  return n;
}

static py_node *int_node(parser *p) {
  py_node *n = parse_node(p, NODE_INT, p->t->loc);
  n->i = p->t->i;
  parse_advance(p);
  return n;
}

static py_node *float_node(parser *p) {
  py_node *n = parse_node(p, NODE_FLOAT, p->t->loc);
  n->f = p->t->f;
  parse_advance(p);
  return n;
}

static py_node *bool_node(parser *p) {
  py_node *n = parse_node(p, NODE_BOOL, p->t->loc);
  n->i = p->t->kind == TOK_TRUE;
  parse_advance(p);
  return n;
}

static py_node *none_node(parser *p) {
  py_node *n = parse_node(p, NODE_NONE, p->t->loc);
  parse_advance(p);
  return n;
}

/* One or more adjacent literals, which are joined. */
static py_node *string_node(parser *p) {
  py_node *n = parse_node(p, NODE_STRING, p->t->loc);
  n->text = p->t->text;
  parse_advance(p);
  if (p->t->kind != TOK_STRING) return n;
  pm_buf joined = {0};
  pm_buf_put(&joined, n->text.ptr, n->text.len);
  for (; p->t->kind == TOK_STRING; parse_advance(p)) pm_buf_put(&joined, p->t->text.ptr, p->t->text.len);
  n->text = (pm_str){pm_arena_strndup(p->arena, joined.data ? joined.data : "", joined.len), joined.len};
  pm_buf_free(&joined);
  return n;
}

/* Expressions with commas between and perhaps after, up to `close`, which is not taken. */
static void comma_separated(parser *p, py_tok close, parse_nodes *items) {
  while (p->t->kind != close && !p->failed) {
    PM_VEC_PUSH(*items, parse_expression(p));
    if (!parse_accept(p, TOK_COMMA)) break;
  }
}

/* A name, an attribute, an index, or a tuple or list of such. */
bool parse_is_target(const py_node *n) {
  switch (n->kind) {
  case NODE_NAME:
  case NODE_ATTR:
  case NODE_INDEX:
    return true;
  case NODE_TUPLE:
  case NODE_LIST:
    for (uint32_t i = 0; i < n->n_items; i++)
      if (!parse_is_target(n->items[i])) return false;
    return true;
  default:
    return false;
  }
}

static py_node *postfix(parser *p);

/* The targets of a `for`, up to `in`. */
py_node *parse_targets(parser *p) {
  pm_loc loc = p->t->loc;
  parse_nodes items = {0};
  bool tuple = false;
  do {
    if (tuple && p->t->kind == TOK_IN) break;
    py_node *target = postfix(p);
    if (!p->failed && !parse_is_target(target))
      parse_fail_with(p, loc, "a 'for' sets this, it should be a name");
    PM_VEC_PUSH(items, target);
    tuple = tuple || p->t->kind == TOK_COMMA;
  } while (!p->failed && parse_accept(p, TOK_COMMA));
  if (!tuple || p->failed) {
    py_node *only = p->failed ? NULL : items.data[0];
    PM_VEC_FREE(items);
    return only;
  }
  py_node *n = parse_node(p, NODE_TUPLE, loc);
  parse_take_items(p, n, &items);
  return n;
}

static py_node *or_expression(parser *p);

/* At `for`: the clauses of a comprehension whose element is `element`. */
static py_node *comprehension(parser *p, py_node *element, pm_loc loc) {
  py_node *n = parse_node(p, NODE_COMPREHENSION, loc);
  n->a = element;
  parse_nodes clauses = {0};
  while (!p->failed && p->t->kind == TOK_FOR) {
    py_node *clause = parse_node(p, NODE_CLAUSE, p->t->loc);
    parse_advance(p);
    clause->a = parse_targets(p);
    parse_expect(p, TOK_IN);
    clause->b = or_expression(p);
    parse_nodes conditions = {0};
    while (!p->failed && parse_accept(p, TOK_IF)) PM_VEC_PUSH(conditions, or_expression(p));
    parse_take_items(p, clause, &conditions);
    PM_VEC_PUSH(clauses, clause);
  }
  parse_take_items(p, n, &clauses);
  return n;
}

static py_node *list_display(parser *p) {
  py_node *n = parse_node(p, NODE_LIST, p->t->loc);
  parse_advance(p);
  parse_nodes items = {0};
  if (p->t->kind != TOK_RBRACKET) {
    PM_VEC_PUSH(items, parse_expression(p));
    if (p->t->kind == TOK_FOR && !p->failed)
      n = comprehension(p, items.data[0], n->loc);
    else if (parse_accept(p, TOK_COMMA))
      comma_separated(p, TOK_RBRACKET, &items);
  }
  parse_expect(p, TOK_RBRACKET);
  if (n->kind == NODE_LIST) parse_take_items(p, n, &items);
  PM_VEC_FREE(items);
  return n;
}

static py_node *parenthesized(parser *p) {
  pm_loc loc = p->t->loc;
  parse_advance(p);
  parse_nodes items = {0};
  bool tuple = p->t->kind == TOK_RPAREN;
  while (p->t->kind != TOK_RPAREN && !p->failed) {
    PM_VEC_PUSH(items, parse_expression(p));
    if (!parse_accept(p, TOK_COMMA)) break;
    tuple = true;
  }
  py_node *n = NULL;
  if (p->t->kind == TOK_FOR && items.len == 1 && !tuple) n = comprehension(p, items.data[0], loc);
  parse_expect(p, TOK_RPAREN);
  if (!n && tuple)
    parse_take_items(p, n = parse_node(p, NODE_TUPLE, loc), &items);
  else if (!n && items.len > 0)
    n = items.data[0];
  PM_VEC_FREE(items);
  return n;
}

static py_node *dict_display(parser *p) {
  py_node *n = parse_node(p, NODE_DICT, p->t->loc);
  parse_advance(p);
  parse_nodes items = {0};
  while (p->t->kind != TOK_RBRACE && !p->failed) {
    pm_loc loc = p->t->loc;
    PM_VEC_PUSH(items, parse_expression(p));
    bool is_set = items.len == 1 && (p->t->kind == TOK_COMMA || p->t->kind == TOK_RBRACE);
    if (is_set && !p->failed) parse_fail_with(p, loc, "a set is not supported, a list is");
    if (!parse_expect(p, TOK_COLON)) break;
    PM_VEC_PUSH(items, parse_expression(p));
    if (!parse_accept(p, TOK_COMMA)) break;
  }
  if (!p->failed && p->t->kind == TOK_FOR)
    parse_fail_with(p, p->t->loc,
                    "a dictionary comprehension is not supported, a loop should fill the dictionary");
  parse_expect(p, TOK_RBRACE);
  parse_take_items(p, n, &items);
  return n;
}

static py_node *atom(parser *p) {
  switch (p->t->kind) {
  case TOK_NAME:
    return parse_name(p);
  case TOK_INT:
    return int_node(p);
  case TOK_FLOAT:
    return float_node(p);
  case TOK_STRING:
    return string_node(p);
  case TOK_NONE:
    return none_node(p);
  case TOK_TRUE:
  case TOK_FALSE:
    return bool_node(p);
  case TOK_LPAREN:
    return parenthesized(p);
  case TOK_LBRACKET:
    return list_display(p);
  case TOK_LBRACE:
    return dict_display(p);
  default:
    return parse_fail(p, "an expression");
  }
}

/* --- postfix --- */

static py_node *argument(parser *p) {
  if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_ASSIGN) {
    py_node *n = parse_node(p, NODE_KEYWORD, p->t->loc);
    n->name = p->t->name;
    parse_advance(p);
    parse_advance(p);
    n->a = parse_expression(p);
    return n;
  }
  if (p->t->kind == TOK_STAR || p->t->kind == TOK_POWER)
    return parse_fail_with(p, p->t->loc,
                           "an argument with a star is not supported, each argument should be written out");
  pm_loc loc = p->t->loc;
  py_node *value = parse_expression(p);
  return p->t->kind == TOK_FOR && !p->failed ? comprehension(p, value, loc) : value;
}

static py_node *call(parser *p, py_node *callee) {
  py_node *n = parse_node(p, NODE_CALL, callee->loc);
  n->a = callee;
  parse_advance(p);
  parse_nodes arguments = {0};
  while (p->t->kind != TOK_RPAREN && !p->failed) {
    PM_VEC_PUSH(arguments, argument(p));
    if (p->t->kind == TOK_COLON) parse_fail_with(p, p->t->loc, "a slice is not supported, one index is");
    if (!parse_accept(p, TOK_COMMA)) break;
  }
  parse_expect(p, TOK_RPAREN);
  parse_take_items(p, n, &arguments);
  return n;
}

static py_node *subscript(parser *p, py_node *base) {
  py_node *n = parse_node(p, NODE_INDEX, base->loc);
  n->a = base;
  parse_advance(p);
  if (p->t->kind != TOK_COLON) n->b = parse_expression_list(p);
  if (!p->failed && p->t->kind == TOK_COLON)
    return parse_fail_with(p, p->t->loc, "a slice is not supported, a list comprehension over range() is");
  parse_expect(p, TOK_RBRACKET);
  return n;
}

static py_node *attribute(parser *p, py_node *base) {
  parse_advance(p);
  py_node *n = parse_node(p, NODE_ATTR, p->t->loc);
  n->a = base;
  n->name = p->t->name;
  if (p->t->kind == TOK_PRINT)
    parse_advance(p);
  else
    parse_expect(p, TOK_NAME);
  return n;
}

static py_node *postfix(parser *p) {
  py_node *n = atom(p);
  while (!p->failed) {
    if (p->t->kind == TOK_LPAREN)
      n = call(p, n);
    else if (p->t->kind == TOK_LBRACKET)
      n = subscript(p, n);
    else if (p->t->kind == TOK_DOT)
      n = attribute(p, n);
    else
      break;
  }
  return n;
}

/* --- operators --- */

py_node *parse_binary(parser *p, py_kind kind, py_tok op, pm_loc loc, py_node *a, py_node *b) {
  py_node *n = parse_node(p, kind, loc);
  n->op = op;
  n->a = a;
  n->b = b;
  return n;
}

static py_node *unary(parser *p);

/* What follows a sign or `**`, which nests as brackets do. */
static py_node *operand(parser *p) {
  py_node *n = parse_enter(p) ? unary(p) : NULL;
  parse_leave(p);
  return n;
}

static py_node *unary(parser *p) {
  pm_loc loc = p->t->loc;
  py_tok op = p->t->kind;
  if (op == TOK_MINUS || op == TOK_PLUS || op == TOK_TILDE) {
    parse_advance(p);
    return parse_binary(p, NODE_UNARY, op, loc, operand(p), NULL);
  }
  py_node *n = postfix(p);
  loc = p->t->loc;
  if (!p->failed && parse_accept(p, TOK_POWER))
    n = parse_binary(p, NODE_BINARY, TOK_POWER, loc, n, operand(p));
  return n;
}

static int precedence(py_tok kind) {
  switch (kind) {
  case TOK_BAR:
    return 1;
  case TOK_CARET:
    return 2;
  case TOK_AMP:
    return 3;
  case TOK_SHL:
  case TOK_SHR:
    return 4;
  case TOK_PLUS:
  case TOK_MINUS:
    return 5;
  case TOK_STAR:
  case TOK_SLASH:
  case TOK_FLOOR:
  case TOK_PERCENT:
    return 6;
  default:
    return 0;
  }
}

/* Operators that bind at least as tightly as `least`; to the left. */
static py_node *arithmetic(parser *p, int least) {
  py_node *n = unary(p);
  while (!p->failed && precedence(p->t->kind) >= least) {
    py_tok op = p->t->kind;
    pm_loc loc = p->t->loc;
    parse_advance(p);
    py_node *right = arithmetic(p, precedence(op) + 1);
    n = parse_binary(p, NODE_BINARY, parse_operator(p, op), loc, n, right);
  }
  return n;
}

/* At a comparison: takes its one or two words. */
static bool comparison_op(parser *p, py_tok *op, bool *negated) {
  *op = p->t->kind;
  *negated = false;
  switch (*op) {
  case TOK_LT:
  case TOK_LE:
  case TOK_GT:
  case TOK_GE:
  case TOK_EQ:
  case TOK_NE:
  case TOK_IN:
    parse_advance(p);
    return true;
  case TOK_IS:
    parse_advance(p);
    *negated = parse_accept(p, TOK_NOT);
    return true;
  case TOK_NOT:
    if (p->t[1].kind != TOK_IN) return false;
    parse_advance(p);
    parse_advance(p);
    *op = TOK_IN;
    *negated = true;
    return true;
  default:
    return false;
  }
}

/* a < b < c is (a < b) and (b < c). */
static py_node *comparison(parser *p) {
  py_node *left = arithmetic(p, 1), *all = NULL;
  py_tok op;
  bool negated;
  pm_loc loc = p->t->loc;
  while (!p->failed && comparison_op(p, &op, &negated)) {
    py_node *right = arithmetic(p, 1);
    py_node *one = parse_binary(p, NODE_COMPARE, op, loc, left, right);
    one->negated = negated;
    all = all ? parse_binary(p, NODE_AND, op, loc, all, one) : one;
    left = right;
    loc = p->t->loc;
  }
  return all ? all : left;
}

static py_node *not_expression(parser *p) {
  pm_loc loc = p->t->loc;
  unsigned count = 0;
  while (parse_accept(p, TOK_NOT)) count++;
  py_node *n = comparison(p);
  if (count % 2 == 1) return parse_binary(p, NODE_NOT, TOK_NOT, loc, n, NULL);
  return count > 0
             ? parse_binary(p, NODE_NOT, TOK_NOT, loc, parse_binary(p, NODE_NOT, TOK_NOT, loc, n, NULL), NULL)
             : n;
}

static py_node *and_expression(parser *p) {
  py_node *n = not_expression(p);
  for (pm_loc loc = p->t->loc; !p->failed && parse_accept(p, TOK_AND); loc = p->t->loc)
    n = parse_binary(p, NODE_AND, TOK_AND, loc, n, not_expression(p));
  return n;
}

static py_node *or_expression(parser *p) {
  py_node *n = and_expression(p);
  for (pm_loc loc = p->t->loc; !p->failed && parse_accept(p, TOK_OR); loc = p->t->loc)
    n = parse_binary(p, NODE_OR, TOK_OR, loc, n, and_expression(p));
  return n;
}

static py_node *parameter(parser *p) {
  if (p->t->kind == TOK_STAR || p->t->kind == TOK_POWER)
    return parse_fail_with(p, p->t->loc,
                           "a parameter with a star is not supported, each parameter should have a name");
  py_node *n = parse_node(p, NODE_PARAM, p->t->loc);
  n->name = p->t->name;
  parse_expect(p, TOK_NAME);
  if (!p->failed && parse_accept(p, TOK_ASSIGN)) n->a = parse_expression(p);
  return n;
}

/* Up to `close`, which is not taken, into the function's items. */
py_node *parse_parameters(parser *p, py_tok close, py_node *function) {
  parse_nodes items = {0};
  while (p->t->kind != close && !p->failed) {
    PM_VEC_PUSH(items, parameter(p));
    if (!parse_accept(p, TOK_COMMA)) break;
  }
  parse_take_items(p, function, &items);
  return function;
}

static py_node *lambda(parser *p) {
  py_node *n = parse_node(p, NODE_LAMBDA, p->t->loc);
  parse_advance(p);
  parse_parameters(p, TOK_COLON, n);
  parse_expect(p, TOK_COLON);
  if (!p->failed) n->a = parse_expression(p);
  return n;
}

py_node *parse_expression(parser *p) {
  if (!parse_enter(p)) return parse_leave(p), NULL;
  bool is_lambda = p->t->kind == TOK_LAMBDA;
  py_node *n = is_lambda ? lambda(p) : or_expression(p);
  pm_loc loc = p->t->loc;
  if (!p->failed && !is_lambda && parse_accept(p, TOK_IF)) {
    py_node *choice = parse_node(p, NODE_TERNARY, loc);
    choice->b = n;
    choice->a = or_expression(p);
    parse_expect(p, TOK_ELSE);
    if (!p->failed) choice->c = parse_expression(p);
    n = choice;
  }
  parse_leave(p);
  return n;
}

bool parse_ends_list(py_tok kind) {
  switch (kind) {
  case TOK_NEWLINE:
  case TOK_SEMICOLON:
  case TOK_ASSIGN:
  case TOK_RBRACKET:
  case TOK_RPAREN:
  case TOK_COLON:
  case TOK_END:
    return true;
  default:
    return false;
  }
}

/* One expression, or a tuple without parentheses. */
py_node *parse_expression_list(parser *p) {
  pm_loc loc = p->t->loc;
  py_node *first = parse_expression(p);
  if (p->failed || p->t->kind != TOK_COMMA) return first;
  parse_nodes items = {0};
  PM_VEC_PUSH(items, first);
  while (!p->failed && parse_accept(p, TOK_COMMA)) {
    if (parse_ends_list(p->t->kind)) break;
    PM_VEC_PUSH(items, parse_expression(p));
  }
  py_node *n = parse_node(p, NODE_TUPLE, loc);
  parse_take_items(p, n, &items);
  return n;
}
