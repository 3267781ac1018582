#include "buffers.h"
#include "halide_interpolate.h"

int interpolate(int R, int C, const float *img, float *out) {
  return halide_interpolate(PLANES(F32, img, 4, R, C), PLANES(F32, out, 3, R, C));
}
