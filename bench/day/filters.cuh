/* What both filters have in common: a thread computes four columns of STRIP rows, from the top down, and keeps what
 * rows share in registers. One kernel reads the picture once and writes the result once. The number of columns is a
 * multiple of 4. */
#include <stdio.h>
#include <stdlib.h>

enum { STRIP = 32, THREADS = 128, WARM_UP = 100 /* calls */ };

#define MUST(call)                                                                                           \
  do {                                                                                                       \
    cudaError_t code = call;                                                                                 \
    if (code != cudaSuccess) return fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(code)), 1;         \
  } while (0)

/* Columns y - 4 to y + 7 of a row; those outside are the nearest. */
static __device__ __forceinline__ void load_row(const float *__restrict__ img, int x, int y, int rows, int columns,
                                                float *out) {
  x = x < 0 ? 0 : x >= rows ? rows - 1 : x;
  const float4 *row = (const float4 *)(img + (size_t)x * columns);
  float4 middle = row[y / 4];
  float4 left = y > 0 ? row[y / 4 - 1] : make_float4(middle.x, middle.x, middle.x, middle.x);
  float4 right = y + 4 < columns ? row[y / 4 + 1] : make_float4(middle.w, middle.w, middle.w, middle.w);
  out[0] = left.x, out[1] = left.y, out[2] = left.z, out[3] = left.w;
  out[4] = middle.x, out[5] = middle.y, out[6] = middle.z, out[7] = middle.w;
  out[8] = right.x, out[9] = right.y, out[10] = right.z, out[11] = right.w;
}

typedef void filter(const float *__restrict__ img, float *__restrict__ out, int rows, int columns);

/* Calls the kernel on a picture of the host; `milliseconds` gets the time of each call on the device. */
static int time_filter(filter *kernel, const float *img, float *out, int rows, int columns, int calls,
                       float *milliseconds) {
  const size_t bytes = sizeof(float) * rows * columns;
  const dim3 groups((columns / 4 + THREADS - 1) / THREADS, (rows + STRIP - 1) / STRIP);
  float *from, *to;
  cudaEvent_t begin, end;
  MUST(cudaMalloc(&from, bytes));
  MUST(cudaMalloc(&to, bytes));
  MUST(cudaMemset(to, 0xA5, bytes));
  MUST(cudaMemcpy(from, img, bytes, cudaMemcpyHostToDevice));
  MUST(cudaEventCreate(&begin));
  MUST(cudaEventCreate(&end));
  for (int i = -WARM_UP; i < calls; i++) {
    MUST(cudaEventRecord(begin));
    kernel<<<groups, THREADS>>>(from, to, rows, columns);
    MUST(cudaGetLastError());
    MUST(cudaEventRecord(end));
    MUST(cudaEventSynchronize(end));
    if (i >= 0) MUST(cudaEventElapsedTime(&milliseconds[i], begin, end));
  }
  MUST(cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost));
  MUST(cudaFree(from));
  MUST(cudaFree(to));
  return 0;
}
