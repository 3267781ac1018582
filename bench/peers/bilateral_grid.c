#include "buffers.h"
#include "halide_bilateral_grid.h"

int filtered(int R, int C, float r_sigma, const float *img, float *out) {
  return halide_bilateral_grid(PLANE(F32, img, R, C), r_sigma, PLANE(F32, out, R, C));
}
