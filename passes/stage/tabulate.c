/* tabulate: what calls of functions compute of one integer of few values is read from a table.
 *
 *                                                 |  stage.func @exp : f32 on { [i] : 0 <= i < 511 } {
 *                                                 |    stage.case(%i) on {…} {
 *                                                 |      … of %i - 255 …
 *                                                 |      %0 = math.exp %d : f32
 *                                                 |      stage.yield %0 : f32
 *                                                 |    }
 *                                                 |  }
 *   stage.func @weight : f32 on {…} {             |  stage.func @weight : f32 on {…} {
 *     stage.case(%x) on {…} {                     |    stage.case(%x) on {…} {
 *       %a = arith.cast %0 : (u8) -> f32          |      %a = arith.cast %0 : (u8) -> i32
 *       %b = arith.cast %1 : (u8) -> f32          |      %b = arith.cast %1 : (u8) -> i32
 *       %c = arith.subf %a, %b : f32              |      %c = arith.subi %a, %b : i32
 *       %d = arith.mulf %c, %k : f32              |      … %c + 255 as an index …
 *       %e = math.exp %d : f32                    |      %e = stage.read @exp[%i] : f32
 *
 * Pixels of 8 bits and their differences have few values, and functions of the C library are not vectorized.
 * So bilateral weights, gamma curves and logarithms of such pixels take most of a program's time. A table has
 * the same bits as the calls: it is made by the same operations.
 *
 * A float is an integer where it is converted from one, or is a sum, difference or product of such floats
 * that the type holds exactly. The integer of a table is the last value before the call that has few values,
 * as stage-values bounds them, so that all taps of a window share a table.
 */
#include "dialects/arith/arith.h"
#include "dialects/arith/range.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/machine/machine.h"
#include "dialects/poly/poly.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/analyses/values.h"
#include "dialects/stage/analyses/work.h"
#include "dialects/stage/inlining.h"
#include "passes/options.h"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>
#include <math.h>
#include <string.h>

/* Calls that compute the same of integers with the same bounds. */
typedef struct table {
  pm_string key;
  arith_range of;
  double points;   /* at which they are computed */
  pm_string stage; /* once it is made */
  size_t n;
} table;

typedef struct call {
  pm_op *op, *body;
  pm_value *integer;
  size_t table;
} call;

typedef struct tabulation {
  pm_pass *pass;
  const stage_graph *graph;
  stage_values *values;
  double bytes; /* most of a table */
  int64_t least;
  const pm_op *body; /* at hand */
  pm_arena *arena;
  pm_map *ranges; /* of floats of the bodies -> arith_range */
  PM_VEC(table) tables;
  PM_VEC(call) calls;
} tabulation;

/* --- integers --- */

#define MOST_OF_FLOAT 0x1p30 /* of a float that is taken as an integer of 32 bits */

/* Up to here floats of the type are exact; 0: it is none. */
static double exact_limit(pm_type type) {
  return type->scalar == PM_F32 ? 0x1p24 : type->scalar == PM_F64 ? 0x1p53 : 0;
}

static bool is_scalar_integer(pm_type type) {
  return pm_is_int_or_index(type) && !pm_is_bool(type);
}

static arith_range range_of(const tabulation *t, pm_value *v);

/* Of a sum, difference or product of two floats that are integers; no product that may be -0.0, which a table
 * does not have. */
static arith_range range_of_two(const tabulation *t, const pm_op *op) {
  arith_range a = range_of(t, pm_arg(op, 0)), b = range_of(t, pm_arg(op, 1));
  if (pm_is(op, &arith_addf)) return arith_range_add(a, b);
  if (pm_is(op, &arith_subf)) return arith_range_sub(a, b);
  bool has_zero = (a.lo <= 0 && a.hi >= 0) || (b.lo <= 0 && b.hi >= 0);
  if (!pm_is(op, &arith_mulf) || (has_zero && (a.lo < 0 || b.lo < 0))) return arith_unknown_range();
  return arith_range_mul(a, b);
}

static arith_range range_of_float(const tabulation *t, pm_value *v) {
  pm_attr constant = pm_constant_value(v);
  const pm_op *op = pm_is_arg(v) ? NULL : pm_def(v);
  if (constant) {
    bool is = fabs(constant->f) <= MOST_OF_FLOAT && floor(constant->f) == constant->f &&
              !(constant->f == 0 && signbit(constant->f));
    return is ? (arith_range){true, (int64_t)constant->f, (int64_t)constant->f} : arith_unknown_range();
  }
  if (!op) return arith_unknown_range();
  if (!pm_is(op, &arith_cast)) return op->n_operands == 2 ? range_of_two(t, op) : arith_unknown_range();
  return is_scalar_integer(pm_arg(op, 0)->type) ? range_of(t, pm_arg(op, 0)) : arith_unknown_range();
}

/* The integers that the value always is; unknown where it is none. Those of floats are of 32 bits, and their
 * type has them exactly. Found once for each value of the body. */
static arith_range range_of(const tabulation *t, pm_value *v) {
  arith_range range = {0};
  double limit = exact_limit(v->type);
  if (is_scalar_integer(v->type)) {
    range.known = stage_value_span(t->values, v, t->body, &range.lo, &range.hi);
    return range;
  }
  if (!limit) return range;
  const arith_range *known = pm_map_get(t->ranges, v);
  if (known) return *known;
  range = range_of_float(t, v);
  if (limit > MOST_OF_FLOAT) limit = MOST_OF_FLOAT;
  if ((double)range.lo < -limit || (double)range.hi > limit) range = arith_unknown_range();
  pm_map_set(t->ranges, v, pm_arena_memdup(t->arena, &range, sizeof range));
  return range;
}

/* A table of the type has no more entries than it may. */
static bool has_few_values(const tabulation *t, pm_value *v, pm_type type) {
  arith_range range = range_of(t, v);
  return range.known &&
         ((double)range.hi - (double)range.lo + 1) * (double)pm_element_bytes(type) <= t->bytes;
}

/* --- what a call computes --- */

/* The same in all points of a call of the pipeline. */
static bool is_same_everywhere(const pm_value *v) {
  return pm_constant_value(v) || (!pm_is_arg(v) && pm_is(pm_def((pm_value *)v), &stage_param));
}

/* Finds the one integer of few values that `v` is computed of, for a table of the type; false: there are
 * others, or what is none. */
static bool find_integer(const tabulation *t, pm_value *v, pm_type type, pm_map *seen, pm_value **integer) {
  const pm_op *op = pm_is_arg(v) ? NULL : pm_def(v);
  if (pm_map_has(seen, v) || is_same_everywhere(v)) return true;
  pm_map_set(seen, v, v);
  bool converts = op && pm_is(op, &arith_cast) && is_scalar_integer(pm_arg(op, 0)->type) &&
                  has_few_values(t, pm_arg(op, 0), type);
  if (!converts && has_few_values(t, v, type)) {
    if (*integer && *integer != v) return false;
    *integer = v;
    return true;
  }
  if (!op || !(op->desc->traits & PM_PURE) || op->n_regions || op->n_results != 1) return false;
  for (unsigned i = 0; i < op->n_operands; i++)
    if (!find_integer(t, pm_arg(op, i), type, seen, integer)) return false;
  return true;
}

/* A text that is equal for equal computations: values are numbered by the places where they end in it. */
static void put_key(pm_buf *text, pm_value *v, const pm_value *integer, pm_map *places) {
  if (v == integer || pm_map_has(places, v)) {
    pm_buf_printf(text, "#%zu ", v == integer ? (size_t)0 : (size_t)(uintptr_t)pm_map_get(places, v));
    return;
  }
  const pm_op *op = pm_def(v);
  pm_buf_printf(text, "%s:%p", op->desc->name, (const void *)v->type);
  for (unsigned i = 0; i < op->desc->n_attrs; i++)
    pm_buf_printf(text, ",%p", (const void *)pm_attr_at(op, i));
  pm_buf_puts(text, "(");
  for (unsigned i = 0; i < op->n_operands; i++) put_key(text, pm_arg(op, i), integer, places);
  pm_buf_puts(text, ") ");
  pm_map_set(places, v, (void *)(uintptr_t)text->len);
}

static pm_string key_of(const tabulation *t, const call *c, arith_range of) {
  pm_buf text = {0};
  pm_map *places = pm_map_new();
  pm_buf_printf(&text, "%lld %lld %p ", (long long)of.lo, (long long)of.hi, (const void *)c->integer->type);
  put_key(&text, pm_res(c->op, 0), c->integer, places);
  pm_map_free(places);
  pm_string key = pm_get_string(t->graph->ctx, (pm_str){text.data, text.len});
  pm_buf_free(&text);
  return key;
}

static size_t find_table(tabulation *t, pm_string key, arith_range of) {
  for (size_t i = 0; i < t->tables.len; i++)
    if (t->tables.data[i].key == key) return i;
  PM_VEC_PUSH(t->tables, ((table){.key = key, .of = of}));
  return t->tables.len - 1;
}

static void visit_body(tabulation *t, pm_op *body) {
  double points = -1;
  t->body = body;
  PM_FOR_OPS(op, pm_region_at(body, 0)) {
    call c = {.op = op, .body = body};
    if (op->desc->cost != PM_COST_CALL || !exact_limit(pm_res(op, 0)->type)) continue;
    pm_map *seen = pm_map_new();
    bool is = true;
    for (unsigned i = 0; i < op->n_operands && is; i++)
      is = find_integer(t, pm_arg(op, i), pm_res(op, 0)->type, seen, &c.integer);
    pm_map_free(seen);
    if (!is || !c.integer) continue;
    arith_range of = range_of(t, c.integer);
    if (points < 0) {
      isl_set *instances = stage_instances(body);
      points = stage_points_in(t->graph, instances, pm_usual_size(t->graph->pipeline));
      isl_set_free(instances);
    }
    c.table = find_table(t, key_of(t, &c, of), of);
    t->tables.data[c.table].points += points;
    t->tables.data[c.table].n++;
    PM_VEC_PUSH(t->calls, c);
  }
}

/* --- tables --- */

static pm_value *clone_of(pm_builder *b, pm_value *v, pm_map *clones) {
  if (pm_map_has(clones, v)) return pm_map_get(clones, v);
  pm_op *op = pm_def(v);
  if (pm_is(op, &stage_param)) return v;
  pm_map *operands = pm_map_new();
  for (unsigned i = 0; i < op->n_operands; i++)
    pm_map_set(operands, pm_arg(op, i), clone_of(b, pm_arg(op, i), clones));
  pm_op *clone = pm_clone(b->module, op, operands);
  pm_map_free(operands);
  pm_insert(b->region, b->before, clone);
  pm_map_set(clones, v, pm_res(clone, 0));
  return pm_res(clone, 0);
}

/* A stage of all values of the integer, ahead of the one that has the call. */
static void build_table(const tabulation *t, table *made, const call *c) {
  pm_context *ctx = t->graph->ctx;
  pm_op *reader = c->body->region->op;
  pm_buf text = {0};
  pm_buf_printf(&text, "{ [i] : 0 <= i < %lld }", (long long)(made->of.hi - made->of.lo + 1));
  pm_attr domain = isl_attr_of_set(ctx, isl_set_read_from_str(pm_isl_ctx(ctx), text.data));
  pm_buf_free(&text);
  const char *dot = strrchr(c->op->desc->name, '.');
  pm_string i = pm_get_cstring(ctx, "i");
  made->stage = stage_unused_name(reader, dot ? dot + 1 : c->op->desc->name);
  pm_builder b = pm_builder_before(reader);
  b.loc = c->op->loc;
  pm_op *func = stage_build_func(&b, made->stage, pm_res(c->op, 0)->type, domain, NULL);
  pm_region *body = stage_begin_body(stage_build_case(func, b.loc, domain), &i, 1);
  pm_builder in = pm_builder_at_end(pm_module_of(reader), body, b.loc);
  pm_value *first = arith_build_index(&in, made->of.lo);
  pm_value *integer = pm_build_binary(&in, &arith_addi, body->args[0], first);
  pm_map *clones = pm_map_new();
  pm_map_set(clones, c->integer, arith_build_cast(&in, integer, c->integer->type));
  pm_value *value = clone_of(&in, pm_res(c->op, 0), clones);
  stage_build_yield(&in, &value, 1);
  pm_map_free(clones);
}

/* The float that is an integer, as one of 32 bits. */
static pm_value *integer_of(pm_builder *b, pm_value *v) {
  pm_type type = pm_get_scalar(pm_module_context(b->module), PM_I32);
  pm_attr constant = pm_constant_value(v);
  const pm_op *op = pm_is_arg(v) ? NULL : pm_def(v);
  if (constant) return arith_build_int(b, type, (int64_t)constant->f);
  if (pm_is(op, &arith_cast)) return arith_build_cast(b, pm_arg(op, 0), type);
  const pm_op_desc *desc = pm_is(op, &arith_addf)   ? &arith_addi
                           : pm_is(op, &arith_subf) ? &arith_subi
                                                    : &arith_muli;
  pm_value *l = integer_of(b, pm_arg(op, 0)), *r = integer_of(b, pm_arg(op, 1));
  return pm_build_binary(b, desc, l, r);
}

/* By its relation the integer is one of the table, as it has to be proven of a read. */
static bool is_inside(const tabulation *t, pm_value *integer, const pm_op *body, arith_range of) {
  stage_value_bounds bounds = stage_value_relation(t->values, integer, body);
  isl_set *numbers = isl_map_range(bounds.relation), *all = isl_set_universe(isl_set_get_space(numbers));
  isl_ctx *isl = isl_set_get_ctx(all);
  all = isl_set_lower_bound_val(all, isl_dim_set, 0, isl_val_int_from_si(isl, (long)of.lo));
  all = isl_set_upper_bound_val(all, isl_dim_set, 0, isl_val_int_from_si(isl, (long)of.hi));
  bool is = isl_set_is_subset(numbers, all) == isl_bool_true;
  isl_set_free(numbers);
  isl_set_free(all);
  return is;
}

static void read_table(const tabulation *t, const table *of, const call *c) {
  pm_builder b = pm_builder_before(c->op);
  pm_context *ctx = t->graph->ctx;
  pm_affine_expr index = pm_affine_dim(ctx, 0);
  pm_value *integer = is_scalar_integer(c->integer->type) ? c->integer : integer_of(&b, c->integer);
  integer = arith_build_cast(&b, integer, pm_get_index(ctx));
  if (!is_inside(t, integer, c->body, of->of)) {
    integer = pm_build_binary(&b, &arith_maxi, integer, arith_build_index(&b, of->of.lo));
    integer = pm_build_binary(&b, &arith_mini, integer, arith_build_index(&b, of->of.hi));
  }
  if (of->of.lo) integer = pm_build_binary(&b, &arith_subi, integer, arith_build_index(&b, of->of.lo));
  pm_value *read = stage_build_read(&b, of->stage, pm_res(c->op, 0)->type,
                                    pm_get_affine_map(ctx, 1, 0, &index, 1), &integer, NULL);
  pm_replace_op(c->op, &read);
}

/* Something with an effect is computed of the value, not of calls alone for which a table is read now. Those
 * in `seen` are known not to be needed. */
static bool is_needed(const pm_value *v, pm_map *seen) {
  PM_FOR_USES(use, v) {
    pm_op *owner = pm_user(use);
    if (!(owner->desc->traits & PM_PURE)) return true;
    if (pm_map_has(seen, owner)) continue;
    for (unsigned i = 0; i < owner->n_results; i++)
      if (is_needed(pm_res(owner, i), seen)) return true;
    pm_map_set(seen, owner, owner);
  }
  return false;
}

/* From the last one on: what a call is computed of comes ahead of it. */
static void make_tables(tabulation *t) {
  for (size_t i = t->calls.len; i-- > 0;) {
    const call *c = &t->calls.data[i];
    table *of = &t->tables.data[c->table];
    bool is_worth = of->points >= (double)t->least * ((double)of->of.hi - (double)of->of.lo + 1);
    pm_map *seen = pm_map_new();
    bool needed = is_worth && is_needed(pm_res(c->op, 0), seen);
    pm_map_free(seen);
    if (!needed) continue;
    if (!of->stage) {
      build_table(t, of, c);
      pm_pass_remark(
          t->pass, c->op->loc, PM_REMARK_PASSED, NULL, 0,
          "'%s' of one integer from %lld to %lld is read from the table @%pS in place of %zu call%s",
          c->op->desc->name, (long long)of->of.lo, (long long)of->of.hi, (const void *)of->stage, of->n,
          of->n == 1 ? "" : "s");
      pm_pass_stat(t->pass, "tables made", 1);
    }
    read_table(t, of, c);
  }
}

pm_result pass_tabulate(pm_pass *pass) {
  const stage_graph *graph = STAGE_GRAPH(pass);
  if (!graph) return PM_FAILED;
  /* The user says where stages are computed, and says nothing of those that would be made here. */
  if (poly_has_demands(graph->pipeline)) return PM_UNCHANGED;
  pm_machine machine;
  if (!pm_machine_of(graph->pipeline, &machine)) return PM_FAILED;
  tabulation t = {.pass = pass,
                  .graph = graph,
                  .values = STAGE_VALUES(pass),
                  .arena = pm_arena_new(),
                  .ranges = pm_map_new(),
                  .bytes = (double)machine.l1_bytes * (double)pm_opt_int(pass, tabulate_opt_percent) / 100,
                  .least = pm_opt_int(pass, tabulate_opt_least)};
  PM_VEC(pm_op *) bodies = {0};
  for (size_t i = 0; i < graph->nodes.len; i++) {
    const stage_node *node = graph->nodes.data[i];
    if (!pm_is(node->op, &stage_func)) continue;
    PM_FOR_OPS(body, pm_region_at(node->op, stage_func_cases)) PM_VEC_PUSH(bodies, body);
  }
  for (size_t i = 0; i < bodies.len; i++) visit_body(&t, bodies.data[i]);
  make_tables(&t);
  bool made = false;
  for (size_t i = 0; i < t.tables.len; i++) made = made || t.tables.data[i].stage;
  for (size_t i = 0; made && i < bodies.len; i++) stage_tidy_body(pm_region_at(bodies.data[i], 0));
  PM_VEC_FREE(bodies);
  PM_VEC_FREE(t.tables);
  PM_VEC_FREE(t.calls);
  pm_map_free(t.ranges);
  pm_arena_free(t.arena);
  return made ? PM_CHANGED : PM_UNCHANGED;
}
