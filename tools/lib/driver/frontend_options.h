/* The options of frontends on the command lines of tools. */
#ifndef PM_TOOLS_DRIVER_FRONTEND_OPTIONS_H
#define PM_TOOLS_DRIVER_FRONTEND_OPTIONS_H

#include "pm/frontend_values.h"

#include <argp.h>

/* A part of a command line for every frontend of a context. Its address must not change. */
typedef struct pm_frontend_argp {
  const pm_frontend *frontend;
  pm_frontend_values *into;
  struct argp argp;
  struct argp_option *rows;
  char *heading, *choice, *doc; /* for --help: of the part, and the row that says what the frontend is */
} pm_frontend_argp;

/* As many as the context has frontends: to be freed with their number. What is given goes to `into`; the
 * input of each of the argps is its pm_frontend_argp. */
pm_frontend_argp *pm_frontend_argps_new(const pm_context *ctx, pm_frontend_values *into);
void pm_frontend_argps_free(pm_frontend_argp *argps, size_t n);
/* What --from=NAME means; an unknown name ends the tool. */
const pm_frontend *pm_frontend_named(const pm_context *ctx, const char *name, struct argp_state *state);

#endif
