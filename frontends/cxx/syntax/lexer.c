/* Text to tokens. Directives are followed in preprocessor.c. */
#include "frontends/cxx/syntax/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef struct spelling {
  const char *text;
  cx_tok kind;
} spelling;

#define SPELLING(name, text) {text, TOK_##name},
#define NOTHING(name, text)
static const spelling keywords[] = {
    CX_TOKENS(SPELLING, SPELLING, NOTHING){"and", TOK_AND}, {"or", TOK_OR}, {"not", TOK_NOT}};
static const spelling operators[] = {CX_TOKENS(NOTHING, NOTHING, SPELLING)};

const char *cx_tok_text(cx_tok kind) {
  static const char *const texts[] = {
      [TOK_END] = "the end of the file", [TOK_ERROR] = "an error",  [TOK_NAME] = "a name",
      [TOK_INTEGER] = "an integer",      [TOK_NUMBER] = "a number", [TOK_STRING] = "a string",
      [TOK_CHARACTER] = "a character",
#define QUOTED(name, text) [TOK_##name] = "'" text "'",
      CX_TOKENS(QUOTED, QUOTED, QUOTED)
#undef QUOTED
  };
  return texts[kind];
}

bool cx_is_basic(cx_tok kind) {
  return kind >= TOK_AUTO && kind <= TOK_DOUBLE;
}

bool cx_is_name(const cx_token *t, const char *text) {
  return t->kind == TOK_NAME && strcmp(t->name->text, text) == 0;
}

int cx_precedence(const cx_token *t) {
  switch (t->kind) {
  case TOK_OR:
    return 1;
  case TOK_AND:
    return 2;
  case TOK_BAR:
    return 3;
  case TOK_CARET:
    return 4;
  case TOK_AMP:
    return 5;
  case TOK_EQUAL:
  case TOK_NOT_EQUAL:
    return 6;
  case TOK_GREATER:
    return t->joined ? 8 : 7;
  case TOK_LESS:
  case TOK_LESS_EQUAL:
  case TOK_GREATER_EQUAL:
    return 7;
  case TOK_SHL:
    return 8;
  case TOK_PLUS:
  case TOK_MINUS:
    return 9;
  case TOK_STAR:
  case TOK_SLASH:
  case TOK_PERCENT:
    return 10;
  default:
    return 0;
  }
}

/* --- characters --- */

typedef struct scanner {
  pm_context *ctx;
  pm_arena *arena;
  uint16_t file;
  const char *p, *end, *line_begin;
  uint32_t line;
  bool starts_line, after_space;
  cx_tokens *out;
} scanner;

static pm_loc loc_at(const scanner *s, const char *p) {
  size_t col = (size_t)(p - s->line_begin) + 1;
  return (pm_loc){s->line, (uint16_t)(col > UINT16_MAX ? UINT16_MAX : col), s->file};
}

static char peek_at(const scanner *s, size_t ahead) {
  return (size_t)(s->end - s->p) > ahead ? s->p[ahead] : '\0';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_name_start(char c) {
  return isalpha((unsigned char)c) || c == '_' || c == '$';
}
static bool is_name_part(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* From `begin` up to where the scanner is. */
static cx_token *push(scanner *s, cx_tok kind, pm_loc loc, const char *begin) {
  cx_token t = {.kind = kind, .loc = loc, .starts_line = s->starts_line, .after_space = s->after_space};
  t.source = (pm_str){begin, (size_t)(s->p - begin)};
  s->starts_line = s->after_space = false;
  PM_VEC_PUSH(*s->out, t);
  return &PM_VEC_LAST(*s->out);
}

static cx_token *push_error(scanner *s, pm_loc loc, const char *begin, const char *fmt, ...) PM_PRINTF(4, 5);
static cx_token *push_error(scanner *s, pm_loc loc, const char *begin, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(&text, fmt, args);
  va_end(args);
  cx_token *t = push(s, TOK_ERROR, loc, begin);
  t->message = pm_arena_strndup(s->arena, text.data, text.len);
  pm_buf_free(&text);
  return t;
}

static void next_line(scanner *s) {
  s->line++;
  s->line_begin = s->p;
}

static bool at_newline(const scanner *s) {
  return s->p < s->end && (*s->p == '\n' || *s->p == '\r');
}

/* At a line's end: past it. */
static void eat_newline(scanner *s) {
  if (peek_at(s, 0) == '\r' && peek_at(s, 1) == '\n') s->p++;
  s->p++;
  next_line(s);
}

/* At a backslash that ends a line: past both. */
static bool eat_continuation(scanner *s) {
  if (peek_at(s, 0) != '\\' || (peek_at(s, 1) != '\n' && peek_at(s, 1) != '\r')) return false;
  s->p++;
  eat_newline(s);
  return true;
}

static void skip_line_comment(scanner *s) {
  while (s->p < s->end && !at_newline(s))
    if (!eat_continuation(s)) s->p++;
}

static void skip_block_comment(scanner *s) {
  const char *begin = s->p;
  pm_loc loc = loc_at(s, begin);
  s->p += 2;
  while (s->p < s->end) {
    if (s->p[0] == '*' && peek_at(s, 1) == '/') {
      s->p += 2;
      return;
    }
    if (at_newline(s))
      eat_newline(s);
    else
      s->p++;
  }
  push_error(s, loc, begin, "the comment is not closed, '*/' should end it")->is_fatal = true;
}

static void skip_blank(scanner *s) {
  for (; s->p < s->end; s->after_space = true) {
    char c = *s->p;
    if (at_newline(s)) {
      eat_newline(s);
      s->starts_line = true;
    } else if (c == '/' && peek_at(s, 1) == '/') {
      skip_line_comment(s);
    } else if (c == '/' && peek_at(s, 1) == '*') {
      skip_block_comment(s);
    } else if (c == ' ' || c == '\t' || c == '\f' || c == '\v') {
      s->p++;
    } else if (!eat_continuation(s)) {
      return;
    }
  }
}

/* --- numbers --- */

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  c = (char)tolower((unsigned char)c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

static bool is_sign_of_exponent(const char *begin, const char *p) {
  bool hex = begin[0] == '0' && (begin[1] == 'x' || begin[1] == 'X');
  char before = (char)tolower((unsigned char)p[-1]);
  return (*p == '+' || *p == '-') && before == (hex ? 'p' : 'e');
}

/* Past all that belongs to the number that begins here (a preprocessing number). */
static void skip_number(scanner *s) {
  const char *begin = s->p++;
  while (s->p < s->end) {
    bool digit_mark = *s->p == '\'' && is_name_part(peek_at(s, 1));
    if (!is_name_part(*s->p) && *s->p != '.' && !digit_mark && !is_sign_of_exponent(begin, s->p)) return;
    s->p++;
  }
}

static int base_of(pm_str digits) {
  if (digits.len < 2 || digits.ptr[0] != '0') return 10;
  char second = (char)tolower((unsigned char)digits.ptr[1]);
  if (second == 'x') return 16;
  return second == 'b' ? 2 : 8;
}

typedef struct integer {
  uint64_t value;
  bool fits, is_unsigned, is_long;
} integer;

/* `u`, `l`, `ll`, `z` in any order. */
static bool read_int_suffix(pm_str suffix, integer *out) {
  if (suffix.len > 3) return false;
  unsigned us = 0, ls = 0;
  for (size_t i = 0; i < suffix.len; i++) {
    char c = (char)tolower((unsigned char)suffix.ptr[i]);
    if (c != 'u' && c != 'l' && c != 'z') return false;
    us += c == 'u';
    ls += c == 'l' || c == 'z';
  }
  out->is_unsigned = us > 0;
  out->is_long = ls > 0;
  return us <= 1 && ls <= 2;
}

static bool read_integer(pm_str digits, integer *out) {
  *out = (integer){.fits = true};
  int base = base_of(digits);
  size_t i = base == 16 || base == 2 ? 2 : 0, first = i;
  for (; i < digits.len && digit_value(digits.ptr[i]) < base; i++) {
    uint64_t digit = (uint64_t)digit_value(digits.ptr[i]);
    if (out->value > (UINT64_MAX - digit) / (uint64_t)base) out->fits = false;
    out->value = out->value * (uint64_t)base + digit;
  }
  if (i == first || !read_int_suffix((pm_str){digits.ptr + i, digits.len - i}, out)) return false;
  bool may_be_unsigned = base != 10 || out->is_unsigned;
  if (out->value > (may_be_unsigned ? UINT32_MAX : INT32_MAX)) out->is_long = true;
  if (!out->is_long && out->value > INT32_MAX) out->is_unsigned = true;
  if (out->value > INT64_MAX && may_be_unsigned) out->is_unsigned = true;
  if (out->value > INT64_MAX && !may_be_unsigned) out->fits = false;
  return true;
}

static bool is_float_text(pm_str digits) {
  bool hex = base_of(digits) == 16;
  for (size_t i = 0; i < digits.len; i++) {
    char c = (char)tolower((unsigned char)digits.ptr[i]);
    if (c == '.' || c == (hex ? 'p' : 'e')) return true;
  }
  return false;
}

/* `digits` is terminated. */
static bool read_float(pm_str digits, cx_token *out) {
  char *end;
  out->f = strtod(digits.ptr, &end);
  size_t rest = digits.len - (size_t)(end - digits.ptr);
  char suffix = rest == 1 ? (char)tolower((unsigned char)*end) : '\0';
  out->is_single = suffix == 'f';
  if (out->is_single) out->f = (double)strtof(digits.ptr, NULL);
  return rest == 0 || suffix == 'f' || suffix == 'l';
}

/* The number's text without the marks between digits, terminated. */
static pm_str without_marks(scanner *s, const char *begin) {
  char *copy = pm_arena_strndup(s->arena, begin, (size_t)(s->p - begin));
  size_t len = 0;
  for (const char *p = begin; p < s->p; p++)
    if (*p != '\'') copy[len++] = *p;
  copy[len] = '\0';
  return (pm_str){copy, len};
}

static void scan_number(scanner *s) {
  const char *begin = s->p;
  pm_loc loc = loc_at(s, begin);
  skip_number(s);
  pm_str digits = without_marks(s, begin);
  integer n;
  cx_token number = {0};
  if (is_float_text(digits) && read_float(digits, &number)) {
    cx_token *t = push(s, TOK_NUMBER, loc, begin);
    t->f = number.f;
    t->is_single = number.is_single;
  } else if (is_float_text(digits) || !read_integer(digits, &n)) {
    push_error(s, loc, begin, "'%s' is here, a number should be", digits.ptr);
  } else if (!n.fits) {
    push_error(s, loc, begin, "'%s' is too large, an integer should fit 64 bits", digits.ptr);
  } else {
    cx_token *t = push(s, TOK_INTEGER, loc, begin);
    t->i = (int64_t)n.value;
    t->is_unsigned = n.is_unsigned;
    t->is_long = n.is_long;
  }
}

/* --- strings and characters --- */

static void put_utf8(pm_buf *out, uint32_t code) {
  if (code < 0x80) {
    pm_buf_putc(out, (char)code);
  } else if (code < 0x800) {
    pm_buf_putc(out, (char)(0xc0 | code >> 6));
    pm_buf_putc(out, (char)(0x80 | (code & 0x3f)));
  } else if (code < 0x10000) {
    pm_buf_putc(out, (char)(0xe0 | code >> 12));
    pm_buf_putc(out, (char)(0x80 | (code >> 6 & 0x3f)));
    pm_buf_putc(out, (char)(0x80 | (code & 0x3f)));
  } else {
    pm_buf_putc(out, (char)(0xf0 | (code >> 18 & 7)));
    pm_buf_putc(out, (char)(0x80 | (code >> 12 & 0x3f)));
    pm_buf_putc(out, (char)(0x80 | (code >> 6 & 0x3f)));
    pm_buf_putc(out, (char)(0x80 | (code & 0x3f)));
  }
}

/* At most `most` digits. */
static uint32_t scan_code(scanner *s, int base, int most) {
  uint32_t code = 0;
  for (int i = 0; i < most && digit_value(peek_at(s, 0)) < base; i++)
    code = code * (uint32_t)base + (uint32_t)digit_value(*s->p++);
  return code;
}

/* Past the backslash. */
static void scan_escape(scanner *s, pm_buf *out) {
  static const char letters[] = "abefnrtv", values[] = "\a\b\x1b\f\n\r\t\v";
  char c = peek_at(s, 0);
  const char *letter = c ? strchr(letters, c) : NULL;
  if (c >= '0' && c <= '7') {
    pm_buf_putc(out, (char)scan_code(s, 8, 3));
    return;
  }
  if (s->p < s->end) s->p++;
  if (letter)
    pm_buf_putc(out, values[letter - letters]);
  else if (c == 'x')
    pm_buf_putc(out, (char)scan_code(s, 16, 2));
  else if (c == 'u' || c == 'U')
    put_utf8(out, scan_code(s, 16, c == 'u' ? 4 : 8));
  else
    pm_buf_putc(out, c);
}

/* Past the opening quote: decodes up to and past the closing one. False at the end of the line. */
static bool scan_quoted(scanner *s, char quote, pm_buf *out) {
  while (s->p < s->end && !at_newline(s)) {
    if (*s->p == quote) {
      s->p++;
      return true;
    }
    if (eat_continuation(s)) continue;
    char c = *s->p++;
    if (c == '\\')
      scan_escape(s, out);
    else
      pm_buf_putc(out, c);
  }
  return false;
}

/* At the quote of R"mark(…)mark". False where it does not end. */
static bool scan_raw(scanner *s, pm_buf *out) {
  const char *mark = ++s->p;
  while (s->p < s->end && *s->p != '(' && !at_newline(s) && s->p - mark <= 16) s->p++;
  size_t len = (size_t)(s->p - mark);
  if (peek_at(s, 0) != '(') return false;
  for (s->p++; s->p < s->end;) {
    bool closes = *s->p == ')' && (size_t)(s->end - s->p) > len + 1 && memcmp(s->p + 1, mark, len) == 0 &&
                  s->p[len + 1] == '"';
    if (closes) {
      s->p += len + 2;
      return true;
    }
    char c = *s->p;
    if (c == '\r' && peek_at(s, 1) == '\n') c = '\n';
    pm_buf_putc(out, c);
    if (at_newline(s))
      eat_newline(s);
    else
      s->p++;
  }
  return false;
}

/* At the quote; `begin` is where a prefix begins. */
static void scan_string(scanner *s, const char *begin, bool raw) {
  pm_loc loc = loc_at(s, begin);
  pm_buf text = {0};
  bool closed = raw ? scan_raw(s, &text) : (s->p++, scan_quoted(s, '"', &text));
  if (!closed) {
    push_error(s, loc, begin, "the string is not closed, %s should end it", raw ? "')\"'" : "its quote")
        ->is_fatal = true;
  } else {
    cx_token *t = push(s, TOK_STRING, loc, begin);
    t->text = (pm_str){pm_arena_strndup(s->arena, text.data ? text.data : "", text.len), text.len};
  }
  pm_buf_free(&text);
}

static void scan_character(scanner *s) {
  const char *begin = s->p++;
  pm_loc loc = loc_at(s, begin);
  pm_buf text = {0};
  if (!scan_quoted(s, '\'', &text))
    push_error(s, loc, begin, "the character is not closed, its quote should end it")->is_fatal = true;
  else if (text.len != 1)
    push_error(s, loc, begin, "%zu characters are between the quotes, one should be", text.len);
  else
    push(s, TOK_CHARACTER, loc, begin)->i = (signed char)text.data[0];
  pm_buf_free(&text);
}

/* --- words and operators --- */

static void scan_word(scanner *s) {
  const char *begin = s->p;
  pm_loc loc = loc_at(s, begin);
  while (is_name_part(peek_at(s, 0))) s->p++;
  pm_str text = {begin, (size_t)(s->p - begin)};
  bool raw = pm_str_is(text, "R") || pm_str_is(text, "u8R");
  if (peek_at(s, 0) == '"' && (raw || pm_str_is(text, "u8"))) {
    scan_string(s, begin, raw);
    return;
  }
  cx_token *t = push(s, TOK_NAME, loc, begin);
  for (size_t i = 0; i < PM_COUNT(keywords); i++)
    if (pm_str_is(text, keywords[i].text)) t->kind = keywords[i].kind;
  t->name = pm_get_string(s->ctx, text);
}

static void scan_unknown(scanner *s) {
  const char *begin = s->p;
  pm_loc loc = loc_at(s, begin);
  unsigned char c = (unsigned char)*s->p++;
  while (s->p < s->end && c >= 0x80 && ((unsigned char)*s->p & 0xc0) == 0x80) s->p++;
  if (c > 0x20 && c != 0x7f)
    push_error(s, loc, begin, "'%.*s' is here, it should be only in strings and comments",
               (int)(s->p - begin), begin);
  else
    push_error(s, loc, begin, "a byte of value %u is here, it should not be in a program", (unsigned)c);
}

static void scan_operator(scanner *s) {
  for (size_t i = 0; i < PM_COUNT(operators); i++) {
    size_t len = strlen(operators[i].text);
    if ((size_t)(s->end - s->p) < len || memcmp(s->p, operators[i].text, len) != 0) continue;
    const char *begin = s->p;
    s->p += len;
    cx_token *t = push(s, operators[i].kind, loc_at(s, begin), begin);
    t->joined = t->kind == TOK_GREATER && peek_at(s, 0) == '>';
    return;
  }
  scan_unknown(s);
}

static void scan_token(scanner *s) {
  char c = *s->p;
  if (is_name_start(c))
    scan_word(s);
  else if (is_digit(c) || (c == '.' && is_digit(peek_at(s, 1))))
    scan_number(s);
  else if (c == '"')
    scan_string(s, s->p, false);
  else if (c == '\'')
    scan_character(s);
  else
    scan_operator(s);
}

void cx_scan(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, cx_tokens *out) {
  scanner s = {.ctx = ctx, .arena = arena, .file = file, .out = out};
  s.p = text.ptr ? text.ptr : "";
  s.end = s.p + text.len;
  s.line = 1;
  s.starts_line = true;
  if (text.len >= 3 && memcmp(s.p, "\xef\xbb\xbf", 3) == 0) s.p += 3;
  s.line_begin = s.p;
  for (skip_blank(&s); s.p < s.end; skip_blank(&s)) scan_token(&s);
  s.starts_line = true;
  push(&s, TOK_END, loc_at(&s, s.p), s.p);
}
