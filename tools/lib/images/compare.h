/* Differences between a computed array and the reference. */
#ifndef PM_TOOLS_IMAGES_COMPARE_H
#define PM_TOOLS_IMAGES_COMPARE_H

#include "dialects/arith/call.h"

typedef struct pm_difference {
  int64_t count;              /* elements that differ; 0: equal, the rest is unset */
  int64_t index[PM_MAX_RANK]; /* of the first one */
  char got[40], want[40];     /* its values as text */
} pm_difference;

/* Integers are compared exactly. Floats, when `exact`, bit by bit, NaN equal to NaN; else a and b are equal
 * when |a - b| <= tolerance * max |want| (times 1 where all are 0), both are NaN, or both are the same
 * infinity. */
pm_difference pm_compare(const pm_array *got, const pm_array *want, bool exact, double tolerance);
/* "check: @name 480x640: equal", or the first difference, with a line's end; `when` stands before the colon,
 * "" or " after call 3 of 4". `allowed`: as many elements may differ, which is said. */
void pm_put_comparison(pm_buf *out, const char *name, const pm_array *array, const char *when, bool allowed,
                       const pm_difference *difference);

#endif
