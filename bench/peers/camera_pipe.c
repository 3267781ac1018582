#include "buffers.h"
#include "halide_camera_pipe.h"

int processed(int R, int C, float color_temp, float gamma, float contrast, float strength, int black,
              int white, const uint16_t *img, const float *m3200, const float *m7000, uint8_t *out) {
  int rows = (R - 24) / 32 * 32, cols = (C - 32) / 32 * 32;
  return halide_camera_pipe(PLANE(U16, img, R, C), PLANE(F32, m3200, 3, 4), PLANE(F32, m7000, 3, 4),
                            color_temp, gamma, contrast, strength, black, white,
                            PLANES(U8, out, 3, rows, cols));
}
