/* Runs the emitted function `chain` of PROGRAM, which copies numbers 0..127, for several sizes: the bytes
 * that it has allocated at most must be those that chain_scratch_bytes says, but for the stack (64 bytes a
 * thread) and for the rounding of each block. */
#include <stdio.h>
#include <stdlib.h>

#ifdef _OPENMP
#include <omp.h>
#endif

enum { STACK = 64, LARGE = 256 };

static long long live, peak, blocks;

typedef struct header {
  size_t bytes;
  char fill[56];
} header;

static void *counted_alloc(size_t alignment, size_t bytes) {
  header *h = aligned_alloc(64, bytes + sizeof *h);
  if (alignment % 64 || bytes % alignment || !h) abort();
  h->bytes = bytes;
#pragma omp critical
  {
    live += (long long)bytes;
    blocks++;
    if (live > peak) peak = live;
  }
  return h + 1;
}

static void counted_free(void *p) {
  if (!p) return;
  header *h = (header *)p - 1;
#pragma omp critical
  live -= (long long)h->bytes;
  free(h);
}

#define aligned_alloc counted_alloc
#define free counted_free
#include PROGRAM
#undef aligned_alloc
#undef free

static float in[LARGE * LARGE], out[LARGE * LARGE];

static int check(int n, int threads) {
  chain_release();
  if (live) return printf("%lld bytes are left\n", live);
  peak = blocks = 0;
  for (int i = 0; i < n * n; i++) in[i] = (float)(i % 128);
  if (chain(n, in, out)) return printf("an error for %d\n", n);
  for (int i = 0; i < n * n; i++)
    if (out[i] != in[i]) return printf("%d of %d: %g is %g\n", i, n, (double)in[i], (double)out[i]);
  long long said = chain_scratch_bytes(n) - (long long)STACK * threads, rounding = 64 * blocks;
  if (peak < said || peak > said + rounding)
    return printf("%d: %lld bytes, but %lld are said\n", n, peak, said);
  blocks = 0;
  if (chain(n, in, out) || blocks) return printf("%d: the second call allocates\n", n);
  return 0;
}

int main(void) {
  static const int sizes[] = {0, 1, 2, 9, 64, 255};
  int bad = 0, threads = 1;
#ifdef _OPENMP
  threads = omp_get_max_threads();
#endif
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) bad += check(sizes[i], threads);
  return bad != 0;
}
