/* Tokens to a tree. A syntax error is reported once, and parsing goes on at the next statement. */
#include "frontends/polymage/syntax.h"

#include <stdlib.h>

enum { PY_MAX_NESTING = 200 };

typedef struct parser {
  pm_context *ctx;
  pm_arena *arena;
  const py_token *t; /* the next token; the last one is END */
  unsigned nesting;
  bool failed; /* in this statement */
  unsigned n_failures;
  bool after_failure; /* the statement before this one failed */
} parser;

typedef PM_VEC(py_node *) node_vec;

static py_node *expression(parser *p);
static py_node *expression_list(parser *p);
static py_node *block(parser *p);
static void statement(parser *p, node_vec *out);

static py_node *node(parser *p, py_kind kind, pm_loc loc) {
  py_node *n = pm_arena_alloc(p->arena, sizeof(*n));
  n->kind = kind;
  n->loc = loc;
  return n;
}

static void take_items(parser *p, py_node *n, node_vec *items) {
  n->n_items = (uint32_t)items->len;
  if (items->len > 0) n->items = pm_arena_memdup(p->arena, items->data, items->len * sizeof(*items->data));
  PM_VEC_FREE(*items);
}

static void advance(parser *p) {
  if (p->t->kind != TOK_END) p->t++;
}

static bool accept(parser *p, py_tok kind) {
  if (p->t->kind != kind) return false;
  advance(p);
  return true;
}

/* Only the first error of a statement is reported, and none at what the lexer reported. */
static py_node *fail(parser *p, const char *what) {
  if (!p->failed && p->t->kind != TOK_ERROR)
    pm_error(p->ctx, p->t->loc, "%s is here, %s should be", py_tok_text(p->t->kind), what);
  p->failed = true;
  p->n_failures++;
  return NULL;
}

static py_node *fail_with(parser *p, pm_loc loc, const char *message) {
  if (!p->failed) pm_error(p->ctx, loc, "%s", message);
  p->failed = true;
  p->n_failures++;
  return NULL;
}

static bool expect(parser *p, py_tok kind) {
  if (accept(p, kind)) return true;
  fail(p, py_tok_text(kind));
  return false;
}

static bool enter(parser *p) {
  if (p->nesting++ <= PY_MAX_NESTING) return true;
  fail_with(p, p->t->loc, "this is nested more than 200 deep, parts of it should get names");
  return false;
}

static void leave(parser *p) {
  p->nesting--;
}

/* --- atoms --- */

static py_node *name_node(parser *p) {
  py_node *n = node(p, NODE_NAME, p->t->loc);
  n->name = p->t->name;
  if (!expect(p, TOK_NAME)) return NULL;
  return n;
}

static py_node *int_node(parser *p) {
  py_node *n = node(p, NODE_INT, p->t->loc);
  n->i = p->t->i;
  advance(p);
  return n;
}

static py_node *float_node(parser *p) {
  py_node *n = node(p, NODE_FLOAT, p->t->loc);
  n->f = p->t->f;
  advance(p);
  return n;
}

static py_node *bool_node(parser *p) {
  py_node *n = node(p, NODE_BOOL, p->t->loc);
  n->i = p->t->kind == TOK_TRUE;
  advance(p);
  return n;
}

static py_node *none_node(parser *p) {
  py_node *n = node(p, NODE_NONE, p->t->loc);
  advance(p);
  return n;
}

/* One or more adjacent literals, which are joined. */
static py_node *string_node(parser *p) {
  py_node *n = node(p, NODE_STRING, p->t->loc);
  n->text = p->t->text;
  advance(p);
  if (p->t->kind != TOK_STRING) return n;
  pm_buf joined = {0};
  pm_buf_put(&joined, n->text.ptr, n->text.len);
  for (; p->t->kind == TOK_STRING; advance(p)) pm_buf_put(&joined, p->t->text.ptr, p->t->text.len);
  n->text = (pm_str){pm_arena_strndup(p->arena, joined.data ? joined.data : "", joined.len), joined.len};
  pm_buf_free(&joined);
  return n;
}

/* Expressions with commas between and perhaps after, up to `close`, which is not taken. */
static void comma_separated(parser *p, py_tok close, node_vec *items) {
  while (p->t->kind != close && !p->failed) {
    PM_VEC_PUSH(*items, expression(p));
    if (!accept(p, TOK_COMMA)) break;
  }
}

/* A name, an attribute, an index, or a tuple or list of such. */
static bool is_target(const py_node *n) {
  switch (n->kind) {
  case NODE_NAME:
  case NODE_ATTR:
  case NODE_INDEX:
    return true;
  case NODE_TUPLE:
  case NODE_LIST:
    for (uint32_t i = 0; i < n->n_items; i++)
      if (!is_target(n->items[i])) return false;
    return true;
  default:
    return false;
  }
}

static py_node *postfix(parser *p);

/* The targets of a `for`, up to `in`. */
static py_node *for_targets(parser *p) {
  pm_loc loc = p->t->loc;
  node_vec items = {0};
  bool tuple = false;
  do {
    if (tuple && p->t->kind == TOK_IN) break;
    py_node *target = postfix(p);
    if (!p->failed && !is_target(target)) fail_with(p, loc, "a 'for' sets this, it should be a name");
    PM_VEC_PUSH(items, target);
    tuple = tuple || p->t->kind == TOK_COMMA;
  } while (!p->failed && accept(p, TOK_COMMA));
  if (!tuple || p->failed) {
    py_node *only = p->failed ? NULL : items.data[0];
    PM_VEC_FREE(items);
    return only;
  }
  py_node *n = node(p, NODE_TUPLE, loc);
  take_items(p, n, &items);
  return n;
}

static py_node *or_expression(parser *p);

/* At `for`: the clauses of a comprehension whose element is `element`. */
static py_node *comprehension(parser *p, py_node *element, pm_loc loc) {
  py_node *n = node(p, NODE_COMPREHENSION, loc);
  n->a = element;
  node_vec clauses = {0};
  while (!p->failed && p->t->kind == TOK_FOR) {
    py_node *clause = node(p, NODE_CLAUSE, p->t->loc);
    advance(p);
    clause->a = for_targets(p);
    expect(p, TOK_IN);
    clause->b = or_expression(p);
    node_vec conditions = {0};
    while (!p->failed && accept(p, TOK_IF)) PM_VEC_PUSH(conditions, or_expression(p));
    take_items(p, clause, &conditions);
    PM_VEC_PUSH(clauses, clause);
  }
  take_items(p, n, &clauses);
  return n;
}

static py_node *list_display(parser *p) {
  py_node *n = node(p, NODE_LIST, p->t->loc);
  advance(p);
  node_vec items = {0};
  if (p->t->kind != TOK_RBRACKET) {
    PM_VEC_PUSH(items, expression(p));
    if (p->t->kind == TOK_FOR && !p->failed)
      n = comprehension(p, items.data[0], n->loc);
    else if (accept(p, TOK_COMMA))
      comma_separated(p, TOK_RBRACKET, &items);
  }
  expect(p, TOK_RBRACKET);
  if (n->kind == NODE_LIST) take_items(p, n, &items);
  PM_VEC_FREE(items);
  return n;
}

static py_node *parenthesized(parser *p) {
  pm_loc loc = p->t->loc;
  advance(p);
  node_vec items = {0};
  bool tuple = p->t->kind == TOK_RPAREN;
  while (p->t->kind != TOK_RPAREN && !p->failed) {
    PM_VEC_PUSH(items, expression(p));
    if (!accept(p, TOK_COMMA)) break;
    tuple = true;
  }
  py_node *n = NULL;
  if (p->t->kind == TOK_FOR && items.len == 1 && !tuple) n = comprehension(p, items.data[0], loc);
  expect(p, TOK_RPAREN);
  if (!n && tuple)
    take_items(p, n = node(p, NODE_TUPLE, loc), &items);
  else if (!n && items.len > 0)
    n = items.data[0];
  PM_VEC_FREE(items);
  return n;
}

static py_node *dict_display(parser *p) {
  py_node *n = node(p, NODE_DICT, p->t->loc);
  advance(p);
  node_vec items = {0};
  while (p->t->kind != TOK_RBRACE && !p->failed) {
    pm_loc loc = p->t->loc;
    PM_VEC_PUSH(items, expression(p));
    bool is_set = items.len == 1 && (p->t->kind == TOK_COMMA || p->t->kind == TOK_RBRACE);
    if (is_set && !p->failed) fail_with(p, loc, "a set is not supported, a list is");
    if (!expect(p, TOK_COLON)) break;
    PM_VEC_PUSH(items, expression(p));
    if (!accept(p, TOK_COMMA)) break;
  }
  if (!p->failed && p->t->kind == TOK_FOR)
    fail_with(p, p->t->loc, "a dictionary comprehension is not supported, a loop should fill the dictionary");
  expect(p, TOK_RBRACE);
  take_items(p, n, &items);
  return n;
}

static py_node *atom(parser *p) {
  switch (p->t->kind) {
  case TOK_NAME:
    return name_node(p);
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
    return fail(p, "an expression");
  }
}

/* --- postfix --- */

static py_node *argument(parser *p) {
  if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_ASSIGN) {
    py_node *n = node(p, NODE_KEYWORD, p->t->loc);
    n->name = p->t->name;
    advance(p);
    advance(p);
    n->a = expression(p);
    return n;
  }
  if (p->t->kind == TOK_STAR || p->t->kind == TOK_POWER)
    return fail_with(p, p->t->loc,
                     "an argument with a star is not supported, each argument should be written out");
  pm_loc loc = p->t->loc;
  py_node *value = expression(p);
  return p->t->kind == TOK_FOR && !p->failed ? comprehension(p, value, loc) : value;
}

static py_node *call(parser *p, py_node *callee) {
  py_node *n = node(p, NODE_CALL, callee->loc);
  n->a = callee;
  advance(p);
  node_vec arguments = {0};
  while (p->t->kind != TOK_RPAREN && !p->failed) {
    PM_VEC_PUSH(arguments, argument(p));
    if (!accept(p, TOK_COMMA)) break;
  }
  expect(p, TOK_RPAREN);
  take_items(p, n, &arguments);
  return n;
}

static py_node *subscript(parser *p, py_node *base) {
  py_node *n = node(p, NODE_INDEX, base->loc);
  n->a = base;
  advance(p);
  if (p->t->kind != TOK_COLON) n->b = expression_list(p);
  if (p->t->kind == TOK_COLON)
    return fail_with(p, p->t->loc, "a slice is not supported, a list comprehension over range() is");
  expect(p, TOK_RBRACKET);
  return n;
}

static py_node *attribute(parser *p, py_node *base) {
  advance(p);
  py_node *n = node(p, NODE_ATTR, p->t->loc);
  n->a = base;
  n->name = p->t->name;
  if (p->t->kind == TOK_PRINT)
    advance(p);
  else
    expect(p, TOK_NAME);
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

static py_node *binary(parser *p, py_kind kind, py_tok op, pm_loc loc, py_node *a, py_node *b) {
  py_node *n = node(p, kind, loc);
  n->op = op;
  n->a = a;
  n->b = b;
  return n;
}

static py_node *unary(parser *p);

/* What follows a sign or `**`, which nests as brackets do. */
static py_node *operand(parser *p) {
  py_node *n = enter(p) ? unary(p) : NULL;
  leave(p);
  return n;
}

static py_node *unary(parser *p) {
  pm_loc loc = p->t->loc;
  py_tok op = p->t->kind;
  if (op == TOK_MINUS || op == TOK_PLUS || op == TOK_TILDE) {
    advance(p);
    return binary(p, NODE_UNARY, op, loc, operand(p), NULL);
  }
  py_node *n = postfix(p);
  loc = p->t->loc;
  if (!p->failed && accept(p, TOK_POWER)) n = binary(p, NODE_BINARY, TOK_POWER, loc, n, operand(p));
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
    advance(p);
    n = binary(p, NODE_BINARY, op, loc, n, arithmetic(p, precedence(op) + 1));
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
    advance(p);
    return true;
  case TOK_IS:
    advance(p);
    *negated = accept(p, TOK_NOT);
    return true;
  case TOK_NOT:
    if (p->t[1].kind != TOK_IN) return false;
    advance(p);
    advance(p);
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
    py_node *one = binary(p, NODE_COMPARE, op, loc, left, right);
    one->negated = negated;
    all = all ? binary(p, NODE_AND, TOK_AND, loc, all, one) : one;
    left = right;
    loc = p->t->loc;
  }
  return all ? all : left;
}

static py_node *not_expression(parser *p) {
  pm_loc loc = p->t->loc;
  unsigned count = 0;
  while (accept(p, TOK_NOT)) count++;
  py_node *n = comparison(p);
  if (count % 2 == 1) return binary(p, NODE_NOT, TOK_NOT, loc, n, NULL);
  return count > 0 ? binary(p, NODE_NOT, TOK_NOT, loc, binary(p, NODE_NOT, TOK_NOT, loc, n, NULL), NULL) : n;
}

static py_node *and_expression(parser *p) {
  py_node *n = not_expression(p);
  for (pm_loc loc = p->t->loc; !p->failed && accept(p, TOK_AND); loc = p->t->loc)
    n = binary(p, NODE_AND, TOK_AND, loc, n, not_expression(p));
  return n;
}

static py_node *or_expression(parser *p) {
  py_node *n = and_expression(p);
  for (pm_loc loc = p->t->loc; !p->failed && accept(p, TOK_OR); loc = p->t->loc)
    n = binary(p, NODE_OR, TOK_OR, loc, n, and_expression(p));
  return n;
}

static py_node *parameters(parser *p, py_tok close, py_node *function);

static py_node *lambda(parser *p) {
  py_node *n = node(p, NODE_LAMBDA, p->t->loc);
  advance(p);
  parameters(p, TOK_COLON, n);
  expect(p, TOK_COLON);
  if (!p->failed) n->a = expression(p);
  return n;
}

static py_node *expression(parser *p) {
  if (!enter(p)) return leave(p), NULL;
  bool is_lambda = p->t->kind == TOK_LAMBDA;
  py_node *n = is_lambda ? lambda(p) : or_expression(p);
  pm_loc loc = p->t->loc;
  if (!p->failed && !is_lambda && accept(p, TOK_IF)) {
    py_node *choice = node(p, NODE_TERNARY, loc);
    choice->b = n;
    choice->a = or_expression(p);
    expect(p, TOK_ELSE);
    if (!p->failed) choice->c = expression(p);
    n = choice;
  }
  leave(p);
  return n;
}

static bool ends_expression_list(py_tok kind) {
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
static py_node *expression_list(parser *p) {
  pm_loc loc = p->t->loc;
  py_node *first = expression(p);
  if (p->failed || p->t->kind != TOK_COMMA) return first;
  node_vec items = {0};
  PM_VEC_PUSH(items, first);
  while (!p->failed && accept(p, TOK_COMMA)) {
    if (ends_expression_list(p->t->kind)) break;
    PM_VEC_PUSH(items, expression(p));
  }
  py_node *n = node(p, NODE_TUPLE, loc);
  take_items(p, n, &items);
  return n;
}

/* --- simple statements --- */

static py_node *assignment(parser *p, py_node *first) {
  py_node *n = node(p, NODE_ASSIGN, first->loc);
  node_vec targets = {0};
  py_node *value = first;
  while (!p->failed && p->t->kind == TOK_ASSIGN) {
    if (!is_target(value))
      fail_with(
          p, value->loc,
          "this cannot be assigned to, a name, an attribute or an indexed value should stand left of '='");
    advance(p);
    PM_VEC_PUSH(targets, value);
    value = expression_list(p);
  }
  n->a = value;
  take_items(p, n, &targets);
  return n;
}

static py_tok augmented_op(py_tok kind) {
  switch (kind) {
  case TOK_PLUS_ASSIGN:
    return TOK_PLUS;
  case TOK_MINUS_ASSIGN:
    return TOK_MINUS;
  case TOK_STAR_ASSIGN:
    return TOK_STAR;
  case TOK_SLASH_ASSIGN:
    return TOK_SLASH;
  case TOK_FLOOR_ASSIGN:
    return TOK_FLOOR;
  case TOK_PERCENT_ASSIGN:
    return TOK_PERCENT;
  case TOK_AMP_ASSIGN:
    return TOK_AMP;
  case TOK_BAR_ASSIGN:
    return TOK_BAR;
  default:
    return TOK_END;
  }
}

static py_node *expression_statement(parser *p) {
  py_node *first = expression_list(p);
  if (p->failed) return NULL;
  if (p->t->kind == TOK_ASSIGN) return assignment(p, first);
  py_tok op = augmented_op(p->t->kind);
  pm_loc loc = p->t->loc;
  if (op == TOK_END) return binary(p, NODE_EXPR, TOK_END, first->loc, first, NULL);
  if (!is_target(first) || first->kind == NODE_TUPLE || first->kind == NODE_LIST)
    return fail_with(
        p, first->loc,
        "this cannot be changed in place, a name, an attribute or an indexed value should be here");
  advance(p);
  return binary(p, NODE_AUGMENT, op, loc, first, expression_list(p));
}

static py_node *return_statement(parser *p) {
  py_node *n = node(p, NODE_RETURN, p->t->loc);
  advance(p);
  if (!ends_expression_list(p->t->kind)) n->a = expression_list(p);
  return n;
}

static py_node *assert_statement(parser *p) {
  py_node *n = node(p, NODE_ASSERT, p->t->loc);
  advance(p);
  n->a = expression(p);
  if (!p->failed && accept(p, TOK_COMMA)) n->b = expression(p);
  return n;
}

static bool ends_simple(py_tok kind) {
  return kind == TOK_NEWLINE || kind == TOK_SEMICOLON || kind == TOK_END || kind == TOK_DEDENT;
}

static py_node *print_statement(parser *p) {
  py_node *n = node(p, NODE_PASS, p->t->loc);
  while (!ends_simple(p->t->kind) && p->t->kind != TOK_ERROR) advance(p);
  return n;
}

/* `import a.b as c`, `from a import b, c`: the names that become visible; `from` brings none but a prefix. */
static py_node *import_statement(parser *p) {
  py_node *n = node(p, NODE_IMPORT, p->t->loc);
  bool from = p->t->kind == TOK_FROM;
  node_vec names = {0};
  const py_token *last = NULL, *first = NULL;
  for (advance(p); !ends_simple(p->t->kind) && p->t->kind != TOK_ERROR; advance(p)) {
    if (p->t->kind == TOK_NAME) last = p->t, first = first ? first : p->t;
    bool end = ends_simple(p->t[1].kind) || p->t[1].kind == TOK_COMMA;
    if (!end || from || !last) continue;
    py_node *name = node(p, NODE_NAME, last->loc);
    name->name = last > first && last[-1].kind == TOK_AS ? last->name : first->name;
    PM_VEC_PUSH(names, name);
    first = last = NULL;
  }
  take_items(p, n, &names);
  return n;
}

static const char *unsupported(py_tok kind) {
  switch (kind) {
  case TOK_CLASS:
    return "'class' is not supported, functions and dictionaries are";
  case TOK_TRY:
  case TOK_EXCEPT:
  case TOK_FINALLY:
    return "exceptions are not supported, 'if' and 'assert' are";
  case TOK_RAISE:
    return "'raise' is not supported, 'assert' is";
  case TOK_WITH:
    return "'with' is not supported, plain statements are";
  case TOK_DEL:
    return "'del' is not supported, a new assignment is";
  case TOK_GLOBAL:
  case TOK_NONLOCAL:
    return "a declaration of outer names is not supported, 'return' and dictionaries are";
  case TOK_YIELD:
    return "'yield' is not supported, a list comprehension or 'return' of a list is";
  case TOK_EXEC:
    return "'exec' is not supported, functions are";
  case TOK_AT:
    return "a decorator is not supported, a plain 'def' is";
  case TOK_ELIF:
  case TOK_ELSE:
    return "this belongs to no 'if' before it";
  default:
    return NULL;
  }
}

static py_node *keyword_statement(parser *p, py_kind kind) {
  py_node *n = node(p, kind, p->t->loc);
  advance(p);
  return n;
}

static py_node *simple_statement(parser *p) {
  switch (p->t->kind) {
  case TOK_PASS:
    return keyword_statement(p, NODE_PASS);
  case TOK_BREAK:
    return keyword_statement(p, NODE_BREAK);
  case TOK_CONTINUE:
    return keyword_statement(p, NODE_CONTINUE);
  case TOK_RETURN:
    return return_statement(p);
  case TOK_ASSERT:
    return assert_statement(p);
  case TOK_PRINT:
    return print_statement(p);
  case TOK_IMPORT:
  case TOK_FROM:
    return import_statement(p);
  default:
    break;
  }
  const char *message = unsupported(p->t->kind);
  return message ? fail_with(p, p->t->loc, message) : expression_statement(p);
}

/* --- compound statements --- */

static py_node *if_statement(parser *p) {
  py_node *first = NULL, **link = &first;
  while (p->t->kind == TOK_IF || p->t->kind == TOK_ELIF) {
    py_node *n = node(p, NODE_IF, p->t->loc);
    advance(p);
    n->a = expression(p);
    n->b = block(p);
    *link = n;
    link = &n->c;
    if (p->t->kind != TOK_ELIF) break;
  }
  if (accept(p, TOK_ELSE)) *link = block(p);
  return first;
}

static py_node *no_else(parser *p, py_node *loop) {
  if (p->t->kind != TOK_ELSE) return loop;
  fail_with(p, p->t->loc, "an 'else' of a loop is not supported, 'if' is");
  advance(p);
  block(p);
  return loop;
}

static py_node *while_statement(parser *p) {
  py_node *n = node(p, NODE_WHILE, p->t->loc);
  advance(p);
  n->a = expression(p);
  n->b = block(p);
  return no_else(p, n);
}

static py_node *for_statement(parser *p) {
  py_node *n = node(p, NODE_FOR, p->t->loc);
  advance(p);
  n->a = for_targets(p);
  if (!p->failed) expect(p, TOK_IN);
  if (!p->failed) n->b = expression_list(p);
  n->c = block(p);
  return no_else(p, n);
}

static py_node *parameter(parser *p) {
  if (p->t->kind == TOK_STAR || p->t->kind == TOK_POWER)
    return fail_with(p, p->t->loc,
                     "a parameter with a star is not supported, each parameter should have a name");
  py_node *n = node(p, NODE_PARAM, p->t->loc);
  n->name = p->t->name;
  expect(p, TOK_NAME);
  if (!p->failed && accept(p, TOK_ASSIGN)) n->a = expression(p);
  return n;
}

/* Up to `close`, which is not taken, into the function's items. */
static py_node *parameters(parser *p, py_tok close, py_node *function) {
  node_vec items = {0};
  while (p->t->kind != close && !p->failed) {
    PM_VEC_PUSH(items, parameter(p));
    if (!accept(p, TOK_COMMA)) break;
  }
  take_items(p, function, &items);
  return function;
}

static py_node *def_statement(parser *p) {
  py_node *n = node(p, NODE_DEF, p->t->loc);
  advance(p);
  n->name = p->t->name;
  if (expect(p, TOK_NAME) && expect(p, TOK_LPAREN)) parameters(p, TOK_RPAREN, n);
  if (!p->failed) expect(p, TOK_RPAREN);
  n->a = block(p);
  return n;
}

/* After an error: behind the end of the line, at the block that may follow. */
static void synchronize(parser *p) {
  while (p->t->kind != TOK_NEWLINE && p->t->kind != TOK_END && p->t->kind != TOK_DEDENT &&
         p->t->kind != TOK_INDENT)
    advance(p);
  accept(p, TOK_NEWLINE);
  p->failed = false;
}

static void indented(parser *p, node_vec *out) {
  while (p->t->kind != TOK_DEDENT && p->t->kind != TOK_END) statement(p, out);
  accept(p, TOK_DEDENT);
}

static void simple_line(parser *p, node_vec *out) {
  do {
    if (p->t->kind == TOK_NEWLINE) break;
    PM_VEC_PUSH(*out, simple_statement(p));
  } while (!p->failed && accept(p, TOK_SEMICOLON));
  if (!p->failed && p->t->kind != TOK_END && p->t->kind != TOK_DEDENT) expect(p, TOK_NEWLINE);
  if (p->failed) synchronize(p);
}

static void block_body(parser *p, node_vec *items) {
  if (!p->failed) expect(p, TOK_COLON);
  if (p->failed) {
    synchronize(p);
    if (accept(p, TOK_INDENT)) indented(p, items);
  } else if (!accept(p, TOK_NEWLINE)) {
    simple_line(p, items);
  } else if (accept(p, TOK_INDENT)) {
    indented(p, items);
  } else {
    fail(p, py_tok_text(TOK_INDENT));
  }
}

/* From the ':' on, or after an error before it: the statements of the line or of the indented lines. */
static py_node *block(parser *p) {
  py_node *n = node(p, NODE_BLOCK, p->t->loc);
  node_vec items = {0};
  if (enter(p)) block_body(p, &items);
  leave(p);
  take_items(p, n, &items);
  return n;
}

static void unexpected_block(parser *p, node_vec *out) {
  if (!p->after_failure) fail_with(p, p->t->loc, "the line is indented, nothing before it opens a block");
  p->failed = false;
  advance(p);
  if (!enter(p))
    synchronize(p);
  else
    indented(p, out);
  leave(p);
}

static void statement(parser *p, node_vec *out) {
  const py_token *begin = p->t;
  unsigned failures = p->n_failures;
  switch (p->t->kind) {
  case TOK_IF:
    PM_VEC_PUSH(*out, if_statement(p));
    break;
  case TOK_WHILE:
    PM_VEC_PUSH(*out, while_statement(p));
    break;
  case TOK_FOR:
    PM_VEC_PUSH(*out, for_statement(p));
    break;
  case TOK_DEF:
    PM_VEC_PUSH(*out, def_statement(p));
    break;
  case TOK_INDENT:
    unexpected_block(p, out);
    break;
  default:
    simple_line(p, out);
    break;
  }
  p->failed = false;
  p->after_failure = p->n_failures > failures;
  if (p->t == begin) advance(p);
}

py_node *py_parse(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text) {
  py_tokens tokens = {0};
  bool lexed = py_lex(ctx, arena, file, text, &tokens);
  parser p = {.ctx = ctx, .arena = arena, .t = tokens.data};
  py_node *program = node(&p, NODE_BLOCK, p.t->loc);
  node_vec items = {0};
  while (p.t->kind != TOK_END) {
    if (accept(&p, TOK_DEDENT)) continue;
    statement(&p, &items);
  }
  take_items(&p, program, &items);
  PM_VEC_FREE(tokens);
  return lexed && p.n_failures == 0 ? program : NULL;
}
