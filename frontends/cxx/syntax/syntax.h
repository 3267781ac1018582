/* The syntax tree of the C++ that frontends read.
 *
 * Names are interned, without `std::` and the namespaces of the library in front: `std::vector` is "vector",
 * with the namespace `A` dropped `A::B::c` is "B::c". */
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
  X(DEC, "--")

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
  CX_NAME,   /* name; items: template arguments, each a TYPE or an expression */
  CX_INT,    /* i; is_unsigned, is_long by the suffix (or by size, as in C++) */
  CX_FLOAT,  /* f; is_single: with the suffix f */
  CX_STRING, /* text, decoded; adjacent ones are put together */
  CX_CHAR,   /* i */
  CX_BOOL,   /* i */
  CX_NULLPTR,
  CX_THIS,
  CX_MEMBER,    /* a.name or a->name; items: template arguments */
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
  CX_LAMBDA,    /* items: PARAM; a: the result's TYPE or NULL; b: the BLOCK. What is captured does not count:
                   everything is, by reference */
  CX_CAST,      /* type a of the value b: `(int)x`, `static_cast<int>(x)` */
  CX_SIZEOF,    /* a: a TYPE or an expression */

  /* types and what is inside declarations */
  CX_TYPE,       /* name ("int", "unsigned char" is "uint8_t", "long" is "int64_t", "auto", "vector", "T");
                    items: template arguments; is_const, is_reference, is_pointer. A template argument
                    `T[3]` is an INDEX with the TYPE a, and b NULL for `T[]`. Where a TYPE may stand, a
                    FUNCTION without a name is the type of a function: `std::function<T(T)>` */
  CX_DECLARATOR, /* name; b: the initial value or NULL: an expression, a LIST for `x{…}` and `x = {…}`; a CALL
                    without `a`, for `x(…)`; items: extents of an array, NULL for `[]`. In a structured
                    binding the names are DECLARATORs of items of one without a name */
  CX_PARAM,      /* type a, name or NULL, b: the default or NULL */

  /* statements and declarations */
  CX_DECLARE,    /* type a; items: DECLARATORs; is_static */
  CX_EXPRESSION, /* a */
  CX_IF,         /* if (a) b else c; items: one DECLARE before the condition, or none */
  CX_FOR,        /* for (items[0]; a; b) c; items[0] a DECLARE, an EXPRESSION or NULL; a, b may be NULL */
  CX_RANGE_FOR,  /* for (items[0] : a) c; items[0] a DECLARE with one DECLARATOR without a value */
  CX_WHILE,      /* while (a) c; is_do: do c while (a) */
  CX_SWITCH,     /* switch (a) c, a BLOCK in which are labels */
  CX_LABEL,      /* case a:, or default: without a */
  CX_BREAK,
  CX_CONTINUE,
  CX_RETURN,   /* a or NULL */
  CX_BLOCK,    /* items */
  CX_FUNCTION, /* type a (NULL: a constructor), name ("CameraPipe::sharpen", "operator()"; "operator" converts
                  to a), items: PARAM, b: the BLOCK, NULL when it is declared only; is_static; c: of a
                  constructor a BLOCK of CALLs member(values), or NULL */
  CX_CLASS, /* name ("type at 3:1" where it has none); items: members (DECLARE, FUNCTION, CLASS, ENUM, ALIAS);
               c: a BLOCK of bases, each a TYPE, or NULL; a: of a template a BLOCK of its types' NAMEs, or
               NULL. Access does not count. Also struct */
  CX_ENUM,  /* name, or NULL where it has none and declares no variables; items: DECLARATORs with b: the value
               or NULL; is_scoped: enum class */
  CX_ALIAS, /* using name = a, typedef a name; using A::name without a: name is its last part, text all */
  CX_INCLUDE, /* text; is_local: with quotes */
  CX_MACRO, /* a statement NAME(…) in a class that is no declaration, or at the top level where the name is in
               capitals or the first item is a built-in type: REGISTER(Blur, blur); name;
               items: expressions, TYPEs of built-in types */
  CX_REFUSED /* text: what is wrong with this statement or declaration; name: what it would declare or NULL */
} cx_kind;

typedef struct cx_node cx_node;
struct cx_node {
  cx_kind kind;
  cx_op op;
  bool is_unsigned, is_long, is_single, is_braced, is_const, is_reference, is_pointer, is_static, is_scoped,
      is_do, is_local;
  uint32_t n_items;
  pm_loc loc; /* of a binary operator, an assignment, a call and an index: where the operator, '(' or '['
                 stands */
  pm_string name;
  union {
    int64_t i;
    double f;
    pm_str text;
  };
  cx_node *a, *b, *c;
  cx_node **items;
};

/* The file as a BLOCK in `arena`. Names are written without the namespaces `dropped` (NULL-terminated; NULL:
 * none), and without those of `namespaces`, to which those of the file are added: pm_string -> what is not
 * NULL. It may be NULL: then they are those of the file alone. A statement or declaration that is not
 * understood is REFUSED and says why; nothing is reported of it, since the program may not need it. NULL
 * after diagnostics where that cannot be done: brackets that do not match, a string, comment or #if that does
 * not end, nesting deeper than 200. Includes are INCLUDEs at the top level, wherever they stand. */
cx_node *cx_parse(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, const char *const *dropped,
                  pm_map *namespaces);

#endif
