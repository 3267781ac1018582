/* Arrays of any layout: interleaved, with padded rows, upside down, larger than needed; and what is refused.
 */
#include PROGRAM

#include <stdio.h>

enum { R = 5, C = 7 };

static int failures;

static void expect(int holds, const char *what) {
  if (!holds) failures++, printf("wrong: %s\n", what);
}

static uint8_t value(int c, int y, int x) {
  return (uint8_t)(1 + c + 3 * x + 21 * y);
}

static int32_t wanted(int c, int y, int x) {
  return value(c, y, x) + value(c, y, x + 1);
}

static pm_buffer buffer(void *host, int32_t type, int64_t rows, int64_t cols, int64_t c, int64_t y,
                        int64_t x) {
  pm_buffer b = {host, type, 3, {{0, 3, c}, {0, rows, y}, {0, cols, x}}};
  return b;
}

static int is_right(const pm_buffer *out, const int32_t *host) {
  int right = 1;
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < R; y++)
      for (int x = 0; x < C - 1; x++)
        right &=
            host[(c - out->dim[0].min) * out->dim[0].stride + (y - out->dim[1].min) * out->dim[1].stride +
                 (x - out->dim[2].min) * out->dim[2].stride] == wanted(c, y, x);
  return right;
}

static void fill(const pm_buffer *in, uint8_t *host) {
  for (int c = 0; c < 3; c++)
    for (int y = 0; y < R; y++)
      for (int x = 0; x < C; x++)
        host[(c - in->dim[0].min) * in->dim[0].stride + (y - in->dim[1].min) * in->dim[1].stride +
             (x - in->dim[2].min) * in->dim[2].stride] = value(c, y, x);
}

static void dense(void) {
  uint8_t img[3 * R * C];
  int32_t sum[3 * R * (C - 1)];
  pm_buffer in = buffer(img, PM_TYPE_U8, R, C, R * C, C, 1);
  pm_buffer out = buffer(sum, PM_TYPE_I32, R, C - 1, R * (C - 1), C - 1, 1);
  fill(&in, img);
  expect(pairs_buffers(R, C, &in, &out) == 0 && is_right(&out, sum), "dense");
}

/* [y][x][c], to rows of 10 of which 8 are used, from 2 on. */
static void interleaved(void) {
  uint8_t img[R * C * 3];
  int32_t sum[3 * (R + 1) * 10];
  pm_buffer in = buffer(img, PM_TYPE_U8, R, C, 1, 3 * C, 3);
  pm_buffer out = buffer(sum, PM_TYPE_I32, R + 1, 8, (R + 1) * 10, 10, 1);
  out.dim[1].min = -1;
  out.dim[2].min = -2;
  fill(&in, img);
  for (int i = 0; i < 3 * (R + 1) * 10; i++) sum[i] = -7;
  expect(pairs_buffers(R, C, &in, &out) == 0 && is_right(&out, sum), "interleaved");
  int untouched = 1;
  for (int c = 0; c < 3; c++)
    for (int x = 0; x < 10; x++) untouched &= sum[c * (R + 1) * 10 + x] == -7;
  for (int i = 0; i < 3 * (R + 1); i++) untouched &= sum[10 * i] == -7 && sum[10 * i + 9] == -7;
  expect(untouched, "what is around an output");
}

/* Rows from the last to the first; one plane for all three. */
static void upside_down(void) {
  uint8_t img[R * C];
  int32_t sum[3 * R * (C - 1)];
  pm_buffer in = buffer(img + (R - 1) * C, PM_TYPE_U8, R, C, 0, -C, 1);
  pm_buffer out = buffer(sum, PM_TYPE_I32, R, C - 1, R * (C - 1), C - 1, 1);
  for (int y = 0; y < R; y++)
    for (int x = 0; x < C; x++) img[(R - 1 - y) * C + x] = value(0, y, x);
  int right = pairs_buffers(R, C, &in, &out) == 0;
  for (int i = 0; right && i < 3 * R * (C - 1); i++)
    right = sum[i] == wanted(0, i / (C - 1) % R, i % (C - 1));
  expect(right, "upside down");
}

static void refused(void) {
  uint8_t img[3 * R * C] = {0};
  int32_t sum[3 * R * (C - 1)];
  pm_buffer in = buffer(img, PM_TYPE_U8, R, C, R * C, C, 1);
  pm_buffer out = buffer(sum, PM_TYPE_I32, R, C - 1, R * (C - 1), C - 1, 1), other = in;
  expect(pairs_buffers(R, C, NULL, &out) == 1, "no buffer");
  other.host = NULL;
  expect(pairs_buffers(R, C, &other, &out) == 1, "no host");
  other = in, other.type = PM_TYPE_I8;
  expect(pairs_buffers(R, C, &other, &out) == 5, "another type");
  other = in, other.dimensions = 2;
  expect(pairs_buffers(R, C, &other, &out) == 5, "another number of dimensions");
  other = in, other.dim[1].extent = R - 1;
  expect(pairs_buffers(R, C, &other, &out) == 5, "a row too few");
  other = in, other.dim[2].min = 1;
  expect(pairs_buffers(R, C, &other, &out) == 5, "a first index behind 0");
  other = in, other.dim[2].min = -1;
  expect(pairs_buffers(R, C, &other, &out) == 5, "a last index before the end");
  expect(pairs_buffers(0, C, &in, &out) == 16, "what the program requires");
  expect(pairs_strerror(5)[0] == 'a', "a message");
}

int main(void) {
  dense();
  interleaved();
  upside_down();
  refused();
  expect(pairs_extent(R, C, 0, 0) == 3 && pairs_extent(R, C, 0, 2) == C &&
             pairs_extent(R, C, 1, 2) == C - 1 && pairs_extent(R, C, 2, 0) == 0,
         "extents");
  return failures != 0;
}
