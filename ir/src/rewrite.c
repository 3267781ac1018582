#include "ir/rewrite.h"

#include "ir/lanes.h"
#include "ir/src/context_private.h"

#include <stdlib.h>

/* Ops to look at: a stack whose entries may be NULL (removed), and the place of each op in it, from 1. */
typedef struct worklist {
  PM_VEC(pm_op *) stack;
  pm_map *places;
} worklist;

struct pm_rewriter {
  pm_op *root;
  pm_builder builder;
  const pm_greedy_config *config;
  pm_greedy_result result;
  worklist work;
  pm_op *current;      /* the op being rewritten, NULL once it was erased */
  const char *law;     /* of the rule being tried, NULL once it was traced */
  pm_op *left, *right; /* what stood beside `current`: new ops appear between them */
  const pm_rule *last; /* the rule that was applied last, NULL after a fold */
  bool dry;            /* the rule being tried is left out: it only tells whether it could be applied */
  bool touched;        /* the rule being tried changed something through the rewriter */
  unsigned budget;     /* rewrites left */
};

static void work_push(worklist *work, pm_op *op) {
  if (pm_map_has(work->places, op)) return;
  PM_VEC_PUSH(work->stack, op);
  pm_map_set(work->places, op, (void *)(uintptr_t)work->stack.len);
}

static void work_remove(worklist *work, pm_op *op) {
  size_t place = (size_t)(uintptr_t)pm_map_get(work->places, op);
  if (!place) return;
  work->stack.data[place - 1] = NULL;
  pm_map_remove(work->places, op);
}

/* The next op, or NULL when none is left. */
static pm_op *work_pop(worklist *work) {
  while (work->stack.len) {
    pm_op *op = PM_VEC_POP(work->stack);
    if (!op) continue;
    pm_map_remove(work->places, op);
    return op;
  }
  return NULL;
}

static void push_def(pm_rewriter *rw, pm_value *value) {
  pm_op *def = pm_def(value);
  if (def && def != rw->root) work_push(&rw->work, def);
}

static void push_users(pm_rewriter *rw, pm_value *value) {
  PM_FOR_USES(use, value) work_push(&rw->work, pm_user(use));
}

static void push_users_of_results(pm_rewriter *rw, pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++) push_users(rw, pm_res(op, i));
}

static pm_walk push_if_below_root(void *user, pm_op *op) {
  pm_rewriter *rw = user;
  if (op != rw->root) work_push(&rw->work, op);
  return PM_WALK_ON;
}

static pm_walk push_operand_defs(void *user, pm_op *op) {
  pm_rewriter *rw = user;
  for (unsigned i = 0; i < op->n_operands; i++) push_def(rw, pm_arg(op, i));
  return PM_WALK_ON;
}

static pm_walk forget_op(void *user, pm_op *op) {
  pm_rewriter *rw = user;
  work_remove(&rw->work, op);
  return PM_WALK_ON;
}

/* Once per application, before the first change. */
static void note_change(pm_rewriter *rw) {
  rw->touched = true;
  if (rw->dry) return;
  if (rw->law && rw->config->trace && rw->current)
    rw->config->trace(rw->config->trace_user, rw->current, rw->law);
  rw->law = NULL;
}

static void keep_marks_off(pm_rewriter *rw, pm_op *op) {
  if (rw->current == op) rw->current = NULL;
  if (rw->left == op) rw->left = pm_prev(op);
  if (rw->right == op) rw->right = op->next;
  if (rw->builder.before == op) rw->builder.before = op->next;
}

/* What the op used may be dead now, so it is looked at again; the op and all in it must not be. */
static void erase_op(pm_rewriter *rw, pm_op *op) {
  pm_walk_pre(op, push_operand_defs, rw);
  pm_walk_pre(op, forget_op, rw);
  keep_marks_off(rw, op);
  pm_op_erase(op);
}

pm_builder *pm_rw_builder(pm_rewriter *rw) {
  return &rw->builder;
}

void pm_rw_replace(pm_rewriter *rw, pm_op *op, pm_value *const *values) {
  note_change(rw);
  if (rw->dry) return;
  push_users_of_results(rw, op);
  for (unsigned i = 0; i < op->n_results; i++) {
    push_def(rw, values[i]);
    pm_replace_uses(pm_res(op, i), values[i]);
  }
  erase_op(rw, op);
}

void pm_rw_replace_one(pm_rewriter *rw, pm_op *op, pm_value *value) {
  pm_rw_replace(rw, op, &value);
}

void pm_rw_erase(pm_rewriter *rw, pm_op *op) {
  note_change(rw);
  if (rw->dry) return;
  erase_op(rw, op);
}

void pm_rw_set_operand(pm_rewriter *rw, pm_op *op, unsigned i, pm_value *value) {
  note_change(rw);
  if (rw->dry) return;
  push_def(rw, pm_arg(op, i));
  push_def(rw, value);
  pm_set_operand(op, i, value);
  pm_rw_changed(rw, op);
}

void pm_rw_changed(pm_rewriter *rw, pm_op *op) {
  note_change(rw);
  if (rw->dry) return;
  push_users_of_results(rw, op);
  work_push(&rw->work, op);
}

pm_value *pm_rw_constant(pm_rewriter *rw, pm_attr attr) {
  return rw->config->materialize ? rw->config->materialize(&rw->builder, attr) : NULL;
}

static void focus(pm_rewriter *rw, pm_op *op, const char *law) {
  rw->builder = pm_builder_before(op);
  rw->current = op;
  rw->left = pm_prev(op);
  rw->right = op->next;
  rw->law = law;
  rw->touched = false;
}

/* Everything that now stands between the former neighbours: the op itself and those built before it. */
static void push_new_ops(pm_rewriter *rw, pm_region *region) {
  pm_op *op = rw->left ? rw->left->next : region->first;
  for (; op && op != rw->right; op = op->next) pm_walk_pre(op, push_if_below_root, rw);
}

/* The same, of a rewrite that is left out: users come before what they use. */
static void erase_new_ops(pm_rewriter *rw, pm_op *op) {
  for (pm_op *new = rw->right ? pm_prev(rw->right) : op->region->last, *before; new != rw->left;
       new = before) {
    before = pm_prev(new);
    if (new != op) pm_op_erase(new);
  }
}

static bool is_dead(const pm_op *op) {
  if (!pm_has_trait(op, PM_PURE)) return false;
  for (unsigned i = 0; i < op->n_results; i++)
    if (!pm_unused(pm_res(op, i))) return false;
  return true;
}

enum { MAX_INLINE_OPERANDS = 16 };

static bool call_fold(pm_op *op, pm_fold_result *out) {
  pm_attr few[MAX_INLINE_OPERANDS];
  pm_attr *constants =
      op->n_operands <= MAX_INLINE_OPERANDS ? few : pm_xcalloc(op->n_operands, sizeof *constants);
  for (unsigned i = 0; i < op->n_operands; i++) constants[i] = pm_constant_value(pm_arg(op, i));
  bool folded = (op->desc->fold ? op->desc->fold : pm_fold_constants)(op, constants, out);
  if (constants != few) free(constants);
  return folded;
}

static bool is_foldable(const pm_rewriter *rw, const pm_op *op) {
  bool has_fold = op->desc->fold || op->desc->kernel;
  return rw->config->fold && has_fold && op->n_results == 1 && !pm_has_trait(op, PM_CONSTANT);
}

/* The existing value, or a new constant before the op; NULL when there is none of the right type. */
static pm_value *value_of_fold(pm_rewriter *rw, pm_op *op, const pm_fold_result *folded) {
  pm_value *result = pm_res(op, 0);
  if (folded->value)
    return folded->value != result && folded->value->type == result->type ? folded->value : NULL;
  if (!folded->attr || folded->attr->t != result->type) return NULL;
  return pm_rw_constant(rw, folded->attr);
}

/* A change of an op in place, reported as a fold to its own result, is not something folds may do: it is
 * ignored. */
static bool try_fold(pm_rewriter *rw, pm_op *op) {
  pm_fold_result folded = {0};
  if (!is_foldable(rw, op) || !call_fold(op, &folded)) return false;
  const pm_rewrite_site site = {pm_op_context(op), op->desc, op->loc, "fold", "fold"};
  focus(rw, op, "fold");
  pm_value *value = value_of_fold(rw, op, &folded);
  if (!value) return false;
  bool let = pm_rewrite_is_let(&site);
  pm_note_rewrite(&site, let);
  if (!let) return erase_new_ops(rw, op), false;
  pm_rw_replace_one(rw, op, value);
  rw->result.folded++;
  rw->last = NULL;
  return true;
}

/* Whether the rule did something, which it does not in a dry run. */
static bool call_rule(pm_rewriter *rw, pm_op *op, const pm_rule *rule) {
  focus(rw, op, rule->law);
  if (rule->apply(rw, op)) return true;
  if (rw->touched)
    pm_panic(rw->current ? rw->current : rw->root, "the rule '%s' changed something but returned false",
             rule->name);
  return false;
}

/* What a rule may change of an op in place. */
typedef struct kept_op {
  pm_attr *attrs, extra;
  PM_VEC(pm_value *) operands;
} kept_op;

static kept_op keep_op(const pm_op *op) {
  kept_op kept = {.attrs = pm_xmalloc((op->desc->n_attrs + 1) * sizeof *kept.attrs), .extra = pm_extra(op)};
  for (unsigned i = 0; i < op->desc->n_attrs; i++) kept.attrs[i] = pm_attr_at(op, i);
  for (unsigned i = 0; i < op->n_operands; i++) PM_VEC_PUSH(kept.operands, pm_arg(op, i));
  return kept;
}

static void restore_op(pm_op *op, kept_op *kept) {
  for (unsigned i = 0; i < op->desc->n_attrs; i++) pm_set_attr(op, i, kept->attrs[i]);
  pm_set_extra(op, kept->extra);
  while (op->n_operands > kept->operands.len) pm_remove_operand(op, op->n_operands - 1u);
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i) != kept->operands.data[i]) pm_set_operand(op, i, kept->operands.data[i]);
  for (unsigned i = op->n_operands; i < kept->operands.len; i++) pm_add_operand(op, kept->operands.data[i]);
  PM_VEC_FREE(kept->operands);
  free(kept->attrs);
}

/* Finds out whether the rule could be applied, and leaves all as it was. */
static bool could_apply(pm_rewriter *rw, pm_op *op, const pm_rule *rule) {
  kept_op kept = keep_op(op);
  rw->dry = true;
  bool could = call_rule(rw, op, rule);
  rw->dry = false;
  restore_op(op, &kept);
  erase_new_ops(rw, op);
  return could;
}

static bool try_rule(pm_rewriter *rw, pm_op *op, const pm_rule *rule) {
  pm_region *region = op->region;
  const pm_rewrite_site site = {pm_op_context(op), op->desc, op->loc, rule->name, rule->law};
  bool let = pm_rewrite_is_let(&site);
  if (!(let ? call_rule(rw, op, rule) : could_apply(rw, op, rule))) return false;
  pm_note_rewrite(&site, let);
  if (!let) return false;
  push_new_ops(rw, region);
  rw->result.applied++;
  rw->last = rule;
  return true;
}

static bool try_own_rules(pm_rewriter *rw, pm_op *op) {
  if (!rw->config->rules) return false;
  for (const pm_rule *rule = op->desc->rules; rule && rule->name; rule++)
    if ((!rw->config->only || rule == rw->config->only) && try_rule(rw, op, rule)) return true;
  return false;
}

static bool try_extra_rules(pm_rewriter *rw, pm_op *op) {
  if (!rw->config->extra) return false;
  for (const pm_rule *const *rule = rw->config->extra; *rule; rule++)
    if (try_rule(rw, op, *rule)) return true;
  return false;
}

static bool try_erase_dead(pm_rewriter *rw, pm_op *op) {
  if (!is_dead(op)) return false;
  erase_op(rw, op);
  rw->result.erased++;
  return true;
}

static pm_walk count_op(void *user, pm_op *op) {
  (void)op;
  ++*(unsigned *)user;
  return PM_WALK_ON;
}

static unsigned rewrite_budget(pm_op *root, const pm_greedy_config *config) {
  if (config->max_rewrites) return config->max_rewrites;
  unsigned ops = 0;
  pm_walk_pre(root, count_op, &ops);
  return ops > (UINT32_MAX - 1024) / 64 ? UINT32_MAX : ops * 64 + 1024;
}

/* The first op of the text comes out of the stack first. */
static void fill_worklist(pm_rewriter *rw) {
  pm_walk_pre(rw->root, push_if_below_root, rw);
  for (size_t i = 0, j = rw->work.stack.len; i + 1 < j; i++) {
    pm_op *op = rw->work.stack.data[i];
    rw->work.stack.data[i] = rw->work.stack.data[--j];
    rw->work.stack.data[j] = op;
  }
  for (size_t i = 0; i < rw->work.stack.len; i++)
    pm_map_set(rw->work.places, rw->work.stack.data[i], (void *)(uintptr_t)(i + 1));
}

/* False when the budget is spent before the worklist is empty. */
static bool drain(pm_rewriter *rw) {
  for (pm_op *op = work_pop(&rw->work); op; op = work_pop(&rw->work)) {
    if (try_erase_dead(rw, op)) continue;
    if (!rw->budget) return false;
    if (try_fold(rw, op) || try_own_rules(rw, op) || try_extra_rules(rw, op)) rw->budget--;
  }
  return true;
}

static bool report_endless(const pm_rewriter *rw) {
  unsigned n = rw->result.folded + rw->result.applied;
  if (!rw->last) return pm_op_error(rw->root, "is rewritten without end: %u times, at last by folding", n);
  return pm_op_error(rw->root, "is rewritten without end: %u times, at last by the rule '%s', %s", n,
                     rw->last->name, rw->last->law);
}

pm_greedy_result pm_greedy(pm_op *root, const pm_greedy_config *config) {
  pm_rewriter rw = {.root = root, .config = config, .budget = rewrite_budget(root, config)};
  rw.work.places = pm_map_new();
  fill_worklist(&rw);
  rw.result.converged = drain(&rw) || report_endless(&rw);
  rw.result.changed = rw.result.folded || rw.result.applied || rw.result.erased;
  pm_map_free(rw.work.places);
  PM_VEC_FREE(rw.work.stack);
  return rw.result;
}
