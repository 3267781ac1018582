#include "targets/lib/debuggers.h"

#include "ir/support.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Names, types and numbers are those of the interface. */
typedef enum jit_actions { JIT_NOACTION, JIT_REGISTER_FN, JIT_UNREGISTER_FN } jit_actions;

typedef struct jit_code_entry {
  struct jit_code_entry *next, *previous;
  const char *symfile;
  uint64_t size;
} jit_code_entry;

typedef struct jit_descriptor {
  uint32_t version, action;
  jit_code_entry *relevant, *first;
} jit_descriptor;

extern jit_descriptor __jit_debug_descriptor;
jit_descriptor __jit_debug_descriptor = {1, JIT_NOACTION, NULL, NULL};

/* Debuggers have a breakpoint here. */
void __jit_debug_register_code(void);
__attribute__((noinline)) void __jit_debug_register_code(void) {
  __asm__ volatile("" ::: "memory");
}

/* No thread is in the middle of a change when the process forks. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void take_lock(void) {
  pthread_mutex_lock(&lock);
}

static void leave_lock(void) {
  pthread_mutex_unlock(&lock);
}

static void watch_forks(void) {
  (void)pthread_atfork(take_lock, leave_lock, leave_lock);
}

static void tell(jit_code_entry *entry, jit_actions action) {
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = JIT_NOACTION;
}

void *pm_debug_add(const char *object, size_t len) {
  char *block = pm_xcalloc(1, sizeof(jit_code_entry) + len);
  jit_code_entry *entry = (jit_code_entry *)(void *)block;
  memcpy(block + sizeof *entry, object, len);
  entry->symfile = block + sizeof *entry;
  entry->size = len;
  (void)pthread_once(&once, watch_forks);
  take_lock();
  entry->next = __jit_debug_descriptor.first;
  if (entry->next) entry->next->previous = entry;
  __jit_debug_descriptor.first = entry;
  tell(entry, JIT_REGISTER_FN);
  leave_lock();
  return entry;
}

void pm_debug_remove(void *added) {
  jit_code_entry *entry = added;
  take_lock();
  if (entry->previous) entry->previous->next = entry->next;
  if (entry->next) entry->next->previous = entry->previous;
  if (__jit_debug_descriptor.first == entry) __jit_debug_descriptor.first = entry->next;
  tell(entry, JIT_UNREGISTER_FN);
  leave_lock();
  free(entry);
}
