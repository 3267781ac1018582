/* From the text of a program to the text of a target: what the tools and pm.h do alike. Diagnostics go to the
 * context; what has no place in a text is a line in `error`. */
#ifndef PM_PM_COMPILE_H
#define PM_PM_COMPILE_H

#include "pm/estimates.h"
#include "pm/frontend_values.h"
#include "targets/target.h"

/* What decides what is made of a program, as users say it; NULL where they say nothing. All is borrowed. */
typedef struct pm_choices {
  const pm_target *target;
  const char *pass_pipeline;                  /* a text or the name of one; NULL: the target's */
  const char *fp;                             /* NULL: what the program says, else contract */
  const char *machine;                        /* NULL: the target's, else of the processor */
  const char *vector;                         /* NULL: that of the processor, else of the machine */
  const char *strategy;                       /* of group, NULL: as the pipeline says */
  const char *tile;                           /* "32x256", "none", NULL: as the pipeline says */
  const char *inner;                          /* "1", "4x64", "none", NULL: as the pipeline says */
  const char *inline_stages;                  /* "0", "1", NULL */
  const char *schedule;                       /* a file, "none", NULL: what the program says */
  const char *cpu, *triple;                   /* that code is made for */
  const char *parallel;                       /* of PM_PARALLEL; NULL: the target's */
  const pm_frontend_values *values;           /* options of frontends */
  const pm_estimate_list *estimates;          /* NULL: none */
  const char *const *versions, *const *tuned; /* "R=160,C=96"; settings that are applied first */
  const char *const *settings;                /* "tile{own=false}", applied last */
  size_t n_versions, n_tuned, n_settings;
  bool regions; /* functions for boxes of the outputs, too */
} pm_choices;

/* A context with every dialect, pass, target, frontend and named pipeline of the library. */
pm_context *pm_library_context(void);

/* A module, with fp and the estimates written into its pipelines; NULL after diagnostics or with an error.
 * `file` is for locations. The text has a 0 behind it. */
pm_module *pm_read_program(pm_context *ctx, const pm_frontend *frontend, const char *file, const char *text,
                           size_t len, const pm_choices *choices, pm_buf *error);
/* The one stage.pipeline of a module; NULL with an error, which calls it `file`. */
pm_op *pm_only_pipeline(pm_module *module, const char *file, pm_buf *error);
/* The rules for floating point of a stage.pipeline or loop.func: strict, contract or fast. */
const char *pm_fp_of(const pm_op *callable);
/* The strictest rules of a module's pipelines and functions; contract where it has none. */
const char *pm_strictest_fp(pm_module *module);
void pm_set_fp(pm_module *module, const char *fp);

/* The passes to run, as text, with the choices worked in. To be freed; NULL after diagnostics or with an
 * error. */
char *pm_passes_text(pm_context *ctx, const pm_choices *choices, pm_buf *error);
/* The text with what its target wants behind any passes. To be freed. */
char *pm_whole_text(const pm_target *target, const char *text);
/* Appends what decides, besides the module, what is made with the passes of the text: of the machine what it
 * is, not what it is called. */
void pm_put_inputs(pm_context *ctx, const pm_choices *choices, const char *text, pm_buf *out);
/* The machine that is decided for: the named one, else the target's, else that of the processor or its
 * triple (pm_machine_of_processor); NULL: the host. */
const char *pm_chosen_machine(const pm_choices *choices);
/* The vector registers that are decided for; NULL: the machine's. */
const char *pm_chosen_vectors(const pm_choices *choices);

/* What of such a text runs on a module that some of its passes have made, as the ops of their forms show:
 * from the first pass that gives the last such form on, since that finds its work done. To be freed; NULL
 * after diagnostics. */
char *pm_rest_of_passes(pm_module *module, const char *text);

/* Gives the module its machine, and integer parameters without an estimate the size of that. */
bool pm_prepare_module(pm_module *module, const pm_choices *choices) PM_MUST_USE;
/* Prepares the module and runs the passes; of those that are the target's own, the rest. */
bool pm_run_text(pm_module *module, const char *text, const pm_choices *choices,
                 const pm_run_config *config) PM_MUST_USE;
/* The source with the header's text in place of its #include. */
void pm_put_single_file(pm_buf *out, const pm_target_output *c, const char *header_name);

#endif
