/* Every integer op and every conversion of the C target against the interpreter, on the values at the edges
 * of each type: with both operands variable, and with each edge value as a constant right operand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "dialects/dialects.h"
#include "dialects/loop/interp.h"
#include "ir/text.h"
#include "targets/target.h"

enum { EDGES = 12 };

static const char *const int_ops[] = {"addi", "subi", "muli", "divi", "remi", "trunc_div", "trunc_rem",
                                      "mini", "maxi", "andi", "ori",  "xori", "shli",      "shri"};
static const pm_scalar int_types[] = {PM_I8, PM_I16, PM_I32, PM_I64, PM_U8, PM_U16, PM_U32, PM_U64};

static const char *name_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->name;
}

/* Least and largest values, their neighbours, powers of two, small values of both signs; in the form of a
 * lane. */
static int64_t edge(pm_scalar scalar, int k) {
  const pm_scalar_info *info = pm_get_scalar_info(scalar);
  uint64_t mask = info->bits == 64 ? UINT64_MAX : ((uint64_t)1 << info->bits) - 1;
  uint64_t half = (uint64_t)1 << (info->bits - 1);
  const uint64_t bits[EDGES] = {0,          1,    2,        3,    7,       8, info->bits - 1u,
                                info->bits, half, half - 1, mask, mask - 6};
  uint64_t v = bits[k] & mask;
  return info->is_signed && (v & half) ? (int64_t)(v | ~mask) : (int64_t)v;
}

static void put_number(pm_buf *out, pm_scalar scalar, int64_t value) {
  if (pm_get_scalar_info(scalar)->is_signed)
    pm_buf_printf(out, "%lld", (long long)value);
  else
    pm_buf_printf(out, "%llu", (unsigned long long)value);
}

/* `buf.store %value, %o[row, %x]` of a %o with `rows` rows. */
static void put_store(pm_buf *out, const char *type, unsigned rows, unsigned row, const char *value) {
  pm_buf_printf(out, "buf.store %s, %%o%s[%u, %%x] : memref<%ux?x%s>\n", value, type, row, rows, type);
}

/* o[op][x] = a[x] op b[x] for all pairs, then o[op, constant][x] = a[x] op constant. Rows of the result. */
static unsigned put_binary_program(pm_buf *out, pm_scalar scalar) {
  const char *type = name_of(scalar);
  unsigned rows = PM_COUNT(int_ops) * (EDGES + 1), row = 0;
  pm_buf_printf(out,
                "loop.func @f {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n"
                "%%a = buf.input @a(%%n) : memref<?x%s>\n%%b = buf.input @b(%%n) : memref<?x%s>\n"
                "%%o%s = buf.output @o(%%n) : memref<%ux?x%s>\nloop.for %%x = %%c0 to %%n step 1 simd {\n"
                "%%l = buf.load %%a[%%x] : memref<?x%s>\n%%r = buf.load %%b[%%x] : memref<?x%s>\n",
                type, type, type, rows, type, type, type);
  for (unsigned i = 0; i < PM_COUNT(int_ops); i++) {
    pm_buf_printf(out, "%%v%u = arith.%s %%l, %%r : %s\n", i, int_ops[i], type);
    char value[32];
    snprintf(value, sizeof value, "%%v%u", i);
    put_store(out, type, rows, row++, value);
  }
  for (int k = 0; k < EDGES; k++) {
    pm_buf_printf(out, "%%k%d = arith.constant ", k);
    put_number(out, scalar, edge(scalar, k));
    pm_buf_printf(out, " : %s\n", type);
    for (unsigned i = 0; i < PM_COUNT(int_ops); i++) {
      char value[32];
      snprintf(value, sizeof value, "%%w%d_%u", k, i);
      pm_buf_printf(out, "%s = arith.%s %%l, %%k%d : %s\n", value, int_ops[i], k, type);
      put_store(out, type, rows, row++, value);
    }
  }
  pm_buf_puts(out, "}\n}\n");
  return rows;
}

/* o[0][x], o[1][x]: a[x] converted to `to`, wrapping and saturating; of a float only saturating. */
static unsigned put_conversion_program(pm_buf *out, pm_scalar from, pm_scalar to) {
  const char *f = name_of(from), *t = name_of(to);
  bool wraps = !pm_get_scalar_info(from)->is_float, saturates = !pm_get_scalar_info(to)->is_float;
  unsigned rows = wraps + saturates, row = 0;
  pm_buf_printf(out,
                "loop.func @f {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n"
                "%%a = buf.input @a(%%n) : memref<?x%s>\n%%b = buf.input @b(%%n) : memref<?x%s>\n"
                "%%o%s = buf.output @o(%%n) : memref<%ux?x%s>\nloop.for %%x = %%c0 to %%n step 1 {\n"
                "%%l = buf.load %%a[%%x] : memref<?x%s>\n",
                f, f, t, rows, t, f);
  if (wraps) {
    pm_buf_printf(out, "%%v = arith.cast %%l : (%s) -> %s\n", f, t);
    put_store(out, t, rows, row++, "%v");
  }
  if (saturates) {
    pm_buf_printf(out, "%%w = arith.sat_cast %%l : (%s) -> %s\n", f, t);
    put_store(out, t, rows, row, "%w");
  }
  pm_buf_puts(out, "}\n}\n");
  return rows;
}

typedef int (*emitted_fn)(int64_t n, const void *a, const void *b, void *o);

/* A shared object of the C target's text, loaded; the folder is removed. */
static void *compile(const pm_target_output *c) {
  char folder[] = P_tmpdir "/pm-semantics-XXXXXX", path[64], command[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/f.c", folder);
  assert_true(pm_write_file(path, c->source.data, c->source.len));
  snprintf(path, sizeof path, "%s/f.h", folder);
  assert_true(pm_write_file(path, c->header.data, c->header.len));
  snprintf(command, sizeof command,
           "cc -std=c11 -Wall -Werror -O1 -fopenmp-simd -fPIC -shared -o %s/f.so %s/f.c -lm", folder, folder);
  assert_int_equal(system(command), 0);
  snprintf(path, sizeof path, "%s/f.so", folder);
  void *library = dlopen(path, RTLD_NOW);
  if (!library) fail_msg("%s", dlerror());
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
  return library;
}

static void interpret(pm_module *module, int64_t n, const pm_array *inputs, const pm_array *output) {
  pm_lane param = {.i = n};
  pm_call call = {&param, 1, inputs, 2, output, 1};
  assert_true(loop_interpret(pm_module_body(module)->first, &call, NULL));
}

static void run_emitted(pm_module *module, int64_t n, const void *a, const void *b, void *o) {
  pm_target_output c = {0};
  assert_true(pm_emit(pm_find_target(pm_module_context(module), "c"), module, "f.h", &c));
  void *library = compile(&c), *symbol = dlsym(library, "f");
  emitted_fn function;
  assert_non_null(symbol);
  memcpy(&function, &symbol, sizeof function);
  assert_int_equal(function(n, a, b, o), 0);
  dlclose(library);
  pm_target_output_free(&c);
}

/* Runs the program in both ways on a and b, n elements each, and compares the rows. */
static void compare(const char *text, pm_scalar from, pm_scalar to, int64_t n, unsigned rows, void *a,
                    void *b) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_targets(ctx);
  pm_module *module = pm_parse_module(ctx, "test", text, strlen(text), true);
  assert_non_null(module);
  size_t cell = pm_scalar_bytes(to), bytes = rows * (size_t)n * cell;
  char *want = calloc(1, bytes), *have = calloc(1, bytes);
  pm_array inputs[2] = {{from, 1, {n}, a}, {from, 1, {n}, b}}, output = {to, 2, {rows, n}, want};
  interpret(module, n, inputs, &output);
  run_emitted(module, n, a, b, have);
  for (size_t i = 0; i < rows * (size_t)n; i++)
    if (memcmp(want + i * cell, have + i * cell, cell))
      fail_msg("%s to %s: row %zu differs at %zu", name_of(from), name_of(to), i / (size_t)n, i % (size_t)n);
  free(want);
  free(have);
  pm_module_free(module);
  pm_context_free(ctx);
}

static void integer_ops_agree(void **state) {
  (void)state;
  for (size_t t = 0; t < PM_COUNT(int_types); t++) {
    pm_scalar scalar = int_types[t];
    pm_lane a[EDGES * EDGES], b[EDGES * EDGES];
    char left[sizeof a], right[sizeof b];
    for (int i = 0; i < EDGES * EDGES; i++) {
      a[i].i = edge(scalar, i / EDGES);
      b[i].i = edge(scalar, i % EDGES);
    }
    arith_store_lanes(scalar, a, left, 1, EDGES * EDGES);
    arith_store_lanes(scalar, b, right, 1, EDGES * EDGES);
    pm_buf text = {0};
    unsigned rows = put_binary_program(&text, scalar);
    compare(text.data, scalar, scalar, EDGES * EDGES, rows, left, right);
    pm_buf_free(&text);
  }
}

static void integer_conversions_agree(void **state) {
  (void)state;
  static const pm_scalar targets[] = {PM_I8, PM_U8, PM_I16, PM_U32, PM_I64, PM_F32};
  for (size_t f = 0; f < PM_COUNT(int_types); f++)
    for (size_t t = 0; t < PM_COUNT(targets); t++) {
      pm_lane a[EDGES];
      char cells[sizeof a];
      for (int i = 0; i < EDGES; i++) a[i].i = edge(int_types[f], i);
      arith_store_lanes(int_types[f], a, cells, 1, EDGES);
      pm_buf text = {0};
      unsigned rows = put_conversion_program(&text, int_types[f], targets[t]);
      compare(text.data, int_types[f], targets[t], EDGES, rows, cells, cells);
      pm_buf_free(&text);
    }
}

static void float_conversions_saturate(void **state) {
  (void)state;
  float a[] = {0,    -0.5f,         -1,     1.5f,  127.9f,  128,     255.5f, 256,
               -129, 2147483648.0f, -1e30f, 1e30f, 0x1p63f, 0x1p64f, 0};
  a[PM_COUNT(a) - 1] = strtof("nan", NULL);
  for (size_t t = 0; t < PM_COUNT(int_types); t++) {
    pm_buf text = {0};
    unsigned rows = put_conversion_program(&text, PM_F32, int_types[t]);
    compare(text.data, PM_F32, int_types[t], PM_COUNT(a), rows, a, a);
    pm_buf_free(&text);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integer_ops_agree),
      cmocka_unit_test(integer_conversions_agree),
      cmocka_unit_test(float_conversions_saturate),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
