#include "dialects/dialects.h"

#define PM_DIALECT_DEF "dialects/dialects.def"
#define DIALECT(name) extern const pm_dialect name##_dialect;
#include "ir/op_rows.h"

void pm_register_all_dialects(pm_context *ctx) {
#define DIALECT(name) pm_register_dialect(ctx, &name##_dialect);
#include "ir/op_rows.h"
}
