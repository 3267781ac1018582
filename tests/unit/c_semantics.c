/* The C target against the interpreter, on the values at the edges of each type: every op that has a kernel,
 * on scalars, vectors and masks; integer ops also with each edge value as a constant right operand;
 * conversions. */
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
#include "dialects/loop/interpreter/interp.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "targets/target.h"
#include "tests/unit/emitted.h"

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

static void interpret(pm_op *func, int64_t n, const pm_array *inputs, const pm_array *output) {
  pm_lane param = {.i = n};
  pm_call call = {&param, 1, inputs, 2, output, 1};
  assert_true(loop_interpret(func, &call, NULL));
}

/* A NaN has no bits of its own. */
static bool are_nans(pm_scalar scalar, const char *x, const char *y) {
  pm_lane a, b;
  if (!pm_get_scalar_info(scalar)->is_float) return false;
  arith_load_lanes(scalar, x, 1, &a, 1);
  arith_load_lanes(scalar, y, 1, &b, 1);
  return scalar == PM_F64 ? a.d != a.d && b.d != b.d : a.f != a.f && b.f != b.f;
}

/* A function on a and b, n elements each, and what the interpreter makes of them: rows. */
typedef struct call {
  pm_scalar from, to;
  int64_t n;
  unsigned rows;
  char *a, *b, *want;
} call;

/* Functions @f0, @f1, …, which are compiled at once. */
typedef struct batch {
  pm_buf text;
  PM_VEC(call) calls;
} batch;

static char *copy(const void *cells, size_t bytes) {
  char *copied = malloc(bytes);
  assert_non_null(copied);
  memcpy(copied, cells, bytes);
  return copied;
}

/* The text begins with the function @f. */
static void add(batch *all, const char *text, pm_scalar from, pm_scalar to, int64_t n, unsigned rows,
                const void *a, const void *b) {
  static const char head[] = "loop.func @f";
  size_t bytes = (size_t)n * pm_scalar_bytes(from);
  assert_memory_equal(text, head, sizeof head - 1);
  pm_buf_printf(&all->text, "%s%zu%s", head, all->calls.len, text + sizeof head - 1);
  call c = {from, to, n, rows, copy(a, bytes), copy(b, bytes), calloc(rows * (size_t)n, pm_scalar_bytes(to))};
  PM_VEC_PUSH(all->calls, c);
}

static void *compile(pm_module *module) {
  pm_target_output c = {0};
  emitted_finish(module);
  assert_true(pm_emit(pm_find_target(pm_module_context(module), "c"), module, "f.h", &c));
  const char *const command = "cc -O1 -Wall -fopenmp-simd";
  void *library;
  emitted_compile(&c, &command, 1, &library);
  pm_target_output_free(&c);
  return library;
}

static void compare_emitted(void *library, size_t number, const call *c) {
  char name[32];
  emitted_fn function;
  size_t cell = pm_scalar_bytes(c->to), count = c->rows * (size_t)c->n;
  char *have = calloc(count, cell);
  snprintf(name, sizeof name, "f%zu", number);
  void *symbol = dlsym(library, name);
  assert_non_null(symbol);
  memcpy(&function, &symbol, sizeof function);
  assert_int_equal(function(c->n, c->a, c->b, have), 0);
  for (size_t i = 0; i < count; i++)
    if (memcmp(c->want + i * cell, have + i * cell, cell) &&
        !are_nans(c->to, c->want + i * cell, have + i * cell))
      fail_msg("%s to %s: row %zu differs at %zu", name_of(c->from), name_of(c->to), i / (size_t)c->n,
               i % (size_t)c->n);
  free(have);
}

/* Runs the functions in both ways, and compares the rows. */
static void compare(batch *all) {
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_targets(ctx);
  pm_register_all_passes(ctx);
  pm_module *module = pm_parse_module(ctx, "test", all->text.data, all->text.len, true);
  assert_non_null(module);
  size_t number = 0;
  PM_FOR_OPS(func, pm_module_body(module)) {
    if (number == all->calls.len) break; /* what the last one calls */
    call *c = &all->calls.data[number++];
    pm_array inputs[2] = {{c->from, 1, {c->n}, c->a}, {c->from, 1, {c->n}, c->b}};
    pm_array output = {c->to, 2, {c->rows, c->n}, c->want};
    interpret(func, c->n, inputs, &output);
  }
  assert_int_equal(number, all->calls.len);
  void *library = compile(module);
  for (size_t i = 0; i < all->calls.len; i++) {
    call *c = &all->calls.data[i];
    compare_emitted(library, i, c);
    free(c->a);
    free(c->b);
    free(c->want);
  }
  dlclose(library);
  pm_module_free(module);
  pm_context_free(ctx);
  PM_VEC_FREE(all->calls);
  pm_buf_free(&all->text);
}

/* --- all rows --- */

enum { LANES = 4 };

static const pm_scalar all_types[] = {PM_I1,  PM_I8,  PM_I16, PM_I32,   PM_I64, PM_U8,
                                      PM_U16, PM_U32, PM_U64, PM_INDEX, PM_F32, PM_F64};

/* Ops with a kernel that takes the type. */
typedef PM_VEC(const pm_op_desc *) descs;

/* The kernels of these depend on more than one type, or are of indices alone; other tests are about them. */
static bool is_tested_elsewhere(const pm_op_desc *desc) {
  static const char *const names[] = {"arith.cmp",     "arith.select", "arith.cast",  "arith.sat_cast",
                                      "arith.bitcast", "arith.addsat", "arith.mulsat"};
  for (size_t i = 0; i < PM_COUNT(names); i++)
    if (strcmp(desc->name, names[i]) == 0) return true;
  return false;
}

static void find_ops(pm_context *ctx, pm_scalar scalar, descs *out) {
  for (size_t i = 0; i < pm_dialect_count(ctx); i++)
    for (const pm_op_desc *const *op = pm_dialect_at(ctx, i)->ops; *op; op++) {
      if (!(*op)->kernel || is_tested_elsewhere(*op)) continue;
      if (!((*op)->traits & PM_SAME_TYPE)) fail_msg("%s has a kernel, but no test of its types", (*op)->name);
      if (pm_find_kernel_of(*op, scalar)) PM_VEC_PUSH(*out, *op);
    }
}

/* Row `row + i` of %o holds op number i of operands l, r and s. */
static void put_all_ops(pm_buf *out, const descs *ops, const char *type, const char *prefix, unsigned row,
                        const char *store_type) {
  for (size_t i = 0; i < ops->len; i++) {
    pm_buf_printf(out, "%%%s%zu = %s", prefix, i, ops->data[i]->name);
    for (unsigned k = 0; k < ops->data[i]->n_args; k++)
      pm_buf_printf(out, "%s%%%s%c", k ? ", " : " ", prefix, "lrs"[k]);
    pm_buf_printf(out, " : %s\n%s.store %%%s%zu, %%o[%zu, %%x] : %s\n", type, *prefix == 'v' ? "vec" : "buf",
                  prefix, i, row + i, store_type);
  }
}

/* All ops on scalars, then all on vectors; the third operand is the first input from its end on. */
static unsigned put_all_rows(pm_buf *out, const descs *ops, pm_scalar scalar) {
  const char *type = name_of(scalar);
  unsigned n = (unsigned)ops->len;
  char vector[32], memref[32], accessed[80];
  snprintf(vector, sizeof vector, "vector<%dx%s>", LANES, type);
  snprintf(memref, sizeof memref, "memref<%ux?x%s>", 2 * n, type);
  snprintf(accessed, sizeof accessed, "%s, %s", memref, vector);
  pm_buf_printf(out,
                "loop.func @f fp \"strict\" {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n"
                "%%a = buf.input @a(%%n) : memref<?x%s>\n%%b = buf.input @b(%%n) : memref<?x%s>\n"
                "%%o = buf.output @o(%%n) : %s\nloop.for %%x = %%c0 to %%n step 1 {\n",
                type, type, memref);
  const char *const inputs[] = {"a[%x]", "b[%x]", "a[%n - 1 - %x]"}, *const blocks[] = {"a[%x]", "b[%x]",
                                                                                        "a[%n - 4 - %x]"};
  for (unsigned k = 0; k < 3; k++)
    pm_buf_printf(out, "%%s%c = buf.load %%%s : memref<?x%s>\n", "lrs"[k], inputs[k], type);
  put_all_ops(out, ops, type, "s", 0, memref);
  pm_buf_printf(out, "}\nloop.for %%x = %%c0 to %%n step %d {\n", LANES);
  for (unsigned k = 0; k < 3; k++)
    pm_buf_printf(out, "%%v%c = vec.load %%%s : memref<?x%s>, %s\n", "lrs"[k], blocks[k], type, vector);
  put_all_ops(out, ops, vector, "v", n, accessed);
  pm_buf_puts(out, "}\n}\n");
  return 2 * n;
}

static pm_lane float_edge(pm_scalar scalar, int k) {
  const double values[EDGES] = {
      0, -0.0, 1, -1.5, 2.5, 0.1, 1e30, -1e30, 0x1p-140, 3, strtod("inf", NULL), strtod("nan", NULL)};
  return scalar == PM_F64 ? (pm_lane){.d = values[k]} : (pm_lane){.f = (float)values[k]};
}

static pm_lane lane_edge(pm_scalar scalar, int k) {
  if (scalar == PM_I1) return (pm_lane){.i = k & 1};
  return pm_get_scalar_info(scalar)->is_float ? float_edge(scalar, k) : (pm_lane){.i = edge(scalar, k)};
}

static void all_rows_agree(void **state) {
  (void)state;
  batch all = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  for (size_t t = 0; t < PM_COUNT(all_types); t++) {
    pm_scalar scalar = all_types[t];
    pm_lane a[EDGES * EDGES], b[EDGES * EDGES];
    char left[sizeof a], right[sizeof b];
    for (int i = 0; i < EDGES * EDGES; i++) {
      a[i] = lane_edge(scalar, i / EDGES);
      b[i] = lane_edge(scalar, i % EDGES);
    }
    arith_store_lanes(scalar, a, left, 1, EDGES * EDGES);
    arith_store_lanes(scalar, b, right, 1, EDGES * EDGES);
    descs ops = {0};
    find_ops(ctx, scalar, &ops);
    assert_true(ops.len > 0);
    pm_buf text = {0};
    unsigned rows = put_all_rows(&text, &ops, scalar);
    add(&all, text.data, scalar, scalar, EDGES * EDGES, rows, left, right);
    pm_buf_free(&text);
    PM_VEC_FREE(ops);
  }
  pm_context_free(ctx);
  compare(&all);
}

static void integer_ops_agree(void **state) {
  (void)state;
  batch all = {0};
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
    add(&all, text.data, scalar, scalar, EDGES * EDGES, rows, left, right);
    pm_buf_free(&text);
  }
  compare(&all);
}

static void integer_conversions_agree(void **state) {
  (void)state;
  batch all = {0};
  static const pm_scalar targets[] = {PM_I8, PM_U8, PM_I16, PM_U32, PM_I64, PM_F32};
  for (size_t f = 0; f < PM_COUNT(int_types); f++)
    for (size_t t = 0; t < PM_COUNT(targets); t++) {
      pm_lane a[EDGES];
      char cells[sizeof a];
      for (int i = 0; i < EDGES; i++) a[i].i = edge(int_types[f], i);
      arith_store_lanes(int_types[f], a, cells, 1, EDGES);
      pm_buf text = {0};
      unsigned rows = put_conversion_program(&text, int_types[f], targets[t]);
      add(&all, text.data, int_types[f], targets[t], EDGES, rows, cells, cells);
      pm_buf_free(&text);
    }
  compare(&all);
}

static void float_conversions_saturate(void **state) {
  (void)state;
  batch all = {0};
  float a[] = {0,    -0.5f,         -1,     1.5f,  127.9f,  128,     255.5f, 256,
               -129, 2147483648.0f, -1e30f, 1e30f, 0x1p63f, 0x1p64f, 0};
  a[PM_COUNT(a) - 1] = strtof("nan", NULL);
  for (size_t t = 0; t < PM_COUNT(int_types); t++) {
    pm_buf text = {0};
    unsigned rows = put_conversion_program(&text, PM_F32, int_types[t]);
    add(&all, text.data, PM_F32, int_types[t], PM_COUNT(a), rows, a, a);
    pm_buf_free(&text);
  }
  compare(&all);
}

/* o[x]: the bits of a[x] as `to`. */
static void put_bits_program(pm_buf *out, pm_scalar from, pm_scalar to) {
  const char *f = name_of(from), *t = name_of(to);
  pm_buf_printf(out,
                "loop.func @f fp \"strict\" {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n"
                "%%a = buf.input @a(%%n) : memref<?x%s>\n%%b = buf.input @b(%%n) : memref<?x%s>\n"
                "%%o = buf.output @o(%%n) : memref<1x?x%s>\nloop.for %%x = %%c0 to %%n step 1 {\n"
                "%%l = buf.load %%a[%%x] : memref<?x%s>\n%%v = arith.bitcast %%l : (%s) -> %s\n"
                "buf.store %%v, %%o[0, %%x] : memref<1x?x%s>\n}\n}\n",
                f, f, t, f, f, t, t);
}

static void bits_agree(void **state) {
  (void)state;
  batch all = {0};
  for (size_t f = 0; f < PM_COUNT(all_types); f++)
    for (size_t t = 0; t < PM_COUNT(all_types); t++) {
      pm_scalar from = all_types[f], to = all_types[t];
      pm_lane a[EDGES];
      char cells[sizeof a];
      if (pm_get_scalar_info(from)->bits != pm_get_scalar_info(to)->bits) continue;
      for (int i = 0; i < EDGES; i++) a[i] = lane_edge(from, i);
      arith_store_lanes(from, a, cells, 1, EDGES);
      pm_buf text = {0};
      put_bits_program(&text, from, to);
      add(&all, text.data, from, to, EDGES, 1, cells, cells);
      pm_buf_free(&text);
    }
  compare(&all);
}

/* Rows of %b behind those of %a, apart, on the heap and on the stack, written and read by private functions.
 */
static const char strided_program[] =
    "loop.func @f fp \"strict\" {\n"
    "%n = loop.param @n : index\n"
    "%c0 = arith.constant 0 : index\n"
    "%c1 = arith.constant 1 : index\n"
    "%c8 = arith.constant 8 : index\n"
    "%a = buf.input @a(%n) : memref<?xf32>\n"
    "%b = buf.input @b(%n) : memref<?xf32>\n"
    "%o = buf.output @o(%n) : memref<3x?xf32>\n"
    "%s = arith.addi %n, %c8 : index\n"
    "%t = buf.alloc(%n, %s) {align = 64} : memref<2x?xf32, strided<[?, 1]>, heap>\n"
    "%u = buf.alloc(%n) : memref<?x4x2xf32, strided<[16, 3, 1]>, heap>\n"
    "%w = buf.alloc() {align = 64} : memref<2x3xf32, strided<[16, 5]>, stack>\n"
    "loop.call @fill(%n, %s, %c0, %a, %t) : index, index, index, memref<?xf32>, "
    "memref<2x?xf32, strided<[?, 1]>, heap>\n"
    "loop.call @fill(%n, %s, %c1, %b, %t) : index, index, index, memref<?xf32>, "
    "memref<2x?xf32, strided<[?, 1]>, heap>\n"
    "loop.parallel %x = %c0 to %n step 1 {\n"
    "  %p = buf.load %t[0, %n - 1 - %x] : memref<2x?xf32, strided<[?, 1]>, heap>\n"
    "  %q = buf.load %t[1, %x] : memref<2x?xf32, strided<[?, 1]>, heap>\n"
    "  %r = math.fma %p, %q, %p : f32\n"
    "  buf.store %r, %u[%x, %x mod 4, %x mod 2] : memref<?x4x2xf32, strided<[16, 3, 1]>, heap>\n"
    "  buf.store %p, %o[0, %x] : memref<3x?xf32>\n"
    "  buf.store %q, %o[1, %x] : memref<3x?xf32>\n"
    "}\n"
    "loop.for %x = %c0 to %n step 1 {\n"
    "  %r = buf.load %u[%x, %x mod 4, %x mod 2] : memref<?x4x2xf32, strided<[16, 3, 1]>, heap>\n"
    "  buf.store %r, %w[%x mod 2, %x mod 3] : memref<2x3xf32, strided<[16, 5]>, stack>\n"
    "  %y = buf.load %w[%x mod 2, %x mod 3] : memref<2x3xf32, strided<[16, 5]>, stack>\n"
    "  buf.store %y, %o[2, %x] : memref<3x?xf32>\n"
    "}\n"
    "}\n"
    "loop.func private @fill {\n"
    "%n = loop.param @n : index\n"
    "%s = loop.param @s : index\n"
    "%row = loop.param @row : index\n"
    "%c0 = arith.constant 0 : index\n"
    "%from = buf.argument @from(%n) {read} : memref<?xf32>\n"
    "%to = buf.argument @to(%n, %s) : memref<2x?xf32, strided<[?, 1]>, heap>\n"
    "loop.for %x = %c0 to %n step 4 {\n"
    "  %v = vec.load %from[%x] : memref<?xf32>, vector<4xf32>\n"
    "  %sum = vec.reduce add, %v : vector<4xf32>\n"
    "  %all = vec.splat %sum : (f32) -> vector<4xf32>\n"
    "  %w = arith.mulf %all, %v : vector<4xf32>\n"
    "  vec.store %w, %to[%row, %x] : memref<2x?xf32, strided<[?, 1]>, heap>, vector<4xf32>\n"
    "}\n"
    "}\n";

static void calls_and_strides_agree(void **state) {
  (void)state;
  float a[24], b[24];
  for (int i = 0; i < 24; i++) {
    a[i] = 0.1f * (float)i - 1;
    b[i] = 1e3f / (float)(i + 1);
  }
  batch all = {0};
  add(&all, strided_program, PM_F32, PM_F32, 24, 3, a, b);
  compare(&all);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_rows_agree),
      cmocka_unit_test(integer_ops_agree),
      cmocka_unit_test(integer_conversions_agree),
      cmocka_unit_test(float_conversions_saturate),
      cmocka_unit_test(bits_agree),
      cmocka_unit_test(calls_and_strides_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
