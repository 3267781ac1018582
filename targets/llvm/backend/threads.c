/* The pool of threads, which is text in programs (pool.ll), and is in the library, too, for those that run in
 * its process (targets/lib/pool.c). */
#include "targets/llvm/backend/backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>

static const char *const names[] = {"pm_parallel",    "pm_next",       "pm_get_threads", "pm_set_threads",
                                    "pm_end_threads", "pm_begin_call", "pm_end_call"};

static bool declare(LLVMModuleRef module, const char *name) {
  LLVMValueRef defined = LLVMGetNamedFunction(module, name);
  if (!defined || LLVMIsDeclaration(defined)) return false;
  LLVMSetValueName2(defined, "", 0);
  LLVMReplaceAllUsesWith(defined, LLVMAddFunction(module, name, LLVMGlobalGetValueType(defined)));
  LLVMSetLinkage(defined, LLVMInternalLinkage);
  return true;
}

/* Before other passes, which would take time for what is called no longer. */
static bool drop_uncalled(ll_program *p, pm_buf *error) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef failure = LLVMRunPasses(p->module, "globaldce", p->machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!failure) return true;
  ll_put_error(error, "LLVM's passes do not run", failure);
  return false;
}

bool ll_drop_pool(ll_program *p, pm_buf *error) {
  bool any = false;
  for (size_t i = 0; i < PM_COUNT(names); i++) any |= declare(p->module, names[i]);
  return !any || drop_uncalled(p, error);
}
