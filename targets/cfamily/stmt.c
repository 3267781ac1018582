/* Statements of one thread: variables, loops, conditions, stores. */
#include <stdlib.h>
#include <string.h>

#include "dialects/arith/arith.h"
#include "dialects/loop/analyses/loops.h"
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/cfamily/cfamily.h"

const char *c_name_value(c_emitter *e, const pm_value *value, const char *fallback) {
  pm_str hint = value->name ? (pm_str){value->name->text, value->name->len} : pm_str_of(fallback);
  c_var *var = c_var_of(e, value);
  var->name = c_new_name(&e->names, hint);
  return var->name;
}

/* --- carried values --- */

/* The variable does not change while the values of a yield are assigned. */
static bool is_stable(c_emitter *e, const pm_value *v) {
  return pm_constant_value(v) || (!pm_is_arg(v) && c_var_of(e, v)->name);
}

/* Values of a yield into the variables of the results; all are computed before any is assigned that the
 * region can read, which is so in loops only. */
static void assign_results(c_emitter *e, const pm_op *yield, const pm_op *op) {
  unsigned n = yield->n_operands;
  const char **next = pm_arena_alloc(e->arena, (n + 1) * sizeof(*next));
  for (unsigned i = 0; i < n; i++) {
    const pm_value *v = pm_arg(yield, i);
    if (n == 1 || pm_is(op, &loop_if) || is_stable(e, v) ||
        c_var_of(e, v)->name == c_var_of(e, pm_res(op, i))->name)
      continue;
    next[i] = c_new_name(&e->names, PM_STR("next"));
    c_begin(e);
    c_put(e, "const %s %s = ", c_value_type(e, pm_res(op, i)), next[i]);
    c_expr_as(e, v, pm_res(op, i));
    c_put(e, ";");
    c_end(e);
  }
  for (unsigned i = 0; i < n; i++) {
    if (c_var_of(e, pm_arg(yield, i))->name == c_var_of(e, pm_res(op, i))->name) continue;
    c_begin(e);
    c_put(e, "%s = ", c_var_of(e, pm_res(op, i))->name);
    if (next[i])
      c_put(e, "%s", next[i]);
    else
      c_expr_as(e, pm_arg(yield, i), pm_res(op, i));
    c_put(e, ";");
    c_end(e);
  }
}

static void emit_return(c_emitter *e, const pm_op *yield) {
  c_begin(e);
  c_put(e, "return ");
  c_expr(e, pm_arg(yield, 0), C_ANY);
  c_put(e, ";");
  c_end(e);
}

static void emit_yield(c_emitter *e, const pm_op *yield) {
  if (pm_is(pm_parent(yield), &loop_func)) {
    emit_return(e, yield);
    return;
  }
  if (yield->n_operands) assign_results(e, yield, pm_parent(yield));
}

/* A variable nobody reads would be warned about. */
static void use_results(c_emitter *e, const pm_op *op) {
  for (unsigned i = 0; i < op->n_results; i++)
    if (!c_is_used(e, pm_res(op, i))) c_line(e, "(void)%s;", c_var_of(e, pm_res(op, i))->name);
}

/* --- loops --- */

static bool is_simple(c_emitter *e, const pm_value *v) {
  const pm_op *def = pm_def(v);
  if (pm_constant_value(v) || c_var_of(e, v)->name) return true;
  if (!pm_is(def, &arith_addi) && !pm_is(def, &arith_subi)) return false;
  for (unsigned i = 0; i < 2; i++)
    if (!pm_constant_value(pm_arg(def, i)) && !c_var_of(e, pm_arg(def, i))->name) return false;
  return loop_is_exact(e->ranges, v);
}

static const char *counter_hint(const pm_op *op) {
  static const char *const usual[] = {"i", "j", "k", "l", "m"};
  const pm_value *counter = pm_region_at(op, 0)->args[0];
  unsigned depth = 0;
  if (counter->name) return counter->name->text;
  for (const pm_op *up = pm_parent(op); up; up = pm_parent(up))
    depth += pm_is(up, &loop_for) || pm_is(up, &loop_parallel);
  return usual[depth < PM_COUNT(usual) ? depth : PM_COUNT(usual) - 1];
}

const char *c_declare_bound(c_emitter *e, const pm_op *loop) {
  const pm_value *ub = pm_arg(loop, 1);
  if (is_simple(e, ub)) return NULL;
  pm_buf hint = {0};
  pm_buf_printf(&hint, "%s_end", counter_hint(loop));
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  c_begin(e);
  c_put(e, "const %s %s = ", c_value_type(e, ub), name);
  c_expr(e, ub, C_ANY);
  c_put(e, ";");
  c_end(e);
  return name;
}

static void put_bound(c_emitter *e, const char *variable, const pm_value *bound, int min) {
  if (variable)
    c_put(e, "%s", variable);
  else
    c_expr(e, bound, min);
}

void c_open_loop(c_emitter *e, const pm_op *op, const char *begin, const char *end) {
  unsigned slot = pm_is(op, &loop_for) ? (unsigned)loop_for_step : (unsigned)loop_parallel_step;
  int64_t step = pm_int_at(op, slot);
  const pm_value *counter_value = pm_region_at(op, 0)->args[0];
  const char *counter = c_name_value(e, counter_value, counter_hint(op));
  c_begin(e);
  c_put(e, "for (%s %s = ", c_value_type(e, counter_value), counter);
  put_bound(e, begin, pm_arg(op, 0), C_TERNARY);
  c_put(e, "; %s < ", counter);
  put_bound(e, end, pm_arg(op, 1), C_SUM);
  if (step == 1)
    c_put(e, "; %s++) {", counter);
  else
    c_put(e, "; %s += %lld) {", counter, (long long)step);
  c_end(e);
  e->indent++;
}

static void declare_carried(c_emitter *e, const pm_op *op) {
  const pm_region *body = pm_region_at(op, loop_for_body);
  for (unsigned i = 0; i < op->n_results; i++) {
    const pm_value *result = pm_res(op, i), *arg = body->args[i + 1];
    const char *name = c_name_value(e, result->name ? result : arg, "acc");
    c_var_of(e, result)->name = c_var_of(e, arg)->name = name;
    c_begin(e);
    c_put(e, "%s %s = ", c_value_type(e, result), name);
    c_expr_as(e, pm_arg(op, loop_for_inits + i), result);
    c_put(e, ";");
    c_end(e);
  }
}

void c_sequential(c_emitter *e, const pm_op *op) {
  const char *end = c_declare_bound(e, op);
  size_t scope = c_open_scope(&e->names);
  if (e->language->before_loop) e->language->before_loop(e, op);
  c_open_loop(e, op, NULL, end);
  c_region(e, pm_region_at(op, 0));
  c_close_block(e);
  c_close_scope(&e->names, scope);
}

static void emit_for(c_emitter *e, const pm_op *op) {
  loop_streaming copy;
  if (e->language->streaming && loop_find_streaming(op, &copy)) {
    e->language->streaming(e, op, &copy);
    return;
  }
  c_comment_location(e, op);
  declare_carried(e, op);
  c_sequential(e, op);
  use_results(e, op);
}

/* --- conditions, stores --- */

static void emit_if(c_emitter *e, const pm_op *op) {
  const pm_region *other = pm_region_at(op, loop_if_else);
  c_comment_location(e, op);
  for (unsigned i = 0; i < op->n_results; i++)
    c_line(e, "%s %s;", c_value_type(e, pm_res(op, i)), c_name_value(e, pm_res(op, i), "chosen"));
  c_begin(e);
  c_put(e, "if (");
  c_expr(e, pm_arg(op, loop_if_condition), C_ANY);
  c_put(e, ") {");
  c_end(e);
  e->indent++;
  c_region(e, pm_region_at(op, loop_if_then));
  if (other->present && other->first) {
    e->indent--;
    c_line(e, "} else {");
    e->indent++;
    c_region(e, other);
  }
  c_close_block(e);
  use_results(e, op);
}

static void emit_store(c_emitter *e, const pm_op *op) {
  loop_access access;
  if (!loop_find_access(op, &access)) pm_panic(op, "is no access");
  c_comment_location(e, op);
  c_begin(e);
  c_element(e, &access);
  c_put(e, " = ");
  c_expr(e, pm_arg(op, buf_store_value), C_ANY);
  c_put(e, ";");
  c_end(e);
}

/* --- constants --- */

enum { NUMBERS_COLUMN = 100 };

static void put_new_line(c_emitter *e, const char *indent) {
  c_put(e, "\n");
  c_begin(e);
  c_put(e, "%s", indent);
}

/* `static const uint8_t lut[3] = {3, 1, 2};`. Many numbers, and rows, stand on lines of their own. */
static void emit_constant(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, buf_constant_buffer);
  pm_attr values = pm_attr_at(op, buf_constant_values);
  uint32_t row = v->type->rank ? (uint32_t)v->type->dims[v->type->rank - 1] : 1;
  bool lines = values->len > 16 || values->len > row;
  c_comment_location(e, op);
  c_begin(e);
  c_put(e, "%s %s %s[%u] = {", e->language->constant, c_type_name(e, v->type), c_name_value(e, v, "constant"),
        values->len);
  for (uint32_t i = 0; i < values->len; i++) {
    bool breaks = lines && (i % row == 0 || e->out->len - e->line_start > NUMBERS_COLUMN);
    if (i) c_put(e, breaks ? "," : ", ");
    if (breaks) put_new_line(e, "  ");
    c_number_of(e, (pm_scalar)v->type->scalar, values->numbers[i], C_TERNARY);
  }
  if (lines) put_new_line(e, "");
  c_put(e, "};\n");
}

/* --- variables --- */

/* A conversion between integers that the initialization of a variable makes without a cast. */
static bool initializes_by_itself(const pm_op *op) {
  if (!pm_is(op, &arith_cast) || pm_constant_value(pm_arg(op, 0)) || c_is_vector_op(op)) return false;
  return pm_is_int_or_index(pm_arg(op, 0)->type) && !pm_is_bool(pm_res(op, 0)->type);
}

static pm_str alloc_name(const pm_value *buffer) {
  pm_string stage = pm_sym_at(pm_def(buffer), buf_alloc_stage), name = buffer->name;
  if (name) return (pm_str){name->text, name->len};
  return stage ? (pm_str){stage->text, stage->len} : PM_STR("tmp");
}

pm_str c_array_name(const pm_value *buffer) {
  const pm_op *def = pm_def(buffer);
  if (pm_is(def, &buf_alloc)) return alloc_name(buffer);
  pm_string sym = pm_attr_named(def, "sym")->s;
  return (pm_str){sym->text, sym->len};
}

/* The array whose extent the operand is, and in which of its operands. */
static const pm_value *array_of_extent(const pm_op *user, unsigned *operand) {
  unsigned i = 0;
  while (i + 1 < user->n_results && *operand >= buf_open_sizes(pm_res(user, i)->type))
    *operand -= buf_open_sizes(pm_res(user, i++)->type);
  return pm_res(user, i);
}

/* A name by what the value is used for: an extent of an array, a bound of a loop. */
static void put_use_hint(const pm_op *user, unsigned operand, pm_buf *out) {
  if (pm_is(user, &buf_workspace)) {
    pm_buf_puts(out, "bytes");
  } else if (pm_is(user, &buf_alloc) && operand >= buf_first_extent(user, user->n_results)) {
    pm_str array = user->n_results > 1 ? PM_STR("pool") : c_array_name(pm_res(user, 0));
    bool is_offset = buf_alloc_workspace(user) && operand + 1 == user->n_operands;
    pm_buf_printf(out, "%.*s_%s", (int)array.len, array.ptr, is_offset ? "at" : "bytes");
  } else if (pm_is(user, &buf_input) || pm_is(user, &buf_output) || pm_is(user, &buf_alloc)) {
    pm_str array = c_array_name(array_of_extent(user, &operand));
    pm_buf_printf(out, "%.*s_n%u", (int)array.len, array.ptr, operand);
  } else if ((pm_is(user, &loop_for) || pm_is(user, &loop_parallel)) && operand < 2)
    pm_buf_printf(out, "%s_%s", counter_hint(user), operand ? "end" : "begin");
}

/* `R64` of a parameter R made 64 bits wide, `img_v` of an element, or what the use says. */
static void put_hint(c_emitter *e, const pm_op *op, pm_buf *out) {
  const pm_value *v = pm_res(op, 0);
  loop_access access;
  if (v->name) {
    pm_buf_puts(out, v->name->text);
  } else if (loop_find_access(op, &access)) {
    pm_str array = c_array_name(access.buffer);
    pm_buf_printf(out, "%.*s_v", (int)array.len, array.ptr);
  } else if (pm_is(op, &arith_cast) && pm_is(pm_def(pm_arg(op, 0)), &loop_param)) {
    unsigned bits = pm_get_scalar_info((pm_scalar)v->type->scalar)->bits;
    pm_buf_printf(out, "%s%u", c_var_of(e, pm_arg(op, 0))->name, bits);
  }
  PM_FOR_USES(use, v)
  if (!out->len) put_use_hint(pm_user(use), pm_operand_number(use), out);
  if (!out->len) pm_buf_puts(out, "t");
}

void c_variable(c_emitter *e, const pm_op *op) {
  const pm_value *v = pm_res(op, 0);
  pm_buf hint = {0};
  put_hint(e, op, &hint);
  const char *name = c_new_name(&e->names, (pm_str){hint.data, hint.len});
  pm_buf_free(&hint);
  c_begin(e);
  c_put(e, "const %s %s = ", c_value_type(e, v), name);
  if (initializes_by_itself(op))
    c_expr(e, pm_arg(op, 0), C_ANY);
  else
    c_op_expr(e, op, C_ANY);
  c_put(e, ";");
  c_end(e);
  c_var_of(e, v)->name = name;
}

/* --- the table --- */

void c_no_statement(c_emitter *e, const pm_op *op) {
  (void)e;
  (void)op;
}

static const c_statement_row statements[] = {
    {&loop_param, c_no_statement},  {&loop_for, emit_for},        {&loop_if, emit_if},
    {&loop_yield, emit_yield},      {&buf_input, c_no_statement}, {&buf_output, c_no_statement},
    {&buf_constant, emit_constant}, {&buf_store, emit_store},     {NULL, NULL},
};

static const c_statement_row *find_row(const c_statement_row *rows, const pm_op *op) {
  while (rows->desc && rows->desc != op->desc) rows++;
  return rows->desc ? rows : NULL;
}

void c_usual_statement(c_emitter *e, const pm_op *op) {
  const c_statement_row *row = find_row(statements, op);
  if (row)
    row->emit(e, op);
  else
    c_variable(e, op);
}

void c_statement(c_emitter *e, const pm_op *op) {
  if (!c_is_statement(e, op)) return;
  const c_statement_row *row = find_row(e->language->statements, op);
  if (row)
    row->emit(e, op);
  else
    c_usual_statement(e, op);
}

void c_region(c_emitter *e, const pm_region *region) {
  size_t scope = c_open_scope(&e->names);
  PM_FOR_OPS(op, region) c_statement(e, op);
  if (e->language->end_region) e->language->end_region(e, region);
  c_close_scope(&e->names, scope);
}
