/* The syntax tree of the C++ that frontends read.
 *
 * Names are interned, without `std::` and the namespaces of the library in front: `std::vector` is "vector"
 * and `is_of_library`; with the namespace `A` dropped `A::B::c` is "B::c". `::x` is "x" and `is_global`. */
#ifndef PM_FRONTENDS_CXX_SYNTAX_SYNTAX_H
#define PM_FRONTENDS_CXX_SYNTAX_SYNTAX_H

#include "ir/diag.h"

/* Operators of expressions, by their text. An assignment with an operator has that operator. */
#define CX_OPERATORS(X)                                                                                      \
  X(ADD, "+")                                                                                                \
  X(SUB, "-")                                                                                                \
  X(MUL, "*")                                                                                                \
  X(DIV, "/")                                                                                                \
  X(MOD, "%")                                                                                                \
  X(SHL, "<<")                                                                                               \
  X(SHR, ">>")                                                                                               \
  X(LT, "<")                                                                                                 \
  X(LE, "<=")                                                                                                \
  X(GT, ">")                                                                                                 \
  X(GE, ">=")                                                                                                \
  X(EQ, "==")                                                                                                \
  X(NE, "!=")                                                                                                \
  X(AND, "&&")                                                                                               \
  X(OR, "||")                                                                                                \
  X(BIT_AND, "&") /* unary: address of */                                                                    \
  X(BIT_OR, "|")                                                                                             \
  X(BIT_XOR, "^")                                                                                            \
  X(BIT_NOT, "~")                                                                                            \
  X(NOT, "!")                                                                                                \
  X(INC, "++")                                                                                               \
  X(DEC, "--")                                                                                               \
  X(COMMA, ",")

typedef enum cx_op {
  CX_OP_NONE,
#define CX_OPERATOR(name, text) CX_OP_##name,
  CX_OPERATORS(CX_OPERATOR)
#undef CX_OPERATOR
} cx_op;

/* "+" */
const char *cx_op_text(cx_op op);

typedef enum cx_kind {
  /* expressions */
  CX_NAME,   /* name; items: template arguments, each a TYPE or an expression; is_braced: in <>, maybe none */
  CX_INT,    /* i; is_unsigned, is_long by the suffix (or by size, as in C++) */
  CX_FLOAT,  /* f; is_single: with the suffix f */
  CX_STRING, /* text, decoded; adjacent ones are put together */
  CX_CHAR,   /* i */
  CX_BOOL,   /* i */
  CX_NULLPTR,
  CX_THIS,
  CX_MEMBER,    /* a.name or a->name; items: template arguments; is_pointer: with -> */
  CX_INDEX,     /* a[b] */
  CX_CALL,      /* a(items) */
  CX_CONSTRUCT, /* type a, made from items: `float(x)`, `T{"f"}`, `std::vector<T>{a, b}`; is_braced. A
                   name that is not known for a type and has parentheses behind it is a CALL */
  CX_LIST,      /* {items} */
  CX_UNARY,     /* op a: SUB, ADD, NOT, BIT_NOT, BIT_AND, MUL (dereference), INC, DEC */
  CX_POSTFIX,   /* a op: INC, DEC */
  CX_BINARY,    /* a op b */
  CX_ASSIGN,    /* a = b; with op: a op= b */
  CX_TERNARY,   /* a ? b : c */
  CX_LAMBDA, /* items: PARAM; a: the result's TYPE or NULL; b: the BLOCK; c: a BLOCK of what is captured, each
                a NAME (is_reference: by reference; b: its value) or THIS; its op is BIT_AND for a `&` alone,
                NE for `=`; is_mutable; t: as of a FUNCTION */
  CX_CAST,   /* type a of the value b: `(int)x`, `static_cast<int>(x)` */
  CX_NEW,    /* new a[b], new a(items): type a; b: how many, or NULL */
  CX_DELETE, /* delete a, delete[] a */
  CX_SIZEOF, /* a: a TYPE or an expression; is_long: sizeof...(a), a NAME */
  CX_EXPANSION, /* `a...`: of what a pack has; an expression, or a TYPE among arguments of a template and
                   bases */
  CX_FOLD,      /* `(a op ...)`, `(... op b)`, `(a op ... op b)`: a or b may be NULL */

  /* types and what is inside declarations */
  CX_TYPE,       /* name ("int", "unsigned char" is "uint8_t", "long" is "int64_t", "auto", "vector", "T");
                    items: template arguments; is_const, is_reference, is_pointer, is_rvalue (`&&`,
                    is_reference too). c: the class that is meant, where the type is closed. A template argument
                    `T[3]` is an INDEX with the TYPE a, and b NULL for `T[]`. Where a TYPE may stand, a
                    FUNCTION without a name is the type of a function: `std::function<T(T)>` */
  CX_DECLARATOR, /* name; b: the initial value or NULL: an expression, a LIST for `x{…}` and `x = {…}`; a CALL
                    without `a`, for `x(…)`; items: extents of an array, NULL for `[]`. In a structured
                    binding the names are DECLARATORs of items of one without a name */
  CX_PARAM,      /* type a, name or NULL, b: the default or NULL. Of a template: a is NULL where it is a type.
                    items: extents of an array, NULL for `[]`. is_long: a pack; is_static: one of those
                    that a pack has become */

  /* statements and declarations */
  CX_DECLARE,    /* type a; items: DECLARATORs; is_static; is_incomplete: `extern` */
  CX_EXPRESSION, /* a */
  CX_IF,         /* if (a) b else c; items: one DECLARE before the condition, or none */
  CX_FOR,        /* for (items[0]; a; b) c; items[0] a DECLARE, an EXPRESSION or NULL; a, b may be NULL */
  CX_RANGE_FOR,  /* for (items[0] : a) c; items[0] a DECLARE with one DECLARATOR without a value */
  CX_WHILE,      /* while (a) c; items as of IF; is_do: do c while (a) */
  CX_SWITCH,     /* switch (a) c, a BLOCK in which are labels */
  CX_LABEL,      /* case a:, or default: without a */
  CX_BREAK,
  CX_CONTINUE,
  CX_RETURN,   /* a or NULL */
  CX_BLOCK,    /* items */
  CX_FUNCTION, /* type a (NULL: a constructor), name ("CameraPipe::sharpen", "operator()"; "operator" converts
                  to a), items: PARAM, b: the BLOCK, NULL when it is declared only; c: of a constructor a
                  BLOCK of CALLs member(values), or NULL; t: of a template a BLOCK of PARAMs; s: of a special
                  case the BLOCK of its arguments; is_long: its pack, the PARAM s, has become parameters;
                  is_static, is_virtual, is_const, is_friend, is_explicit,
                  is_deleted */
  CX_CLASS, /* name ("type at 3:1" where it has none); items: members (DECLARE, FUNCTION, CLASS, ENUM, ALIAS,
               USING); c: a BLOCK of bases, each a TYPE, or NULL; t, s: as of a FUNCTION. Access does not
               count. Also struct */
  CX_ENUM,  /* name, or NULL where it has none and declares no variables; items: DECLARATORs with b: the value
               or NULL; is_scoped: enum class */
  CX_ALIAS, /* using name = a, typedef a name; t: as of a FUNCTION */
  CX_USING, /* using A::name: a is the NAME, name its last part; using namespace A: without name */
  CX_NAMESPACE, /* name, items; is_of_library: the library's. namespace name = A: a is the NAME A */
  CX_MACRO, /* a statement NAME(…) in a class that is no declaration, or at the top level where the name is in
               capitals or the first item is a built-in type: REGISTER(Blur, blur); name;
               items: expressions, TYPEs of built-in types */
  CX_REFUSED /* text: what is wrong with this statement or declaration; name: what it would declare or NULL */
} cx_kind;

typedef struct cx_node cx_node;
struct cx_node {
  cx_kind kind;
  cx_op op;
  bool is_unsigned, is_long, is_single, is_braced, is_const, is_reference, is_rvalue, is_pointer, is_static,
      is_scoped, is_do, is_global, is_of_library, is_virtual, is_mutable, is_friend, is_explicit, is_deleted,
      is_defaulted, is_incomplete;
  uint32_t n_items;
  uint32_t n_last; /* of a name: items that are behind its last part, as T of A<int>::f<T> */
  pm_loc loc;      /* of a binary operator, an assignment, a call and an index: where the operator, '(' or '['
                      stands */
  pm_string name;
  union {
    int64_t i;
    double f;
    pm_str text;
  };
  cx_node *a, *b, *c;
  cx_node *t, *s; /* of templates: the parameters, the arguments of a special case */
  cx_node **items;
};

/* A text to read; `text` and `path` are in the arena. */
typedef struct cx_file {
  uint16_t number;  /* of its places */
  const char *path; /* that headers in quotes are beside */
  pm_string target; /* what the path leads to, the same for all ways to the file */
  pm_str text;
  bool is_known; /* an earlier program has read it: of it only directives count */
} cx_file;

/* A constant that is given from outside. */
typedef struct cx_given {
  const char *name, *text; /* borrowed; text NULL: the library has a value of the name (find_name) */
  bool is_used;
  int64_t in_place_of; /* the positive integer that the program has there; 0: none */
} cx_given;

/* Who reads headers. `open` gives false where the header has nothing to read; then *wrong says what is wrong,
 * in the arena, or is NULL: it is one to go without. */
typedef struct cx_includer {
  bool (*open)(void *user, const char *from, pm_str name, bool is_local, cx_file *out, const char **wrong);
  void *user;
  /* What stands behind `#pragma`, from its first word on, macros not replaced; or NULL. */
  void (*pragma)(void *user, pm_loc loc, pm_str text);
  const char *const *macros; /* that are defined ahead of the text: "CODEGEN" */
  size_t n_macros;
  /* What macros of the text are in place of what it says. */
  cx_given *given;
  size_t n_given;
} cx_includer;

/* The file and what it includes, as the preprocessor leaves them, as a BLOCK in `arena`. Names are written
 * without the namespaces `dropped` (NULL-terminated; NULL: none) and are `is_of_library` then. A statement or
 * declaration that is not understood is REFUSED and says why; nothing is reported of it, since the program
 * may not need it. NULL after diagnostics where that cannot be done: brackets that do not match, a string,
 * comment or #if that does not end, nesting deeper than 200. */
cx_node *cx_parse(pm_context *ctx, pm_arena *arena, const cx_file *file, const char *const *dropped,
                  const cx_includer *includer);

#endif
