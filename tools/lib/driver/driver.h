/* From a program's file to the text of a target, shared by pmc, pm-run and pm-translate: the options,
 * reading, the pipeline text, running it, emitting. Messages are printed here, as diagnostics where there is
 * a place and `tool: error: …` otherwise. */
#ifndef PM_TOOLS_DRIVER_DRIVER_H
#define PM_TOOLS_DRIVER_DRIVER_H

#include "pm/compile.h"
#include "tools/lib/driver/estimates.h"
#include "tools/lib/driver/frontend_options.h"
#include "tools/lib/message.h"
#include "tools/lib/driver/remarks.h"

#include <argp.h>

typedef struct pm_driver_options {
  const char *tool;          /* for messages */
  const pm_target *target;   /* --target; NULL: the tool chooses */
  const char *program;       /* "-" is standard input */
  pm_context *ctx;           /* set by pm_driver_begin */
  const pm_frontend *from;   /* NULL: by the program's name */
  const char *pass_pipeline; /* a text or the name of one; NULL: default */
  const char *fp;            /* NULL: what the program says, else contract */
  const char *machine;       /* NULL: the target's, else of the processor */
  const char *vector;        /* NULL: that of the processor, else of the machine */
  const char *strategy;      /* of group, NULL: as the pipeline says */
  const char *tile;          /* "32x256", "none", NULL: as the pipeline says */
  const char *inner;         /* "1", "4x64", "none", NULL: as the pipeline says */
  const char *inline_stages; /* "0", "1", NULL */
  const char *schedule;      /* a file, "none", NULL: what the program says */
  pm_remark_list remarks;    /* of --remarks, or a tool that wants them kept */
  bool timing;
  double read_seconds; /* set by pm_driver_read */
  const char *reproducer, *dump_ir;
  double pass_timeout; /* in seconds; 0: none */
  const char *cc, *cflags, *cpu, *features, *triple;
  const char *parallel;                /* of PM_PARALLEL; NULL: the target's */
  pm_estimate_list estimates;          /* of --estimate */
  pm_frontend_values frontend;         /* options of frontends */
  PM_VEC(const char *) versions;       /* of --version-for: "R=160,C=96" */
  bool regions;                        /* pmc --regions */
  PM_VEC(const char *) settings;       /* "tile{own=false}", applied last */
  const char *tuned;                   /* --tuned: a file, "" for the program's own; NULL: none */
  PM_VEC(const char *) tuned_settings; /* that it says, applied first */
  PM_VEC(char *) owned;
  struct argp argp; /* a child for a tool's argp, set by pm_driver_begin; its input is these options */
  struct argp_child *children;
  const pm_target *loading; /* set by pm_driver_load */
  pm_frontend_argp *frontends;
} pm_driver_options;

/* First in a tool that reads programs, with `tool` set: makes the context, with all that the command line may
 * name and the plugins that it names, and the argp. The options must not be moved afterwards. */
void pm_driver_begin(pm_driver_options *options, int argc, char **argv);
/* Prints the remarks that are to be shown and were not yet. */
void pm_driver_options_free(pm_driver_options *options);
/* The part of the options that says how to optimize, for variants of a program. */
extern const struct argp pm_optimizer_argp;
/* The same for --target and --parallel. */
extern const struct argp pm_target_argp;
/* The same for --cc, --cflags, --cpu and --features, for the tools that compile what a target emits. */
extern const struct argp pm_cc_argp;
/* --cpu and --features alone, and --triple. */
extern const struct argp pm_cpu_argp, pm_triple_argp;
/* --load-plugin for a tool's argp; its input is the pm_context. A plugin that cannot be loaded ends the tool
 * with PM_EXIT_INPUT. The argp of pm_driver_begin has it. */
extern const struct argp pm_plugin_argp;

/* A context with every dialect, pass, target, frontend and named pipeline. */
pm_context *pm_driver_context(void);
/* The same with the plugins that a command line names, loaded before the rest of it is read; one that cannot
 * be loaded ends the tool with PM_EXIT_INPUT. */
pm_context *pm_driver_context_of(const char *tool, int argc, char **argv);
/* The names of the targets, as "c, null": to be freed. */
char *pm_driver_target_names(const pm_context *ctx);
/* The frontend that the options or the program's name tell, or NULL; standard input is IR. */
const pm_frontend *pm_driver_frontend(const pm_driver_options *options);
/* Before the program is read: lets a target load what it will need. */
void pm_driver_load(pm_driver_options *options, const pm_target *target);
/* The program's module, with --fp and --estimate written into its pipelines; NULL after messages. */
pm_module *pm_driver_read(pm_driver_options *options);
/* The one stage.pipeline of a module, or NULL after a message. */
pm_op *pm_driver_pipeline(pm_module *module, const pm_driver_options *options);
/* The same, or the one loop.func that can be called, where the module has no stage.pipeline. */
pm_op *pm_driver_callable(pm_module *module, const pm_driver_options *options);
/* The text to run, with the convenience options worked in: --pass-pipeline, else the whole pipeline of the
 * target. To be freed; NULL after a message. */
char *pm_driver_pipeline_text(const pm_target *target, const pm_driver_options *options);
/* The machine that is decided for: that of --machine, else the target's, else of --cpu and --triple; NULL:
 * the host. */
const char *pm_driver_machine(const pm_target *target, const pm_driver_options *options);
/* Appends all that decides what the target makes of a module by that pipeline, the target's compiler aside.
 */
void pm_driver_put_inputs(const char *text, const pm_target *target, const pm_driver_options *options,
                          pm_buf *out);
/* The module gets the machine of --machine, or the target, and integer parameters without an estimate the
 * size of it. */
bool pm_driver_run(pm_module *module, const char *text, const pm_target *target,
                   const pm_driver_options *options) PM_MUST_USE;
/* Runs `text` and emits; with `timing`, says the time since the program's
 * text. */
bool pm_driver_emit(pm_module *module, const char *text, const pm_target *target, const char *header_name,
                    const pm_driver_options *options, pm_target_output *out) PM_MUST_USE;
/* A line of --timing. */
void pm_put_time(const char *what, double seconds);

#endif
