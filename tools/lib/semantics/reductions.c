#include "tools/lib/semantics/reductions.h"

#include "dialects/arith/arith.h"
#include "dialects/stage/stage.h"
#include "ir/verify.h"

#include <stdlib.h>

typedef PM_VEC(pm_op *) op_list;

/* --- ops of a kind --- */

typedef bool (*op_test)(const pm_op *op);
typedef struct listing {
  op_test test;
  op_list ops;
} listing;

static pm_walk list_op(void *user, pm_op *op) {
  listing *l = user;
  if (op->region && l->test(op)) PM_VEC_PUSH(l->ops, op);
  return PM_WALK_ON;
}

static op_list list_ops(pm_module *module, op_test test) {
  listing l = {.test = test};
  pm_walk_pre(pm_module_op(module), list_op, &l);
  return l.ops;
}

static size_t count_ops(pm_module *module, op_test test) {
  op_list ops = list_ops(module, test);
  size_t n = ops.len;
  PM_VEC_FREE(ops);
  return n;
}

/* The last one first: what uses a value stands behind it, and what is inside behind what is around. */
static void change_ops(pm_module *module, op_test test, size_t first, size_t n, void (*change)(pm_op *op)) {
  op_list ops = list_ops(module, test);
  size_t end = first + n < ops.len ? first + n : ops.len;
  for (size_t i = end; i-- > first;) change(ops.data[i]);
  PM_VEC_FREE(ops);
}

/* --- ops without results --- */

static bool is_unused(const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    if (!pm_unused(pm_res((pm_op *)op, i))) return false;
  return true;
}

static bool is_effect(const pm_op *op) {
  return is_unused(op) && !pm_has_trait(op, PM_TERMINATOR);
}

static size_t count_effects(pm_module *module) {
  return count_ops(module, is_effect);
}

static void take_effects(pm_module *module, size_t first, size_t n) {
  change_ops(module, is_effect, first, n, pm_op_erase);
}

/* --- stages become inputs: what they were computed of may go then --- */

static bool is_stage(const pm_op *op) {
  return pm_is(op, &stage_func) && stage_type_of(op)->cls == PM_TYPE_SCALAR;
}

static bool is_output_of(const pm_op *func) {
  PM_FOR_OPS(op, func->region) {
    if (pm_is(op, &stage_output) && pm_sym_at(op, stage_output_stage) == pm_sym_at(func, stage_func_sym))
      return true;
  }
  return false;
}

static bool verifies(pm_op *op) {
  pm_diag_scope outer = pm_begin_diag_scope(pm_op_context(op), pm_drop_diag, NULL);
  bool ok = pm_verify(op);
  pm_end_diag_scope(pm_op_context(op), outer);
  return ok;
}

/* Of a stage whose domain is that of an array. */
static void make_input(pm_op *func) {
  if (is_output_of(func)) return;
  pm_builder b = pm_builder_before(func);
  pm_op *input = stage_build_input(&b, pm_sym_at(func, stage_func_sym), stage_type_of(func),
                                   stage_domain_of(func), NULL);
  pm_op_erase(verifies(input) ? func : input);
}

static size_t count_stages(pm_module *module) {
  return count_ops(module, is_stage);
}

static void make_inputs(pm_module *module, size_t first, size_t n) {
  change_ops(module, is_stage, first, n, make_input);
}

/* --- values --- */

static bool is_scalar_op(const pm_op *op) {
  return op->n_results == 1 && pm_res((pm_op *)op, 0)->type->cls == PM_TYPE_SCALAR &&
         !pm_has_trait(op, PM_CONSTANT) && !pm_has_trait(op, PM_SYMBOL);
}

static size_t count_values(pm_module *module) {
  return count_ops(module, is_scalar_op);
}

static void make_one(pm_op *op) {
  pm_builder b = pm_builder_before(op);
  pm_type type = pm_res(op, 0)->type;
  pm_attr one = pm_is_float(type) ? pm_get_float(type, 1) : pm_get_int(type, 1);
  pm_value *value = arith_build_constant(&b, one);
  pm_replace_op(op, &value);
}

static void make_ones(pm_module *module, size_t first, size_t n) {
  change_ops(module, is_scalar_op, first, n, make_one);
}

/* The first operand of the result's type, in the op's place. */
static void make_operand(pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++) {
    pm_value *operand = pm_arg(op, i);
    if (operand->type != pm_res(op, 0)->type) continue;
    pm_replace_op(op, &operand);
    return;
  }
}

static void make_operands(pm_module *module, size_t first, size_t n) {
  change_ops(module, is_scalar_op, first, n, make_operand);
}

/* --- what is not needed: optional attributes and names --- */

/* The attributes that may be absent, numbered over all ops. */
typedef struct attr_search {
  size_t at, first, end;
  bool takes;
} attr_search;

static pm_walk visit_attrs(void *user, pm_op *op) {
  attr_search *s = user;
  for (unsigned i = 0; i < op->desc->n_attrs; i++) {
    if (!op->desc->attrs[i].optional || !pm_attr_at(op, i)) continue;
    if (s->takes && s->at >= s->first && s->at < s->end) pm_set_attr(op, i, NULL);
    s->at++;
  }
  return PM_WALK_ON;
}

static size_t count_attrs(pm_module *module) {
  attr_search s = {0};
  pm_walk_pre(pm_module_op(module), visit_attrs, &s);
  return s.at;
}

static void take_attrs(pm_module *module, size_t first, size_t n) {
  attr_search s = {.first = first, .end = first + n, .takes = true};
  pm_walk_pre(pm_module_op(module), visit_attrs, &s);
}

static bool has_name(const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    if (pm_res((pm_op *)op, i)->name && !pm_has_trait(op, PM_SYMBOL)) return true;
  return false;
}

static size_t count_names(pm_module *module) {
  return count_ops(module, has_name);
}

static void take_name(pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++) pm_res(op, i)->name = NULL;
}

static void take_names(pm_module *module, size_t first, size_t n) {
  change_ops(module, has_name, first, n, take_name);
}

const pm_reduction pm_reductions[] = {{"stages", count_stages, make_inputs},
                                      {"ops", count_effects, take_effects},
                                      {"values", count_values, make_ones},
                                      {"operands", count_values, make_operands},
                                      {"attributes", count_attrs, take_attrs},
                                      {"names", count_names, take_names},
                                      {0}};
