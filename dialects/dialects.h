/* The dialects of the tree. */
#ifndef PM_DIALECTS_DIALECTS_H
#define PM_DIALECTS_DIALECTS_H

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/stage.h"

/* In the order in which they are registered. */
/* clang-format off */
#define PM_DIALECTS(X) \
  X(arith) \
  X(math) \
  X(isl) \
  X(stage) \
  X(poly) \
  X(loop) \
  X(buf) \
  X(vec)
/* clang-format on */

void pm_register_all_dialects(pm_context *ctx);

#endif
