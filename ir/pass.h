/* Passes and pipelines.
 *
 * A pass is rows in passes/passes.def and one function `pm_result pass_<name>(pm_pass *p)` in
 * passes/<level>/<name>.c. It runs on every op of the kind it is anchored to. What a pass may not do: look at
 * siblings of its root, change anything above it, keep state between runs, print. It returns failed (after a
 * diagnostic), unchanged or changed.
 *
 * Pipelines are text: `stage.pipeline(inline-stages,group{strategy=greedy max-size=32}),canonicalize`. A pass
 * in a pipeline of the module is run on all ops below that are of the kind that it is anchored to; in a
 * nested pipeline, it must be anchored to the op of that pipeline, or to any.
 */
#ifndef PM_IR_PASS_H
#define PM_IR_PASS_H

#include "ir/ir.h"
#include "ir/text.h"

typedef enum pm_result { PM_FAILED, PM_UNCHANGED, PM_CHANGED } pm_result;
typedef struct pm_pass pm_pass;
typedef struct pm_pass_manager pm_pass_manager;

typedef enum pm_opt_kind {
  PM_OPT_INT,  /* 32 */
  PM_OPT_BOOL, /* true | false; the bare name means true */
  PM_OPT_ENUM, /* one of the words in `values`, separated by '|' */
  PM_OPT_STR,  /* a word or "quoted" */
  PM_OPT_INTS  /* 32x256, may be empty */
} pm_opt_kind;
typedef struct pm_opt_desc {
  const char *name; /* "max-size" */
  pm_opt_kind kind;
  const char *fallback; /* text of the default */
  const char *values;   /* ENUM: "none|all|greedy"; INT: "min..max" or "" */
  const char *doc;
} pm_opt_desc;

/* An analysis: computed on demand for one op, cached until a pass that does not keep it changed something
 * below or above that op. One that has a base is computed from the result of the base, which outlives it. */
typedef struct pm_analysis_desc pm_analysis_desc;
struct pm_analysis_desc {
  const char *name;
  void *(*compute)(pm_op *root, const void *base); /* NULL after a diagnostic */
  void (*free)(void *result);
  bool (*equal)(const void *a, const void *b); /* for the check of "kept" in debug builds; may be NULL */
  const pm_analysis_desc *base;                /* or NULL */
};

/* A form of the IR, which some passes make, others want and others end: "scheduled", "one-index". A pipeline
 * in which a pass comes before what makes a form that it wants, or after what ends it, is refused. These
 * are the required, set and cleared properties of other pass managers, for pipelines that are text. */
typedef struct pm_form {
  const char *name;
  const char *doc; /* "every stage has its memory" */
  /* The op is not in the form, and what is wrong with it, behind its name: "has no poly.schedule". NULL: the
   * form is known from the order of passes alone. */
  bool (*lacks)(const pm_op *op);
  const char *lack;
  /* The op is one of those that IR has alone when passes have given it the form. NULL: no op shows it. */
  bool (*shows)(const pm_op *op);
} pm_form;
/* The first op from `root` down that is not in the form; NULL: there is none. */
pm_op *pm_find_lack(pm_op *root, const pm_form *form);
/* An op from `root` down shows that it has been given the form. */
bool pm_shows_form(pm_op *root, const pm_form *form);
/* Reports that the op lacks the form, which passes give that should run before `user`; false. */
bool pm_report_lack(const pm_op *op, const pm_form *form, const char *user);

typedef struct pm_pass_desc {
  const char *name;   /* "inline-stages" */
  const char *anchor; /* op name, or "any" */
  const char *doc;
  const pm_analysis_desc *const *keeps; /* with their bases; NULL-terminated, or NULL: keeps nothing */
  const pm_opt_desc *opts;              /* ends with a NULL name */
  pm_result (*run)(pm_pass *p);
  const pm_analysis_desc *const *needs; /* what it may ask for, with their bases: as `keeps` */
  /* Forms; NULL-terminated, or NULL: none. What it wants, all ops from its root down have when it runs; what
   * it gives they have after it, until a pass ends it. */
  const pm_form *const *wants, *const *gives, *const *ends;
  bool any_ops; /* it leaves PM_UNREGISTERED ops alone and takes them to do anything; else it refuses them */
} pm_pass_desc;

/* False after a diagnostic when another pass, or a pipeline, has the name. */
bool pm_register_pass(pm_context *ctx, const pm_pass_desc *desc);
const pm_pass_desc *pm_find_pass(pm_context *ctx, pm_str name);
size_t pm_pass_count(const pm_context *ctx);
/* The form is one of a list that may be NULL. */
bool pm_has_form(const pm_form *const *list, const pm_form *form);
const pm_pass_desc *pm_pass_at(const pm_context *ctx, size_t i);

/* A pipeline with a name, which may stand where a pass may stand in the text of another. */
typedef struct pm_named_pipeline {
  const char *name, *text, *doc;
} pm_named_pipeline;

/* Such a text, a pass a line with the reason for its place: PM_STEPS(PM_STEP("cse", "why") PM_STEP(…)). */
#define PM_STEPS(steps) &("" steps)[1]
#define PM_STEP(passes, why) "," passes

/* False after a diagnostic when another pipeline, or a pass, has the name. The text is read where it is used.
 */
bool pm_register_pipeline(pm_context *ctx, const pm_named_pipeline *pipeline);
const pm_named_pipeline *pm_find_pipeline(const pm_context *ctx, pm_str name);
size_t pm_pipeline_count(const pm_context *ctx);
const pm_named_pipeline *pm_pipeline_at(const pm_context *ctx, size_t i);

/* The path of a shared object that brought something to this context: reproducers name it. */
void pm_note_plugin(pm_context *ctx, const char *path);
/* What a reproducer's line has before the pipeline: `--load-plugin='x.so' ` for each,
 * `--allow-unregistered ` where there are such ops, and pm_print_debug_counters. */
void pm_print_context_options(const pm_context *ctx, pm_buf *out);
bool pm_has_plugin(const pm_context *ctx, const char *path);

/* --- for passes --- */
pm_op *pm_pass_root(pm_pass *p);
pm_context *pm_pass_context(pm_pass *p);
pm_arena *pm_pass_arena(pm_pass *p); /* reset after the run */
/* Options by their index in the rows: pm_opt_int(p, group_opt_max_size). */
int64_t pm_opt_int(pm_pass *p, unsigned opt);
bool pm_opt_bool(pm_pass *p, unsigned opt);
unsigned pm_opt_enum(pm_pass *p, unsigned opt); /* index of the word in `values` */
const char *pm_opt_str(pm_pass *p, unsigned opt);
const int64_t *pm_opt_ints(pm_pass *p, unsigned opt, size_t *n);
/* The analysis of the root (cached), borrowed; NULL after a diagnostic: the pass must fail then. A pass that
 * asks for one that it does not declare is a panic. */
const void *pm_pass_analysis(pm_pass *p, const pm_analysis_desc *desc);
/* The same of an op below the root: what passes on that op alone left. It is dropped when this pass changes
 * anything, after the run. */
const void *pm_pass_analysis_of(pm_pass *p, pm_op *op, const pm_analysis_desc *desc);
/* Drops what is cached for the root: after a change that an analysis asked for later in the same run must
 * see. */
void pm_pass_invalidate(pm_pass *p);
/* The same of one analysis, and of those that are computed from it. */
void pm_pass_drop_analysis(pm_pass *p, const pm_analysis_desc *desc);
void pm_pass_stat(pm_pass *p, const char *name, int64_t add);
/* Remarks of this pass; formats as in diag.h. Numbers: (pm_remark_arg[]){{"bytes", 3}}, 1. */
void pm_pass_remark(pm_pass *p, pm_loc loc, pm_remark_kind kind, const pm_remark_arg *args, size_t n_args,
                    const char *fmt, ...) PM_PRINTF(6, 7);

/* --- running pipelines --- */
pm_pass_manager *pm_pass_manager_new(pm_context *ctx);
void pm_pass_manager_free(pm_pass_manager *pm);
/* Adds the passes of a pipeline text; false after diagnostics with carets into the text, which is shown under
 * the name `where` ("--pass-pipeline"), also when a pass stands where the forms that it wants are not there.
 */
bool pm_parse_pipeline(pm_pass_manager *pm, const char *where, const char *text) PM_MUST_USE;
/* The text that parses to the same pipeline, with every option, and passes in place of the names of
 * pipelines. */
void pm_print_pipeline(const pm_pass_manager *pm, pm_buf *out);
/* The same with those options alone that the text gave. */
void pm_print_given_pipeline(const pm_pass_manager *pm, pm_buf *out);

/* Calls `see` for each pass, in order, with a pipeline that runs it alone. */
void pm_each_pass(const pm_pass_manager *pm,
                  void (*see)(void *user, const pm_pass_desc *pass, const char *alone), void *user);

/* One run of a pass on one op; number 0 is before the first one, where `pass` and `root` are NULL. */
typedef struct pm_pass_run {
  int64_t number;
  const pm_pass_desc *pass;
  pm_module *module;
  pm_op *root;
  pm_result result; /* PM_FAILED also when the op does not verify after the pass */
  double seconds;   /* of the processor, without the verifier */
} pm_pass_run;

typedef struct pm_run_config {
  bool verify_each;
  bool timing, statistics;                               /* reported to `report` after the run */
  bool print_changed, print_after_all, print_before_all; /* IR to `report`, with a banner naming the pass */
  bool print_on_failure;                  /* the whole module, as the pass that failed left it */
  const char *print_before, *print_after; /* comma-separated pass names or NULL */
  int64_t bisect_limit;   /* -1: none; else run only the first N passes, saying which on `report` */
  const char *reproducer; /* NULL or a path: on a failure or crash the IR before the pass and the rest of the
                             pipeline */
  const char *crash_reproducer; /* NULL or a path, when `reproducer` is NULL: on a crash the IR at the start
                                   and the whole pipeline */
  /* NULL, or called on a crash, in place of writing such a file and of the lines on stderr: the pass that
   * ran, the text of the reproducer. It may be called in a handler of signals. */
  void (*crashed)(void *user, const char *pass, const char *reproducer, size_t len);
  void *crashed_user;
  void (*watch)(void *user, bool begins); /* NULL, or called right before and after each run */
  void *watch_user;
  bool warn_idle;  /* a warning names the passes that found no op to run on */
  bool check_kept; /* recompute analyses that passes declare kept, compare, panic when they differ; and panic
                      when the text of an op changed that a pass says it left unchanged */
  pm_buf *report;
  pm_print_options print; /* of the IR to `report` */
  /* NULL, or called after each pass, with the text that runs this pass alone; false after a diagnostic, or a
   * word of its own, ends the run. */
  bool (*after_pass)(void *user, pm_module *module, const pm_pass_desc *pass, const char *alone);
  void *after_user;
  /* The same after each run, the one that failed too. */
  bool (*after_run)(void *user, const pm_pass_run *run);
  void *after_run_user;
} pm_run_config;
/* verify_each; warn_idle; bisect_limit -1; print PM_PRINT_READABLE; check_kept in builds with PM_DEBUG
 * defined (CMake's Debug); the rest off. */
pm_run_config pm_default_run_config(void);
/* False after a diagnostic; the module is then in the state before the failing pass or inside it: do not go
 * on. */
bool pm_run_passes(pm_pass_manager *pm, pm_module *module, const pm_run_config *config) PM_MUST_USE;

/* --- what was measured --- */
typedef struct pm_stat {
  char *name;
  int64_t value;
} pm_stat;
/* What the runs of one pass of a pipeline have measured, all runs of the pipeline together; in seconds of the
 * processor, analyses within those of the pass. */
typedef struct pm_pass_measures {
  const pm_pass_desc *pass;
  const char *on; /* the kind of op that it runs on */
  unsigned runs, changes;
  double seconds, analysis_seconds, verify_seconds;
  const pm_stat *counts; /* of pm_pass_stat, n_counts of them */
  size_t n_counts;
} pm_pass_measures;
/* In the order in which the passes stand in the pipeline. The measures are borrowed for the call. */
void pm_each_measured(const pm_pass_manager *pm, void (*see)(void *user, const pm_pass_measures *measures),
                      void *user);
/* Of all runs, with what is around the passes. */
double pm_measured_seconds(const pm_pass_manager *pm);

#endif
