/* Included ahead of an emitted pipeline: counts the bytes of its blocks that are there at the same time.
 * `alignment` bounds what each block is larger than asked for. */
#include <stdint.h>
#include <stdlib.h>

enum { PM_COUNT_HEADER = 64 };

static int64_t pm_count_live, pm_count_most, pm_count_rounding;

static inline void *pm_count_alloc(size_t alignment, size_t bytes) {
  char *block = (aligned_alloc)(PM_COUNT_HEADER, bytes + PM_COUNT_HEADER);
  if (block == NULL) return NULL;
  *(size_t *)block = bytes;
  int64_t live = __atomic_add_fetch(&pm_count_live, (int64_t)bytes, __ATOMIC_SEQ_CST);
  int64_t most = __atomic_load_n(&pm_count_most, __ATOMIC_SEQ_CST);
  while (live > most &&
         !__atomic_compare_exchange_n(&pm_count_most, &most, live, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  __atomic_add_fetch(&pm_count_rounding, (int64_t)alignment, __ATOMIC_SEQ_CST);
  return block + PM_COUNT_HEADER;
}

static inline void pm_count_free(void *p) {
  if (p == NULL) return;
  char *block = (char *)p - PM_COUNT_HEADER;
  __atomic_sub_fetch(&pm_count_live, (int64_t) * (size_t *)block, __ATOMIC_SEQ_CST);
  (free)(block);
}

/* The most since the last call of this function; what is left over, and what rounding makes at most. */
void pm_count_take(int64_t *most, int64_t *left, int64_t *rounding);
void pm_count_take(int64_t *most, int64_t *left, int64_t *rounding) {
  *most = pm_count_most;
  *left = pm_count_live;
  *rounding = pm_count_rounding;
  pm_count_most = pm_count_rounding = 0;
}

#define aligned_alloc(alignment, bytes) pm_count_alloc(alignment, bytes)
#define free(block) pm_count_free(block)
