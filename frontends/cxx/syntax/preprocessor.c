/* The preprocessor: directives are followed, headers are read in their place, macros replaced, brackets
 * matched. */
#include "frontends/cxx/syntax/macros.h"

#include <stdlib.h>
#include <string.h>

enum { CX_MAX_NESTING = 200, MAX_INCLUDES = 1000, MAX_INCLUDE_DEPTH = 100 };

/* An #if whose #endif is to come. */
typedef struct conditional {
  pm_loc loc;
  bool outer; /* what is around it is kept */
  bool live;  /* what stands here is kept */
  bool taken; /* a branch was kept */
} conditional;

typedef struct preprocessor {
  pm_context *ctx;
  pm_arena *arena;
  cx_macros *macros;
  const cx_includer *includer;
  PM_VEC(conditional) open;
  PM_VEC(pm_string) reading, once; /* the files around; those with #pragma once */
  const cx_file *file;
  cx_tokens *out;
  uint16_t number; /* of the file, for places of what is given */
  unsigned n_included;
  bool ok;
} preprocessor;

static void fail(preprocessor *pp, pm_loc loc, const char *message) {
  pp->ok = false;
  pm_error(pp->ctx, loc, "%s", message);
}

static bool is_live(const preprocessor *pp) {
  return pp->open.len == 0 || PM_VEC_LAST(pp->open).live;
}

static void put_error(cx_tokens *out, const cx_token *at, const char *message) {
  cx_token error = *at;
  error.kind = TOK_ERROR;
  error.is_fatal = false;
  error.message = message;
  PM_VEC_PUSH(*out, error);
}

/* --- conditions --- */

typedef struct condition {
  const cx_token *t, *end;
  unsigned nesting;
  bool failed;
  const cx_includer *includer;
  pm_string of_call; /* a name whose value the library has, NULL: none */
} condition;

static int64_t ternary(condition *c);

static bool at(const condition *c, cx_tok kind) {
  return c->t < c->end && c->t->kind == kind;
}

static bool accept(condition *c, cx_tok kind) {
  if (!at(c, kind)) return false;
  c->t++;
  return true;
}

static int64_t fail_condition(condition *c) {
  c->failed = true;
  return 0;
}

/* What is given for the macro, or NULL. */
static cx_given *find_given(const cx_includer *includer, pm_string name) {
  for (size_t i = 0; includer && i < includer->n_given; i++)
    if (strcmp(includer->given[i].name, name->text) == 0) return &includer->given[i];
  return NULL;
}

/* A name that is no macro, and in brackets what may follow it, as in __has_include(<a>). */
static int64_t unknown_name(condition *c) {
  unsigned depth = 0;
  const cx_given *given = find_given(c->includer, c->t->name);
  if (given && given->is_used && !given->text) c->of_call = c->t->name;
  c->t++;
  do {
    if (at(c, TOK_LPAREN))
      depth++;
    else if (at(c, TOK_RPAREN) && depth > 0)
      depth--;
    else if (depth == 0)
      return 0;
    c->t++;
  } while (depth > 0 && c->t < c->end);
  return depth > 0 ? fail_condition(c) : 0;
}

static int64_t operand(condition *c) {
  if (c->t == c->end || ++c->nesting > CX_MAX_NESTING) return fail_condition(c);
  int64_t value = 0;
  if (at(c, TOK_INTEGER) || at(c, TOK_CHARACTER)) {
    value = c->t++->i;
  } else if (accept(c, TOK_LPAREN)) {
    value = ternary(c);
    if (!accept(c, TOK_RPAREN)) fail_condition(c);
  } else if (accept(c, TOK_NOT)) {
    value = !operand(c);
  } else if (accept(c, TOK_TILDE)) {
    value = ~operand(c);
  } else if (accept(c, TOK_MINUS)) {
    value = pm_wrap_mul(operand(c), -1);
  } else if (accept(c, TOK_PLUS)) {
    value = operand(c);
  } else if (accept(c, TOK_TRUE)) {
    value = 1;
  } else {
    value = cx_has_name(c->t) ? unknown_name(c) : fail_condition(c);
  }
  c->nesting--;
  return value;
}

static int64_t divide(condition *c, cx_tok op, int64_t a, int64_t b) {
  if (b == 0) return fail_condition(c);
  if (b == -1) return op == TOK_SLASH ? pm_wrap_mul(a, -1) : 0;
  return op == TOK_SLASH ? a / b : a % b;
}

static int64_t compute(condition *c, const cx_token *op, int64_t a, int64_t b) {
  switch (op->kind) {
  case TOK_OR:
    return a || b;
  case TOK_AND:
    return a && b;
  case TOK_BAR:
    return a | b;
  case TOK_CARET:
    return a ^ b;
  case TOK_AMP:
    return a & b;
  case TOK_EQUAL:
    return a == b;
  case TOK_NOT_EQUAL:
    return a != b;
  case TOK_LESS:
    return a < b;
  case TOK_LESS_EQUAL:
    return a <= b;
  case TOK_GREATER:
    return op->joined ? a >> (b & 63) : a > b;
  case TOK_GREATER_EQUAL:
    return a >= b;
  case TOK_SHL:
    return (int64_t)((uint64_t)a << (b & 63));
  case TOK_PLUS:
    return pm_wrap_add(a, b);
  case TOK_MINUS:
    return pm_wrap_add(a, pm_wrap_mul(b, -1));
  case TOK_STAR:
    return pm_wrap_mul(a, b);
  default:
    return divide(c, op->kind, a, b);
  }
}

/* Operators that bind at least as tightly as `least`. */
static int64_t binary(condition *c, int least) {
  int64_t value = operand(c);
  while (!c->failed && c->t < c->end && cx_precedence(c->t) >= least) {
    const cx_token *op = c->t;
    c->t += op->kind == TOK_GREATER && op->joined ? 2 : 1;
    value = compute(c, op, value, binary(c, cx_precedence(op) + 1));
  }
  return value;
}

static int64_t ternary(condition *c) {
  int64_t value = binary(c, 1);
  if (c->failed || !accept(c, TOK_QUESTION)) return value;
  if (++c->nesting > CX_MAX_NESTING) return fail_condition(c);
  int64_t yes = ternary(c);
  if (!accept(c, TOK_COLON)) return fail_condition(c);
  int64_t no = ternary(c);
  c->nesting--;
  return value ? yes : no;
}

/* At `defined`: past its name. */
static const cx_token *put_defined(preprocessor *pp, const cx_token *t, const cx_token *end, cx_tokens *out) {
  cx_token value = {.kind = TOK_INTEGER, .loc = t->loc};
  bool in_brackets = t + 1 < end && t[1].kind == TOK_LPAREN;
  const cx_token *name = t + (in_brackets ? 2 : 1);
  if (name >= end || !cx_has_name(name) || (in_brackets && (name + 1 >= end || name[1].kind != TOK_RPAREN))) {
    put_error(out, t, "");
    return t + 1;
  }
  value.i = cx_is_defined(pp->macros, name->name);
  PM_VEC_PUSH(*out, value);
  return name + (in_brackets ? 2 : 1);
}

/* An ERROR stands in the text where the condition cannot be read; it is false then. */
static bool condition_holds(preprocessor *pp, const cx_token *directive, const cx_token *t,
                            const cx_token *end) {
  cx_tokens written = {0}, tokens = {0};
  while (t < end) {
    if (cx_is_name(t, "defined"))
      t = put_defined(pp, t, end, &written);
    else
      PM_VEC_PUSH(written, *t++);
  }
  if (written.len > 0) cx_replace_macros(pp->macros, written.data, written.data + written.len, &tokens);
  condition c = {
      .t = tokens.data, .end = tokens.len > 0 ? tokens.data + tokens.len : NULL, .includer = pp->includer};
  int64_t value = tokens.len > 0 ? ternary(&c) : fail_condition(&c);
  if (c.failed || c.of_call || c.t != c.end) {
    const char *message = "the condition of this directive cannot be read, it should be a constant";
    if (c.of_call)
      message = pm_arena_printf(pp->arena,
                                "the condition of this directive has '%s', which is a parameter of the call",
                                c.of_call->text);
    put_error(pp->out, directive, message);
    PM_VEC_LAST(*pp->out).is_directive = true;
    value = 0;
  }
  PM_VEC_FREE(written);
  PM_VEC_FREE(tokens);
  return value != 0;
}

/* --- directives --- */

static void put_directive_error(preprocessor *pp, const cx_token *directive, const char *message) {
  put_error(pp->out, directive, message);
  PM_VEC_LAST(*pp->out).is_directive = true;
}

static void define_text(preprocessor *pp, const char *macro) {
  cx_tokens tokens = {0};
  cx_scan(pp->ctx, pp->arena, pp->number, pm_str_of(macro), &tokens);
  (void)cx_define(pp->macros, tokens.data, tokens.data + tokens.len - 1);
  PM_VEC_FREE(tokens);
}

/* The macro is what is given for it, whatever the text says. */
static bool define_given(preprocessor *pp, const cx_token *t, const cx_token *end) {
  cx_given *given = t < end && cx_has_name(t) ? find_given(pp->includer, t->name) : NULL;
  if (!given) return false;
  given->is_used = true;
  if (t + 1 < end && t[1].kind == TOK_INTEGER) given->in_place_of = t[1].i;
  define_text(pp, pm_arena_printf(pp->arena, "%s %s", given->name, given->text ? given->text : given->name));
  return true;
}

static void define(preprocessor *pp, const cx_token *directive, const cx_token *t, const cx_token *end) {
  if (define_given(pp, t, end)) return;
  const char *wrong = cx_define(pp->macros, t, end);
  if (wrong) put_directive_error(pp, directive, wrong);
}

static bool is_among(const pm_string *names, size_t n, pm_string name) {
  while (n > 0 && names[n - 1] != name) n--;
  return n > 0;
}

static void read_file(preprocessor *pp, const cx_file *file);

static void include_file(preprocessor *pp, const cx_token *directive, pm_str name, bool is_local) {
  cx_file file = {0};
  const char *wrong = NULL;
  bool found =
      pp->includer && pp->includer->open(pp->includer->user, pp->file->path, name, is_local, &file, &wrong);
  if (found && is_among(pp->once.data, pp->once.len, file.target)) return;
  if (found && pp->reading.len >= MAX_INCLUDE_DEPTH)
    wrong = "headers are included more than 100 deep, they should not include each other for ever";
  else if (found && ++pp->n_included > MAX_INCLUDES)
    wrong = "more than 1000 headers are included";
  if (wrong)
    put_directive_error(pp, directive, wrong);
  else if (found)
    read_file(pp, &file);
}

/* At what follows #include: "path" or <path>. */
static void include(preprocessor *pp, const cx_token *directive, const cx_token *t, const cx_token *end) {
  const char *first = t < end ? t->source.ptr + 1 : NULL;
  if (t < end && t->kind == TOK_STRING)
    include_file(pp, directive, t->text, true);
  else if (t < end && t->kind == TOK_LESS && end[-1].kind == TOK_GREATER)
    include_file(pp, directive, (pm_str){first, (size_t)(end[-1].source.ptr - first)}, false);
  else
    put_directive_error(pp, directive,
                        "the path of this #include cannot be read, it should be in quotes or in <>");
}

static void begin_conditional(preprocessor *pp, const cx_token *directive, bool holds) {
  bool outer = is_live(pp), live = outer && holds;
  conditional c = {.loc = directive->loc, .outer = outer, .live = live, .taken = live};
  PM_VEC_PUSH(pp->open, c);
}

static bool expect_conditional(preprocessor *pp, const cx_token *directive) {
  if (pp->open.len > 0) return true;
  fail(pp, directive->loc, "this belongs to no #if, one should be before it");
  return false;
}

static bool is_defined(preprocessor *pp, const cx_token *t, const cx_token *end) {
  return t < end && cx_has_name(t) && cx_is_defined(pp->macros, t->name);
}

/* #elif and #else, which has no condition. */
static void next_branch(preprocessor *pp, const cx_token *directive, bool is_else, const cx_token *t,
                        const cx_token *end) {
  if (!expect_conditional(pp, directive)) return;
  conditional *c = &PM_VEC_LAST(pp->open);
  bool may = c->outer && !c->taken;
  c->live = may && (is_else || condition_holds(pp, directive, t, end));
  c->taken |= c->live;
}

/* True where `word` is one of the directives that choose what is kept. */
static bool follow_conditional(preprocessor *pp, const char *word, const cx_token *directive,
                               const cx_token *t, const cx_token *end) {
  bool live = is_live(pp);
  if (strcmp(word, "if") == 0) {
    begin_conditional(pp, directive, live && condition_holds(pp, directive, t, end));
  } else if (strcmp(word, "ifdef") == 0) {
    begin_conditional(pp, directive, is_defined(pp, t, end));
  } else if (strcmp(word, "ifndef") == 0) {
    begin_conditional(pp, directive, !is_defined(pp, t, end));
  } else if (strcmp(word, "elif") == 0 || strcmp(word, "else") == 0) {
    next_branch(pp, directive, strcmp(word, "else") == 0, t, end);
  } else if (strcmp(word, "endif") == 0) {
    if (expect_conditional(pp, directive)) (void)PM_VEC_POP(pp->open);
  } else {
    return false;
  }
  return true;
}

static bool is_ignored(const char *word) {
  static const char *const words[] = {"pragma", "line", "warning", "ident", "undef"};
  for (size_t i = 0; i < PM_COUNT(words); i++)
    if (strcmp(word, words[i]) == 0) return true;
  return false;
}

static void pass_pragma(preprocessor *pp, const cx_token *t, const cx_token *end) {
  const char *first = t->source.ptr, *last = end[-1].source.ptr + end[-1].source.len;
  if (pp->includer && pp->includer->pragma)
    pp->includer->pragma(pp->includer->user, t->loc, (pm_str){first, (size_t)(last - first)});
}

/* At '#': the line up to `end`. */
static void follow_directive(preprocessor *pp, const cx_token *directive, const cx_token *end) {
  const cx_token *t = directive + 1;
  if (t >= end || !cx_has_name(t)) return;
  const char *word = t->name->text;
  t++;
  if (follow_conditional(pp, word, directive, t, end) || !is_live(pp)) return;
  if (strcmp(word, "define") == 0)
    define(pp, directive, t, end);
  else if (strcmp(word, "undef") == 0 && t < end && cx_has_name(t))
    cx_undefine(pp->macros, t->name);
  else if (strcmp(word, "pragma") == 0 && t < end && cx_is_name(t, "once"))
    PM_VEC_PUSH(pp->once, pp->file->target);
  else if (strcmp(word, "pragma") == 0 && t < end)
    pass_pragma(pp, t, end);
  else if (strcmp(word, "include") == 0)
    include(pp, directive, t, end);
  else if (strcmp(word, "error") == 0)
    put_directive_error(pp, directive, "this #error is reached, its condition should be false");
  else if (!is_ignored(word))
    put_directive_error(pp, directive,
                        pm_arena_printf(pp->arena, "'#%s' is here, a directive should be", word));
}

/* Tokens outside directives, where they are kept. */
static void put_kept(preprocessor *pp, const cx_token *t, const cx_token *end) {
  cx_tokens kept = {0};
  for (; t < end; t++) {
    if (t->kind == TOK_ERROR && t->is_fatal)
      fail(pp, t->loc, t->message);
    else if (t->kind == TOK_HASH)
      put_error(&kept, t, "'#' is here, it should begin a line");
    else
      PM_VEC_PUSH(kept, *t);
  }
  if (kept.len > 0) cx_replace_macros(pp->macros, kept.data, kept.data + kept.len, pp->out);
  PM_VEC_FREE(kept);
}

static bool is_open_comment(const cx_token *t) {
  return t->kind == TOK_ERROR && t->is_fatal && t->source.ptr[0] == '/';
}

static bool begins_directive(const cx_token *t) {
  return t->kind == TOK_HASH && t->starts_line;
}

static void preprocess(preprocessor *pp, const cx_tokens *raw) {
  const cx_token *t = raw->data, *last = raw->data + raw->len - 1;
  size_t n_open = pp->open.len;
  while (t < last) {
    const cx_token *end = t + 1;
    bool is_directive = begins_directive(t);
    while (end < last && (is_directive ? !end->starts_line : !begins_directive(end))) end++;
    if (is_directive && is_open_comment(end - 1)) fail(pp, end[-1].loc, end[-1].message);
    if (is_directive)
      follow_directive(pp, t, end);
    else if (is_live(pp) && !pp->file->is_known)
      put_kept(pp, t, end);
    t = end;
  }
  for (size_t i = n_open; i < pp->open.len; i++)
    fail(pp, pp->open.data[i].loc, "the conditional is not closed, #endif should end it");
  pp->open.len = n_open;
}

/* What a file includes that is read around it is not read again: it would never end. */
static void read_file(preprocessor *pp, const cx_file *file) {
  const cx_file *outer = pp->file;
  if (is_among(pp->reading.data, pp->reading.len, file->target)) return;
  cx_tokens raw = {0};
  PM_VEC_PUSH(pp->reading, file->target);
  pp->file = file;
  cx_scan(pp->ctx, pp->arena, file->number, file->text, &raw);
  preprocess(pp, &raw);
  if (!outer) PM_VEC_PUSH(*pp->out, PM_VEC_LAST(raw));
  pp->file = outer;
  (void)PM_VEC_POP(pp->reading);
  PM_VEC_FREE(raw);
}

/* --- brackets --- */

static bool is_open(cx_tok kind) {
  return kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE;
}
static bool is_close(cx_tok kind) {
  return kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE;
}
static cx_tok partner_of(cx_tok open) {
  return (cx_tok)(open + 1);
}

/* Sets the partners up to the first error. */
static bool match_brackets(pm_context *ctx, cx_tokens *tokens) {
  uint32_t open[CX_MAX_NESTING];
  unsigned n_open = 0;
  for (size_t i = 0; i < tokens->len; i++) {
    cx_token *t = &tokens->data[i];
    if (is_open(t->kind)) {
      if (n_open == CX_MAX_NESTING)
        return pm_error(ctx, t->loc, "this is nested more than 200 deep, parts of it should get names");
      open[n_open++] = (uint32_t)i;
    } else if (is_close(t->kind) && n_open == 0) {
      return pm_error(ctx, t->loc, "%s closes nothing, %s should be before it", cx_tok_text(t->kind),
                      cx_tok_text((cx_tok)(t->kind - 1)));
    } else if (is_close(t->kind)) {
      cx_token *from = &tokens->data[open[--n_open]];
      if (partner_of(from->kind) != t->kind) {
        pm_error(ctx, t->loc, "%s is here, %s should be", cx_tok_text(t->kind),
                 cx_tok_text(partner_of(from->kind)));
        pm_note(ctx, from->loc, "it would close this %s", cx_tok_text(from->kind));
        return false;
      }
      from->partner = (uint32_t)i;
      t->partner = open[n_open];
    }
  }
  if (n_open == 0) return true;
  const cx_token *last = &tokens->data[open[n_open - 1]];
  return pm_error(ctx, last->loc, "%s is never closed, %s should follow", cx_tok_text(last->kind),
                  cx_tok_text(partner_of(last->kind)));
}

bool cx_lex(pm_context *ctx, pm_arena *arena, const cx_file *file, const cx_includer *includer,
            cx_tokens *out) {
  preprocessor pp = {
      .ctx = ctx, .arena = arena, .includer = includer, .out = out, .number = file->number, .ok = true};
  pp.macros = cx_new_macros(ctx, arena);
  for (size_t i = 0; includer && i < includer->n_macros; i++) define_text(&pp, includer->macros[i]);
  read_file(&pp, file);
  cx_free_macros(pp.macros);
  PM_VEC_FREE(pp.open);
  PM_VEC_FREE(pp.reading);
  PM_VEC_FREE(pp.once);
  return pp.ok && match_brackets(ctx, out);
}
