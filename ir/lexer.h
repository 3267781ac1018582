/* Tokens of the text form. */
#ifndef PM_IR_LEXER_H
#define PM_IR_LEXER_H

#include "ir/context.h"

typedef enum pm_token_kind {
  PM_TOK_EOF,
  PM_TOK_ERROR,  /* `message` says what is wrong */
  PM_TOK_WORD,   /* builtin.module, i32, to */
  PM_TOK_VALUE,  /* %name or %name#1 */
  PM_TOK_SYMBOL, /* @name or @"any text" */
  PM_TOK_LABEL,  /* ^bb */
  PM_TOK_HASH,   /* #name or #dialect.kind */
  PM_TOK_INT,    /* 12 or 0x1F, no sign */
  PM_TOK_FLOAT,  /* 1.5 or 1e+30, no sign */
  PM_TOK_STRING,
  PM_TOK_PUNCT /* -> or one character */
} pm_token_kind;

typedef struct pm_token {
  pm_token_kind kind;
  bool first_on_line;
  bool quoted;         /* SYMBOL, STRING: `text` is between quotes, its escapes still in it */
  uint32_t number;     /* VALUE: the n of %name#n, else 0 */
  const char *start;   /* with its sigil or quote */
  const char *message; /* ERROR */
  pm_str text;         /* without sigil, quotes and #n */
  pm_loc loc;
} pm_token;

typedef struct pm_lexer {
  const char *cur, *end, *line_start;
  uint32_t line;
  uint16_t file;
  bool at_line_start;
} pm_lexer;

/* The text is borrowed and need not be terminated. */
void pm_lexer_init(pm_lexer *lexer, const char *text, size_t len, uint16_t file);
void pm_lex(pm_lexer *lexer, pm_token *token);
/* Appends the text between quotes with its escapes resolved. */
void pm_unescape(pm_buf *out, pm_str quoted);
/* How many characters of a name or bare word stand at `at`. */
size_t pm_word_length(const char *at, const char *end);
/* Letters, digits, '_', '$' and '.', not beginning with a digit: needs no quotes. */
bool pm_is_plain_word(pm_str text);

#endif
