#include "dialects/arith/call.h"

enum { COUNT_BITS = 62 };

int64_t pm_array_count(const pm_array *array) {
  uint64_t count = 1, most = UINT64_C(1) << COUNT_BITS;
  for (unsigned d = 0; d < array->rank; d++)
    if (array->extents[d] == 0) return 0;
  for (unsigned d = 0; d < array->rank; d++) {
    if (array->extents[d] < 0 || (uint64_t)array->extents[d] > most / count) return -1;
    count *= (uint64_t)array->extents[d];
  }
  return count > most ? -1 : (int64_t)count;
}

int64_t pm_array_bytes(const pm_array *array) {
  int64_t count = pm_array_count(array), each = (int64_t)pm_scalar_bytes(array->scalar);
  if (count < 0 || count > ((int64_t)1 << 62) / each) return -1;
  return count * each;
}
