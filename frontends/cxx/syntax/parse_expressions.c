/* Expressions: atoms, what follows them, operators. */
#include "frontends/cxx/syntax/parse.h"

#include <stdlib.h>

const char *cx_op_text(cx_op op) {
  static const char *const texts[] = {[CX_OP_NONE] = "=",
#define TEXT(name, text) [CX_OP_##name] = text,
                                      CX_OPERATORS(TEXT)
#undef TEXT
  };
  return texts[op];
}

static cx_node *unary(cx_parser *p);
static cx_op binary_op(const cx_token *t);

/* What a sign or a cast stands before, which nests. */
static cx_node *operand(cx_parser *p) {
  cx_node *n = cx_enter(p) ? unary(p) : NULL;
  cx_leave(p);
  return n;
}

static cx_node *combine(cx_parser *p, cx_kind kind, cx_op op, pm_loc loc, cx_node *a, cx_node *b) {
  cx_node *n = cx_new_node(p, kind, loc);
  n->op = op;
  n->a = a;
  n->b = b;
  return n;
}

/* --- atoms --- */

/* A node for the next token, which is taken. */
static cx_node *token_node(cx_parser *p, cx_kind kind) {
  cx_node *n = cx_new_node(p, kind, p->t->loc);
  cx_advance(p);
  return n;
}

static cx_node *integer(cx_parser *p) {
  const cx_token *t = p->t;
  cx_node *n = token_node(p, t->kind == TOK_CHARACTER ? CX_CHAR : CX_INT);
  n->i = t->i;
  n->is_unsigned = t->is_unsigned;
  n->is_long = t->is_long;
  return n;
}

static cx_node *number(cx_parser *p) {
  const cx_token *t = p->t;
  cx_node *n = token_node(p, CX_FLOAT);
  n->f = t->f;
  n->is_single = t->is_single;
  return n;
}

static cx_node *boolean(cx_parser *p) {
  bool value = p->t->kind == TOK_TRUE;
  cx_node *n = token_node(p, CX_BOOL);
  n->i = value;
  return n;
}

/* One or more adjacent literals, which are joined. */
static cx_node *string(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_STRING, p->t->loc);
  n->text = p->t->text;
  cx_advance(p);
  if (p->t->kind != TOK_STRING) return n;
  pm_buf joined = {0};
  pm_buf_put(&joined, n->text.ptr, n->text.len);
  for (; p->t->kind == TOK_STRING; cx_advance(p)) pm_buf_put(&joined, p->t->text.ptr, p->t->text.len);
  n->text = (pm_str){pm_arena_strndup(p->arena, joined.data ? joined.data : "", joined.len), joined.len};
  pm_buf_free(&joined);
  return n;
}

static bool opens_value(const cx_parser *p) {
  return p->t->kind == TOK_LPAREN || p->t->kind == TOK_LBRACE;
}

/* At '(' or '{'. */
static cx_node *construct(cx_parser *p, cx_node *type) {
  cx_node *n = cx_new_node(p, CX_CONSTRUCT, type->loc);
  n->a = type;
  n->is_braced = p->t->kind == TOK_LBRACE;
  cx_initializers(p, n);
  return n;
}

static cx_node *name(cx_parser *p) {
  cx_node *path = cx_path(p, true);
  if (p->failed) return NULL;
  if (cx_begins_operator(p->t)) {
    cx_take_operator(p, path);
    return path;
  }
  if (p->t->kind == TOK_LBRACE || (p->t->kind == TOK_LPAREN && cx_is_basic_path(p, path)))
    return construct(p, cx_type_of_path(p, path));
  return path;
}

static cx_node *basic_construct(cx_parser *p) {
  cx_node *type = cx_type_without_pointers(p);
  if (p->failed) return NULL;
  return opens_value(p) ? construct(p, type) : cx_refuse(p, cx_tok_text(TOK_LPAREN));
}

/* Whether a value begins there that cannot stand behind another one. */
static bool begins_operand(cx_tok kind) {
  return (kind >= TOK_NAME && kind <= TOK_CHARACTER) || (kind >= TOK_TRUE && kind <= TOK_DYNAMIC_CAST) ||
         cx_is_basic(kind) || kind == TOK_SCOPE || kind == TOK_NOT || kind == TOK_TILDE;
}

/* `(int)…`, `(const A *)…`, or `(A)` with a value behind it. */
static bool at_cast(cx_parser *p) {
  const cx_token *close = cx_partner(p, p->t);
  bool is_clear =
      cx_begins_basic_type(p, p->t + 1) || close[-1].kind == TOK_STAR || p->t[1].kind == TOK_CONST;
  cx_state state = cx_try(p);
  cx_advance(p);
  cx_node *type = cx_type(p);
  bool is_type =
      type && p->t == close && (is_clear || cx_is_basic_path(p, type) || begins_operand(close[1].kind));
  cx_go_back(p, state);
  return is_type;
}

static cx_node *cast(cx_parser *p) {
  cx_node *n = token_node(p, CX_CAST);
  n->a = cx_type(p);
  cx_expect(p, TOK_RPAREN);
  if (!p->failed) n->b = operand(p);
  return n;
}

/* `... op b`, the first two at hand. */
static cx_node *left_fold(cx_parser *p) {
  cx_advance(p);
  const cx_token *op = p->t;
  bool is_comma = op->kind == TOK_COMMA;
  if (!is_comma && binary_op(op) == CX_OP_NONE) return cx_refuse(p, "an operator");
  cx_advance(p);
  return combine(p, CX_FOLD, is_comma ? CX_OP_COMMA : binary_op(op), op->loc, NULL, operand(p));
}

/* At `...` behind `n op`: `n op ...`, `n op ... op b`. */
static cx_node *right_fold(cx_parser *p, cx_op op, pm_loc loc, cx_node *n) {
  cx_advance(p);
  n = combine(p, CX_FOLD, op, loc, n, NULL);
  bool goes_on = op == CX_OP_COMMA ? p->t->kind == TOK_COMMA : binary_op(p->t) == op;
  if (!goes_on) return n;
  cx_advance(p);
  n->b = operand(p);
  return n;
}

static cx_node *parenthesized(cx_parser *p) {
  if (p->t[1].kind != TOK_ELLIPSIS && at_cast(p)) return cast(p);
  cx_advance(p);
  if (p->t->kind == TOK_ELLIPSIS) {
    cx_node *fold = left_fold(p);
    cx_expect(p, TOK_RPAREN);
    return fold;
  }
  cx_node *n = cx_comma_expression(p);
  cx_expect(p, TOK_RPAREN);
  return n;
}

/* static_cast<type>(value) and its like. */
static cx_node *named_cast(cx_parser *p) {
  cx_node *n = token_node(p, CX_CAST);
  cx_expect(p, TOK_LESS);
  if (!p->failed) n->a = cx_type(p);
  cx_expect(p, TOK_GREATER);
  cx_expect(p, TOK_LPAREN);
  if (!p->failed) n->b = cx_expression(p);
  cx_expect(p, TOK_RPAREN);
  return n;
}

/* Whether the brackets at `t` hold a type. */
static bool holds_type(cx_parser *p) {
  cx_state state = cx_try(p);
  cx_advance(p);
  cx_node *type = cx_type(p);
  bool ends = !p->failed && p->t->kind == TOK_RPAREN;
  bool is_name = ends && cx_is_variable(p, type->name);
  return cx_go_back(p, state) && ends && !is_name;
}

static cx_node *size_of(cx_parser *p) {
  cx_node *n = token_node(p, CX_SIZEOF);
  if (cx_accept(p, TOK_ELLIPSIS)) {
    n->is_long = true;
    cx_expect(p, TOK_LPAREN);
    if (!p->failed) n->a = cx_path(p, true);
    cx_expect(p, TOK_RPAREN);
    return n;
  }
  if (p->t->kind != TOK_LPAREN || !holds_type(p)) {
    n->a = operand(p);
    return n;
  }
  cx_advance(p);
  n->a = cx_type(p);
  cx_expect(p, TOK_RPAREN);
  return n;
}

/* new T[n], new T(a, b), new T */
static cx_node *new_object(cx_parser *p) {
  cx_node *n = token_node(p, CX_NEW);
  n->a = cx_type(p);
  if (!p->failed && cx_accept(p, TOK_LBRACKET)) {
    n->b = cx_expression(p);
    cx_expect(p, TOK_RBRACKET);
    if (cx_accept(p, TOK_LPAREN)) cx_expect(p, TOK_RPAREN);
  } else if (!p->failed && p->t->kind == TOK_LPAREN) {
    cx_initializers(p, n);
  }
  return n;
}

static cx_node *delete_object(cx_parser *p) {
  cx_node *n = token_node(p, CX_DELETE);
  if (cx_accept(p, TOK_LBRACKET)) cx_expect(p, TOK_RBRACKET);
  n->a = operand(p);
  return n;
}

/* What stands between the parameters of a lambda and its body. */
static void lambda_specifiers(cx_parser *p, cx_node *n) {
  for (;;) {
    n->is_mutable |= p->t->kind == TOK_MUTABLE;
    if (cx_accept(p, TOK_MUTABLE) || cx_accept(p, TOK_CONSTEXPR) || cx_accept(p, TOK_NOEXCEPT)) continue;
    if (!cx_accept(p, TOK_ARROW)) return;
    n->a = cx_type(p);
    if (p->failed) return;
  }
}

/* a, &a, a = 3, this, *this */
static cx_node *capture(cx_parser *p) {
  bool is_reference = cx_accept(p, TOK_AMP), is_copy = cx_accept(p, TOK_STAR);
  if (p->t->kind == TOK_THIS) {
    cx_node *n = token_node(p, CX_THIS);
    n->is_static = is_copy;
    return n;
  }
  cx_node *n = cx_new_node(p, CX_NAME, p->t->loc);
  n->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
  n->is_reference = is_reference;
  if (!cx_expect(p, TOK_NAME)) return NULL;
  if (p->t->kind == TOK_ELLIPSIS)
    return cx_refuse_with(p, n->loc, "a pack of arguments is not supported, a list is");
  if (cx_accept(p, TOK_ASSIGN) || p->t->kind == TOK_LBRACE) n->b = cx_initializer(p);
  if (n->b) cx_declare_variable(p, n->name);
  return n;
}

/* At '[' */
static cx_node *captures(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_BLOCK, p->t->loc);
  const cx_token *close = cx_partner(p, p->t);
  cx_nodes items = {0};
  cx_advance(p);
  bool all = p->t->kind == TOK_ASSIGN ||
             (p->t->kind == TOK_AMP && (p->t[1].kind == TOK_COMMA || p->t[1].kind == TOK_RBRACKET));
  if (all) {
    n->op = p->t->kind == TOK_AMP ? CX_OP_BIT_AND : CX_OP_NE;
    cx_advance(p);
    cx_accept(p, TOK_COMMA);
  }
  while (p->t < close && !p->failed) {
    PM_VEC_PUSH(items, capture(p));
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, TOK_RBRACKET);
  cx_take_items(p, n, &items);
  return n;
}

static cx_node *lambda(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_LAMBDA, p->t->loc);
  if (p->trying) return cx_refuse(p, "a constant");
  size_t scope = cx_begin_scope(p);
  n->c = captures(p);
  if (!p->failed && p->t->kind == TOK_LPAREN) cx_parameters(p, n);
  if (!p->failed) lambda_specifiers(p, n);
  if (!p->failed && p->t->kind != TOK_LBRACE) cx_refuse(p, cx_tok_text(TOK_LBRACE));
  if (!p->failed) n->b = cx_block(p);
  cx_end_scope(p, scope);
  return n;
}

static cx_node *atom(cx_parser *p) {
  switch (p->t->kind) {
  case TOK_NAME:
  case TOK_SCOPE:
    return name(p);
  case TOK_OVERLOAD:
    return cx_operator_name(p);
  case TOK_INTEGER:
  case TOK_CHARACTER:
    return integer(p);
  case TOK_NUMBER:
    return number(p);
  case TOK_STRING:
    return string(p);
  case TOK_TRUE:
  case TOK_FALSE:
    return boolean(p);
  case TOK_NULLPTR:
    return token_node(p, CX_NULLPTR);
  case TOK_THIS:
    return token_node(p, CX_THIS);
  case TOK_LPAREN:
    return parenthesized(p);
  case TOK_LBRACKET:
    return lambda(p);
  case TOK_SIZEOF:
    return size_of(p);
  case TOK_NEW:
    return new_object(p);
  case TOK_DELETE:
    return delete_object(p);
  case TOK_STATIC_CAST:
  case TOK_REINTERPRET_CAST:
  case TOK_CONST_CAST:
  case TOK_DYNAMIC_CAST:
    return named_cast(p);
  case TOK_TYPENAME:
    return basic_construct(p);
  default:
    if (cx_is_basic(p->t->kind)) return basic_construct(p);
    return cx_refuse_unsupported(p) ? NULL : cx_refuse(p, "an expression");
  }
}

/* --- postfix --- */

static cx_node *call(cx_parser *p, cx_node *callee) {
  cx_node *n = combine(p, CX_CALL, CX_OP_NONE, p->t->loc, callee, NULL);
  cx_initializers(p, n);
  return n;
}

static cx_node *subscript(cx_parser *p, cx_node *base) {
  cx_node *n = combine(p, CX_INDEX, CX_OP_NONE, p->t->loc, base, NULL);
  cx_advance(p);
  n->b = cx_initializer(p);
  cx_expect(p, TOK_RBRACKET);
  return n;
}

/* a.b, a->b, a.B::b() */
static cx_node *member(cx_parser *p, cx_node *object) {
  bool is_pointer = p->t->kind == TOK_ARROW;
  cx_advance(p);
  cx_accept(p, TOK_TEMPLATE);
  cx_node *n = combine(p, CX_MEMBER, CX_OP_NONE, p->t->loc, object, NULL);
  n->is_pointer = is_pointer;
  if (p->t->kind == TOK_OVERLOAD) {
    n->name = cx_operator_name(p)->name;
    return n;
  }
  if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_SCOPE) {
    cx_node *path = cx_path(p, true);
    if (!p->failed && cx_begins_operator(p->t)) cx_take_operator(p, path);
    n->name = path ? path->name : NULL;
    return p->failed ? NULL : n;
  }
  n->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
  if (!cx_expect(p, TOK_NAME)) return NULL;
  if (p->t->kind == TOK_LESS) cx_take_arguments(p, n, false);
  return n;
}

static cx_node *postfix(cx_parser *p) {
  cx_node *n = atom(p);
  while (!p->failed) {
    switch (p->t->kind) {
    case TOK_LPAREN:
      n = call(p, n);
      break;
    case TOK_LBRACKET:
      n = subscript(p, n);
      break;
    case TOK_DOT:
    case TOK_ARROW:
      n = member(p, n);
      break;
    case TOK_INC:
    case TOK_DEC:
      n = combine(p, CX_POSTFIX, p->t->kind == TOK_INC ? CX_OP_INC : CX_OP_DEC, p->t->loc, n, NULL);
      cx_advance(p);
      break;
    default:
      return n;
    }
  }
  return n;
}

/* --- operators --- */

static cx_op unary_op(cx_tok kind) {
  switch (kind) {
  case TOK_MINUS:
    return CX_OP_SUB;
  case TOK_PLUS:
    return CX_OP_ADD;
  case TOK_NOT:
    return CX_OP_NOT;
  case TOK_TILDE:
    return CX_OP_BIT_NOT;
  case TOK_AMP:
    return CX_OP_BIT_AND;
  case TOK_STAR:
    return CX_OP_MUL;
  case TOK_INC:
    return CX_OP_INC;
  case TOK_DEC:
    return CX_OP_DEC;
  default:
    return CX_OP_NONE;
  }
}

static cx_node *unary(cx_parser *p) {
  cx_op op = unary_op(p->t->kind);
  if (op == CX_OP_NONE) return postfix(p);
  cx_node *n = combine(p, CX_UNARY, op, p->t->loc, NULL, NULL);
  cx_advance(p);
  n->a = operand(p);
  return n;
}

static cx_op binary_op(const cx_token *t) {
  switch (t->kind) {
#define BINARY(token, op)                                                                                    \
  case TOK_##token:                                                                                          \
    return CX_OP_##op;
    BINARY(OR, OR)
    BINARY(AND, AND)
    BINARY(BAR, BIT_OR)
    BINARY(CARET, BIT_XOR)
    BINARY(AMP, BIT_AND)
    BINARY(EQUAL, EQ)
    BINARY(NOT_EQUAL, NE)
    BINARY(LESS, LT)
    BINARY(LESS_EQUAL, LE)
    BINARY(GREATER_EQUAL, GE)
    BINARY(SHL, SHL)
    BINARY(PLUS, ADD)
    BINARY(MINUS, SUB)
    BINARY(STAR, MUL)
    BINARY(SLASH, DIV)
    BINARY(PERCENT, MOD)
#undef BINARY
  case TOK_GREATER:
    return t->joined ? CX_OP_SHR : CX_OP_GT;
  default:
    return CX_OP_NONE;
  }
}

/* Operators that bind at least as tightly as `least`; to the left. */
static cx_node *binary(cx_parser *p, int least) {
  cx_node *n = unary(p);
  while (!p->failed && cx_precedence(p->t) >= least) {
    const cx_token *op = p->t;
    cx_advance(p);
    if (op->kind == TOK_GREATER && op->joined) cx_advance(p);
    if (p->t->kind == TOK_ELLIPSIS) {
      n = right_fold(p, binary_op(op), op->loc, n);
      continue;
    }
    n = combine(p, CX_BINARY, binary_op(op), op->loc, n, binary(p, cx_precedence(op) + 1));
  }
  return n;
}

static const int precedence_of_or = 1, precedence_of_sum = 9;

cx_node *cx_constant_argument(cx_parser *p) {
  return binary(p, precedence_of_sum);
}

static cx_node *ternary(cx_parser *p) {
  cx_node *n = binary(p, precedence_of_or);
  if (p->failed || p->t->kind != TOK_QUESTION) return n;
  cx_node *choice = combine(p, CX_TERNARY, CX_OP_NONE, p->t->loc, n, NULL);
  cx_advance(p);
  choice->b = cx_expression(p);
  cx_expect(p, TOK_COLON);
  if (!p->failed) choice->c = cx_expression(p);
  return choice;
}

static bool assignment_op(cx_tok kind, cx_op *op) {
  static const cx_op ops[] = {CX_OP_SHL, CX_OP_SHR, CX_OP_ADD,     CX_OP_SUB,    CX_OP_MUL,
                              CX_OP_DIV, CX_OP_MOD, CX_OP_BIT_AND, CX_OP_BIT_OR, CX_OP_BIT_XOR};
  *op = CX_OP_NONE;
  if (kind == TOK_ASSIGN) return true;
  if (kind < TOK_SHL_ASSIGN || kind > TOK_XOR_ASSIGN) return false;
  *op = ops[kind - TOK_SHL_ASSIGN];
  return true;
}

cx_node *cx_expression(cx_parser *p) {
  cx_node *n = NULL;
  cx_op op;
  if (cx_enter(p)) n = ternary(p);
  if (!p->failed && assignment_op(p->t->kind, &op)) {
    n = combine(p, CX_ASSIGN, op, p->t->loc, n, NULL);
    cx_advance(p);
    n->b = cx_initializer(p);
  }
  cx_leave(p);
  return n;
}

cx_node *cx_comma_expression(cx_parser *p) {
  cx_node *n = cx_expression(p);
  while (!p->failed && p->t->kind == TOK_COMMA) {
    pm_loc loc = p->t->loc;
    cx_advance(p);
    n = p->t->kind == TOK_ELLIPSIS ? right_fold(p, CX_OP_COMMA, loc, n)
                                   : combine(p, CX_BINARY, CX_OP_COMMA, loc, n, cx_expression(p));
  }
  return n;
}

cx_node *cx_initializer(cx_parser *p) {
  if (p->t->kind != TOK_LBRACE) return cx_expression(p);
  cx_node *n = cx_new_node(p, CX_LIST, p->t->loc);
  cx_initializers(p, n);
  return n;
}

cx_node *cx_expansion(cx_parser *p, cx_node *pattern) {
  if (p->failed || p->t->kind != TOK_ELLIPSIS) return pattern;
  pm_loc loc = p->t->loc;
  cx_advance(p);
  return combine(p, CX_EXPANSION, CX_OP_NONE, loc, pattern, NULL);
}

void cx_initializers(cx_parser *p, cx_node *n) {
  const cx_token *close = cx_partner(p, p->t);
  cx_nodes items = {0};
  cx_advance(p);
  while (p->t < close && !p->failed) {
    PM_VEC_PUSH(items, cx_expansion(p, cx_initializer(p)));
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, close->kind);
  cx_take_items(p, n, &items);
}
