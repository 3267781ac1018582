/* Expressions to ops inside a case. Shared parts of an expression are emitted once a case; a stack of our own
 * takes the place of recursion, because programs make expressions of any depth. */
#include "frontends/polymage/lower.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/math/math.h"
#include "dialects/stage/stage.h"

typedef enum result_kind { RESULT_NONE, RESULT_INT, RESULT_REAL, RESULT_VALUE } result_kind;

/* What an expression is: a number without a type yet, or a value. */
typedef struct result {
  result_kind kind;
  int64_t i;
  double f;
  pm_value *v;
} result;

/* Where an expression stands: integer arithmetic differs. */
typedef enum place { IN_VALUE, IN_INDEX, N_PLACES } place;

struct emitted {
  uint32_t stamp[N_PLACES]; /* of the case that the result belongs to */
  result of[N_PLACES];
  kit_index *plan; /* READ: each operand is a dsl_expr */
};

static struct emitted *emitted_of(lowering *l, dsl_expr *e) {
  if (!e->emitted) e->emitted = pm_arena_alloc(l->program->arena, sizeof(*e->emitted));
  return e->emitted;
}

/* --- types --- */

static pm_type scalar(lowering *l, pm_scalar s) {
  return pm_get_scalar(l->ctx, s);
}

/* Of a float without a type: f64 inside stages of that type, also of an element of it. */
static pm_type literal_float(lowering *l) {
  bool wide = l->stage->type == PM_F64;
  for (unsigned i = 0; i < l->stage->n_elems; i++) wide |= l->stage->elems[i] == PM_F64;
  return scalar(l, wide ? PM_F64 : PM_F32);
}

static pm_type literal_int(lowering *l, int64_t i) {
  return scalar(l, i >= INT32_MIN && i <= INT32_MAX ? PM_I32 : PM_I64);
}

/* C's integer promotion. */
static pm_type promoted(lowering *l, pm_type t) {
  return pm_is_int(t) && pm_get_scalar_info(t->scalar)->bits < 32 ? scalar(l, PM_I32) : t;
}

/* C's usual arithmetic conversions of two promoted integer types. */
static pm_type common_int(lowering *l, pm_type a, pm_type b) {
  if (pm_is_index(a) || pm_is_index(b)) return pm_get_index(l->ctx);
  static const pm_scalar by_rank[] = {PM_U64, PM_I64, PM_U32};
  for (size_t i = 0; i < PM_COUNT(by_rank); i++)
    if (a->scalar == by_rank[i] || b->scalar == by_rank[i]) return scalar(l, by_rank[i]);
  return scalar(l, PM_I32);
}

static bool is_float_result(const result *r) {
  return r->kind == RESULT_REAL || (r->kind == RESULT_VALUE && pm_is_float(r->v->type));
}

/* A float's own type wins; a number without type adds none. */
static pm_type common_float(lowering *l, const result *a, const result *b) {
  bool have = false, wide = false;
  const result *both[2] = {a, b};
  for (int i = 0; i < 2; i++) {
    if (both[i]->kind != RESULT_VALUE || !pm_is_float(both[i]->v->type)) continue;
    have = true;
    wide |= both[i]->v->type->scalar == PM_F64;
  }
  return have ? scalar(l, wide ? PM_F64 : PM_F32) : literal_float(l);
}

static pm_type int_type(lowering *l, const result *r) {
  return r->kind == RESULT_INT ? literal_int(l, r->i) : promoted(l, r->v->type);
}

static pm_type common_type(lowering *l, const result *a, const result *b, place where) {
  if (is_float_result(a) || is_float_result(b)) return common_float(l, a, b);
  if (where == IN_INDEX) return pm_get_index(l->ctx);
  return common_int(l, int_type(l, a), int_type(l, b));
}

/* The operand of a function of floats. */
static pm_type function_type(lowering *l, const result *a, const result *b) {
  return common_float(l, a, b);
}

static pm_value *convert(lowering *l, const result *r, pm_type type) {
  pm_builder *b = &l->builder;
  switch (r->kind) {
  case RESULT_INT:
    return pm_is_float(type) ? arith_build_float(b, type, (double)r->i) : arith_build_int(b, type, r->i);
  case RESULT_REAL:
    if (pm_is_float(type)) return arith_build_float(b, type, r->f);
    return arith_build_cast(b, arith_build_float(b, literal_float(l), r->f), type);
  default:
    return arith_build_cast(b, r->v, type);
  }
}

static result value_result(pm_value *v) {
  return (result){.kind = RESULT_VALUE, .v = v};
}
static result int_result(int64_t i) {
  return (result){.kind = RESULT_INT, .i = i};
}
static result real_result(double f) {
  return (result){.kind = RESULT_REAL, .f = f};
}

static result fail(lowering *l, pm_loc loc, const char *message) {
  pm_error(l->ctx, loc, "%s", message);
  return (result){0};
}

/* --- symbols --- */

static bool has_variable(const dsl_domain *domain, const dsl_symbol *variable) {
  for (unsigned d = 0; d < domain->n_dims; d++)
    if (domain->variables[d] == variable) return true;
  return false;
}

static int dimension_of(const lowering *l, const dsl_symbol *variable) {
  for (unsigned d = 0; d < l->domain->n_dims; d++)
    if (l->domain->variables[d] == variable) return (int)d;
  return -1;
}

/* Another variable of that name, as one that a cell of a notebook has made again. */
static void note_namesake(const lowering *l, const dsl_symbol *variable) {
  for (unsigned d = 0; d < l->domain->n_dims; d++) {
    const dsl_symbol *own = l->domain->variables[d];
    const void *name = variable->given;
    if (!name || own->given != variable->given) continue;
    if (lower_same_place(own->loc, variable->loc)) {
      pm_note(
          l->ctx, own->loc,
          "two variables named %pS are made here, as by code that runs again: the domain has the other one, "
          "what has it should be made anew, too",
          name);
      continue;
    }
    pm_note(l->ctx, variable->loc, "two variables are named %pS: the one that is used is made here", name);
    pm_note(l->ctx, own->loc, "the one of the domain is made here, one of them should replace the other");
  }
}

static void report_foreign(const lowering *l, const dsl_expr *variable) {
  const void *name = variable->symbol->name, *stage = l->stage->name;
  bool in_updates = l->domain != &l->stage->domain;
  if (!in_updates && has_variable(&l->stage->reduction, variable->symbol))
    pm_error(l->ctx, variable->loc,
             "the variable %pS is one of the updates of %pS, only Reduce(%pS(…), value, Sum) should use it",
             name, stage, stage);
  else
    pm_error(l->ctx, variable->loc, "the variable %pS is not one of the %s %pS, whose %s should contain it",
             name, in_updates ? "updates of" : "stage", stage, in_updates ? "reduction domain" : "domain");
  note_namesake(l, variable->symbol);
}

/* The case's argument or the parameter; NULL after a diagnostic. */
static pm_value *symbol_value(lowering *l, const dsl_expr *e) {
  if (e->symbol->kind == DSL_PARAMETER) return pm_map_get(l->params, e->symbol);
  int d = dimension_of(l, e->symbol);
  if (d >= 0) return l->case_body->args[d];
  report_foreign(l, e);
  return NULL;
}

static result emit_symbol(lowering *l, const dsl_expr *e, place where) {
  pm_value *v = symbol_value(l, e);
  if (!v) return (result){0};
  if (where == IN_VALUE && pm_is_index(v->type)) v = arith_build_cast(&l->builder, v, scalar(l, PM_I32));
  return value_result(v);
}

/* --- reads --- */

static const kit_index *plan_of(lowering *l, dsl_expr *read) {
  struct emitted *m = emitted_of(l, read);
  if (m->plan) return m->plan;
  kit_exprs body = lower_body(l);
  kit_index plan =
      kit_plan_indices(&l->kit, &body, (const void *const *)read->args, read->n_args, l->program->arena);
  m->plan = pm_arena_memdup(l->program->arena, &plan, sizeof plan);
  return m->plan;
}

static dsl_expr *operand_of(const kit_index *plan, unsigned i) {
  return (dsl_expr *)plan->operands[i];
}

/* An operand of the map, already emitted when it is not a symbol. */
static pm_value *index_operand(lowering *l, dsl_expr *e) {
  pm_value *v;
  if (e->op == DSL_SYMBOL) {
    v = symbol_value(l, e);
  } else {
    const result *r = &e->emitted->of[IN_INDEX];
    v = r->kind == RESULT_VALUE
            ? r->v
            : convert(l, r, r->kind == RESULT_INT ? pm_get_index(l->ctx) : literal_float(l));
  }
  if (!v || pm_is_int_or_index(v->type)) return v;
  pm_error(l->ctx, e->loc, "an index has type %s, it should be an integer, Cast(Int, …) makes one",
           dsl_type_name((pm_scalar)v->type->scalar));
  return NULL;
}

static bool check_rank(lowering *l, const dsl_expr *read) {
  if (read->n_args == read->symbol->n_dims) return true;
  return pm_error(l->ctx, read->loc, "%pS is read with %u ind%s, it should be with %u, one a dimension",
                  (const void *)read->symbol->name, (unsigned)read->n_args, read->n_args == 1 ? "ex" : "ices",
                  read->symbol->n_dims);
}

/* Appends what the map's operands are; false after a diagnostic. */
static bool index_operands(lowering *l, const kit_index *p, lower_values *operands) {
  for (unsigned i = 0; i < p->n_operands; i++) {
    pm_value *v = index_operand(l, operand_of(p, i));
    if (!v) return false;
    PM_VEC_PUSH(*operands, v);
  }
  return true;
}

pm_type lower_type(const lowering *l, const dsl_symbol *symbol) {
  pm_type elems[DSL_MAX_ELEMENTS];
  if (!symbol->n_elems) return pm_get_scalar(l->ctx, symbol->type);
  for (unsigned i = 0; i < symbol->n_elems; i++) elems[i] = pm_get_scalar(l->ctx, symbol->elems[i]);
  return pm_get_tuple(elems, (uint16_t)symbol->n_elems);
}

/* The integer part in 64 bits, those of a u64 above 2^63; 0 when it has more. */
static int64_t integer_part(double value) {
  if (value >= 0x1p63 && value < 0x1p64) return (int64_t)(uint64_t)value;
  return value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : 0;
}

pm_attr lower_number(py_value v, pm_type type) {
  if (pm_is_float(type)) return pm_get_float(type, py_as_float(v));
  return pm_get_int(type, v.type == VAL_FLOAT ? integer_part(v.f) : py_as_int(v));
}

static pm_attr lower_mode(lowering *l, py_value mode, pm_type type) {
  if (mode.type == VAL_STR) return pm_get_string_attr(l->ctx, pm_str_of(mode.str->text));
  return lower_number(mode, type);
}

pm_attr lower_boundary(lowering *l, const dsl_symbol *symbol) {
  py_value given = symbol->boundary;
  pm_type type = scalar(l, symbol->type);
  if (py_is_poison(given)) return NULL;
  if (!py_is_seq(given)) return lower_mode(l, given, type);
  PM_VEC(pm_attr) modes = {0};
  for (size_t i = 0; i < given.seq->len; i++) PM_VEC_PUSH(modes, lower_mode(l, given.seq->items[i], type));
  pm_attr attr = pm_get_array(l->ctx, modes.data, modes.len);
  PM_VEC_FREE(modes);
  return attr;
}

/* Both are numbers of one type. */
static bool is_below(pm_attr a, pm_attr b) {
  if (a->cls == PM_ATTR_FLOAT) return a->f < b->f;
  return a->t->scalar == PM_U64 ? (uint64_t)a->i < (uint64_t)b->i : a->i < b->i;
}

typedef struct value_range {
  pm_attr low, high;
} value_range;

static void widen(value_range *range, py_value mode, pm_type type) {
  if (!py_is_number(mode)) return;
  pm_attr number = lower_number(mode, type);
  if (is_below(number, range->low)) range->low = number;
  if (is_below(range->high, number)) range->high = number;
}

/* The range of the image and the numbers of its boundary, as they are in its type. */
static value_range find_range(const dsl_symbol *image, pm_type type) {
  value_range range = {lower_number(py_float(image->range->low), type),
                       lower_number(py_float(image->range->high), type)};
  widen(&range, image->boundary, type);
  for (size_t i = 0; py_is_seq(image->boundary) && i < image->boundary.seq->len; i++)
    widen(&range, image->boundary.seq->items[i], type);
  return range;
}

pm_value *lower_in_range(lowering *l, const dsl_symbol *read, pm_value *element) {
  if (!read->range) return element;
  pm_builder *b = &l->builder;
  bool is_float = pm_is_float(element->type);
  value_range range = find_range(read, element->type);
  pm_value *low = arith_build_constant(b, range.low), *high = arith_build_constant(b, range.high);
  pm_value *above = pm_build_binary(b, is_float ? &arith_maxf : &arith_maxi, element, low);
  return pm_build_binary(b, is_float ? &arith_minf : &arith_mini, above, high);
}

static result emit_read(lowering *l, dsl_expr *e) {
  const dsl_symbol *producer = dsl_read_by(l->stage, e->symbol);
  if (!check_rank(l, e)) return (result){0};
  const kit_index *p = plan_of(l, e);
  lower_values operands = {0};
  result r = {0};
  if (index_operands(l, p, &operands)) {
    pm_type type = lower_type(l, producer);
    pm_attr boundary = producer->kind != DSL_IMAGE ? lower_boundary(l, e->symbol) : NULL;
    l->builder.loc = e->loc;
    pm_value *read = stage_build_read(&l->builder, producer->name, type, p->map, operands.data, boundary);
    r = value_result(lower_in_range(l, producer, read));
  }
  PM_VEC_FREE(operands);
  return r;
}

/* --- operators --- */

static const pm_op_desc *float_desc(dsl_op op) {
  switch (op) {
  case DSL_ADD:
    return &arith_addf;
  case DSL_SUB:
    return &arith_subf;
  case DSL_MUL:
    return &arith_mulf;
  case DSL_DIV:
  case DSL_FLOOR_DIV:
    return &arith_divf;
  case DSL_MIN:
    return &arith_minf;
  case DSL_MAX:
    return &arith_maxf;
  default:
    return NULL;
  }
}

static const pm_op_desc *int_desc(dsl_op op, place where) {
  switch (op) {
  case DSL_ADD:
    return &arith_addi;
  case DSL_SUB:
    return &arith_subi;
  case DSL_MUL:
    return &arith_muli;
  case DSL_DIV:
    return where == IN_INDEX ? &arith_divi : &arith_trunc_div;
  case DSL_FLOOR_DIV:
    return &arith_divi;
  case DSL_MOD:
    return where == IN_INDEX ? &arith_remi : &arith_trunc_rem;
  case DSL_MIN:
    return &arith_mini;
  case DSL_MAX:
    return &arith_maxi;
  case DSL_BIT_AND:
    return &arith_andi;
  case DSL_BIT_OR:
    return &arith_ori;
  case DSL_BIT_XOR:
    return &arith_xori;
  default:
    return NULL;
  }
}

static bool floors(dsl_op op, place where) {
  return op == DSL_FLOOR_DIV || (op == DSL_DIV && where == IN_INDEX);
}

/* arith.divi leaves a remainder that is not negative, so it rounds up where the divisor is negative:
 * a // b = divi(a, b) - (b < 0 and remi(a, b) != 0). */
static pm_value *round_down(lowering *l, pm_value *quotient, pm_value *a, pm_value *b) {
  pm_builder *at = &l->builder;
  pm_value *zero = arith_build_int(at, b->type, 0), *one = arith_build_int(at, b->type, 1);
  pm_value *rest = pm_build_binary(at, &arith_remi, a, b);
  pm_value *less = pm_build_binary(at, &arith_subi, quotient, one);
  pm_value *down = arith_build_select(at, arith_build_cmp(at, ARITH_NE, rest, zero), less, quotient);
  return arith_build_select(at, arith_build_cmp(at, ARITH_LT, b, zero), down, quotient);
}

/* Of type `type`, an integer: it cannot be below 0. */
static bool is_never_negative(const result *r, pm_type type) {
  if (r->kind == RESULT_INT) return r->i >= 0;
  return pm_is_int(type) && !pm_get_scalar_info((pm_scalar)type->scalar)->is_signed;
}

static result emit_arithmetic(lowering *l, const dsl_expr *e, const result *a, const result *b, place where) {
  pm_type type = common_type(l, a, b, where);
  const pm_op_desc *desc = pm_is_float(type) ? float_desc(e->op) : int_desc(e->op, where);
  if (!desc)
    return fail(l, e->loc,
                "'%' has an operand that is not an integer, both should be integers, Cast(Int, …) makes one");
  pm_value *left = convert(l, a, type), *right = convert(l, b, type);
  pm_value *v = pm_build_binary(&l->builder, desc, left, right);
  if (pm_is_float(type))
    return value_result(e->op == DSL_FLOOR_DIV ? pm_build_unary(&l->builder, &math_floor, v) : v);
  if (!floors(e->op, where)) return value_result(v);
  return value_result(is_never_negative(b, type) ? v : round_down(l, v, left, right));
}

/* The type of a single integer operand. */
static pm_type own_int_type(lowering *l, const result *r, place where) {
  return where == IN_INDEX ? pm_get_index(l->ctx) : int_type(l, r);
}

static result emit_negation(lowering *l, const result *a, place where) {
  if (a->kind == RESULT_INT && a->i != INT64_MIN) return int_result(-a->i);
  if (a->kind == RESULT_REAL) return real_result(-a->f);
  if (is_float_result(a)) return value_result(pm_build_unary(&l->builder, &arith_negf, a->v));
  pm_type type = own_int_type(l, a, where);
  pm_value *zero = arith_build_int(&l->builder, type, 0);
  return value_result(pm_build_binary(&l->builder, &arith_subi, zero, convert(l, a, type)));
}

/* Of integers, |a| = a < 0 ? -a : a. */
static result emit_abs(lowering *l, const result *a, place where) {
  if (is_float_result(a))
    return value_result(pm_build_unary(&l->builder, &math_abs, convert(l, a, common_float(l, a, a))));
  pm_type type = own_int_type(l, a, where);
  pm_value *v = convert(l, a, type), *zero = arith_build_int(&l->builder, type, 0);
  if (!pm_get_scalar_info(type->scalar)->is_signed && !pm_is_index(type)) return value_result(v);
  pm_value *negative = arith_build_cmp(&l->builder, ARITH_LT, v, zero);
  pm_value *negated = pm_build_binary(&l->builder, &arith_subi, zero, v);
  return value_result(arith_build_select(&l->builder, negative, negated, v));
}

static const pm_op_desc *function_desc(dsl_op op) {
  switch (op) {
  case DSL_EXP:
    return &math_exp;
  case DSL_LOG:
    return &math_log;
  case DSL_SIN:
    return &math_sin;
  case DSL_COS:
    return &math_cos;
  default:
    return &math_sqrt;
  }
}

static result emit_cast(lowering *l, const dsl_expr *e, const result *a) {
  pm_type type = scalar(l, e->type);
  if (a->kind == RESULT_REAL && pm_is_float(type))
    return value_result(arith_build_float(&l->builder, type, a->f));
  return value_result(convert(l, a, type));
}

static result emit_select(lowering *l, const result *args, place where) {
  pm_type type = common_type(l, &args[1], &args[2], where);
  pm_value *x = convert(l, &args[1], type), *y = convert(l, &args[2], type);
  return value_result(arith_build_select(&l->builder, args[0].v, x, y));
}

static result emit_comparison(lowering *l, const dsl_expr *e, const result *args, place where) {
  static const arith_pred preds[] = {ARITH_EQ, ARITH_NE, ARITH_LT, ARITH_LE, ARITH_GT, ARITH_GE};
  pm_type type = common_type(l, &args[0], &args[1], where);
  pm_value *a = convert(l, &args[0], type), *b = convert(l, &args[1], type);
  return value_result(arith_build_cmp(&l->builder, preds[e->op - DSL_EQ], a, b));
}

/* --- random numbers --- */

static pm_value *mix(pm_builder *b, const pm_op_desc *desc, pm_value *v, uint32_t number) {
  return pm_build_binary(b, desc, v, arith_build_int(b, v->type, number));
}

/* v ^ v >> amount */
static pm_value *fold_high(pm_builder *b, pm_value *v, uint32_t amount) {
  return pm_build_binary(b, &arith_xori, v, mix(b, &arith_shri, v, amount));
}

/* A hash of the point and of the number of the call, so that the value is the same whenever and wherever it
 * is computed. The steps are those of MurmurHash3. */
static result emit_random(lowering *l, const dsl_expr *e) {
  pm_builder *b = &l->builder;
  pm_type word = scalar(l, PM_U32);
  pm_value *h = arith_build_int(b, word, (int64_t)((uint64_t)e->i * 0x9e3779b9u & UINT32_MAX));
  for (unsigned d = 0; d < l->domain->n_dims; d++) {
    pm_value *x = arith_build_cast(b, l->case_body->args[d], word);
    if (l->stage->backward >> d & 1) x = pm_build_binary(b, &arith_subi, arith_build_int(b, word, 0), x);
    h = pm_build_binary(b, &arith_xori, h, x);
    h = fold_high(b, mix(b, &arith_muli, h, 0x85ebca6bu), 13);
    h = fold_high(b, mix(b, &arith_muli, h, 0xc2b2ae35u), 16);
  }
  pm_type single = scalar(l, PM_F32);
  pm_value *v = arith_build_cast(b, mix(b, &arith_shri, h, 8), single);
  return value_result(pm_build_binary(b, &arith_mulf, v, arith_build_float(b, single, 1.0 / (1 << 24))));
}

/* --- bits --- */

static const char *bits_name(dsl_op op) {
  static const char *const names[] = {"&", "|", "^", "~", "<<", ">>"};
  return names[op - DSL_BIT_AND];
}

static result emit_inversion(lowering *l, const result *a, place where) {
  pm_type type = own_int_type(l, a, where);
  pm_value *ones = arith_build_int(&l->builder, type, -1);
  return value_result(pm_build_binary(&l->builder, &arith_xori, convert(l, a, type), ones));
}

static unsigned bits_of(pm_type type) {
  return pm_is_index(type) ? 64 : pm_get_scalar_info((pm_scalar)type->scalar)->bits;
}

/* In the type of what is shifted. An amount that does not fit it counts as its width. */
static pm_value *shift_amount(lowering *l, const result *amount, pm_type type, place where) {
  pm_type own = own_int_type(l, amount, where);
  int64_t width = bits_of(type);
  if (amount->kind == RESULT_INT && (amount->i < 0 || amount->i > width))
    return arith_build_int(&l->builder, type, width);
  if (amount->kind == RESULT_INT || bits_of(own) <= width) return convert(l, amount, type);
  pm_type wide = scalar(l, PM_U64);
  pm_value *most = arith_build_int(&l->builder, wide, width);
  pm_value *least = pm_build_binary(&l->builder, &arith_mini, convert(l, amount, wide), most);
  return arith_build_cast(&l->builder, least, type);
}

static result emit_shift(lowering *l, const dsl_expr *e, const result *args, place where) {
  pm_type type = own_int_type(l, &args[0], where);
  const pm_op_desc *desc = e->op == DSL_SHL ? &arith_shli : &arith_shri;
  pm_value *v = convert(l, &args[0], type), *amount = shift_amount(l, &args[1], type, where);
  return value_result(pm_build_binary(&l->builder, desc, v, amount));
}

static result emit_bits(lowering *l, const dsl_expr *e, const result *args, place where) {
  if (is_float_result(&args[0]) || is_float_result(&args[1])) {
    pm_error(l->ctx, e->loc, "'%s' has an operand that is not an integer, %s, Cast(Int, …) makes one",
             bits_name(e->op), e->op == DSL_BIT_NOT ? "it should be one" : "both should be integers");
    return (result){0};
  }
  switch (e->op) {
  case DSL_BIT_NOT:
    return emit_inversion(l, &args[0], where);
  case DSL_SHL:
  case DSL_SHR:
    return emit_shift(l, e, args, where);
  default:
    return emit_arithmetic(l, e, &args[0], &args[1], where);
  }
}

/* All arguments are emitted and none failed. */
static result emit_node(lowering *l, dsl_expr *e, const result *args, place where) {
  pm_builder *b = &l->builder;
  b->loc = e->loc;
  switch (e->op) {
  case DSL_INT:
    return int_result(e->i);
  case DSL_REAL:
    return real_result(e->f);
  case DSL_SYMBOL:
    return emit_symbol(l, e, where);
  case DSL_READ:
    return emit_read(l, e);
  case DSL_STENCIL:
    return args[0];
  case DSL_ELEMENT:
    return value_result(pm_res(pm_def(args[0].v), (unsigned)e->i));
  case DSL_RANDOM:
    return emit_random(l, e);
  case DSL_NEG:
    return emit_negation(l, &args[0], where);
  case DSL_ABS:
    return emit_abs(l, &args[0], where);
  case DSL_CAST:
    return emit_cast(l, e, &args[0]);
  case DSL_SELECT:
    return emit_select(l, args, where);
  case DSL_AND:
    return value_result(pm_build_binary(b, &arith_andi, args[0].v, args[1].v));
  case DSL_OR:
    return value_result(pm_build_binary(b, &arith_ori, args[0].v, args[1].v));
  case DSL_EXP:
  case DSL_LOG:
  case DSL_SIN:
  case DSL_COS:
  case DSL_SQRT:
    return value_result(
        pm_build_unary(b, function_desc(e->op), convert(l, &args[0], function_type(l, &args[0], &args[0]))));
  case DSL_BIT_AND:
  case DSL_BIT_OR:
  case DSL_BIT_XOR:
  case DSL_BIT_NOT:
  case DSL_SHL:
  case DSL_SHR:
    return emit_bits(l, e, args, where);
  case DSL_POW: {
    pm_type type = function_type(l, &args[0], &args[1]);
    pm_value *base = convert(l, &args[0], type);
    return value_result(pm_build_binary(b, &math_pow, base, convert(l, &args[1], type)));
  }
  default:
    return dsl_is_cond(e->op) ? emit_comparison(l, e, args, where)
                              : emit_arithmetic(l, e, &args[0], &args[1], where);
  }
}

/* --- the walk --- */

typedef struct step {
  dsl_expr *e;
  place where;
  uint32_t next; /* child to look at */
} step;

typedef PM_VEC(step) step_stack;

/* Child number `i` and where it stands; NULL when there is none. False after a diagnostic. */
static bool child_of(lowering *l, const step *s, uint32_t i, dsl_expr **child, place *where) {
  dsl_expr *e = s->e;
  *child = NULL;
  *where = s->where;
  if (e->op == DSL_STENCIL) {
    if (i == 0) return (*child = dsl_expand_stencil(l->program, e, l->domain)) != NULL;
  } else if (e->op == DSL_READ) {
    *where = IN_INDEX;
    if (e->n_args == e->symbol->n_dims && i < plan_of(l, e)->n_operands)
      *child = operand_of(plan_of(l, e), i);
  } else if (i < e->n_args) {
    *child = e->args[i];
  }
  return true;
}

static result *result_slot(lowering *l, dsl_expr *e, place where) {
  return &emitted_of(l, e)->of[where];
}

static bool is_done(lowering *l, dsl_expr *e, place where) {
  return emitted_of(l, e)->stamp[where] == l->case_stamp;
}

static void gather(lowering *l, const step *s, result args[3]) {
  if (s->e->op == DSL_READ) return;
  for (uint32_t i = 0; i < 3; i++) {
    dsl_expr *child;
    place where;
    if (!child_of(l, s, i, &child, &where) || !child) return;
    args[i] = *result_slot(l, child, where);
  }
}

/* The children are done: makes the node. False after a diagnostic. */
static bool finish(lowering *l, const step *s) {
  result args[3] = {{0}, {0}, {0}};
  gather(l, s, args);
  result r = emit_node(l, s->e, args, s->where);
  *result_slot(l, s->e, s->where) = r;
  s->e->emitted->stamp[s->where] = l->case_stamp;
  return r.kind != RESULT_NONE;
}

static bool needs_no_step(const step *parent, const dsl_expr *child) {
  return parent->e->op == DSL_READ && child->op == DSL_SYMBOL;
}

static bool advance(lowering *l, step_stack *stack) {
  step *top = &PM_VEC_LAST(*stack);
  dsl_expr *child;
  place where;
  if (is_done(l, top->e, top->where)) {
    (void)PM_VEC_POP(*stack);
    return true;
  }
  if (!child_of(l, top, top->next, &child, &where)) return false;
  if (!child) {
    step done = PM_VEC_POP(*stack);
    return finish(l, &done);
  }
  top->next++;
  if (needs_no_step(top, child) || is_done(l, child, where)) return true;
  step below = {.e = child, .where = where};
  PM_VEC_PUSH(*stack, below);
  return true;
}

static bool emit(lowering *l, dsl_expr *e, place where, result *out) {
  step_stack stack = {0};
  step first = {.e = e, .where = where};
  PM_VEC_PUSH(stack, first);
  bool ok = true;
  while (ok && stack.len > 0) ok = advance(l, &stack);
  PM_VEC_FREE(stack);
  if (ok) *out = *result_slot(l, e, where);
  return ok;
}

pm_value *lower_value(lowering *l, dsl_expr *e, pm_type type) {
  result r;
  if (!emit(l, e, IN_VALUE, &r)) return NULL;
  l->builder.loc = e->loc;
  return convert(l, &r, type);
}

pm_value *lower_condition(lowering *l, dsl_expr *e) {
  result r;
  return emit(l, e, IN_VALUE, &r) ? r.v : NULL;
}

bool lower_indices(lowering *l, dsl_expr *read, pm_affine_map *map, lower_values *operands) {
  if (!check_rank(l, read)) return false;
  const kit_index *p = plan_of(l, read);
  result r;
  for (unsigned i = 0; i < p->n_operands; i++)
    if (operand_of(p, i)->op != DSL_SYMBOL && !emit(l, operand_of(p, i), IN_INDEX, &r)) return false;
  *map = p->map;
  return index_operands(l, p, operands);
}
