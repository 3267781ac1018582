/* Halide programs to modules of the stage dialect: docs/halide.md. */
#ifndef PM_FRONTENDS_HALIDE_H
#define PM_FRONTENDS_HALIDE_H

#include "ir/ir.h"

typedef struct halide_const {
  const char *name;
  const char *text; /* of an integer too */
} halide_const;

typedef struct halide_range {
  const char *name;
  double low, high;
} halide_range;

/* Everything is borrowed. */
typedef struct halide_options {
  const char *const
      *folders; /* where headers are looked for that are not beside the file that includes them */
  size_t n_folders;
  const char *const *preludes; /* files that are read before the program */
  size_t n_preludes;
  const char *generator;     /* the name or class of the generator, or NULL: the only one, or the last */
  const char *pipeline_name; /* or NULL: the first output's */
  const char *fp;
  bool has_groups;            /* the target computes tiles by groups of work-items */
  bool no_schedule;           /* that of the program is left out */
  const halide_const *consts; /* GeneratorParams */
  size_t n_consts;
  const halide_range *ranges; /* of scalars */
  size_t n_ranges;
} halide_options;

/* A verified module, or NULL after diagnostics. */
pm_module *halide_read(pm_context *ctx, const char *file, const char *text, size_t len,
                       const halide_options *options);

#endif
