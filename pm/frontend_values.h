/* The options of frontends, as texts that users write. */
#ifndef PM_PM_FRONTEND_VALUES_H
#define PM_PM_FRONTEND_VALUES_H

#include "frontends/frontend.h"

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

/* Reads what was given as values of that frontend's options; those of other frontends are left alone. False
 * with a line in `error`: a text is not in the option's form. */
bool pm_frontend_values_read(pm_frontend_values *values, const pm_frontend *frontend,
                             pm_buf *error) PM_MUST_USE;
/* An option that was given and that the frontend does not have, or NULL. */
const char *pm_frontend_foreign_option(const pm_frontend_values *values, const pm_frontend *frontend);

#endif
