#include "dialects/isl/number_pool.h"

#include "ir/support.h"

#include <gmp.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 16, BLOCKS = 1024 };

typedef union block {
  union block *next;
  char bytes[SMALL];
} block;

static block *unused;

static void add_blocks(void) {
  block *blocks = pm_xmalloc(BLOCKS * sizeof *blocks);
  for (size_t i = BLOCKS; i-- > 0;) {
    blocks[i].next = unused;
    unused = &blocks[i];
  }
}

static void *allocate(size_t size) {
  if (size > SMALL) return pm_xmalloc(size);
  if (!unused) add_blocks();
  block *first = unused;
  unused = first->next;
  return first;
}

static void release(void *memory, size_t size) {
  if (size > SMALL) {
    free(memory);
    return;
  }
  block *first = memory;
  first->next = unused;
  unused = first;
}

static void *resize(void *memory, size_t old, size_t size) {
  if (old <= SMALL && size <= SMALL) return memory;
  void *moved = allocate(size);
  memcpy(moved, memory, old < size ? old : size);
  release(memory, old);
  return moved;
}

void pm_pool_numbers(void) {
  mp_set_memory_functions(allocate, resize, release);
}
