/* Private functions and their calls: text form of loop.call, and the checks that need both sides. */
#include "dialects/loop/call.h"

#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "ir/text.h"

#include <stdlib.h>

bool loop_is_private(const pm_op *func) {
  return pm_attr_at(func, loop_func_private) != NULL;
}

pm_type loop_result_of(const pm_op *func) {
  pm_attr result = pm_attr_at(func, loop_func_result);
  return result ? result->t : NULL;
}

bool loop_is_argument(const pm_op *op) {
  return pm_is(op, &loop_param) || pm_is(op, &buf_argument);
}

static pm_string name_of(const pm_op *func) {
  pm_attr sym = pm_attr_at(func, loop_func_sym);
  return sym && sym->cls == PM_ATTR_SYMBOL ? sym->s : NULL;
}

pm_op *loop_find_callee(const pm_op *call) {
  pm_op *around = pm_parent_of(call, &loop_func);
  if (!around || !around->region) return NULL;
  PM_FOR_OPS(op, around->region)
  if (pm_is(op, &loop_func) && name_of(op) == pm_sym_at(call, loop_call_callee)) return op;
  return NULL;
}

pm_op *loop_first_argument(const pm_op *func) {
  pm_op *op = pm_region_at(func, loop_func_body)->first;
  while (op && !loop_is_argument(op)) op = op->next;
  return op;
}

pm_op *loop_next_argument(const pm_op *argument) {
  pm_op *op = argument->next;
  while (op && !loop_is_argument(op)) op = op->next;
  return op;
}

/* --- checks: the other function may not have been verified --- */

static bool unknown_callee(const pm_op *op) {
  pm_string wanted = pm_sym_at(op, loop_call_callee), nearest = NULL;
  const pm_op *around = pm_parent_of(op, &loop_func);
  unsigned best = (unsigned)(wanted->len + 2) / 3 + 1;
  PM_FOR_OPS(func, around->region) {
    pm_string name = pm_is(func, &loop_func) && loop_is_private(func) ? name_of(func) : NULL;
    if (!name) continue;
    unsigned distance =
        pm_edit_distance((pm_str){name->text, name->len}, (pm_str){wanted->text, wanted->len}, best);
    if (distance < best) best = distance, nearest = name;
  }
  if (nearest)
    return pm_op_error(op, "calls @%pS, which is no function here; did you mean @%pS?", (const void *)wanted,
                       (const void *)nearest);
  return pm_op_error(op, "calls @%pS, which is no function here", (const void *)wanted);
}

/* Memory that the function writes is given once, and may be written by the caller. */
static bool verify_written(const pm_op *op, unsigned i) {
  const pm_op *array = pm_def(pm_arg(op, i));
  if (buf_is_read_only(array))
    return pm_op_error(op, "gives %pV, which is only read, as argument %u, which @%pS writes",
                       (const void *)pm_arg(op, i), i, (const void *)pm_sym_at(op, loop_call_callee));
  for (unsigned k = 0; k < op->n_operands; k++)
    if (k != i && array && pm_is_memref(pm_arg(op, k)->type) && pm_def(pm_arg(op, k)) == array)
      return pm_op_error(op, "gives the memory of %pV twice, but @%pS writes argument %u",
                         (const void *)pm_arg(op, i), (const void *)pm_sym_at(op, loop_call_callee), i);
  return true;
}

static bool verify_argument(const pm_op *op, unsigned i, const pm_op *argument) {
  if (argument->n_results != 1) return true;
  pm_type have = pm_arg(op, i)->type, want = pm_res(argument, 0)->type;
  if (have != want)
    return pm_op_error(op, "gives argument %u of type %pT, but @%pS takes %pT", i, (const void *)have,
                       (const void *)pm_sym_at(op, loop_call_callee), (const void *)want);
  return !pm_is(argument, &buf_argument) || buf_is_read_only(argument) || verify_written(op, i);
}

static bool verify_arguments(const pm_op *op, const pm_op *callee) {
  unsigned n = 0;
  for (const pm_op *a = loop_first_argument(callee); a; a = loop_next_argument(a)) n++;
  if (n != op->n_operands)
    return pm_op_error(op, "gives %u arguments, but @%pS takes %u", op->n_operands,
                       (const void *)pm_sym_at(op, loop_call_callee), n);
  const pm_op *argument = loop_first_argument(callee);
  for (unsigned i = 0; i < n; i++, argument = loop_next_argument(argument))
    if (!verify_argument(op, i, argument)) return false;
  return true;
}

typedef struct search {
  const pm_op *wanted;
  pm_map *seen; /* functions */
} search;

/* Stops when the wanted function is called from here, at any depth. */
static pm_walk search_calls(void *user, pm_op *op) {
  search *s = user;
  if (!pm_is(op, &loop_call) || !pm_attr_at(op, loop_call_callee)) return PM_WALK_ON;
  pm_op *callee = loop_find_callee(op);
  if (!callee || pm_map_has(s->seen, callee)) return PM_WALK_ON;
  if (callee == s->wanted) return PM_WALK_STOP;
  pm_map_set(s->seen, callee, callee);
  return pm_walk_pre(callee, search_calls, s) ? PM_WALK_ON : PM_WALK_STOP;
}

static bool verify_no_recursion(const pm_op *op, pm_op *callee) {
  search s = {pm_parent_of(op, &loop_func), pm_map_new()};
  bool recursive = callee == s.wanted || !pm_walk_pre(callee, search_calls, &s);
  pm_map_free(s.seen);
  if (!recursive) return true;
  return pm_op_error(op, "calls @%pS, which calls @%pS; recursion is not supported",
                     (const void *)pm_sym_at(op, loop_call_callee), (const void *)name_of(s.wanted));
}

bool loop_call_verify(const pm_op *op) {
  if (!pm_parent_of(op, &loop_func)) return pm_op_error(op, "should be in a loop.func");
  pm_op *callee = loop_find_callee(op);
  if (!callee) return unknown_callee(op);
  if (!loop_is_private(callee)) {
    pm_op_error(op, "calls @%pS, which is not private", (const void *)pm_sym_at(op, loop_call_callee));
    pm_note(pm_op_context(op), callee->loc, "the function is here");
    return false;
  }
  return verify_arguments(op, callee) && verify_no_recursion(op, callee);
}

/* --- text: ` @f(%x, %b) : f32, memref<?xf32>` --- */

void loop_call_print(pm_printer *p, const pm_op *op) {
  static const char *const shown[] = {"callee", NULL};
  pm_p(p, " ");
  pm_p_symbol(p, pm_sym_at(op, loop_call_callee));
  pm_p(p, "(");
  pm_p_values(p, pm_operands(op), op->n_operands);
  pm_p(p, ")");
  pm_p_attr_dict(p, op, shown);
  for (unsigned i = 0; i < op->n_operands; i++)
    pm_p(p, "%s%pT", i ? ", " : " : ", (const void *)pm_arg(op, i)->type);
}

static bool parse_arguments(pm_parser *p, pm_op_state *state, const pm_operand_refs *refs) {
  for (size_t i = 0; i < refs->len; i++) {
    pm_type type = NULL;
    if (!pm_q_punct(p, i ? "," : ":") || !pm_q_type(p, &type)) return false;
    if (!pm_q_resolve(p, &refs->data[i], type, state)) return false;
  }
  return true;
}

bool loop_call_parse(pm_parser *p, pm_op_state *state) {
  pm_context *ctx = pm_q_context(p);
  pm_operand_refs refs = {0};
  pm_string name = NULL;
  if (!pm_q_symbol(p, &name)) return false;
  pm_state_attr(ctx, state, "callee", pm_get_symbol(ctx, name));
  bool ok = pm_q_punct(p, "(") &&
            (pm_q_opt_punct(p, ")") || (pm_q_operands(p, &refs) && pm_q_punct(p, ")"))) &&
            pm_q_opt_attr_dict(p, state) && parse_arguments(p, state, &refs);
  PM_VEC_FREE(refs);
  return ok;
}
