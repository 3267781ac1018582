#include "ir/lexer.h"

#include <string.h>

void pm_lexer_init(pm_lexer *lexer, const char *text, size_t len, uint16_t file) {
  *lexer = (pm_lexer){.cur = text, .end = text + len, .line_start = text, .line = 1, .file = file};
  lexer->at_line_start = true;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word_start(char c) {
  char lower = (char)(c | 32);
  return (lower >= 'a' && lower <= 'z') || c == '_';
}

/* Letters, digits, '_', '$' and '.', by the code less that of a space. */
static const bool word_chars[96] = {
    /* clang-format off */
    /* 20 */ 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
    /* 30 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0,
    /* 40 */ 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 50 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1,
    /* 60 */ 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    /* 70 */ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0
    /* clang-format on */
};

static bool is_word_char(char c) {
  unsigned place = (unsigned char)c - (unsigned)' ';
  return place < PM_COUNT(word_chars) && word_chars[place];
}

static int hex_value(char c) {
  char lower = (char)(c | 32);
  if (is_digit(c)) return c - '0';
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static char peek(const pm_lexer *lx, size_t ahead) {
  return (size_t)(lx->end - lx->cur) > ahead ? lx->cur[ahead] : '\0';
}

static void skip_comment(pm_lexer *lx) {
  const char *newline = memchr(lx->cur, '\n', (size_t)(lx->end - lx->cur));
  lx->cur = newline ? newline : lx->end;
}

static void skip_blanks(pm_lexer *lx) {
  for (; lx->cur < lx->end; lx->cur++) {
    char c = *lx->cur;
    if (c == '/' && peek(lx, 1) == '/') skip_comment(lx);
    if (lx->cur == lx->end) return;
    c = *lx->cur;
    if (c == '\n') {
      lx->line++;
      lx->line_start = lx->cur + 1;
      lx->at_line_start = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      return;
    }
  }
}

static void fail(pm_token *tok, const char *message) {
  tok->kind = PM_TOK_ERROR;
  tok->message = message;
}

static void take_word(pm_lexer *lx, pm_token *tok, pm_token_kind kind) {
  const char *from = lx->cur;
  while (lx->cur < lx->end && is_word_char(*lx->cur)) lx->cur++;
  tok->kind = kind;
  tok->text = (pm_str){from, (size_t)(lx->cur - from)};
}

static void take_sigil_word(pm_lexer *lx, pm_token *tok, pm_token_kind kind, const char *message) {
  lx->cur++;
  take_word(lx, tok, kind);
  if (!tok->text.len) fail(tok, message);
}

/* The n of %name#n; numbers that no op can have become UINT32_MAX. */
static void take_result_number(pm_lexer *lx, pm_token *tok) {
  if (peek(lx, 0) != '#' || !is_digit(peek(lx, 1))) return;
  uint64_t number = 0;
  for (lx->cur++; is_digit(peek(lx, 0)); lx->cur++)
    if (number < UINT32_MAX) number = number * 10 + (uint64_t)(*lx->cur - '0');
  tok->number = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static void take_quoted(pm_lexer *lx, pm_token *tok, pm_token_kind kind) {
  const char *from = ++lx->cur;
  while (lx->cur < lx->end && *lx->cur != '"' && *lx->cur != '\n')
    lx->cur += *lx->cur == '\\' && peek(lx, 1) != '\n' ? 2 : 1;
  if (lx->cur > lx->end) lx->cur = lx->end;
  tok->kind = kind;
  tok->quoted = true;
  tok->text = (pm_str){from, (size_t)(lx->cur - from)};
  if (lx->cur == lx->end || *lx->cur == '\n')
    fail(tok, "the string does not end on its line");
  else
    lx->cur++;
}

static void take_digits(pm_lexer *lx) {
  while (is_digit(peek(lx, 0))) lx->cur++;
}

static void take_exponent(pm_lexer *lx, pm_token *tok) {
  bool sign = peek(lx, 1) == '+' || peek(lx, 1) == '-';
  if ((peek(lx, 0) | 32) != 'e' || !is_digit(peek(lx, sign ? 2 : 1))) return;
  lx->cur += sign ? 2 : 1;
  take_digits(lx);
  tok->kind = PM_TOK_FLOAT;
}

static void take_number(pm_lexer *lx, pm_token *tok) {
  const char *from = lx->cur;
  tok->kind = PM_TOK_INT;
  if (*from == '0' && (peek(lx, 1) | 32) == 'x' && hex_value(peek(lx, 2)) >= 0) {
    for (lx->cur += 2; hex_value(peek(lx, 0)) >= 0;) lx->cur++;
  } else {
    take_digits(lx);
    if (peek(lx, 0) == '.' && !is_word_start(peek(lx, 1))) {
      lx->cur++;
      take_digits(lx);
      tok->kind = PM_TOK_FLOAT;
    }
    take_exponent(lx, tok);
  }
  tok->text = (pm_str){from, (size_t)(lx->cur - from)};
}

static void take_punct(pm_lexer *lx, pm_token *tok) {
  size_t len = *lx->cur == '-' && peek(lx, 1) == '>' ? 2 : 1;
  bool printable = *lx->cur > 32 && *lx->cur < 127;
  tok->kind = PM_TOK_PUNCT;
  tok->text = (pm_str){lx->cur, len};
  lx->cur += len;
  if (!printable) fail(tok, "a character that no token begins with");
}

static void take_symbol(pm_lexer *lx, pm_token *tok) {
  if (peek(lx, 1) != '"') {
    take_sigil_word(lx, tok, PM_TOK_SYMBOL, "a symbol's name should follow '@'");
    return;
  }
  lx->cur++;
  take_quoted(lx, tok, PM_TOK_SYMBOL);
}

void pm_lex(pm_lexer *lx, pm_token *tok) {
  skip_blanks(lx);
  size_t col = (size_t)(lx->cur - lx->line_start) + 1;
  *tok = (pm_token){.first_on_line = lx->at_line_start,
                    .start = lx->cur,
                    .loc = {lx->line, (uint16_t)(col < UINT16_MAX ? col : UINT16_MAX), lx->file}};
  lx->at_line_start = false;
  if (lx->cur == lx->end) return;
  char c = *lx->cur;
  if (is_word_start(c))
    take_word(lx, tok, PM_TOK_WORD);
  else if (c == '%') {
    take_sigil_word(lx, tok, PM_TOK_VALUE, "a value's name should follow '%'");
    take_result_number(lx, tok);
  } else if (is_digit(c))
    take_number(lx, tok);
  else if (c == '@')
    take_symbol(lx, tok);
  else if (c == '^')
    take_sigil_word(lx, tok, PM_TOK_LABEL, "a label should follow '^'");
  else if (c == '#')
    take_sigil_word(lx, tok, PM_TOK_HASH, "an attribute's name should follow '#'");
  else if (c == '"')
    take_quoted(lx, tok, PM_TOK_STRING);
  else
    take_punct(lx, tok);
}

/* Two hexadecimal digits are a byte; n and t as in C; any other character stands for itself. */
static size_t unescape_one(pm_buf *out, const char *at, size_t len) {
  int high = hex_value(at[0]), low = len > 1 ? hex_value(at[1]) : -1;
  if (high >= 0 && low >= 0) {
    pm_buf_putc(out, (char)(high * 16 + low));
    return 2;
  }
  pm_buf_putc(out, (char)(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at));
  return 1;
}

void pm_unescape(pm_buf *out, pm_str quoted) {
  for (size_t i = 0; i < quoted.len;) {
    if (quoted.ptr[i] == '\\' && i + 1 < quoted.len)
      i += 1 + unescape_one(out, quoted.ptr + i + 1, quoted.len - i - 1);
    else
      pm_buf_putc(out, quoted.ptr[i++]);
  }
}

size_t pm_word_length(const char *at, const char *end) {
  const char *from = at;
  while (at < end && is_word_char(*at)) at++;
  return (size_t)(at - from);
}

bool pm_is_plain_word(pm_str text) {
  if (!text.len || !is_word_start(text.ptr[0])) return false;
  for (size_t i = 0; i < text.len; i++)
    if (!is_word_char(text.ptr[i])) return false;
  return true;
}
