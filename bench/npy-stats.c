/* npy-stats FILE [INDEX…]: type, shape, sum (in double, in memory order), min, max and chosen elements of a
 * file of any format of the tools; an INDEX is like 0,1000,1000. */
#include "tools/lib/images/image.h"
#include "tools/lib/message.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOL "npy-stats"

static double element(const pm_array *a, int64_t at) {
  pm_lane lane;
  arith_load_lanes(a->scalar, (const char *)a->data + (size_t)at * pm_scalar_bytes(a->scalar), 1, &lane, 1);
  if (a->scalar == PM_F64) return lane.d;
  if (pm_get_scalar_info(a->scalar)->is_float) return (double)lane.f;
  return a->scalar == PM_U64 ? (double)(uint64_t)lane.i : (double)lane.i;
}

static void print_summary(const pm_array *a) {
  pm_buf shape = {0};
  double sum = 0, low = INFINITY, high = -INFINITY;
  int64_t count = pm_array_count(a);
  for (int64_t i = 0; i < count; i++) {
    double value = element(a, i);
    sum += value;
    low = fmin(low, value);
    high = fmax(high, value);
  }
  pm_put_extents(&shape, a->rank, a->extents);
  printf("type %s\nshape %s\nsum %.12g\nmin %.9g\nmax %.9g\n", pm_get_scalar_info(a->scalar)->name,
         shape.data, sum, low, high);
  pm_buf_free(&shape);
}

static bool print_element(const pm_array *a, const char *index, pm_buf *error) {
  const char *at = index;
  int64_t offset = 0;
  for (unsigned d = 0; d < a->rank; d++) {
    char *end;
    long long i = strtoll(at, &end, 10);
    if (end == at || *end != (d + 1 < a->rank ? ',' : 0) || i < 0 || i >= a->extents[d])
      return pm_failf(error, "'%s' is no index of this array", index);
    offset = offset * a->extents[d] + i;
    at = end + 1;
  }
  printf("[%s] %.9g\n", index, element(a, offset));
  return true;
}

int main(int argc, char **argv) {
  pm_array array = {0};
  pm_buf error = {0};
  if (argc < 2) {
    fprintf(stderr, "usage: %s FILE [INDEX…]\n", TOOL);
    return PM_EXIT_USAGE;
  }
  bool ok = pm_image_read(argv[1], (pm_picture_limit){0}, &array, NULL, &error);
  if (ok) print_summary(&array);
  for (int i = 2; ok && i < argc; i++) ok = print_element(&array, argv[i], &error);
  if (array.data) pm_array_release(&array);
  if (!ok) pm_print_error(TOOL, &error);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
