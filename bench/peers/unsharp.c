#include "buffers.h"
#include "halide_unsharp.h"

int unsharp(int R, int C, const float *img, float *out) {
  return halide_unsharp(PLANES(F32, img, 3, R, C), PLANES(F32, out, 3, R, C));
}
