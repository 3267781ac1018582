/* Between heaps and boundaries. */
#ifndef PM_IR_SRC_HEAP_H
#define PM_IR_SRC_HEAP_H

#include "ir/fault.h"

/* The calling thread's memory comes from there; NULL: from the process. The one before. */
pm_heap *pm_heap_use(pm_heap *heap);
/* What is left in it is no leak: a fault has ended what had it. */
void pm_heap_spoil(pm_heap *heap);

/* In place of malloc and its like, and of abort: what --wrap calls, also for shared objects of ours beside
 * the library (targets/llvm/backend/memory_calls.c). */
void *pm_heap_malloc(size_t bytes);
void *pm_heap_calloc(size_t count, size_t bytes);
void *pm_heap_realloc(void *p, size_t bytes);
void pm_heap_free_block(void *p);
char *pm_heap_strdup(const char *text);
char *pm_heap_strndup(const char *text, size_t most);
PM_NORETURN void pm_fault_abort(void);

/* The system's. */
PM_NORETURN void pm_real_abort(void) __asm__("__real_abort");

#endif
