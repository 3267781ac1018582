/* Calls `sums` of PROGRAM with memory of the caller and with its own: values, what is allocated and when,
 * calls at the same time, sizes that go up and down. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _OPENMP
#include <omp.h>
#endif

/* `extern` where PROGRAM is a header, and its object file calls these by name. */
#ifndef COUNTED
#define COUNTED static
#endif

static atomic_int allocs, live;

COUNTED void *counted_alloc(size_t alignment, size_t bytes) {
  atomic_fetch_add(&allocs, 1);
  atomic_fetch_add(&live, 1);
  return aligned_alloc(alignment, bytes);
}

COUNTED void counted_free(void *p) {
  if (p) atomic_fetch_sub(&live, 1);
  free(p);
}

#define aligned_alloc counted_alloc
#define free counted_free
#include PROGRAM
#undef aligned_alloc
#undef free

enum { MOST = 300 };

static int expect(const char *what, long long have, long long want) {
  if (have != want) printf("%s: %lld, expected %lld\n", what, have, want);
  return have != want;
}

/* in[i] + in[n - 1 - i] */
static int check(const char *what, int n, int status, const float *in, const float *out) {
  int bad = expect(what, status, 0);
  for (int i = 0; i < n && !bad; i++)
    bad += expect(what, (long long)out[i], (long long)(in[i] + in[n - 1 - i]));
  return bad;
}

int main(void) {
  static float in[MOST], out[MOST];
  int bad = 0;
  for (int i = 0; i < MOST; i++) in[i] = (float)(i * 7 % 256);
  /* Of the caller: at any alignment, and nothing is written outside. */
  for (int n = 0; n < MOST; n += 13)
    for (size_t shift = 0; shift < 64; shift += 21) {
      size_t bytes = (size_t)sums_scratch_bytes(n);
      unsigned char *memory = malloc(bytes + shift + 32);
      memset(memory, 0x5a, bytes + shift + 32);
      bad += check("with memory", n, sums_ws(memory + shift, (int64_t)bytes, n, in, out), in, out);
      for (size_t i = 0; i < shift; i++) bad += expect("before the memory", memory[i], 0x5a);
      for (size_t i = 0; i < 32; i++) bad += expect("behind the memory", memory[shift + bytes + i], 0x5a);
      bad += expect("too little memory", sums_ws(memory, (int64_t)bytes - 1, n, in, out), 3);
      bad += expect("negative memory", sums_ws(memory, -1, n, in, out), 3);
      free(memory);
    }
  bad += expect("allocations for memory of the caller", allocs, 0);
  /* Its own: allocated once, and again for more. */
  bad += check("first call", 100, sums(100, in, out), in, out);
  bad += check("second call", 100, sums(100, in, out), in, out);
  bad += check("smaller call", 7, sums(7, in, out), in, out);
  bad += check("call with NULL", 100, sums_ws(NULL, 0, 100, in, out), in, out);
  bad += expect("allocations", allocs, 1);
  bad += check("larger call", 300, sums(300, in, out), in, out);
  bad += expect("allocations of two sizes", allocs, 2);
  bad += expect("blocks that are kept", live, 1);
  bad += expect("wrong arguments", sums(100, NULL, out), 1);
  sums_release();
  sums_release();
  bad += expect("blocks after the release", live, 0);
  bad += check("call after it", 100, sums(100, in, out), in, out);
#ifdef _OPENMP
#pragma omp parallel for num_threads(12) reduction(+ : bad)
#endif
  for (int k = 0; k < 600; k++) {
    float mine[MOST];
    int n = 1 + k * 31 % MOST;
    bad += check("at the same time", n, sums(n, in, mine), in, mine);
    if (k % 50 == 0) sums_release();
  }
  if (live > 8) bad += expect("blocks that are kept", live, 8);
  sums_release();
  bad += expect("blocks at the end", live, 0);
  return bad != 0;
}
