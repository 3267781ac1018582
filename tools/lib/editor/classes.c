#include "tools/lib/editor/classes.h"

#include "ir/op_desc.h"
#include "ir/types.h"
#include "tools/lib/utf8.h"

#include <stdlib.h>
#include <string.h>

const pm_class_info *pm_class_info_of(pm_text_class class_) {
  static const pm_class_info infos[] = {
#define CLASS(name, ...) {__VA_ARGS__},
#define KNOWN(...)
#define RULE(...)
#include "tools/lib/editor/classes.def"
  };
  return &infos[class_];
}

/* --- words --- */

struct pm_word_set {
  pm_context *ctx;
  pm_map *class_of; /* pm_string -> class + 1 */
  PM_VEC(pm_string) of_class[PM_N_CLASSES];
};

/* The first class counts. */
static void add_word(pm_word_set *words, const char *text, pm_text_class class_) {
  pm_string word = pm_get_cstring(words->ctx, text);
  if (pm_map_has(words->class_of, word)) return;
  pm_map_set(words->class_of, word, (void *)(uintptr_t)(class_ + 1u));
  PM_VEC_PUSH(words->of_class[class_], word);
}

static void add_ops(pm_word_set *words) {
  for (size_t i = 0; i < pm_dialect_count(words->ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(words->ctx, i)->ops; *op; op++)
      add_word(words, (*op)->name, PM_CLASS_OP);
}

static void add_attributes(pm_word_set *words) {
  for (size_t i = 0; i < pm_dialect_count(words->ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(words->ctx, i)->ops; *op; op++)
      for (unsigned a = 0; a < (*op)->n_attrs; a++) add_word(words, (*op)->attrs[a].name, PM_CLASS_PROPERTY);
}

static int compare_words(const void *a, const void *b) {
  const pm_string *x = a, *y = b;
  return strcmp((*x)->text, (*y)->text);
}

pm_word_set *pm_word_set_new(pm_context *ctx) {
  pm_word_set *words = pm_xcalloc(1, sizeof *words);
  words->ctx = ctx;
  words->class_of = pm_map_new();
  add_ops(words);
  for (int s = 0; s < PM_N_SCALARS; s++)
    add_word(words, pm_get_scalar_info((pm_scalar)s)->name, PM_CLASS_TYPE);
#define CLASS(...)
#define KNOWN(class_, word) add_word(words, word, PM_CLASS_##class_);
#define RULE(...)
#include "tools/lib/editor/classes.def"
  add_attributes(words);
  for (int c = 0; c < PM_N_CLASSES; c++)
    if (words->of_class[c].len)
      qsort(words->of_class[c].data, words->of_class[c].len, sizeof(pm_string), compare_words);
  return words;
}

void pm_word_set_free(pm_word_set *words) {
  for (int c = 0; c < PM_N_CLASSES; c++) PM_VEC_FREE(words->of_class[c]);
  pm_map_free(words->class_of);
  free(words);
}

static bool find_class(const pm_word_set *words, pm_str text, pm_text_class *class_) {
  uintptr_t found = (uintptr_t)pm_map_get(words->class_of, pm_get_string(words->ctx, text));
  if (found) *class_ = (pm_text_class)(found - 1);
  return found != 0;
}

static void put_literal(pm_buf *out, const char *text, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (strchr(".$", text[i])) pm_buf_putc(out, '\\');
    pm_buf_putc(out, text[i]);
  }
}

/* Up to the first dot and with it, or 0. */
static size_t prefix_length(pm_string word) {
  const char *dot = strchr(word->text, '.');
  return dot ? (size_t)(dot - word->text) + 1 : 0;
}

void pm_put_alternatives(const pm_word_set *words, pm_text_class class_, pm_buf *out) {
  pm_str prefix = {"", 0};
  for (size_t i = 0; i < words->of_class[class_].len; i++) {
    pm_string word = words->of_class[class_].data[i];
    pm_str own = {word->text, prefix_length(word)};
    bool same = pm_str_eq(prefix, own);
    if (i) pm_buf_puts(out, !same && prefix.len ? ")|" : "|");
    if (!same) put_literal(out, own.ptr, own.len);
    if (!same && own.len) pm_buf_puts(out, "(?:");
    put_literal(out, word->text + own.len, word->len - own.len);
    prefix = own;
  }
  if (prefix.len) pm_buf_putc(out, ')');
}

/* --- pieces --- */

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The length of `4x?xf32` at the beginning, or 0. */
static size_t shape_length(const pm_word_set *words, pm_str text) {
  size_t at = 0, n = 0;
  pm_text_class class_;
  do {
    for (n = 0; at + n < text.len && is_digit(text.ptr[at + n]);) n++;
    if (!n && at < text.len && text.ptr[at] == '?') n = 1;
    if (n && at + n < text.len && text.ptr[at + n] == 'x')
      at += n + 1;
    else
      n = 0;
  } while (n);
  while (at + n < text.len && pm_is_plain_word((pm_str){text.ptr + at, n + 1})) n++;
  bool is = at && n && find_class(words, (pm_str){text.ptr + at, n}, &class_) && class_ == PM_CLASS_TYPE;
  return is ? at + n : 0;
}

static pm_text_class class_of_token(const pm_word_set *words, const pm_token *token) {
  static const pm_text_class of_kind[] = {
      [PM_TOK_WORD] = PM_CLASS_WORD,         [PM_TOK_VALUE] = PM_CLASS_VALUE,
      [PM_TOK_SYMBOL] = PM_CLASS_SYMBOL,     [PM_TOK_LABEL] = PM_CLASS_LABEL,
      [PM_TOK_HASH] = PM_CLASS_ATTRIBUTE,    [PM_TOK_INT] = PM_CLASS_NUMBER,
      [PM_TOK_FLOAT] = PM_CLASS_NUMBER,      [PM_TOK_STRING] = PM_CLASS_STRING,
      [PM_TOK_PUNCT] = PM_CLASS_PUNCTUATION, [PM_TOK_ERROR] = PM_CLASS_PUNCTUATION};
  pm_text_class class_;
  bool known =
      (token->kind == PM_TOK_WORD || token->kind == PM_TOK_STRING) && find_class(words, token->text, &class_);
  if (known && (token->kind == PM_TOK_WORD || class_ == PM_CLASS_OP)) return class_;
  return of_kind[token->kind];
}

static size_t blank_length(pm_str text) {
  size_t n = 0;
  while (n < text.len && strchr(" \t\r\n", text.ptr[n]) && text.ptr[n]) n++;
  return n;
}

static size_t comment_length(pm_str text) {
  size_t n = 0;
  if (text.len < 2 || memcmp(text.ptr, "//", 2) != 0) return 0;
  while (n < text.len && text.ptr[n] != '\n') n++;
  return n;
}

/* The length of the token. One that is wrong is its first character alone. */
static size_t take_token(const pm_word_set *words, pm_str text, pm_piece *piece) {
  pm_lexer lexer;
  pm_token token;
  pm_lexer_init(&lexer, text.ptr, text.len, 0);
  pm_lex(&lexer, &token);
  piece->class_ = class_of_token(words, &token);
  if (token.kind != PM_TOK_ERROR) return (size_t)(lexer.cur - text.ptr);
  size_t n = pm_utf8_length(text);
  piece->blank = n != 1 || *text.ptr < '!' || *text.ptr > '~';
  return n ? n : 1;
}

bool pm_take_piece(const pm_word_set *words, pm_str *text, pm_piece *piece) {
  if (!text->len) return false;
  size_t n = blank_length(*text);
  *piece = (pm_piece){.blank = n != 0, .class_ = PM_CLASS_COMMENT};
  if (!n) n = comment_length(*text);
  if (!n && (n = shape_length(words, *text))) piece->class_ = PM_CLASS_TYPE;
  if (!n) n = take_token(words, *text, piece);
  piece->text = (pm_str){text->ptr, n};
  *text = (pm_str){text->ptr + n, text->len - n};
  return true;
}
