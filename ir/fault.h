/* When memory runs out, or a check of our own fails, nothing below the caller can go on. It is told as a
 * fault, which ends what runs: `pm_protect` is where it ends. A program without a boundary gives its thread a
 * handler, which ends the process; without either a line goes to stderr and the process aborts.
 *
 * A heap has all memory that is taken while it is in use, that of isl and GMP included, so a fault leaves
 * nothing behind: what was computed is thrown away as a whole. This needs malloc and its like to be ours
 * (`--wrap`, see CMakeLists.txt). isl and GMP take part where they are linked as archives. */
#ifndef PM_IR_FAULT_H
#define PM_IR_FAULT_H

#include "ir/support.h"

struct pm_op;

typedef enum pm_fault_kind {
  PM_FAULT_MEMORY, /* the system, or the limit of the heap, gives no more */
  PM_FAULT_BUG     /* ours */
} pm_fault_kind;

typedef struct pm_fault {
  pm_fault_kind kind;
  const struct pm_op *op; /* that a bug was found at, or NULL; gone once the fault has ended */
  char message[480];      /* one line, cut where it is longer */
} pm_fault;

/* --- heaps --- */

typedef struct pm_heap pm_heap;
/* An empty heap that takes at most `limit` bytes from the system; 0: any number. It takes them in large
 * pieces; `exact`: each block by itself, which is slower. NULL: there is no memory. */
pm_heap *pm_heap_new(size_t limit, bool exact);
/* Gives back all of its memory. The heap must not be in use. NULL is allowed. */
void pm_heap_free(pm_heap *heap);
/* What it has from the system, in bytes. */
size_t pm_heap_bytes(const pm_heap *heap);

/* For functions of a caller that are called while a heap is in use: what they take is the process's. */
pm_heap *pm_heap_leave(void);
void pm_heap_return(pm_heap *left);

/* --- boundaries --- */

/* Runs body(user) with the heap in use; NULL: memory is the process's, and a fault leaks what was taken.
 * False when a fault ended it, which is then in `fault`; the heap may only be freed after that. `at_fault`,
 * which may be NULL, is called first, where the fault is, with memory of the process: it must not fault.
 * Boundaries may be nested: the innermost counts. */
bool pm_protect(pm_heap *heap, void (*body)(void *user), void (*at_fault)(void *user, const pm_fault *fault),
                void *user, pm_fault *fault) PM_MUST_USE;

/* Ends at the thread's boundary, or calls its handler. */
PM_NORETURN void pm_raise(const pm_fault *fault);
/* For the thread that calls it, where it has no boundary. The handler must not return. */
typedef void (*pm_fault_handler)(const pm_fault *fault);
void pm_set_fault_handler(pm_fault_handler handler);

/* What a fault must release that is no memory, as an open file. The struct is the caller's, who removes it
 * before it is gone. At a fault the last one is run first, with the heap in use: it may free what it has. */
typedef struct pm_cleanup {
  void (*run)(void *user);
  void *user;
  struct pm_cleanup *outer;
} pm_cleanup;
void pm_cleanup_add(pm_cleanup *cleanup, void (*run)(void *user), void *user);
/* Without running it; nothing happens where it is not there. */
void pm_cleanup_remove(const pm_cleanup *cleanup);

#endif
