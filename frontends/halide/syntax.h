/* The part of C++ in which Halide's programs are written: the syntax tree. Private to this frontend.
 *
 * Names are interned, without `Halide::` and `std::` in front: `std::vector` is "vector", `Halide::Func` is
 * "Func", `Halide::BoundaryConditions::repeat_edge` is "BoundaryConditions::repeat_edge". */
#ifndef PM_FRONTENDS_HALIDE_SYNTAX_H
#define PM_FRONTENDS_HALIDE_SYNTAX_H

#include "ir/diag.h"

/* Operators of expressions, by their text. An assignment with an operator has that operator. */
#define HL_OPERATORS(X)                                                                                      \
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

typedef enum hl_op {
  HL_OP_NONE,
#define HL_OPERATOR(name, text) HL_OP_##name,
  HL_OPERATORS(HL_OPERATOR)
#undef HL_OPERATOR
} hl_op;

/* "+" */
const char *hl_op_text(hl_op op);

typedef enum hl_kind {
  /* expressions */
  HL_NAME,   /* name; items: template arguments, each a TYPE or an expression */
  HL_INT,    /* i; is_unsigned, is_long by the suffix (or by size, as in C++) */
  HL_FLOAT,  /* f; is_single: with the suffix f */
  HL_STRING, /* text, decoded; adjacent ones are put together */
  HL_CHAR,   /* i */
  HL_BOOL,   /* i */
  HL_NULLPTR,
  HL_THIS,
  HL_MEMBER,    /* a.name or a->name; items: template arguments */
  HL_INDEX,     /* a[b] */
  HL_CALL,      /* a(items) */
  HL_CONSTRUCT, /* type a, made from items: `float(x)`, `Func{"f"}`, `std::vector<Expr>{a, b}`; is_braced. A
                   name that is not known for a type and has parentheses behind it is a CALL */
  HL_LIST,      /* {items} */
  HL_UNARY,     /* op a: SUB, ADD, NOT, BIT_NOT, BIT_AND, MUL (dereference), INC, DEC */
  HL_POSTFIX,   /* a op: INC, DEC */
  HL_BINARY,    /* a op b */
  HL_ASSIGN,    /* a = b; with op: a op= b */
  HL_TERNARY,   /* a ? b : c */
  HL_LAMBDA,    /* items: PARAM; a: the result's TYPE or NULL; b: the BLOCK. What is captured does not count:
                   everything is, by reference */
  HL_CAST,      /* type a of the value b: `(int)x`, `static_cast<int>(x)` */
  HL_SIZEOF,    /* a: a TYPE or an expression */

  /* types and what is inside declarations */
  HL_TYPE,       /* name ("int", "unsigned char" is "uint8_t", "long" is "int64_t", "auto", "vector", "Func");
                    items: template arguments; is_const, is_reference, is_pointer. A template argument
                    `Func[3]` is an INDEX with the TYPE a, and b NULL for `Func[]`. Where a TYPE may stand, a
                    FUNCTION without a name is the type of a function: `std::function<Expr(Expr)>` */
  HL_DECLARATOR, /* name; b: the initial value or NULL: an expression, a LIST for `x{…}` and `x = {…}`; a CALL
                    without `a`, for `x(…)`; items: extents of an array, NULL for `[]`. In a structured
                    binding the names are DECLARATORs of items of one without a name */
  HL_PARAM,      /* type a, name or NULL, b: the default or NULL */

  /* statements and declarations */
  HL_DECLARE,    /* type a; items: DECLARATORs; is_static */
  HL_EXPRESSION, /* a */
  HL_IF,         /* if (a) b else c; items: one DECLARE before the condition, or none */
  HL_FOR,        /* for (items[0]; a; b) c; items[0] a DECLARE, an EXPRESSION or NULL; a, b may be NULL */
  HL_RANGE_FOR,  /* for (items[0] : a) c; items[0] a DECLARE with one DECLARATOR without a value */
  HL_WHILE,      /* while (a) c; is_do: do c while (a) */
  HL_SWITCH,     /* switch (a) c, a BLOCK in which are labels */
  HL_LABEL,      /* case a:, or default: without a */
  HL_BREAK,
  HL_CONTINUE,
  HL_RETURN,   /* a or NULL */
  HL_BLOCK,    /* items */
  HL_FUNCTION, /* type a (NULL: a constructor), name ("CameraPipe::sharpen", "operator()"; "operator" converts
                  to a), items: PARAM, b: the BLOCK, NULL when it is declared only; is_static; c: of a
                  constructor a BLOCK of CALLs member(values), or NULL */
  HL_CLASS, /* name ("type at 3:1" where it has none); items: members (DECLARE, FUNCTION, CLASS, ENUM, ALIAS);
               c: a BLOCK of bases, each a TYPE, or NULL; a: of a template a BLOCK of its types' NAMEs, or
               NULL. Access does not count. Also struct */
  HL_ENUM,  /* name, or NULL where it has none and declares no variables; items: DECLARATORs with b: the value
               or NULL; is_scoped: enum class */
  HL_ALIAS, /* using name = a, typedef a name; using A::name without a: name is its last part, text all */
  HL_INCLUDE, /* text; is_local: with quotes */
  HL_MACRO, /* a statement NAME(…) in a class that is no declaration, or at the top level where the name is in
               capitals or the first item is a built-in type: HALIDE_REGISTER_GENERATOR(Blur, blur); name;
               items: expressions, TYPEs of built-in types */
  HL_REFUSED /* text: what is wrong with this statement or declaration; name: what it would declare or NULL */
} hl_kind;

typedef struct hl_node hl_node;
struct hl_node {
  hl_kind kind;
  hl_op op;
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
  hl_node *a, *b, *c;
  hl_node **items;
};

/* The file as a BLOCK in `arena`. A statement or declaration that is not understood is REFUSED and says why;
 * nothing is reported of it, since the program may not need it. NULL after diagnostics where that cannot be
 * done: brackets that do not match, a string, comment or #if that does not end, nesting deeper than 200.
 * Includes are INCLUDEs at the top level, wherever they stand. */
hl_node *hl_parse(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text);
/* The same of a file of several: names are written without the namespaces, to which those of the file are
 * added: pm_string -> what is not NULL. */
hl_node *hl_parse_among(pm_context *ctx, pm_arena *arena, uint16_t file, pm_str text, pm_map *namespaces);

#endif
