/* canonicalize, cse, dce and licm on random programs: what the loop interpreter computes stays the same,
 * whichever of them run in whichever order. */
#include "dialects/dialects.h"
#include "dialects/loop/interpreter/interp.h"
#include "ir/pass.h"
#include "ir/text.h"
#include "passes/passes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CELLS = 8, MAX_DEPTH = 3, MAX_VALUES = 400 };

/* Sanitizers need each path once. */
#ifdef PM_DEBUG
enum { N_PROGRAMS = 30, WITH_ALL = 30 };
#else
enum { N_PROGRAMS = 100, WITH_ALL = 150 };
#endif

/* --- random programs --- */

/* Values in scope: those of i32 and loop counters, whose values are cells. */
typedef struct program {
  pm_buf text;
  uint64_t random;
  unsigned next; /* number of the next value */
  unsigned values[MAX_VALUES], n_values;
  unsigned counters[MAX_DEPTH], n_counters;
} program;

static unsigned pick(program *p, unsigned n) {
  p->random ^= p->random << 13;
  p->random ^= p->random >> 7;
  p->random ^= p->random << 17;
  return (unsigned)(p->random >> 20) % n;
}

static unsigned some_value(program *p) {
  return p->values[pick(p, p->n_values)];
}

static void add_to_scope(program *p, unsigned value) {
  if (p->n_values < MAX_VALUES) p->values[p->n_values++] = value;
}

static unsigned add_value(program *p) {
  add_to_scope(p, p->next);
  return p->next++;
}

static void put_arithmetic(program *p) {
  static const char *const ops[] = {"addi", "subi", "muli", "divi", "remi", "trunc_div", "trunc_rem",
                                    "mini", "maxi", "andi", "ori",  "xori", "shli",      "shri"};
  unsigned l = some_value(p), r = some_value(p);
  const char *op = ops[pick(p, PM_COUNT(ops))];
  pm_buf_printf(&p->text, "%%v%u = arith.%s %%v%u, %%v%u : i32\n", add_value(p), op, l, r);
}

static void put_constant(program *p) {
  int value = (int)pick(p, 7) - 2;
  pm_buf_printf(&p->text, "%%v%u = arith.constant %d : i32\n", add_value(p), value);
}

/* A cell: a number, or the counter of a loop around. */
static void put_cell(program *p) {
  if (p->n_counters && pick(p, 2))
    pm_buf_printf(&p->text, "%%i%u", p->counters[pick(p, p->n_counters)]);
  else
    pm_buf_printf(&p->text, "%u", pick(p, CELLS));
}

/* In a constant, at an index that is computed. */
static void put_lookup(program *p) {
  static const char *const places[] = {"%%v%u mod 4", "(%%v%u + 3) mod 4", "%%v%u mod 5 floordiv 2",
                                       "(%%v%u * -3) mod 4"};
  unsigned index = some_value(p);
  pm_buf_printf(&p->text, "%%v%u = buf.load %%k[", add_value(p));
  pm_buf_printf(&p->text, places[pick(p, PM_COUNT(places))], index);
  pm_buf_printf(&p->text, "] : memref<4xi32>\n");
}

/* In `in`, at an index that the counter has a part in. */
static void put_lookup_beside(program *p, unsigned counter) {
  static const char *const places[] = {
      "%%i%u floordiv 2 + %%v%u mod 3", "(%%i%u + 5) floordiv 3 - %%v%u mod 2",
      "%%i%u * 3 floordiv 8 + %%v%u mod 2", "-(%%i%u floordiv 2) + 4 + %%v%u mod 3"};
  unsigned index = some_value(p);
  pm_buf_printf(&p->text, "%%v%u = buf.load %%in[", add_value(p));
  pm_buf_printf(&p->text, places[pick(p, PM_COUNT(places))], counter, index);
  pm_buf_printf(&p->text, "] : memref<%dxi32>\n", CELLS);
}

static void put_load(program *p) {
  const char *from = pick(p, 2) ? "in" : "t";
  pm_buf_printf(&p->text, "%%v%u = buf.load %%%s[", add_value(p), from);
  put_cell(p);
  pm_buf_printf(&p->text, "] : memref<%dxi32%s>\n", CELLS, *from == 't' ? ", heap" : "");
}

static void put_store(program *p) {
  const char *to = pick(p, 2) ? "out" : "t";
  pm_buf_printf(&p->text, "buf.store %%v%u, %%%s[", some_value(p), to);
  put_cell(p);
  pm_buf_printf(&p->text, "] : memref<%dxi32%s>\n", CELLS, *to == 't' ? ", heap" : "");
}

static void put_body(program *p, unsigned depth);

static unsigned put_condition(program *p) {
  unsigned l = some_value(p), r = some_value(p), c = p->next++;
  pm_buf_printf(&p->text, "%%c%u = arith.cmp lt, %%v%u, %%v%u : i32\n", c, l, r);
  return c;
}

static void put_if(program *p, unsigned depth) {
  unsigned condition = put_condition(p), outside = p->n_values, result = p->next++;
  pm_buf_printf(&p->text, "%%v%u = loop.if %%c%u : (i32) {\n", result, condition);
  for (int arm = 0; arm < 2; arm++) {
    put_body(p, depth);
    pm_buf_printf(&p->text, "loop.yield %%v%u : i32\n}%s", some_value(p), arm ? "\n" : " else {\n");
    p->n_values = outside;
  }
  add_to_scope(p, result);
}

static void put_for(program *p, unsigned depth) {
  unsigned outside = p->n_values, result = p->next++, counter = p->next++, carried = p->next++;
  unsigned init = some_value(p);
  pm_buf_printf(&p->text, "%%v%u = loop.for %%i%u = %%n%u to %%n%u step 1 carry(%%v%u = %%v%u) : (i32) {\n",
                result, counter, pick(p, 3), pick(p, CELLS + 1), carried, init);
  p->counters[p->n_counters++] = counter;
  add_to_scope(p, carried);
  put_body(p, depth);
  pm_buf_printf(&p->text, "loop.yield %%v%u : i32\n}\n", some_value(p));
  p->n_counters--;
  p->n_values = outside;
  add_to_scope(p, result);
}

/* An expression of at most so many levels, from 0 to CELLS. */
static void put_index(program *p, unsigned levels) {
  static const char *const forms[] = {"min(", "max(", "(", "((", "("};
  static const char *const between[] = {", ", ", ", " * 3 + ", " - 1) * -2 + ", " + 7 - "};
  static const char *const ends[] = {")", ")", ") mod 9", ") mod 8", ") floordiv 4 mod 9"};
  unsigned form = pick(p, PM_COUNT(forms) + 2);
  if (levels == 0 || form >= PM_COUNT(forms)) {
    pm_buf_printf(&p->text, pick(p, 2) ? "%u" : "%%n%u", pick(p, CELLS));
    return;
  }
  pm_buf_puts(&p->text, forms[form]);
  put_index(p, levels - 1);
  pm_buf_puts(&p->text, between[form]);
  put_index(p, levels - 1);
  pm_buf_puts(&p->text, ends[form]);
}

/* It carries nothing, and may run from a bound to a smaller one. */
static void put_unrolled(program *p, unsigned depth) {
  unsigned outside = p->n_values, counter = p->next++;
  pm_buf_printf(&p->text, "loop.for %%i%u = ", counter);
  put_index(p, 3);
  pm_buf_puts(&p->text, " to ");
  put_index(p, 3);
  pm_buf_printf(&p->text, " step %u unroll %u {\n", 1 + pick(p, 3), 2 + pick(p, 3));
  p->counters[p->n_counters++] = counter;
  put_body(p, depth);
  pm_buf_puts(&p->text, "}\n");
  p->n_counters--;
  p->n_values = outside;
}

/* A value that needs few bits, in all of them. */
static void put_small(program *p) {
  static const char *const types[] = {"i8", "u8", "i16", "u16"};
  const char *type = types[pick(p, PM_COUNT(types))];
  unsigned small = p->next++;
  pm_buf_printf(&p->text, "%%s%u = arith.cast %%v%u : (i32) -> %s\n", small, some_value(p), type);
  pm_buf_printf(&p->text, "%%v%u = arith.cast %%s%u : (%s) -> i32\n", add_value(p), small, type);
}

/* Of values that were put last, so that some need few bits. */
static void put_sums(program *p) {
  static const char *const ops[] = {"addi", "subi", "muli", "mini", "maxi", "andi",      "ori",
                                    "xori", "shli", "shri", "divi", "remi", "trunc_div", "trunc_rem"};
  for (unsigned i = 1 + pick(p, 5); i > 0; i--) {
    unsigned l = p->values[p->n_values - 1 - pick(p, 2)], r = p->values[p->n_values - 1 - pick(p, 3)];
    if (pick(p, 5) == 0) {
      unsigned c = p->next++;
      pm_buf_printf(&p->text, "%%c%u = arith.cmp le, %%v%u, %%v%u : i32\n", c, l, some_value(p));
      pm_buf_printf(&p->text, "%%v%u = arith.select %%c%u, %%v%u, %%v%u : i32\n", add_value(p), c, l, r);
    } else {
      pm_buf_printf(&p->text, "%%v%u = arith.%s %%v%u, %%v%u : i32\n", p->next, ops[pick(p, PM_COUNT(ops))],
                    l, r);
      add_value(p);
    }
  }
}

/* It may run in any order: a cell of `out` is a look-up by what is in the cell of `in`. */
static void put_vector(program *p) {
  unsigned outside = p->n_values, counter = p->next++;
  bool prefetches = pick(p, 2), nontemporal = pick(p, 2);
  pm_buf_printf(&p->text, "loop.for %%i%u = %%n%u to %%n%u step 1 simd%s {\n", counter, pick(p, 3),
                pick(p, CELLS + 1), prefetches ? " prefetch 1" : "");
  if (prefetches) pm_buf_printf(&p->text, "buf.prefetch %%in[%%i%u + 9] : memref<%dxi32>\n", counter, CELLS);
  pm_buf_printf(&p->text, "%%v%u = buf.load %%in[%%i%u] : memref<%dxi32>\n", p->next, counter, CELLS);
  add_value(p);
  for (unsigned i = 1 + pick(p, 3); i > 0; i--)
    if (i > 1 && pick(p, 2))
      put_arithmetic(p);
    else if (pick(p, 2))
      put_lookup(p);
    else if (pick(p, 2))
      put_lookup_beside(p, counter);
    else
      for (int k = 0; k < 3; k++) put_small(p), put_small(p), put_sums(p);
  pm_buf_printf(&p->text, "buf.store %%v%u, %%out[%%i%u]%s : memref<%dxi32>\n}\n", p->next - 1, counter,
                nontemporal ? " {nontemporal}" : "", CELLS);
  p->n_values = outside;
}

static void put_body(program *p, unsigned depth) {
  for (unsigned i = 2 + pick(p, 9); i > 0; i--) {
    unsigned kind = pick(p, 15);
    if (kind < 3)
      put_arithmetic(p);
    else if (kind < 5)
      put_constant(p);
    else if (kind < 8)
      put_load(p);
    else if (kind < 10)
      put_store(p);
    else if (kind > 12)
      put_vector(p);
    else if (depth == MAX_DEPTH)
      put_arithmetic(p);
    else if (kind < 11)
      put_if(p, depth + 1);
    else if (kind < 12)
      put_unrolled(p, depth + 1);
    else
      put_for(p, depth + 1);
  }
}

/* All cells are written first, so that no load finds one without a value. */
static void make_program(program *p, unsigned seed) {
  *p = (program){.random = seed * 2654435761u + 1};
  pm_buf_puts(&p->text, "loop.func @f {\n");
  for (int i = 0; i < 3; i++) pm_buf_printf(&p->text, "%%v%u = loop.param @p%d : i32\n", add_value(p), i);
  pm_buf_printf(&p->text,
                "%%in = buf.input @in() : memref<%dxi32>\n%%out = buf.output @out() : memref<%dxi32>\n",
                CELLS, CELLS);
  pm_buf_printf(&p->text, "%%t = buf.alloc() : memref<%dxi32, heap>\n", CELLS);
  pm_buf_puts(&p->text, "%k = buf.constant @k dense<4xi32: [5, 5, -7, 2147483647]>\n");
  for (int i = 0; i <= CELLS; i++) pm_buf_printf(&p->text, "%%n%d = arith.constant %d : index\n", i, i);
  pm_buf_printf(&p->text,
                "loop.for %%i = %%n0 to %%n%d step 1 {\nbuf.store %%v0, %%out[%%i] : memref<%dxi32>\n"
                "buf.store %%v1, %%t[%%i] : memref<%dxi32, heap>\n}\n",
                CELLS, CELLS, CELLS);
  put_body(p, 0);
  put_body(p, 0);
  pm_buf_puts(&p->text, "}\n");
}

/* --- running --- */

static void interpret(pm_module *module, int32_t *out) {
  int32_t in[CELLS];
  pm_lane params[] = {{.i = 7}, {.i = -3}, {.i = 100000}};
  for (int i = 0; i < CELLS; i++) in[i] = i * i - 20;
  memset(out, 0, CELLS * sizeof *out);
  pm_array input = {.scalar = PM_I32, .rank = 1, .extents = {CELLS}, .data = in};
  pm_array output = {.scalar = PM_I32, .rank = 1, .extents = {CELLS}, .data = out};
  pm_call call = {params, PM_COUNT(params), &input, 1, &output, 1};
  assert_true(loop_interpret(pm_module_body(module)->first, &call, &(loop_interp_options){0}));
}

static void run_pipeline(pm_module *module, const char *text) {
  pm_pass_manager *pm = pm_pass_manager_new(pm_module_context(module));
  pm_run_config config = pm_default_run_config();
  bool parsed = pm_parse_pipeline(pm, "test", text);
  assert_true(parsed);
  bool ran = pm_run_passes(pm, module, &config);
  assert_true(ran);
  pm_pass_manager_free(pm);
}

static char *print_as(pm_module *module, pm_print_options options) {
  pm_buf text = {0};
  pm_print_module(&text, module, options);
  return pm_buf_take(&text);
}

static char *print(pm_module *module) {
  return print_as(module, (pm_print_options){0});
}

/* The text for reading parses to the same IR, and prints the same; frees `plain`. */
static void check_readable(pm_module *module, unsigned seed, char *plain) {
  char *readable = print_as(module, PM_PRINT_READABLE);
  pm_module *read = pm_parse_module(pm_module_context(module), "readable", readable, strlen(readable), true);
  if (!read) fail_msg("seed %u: this does not parse:\n%s", seed, readable);
  char *plain_again = print(read), *readable_again = print_as(read, PM_PRINT_READABLE);
  if (strcmp(plain, plain_again) != 0 || strcmp(readable, readable_again) != 0)
    fail_msg("seed %u: this is not what it is printed from:\n%s\n%s", seed, readable, plain);
  pm_module_free(read);
  free(plain);
  free(plain_again);
  free(readable);
  free(readable_again);
}

static void check_program(pm_context *ctx, unsigned seed, const char *pipeline) {
  program p;
  int32_t before[CELLS], after[CELLS];
  make_program(&p, seed);
  pm_module *module = pm_parse_module(ctx, "random", p.text.data, p.text.len, true);
  if (!module) fail_msg("seed %u does not parse", seed);
  interpret(module, before);
  run_pipeline(module, pipeline);
  interpret(module, after);
  if (memcmp(before, after, sizeof before) != 0)
    fail_msg("seed %u: '%s' changes what this computes:\n%s", seed, pipeline, p.text.data);
  char *once = print(module);
  run_pipeline(module, pipeline);
  char *twice = print(module);
  if (strstr(pipeline, ",") == NULL && strcmp(once, twice) != 0)
    fail_msg("seed %u: '%s' changes its own result:\n%s\n%s", seed, pipeline, once, twice);
  free(once);
  check_readable(module, seed, twice);
  pm_module_free(module);
  pm_buf_free(&p.text);
}

static void random_programs_mean_the_same(void **state) {
  (void)state;
  static const char *const pipelines[] = {
      "canonicalize",
      "cse",
      "dce",
      "licm",
      "licm{loads=false}",
      "lower-memref",
      "lower-memref,cse,licm,scalar-replacement,interleave-stores,canonicalize",
      "interleave-stores",
      "strip-rows{most=64}",
      "strip-rows{most=64},lower-memref,cse",
      "unroll-loops",
      "sink-stores",
      "select-lookups",
      "promote-arrays",
      "scalar-replacement{loads=8},promote-arrays,canonicalize,cse,dce",
      "list-schedule{registers=0}",
      "pack-accesses",
      "pack-calls",
      "loop.func(narrow-integers)",
      "loop.func(narrow-integers),canonicalize,dce",
      "split-lookups{least=0}",
      "lower-memref,loop.func(narrow-lookups)",
      "canonicalize,cse,licm,canonicalize,cse,scalar-replacement,dce",
      "licm,dce,cse,canonicalize"};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  const char *set = getenv("PM_TEST_LONG");
  unsigned programs = set && strcmp(set, "1") == 0 ? WITH_ALL : N_PROGRAMS;
  for (unsigned seed = 1; seed <= programs; seed++)
    for (size_t i = 0; i < PM_COUNT(pipelines); i++) check_program(ctx, seed, pipelines[i]);
  pm_context_free(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_programs_mean_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
