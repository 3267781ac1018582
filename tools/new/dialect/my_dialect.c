/* The dialect my_dialect, and lower-my_dialect, which makes ops of other dialects of it:
 *
 *   %s = my_dialect.sum %k = %lo to %hi : i32 {    |  %c = arith.constant 0 : i32
 *     %v = …                                       |  %s = loop.for %k = %lo to %hi step 1 carry(%a = %c) : (i32) {
 *     my_dialect.term %v : i32                     |    %v = …
 *   }                                              |    %0 = arith.addi %a, %v : i32
 *                                                  |    loop.yield %0 : i32
 *                                                  |  }
 */
#include <pm/tools/plugin.h>

#include <pm/ir/interpret.h>
#include <pm/ir/lanes.h>
#include <pm/ir/text.h>

/* Descriptors, indices, kernels and prototypes, made of the rows. Rows with INT_LANES or FLOAT_LANES need
 * define_kernels.h. */
#define PM_DIALECT my_dialect
#define PM_DIALECT_DEF "my_dialect.def"
#include <pm/ir/declare_ops.h>

#include <pm/dialects/arith/define_kernels.h>

#include <pm/ir/define_ops.h>
#undef PM_DIALECT
#undef PM_DIALECT_DEF

static const pm_dialect dialect = {
    .name = "my_dialect", .ops = my_dialect_op_table, .doc = "means, and sums over ranges"};

/* --- average --- */

/* Of constants: pm_fold_constants runs the kernel of the row. */
bool my_dialect_average_fold(pm_op *op, const pm_attr *operands, pm_fold_result *out) {
  return pm_fold_constants(op, operands, out);
}

/* Measure: the number of ops. */
bool my_dialect_average_of_equal(pm_rewriter *rw, pm_op *op) {
  pm_value *x = pm_arg(op, my_dialect_average_lhs);
  if (x != pm_arg(op, my_dialect_average_rhs)) return false;
  pm_rw_replace_one(rw, op, x);
  return true;
}

/* --- sum: verification --- */

bool my_dialect_sum_verify(const pm_op *op) {
  const pm_region *body = pm_region_at(op, my_dialect_sum_body);
  pm_type type = pm_res(op, my_dialect_sum_total)->type;
  const pm_op *term = pm_terminator(body);
  if (type->cls != PM_TYPE_SCALAR)
    return pm_op_error(op, "has a sum of type %pT, which should be a scalar", (const void *)type);
  if (body->n_args != 1 || !pm_is_index(body->args[0]->type))
    return pm_op_error(op, "has a body whose arguments should be one index");
  if (!pm_is(term, &my_dialect_term))
    return pm_op_error(op, "has a body that should end with my_dialect.term");
  pm_type given = pm_arg(term, my_dialect_term_value)->type;
  return given == type || pm_op_error(term, "has a value of type %pT, but the sum around it is %pT",
                                      (const void *)given, (const void *)type);
}

bool my_dialect_term_verify(const pm_op *op) {
  return pm_is(pm_parent(op), &my_dialect_sum) || pm_op_error(op, "should be directly in a my_dialect.sum");
}

/* --- sum: what passes and interpreters ask --- */

static pm_value *sum_runs(pm_builder *b, const pm_op *op) {
  return arith_build_cmp(b, ARITH_LT, pm_arg(op, my_dialect_sum_lo), pm_arg(op, my_dialect_sum_hi));
}

const pm_loop_like my_dialect_sum_loop_like = {.n_bounds = 2, .counts = true, .runs = sum_runs};

static const pm_op_desc *addition_of(pm_type type) {
  return pm_is_float(type) ? &arith_addf : &arith_addi;
}

bool my_dialect_sum_interpret(pm_interpreter *in, const pm_op *op) {
  const pm_region *body = pm_region_at(op, my_dialect_sum_body);
  const pm_value *term = pm_arg(pm_terminator(body), my_dialect_term_value);
  pm_kernel add = pm_find_kernel_of(addition_of(term->type), (pm_scalar)term->type->scalar);
  pm_lane *total = pm_interp_lanes(in, pm_res(op, my_dialect_sum_total));
  int64_t k = pm_interp_lanes(in, pm_arg(op, my_dialect_sum_lo))->i;
  int64_t hi = pm_interp_lanes(in, pm_arg(op, my_dialect_sum_hi))->i;
  *total = (pm_lane){0};
  for (; k < hi; k++) {
    pm_interp_lanes(in, body->args[0])->i = k;
    if (!pm_interp_run(in, body)) return false;
    add((const pm_lane *const[]){total, pm_interp_lanes(in, term)}, total, 1);
  }
  return true;
}

/* --- sum: text --- */

void my_dialect_sum_print(pm_printer *p, const pm_op *op) {
  const pm_region *body = pm_region_at(op, my_dialect_sum_body);
  pm_p(p, " ");
  pm_p_value(p, body->args[0]);
  pm_p(p, " = ");
  pm_p_value(p, pm_arg(op, my_dialect_sum_lo));
  pm_p(p, " to ");
  pm_p_value(p, pm_arg(op, my_dialect_sum_hi));
  pm_p(p, " : %pT ", (const void *)pm_res(op, my_dialect_sum_total)->type);
  pm_p_region(p, body, false);
}

bool my_dialect_sum_parse(pm_parser *p, pm_op_state *state) {
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
            pm_q_region(p, state, my_dialect_sum_body, &args);
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
  pm_value *value = pm_arg(term, my_dialect_term_value);
  pm_value *total = pm_build_binary(&b, addition_of(value->type), body->args[1], value);
  loop_build_yield(&b, &total, 1);
  pm_op_erase(term);
}

static void lower_sum(pm_op *op) {
  pm_builder b = pm_builder_before(op);
  pm_region *from = pm_region_at(op, my_dialect_sum_body);
  pm_value *zero = build_zero(&b, pm_res(op, my_dialect_sum_total)->type);
  loop_spec spec = {.step = 1, .counter = from->args[0]->name, .inits = &zero, .n_inits = 1};
  pm_op *loop = loop_build_for(&b, pm_arg(op, my_dialect_sum_lo), pm_arg(op, my_dialect_sum_hi), &spec);
  pm_region *to = pm_region_at(loop, loop_for_body);
  pm_replace_uses(from->args[0], to->args[0]);
  pm_splice(to, from);
  add_term(to);
  pm_value *total = pm_res(loop, 0);
  pm_replace_op(op, &total);
}

/* (a & b) + ((a ^ b) >> 1) */
static void lower_average(pm_op *op) {
  pm_builder b = pm_builder_before(op);
  pm_value *lhs = pm_arg(op, my_dialect_average_lhs), *rhs = pm_arg(op, my_dialect_average_rhs);
  pm_value *both = pm_build_binary(&b, &arith_andi, lhs, rhs);
  pm_value *one = pm_build_binary(&b, &arith_xori, lhs, rhs);
  pm_value *half = pm_build_binary(&b, &arith_shri, one, arith_build_int(&b, one->type, 1));
  pm_value *mean = pm_build_binary(&b, &arith_addi, both, half);
  pm_replace_op(op, &mean);
}

static pm_walk lower_op(void *user, pm_op *op) {
  bool is_sum = pm_is(op, &my_dialect_sum), is_average = pm_is(op, &my_dialect_average);
  if (is_sum) lower_sum(op);
  if (is_average) lower_average(op);
  *(int64_t *)user += is_sum || is_average;
  return PM_WALK_ON;
}

static pm_result run_lowering(pm_pass *p) {
  int64_t lowered = 0;
  pm_walk_post(pm_pass_root(p), lower_op, &lowered);
  pm_pass_stat(p, "ops lowered", lowered);
  return lowered ? PM_CHANGED : PM_UNCHANGED;
}

static const pm_pass_desc lowering = {.name = "lower-my_dialect",
                                      .anchor = "loop.func",
                                      .doc = "my_dialect to arith and loop.for",
                                      .run = run_lowering};

static void register_all(pm_context *ctx) {
  pm_register_dialect(ctx, &dialect);
  (void)pm_register_pass(ctx, &lowering);
}

PM_PLUGIN("my_dialect", register_all)
