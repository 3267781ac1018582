/* Private to backend/: from loops to LLVM's IR, and what the files that make it offer each other.
 *
 *   emit.c       the hook, checks, the module
 *   func.c       functions: signatures, wrappers, texts of errors, calls
 *   types.c      types, constants, attributes, intrinsics
 *   debug.c      places in the program's text
 *   metadata.c   alias scopes, access groups, marks of loops
 *   frames.c     allocations, failures, what gives memory back
 *   memory.c     buffers and scalar accesses
 *   loops.c      loops of one thread, conditions
 *   parallel.c   loops on several threads
 *   arith.c      integers and floats
 *   divide.c     quotients and remainders
 *   convert.c    conversions
 *   math.c       functions of floats
 *   vector.c     lanes
 *   vector_memory.c  vectors from and to memory
 *
 * LLVM values belong to the module. A value that would be poison or undefined behaviour in LLVM where our IR
 * gives it a meaning is never made: shifts, divisions and conversions select or freeze (docs/llvm.md). */
#ifndef PM_TARGETS_LLVM_EMIT_H
#define PM_TARGETS_LLVM_EMIT_H

#include "dialects/loop/access.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/analyses/ranges.h"
#include "ir/ir.h"

#include <llvm-c/Core.h>

/* A frame (dialects/loop/analyses/frames.h) that is being emitted. */
typedef struct ll_frame {
  const pm_region *region;
  LLVMBasicBlockRef end; /* where it gives its memory back */
  LLVMValueRef status;   /* where a failure leaves its code; null where nothing fails */
  bool parallel;         /* an iteration, whose code other threads may write, too */
} ll_frame;

/* A function of LLVM that is being filled. */
typedef struct ll_body {
  LLVMValueRef function;
  LLVMValueRef thread, loop; /* of iterations on the pool: what pm_parallel gives them; else null */
  LLVMBasicBlockRef entry;   /* of allocas alone, and then a jump */
  pm_map *values;            /* pm_value -> LLVMValueRef; op of an allocation -> the alloca of its address */
  ll_frame frame;
  LLVMMetadataRef debug_scope;
  uint16_t debug_file;
} ll_body;

typedef PM_VEC(LLVMMetadataRef) ll_metadata_list;

/* One emission. */
typedef struct ll_emitter {
  pm_context *pm;
  pm_arena *arena;
  LLVMContextRef ctx;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  LLVMTypeRef i1, i8, i32, i64, f32, f64, pointer, nothing;
  bool pool;         /* threads are those of pool.ll */
  const pm_op *func; /* the loop.func */
  const char *name;  /* of it */
  loop_ranges *ranges;
  bool strict;                 /* floating point of the function */
  LLVMFastMathFlags fast_math; /* flags of its operations */
  ll_body body;
  unsigned outlined;             /* functions so far that iterations were put in */
  PM_VEC(LLVMValueRef) releases; /* functions that give back what is kept */
  LLVMMetadataRef domain;        /* of the scopes of the function */
  pm_map *scopes;                /* op that makes memory -> its scope */
  pm_map *memories;              /* nest -> ll_nest */
  LLVMValueRef *groups;          /* access groups that no loop has yet */
  unsigned n_groups, next_group;
  ll_metadata_list inside; /* access groups of the vector loops around */
  struct {
    LLVMDIBuilderRef builder;
    LLVMMetadataRef unit;
    ll_metadata_list files; /* by their numbers; NULL: not yet made */
  } debug;
} ll_emitter;

/* --- emit.c --- */
/* The op, and those below. */
void ll_emit_op(ll_emitter *e, const pm_op *op);
void ll_emit_region(ll_emitter *e, const pm_region *region);

/* --- types.c --- */
static inline pm_scalar ll_scalar_of(const pm_value *v) {
  return (pm_scalar)v->type->scalar;
}
static inline const pm_scalar_info *ll_info_of(const pm_value *v) {
  return pm_get_scalar_info(ll_scalar_of(v));
}
static inline bool ll_is_vector(const pm_value *v) {
  return v->type->cls == PM_TYPE_VECTOR;
}
LLVMTypeRef ll_scalar_type(const ll_emitter *e, pm_scalar scalar);
/* In a register: i1 has one bit. */
LLVMTypeRef ll_type(const ll_emitter *e, pm_type type);
/* `scalar`, or as many lanes of it as `like` has. */
LLVMTypeRef ll_type_like(LLVMTypeRef scalar, pm_type like);
/* In memory and as an argument: i1 has a byte. */
LLVMTypeRef ll_cell_type(const ll_emitter *e, pm_type type);
/* The number in every lane. */
LLVMValueRef ll_splat_constant(LLVMTypeRef type, LLVMValueRef number);
LLVMValueRef ll_int(LLVMTypeRef type, int64_t value); /* in every lane of a vector */
LLVMValueRef ll_real(LLVMTypeRef type, double value);
LLVMValueRef ll_i64(const ll_emitter *e, int64_t value);
LLVMValueRef ll_number(const ll_emitter *e, pm_scalar scalar, pm_number number);
/* What the value is in LLVM, here. */
LLVMValueRef ll_value(ll_emitter *e, const pm_value *v);
LLVMValueRef ll_arg(ll_emitter *e, const pm_op *op, unsigned i);
void ll_set(ll_emitter *e, const pm_value *v, LLVMValueRef value);
/* Gives an operation the rules of the function for floats. */
LLVMValueRef ll_float(const ll_emitter *e, LLVMValueRef value);
/* `llvm.name` for one type, or for n of them. */
LLVMValueRef ll_intrinsic(ll_emitter *e, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned n);
LLVMValueRef ll_intrinsic_of(ll_emitter *e, const char *name, LLVMTypeRef *types, unsigned n_types,
                             LLVMValueRef *args, unsigned n);
LLVMAttributeRef ll_attribute(const ll_emitter *e, const char *name, uint64_t value);
/* A function of the system or of the module, declared when it is not there. */
LLVMValueRef ll_external(ll_emitter *e, const char *name, LLVMTypeRef type);
LLVMValueRef ll_call(ll_emitter *e, LLVMValueRef function, LLVMValueRef *args, unsigned n);
/* Between a register and memory or arguments. */
LLVMValueRef ll_to_cell(ll_emitter *e, const pm_value *v);
LLVMValueRef ll_from_cell(ll_emitter *e, LLVMValueRef cell, pm_type type);
LLVMBasicBlockRef ll_new_block(ll_emitter *e, const char *name);
/* What follows is emitted there. */
void ll_begin_block(ll_emitter *e, LLVMBasicBlockRef block);
/* In the entry of the function. */
LLVMValueRef ll_alloca(ll_emitter *e, LLVMTypeRef type, unsigned align, const char *name);

/* --- metadata.c --- */
/* The module, with what all programs call, and as many access groups, which the emitter gives away one after
 * the other. */
void ll_make_module(ll_emitter *e, unsigned n_groups);
/* Says of an access what it cannot overlap, and in which vector loops it is. */
void ll_mark_access(ll_emitter *e, LLVMValueRef instruction, const pm_op *op, const pm_value *buffer);
void ll_begin_aliases(ll_emitter *e);
void ll_end_aliases(ll_emitter *e);
/* The loop is one whose iterations may run at once. */
bool ll_is_vector_loop(const pm_op *loop);
/* Around the body of a vector loop. */
void ll_enter_vector_loop(ll_emitter *e);
void ll_leave_vector_loop(ll_emitter *e);
/* Marks of the jump back: of a vector loop, called before it is left. */
void ll_mark_loop(ll_emitter *e, LLVMValueRef jump, const pm_op *loop);

/* --- debug.c --- */
void ll_begin_debug(ll_emitter *e);
void ll_end_debug(ll_emitter *e);
/* The function that is being filled. */
void ll_debug_function(ll_emitter *e, LLVMValueRef function);
/* What is made from here on is of the op's line, or of no line. */
void ll_debug_op(ll_emitter *e, const pm_op *op);
void ll_debug_nothing(ll_emitter *e);

/* --- func.c --- */
void ll_declare_function(ll_emitter *e, const pm_op *func);
void ll_emit_function(ll_emitter *e, const pm_op *func);
void ll_emit_call(ll_emitter *e, const pm_op *call);
/* What is true of every function that we make. */
void ll_mark_function(ll_emitter *e, LLVMValueRef function);
/* e->body is the function from here on, without a frame; what follows goes into its first block behind the
 * entry, which ll_end_body wants. A body around it is the caller's to keep. */
void ll_begin_body(ll_emitter *e, LLVMValueRef function);
void ll_end_body(ll_emitter *e, LLVMBasicBlockRef first);

/* --- frames.c --- */
/* Ends the frame with the code when the condition is false. */
void ll_check(ll_emitter *e, LLVMValueRef condition, LLVMValueRef code);
void ll_frame_begin(ll_emitter *e, const pm_region *region, LLVMValueRef status, bool parallel);
/* From here on the frame's memory is given back. */
void ll_frame_end(ll_emitter *e);
/* Frees what the region itself allocated, unless the frame does it. */
void ll_free_region(ll_emitter *e, const pm_region *region);
/* Memory of the thread, which is given back by ll_free_thread_memory. */
void ll_alloc_thread_memory(ll_emitter *e, const pm_op *parallel);
void ll_free_thread_memory(ll_emitter *e, const pm_op *parallel);

/* --- memory.c --- */
/* An expression of the operands of an access. */
LLVMValueRef ll_affine(ll_emitter *e, pm_affine_expr expr, const loop_access *access);
/* The number of the cell, or its address; `inside`: it is one of the array. */
LLVMValueRef ll_place(ll_emitter *e, const loop_access *access);
LLVMValueRef ll_address(ll_emitter *e, const loop_access *access, bool inside);
loop_access ll_access(const pm_op *op);

/* --- loops.c --- */
typedef struct ll_loop {
  LLVMValueRef lb, ub;
  int64_t step;
} ll_loop;
/* for (i = lb; i < ub; i += step): the region's first argument is i, others are carried from `inits`; results
 * of `op` are set when it has some. */
void ll_emit_loop(ll_emitter *e, const pm_op *op, const ll_loop *bounds);
void ll_emit_streaming(ll_emitter *e, const pm_op *loop, const loop_streaming *copy);

/* --- emitters of single ops, by forms.def --- */
#define FORM(op, classes, emitter) void ll_emit_##emitter(ll_emitter *e, const pm_op *op);
#include "targets/llvm/forms.def"

#endif
