/* From the module that a target takes to what it makes of it, in this process or in one of its own. Foreign
 * code that ends its process when memory runs out belongs into another.
 *
 * That is a program beside the library, pm-child, which is run as a compiler is: the module goes to it as
 * text, and what it makes comes back, by files in one folder. A fork without an exec would not do. Other
 * threads of a host may hold locks at that moment, as that of the dynamic linker, which nobody releases in
 * the child. */
#ifndef PM_PM_MAKE_H
#define PM_PM_MAKE_H

#include "pm/pm.h"
#include "targets/target.h"

enum { PM_MADE_SOURCE, PM_MADE_FILE, PM_MADE_ENTRY, PM_MADE_ERROR, PM_MADE_LOG, PM_MADE_TEXTS };

/* What is wanted; all is borrowed. */
typedef struct pm_make_request {
  pm_module *module;
  const pm_target *target;
  const char *extension; /* of a file that is compiled; NULL: only the source is wanted */
  pm_build_options options;
  size_t memory; /* as in pm_options, for the other process */
  bool exact_memory;
} pm_make_request;

/* What came of it. The error is a line, the log what other programs printed. */
typedef struct pm_made {
  bool is_ready; /* the target */
  bool emitted;
  pm_outcome outcome; /* where it was emitted, or the target is not ready */
  pm_buf texts[PM_MADE_TEXTS];
} pm_made;

/* Diagnostics go to the module's context. */
void pm_make(const pm_make_request *request, pm_made *made);
/* The same in another process; the first diagnostic is the error that was made. PM_OK: the answer is there.
 * Else `error` says why not. */
pm_status pm_make_apart(const pm_make_request *request, pm_made *made, pm_buf *error);
void pm_made_free(pm_made *made);

/* What that process does, with the folder of the files as its one argument: its exit status. */
int pm_child_main(int argc, char **argv);

#endif
