/* The response of bench/pipelines/harris.py by hand: derivatives, products, sums and response in registers. */
#include "filters.cuh"

/* Of columns y to y + 3: sums of three columns of the products of derivatives, at row x. */
typedef struct sums {
  float xx[4], yy[4], xy[4];
} sums;

/* `p` has rows x - 1 to x + 1, columns y - 4 to y + 7. */
static __device__ __forceinline__ sums sums_of(const float (*p)[12]) {
  float ix[6], iy[6];
  sums s;
#pragma unroll
  for (int k = 0; k < 6; k++) { /* column y + k - 1 */
    const int c = k + 3;
    ix[k] = (1.0f / 12) * (p[2][c - 1] - p[0][c - 1] + p[2][c + 1] - p[0][c + 1]) + (2.0f / 12) * (p[2][c] - p[0][c]);
    iy[k] = (1.0f / 12) * (p[0][c + 1] - p[0][c - 1] + p[2][c + 1] - p[2][c - 1]) + (2.0f / 12) * (p[1][c + 1] - p[1][c - 1]);
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    s.xx[k] = ix[k] * ix[k] + ix[k + 1] * ix[k + 1] + ix[k + 2] * ix[k + 2];
    s.yy[k] = iy[k] * iy[k] + iy[k + 1] * iy[k + 1] + iy[k + 2] * iy[k + 2];
    s.xy[k] = ix[k] * iy[k] + ix[k + 1] * iy[k + 1] + ix[k + 2] * iy[k + 2];
  }
  return s;
}

static __global__ void harris(const float *__restrict__ img, float *__restrict__ out, int rows, int columns) {
  const int y = 4 * (blockIdx.x * blockDim.x + threadIdx.x), first = STRIP * blockIdx.y;
  float p[3][12];
  sums ring[3]; /* rows x - 1 to x + 1 */
  if (y >= columns) return;
#pragma unroll
  for (int i = 0; i < STRIP + 4; i++) {
#pragma unroll
    for (int c = 0; c < 12; c++) p[0][c] = p[1][c], p[1][c] = p[2][c];
    load_row(img, first + i - 2, y, rows, columns, p[2]);
    ring[0] = ring[1];
    ring[1] = ring[2];
    if (i >= 2) ring[2] = sums_of(p);
    const int x = first + i - 4;
    if (i < 4 || x >= rows) continue;
    float v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const float sxx = ring[0].xx[k] + ring[1].xx[k] + ring[2].xx[k];
      const float syy = ring[0].yy[k] + ring[1].yy[k] + ring[2].yy[k];
      const float sxy = ring[0].xy[k] + ring[1].xy[k] + ring[2].xy[k];
      const float trace = sxx + syy;
      const bool inside = x >= 2 && x < rows - 2 && y + k >= 2 && y + k < columns - 2;
      v[k] = inside ? sxx * syy - sxy * sxy - 0.04f * trace * trace : 0;
    }
    *(float4 *)(out + (size_t)x * columns + y) = make_float4(v[0], v[1], v[2], v[3]);
  }
}

extern "C" int run(const float *img, float *out, int rows, int columns, int calls, float *milliseconds) {
  return time_filter(harris, img, out, rows, columns, calls, milliseconds);
}
