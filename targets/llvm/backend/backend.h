/* The hooks of the backend, and what those that make machine code share. */
#ifndef PM_TARGETS_LLVM_BACKEND_H
#define PM_TARGETS_LLVM_BACKEND_H

#include "targets/llvm/llvm.h"

#include <llvm-c/Error.h>
#include <llvm-c/TargetMachine.h>

/* --- emit.c --- */
bool ll_emit(pm_module *module, const char *header_name, pm_target_output *out);

/* --- compile.c --- */
pm_outcome ll_compile(const pm_target_output *text, const char *extension, const pm_build_options *options,
                      pm_buf *file, pm_report *report);

/* A line: `what` and the first line of LLVM's message, which it disposes. */
void ll_put_message(pm_buf *error, const char *what, char *message);
/* A line of the error, which it disposes. */
void ll_put_error(pm_buf *error, const char *what, LLVMErrorRef failure);

/* A program on its way to machine code. The caller frees it with ll_free_program, also after a failure. */
typedef struct ll_program {
  LLVMContextRef ctx;
  LLVMModuleRef module;
  LLVMTargetMachineRef machine;
} ll_program;

/* Reads the text, for the machine that the options name; false with a line in `error`. */
bool ll_read_program(ll_program *program, const pm_buf *text, const pm_build_options *options,
                     pm_buf *error) PM_MUST_USE;
/* Runs LLVM's passes. */
bool ll_optimize(ll_program *program, pm_buf *error) PM_MUST_USE;
/* The machine code as an object file or as assembly; NULL with a line in `error`. The caller disposes it. */
LLVMMemoryBufferRef ll_generate(ll_program *program, LLVMCodeGenFileType kind, pm_buf *error);
void ll_free_program(ll_program *program);

/* --- library.c --- */
/* Attributes in the text: of functions of the C library that passes may not know by their names, and of calls
 * of them that may become calls of libmvec's functions on vectors. */
#define LL_LIBRARY "pm-library"
#define LL_VARIANTS "pm-variants"
/* Around the passes. LLVM computes such calls in other precision, simplifies them, and makes intrinsics of
 * them that it takes apart into lanes; where they are `nobuiltin`, it calls no variant on vectors. So they
 * get names that it does not know, and the variants that the machine has. */
void ll_hide_library(ll_program *program);
void ll_show_library(LLVMModuleRef module);

/* --- machine.c --- */
/* What code is made for: the options, or the processor that this is. NULL with a line in `error`. */
LLVMTargetMachineRef ll_machine(const pm_build_options *options, pm_buf *error);
/* Attributes that every function needs for it. */
void ll_set_machine(LLVMModuleRef module, LLVMTargetMachineRef machine);

/* On Linux: functions of llvm.global_dtors go where linkers look for them today. */
void ll_use_fini_array(LLVMModuleRef module);

/* In a child process that is there for this alone: without memory LLVM ends it with PM_CHILD_WITHOUT_MEMORY.
 */
void ll_enter_child(void);

/* --- link.c --- */
/* Files of that name are made of an object file. */
bool ll_is_linked(const char *extension);
/* Makes a shared object (so) or an archive (a) of an object file; false with a line in the report. */
bool ll_link(const pm_buf *object, const char *extension, const pm_build_options *options, pm_buf *file,
             pm_report *report) PM_MUST_USE;

/* --- versions.c --- */
/* The options name several processors. */
bool ll_wants_versions(const pm_build_options *options);
/* Reads the text as ll_read_program does and optimizes it, once for each processor that the options name,
 * with functions that choose among them when they are called. */
bool ll_read_versions(ll_program *program, const pm_buf *text, const pm_build_options *options,
                      pm_buf *error) PM_MUST_USE;

/* --- threads.c --- */
/* The functions of pool.ll that programs call become declarations: the process has them. */
bool ll_drop_pool(ll_program *program, pm_buf *error) PM_MUST_USE;

#endif
