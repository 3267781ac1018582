/* Programs that are made by calls: the same evaluation without a text. */
#ifndef PM_FRONTENDS_POLYMAGE_SESSION_H
#define PM_FRONTENDS_POLYMAGE_SESSION_H

#include "frontends/polymage/polymage.h"

/* The values of the frontend's options, and the lists that they are in. */
typedef struct polymage_given {
  polymage_options options;
  PM_VEC(polymage_const) consts;
  PM_VEC(polymage_range) ranges;
  PM_VEC(const char *) live_outs;
  const char *function, *name;
} polymage_given;

/* They point into the input's. To be freed; `options` may be copied until then. */
polymage_given polymage_take_options(const pm_frontend_input *input);
void polymage_given_free(polymage_given *given);

extern const pm_session_hooks polymage_session;

#endif
