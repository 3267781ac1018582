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

/* Appends all that it depends on: the hash of the program, choices, options of the target, the library, and
 * the sort of file. Nothing where the target's files are not kept, or after an error, which compiling gives
 * again. */
void pm_kept_put_key(const pm_buf *hash, const pm_choices *choices, const pm_build_options *options,
                     const char *extension, pm_buf *key);
/* False: nothing is kept. Warnings go to the context of the program; NULL: they have been told. */
bool pm_kept_find(pm_context *ctx, const pm_buf *key, const pm_kept *out);
void pm_kept_keep(const pm_buf *key, const pm_kept *made);

/* Of the interface (interface.h) of a program: its text and all that decides how it is read, but for other
 * files. */
void pm_kept_put_text_key(const char *name, const char *text, size_t len, const char *language,
                          const pm_choices *choices, pm_buf *key);
/* As a module of its own, with the hash of the whole program; NULL: there is none. */
pm_module *pm_kept_find_interface(pm_context *ctx, const pm_buf *key, pm_buf *hash);
/* Keeps that of a module which was just read, where it is enough, and all of it is of one text. */
void pm_kept_keep_interface(const pm_buf *key, pm_module *module, const pm_buf *hash);

#endif
