/* Expressions: atoms, what follows them, operators. */
#include "frontends/halide/parse.h"

#include <stdlib.h>

const char *hl_op_text(hl_op op) {
  static const char *const texts[] = {[HL_OP_NONE] = "=",
#define TEXT(name, text) [HL_OP_##name] = text,
                                      HL_OPERATORS(TEXT)
#undef TEXT
  };
  return texts[op];
}

static hl_node *unary(hl_parser *p);

/* What a sign or a cast stands before, which nests. */
static hl_node *operand(hl_parser *p) {
  hl_node *n = hl_enter(p) ? unary(p) : NULL;
  hl_leave(p);
  return n;
}

static hl_node *combine(hl_parser *p, hl_kind kind, hl_op op, pm_loc loc, hl_node *a, hl_node *b) {
  hl_node *n = hl_new_node(p, kind, loc);
  n->op = op;
  n->a = a;
  n->b = b;
  return n;
}

/* --- atoms --- */

/* A node for the next token, which is taken. */
static hl_node *token_node(hl_parser *p, hl_kind kind) {
  hl_node *n = hl_new_node(p, kind, p->t->loc);
  hl_advance(p);
  return n;
}

static hl_node *integer(hl_parser *p) {
  const hl_token *t = p->t;
  hl_node *n = token_node(p, t->kind == TOK_CHARACTER ? HL_CHAR : HL_INT);
  n->i = t->i;
  n->is_unsigned = t->is_unsigned;
  n->is_long = t->is_long;
  return n;
}

static hl_node *number(hl_parser *p) {
  const hl_token *t = p->t;
  hl_node *n = token_node(p, HL_FLOAT);
  n->f = t->f;
  n->is_single = t->is_single;
  return n;
}

static hl_node *boolean(hl_parser *p) {
  bool value = p->t->kind == TOK_TRUE;
  hl_node *n = token_node(p, HL_BOOL);
  n->i = value;
  return n;
}

/* One or more adjacent literals, which are joined. */
static hl_node *string(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_STRING, p->t->loc);
  n->text = p->t->text;
  hl_advance(p);
  if (p->t->kind != TOK_STRING) return n;
  pm_buf joined = {0};
  pm_buf_put(&joined, n->text.ptr, n->text.len);
  for (; p->t->kind == TOK_STRING; hl_advance(p)) pm_buf_put(&joined, p->t->text.ptr, p->t->text.len);
  n->text = (pm_str){pm_arena_strndup(p->arena, joined.data ? joined.data : "", joined.len), joined.len};
  pm_buf_free(&joined);
  return n;
}

static bool opens_value(const hl_parser *p) {
  return p->t->kind == TOK_LPAREN || p->t->kind == TOK_LBRACE;
}

/* At '(' or '{'. */
static hl_node *construct(hl_parser *p, hl_node *type) {
  hl_node *n = hl_new_node(p, HL_CONSTRUCT, type->loc);
  n->a = type;
  n->is_braced = p->t->kind == TOK_LBRACE;
  hl_initializers(p, n);
  return n;
}

static hl_node *name(hl_parser *p) {
  hl_node *path = hl_path(p, true);
  if (p->failed) return NULL;
  if (p->t->kind == TOK_LBRACE || (p->t->kind == TOK_LPAREN && hl_is_basic_path(p, path)))
    return construct(p, hl_type_of_path(p, path));
  return path;
}

static hl_node *basic_construct(hl_parser *p) {
  hl_node *type = hl_type_without_pointers(p);
  if (p->failed) return NULL;
  return opens_value(p) ? construct(p, type) : hl_fail(p, hl_tok_text(TOK_LPAREN));
}

/* Whether a value begins there that cannot stand behind another one. */
static bool begins_operand(hl_tok kind) {
  return (kind >= TOK_NAME && kind <= TOK_CHARACTER) || (kind >= TOK_TRUE && kind <= TOK_DYNAMIC_CAST) ||
         hl_is_basic(kind) || kind == TOK_SCOPE || kind == TOK_NOT || kind == TOK_TILDE;
}

/* `(int)…`, `(const A *)…`, or `(A)` with a value behind it. */
static bool at_cast(hl_parser *p) {
  const hl_token *close = hl_partner(p, p->t);
  bool is_clear =
      hl_begins_basic_type(p, p->t + 1) || close[-1].kind == TOK_STAR || p->t[1].kind == TOK_CONST;
  hl_state state = hl_try(p);
  hl_advance(p);
  hl_node *type = hl_type(p);
  bool is_type =
      type && p->t == close && (is_clear || hl_is_basic_path(p, type) || begins_operand(close[1].kind));
  hl_go_back(p, state);
  return is_type;
}

static hl_node *cast(hl_parser *p) {
  hl_node *n = token_node(p, HL_CAST);
  n->a = hl_type(p);
  hl_expect(p, TOK_RPAREN);
  if (!p->failed) n->b = operand(p);
  return n;
}

static hl_node *parenthesized(hl_parser *p) {
  if (at_cast(p)) return cast(p);
  hl_advance(p);
  hl_node *n = hl_expression(p);
  if (!p->failed && p->t->kind == TOK_COMMA)
    return hl_fail_with(p, p->t->loc, "the operator ',' is not supported, statements are");
  hl_expect(p, TOK_RPAREN);
  return n;
}

/* static_cast<type>(value) and its like. */
static hl_node *named_cast(hl_parser *p) {
  hl_node *n = token_node(p, HL_CAST);
  hl_expect(p, TOK_LESS);
  if (!p->failed) n->a = hl_type(p);
  hl_expect(p, TOK_GREATER);
  hl_expect(p, TOK_LPAREN);
  if (!p->failed) n->b = hl_expression(p);
  hl_expect(p, TOK_RPAREN);
  return n;
}

/* Whether the brackets at `t` hold a type. */
static bool holds_type(hl_parser *p) {
  hl_state state = hl_try(p);
  hl_advance(p);
  hl_node *type = hl_type(p);
  bool ends = !p->failed && p->t->kind == TOK_RPAREN;
  bool is_name = ends && hl_is_variable(p, type->name);
  return hl_go_back(p, state) && ends && !is_name;
}

static hl_node *size_of(hl_parser *p) {
  hl_node *n = token_node(p, HL_SIZEOF);
  if (p->t->kind != TOK_LPAREN || !holds_type(p)) {
    n->a = operand(p);
    return n;
  }
  hl_advance(p);
  n->a = hl_type(p);
  hl_expect(p, TOK_RPAREN);
  return n;
}

/* What stands between the parameters of a lambda and its body. */
static void lambda_specifiers(hl_parser *p, hl_node *n) {
  for (;;) {
    if (hl_accept(p, TOK_MUTABLE) || hl_accept(p, TOK_CONSTEXPR) || hl_accept(p, TOK_NOEXCEPT)) continue;
    if (!hl_accept(p, TOK_ARROW)) return;
    n->a = hl_type(p);
    if (p->failed) return;
  }
}

static hl_node *lambda(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_LAMBDA, p->t->loc);
  if (p->trying) return hl_fail(p, "a constant");
  p->t = hl_partner(p, p->t) + 1;
  size_t scope = hl_begin_scope(p);
  if (p->t->kind == TOK_LPAREN) hl_parameters(p, n);
  if (!p->failed) lambda_specifiers(p, n);
  if (!p->failed && p->t->kind != TOK_LBRACE) hl_fail(p, hl_tok_text(TOK_LBRACE));
  if (!p->failed) n->b = hl_block(p);
  hl_end_scope(p, scope);
  return n;
}

static hl_node *atom(hl_parser *p) {
  switch (p->t->kind) {
  case TOK_NAME:
  case TOK_SCOPE:
    return name(p);
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
    return token_node(p, HL_NULLPTR);
  case TOK_THIS:
    return token_node(p, HL_THIS);
  case TOK_LPAREN:
    return parenthesized(p);
  case TOK_LBRACKET:
    return lambda(p);
  case TOK_SIZEOF:
    return size_of(p);
  case TOK_STATIC_CAST:
  case TOK_REINTERPRET_CAST:
  case TOK_CONST_CAST:
  case TOK_DYNAMIC_CAST:
    return named_cast(p);
  case TOK_TYPENAME:
    return basic_construct(p);
  default:
    if (hl_is_basic(p->t->kind)) return basic_construct(p);
    return hl_fail_unsupported(p) ? NULL : hl_fail(p, "an expression");
  }
}

/* --- postfix --- */

static hl_node *call(hl_parser *p, hl_node *callee) {
  hl_node *n = combine(p, HL_CALL, HL_OP_NONE, p->t->loc, callee, NULL);
  hl_initializers(p, n);
  return n;
}

static hl_node *subscript(hl_parser *p, hl_node *base) {
  hl_node *n = combine(p, HL_INDEX, HL_OP_NONE, p->t->loc, base, NULL);
  hl_advance(p);
  n->b = hl_initializer(p);
  hl_expect(p, TOK_RBRACKET);
  return n;
}

static hl_node *member(hl_parser *p, hl_node *object) {
  hl_advance(p);
  hl_accept(p, TOK_TEMPLATE);
  hl_node *n = combine(p, HL_MEMBER, HL_OP_NONE, p->t->loc, object, NULL);
  n->name = p->t->kind == TOK_NAME ? p->t->name : NULL;
  if (!hl_expect(p, TOK_NAME)) return NULL;
  if (p->t->kind == TOK_LESS) hl_take_arguments(p, n, false);
  return n;
}

static hl_node *postfix(hl_parser *p) {
  hl_node *n = atom(p);
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
      n = combine(p, HL_POSTFIX, p->t->kind == TOK_INC ? HL_OP_INC : HL_OP_DEC, p->t->loc, n, NULL);
      hl_advance(p);
      break;
    default:
      return n;
    }
  }
  return n;
}

/* --- operators --- */

static hl_op unary_op(hl_tok kind) {
  switch (kind) {
  case TOK_MINUS:
    return HL_OP_SUB;
  case TOK_PLUS:
    return HL_OP_ADD;
  case TOK_NOT:
    return HL_OP_NOT;
  case TOK_TILDE:
    return HL_OP_BIT_NOT;
  case TOK_AMP:
    return HL_OP_BIT_AND;
  case TOK_STAR:
    return HL_OP_MUL;
  case TOK_INC:
    return HL_OP_INC;
  case TOK_DEC:
    return HL_OP_DEC;
  default:
    return HL_OP_NONE;
  }
}

static hl_node *unary(hl_parser *p) {
  hl_op op = unary_op(p->t->kind);
  if (op == HL_OP_NONE) return postfix(p);
  hl_node *n = combine(p, HL_UNARY, op, p->t->loc, NULL, NULL);
  hl_advance(p);
  n->a = operand(p);
  return n;
}

static hl_op binary_op(const hl_token *t) {
  switch (t->kind) {
#define BINARY(token, op)                                                                                    \
  case TOK_##token:                                                                                          \
    return HL_OP_##op;
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
    return t->joined ? HL_OP_SHR : HL_OP_GT;
  default:
    return HL_OP_NONE;
  }
}

/* Operators that bind at least as tightly as `least`; to the left. */
static hl_node *binary(hl_parser *p, int least) {
  hl_node *n = unary(p);
  while (!p->failed && hl_precedence(p->t) >= least) {
    const hl_token *op = p->t;
    hl_advance(p);
    if (op->kind == TOK_GREATER && op->joined) hl_advance(p);
    n = combine(p, HL_BINARY, binary_op(op), op->loc, n, binary(p, hl_precedence(op) + 1));
  }
  return n;
}

static const int precedence_of_or = 1, precedence_of_sum = 9;

hl_node *hl_constant_argument(hl_parser *p) {
  return binary(p, precedence_of_sum);
}

static hl_node *ternary(hl_parser *p) {
  hl_node *n = binary(p, precedence_of_or);
  if (p->failed || p->t->kind != TOK_QUESTION) return n;
  hl_node *choice = combine(p, HL_TERNARY, HL_OP_NONE, p->t->loc, n, NULL);
  hl_advance(p);
  choice->b = hl_expression(p);
  hl_expect(p, TOK_COLON);
  if (!p->failed) choice->c = hl_expression(p);
  return choice;
}

static bool assignment_op(hl_tok kind, hl_op *op) {
  static const hl_op ops[] = {HL_OP_SHL, HL_OP_SHR, HL_OP_ADD,     HL_OP_SUB,    HL_OP_MUL,
                              HL_OP_DIV, HL_OP_MOD, HL_OP_BIT_AND, HL_OP_BIT_OR, HL_OP_BIT_XOR};
  *op = HL_OP_NONE;
  if (kind == TOK_ASSIGN) return true;
  if (kind < TOK_SHL_ASSIGN || kind > TOK_XOR_ASSIGN) return false;
  *op = ops[kind - TOK_SHL_ASSIGN];
  return true;
}

hl_node *hl_expression(hl_parser *p) {
  hl_node *n = NULL;
  hl_op op;
  if (hl_enter(p)) n = ternary(p);
  if (!p->failed && assignment_op(p->t->kind, &op)) {
    n = combine(p, HL_ASSIGN, op, p->t->loc, n, NULL);
    hl_advance(p);
    n->b = hl_initializer(p);
  }
  hl_leave(p);
  return n;
}

hl_node *hl_initializer(hl_parser *p) {
  if (p->t->kind != TOK_LBRACE) return hl_expression(p);
  hl_node *n = hl_new_node(p, HL_LIST, p->t->loc);
  hl_initializers(p, n);
  return n;
}

void hl_initializers(hl_parser *p, hl_node *n) {
  const hl_token *close = hl_partner(p, p->t);
  hl_nodes items = {0};
  hl_advance(p);
  while (p->t < close && !p->failed) {
    PM_VEC_PUSH(items, hl_initializer(p));
    if (p->t->kind == TOK_ELLIPSIS)
      hl_fail_with(p, p->t->loc, "a pack of arguments is not supported, a list is");
    if (p->failed || !hl_accept(p, TOK_COMMA)) break;
  }
  hl_expect(p, close->kind);
  hl_take_items(p, n, &items);
}
