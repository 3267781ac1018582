/* What an op makes of the values of its operands. */
#include "dialects/isl/linear.h"
#include "dialects/stage/analyses/values_private.h"

#include "dialects/arith/arith.h"

#include <isl/constraint.h>
#include <isl/ilp.h>
#include <math.h>
#include <stdlib.h>

enum {
  MAX_PIECES = 16, /* of a relation; one with more becomes its hull */
  MAX_JOINT = 64,  /* of the operands of an op together, else they become their hulls */
  MAX_JOINT_OF_READS = 16,
  MAX_EXISTENTIALS = 4, /* of a piece */
  MAX_CONSTRAINTS = 48, /* of all pieces */
  MAX_RELATION_TEXT = 512
};

/* --- types --- */

/* Texts are read once: they are attributes of the context. */
static isl_set *read_set_in(pm_context *ctx, const char *text) {
  return isl_set_copy(isl_peek_set(pm_get_custom(ctx, &isl_set_kind, PM_NO_LOC, pm_str_of(text))));
}

static isl_set *read_set(const stage_values *v, const char *text) {
  return read_set_in(pm_op_context(v->pipeline), text);
}

static isl_map *read_map(const stage_values *v, const char *text) {
  pm_context *ctx = pm_op_context(v->pipeline);
  return isl_map_copy(isl_peek_map(pm_get_custom(ctx, &isl_map_kind, PM_NO_LOC, pm_str_of(text))));
}

/* [v] with the numbers of the type. */
isl_set *values_of_type(pm_type type) {
  const pm_scalar_info *info = pm_get_scalar_info((pm_scalar)type->scalar);
  char text[MAX_RELATION_TEXT];
  uint64_t top = type->scalar == PM_I1 ? 1 : UINT64_MAX >> (64 - info->bits);
  if (type->scalar != PM_I1 && info->is_signed) {
    long long high = (long long)(top >> 1);
    snprintf(text, sizeof text, "{ [v] : -%lld - 1 <= v <= %lld }", high, high);
  } else {
    snprintf(text, sizeof text, "{ [v] : 0 <= v <= %llu }", (unsigned long long)top);
  }
  return read_set_in(type->ctx, text);
}

static bool is_wide(pm_type type) {
  return pm_get_scalar_info((pm_scalar)type->scalar)->bits >= 32;
}

static bool is_unsigned(pm_type type) {
  return type->scalar >= PM_U8 && type->scalar <= PM_U64;
}

/* What is known of any number of the type: nothing on the sides that only 32 bits and more bound. */
static isl_set *any_of(const stage_values *v, pm_type type) {
  if (!is_wide(type)) return values_of_type(type);
  return read_set(v, is_unsigned(type) ? "{ [v] : 0 <= v }" : "{ [v] }");
}

/* --- relations --- */

/* At every instance any number of the set (taken). */
isl_map *values_everywhere(const body_state *b, isl_set *numbers) {
  return isl_map_from_domain_and_range(isl_set_copy(values_instances_of(b)->around), numbers);
}

arith_range values_span_of_type(pm_type type) {
  bool is_bounded = pm_get_scalar_info((pm_scalar)type->scalar)->bits < 64;
  return is_bounded ? arith_range_of_type((pm_scalar)type->scalar) : arith_unknown_range();
}

value_state values_any(const body_state *b, const pm_value *value) {
  pm_type type = value->type;
  if (!pm_is_int_or_index(type)) return (value_state){.range = float_range_any()};
  return (value_state){.relation = values_everywhere(b, any_of(b->values, type)),
                       .span = values_span_of_type(type),
                       .source = is_wide(type) ? value : NULL};
}

static isl_map *hull_of(isl_map *relation) {
  return isl_map_from_basic_map(isl_map_simple_hull(relation));
}

static bool has_too_many_pieces(isl_map *relation) {
  return isl_map_n_basic_map(relation) > MAX_PIECES;
}

isl_map *values_simplify(isl_map *relation) {
  relation = isl_map_coalesce(relation);
  return has_too_many_pieces(relation) ? hull_of(relation) : relation;
}

isl_map *values_without_divisions(isl_map *relation) {
  return isl_map_from_basic_map(isl_basic_map_remove_divs(isl_map_simple_hull(relation)));
}

typedef struct length {
  unsigned existentials, constraints;
} length;

static isl_stat add_length(isl_basic_map *piece, void *user) {
  length *l = user;
  unsigned n = (unsigned)isl_basic_map_dim(piece, isl_dim_div);
  l->existentials = n > l->existentials ? n : l->existentials;
  l->constraints += (unsigned)isl_basic_map_n_constraint(piece);
  isl_basic_map_free(piece);
  return isl_stat_ok;
}

bool values_is_long(isl_map *relation) {
  length l = {0};
  (void)isl_map_foreach_basic_map(relation, add_length, &l);
  return l.existentials > MAX_EXISTENTIALS || l.constraints > MAX_CONSTRAINTS;
}

/* What the text, a function, makes of the values: *exact stays when it is one of the instances. */
static isl_map *apply_function(const body_state *b, isl_map *relation, const char *text, exactness *exact) {
  relation = isl_map_coalesce(isl_map_apply_range(relation, read_map(b->values, text)));
  if (!has_too_many_pieces(relation)) return relation;
  *exact = NOT_ASKED;
  return hull_of(relation);
}

static isl_map *apply_text(const body_state *b, isl_map *relation, const char *text) {
  exactness ignored;
  return apply_function(b, relation, text, &ignored);
}

/* No instance has a number that the type does not hold. What the span tells is not asked of isl. */
static bool fits(const body_state *b, isl_map *relation, arith_range span, pm_type type) {
  if (arith_range_fits(span, (pm_scalar)type->scalar)) return true;
  isl_set *image = values_of_relation(b, isl_map_copy(relation));
  isl_set *numbers = values_of_type(type);
  bool inside = linear_decide_subset(image, numbers);
  isl_set_free(image);
  isl_set_free(numbers);
  return inside;
}

static const value_state *state_at(const body_state *b, const pm_op *op, unsigned i) {
  return values_state_of(b, pm_arg(op, i));
}

/* What the op makes of the spans of its operands, before it wraps. */
static arith_range span_of_op(const body_state *b, const pm_op *op) {
  arith_range operands[3] = {0};
  if (op->n_operands > PM_COUNT(operands)) return arith_unknown_range();
  for (unsigned i = 0; i < op->n_operands; i++) operands[i] = state_at(b, op, i)->span;
  return arith_range_of_op(op, operands);
}

/* `relation` (taken) where it does not leave the type, any number of it at the other instances. */
static isl_map *held_or_any(const body_state *b, isl_map *relation, pm_type type) {
  isl_map *held = isl_map_intersect_range(isl_map_copy(relation), values_of_type(type));
  isl_set *leaving = isl_map_domain(isl_map_subtract(relation, isl_map_copy(held)));
  isl_map *any = isl_map_from_domain_and_range(leaving, any_of(b->values, type));
  return values_simplify(isl_map_union(held, any));
}

/* `relation` (taken) when it never leaves the type; else any number where it may, and everywhere when an
 * operand has no bounds. */
static value_state wrapped(const body_state *b, const pm_op *op, isl_map *relation, const pm_value *source,
                           exactness exact) {
  pm_type type = pm_res(op, 0)->type;
  arith_range span = span_of_op(b, op);
  if (fits(b, relation, span, type))
    return (value_state){.relation = relation, .source = source, .span = span, .exact = exact};
  value_state any = values_any(b, pm_res(op, 0));
  any.wraps = true;
  if (source && any.source) any.source = source;
  if (source) {
    isl_map_free(relation);
    return any;
  }
  isl_map_free(any.relation);
  any.relation = held_or_any(b, relation, type);
  return any;
}

/* Operand `i` is the sum or difference of an operand before it and of another value. */
typedef struct sum_of_operand {
  unsigned operand;
  pm_value *other;
  int sign, other_sign;
} sum_of_operand;

static bool find_sum(const body_state *b, pm_value *const *operands, unsigned i, sum_of_operand *out) {
  const pm_op *op = pm_def(operands[i]);
  bool adds = pm_is(op, &arith_addi);
  if ((!adds && !pm_is(op, &arith_subi)) || values_state_of(b, operands[i])->wraps) return false;
  for (unsigned k = 0; k < i; k++)
    for (unsigned side = 0; side < 2; side++) {
      if (pm_arg(op, side) != operands[k]) continue;
      int second = adds ? 1 : -1;
      *out = (sum_of_operand){k, pm_arg(op, 1 - side), side == 0 ? 1 : second, side == 0 ? second : 1};
      return true;
    }
  return false;
}

/* What the relation of operand `i` given those before it is made of: its own, or that of the other addend. */
static isl_map *relation_of_operand(const body_state *b, pm_value *const *operands, unsigned i) {
  sum_of_operand sum;
  return values_state_of(b, find_sum(b, operands, i, &sum) ? sum.other : operands[i])->relation;
}

static bool has_many_pieces(const body_state *b, pm_value *const *operands, unsigned n) {
  unsigned long pieces = 1;
  bool of_reads = false;
  for (unsigned i = 0; i < n; i++) {
    pieces *= (unsigned long)isl_map_n_basic_map(relation_of_operand(b, operands, i));
    of_reads |= values_state_of(b, operands[i])->of_reads;
  }
  return pieces > (of_reads ? MAX_JOINT_OF_READS : MAX_JOINT);
}

/* [v0, .., vn] -> [v0, .., the sum of one of them and vn] */
static isl_map *put_sum_last(isl_map *joint, const sum_of_operand *sum) {
  unsigned last = (unsigned)isl_map_dim(joint, isl_dim_out) - 1;
  joint = isl_map_add_dims(joint, isl_dim_out, 1);
  isl_local_space *space = isl_local_space_from_space(isl_map_get_space(joint));
  isl_constraint *equal = isl_constraint_alloc_equality(space);
  equal = isl_constraint_set_coefficient_si(equal, isl_dim_out, (int)last + 1, -1);
  equal = isl_constraint_set_coefficient_si(equal, isl_dim_out, (int)sum->operand, sum->sign);
  equal = isl_constraint_set_coefficient_si(equal, isl_dim_out, (int)last, sum->other_sign);
  return isl_map_project_out(isl_map_add_constraint(joint, equal), isl_dim_out, last, 1);
}

/* Instances -> the values of the operands; numbers that are one value are equal, and a sum of one of them
 * moves with it. */
static isl_map *joint_relation(const body_state *b, pm_value *const *operands, unsigned n) {
  bool many = has_many_pieces(b, operands, n);
  isl_map *joint = NULL;
  for (unsigned i = 0; i < n; i++) {
    sum_of_operand sum;
    isl_map *next = isl_map_copy(relation_of_operand(b, operands, i));
    if (many) next = hull_of(next);
    joint = joint ? linear_flat_range_product(joint, next) : next;
    if (find_sum(b, operands, i, &sum)) joint = put_sum_last(joint, &sum);
  }
  for (unsigned i = 1; i < n; i++)
    for (unsigned k = 0; k < i; k++)
      if (operands[i] == operands[k]) joint = isl_map_equate(joint, isl_dim_out, (int)i, isl_dim_out, (int)k);
  return joint;
}

/* EXACT when the values are functions of the instances, and so are all of them together. */
static exactness joint_exactness(const body_state *b, pm_value *const *operands, unsigned n) {
  bool exact = !has_many_pieces(b, operands, n);
  for (unsigned i = 0; i < n && exact; i++) exact = values_state_of(b, operands[i])->exact == EXACT;
  return exact ? EXACT : NOT_ASKED;
}

static const pm_value *first_source(const body_state *b, const pm_op *op) {
  for (unsigned i = 0; i < op->n_operands; i++)
    if (state_at(b, op, i)->source) return state_at(b, op, i)->source;
  return NULL;
}

/* --- binary operations with a constant on the right --- */

/* The integer that `value` always is; not those whose negative does not fit. */
static bool constant_of(const pm_value *value, int64_t *out) {
  pm_attr attr = pm_constant_value(value);
  if (!attr || attr->cls != PM_ATTR_INT || attr->i == INT64_MIN) return false;
  *out = attr->i;
  return value->type->scalar != PM_U64 || attr->i >= 0;
}

static void put_truncated(char *text, const char *result, int64_t divisor) {
  long long d = (long long)divisor;
  snprintf(text, MAX_RELATION_TEXT,
           "{ [a] -> [c] : exists (q : c = %s and ((a >= 0 and %lld q <= a and a < %lld q + %lld) or (a < 0 "
           "and a <= %lld q and %lld q - %lld < a))) }",
           result, d, d, d, d, d, d);
}

static void put_shift_right(char *text, int64_t amount, pm_type type) {
  if (amount < 0 || amount >= pm_get_scalar_info((pm_scalar)type->scalar)->bits)
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [0] : a >= 0; [a] -> [-1] : a < 0 }");
  else if (amount < 62)
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [floor(a/%lld)] }", 1LL << amount);
  else
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [c] : (a >= 0 and 0 <= c <= 3) or (a < 0 and -2 <= c < 0) }");
}

static void put_shift_left(char *text, int64_t amount, pm_type type) {
  if (amount < 0 || amount >= pm_get_scalar_info((pm_scalar)type->scalar)->bits)
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [0] }");
  else
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [%llu a] }", 1ULL << amount);
}

static bool is_low_mask(int64_t mask) {
  return mask >= 0 && mask < INT64_MAX && (mask & (mask + 1)) == 0;
}

/* Writes the function of `a`, the left operand; false for an op that has none with this right operand. */
static bool put_with_constant(char *text, const pm_op *op, int64_t c) {
  long long n = (long long)c, size = llabs(n);
  pm_type type = pm_res(op, 0)->type;
  bool divides = pm_is(op, &arith_divi) || pm_is(op, &arith_remi) || pm_is(op, &arith_trunc_div) ||
                 pm_is(op, &arith_trunc_rem);
  char rest[64];
  snprintf(rest, sizeof rest, "a - (%lld q)", size);
  if (divides && n == 0)
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [0] }");
  else if (pm_is(op, &arith_addi) || pm_is(op, &arith_subi))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [a %c %lld] }",
             pm_is(op, &arith_addi) == (n >= 0) ? '+' : '-', size);
  else if (pm_is(op, &arith_mini))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [a] : a <= %lld; [a] -> [%lld] : a > %lld }", n, n, n);
  else if (pm_is(op, &arith_maxi))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [a] : a >= %lld; [a] -> [%lld] : a < %lld }", n, n, n);
  else if (pm_is(op, &arith_muli))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [%lld a] }", n);
  else if (pm_is(op, &arith_divi))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [%s floor(a/%lld)] }", n < 0 ? "-" : "", size);
  else if (pm_is(op, &arith_remi))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [a mod %lld] }", size);
  else if (pm_is(op, &arith_trunc_div))
    put_truncated(text, n < 0 ? "-q" : "q", size);
  else if (pm_is(op, &arith_trunc_rem))
    put_truncated(text, rest, size);
  else if (pm_is(op, &arith_shri))
    put_shift_right(text, c, type);
  else if (pm_is(op, &arith_shli))
    put_shift_left(text, c, type);
  else if (pm_is(op, &arith_andi) && is_low_mask(c))
    snprintf(text, MAX_RELATION_TEXT, "{ [a] -> [a mod %lld] }", n + 1);
  else
    return false;
  return true;
}

static bool may_wrap(const pm_op *op) {
  static const pm_op_desc *const ops[] = {&arith_addi, &arith_subi, &arith_muli,
                                          &arith_shli, &arith_divi, &arith_trunc_div};
  for (size_t i = 0; i < PM_COUNT(ops); i++)
    if (pm_is(op, ops[i])) return true;
  return false;
}

static value_state finish_op(const body_state *b, const pm_op *op, isl_map *relation, exactness exact) {
  const pm_value *source = first_source(b, op);
  if (may_wrap(op)) return wrapped(b, op, relation, source, exact);
  return (value_state){.relation = relation, .source = source, .span = span_of_op(b, op), .exact = exact};
}

/* The operand that is no constant comes first; false when the op has no form with a constant. */
static bool eval_with_constant(const body_state *b, const pm_op *op, value_state *out) {
  int64_t c;
  char text[MAX_RELATION_TEXT];
  unsigned variable = 0;
  bool found = constant_of(pm_arg(op, 1), &c);
  if (!found && pm_has_trait(op, PM_COMMUTES)) {
    found = constant_of(pm_arg(op, 0), &c);
    variable = 1;
  }
  if (!found || !put_with_constant(text, op, c)) return false;
  const value_state *of = state_at(b, op, variable);
  exactness exact = of->exact == EXACT && !pm_is(op, &arith_shri) ? EXACT : NOT_ASKED;
  isl_map *relation = apply_function(b, isl_map_copy(of->relation), text, &exact);
  *out = finish_op(b, op, relation, exact);
  return true;
}

/* --- other binary operations --- */

typedef struct binary_row {
  const pm_op_desc *op;
  const char *relation; /* operands -> result */
  bool of_type;         /* cut to the numbers of the type */
  bool function;
} binary_row;

#define QUOTIENT "{ [a, b] -> [c] : (a >= 0 and -a <= c <= a) or (a < 0 and a <= c <= -a) }"
#define REMAINDER "(b > 0 and 0 <= c < b) or (b < 0 and 0 <= c < -b) or (b = 0 and c = 0)"

static const binary_row binary_rows[] = {
    {&arith_addi, "{ [a, b] -> [a + b] }", false, true},
    {&arith_subi, "{ [a, b] -> [a - b] }", false, true},
    {&arith_mini, "{ [a, b] -> [a] : a <= b; [a, b] -> [b] : a > b }", false, true},
    {&arith_maxi, "{ [a, b] -> [a] : a >= b; [a, b] -> [b] : a < b }", false, true},
    {&arith_divi, QUOTIENT, false, false},
    {&arith_trunc_div, QUOTIENT, false, false},
    {&arith_remi,
     "{ [a, b] -> [a] : 0 <= a < b; [a, b] -> [a - b] : b <= a < 2b; [a, b] -> [a + b] : -b <= a < 0; "
     "[a, b] -> [c] : (a >= 2b or a < -b or b <= 0) and (" REMAINDER ") }",
     false, false},
    {&arith_trunc_rem,
     "{ [a, b] -> [c] : (a >= 0 and 0 <= c <= a and (" REMAINDER
     ")) or (a < 0 and a <= c <= 0 and ((b > 0 and -b < c) or (b < 0 and b < c) or (b = 0 and c = 0))) }",
     false, false},
    {&arith_andi,
     "{ [a, b] -> [c] : (a >= 0 and b >= 0 and 0 <= c <= a and c <= b) or (a >= 0 and b < 0 and 0 <= c <= a) "
     "or (a < 0 and b >= 0 and 0 <= c <= b) or (a < 0 and b < 0 and c <= a and c <= b) }",
     true, false},
    {&arith_ori,
     "{ [a, b] -> [c] : (a >= 0 and b >= 0 and c >= a and c >= b and c <= a + b) or (a < 0 and a <= c < 0) "
     "or "
     "(b < 0 and b <= c < 0) }",
     true, false},
    {&arith_xori,
     "{ [a, b] -> [c] : (a >= 0 and b >= 0 and 0 <= c <= a + b) or (a < 0 and b < 0 and c >= 0) or (a < 0 "
     "and "
     "b >= 0 and c < 0) or (a >= 0 and b < 0 and c < 0) }",
     true, false},
    {&arith_shri, "{ [a, b] -> [c] : (a >= 0 and 0 <= c <= a) or (a < 0 and a <= c < 0) }", false, false},
};

/* What the text makes of the values of both operands; *exact: it is a function of the instances, if it is one
 * of the values. */
static isl_map *apply_to_both(const body_state *b, const pm_op *op, const char *text, bool function,
                              exactness *exact) {
  pm_value *operands[] = {pm_arg(op, 0), pm_arg(op, 1)};
  *exact = function ? joint_exactness(b, operands, 2) : NOT_ASKED;
  return apply_function(b, joint_relation(b, operands, 2), text, exact);
}

/* The least and greatest number of a value, in its type; false when isl does not tell. */
static bool numeric_bounds(const body_state *b, const pm_value *value, isl_val **low, isl_val **high) {
  isl_set *image = values_of_relation(b, isl_map_copy(values_state_of(b, value)->relation));
  image = isl_set_intersect(image, values_of_type(value->type));
  image = isl_set_project_out(image, isl_dim_param, 0, (unsigned)isl_set_dim(image, isl_dim_param));
  *low = isl_set_dim_min_val(isl_set_copy(image), 0);
  *high = isl_set_dim_max_val(image, 0);
  if (isl_val_is_int(*low) == isl_bool_true && isl_val_is_int(*high) == isl_bool_true) return true;
  isl_val_free(*low);
  isl_val_free(*high);
  return false;
}

isl_set *values_between(const stage_values *v, isl_val *low, isl_val *high) {
  isl_set *set = read_set(v, "{ [v] }");
  return isl_set_upper_bound_val(isl_set_lower_bound_val(set, isl_dim_set, 0, low), isl_dim_set, 0, high);
}

/* Of the four products of the bounds the least and the greatest. Takes the four. */
static isl_set *product_interval(const stage_values *v, isl_val *al, isl_val *ah, isl_val *bl, isl_val *bh) {
  isl_val *p = isl_val_mul(isl_val_copy(al), isl_val_copy(bl));
  isl_val *q = isl_val_mul(al, isl_val_copy(bh)), *r = isl_val_mul(isl_val_copy(ah), bl);
  isl_val *s = isl_val_mul(ah, bh);
  isl_val *low = isl_val_min(isl_val_min(isl_val_copy(p), isl_val_copy(q)),
                             isl_val_min(isl_val_copy(r), isl_val_copy(s)));
  return values_between(v, low, isl_val_max(isl_val_max(p, q), isl_val_max(r, s)));
}

static value_state eval_product(const body_state *b, const pm_op *op) {
  isl_val *al, *ah, *bl, *bh;
  if (!numeric_bounds(b, pm_arg(op, 0), &al, &ah)) return values_any(b, pm_res(op, 0));
  if (!numeric_bounds(b, pm_arg(op, 1), &bl, &bh)) {
    isl_val_free(al);
    isl_val_free(ah);
    return values_any(b, pm_res(op, 0));
  }
  isl_map *relation = values_everywhere(b, product_interval(b->values, al, ah, bl, bh));
  return finish_op(b, op, relation, NOT_ASKED);
}

/* On truth values the operations on bits are exact. */
static const binary_row truth_rows[] = {
    {&arith_andi, "{ [a, b] -> [a] : a <= b; [a, b] -> [b] : a > b }", false, true},
    {&arith_ori, "{ [a, b] -> [a] : a >= b; [a, b] -> [b] : a < b }", false, true},
    {&arith_xori, "{ [a, b] -> [0] : a = b; [a, b] -> [1] : a != b }", false, true},
};

static const binary_row *find_row(const pm_op *op) {
  if (pm_is_bool(pm_res(op, 0)->type))
    for (size_t i = 0; i < PM_COUNT(truth_rows); i++)
      if (pm_is(op, truth_rows[i].op)) return &truth_rows[i];
  for (size_t i = 0; i < PM_COUNT(binary_rows); i++)
    if (pm_is(op, binary_rows[i].op)) return &binary_rows[i];
  return NULL;
}

static value_state eval_binary(const body_state *b, const pm_op *op) {
  value_state result;
  exactness exact;
  const binary_row *row = find_row(op);
  if (eval_with_constant(b, op, &result)) return result;
  if (pm_is(op, &arith_muli)) return eval_product(b, op);
  if (!row) return values_any(b, pm_res(op, 0));
  isl_map *relation = apply_to_both(b, op, row->relation, row->function, &exact);
  if (row->of_type) relation = isl_map_intersect_range(relation, any_of(b->values, pm_res(op, 0)->type));
  return finish_op(b, op, relation, exact);
}

/* --- comparison and selection --- */

static const char *pred_text(const pm_op *cmp) {
  static const char *const texts[] = {"l = r", "l != r", "l < r", "l <= r", "l > r", "l >= r"};
  return texts[arith_cmp_pred(cmp)];
}

static value_state eval_cmp(const body_state *b, const pm_op *op) {
  if (!state_at(b, op, 0)->relation || !state_at(b, op, 1)->relation) return values_any(b, pm_res(op, 0));
  char text[MAX_RELATION_TEXT];
  exactness exact;
  snprintf(text, sizeof text, "{ [l, r] -> [1] : %s; [l, r] -> [0] : not (%s) }", pred_text(op),
           pred_text(op));
  isl_map *relation = apply_to_both(b, op, text, true, &exact);
  return (value_state){.relation = relation, .exact = exact};
}

/* The comparison of integers that a selection goes by, or NULL. */
static const pm_op *integer_condition(const body_state *b, const pm_op *select) {
  const pm_op *cmp = pm_def(pm_arg(select, arith_select_condition));
  if (!pm_is(cmp, &arith_cmp) || !values_state_of(b, pm_arg(cmp, 0))) return NULL;
  return state_at(b, cmp, 0)->relation && state_at(b, cmp, 1)->relation ? cmp : NULL;
}

static value_state eval_select(const body_state *b, const pm_op *op) {
  const pm_op *cmp = integer_condition(b, op);
  char text[MAX_RELATION_TEXT];
  isl_map *joint;
  if (cmp) {
    pm_value *operands[] = {pm_arg(cmp, 0), pm_arg(cmp, 1), pm_arg(op, 1), pm_arg(op, 2)};
    joint = joint_relation(b, operands, 4);
    snprintf(text, sizeof text, "{ [l, r, a, b] -> [a] : %s; [l, r, a, b] -> [b] : not (%s) }",
             pred_text(cmp), pred_text(cmp));
  } else {
    pm_value *operands[] = {pm_arg(op, 0), pm_arg(op, 1), pm_arg(op, 2)};
    joint = joint_relation(b, operands, 3);
    snprintf(text, sizeof text, "{ [c, a, b] -> [a] : c != 0; [c, a, b] -> [b] : c = 0 }");
  }
  return finish_op(b, op, apply_text(b, joint, text), NOT_ASKED);
}

/* --- conversions --- */

/* The bound, or the next number beyond where a double may not hold it. */
static double outward(isl_val *bound, double end) {
  double number = isl_val_get_d(bound);
  isl_val_free(bound);
  return fabs(number) < 0x1p53 ? number : nextafter(number, end);
}

static float_range range_of_integers(const body_state *b, const pm_value *value, pm_type type) {
  isl_val *low, *high;
  if (!numeric_bounds(b, value, &low, &high)) return float_range_any();
  float_range range = float_range_of(outward(low, -HUGE_VAL), outward(high, HUGE_VAL));
  return float_range_round(range, type);
}

/* The integers of a range that was cut off toward zero. */
static isl_set *truncated(const stage_values *v, float_range range) {
  char text[MAX_RELATION_TEXT];
  snprintf(text, sizeof text, "{ [v] : %lld <= v <= %lld }", (long long)range.low, (long long)range.high);
  return read_set(v, text);
}

static value_state eval_float_to_int(const body_state *b, const pm_op *op) {
  float_range range = state_at(b, op, 0)->range;
  pm_type type = pm_res(op, 0)->type;
  double end =
      !pm_is_index(type) && arith_scalar_through((pm_scalar)type->scalar) == PM_I32 ? 0x1p31 : 0x1p63;
  bool is_near = fabs(range.low) < end && fabs(range.high) < end;
  if (type->scalar == PM_I1 || range.nan) return values_any(b, pm_res(op, 0));
  isl_map *numbers = values_truncated(b, pm_arg(op, 0));
  if (is_near) numbers = isl_map_intersect_range(numbers, truncated(b->values, range));
  if (values_fit_if_small(b, numbers, pm_arg(op, 0)->type, type)) return (value_state){.relation = numbers};
  if (is_near) return wrapped(b, op, numbers, NULL, NOT_ASKED);
  isl_map_free(numbers);
  return values_any(b, pm_res(op, 0));
}

static value_state eval_int_to_int(const body_state *b, const pm_op *op) {
  isl_map *relation = isl_map_copy(state_at(b, op, 0)->relation);
  pm_type from = pm_arg(op, 0)->type, to = pm_res(op, 0)->type;
  if (to->scalar == PM_I1)
    return (value_state){.relation = apply_text(b, relation, "{ [a] -> [0] : a = 0; [a] -> [1] : a != 0 }")};
  isl_map *held = isl_map_intersect_range(isl_map_copy(relation), values_of_type(from));
  if (!fits(b, held, state_at(b, op, 0)->span, to)) {
    isl_map_free(relation);
    isl_map_free(held);
    value_state any = values_any(b, pm_res(op, 0));
    if (any.source && state_at(b, op, 0)->source) any.source = state_at(b, op, 0)->source;
    return any;
  }
  isl_map_free(held);
  const value_state *of = state_at(b, op, 0);
  return (value_state){.relation = relation, .source = of->source, .span = of->span, .exact = of->exact};
}

static value_state eval_cast(const body_state *b, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  const value_state *from = state_at(b, op, 0);
  if (pm_is_int_or_index(type)) return from->relation ? eval_int_to_int(b, op) : eval_float_to_int(b, op);
  if (from->relation) return (value_state){.range = range_of_integers(b, pm_arg(op, 0), type)};
  return (value_state){.range = float_range_of_op(op, &from->range, b->values->mode)};
}

/* The bounds of an integer type of at most 32 bits. */
static void small_bounds(pm_type type, double *low, double *high) {
  const pm_scalar_info *info = pm_get_scalar_info((pm_scalar)type->scalar);
  bool is_signed = info->is_signed && type->scalar != PM_I1;
  *high = ldexp(1, info->bits - (is_signed ? 1 : 0)) - 1;
  *low = is_signed ? -*high - 1 : 0;
}

static value_state eval_saturating(const body_state *b, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  const value_state *from = state_at(b, op, 0);
  double low, high;
  if (pm_get_scalar_info((pm_scalar)type->scalar)->bits > 32) return values_any(b, pm_res(op, 0));
  small_bounds(type, &low, &high);
  if (from->relation) {
    char text[MAX_RELATION_TEXT];
    snprintf(text, sizeof text,
             "{ [a] -> [a] : %.0f <= a <= %.0f; [a] -> [%.0f] : a < %.0f; [a] -> [%.0f] : a > %.0f }", low,
             high, low, low, high, high);
    return (value_state){.relation = apply_text(b, isl_map_copy(from->relation), text)};
  }
  float_range range = from->range;
  if (range.nan) range = float_range_union(range, float_range_of(0, 0));
  if (range.low <= low && range.high >= high) return values_any(b, pm_res(op, 0));
  range = float_range_of(fmin(fmax(range.low, low), high), fmin(fmax(range.high, low), high));
  return (value_state){.relation = values_everywhere(b, truncated(b->values, range))};
}

/* --- leaves --- */

float_range values_range_of_number(double number) {
  return isnan(number) ? float_range_any() : float_range_of(number, number);
}

static value_state eval_constant(const body_state *b, const pm_op *op) {
  pm_attr attr = pm_attr_at(op, arith_constant_value);
  pm_type type = pm_res(op, 0)->type;
  if (attr->cls == PM_ATTR_FLOAT) return (value_state){.range = values_range_of_number(attr->f)};
  if (attr->cls != PM_ATTR_INT) return values_any(b, pm_res(op, 0));
  isl_ctx *isl = b->values->isl;
  isl_val *low = type->scalar == PM_U64 ? isl_val_int_from_ui(isl, (unsigned long)attr->i)
                                        : isl_val_int_from_si(isl, (long)attr->i);
  bool shown = type->scalar != PM_U64 || attr->i >= 0;
  return (value_state){.relation = values_everywhere(b, values_between(b->values, low, isl_val_copy(low))),
                       .span = {shown, attr->i, attr->i},
                       .exact = EXACT};
}

/* --- ops --- */

static value_state eval_float_op(const body_state *b, const pm_op *op) {
  float_range operands[3];
  if (op->n_operands == 0 || op->n_operands > PM_COUNT(operands)) return values_any(b, pm_res(op, 0));
  for (unsigned i = 0; i < op->n_operands; i++) operands[i] = state_at(b, op, i)->range;
  return (value_state){.range = float_range_of_op(op, operands, b->values->mode)};
}

/* The operands have their states. */
value_state values_of_op(const body_state *b, const pm_op *op) {
  pm_type type = pm_res(op, 0)->type;
  if (pm_is(op, &arith_constant)) return eval_constant(b, op);
  if (pm_is(op, &arith_cast)) return eval_cast(b, op);
  if (pm_is(op, &arith_sat_cast)) return eval_saturating(b, op);
  if (pm_is(op, &arith_cmp)) return eval_cmp(b, op);
  if (!pm_is_int_or_index(type)) return eval_float_op(b, op);
  if (pm_is(op, &arith_select)) return eval_select(b, op);
  if (op->n_operands == 2) return eval_binary(b, op);
  return values_any(b, pm_res(op, 0));
}
