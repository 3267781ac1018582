/* What values of a body may be: relations compared as relations, and random bodies against the interpreter.
 */
#include "dialects/dialects.h"
#include "dialects/stage/analyses/graph.h"
#include "dialects/stage/interpreter/interp.h"
#include "dialects/stage/analyses/values.h"
#include "ir/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
  pm_context *ctx;
  pm_module *module;
  pm_op *pipeline;
  pm_buf log;
} fixture;

static void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%u:%s\n", diag->loc.line, diag->message);
}

static void open_text(fixture *f, const char *text) {
  *f = (fixture){.ctx = pm_context_new()};
  pm_register_all_dialects(f->ctx);
  pm_set_diag_handler(f->ctx, remember, &f->log);
  f->module = pm_parse_module(f->ctx, "test", text, strlen(text), true);
  if (!f->module) fail_msg("%s\n%s", f->log.data, text);
  f->pipeline = pm_module_body(f->module)->first;
}

static void close_fixture(fixture *f) {
  pm_module_free(f->module);
  pm_context_free(f->ctx);
  pm_buf_free(&f->log);
}

/* The one case of @f, and what it yields. */
static pm_op *case_of_f(fixture *f) {
  pm_op *func = pm_lookup_symbol(pm_region_at(f->pipeline, 0), pm_get_cstring(f->ctx, "f"));
  return pm_region_at(func, stage_func_cases)->first;
}

static pm_value *yielded(const pm_op *case_op) {
  return pm_arg(pm_terminator(pm_region_at(case_op, 0)), 0);
}

/* --- rows --- */

#define ON_CASE " : R >= 4 and 0 <= x < R and 0 <= y < R"

static const char stages[] = "  %R = stage.param @R : i32\n"
                             "  %N = stage.param @N : index\n"
                             "  stage.input @u8 : u8 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\">\n"
                             "  stage.input @i32 : i32 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\">\n"
                             "  stage.input @u32 : u32 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\">\n"
                             "  stage.input @f32 : f32 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\">\n"
                             "  stage.func @low : u8 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\"> {\n"
                             "    stage.case(%i) on #isl.set<\"[R] -> { [i] : 0 <= i < R }\"> {\n"
                             "      %v = stage.read @u8[%i] : u8\n      %k = arith.constant 15 : u8\n"
                             "      %w = arith.andi %v, %k : u8\n      stage.yield %w : u8\n    }\n  }\n"
                             "  stage.func @row : i32 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\"> {\n"
                             "    stage.case(%i) on #isl.set<\"[R] -> { [i] : 0 <= i < R }\"> {\n"
                             "      %v = stage.read @i32[%i] : i32\n      %w = arith.remi %v, %R : i32\n"
                             "      stage.yield %w : i32\n    }\n  }\n"
                             "  stage.func @unit : f32 on #isl.set<\"[R] -> { [i] : 0 <= i < R }\"> {\n"
                             "    stage.case(%i) on #isl.set<\"[R] -> { [i] : 0 <= i < R }\"> {\n"
                             "      %v = stage.read @u8[%i] : u8\n      %w = arith.cast %v : (u8) -> f32\n"
                             "      %k = arith.constant 255.0 : f32\n      %q = arith.divf %w, %k : f32\n"
                             "      stage.yield %q : f32\n    }\n  }\n";

static const char constants[] = "      %xi = arith.cast %x : (index) -> i32\n"
                                "      %yi = arith.cast %y : (index) -> i32\n"
                                "      %m3 = arith.constant -3 : i32\n"
                                "      %zero = arith.constant 0 : i32\n"
                                "      %one = arith.constant 1 : i32\n"
                                "      %two = arith.constant 2 : i32\n"
                                "      %ten = arith.constant 10 : i32\n"
                                "      %last = arith.subi %R, %one : i32\n"
                                "      %f0 = arith.constant 0.0 : f32\n"
                                "      %f1 = arith.constant 1.0 : f32\n"
                                "      %f10 = arith.constant 10.0 : f32\n"
                                "      %p = stage.read @u8[%x] : u8\n"
                                "      %q = stage.read @i32[%x] : i32\n"
                                "      %u = stage.read @u32[%x] : u32\n"
                                "      %v = stage.read @f32[%x] : f32\n";

/* `ops` end with the value %r of the type. */
static void put_program(pm_buf *text, const char *ops, const char *type) {
  pm_buf_printf(text, "stage.pipeline @p context #isl.set<\"[R] -> { : R >= 4 }\"> {\n%s", stages);
  pm_buf_printf(
      text, "  stage.func @f : %s on #isl.set<\"[R] -> { [x, y] : 0 <= x < R and 0 <= y < R }\"> {\n", type);
  pm_buf_puts(text,
              "    stage.case(%x, %y) on #isl.set<\"[R] -> { [x, y] : 0 <= x < R and 0 <= y < R }\"> {\n");
  pm_buf_printf(text, "%s      %s\n      stage.yield %%r : %s\n    }\n  }\n  stage.output @f\n}\n", constants,
                ops, type);
}

typedef struct value_row {
  const char *ops, *type;
  const char *relation; /* of the case's instances, without their constraints */
  bool exact;
  const char *unbounded; /* the op, or NULL */
} value_row;

static const value_row rows[] = {
    /* functions of the point and the params */
    {"%r = arith.addi %xi, %one : i32", "i32", "f[x, y] -> [x + 1]", true, NULL},
    {"%r = arith.subi %xi, %yi : i32", "i32", "f[x, y] -> [x - y]", true, NULL},
    {"%r = arith.subi %xi, %xi : i32", "i32", "f[x, y] -> [0]", true, NULL},
    {"%r = arith.addi %x, %y : index", "index", "f[x, y] -> [x + y]", true, NULL},
    {"%k = arith.constant 10 : index %r = arith.muli %k, %x : index", "index", "f[x, y] -> [10x]", true,
     NULL},
    {"%k = arith.constant -10 : index %r = arith.muli %x, %k : index", "index", "f[x, y] -> [-10x]", true,
     NULL},
    {"%r = arith.divi %xi, %two : i32", "i32", "f[x, y] -> [floor(x/2)]", true, NULL},
    {"%r = arith.divi %xi, %m3 : i32", "i32", "f[x, y] -> [-floor(x/3)]", true, NULL},
    {"%d = arith.subi %xi, %yi : i32 %r = arith.trunc_div %d, %two : i32", "i32",
     "f[x, y] -> [floor((x - y)/2)] : x >= y; f[x, y] -> [-floor((y - x)/2)] : x < y", true, NULL},
    {"%d = arith.subi %xi, %yi : i32 %r = arith.trunc_rem %d, %two : i32", "i32",
     "f[x, y] -> [(x - y) mod 2] : x >= y; f[x, y] -> [-((y - x) mod 2)] : x < y", true, NULL},
    {"%d = arith.subi %xi, %yi : i32 %r = arith.remi %d, %m3 : i32", "i32", "f[x, y] -> [(x - y) mod 3]",
     true, NULL},
    {"%d = arith.subi %xi, %yi : i32 %r = arith.shri %d, %two : i32", "i32", "f[x, y] -> [floor((x - y)/4)]",
     true, NULL},
    {"%a = arith.subi %xi, %one : i32 %b = arith.maxi %a, %zero : i32 %r = arith.mini %b, %last : i32", "i32",
     "f[x, y] -> [x - 1] : x >= 1; f[x, y] -> [0] : x < 1", true, NULL},
    {"%c = arith.cmp lt, %xi, %yi : i32 %r = arith.select %c, %xi, %yi : i32", "i32",
     "f[x, y] -> [x] : x < y; f[x, y] -> [y] : x >= y", true, NULL},
    {"%c = arith.cmp ge, %xi, %two : i32 %d = arith.cmp lt, %yi, %two : i32 %e = arith.andi %c, %d : i1 %r = "
     "arith.select %e, %xi, %one : i32",
     "i32", "f[x, y] -> [x] : x >= 2 and y < 2; f[x, y] -> [1] : x < 2 or y >= 2", true, NULL},
    {"%a = arith.addi %x, %y : index %b = arith.cast %R : (i32) -> index %r = arith.remi %a, %b : index",
     "index", "f[x, y] -> [x + y] : x + y < R; f[x, y] -> [x + y - R] : x + y >= R", true, NULL},
    {"%a = arith.subi %x, %y : index %b = arith.cast %R : (i32) -> index %r = arith.remi %a, %b : index",
     "index", "f[x, y] -> [x - y] : x >= y; f[x, y] -> [x - y + R] : x < y", true, NULL},
    {"%r = arith.cast %N : (index) -> index", "index", "f[x, y] -> [N]", true, NULL},
    {"%r = arith.divi %xi, %zero : i32", "i32", "f[x, y] -> [0]", true, NULL},
    /* sums that may wrap */
    {"%a = arith.addi %xi, %R : i32 %r = arith.maxi %a, %zero : i32", "i32",
     "f[x, y] -> [x + R] : x + R < 2147483648; f[x, y] -> [r] : x + R >= 2147483648 and r >= 0", false,
     "arith.addi"},
    {"%a = arith.cast %xi : (i32) -> u8 %r = arith.cast %a : (u8) -> i32", "i32",
     "f[x, y] -> [r] : 0 <= r <= 255", false, NULL},
    {"%r = arith.addi %p, %p : u8", "u8", "f[x, y] -> [r] : 0 <= r <= 255", false, NULL},
    {"%a = arith.cast %p : (u8) -> i32 %r = arith.addi %a, %a : i32", "i32",
     "f[x, y] -> [r] : 0 <= r <= 510 and r mod 2 = 0", false, NULL},
    /* values of stages */
    {"%r = arith.cast %p : (u8) -> index", "index", "f[x, y] -> [r] : 0 <= r <= 255", false, NULL},
    {"%r = arith.cast %q : (i32) -> index", "index", "f[x, y] -> [r]", false, "stage.read"},
    {"%r = arith.cast %u : (u32) -> index", "index", "f[x, y] -> [r] : r >= 0", false, "stage.read"},
    {"%a = arith.maxi %q, %zero : i32 %r = arith.mini %a, %last : i32", "i32", "f[x, y] -> [r] : 0 <= r < R",
     false, NULL},
    {"%c = arith.cmp lt, %q, %zero : i32 %a = arith.select %c, %zero, %q : i32 %d = arith.cmp gt, %a, %ten : "
     "i32 %r = arith.select %d, %ten, %a : i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 10", false, NULL},
    {"%r = arith.remi %q, %R : i32", "i32", "f[x, y] -> [r] : 0 <= r < R", false, NULL},
    {"%r = arith.trunc_rem %q, %ten : i32", "i32", "f[x, y] -> [r] : -9 <= r <= 9", false, NULL},
    {"%a = arith.cast %p : (u8) -> i32 %r = arith.divi %a, %ten : i32", "i32",
     "f[x, y] -> [r] : 0 <= r <= 25", false, NULL},
    {"%a = arith.cast %p : (u8) -> i32 %b = arith.subi %a, %ten : i32 %r = arith.muli %b, %b : i32", "i32",
     "f[x, y] -> [r] : -2450 <= r <= 60025", false, NULL},
    {"%a = arith.cast %p : (u8) -> i32 %r = arith.shli %a, %two : i32", "i32",
     "f[x, y] -> [r] : 0 <= r <= 1020 and r mod 4 = 0", false, NULL},
    {"%r = stage.read @low[%x] : u8", "u8", "f[x, y] -> [r] : 0 <= r <= 15", false, NULL},
    {"%r = stage.read @row[%x] : i32", "i32", "f[x, y] -> [r] : 0 <= r < R", false, NULL},
    /* floats */
    {"%a = arith.maxf %v, %f0 : f32 %b = arith.minf %a, %f1 : f32 %c = arith.mulf %b, %f10 : f32 %r = "
     "arith.cast %c : (f32) -> i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 10", false, NULL},
    {"%a = arith.maxf %f0, %v : f32 %b = arith.minf %f1, %a : f32 %r = arith.cast %b : (f32) -> i32", "i32",
     "f[x, y] -> [r]", false, "arith.cast"},
    {"%r = arith.cast %v : (f32) -> i32", "i32", "f[x, y] -> [r]", false, "arith.cast"},
    {"%a = arith.cast %v : (f32) -> i32 %b = arith.maxi %a, %zero : i32 %r = arith.mini %b, %ten : i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 10", false, NULL},
    {"%a = arith.cast %p : (u8) -> f32 %b = arith.divf %a, %f10 : f32 %c = math.floor %b : f32 %r = "
     "arith.cast "
     "%c : (f32) -> index",
     "index", "f[x, y] -> [r] : 0 <= r <= 25", false, NULL},
    {"%a = arith.cast %p : (u8) -> f32 %b = arith.divf %a, %f10 : f32 %c = math.trunc %b : f32 %r = "
     "arith.cast %c : (f32) -> i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 25", false, NULL},
    {"%a = arith.cast %p : (u8) -> f32 %b = arith.divf %a, %f10 : f32 %c = math.rint %b : f32 %r = "
     "arith.cast %c : (f32) -> i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 26", false, NULL},
    {"%a = arith.cast %p : (u8) -> f32 %b = math.atan %a : f32 %c = arith.mulf %b, %f10 : f32 %r = "
     "arith.cast "
     "%c : (f32) -> i32",
     "i32", "f[x, y] -> [r] : -15 <= r <= 15", false, NULL},
    {"%a = arith.cast %p : (u8) -> f32 %b = math.atan2 %a, %f1 : f32 %c = arith.mulf %b, %f10 : f32 %r = "
     "arith.cast %c : (f32) -> i32",
     "i32", "f[x, y] -> [r] : -31 <= r <= 31", false, NULL},
    {"%a = math.tanh %v : f32 %r = arith.cast %a : (f32) -> i32", "i32", "f[x, y] -> [r]", false,
     "arith.cast"},
    {"%r = arith.bitcast %v : (f32) -> i32", "i32", "f[x, y] -> [r]", false, "arith.bitcast"},
    {"%a = arith.bitcast %q : (i32) -> f32 %r = arith.cast %a : (f32) -> i32", "i32", "f[x, y] -> [r]", false,
     "arith.cast"},
    {"%a = stage.read @unit[%x] : f32 %b = arith.mulf %a, %f10 : f32 %r = arith.cast %b : (f32) -> i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 10", false, NULL},
    {"%n = arith.cast %N : (index) -> f64 %r = arith.cast %n : (f64) -> i64", "i64", "f[x, y] -> [r]", false,
     "arith.cast"},
    {"%a = arith.divf %f1, %v : f32 %b = arith.minf %a, %f1 : f32 %c = arith.maxf %b, %f0 : f32 %d = "
     "arith.mulf %c, %f10 : f32 %e = arith.addf %d, %f1 : f32 %r = arith.cast %e : (f32) -> i32",
     "i32", "f[x, y] -> [r] : 1 <= r <= 11", false, NULL},
    {"%a = arith.maxf %v, %f1 : f32 %b = arith.minf %a, %f10 : f32 %c = arith.mulf %b, %f1 : f32 %d = "
     "arith.subf %c, %f1 : f32 %r = arith.cast %d : (f32) -> i32",
     "i32", "f[x, y] -> [r] : 0 <= r <= 9", false, NULL},
    {"%r = arith.sat_cast %v : (f32) -> u8", "u8", "f[x, y] -> [r] : 0 <= r <= 255", false, NULL},
    {"%r = arith.sat_cast %xi : (i32) -> u8", "u8", "f[x, y] -> [x] : x <= 255; f[x, y] -> [255] : x > 255",
     true, NULL},
};

/* The row's relation on the points of the case. */
static isl_map *expected_relation(isl_ctx *isl, const char *relation) {
  pm_buf text = {0};
  pm_buf_printf(&text, "[R, N] -> { %s }", relation);
  isl_map *map = isl_map_read_from_str(isl, text.data);
  pm_buf_free(&text);
  return isl_map_intersect_domain(map, isl_set_read_from_str(isl, "[R] -> { f[x, y]" ON_CASE " }"));
}

static void check_row(const value_row *row) {
  pm_buf text = {0};
  put_program(&text, row->ops, row->type);
  fixture f;
  open_text(&f, text.data);
  pm_op *case_op = case_of_f(&f);
  stage_values *values = stage_values_new(f.pipeline);
  stage_value_bounds got = stage_value_relation(values, yielded(case_op), case_op);
  isl_map *expected = expected_relation(pm_isl_ctx(f.ctx), row->relation);
  if (isl_map_is_equal(got.relation, expected) != isl_bool_true)
    fail_msg("%s gives %s", row->ops, isl_map_to_str(got.relation));
  if (got.exact != row->exact) fail_msg("%s is exact: %d", row->ops, got.exact);
  const char *source = got.unbounded ? pm_def(got.unbounded)->desc->name : "nothing";
  if (strcmp(source, row->unbounded ? row->unbounded : "nothing") != 0)
    fail_msg("%s: %s leaves it without bounds", row->ops, source);
  isl_map_free(expected);
  isl_map_free(got.relation);
  stage_values_free(values);
  close_fixture(&f);
  pm_buf_free(&text);
}

static void values_become_relations(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(rows); i++) check_row(&rows[i]);
}

/* --- random bodies --- */

enum { SIZE = 7, N_OPS = 9, N_PROGRAMS = 400 };

typedef struct random_state {
  uint64_t s;
} random_state;

static uint64_t next_random(random_state *r) {
  r->s ^= r->s << 13;
  r->s ^= r->s >> 7;
  r->s ^= r->s << 17;
  return r->s >> 11;
}

static unsigned below(random_state *r, size_t n) {
  return (unsigned)(next_random(r) % n);
}

static const char *const scalar_names[] = {"i8",  "u8",  "i16",   "u16", "i32",
                                           "u32", "i64", "index", "f32", "f64"};
enum { N_INTS = 8, N_SCALARS = 10 };

/* Types of the values %0 .. of a random body. */
typedef struct random_body {
  pm_buf text;
  unsigned types[64];
  unsigned n;
  random_state random;
} random_body;

static unsigned add_value(random_body *b, unsigned type) {
  b->types[b->n] = type;
  return b->n++;
}

/* A value of the type: an earlier one, or a cast of any. */
static unsigned value_of(random_body *b, unsigned type) {
  for (unsigned tries = 0; tries < 6; tries++) {
    unsigned v = below(&b->random, b->n);
    if (b->types[v] == type) return v;
  }
  unsigned v = below(&b->random, b->n);
  if (b->types[v] == type) return v;
  const char *op = type < N_INTS && below(&b->random, 4) == 0 ? "sat_cast" : "cast";
  unsigned r = add_value(b, type);
  pm_buf_printf(&b->text, "      %%%u = arith.%s %%%u : (%s) -> %s\n", r, op, v, scalar_names[b->types[v]],
                scalar_names[type]);
  return r;
}

static void add_constant(random_body *b, unsigned type) {
  static const int numbers[] = {-7, -2, -1, 0, 1, 2, 3, 5, 8, 15, 63, 100, 127};
  int number = numbers[below(&b->random, PM_COUNT(numbers))];
  if (type < N_INTS && scalar_names[type][0] == 'u' && number < 0) number = -number;
  unsigned r = add_value(b, type);
  pm_buf_printf(&b->text, "      %%%u = arith.constant %d%s : %s\n", r, number, type < N_INTS ? "" : ".5",
                scalar_names[type]);
}

static void add_binary(random_body *b, unsigned type) {
  static const char *const ints[] = {"addi",      "subi", "muli", "divi", "remi", "trunc_div",
                                     "trunc_rem", "mini", "maxi", "andi", "ori",  "xori",
                                     "shli",      "shri", "mini", "maxi"};
  static const char *const floats[] = {"addf", "subf", "mulf", "divf", "minf", "maxf", "minf", "maxf"};
  if (below(&b->random, 2)) add_constant(b, type);
  unsigned l = value_of(b, type), r = value_of(b, type);
  const char *op =
      type < N_INTS ? ints[below(&b->random, PM_COUNT(ints))] : floats[below(&b->random, PM_COUNT(floats))];
  pm_buf_printf(&b->text, "      %%%u = arith.%s %%%u, %%%u : %s\n", b->n, op, l, r, scalar_names[type]);
  add_value(b, type);
}

static void add_select(random_body *b, unsigned type) {
  static const char *const preds[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  unsigned compared = below(&b->random, 3) ? type : below(&b->random, N_SCALARS);
  unsigned l = value_of(b, compared), r = value_of(b, compared);
  unsigned x = below(&b->random, 2) && compared == type ? l : value_of(b, type);
  unsigned y = below(&b->random, 2) && compared == type ? r : value_of(b, type);
  unsigned name = b->n;
  pm_buf_printf(&b->text, "      %%c%u = arith.cmp %s, %%%u, %%%u : %s\n", name,
                preds[below(&b->random, PM_COUNT(preds))], l, r, scalar_names[compared]);
  pm_buf_printf(&b->text, "      %%%u = arith.select %%c%u, %%%u, %%%u : %s\n", name, name, x, y,
                scalar_names[type]);
  add_value(b, type);
}

static void add_unary(random_body *b, unsigned type) {
  static const char *const ops[] = {"math.floor", "math.ceil", "math.round", "math.trunc", "math.rint",
                                    "math.atan",  "math.tanh", "math.abs",   "math.sqrt",  "arith.negf"};
  if (type < N_INTS) {
    value_of(b, type);
    return;
  }
  unsigned v = value_of(b, type);
  pm_buf_printf(&b->text, "      %%%u = %s %%%u : %s\n", b->n, ops[below(&b->random, PM_COUNT(ops))], v,
                scalar_names[type]);
  add_value(b, type);
}

static void add_reads(random_body *b) {
  static const struct {
    const char *op;
    unsigned type;
  } leaves[] = {{"stage.read @a[%x, %y] : u8", 1},     {"stage.read @b[%y, %x] : i32", 4},
                {"stage.read @c[%x, %y] : f32", 8},    {"arith.cast %x : (index) -> i32", 4},
                {"arith.cast %y : (index) -> i16", 2}, {"arith.cast %R : (i32) -> index", 7}};
  for (size_t i = 0; i < PM_COUNT(leaves); i++) {
    pm_buf_printf(&b->text, "      %%%u = %s\n", b->n, leaves[i].op);
    add_value(b, leaves[i].type);
  }
}

/* A pipeline whose output @f holds one value of a random body, of the type that comes back. */
static unsigned put_random_program(random_body *b) {
  static const char set[] = "#isl.set<\"[R] -> { [x, y] : 0 <= x < R and 0 <= y < R }\">";
  pm_buf body = {0};
  add_reads(b);
  for (unsigned i = 0; i < N_OPS; i++) {
    unsigned type = below(&b->random, N_SCALARS), kind = below(&b->random, 5);
    if (kind == 0)
      add_select(b, type);
    else if (kind == 1)
      add_unary(b, type);
    else
      add_binary(b, type);
  }
  unsigned result = below(&b->random, N_INTS), value = value_of(b, result);
  for (unsigned tries = 0; value < 6 && tries < 20; tries++) value = value_of(b, result);
  pm_buf_printf(
      &body,
      "stage.pipeline @p context #isl.set<\"[R] -> { : R >= 4 }\"> fp \"strict\" {\n"
      "  %%R = stage.param @R : i32\n  stage.input @a : u8 on %s\n  stage.input @b : i32 on %s\n"
      "  stage.input @c : f32 on %s\n  stage.func @f : %s on %s {\n    stage.case(%%x, %%y) on %s {\n",
      set, set, set, scalar_names[result], set, set);
  pm_buf_printf(&body, "%s      stage.yield %%%u : %s\n    }\n  }\n  stage.output @f\n}\n", b->text.data,
                value, scalar_names[result]);
  pm_buf_free(&b->text);
  b->text = body;
  return result;
}

static void fill_inputs(random_state *r, uint8_t *a, int32_t *b, float *c) {
  static const int32_t edges[] = {INT32_MIN, INT32_MIN + 1, -1, 0, 1, INT32_MAX - 1, INT32_MAX};
  static const float floats[] = {0, -0.5f, 1, 1e30f, -1e30f, 255.75f, -3.25f, 2147483648.0f};
  for (size_t i = 0; i < SIZE * SIZE; i++) {
    a[i] = (uint8_t)(below(r, 3) ? below(r, 256) : below(r, 2) * 255);
    b[i] = below(r, 2) ? edges[below(r, PM_COUNT(edges))] : (int32_t)below(r, 600) - 300;
    c[i] = below(r, 8) > 0 ? floats[below(r, PM_COUNT(floats))] : NAN;
  }
}

static int64_t load_cell(unsigned type, const void *data, size_t at) {
  switch (type) {
  case 0:
    return ((const int8_t *)data)[at];
  case 1:
    return ((const uint8_t *)data)[at];
  case 2:
    return ((const int16_t *)data)[at];
  case 3:
    return ((const uint16_t *)data)[at];
  case 4:
    return ((const int32_t *)data)[at];
  case 5:
    return ((const uint32_t *)data)[at];
  default:
    return ((const int64_t *)data)[at];
  }
}

static isl_map *at_size(isl_map *relation) {
  int at = isl_map_find_dim_by_name(relation, isl_dim_param, "R");
  return isl_map_fix_si(relation, isl_dim_param, (unsigned)at, SIZE);
}

/* What was computed at each point is in the relation, and is all of it when that is exact. */
static void check_cells(const random_body *b, unsigned type, const stage_value_bounds *bounds,
                        const void *out) {
  for (int x = 0; x < SIZE; x++)
    for (int y = 0; y < SIZE; y++) {
      int64_t value = load_cell(type, out, (size_t)(x * SIZE + y));
      isl_map *here = isl_map_fix_si(isl_map_copy(bounds->relation), isl_dim_in, 0, x);
      isl_set *may = isl_map_range(isl_map_fix_si(here, isl_dim_in, 1, y));
      isl_val *number = isl_val_int_from_si(isl_set_get_ctx(may), (long)value);
      may = isl_set_fix_val(may, isl_dim_set, 0, number);
      if (isl_set_is_empty(may) != isl_bool_false)
        fail_msg("%lld at [%d, %d] is not in %s\n%s", (long long)value, x, y,
                 isl_map_to_str(bounds->relation), b->text.data);
      isl_set_free(may);
    }
}

static pm_array square(pm_scalar scalar, void *data) {
  return (pm_array){.scalar = scalar, .rank = 2, .extents = {SIZE, SIZE}, .data = data};
}

/* True when the relation says more than the type does. */
static bool check_random_program(uint64_t seed) {
  static const pm_scalar scalars[] = {PM_I8, PM_U8, PM_I16, PM_U16, PM_I32, PM_U32, PM_I64, PM_INDEX};
  static uint8_t a[SIZE * SIZE];
  static int32_t c[SIZE * SIZE];
  static float d[SIZE * SIZE];
  static int64_t out[SIZE * SIZE];
  random_body b = {.random = {seed * 0x9e3779b97f4a7c15u + 1}};
  unsigned type = put_random_program(&b);
  fixture f;
  open_text(&f, b.text.data);
  fill_inputs(&b.random, a, c, d);
  pm_array inputs[] = {square(PM_U8, a), square(PM_I32, c), square(PM_F32, d)};
  pm_array output = square(scalars[type], out);
  pm_lane param = {.i = SIZE};
  pm_call call = {&param, 1, inputs, 3, &output, 1};
  if (!stage_interpret(f.pipeline, &call)) fail_msg("%s\n%s", f.log.data, b.text.data);
  pm_op *case_op = case_of_f(&f);
  stage_values *values = stage_values_new(f.pipeline);
  stage_value_bounds bounds = stage_value_relation(values, yielded(case_op), case_op);
  bounds.relation = at_size(bounds.relation);
  check_cells(&b, type, &bounds, out);
  bool known = bounds.exact || (!bounds.unbounded && type >= 4);
  isl_map_free(bounds.relation);
  stage_values_free(values);
  close_fixture(&f);
  pm_buf_free(&b.text);
  return known;
}

static void assert_relation(const fixture *f, stage_values *values, const pm_op *case_op, const char *text) {
  stage_value_bounds got = stage_value_relation(values, yielded(case_op), case_op);
  isl_map *expected = expected_relation(pm_isl_ctx(f->ctx), text);
  assert_int_equal(isl_map_is_equal(got.relation, expected), isl_bool_true);
  isl_map_free(expected);
  isl_map_free(got.relation);
}

static void what_is_forgotten_is_found_again(void **state) {
  (void)state;
  pm_buf text = {0};
  fixture f;
  put_program(&text, "%k = arith.constant 3 : i32 %r = arith.addi %q, %k : i32", "i32");
  open_text(&f, text.data);
  pm_op *case_op = case_of_f(&f), *sum = pm_def(yielded(case_op));
  stage_values *values = stage_values_new(f.pipeline);
  assert_relation(&f, values, case_op, "f[x, y] -> [r]");
  pm_op *constant = pm_def(pm_arg(sum, 1));
  pm_set_operand(sum, 0, pm_res(constant, 0));
  stage_values_forget(values, pm_parent_of(case_op, &stage_func));
  assert_relation(&f, values, case_op, "f[x, y] -> [6]");
  stage_values_free(values);
  close_fixture(&f);
  pm_buf_free(&text);
}

/* PM_VALUES_SEEDS=N checks N programs. */
static void random_values_are_in_their_relations(void **state) {
  (void)state;
  const char *given = getenv("PM_VALUES_SEEDS");
  unsigned long n = given ? strtoul(given, NULL, 10) : N_PROGRAMS, known = 0;
  for (unsigned long seed = 1; seed <= n; seed++) known += check_random_program(seed);
  assert_true(known * 10 > n);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_become_relations),
      cmocka_unit_test(what_is_forgotten_is_found_again),
      cmocka_unit_test(random_values_are_in_their_relations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
