/* The ABI of docs/design.md as its callers in C see it, for all targets that make functions by it: names, the
 * order of arguments, the header. Printing goes by targets/cfamily. The header is C, whatever the target's
 * own text is.
 *
 *   functions.c  names, arguments, signatures, what explains error codes
 *   header.c     prototypes with their comments, and the frame of the header
 *   buffers.c    the entry for arrays of any layout
 *   regions.c    the entry for boxes of the outputs, with windows of the inputs
 *   language.c   C: its types, and the names that it takes
 */
#ifndef PM_TARGETS_ABI_ABI_H
#define PM_TARGETS_ABI_ABI_H

#include "dialects/loop/loop.h"
#include "targets/cfamily/cfamily.h"
#include "targets/target.h"

/* --- language.c --- */
/* C with functions of one thread; a target that prints C adds its own hooks. */
extern const c_language abi_language;
/* Whether C has the type. */
bool abi_has_type(pm_scalar scalar);

/* --- an emission --- */

/* The names of what a function with a buf.workspace has for it: two parameters, and the block to keep. */
typedef struct abi_workspace {
  const char *given, *bytes, *kept;
} abi_workspace;

/* What a target hangs on its emitter begins with this. */
typedef struct abi_program {
  pm_module *module;
  abi_workspace workspace; /* of the function that is being printed */
} abi_program;

static inline abi_program *abi_program_of(c_emitter *e) {
  return (abi_program *)e->own;
}

/* --- functions.c --- */

enum { ABI_N_ARGUMENT_KINDS = 4 };
/* The ops that are arguments, in the order of the call: scalars, inputs, outputs; and those of private
 * functions. */
extern const pm_op_desc *const abi_argument_kinds[ABI_N_ARGUMENT_KINDS];
/* Goes over the arguments of a loop.func in the order of the call; `op` is declared. */
#define ABI_FOR_ARGUMENTS(op, func)                                                                          \
  for (size_t abi_kind = 0; abi_kind < ABI_N_ARGUMENT_KINDS; abi_kind++)                                     \
    PM_FOR_OPS(op, pm_region_at(func, loop_func_body))                                                       \
  if (op->desc == abi_argument_kinds[abi_kind])

/* The buf.workspace of the function, or NULL. */
const pm_op *abi_workspace_of(const pm_op *func);
/* The name of a loop.func in C. It is the context's. */
const char *abi_symbol_of(const pm_op *func);
const char *abi_func_name(c_emitter *e, const pm_op *func);
/* False after a diagnostic: two functions of the module have one name in C. */
bool abi_check_names(c_emitter *e) PM_MUST_USE;
/* The function only reads the array. */
bool abi_is_read(const pm_op *argument);
/* Names the arguments; what follows needs it. */
void abi_name_arguments(c_emitter *e, const pm_op *func);
/* An argument that has the name of a function which is called gets another. */
void abi_keep_visible(c_emitter *e, const pm_op *func, const char *name);

enum { ABI_SCALARS_ONLY, ABI_DECLARED, ABI_DEFINED, ABI_WITH_WORKSPACE = 4 };
/* `(int32_t R, const float *img)`, with `restrict` when ABI_DEFINED; with the two parameters of the workspace
 * ahead when ABI_WITH_WORKSPACE is added. */
void abi_parameters(c_emitter *e, const pm_op *func, unsigned kind);
/* `int f(int32_t R, const float *restrict img) { return f_ws(NULL, 0, R, img); }`, where "" is before the
 * name of what is called and "_ws(NULL, 0" behind it. */
void abi_forward(c_emitter *e, const pm_op *func, const char *before, const char *behind);
/* In a body: no warning about scalars that nothing depends on. */
void abi_discard_unused(c_emitter *e, const pm_op *func);
/* A function that gives a number, and its prototype. */
void abi_result_prototype(c_emitter *e, const pm_op *func);
void abi_result_func(c_emitter *e, const pm_op *func);
/* f_strerror, which explains the codes of f; `rows`, which may be NULL, are cases of a target's own. */
void abi_strerror(c_emitter *e, const pm_op *func, const char *rows);
/* What explains the code of a loop.require. It is the context's; NULL: it has no message. */
const char *abi_require_text(const pm_op *require);

/* --- header.c --- */

/* The whole header of functions that are not emitted as C: into out->header; the name of the first function
 * into out->entry. False after a diagnostic, as of abi_check_names. `pool`: threads are those of
 * targets/lib/pool.c. `more`, which may be NULL, prints what else there is beside a function. */
bool abi_declare_functions(pm_module *module, const char *header_name, bool pool, pm_target_output *out,
                           void (*more)(c_emitter *e, const pm_op *func)) PM_MUST_USE;

/* The same in parts, for a target that prints header and functions at once. */
void abi_begin_header(pm_buf *out, const char *header_name, pm_module *module, bool pool);
void abi_end_header(pm_buf *out);
/* What a public function has in the header, with remarks on names that are not symbols. The arguments have
 * names, and nothing else of the function has one yet. */
void abi_declare_function(c_emitter *e, const pm_op *func, pm_target_output *out,
                          void (*more)(c_emitter *e, const pm_op *func));

/* --- buffers.c --- */
/* Some function of the module has an entry for arrays of any layout; it takes <stdlib.h> and <string.h>. */
bool abi_has_buffers(pm_module *module);
/* Those entries and what they call, behind all prototypes; those for boxes of outputs, too. */
void abi_buffers(c_emitter *e, pm_module *module);

/* Inputs, then outputs, in the order of the call. To be freed. */
typedef PM_VEC(const pm_op *) abi_arrays;
abi_arrays abi_arrays_of(const pm_op *func);
/* The function beside it whose name is that of this one with `end` behind; NULL: there is none. */
const pm_op *abi_companion_of(const pm_op *func, const char *end);
/* Each array has as many dimensions as a pm_buffer may have. */
bool abi_fit_buffers(const abi_arrays *arrays);
/* `{PM_TYPE_F32, 2, 4, 1}`: type, rank, bytes of an element, whether it is read. */
void abi_put_row(c_emitter *e, const pm_op *array);
/* A name that nothing else in the function has. */
const char *abi_local(c_emitter *e, const char *wanted);

/* --- regions.c --- */
/* The entry of a function that computes boxes has all that it takes. */
bool abi_has_region(const pm_op *func);
void abi_put_window_types(c_emitter *e);
void abi_put_region(c_emitter *e, const pm_op *func);

/* A number that NAME_region_at and NAME_needs_at take behind the scalars of NAME: one of the box. */
typedef struct abi_bound {
  pm_scalar type;
  int place;
} abi_bound;
/* How they are called, for who has no header. */
typedef struct abi_region {
  PM_VEC(abi_bound) bounds;
  PM_VEC(int32_t) boxes;  /* of each array: its place in the box, -1 of inputs */
  PM_VEC(int32_t) firsts; /* of each array: the first one whose bounds are its own, too */
} abi_region;
/* Of the first function of the module that has regions; false: there is none. To be freed by PM_VEC_FREE. */
bool abi_region_of(pm_module *module, abi_region *region);

#endif
