/* From the rows of passes.def: the index of each option, for pm_opt_int(p, group_opt_max_size) and its like,
 * and the prototype of each pass. Every pass includes this. */
#ifndef PM_PASSES_OPTIONS_H
#define PM_PASSES_OPTIONS_H

#include "ir/pass.h"

/* clang-format off */
#define PASS(id, name, anchor, needs, keeps, forms, doc) enum {
#define OPT(pass, kind, id, name, fallback, values, doc) pass##_opt_##id,
#define END(id) id##_N_OPTS };
/* clang-format on */
#include "passes/passes.def"
#undef PASS
#undef OPT
#undef END

#define PASS(id, name, anchor, needs, keeps, forms, doc) pm_result pass_##id(pm_pass *p);
#define OPT(pass, kind, id, name, fallback, values, doc)
#define END(id)
#include "passes/passes.def"
#undef PASS
#undef OPT
#undef END

#endif
