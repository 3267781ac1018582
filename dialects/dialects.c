#include "dialects/dialects.h"

#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/stage.h"

void pm_register_all_dialects(pm_context *ctx) {
  static const pm_dialect *const all[] = {&arith_dialect, &math_dialect, &isl_dialect, &stage_dialect,
                                          &poly_dialect,  &loop_dialect, &buf_dialect, &vec_dialect};
  for (size_t i = 0; i < PM_COUNT(all); i++) pm_register_dialect(ctx, all[i]);
}
