/* Whether what is known of a computed index is exactly what it may be. */
#ifndef PM_DIALECTS_STAGE_ANALYSES_CERTAINTY_H
#define PM_DIALECTS_STAGE_ANALYSES_CERTAINTY_H

#include "dialects/stage/stage.h"

typedef struct stage_certainty {
  bool exact;              /* each number that the bounds have is an index for some values of inputs */
  const pm_value *product; /* of two values that vary, in an index that is not exact, or NULL */
} stage_certainty;

/* Of a stage.read or stage.combine. */
stage_certainty stage_find_certainty(const pm_op *access);
/* `i * R`, or `of two computed values`: behind "the product". */
void stage_put_product(pm_buf *out, const pm_value *product);

#endif
