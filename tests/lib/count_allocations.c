/* Loaded ahead of a program (LD_PRELOAD): how often it takes memory, written to the file PM_COUNTED when it
 * ends. isl counts its own operations so; the numbers that GMP takes memory for come in, too. */
#include <stdio.h>
#include <stdlib.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *block, size_t bytes);

static unsigned long count;

void *malloc(size_t bytes) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return __libc_malloc(bytes);
}

void *calloc(size_t n, size_t bytes) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return __libc_calloc(n, bytes);
}

void *realloc(void *block, size_t bytes) {
  __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  return __libc_realloc(block, bytes);
}

__attribute__((destructor)) static void put_count(void) {
  const char *path = getenv("PM_COUNTED");
  unsigned long n = count;
  FILE *file = path ? fopen(path, "w") : NULL;
  if (!file) return;
  fprintf(file, "%lu\n", n);
  fclose(file);
}
