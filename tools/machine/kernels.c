/* Loops as pmc emits them, for pm-machine, which compiles this file with the C compiler of the pipelines and
 * times them. Each writes `rows` rows of `cols` points; rows are `pitch` elements apart in both arrays, which
 * have what is read beyond them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/mman.h>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

#define ARRAYS float *restrict out, const float *restrict in, int64_t rows, int64_t cols, int64_t pitch
#define EVERY_POINT(VALUE)                                                                                   \
  for (int64_t r = 0; r < rows; r++) {                                                                       \
    _Pragma("omp simd") for (int64_t c = 0; c < cols; c++) out[r * pitch + c] = (VALUE);                     \
  }

/* 9 loads, 17 operations and a store. */
void stencil(ARRAYS) {
#define AT(I, J) in[(r + (I)) * pitch + c + (J)]
  EVERY_POINT(AT(0, 0) * 0.0625f + AT(0, 1) * 0.125f + AT(0, 2) * 0.0625f + AT(1, 0) * 0.125f +
              AT(1, 1) * 0.25f + AT(1, 2) * 0.125f + AT(2, 0) * 0.0625f + AT(2, 1) * 0.125f +
              AT(2, 2) * 0.0625f)
#undef AT
}

void product(ARRAYS) {
  EVERY_POINT(in[r * pitch + c] * in[r * pitch + c + 1])
}

void quotient(ARRAYS) {
  EVERY_POINT(in[r * pitch + c] / in[r * pitch + c + 1])
}

void call(ARRAYS) {
  EVERY_POINT(expf(in[r * pitch + c]))
}

/* 2 strided reads, an operation and a store. */
void every_second(ARRAYS) {
  EVERY_POINT(in[r * pitch + 2 * c] + in[r * pitch + 2 * c + 1])
}

/* A read at a computed index, and what computes it: a load and 3 operations. */
void look_up(ARRAYS) {
  EVERY_POINT(in[(int32_t)(in[r * pitch + c] * 500.0f) & 1023])
}

void scale(ARRAYS) {
  EVERY_POINT(in[r * pitch + c] * 2.0f)
}

/* The same by all threads. */
void scale_by_all(ARRAYS) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; r++) scale(out + r * pitch, in + r * pitch, 1, cols, pitch);
}

/* A parallel loop with `rows` iterations a thread, and little in them. */
void start(ARRAYS) {
  (void)cols;
#ifdef _OPENMP
  rows *= omp_get_max_threads();
#endif
#pragma omp parallel for schedule(dynamic)
  for (int64_t r = 0; r < rows; r++) out[r * pitch] = in[r * pitch];
}

/* The same as scale, into memory that is allocated for it as emitted programs do. */
void scale_to_new(ARRAYS) {
  const size_t page = (size_t)1 << 21;
  size_t bytes = ((size_t)(rows * pitch) * sizeof(float) + page - 1) / page * page;
  float *made = aligned_alloc(page, bytes);
  if (!made) return;
#ifdef MADV_HUGEPAGE
  (void)madvise(made, bytes, MADV_HUGEPAGE);
#endif
  scale(made, in, rows, cols, pitch);
  out[0] = made[(rows - 1) * pitch];
  free(made);
}
