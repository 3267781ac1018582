/* Heaps, and the functions that stand in the place of malloc and its like (`--wrap`).
 *
 * Small blocks have sizes of 16 to 2048 bytes in steps of 16. A page has blocks of one size; what is free is
 * in a list for each size. A table says which pages are the heap's, and their sizes. A larger block is one of
 * the system's, and stands in a second table. A block in neither table is the process's. An exact heap has
 * blocks of the second sort only; so do heaps under sanitizers, which see each block then. */
#include "ir/src/heap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *pm_real_malloc(size_t bytes) __asm__("__real_malloc");
void *pm_real_calloc(size_t count, size_t bytes) __asm__("__real_calloc");
void *pm_real_realloc(void *p, size_t bytes) __asm__("__real_realloc");
void pm_real_free(void *p) __asm__("__real_free");

enum {
  STEP_BITS = 4,
  LARGEST_SMALL = 2048,
  SIZES = (LARGEST_SMALL >> STEP_BITS) + 1,
  PAGE_BITS = 14,
  PAGE = 1 << PAGE_BITS,
  FIRST_CHUNK = 4 * PAGE,
  LARGEST_CHUNK = 256 * PAGE
};

#ifdef PM_SANITIZED
static const bool SANITIZED = true;
#else
static const bool SANITIZED = false;
#endif

/* A table of addresses: open addressing, linear probing. */
typedef struct entry {
  uintptr_t key; /* 0: none */
  size_t value;
} entry;

typedef struct table {
  entry *entries;
  size_t cap, len;
} table;

typedef struct cell {
  struct cell *next;
} cell;

typedef struct chunk {
  struct chunk *next;
} chunk;

struct pm_heap {
  cell *unused[SIZES];
  char *at[SIZES], *end[SIZES]; /* what of the newest page of a size has not been used yet */
  char *page, *last_page;       /* what of the newest chunk has not */
  table pages;                  /* number of a page -> its size in steps */
  table large;                  /* address of a block -> its bytes */
  chunk *chunks;
  size_t chunk_bytes, bytes, limit;
  size_t small_below; /* 0: no block is small */
  bool spoilt;
};

/* Reached without a call where the library is a shared object, too. */
static _Thread_local pm_heap *current __attribute__((tls_model("initial-exec")));

/* --- tables --- */

static size_t slot_of(const table *t, uintptr_t key) {
  return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (t->cap - 1);
}

static entry *find(const table *t, uintptr_t key) {
  if (!t->cap) return NULL;
  for (size_t i = slot_of(t, key);; i = (i + 1) & (t->cap - 1)) {
    if (t->entries[i].key == key) return &t->entries[i];
    if (!t->entries[i].key) return NULL;
  }
}

static void put(table *t, uintptr_t key, size_t value) {
  size_t i = slot_of(t, key);
  while (t->entries[i].key) i = (i + 1) & (t->cap - 1);
  t->entries[i] = (entry){key, value};
  t->len++;
}

/* Makes room for one more. */
static bool make_room(table *t) {
  table grown = {.cap = t->cap ? t->cap * 2 : 64};
  if (2 * (t->len + 1) <= t->cap) return true;
  grown.entries = pm_real_calloc(grown.cap, sizeof *grown.entries);
  if (!grown.entries) return false;
  for (size_t i = 0; i < t->cap; i++)
    if (t->entries[i].key) put(&grown, t->entries[i].key, t->entries[i].value);
  pm_real_free(t->entries);
  *t = grown;
  return true;
}

/* What follows may have been put there because the place was taken. */
static void take_out(table *t, entry *e) {
  e->key = 0;
  t->len--;
  size_t i = (size_t)(e - t->entries);
  for (i = (i + 1) & (t->cap - 1); t->entries[i].key; i = (i + 1) & (t->cap - 1)) {
    entry moved = t->entries[i];
    t->entries[i].key = 0;
    t->len--;
    put(t, moved.key, moved.value);
  }
}

/* --- the system --- */

static void need(pm_heap *heap, size_t bytes) {
  if (heap->limit && (bytes > heap->limit || heap->bytes > heap->limit - bytes)) pm_out_of_memory();
}

/* Its first page begins behind the link of the chunks. */
static void add_chunk(pm_heap *heap) {
  size_t bytes = heap->chunk_bytes ? heap->chunk_bytes : FIRST_CHUNK;
  need(heap, bytes);
  chunk *added = pm_real_malloc(bytes);
  if (!added) pm_out_of_memory();
  added->next = heap->chunks;
  heap->chunks = added;
  heap->bytes += bytes;
  heap->chunk_bytes = bytes < LARGEST_CHUNK ? bytes * 2 : bytes;
  uintptr_t first = ((uintptr_t)(added + 1) + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
  heap->page = (char *)added + (first - (uintptr_t)added);
  heap->last_page = (char *)added + bytes - PAGE;
}

/* --- small blocks --- */

static size_t steps_of(size_t bytes) {
  return bytes ? (bytes + ((1 << STEP_BITS) - 1)) >> STEP_BITS : 1;
}

static void add_page(pm_heap *heap, size_t steps) {
  if (!make_room(&heap->pages)) pm_out_of_memory();
  if (!heap->page || heap->page > heap->last_page) add_chunk(heap);
  put(&heap->pages, (uintptr_t)heap->page >> PAGE_BITS, steps);
  heap->at[steps] = heap->page;
  heap->end[steps] = heap->page + (PAGE / (steps << STEP_BITS)) * (steps << STEP_BITS);
  heap->page += PAGE;
}

static void *take_small(pm_heap *heap, size_t steps) {
  cell *first = heap->unused[steps];
  if (first) {
    heap->unused[steps] = first->next;
    return first;
  }
  if (heap->at[steps] == heap->end[steps]) add_page(heap, steps);
  void *p = heap->at[steps];
  heap->at[steps] += steps << STEP_BITS;
  return p;
}

static void give_small(pm_heap *heap, void *p, size_t steps) {
  cell *freed = p;
  freed->next = heap->unused[steps];
  heap->unused[steps] = freed;
}

/* --- large ones --- */

static void *note_large(pm_heap *heap, void *p, size_t bytes) {
  if (!p) pm_out_of_memory();
  put(&heap->large, (uintptr_t)p, bytes);
  heap->bytes += bytes;
  return p;
}

static void *take_large(pm_heap *heap, size_t bytes, bool zeroed) {
  need(heap, bytes);
  if (!make_room(&heap->large)) pm_out_of_memory();
  size_t some = bytes ? bytes : 1;
  return note_large(heap, zeroed ? pm_real_calloc(1, some) : pm_real_malloc(some), bytes);
}

static void give_large(pm_heap *heap, entry *e) {
  void *p = (void *)e->key;
  heap->bytes -= e->value;
  take_out(&heap->large, e);
  pm_real_free(p);
}

/* --- both --- */

/* Of no bytes too, which are one otherwise. */
static bool is_small(const pm_heap *heap, size_t bytes) {
  return bytes < heap->small_below;
}

static void *take(pm_heap *heap, size_t bytes) {
  return is_small(heap, bytes) ? take_small(heap, steps_of(bytes)) : take_large(heap, bytes, false);
}

static entry *page_of(const pm_heap *heap, const void *p) {
  return find(&heap->pages, (uintptr_t)p >> PAGE_BITS);
}

static void *move(pm_heap *heap, const void *p, size_t old, size_t bytes) {
  void *moved = take(heap, bytes);
  memcpy(moved, p, old < bytes ? old : bytes);
  return moved;
}

static void *resize_small(pm_heap *heap, void *p, size_t steps, size_t bytes) {
  if (is_small(heap, bytes) && steps_of(bytes) == steps) return p;
  void *moved = move(heap, p, steps << STEP_BITS, bytes);
  give_small(heap, p, steps);
  return moved;
}

/* When there is no memory the block stays what it was. */
static void *resize_large(pm_heap *heap, entry *e, size_t bytes) {
  size_t old = e->value;
  void *p = (void *)e->key;
  if (is_small(heap, bytes)) {
    void *moved = move(heap, p, old, bytes);
    give_large(heap, e);
    return moved;
  }
  if (bytes > old) need(heap, bytes - old);
  void *resized = pm_real_realloc(p, bytes ? bytes : 1);
  if (!resized) pm_out_of_memory();
  take_out(&heap->large, e);
  heap->bytes -= old;
  return note_large(heap, resized, bytes);
}

/* --- in place of the system's --- */

void *pm_heap_malloc(size_t bytes) {
  pm_heap *heap = current;
  return heap ? take(heap, bytes) : pm_real_malloc(bytes);
}

void *pm_heap_calloc(size_t count, size_t bytes) {
  pm_heap *heap = current;
  size_t all;
  if (!heap) return pm_real_calloc(count, bytes);
  if (__builtin_mul_overflow(count, bytes, &all)) pm_out_of_memory();
  return is_small(heap, all) ? memset(take_small(heap, steps_of(all)), 0, all) : take_large(heap, all, true);
}

void *pm_heap_realloc(void *p, size_t bytes) {
  pm_heap *heap = current;
  if (!heap) return pm_real_realloc(p, bytes);
  if (!p) return take(heap, bytes);
  const entry *page = page_of(heap, p);
  if (page) return resize_small(heap, p, page->value, bytes);
  entry *large = find(&heap->large, (uintptr_t)p);
  return large ? resize_large(heap, large, bytes) : pm_real_realloc(p, bytes);
}

/* errno stays what it was, as with the system's. */
void pm_heap_free_block(void *p) {
  pm_heap *heap = current;
  if (!heap || !p) {
    pm_real_free(p);
    return;
  }
  const entry *page = page_of(heap, p);
  entry *large = page ? NULL : find(&heap->large, (uintptr_t)p);
  if (page)
    give_small(heap, p, page->value);
  else if (large)
    give_large(heap, large);
  else
    pm_real_free(p);
}

static char *copy(const char *text, size_t len) {
  char *copied = pm_heap_malloc(len + 1);
  if (!copied) return NULL;
  memcpy(copied, text, len);
  copied[len] = 0;
  return copied;
}

char *pm_heap_strdup(const char *text) {
  return copy(text, strlen(text));
}

char *pm_heap_strndup(const char *text, size_t most) {
  return copy(text, strnlen(text, most));
}

/* --- heaps --- */

pm_heap *pm_heap_new(size_t limit, bool exact) {
  pm_heap *heap = pm_real_calloc(1, sizeof *heap);
  if (heap) heap->limit = limit;
  if (heap && !exact && !SANITIZED) heap->small_below = LARGEST_SMALL + 1;
  return heap;
}

/* Under sanitizers what is left without a fault is a leak, which they are to find. */
static bool keeps_leaks(const pm_heap *heap) {
  return SANITIZED && !heap->spoilt;
}

void pm_heap_free(pm_heap *heap) {
  if (!heap) return;
  for (size_t i = 0; i < heap->large.cap && !keeps_leaks(heap); i++)
    if (heap->large.entries[i].key) pm_real_free((void *)heap->large.entries[i].key);
  for (chunk *c = heap->chunks, *next; c; c = next) {
    next = c->next;
    pm_real_free(c);
  }
  pm_real_free(heap->pages.entries);
  pm_real_free(heap->large.entries);
  pm_real_free(heap);
}

size_t pm_heap_bytes(const pm_heap *heap) {
  return heap->bytes;
}

pm_heap *pm_heap_use(pm_heap *heap) {
  pm_heap *before = current;
  current = heap;
  return before;
}

void pm_heap_spoil(pm_heap *heap) {
  heap->spoilt = true;
}

pm_heap *pm_heap_leave(void) {
  return pm_heap_use(NULL);
}

void pm_heap_return(pm_heap *left) {
  (void)pm_heap_use(left);
}

/* --- the names that --wrap gives them --- */

#define IN_PLACE_OF(result, name, ours, ...)                                                                 \
  result pm_wrapped_##name(__VA_ARGS__) __asm__("__wrap_" #name) __attribute__((alias(#ours)));
IN_PLACE_OF(void *, malloc, pm_heap_malloc, size_t bytes)
IN_PLACE_OF(void *, calloc, pm_heap_calloc, size_t count, size_t bytes)
IN_PLACE_OF(void *, realloc, pm_heap_realloc, void *p, size_t bytes)
IN_PLACE_OF(void, free, pm_heap_free_block, void *p)
IN_PLACE_OF(char *, strdup, pm_heap_strdup, const char *text)
IN_PLACE_OF(char *, strndup, pm_heap_strndup, const char *text, size_t most)
