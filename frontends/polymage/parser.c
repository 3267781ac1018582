/* Tokens to a tree. A syntax error is reported once, and parsing goes on at the next statement. */
#include "frontends/polymage/parse.h"

#include <stdlib.h>
#include <string.h>

enum { PY_MAX_NESTING = 200 };

static py_node *block(parser *p);
static void statement(parser *p, parse_nodes *out);

py_node *parse_node(parser *p, py_kind kind, pm_loc loc) {
  py_node *n = pm_arena_alloc(p->arena, sizeof(*n));
  n->kind = kind;
  n->loc = loc;
  return n;
}

void parse_take_items(parser *p, py_node *n, parse_nodes *items) {
  n->n_items = (uint32_t)items->len;
  if (items->len > 0) n->items = pm_arena_memdup(p->arena, items->data, items->len * sizeof(*items->data));
  PM_VEC_FREE(*items);
}

void parse_advance(parser *p) {
  if (p->t->kind != TOK_END) p->t++;
}

bool parse_accept(parser *p, py_tok kind) {
  if (p->t->kind != kind) return false;
  parse_advance(p);
  return true;
}

/* Reports the error, or notes it where refusals are kept. */
static void refuse(parser *p, pm_loc loc, const char *message) {
  if (p->failed) return;
  if (!p->imported)
    pm_error(p->ctx, loc, "%s", message);
  else if (!p->refusal.message)
    p->refusal = (parse_refusal){loc, pm_arena_strndup(p->arena, message, strlen(message))};
}

py_node *parse_fail(parser *p, const char *what) {
  pm_buf message = {0};
  pm_buf_printf(&message, "%s is here, %s should be", py_tok_text(p->t->kind), what);
  if (p->t->kind != TOK_ERROR)
    refuse(p, p->t->loc, message.data);
  else if (p->t->message)
    refuse(p, p->t->loc, p->t->message);
  pm_buf_free(&message);
  p->failed = true;
  p->n_failures++;
  return NULL;
}

py_node *parse_fail_with(parser *p, pm_loc loc, const char *message) {
  refuse(p, loc, message);
  p->failed = true;
  p->n_failures++;
  return NULL;
}

bool parse_expect(parser *p, py_tok kind) {
  if (parse_accept(p, kind)) return true;
  parse_fail(p, py_tok_text(kind));
  return false;
}

bool parse_enter(parser *p) {
  if (p->nesting++ <= PY_MAX_NESTING) return true;
  parse_fail_with(p, p->t->loc, "this is nested more than 200 deep, parts of it should get names");
  return false;
}

void parse_leave(parser *p) {
  p->nesting--;
}

/* --- simple statements --- */

static void fail_target(parser *p, const py_node *value) {
  const char *message =
      "this cannot be assigned to, a name, an attribute or an indexed value should be left of '='";
  if (value->kind == NODE_CALL) message = "a call cannot be assigned to, f.defn = … should define a stage";
  parse_fail_with(p, value->loc, message);
}

static py_node *assignment(parser *p, py_node *first) {
  py_node *n = parse_node(p, NODE_ASSIGN, first->loc);
  parse_nodes targets = {0};
  py_node *value = first;
  while (!p->failed && p->t->kind == TOK_ASSIGN) {
    if (!parse_is_target(value)) fail_target(p, value);
    parse_advance(p);
    PM_VEC_PUSH(targets, value);
    value = parse_expression_list(p);
  }
  n->a = value;
  parse_take_items(p, n, &targets);
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
  case TOK_CARET_ASSIGN:
    return TOK_CARET;
  case TOK_SHL_ASSIGN:
    return TOK_SHL;
  case TOK_SHR_ASSIGN:
    return TOK_SHR;
  case TOK_POWER_ASSIGN:
    return TOK_POWER;
  default:
    return TOK_END;
  }
}

static py_node *expression_statement(parser *p) {
  py_node *first = parse_expression_list(p);
  if (p->failed) return NULL;
  if (p->t->kind == TOK_ASSIGN) return assignment(p, first);
  py_tok op = parse_operator(p, augmented_op(p->t->kind));
  pm_loc loc = p->t->loc;
  if (op == TOK_END) return parse_binary(p, NODE_EXPR, TOK_END, first->loc, first, NULL);
  if (!parse_is_target(first) || first->kind == NODE_TUPLE || first->kind == NODE_LIST)
    return parse_fail_with(
        p, first->loc,
        "this cannot be changed in place, a name, an attribute or an indexed value should be here");
  parse_advance(p);
  return parse_binary(p, NODE_AUGMENT, op, loc, first, parse_expression_list(p));
}

static py_node *return_statement(parser *p) {
  py_node *n = parse_node(p, NODE_RETURN, p->t->loc);
  parse_advance(p);
  if (!parse_ends_list(p->t->kind)) n->a = parse_expression_list(p);
  return n;
}

static py_node *assert_statement(parser *p) {
  py_node *n = parse_node(p, NODE_ASSERT, p->t->loc);
  parse_advance(p);
  n->a = parse_expression(p);
  if (!p->failed && parse_accept(p, TOK_COMMA)) n->b = parse_expression(p);
  return n;
}

static bool ends_simple(py_tok kind) {
  return kind == TOK_NEWLINE || kind == TOK_SEMICOLON || kind == TOK_END || kind == TOK_DEDENT;
}

static py_node *print_statement(parser *p) {
  py_node *n = parse_node(p, NODE_PASS, p->t->loc);
  while (!ends_simple(p->t->kind) && p->t->kind != TOK_ERROR) parse_advance(p);
  return n;
}

/* `a.b.c` as one name. */
static pm_string dotted_name(parser *p) {
  pm_buf path = {0};
  do {
    if (path.len > 0) pm_buf_putc(&path, '.');
    pm_buf_puts(&path, p->t->kind == TOK_NAME ? p->t->name->text : "");
  } while (parse_expect(p, TOK_NAME) && parse_accept(p, TOK_DOT));
  pm_string name = pm_get_string(p->ctx, (pm_str){path.data, path.len});
  pm_buf_free(&path);
  return name;
}

/* `as name`, if it is there. */
static py_node *alias(parser *p) {
  return parse_accept(p, TOK_AS) ? parse_name(p) : NULL;
}

/* import a.b as c, d */
static py_node *import_statement(parser *p) {
  py_node *n = parse_node(p, NODE_IMPORT, p->t->loc);
  parse_nodes modules = {0};
  parse_advance(p);
  do {
    py_node *module = parse_node(p, NODE_NAME, p->t->loc);
    module->name = dotted_name(p);
    if (!p->failed) module->a = alias(p);
    PM_VEC_PUSH(modules, module);
  } while (!p->failed && parse_accept(p, TOK_COMMA));
  parse_take_items(p, n, &modules);
  return n;
}

py_tok parse_operator(const parser *p, py_tok kind) {
  return kind == TOK_SLASH && p->true_division ? TOK_TRUE_SLASH : kind;
}

static bool imports_division(const py_node *from) {
  if (!from->name || strcmp(from->name->text, "__future__") != 0) return false;
  for (uint32_t i = 0; i < from->n_items; i++)
    if (strcmp(from->items[i]->name->text, "division") == 0) return true;
  return false;
}

/* from .a.b import c as d, e: the dots are counted; no items are all names. */
static py_node *from_statement(parser *p) {
  py_node *n = parse_node(p, NODE_FROM, p->t->loc);
  parse_nodes names = {0};
  for (parse_advance(p); parse_accept(p, TOK_DOT);) n->dots++;
  if (n->dots == 0 || p->t->kind == TOK_NAME) n->name = dotted_name(p);
  if (!p->failed) parse_expect(p, TOK_IMPORT);
  if (!p->failed && parse_accept(p, TOK_STAR)) return n;
  bool open = !p->failed && parse_accept(p, TOK_LPAREN);
  while (!p->failed) {
    py_node *name = parse_name(p);
    if (name) name->a = alias(p);
    PM_VEC_PUSH(names, name);
    if (p->failed || !parse_accept(p, TOK_COMMA) || p->t->kind == TOK_RPAREN) break;
  }
  if (open && !p->failed) parse_expect(p, TOK_RPAREN);
  parse_take_items(p, n, &names);
  p->true_division |= !p->failed && imports_division(n);
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
  py_node *n = parse_node(p, kind, p->t->loc);
  parse_advance(p);
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
    return import_statement(p);
  case TOK_FROM:
    return from_statement(p);
  default:
    break;
  }
  const char *message = unsupported(p->t->kind);
  p->after_class = p->t->kind == TOK_CLASS;
  return message ? parse_fail_with(p, p->t->loc, message) : expression_statement(p);
}

/* --- compound statements --- */

static py_node *if_statement(parser *p) {
  py_node *first = NULL, **link = &first;
  while (p->t->kind == TOK_IF || p->t->kind == TOK_ELIF) {
    py_node *n = parse_node(p, NODE_IF, p->t->loc);
    parse_advance(p);
    n->a = parse_expression(p);
    n->b = block(p);
    *link = n;
    link = &n->c;
    if (p->t->kind != TOK_ELIF) break;
  }
  if (parse_accept(p, TOK_ELSE)) *link = block(p);
  return first;
}

static py_node *no_else(parser *p, py_node *loop) {
  if (p->t->kind != TOK_ELSE) return loop;
  parse_fail_with(p, p->t->loc, "an 'else' of a loop is not supported, 'if' is");
  parse_advance(p);
  block(p);
  return loop;
}

static py_node *while_statement(parser *p) {
  py_node *n = parse_node(p, NODE_WHILE, p->t->loc);
  parse_advance(p);
  n->a = parse_expression(p);
  n->b = block(p);
  return no_else(p, n);
}

static py_node *for_statement(parser *p) {
  py_node *n = parse_node(p, NODE_FOR, p->t->loc);
  parse_advance(p);
  n->a = parse_targets(p);
  if (!p->failed) parse_expect(p, TOK_IN);
  if (!p->failed) n->b = parse_expression_list(p);
  n->c = block(p);
  return no_else(p, n);
}

static py_node *def_statement(parser *p) {
  py_node *n = parse_node(p, NODE_DEF, p->t->loc);
  parse_advance(p);
  n->name = p->t->name;
  if (parse_expect(p, TOK_NAME) && parse_expect(p, TOK_LPAREN)) parse_parameters(p, TOK_RPAREN, n);
  if (!p->failed) parse_expect(p, TOK_RPAREN);
  n->a = block(p);
  return n;
}

/* After an error: behind the end of the line, at the block that may follow. */
static void synchronize(parser *p) {
  while (p->t->kind != TOK_NEWLINE && p->t->kind != TOK_END && p->t->kind != TOK_DEDENT &&
         p->t->kind != TOK_INDENT)
    parse_advance(p);
  parse_accept(p, TOK_NEWLINE);
  p->failed = false;
}

static void indented(parser *p, parse_nodes *out) {
  while (p->t->kind != TOK_DEDENT && p->t->kind != TOK_END) statement(p, out);
  parse_accept(p, TOK_DEDENT);
}

static void simple_line(parser *p, parse_nodes *out) {
  do {
    if (p->t->kind == TOK_NEWLINE) break;
    PM_VEC_PUSH(*out, simple_statement(p));
  } while (!p->failed && parse_accept(p, TOK_SEMICOLON));
  if (!p->failed && p->t->kind != TOK_END && p->t->kind != TOK_DEDENT) parse_expect(p, TOK_NEWLINE);
  if (p->failed) synchronize(p);
}

static void block_body(parser *p, parse_nodes *items) {
  if (!p->failed) parse_expect(p, TOK_COLON);
  if (p->failed) {
    synchronize(p);
    if (parse_accept(p, TOK_INDENT)) indented(p, items);
  } else if (!parse_accept(p, TOK_NEWLINE)) {
    simple_line(p, items);
  } else if (parse_accept(p, TOK_INDENT)) {
    indented(p, items);
  } else {
    parse_fail(p, py_tok_text(TOK_INDENT));
  }
}

/* From the ':' on, or after an error before it: the statements of the line or of the indented lines. */
static py_node *block(parser *p) {
  py_node *n = parse_node(p, NODE_BLOCK, p->t->loc);
  parse_nodes items = {0};
  if (parse_enter(p)) block_body(p, &items);
  parse_leave(p);
  parse_take_items(p, n, &items);
  return n;
}

static void append_items(parser *p, py_node *n, const parse_nodes *more) {
  parse_nodes all = {0};
  for (uint32_t i = 0; i < n->n_items; i++) PM_VEC_PUSH(all, n->items[i]);
  for (size_t i = 0; i < more->len; i++)
    if (more->data[i]) PM_VEC_PUSH(all, more->data[i]);
  parse_take_items(p, n, &all);
}

/* Of the refused statement that came last: nothing in it is run. */
static void refused_block(parser *p, py_node *refused) {
  parse_nodes dropped = {0};
  indented(p, &dropped);
  append_items(p, refused, &dropped);
  PM_VEC_FREE(dropped);
}

/* Of a class: what is wrong in it does not matter. */
static void class_body(parser *p) {
  parse_nodes dropped = {0};
  bool imported = p->imported;
  p->imported = true;
  indented(p, &dropped);
  p->imported = imported;
  PM_VEC_FREE(dropped);
}

static void unexpected_block(parser *p, parse_nodes *out) {
  py_node *last = out->len > 0 ? PM_VEC_LAST(*out) : NULL;
  bool of_class = p->after_failure && p->after_class;
  bool of_refused = p->after_failure && last && last->kind == NODE_REFUSED;
  if (!p->after_failure)
    parse_fail_with(
        p, p->t->loc,
        "the line is indented, but nothing before it opens a block: it should begin further left");
  p->failed = false;
  parse_advance(p);
  if (!parse_enter(p))
    synchronize(p);
  else if (of_refused)
    refused_block(p, last);
  else if (of_class)
    class_body(p);
  else
    indented(p, out);
  parse_leave(p);
}

/* `name` as the target of an assignment, or `name["key"]`, or an item of it: b is NULL where it is not known
 * which. */
static py_node *noted_target(parser *p, const py_token *t) {
  py_node *name = parse_node(p, NODE_NAME, t->loc);
  name->name = t->name;
  if (t[1].kind != TOK_LBRACKET) return parse_binary(p, NODE_AUGMENT, TOK_PLUS, t->loc, name, NULL);
  py_node *item = parse_binary(p, NODE_INDEX, TOK_END, t->loc, name, NULL);
  if (t[2].kind == TOK_STRING && t[3].kind == TOK_RBRACKET && t[4].kind != TOK_LBRACKET) {
    item->b = parse_node(p, NODE_STRING, t[2].loc);
    item->b->text = t[2].text;
  }
  parse_nodes targets = {0};
  PM_VEC_PUSH(targets, item);
  py_node *n = parse_node(p, NODE_ASSIGN, t->loc);
  parse_take_items(p, n, &targets);
  return n;
}

/* What a refused line may change: the names that its targets begin with, or items of them. */
static void note_targets(parser *p, const py_token *t, parse_nodes *out) {
  parse_nodes names = {0};
  unsigned depth = 0;
  for (bool first = true; !ends_simple(t->kind) && t->kind != TOK_ERROR; t++) {
    if (first && t->kind == TOK_NAME) PM_VEC_PUSH(names, noted_target(p, t));
    first = depth == 0 && (t->kind == TOK_COMMA || t->kind == TOK_ASSIGN);
    if (depth == 0 && (t->kind == TOK_ASSIGN || augmented_op(t->kind) != TOK_END))
      for (; names.len > 0; names.len--) PM_VEC_PUSH(*out, PM_VEC_LAST(names));
    if (t->kind == TOK_LBRACKET || t->kind == TOK_LPAREN || t->kind == TOK_LBRACE) depth++;
    if (depth > 0 && (t->kind == TOK_RBRACKET || t->kind == TOK_RPAREN || t->kind == TOK_RBRACE)) depth--;
  }
  PM_VEC_FREE(names);
}

/* What the statement became gives way to the refusal, if there is one. */
static void keep_refusal(parser *p, const py_token *begin, parse_nodes *out, size_t before) {
  if (!p->refusal.message) return;
  parse_nodes dropped = {0};
  for (size_t i = before; i < out->len; i++) PM_VEC_PUSH(dropped, out->data[i]);
  note_targets(p, begin, &dropped);
  out->len = before;
  py_node *n = parse_node(p, NODE_REFUSED, p->refusal.loc);
  n->text = pm_str_of(p->refusal.message);
  append_items(p, n, &dropped);
  PM_VEC_FREE(dropped);
  PM_VEC_PUSH(*out, n);
}

static void statement(parser *p, parse_nodes *out) {
  const py_token *begin = p->t;
  unsigned failures = p->n_failures;
  size_t before = out->len;
  parse_refusal outside = p->refusal;
  p->refusal.message = NULL;
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
  keep_refusal(p, begin, out, before);
  p->refusal = outside;
  p->failed = false;
  p->after_failure = p->n_failures > failures;
  if (p->t == begin) parse_advance(p);
}

py_node *py_parse(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, bool imported) {
  py_tokens tokens = {0};
  bool ok = py_lex(ctx, arena, file, text, imported, &tokens);
  parser p = {.ctx = ctx, .arena = arena, .t = tokens.data, .imported = imported};
  py_node *program = parse_node(&p, NODE_BLOCK, p.t->loc);
  parse_nodes items = {0};
  while (p.t->kind != TOK_END) {
    if (parse_accept(&p, TOK_DEDENT)) continue;
    statement(&p, &items);
  }
  parse_take_items(&p, program, &items);
  PM_VEC_FREE(tokens);
  return imported || (ok && p.n_failures == 0) ? program : NULL;
}
