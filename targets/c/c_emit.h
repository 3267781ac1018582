/* Private to the C target: what it has beside targets/cfamily and targets/abi, and what its files offer each
 * other.
 *
 *   c.c          the target, checks, the frame of the file, functions
 *   c_stmt.c     memory, loops on several threads, failures
 *   c_pool.c     loops on the threads of targets/lib/pool.c
 *   c_workspace.c  the memory of a call
 *   c_vector.c   vectors, with the files that c_vector.h names
 *   c_masks.c    the width of masks
 *   c_system.c   what the text has to have ahead of it
 */
#ifndef PM_TARGETS_C_EMIT_H
#define PM_TARGETS_C_EMIT_H

#include "dialects/loop/analyses/frames.h"
#include "targets/abi/abi.h"

/* A frame (dialects/loop/analyses/frames.h) that is being printed. */
typedef struct c_frame {
  const pm_region *region;
  unsigned label; /* number of the label of the clean-up */
  bool parallel;
  bool cleans; /* it frees memory at its end */
} c_frame;

/* One emission of C. */
typedef struct c_program {
  abi_program abi;
  c_frame frame;
  unsigned labels;
  bool uses_alloc, uses_workspace, uses_thread, uses_threads, uses_aligned;
  bool uses_prefetch[2]; /* for reading, for writing */
  bool uses_streaming;
  bool pool;                  /* threads are those of targets/lib/pool.c, not of OpenMP */
  unsigned outlined;          /* functions of iterations so far */
  pm_buf functions;           /* those of the function that is being printed */
  const char *given, *thread; /* in such a function: the struct that it has, and the number of its thread */
  pm_buf vectors;             /* types and functions of vectors that the text needs */
  pm_map *called;             /* private functions that are */
  pm_map *vector_names;       /* pm_string -> NULL: defined there */
  unsigned shuffles;          /* so far */
} c_program;

static inline c_program *c_program_of(c_emitter *e) {
  return e->own;
}

extern const c_statement_row c_statements_of_c[];

/* --- c_vector.c --- */
void c_vector_op(c_emitter *e, const pm_op *op, int min);
void c_vector_constant(c_emitter *e, const pm_value *value);
const char *c_vector_type(c_emitter *e, const pm_value *value);
void c_vector_as(c_emitter *e, const pm_value *value, const pm_value *like);
/* A call: an op of vec that reads or writes memory. */
void c_vector_access(c_emitter *e, const pm_op *op);

/* --- c_masks.c --- */
enum { C_MEMORY_MASK_BITS = 8 }; /* of masks that no comparison made */
/* Fills the widths of all masks in the function. */
void c_find_mask_widths(c_emitter *e, const pm_op *func);
unsigned c_mask_bits(c_emitter *e, const pm_value *value);

/* --- c_system.c --- */
/* The name of the function, which will be emitted. */
const char *c_use_prefetch(c_emitter *e, bool write);
/* The function that copies past the caches, or the one that waits for that. */
const char *c_use_streaming(c_emitter *e, bool wait);
/* A call of the function that gives the number of threads, which will be emitted. The number of this thread.
 */
const char *c_use_threads(c_emitter *e);
const char *c_use_thread(c_emitter *e);
void c_emit_system(c_emitter *e);
/* After <math.h>: the declarations of what loops may call on vectors. */
void c_emit_vector_functions(c_emitter *e);
/* After the helpers, which they call. */
void c_emit_vectors(c_emitter *e);

/* --- c_stmt.c --- */
/* Declares the pointers that the frame frees. */
void c_frame_begin(c_emitter *e);
/* The label and the calls of free. */
void c_frame_end(c_emitter *e);
/* Ends the frame with the error code that an expression gives. */
void c_fail(c_emitter *e, const char *code);
/* Something in the function needs a variable for its error code: memory to be freed, or threads. */
bool c_needs_status(const pm_op *func);
/* The iterations of a loop of several threads are frames. True when one may fail. */
bool c_iterations(c_emitter *e, const pm_op *loop, const char *begin, const char *end);
bool c_is_dynamic(const pm_op *loop);
/* Memory that a thread has for its iterations. */
void c_declare_thread_memory(c_emitter *e, const loop_allocs *list);
void c_free_thread_memory(c_emitter *e, const loop_allocs *list);
/* The pragma of a vector loop. */
void c_before_loop(c_emitter *e, const pm_op *loop);
void c_streaming(c_emitter *e, const pm_op *loop, const loop_streaming *copy);
/* Frees what the region itself allocated, unless the frame does it. */
void c_free_region(c_emitter *e, const pm_region *region);

/* --- c_pool.c --- */
/* What the functions below call. */
void c_emit_pool(c_emitter *e);
/* The loop, as a function of its iterations in c_program.functions and a call; `end` as in c_iterations. True
 * when an iteration may fail, whose code is in `status` then. */
bool c_pool_loop(c_emitter *e, const pm_op *loop, const char *end);

/* --- c.c --- */
/* The first lines of a body whose floating point is strict. */
void c_put_fp_pragma(c_emitter *e, const pm_op *func);

/* --- c_call.c --- */
/* Fills `called` with the private functions that others call. */
void c_find_called(c_emitter *e);
bool c_is_emitted(c_emitter *e, const pm_op *func);
/* Prototypes of private functions, which others call ahead of their definition. */
void c_declare_private(c_emitter *e);
void c_emit_call(c_emitter *e, const pm_op *call);

/* --- c_workspace.c --- */
/* `void *block`, then what keeps the block at the end of the function. */
void c_declare_block(c_emitter *e);
void c_keep_block(c_emitter *e, const pm_op *workspace);
void c_emit_workspace(c_emitter *e, const pm_op *workspace);
/* What stands before and after a function whose body is that of `f_ws`. */
void c_workspace_before(c_emitter *e, const pm_op *func);
void c_workspace_after(c_emitter *e, const pm_op *func);
/* The types and functions that all of this calls. */
void c_emit_workspaces(c_emitter *e);

#endif
