/* The pool of this process, which programs that run in it share: targets/lib/pool.c, as it was compiled with
 * the backend. */
#include "targets/llvm/backend/backend.h"

#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

typedef struct pm_loop pm_loop;
void pm_parallel(void (*body)(void *given, int64_t thread, pm_loop *loop), void *given, int64_t iterations,
                 int dynamic, const char *stages);
_Bool pm_next(pm_loop *loop, int64_t *range);
int pm_get_threads(void);
void pm_set_threads(int n);
void pm_end_threads(void);
void pm_begin_call(void *room, int threads, pm_loop_tell *tell, void *user);
void pm_end_call(void *room);

static const struct {
  const char *name;
  void (*function)(void);
} rows[] = {{"pm_parallel", (void (*)(void))pm_parallel},
            {"pm_next", (void (*)(void))pm_next},
            {"pm_get_threads", (void (*)(void))pm_get_threads},
            {"pm_set_threads", (void (*)(void))pm_set_threads},
            {"pm_end_threads", pm_end_threads},
            {"pm_begin_call", (void (*)(void))pm_begin_call},
            {"pm_end_call", (void (*)(void))pm_end_call}};

/* --- out of the program --- */

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
  for (size_t i = 0; i < PM_COUNT(rows); i++) any |= declare(p->module, rows[i].name);
  return !any || drop_uncalled(p, error);
}

/* --- and into it --- */

bool ll_add_pool(LLVMOrcJITDylibRef dylib, LLVMOrcExecutionSessionRef session, pm_buf *error) {
  LLVMOrcCSymbolMapPair pairs[PM_COUNT(rows)];
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    pairs[i] =
        (LLVMOrcCSymbolMapPair){LLVMOrcExecutionSessionIntern(session, rows[i].name),
                                {(LLVMOrcExecutorAddress)(uintptr_t)rows[i].function,
                                 {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}}};
  LLVMErrorRef failure = LLVMOrcJITDylibDefine(dylib, LLVMOrcAbsoluteSymbols(pairs, PM_COUNT(rows)));
  if (failure) ll_put_error(error, "LLVM's JIT", failure);
  return !failure;
}

void ll_set_pool_threads(int threads) {
  if (threads > 0) pm_set_threads(threads);
}

void ll_find_pool(pm_loaded *loaded) {
  loaded->max_threads = pm_get_threads;
  loaded->begin_call = pm_begin_call;
  loaded->end_call = pm_end_call;
}
