/* From a program's file to the text of a target, shared by pmc, pm-run and pm-translate: the options,
 * reading, the pipeline text, running it, emitting. Messages are printed here, as diagnostics where there is
 * a place and `tool: error: …` otherwise. */
#ifndef PM_TOOLS_DRIVER_DRIVER_H
#define PM_TOOLS_DRIVER_DRIVER_H

#include "frontends/polymage/polymage.h"
#include "targets/target.h"
#include "tools/lib/driver/message.h"

#include <argp.h>

typedef struct pm_driver_options {
  const char *tool;          /* for messages */
  pm_context *ctx;           /* made before the options are read: plugins are loaded as they are named */
  const pm_target *target;   /* --target; NULL: the tool chooses */
  const char *program;       /* "-" is standard input */
  const char *from;          /* "polymage", "pmir", or NULL: by the name */
  const char *pass_pipeline; /* a text or the name of one; NULL: default */
  const char *fp;            /* NULL: what the program says, else contract */
  const char *strategy;      /* of group, NULL: as the pipeline says */
  const char *tile;          /* "32x256", "none", NULL: as the pipeline says */
  const char *inner;         /* "1", "4x64", "none", NULL: as the pipeline says */
  const char *inline_stages; /* "0", "1", NULL */
  bool remarks, timing;
  double read_seconds; /* set by pm_driver_read */
  const char *reproducer, *dump_ir;
  const char *cc, *cflags;
  const char *name; /* of a PolyMage pipeline, NULL: the first output's */
  PM_VEC(polymage_const) consts;
  PM_VEC(polymage_range) ranges;
  PM_VEC(const char *) live_outs;
  PM_VEC(const char *) settings; /* "tile{own=false}", applied last */
  PM_VEC(char *) owned;          /* texts that consts, ranges and live_outs point into */
} pm_driver_options;

/* A child for a tool's argp; its input is the pm_driver_options (tool is set). Usage errors exit with
 * PM_EXIT_USAGE. */
extern const struct argp pm_driver_argp;
/* The part of it that says how to optimize, for variants of a program. */
extern const struct argp pm_optimizer_argp;
/* The same for --cc and --cflags, for the tools that compile what a target emits. */
extern const struct argp pm_cc_argp;
/* --load-plugin for a tool's argp; its input is the pm_context. What comes behind it on the command line may
 * use what the plugin brings. A plugin that cannot be loaded ends the tool with PM_EXIT_INPUT. pm_driver_argp
 * has it. */
extern const struct argp pm_plugin_argp;
void pm_driver_options_free(pm_driver_options *options);

/* A context with every dialect, pass and target. */
pm_context *pm_driver_context(void);
/* The names of the targets, as "c, null": to be freed. */
char *pm_driver_target_names(const pm_context *ctx);
/* The program's module, with --fp written into its pipelines; NULL after messages. */
pm_module *pm_driver_read(pm_context *ctx, pm_driver_options *options);
/* The one stage.pipeline of a module, or NULL after a message. */
pm_op *pm_driver_pipeline(pm_module *module, const pm_driver_options *options);
/* strict, contract or fast. */
const char *pm_driver_fp(const pm_op *pipeline);

/* The text to run, with the convenience options worked in: --pass-pipeline, else the whole pipeline of the
 * target. To be freed; NULL after a message. */
char *pm_driver_pipeline_text(const pm_target *target, const pm_driver_options *options);
/* The rest of the target's pipeline, for what has its schedule. */
const char *pm_driver_lower_text(const pm_target *target);
bool pm_driver_run(pm_module *module, const char *text, const pm_driver_options *options) PM_MUST_USE;
/* Runs `text` and emits; with `timing`, says the time since the program's
 * text. */
bool pm_driver_emit(pm_module *module, const char *text, const pm_target *target, const char *header_name,
                    const pm_driver_options *options, pm_target_output *out) PM_MUST_USE;
/* The source with the header's text in place of its #include. */
void pm_put_single_file(pm_buf *out, const pm_target_output *c, const char *header_name);

#endif
