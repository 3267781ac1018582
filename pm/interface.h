/* What callers see of a program, and a hash of all of it. They are kept in the cache of compiled programs, so
 * that what was compiled earlier is found without reading the program, which takes most of the time then. */
#ifndef PM_PM_INTERFACE_H
#define PM_PM_INTERFACE_H

#include "ir/ir.h"

/* Appends the module's pipelines with their params, inputs and outputs, but without what computes these. */
void pm_put_interface(pm_module *module, pm_buf *out);
/* Appends a hash of the whole program, with its places. */
void pm_put_program_hash(pm_module *module, pm_buf *out);
/* Appends `- PATH` for each file that reading has looked for and that was not there: a program is another one
 * when it is. False: a path cannot be written so. */
bool pm_put_absent(const pm_context *ctx, pm_buf *out) PM_MUST_USE;
/* At such a line, which *text is behind then; false: there is none, or the file is there now (*is_there). */
bool pm_take_absent(const char **text, bool *is_there);
/* Of a module that was just read. False: there was a warning, which each process is to give, or the rest of
 * the program decides what callers see, as of an output that is a tuple. */
bool pm_interface_is_enough(pm_module *module);

#endif
