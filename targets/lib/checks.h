/* What the targets of this computer's memory and types want of a program, before they emit it. */
#ifndef PM_TARGETS_LIB_CHECKS_H
#define PM_TARGETS_LIB_CHECKS_H

#include "ir/ir.h"
#include "ir/pass.h"

/* What memory and arrays on the stack are aligned to, in bytes, whatever an allocation asks below that. */
enum { PM_MEMORY_ALIGN = 64 };

/* False after a diagnostic, with the name of the target, for each op with a value of a type that it lacks,
 * with an alignment beyond PM_MEMORY_ALIGN, and of what lower-memref and lower-abi have not been at. */
bool pm_check_emittable(pm_module *module, const char *target,
                        bool (*has_type)(pm_scalar scalar)) PM_MUST_USE;
/* False after a diagnostic: an op of the module lacks the form. */
bool pm_check_form(pm_module *module, const pm_form *form, const char *target) PM_MUST_USE;

#endif
