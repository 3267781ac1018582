/* How fast memory is copied here: copy MB THREADS prints two numbers, GB/s read and written, with ordinary
 * stores and with non-temporal ones; the best of several copies of so many MB. Where a processor has no such
 * stores known here, the second is the first. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { TIMES = 12, PIECE = 1 << 16, HUGE_PAGE = 2 << 20 };

static void copy_piece(char *to, const char *from, int past_caches) {
#ifdef __SSE2__
  for (long i = 0; past_caches && i < PIECE; i += (long)sizeof(__m128i))
    _mm_stream_si128((__m128i *)(void *)(to + i), _mm_load_si128((const __m128i *)(const void *)(from + i)));
  if (past_caches) return;
#else
  (void)past_caches;
#endif
  memcpy(to, from, PIECE);
}

/* Of large pages, where there are any, so that looking up addresses takes no time; NULL: out of memory. */
static char *allocate(long bytes, int value) {
  char *memory = aligned_alloc(HUGE_PAGE, ((size_t)bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
  if (!memory) return NULL;
  (void)madvise(memory, (size_t)bytes, MADV_HUGEPAGE);
  return memset(memory, value, (size_t)bytes);
}

static double best_of(char *to, const char *from, long bytes, int past_caches) {
  double best = 0;
  for (int k = 0; k < TIMES; k++) {
    double begin = omp_get_wtime();
#pragma omp parallel for schedule(static)
    for (long i = 0; i < bytes; i += PIECE) copy_piece(to + i, from + i, past_caches);
    double rate = 2e-9 * (double)bytes / (omp_get_wtime() - begin);
    best = rate > best ? rate : best;
  }
  return best;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: copy MB THREADS\n");
    return 2;
  }
  long bytes = strtol(argv[1], NULL, 10) << 20;
  omp_set_num_threads((int)strtol(argv[2], NULL, 10));
  char *from = allocate(bytes, 1), *to = allocate(bytes, 2);
  if (!from || !to) {
    fprintf(stderr, "copy: out of memory\n");
    return 1;
  }
  printf("%.1f %.1f\n", best_of(to, from, bytes, 0), best_of(to, from, bytes, 1));
  free(from);
  free(to);
  return 0;
}
