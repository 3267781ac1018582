/* What targets whose text is C, or a language like it, share: names, literals, expressions with as few
 * parentheses as it takes, statements and their nesting, places of cells. A language is a c_language; what a
 * target needs beside it hangs on the emitter. Everything here begins with c_, as the text does with C.
 *
 *   names.c     identifiers, scopes
 *   text.c      lines, indentation, comments, strings
 *   plan.c      which values are nested, which get a variable
 *   expr.c      expressions and literals, by the rows of forms.def
 *   helpers.c   the functions of scalars that expressions call
 *   index.c     places of cells
 *   stmt.c      variables, loops, conditions, stores
 */
#ifndef PM_TARGETS_CFAMILY_H
#define PM_TARGETS_CFAMILY_H

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/ranges.h"
#include "ir/ir.h"

/* How tightly an expression binds; a weaker one is put in parentheses. */
enum {
  C_ANY,
  C_TERNARY,
  C_LOGIC_OR,
  C_LOGIC_AND,
  C_BIT_OR,
  C_BIT_XOR,
  C_BIT_AND,
  C_EQUALITY,
  C_RELATION,
  C_SHIFT,
  C_SUM,
  C_PRODUCT,
  C_UNARY,
  C_PRIMARY
};

/* Where a language has a type of places: a small call has arrays of at most so many cells, and what the
 * program names as sizes is from -C_SMALL_SIZE to C_SMALL_SIZE. Products of two such sizes have 30 bits. */
enum { C_SMALL_CELLS = 1 << 30, C_SMALL_SIZE = 32000 };

/* What the text of an integer of 64 bits computes in: int, the language's type of places, or 64 bits. */
typedef enum c_width { C_INT, C_PLACE, C_LONG } c_width;

/* What is known of a value. */
typedef struct c_var {
  const char *name;   /* of the variable that holds it, or NULL */
  unsigned mask_bits; /* vector of i1: width of its lanes, where the target has such */
} c_var;

/* Where an op without side effects appears. */
typedef struct c_plan {
  const pm_op *anchor; /* the statement it is part of */
  uint32_t epoch;      /* writes before it in its region */
  uint32_t size;       /* of the expression */
  bool live;           /* something with an effect needs it */
  bool nested;         /* part of the expression of its one user */
  bool guarded;        /* evaluated only under a condition in C, though not in the IR */
} c_plan;

typedef enum c_helper {
#define HELPER(id, word, params, doc, signed_text, unsigned_text) C_##id,
#include "targets/cfamily/forms.def"
  C_N_HELPERS
} c_helper;

/* Names that a program of the language may not give. Each list ends with NULL, and may be NULL. */
typedef struct c_words {
  const char *const *reserved; /* words of the language, and what its headers may define */
  const char *const *variants; /* endings that make another such word of one: the f of sinf */
  const char *const *starts;   /* of names that are taken */
  const char *const *ends;
  const char *const *library; /* for functions, besides: what others may link with */
} c_words;

typedef struct c_names {
  pm_context *ctx;
  const c_words *words;
  pm_map *taken; /* pm_string that is visible */
  pm_map *next;  /* base -> number of the next try */
  PM_VEC(pm_string) scope;
} c_names;

typedef struct c_emitter c_emitter;

/* How the target prints an op that is a statement. */
typedef struct c_statement_row {
  const pm_op_desc *desc; /* NULL ends the table */
  void (*emit)(c_emitter *e, const pm_op *op);
} c_statement_row;

/* A language, and what its target prints by itself. Hooks that are NULL do nothing. */
typedef struct c_language {
  const c_words *words;
  const char *const *types; /* names of the scalar types, by pm_scalar; NULL: the language lacks it */
  const char *place; /* a type of 32 bits for small calls, of 64 for others; NULL: the language has none */
  const char *const *least; /* the least and the greatest number of each, as text; NULL for floats */
  const char *const *greatest;
  const char *long_number; /* a literal of 64 bits, % for the number: "INT64_C(%)" */
  const char *unsigned_long_number;
  const char *from_single; /* a conversion of INFINITY and NAN to double: "(double)", or "" */
  const char *function;    /* what functions begin with: "static inline" */
  const char *constant;    /* what arrays of known numbers begin with: "static const" */
  const char *bits;        /* ahead of a type: the function that keeps the bits; NULL: by memcpy */
  bool single_math;        /* functions of f32 have names that end with f */
  bool named_arms; /* what is evaluated conditionally is a variable: compilers see no branches, which end
                      vectors */
  const c_statement_row *statements; /* of ops that cfamily prints in no way, or in another one */
  /* Vectors: an op with one among its operands or results, a constant, the type of a variable, and the value
   * in the type of a variable for `like`. */
  void (*vector_op)(c_emitter *e, const pm_op *op, int min);
  void (*vector_constant)(c_emitter *e, const pm_value *value);
  const char *(*vector_type)(c_emitter *e, const pm_value *value);
  void (*vector_as)(c_emitter *e, const pm_value *value, const pm_value *like);
  /* An expression that binds tightest: on how many threads a loop.parallel runs; NULL: on one. */
  const char *(*threads)(c_emitter *e);
  /* The same: the number of the thread; NULL: 0. */
  const char *(*thread)(c_emitter *e);
  /* Lines before a loop of one thread; after the ops of a region. */
  void (*before_loop)(c_emitter *e, const pm_op *loop);
  /* Prints such a loop as what the processor has for it; NULL: it is a loop. */
  void (*streaming)(c_emitter *e, const pm_op *loop, const loop_streaming *copy);
  void (*end_region)(c_emitter *e, const pm_region *region);
} c_language;

struct c_emitter {
  const c_language *language;
  void *own; /* the target's */
  pm_context *ctx;
  pm_arena *arena;
  pm_buf *out;
  unsigned indent;
  size_t line_start;
  pm_map *vars;        /* pm_value, or buf.alloc of several arrays -> c_var */
  pm_map *plans;       /* pm_op -> c_plan */
  loop_ranges *ranges; /* of the function */
  loop_ranges *small;  /* and in small calls, where the language has a type of places; or NULL */
  c_names names;
  bool plain; /* conversions of integers are left out: for documentation */
  pm_loc last_loc;
  bool uses_math, uses_copy; /* <math.h>, memcpy */
  bool helpers[C_N_HELPERS][PM_N_SCALARS];
  bool saturates[PM_N_SCALARS][PM_N_SCALARS]; /* [from][to] */
  bool bitcasts[PM_N_SCALARS][PM_N_SCALARS];
};

/* An emitter without text; `out` is set by the caller before anything is printed. */
void c_emitter_init(c_emitter *e, pm_context *ctx, const c_language *language, void *own);
void c_emitter_free(c_emitter *e);
/* What is to be known of a function before it is printed: ranges, and where its values appear. Given up by
 * c_end_function. */
void c_begin_function(c_emitter *e, const pm_op *func);
void c_end_function(c_emitter *e);

/* --- names.c --- */
void c_names_init(c_names *names, pm_context *ctx, const c_words *words);
void c_names_free(c_names *names);
/* An identifier like `hint` that nothing visible has; visible from now on. */
const char *c_new_name(c_names *names, pm_str hint);
/* An identifier made of `text` alone: the same for the same text. */
const char *c_identifier(const c_names *names, pm_str text);
/* The same for a function, which others link with: nor is it one of the libraries. */
const char *c_function_identifier(const c_names *names, pm_str text);
size_t c_open_scope(const c_names *names);
void c_close_scope(c_names *names, size_t mark);

/* --- text.c --- */
void c_put(c_emitter *e, const char *fmt, ...) PM_PRINTF(2, 3);
/* Begins a line of the present indentation. */
void c_begin(c_emitter *e);
/* Ends the line; a long one is broken at blanks. */
void c_end(c_emitter *e);
void c_line(c_emitter *e, const char *fmt, ...) PM_PRINTF(2, 3);
/* A line with the brace, at one step less. */
void c_close_block(c_emitter *e);
/* The text, with what would end a comment or a line of it replaced. */
void c_comment_text(c_emitter *e, const char *text);
/* A comment with the line of the source that the op comes from, unless the text before it names it already.
 */
void c_comment_location(c_emitter *e, const pm_op *op);
/* What stands between the quotes of a string. */
void c_string_text(c_emitter *e, const char *text);
/* Of the scalars of the type. */
const char *c_type_name(const c_emitter *e, pm_type type);
c_var *c_var_of(c_emitter *e, const pm_value *value);
/* The variable of the memory that the arrays of a buf.alloc share. */
c_var *c_pool_of(c_emitter *e, const pm_op *alloc);

/* --- plan.c --- */
c_plan *c_plan_of(c_emitter *e, const pm_op *op);
void c_make_plan(c_emitter *e, const pm_op *func);
/* It appears in the text, as a statement or inside one. */
bool c_is_statement(c_emitter *e, const pm_op *op);
/* Something in the text reads the value. */
bool c_is_used(c_emitter *e, const pm_value *value);
/* An operand or its result is a vector. */
bool c_is_vector_op(const pm_op *op);

/* --- expr.c --- */
/* Prints the value, in parentheses when it binds weaker than `min`. */
void c_expr(c_emitter *e, const pm_value *value, int min);
/* The same of the opposite of a condition. */
void c_negation(c_emitter *e, const pm_value *condition, int min);
/* The expression of an op, whatever its plan. */
void c_op_expr(c_emitter *e, const pm_op *op, int min);
/* Its result does not depend on its operands, which are one integer; compilers warn about such text. */
bool c_compares_with_itself(const pm_op *op);
bool c_open(c_emitter *e, int precedence, int min);
void c_close(c_emitter *e, bool open);
/* An integer of 64 bits, or a vector of them. */
bool c_has_64_bits(const pm_value *value);
/* Of the text of an integer of 64 bits; C_INT for other values. */
c_width c_width_of(c_emitter *e, const pm_value *value);
/* That of a variable for the value: C_PLACE when few bits hold it in small calls, with room for steps, and of
 * a counter what it begins with, too. */
c_width c_variable_width(c_emitter *e, const pm_value *value);
void c_integer(c_emitter *e, int64_t value, pm_scalar scalar, int min);
/* The function of scalars that the op is in the text, for operands of this type; NULL when it is none. */
const char *c_scalar_function(c_emitter *e, const pm_op *op, pm_scalar scalar);
/* A number, or a splat's; one of a DENSE of that type. */
void c_number(c_emitter *e, pm_attr constant, int min);
void c_number_of(c_emitter *e, pm_scalar scalar, pm_number number, int min);
/* The type of a variable for the value. */
const char *c_value_type(c_emitter *e, const pm_value *value);
/* The value in the type of a variable for `like`, which has the same type in the IR. */
void c_expr_as(c_emitter *e, const pm_value *value, const pm_value *like);

/* --- helpers.c --- */
/* The name of the function, which will be emitted. */
const char *c_use_helper(c_emitter *e, c_helper helper, pm_scalar scalar);
const char *c_use_saturate(c_emitter *e, pm_scalar from, pm_scalar to);
const char *c_use_bitcast(c_emitter *e, pm_scalar from, pm_scalar to);
void c_emit_helpers(c_emitter *e);

/* --- index.c --- */
/* The place of the cell. */
void c_flat_index(c_emitter *e, const loop_access *access);
/* `buffer[place]` */
void c_element(c_emitter *e, const loop_access *access);

/* --- stmt.c --- */
/* What the op is in the text; nothing for one that is part of others. */
void c_statement(c_emitter *e, const pm_op *op);
/* The same as if the language had no row for it. */
void c_usual_statement(c_emitter *e, const pm_op *op);
/* For rows of ops without text. */
void c_no_statement(c_emitter *e, const pm_op *op);
/* A variable for the value of the op. */
void c_variable(c_emitter *e, const pm_op *op);
/* The statements of a region, in a scope of their own. */
void c_region(c_emitter *e, const pm_region *region);
/* Declares a variable for the value and gives its name. */
const char *c_name_value(c_emitter *e, const pm_value *value, const char *fallback);
/* What the array is called in the IR; in the text it may have a number behind it. */
pm_str c_array_name(const pm_value *buffer);
/* A variable for an upper bound that is more than a name: it is computed once. NULL when none is needed. */
const char *c_declare_bound(c_emitter *e, const pm_op *loop);
/* `for (…) {` where `begin` and `end` are variables of the bounds or NULL; the counter's scope is the
 * caller's. */
void c_open_loop(c_emitter *e, const pm_op *loop, const char *begin, const char *end);
/* A loop whose iterations run one after the other. */
void c_sequential(c_emitter *e, const pm_op *loop);

#endif
