/* Registers every pass of passes.def. */
#ifndef PM_PASSES_PASSES_H
#define PM_PASSES_PASSES_H

#include "ir/pass.h"

void pm_register_all_passes(pm_context *ctx);

#endif
