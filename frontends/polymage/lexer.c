/* Text to tokens in two steps: scanning, which knows characters, then layout, which knows lines and brackets.
 */
#include "frontends/polymage/syntax.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { PY_MAX_INDENTS = 100 };

typedef struct spelling {
  const char *text;
  py_tok kind;
} spelling;

#define SPELLING(name, text) {text, TOK_##name},
#define NOTHING(name, text)
static const spelling keywords[] = {PY_TOKENS(SPELLING, NOTHING, NOTHING){"and", TOK_AND}, {"or", TOK_OR}};
static const spelling operators[] = {PY_TOKENS(NOTHING, SPELLING, SPELLING)};

const char *py_tok_text(py_tok kind) {
  static const char *const texts[] = {
      [TOK_END] = "the end of the file",  [TOK_NEWLINE] = "the end of the line",
      [TOK_INDENT] = "an indented block", [TOK_DEDENT] = "the end of the block",
      [TOK_ERROR] = "an error",           [TOK_NAME] = "a name",
      [TOK_INT] = "an integer",           [TOK_FLOAT] = "a number",
      [TOK_STRING] = "a string",
#define QUOTED(name, text) [TOK_##name] = "'" text "'",
      PY_TOKENS(QUOTED, QUOTED, QUOTED)
#undef QUOTED
  };
  return texts[kind];
}

const char *py_tok_operand(py_tok kind) {
  static const char *const texts[TOK_AT + 1] = {
#define OPERAND(name, text) [TOK_##name] = "an operand of '" text "'",
      PY_TOKENS(NOTHING, OPERAND, OPERAND)
#undef OPERAND
  };
  return texts[kind] ? texts[kind] : "an operand";
}

static bool is_binary(py_tok kind) {
  switch (kind) {
#define CASE(name, text) case TOK_##name:
    PY_TOKENS(NOTHING, NOTHING, CASE)
#undef CASE
    return true;
  default:
    return false;
  }
}

/* --- errors --- */

typedef struct error_sink {
  pm_context *ctx;
  pm_arena *arena;
  bool keep; /* messages are kept in tokens */
  bool ok;   /* nothing was reported */
} error_sink;

/* The message where it is kept; else it is reported, and the result is NULL. */
static const char *error_at(error_sink *errors, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
static const char *error_at(error_sink *errors, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  const char *kept = errors->keep ? pm_arena_strndup(errors->arena, text.data, text.len) : NULL;
  if (!kept) errors->ok = pm_error(errors->ctx, loc, "%s", text.data);
  pm_buf_free(&text);
  return kept;
}

/* --- characters --- */

typedef struct scanner {
  error_sink *errors;
  pm_context *ctx;
  pm_arena *arena;
  uint16_t file;
  const char *p, *end, *line_begin;
  uint32_t line;
  bool at_line_start;
  uint32_t indent;
  py_tokens *out;
} scanner;

static pm_loc loc_at(const scanner *s, const char *p) {
  size_t col = (size_t)(p - s->line_begin) + 1;
  return (pm_loc){s->line, (uint16_t)(col > UINT16_MAX ? UINT16_MAX : col), s->file};
}

static char peek_at(const scanner *s, size_t ahead) {
  return (size_t)(s->end - s->p) > ahead ? s->p[ahead] : '\0';
}

static bool is_name_start(char c) {
  return isalpha((unsigned char)c) || c == '_';
}
static bool is_name_part(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static py_token *push(scanner *s, py_tok kind, pm_loc loc, const char *begin, const char *end) {
  py_token t = {.kind = kind, .loc = loc, .line_start = s->at_line_start, .indent = s->indent};
  t.text = (pm_str){begin, (size_t)(end - begin)};
  s->at_line_start = false;
  PM_VEC_PUSH(*s->out, t);
  return &PM_VEC_LAST(*s->out);
}

static void next_line(scanner *s) {
  s->line++;
  s->line_begin = s->p;
}

/* At a line's end: past it. */
static void eat_newline(scanner *s) {
  if (peek_at(s, 0) == '\r' && peek_at(s, 1) == '\n') s->p++;
  s->p++;
  next_line(s);
}

static void scan_indent(scanner *s) {
  s->indent = 0;
  for (; s->p < s->end && strchr(" \t\f", *s->p) && *s->p; s->p++) {
    if (*s->p == '\t')
      s->indent = s->indent / 8 * 8 + 8;
    else if (*s->p == ' ')
      s->indent++;
    else
      s->indent = 0;
  }
}

/* White space, comments, line ends and backslash continuations. */
static void skip_blank(scanner *s) {
  for (;;) {
    char c = peek_at(s, 0);
    if (s->p == s->end) return;
    if (c == '\n' || c == '\r') {
      eat_newline(s);
      s->at_line_start = true;
      scan_indent(s);
    } else if (c == '#') {
      while (s->p < s->end && *s->p != '\n' && *s->p != '\r') s->p++;
    } else if (c == '\\' && (peek_at(s, 1) == '\n' || peek_at(s, 1) == '\r')) {
      s->p++;
      eat_newline(s);
    } else if (c == ' ' || c == '\t' || c == '\f') {
      s->p++;
    } else {
      return;
    }
  }
}

static int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = (char)tolower((unsigned char)c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* Digits of `base` from `p` up to `end`; false when the value does not fit 63 bits. */
static bool read_digits(const char *p, const char *end, int base, int64_t *value) {
  *value = 0;
  for (; p < end; p++) {
    int digit = digit_value(*p);
    if (*value > (INT64_MAX - digit) / base) return false;
    *value = *value * base + digit;
  }
  return true;
}

static int radix_of(const scanner *s) {
  if (peek_at(s, 0) != '0') return 10;
  switch (tolower((unsigned char)peek_at(s, 1))) {
  case 'x':
    return 16;
  case 'o':
    return 8;
  case 'b':
    return 2;
  default:
    return 10;
  }
}

static void skip_digits(scanner *s) {
  while (isdigit((unsigned char)peek_at(s, 0))) s->p++;
}

/* The part of a number after its integer digits; true when there is one. */
static bool scan_fraction(scanner *s) {
  const char *begin = s->p;
  if (peek_at(s, 0) == '.') {
    s->p++;
    skip_digits(s);
  }
  if (tolower((unsigned char)peek_at(s, 0)) == 'e') {
    size_t sign = peek_at(s, 1) == '+' || peek_at(s, 1) == '-';
    if (isdigit((unsigned char)peek_at(s, 1 + sign))) {
      s->p += 1 + sign;
      skip_digits(s);
    }
  }
  return s->p > begin;
}

static void fail_token(scanner *s, pm_loc loc, const char *begin, const char *message) {
  push(s, TOK_ERROR, loc, begin, s->p)->message = message;
}

static void finish_int(scanner *s, pm_loc loc, const char *begin, const char *digits, int base) {
  int64_t value;
  bool fits = read_digits(digits, s->p, base, &value);
  bool empty = digits == s->p;
  if (tolower((unsigned char)peek_at(s, 0)) == 'l') s->p++;
  if (!fits || empty || is_name_part(peek_at(s, 0))) {
    while (is_name_part(peek_at(s, 0))) s->p++;
    const char *why = fits ? "is not a number, and a name should not begin with a digit"
                           : "is too large, an integer should fit 64 bits";
    fail_token(s, loc, begin, error_at(s->errors, loc, "'%.*s' %s", (int)(s->p - begin), begin, why));
    return;
  }
  push(s, TOK_INT, loc, begin, s->p)->i = value;
}

static void finish_float(scanner *s, pm_loc loc, const char *begin) {
  if (is_name_part(peek_at(s, 0))) {
    while (is_name_part(peek_at(s, 0))) s->p++;
    fail_token(s, loc, begin,
               error_at(s->errors, loc, "'%.*s' is not a number, and a name should not begin with a digit",
                        (int)(s->p - begin), begin));
    return;
  }
  char *copy = pm_arena_strndup(s->arena, begin, (size_t)(s->p - begin));
  push(s, TOK_FLOAT, loc, begin, s->p)->f = strtod(copy, NULL);
}

static void scan_number(scanner *s) {
  const char *begin = s->p;
  pm_loc loc = loc_at(s, begin);
  int base = radix_of(s);
  if (base != 10) {
    s->p += 2;
    const char *digits = s->p;
    while (digit_value(peek_at(s, 0)) < base) s->p++;
    finish_int(s, loc, begin, digits, base);
    return;
  }
  skip_digits(s);
  if (scan_fraction(s))
    finish_float(s, loc, begin);
  else
    finish_int(s, loc, begin, begin, 10);
}

static char escaped(char c) {
  switch (c) {
  case 'n':
    return '\n';
  case 't':
    return '\t';
  case 'r':
    return '\r';
  case '0':
    return '\0';
  default:
    return c;
  }
}

static bool closes(const scanner *s, char quote, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (peek_at(s, i) != quote) return false;
  return true;
}

/* Past a string's opening quotes: decodes up to the closing ones. False at the end of the line or of the
 * file. */
static bool scan_string_body(scanner *s, char quote, bool triple, bool raw, pm_buf *text) {
  size_t quotes = triple ? 3 : 1;
  while (s->p < s->end) {
    if (closes(s, quote, quotes)) {
      s->p += quotes;
      return true;
    }
    char c = *s->p;
    if (c == '\n' && !triple) return false;
    s->p++;
    if (c == '\\' && s->p < s->end) {
      char next = *s->p++;
      if (next == '\n')
        next_line(s);
      else if (raw)
        pm_buf_putc(text, c), pm_buf_putc(text, next);
      else if (strchr("ntr0\\'\"", next))
        pm_buf_putc(text, escaped(next));
      else
        pm_buf_putc(text, c), pm_buf_putc(text, next);
      continue;
    }
    if (c == '\n') next_line(s);
    pm_buf_putc(text, c);
  }
  return false;
}

/* At the quote; `begin` is where a prefix began. */
static void scan_string(scanner *s, const char *begin, bool raw) {
  pm_loc loc = loc_at(s, begin);
  char quote = *s->p;
  bool triple = closes(s, quote, 3);
  s->p += triple ? 3 : 1;
  pm_buf text = {0};
  bool line_start = s->at_line_start;
  if (!scan_string_body(s, quote, triple, raw, &text)) {
    s->at_line_start = line_start;
    fail_token(s, loc, begin,
               error_at(s->errors, loc, "the string is not closed, %s should end it",
                        triple ? "its three quotes" : "its quote"));
  } else {
    py_token *t = push(s, TOK_STRING, loc, begin, s->p);
    t->text = (pm_str){pm_arena_strndup(s->arena, text.data ? text.data : "", text.len), text.len};
  }
  pm_buf_free(&text);
}

static bool is_string_prefix(const char *begin, const char *end) {
  if (end - begin > 2) return false;
  for (; begin < end; begin++)
    if (!strchr("rRuUbBfF", *begin)) return false;
  return true;
}

static void scan_prefixed_string(scanner *s, const char *begin) {
  bool raw = memchr(begin, 'r', (size_t)(s->p - begin)) || memchr(begin, 'R', (size_t)(s->p - begin));
  bool formatted = memchr(begin, 'f', (size_t)(s->p - begin)) || memchr(begin, 'F', (size_t)(s->p - begin));
  pm_loc loc = loc_at(s, begin);
  scan_string(s, begin, raw);
  py_token *t = &PM_VEC_LAST(*s->out);
  if (!formatted || t->kind != TOK_STRING) return;
  t->kind = TOK_ERROR;
  t->message = error_at(s->errors, loc,
                        "a formatted string is not supported, strings are joined by '+' and "
                        "str()");
}

static void scan_word(scanner *s) {
  const char *begin = s->p;
  while (is_name_part(peek_at(s, 0))) s->p++;
  if ((peek_at(s, 0) == '"' || peek_at(s, 0) == '\'') && is_string_prefix(begin, s->p)) {
    scan_prefixed_string(s, begin);
    return;
  }
  pm_str text = {begin, (size_t)(s->p - begin)};
  py_token *t = push(s, TOK_NAME, loc_at(s, begin), begin, s->p);
  for (size_t i = 0; i < PM_COUNT(keywords); i++)
    if (pm_str_is(text, keywords[i].text)) t->kind = keywords[i].kind;
  t->name = pm_get_string(s->ctx, text);
}

static void scan_unknown(scanner *s) {
  const char *begin = s->p;
  pm_loc loc = loc_at(s, begin);
  unsigned char c = (unsigned char)*s->p++;
  while (s->p < s->end && ((unsigned char)*s->p & 0xc0) == 0x80) s->p++;
  const char *message;
  if (c == '!' || (c >= 0x20 && c < 0x7f))
    message = error_at(s->errors, loc,
                       "'%c' is not part of the language, it should be only in strings and comments", c);
  else if (c >= 0x80)
    message =
        error_at(s->errors, loc, "'%.*s' should be only in strings and comments", (int)(s->p - begin), begin);
  else
    message =
        error_at(s->errors, loc, "a byte of value %u is here, it should not be in a program", (unsigned)c);
  fail_token(s, loc, begin, message);
}

static void scan_operator(scanner *s) {
  for (size_t i = 0; i < PM_COUNT(operators); i++) {
    size_t len = strlen(operators[i].text);
    if ((size_t)(s->end - s->p) < len || memcmp(s->p, operators[i].text, len) != 0) continue;
    const char *begin = s->p;
    s->p += len;
    push(s, operators[i].kind, loc_at(s, begin), begin, s->p);
    return;
  }
  scan_unknown(s);
}

static void scan_token(scanner *s) {
  char c = *s->p;
  if (is_name_start(c))
    scan_word(s);
  else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek_at(s, 1))))
    scan_number(s);
  else if (c == '"' || c == '\'')
    scan_string(s, s->p, false);
  else
    scan_operator(s);
}

static void scan(scanner *s) {
  if (s->end - s->p >= 3 && memcmp(s->p, "\xef\xbb\xbf", 3) == 0) s->p += 3;
  s->line_begin = s->p;
  s->at_line_start = true;
  scan_indent(s);
  for (skip_blank(s); s->p < s->end; skip_blank(s)) scan_token(s);
  s->at_line_start = true;
  s->indent = 0;
  push(s, TOK_END, loc_at(s, s->p), s->p, s->p);
}

/* --- brackets --- */

static bool is_open(py_tok kind) {
  return kind == TOK_LPAREN || kind == TOK_LBRACKET || kind == TOK_LBRACE;
}
static bool is_close(py_tok kind) {
  return kind == TOK_RPAREN || kind == TOK_RBRACKET || kind == TOK_RBRACE;
}
static py_tok partner(py_tok open) {
  return (py_tok)(open + 1);
}

typedef PM_VEC(size_t) index_stack;

/* The stack's entry that `close` ends, or its length. */
static size_t find_open(const py_tokens *raw, const index_stack *stack, py_tok close) {
  for (size_t i = stack->len; i-- > 0;)
    if (partner(raw->data[stack->data[i]].kind) == close) return i;
  return stack->len;
}

static void mark_open(error_sink *errors, py_token *t) {
  t->unmatched = true;
  t->message = error_at(errors, t->loc, "%s is never closed, %s should follow", py_tok_text(t->kind),
                        py_tok_text(partner(t->kind)));
}

/* Marks the brackets without partner, which are errors. */
static void match_brackets(error_sink *errors, py_tokens *raw) {
  index_stack stack = {0};
  for (size_t i = 0; i < raw->len; i++) {
    py_token *t = &raw->data[i];
    if (is_open(t->kind)) PM_VEC_PUSH(stack, i);
    if (!is_close(t->kind)) continue;
    size_t open = find_open(raw, &stack, t->kind);
    if (open == stack.len) {
      t->message = error_at(errors, t->loc, "%s closes nothing, %s should be before it", py_tok_text(t->kind),
                            py_tok_text((py_tok)(t->kind - 1)));
      t->unmatched = true;
      continue;
    }
    while (stack.len > open + 1) mark_open(errors, &raw->data[PM_VEC_POP(stack)]);
    stack.len = open;
  }
  while (stack.len > 0) mark_open(errors, &raw->data[PM_VEC_POP(stack)]);
  PM_VEC_FREE(stack);
}

/* --- layout --- */

typedef struct layout {
  error_sink *errors;
  const py_tokens *raw;
  py_tokens *out;
  uint32_t indents[PY_MAX_INDENTS];
  unsigned n_indents;
  PM_VEC(const py_token *) open; /* brackets */
  unsigned n_unclosed;           /* of them, those without partner */
} layout;

static void put(layout *l, py_tok kind, pm_loc loc) {
  py_token t = {.kind = kind, .loc = loc};
  PM_VEC_PUSH(*l->out, t);
}

/* What was reported, or has the message, at its place. */
static void put_error(layout *l, pm_loc loc, const char *message) {
  py_token t = {.kind = TOK_ERROR, .loc = loc, .message = message};
  PM_VEC_PUSH(*l->out, t);
}

/* A message that was not reported. */
static void put_kept(layout *l, pm_loc loc, const char *message) {
  if (message) put_error(l, loc, message);
}

/* `x =`, `x.y =` or a word that begins a statement. */
static bool looks_like_statement(const layout *l, size_t i) {
  const py_token *t = &l->raw->data[i];
  switch (t->kind) {
  case TOK_END:
  case TOK_IF:
  case TOK_ELIF:
  case TOK_ELSE:
  case TOK_FOR:
  case TOK_TRY:
  case TOK_EXCEPT:
  case TOK_WITH:
  case TOK_DEF:
  case TOK_WHILE:
  case TOK_RETURN:
  case TOK_IMPORT:
  case TOK_FROM:
  case TOK_PASS:
  case TOK_ASSERT:
  case TOK_CLASS:
  case TOK_PRINT:
    return true;
  case TOK_NAME:
    break;
  default:
    return false;
  }
  for (; t->kind == TOK_NAME && t[1].kind == TOK_DOT; t += 2) continue;
  return t->kind == TOK_NAME && t[1].kind == TOK_ASSIGN;
}

static bool ends_in_operator(const layout *l, size_t i) {
  if (i == 0 || !is_binary(l->raw->data[i - 1].kind) || l->raw->data[i].kind == TOK_END) return false;
  return !(i >= 2 && l->raw->data[i - 1].kind == TOK_STAR && l->raw->data[i - 2].kind == TOK_IMPORT);
}

static void set_indent(layout *l, const py_token *t) {
  uint32_t top = l->indents[l->n_indents - 1];
  if (t->indent > top && l->n_indents < PY_MAX_INDENTS) {
    l->indents[l->n_indents++] = t->indent;
    put(l, TOK_INDENT, t->loc);
    return;
  }
  if (t->indent > top)
    put_kept(l, t->loc,
             error_at(l->errors, t->loc, "blocks are nested more than %d deep, functions should hold some",
                      (int)PY_MAX_INDENTS));
  while (t->indent < l->indents[l->n_indents - 1]) {
    l->n_indents--;
    put(l, TOK_DEDENT, t->loc);
  }
  if (t->indent > l->indents[l->n_indents - 1] && t->indent < top)
    put_kept(l, t->loc,
             error_at(l->errors, t->loc,
                      "the indentation of %u columns is that of no block around it, which should have %u",
                      (unsigned)t->indent, (unsigned)l->indents[l->n_indents - 1]));
}

/* At a line that ends open brackets. */
static void put_unclosed(layout *l, pm_loc loc) {
  const py_token *open = NULL;
  for (size_t i = 0; i < l->open.len && !open; i++)
    if (l->open.data[i]->unmatched) open = l->open.data[i];
  put_error(l, open && open->message ? open->loc : loc, open ? open->message : NULL);
}

static void begin_line(layout *l, size_t i) {
  const py_token *t = &l->raw->data[i];
  if (l->open.len > 0) {
    bool resume =
        l->n_unclosed > 0 && t->indent <= l->indents[l->n_indents - 1] && looks_like_statement(l, i);
    if (!resume) return;
    put_unclosed(l, t->loc);
    l->open.len = 0;
    l->n_unclosed = 0;
  } else if (ends_in_operator(l, i)) {
    return;
  }
  if (i > 0) {
    const py_token *last = &l->raw->data[i - 1];
    pm_loc end = last->loc;
    end.col = (uint16_t)(end.col + (last->text.len < 256 ? last->text.len : 0));
    put(l, TOK_NEWLINE, end);
  }
  set_indent(l, t);
}

static void open_bracket(layout *l, const py_token *t) {
  PM_VEC_PUSH(l->open, t);
  l->n_unclosed += t->unmatched;
}

/* Ends the innermost bracket of its kind and those inside it, which were reported: an ERROR tells the parser.
 */
static void close_bracket(layout *l, const py_token *t) {
  while (l->open.len > 0) {
    const py_token *last = PM_VEC_POP(l->open);
    l->n_unclosed -= last->unmatched;
    if (partner(last->kind) == t->kind) return;
    put_error(l, last->message ? last->loc : t->loc, last->message);
  }
}

static void lay_out(layout *l) {
  l->n_indents = 1;
  for (size_t i = 0; i < l->raw->len; i++) {
    const py_token *t = &l->raw->data[i];
    if (t->line_start) begin_line(l, i);
    if (is_open(t->kind)) open_bracket(l, t);
    if (is_close(t->kind) && t->unmatched) {
      put_error(l, t->loc, t->message);
      continue;
    }
    if (is_close(t->kind)) close_bracket(l, t);
    PM_VEC_PUSH(*l->out, *t);
  }
  PM_VEC_FREE(l->open);
}

bool py_lex(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, bool keep, py_tokens *out) {
  py_tokens raw = {0};
  error_sink errors = {ctx, arena, keep, true};
  scanner s = {.errors = &errors, .ctx = ctx, .arena = arena, .file = file, .line = 1, .out = &raw};
  s.p = text.ptr;
  s.end = text.ptr + text.len;
  scan(&s);
  match_brackets(&errors, &raw);
  layout l = {.errors = &errors, .raw = &raw, .out = out};
  lay_out(&l);
  PM_VEC_FREE(raw);
  return errors.ok;
}
