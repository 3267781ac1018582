/* The Python subset around PolyMage's DSL: tokens and syntax tree. Private to this frontend. */
#ifndef PM_FRONTENDS_POLYMAGE_SYNTAX_H
#define PM_FRONTENDS_POLYMAGE_SYNTAX_H

#include "ir/diag.h"

/* KEYWORD(name, text), OPERATOR(name, text), BINARY(name, text): a line that ends in a BINARY goes on in the
 * next. */
#define PY_TOKENS(KEYWORD, OPERATOR, BINARY)                                                                 \
  KEYWORD(IF, "if")                                                                                          \
  KEYWORD(ELIF, "elif")                                                                                      \
  KEYWORD(ELSE, "else")                                                                                      \
  KEYWORD(FOR, "for")                                                                                        \
  KEYWORD(WHILE, "while")                                                                                    \
  KEYWORD(IN, "in")                                                                                          \
  KEYWORD(IS, "is")                                                                                          \
  KEYWORD(NOT, "not")                                                                                        \
  KEYWORD(DEF, "def")                                                                                        \
  KEYWORD(RETURN, "return")                                                                                  \
  KEYWORD(LAMBDA, "lambda")                                                                                  \
  KEYWORD(PASS, "pass")                                                                                      \
  KEYWORD(BREAK, "break")                                                                                    \
  KEYWORD(CONTINUE, "continue")                                                                              \
  KEYWORD(ASSERT, "assert")                                                                                  \
  KEYWORD(IMPORT, "import")                                                                                  \
  KEYWORD(FROM, "from")                                                                                      \
  KEYWORD(AS, "as")                                                                                          \
  KEYWORD(NONE, "None")                                                                                      \
  KEYWORD(TRUE, "True")                                                                                      \
  KEYWORD(FALSE, "False")                                                                                    \
  KEYWORD(PRINT, "print")                                                                                    \
  KEYWORD(CLASS, "class")                                                                                    \
  KEYWORD(TRY, "try")                                                                                        \
  KEYWORD(EXCEPT, "except")                                                                                  \
  KEYWORD(FINALLY, "finally")                                                                                \
  KEYWORD(RAISE, "raise")                                                                                    \
  KEYWORD(WITH, "with")                                                                                      \
  KEYWORD(DEL, "del")                                                                                        \
  KEYWORD(GLOBAL, "global")                                                                                  \
  KEYWORD(NONLOCAL, "nonlocal")                                                                              \
  KEYWORD(YIELD, "yield")                                                                                    \
  KEYWORD(EXEC, "exec")                                                                                      \
  BINARY(AND, "and")                                                                                         \
  BINARY(OR, "or")                                                                                           \
  OPERATOR(PLUS_ASSIGN, "+=")                                                                                \
  OPERATOR(MINUS_ASSIGN, "-=")                                                                               \
  OPERATOR(STAR_ASSIGN, "*=")                                                                                \
  OPERATOR(FLOOR_ASSIGN, "//=")                                                                              \
  OPERATOR(SLASH_ASSIGN, "/=")                                                                               \
  OPERATOR(PERCENT_ASSIGN, "%=")                                                                             \
  OPERATOR(AMP_ASSIGN, "&=")                                                                                 \
  OPERATOR(BAR_ASSIGN, "|=")                                                                                 \
  OPERATOR(CARET_ASSIGN, "^=")                                                                               \
  OPERATOR(SHL_ASSIGN, "<<=")                                                                                \
  OPERATOR(SHR_ASSIGN, ">>=")                                                                                \
  OPERATOR(POWER_ASSIGN, "**=")                                                                              \
  BINARY(POWER, "**")                                                                                        \
  BINARY(FLOOR, "//")                                                                                        \
  BINARY(SHL, "<<")                                                                                          \
  BINARY(SHR, ">>")                                                                                          \
  BINARY(LE, "<=")                                                                                           \
  BINARY(GE, ">=")                                                                                           \
  BINARY(EQ, "==")                                                                                           \
  BINARY(NE, "!=")                                                                                           \
  BINARY(LT, "<")                                                                                            \
  BINARY(GT, ">")                                                                                            \
  BINARY(PLUS, "+")                                                                                          \
  BINARY(MINUS, "-")                                                                                         \
  BINARY(STAR, "*")                                                                                          \
  BINARY(SLASH, "/")                                                                                         \
  BINARY(TRUE_SLASH, "/") /* what the parser makes of it, see true_division */                               \
  BINARY(PERCENT, "%")                                                                                       \
  BINARY(AMP, "&")                                                                                           \
  BINARY(BAR, "|")                                                                                           \
  BINARY(CARET, "^")                                                                                         \
  OPERATOR(TILDE, "~")                                                                                       \
  OPERATOR(ASSIGN, "=")                                                                                      \
  OPERATOR(LPAREN, "(")                                                                                      \
  OPERATOR(RPAREN, ")")                                                                                      \
  OPERATOR(LBRACKET, "[")                                                                                    \
  OPERATOR(RBRACKET, "]")                                                                                    \
  OPERATOR(LBRACE, "{")                                                                                      \
  OPERATOR(RBRACE, "}")                                                                                      \
  OPERATOR(COMMA, ",")                                                                                       \
  OPERATOR(COLON, ":")                                                                                       \
  OPERATOR(SEMICOLON, ";")                                                                                   \
  OPERATOR(DOT, ".")                                                                                         \
  OPERATOR(AT, "@")

typedef enum py_tok {
  TOK_END,
  TOK_NEWLINE,
  TOK_INDENT,
  TOK_DEDENT,
  TOK_ERROR, /* something that was reported already, or has a message */
  TOK_NAME,
  TOK_INT,
  TOK_FLOAT,
  TOK_STRING,
#define PY_TOKEN(name, text) TOK_##name,
  PY_TOKENS(PY_TOKEN, PY_TOKEN, PY_TOKEN)
#undef PY_TOKEN
} py_tok;

/* How a message names a kind of token: "'+'", "a name", "the end of the line". */
const char *py_tok_text(py_tok kind);
/* "an operand of '+'" */
const char *py_tok_operand(py_tok kind);

typedef struct py_token {
  py_tok kind;
  pm_loc loc;
  bool line_start;     /* first of its line, and the line before does not end in a backslash */
  bool unmatched;      /* a bracket without its partner */
  uint32_t indent;     /* columns of white space before it when line_start */
  pm_str text;         /* a STRING's is decoded */
  const char *message; /* of an ERROR that is not reported yet; else NULL */
  pm_string name;      /* NAME */
  union {
    int64_t i;
    double f;
  };
} py_token;

typedef struct py_tokens {
  py_token *data;
  size_t len, cap;
} py_tokens;

/* Tokens with NEWLINE, INDENT and DEDENT put in, ending with END; false when something was reported. With
 * `keep` nothing is: an ERROR has the message. Texts live in `arena` or in `text`; free with PM_VEC_FREE. */
bool py_lex(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, bool keep, py_tokens *out);

typedef enum py_kind {
  NODE_NAME,   /* name */
  NODE_INT,    /* i */
  NODE_FLOAT,  /* f */
  NODE_STRING, /* text */
  NODE_NONE,
  NODE_BOOL,          /* i */
  NODE_LIST,          /* items */
  NODE_TUPLE,         /* items */
  NODE_DICT,          /* items: key, value, key, value */
  NODE_ATTR,          /* a.name */
  NODE_INDEX,         /* a[b] */
  NODE_CALL,          /* a(items), each an expression or a KEYWORD */
  NODE_KEYWORD,       /* name = a */
  NODE_UNARY,         /* op a */
  NODE_BINARY,        /* a op b */
  NODE_COMPARE,       /* a op b; op LT .. NE, IN, IS, and `negated` */
  NODE_AND,           /* a and b; op AND, or that of the last comparison in a chain */
  NODE_OR,            /* a or b */
  NODE_NOT,           /* not a */
  NODE_TERNARY,       /* b if a else c */
  NODE_LAMBDA,        /* items: PARAM; a: the value */
  NODE_PARAM,         /* name, default a or NULL */
  NODE_COMPREHENSION, /* [a for …], items: CLAUSE */
  NODE_CLAUSE,        /* for a in b if items */
  NODE_EXPR,          /* a, as a statement */
  NODE_ASSIGN,        /* items: targets; a: value */
  NODE_AUGMENT,       /* a op= b */
  NODE_IF,            /* if a: b else: c (a BLOCK, an IF or NULL) */
  NODE_WHILE,         /* while a: b */
  NODE_FOR,           /* for a in b: c */
  NODE_DEF,           /* def name(items): a */
  NODE_RETURN,        /* a or NULL */
  NODE_PASS,
  NODE_BREAK,
  NODE_CONTINUE,
  NODE_ASSERT,  /* a */
  NODE_IMPORT,  /* items: modules, each a NAME with its path, a: the NAME that it gets, or NULL */
  NODE_FROM,    /* name: the module or NULL, dots before it, items: NAMEs with a: another NAME, or NULL; none:
                   all */
  NODE_REFUSED, /* text: what is wrong with the statement; items: statements that it would run or change as
                   much as, in which the index of an item may be missing */
  NODE_BLOCK    /* items */
} py_kind;

typedef struct py_node py_node;
struct py_node {
  py_kind kind;
  py_tok op;
  bool negated;
  uint8_t dots; /* FROM */
  uint32_t n_items;
  pm_loc loc;
  pm_string name;
  union {
    int64_t i;
    double f;
    pm_str text;
  };
  py_node *a, *b, *c;
  py_node **items;
};

/* The file as a BLOCK in `arena`, or NULL after every syntax error was reported. Of an imported file, which
 * may have more than the program uses, a statement with a syntax error is REFUSED instead, and nothing is
 * reported. */
py_node *py_parse(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, bool imported);

#endif
