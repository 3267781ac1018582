/* Registers every dialect of the tree. */
#ifndef PM_DIALECTS_DIALECTS_H
#define PM_DIALECTS_DIALECTS_H

#include "ir/context.h"

void pm_register_all_dialects(pm_context *ctx);

#endif
