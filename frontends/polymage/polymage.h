/* PolyMage's DSL (with the Python around it) to the stage dialect. See docs/polymage.md for what is read. */
#ifndef PM_FRONTENDS_POLYMAGE_H
#define PM_FRONTENDS_POLYMAGE_H

#include "frontends/frontend.h"

/* A compile-time value given from outside: --const L=4, --const app_data.cycle=V. */
typedef struct polymage_const {
  const char *name;
  int64_t value;
  const char *text; /* of one that is no integer: a number, a word, or some with commas between; else NULL */
} polymage_const;

/* The elements of an image, as the caller declares them: one outside counts as the nearest end. */
typedef struct polymage_range {
  const char *image; /* --range img=0:1 */
  double low, high;  /* both inside; low <= high */
} polymage_range;

typedef struct polymage_options {
  const char *pipeline_name;    /* NULL: the first live-out's name */
  const char *const *live_outs; /* n_live_outs names; none: what the program says */
  size_t n_live_outs;
  const polymage_const *consts;
  size_t n_consts;
  const polymage_range *ranges;
  size_t n_ranges;
  const char *fp;        /* "strict", "contract", "fast" or NULL: the attribute is left out */
  const char *folder_of; /* the program's file, whose folder has the modules that it imports; NULL: none */
  const char *function;  /* the one that builds the pipeline, or NULL */
} polymage_options;

/* A module with one verified stage.pipeline, or NULL after diagnostics (a syntax error does not hide later
 * ones). */
pm_module *polymage_read(pm_context *ctx, const char *file, const char *text, size_t len,
                         const polymage_options *options);

extern const pm_frontend polymage_frontend;

#endif
