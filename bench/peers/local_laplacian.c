#include "buffers.h"
#include "halide_local_laplacian.h"

enum { LEVELS = 8 };

int laplacian(int R, int C, float alpha, float beta, const uint16_t *img, uint16_t *out) {
  return halide_local_laplacian(PLANES(U16, img, 3, R, C), LEVELS, alpha, beta, PLANES(U16, out, 3, R, C));
}
