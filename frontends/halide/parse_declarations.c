/* Declarations: variables and functions; what else there is, is in parse_classes.c. */
#include "frontends/halide/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- what begins a declaration --- */

static bool is_declaring_word(hl_tok kind) {
  switch (kind) {
  case TOK_STATIC:
  case TOK_EXTERN:
  case TOK_CONST:
  case TOK_CONSTEXPR:
  case TOK_INLINE:
  case TOK_VIRTUAL:
  case TOK_EXPLICIT:
  case TOK_VOLATILE:
  case TOK_MUTABLE:
  case TOK_REGISTER:
  case TOK_THREAD_LOCAL:
  case TOK_ALIGNAS:
  case TOK_ATTRIBUTE:
  case TOK_CLASS:
  case TOK_STRUCT:
  case TOK_UNION:
  case TOK_ENUM:
  case TOK_TYPEDEF:
  case TOK_USING:
  case TOK_TEMPLATE:
  case TOK_FRIEND:
  case TOK_STATIC_ASSERT:
  case TOK_DECLTYPE:
  case TOK_OVERLOAD:
    return true;
  default:
    return false;
  }
}

static bool at_pointer(const hl_parser *p) {
  return p->t->kind == TOK_STAR || p->t->kind == TOK_AMP || p->t->kind == TOK_AND;
}

/* At a type and pointers behind it, of which some are none where the type is a variable's name. */
static bool skip_type(hl_parser *p) {
  hl_node *type = hl_type_without_pointers(p);
  if (p->failed) return false;
  if (at_pointer(p) && type->n_items == 0 && hl_is_variable(p, type->name)) return false;
  hl_pointers(p, type);
  return true;
}

/* What follows a type and a name, or the names of a structured binding; NULL where these are not here. */
static const hl_token *behind_declared(hl_parser *p) {
  const hl_token *end = NULL;
  hl_state state = hl_try(p);
  bool is_auto = p->t->kind == TOK_AUTO || (p->t->kind == TOK_CONST && p->t[1].kind == TOK_AUTO);
  if (!skip_type(p)) {
    hl_go_back(p, state);
    return NULL;
  }
  if (p->t->kind == TOK_OVERLOAD) {
    end = p->t;
  } else if (p->t->kind == TOK_LBRACKET && is_auto) {
    end = hl_partner(p, p->t) + 1;
  } else if (p->t->kind == TOK_NAME && hl_path(p, false)) {
    end = p->t;
  }
  return hl_go_back(p, state) ? end : NULL;
}

/* `EXPORT int f()`, `EXPORT Expr f()`: a macro before what begins a declaration. */
static bool begins_with_macro(const hl_token *t) {
  if (!hl_is_capital(t)) return false;
  return hl_is_basic(t[1].kind) || is_declaring_word(t[1].kind) ||
         (t[1].kind == TOK_NAME && t[2].kind == TOK_NAME);
}

bool hl_begins_declaration(hl_parser *p) {
  hl_tok next = p->t->kind == TOK_END ? TOK_END : p->t[1].kind;
  if (is_declaring_word(p->t->kind)) return true;
  if (hl_is_basic(p->t->kind) && next == TOK_LPAREN) return hl_begins_wrapped_name(p->t + 1);
  if (hl_is_basic(p->t->kind)) return next != TOK_LBRACE;
  if (begins_with_macro(p->t)) return true;
  if (p->t->kind == TOK_LBRACKET) return next == TOK_LBRACKET;
  if (p->t->kind != TOK_NAME && p->t->kind != TOK_SCOPE && p->t->kind != TOK_TYPENAME) return false;
  const hl_token *end = behind_declared(p);
  if (!end) return false;
  switch (end->kind) {
  case TOK_SEMICOLON:
  case TOK_ASSIGN:
  case TOK_LPAREN:
  case TOK_LBRACE:
  case TOK_LBRACKET:
  case TOK_COMMA:
  case TOK_OVERLOAD:
    return true;
  default:
    return false;
  }
}

bool hl_begins_condition_declaration(hl_parser *p) {
  const hl_token *end = behind_declared(p);
  return end && (end->kind == TOK_ASSIGN || end->kind == TOK_LBRACE);
}

bool hl_begins_range(hl_parser *p) {
  const hl_token *end = behind_declared(p);
  return end && end->kind == TOK_COLON;
}

static void read_specifiers(hl_parser *p, hl_specifiers *s) {
  *s = (hl_specifiers){.loc = p->t->loc};
  for (;;) {
    hl_skip_attributes(p);
    switch (p->t->kind) {
    case TOK_STATIC:
      s->is_static = true;
      break;
    case TOK_CONSTEXPR:
    case TOK_CONST:
      s->is_const = true;
      break;
    case TOK_EXTERN:
      if (p->t[1].kind == TOK_STRING) hl_advance(p);
      break;
    case TOK_INLINE:
    case TOK_VIRTUAL:
    case TOK_EXPLICIT:
    case TOK_VOLATILE:
    case TOK_MUTABLE:
    case TOK_REGISTER:
    case TOK_THREAD_LOCAL:
      break;
    default:
      if (!begins_with_macro(p->t)) return;
    }
    hl_advance(p);
  }
}

/* --- variables --- */

/* At '[': extents. */
static void extents(hl_parser *p, hl_node *n) {
  hl_nodes items = {0};
  while (!p->failed && hl_accept(p, TOK_LBRACKET)) {
    PM_VEC_PUSH(items, p->t->kind == TOK_RBRACKET ? NULL : hl_expression(p));
    hl_expect(p, TOK_RBRACKET);
  }
  hl_take_items(p, n, &items);
}

static void initial_value(hl_parser *p, hl_node *n) {
  if (hl_accept(p, TOK_ASSIGN) || p->t->kind == TOK_LBRACE) {
    n->b = hl_initializer(p);
  } else if (p->t->kind == TOK_LPAREN) {
    n->b = hl_new_node(p, HL_CALL, p->t->loc);
    hl_initializers(p, n->b);
  }
}

static hl_node *declarator_name(hl_parser *p) {
  hl_node *path = hl_path(p, false);
  if (p->failed) return NULL;
  path->kind = HL_DECLARATOR;
  path->n_items = 0;
  path->items = NULL;
  if (!p->declares) p->declares = path->name;
  hl_declare_variable(p, path->name);
  return path;
}

/* At '[' of `auto [a, b]`. */
static hl_node *binding(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_DECLARATOR, p->t->loc);
  hl_nodes names = {0};
  hl_advance(p);
  do {
    if (p->t->kind == TOK_NAME)
      PM_VEC_PUSH(names, declarator_name(p));
    else
      hl_fail(p, hl_tok_text(TOK_NAME));
  } while (!p->failed && hl_accept(p, TOK_COMMA));
  hl_expect(p, TOK_RBRACKET);
  hl_take_items(p, n, &names);
  return n;
}

/* At `(*f)`: changes the type. */
static hl_node *wrapped_declarator(hl_parser *p, hl_node **type) {
  hl_node *n = hl_new_node(p, HL_DECLARATOR, p->t[2].loc);
  *type = hl_wrapped_name(p, *type, &n->name);
  if (!p->declares) p->declares = n->name;
  hl_declare_variable(p, n->name);
  return n;
}

static hl_node *declarator(hl_parser *p, hl_node **type) {
  bool is_binding = p->t->kind == TOK_LBRACKET, is_wrapped = hl_begins_wrapped_name(p->t);
  hl_node *n = is_binding ? binding(p) : is_wrapped ? wrapped_declarator(p, type) : declarator_name(p);
  if (!p->failed) hl_skip_attributes(p);
  if (!p->failed && !is_binding && !is_wrapped) extents(p, n);
  if (!p->failed) initial_value(p, n);
  return n;
}

/* Behind the type. */
hl_node *hl_variables_of(hl_parser *p, const hl_specifiers *s, hl_node *type) {
  hl_node *n = hl_new_node(p, HL_DECLARE, s->loc);
  hl_nodes items = {0};
  n->is_static = s->is_static;
  do {
    hl_pointers(p, type);
    PM_VEC_PUSH(items, declarator(p, &type));
  } while (!p->failed && hl_accept(p, TOK_COMMA));
  n->a = type;
  hl_take_items(p, n, &items);
  return n;
}

static hl_node *declared_type(hl_parser *p, const hl_specifiers *s) {
  hl_node *type = hl_type(p);
  if (!p->failed) type->is_const |= s->is_const;
  return type;
}

hl_node *hl_variables(hl_parser *p) {
  hl_specifiers s;
  read_specifiers(p, &s);
  hl_node *type = declared_type(p, &s);
  return p->failed ? NULL : hl_variables_of(p, &s, type);
}

hl_node *hl_range_variable(hl_parser *p) {
  hl_specifiers s;
  read_specifiers(p, &s);
  hl_node *n = hl_new_node(p, HL_DECLARE, s.loc);
  hl_nodes items = {0};
  n->a = declared_type(p, &s);
  if (!p->failed) PM_VEC_PUSH(items, p->t->kind == TOK_LBRACKET ? binding(p) : declarator_name(p));
  hl_take_items(p, n, &items);
  return n;
}

/* --- functions --- */

static hl_node *parameter(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_PARAM, p->t->loc);
  hl_skip_attributes(p);
  n->a = hl_type(p);
  if (p->failed) return NULL;
  hl_accept(p, TOK_ELLIPSIS);
  if (hl_begins_wrapped_name(p->t)) {
    n->a = hl_wrapped_name(p, n->a, &n->name);
    if (p->failed) return NULL;
  } else if (p->t->kind == TOK_NAME) {
    n->name = p->t->name;
    hl_advance(p);
  }
  hl_declare_variable(p, n->name);
  if (p->t->kind == TOK_LBRACKET) {
    n->a->is_pointer = true;
    p->t = hl_partner(p, p->t) + 1;
  }
  if (p->t->kind == TOK_ASSIGN && p->trying) return hl_fail(p, hl_tok_text(TOK_RPAREN));
  if (hl_accept(p, TOK_ASSIGN)) n->b = hl_initializer(p);
  return n;
}

void hl_parameters(hl_parser *p, hl_node *function) {
  const hl_token *close = hl_partner(p, p->t);
  hl_nodes items = {0};
  hl_advance(p);
  if (p->t->kind == TOK_VOID && p->t + 1 == close) hl_advance(p);
  while (p->t < close && !p->failed && !hl_accept(p, TOK_ELLIPSIS)) {
    PM_VEC_PUSH(items, parameter(p));
    if (p->failed || !hl_accept(p, TOK_COMMA)) break;
  }
  hl_expect(p, TOK_RPAREN);
  hl_take_items(p, function, &items);
}

/* Whether what is in the brackets is a parameter rather than a value: `int x`, `Expr x`, `const Func &`. */
static bool holds_parameters(hl_parser *p, hl_place place) {
  hl_state state = hl_try(p);
  hl_advance(p);
  bool clear = p->t->kind == TOK_CONST || hl_begins_basic_type(p, p->t), holds = p->t->kind == TOK_RPAREN;
  hl_node *type = holds ? NULL : hl_type_without_pointers(p);
  if (type) {
    bool may_point = clear || (!hl_is_variable(p, type->name) && (place == HL_AT_TOP || type->n_items > 0));
    if (may_point) hl_pointers(p, type);
    bool named = p->t->kind == TOK_NAME;
    if (named) hl_advance(p);
    bool ends = p->t->kind == TOK_COMMA || p->t->kind == TOK_RPAREN || p->t->kind == TOK_ASSIGN ||
                p->t->kind == TOK_LBRACKET;
    holds = (ends && (named || clear)) || hl_begins_wrapped_name(p->t);
  }
  hl_go_back(p, state);
  return holds;
}

/* At '(' behind a type and a name. */
static bool is_function(hl_parser *p, hl_place place) {
  const hl_token *next = hl_partner(p, p->t) + 1;
  switch (next->kind) {
  case TOK_SEMICOLON:
  case TOK_COMMA:
    return place == HL_IN_CLASS || holds_parameters(p, place);
  case TOK_LBRACE:
  case TOK_ARROW:
  case TOK_CONST:
  case TOK_NOEXCEPT:
  case TOK_ASSIGN:
  case TOK_TRY:
    return true;
  default:
    return place == HL_IN_CLASS || hl_is_name(next, "override") || hl_is_name(next, "final");
  }
}

static bool begins_function(hl_parser *p, hl_place place) {
  hl_state state = hl_try(p);
  bool is = p->t->kind == TOK_NAME && hl_path(p, false) && p->t->kind == TOK_LPAREN && is_function(p, place);
  hl_go_back(p, state);
  return is;
}

/* What stands behind the parameters, up to the body. */
static void function_qualifiers(hl_parser *p, hl_node *n) {
  while (!p->failed) {
    hl_skip_attributes(p);
    if (hl_is_name(p->t, "override") || hl_is_name(p->t, "final")) {
      hl_advance(p);
    } else if (hl_accept(p, TOK_NOEXCEPT)) {
      if (p->t->kind == TOK_LPAREN) p->t = hl_partner(p, p->t) + 1;
    } else if (hl_accept(p, TOK_ARROW)) {
      n->a = hl_type(p);
    } else if (p->t->kind == TOK_CONST || p->t->kind == TOK_AMP || p->t->kind == TOK_AND) {
      hl_advance(p);
    } else {
      return;
    }
  }
}

/* member(value) or member{value} */
static hl_node *member_value(hl_parser *p) {
  hl_node *member = hl_path(p, false);
  if (!p->failed && p->t->kind != TOK_LPAREN && p->t->kind != TOK_LBRACE) hl_fail(p, hl_tok_text(TOK_LPAREN));
  if (p->failed) return NULL;
  hl_node *n = hl_new_node(p, HL_CALL, p->t->loc);
  n->a = member;
  n->is_braced = p->t->kind == TOK_LBRACE;
  hl_initializers(p, n);
  return n;
}

/* Behind ':'. */
static hl_node *member_values(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_BLOCK, p->t->loc);
  hl_nodes items = {0};
  do PM_VEC_PUSH(items, member_value(p));
  while (!p->failed && hl_accept(p, TOK_COMMA));
  hl_take_items(p, n, &items);
  return n;
}

/* Behind '=' in place of a body. False where nothing is declared: = default, = delete. */
static bool no_body(hl_parser *p) {
  bool declared = p->t->kind == TOK_INTEGER;
  if (!hl_accept(p, TOK_INTEGER) && !hl_accept(p, TOK_DELETE)) hl_expect(p, TOK_DEFAULT);
  hl_expect(p, TOK_SEMICOLON);
  return declared;
}

/* Behind the name, at the parameters. */
static void function_rest(hl_parser *p, hl_node *n, hl_nodes *out) {
  size_t scope = hl_begin_scope(p);
  bool declared = true;
  hl_parameters(p, n);
  function_qualifiers(p, n);
  if (!p->failed && !n->a && hl_accept(p, TOK_COLON)) n->c = member_values(p);
  if (!p->failed && hl_accept(p, TOK_ASSIGN))
    declared = no_body(p);
  else if (!p->failed && p->t->kind == TOK_LBRACE)
    n->b = hl_block(p);
  else if (!p->failed && !hl_accept(p, TOK_SEMICOLON) && !hl_fail_unsupported(p))
    hl_fail(p, hl_tok_text(TOK_LBRACE));
  hl_end_scope(p, scope);
  if (declared) PM_VEC_PUSH(*out, n);
}

/* At `operator`: "operator+", or "operator" where a type follows, to which it converts. */
static hl_node *operator_name(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_NAME, p->t->loc);
  pm_buf text = {0};
  pm_buf_puts(&text, "operator");
  hl_advance(p);
  const hl_token *first = p->t;
  bool is_pair = first->kind == TOK_LPAREN || first->kind == TOK_LBRACKET;
  for (; p->t->kind >= TOK_ELLIPSIS && p->t->kind < TOK_LPAREN; hl_advance(p))
    pm_buf_put(&text, p->t->source.ptr, p->t->source.len);
  if (is_pair && hl_partner(p, first) == first + 1) {
    pm_buf_puts(&text, first->kind == TOK_LPAREN ? "()" : "[]");
    p->t += 2;
  }
  n->name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return n;
}

/* Behind the type, which a conversion has not. */
static void function(hl_parser *p, const hl_specifiers *s, hl_node *type, hl_nodes *out) {
  bool is_operator = p->t->kind == TOK_OVERLOAD;
  hl_node *n = is_operator ? operator_name(p) : hl_path(p, false);
  if (is_operator && !type) type = hl_type(p);
  if (!p->failed && p->t->kind != TOK_LPAREN) hl_fail(p, hl_tok_text(TOK_LPAREN));
  if (p->failed) return;
  n->kind = HL_FUNCTION;
  n->n_items = 0;
  n->a = type;
  n->is_static = s->is_static;
  p->declares = n->name;
  function_rest(p, n, out);
}

/* A::B::B( or, in the class B, B(; also with '~' before the last name. */
bool hl_begins_constructor(const hl_parser *p, hl_place place) {
  const hl_token *t = p->t;
  pm_string class_name = place == HL_IN_CLASS ? p->class_name : NULL;
  if (place == HL_IN_BLOCK) return false;
  if (place == HL_AT_TOP) {
    for (; t->kind == TOK_NAME && t[1].kind == TOK_SCOPE; t += 2) class_name = t->name;
    if (!class_name) return false;
  }
  if (t->kind == TOK_TILDE) t++;
  if (t->kind != TOK_NAME || t->name != class_name || t[1].kind != TOK_LPAREN) return false;
  hl_tok next = hl_partner(p, t + 1)[1].kind;
  return place == HL_IN_CLASS || next == TOK_LBRACE || next == TOK_COLON || next == TOK_NOEXCEPT;
}

static void constructor(hl_parser *p, hl_nodes *out) {
  const hl_token *begin = p->t;
  hl_node *n = hl_new_node(p, HL_FUNCTION, p->t->loc);
  pm_buf text = {0};
  for (; p->t->kind == TOK_NAME || p->t->kind == TOK_SCOPE; hl_advance(p))
    pm_buf_puts(&text, p->t->kind == TOK_NAME ? p->t->name->text : "::");
  if (p->t->kind == TOK_TILDE) {
    hl_recover(p, begin);
  } else {
    n->name = p->declares = pm_get_string(p->ctx, (pm_str){text.data, text.len});
    function_rest(p, n, out);
  }
  pm_buf_free(&text);
}

/* --- all of them --- */

static void function_or_variables(hl_parser *p, hl_place place, const hl_specifiers *s, hl_nodes *out) {
  hl_node *type = p->t->kind == TOK_OVERLOAD ? NULL : declared_type(p, s);
  if (p->failed) return;
  if (p->t->kind == TOK_OVERLOAD || begins_function(p, place)) {
    function(p, s, type, out);
    return;
  }
  PM_VEC_PUSH(*out, hl_variables_of(p, s, type));
  hl_expect(p, TOK_SEMICOLON);
}

static void access(hl_parser *p) {
  hl_advance(p);
  hl_expect(p, TOK_COLON);
}

void hl_declaration(hl_parser *p, hl_place place, hl_nodes *out) {
  hl_specifiers s;
  read_specifiers(p, &s);
  switch (p->t->kind) {
  case TOK_PUBLIC:
  case TOK_PRIVATE:
  case TOK_PROTECTED:
    access(p);
    return;
  case TOK_USING:
    hl_using_declaration(p, out);
    return;
  case TOK_TYPEDEF:
    PM_VEC_PUSH(*out, hl_typedef_declaration(p));
    return;
  case TOK_TEMPLATE:
    hl_template_declaration(p, place, out);
    return;
  case TOK_FRIEND:
  case TOK_STATIC_ASSERT:
    hl_recover(p, p->t);
    return;
  default:
    break;
  }
  if (hl_fail_unsupported(p)) return;
  if (hl_begins_class(p->t))
    hl_class_definition(p, &s, out);
  else if (hl_begins_enum(p->t))
    hl_enum_definition(p, &s, out);
  else if (hl_begins_constructor(p, place))
    constructor(p, out);
  else
    function_or_variables(p, place, &s, out);
}
