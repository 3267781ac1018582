/* Expressions. An expression in C has the value of the IR's value; its C type is that of the value, or int
 * for types narrower than int, or, for 64-bit types, what c_width_of says. */
#include <math.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "dialects/loop/vec.h"
#include "dialects/math/math.h"
#include "targets/cfamily/cfamily.h"

typedef void (*form_fn)(c_emitter *e, const pm_op *op, int min);
#define FORM(op, writer) static void write_##writer(c_emitter *e, const pm_op *op, int min);
#include "targets/cfamily/forms.def"
static void write_function(c_emitter *e, const pm_op *op, int min);
static void put_comparison(c_emitter *e, const pm_op *op, arith_pred pred, int min);
static void put_existence(c_emitter *e, const pm_op *op, const char *text, int min);

static const struct form {
  const pm_op_desc *desc;
  form_fn write;
  c_helper helper; /* of write_function */
} forms[] = {
#define FORM(op, writer) {&op, write_##writer, C_N_HELPERS},
#define FUNCTION(op, helper) {&op, write_function, helper},
#include "targets/cfamily/forms.def"
};

static const struct form *find_form(const pm_op *op) {
  for (size_t i = 0; i < PM_COUNT(forms); i++)
    if (forms[i].desc == op->desc) return &forms[i];
  return NULL;
}

bool c_open(c_emitter *e, int precedence, int min) {
  bool open = precedence < min;
  if (open) c_put(e, "(");
  return open;
}

void c_close(c_emitter *e, bool open) {
  if (open) c_put(e, ")");
}

static pm_scalar scalar_of(const pm_value *v) {
  return (pm_scalar)v->type->scalar;
}
static const pm_scalar_info *info_of(const pm_value *v) {
  return pm_get_scalar_info(scalar_of(v));
}
static arith_range range_of(c_emitter *e, const pm_value *v) {
  return loop_range_of(e->ranges, v);
}
bool c_has_64_bits(const pm_value *v) {
  return info_of(v)->bits == 64 && !info_of(v)->is_float;
}

/* The op whose expression stands for the value, or NULL when a variable or constant does. */
static const pm_op *nested_op(c_emitter *e, const pm_value *v) {
  const pm_op *def = pm_def(v);
  if (!def || c_var_of(e, v)->name || pm_constant_value(v)) return NULL;
  return def;
}

/* --- literals --- */

/* The number in the place of the % of the language's format. */
static void put_long(c_emitter *e, const char *format, int64_t value, bool is_signed) {
  for (; *format; format++)
    if (*format != '%')
      pm_buf_putc(e->out, *format);
    else if (is_signed)
      c_put(e, "%lld", (long long)value);
    else
      c_put(e, "%llu", (unsigned long long)value);
}

void c_integer(c_emitter *e, int64_t value, pm_scalar scalar, int min) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  bool small = value > INT32_MIN && value <= INT32_MAX;
  if (scalar == PM_I1)
    c_put(e, value ? "true" : "false");
  else if (scalar == PM_U32)
    c_put(e, "%lluu", (unsigned long long)value);
  else if (scalar == PM_U64 && value >= 0 && value <= INT32_MAX)
    c_put(e, "%lluu", (unsigned long long)value);
  else if (scalar == PM_U64)
    put_long(e, e->language->unsigned_long_number, value, false);
  else if (value == INT64_MIN || value == INT64_MAX)
    c_put(e, "%s", (value < 0 ? e->language->least : e->language->greatest)[PM_I64]);
  else if (value == INT32_MIN && info->bits == 32)
    c_put(e, "%s", e->language->least[PM_I32]);
  else {
    bool open = c_open(e, value < 0 && small ? C_UNARY : C_PRIMARY, min);
    put_long(e, small ? "%" : e->language->long_number, value, true);
    c_close(e, open);
  }
}

static void put_float(c_emitter *e, double value, bool single, int min) {
  bool open = c_open(e, signbit(value) ? C_UNARY : C_PRIMARY, min);
  if (!isfinite(value)) {
    e->uses_math = true;
    c_put(e, "%s%s%s", signbit(value) ? "-" : "", single ? "" : e->language->from_single,
          isnan(value) ? "NAN" : "INFINITY");
  } else {
    pm_buf_put_double(e->out, value, single);
    if (single) c_put(e, "f");
  }
  c_close(e, open);
}

void c_number_of(c_emitter *e, pm_scalar scalar, pm_number number, int min) {
  if (pm_get_scalar_info(scalar)->is_float)
    put_float(e, number.f, scalar == PM_F32, min);
  else
    c_integer(e, number.i, scalar, min);
}

void c_number(c_emitter *e, pm_attr attr, int min) {
  pm_number number = attr->cls == PM_ATTR_FLOAT ? (pm_number){.f = attr->f} : (pm_number){.i = attr->i};
  c_number_of(e, (pm_scalar)attr->t->scalar, number, min);
}

static void write_constant(c_emitter *e, const pm_op *op, int min) {
  c_number(e, pm_attr_at(op, arith_constant_value), min);
}

/* --- values --- */

bool c_compares_with_itself(const pm_op *op) {
  if (op->n_operands != 2 || pm_arg(op, 0) != pm_arg(op, 1) || pm_is_float(pm_arg(op, 0)->type) ||
      c_is_vector_op(op))
    return false;
  bool differs = pm_is(op, &arith_xori) || pm_is(op, &arith_addi) || pm_is(op, &arith_subi);
  return pm_is(op, &arith_cmp) || (differs && pm_is_bool(pm_arg(op, 0)->type));
}

/* The constant result of such a comparison. */
static void put_known_comparison(c_emitter *e, const pm_op *op) {
  arith_pred pred = pm_is(op, &arith_cmp) ? arith_cmp_pred(op) : ARITH_NE;
  c_put(e, pred == ARITH_EQ || pred == ARITH_LE || pred == ARITH_GE ? "true" : "false");
}

void c_op_expr(c_emitter *e, const pm_op *op, int min) {
  if (c_compares_with_itself(op)) {
    put_known_comparison(e, op);
    return;
  }
  if (c_is_vector_op(op)) {
    e->language->vector_op(e, op, min);
    return;
  }
  const struct form *form = find_form(op);
  if (!form) pm_panic(op, "has no form in languages like C");
  form->write(e, op, min);
}

void c_expr(c_emitter *e, const pm_value *value, int min) {
  const c_var *var = c_var_of(e, value);
  pm_attr constant = pm_constant_value(value);
  if (constant && value->type->cls == PM_TYPE_VECTOR)
    e->language->vector_constant(e, value);
  else if (constant)
    c_number(e, constant, min);
  else if (var->name)
    c_put(e, "%s", var->name);
  else if (pm_def(value))
    c_op_expr(e, pm_def(value), min);
  else
    pm_panic(NULL, "an argument without a name in the emitted text");
}

/* The C type of the value where its text has the width. */
static const char *type_of_width(const c_emitter *e, const pm_value *value, c_width width) {
  return width == C_PLACE ? e->language->place : c_type_name(e, value->type);
}

const char *c_value_type(c_emitter *e, const pm_value *value) {
  return value->type->cls == PM_TYPE_VECTOR ? e->language->vector_type(e, value)
                                            : type_of_width(e, value, c_variable_width(e, value));
}

void c_expr_as(c_emitter *e, const pm_value *value, const pm_value *like) {
  if (value->type->cls == PM_TYPE_VECTOR)
    e->language->vector_as(e, value, like);
  else
    c_expr(e, value, C_ANY);
}

/* --- integers of 64 bits --- */

/* Steps of loops and offsets are added to it without leaving 32 bits. */
enum { MOST_PLACE = 1 << 30 };

static c_width wider(c_width a, c_width b) {
  return a > b ? a : b;
}

/* The loop whose counter the value is, or NULL. */
static const pm_op *loop_of_counter(const pm_value *value) {
  const pm_region *region = pm_is_arg(value) ? pm_value_region(value) : NULL;
  return region && loop_is_loop(region->op) && region->args[0] == value ? region->op : NULL;
}

/* The range of a counter is that of the iterations: a loop may have none since its lower bound is large,
 * which the counter has to hold all the same. */
c_width c_variable_width(c_emitter *e, const pm_value *value) {
  if (!c_has_64_bits(value)) return C_INT;
  if (!e->small || !info_of(value)->is_signed) return C_LONG;
  arith_range r = loop_range_of(e->small, value);
  const pm_op *loop = loop_of_counter(value);
  if (!r.known || r.lo < -MOST_PLACE || r.hi > MOST_PLACE) return C_LONG;
  return loop ? wider(C_PLACE, c_width_of(e, pm_arg(loop, 0))) : C_PLACE;
}

static c_width width_of_operands(c_emitter *e, const pm_op *op, unsigned first) {
  c_width width = C_INT;
  for (unsigned i = first; i < op->n_operands; i++) width = wider(width, c_width_of(e, pm_arg(op, i)));
  return width;
}

static c_width width_of_op(c_emitter *e, const pm_op *op);

c_width c_width_of(c_emitter *e, const pm_value *value) {
  pm_attr constant = pm_constant_value(value);
  if (!c_has_64_bits(value)) return C_INT;
  if (constant) return constant->i <= INT32_MIN || constant->i > INT32_MAX ? C_LONG : C_INT;
  const pm_op *op = nested_op(e, value);
  if (!op) return c_variable_width(e, value);
  if (pm_is(op, &arith_select)) return width_of_operands(e, op, arith_select_a);
  if (pm_is(op, &arith_andi) || pm_is(op, &arith_ori) || pm_is(op, &arith_xori))
    return width_of_operands(e, op, 0);
  return e->small ? width_of_op(e, op) : C_LONG;
}

/* The first operand of an op, whose C type must be as wide; `width` is that of the text without a cast. */
static void put_widened(c_emitter *e, const pm_op *op, c_width width, c_width wanted, int min) {
  const pm_value *v = pm_arg(op, 0);
  bool widens = c_has_64_bits(v) && width < wanted;
  if (widens) c_put(e, "(%s)", type_of_width(e, v, wanted));
  c_expr(e, v, widens ? C_UNARY : min);
}

/* The same, where the operands or the result decide how wide. */
static void put_first(c_emitter *e, const pm_op *op, int min) {
  put_widened(e, op, width_of_operands(e, op, 0), c_variable_width(e, pm_res(op, 0)), min);
}

/* --- sums and products --- */

static const char *unsigned_type(const c_emitter *e, const pm_value *v) {
  return e->language->types[info_of(v)->bits == 64 ? PM_U64 : PM_U32];
}

static bool is_wrapping(const pm_op *op) {
  return pm_is(op, &arith_addi) || pm_is(op, &arith_subi) || pm_is(op, &arith_muli);
}

/* A nested sum or product that may wrap: it must be computed without sign. */
static bool wraps(c_emitter *e, const pm_value *v) {
  const pm_op *op = nested_op(e, v);
  return op && is_wrapping(op) && !loop_is_exact(e->ranges, v) && info_of(v)->bits >= 32;
}

typedef struct operator_text {
  const char *text;
  int precedence;
} operator_text;

/* The operator, with a sum of a negative constant turned into a difference: *constant is then what is
 * subtracted. */
static operator_text operator_of(const pm_op *op, int64_t *constant) {
  pm_attr c = pm_constant_value(pm_arg(op, 1));
  *constant = 0;
  if (pm_is(op, &arith_muli)) return (operator_text){" * ", C_PRODUCT};
  if (pm_is(op, &arith_subi)) return (operator_text){" - ", C_SUM};
  if (!c || c->i >= 0 || c->i <= INT32_MIN || !info_of(pm_arg(op, 1))->is_signed)
    return (operator_text){" + ", C_SUM};
  *constant = -c->i;
  return (operator_text){" - ", C_SUM};
}

static void put_unsigned(c_emitter *e, const pm_value *v, int min);

/* lhs op rhs in the unsigned type of at least 32 bits. */
static void put_unsigned_binary(c_emitter *e, const pm_op *op, int min) {
  int64_t constant;
  operator_text o = operator_of(op, &constant);
  bool open = c_open(e, o.precedence, min);
  put_unsigned(e, pm_arg(op, 0), o.precedence);
  c_put(e, "%s", o.text);
  if (constant)
    c_integer(e, constant, PM_I64, o.precedence + 1);
  else if (wraps(e, pm_arg(op, 1)))
    put_unsigned(e, pm_arg(op, 1), o.precedence + 1);
  else
    c_expr(e, pm_arg(op, 1), o.precedence + 1);
  c_close(e, open);
}

static void put_unsigned(c_emitter *e, const pm_value *v, int min) {
  if (wraps(e, v)) {
    put_unsigned_binary(e, pm_def(v), min);
    return;
  }
  bool typed = info_of(v)->bits >= 32 && !info_of(v)->is_signed;
  bool open = c_open(e, C_UNARY, min);
  if (!typed || (c_has_64_bits(v) && c_width_of(e, v) != C_LONG)) c_put(e, "(%s)", unsigned_type(e, v));
  c_expr(e, v, C_UNARY);
  c_close(e, open);
}

/* lhs op rhs where the exact result fits the type of the C expression. */
static void put_plain_binary(c_emitter *e, const pm_op *op, int min) {
  int64_t constant;
  operator_text o = operator_of(op, &constant);
  bool open = c_open(e, o.precedence, min);
  put_first(e, op, o.precedence);
  c_put(e, "%s", o.text);
  if (constant)
    c_integer(e, constant, PM_I64, o.precedence + 1);
  else
    c_expr(e, pm_arg(op, 1), o.precedence + 1);
  c_close(e, open);
}

static void put_bool_sum(c_emitter *e, const pm_op *op, int min) {
  bool product = pm_is(op, &arith_muli);
  bool open = c_open(e, product ? C_BIT_AND : C_EQUALITY, min);
  c_expr(e, pm_arg(op, 0), C_SHIFT);
  c_put(e, product ? " & " : " != ");
  c_expr(e, pm_arg(op, 1), C_SHIFT);
  c_close(e, open);
}

static void write_wrapping(c_emitter *e, const pm_op *op, int min) {
  const pm_value *v = pm_res(op, 0);
  const pm_scalar_info *info = info_of(v);
  if (scalar_of(v) == PM_I1)
    put_bool_sum(e, op, min);
  else if (loop_is_exact(e->ranges, v))
    put_plain_binary(e, op, min);
  else if (info->bits >= 32 && !info->is_signed)
    put_unsigned_binary(e, op, min);
  else {
    bool open = c_open(e, C_UNARY, min);
    c_put(e, "(%s)", c_type_name(e, v->type));
    if (info->bits == 16 && !info->is_signed && pm_is(op, &arith_muli)) {
      c_put(e, "(");
      put_unsigned_binary(e, op, C_ANY);
      c_put(e, ")");
    } else if (info->bits < 32)
      put_plain_binary(e, op, C_PRIMARY);
    else
      put_unsigned_binary(e, op, C_PRIMARY);
    c_close(e, open);
  }
}

/* --- division --- */

static bool is_power_of_two(int64_t v) {
  return v > 0 && (v & (v - 1)) == 0;
}

static unsigned log2_of(int64_t v) {
  unsigned n = 0;
  while (v > 1) {
    v /= 2;
    n++;
  }
  return n;
}

static void put_call2(c_emitter *e, const char *name, const pm_op *op) {
  c_put(e, "%s(", name);
  c_expr(e, pm_arg(op, 0), C_TERNARY);
  c_put(e, ", ");
  c_expr(e, pm_arg(op, 1), C_TERNARY);
  c_put(e, ")");
}

static void put_quotient(c_emitter *e, const pm_op *op, bool remainder, int min) {
  bool open = c_open(e, C_PRODUCT, min);
  put_first(e, op, C_PRODUCT);
  c_put(e, remainder ? " %% " : " / ");
  c_expr(e, pm_arg(op, 1), C_UNARY);
  c_close(e, open);
}

/* x >> k, or x & 2^k - 1: quotient and remainder, rounded down, by 2^k. */
static void put_shifted(c_emitter *e, const pm_op *op, int64_t divisor, bool remainder, int min) {
  bool open = c_open(e, remainder ? C_BIT_AND : C_SHIFT, min);
  c_expr(e, pm_arg(op, 0), C_UNARY);
  c_put(e, remainder ? " & " : " >> ");
  c_integer(e, remainder ? divisor - 1 : (int64_t)log2_of(divisor), PM_I64, C_UNARY);
  c_close(e, open);
}

/* C's own operator gives the result: no division by 0, no overflow, no difference in rounding. */
static bool divides_as_in_c(c_emitter *e, const pm_op *op, bool truncates) {
  arith_range a = range_of(e, pm_arg(op, 0)), b = range_of(e, pm_arg(op, 1));
  if (scalar_of(pm_arg(op, 0)) == PM_U64) return pm_constant_value(pm_arg(op, 1)) && b.lo != 0;
  bool no_zero = b.lo > 0 || b.hi<0, no_minus_one = b.lo> - 1 || b.hi < -1;
  if (truncates) return no_zero && no_minus_one;
  return b.lo > 0 && a.lo >= 0;
}

static c_helper division_helper(const pm_op *op, bool by_positive) {
  if (pm_is(op, &arith_trunc_div)) return C_TRUNC_DIV;
  if (pm_is(op, &arith_trunc_rem)) return C_TRUNC_REM;
  if (pm_is(op, &arith_divi)) return by_positive ? C_FLOORDIV : C_DIVI;
  return by_positive ? C_MOD : C_REMI;
}

typedef enum division_form { DIVIDES_BY_SHIFT, DIVIDES_AS_IN_C, DIVIDES_BY_CALL } division_form;

static bool divides_down(const pm_op *op) {
  bool truncates = pm_is(op, &arith_trunc_div) || pm_is(op, &arith_trunc_rem);
  return !truncates && info_of(pm_arg(op, 0))->is_signed;
}

/* The text of the dividend has the type of the quotient, and as many bits as are shifted out. */
static bool has_bits_for(c_emitter *e, const pm_value *dividend, int64_t divisor) {
  if (!c_has_64_bits(dividend)) return true;
  c_width width = c_width_of(e, dividend);
  return width == C_LONG || (width == C_PLACE && divisor <= MOST_PLACE);
}

static division_form form_of_division(c_emitter *e, const pm_op *op) {
  int64_t divisor = range_of(e, pm_arg(op, 1)).lo;
  if (pm_constant_value(pm_arg(op, 1)) && divides_down(op) && is_power_of_two(divisor) &&
      has_bits_for(e, pm_arg(op, 0), divisor))
    return DIVIDES_BY_SHIFT;
  return divides_as_in_c(e, op, !divides_down(op)) ? DIVIDES_AS_IN_C : DIVIDES_BY_CALL;
}

static pm_scalar scalar_of_helper(c_emitter *e, const pm_op *op);

static void write_division(c_emitter *e, const pm_op *op, int min) {
  bool remainder = pm_is(op, &arith_remi) || pm_is(op, &arith_trunc_rem);
  int64_t least = range_of(e, pm_arg(op, 1)).lo;
  division_form form = form_of_division(e, op);
  if (form == DIVIDES_BY_SHIFT)
    put_shifted(e, op, least, remainder, min);
  else if (form == DIVIDES_AS_IN_C)
    put_quotient(e, op, remainder, min);
  else
    put_call2(e, c_use_helper(e, division_helper(op, least > 0), scalar_of_helper(e, op)), op);
}

/* --- bits --- */

static operator_text bit_operator(const pm_op *op) {
  bool logic = scalar_of(pm_res(op, 0)) == PM_I1;
  if (pm_is(op, &arith_andi))
    return logic ? (operator_text){" && ", C_LOGIC_AND} : (operator_text){" & ", C_BIT_AND};
  if (pm_is(op, &arith_ori))
    return logic ? (operator_text){" || ", C_LOGIC_OR} : (operator_text){" | ", C_BIT_OR};
  return logic ? (operator_text){" != ", C_EQUALITY} : (operator_text){" ^ ", C_BIT_XOR};
}

/* The operand: only chains of the same operator and what binds much tighter go without parentheses. */
static void bit_operand(c_emitter *e, const pm_op *op, unsigned i, int chain) {
  const pm_op *def = nested_op(e, pm_arg(op, i));
  bool same = def && def->desc == op->desc;
  bool logic = scalar_of(pm_res(op, 0)) == PM_I1 && !pm_is(op, &arith_xori);
  c_expr(e, pm_arg(op, i), same && i == 0 ? chain : logic ? C_EQUALITY : C_UNARY);
}

static bool is_true(const pm_value *v) {
  pm_attr c = pm_constant_value(v);
  return c && c->cls == PM_ATTR_INT && pm_is_bool(c->t) && c->i != 0;
}

/* By de Morgan's rule. */
static void negate_logic(c_emitter *e, const pm_op *op, int min) {
  bool and = pm_is(op, &arith_andi);
  int precedence = and? C_LOGIC_OR : C_LOGIC_AND;
  bool open = c_open(e, precedence, min);
  for (unsigned i = 0; i < 2; i++) {
    const pm_op *def = nested_op(e, pm_arg(op, i));
    if (i) c_put(e, "%s", and? " || " : " && ");
    c_negation(e, pm_arg(op, i), i == 0 && def && def->desc == op->desc ? precedence : C_EQUALITY);
  }
  c_close(e, open);
}

static bool compares_integers(const pm_op *op) {
  return pm_is(op, &arith_cmp) && !pm_is_float(pm_arg(op, arith_cmp_lhs)->type) &&
         !c_compares_with_itself(op);
}

void c_negation(c_emitter *e, const pm_value *v, int min) {
  static const arith_pred opposite[] = {[ARITH_EQ] = ARITH_NE, [ARITH_NE] = ARITH_EQ, [ARITH_LT] = ARITH_GE,
                                        [ARITH_LE] = ARITH_GT, [ARITH_GT] = ARITH_LE, [ARITH_GE] = ARITH_LT};
  const pm_op *def = nested_op(e, v);
  if (pm_is(def, &arith_andi) || pm_is(def, &arith_ori)) {
    negate_logic(e, def, min);
  } else if (pm_is(def, &buf_nonnull)) {
    put_existence(e, def, " == NULL", min);
  } else if (def && compares_integers(def)) {
    put_comparison(e, def, opposite[arith_cmp_pred(def)], min);
  } else {
    bool open = c_open(e, C_UNARY, min);
    c_put(e, "!");
    c_expr(e, v, C_PRIMARY);
    c_close(e, open);
  }
}

static void write_bitwise(c_emitter *e, const pm_op *op, int min) {
  if (pm_is(op, &arith_xori) && is_true(pm_arg(op, 1))) {
    c_negation(e, pm_arg(op, 0), min);
    return;
  }
  operator_text o = bit_operator(op);
  bool open = c_open(e, o.precedence, min);
  bit_operand(e, op, 0, o.precedence);
  c_put(e, "%s", o.text);
  bit_operand(e, op, 1, o.precedence);
  c_close(e, open);
}

/* An int has as many bits, and a sign. */
static bool shifts_an_int(c_emitter *e, const pm_op *op) {
  return range_of(e, pm_arg(op, 1)).hi < 31;
}

static c_width width_of_right_shift(c_emitter *e, const pm_op *op) {
  c_width shifted = c_width_of(e, pm_arg(op, 0));
  if (!shifts_an_int(e, op)) return C_LONG;
  return shifted == C_INT ? c_variable_width(e, pm_res(op, 0)) : shifted;
}

static bool shifts_left_exactly(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  return loop_is_exact(e->ranges, v) && range_of(e, pm_arg(op, 0)).lo >= 0 &&
         (!c_has_64_bits(v) || c_width_of(e, pm_arg(op, 0)) == C_LONG ||
          (c_width_of(e, pm_arg(op, 0)) >= c_variable_width(e, v) && shifts_an_int(e, op)));
}

static void put_left_shift(c_emitter *e, const pm_op *op, int min) {
  const pm_value *v = pm_res(op, 0);
  const pm_scalar_info *info = info_of(v);
  bool exact = shifts_left_exactly(e, op);
  bool cast = !exact && (info->is_signed || info->bits < 32);
  bool open = c_open(e, cast ? C_UNARY : C_SHIFT, min);
  if (cast) c_put(e, "(%s)(", c_type_name(e, v->type));
  if (exact)
    c_expr(e, pm_arg(op, 0), C_UNARY);
  else
    put_unsigned(e, pm_arg(op, 0), C_UNARY);
  c_put(e, " << ");
  c_expr(e, pm_arg(op, 1), C_UNARY);
  if (cast) c_put(e, ")");
  c_close(e, open);
}

static void put_right_shift(c_emitter *e, const pm_op *op, int min) {
  bool open = c_open(e, C_SHIFT, min);
  put_widened(e, op, c_width_of(e, pm_arg(op, 0)), width_of_right_shift(e, op), C_UNARY);
  c_put(e, " >> ");
  c_expr(e, pm_arg(op, 1), C_UNARY);
  c_close(e, open);
}

static bool shifts_by_call(c_emitter *e, const pm_op *op) {
  arith_range amount = range_of(e, pm_arg(op, 1));
  pm_scalar scalar = scalar_of(pm_res(op, 0));
  return amount.lo < 0 || amount.hi >= pm_get_scalar_info(scalar)->bits || scalar == PM_I1;
}

static void write_shift(c_emitter *e, const pm_op *op, int min) {
  bool left = pm_is(op, &arith_shli);
  if (shifts_by_call(e, op))
    put_call2(e, c_use_helper(e, left ? C_SHL : C_SHR, scalar_of_helper(e, op)), op);
  else if (left)
    put_left_shift(e, op, min);
  else
    put_right_shift(e, op, min);
}

/* --- the width of an op --- */

/* A helper that computes it in the type of places gives the same. */
static bool is_helped_in_places(c_emitter *e, const pm_op *op) {
  bool divides = pm_is(op, &arith_divi) || pm_is(op, &arith_remi);
  bool may =
      pm_is(op, &arith_mini) || pm_is(op, &arith_maxi) || (divides && range_of(e, pm_arg(op, 1)).lo > 0);
  return may && c_variable_width(e, pm_res(op, 0)) == C_PLACE && width_of_operands(e, op, 0) <= C_PLACE;
}

/* The type whose helper the op calls: where there is a type of places, its helpers are those of index. */
static pm_scalar scalar_of_helper(c_emitter *e, const pm_op *op) {
  const pm_value *a = pm_arg(op, 0);
  if (!e->language->place || !c_has_64_bits(a) || !info_of(a)->is_signed) return scalar_of(a);
  return is_helped_in_places(e, op) ? PM_INDEX : PM_I64;
}

/* What wide_operand makes of it. */
static c_width width_of_sum(c_emitter *e, const pm_op *op) {
  return wider(width_of_operands(e, op, 0), c_variable_width(e, pm_res(op, 0)));
}

static c_width width_of_division(c_emitter *e, const pm_op *op) {
  division_form form = form_of_division(e, op);
  if (form == DIVIDES_BY_CALL) return is_helped_in_places(e, op) ? C_PLACE : C_LONG;
  return form == DIVIDES_AS_IN_C ? width_of_sum(e, op) : width_of_operands(e, op, 0);
}

static c_width width_of_shift(c_emitter *e, const pm_op *op) {
  if (shifts_by_call(e, op)) return C_LONG;
  if (pm_is(op, &arith_shri)) return width_of_right_shift(e, op);
  return shifts_left_exactly(e, op) ? c_width_of(e, pm_arg(op, 0)) : C_LONG;
}

static bool is_division(const pm_op *op) {
  return pm_is(op, &arith_divi) || pm_is(op, &arith_remi) || pm_is(op, &arith_trunc_div) ||
         pm_is(op, &arith_trunc_rem);
}

/* Of one that is nested, in a language with a type of places. */
static c_width width_of_op(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  if (is_wrapping(op)) return loop_is_exact(e->ranges, v) ? width_of_sum(e, op) : C_LONG;
  if (is_division(op)) return width_of_division(e, op);
  if (pm_is(op, &arith_shli) || pm_is(op, &arith_shri)) return width_of_shift(e, op);
  if (pm_is(op, &arith_mini) || pm_is(op, &arith_maxi)) return is_helped_in_places(e, op) ? C_PLACE : C_LONG;
  if (!pm_is(op, &arith_cast)) return C_LONG;
  return pm_arg(op, 0)->type == v->type ? c_width_of(e, pm_arg(op, 0)) : c_variable_width(e, v);
}

/* --- floats --- */

/* C compilers know the value as they read the text. */
static bool is_literal(c_emitter *e, const pm_value *v) {
  const pm_op *op = nested_op(e, v);
  if (!op) return pm_constant_value(v);
  bool literal = op->n_operands > 0;
  for (unsigned i = 0; i < op->n_operands && literal; i++) literal = is_literal(e, pm_arg(op, i));
  return literal;
}

/* C compilers may find that the value is 0, as they read the text: of a literal, and of integers that are
 * computed there and then converted, as (x * 4) % 4. */
static bool may_be_read_as_zero(c_emitter *e, const pm_value *v) {
  pm_attr constant = pm_constant_value(v);
  const pm_op *op = nested_op(e, v);
  if (constant) return constant->cls == PM_ATTR_INT ? constant->i == 0 : constant->f == 0;
  if (!op || pm_has_trait(op, PM_READS)) return false;
  if (is_literal(e, v) || !info_of(v)->is_float) return true;
  if (!pm_is(op, &arith_cast) && !pm_is(op, &arith_negf) && !pm_is(op, &math_abs) &&
      !pm_is(op, &arith_select))
    return false;
  for (unsigned i = pm_is(op, &arith_select); i < op->n_operands; i++)
    if (may_be_read_as_zero(e, pm_arg(op, i))) return true;
  return false;
}

/* Among what gcc's front end folds is 0 - x to -x where x cannot be -0, as a converted integer: that is -0,
 * not 0, when x is 0 (gcc 12.2, with all optimization levels; arguments of a function it does not see
 * through). */
static bool is_folded_wrongly(c_emitter *e, const pm_op *op) {
  const pm_value *a = pm_arg(op, 0), *b = pm_arg(op, 1);
  return (may_be_read_as_zero(e, a) && nested_op(e, b)) || (may_be_read_as_zero(e, b) && nested_op(e, a));
}

static void write_float_binary(c_emitter *e, const pm_op *op, int min) {
  bool product = pm_is(op, &arith_mulf) || pm_is(op, &arith_divf);
  int precedence = product ? C_PRODUCT : C_SUM;
  const char *text = pm_is(op, &arith_addf)   ? " + "
                     : pm_is(op, &arith_subf) ? " - "
                     : pm_is(op, &arith_mulf) ? " * "
                                              : " / ";
  if (!product && is_folded_wrongly(e, op)) {
    put_call2(e, c_use_helper(e, pm_is(op, &arith_addf) ? C_ADD : C_SUB, scalar_of(pm_res(op, 0))), op);
    return;
  }
  bool open = c_open(e, precedence, min);
  c_expr(e, pm_arg(op, 0), precedence);
  c_put(e, "%s", text);
  c_expr(e, pm_arg(op, 1), precedence + 1);
  c_close(e, open);
}

static void write_negation(c_emitter *e, const pm_op *op, int min) {
  bool open = c_open(e, C_UNARY, min);
  c_put(e, "-");
  c_expr(e, pm_arg(op, 0), C_PRIMARY);
  c_close(e, open);
}

/* The function of the library that the op is named after. */
static const char *library_function(c_emitter *e, const pm_op *op, pm_scalar scalar) {
  pm_buf name = {0};
  e->uses_math = true;
  pm_buf_printf(&name, "%s%s%s", pm_is(op, &math_abs) ? "f" : "", strchr(op->desc->name, '.') + 1,
                e->language->single_math && scalar == PM_F32 ? "f" : "");
  const char *kept = pm_get_string(e->ctx, (pm_str){name.data, name.len})->text;
  pm_buf_free(&name);
  return kept;
}

const char *c_scalar_function(c_emitter *e, const pm_op *op, pm_scalar scalar) {
  const struct form *form = find_form(op);
  if (form && form->write == write_call) return library_function(e, op, scalar);
  return form && form->write == write_function ? c_use_helper(e, form->helper, scalar) : NULL;
}

static void write_function(c_emitter *e, const pm_op *op, int min) {
  (void)min;
  c_put(e, "%s(", c_scalar_function(e, op, scalar_of_helper(e, op)));
  for (unsigned i = 0; i < op->n_operands; i++) {
    if (i) c_put(e, ", ");
    c_expr(e, pm_arg(op, i), C_TERNARY);
  }
  c_put(e, ")");
}

static void write_call(c_emitter *e, const pm_op *op, int min) {
  write_function(e, op, min);
}

/* --- comparisons and conversions --- */

static void put_comparison(c_emitter *e, const pm_op *op, arith_pred pred, int min) {
  static const char *const text[] = {" == ", " != ", " < ", " <= ", " > ", " >= "};
  bool open = c_open(e, pred <= ARITH_NE ? C_EQUALITY : C_RELATION, min);
  c_expr(e, pm_arg(op, arith_cmp_lhs), C_SUM);
  c_put(e, "%s", text[pred]);
  c_expr(e, pm_arg(op, arith_cmp_rhs), C_SUM);
  c_close(e, open);
}

static void write_comparison(c_emitter *e, const pm_op *op, int min) {
  put_comparison(e, op, arith_cmp_pred(op), min);
}

static void put_existence(c_emitter *e, const pm_op *op, const char *text, int min) {
  bool open = c_open(e, C_EQUALITY, min);
  c_put(e, "%s%s", c_var_of(e, pm_arg(op, buf_nonnull_buffer))->name, text);
  c_close(e, open);
}

static void write_existence(c_emitter *e, const pm_op *op, int min) {
  put_existence(e, op, " != NULL", min);
}

static void write_selection(c_emitter *e, const pm_op *op, int min) {
  bool open = c_open(e, C_TERNARY, min);
  c_expr(e, pm_arg(op, arith_select_condition), C_LOGIC_OR);
  c_put(e, " ? ");
  c_expr(e, pm_arg(op, arith_select_a), C_TERNARY + 1);
  c_put(e, " : ");
  c_expr(e, pm_arg(op, arith_select_b), C_TERNARY);
  c_close(e, open);
}

/* Integer promotion makes the conversion by itself. */
static bool is_promotion(pm_scalar from, pm_scalar to) {
  const pm_scalar_info *info = pm_get_scalar_info(from);
  return to == PM_I32 && !info->is_float && info->bits < 32 && from != PM_I1;
}

static void write_conversion(c_emitter *e, const pm_op *op, int min) {
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  if (from->type == to->type || is_promotion(scalar_of(from), scalar_of(to)) ||
      (e->plain && pm_is_int_or_index(from->type) && pm_is_int_or_index(to->type))) {
    c_expr(e, from, min);
    return;
  }
  bool to_bool = scalar_of(to) == PM_I1;
  bool open = c_open(e, to_bool ? C_EQUALITY : C_UNARY, min);
  if (!to_bool) c_put(e, "(%s)", type_of_width(e, to, c_variable_width(e, to)));
  c_expr(e, from, to_bool ? C_SHIFT : C_UNARY);
  if (to_bool) c_put(e, " != 0");
  c_close(e, open);
}

static void write_saturation(c_emitter *e, const pm_op *op, int min) {
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  if (from->type == to->type) {
    c_expr(e, from, min);
    return;
  }
  c_put(e, "%s(", c_use_saturate(e, scalar_of(from), scalar_of(to)));
  c_expr(e, from, C_TERNARY);
  c_put(e, ")");
}

/* Between integers a conversion. The function may be one that takes no other size than its own. */
static void write_bitcast(c_emitter *e, const pm_op *op, int min) {
  const pm_value *from = pm_arg(op, 0), *to = pm_res(op, 0);
  if (from->type == to->type || (!info_of(from)->is_float && !info_of(to)->is_float)) {
    write_conversion(e, op, min);
    return;
  }
  c_put(e, "%s(", c_use_bitcast(e, scalar_of(from), scalar_of(to)));
  put_widened(e, op, c_width_of(e, from), C_LONG, C_TERNARY);
  c_put(e, ")");
}

static void write_load(c_emitter *e, const pm_op *op, int min) {
  loop_access access;
  (void)min;
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  c_element(e, &access);
}

static void write_thread(c_emitter *e, const pm_op *op, int min) {
  (void)op;
  (void)min;
  c_put(e, "%s", e->language->thread ? e->language->thread(e) : "0");
}

static void write_threads(c_emitter *e, const pm_op *op, int min) {
  (void)op;
  (void)min;
  c_put(e, "%s", e->language->threads ? e->language->threads(e) : "1");
}
