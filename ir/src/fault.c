/* Boundaries: where a fault ends. */
#include "ir/fault.h"
#include "ir/src/heap.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct boundary {
  struct boundary *outer;
  pm_cleanup *cleanups; /* that were there before */
  pm_heap *heap;
  void (*at_fault)(void *user, const pm_fault *fault);
  void *user;
  pm_fault *fault;
  bool raised;
  jmp_buf end;
} boundary;

/* What a thread has of ours: an allocator and a fault are told nothing else. */
static _Thread_local boundary *innermost;
static _Thread_local pm_cleanup *cleanups;
static _Thread_local pm_fault_handler thread_handler;

void pm_set_fault_handler(pm_fault_handler handler) {
  thread_handler = handler;
}

void pm_cleanup_add(pm_cleanup *cleanup, void (*run)(void *user), void *user) {
  *cleanup = (pm_cleanup){run, user, cleanups};
  cleanups = cleanup;
}

void pm_cleanup_remove(const pm_cleanup *cleanup) {
  for (pm_cleanup **at = &cleanups; *at; at = &(*at)->outer) {
    if (*at != cleanup) continue;
    *at = cleanup->outer;
    return;
  }
}

static void run_cleanups(const pm_cleanup *until) {
  while (cleanups && cleanups != until) {
    pm_cleanup *first = cleanups;
    cleanups = first->outer;
    first->run(first->user);
  }
}

bool pm_protect(pm_heap *heap, void (*body)(void *user), void (*at_fault)(void *user, const pm_fault *fault),
                void *user, pm_fault *fault) {
  boundary b = {.outer = innermost,
                .cleanups = cleanups,
                .heap = heap,
                .at_fault = at_fault,
                .user = user,
                .fault = fault};
  pm_heap *outer_heap = pm_heap_use(heap);
  innermost = &b;
  volatile bool ok = setjmp(b.end) == 0;
  if (ok) body(user);
  innermost = b.outer;
  cleanups = b.cleanups;
  (void)pm_heap_use(outer_heap);
  if (!ok && heap) pm_heap_spoil(heap);
  return ok;
}

/* A fault of what releases things ends the same boundary. They may have memory of the heap, and free it. */
static PM_NORETURN void end_boundary(boundary *b, const pm_fault *fault) {
  if (!b->raised) {
    b->raised = true;
    *b->fault = *fault;
    (void)pm_heap_use(NULL);
    if (b->at_fault) b->at_fault(b->user, b->fault);
  }
  (void)pm_heap_use(b->heap);
  run_cleanups(b->cleanups);
  longjmp(b->end, 1);
}

void pm_raise(const pm_fault *fault) {
  if (innermost) end_boundary(innermost, fault);
  if (thread_handler) thread_handler(fault);
  fprintf(stderr, "pm: %s\n", fault->message);
  pm_real_abort();
}

void pm_out_of_memory(void) {
  pm_fault fault = {.kind = PM_FAULT_MEMORY, .message = "out of memory"};
  pm_raise(&fault);
}

/* Libraries abort where they have no other way. */
void pm_fault_abort(void) {
  pm_fault fault = {.kind = PM_FAULT_BUG, .message = "a library that this is made with has aborted"};
  if (innermost) pm_raise(&fault);
  pm_real_abort();
}

PM_NORETURN void pm_wrapped_abort(void) __asm__("__wrap_abort") __attribute__((alias("pm_fault_abort")));
