/* What the target llvm is made of: its row (llvm.c), which is in the library, and a shared object of its own
 * (backend/), which has all that calls LLVM and is loaded when a program is emitted or compiled. */
#ifndef PM_TARGETS_LLVM_LLVM_H
#define PM_TARGETS_LLVM_LLVM_H

#include "targets/target.h"

extern const pm_target llvm_target;

/* The hooks of the target, as targets/target.h has them. */
typedef struct llvm_backend {
  bool (*emit)(pm_module *module, const char *header_name, pm_target_output *out);
  pm_outcome (*compile)(const pm_target_output *text, const char *extension, const pm_build_options *options,
                        pm_buf *file, pm_report *report);
  void (*enter_child)(void);
} llvm_backend;

/* The extension of an object file for this process, which needs no linker (targets/lib/object.h). */
#define LLVM_JIT_EXTENSION "jit"

/* The file beside the library, where that is built and where it is installed, and its symbol of type
 * llvm_backend. */
#define LLVM_BACKEND_FILE "pm-llvm.so"
#define LLVM_BACKEND_INSTALLED "pm/pm-llvm.so"
#define LLVM_BACKEND_SYMBOL "pm_llvm_backend"
extern const llvm_backend pm_llvm_backend;

#endif
