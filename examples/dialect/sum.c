/* The dialect sum, and lower-sums, which makes loops of it:
 *
 *   %s = sum.over %k = %lo to %hi : f32 {     |  %c = arith.constant 0.0 : f32
 *     %v = …                                  |  %s = loop.for %k = %lo to %hi step 1 carry(%a = %c) : (f32) {
 *     sum.term %v : f32                       |    %v = …
 *   }                                         |    %0 = arith.addf %a, %v : f32
 *                                             |    loop.yield %0 : f32
 *                                             |  }
 */
#include <pm/tools/plugin.h>

#include <pm/ir/text.h>

#define PM_DIALECT sum
#define PM_DIALECT_DEF "sum.def"
#include <pm/ir/declare_ops.h>
#include <pm/ir/define_ops.h>
#undef PM_DIALECT
#undef PM_DIALECT_DEF

static const pm_dialect sum_of_ranges = {.name = "sum", .ops = sum_op_table, .doc = "sums over ranges"};

/* --- verification --- */

bool sum_over_verify(const pm_op *op) {
  const pm_region *body = pm_region_at(op, sum_over_body);
  pm_type type = pm_res(op, sum_over_total)->type;
  const pm_op *term = pm_terminator(body);
  if (type->cls != PM_TYPE_SCALAR)
    return pm_op_error(op, "has a sum of type %pT, which should be a scalar", (const void *)type);
  if (body->n_args != 1 || !pm_is_index(body->args[0]->type))
    return pm_op_error(op, "has a body whose arguments should be one index");
  if (!pm_is(term, &sum_term)) return pm_op_error(op, "has a body that should end with sum.term");
  pm_type given = pm_arg(term, sum_term_value)->type;
  return given == type || pm_op_error(term, "has a value of type %pT, but the sum around it is %pT",
                                      (const void *)given, (const void *)type);
}

bool sum_term_verify(const pm_op *op) {
  return pm_is(pm_parent(op), &sum_over) || pm_op_error(op, "should be directly in a sum.over");
}

/* --- text --- */

void sum_over_print(pm_printer *p, const pm_op *op) {
  const pm_region *body = pm_region_at(op, sum_over_body);
  pm_p(p, " ");
  pm_p_value(p, body->args[0]);
  pm_p(p, " = ");
  pm_p_value(p, pm_arg(op, sum_over_lo));
  pm_p(p, " to ");
  pm_p_value(p, pm_arg(op, sum_over_hi));
  pm_p(p, " : %pT ", (const void *)pm_res(op, sum_over_total)->type);
  pm_p_region(p, body, false);
}

bool sum_over_parse(pm_parser *p, pm_op_state *state) {
  pm_type index = pm_get_index(pm_q_context(p)), type;
  pm_operand_ref k, lo, hi;
  if (!pm_q_operand(p, &k) || !pm_q_punct(p, "=") || !pm_q_operand(p, &lo) || !pm_q_word(p, "to") ||
      !pm_q_operand(p, &hi) || !pm_q_punct(p, ":") || !pm_q_type(p, &type))
    return false;
  PM_VEC_PUSH(state->results, type);
  pm_arg_specs args = {0};
  pm_arg_spec counter = {k.name, index, k.loc};
  PM_VEC_PUSH(args, counter);
  bool ok = pm_q_resolve(p, &lo, index, state) && pm_q_resolve(p, &hi, index, state) &&
            pm_q_region(p, state, sum_over_body, &args);
  PM_VEC_FREE(args);
  return ok;
}

/* --- lowering --- */

static pm_value *build_zero(pm_builder *b, pm_type type) {
  return pm_is_float(type) ? arith_build_float(b, type, 0) : arith_build_int(b, type, 0);
}

/* At the end of the loop: adds the term to what is carried. */
static void add_term(const pm_region *body) {
  pm_op *term = pm_terminator(body);
  pm_builder b = pm_builder_before(term);
  pm_value *value = pm_arg(term, sum_term_value);
  const pm_op_desc *add = pm_is_float(value->type) ? &arith_addf : &arith_addi;
  pm_value *total = pm_build_binary(&b, add, body->args[1], value);
  loop_build_yield(&b, &total, 1);
  pm_op_erase(term);
}

static pm_walk lower_sum(void *user, pm_op *op) {
  int64_t *lowered = user;
  if (!pm_is(op, &sum_over)) return PM_WALK_ON;
  pm_builder b = pm_builder_before(op);
  pm_region *from = pm_region_at(op, sum_over_body);
  pm_value *zero = build_zero(&b, pm_res(op, sum_over_total)->type);
  loop_spec spec = {.step = 1, .counter = from->args[0]->name, .inits = &zero, .n_inits = 1};
  pm_op *loop = loop_build_for(&b, pm_arg(op, sum_over_lo), pm_arg(op, sum_over_hi), &spec);
  pm_region *to = pm_region_at(loop, loop_for_body);
  pm_replace_uses(from->args[0], to->args[0]);
  pm_splice(to, from);
  add_term(to);
  pm_value *total = pm_res(loop, 0);
  pm_replace_op(op, &total);
  ++*lowered;
  return PM_WALK_ON;
}

static pm_result run_lower_sums(pm_pass *p) {
  int64_t lowered = 0;
  pm_walk_post(pm_pass_root(p), lower_sum, &lowered);
  pm_pass_stat(p, "sums lowered", lowered);
  return lowered ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_pass_desc lower_sums = {
    .name = "lower-sums", .anchor = "loop.func", .doc = "sum.over to loop.for", .run = run_lower_sums};

static void register_sums(pm_context *ctx) {
  pm_register_dialect(ctx, &sum_of_ranges);
  pm_register_pass(ctx, &lower_sums);
}

PM_PLUGIN("sums", register_sums)
