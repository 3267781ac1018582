/* The Gaussian of bench/pipelines/gauss5.py on floats, by hand: rows, then columns, in registers. */
#include "filters.cuh"

#define W0 0.070766f
#define W1 0.244461f
#define W2 0.369546f

static __global__ void gauss(const float *__restrict__ img, float *__restrict__ out, int rows, int columns) {
  const int y = 4 * (blockIdx.x * blockDim.x + threadIdx.x), first = STRIP * blockIdx.y;
  float ring[5][4]; /* rows x - 2 to x + 2, filtered along the row */
  if (y >= columns) return;
#pragma unroll
  for (int i = 0; i < STRIP + 4; i++) {
    float p[12];
    load_row(img, first + i - 2, y, rows, columns, p);
#pragma unroll
    for (int k = 0; k < 4; k++) {
#pragma unroll
      for (int r = 0; r < 4; r++) ring[r][k] = ring[r + 1][k];
      ring[4][k] = W0 * (p[k + 2] + p[k + 6]) + W1 * (p[k + 3] + p[k + 5]) + W2 * p[k + 4];
    }
    const int x = first + i - 4;
    if (i < 4 || x >= rows) continue;
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
      v[k] = W0 * (ring[0][k] + ring[4][k]) + W1 * (ring[1][k] + ring[3][k]) + W2 * ring[2][k];
    *(float4 *)(out + (size_t)x * columns + y) = make_float4(v[0], v[1], v[2], v[3]);
  }
}

extern "C" int run(const float *img, float *out, int rows, int columns, int calls, float *milliseconds) {
  return time_filter(gauss, img, out, rows, columns, calls, milliseconds);
}
