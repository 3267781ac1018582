/* Ways to make IR smaller, for pm-reduce. Each has items, which are numbered from 0 in the order of the text.
 */
#ifndef PM_TOOLS_SEMANTICS_REDUCTIONS_H
#define PM_TOOLS_SEMANTICS_REDUCTIONS_H

#include "ir/ir.h"

typedef struct pm_reduction {
  const char *name;
  size_t (*count)(pm_module *module);
  /* Takes items first … first + n - 1 away, as far as it can; the module may not verify afterwards. */
  void (*apply)(pm_module *module, size_t first, size_t n);
} pm_reduction;

/* The coarsest first; up to a row without a name. */
extern const pm_reduction pm_reductions[];

#endif
