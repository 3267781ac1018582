/* Runs the emitted function `copy` of PROGRAM, then again with each of its allocations failing in turn: the
 * error must be "out of memory" and every allocation must be freed. A call has fewer of them when threads
 * come too late to work. */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `extern` where PROGRAM is a header, and its object file calls these by name. */
#ifndef COUNTED
#define COUNTED static
#endif

static atomic_int calls, live, failing = -1;

COUNTED void *counted_alloc(size_t alignment, size_t bytes) {
  if (atomic_fetch_add(&calls, 1) == failing) return NULL;
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

enum { N = 11, MAX_INT32 = 0x7fffffff };

static int expect(const char *what, int have, int want) {
  if (have != want) printf("%s: %d, expected %d\n", what, have, want);
  return have != want;
}

int main(void) {
  static float in[N * N], out[N * N];
  for (int i = 0; i < N * N; i++) in[i] = (float)i;
  int bad = expect("plain call", copy(N, in, out), 0);
  bad += expect("difference of the copy", memcmp(in, out, sizeof in) != 0, 0);
  int total = calls;
  for (int k = 0; k < total; k++) {
    copy_release();
    calls = 0;
    failing = k;
    int got = copy(N, in, out);
    bad += expect("call without memory", got, calls > failing ? 3 : 0);
    copy_release();
    bad += expect("allocations left over", live, 0);
  }
  failing = -1;
  bad += expect("null pointer", copy(N, NULL, out), 1);
  bad += expect("negative extents", copy(-1, in, out), 0);
  bad += expect("empty arrays", copy(0, in, out), 0);
  bad += expect("extents beyond 64 bits", copy(MAX_INT32, in, out), 4);
  bad += expect("scratch bytes of nothing", copy_scratch_bytes(0) < copy_scratch_bytes(1), 1);
  bad += expect("scratch bytes beyond 64 bits", copy_scratch_bytes(MAX_INT32) == INT64_MAX, 1);
  return bad != 0;
}
