/* Tokens of C++ and the preprocessor that reads them. Private to the parser. */
#ifndef PM_FRONTENDS_CXX_SYNTAX_LEXER_H
#define PM_FRONTENDS_CXX_SYNTAX_LEXER_H

#include "frontends/cxx/syntax/syntax.h"

/* BASIC(name, text): a word of built-in types. KEYWORD(name, text). OPERATOR(name, text): the longer before
 * the shorter. '>>' is two GREATER, of which the first is `joined`. */
#define CX_TOKENS(BASIC, KEYWORD, OPERATOR)                                                                  \
  BASIC(AUTO, "auto")                                                                                        \
  BASIC(VOID, "void")                                                                                        \
  BASIC(BOOL, "bool")                                                                                        \
  BASIC(CHAR, "char")                                                                                        \
  BASIC(SHORT, "short")                                                                                      \
  BASIC(INT, "int")                                                                                          \
  BASIC(LONG, "long")                                                                                        \
  BASIC(SIGNED, "signed")                                                                                    \
  BASIC(UNSIGNED, "unsigned")                                                                                \
  BASIC(FLOAT, "float")                                                                                      \
  BASIC(DOUBLE, "double")                                                                                    \
  KEYWORD(IF, "if")                                                                                          \
  KEYWORD(ELSE, "else")                                                                                      \
  KEYWORD(FOR, "for")                                                                                        \
  KEYWORD(WHILE, "while")                                                                                    \
  KEYWORD(DO, "do")                                                                                          \
  KEYWORD(SWITCH, "switch")                                                                                  \
  KEYWORD(CASE, "case")                                                                                      \
  KEYWORD(DEFAULT, "default")                                                                                \
  KEYWORD(BREAK, "break")                                                                                    \
  KEYWORD(CONTINUE, "continue")                                                                              \
  KEYWORD(RETURN, "return")                                                                                  \
  KEYWORD(GOTO, "goto")                                                                                      \
  KEYWORD(TRY, "try")                                                                                        \
  KEYWORD(CATCH, "catch")                                                                                    \
  KEYWORD(THROW, "throw")                                                                                    \
  KEYWORD(NEW, "new")                                                                                        \
  KEYWORD(DELETE, "delete")                                                                                  \
  KEYWORD(ASM, "asm")                                                                                        \
  KEYWORD(TRUE, "true")                                                                                      \
  KEYWORD(FALSE, "false")                                                                                    \
  KEYWORD(NULLPTR, "nullptr")                                                                                \
  KEYWORD(THIS, "this")                                                                                      \
  KEYWORD(SIZEOF, "sizeof")                                                                                  \
  KEYWORD(STATIC_CAST, "static_cast")                                                                        \
  KEYWORD(REINTERPRET_CAST, "reinterpret_cast")                                                              \
  KEYWORD(CONST_CAST, "const_cast")                                                                          \
  KEYWORD(DYNAMIC_CAST, "dynamic_cast")                                                                      \
  KEYWORD(CLASS, "class")                                                                                    \
  KEYWORD(STRUCT, "struct")                                                                                  \
  KEYWORD(UNION, "union")                                                                                    \
  KEYWORD(ENUM, "enum")                                                                                      \
  KEYWORD(PUBLIC, "public")                                                                                  \
  KEYWORD(PRIVATE, "private")                                                                                \
  KEYWORD(PROTECTED, "protected")                                                                            \
  KEYWORD(FRIEND, "friend")                                                                                  \
  KEYWORD(OVERLOAD, "operator")                                                                              \
  KEYWORD(VIRTUAL, "virtual")                                                                                \
  KEYWORD(EXPLICIT, "explicit")                                                                              \
  KEYWORD(NAMESPACE, "namespace")                                                                            \
  KEYWORD(USING, "using")                                                                                    \
  KEYWORD(TYPEDEF, "typedef")                                                                                \
  KEYWORD(TEMPLATE, "template")                                                                              \
  KEYWORD(TYPENAME, "typename")                                                                              \
  KEYWORD(DECLTYPE, "decltype")                                                                              \
  KEYWORD(CONST, "const")                                                                                    \
  KEYWORD(CONSTEXPR, "constexpr")                                                                            \
  KEYWORD(VOLATILE, "volatile")                                                                              \
  KEYWORD(MUTABLE, "mutable")                                                                                \
  KEYWORD(STATIC, "static")                                                                                  \
  KEYWORD(EXTERN, "extern")                                                                                  \
  KEYWORD(INLINE, "inline")                                                                                  \
  KEYWORD(REGISTER, "register")                                                                              \
  KEYWORD(THREAD_LOCAL, "thread_local")                                                                      \
  KEYWORD(NOEXCEPT, "noexcept")                                                                              \
  KEYWORD(ALIGNAS, "alignas")                                                                                \
  KEYWORD(ATTRIBUTE, "__attribute__")                                                                        \
  KEYWORD(STATIC_ASSERT, "static_assert")                                                                    \
  OPERATOR(ELLIPSIS, "...")                                                                                  \
  OPERATOR(SHL_ASSIGN, "<<=")                                                                                \
  OPERATOR(SHR_ASSIGN, ">>=")                                                                                \
  OPERATOR(ADD_ASSIGN, "+=")                                                                                 \
  OPERATOR(SUB_ASSIGN, "-=")                                                                                 \
  OPERATOR(MUL_ASSIGN, "*=")                                                                                 \
  OPERATOR(DIV_ASSIGN, "/=")                                                                                 \
  OPERATOR(MOD_ASSIGN, "%=")                                                                                 \
  OPERATOR(AND_ASSIGN, "&=")                                                                                 \
  OPERATOR(OR_ASSIGN, "|=")                                                                                  \
  OPERATOR(XOR_ASSIGN, "^=")                                                                                 \
  OPERATOR(INC, "++")                                                                                        \
  OPERATOR(DEC, "--")                                                                                        \
  OPERATOR(ARROW, "->")                                                                                      \
  OPERATOR(SCOPE, "::")                                                                                      \
  OPERATOR(SHL, "<<")                                                                                        \
  OPERATOR(LESS_EQUAL, "<=")                                                                                 \
  OPERATOR(GREATER_EQUAL, ">=")                                                                              \
  OPERATOR(EQUAL, "==")                                                                                      \
  OPERATOR(NOT_EQUAL, "!=")                                                                                  \
  OPERATOR(AND, "&&")                                                                                        \
  OPERATOR(OR, "||")                                                                                         \
  OPERATOR(LESS, "<")                                                                                        \
  OPERATOR(GREATER, ">")                                                                                     \
  OPERATOR(ASSIGN, "=")                                                                                      \
  OPERATOR(PLUS, "+")                                                                                        \
  OPERATOR(MINUS, "-")                                                                                       \
  OPERATOR(STAR, "*")                                                                                        \
  OPERATOR(SLASH, "/")                                                                                       \
  OPERATOR(PERCENT, "%")                                                                                     \
  OPERATOR(AMP, "&")                                                                                         \
  OPERATOR(BAR, "|")                                                                                         \
  OPERATOR(CARET, "^")                                                                                       \
  OPERATOR(TILDE, "~")                                                                                       \
  OPERATOR(NOT, "!")                                                                                         \
  OPERATOR(QUESTION, "?")                                                                                    \
  OPERATOR(COLON, ":")                                                                                       \
  OPERATOR(SEMICOLON, ";")                                                                                   \
  OPERATOR(COMMA, ",")                                                                                       \
  OPERATOR(DOT, ".")                                                                                         \
  OPERATOR(HASH, "#")                                                                                        \
  OPERATOR(LPAREN, "(")                                                                                      \
  OPERATOR(RPAREN, ")")                                                                                      \
  OPERATOR(LBRACKET, "[")                                                                                    \
  OPERATOR(RBRACKET, "]")                                                                                    \
  OPERATOR(LBRACE, "{")                                                                                      \
  OPERATOR(RBRACE, "}")

typedef enum cx_tok {
  TOK_END,
  TOK_ERROR,
  TOK_NAME,
  TOK_INTEGER,
  TOK_NUMBER, /* with a point or an exponent */
  TOK_STRING,
  TOK_CHARACTER,
#define CX_TOKEN(name, text) TOK_##name,
  CX_TOKENS(CX_TOKEN, CX_TOKEN, CX_TOKEN)
#undef CX_TOKEN
} cx_tok;

typedef struct cx_token {
  cx_tok kind;
  pm_loc loc;
  bool is_unsigned, is_long; /* INTEGER */
  bool is_single;            /* NUMBER */
  bool joined;               /* GREATER: another '>' follows at once */
  bool starts_line;          /* the first one of its line */
  bool after_space;          /* white space is before it */
  bool is_fatal;             /* ERROR: what follows cannot be read */
  bool is_directive;         /* ERROR: stands for a whole line */
  uint32_t partner;          /* of a bracket: the number of the other one */
  pm_str source;             /* its characters in the file */
  union {
    int64_t i;           /* INTEGER, CHARACTER */
    double f;            /* NUMBER */
    pm_str text;         /* STRING, decoded, in the arena */
    pm_string name;      /* NAME, keywords */
    const char *message; /* ERROR, in the arena */
  };
} cx_token;

/* The last token is END. */
typedef PM_VEC(cx_token) cx_tokens;

/* "';'", "a name" */
const char *cx_tok_text(cx_tok kind);
bool cx_is_basic(cx_tok kind);
bool cx_is_name(const cx_token *t, const char *text);
/* How tightly a binary operator binds, 1 to 10; 0: it is none. Of '>>' the first token counts. */
int cx_precedence(const cx_token *t);

/* The characters as tokens, with directives' ones among them; what is wrong is an ERROR. */
void cx_scan(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, cx_tokens *out);
/* Scans, follows the directives, includes headers, replaces macros and matches the brackets. False after
 * diagnostics. The caller frees the list. */
bool cx_lex(pm_context *ctx, pm_arena *arena, const cx_file *file, const cx_includer *includer,
            cx_tokens *out);

#endif
