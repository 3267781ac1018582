/* Decides which values become part of the expression of their only user and which get a variable.
 *
 * A value is nested when its one user stands in the same region, when no write lies between it (if it reads
 * memory) and the statement it becomes part of, and when it is not evaluated conditionally in C (an arm of
 * ?:, the right of && and ||). Where the language does not name such operands, one that is cheap and cannot
 * trap may be: its compilers vectorize conditional expressions only of such values. */
#include "dialects/arith/arith.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/cfamily/cfamily.h"

enum { MAX_SIZE = 40 };

c_plan *c_plan_of(c_emitter *e, const pm_op *op) {
  c_plan *plan = pm_map_get(e->plans, op);
  if (plan) return plan;
  plan = pm_arena_alloc(e->arena, sizeof(*plan));
  pm_map_set(e->plans, op, plan);
  return plan;
}

bool c_is_vector_op(const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_arg(op, i)->type->cls == PM_TYPE_VECTOR) return true;
  return op->n_results && pm_res(op, 0)->type->cls == PM_TYPE_VECTOR;
}

static bool is_expression(const pm_op *op) {
  return op->n_results == 1 && !op->n_regions && (pm_has_trait(op, PM_PURE) || pm_has_trait(op, PM_READS));
}

/* Numbers the ops of the region, and those below, by the writes before them; true when there is a write. */
static bool number_writes(c_emitter *e, const pm_region *region) {
  uint32_t epoch = 0;
  PM_FOR_OPS(op, region) {
    c_plan_of(e, op)->epoch = epoch;
    bool writes = pm_has_trait(op, PM_WRITES);
    for (unsigned i = 0; i < op->n_regions; i++) writes |= number_writes(e, pm_region_at(op, i));
    epoch += writes;
  }
  return epoch > 0;
}

bool c_is_used(c_emitter *e, const pm_value *value) {
  PM_FOR_USES(use, value)
  if (c_plan_of(e, pm_user(use))->live && !c_compares_with_itself(pm_user(use))) return true;
  return false;
}

static bool is_live(c_emitter *e, const pm_op *op) {
  return !is_expression(op) || c_is_used(e, pm_res(op, 0));
}

/* In C the operand is evaluated only when another one has a certain value. */
static bool is_conditional_operand(const pm_op *user, unsigned i) {
  if (c_is_vector_op(user) && user->n_operands && pm_arg(user, 0)->type->cls == PM_TYPE_VECTOR) return false;
  if (pm_is(user, &arith_select)) return i != arith_select_condition;
  return i == 1 && pm_is_bool(pm_res(user, 0)->type) && (pm_is(user, &arith_andi) || pm_is(user, &arith_ori));
}

static bool may_be_conditional(const pm_op *op) {
  if (!pm_has_trait(op, PM_PURE) || pm_is(op, &arith_divi) || pm_is(op, &arith_remi) ||
      pm_is(op, &arith_trunc_div) || pm_is(op, &arith_trunc_rem))
    return false;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (pm_is_float(pm_arg(op, i)->type)) return false;
  return !pm_is_float(pm_res(op, 0)->type);
}

/* In a loop whose ops are in an order that is to be kept, a value goes into the statement that comes next. */
static bool is_next_statement(c_emitter *e, const pm_op *op, const pm_op *statement) {
  const pm_op *loop = pm_parent(op);
  if (!pm_is(loop, &loop_for) || !pm_attr_at(loop, loop_for_ordered)) return true;
  const pm_op *next = op->next;
  while (next && next != statement && !c_is_statement(e, next)) next = next->next;
  return next == statement;
}

static bool can_nest(c_emitter *e, const pm_op *op, c_plan *plan) {
  const pm_value *value = pm_res(op, 0);
  if (!pm_has_one_use(value) || pm_is_memref(value->type)) return false;
  const pm_op *user = pm_user(pm_uses(value));
  if (user->region != op->region) return false;
  const c_plan *at = c_plan_of(e, user);
  plan->anchor = at->nested ? at->anchor : user;
  plan->guarded = is_expression(user) && ((at->nested && at->guarded) ||
                                          is_conditional_operand(user, pm_operand_number(pm_uses(value))));
  if (!is_next_statement(e, op, plan->anchor)) return false;
  if (plan->guarded && (e->language->named_arms || !may_be_conditional(op))) return false;
  return !pm_has_trait(op, PM_READS) || c_plan_of(e, plan->anchor)->epoch == plan->epoch;
}

static void plan_region(c_emitter *e, const pm_region *region) {
  for (const pm_op *op = region->last; op; op = pm_prev(op)) {
    for (unsigned i = 0; i < op->n_regions; i++) plan_region(e, pm_region_at(op, i));
    c_plan *plan = c_plan_of(e, op);
    plan->live = is_live(e, op);
    plan->nested =
        plan->live && is_expression(op) && !pm_constant_value(pm_res(op, 0)) && can_nest(e, op, plan);
  }
}

/* An index adds one to the size of an access, a stride nothing. */
static pm_walk limit_size(void *user, pm_op *op) {
  c_plan *plan = c_plan_of(user, op);
  loop_access access;
  bool is_access = loop_find_access(op, &access);
  unsigned n = op->n_operands - (is_access ? loop_n_indices(&access) : 0);
  plan->size = 1 + (is_access ? access.map->n_dims : 0);
  for (unsigned i = 0; i < n; i++) {
    const pm_op *def = pm_def(pm_arg(op, i));
    plan->size += def && c_plan_of(user, def)->nested ? c_plan_of(user, def)->size : 1;
  }
  if (plan->size > MAX_SIZE) plan->nested = false;
  return PM_WALK_ON;
}

void c_make_plan(c_emitter *e, const pm_op *func) {
  const pm_region *body = pm_region_at(func, loop_func_body);
  number_writes(e, body);
  plan_region(e, body);
  PM_FOR_OPS(op, body)(void) pm_walk_pre(op, limit_size, e);
}

bool c_is_statement(c_emitter *e, const pm_op *op) {
  const c_plan *plan = c_plan_of(e, op);
  return plan->live && !plan->nested && !(op->n_results == 1 && pm_constant_value(pm_res(op, 0)));
}
