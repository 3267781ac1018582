/* What this shared object calls in place of malloc and its like (--wrap) is the library's: blocks go from one
 * to the other. */
#include "ir/src/heap.h"

#define IN_PLACE_OF(result, name, ...) result pm_wrapped_##name(__VA_ARGS__) __asm__("__wrap_" #name);
IN_PLACE_OF(void *, malloc, size_t bytes)
IN_PLACE_OF(void *, calloc, size_t count, size_t bytes)
IN_PLACE_OF(void *, realloc, void *p, size_t bytes)
IN_PLACE_OF(void, free, void *p)
IN_PLACE_OF(char *, strdup, const char *text)
IN_PLACE_OF(char *, strndup, const char *text, size_t most)
IN_PLACE_OF(PM_NORETURN void, abort, void)

void *pm_wrapped_malloc(size_t bytes) {
  return pm_heap_malloc(bytes);
}

void *pm_wrapped_calloc(size_t count, size_t bytes) {
  return pm_heap_calloc(count, bytes);
}

void *pm_wrapped_realloc(void *p, size_t bytes) {
  return pm_heap_realloc(p, bytes);
}

void pm_wrapped_free(void *p) {
  pm_heap_free_block(p);
}

char *pm_wrapped_strdup(const char *text) {
  return pm_heap_strdup(text);
}

char *pm_wrapped_strndup(const char *text, size_t most) {
  return pm_heap_strndup(text, most);
}

void pm_wrapped_abort(void) {
  pm_fault_abort();
}
