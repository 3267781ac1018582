/* What pm-interp, pm-bisect and pm-reduce have on the command line: a program in IR, passes, a machine. */
#ifndef PM_TOOLS_SEMANTICS_PROGRAM_H
#define PM_TOOLS_SEMANTICS_PROGRAM_H

#include "ir/ir.h"
#include "tools/lib/images/sizes.h"

#include <argp.h>

typedef struct pm_program {
  pm_context *ctx;
  const char *file;
  const char *pipeline; /* NULL: not given */
  const char *machine;  /* NULL: not given */
  int64_t size;         /* 0: not given */
} pm_program;

/* PROGRAM.pmir, --pass-pipeline, --machine, --size and --load-plugin. Its input is a pm_program with a
 * context. */
extern const struct argp pm_program_argp;
/* The module of the file, for the machine and size; NULL with a message, or after a diagnostic. */
pm_module *pm_read_ir(const pm_program *program, pm_buf *error);

/* Adds NAME=VALUE, which is split in place, or ends the tool. */
void pm_add_named(pm_named_list *list, char *arg, struct argp_state *state);
/* The same of NAME=VALUE,…; NULL adds nothing. */
void pm_add_all_named(pm_named_list *list, char *arg, struct argp_state *state);

#endif
