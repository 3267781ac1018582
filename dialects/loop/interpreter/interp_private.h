/* Private to the interpreter of the loop dialect: the program that ops are turned into once (interp_build.c),
 * memory with its shadow (interp_memory.c), vectors (interp_vec.c), and the run (interp.c). A value is as
 * many lanes, one after the other, as its type has. */
#ifndef PM_DIALECTS_LOOP_INTERPRETER_INTERP_PRIVATE_H
#define PM_DIALECTS_LOOP_INTERPRETER_INTERP_PRIVATE_H

#include "dialects/loop/interpreter/interp.h"
#include "ir/interpret.h"

/* What happened to a cell. Iterations of unordered loops have numbers that only grow over the run; 0 stands
 * for none. All but the epoch are meaningful only when the epoch is that of the buffer: the cell was written
 * since it exists. */
typedef struct interp_shadow {
  uint64_t epoch;
  int64_t writer;       /* innermost unordered iteration of the last write */
  pm_string stage;      /* that of the last write, or NULL */
  int64_t first_reader; /* first and last read within the present outermost unordered loop */
  int64_t last_reader;
  int64_t first_joiner, last_joiner; /* the same of buf.atomic, by `join` */
  const pm_op_desc *join;
} interp_shadow;

struct interp_buffer;

/* Memory that several buffers share: the contents are those of the last one that was written. */
typedef struct interp_shared {
  const struct interp_buffer *holder; /* NULL: none was written */
  int64_t first_user, last_user; /* unordered iterations that used it, within the present outermost loop */
} interp_shared;

typedef struct interp_buffer {
  const pm_value *value;
  pm_scalar scalar;
  unsigned rank;
  int64_t extents[PM_MAX_RANK], strides[PM_MAX_RANK];
  int64_t count, capacity; /* places of cells, and those that memory is there for */
  size_t cell_bytes;
  unsigned char *data;
  interp_shadow *shadow; /* NULL for inputs and constants: all written, no races */
  interp_shared *shared; /* NULL: the memory is this buffer's alone */
  uint64_t epoch;
  void *block; /* the interpreter's memory that data is in; NULL: data is the caller's */
} interp_buffer;

/* One level of unordered loops that is running (parallel, simd or jammed): numbers from `first` on belong to
 * its iterations, `current` to this one. */
typedef struct interp_level {
  const pm_op *loop;
  int64_t first, current;
} interp_level;

enum { INTERP_MAX_LEVELS = 64 };

typedef enum interp_kind {
  INTERP_EVAL,
  INTERP_LOAD,
  INTERP_STORE,
  INTERP_ATOMIC,
  INTERP_VECTOR,
  INTERP_CHOOSE,
  INTERP_LOOP,
  INTERP_IF,
  INTERP_YIELD,
  INTERP_RESULT,
  INTERP_ALLOC,
  INTERP_WORKSPACE,
  INTERP_BIND,
  INTERP_HOLD,
  INTERP_MATCH,
  INTERP_CALL,
  INTERP_REQUIRE,
  INTERP_HOOK
} interp_kind;

/* One index: sum of coeffs[i] * operand i + constant, or, with coeffs NULL, the expression. */
typedef struct interp_index {
  const int64_t *coeffs;
  int64_t constant;
  pm_affine_expr expr;
} interp_index;

typedef struct interp_inst interp_inst;
typedef struct interp_block {
  interp_inst *insts;
  size_t n;
} interp_block;

struct interp;
/* Runs one op of vec; false after a diagnostic. */
typedef bool (*interp_run)(struct interp *in, const interp_inst *inst);

struct interp_inst {
  interp_kind kind;
  const pm_op *op;
  const pm_lane **args; /* of operands that are no memory */
  pm_lane **outs;       /* of results that are none; of a yield: those of the op around it */
  unsigned n_args, n_outs;
  const unsigned *n_lanes; /* LOOP, YIELD: of each out; CALL: of each argument */
  unsigned lanes;          /* EVAL, CHOOSE: of the result */
  pm_kernel kernel;
  interp_run run;       /* VECTOR */
  int64_t align;        /* VECTOR: what the address of lane 0 is a multiple of; 1 when it does not say */
  unsigned first_index; /* the argument where the index operands begin: n_dims, then symbols */
  unsigned n_dims;
  interp_buffer *buffer;
  pm_string stage;           /* of an access: that of several in turn whose value it is, or NULL */
  interp_buffer **allocated; /* ALLOC: one a result */
  const interp_index *indices;
  unsigned n_indices;    /* the buffer's rank, or 1: the place in row-major order */
  const pm_array *array; /* BIND: what the caller gave */
  interp_block body[2];
  pm_lane **region_args; /* LOOP: the counter, then the carried values; CALL: of scalar arguments */
  int64_t step;
};

/* Memory that lies in the workspace, from byte `begin` to `end`. */
typedef struct interp_place {
  const pm_op *alloc;
  int64_t begin, end;
} interp_place;

typedef struct interp {
  pm_interpreter for_ops; /* first: what the hooks of ops see of it */
  pm_arena *arena;
  pm_map *lanes;   /* pm_value -> pm_lane */
  pm_map *buffers; /* pm_value -> interp_buffer */
  pm_map *blocks;  /* pm_region -> interp_block, of ops with a hook */
  PM_VEC(interp_buffer *) all;
  const pm_call *call;
  interp_level levels[INTERP_MAX_LEVELS];
  unsigned n_levels;
  int64_t iterations; /* numbers given so far */
  int64_t steps;
  loop_interp_options options;
  PM_VEC(const interp_inst *) loops; /* that are running, for messages */
  int64_t workspace;                 /* its bytes */
  PM_VEC(interp_place) places;       /* of what is alive, and of some that no longer is */
} interp;

/* --- interp_build.c --- */
/* The ops of the region as a block; false after a diagnostic. */
bool interp_build(interp *in, const pm_region *region, interp_block *block) PM_MUST_USE;
/* Fills parameters and binds arrays; false after a diagnostic when the call does not fit the function. */
bool interp_bind_call(interp *in, const pm_op *func) PM_MUST_USE;
/* The first of the value's lanes. */
pm_lane *interp_lane_of(interp *in, const pm_value *value);
interp_buffer *interp_buffer_of(interp *in, const pm_value *value);

/* --- interp_vec.c --- */
/* How the op of vec runs; NULL when it is none. */
interp_run interp_find_vector_run(const pm_op *op);

/* --- interp_memory.c --- */
/* Extents, and strides, which are meaningful for a type that has some. */
typedef struct interp_sizes {
  int64_t extents[PM_MAX_RANK], strides[PM_MAX_RANK];
} interp_sizes;
/* Gives the buffer fresh cells of these sizes (negative extents count as 0); false after a diagnostic at
 * `op`.
 */
bool interp_allocate(interp *in, interp_buffer *buffer, const pm_op *op,
                     const interp_sizes *sizes) PM_MUST_USE;
/* The memory of the buf.alloc, whose buffers have been allocated, lies in the workspace and meets nothing
 * that is alive; false after a diagnostic. */
bool interp_find_place(interp *in, const interp_inst *inst) PM_MUST_USE;
/* The caller's array; false after a diagnostic when it has other extents. */
bool interp_adopt(interp_buffer *buffer, const pm_op *op, const pm_array *array,
                  const interp_sizes *sizes) PM_MUST_USE;
/* False after a diagnostic at `op`: the buffer that a call gives has other sizes. */
bool interp_match(const interp_buffer *buffer, const pm_op *op, const interp_sizes *sizes) PM_MUST_USE;
/* The numbers of a buf.constant, unless it has them; false after a diagnostic. */
bool interp_hold(interp_buffer *buffer, const pm_op *op) PM_MUST_USE;
void interp_free_buffer(interp_buffer *buffer);
/* The indices of the cell that the instruction accesses, with PM_MAX_RANK entries of which n_indices are set;
 * of the cell of lane 0 or offset 0 for vectors. */
void interp_find_indices(const interp_inst *inst, int64_t *cell);
/* The cell; NULL after a diagnostic. */
void *interp_read_cell(interp *in, const interp_inst *inst, const int64_t *cell);
void *interp_write_cell(interp *in, const interp_inst *inst, const int64_t *cell);
/* Of a buf.atomic: other iterations may do the same to it. */
void *interp_join_cell(interp *in, const interp_inst *inst, const int64_t *cell);
/* False after a diagnostic: the address of the cell, which is `data`, is not aligned as the instruction says.
 */
bool interp_check_align(interp *in, const interp_inst *inst, const int64_t *cell,
                        const void *data) PM_MUST_USE;
/* A note that names the running loops and their counters. */
void interp_note_loops(interp *in, const pm_op *op);

#endif
