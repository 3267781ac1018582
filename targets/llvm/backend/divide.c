/* Quotients and remainders: Euclidean ones and C's, by zero 0, and MIN / -1 wraps, where LLVM has undefined
 * behaviour. What ranges or constants show is left out. */
#include "dialects/arith/arith.h"
#include "targets/llvm/backend/emit.h"

typedef struct division {
  ll_emitter *e;
  LLVMTypeRef type;
  LLVMValueRef a, b, zero;
  arith_range ra, rb; /* of both */
  bool is_unsigned, remainder, truncates;
} division;

static LLVMValueRef compare(const division *d, LLVMIntPredicate pred, LLVMValueRef x, int64_t y) {
  return LLVMBuildICmp(d->e->builder, pred, x, ll_int(d->type, y), "");
}

static LLVMValueRef choose(const division *d, LLVMValueRef condition, LLVMValueRef x, LLVMValueRef y) {
  return LLVMBuildSelect(d->e->builder, condition, x, y, "");
}

static bool may_be(arith_range range, int64_t number) {
  return !range.known || (range.lo <= number && number <= range.hi);
}

static bool is_power_of_two(int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

/* A divisor that LLVM takes: what has a meaning only for us is 1 instead. */
static LLVMValueRef safe_divisor(const division *d) {
  bool zero = may_be(d->rb, 0), minus_one = !d->is_unsigned && may_be(d->rb, -1);
  LLVMValueRef bad = zero ? compare(d, LLVMIntEQ, d->b, 0) : NULL;
  if (minus_one) {
    LLVMValueRef also = compare(d, LLVMIntEQ, d->b, -1);
    bad = bad ? LLVMBuildOr(d->e->builder, bad, also, "") : also;
  }
  return bad ? choose(d, bad, ll_int(d->type, 1), d->b) : d->b;
}

/* By zero 0; by -1 the negation, or no rest. */
static LLVMValueRef with_exceptions(const division *d, LLVMValueRef result) {
  if (!d->is_unsigned && may_be(d->rb, -1) && !d->remainder)
    result = choose(d, compare(d, LLVMIntEQ, d->b, -1), LLVMBuildNeg(d->e->builder, d->a, ""), result);
  if (may_be(d->rb, 0)) result = choose(d, compare(d, LLVMIntEQ, d->b, 0), d->zero, result);
  return result;
}

static LLVMValueRef divide_unsigned(const division *d) {
  LLVMValueRef b = safe_divisor(d);
  LLVMOpcode opcode = d->remainder ? LLVMURem : LLVMUDiv;
  return with_exceptions(d, LLVMBuildBinOp(d->e->builder, opcode, d->a, b, ""));
}

/* Rounded down, by 2^k. */
static LLVMValueRef shift_or_mask(const division *d) {
  unsigned k = 0;
  while (INT64_C(1) << k < d->rb.lo) k++;
  return d->remainder ? LLVMBuildAnd(d->e->builder, d->a, ll_int(d->type, d->rb.lo - 1), "")
                      : LLVMBuildAShr(d->e->builder, d->a, ll_int(d->type, k), "");
}

/* The remainder from C's: a negative one and |b|. */
static LLVMValueRef euclid_remainder(const division *d, LLVMValueRef rest) {
  LLVMValueRef negative = compare(d, LLVMIntSLT, rest, 0), size = d->b;
  if (d->rb.lo <= 0)
    size = choose(d, compare(d, LLVMIntSLT, d->b, 0), LLVMBuildNeg(d->e->builder, d->b, ""), d->b);
  return choose(d, negative, LLVMBuildAdd(d->e->builder, rest, size, ""), rest);
}

/* The quotient from C's: one further from zero where the rest is negative. */
static LLVMValueRef euclid_quotient(const division *d, LLVMValueRef quotient, LLVMValueRef rest) {
  LLVMValueRef step = ll_int(d->type, 1);
  if (d->rb.lo <= 0) step = choose(d, compare(d, LLVMIntSGT, d->b, 0), step, ll_int(d->type, -1));
  LLVMValueRef further = LLVMBuildSub(d->e->builder, quotient, step, "");
  return choose(d, compare(d, LLVMIntSLT, rest, 0), further, quotient);
}

static LLVMValueRef divide_signed(const division *d) {
  LLVMBuilderRef builder = d->e->builder;
  LLVMValueRef b = safe_divisor(d);
  if (d->ra.known && d->ra.lo >= 0 && d->rb.known && d->rb.lo > 0) return divide_unsigned(d);
  if (d->truncates) {
    LLVMOpcode opcode = d->remainder ? LLVMSRem : LLVMSDiv;
    return with_exceptions(d, LLVMBuildBinOp(builder, opcode, d->a, b, ""));
  }
  LLVMValueRef rest = LLVMBuildSRem(builder, d->a, b, "");
  if (d->remainder) return with_exceptions(d, euclid_remainder(d, rest));
  LLVMValueRef quotient = LLVMBuildSDiv(builder, d->a, b, "");
  return with_exceptions(d, euclid_quotient(d, quotient, rest));
}

/* Of i1: 1 / 1 is 1, nothing leaves a rest. */
static LLVMValueRef divide_bools(const division *d) {
  return d->remainder ? d->zero : LLVMBuildAnd(d->e->builder, d->a, d->b, "");
}

/* A splat of a constant is a number, too. */
static arith_range range_of(const ll_emitter *e, const pm_value *v) {
  pm_attr constant = pm_constant_value(v);
  arith_range unknown = {false, INT64_MIN, INT64_MAX};
  if (constant && (constant->i >= 0 || ll_info_of(v)->is_signed))
    return (arith_range){true, constant->i, constant->i};
  if (ll_is_vector(v)) return unknown;
  arith_range range = loop_range_of(e->ranges, v);
  return range.known ? range : unknown;
}

void ll_emit_division(ll_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  LLVMTypeRef type = ll_type(e, v->type);
  division d = {.e = e,
                .type = type,
                .a = ll_arg(e, op, 0),
                .b = ll_arg(e, op, 1),
                .zero = ll_int(type, 0),
                .ra = range_of(e, pm_arg(op, 0)),
                .rb = range_of(e, pm_arg(op, 1)),
                .is_unsigned = !ll_info_of(v)->is_signed,
                .remainder = pm_is(op, &arith_remi) || pm_is(op, &arith_trunc_rem),
                .truncates = pm_is(op, &arith_trunc_div) || pm_is(op, &arith_trunc_rem)};
  bool shifts = !d.truncates && pm_constant_value(pm_arg(op, 1)) && is_power_of_two(d.rb.lo);
  ll_set(e, v,
         ll_scalar_of(v) == PM_I1 ? divide_bools(&d)
         : d.is_unsigned          ? divide_unsigned(&d)
         : shifts                 ? shift_or_mask(&d)
                                  : divide_signed(&d));
}
