/* Programs that are made by calls: the same evaluation without a text. */
#ifndef PM_FRONTENDS_HALIDE_SESSION_H
#define PM_FRONTENDS_HALIDE_SESSION_H

#include "frontends/frontend.h"
#include "frontends/halide/halide.h"

/* The values of the frontend's options, and the lists that they are in. */
typedef struct halide_given {
  halide_options options;
  PM_VEC(const char *) folders;
  PM_VEC(const char *) preludes;
  PM_VEC(halide_const) consts;
  PM_VEC(halide_range) ranges;
  pm_arena *arena; /* of texts of numbers */
} halide_given;

/* They point into the input's. To be freed. */
halide_given halide_take_options(const pm_frontend_input *input);
void halide_given_free(halide_given *given);
/* Messages of passes speak as Halide's programs do. */
void halide_set_words(pm_context *ctx);

extern const pm_session_hooks halide_session;

#endif
