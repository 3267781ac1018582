/* Verification: structure (use lists, dominance in sequence regions, terminators, unique symbols), rows
 * (counts, type and attribute constraints, traits) and the ops' own hooks. Reports every failure and returns
 * false if there was one. */
#ifndef PM_IR_VERIFY_H
#define PM_IR_VERIFY_H

#include "ir/ir.h"

bool pm_verify(pm_op *root) PM_MUST_USE;
static inline bool pm_verify_module(pm_module *m) {
  return pm_verify(pm_module_op(m));
}

/* For the parser: whether the attribute is what a row asks for, and what that is called. */
bool pm_attr_fits(pm_attr_constraint constraint, pm_attr attr);
const char *pm_attr_words(pm_attr_constraint constraint);

#endif
