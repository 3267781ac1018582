/* The options of frontends on the command lines of tools. */
#ifndef PM_TOOLS_DRIVER_FRONTEND_OPTIONS_H
#define PM_TOOLS_DRIVER_FRONTEND_OPTIONS_H

#include "frontends/frontend.h"

#include <argp.h>

/* An option as it was written, before the frontend is known: both texts are borrowed. */
typedef struct pm_given_option {
  const char *name, *text;
} pm_given_option;

typedef struct pm_frontend_values {
  PM_VEC(pm_given_option) given;
  PM_VEC(pm_frontend_value) values; /* of the chosen frontend, from those given */
  PM_VEC(char *) owned;             /* texts that the values point into */
} pm_frontend_values;

/* What stands before the name of an option. */
const char *pm_option_dashes(const char *name);

void pm_frontend_values_free(pm_frontend_values *values);

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

/* Reads what was given as values of that frontend's options; those of other frontends are left alone. A text
 * that is not in the option's form is a usage error, which exits. */
void pm_frontend_values_read(pm_frontend_values *values, const pm_frontend *frontend,
                             struct argp_state *state);
/* An option that was given and that the frontend does not have, or NULL. */
const char *pm_frontend_foreign_option(const pm_frontend_values *values, const pm_frontend *frontend);

#endif
