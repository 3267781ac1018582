/* Harris' corners, blurred: two files of the target opencl in one queue. What is in between stays on the
 * device.
 */
#include "blur.h"
#include "harris.h"

#include <stdio.h>

enum { R = 61, C = 93, BYTES = (R + 2) * (C + 2) * sizeof(float) };

static float picture[R + 2][C + 2], corners[R + 2][C + 2], expected[R][C], blurred[R][C];

static int on_host(void) {
  int status = harris(R, C, &picture[0][0], &corners[0][0]);
  return status ? status : by(R, C, &corners[0][0], &expected[0][0]);
}

static int on_device(struct _cl_mem *in, struct _cl_mem *between, struct _cl_mem *out) {
  int status = harris_device_write(in, picture, BYTES);
  if (!status) status = harris_device(NULL, R, C, in, between);
  if (!status) status = by_device(harris_device_queue(), R, C, between, out);
  if (!status) status = harris_device_read(out, blurred, sizeof blurred);
  return status;
}

int main(void) {
  for (int i = 0; i < R + 2; i++)
    for (int j = 0; j < C + 2; j++) picture[i][j] = (float)((i * 37 + j * 11) % 256) / 255;
  struct _cl_mem *in = harris_device_array(BYTES), *between = harris_device_array(BYTES);
  struct _cl_mem *out = harris_device_array(sizeof blurred);
  int bad = !in || !between || !out || on_host();
  for (int i = 0; i < 3 && !bad; i++) {
    memset(blurred, 0, sizeof blurred);
    bad = on_device(in, between, out) || memcmp(blurred, expected, sizeof blurred) != 0;
  }
  if (bad) printf("they differ: %s; %s\n", harris_strerror(7), by_strerror(7));
  harris_device_free(in);
  harris_device_free(between);
  harris_device_free(out);
  by_release();
  harris_release();
  return bad;
}
