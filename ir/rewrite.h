/* Rewriting with local rules. Rules for rule writers:
 *  - test first, change last: a rule that returns false changed nothing;
 *  - change only through the rewriter; keep the types of results;
 *  - touch only the op, what it uses and what uses it;
 *  - all rules together must reduce a named measure, written in the rule's file;
 *  - no pipeline depends on canonicalization for correctness.
 */
#ifndef PM_IR_REWRITE_H
#define PM_IR_REWRITE_H

#include "ir/builder.h"

typedef struct pm_rewriter pm_rewriter;
/* A builder that inserts before the op being rewritten; new ops are visited too. */
pm_builder *pm_rw_builder(pm_rewriter *rw);
void pm_rw_replace(pm_rewriter *rw, pm_op *op, pm_value *const *values); /* erases op */
void pm_rw_replace_one(pm_rewriter *rw, pm_op *op, pm_value *value);
void pm_rw_erase(pm_rewriter *rw, pm_op *op);
void pm_rw_set_operand(pm_rewriter *rw, pm_op *op, unsigned i, pm_value *value);
/* The op that the rule is given was changed in place: look at it and its users again. */
void pm_rw_changed(pm_rewriter *rw, pm_op *op);
/* A constant of `attr`, made by the hook given to pm_greedy. */
pm_value *pm_rw_constant(pm_rewriter *rw, pm_attr attr);

/* Makes a constant op at the builder, or returns NULL if it cannot. */
typedef pm_value *(*pm_materialize_fn)(pm_builder *b, pm_attr value);
typedef struct pm_greedy_config {
  pm_materialize_fn materialize;
  bool fold;                   /* use fold hooks */
  bool rules;                  /* use the rules of the ops' descriptors */
  const pm_rule *only;         /* NULL, or of these the only one */
  const pm_rule *const *extra; /* NULL or NULL-terminated: tried on every op */
  unsigned max_rewrites;       /* 0: 64 per op present at the start + 1024 */
  void (*trace)(void *user, const pm_op *op, const char *law); /* NULL or called before each application */
  void *trace_user;
} pm_greedy_config;
typedef struct pm_greedy_result {
  bool changed, converged;
  unsigned folded, applied, erased;
} pm_greedy_result;
/* Folds, applies rules and erases unused PURE ops below `root` until nothing changes. Deterministic. Not
 * converged, after an error that names the last rule, when max_rewrites is not enough. */
pm_greedy_result pm_greedy(pm_op *root, const pm_greedy_config *config);

/* Rewrites that may be left out one by one, without harm to the IR: rules and folds of pm_greedy, merges of
 * pm_merge_equal_ops, and what passes ask pm_may_rewrite about. They are numbered from 1, in the same order
 * in every run, so that halving finds a wrong one. */
typedef struct pm_rewrite_count {
  int64_t done;
  /* the last one: what it was, a literal or the law of a rule; on which op; where */
  const char *what;
  const pm_op_desc *on;
  pm_loc loc;
} pm_rewrite_count;
/* Counts from 0 again, without debug counters but one of all rewrites when `limit` is not 0: those beyond it
 * are left out; -1: all are. */
void pm_begin_rewrites(pm_context *ctx, int64_t limit);
pm_rewrite_count pm_rewrites_done(const pm_context *ctx);

/* As in mlir-opt: of the rewrites that have its name, the first `skip` are left out, and those after the next
 * `count` (-1: none). A rewrite that several counters have is done when all let it. */
typedef struct pm_debug_counter {
  const char *name; /* "rewrite": all; a pass: those that it does; "arith.addi.add_zero": a rule, or `fold` */
  int64_t skip, count;
  int64_t seen, done; /* that could be done, and were */
} pm_debug_counter;
/* Until pm_begin_rewrites. */
void pm_add_debug_counter(pm_context *ctx, pm_str name, int64_t skip, int64_t count);
/* From then on, every rewrite gets the counters that it lacks. */
void pm_count_all_rewrites(pm_context *ctx);
const pm_debug_counter *pm_debug_counters(const pm_context *ctx, size_t *n);
/* `--debug-counter='NAME=SKIP:COUNT' ` for each that leaves out rewrites from now on. */
void pm_print_debug_counters(const pm_context *ctx, pm_buf *out);
/* Whether the op may be rewritten, which then counts. */
bool pm_may_rewrite(const pm_op *op, const char *what);

typedef struct pm_merged_ops {
  int64_t pure, loads;
} pm_merged_ops;
/* Common subexpression elimination: below `root`, an op without effect that is equal to one that dominates it
 * is replaced by that; so is a load, where no store can be between that is to the same memory. */
pm_merged_ops pm_merge_equal_ops(pm_op *root);

#endif
