/* Expressions, with the types that Halide's operators give them. */
#include "frontends/halide/program/program.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* --- errors --- */

/* An error, once. The result is false. */
static bool report(h_program *p, pm_loc loc, const char *fmt, ...) PM_PRINTF(3, 4);
static bool report(h_program *p, pm_loc loc, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_vformat(&text, fmt, args);
  va_end(args);
  cx_report(p->reports, loc, text.data);
  pm_buf_free(&text);
  return false;
}

/* --- types --- */

const char *hx_type_name(pm_scalar type) {
  static const char *const names[PM_N_SCALARS] = {
      [PM_I1] = "bool",       [PM_I8] = "int8",     [PM_I16] = "int16",  [PM_I32] = "int32",
      [PM_I64] = "int64",     [PM_U8] = "uint8",    [PM_U16] = "uint16", [PM_U32] = "uint32",
      [PM_U64] = "uint64",    [PM_F16] = "float16", [PM_F32] = "float",  [PM_F64] = "double",
      [PM_BF16] = "bfloat16", [PM_INDEX] = "index"};
  return names[type];
}

/* --- nodes --- */

static hx *new_node(h_program *p, pm_loc loc, hx_op op, pm_scalar type) {
  hx *e = pm_arena_alloc(p->arena, sizeof(*e));
  e->op = op;
  e->type = (uint8_t)type;
  e->loc = loc;
  return e;
}

/* The number as one of the type: its low bits. */
static int64_t wrapped(pm_scalar type, int64_t value) {
  unsigned bits = cx_bits(type), unused = 64 - bits;
  if (bits == 64) return value;
  uint64_t high = (uint64_t)value << unused;
  return cx_is_unsigned(type) ? (int64_t)(high >> unused) : (int64_t)high >> unused;
}

hx *hx_int(h_program *p, pm_loc loc, pm_scalar type, int64_t value) {
  if (cx_is_float(type)) return hx_float(p, loc, type, (double)value);
  hx *e = new_node(p, loc, HX_INT, type);
  e->i = wrapped(type, value);
  e->is_coordinate = e->is_of_params = type == PM_I32;
  return e;
}

hx *hx_float(h_program *p, pm_loc loc, pm_scalar type, double value) {
  hx *e = new_node(p, loc, HX_FLOAT, type);
  e->f = type == PM_F32 ? (double)(float)value : value;
  return e;
}

hx *hx_var(h_program *p, pm_loc loc, const h_var *var) {
  hx *e = new_node(p, loc, var->rdom ? HX_RVAR : HX_VAR, PM_I32);
  e->var = var;
  e->is_coordinate = true;
  return e;
}

hx *hx_param(h_program *p, pm_loc loc, h_symbol *symbol) {
  hx *e = new_node(p, loc, HX_PARAM, symbol->types[0]);
  e->symbol = symbol;
  e->is_coordinate = e->is_of_params = symbol->types[0] == PM_I32;
  return e;
}

hx *hx_call(h_program *p, pm_loc loc, h_symbol *symbol, hx *const *args, unsigned n_args, unsigned element) {
  hx *e = hx_node(p, loc, HX_CALL, symbol->types[element], args, n_args);
  e->symbol = symbol;
  e->element = (uint8_t)element;
  e->is_coordinate = e->is_of_params = false;
  return e;
}

/* Operations that coordinates are closed under. */
static bool keeps_coordinates(hx_op op) {
  switch (op) {
  case HX_ADD:
  case HX_SUB:
  case HX_MUL:
  case HX_DIV:
  case HX_MOD:
  case HX_MIN:
  case HX_MAX:
  case HX_EQ:
  case HX_NE:
  case HX_LT:
  case HX_LE:
  case HX_GT:
  case HX_GE:
  case HX_NOT:
  case HX_BIT_AND:
  case HX_BIT_OR:
  case HX_SELECT:
    return true;
  default:
    return false;
  }
}

/* Of bools, logical; of integers `&` is no operation on coordinates. */
static bool is_of_coordinates(hx_op op, pm_scalar type, hx *const *args, unsigned n_args) {
  if (!keeps_coordinates(op) || n_args == 0 || (type != PM_I32 && type != PM_I1)) return false;
  if ((op == HX_BIT_AND || op == HX_BIT_OR) && type != PM_I1) return false;
  for (unsigned i = 0; i < n_args; i++)
    if (!args[i]->is_coordinate) return false;
  return true;
}

static void check_depth(h_program *p, const hx *e) {
  if (e->depth <= HX_MAX_DEPTH || p->reports->ended) return;
  p->reports->ended = true;
  report(p, e->loc, "the expression is nested more than %d deep, Funcs should hold parts of it",
         HX_MAX_DEPTH);
}

/* What a float is of numbers that are known; false: it stays an operation. */
static bool fold_float(hx_op op, pm_scalar type, hx *const *args, unsigned n_args, double *out) {
  for (unsigned i = 0; i < n_args; i++)
    if (args[i]->op != HX_FLOAT || args[i]->type != type) return false;
  if (!cx_is_float(type) || n_args == 0) return false;
  double a = args[0]->f, b = n_args > 1 ? args[1]->f : 0;
  bool single = type == PM_F32;
  switch (op) {
  case HX_ADD:
    return *out = single ? (double)((float)a + (float)b) : a + b, true;
  case HX_SUB:
    return *out = single ? (double)((float)a - (float)b) : a - b, true;
  case HX_MUL:
    return *out = single ? (double)((float)a * (float)b) : a * b, true;
  case HX_DIV:
    return *out = single ? (double)((float)a / (float)b) : a / b, b != 0;
  case HX_FLOOR:
    return *out = floor(a), true;
  case HX_CEIL:
    return *out = ceil(a), true;
  case HX_TRUNC:
    return *out = trunc(a), true;
  case HX_RINT:
    return *out = rint(a), true;
  default:
    return false;
  }
}

/* a / b or a % b, whose remainder is not negative; 0 by 0. */
static int64_t euclidean(hx_op op, int64_t a, int64_t b) {
  if (b == 0) return 0;
  int64_t quotient = a / b, rest = a % b;
  if (rest < 0) quotient += b < 0 ? 1 : -1, rest += b < 0 ? -b : b;
  return op == HX_DIV ? quotient : rest;
}

static int64_t unsigned_result(hx_op op, uint64_t a, uint64_t b) {
  bool divides = op == HX_DIV || op == HX_TRUNC_DIV;
  if (op == HX_MIN || op == HX_MAX) return (int64_t)((op == HX_MIN) == (a < b) ? a : b);
  return b == 0 ? 0 : (int64_t)(divides ? a / b : a % b);
}

/* What an integer is of two numbers that are known; false: it stays an operation, as those do that overflow.
 */
static bool fold_int(hx_op op, pm_scalar type, hx *const *args, unsigned n_args, int64_t *out) {
  if (cx_is_float(type) || type == PM_I1 || n_args != 2) return false;
  if (args[0]->op != HX_INT || args[1]->op != HX_INT || args[0]->type != type || args[1]->type != type)
    return false;
  int64_t a = args[0]->i, b = args[1]->i;
  bool is_unsigned = cx_is_unsigned(type);
  bool is_small =
      a >= INT32_MIN && b >= INT32_MIN && a <= INT32_MAX && b <= INT32_MAX; /* no int64 overflows */
  if (!is_unsigned && !is_small) return false;
  switch (op) {
  case HX_ADD:
    *out = (int64_t)((uint64_t)a + (uint64_t)b);
    break;
  case HX_SUB:
    *out = (int64_t)((uint64_t)a - (uint64_t)b);
    break;
  case HX_MUL:
    *out = (int64_t)((uint64_t)a * (uint64_t)b);
    break;
  case HX_DIV:
  case HX_MOD:
    *out = is_unsigned ? unsigned_result(op, (uint64_t)a, (uint64_t)b) : euclidean(op, a, b);
    break;
  case HX_TRUNC_DIV:
  case HX_TRUNC_MOD:
    if (is_unsigned)
      *out = unsigned_result(op, (uint64_t)a, (uint64_t)b);
    else
      *out = b == 0 ? 0 : op == HX_TRUNC_DIV ? a / b : a % b;
    break;
  case HX_MIN:
  case HX_MAX:
    *out = is_unsigned ? unsigned_result(op, (uint64_t)a, (uint64_t)b) : (op == HX_MIN) == (a < b) ? a : b;
    break;
  default:
    return false;
  }
  return is_unsigned || wrapped(type, *out) == *out;
}

hx *hx_node(h_program *p, pm_loc loc, hx_op op, pm_scalar type, hx *const *args, unsigned n_args) {
  double known;
  int64_t number;
  if (fold_float(op, type, args, n_args, &known)) return hx_float(p, loc, type, known);
  if (fold_int(op, type, args, n_args, &number)) return hx_int(p, loc, type, number);
  hx *e = new_node(p, loc, op, type);
  e->n_args = (uint8_t)n_args;
  for (unsigned i = 0; i < n_args; i++)
    if (args[i]->depth >= e->depth) e->depth = args[i]->depth + 1;
  check_depth(p, e);
  if (n_args > 0) e->args = pm_arena_memdup(p->arena, args, n_args * sizeof(hx *));
  e->is_coordinate = e->is_of_params = is_of_coordinates(op, type, args, n_args);
  for (unsigned i = 0; i < n_args; i++) e->is_of_params &= args[i]->is_of_params;
  return e;
}

hx *hx_node2(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b) {
  return hx_node(p, loc, op, (pm_scalar)a->type, (hx *[]){a, b}, 2);
}

hx *hx_undef(h_program *p, pm_loc loc, pm_scalar type) {
  p->has_undef = true;
  return new_node(p, loc, HX_UNDEF, type);
}

void hx_mark_clamp(hx *e) {
  e->is_clamp = e->op == HX_MAX && e->args[0]->op == HX_MIN;
}

hx *hx_with_args(h_program *p, const hx *e, hx *const *args) {
  hx *made = e->op == HX_CALL ? hx_call(p, e->loc, e->symbol, args, e->n_args, e->element)
                              : hx_node(p, e->loc, e->op, (pm_scalar)e->type, args, e->n_args);
  if (e->is_clamp) hx_mark_clamp(made);
  return made;
}

hx *hx_least(h_program *p, pm_loc loc, pm_scalar type) {
  if (cx_is_float(type)) return hx_float(p, loc, type, -INFINITY);
  if (cx_is_unsigned(type)) return hx_int(p, loc, type, 0);
  return hx_int(p, loc, type, (int64_t)((uint64_t)INT64_MAX + 1) >> (64 - cx_bits(type)));
}

hx *hx_greatest(h_program *p, pm_loc loc, pm_scalar type) {
  if (cx_is_float(type)) return hx_float(p, loc, type, INFINITY);
  if (cx_is_unsigned(type)) return hx_int(p, loc, type, -1);
  return hx_int(p, loc, type, INT64_MAX >> (64 - cx_bits(type)));
}

h_symbol *hx_param_of(const hx *e) {
  const hx *from = e->op == HX_CAST ? e->args[0] : e;
  pm_scalar type = (pm_scalar)from->type;
  if (e->type != PM_I32 || from->op != HX_PARAM || cx_is_float(type) || type == PM_I1) return NULL;
  bool keeps_value = type == PM_I32 || cx_bits(type) < 32 || from->symbol->is_index;
  return keeps_value ? from->symbol : NULL;
}

bool hx_is_int(const hx *e, int64_t *value) {
  if (e->op != HX_INT || cx_is_unsigned((pm_scalar)e->type)) return false;
  *value = e->i;
  return true;
}

static bool is_same(const hx *a, const hx *b, int *budget) {
  if (a == b) return true;
  if (a->op != b->op || a->type != b->type || a->n_args != b->n_args || a->element != b->element)
    return false;
  if (--*budget < 0) return false;
  switch (a->op) {
  case HX_INT:
    return a->i == b->i;
  case HX_FLOAT:
    return memcmp(&a->f, &b->f, sizeof(a->f)) == 0;
  case HX_VAR:
  case HX_RVAR:
    return a->var == b->var;
  case HX_PARAM:
  case HX_CALL:
    if (a->symbol != b->symbol) return false;
    break;
  default:
    break;
  }
  for (unsigned i = 0; i < a->n_args; i++)
    if (!is_same(a->args[i], b->args[i], budget)) return false;
  return true;
}

bool hx_same(const hx *a, const hx *b) {
  int budget = 1000;
  return is_same(a, b, &budget);
}

/* --- conversions --- */

static int64_t truncated(double f) {
  if (!(f > -9.2e18 && f < 9.2e18)) return 0;
  return (int64_t)f;
}

static double number_of(const hx *e) {
  if (e->op == HX_FLOAT) return e->f;
  return cx_is_unsigned((pm_scalar)e->type) ? (double)(uint64_t)e->i : (double)e->i;
}

hx *hx_cast(h_program *p, pm_loc loc, pm_scalar type, hx *e) {
  if (e->type == type) return e;
  if (e->op == HX_INT && !cx_is_float(type)) return hx_int(p, loc, type, e->i);
  if (e->op == HX_FLOAT && !cx_is_float(type)) return hx_int(p, loc, type, truncated(e->f));
  if (e->op == HX_INT || e->op == HX_FLOAT) return hx_float(p, loc, type, number_of(e));
  if (type == PM_I1 && !cx_is_float((pm_scalar)e->type)) { /* its lowest bit */
    hx *one = hx_int(p, loc, (pm_scalar)e->type, 1);
    return hx_node(p, loc, HX_EQ, PM_I1, (hx *[]){hx_node2(p, loc, HX_BIT_AND, e, one), one}, 2);
  }
  return hx_node(p, loc, HX_CAST, type, &e, 1);
}

static pm_scalar common_type(pm_scalar a, pm_scalar b) {
  bool a_float = cx_is_float(a), b_float = cx_is_float(b);
  unsigned bits = cx_bits(a) > cx_bits(b) ? cx_bits(a) : cx_bits(b);
  if (a_float && b_float) return cx_bits(a) > cx_bits(b) ? a : b;
  if (a_float) return a;
  if (b_float) return b;
  return cx_integer(bits, !(cx_is_unsigned(a) && cx_is_unsigned(b)));
}

void hx_match(h_program *p, hx **a, hx **b) {
  if ((*a)->type == (*b)->type) return;
  pm_scalar type = common_type((pm_scalar)(*a)->type, (pm_scalar)(*b)->type);
  *a = hx_cast(p, (*a)->loc, type, *a);
  *b = hx_cast(p, (*b)->loc, type, *b);
}

/* --- operators --- */

static bool is_comparison(hx_op op) {
  return op >= HX_EQ && op <= HX_GE;
}

static hx *not_bool(h_program *p, pm_loc loc, const hx *e, const char *what) {
  report(p, loc, "%s has type %s, it should be bool", what, hx_type_name((pm_scalar)e->type));
  return NULL;
}

/* x % y of floats: x - y * floor(x / y). */
static hx *float_remainder(h_program *p, pm_loc loc, hx *a, hx *b) {
  hx *quotient = hx_node2(p, loc, HX_DIV, a, b);
  hx *whole = hx_node(p, loc, HX_FLOOR, (pm_scalar)a->type, &quotient, 1);
  return hx_node2(p, loc, HX_SUB, a, hx_node2(p, loc, HX_MUL, b, whole));
}

hx *hx_binary(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b) {
  hx_match(p, &a, &b);
  pm_scalar type = (pm_scalar)a->type;
  if (is_comparison(op)) return hx_node(p, loc, op, PM_I1, (hx *[]){a, b}, 2);
  if ((op == HX_BIT_AND || op == HX_BIT_OR) && type != PM_I1)
    return not_bool(p, loc, a, op == HX_BIT_AND ? "an operand of &&" : "an operand of ||");
  if (op == HX_MOD && cx_is_float(type)) return float_remainder(p, loc, a, b);
  return hx_node2(p, loc, op, a, b);
}

static hx *not_integer(h_program *p, pm_loc loc, const hx *e) {
  report(p, loc, "an operand of this has type %s, it should be an integer", hx_type_name((pm_scalar)e->type));
  return NULL;
}

static void match_bits(h_program *p, hx **a, hx **b) {
  unsigned wide = cx_bits((pm_scalar)(*a)->type), other = cx_bits((pm_scalar)(*b)->type);
  if (wide < other) wide = other;
  *a = hx_cast(p, (*a)->loc, cx_integer(wide, !cx_is_unsigned((pm_scalar)(*a)->type)), *a);
  *b = hx_cast(p, (*b)->loc, cx_integer(wide, !cx_is_unsigned((pm_scalar)(*b)->type)), *b);
}

void hx_widen(h_program *p, hx **a, const hx *b) {
  pm_scalar type = (pm_scalar)(*a)->type;
  if (cx_is_float(type) || cx_is_float((pm_scalar)b->type) || cx_bits(type) >= cx_bits((pm_scalar)b->type))
    return;
  *a = hx_cast(p, (*a)->loc, cx_integer(cx_bits((pm_scalar)b->type), !cx_is_unsigned(type)), *a);
}

static bool is_low_mask(int64_t i) {
  return i > 0 && i < INT32_MAX && (i & (i + 1)) == 0;
}

/* Of coordinates the lowest bits are a remainder, and shifts are products and quotients. */
hx *hx_bitwise(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b) {
  if (cx_is_float((pm_scalar)a->type)) return not_integer(p, loc, a);
  if (cx_is_float((pm_scalar)b->type)) return not_integer(p, loc, b);
  if (cx_is_unsigned((pm_scalar)a->type) != cx_is_unsigned((pm_scalar)b->type)) {
    report(p, loc, "the operands have types %s and %s, both should be signed or both unsigned",
           hx_type_name((pm_scalar)a->type), hx_type_name((pm_scalar)b->type));
    return NULL;
  }
  match_bits(p, &a, &b);
  if (op == HX_BIT_AND && a->is_coordinate && b->op == HX_INT && is_low_mask(b->i))
    return hx_node2(p, loc, HX_MOD, a, hx_int(p, loc, PM_I32, b->i + 1));
  return hx_node2(p, loc, op, a, b);
}

/* By a negative amount, in the other direction. */
hx *hx_shift(h_program *p, pm_loc loc, hx_op op, hx *a, hx *b) {
  hx_op other = op == HX_SHL ? HX_SHR : HX_SHL;
  int64_t amount;
  if (cx_is_float((pm_scalar)a->type)) return not_integer(p, loc, a);
  if (cx_is_float((pm_scalar)b->type)) return not_integer(p, loc, b);
  if (hx_is_int(b, &amount)) {
    int64_t size = amount < 0 ? -amount : amount;
    bool left = (op == HX_SHL) == (amount >= 0);
    if (a->is_coordinate && size < 31)
      return hx_node2(p, loc, left ? HX_MUL : HX_DIV, a, hx_int(p, loc, PM_I32, (int64_t)1 << size));
    b = hx_int(p, b->loc, cx_integer(cx_bits((pm_scalar)a->type), false), amount < 0 ? -amount : amount);
    return hx_node2(p, loc, amount < 0 ? other : op, a, b);
  }
  match_bits(p, &a, &b);
  if (cx_is_unsigned((pm_scalar)b->type)) return hx_node2(p, loc, op, a, b);
  hx *zero = hx_int(p, loc, (pm_scalar)b->type, 0);
  hx *is_negative = hx_node(p, loc, HX_LT, PM_I1, (hx *[]){b, zero}, 2);
  hx *back = hx_node2(p, loc, HX_SUB, zero, b);
  return hx_select(p, loc, is_negative, hx_node2(p, loc, other, a, back), hx_node2(p, loc, op, a, b));
}

static hx_op opposite(hx_op op) {
  static const hx_op ops[] = {
      [HX_EQ] = HX_NE, [HX_NE] = HX_EQ, [HX_LT] = HX_GE, [HX_GE] = HX_LT, [HX_GT] = HX_LE, [HX_LE] = HX_GT};
  return ops[op];
}

/* Of integers the opposite comparison; of floats, which may be NaN, the comparison is what it is. */
hx *hx_not(h_program *p, pm_loc loc, hx *a) {
  if (a->type != PM_I1) return not_bool(p, loc, a, "the operand of !");
  if (is_comparison(a->op) && !cx_is_float((pm_scalar)a->args[0]->type))
    return hx_node(p, loc, opposite(a->op), PM_I1, a->args, 2);
  return hx_node(p, loc, HX_NOT, PM_I1, &a, 1);
}

hx *hx_negate(h_program *p, pm_loc loc, hx *a) {
  if (a->op == HX_INT) return hx_int(p, loc, (pm_scalar)a->type, (int64_t)(0 - (uint64_t)a->i));
  if (a->op == HX_FLOAT) return hx_float(p, loc, (pm_scalar)a->type, -a->f);
  hx *zero = cx_is_float((pm_scalar)a->type) ? hx_float(p, loc, (pm_scalar)a->type, -0.0)
                                             : hx_int(p, loc, (pm_scalar)a->type, 0);
  return hx_node2(p, loc, HX_SUB, zero, a);
}

hx *hx_select(h_program *p, pm_loc loc, hx *condition, hx *a, hx *b) {
  int64_t value;
  if (hx_is_int(condition, &value)) condition = hx_int(p, condition->loc, PM_I1, value);
  if (hx_is_int(a, &value)) a = hx_cast(p, a->loc, (pm_scalar)b->type, a);
  if (hx_is_int(b, &value)) b = hx_cast(p, b->loc, (pm_scalar)a->type, b);
  if (condition->type != PM_I1) return not_bool(p, condition->loc, condition, "the condition of a select");
  if (a->type == b->type) return hx_node(p, loc, HX_SELECT, (pm_scalar)a->type, (hx *[]){condition, a, b}, 3);
  report(p, loc, "the values of a select have types %s and %s, they should be one; cast<…> makes it so",
         hx_type_name((pm_scalar)a->type), hx_type_name((pm_scalar)b->type));
  return NULL;
}

/* --- symbols --- */

pm_string h_unique_name(h_program *p, const char *stem) {
  pm_buf text = {0};
  pm_buf_printf(&text, "%s%u", stem, p->next_name++);
  pm_string name = pm_get_string(p->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return name;
}

h_symbol *h_new_symbol(h_program *p, h_symbol_kind kind, pm_loc loc, const char *name) {
  static const char *const stems[] = {[H_FUNC] = "f", [H_BUFFER] = "input", [H_PARAM] = "param"};
  h_symbol *s = pm_arena_alloc(p->arena, sizeof(*s));
  s->kind = kind;
  s->loc = loc;
  s->is_named = name && *name;
  s->name = s->is_named ? pm_get_cstring(p->ctx, name) : h_unique_name(p, stems[kind]);
  s->n_elements = 1;
  if (kind == H_FUNC) CX_PUSH(p->arena, p->funcs, s);
  return s;
}

const h_var *h_get_var(h_program *p, pm_string name) {
  h_var *var = pm_map_get(p->vars, name);
  if (var) return var;
  var = pm_arena_alloc(p->arena, sizeof(*var));
  var->name = name;
  pm_map_set(p->vars, name, var);
  return var;
}

hx *h_extent(h_program *p, pm_loc loc, h_symbol *symbol, unsigned d) {
  if (symbol->table) return hx_int(p, loc, PM_I32, symbol->table->extents[d]);
  if (!symbol->extents[d]) {
    pm_buf text = {0};
    pm_buf_printf(&text, "%s_extent_%u", symbol->name->text, d);
    h_symbol *extent = h_new_symbol(p, H_PARAM, symbol->loc, text.data);
    extent->types[0] = PM_I32;
    extent->is_extent = true;
    symbol->extents[d] = extent;
    pm_buf_free(&text);
  }
  return hx_param(p, loc, symbol->extents[d]);
}
