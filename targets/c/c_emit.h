/* Private to the C target: the state of one emission and what its files offer each other.
 *
 *   c.c          the target, checks, the frame of the file
 *   c_func.c     signatures, argument checks, errors, header
 *   c_stmt.c     statements, loops, memory
 *   c_expr.c     expressions
 *   c_vector.c   types, functions and expressions of vectors
 *   c_index.c    indices and sizes
 *   c_plan.c     which values are nested, which get a name
 *   c_helpers.c  functions that the text needs
 *   c_names.c    identifiers
 *   c_scratch.c  name_scratch_bytes
 */
#ifndef PM_TARGETS_C_EMIT_H
#define PM_TARGETS_C_EMIT_H

#include "dialects/loop/access.h"
#include "dialects/loop/ranges.h"
#include "ir/ir.h"

/* The codes that emitted functions return. */
enum { C_NULL_POINTER = 1, C_BAD_ARGUMENT = 2, C_OUT_OF_MEMORY = 3, C_TOO_LARGE = 4, C_FIRST_REQUIRE = 16 };

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

/* What is known of a value. */
typedef struct c_var {
  const char *name;   /* of the variable that holds it, or NULL */
  unsigned mask_bits; /* vector of i1: width of its lanes in C */
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
#include "targets/c/forms.def"
  C_N_HELPERS
} c_helper;

typedef struct c_names {
  pm_context *ctx;
  pm_map *taken; /* pm_string that is visible */
  pm_map *next;  /* base -> number of the next try */
  PM_VEC(pm_string) scope;
} c_names;

/* A region with its own clean-up: a function body, or an iteration of a loop that runs on several threads. */
typedef struct c_frame {
  const pm_region *region;
  unsigned label; /* number of the label of the clean-up */
  bool parallel;
  bool cleans; /* it frees memory at its end */
} c_frame;

typedef struct c_emitter {
  pm_module *module;
  pm_context *ctx;
  pm_arena *arena;
  pm_buf *out;
  unsigned indent;
  size_t line_start;
  pm_map *vars;        /* pm_value, or buf.alloc of several arrays -> c_var */
  pm_map *plans;       /* pm_op -> c_plan */
  loop_ranges *ranges; /* of the function */
  c_names names;
  c_frame frame;
  unsigned labels;
  bool plain; /* conversions of integers are left out: for documentation */
  pm_loc last_loc;
  bool uses_math, uses_size, uses_total, uses_alloc, uses_threads, uses_copy, uses_aligned;
  bool uses_prefetch[2]; /* for reading, for writing */
  pm_buf vectors;        /* types and functions of vectors that the text needs */
  pm_map *called;        /* private functions that are */
  pm_map *vector_names;  /* pm_string -> NULL: defined there */
  unsigned shuffles;     /* so far */
  bool helpers[C_N_HELPERS][PM_N_SCALARS];
  bool saturates[PM_N_SCALARS][PM_N_SCALARS]; /* [from][to] */
} c_emitter;

/* --- c_names.c --- */
void c_names_init(c_names *names, pm_context *ctx);
void c_names_free(c_names *names);
/* An identifier like `hint` that nothing visible has; visible from now on. */
const char *c_new_name(c_names *names, pm_str hint);
/* An identifier made of `text` alone: the same for the same text. */
const char *c_identifier(pm_context *ctx, pm_str text);
/* The same for a function, which others link with: nor is it one of the system's libraries. */
const char *c_function_identifier(pm_context *ctx, pm_str text);
size_t c_open_scope(const c_names *names);
void c_close_scope(c_names *names, size_t mark);

/* --- text --- */
void c_put(c_emitter *e, const char *fmt, ...) PM_PRINTF(2, 3);
/* Begins a line of the present indentation. */
void c_begin(c_emitter *e);
/* Ends the line; a long one is broken at blanks. */
void c_end(c_emitter *e);
void c_line(c_emitter *e, const char *fmt, ...) PM_PRINTF(2, 3);
/* The text, with what would end a comment or a line of it replaced. */
void c_comment_text(c_emitter *e, const char *text);
const char *c_type_name(pm_type type);
c_var *c_var_of(c_emitter *e, const pm_value *value);
/* The variable of the memory that the arrays of a buf.alloc share. */
c_var *c_pool_of(c_emitter *e, const pm_op *alloc);
c_plan *c_plan_of(c_emitter *e, const pm_op *op);

/* --- c_plan.c --- */
void c_make_plan(c_emitter *e, const pm_op *func);
/* It appears in the text, as a statement or inside one. */
bool c_is_statement(c_emitter *e, const pm_op *op);
/* Something in the text reads the value. */
bool c_is_used(c_emitter *e, const pm_value *value);

/* --- c_expr.c --- */
/* Prints the value, in parentheses when it binds weaker than `min`. */
void c_expr(c_emitter *e, const pm_value *value, int min);
/* The expression of an op, whatever its plan. */
void c_op_expr(c_emitter *e, const pm_op *op, int min);
/* Its result does not depend on its operands, which are one integer; compilers warn about such text. */
bool c_compares_with_itself(const pm_op *op);
bool c_open(c_emitter *e, int precedence, int min);
void c_close(c_emitter *e, bool open);
/* False when the text has a type narrower than its 64-bit integer. */
bool c_is_wide(c_emitter *e, const pm_value *value);
void c_integer(c_emitter *e, int64_t value, pm_scalar scalar, int min);

/* A number, or a splat's. */
void c_number(c_emitter *e, pm_attr constant, int min);

/* --- c_vector.c --- */
/* An operand or its result is a vector. */
bool c_is_vector_op(const pm_op *op);
void c_vector_op(c_emitter *e, const pm_op *op, int min);
/* A call: vec.store or vec.maskedstore. */
void c_vector_store(c_emitter *e, const pm_op *op);
void c_vector_constant(c_emitter *e, const pm_value *value);
/* The type of a variable for the value. */
const char *c_value_type(c_emitter *e, const pm_value *value);
/* The value in the type of a variable for `like`, which has the same type in the IR. */
void c_expr_as(c_emitter *e, const pm_value *value, const pm_value *like);
void c_find_mask_widths(c_emitter *e, const pm_op *func);
/* The types and functions that were used, after the helpers. */
void c_emit_vectors(c_emitter *e);

/* --- c_index.c --- */
/* False after a diagnostic when the op is an access that lower-memref would change. */
bool c_check_access(const pm_op *op);
/* The place of the cell. */
void c_flat_index(c_emitter *e, const loop_access *access);
/* `buffer[place]` */
void c_element(c_emitter *e, const loop_access *access);
/* `pm_size(pm_size(4, n), m)`, or a number when all extents are constant. */
void c_byte_count(c_emitter *e, pm_type type, const pm_use *extents);
/* Bytes of a type of constant extents; negative ones count as 0; false when they do not fit 64 bits. */
bool c_constant_bytes(pm_type type, int64_t *bytes);
/* The same of a buf.alloc: the largest of its arrays. INT64_MAX when they do not fit. */
void c_alloc_bytes(c_emitter *e, const pm_op *alloc);
int64_t c_constant_alloc_bytes(const pm_op *alloc);

/* The function of scalars that the op is in C, for operands of this type; NULL when it is none. */
const char *c_scalar_function(c_emitter *e, const pm_op *op, pm_scalar scalar);

/* --- c_helpers.c --- */
/* The name of the function, which will be emitted. */
const char *c_use_helper(c_emitter *e, c_helper helper, pm_scalar scalar);
const char *c_use_saturate(c_emitter *e, pm_scalar from, pm_scalar to);
const char *c_use_prefetch(c_emitter *e, bool write);
void c_emit_helpers(c_emitter *e);

/* --- c_stmt.c --- */
bool c_is_stack(const pm_op *alloc);
bool c_is_heap(const pm_op *alloc); /* memory that its frame must free */
bool c_is_outer_parallel(const pm_op *op);
void c_region(c_emitter *e, const pm_region *region);
/* What the op is in the text; nothing for one that is part of others. */
void c_statement(c_emitter *e, const pm_op *op);
/* Declares the pointers that the frame frees. */
void c_frame_begin(c_emitter *e);
/* The label and the calls of free. */
void c_frame_end(c_emitter *e);
/* Ends the frame with an error code. */
void c_fail(c_emitter *e, int code);
/* Declares a variable for the value and gives its name. */
const char *c_name_value(c_emitter *e, const pm_value *value, const char *fallback);

/* The same with the code that an expression gives. */
void c_fail_as(c_emitter *e, const char *code);

/* --- c_call.c --- */
/* A call, or something inside, may find no memory. */
bool c_may_fail(const pm_op *op);
/* The frame of the region holds a call that may fail. */
bool c_calls_failing(const pm_region *region);
/* Fills e->called with the private functions that others call. */
void c_find_called(c_emitter *e);
bool c_is_emitted(c_emitter *e, const pm_op *func);
/* Prototypes of private functions, which others call ahead of their definition. */
void c_declare_private(c_emitter *e);
void c_emit_call(c_emitter *e, const pm_op *call);

/* --- c_func.c --- */
/* Names the arguments; what follows needs it. */
void c_name_arguments(c_emitter *e, const pm_op *func);
void c_func(c_emitter *e, const pm_op *func);
void c_strerror(c_emitter *e, const pm_op *func);
/* The prototypes of the function and its companions; before the body was emitted, while only arguments have
 * names. */
void c_prototypes(c_emitter *e, const pm_op *func);
typedef enum c_parameter_kind { C_SCALARS_ONLY, C_DECLARED, C_DEFINED } c_parameter_kind;
/* `(int32_t R, const float *img)`, with `restrict` when C_DEFINED. */
void c_parameters(c_emitter *e, const pm_op *func, c_parameter_kind kind);
const char *c_func_name(c_emitter *e, const pm_op *func);

/* --- c_scratch.c --- */
void c_scratch_bytes(c_emitter *e, const pm_op *func);
/* Some sizes depend on more than the scalar arguments. */
bool c_scratch_is_partial(c_emitter *e, const pm_op *func);

#endif
