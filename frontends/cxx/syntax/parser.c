/* Tokens to a tree: what all parts need, and statements. */
#include "frontends/cxx/syntax/parse.h"

#include <stdlib.h>
#include <string.h>

/* Brackets are counted before; this is for what nests without them, as signs do. */
enum { CX_MAX_DEPTH = 1000 };

static void sub_statement(cx_parser *p, cx_node **out);

/* --- nodes and tokens --- */

cx_node *cx_new_node(cx_parser *p, cx_kind kind, pm_loc loc) {
  cx_node *n = pm_arena_alloc(p->arena, sizeof(*n));
  n->kind = kind;
  n->loc = loc;
  return n;
}

void cx_take_items(cx_parser *p, cx_node *n, cx_nodes *items) {
  n->n_items = (uint32_t)items->len;
  if (items->len > 0) n->items = pm_arena_memdup(p->arena, items->data, items->len * sizeof(*items->data));
  PM_VEC_FREE(*items);
}

void cx_advance(cx_parser *p) {
  if (p->t->kind != TOK_END) p->t++;
}

bool cx_accept(cx_parser *p, cx_tok kind) {
  if (p->t->kind != kind) return false;
  cx_advance(p);
  return true;
}

bool cx_expect(cx_parser *p, cx_tok kind) {
  if (p->failed) return false;
  if (cx_accept(p, kind)) return true;
  cx_refuse(p, cx_tok_text(kind));
  return false;
}

cx_node *cx_refuse_with(cx_parser *p, pm_loc loc, const char *message) {
  if (!p->failed && !p->trying) {
    p->refusal_loc = loc;
    p->refusal = pm_arena_strndup(p->arena, message, strlen(message));
  }
  p->failed = true;
  return NULL;
}

cx_node *cx_refuse(cx_parser *p, const char *what) {
  if (p->t->kind == TOK_ERROR) return cx_refuse_with(p, p->t->loc, p->t->message);
  if (p->failed || p->trying) return cx_refuse_with(p, p->t->loc, "");
  pm_buf message = {0};
  if (p->t->kind == TOK_NAME)
    pm_buf_printf(&message, "'%s' is here, %s should be", p->t->name->text, what);
  else
    pm_buf_printf(&message, "%s is here, %s should be", cx_tok_text(p->t->kind), what);
  cx_refuse_with(p, p->t->loc, message.data);
  pm_buf_free(&message);
  return NULL;
}

static const char *unsupported(cx_tok kind) {
  switch (kind) {
  case TOK_THROW:
    return "'throw' is not supported, a plain 'if' is";
  case TOK_TRY:
    return "'try' is not supported, plain statements are";
  case TOK_GOTO:
    return "'goto' is not supported, loops and 'break' are";
  case TOK_ASM:
    return "'asm' is not supported, plain statements are";
  case TOK_UNION:
    return "'union' is not supported, 'struct' is";
  default:
    return NULL;
  }
}

bool cx_refuse_unsupported(cx_parser *p) {
  const char *message = unsupported(p->t->kind);
  if (message) cx_refuse_with(p, p->t->loc, message);
  return message;
}

bool cx_enter(cx_parser *p) {
  if (p->nesting++ < CX_MAX_DEPTH) return true;
  cx_refuse_with(p, p->t->loc, "this is nested too deep, parts of it should get names");
  return false;
}

void cx_leave(cx_parser *p) {
  p->nesting--;
}

const cx_token *cx_partner(const cx_parser *p, const cx_token *bracket) {
  return &p->tokens[bracket->partner];
}

cx_state cx_try(cx_parser *p) {
  p->trying++;
  return (cx_state){p->t};
}

bool cx_go_back(cx_parser *p, cx_state state) {
  bool ok = !p->failed;
  p->trying--;
  p->failed = false;
  p->t = state.t;
  return ok;
}

/* --- recovery --- */

/* Behind a block that ends what cannot be read, no operator and no second part of a statement stands. */
static bool goes_on(const cx_token *begin, const cx_token *t) {
  switch (t->kind) {
  case TOK_ELSE:
  case TOK_CATCH:
    return true;
  case TOK_WHILE:
    return begin->kind == TOK_DO;
  case TOK_TILDE:
  case TOK_SCOPE:
  case TOK_HASH:
  case TOK_RBRACE:
    return false;
  default:
    return t->kind >= TOK_ELLIPSIS;
  }
}

/* At a macro with arguments, which may end without ';': past its arguments. */
static const cx_token *skip_macro(const cx_parser *p, const cx_token *t) {
  return t->kind == TOK_ERROR && t[1].kind == TOK_LPAREN ? cx_partner(p, t + 1) + 1 : t;
}

static bool is_open(cx_tok kind) {
  return kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE;
}

void cx_recover(cx_parser *p, const cx_token *begin) {
  const cx_token *t = skip_macro(p, begin);
  if (t > begin && !goes_on(begin, t)) {
    p->t = t;
    return;
  }
  while (t->kind != TOK_END && t->kind != TOK_RBRACE) {
    const cx_token *here = t;
    if (is_open(t->kind)) t = cx_partner(p, t);
    t++;
    if (here->kind == TOK_SEMICOLON) break;
    if (here->kind == TOK_LBRACE && !goes_on(begin, t)) break;
  }
  p->t = t;
}

/* --- simple statements --- */

/* A statement that is one word. */
static cx_node *word_statement(cx_parser *p, cx_kind kind) {
  cx_node *n = cx_new_node(p, kind, p->t->loc);
  cx_advance(p);
  cx_expect(p, TOK_SEMICOLON);
  return n;
}

static cx_node *return_statement(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_RETURN, p->t->loc);
  cx_advance(p);
  if (p->t->kind != TOK_SEMICOLON) n->a = cx_initializer(p);
  cx_expect(p, TOK_SEMICOLON);
  return n;
}

static cx_node *expression_node(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_EXPRESSION, p->t->loc);
  n->a = cx_comma_expression(p);
  return n;
}

static cx_node *expression_statement(cx_parser *p) {
  cx_node *n = expression_node(p);
  cx_expect(p, TOK_SEMICOLON);
  return n;
}

static cx_node *label(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_LABEL, p->t->loc);
  bool is_case = p->t->kind == TOK_CASE;
  cx_advance(p);
  if (is_case) n->a = cx_expression(p);
  cx_expect(p, TOK_COLON);
  return n;
}

/* --- compound statements --- */

static void put_item(cx_parser *p, cx_node *n, cx_node *item) {
  cx_nodes items = {0};
  PM_VEC_PUSH(items, item);
  cx_take_items(p, n, &items);
}

/* (if|switch|while) ( [declaration;] condition ); a declaration in place of the condition stands before it.
 */
static void condition(cx_parser *p, cx_node *n) {
  if (!cx_expect(p, TOK_LPAREN)) return;
  if ((n->kind == CX_IF || (n->kind == CX_WHILE && !n->is_do)) && cx_begins_condition_declaration(p)) {
    cx_node *declare = cx_variables(p);
    put_item(p, n, declare);
    if (p->failed) return;
    if (cx_accept(p, TOK_SEMICOLON)) {
      n->a = cx_expression(p);
    } else {
      n->a = cx_new_node(p, CX_NAME, declare->items[0]->loc);
      n->a->name = declare->items[0]->name;
    }
  } else {
    n->a = cx_expression(p);
  }
  cx_expect(p, TOK_RPAREN);
}

/* One `if` without what follows its `else`. */
static cx_node *if_branch(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_IF, p->t->loc);
  cx_advance(p);
  cx_accept(p, TOK_CONSTEXPR);
  condition(p, n);
  if (!p->failed) sub_statement(p, &n->b);
  return n;
}

static cx_node *if_statement(cx_parser *p) {
  size_t scope = cx_begin_scope(p);
  cx_node *first = if_branch(p), *last = first;
  while (!p->failed && cx_accept(p, TOK_ELSE)) {
    if (p->t->kind != TOK_IF) {
      sub_statement(p, &last->c);
      break;
    }
    last->c = if_branch(p);
    last = last->c;
  }
  cx_end_scope(p, scope);
  return first;
}

static cx_node *while_statement(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_WHILE, p->t->loc);
  size_t scope = cx_begin_scope(p);
  cx_advance(p);
  condition(p, n);
  if (!p->failed) sub_statement(p, &n->c);
  cx_end_scope(p, scope);
  return n;
}

static cx_node *do_statement(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_WHILE, p->t->loc);
  n->is_do = true;
  cx_advance(p);
  sub_statement(p, &n->c);
  if (cx_expect(p, TOK_WHILE)) condition(p, n);
  cx_expect(p, TOK_SEMICOLON);
  return n;
}

static cx_node *switch_statement(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_SWITCH, p->t->loc);
  cx_advance(p);
  condition(p, n);
  if (!p->failed && p->t->kind != TOK_LBRACE) cx_refuse(p, cx_tok_text(TOK_LBRACE));
  if (!p->failed) n->c = cx_block(p);
  return n;
}

/* At what stands in the brackets. */
static cx_node *range_for(cx_parser *p, pm_loc loc) {
  cx_node *n = cx_new_node(p, CX_RANGE_FOR, loc);
  put_item(p, n, cx_range_variable(p));
  cx_expect(p, TOK_COLON);
  if (!p->failed) n->a = cx_initializer(p);
  return n;
}

static cx_node *classic_for(cx_parser *p, pm_loc loc) {
  cx_node *n = cx_new_node(p, CX_FOR, loc), *first = NULL;
  if (cx_begins_declaration(p))
    first = cx_variables(p);
  else if (p->t->kind != TOK_SEMICOLON)
    first = expression_node(p);
  put_item(p, n, first);
  cx_expect(p, TOK_SEMICOLON);
  if (!p->failed && p->t->kind != TOK_SEMICOLON) n->a = cx_comma_expression(p);
  cx_expect(p, TOK_SEMICOLON);
  if (!p->failed && p->t->kind != TOK_RPAREN) n->b = cx_comma_expression(p);
  return n;
}

static cx_node *for_statement(cx_parser *p) {
  pm_loc loc = p->t->loc;
  size_t scope = cx_begin_scope(p);
  cx_node *n = NULL;
  cx_advance(p);
  if (cx_expect(p, TOK_LPAREN)) n = cx_begins_range(p) ? range_for(p, loc) : classic_for(p, loc);
  cx_expect(p, TOK_RPAREN);
  if (!p->failed) sub_statement(p, &n->c);
  cx_end_scope(p, scope);
  return n;
}

cx_node *cx_block(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_BLOCK, p->t->loc);
  const cx_token *close = cx_partner(p, p->t);
  size_t scope = cx_begin_scope(p);
  cx_nodes items = {0};
  cx_advance(p);
  while (p->t < close) cx_statement(p, CX_IN_BLOCK, &items);
  cx_advance(p);
  cx_take_items(p, n, &items);
  cx_end_scope(p, scope);
  return n;
}

/* The body of a loop or of an `if`: one node. */
static void sub_statement(cx_parser *p, cx_node **out) {
  cx_nodes items = {0};
  pm_loc loc = p->t->loc;
  if (p->t->kind == TOK_RBRACE || p->t->kind == TOK_END) {
    cx_refuse(p, "a statement");
    return;
  }
  cx_statement(p, CX_IN_BLOCK, &items);
  if (items.len == 1) {
    *out = items.data[0];
    PM_VEC_FREE(items);
    return;
  }
  *out = cx_new_node(p, CX_BLOCK, loc);
  cx_take_items(p, *out, &items);
}

/* --- namespaces --- */

/* At '{' of what is at the top level: its items. */
static void flattened(cx_parser *p, cx_nodes *out) {
  const cx_token *close = cx_partner(p, p->t);
  cx_advance(p);
  while (p->t < close) cx_statement(p, CX_AT_TOP, out);
  cx_advance(p);
}

static bool is_dropped(const cx_parser *p, pm_string name) {
  for (size_t i = 0; i < p->dropped.len; i++)
    if (p->dropped.data[i] == name) return true;
  return false;
}

/* namespace A = B; where B is dropped, A is, too. */
static cx_node *namespace_alias(cx_parser *p, cx_node *n) {
  bool of_library = p->t->kind == TOK_NAME && p->t[1].kind == TOK_SEMICOLON && is_dropped(p, p->t->name);
  n->a = of_library ? (cx_advance(p), NULL) : cx_path(p, false);
  cx_expect(p, TOK_SEMICOLON);
  if (of_library && !p->failed) PM_VEC_PUSH(p->dropped, n->name);
  return of_library ? NULL : n;
}

/* Of [inline] namespace [A::B] {…} behind `namespace`; what has no name or is inline is as if it stood
 * around. */
static void namespace_rest(cx_parser *p, bool is_inline, cx_nodes *out) {
  cx_node *n = cx_new_node(p, CX_NAMESPACE, p->t->loc);
  bool is_open = p->t->kind != TOK_NAME || is_inline;
  if (p->t->kind == TOK_NAME) {
    n->name = p->t->name;
    n->is_of_library = is_dropped(p, n->name);
    cx_advance(p);
  }
  cx_skip_attributes(p);
  if (n->name && cx_accept(p, TOK_ASSIGN)) {
    n = namespace_alias(p, n);
    if (n) PM_VEC_PUSH(*out, n);
    return;
  }
  cx_nodes items = {0};
  if (cx_accept(p, TOK_SCOPE))
    namespace_rest(p, cx_accept(p, TOK_INLINE), &items);
  else if (p->t->kind == TOK_LBRACE)
    flattened(p, is_open ? out : &items);
  else
    cx_refuse(p, cx_tok_text(TOK_LBRACE));
  cx_take_items(p, n, &items);
  if (!is_open) PM_VEC_PUSH(*out, n);
}

static void namespace_statement(cx_parser *p, cx_nodes *out) {
  bool is_inline = cx_accept(p, TOK_INLINE);
  cx_advance(p);
  cx_skip_attributes(p);
  if (cx_enter(p)) namespace_rest(p, is_inline, out);
  cx_leave(p);
}

/* --- statements --- */

bool cx_is_capital(const cx_token *t) {
  if (t->kind != TOK_NAME) return false;
  for (const char *c = t->name->text; *c; c++)
    if (*c >= 'a' && *c <= 'z') return false;
  return true;
}

/* NAME(…) that declares nothing and is no call, as its name says, or what is in the brackets or behind them.
 */
static bool at_macro(const cx_parser *p, cx_place place) {
  if (place == CX_IN_BLOCK || p->t->kind != TOK_NAME || p->t[1].kind != TOK_LPAREN) return false;
  if (place == CX_IN_CLASS) return !cx_begins_wrapped_name(p->t + 1);
  cx_tok next = cx_partner(p, p->t + 1)[1].kind;
  bool takes_type = cx_begins_basic_type(p, p->t + 2) && p->t[3].kind == TOK_COMMA;
  if (next == TOK_LBRACE) return true;
  return (next < TOK_ELLIPSIS || next == TOK_SEMICOLON) && (cx_is_capital(p->t) || takes_type);
}

static void macro_arguments(cx_parser *p, cx_node *n) {
  const cx_token *close = cx_partner(p, p->t);
  cx_nodes items = {0};
  cx_advance(p);
  while (p->t < close && !p->failed) {
    bool is_type = cx_begins_basic_type(p, p->t) && p->t[1].kind != TOK_LPAREN && p->t[1].kind != TOK_LBRACE;
    PM_VEC_PUSH(items, is_type ? cx_type(p) : cx_initializer(p));
    if (p->failed || !cx_accept(p, TOK_COMMA)) break;
  }
  cx_expect(p, TOK_RPAREN);
  cx_take_items(p, n, &items);
}

static cx_node *macro_statement(cx_parser *p) {
  cx_node *n = cx_new_node(p, CX_MACRO, p->t->loc);
  n->name = p->t->name;
  const cx_token *next = cx_partner(p, p->t + 1) + 1;
  if (next->kind == TOK_LBRACE)
    return cx_refuse_with(p, p->t->loc, "a macro that begins a function is not supported, a function is");
  cx_advance(p);
  macro_arguments(p, n);
  if (!p->failed) cx_accept(p, TOK_SEMICOLON);
  return n;
}

/* What begins with a word that only statements in functions begin with; NULL with *known false: none such. */
static cx_node *keyword_statement(cx_parser *p, bool *known) {
  *known = true;
  switch (p->t->kind) {
  case TOK_IF:
    return if_statement(p);
  case TOK_FOR:
    return for_statement(p);
  case TOK_WHILE:
    return while_statement(p);
  case TOK_DO:
    return do_statement(p);
  case TOK_SWITCH:
    return switch_statement(p);
  case TOK_CASE:
  case TOK_DEFAULT:
    return label(p);
  case TOK_BREAK:
    return word_statement(p, CX_BREAK);
  case TOK_CONTINUE:
    return word_statement(p, CX_CONTINUE);
  case TOK_RETURN:
    return return_statement(p);
  case TOK_LBRACE:
    return cx_block(p);
  case TOK_ELSE:
    return cx_refuse_with(p, p->t->loc, "'else' is here, an 'if' should be before it");
  default:
    *known = false;
    return NULL;
  }
}

static bool begins_namespace(const cx_parser *p) {
  return p->t->kind == TOK_NAMESPACE || (p->t->kind == TOK_INLINE && p->t[1].kind == TOK_NAMESPACE);
}

static bool begins_linkage(const cx_parser *p) {
  return p->t->kind == TOK_EXTERN && p->t[1].kind == TOK_STRING && p->t[2].kind == TOK_LBRACE;
}

/* `A::operator()(x)`, `operator()(x)`: functions are not defined in a block. */
static bool begins_operator_call(cx_parser *p, cx_place place) {
  cx_state state = cx_try(p);
  bool has_path = p->t->kind == TOK_NAME && cx_path(p, false);
  bool is = p->t->kind == TOK_OVERLOAD || (has_path && cx_begins_operator(p->t));
  return cx_go_back(p, state) && place == CX_IN_BLOCK && is;
}

static void other_statement(cx_parser *p, cx_place place, cx_nodes *out) {
  bool known;
  cx_node *n = place == CX_IN_CLASS ? (known = false, NULL) : keyword_statement(p, &known);
  if (known) {
    PM_VEC_PUSH(*out, n);
  } else if (place == CX_IN_CLASS || cx_begins_constructor(p, place) ||
             (!begins_operator_call(p, place) && cx_begins_declaration(p))) {
    cx_declaration(p, place, out);
  } else if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_COLON) {
    cx_refuse_with(p, p->t->loc, "a label is not supported, loops and 'break' are");
  } else {
    PM_VEC_PUSH(*out, expression_statement(p));
  }
}

static void read_statement(cx_parser *p, cx_place place, cx_nodes *out) {
  cx_skip_attributes(p);
  if (cx_accept(p, TOK_SEMICOLON)) return;
  if (p->t->kind == TOK_ERROR) {
    cx_refuse(p, "a statement");
  } else if (begins_namespace(p)) {
    namespace_statement(p, out);
  } else if (begins_linkage(p)) {
    p->t += 2;
    flattened(p, out);
  } else if (at_macro(p, place) && !cx_begins_constructor(p, place)) {
    PM_VEC_PUSH(*out, macro_statement(p));
  } else {
    other_statement(p, place, out);
  }
}

static bool begins_compound(cx_tok kind) {
  return kind == TOK_IF || kind == TOK_FOR || kind == TOK_WHILE || kind == TOK_DO || kind == TOK_SWITCH;
}

/* In place of what the statement became. */
static void refuse(cx_parser *p, const cx_token *begin, cx_nodes *out, size_t before) {
  cx_node *n = cx_new_node(p, CX_REFUSED, p->refusal_loc);
  n->text = pm_str_of(p->refusal);
  n->name = begins_compound(begin->kind) ? NULL : p->declares;
  out->len = before;
  PM_VEC_PUSH(*out, n);
  p->failed = false;
  if (begin->is_directive)
    p->t = begin + 1;
  else
    cx_recover(p, begin);
}

void cx_statement(cx_parser *p, cx_place place, cx_nodes *out) {
  const cx_token *begin = p->t;
  size_t before = out->len;
  pm_string outer = p->declares;
  p->declares = NULL;
  if (cx_enter(p)) read_statement(p, place, out);
  cx_leave(p);
  if (p->failed) refuse(p, begin, out, before);
  if (p->t == begin) cx_advance(p);
  p->declares = outer;
}

static cx_node *parse_file(cx_parser *p) {
  cx_node *file = cx_new_node(p, CX_BLOCK, p->t->loc);
  cx_nodes items = {0};
  while (p->t->kind != TOK_END) cx_statement(p, CX_AT_TOP, &items);
  cx_take_items(p, file, &items);
  return file;
}

cx_node *cx_parse(pm_context *ctx, pm_arena *arena, const cx_file *file, const char *const *dropped,
                  const cx_includer *includer) {
  cx_tokens tokens = {0};
  cx_node *root = NULL;
  if (cx_lex(ctx, arena, file, includer, &tokens)) {
    cx_parser p = {.ctx = ctx, .arena = arena, .tokens = tokens.data, .t = tokens.data};
    p.angles = pm_xcalloc(tokens.len, sizeof(*p.angles));
    p.n_variables = pm_map_new();
    PM_VEC_PUSH(p.dropped, pm_get_cstring(ctx, "std"));
    for (; dropped && *dropped; dropped++) PM_VEC_PUSH(p.dropped, pm_get_cstring(ctx, *dropped));
    root = parse_file(&p);
    PM_VEC_FREE(p.dropped);
    PM_VEC_FREE(p.variables);
    PM_VEC_FREE(p.type_parameters);
    pm_map_free(p.n_variables);
    free(p.angles);
  }
  PM_VEC_FREE(tokens);
  return root;
}
