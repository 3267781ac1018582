#include "dialects/dialects.h"

void pm_register_all_dialects(pm_context *ctx) {
#define REGISTER(dialect) pm_register_dialect(ctx, &dialect##_dialect);
  PM_DIALECTS(REGISTER)
#undef REGISTER
}
