/* The dialects of the tree: those that dialects.def names. */
#ifndef PM_DIALECTS_DIALECTS_H
#define PM_DIALECTS_DIALECTS_H

#include "ir/ir.h"

void pm_register_all_dialects(pm_context *ctx);

#endif
