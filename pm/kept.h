/* What programs of pm.h have been compiled to, kept for later processes (cache.h). */
#ifndef PM_PM_KEPT_H
#define PM_PM_KEPT_H

#include "pm/compile.h"
#include "targets/abi/abi.h"

/* What a target has made of a program, ready to open. */
typedef struct pm_kept {
  pm_buf *file, *entry;
  bool *has_region;
  abi_region *region;
} pm_kept;

/* Appends all that it depends on: the module as it was read, choices, options of the target, the library, and
 * the sort of file. Nothing where the target's files are not kept, or after an error, which compiling gives
 * again. */
void pm_kept_put_key(pm_module *module, const pm_choices *choices, const pm_build_options *options,
                     const char *extension, pm_buf *key);
/* False: nothing is kept. Warnings go to the context of the program, once. */
bool pm_kept_find(pm_context *ctx, const pm_buf *key, const pm_kept *out);
void pm_kept_keep(const pm_buf *key, const pm_kept *made);

#endif
