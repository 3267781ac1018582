/* Programs for what a target owes its callers (docs/design.md, "ABI"), and for its pipelines. */
#ifndef PM_TOOLS_CHECK_TARGET_SECTIONS_H
#define PM_TOOLS_CHECK_TARGET_SECTIONS_H

#include "tools/lib/check_target/program.h"

/* Calls that fail: null pointers, conditions, sizes, memory; nothing is written before. */
void pm_check_add_requires(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice);
/* Calls that succeed: arguments of each type, several outputs, arrays of no and one element, extents, memory
 * of the caller, threads. */
void pm_check_add_abi(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice);
/* Reads outside a domain by each boundary mode, at sizes of 1 and others. */
void pm_check_add_borders(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice);
/* choice->pipelines random pipelines from choice->seed on. */
void pm_check_add_pipelines(pm_check_programs *programs, const pm_context *ctx,
                            const pm_check_choice *choice);

#endif
