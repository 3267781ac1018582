/* Calls of harris_region with windows and boxes that do not fit. */
#include "harris.h"

#include <stdio.h>

enum { R = 40, C = 30 };

static int call(int lo0, int hi0, int lo1, int hi1, int64_t min, int64_t extent, int32_t type, int32_t rank) {
  int64_t box[4] = {lo0, hi0, lo1, hi1};
  float out[8 * 8];
  float *in = calloc((size_t)((R + 2) * (C + 2)), sizeof *in);
  pm_buffer img = {in, type, rank, {{min, extent, C + 2}, {0, C + 2, 1}}};
  pm_buffer harris = {out, PM_TYPE_F32, 2, {{lo0, hi0 - lo0, 8}, {lo1, hi1 - lo1, 1}}};
  int code = harris_region(R, C, box, &img, &harris);
  free(in);
  return code;
}

static int expect(int code, int wanted) {
  if (code != wanted) printf("%d: %s, but wanted %d\n", code, harris_region_at_strerror(code), wanted);
  return code != wanted;
}

int main(void) {
  int64_t box[4] = {10, 18, 4, 10}, lo[8], hi[8];
  int bad = 0;
  harris_needs(R, C, box, 0, lo, hi);
  bad |= lo[0] != 8 || hi[0] != 20 || lo[1] != 2 || hi[1] != 12;
  harris_needs(R, C, box, 1, lo, hi);
  bad |= lo[0] != 10 || hi[0] != 18 || lo[1] != 4 || hi[1] != 10;
  bad |= expect(call(10, 18, 4, 10, 8, 12, PM_TYPE_F32, 2), 0);
  bad |= expect(call(10, 18, 4, 10, 9, 12, PM_TYPE_F32, 2), 6);
  bad |= expect(call(10, 18, 4, 10, 8, 11, PM_TYPE_F32, 2), 6);
  bad |= expect(call(10, 18, 4, 10, 8, 12, PM_TYPE_F64, 2), 5);
  bad |= expect(call(10, 18, 4, 10, 8, 12, PM_TYPE_F32, 1), 5);
  bad |= expect(call(R, R + 3, 4, 10, 0, R + 2, PM_TYPE_F32, 2), 7);
  bad |= expect(call(-1, 3, 4, 10, 0, R + 2, PM_TYPE_F32, 2), 7);
  bad |= expect(call(5, 4, 4, 10, 0, R + 2, PM_TYPE_F32, 2), 7);
  bad |= expect(call(4, 4, 4, 4, 0, R + 2, PM_TYPE_F32, 2), 0);
  bad |= expect(harris_region(R, C, box, NULL, NULL), 1);
  bad |= expect(call(R, R, 0, 10, 0, 0, PM_TYPE_F32, 2), 0);
  bad |= expect(call(R, R, 0, C + 3, 0, 0, PM_TYPE_F32, 2), 7);
  bad |= expect(call(10, 18, 4, 10, INT64_MIN + 4, 12, PM_TYPE_F32, 2), 6);
  bad |= expect(call(10, 18, 4, 10, 8, INT64_MIN, PM_TYPE_F32, 2), 6);
  box[1] = INT64_C(1) << 32; /* no such index */
  harris_needs(R, C, box, 0, lo, hi);
  bad |= lo[0] != 0 || hi[0] != 0 || lo[1] != 0 || hi[1] != 0;
  box[0] = box[1] = 40;
  harris_needs(R, C, box, 0, lo, hi);
  bad |= lo[0] != 0 || hi[0] != 0 || lo[1] != 0 || hi[1] != 0;
  harris_needs(R, C, box, 1, lo, hi);
  bad |= lo[0] != 40 || hi[0] != 40 || lo[1] != 4 || hi[1] != 10;
  return bad;
}
