/* Which rewrites are done, and how many: for ir/src/rewrite.c. */
#ifndef PM_IR_SRC_REWRITE_STATE_H
#define PM_IR_SRC_REWRITE_STATE_H

#include "ir/rewrite.h"

/* In the context. */
typedef struct pm_rewrite_state {
  pm_rewrite_count last;
  PM_VEC(pm_debug_counter) counters;
  const char *pass; /* that runs, or NULL */
  bool count_all;   /* a rewrite that has no counter gets one */
} pm_rewrite_state;

/* What could be rewritten. */
typedef struct pm_rewrite_site {
  pm_context *ctx;
  const pm_op_desc *on;
  pm_loc loc;
  const char *rule; /* its name, "fold", or NULL for what passes do */
  const char *what;
} pm_rewrite_site;

/* Whether every counter of the site lets it be rewritten. */
bool pm_rewrite_is_let(const pm_rewrite_site *site);
/* It could be rewritten, and was, or was left out. */
void pm_note_rewrite(const pm_rewrite_site *site, bool done);

#endif
