/* Tokens to a tree: what all parts need, and statements. */
#include "frontends/halide/parse.h"

#include <stdlib.h>
#include <string.h>

/* Brackets are counted before; this is for what nests without them, as signs do. */
enum { HL_MAX_DEPTH = 1000 };

static void sub_statement(hl_parser *p, hl_node **out);

/* --- nodes and tokens --- */

hl_node *hl_new_node(hl_parser *p, hl_kind kind, pm_loc loc) {
  hl_node *n = pm_arena_alloc(p->arena, sizeof(*n));
  n->kind = kind;
  n->loc = loc;
  return n;
}

void hl_take_items(hl_parser *p, hl_node *n, hl_nodes *items) {
  n->n_items = (uint32_t)items->len;
  if (items->len > 0) n->items = pm_arena_memdup(p->arena, items->data, items->len * sizeof(*items->data));
  PM_VEC_FREE(*items);
}

void hl_advance(hl_parser *p) {
  if (p->t->kind != TOK_END) p->t++;
}

bool hl_accept(hl_parser *p, hl_tok kind) {
  if (p->t->kind != kind) return false;
  hl_advance(p);
  return true;
}

bool hl_expect(hl_parser *p, hl_tok kind) {
  if (p->failed) return false;
  if (hl_accept(p, kind)) return true;
  hl_fail(p, hl_tok_text(kind));
  return false;
}

hl_node *hl_fail_with(hl_parser *p, pm_loc loc, const char *message) {
  if (!p->failed && !p->trying) {
    p->refusal_loc = loc;
    p->refusal = pm_arena_strndup(p->arena, message, strlen(message));
  }
  p->failed = true;
  return NULL;
}

hl_node *hl_fail(hl_parser *p, const char *what) {
  if (p->t->kind == TOK_ERROR) return hl_fail_with(p, p->t->loc, p->t->message);
  if (p->failed || p->trying) return hl_fail_with(p, p->t->loc, "");
  pm_buf message = {0};
  if (p->t->kind == TOK_NAME)
    pm_buf_printf(&message, "'%s' is here, %s should be", p->t->name->text, what);
  else
    pm_buf_printf(&message, "%s is here, %s should be", hl_tok_text(p->t->kind), what);
  hl_fail_with(p, p->t->loc, message.data);
  pm_buf_free(&message);
  return NULL;
}

static const char *unsupported(hl_tok kind) {
  switch (kind) {
  case TOK_NEW:
    return "'new' is not supported, values and std::vector are";
  case TOK_DELETE:
    return "'delete' is not supported, values and std::vector are";
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

bool hl_fail_unsupported(hl_parser *p) {
  const char *message = unsupported(p->t->kind);
  if (message) hl_fail_with(p, p->t->loc, message);
  return message;
}

bool hl_enter(hl_parser *p) {
  if (p->nesting++ < HL_MAX_DEPTH) return true;
  hl_fail_with(p, p->t->loc, "this is nested too deep, parts of it should get names");
  return false;
}

void hl_leave(hl_parser *p) {
  p->nesting--;
}

const hl_token *hl_partner(const hl_parser *p, const hl_token *bracket) {
  return &p->tokens[bracket->partner];
}

hl_state hl_try(hl_parser *p) {
  p->trying++;
  return (hl_state){p->t};
}

bool hl_go_back(hl_parser *p, hl_state state) {
  bool ok = !p->failed;
  p->trying--;
  p->failed = false;
  p->t = state.t;
  return ok;
}

/* --- recovery --- */

/* Behind a block that ends what cannot be read, no operator and no second part of a statement stands. */
static bool goes_on(const hl_token *begin, const hl_token *t) {
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
static const hl_token *skip_macro(const hl_parser *p, const hl_token *t) {
  return t->kind == TOK_ERROR && t[1].kind == TOK_LPAREN ? hl_partner(p, t + 1) + 1 : t;
}

static bool is_open(hl_tok kind) {
  return kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE;
}

void hl_recover(hl_parser *p, const hl_token *begin) {
  const hl_token *t = skip_macro(p, begin);
  if (t > begin && !goes_on(begin, t)) {
    p->t = t;
    return;
  }
  while (t->kind != TOK_END && t->kind != TOK_RBRACE) {
    const hl_token *here = t;
    if (is_open(t->kind)) t = hl_partner(p, t);
    t++;
    if (here->kind == TOK_SEMICOLON) break;
    if (here->kind == TOK_LBRACE && !goes_on(begin, t)) break;
  }
  p->t = t;
}

/* --- simple statements --- */

/* A statement that is one word. */
static hl_node *word_statement(hl_parser *p, hl_kind kind) {
  hl_node *n = hl_new_node(p, kind, p->t->loc);
  hl_advance(p);
  hl_expect(p, TOK_SEMICOLON);
  return n;
}

static hl_node *return_statement(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_RETURN, p->t->loc);
  hl_advance(p);
  if (p->t->kind != TOK_SEMICOLON) n->a = hl_initializer(p);
  hl_expect(p, TOK_SEMICOLON);
  return n;
}

static void expect_end(hl_parser *p) {
  if (!p->failed && p->t->kind == TOK_COMMA)
    hl_fail_with(p, p->t->loc, "the operator ',' is not supported, statements are");
  hl_expect(p, TOK_SEMICOLON);
}

static hl_node *expression_node(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_EXPRESSION, p->t->loc);
  n->a = hl_expression(p);
  return n;
}

static hl_node *expression_statement(hl_parser *p) {
  hl_node *n = expression_node(p);
  expect_end(p);
  return n;
}

static hl_node *label(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_LABEL, p->t->loc);
  bool is_case = p->t->kind == TOK_CASE;
  hl_advance(p);
  if (is_case) n->a = hl_expression(p);
  hl_expect(p, TOK_COLON);
  return n;
}

/* --- compound statements --- */

static void put_item(hl_parser *p, hl_node *n, hl_node *item) {
  hl_nodes items = {0};
  PM_VEC_PUSH(items, item);
  hl_take_items(p, n, &items);
}

/* (if|switch|while) ( [declaration;] condition ); a declaration in place of the condition stands before it.
 */
static void condition(hl_parser *p, hl_node *n) {
  if (!hl_expect(p, TOK_LPAREN)) return;
  if (n->kind == HL_IF && hl_begins_condition_declaration(p)) {
    hl_node *declare = hl_variables(p);
    put_item(p, n, declare);
    if (p->failed) return;
    if (hl_accept(p, TOK_SEMICOLON)) {
      n->a = hl_expression(p);
    } else {
      n->a = hl_new_node(p, HL_NAME, declare->items[0]->loc);
      n->a->name = declare->items[0]->name;
    }
  } else {
    n->a = hl_expression(p);
  }
  hl_expect(p, TOK_RPAREN);
}

/* One `if` without what follows its `else`. */
static hl_node *if_branch(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_IF, p->t->loc);
  hl_advance(p);
  hl_accept(p, TOK_CONSTEXPR);
  condition(p, n);
  if (!p->failed) sub_statement(p, &n->b);
  return n;
}

static hl_node *if_statement(hl_parser *p) {
  size_t scope = hl_begin_scope(p);
  hl_node *first = if_branch(p), *last = first;
  while (!p->failed && hl_accept(p, TOK_ELSE)) {
    if (p->t->kind != TOK_IF) {
      sub_statement(p, &last->c);
      break;
    }
    last->c = if_branch(p);
    last = last->c;
  }
  hl_end_scope(p, scope);
  return first;
}

static hl_node *while_statement(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_WHILE, p->t->loc);
  hl_advance(p);
  condition(p, n);
  if (!p->failed) sub_statement(p, &n->c);
  return n;
}

static hl_node *do_statement(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_WHILE, p->t->loc);
  n->is_do = true;
  hl_advance(p);
  sub_statement(p, &n->c);
  if (hl_expect(p, TOK_WHILE)) condition(p, n);
  hl_expect(p, TOK_SEMICOLON);
  return n;
}

static hl_node *switch_statement(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_SWITCH, p->t->loc);
  hl_advance(p);
  condition(p, n);
  if (!p->failed && p->t->kind != TOK_LBRACE) hl_fail(p, hl_tok_text(TOK_LBRACE));
  if (!p->failed) n->c = hl_block(p);
  return n;
}

/* At what stands in the brackets. */
static hl_node *range_for(hl_parser *p, pm_loc loc) {
  hl_node *n = hl_new_node(p, HL_RANGE_FOR, loc);
  put_item(p, n, hl_range_variable(p));
  hl_expect(p, TOK_COLON);
  if (!p->failed) n->a = hl_initializer(p);
  return n;
}

static hl_node *classic_for(hl_parser *p, pm_loc loc) {
  hl_node *n = hl_new_node(p, HL_FOR, loc), *first = NULL;
  if (hl_begins_declaration(p))
    first = hl_variables(p);
  else if (p->t->kind != TOK_SEMICOLON)
    first = expression_node(p);
  put_item(p, n, first);
  expect_end(p);
  if (!p->failed && p->t->kind != TOK_SEMICOLON) n->a = hl_expression(p);
  expect_end(p);
  if (!p->failed && p->t->kind != TOK_RPAREN) n->b = hl_expression(p);
  if (!p->failed && p->t->kind == TOK_COMMA)
    hl_fail_with(p, p->t->loc, "the operator ',' is not supported, statements are");
  return n;
}

static hl_node *for_statement(hl_parser *p) {
  pm_loc loc = p->t->loc;
  size_t scope = hl_begin_scope(p);
  hl_node *n = NULL;
  hl_advance(p);
  if (hl_expect(p, TOK_LPAREN)) n = hl_begins_range(p) ? range_for(p, loc) : classic_for(p, loc);
  hl_expect(p, TOK_RPAREN);
  if (!p->failed) sub_statement(p, &n->c);
  hl_end_scope(p, scope);
  return n;
}

hl_node *hl_block(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_BLOCK, p->t->loc);
  const hl_token *close = hl_partner(p, p->t);
  size_t scope = hl_begin_scope(p);
  hl_nodes items = {0};
  hl_advance(p);
  while (p->t < close) hl_statement(p, HL_IN_BLOCK, &items);
  hl_advance(p);
  hl_take_items(p, n, &items);
  hl_end_scope(p, scope);
  return n;
}

/* The body of a loop or of an `if`: one node. */
static void sub_statement(hl_parser *p, hl_node **out) {
  hl_nodes items = {0};
  pm_loc loc = p->t->loc;
  if (p->t->kind == TOK_RBRACE || p->t->kind == TOK_END) {
    hl_fail(p, "a statement");
    return;
  }
  hl_statement(p, HL_IN_BLOCK, &items);
  if (items.len == 1) {
    *out = items.data[0];
    PM_VEC_FREE(items);
    return;
  }
  *out = hl_new_node(p, HL_BLOCK, loc);
  hl_take_items(p, *out, &items);
}

/* --- namespaces --- */

static void flush_includes(hl_parser *p, hl_nodes *out) {
  for (; p->includes < p->last_include && p->includes->before <= (size_t)(p->t - p->tokens); p->includes++) {
    hl_node *n = hl_new_node(p, HL_INCLUDE, p->includes->loc);
    n->text = p->includes->text;
    n->is_local = p->includes->is_local;
    PM_VEC_PUSH(*out, n);
  }
}

/* At '{' of a namespace: its items are the file's. */
static void flattened(hl_parser *p, hl_nodes *out) {
  const hl_token *close = hl_partner(p, p->t);
  hl_advance(p);
  while (p->t < close) hl_statement(p, HL_AT_TOP, out);
  hl_advance(p);
}

/* namespace A = B; is dropped like B. */
static void namespace_alias(hl_parser *p, pm_string name) {
  hl_accept(p, TOK_SCOPE);
  bool is_dropped = false;
  pm_string original = p->t->kind == TOK_NAME ? p->t->name : NULL;
  hl_expect(p, TOK_NAME);
  for (size_t i = 0; i < p->dropped.len; i++) is_dropped |= p->dropped.data[i] == original;
  if (!p->failed && (!is_dropped || p->t->kind != TOK_SEMICOLON))
    hl_fail_with(p, p->t->loc, "a second name of this namespace is not supported, its own name is");
  if (hl_expect(p, TOK_SEMICOLON)) PM_VEC_PUSH(p->dropped, name);
}

static void drop(hl_parser *p, pm_string name) {
  PM_VEC_PUSH(p->dropped, name);
  if (p->namespaces) pm_map_set(p->namespaces, name, p->namespaces);
}

/* [inline] namespace [A::B] {…} */
static void namespace_statement(hl_parser *p, hl_nodes *out) {
  pm_string name = NULL;
  hl_accept(p, TOK_INLINE);
  hl_advance(p);
  hl_skip_attributes(p);
  while (p->t->kind == TOK_NAME || p->t->kind == TOK_SCOPE) {
    if (p->t->kind == TOK_NAME) name = p->t->name;
    if (p->t->kind == TOK_NAME && p->t[1].kind != TOK_ASSIGN) drop(p, p->t->name);
    hl_advance(p);
  }
  if (name && hl_accept(p, TOK_ASSIGN))
    namespace_alias(p, name);
  else if (p->t->kind == TOK_LBRACE)
    flattened(p, out);
  else
    hl_fail(p, hl_tok_text(TOK_LBRACE));
}

/* --- statements --- */

bool hl_is_capital(const hl_token *t) {
  if (t->kind != TOK_NAME) return false;
  for (const char *c = t->name->text; *c; c++)
    if (*c >= 'a' && *c <= 'z') return false;
  return true;
}

/* NAME(…) that declares nothing and is no call, as its name says, or what is in the brackets or behind them.
 */
static bool at_macro(const hl_parser *p, hl_place place) {
  if (place == HL_IN_BLOCK || p->t->kind != TOK_NAME || p->t[1].kind != TOK_LPAREN) return false;
  if (place == HL_IN_CLASS) return !hl_begins_wrapped_name(p->t + 1);
  hl_tok next = hl_partner(p, p->t + 1)[1].kind;
  bool takes_type = hl_begins_basic_type(p, p->t + 2) && p->t[3].kind == TOK_COMMA;
  if (next == TOK_LBRACE) return true;
  return (next < TOK_ELLIPSIS || next == TOK_SEMICOLON) && (hl_is_capital(p->t) || takes_type);
}

static void macro_arguments(hl_parser *p, hl_node *n) {
  const hl_token *close = hl_partner(p, p->t);
  hl_nodes items = {0};
  hl_advance(p);
  while (p->t < close && !p->failed) {
    bool is_type = hl_begins_basic_type(p, p->t) && p->t[1].kind != TOK_LPAREN && p->t[1].kind != TOK_LBRACE;
    PM_VEC_PUSH(items, is_type ? hl_type(p) : hl_initializer(p));
    if (p->failed || !hl_accept(p, TOK_COMMA)) break;
  }
  hl_expect(p, TOK_RPAREN);
  hl_take_items(p, n, &items);
}

static hl_node *macro_statement(hl_parser *p) {
  hl_node *n = hl_new_node(p, HL_MACRO, p->t->loc);
  n->name = p->t->name;
  const hl_token *next = hl_partner(p, p->t + 1) + 1;
  if (next->kind == TOK_LBRACE)
    return hl_fail_with(p, p->t->loc, "a macro that begins a function is not supported, a function is");
  hl_advance(p);
  macro_arguments(p, n);
  if (!p->failed) hl_accept(p, TOK_SEMICOLON);
  return n;
}

/* What begins with a word that only statements in functions begin with; NULL with *known false: none such. */
static hl_node *keyword_statement(hl_parser *p, bool *known) {
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
    return word_statement(p, HL_BREAK);
  case TOK_CONTINUE:
    return word_statement(p, HL_CONTINUE);
  case TOK_RETURN:
    return return_statement(p);
  case TOK_LBRACE:
    return hl_block(p);
  case TOK_ELSE:
    return hl_fail_with(p, p->t->loc, "'else' is here, an 'if' should stand before it");
  default:
    *known = false;
    return NULL;
  }
}

static bool begins_namespace(const hl_parser *p) {
  return p->t->kind == TOK_NAMESPACE || (p->t->kind == TOK_INLINE && p->t[1].kind == TOK_NAMESPACE);
}

static bool begins_linkage(const hl_parser *p) {
  return p->t->kind == TOK_EXTERN && p->t[1].kind == TOK_STRING && p->t[2].kind == TOK_LBRACE;
}

static void other_statement(hl_parser *p, hl_place place, hl_nodes *out) {
  bool known;
  hl_node *n = place == HL_IN_CLASS ? (known = false, NULL) : keyword_statement(p, &known);
  if (known) {
    PM_VEC_PUSH(*out, n);
  } else if (place == HL_IN_CLASS || hl_begins_constructor(p, place) || hl_begins_declaration(p)) {
    hl_declaration(p, place, out);
  } else if (p->t->kind == TOK_NAME && p->t[1].kind == TOK_COLON) {
    hl_fail_with(p, p->t->loc, "a label is not supported, loops and 'break' are");
  } else {
    PM_VEC_PUSH(*out, expression_statement(p));
  }
}

static void read_statement(hl_parser *p, hl_place place, hl_nodes *out) {
  if (hl_accept(p, TOK_SEMICOLON)) return;
  if (p->t->kind == TOK_ERROR) {
    hl_fail(p, "a statement");
  } else if (begins_namespace(p)) {
    namespace_statement(p, out);
  } else if (begins_linkage(p)) {
    p->t += 2;
    flattened(p, out);
  } else if (at_macro(p, place) && !hl_begins_constructor(p, place)) {
    PM_VEC_PUSH(*out, macro_statement(p));
  } else {
    other_statement(p, place, out);
  }
}

static bool begins_compound(hl_tok kind) {
  return kind == TOK_IF || kind == TOK_FOR || kind == TOK_WHILE || kind == TOK_DO || kind == TOK_SWITCH;
}

/* In place of what the statement became. */
static void refuse(hl_parser *p, const hl_token *begin, hl_nodes *out, size_t before) {
  hl_node *n = hl_new_node(p, HL_REFUSED, p->refusal_loc);
  n->text = pm_str_of(p->refusal);
  n->name = begins_compound(begin->kind) ? NULL : p->declares;
  out->len = before;
  PM_VEC_PUSH(*out, n);
  p->failed = false;
  if (begin->is_directive)
    p->t = begin + 1;
  else
    hl_recover(p, begin);
}

void hl_statement(hl_parser *p, hl_place place, hl_nodes *out) {
  if (place == HL_AT_TOP) flush_includes(p, out);
  const hl_token *begin = p->t;
  size_t before = out->len;
  pm_string outer = p->declares;
  p->declares = NULL;
  if (hl_enter(p)) read_statement(p, place, out);
  hl_leave(p);
  if (p->failed) refuse(p, begin, out, before);
  if (p->t == begin) hl_advance(p);
  p->declares = outer;
}

static hl_node *parse_file(hl_parser *p) {
  hl_node *file = hl_new_node(p, HL_BLOCK, p->t->loc);
  hl_nodes items = {0};
  while (p->t->kind != TOK_END) hl_statement(p, HL_AT_TOP, &items);
  flush_includes(p, &items);
  hl_take_items(p, file, &items);
  return file;
}

hl_node *hl_parse(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text) {
  return hl_parse_among(ctx, arena, file, text, NULL);
}

hl_node *hl_parse_among(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, pm_map *namespaces) {
  static const char *const dropped[] = {"Halide", "std", "Internal"};
  hl_tokens tokens = {0};
  hl_includes includes = {0};
  hl_node *root = NULL;
  if (hl_lex(ctx, arena, file, text, &tokens, &includes)) {
    hl_parser p = {.ctx = ctx, .arena = arena, .tokens = tokens.data, .t = tokens.data};
    p.includes = includes.data;
    p.last_include = includes.len > 0 ? includes.data + includes.len : NULL;
    p.angles = pm_xcalloc(tokens.len, sizeof(*p.angles));
    p.n_variables = pm_map_new();
    p.namespaces = namespaces;
    for (size_t i = 0; i < PM_COUNT(dropped); i++) PM_VEC_PUSH(p.dropped, pm_get_cstring(ctx, dropped[i]));
    root = parse_file(&p);
    PM_VEC_FREE(p.dropped);
    PM_VEC_FREE(p.variables);
    PM_VEC_FREE(p.type_parameters);
    PM_VEC_FREE(p.class_type_parameters);
    pm_map_free(p.n_variables);
    free(p.angles);
  }
  PM_VEC_FREE(includes);
  PM_VEC_FREE(tokens);
  return root;
}
