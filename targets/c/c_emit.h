/* Private to the C target: what it has beside targets/cfamily, and what its files offer each other.
 *
 *   c.c          the target, checks, the frame of the file
 *   c_func.c     signatures, error texts, header
 *   c_stmt.c     memory, loops on several threads, failures
 *   c_workspace.c  the memory of a call
 *   c_vector.c   vectors, with the files that c_vector.h names
 *   c_masks.c    the width of masks
 *   c_system.c   what the text has to have ahead of it
 *   c_words.c    the names that C takes
 */
#ifndef PM_TARGETS_C_EMIT_H
#define PM_TARGETS_C_EMIT_H

#include "targets/cfamily/cfamily.h"

/* A frame (dialects/loop/analyses/frames.h) that is being printed. */
typedef struct c_frame {
  const pm_region *region;
  unsigned label; /* number of the label of the clean-up */
  bool parallel;
  bool cleans; /* it frees memory at its end */
} c_frame;

/* The names of what a function with a buf.workspace has for it: two parameters, and the block to keep. */
typedef struct c_workspace {
  const char *given, *bytes, *kept;
} c_workspace;

/* One emission of C. */
typedef struct c_program {
  pm_module *module;
  c_frame frame;
  unsigned labels;
  bool uses_alloc, uses_workspace, uses_thread, uses_threads, uses_aligned;
  c_workspace workspace; /* of the function that is being printed */
  bool uses_prefetch[2]; /* for reading, for writing */
  bool uses_streaming;
  pm_buf vectors;       /* types and functions of vectors that the text needs */
  pm_map *called;       /* private functions that are */
  pm_map *vector_names; /* pm_string -> NULL: defined there */
  unsigned shuffles;    /* so far */
} c_program;

static inline c_program *c_program_of(c_emitter *e) {
  return e->own;
}

extern const c_language c_language_of_c;
extern const c_words c_words_of_c;
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
/* A call of the function that gives the number of threads, or of this thread, which will be emitted. */
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
/* The pragma of a vector loop. */
void c_before_loop(c_emitter *e, const pm_op *loop);
void c_streaming(c_emitter *e, const pm_op *loop, const loop_streaming *copy);
/* Frees what the region itself allocated, unless the frame does it. */
void c_free_region(c_emitter *e, const pm_region *region);

/* --- c_call.c --- */
/* Fills `called` with the private functions that others call. */
void c_find_called(c_emitter *e);
bool c_is_emitted(c_emitter *e, const pm_op *func);
/* Prototypes of private functions, which others call ahead of their definition. */
void c_declare_private(c_emitter *e);
void c_emit_call(c_emitter *e, const pm_op *call);

/* --- c_workspace.c --- */
/* The buf.workspace of the function, or NULL. */
const pm_op *c_workspace_of(const pm_op *func);
/* Names what the function has for it. */
void c_name_workspace(c_emitter *e);
/* `void *block`, then what keeps the block at the end of the function. */
void c_declare_block(c_emitter *e);
void c_keep_block(c_emitter *e, const pm_op *workspace);
void c_emit_workspace(c_emitter *e, const pm_op *workspace);
/* What stands before and after a function whose body is that of `f_ws`, and their prototypes. */
void c_workspace_before(c_emitter *e, const pm_op *func);
void c_workspace_after(c_emitter *e, const pm_op *func);
void c_workspace_prototypes(c_emitter *e, const pm_op *func);
/* The types and functions that all of this calls. */
void c_emit_workspaces(c_emitter *e);

/* --- c_buffers.c --- */
/* Some function of the module has an entry for arrays of any layout; it takes <stdlib.h> and <string.h>. */
bool c_has_buffers(pm_module *module);
/* Those entries and what they call, behind all prototypes. */
void c_buffers(c_emitter *e, pm_module *module);

/* --- c_func.c --- */
/* Names the arguments; what follows needs it. */
void c_name_arguments(c_emitter *e, const pm_op *func);
void c_func(c_emitter *e, const pm_op *func);
/* What explains its codes; `rows`, which may be NULL, are cases of a target's own. */
void c_strerror(c_emitter *e, const pm_op *func, const char *rows);
/* The prototypes of the function and of what explains its codes; before the body was emitted, while only
 * arguments have names. */
void c_prototypes(c_emitter *e, const pm_op *func);
/* A function that gives a number, and its prototype. */
void c_result_func(c_emitter *e, const pm_op *func);
void c_result_prototype(c_emitter *e, const pm_op *func);
enum { C_SCALARS_ONLY, C_DECLARED, C_DEFINED, C_WITH_WORKSPACE = 4 };
/* `(int32_t R, const float *img)`, with `restrict` when C_DEFINED; with the two parameters of the workspace
 * ahead when C_WITH_WORKSPACE is added. */
void c_parameters(c_emitter *e, const pm_op *func, unsigned kind);
/* `int f(int32_t R, const float *restrict img) { return f_ws(NULL, 0, R, img); }`, where "" is before the
 * name of what is called and "_ws(NULL, 0" behind it. */
void c_forward(c_emitter *e, const pm_op *func, const char *before, const char *behind);
const char *c_func_name(c_emitter *e, const pm_op *func);
/* Remarks on the function and its arguments, which have names, where these are not their symbols. */
void c_remark_names(c_emitter *e, const pm_op *func);

#endif
