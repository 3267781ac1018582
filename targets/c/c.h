/* The target c, for targets that build on it: C that is compiled in another way, or for another machine. */
#ifndef PM_TARGETS_C_C_H
#define PM_TARGETS_C_C_H

#include "targets/cfamily/cfamily.h"
#include "targets/target.h"

extern const pm_target c_target;

/* What C knows of functions that another target makes by the ABI of C: the header into out->header, the name
 * of the first function into out->entry. False after a diagnostic: two functions have one name in C. `more`,
 * which may be NULL, prints what else there is beside a function. */
bool c_declare_functions(pm_module *module, const char *header_name, pm_target_output *out,
                         void (*more)(c_emitter *e, const pm_op *func)) PM_MUST_USE;
/* The name of a loop.func in C. It is the context's. */
const char *c_symbol_of(const pm_op *func);

#endif
