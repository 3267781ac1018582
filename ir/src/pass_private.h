/* Pipelines and their running, for ir/src/pass*.c. */
#ifndef PM_IR_SRC_PASS_PRIVATE_H
#define PM_IR_SRC_PASS_PRIVATE_H

#include "ir/pass.h"
#include "ir/src/pass_state.h"

/* One value of an option; which member holds it is the option's kind. */
typedef struct pm_opt_value {
  int64_t number; /* INT, BOOL, and the index of an ENUM's word */
  char *text;     /* STR */
  int64_t *items; /* INTS */
  size_t n_items;
  bool given; /* by the text, so it is not the default */
} pm_opt_value;

typedef struct pm_pipeline pm_pipeline;

/* One pass of a pipeline, with its options, and what was measured of its runs. */
typedef struct pm_pass_item {
  const pm_pass_desc *desc;
  const pm_op_desc *anchor; /* what it is run on; for "any" that of the pipeline */
  pm_opt_value *opts;       /* as many as the descriptor has */
  pm_loc loc;               /* in the text of the pipeline */
  size_t n_opts;
  double run_seconds, verify_seconds, analysis_seconds; /* analyses are part of the run */
  unsigned runs, changes;
  PM_VEC(pm_stat) stats;
} pm_pass_item;

/* A pass or a nested pipeline: exactly one is set. */
typedef struct pm_pipeline_entry {
  pm_pass_item *pass;
  pm_pipeline *nested;
} pm_pipeline_entry;

struct pm_pipeline {
  pm_pipeline *parent;    /* NULL at the top */
  const pm_op_desc *root; /* what its passes run on: every op of that kind below the parent's */
  PM_VEC(pm_pipeline_entry) entries;
};

/* A cached analysis of one op, behind its base. `doomed`: the op stands below the root of the pass that runs,
 * which may erase it; `dropped`: it is about to be freed. */
typedef struct pm_cached_analysis {
  pm_op *op;
  const pm_analysis_desc *desc;
  void *result;
  bool doomed, dropped;
} pm_cached_analysis;

struct pm_pass_manager {
  pm_context *ctx;
  pm_pipeline *top;
  PM_VEC(pm_cached_analysis) analyses;
  pm_arena *arena;
  double seconds; /* of all runs */
};

struct pm_pass {
  pm_pass_manager *pm;
  pm_pass_item *item;
  pm_op *root;
};

enum { PM_MAX_PIPELINE_DEPTH = 64 };

pm_pipeline *pm_pipeline_new(pm_pipeline *parent, const pm_op_desc *root);
void pm_pass_item_free(pm_pass_item *item);
/* Frees a pipeline's entries from number `from` on. */
void pm_pipeline_truncate(pm_pipeline *pipeline, size_t from);

/* --- options --- */
size_t pm_opt_count(const pm_pass_desc *desc);
/* Reads the text of a value; false, with what is allowed in `allowed`, when it is none of the option's. */
bool pm_opt_value_read(const pm_opt_desc *opt, pm_str text, pm_opt_value *value, pm_buf *allowed);
void pm_opt_value_free(pm_opt_value *value);
void pm_opt_value_print(pm_buf *out, const pm_opt_desc *opt, const pm_opt_value *value);
/* The passes from `first` on (NULL: all), in the order they run. Nested pipelines are kept. */
/* One pass, in its pipelines. */
void pm_print_one_pass(const pm_pipeline *in, const pm_pass_item *item, pm_buf *out);
void pm_print_pipeline_from(const pm_pass_manager *pm, const pm_pass_item *first, pm_buf *out);

/* --- forms --- */
/* Each pass from entry `from` of the top on has the forms that it wants, as far as the pipeline tells; false
 * after a diagnostic that names it and the pass that gives the form too late, or has ended it. */
bool pm_check_order(const pm_pass_manager *pm, size_t from);
/* What a pass is about to run on has the forms that it wants and no pass before it has given, and no ops that
 * it cannot take; false after a diagnostic. */
bool pm_check_wanted(const pm_pass_manager *pm, const pm_pass_item *item, pm_op *root);
/* Panics when what the pass gives is not there. */
void pm_check_given(const pm_pass_item *item, pm_op *root);
/* After a run: a warning for each kind of op that there was none of, with the passes that are for it. */
void pm_warn_idle(const pm_pass_manager *pm);

/* --- names --- */
/* The nearest of the names added to `best`, if near enough to be what was meant. */
typedef struct pm_nearest {
  pm_str wanted;
  const char *name; /* NULL: none is near */
  unsigned distance;
} pm_nearest;
pm_nearest pm_nearest_to(pm_str wanted);
void pm_nearest_add(pm_nearest *best, const char *name);

/* --- analyses --- */
void pm_drop_analyses(pm_pass_manager *pm);
void pm_analyses_before_pass(pm_pass_manager *pm, const pm_op *root);
/* Drops what the pass did not keep; with `check` what it kept is recomputed and compared. */
void pm_analyses_after_pass(pm_pass *p, pm_result result, bool check);

double pm_seconds(void);
void pm_print_timing(const pm_pass_manager *pm, double total, pm_buf *out);
void pm_print_statistics(const pm_pass_manager *pm, pm_buf *out);

#endif
