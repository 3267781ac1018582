/* Declarations: variables and functions; what else there is, is in parse_classes.c. */
#include "frontends/cxx/syntax/parse.h"

#include <stdlib.h>
#include <string.h>

/* --- what begins a declaration --- */

static bool is_declaring_word(cx_tok kind) {
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
  case TOK_STATIC_ASSERT:
  case TOK_DECLTYPE:
  case TOK_OVERLOAD:
    return true;
  default:
    return false;
  }
}

static bool at_pointer(const cx_parser *p) {
  return p->t->kind == TOK_STAR || p->t->kind == TOK_AMP || p->t->kind == TOK_AND;
}

/* At a type and pointers behind it, of which some are none where the type is a variable's name. */
static bool skip_type(cx_parser *p) {
  cx_node *type = cx_type_without_pointers(p);
  if (p->failed) return false;
  if (at_pointer(p) && type->n_items == 0 && cx_is_variable(p, type->name)) return false;
  cx_pointers(p, type);
  return true;
}

bool cx_begins_operator(const cx_token *t) {
  return t->kind == TOK_SCOPE && t[1].kind == TOK_OVERLOAD;
}

/* What follows a type and a name, or the names of a structured binding; NULL where these are not here. */
static const cx_token *behind_declared(cx_parser *p) {
  const cx_token *end = NULL;
  cx_state state = cx_try(p);
  bool is_auto = p->t->kind == TOK_AUTO || (p->t->kind == TOK_CONST && p->t[1].kind == TOK_AUTO);
  if (!skip_type(p)) {
    cx_go_back(p, state);
    return NULL;
  }
  if (p->t->kind == TOK_OVERLOAD || cx_begins_operator(p->t)) {
    end = p->t;
  } else if (p->t->kind == TOK_LBRACKET && is_auto) {
    end = cx_partner(p, p->t) + 1;
  } else if (p->t->kind == TOK_NAME && cx_path(p, false)) {
    end = p->t;
  }
  if (end && cx_begins_operator(end)) end++;
  return cx_go_back(p, state) ? end : NULL;
}

/* `EXPORT int f()`, `EXPORT T f()`: a macro before what begins a declaration. */
static bool begins_with_macro(const cx_token *t) {
  if (!cx_is_capital(t) || t[1].kind == TOK_OVERLOAD) return false;
  return cx_is_basic(t[1].kind) || is_declaring_word(t[1].kind) ||
         (t[1].kind == TOK_NAME && t[2].kind == TOK_NAME);
}

bool cx_begins_declaration(cx_parser *p) {
  cx_tok next = p->t->kind == TOK_END ? TOK_END : p->t[1].kind;
  if (is_declaring_word(p->t->kind)) return true;
  if (cx_is_basic(p->t->kind) && next == TOK_LPAREN) return cx_begins_wrapped_name(p->t + 1);
  if (cx_is_basic(p->t->kind)) return next != TOK_LBRACE;
  if (begins_with_macro(p->t)) return true;
  if (p->t->kind == TOK_LBRACKET) return next == TOK_LBRACKET;
  if (p->t->kind != TOK_NAME && p->t->kind != TOK_SCOPE && p->t->kind != TOK_TYPENAME) return false;
  const cx_token *end = behind_declared(p);
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

bool cx_begins_condition_declaration(cx_parser *p) {
  const cx_token *end = behind_declared(p);
  return end && (end->kind == TOK_ASSIGN || end->kind == TOK_LBRACE);
}

bool cx_begins_range(cx_parser *p) {
  const cx_token *end = behind_declared(p);
  return end && end->kind == TOK_COLON;
}

static void read_specifiers(cx_parser *p, cx_specifiers *s) {
  *s = (cx_specifiers){.loc = p->t->loc};
  for (;;) {
    cx_skip_attributes(p);
    switch (p->t->kind) {
    case TOK_STATIC:
      s->is_static = true;
      break;
    case TOK_CONSTEXPR:
    case TOK_CONST:
      s->is_const = true;
      break;
    case TOK_VIRTUAL:
      s->is_virtual = true;
      break;
    case TOK_EXPLICIT:
      s->is_explicit = true;
      break;
    case TOK_FRIEND:
      s->is_friend = true;
      break;
    case TOK_EXTERN:
      s->is_extern = p->t[1].kind != TOK_STRING;
      if (p->t[1].kind == TOK_STRING) cx_advance(p);
      break;
    case TOK_INLINE:
    case TOK_VOLATILE:
    case TOK_MUTABLE:
    case TOK_REGISTER:
    case TOK_THREAD_LOCAL:
      break;
    default:
      if (!begins_with_macro(p->t)) return;
    }
    cx_advance(p);
  }
}

/* --- variables --- */

/* At '[': extents. */
static void extents(cx_parser *p, cx_node *n) {
  cx_nodes items = {0};
  while (!p->failed && cx_accept(p, TOK_LBRACKET)) {
    PM_VEC_PUSH(items, p->t->kind == TOK_RBRACKET ? NULL : cx_expression(p));
    cx_expect(p, TOK_RBRACKET);
  }
  cx_take_items(p, n, &items);
}

static void initial_value(cx_parser *p, cx_node *n) {
  if (cx_accept(p, TOK_ASSIGN) || p->t->kind == TOK_LBRACE) {
    n->b = cx_initializer(p);
  } else if (p->t->kind == TOK_LPAREN) {
    n->b = cx_new_node(p, CX_CALL, p->t->loc);
    cx_initializers(p, n->b);
  }
}

static cx_node *declarator_name(cx_parser *p) {
  cx_node *path = cx_path(p, false);
  if (p->failed) return NULL;
  path->kind = CX_DECLARATOR;
  path->n_items = path->n_last = 0;
  path->items = NULL;
  if (!p->declares) p->declares = path->name;
  cx_declare_variable(p, path->name);
  return path;
}

/* At '[' of `auto [a, b]`. */
static cx_node *binding(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_DECLARATOR, p->t->loc);
  cx_nodes names = {0};
  cx_advance(p);
  do {
    if (p->t->kind == TOK_NAME)
      PM_VEC_PUSH(names, declarator_name(p));
    else
      cx_refuse(p, cx_tok_text(TOK_NAME));
  } while (!p->failed && cx_accept(p, TOK_COMMA));
  cx_expect(p, TOK_RBRACKET);
  cx_take_items(p, n, &names);
  return n;
}

/* At `(*f)`: changes the type. */
static cx_node *wrapped_declarator(cx_parser *p, cx_node **type) {
  cx_node *n = cx_new_node(p, CX_DECLARATOR, p->t[2].loc);
  cx_nodes extents = {0};
  *type = cx_wrapped_name(p, *type, &n->name, &extents);
  cx_take_items(p, n, &extents);
  if (!p->declares) p->declares = n->name;
  cx_declare_variable(p, n->name);
  return n;
}

static cx_node *declarator(cx_parser *p, cx_node **type) {
  bool is_binding = p->t->kind == TOK_LBRACKET && (*type)->name && strcmp((*type)->name->text, "auto") == 0;
  bool is_wrapped = cx_begins_wrapped_name(p->t);
  cx_node *n = is_binding ? binding(p) : is_wrapped ? wrapped_declarator(p, type) : declarator_name(p);
  if (!p->failed) cx_skip_attributes(p);
  if (!p->failed && !is_binding && !is_wrapped) extents(p, n);
  if (!p->failed) initial_value(p, n);
  return n;
}

/* A DECLARE of the declarators that follow and have the same `*` and `&`; those of the first are in the type.
 */
static cx_node *alike_variables(cx_parser *p, const cx_specifiers *s, cx_node *type) {
  cx_node *n = cx_new_node(p, CX_DECLARE, s->loc);
  cx_nodes items = {0};
  n->is_static = s->is_static;
  n->is_incomplete = s->is_extern;
  bool goes_on = true;
  while (goes_on) {
    PM_VEC_PUSH(items, declarator(p, &type));
    const cx_token *next = p->t + 1;
    goes_on = !p->failed && p->t->kind == TOK_COMMA && type->kind == CX_TYPE && !type->is_pointer &&
              !type->is_reference && next->kind == TOK_NAME && cx_accept(p, TOK_COMMA);
  }
  n->a = type;
  cx_take_items(p, n, &items);
  return n;
}

void cx_variables_of(cx_parser *p, const cx_specifiers *s, cx_node *type, cx_nodes *out) {
  cx_node plain = *type;
  plain.is_pointer = plain.is_reference = plain.is_rvalue = false;
  cx_pointers(p, type);
  PM_VEC_PUSH(*out, alike_variables(p, s, type));
  while (!p->failed && cx_accept(p, TOK_COMMA)) {
    cx_node *own = pm_arena_memdup(p->arena, &plain, sizeof plain);
    cx_pointers(p, own);
    PM_VEC_PUSH(*out, alike_variables(p, s, own));
  }
}

static cx_node *declared_type(cx_parser *p, const cx_specifiers *s) {
  cx_node *type = cx_type(p);
  if (!p->failed) type->is_const |= s->is_const;
  return type;
}

cx_node *cx_variables(cx_parser *p) {
  cx_specifiers s;
  read_specifiers(p, &s);
  cx_node *type = declared_type(p, &s), *only = NULL;
  cx_nodes all = {0};
  if (!p->failed) cx_variables_of(p, &s, type, &all);
  if (!p->failed) only = all.data[0];
  if (!p->failed && all.len > 1)
    cx_refuse_with(p, all.data[1]->loc,
                   "variables of several types are declared here, which is not supported");
  PM_VEC_FREE(all);
  return p->failed ? NULL : only;
}

cx_node *cx_range_variable(cx_parser *p) {
  cx_specifiers s;
  read_specifiers(p, &s);
  cx_node *n = cx_new_node(p, CX_DECLARE, s.loc);
  cx_nodes items = {0};
  n->a = declared_type(p, &s);
  if (!p->failed) PM_VEC_PUSH(items, p->t->kind == TOK_LBRACKET ? binding(p) : declarator_name(p));
  cx_take_items(p, n, &items);
  return n;
}

/* --- functions --- */

static cx_node *parameter(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_PARAM, p->t->loc);
  cx_skip_attributes(p);
  n->a = cx_type(p);
  if (p->failed) return NULL;
  n->is_long = cx_accept(p, TOK_ELLIPSIS);
  if (cx_begins_wrapped_name(p->t)) {
    cx_nodes extents = {0}; /* of an array of functions, which is a pointer here */
    n->a = cx_wrapped_name(p, n->a, &n->name, &extents);
    if (!p->failed && extents.len) n->a->is_pointer = true;
    PM_VEC_FREE(extents);
    if (p->failed) return NULL;
  } else if (p->t->kind == TOK_NAME) {
    n->name = p->t->name;
    cx_advance(p);
  }
  cx_declare_variable(p, n->name);
  if (p->t->kind == TOK_LBRACKET) {
    n->a->is_pointer = true;
    extents(p, n);
    if (p->failed) return NULL;
  }
  if (p->t->kind == TOK_ASSIGN && p->trying) return cx_refuse(p, cx_tok_text(TOK_RPAREN));
  if (cx_accept(p, TOK_ASSIGN)) n->b = cx_initializer(p);
  return n;
}

void cx_parameters(cx_parser *p, cx_node *function) {
  const cx_token *close = cx_partner(p, p->t);
  cx_nodes items = {0};
  cx_advance(p);
  if (p->t->kind == TOK_VOID && p->t + 1 == close) cx_advance(p);
  while (p->t < close && !p->failed && !cx_accept(p, TOK_ELLIPSIS)) {
    PM_VEC_PUSH(items, parameter(p));
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, TOK_RPAREN);
  cx_take_items(p, function, &items);
}

/* Whether what is in the brackets is a parameter rather than a value: `int x`, `T x`, `const T &`. */
static bool holds_parameters(cx_parser *p, cx_place place) {
  cx_state state = cx_try(p);
  cx_advance(p);
  bool clear = p->t->kind == TOK_CONST || cx_begins_basic_type(p, p->t), holds = p->t->kind == TOK_RPAREN;
  cx_node *type = holds ? NULL : cx_type_without_pointers(p);
  if (type) {
    bool may_point = clear || (!cx_is_variable(p, type->name) && (place == CX_AT_TOP || type->n_items > 0));
    if (may_point) cx_pointers(p, type);
    bool named = p->t->kind == TOK_NAME;
    if (named) cx_advance(p);
    bool ends = p->t->kind == TOK_COMMA || p->t->kind == TOK_RPAREN || p->t->kind == TOK_ASSIGN ||
                p->t->kind == TOK_LBRACKET;
    holds = (ends && (named || clear)) || cx_begins_wrapped_name(p->t);
  }
  cx_go_back(p, state);
  return holds;
}

/* At '(' behind a type and a name. */
static bool is_function(cx_parser *p, cx_place place) {
  const cx_token *next = cx_partner(p, p->t) + 1;
  switch (next->kind) {
  case TOK_SEMICOLON:
  case TOK_COMMA:
    return place == CX_IN_CLASS || holds_parameters(p, place);
  case TOK_LBRACE:
  case TOK_ARROW:
  case TOK_CONST:
  case TOK_NOEXCEPT:
  case TOK_ASSIGN:
  case TOK_TRY:
    return true;
  default:
    return place == CX_IN_CLASS || cx_is_name(next, "override") || cx_is_name(next, "final");
  }
}

static bool begins_function(cx_parser *p, cx_place place) {
  cx_state state = cx_try(p);
  bool is = p->t->kind == TOK_NAME && cx_path(p, false) &&
            (cx_begins_operator(p->t) || (p->t->kind == TOK_LPAREN && is_function(p, place)));
  cx_go_back(p, state);
  return is;
}

/* What stands behind the parameters, up to the body. */
static void function_qualifiers(cx_parser *p, cx_node *n) {
  while (!p->failed) {
    cx_skip_attributes(p);
    if (cx_is_name(p->t, "override") || cx_is_name(p->t, "final")) {
      n->is_virtual = true;
      cx_advance(p);
    } else if (cx_accept(p, TOK_NOEXCEPT)) {
      if (p->t->kind == TOK_LPAREN) p->t = cx_partner(p, p->t) + 1;
    } else if (cx_accept(p, TOK_ARROW)) {
      n->a = cx_type(p);
    } else if (p->t->kind == TOK_CONST || p->t->kind == TOK_AMP || p->t->kind == TOK_AND) {
      n->is_const |= p->t->kind == TOK_CONST;
      cx_advance(p);
    } else {
      return;
    }
  }
}

/* member(value) or member{value} */
static cx_node *member_value(cx_parser *p) {
  cx_node *member = cx_path(p, false);
  if (!p->failed && p->t->kind != TOK_LPAREN && p->t->kind != TOK_LBRACE)
    cx_refuse(p, cx_tok_text(TOK_LPAREN));
  if (p->failed) return NULL;
  cx_node *n = cx_new_node(p, CX_CALL, p->t->loc);
  n->a = member;
  n->is_braced = p->t->kind == TOK_LBRACE;
  cx_initializers(p, n);
  return n;
}

/* Behind ':'. */
static cx_node *member_values(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_BLOCK, p->t->loc);
  cx_nodes items = {0};
  do PM_VEC_PUSH(items, member_value(p));
  while (!p->failed && cx_accept(p, TOK_COMMA));
  cx_take_items(p, n, &items);
  return n;
}

/* Behind '=' in place of a body. False where nothing is declared: = default, but for constructors without
 * arguments. */
static bool no_body(cx_parser *p, cx_node *n) {
  n->is_deleted = p->t->kind == TOK_DELETE;
  n->is_defaulted = p->t->kind == TOK_DEFAULT && !n->a && n->n_items == 0;
  if (n->is_defaulted) n->b = cx_new_node(p, CX_BLOCK, p->t->loc);
  bool declared = p->t->kind == TOK_INTEGER || n->is_deleted || n->is_defaulted;
  if (!cx_accept(p, TOK_INTEGER) && !cx_accept(p, TOK_DELETE)) cx_expect(p, TOK_DEFAULT);
  cx_expect(p, TOK_SEMICOLON);
  return declared;
}

/* Behind the name, at the parameters. */
static void function_rest(cx_parser *p, cx_node *n, cx_nodes *out) {
  size_t scope = cx_begin_scope(p);
  bool declared = true;
  cx_parameters(p, n);
  function_qualifiers(p, n);
  if (!p->failed && !n->a && cx_accept(p, TOK_COLON)) n->c = member_values(p);
  if (!p->failed && cx_accept(p, TOK_ASSIGN))
    declared = no_body(p, n);
  else if (!p->failed && p->t->kind == TOK_LBRACE)
    n->b = cx_block(p);
  else if (!p->failed && !cx_accept(p, TOK_SEMICOLON) && !cx_refuse_unsupported(p))
    cx_refuse(p, cx_tok_text(TOK_LBRACE));
  cx_end_scope(p, scope);
  if (declared) PM_VEC_PUSH(*out, n);
}

cx_node *cx_operator_name(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_NAME, p->t->loc);
  pm_buf text = {0};
  pm_buf_puts(&text, "operator");
  cx_advance(p);
  const cx_token *first = p->t;
  bool is_pair = first->kind == TOK_LPAREN || first->kind == TOK_LBRACKET;
  for (; p->t->kind >= TOK_ELLIPSIS && p->t->kind < TOK_LPAREN; cx_advance(p))
    pm_buf_put(&text, p->t->source.ptr, p->t->source.len);
  if (is_pair && cx_partner(p, first) == first + 1) {
    pm_buf_puts(&text, first->kind == TOK_LPAREN ? "()" : "[]");
    p->t += 2;
  }
  n->name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return n;
}

void cx_take_operator(cx_parser *p, cx_node *n) {
  pm_buf text = {0};
  cx_advance(p);
  pm_buf_printf(&text, "%s::%s", n->name->text, cx_operator_name(p)->name->text);
  n->name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
}

/* A::operator+ */
static cx_node *function_name(cx_parser *p, cx_node *before) {
  if (!before && p->t->kind == TOK_OVERLOAD) return cx_operator_name(p);
  cx_node *n = before ? before : cx_path(p, false);
  if (!p->failed && cx_begins_operator(p->t)) cx_take_operator(p, n);
  return n;
}

static bool is_conversion(const cx_node *name) {
  static const char end[] = "operator";
  size_t len = name->name->len, n = sizeof(end) - 1;
  return len >= n && strcmp(name->name->text + len - n, end) == 0;
}

/* Behind the type; of a conversion outside of its class the type is the class, before `::`. */
static void function(cx_parser *p, const cx_specifiers *s, cx_node *type, cx_nodes *out) {
  bool is_outside = cx_begins_operator(p->t);
  cx_node *n = function_name(p, is_outside ? type : NULL);
  if (!p->failed && is_conversion(n)) type = cx_type(p);
  if (!p->failed && !type)
    cx_refuse_with(p, n->loc, "an operator is here, the type of its result should be before it");
  if (!p->failed && p->t->kind != TOK_LPAREN) cx_refuse(p, cx_tok_text(TOK_LPAREN));
  if (p->failed) return;
  if (n->n_items > 0 && !strstr(n->name->text, "::")) {
    n->s = cx_new_node(p, CX_BLOCK, n->loc);
    n->s->items = n->items;
    n->s->n_items = n->n_items;
  }
  n->kind = CX_FUNCTION;
  n->n_items = 0;
  n->a = type;
  n->is_static = s->is_static;
  n->is_virtual = s->is_virtual;
  n->is_friend = s->is_friend;
  n->is_explicit = s->is_explicit;
  p->declares = n->name;
  function_rest(p, n, out);
}

/* A::B::B( or, in the class B, B(; also with '~' before the last name. */
bool cx_begins_constructor(const cx_parser *p, cx_place place) {
  const cx_token *t = p->t;
  pm_string class_name = place == CX_IN_CLASS ? p->class_name : NULL;
  if (place == CX_IN_BLOCK) return false;
  if (place == CX_AT_TOP) {
    for (; t->kind == TOK_NAME && t[1].kind == TOK_SCOPE; t += 2) class_name = t->name;
    if (!class_name) return false;
  }
  if (t->kind == TOK_TILDE) t++;
  if (t->kind != TOK_NAME || t->name != class_name || t[1].kind != TOK_LPAREN) return false;
  cx_tok next = cx_partner(p, t + 1)[1].kind;
  return place == CX_IN_CLASS || next == TOK_LBRACE || next == TOK_COLON || next == TOK_NOEXCEPT;
}

/* At '~': its body is empty, or the compiler's. */
static bool destroys_nothing(const cx_parser *p) {
  const cx_token *t = cx_partner(p, p->t + 2) + 1;
  while (t->kind != TOK_LBRACE && t->kind != TOK_ASSIGN && t->kind != TOK_SEMICOLON && t->kind != TOK_END)
    t++;
  return t->kind == TOK_ASSIGN || (t->kind == TOK_LBRACE && cx_partner(p, t) == t + 1);
}

static void constructor(cx_parser *p, const cx_specifiers *s, cx_nodes *out) {
  const cx_token *begin = p->t;
  cx_node *n = cx_new_node(p, CX_FUNCTION, p->t->loc);
  pm_buf text = {0};
  for (; p->t->kind == TOK_NAME || p->t->kind == TOK_SCOPE; cx_advance(p))
    pm_buf_puts(&text, p->t->kind == TOK_NAME ? p->t->name->text : "::");
  if (p->t->kind == TOK_TILDE && destroys_nothing(p)) {
    cx_recover(p, begin);
  } else if (p->t->kind == TOK_TILDE) {
    cx_refuse_with(p, n->loc, "a destructor that does something is not supported");
  } else {
    n->name = p->declares = pm_get_string(p->ctx, (pm_str){text.data, text.len});
    n->is_explicit = s->is_explicit;
    function_rest(p, n, out);
  }
  pm_buf_free(&text);
}

/* --- all of them --- */

static void function_or_variables(cx_parser *p, cx_place place, const cx_specifiers *s, cx_nodes *out) {
  cx_node *type = p->t->kind == TOK_OVERLOAD ? NULL : declared_type(p, s);
  if (p->failed) return;
  if (p->t->kind == TOK_OVERLOAD || cx_begins_operator(p->t) || begins_function(p, place)) {
    function(p, s, type, out);
    return;
  }
  size_t first = out->len;
  cx_variables_of(p, s, type, out);
  cx_node *variables = out->data[first];
  for (uint32_t i = 0; !p->failed && place == CX_IN_CLASS && i < variables->n_items; i++)
    if (!variables->items[i]->name)
      cx_refuse_with(p, variables->items[i]->loc, "a structured binding is here, a member should be");
  cx_expect(p, TOK_SEMICOLON);
}

static void access(cx_parser *p) {
  cx_advance(p);
  cx_expect(p, TOK_COLON);
}

void cx_declaration(cx_parser *p, cx_place place, cx_nodes *out) {
  cx_specifiers s;
  read_specifiers(p, &s);
  switch (p->t->kind) {
  case TOK_PUBLIC:
  case TOK_PRIVATE:
  case TOK_PROTECTED:
    access(p);
    return;
  case TOK_USING:
    cx_using_declaration(p, out);
    return;
  case TOK_TYPEDEF:
    cx_typedef_declaration(p, out);
    return;
  case TOK_TEMPLATE:
    cx_template_declaration(p, place, out);
    return;
  case TOK_FRIEND:
  case TOK_STATIC_ASSERT:
    cx_recover(p, p->t);
    return;
  default:
    break;
  }
  if (cx_refuse_unsupported(p)) return;
  if (s.is_friend &&
      (p->t->kind == TOK_CLASS || p->t->kind == TOK_STRUCT)) /* it may look at what is private */
    cx_recover(p, p->t);
  else if (cx_begins_class(p->t))
    cx_class_definition(p, &s, out);
  else if (cx_begins_enum(p->t))
    cx_enum_definition(p, &s, out);
  else if (cx_begins_constructor(p, place))
    constructor(p, &s, out);
  else
    function_or_variables(p, place, &s, out);
}
