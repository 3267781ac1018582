/* Vectors: the interpreter's traps, a lane each; and programs over all ops, element types and numbers of
 * lanes, whose emitted C, of two compilers with and without vector extensions, gives what the interpreter
 * gives, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <dlfcn.h>

#include "dialects/dialects.h"
#include "dialects/loop/call.h"
#include "dialects/loop/interpreter/interp.h"
#include "ir/text.h"
#include "passes/passes.h"
#include "targets/target.h"
#include "tests/unit/emitted.h"
#include "tools/lib/check_target/data.h"

static void collect(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  pm_buf_printf(user, "%s\n", diag->message);
}

/* --- traps --- */

typedef struct trap_row {
  const char *name, *body, *message;
} trap_row;

/* In a function with an input @a of 6 cells, an output @b of 8, the mask %m of lanes 0 and 1, and %k, 4 times
 * true. */
static const trap_row traps[] = {
    {"a lane of a load beyond the end", "%v = vec.load %a[3] : memref<6xi32>, vector<4xi32>\n",
     "'vec.load' reads %a[6], but its extents are 6"},
    {"a lane of a load before the beginning", "%v = vec.load %a[-1] : memref<6xi32>, vector<4xi32>\n",
     "'vec.load' reads %a[-1], but its extents are 6"},
    {"a lane that was not written",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "vec.store %s, %b[0] : memref<8xi32>, vector<4xi32>\n"
     "%v = vec.load %b[2] : memref<8xi32>, vector<4xi32>\n",
     "'vec.load' reads %b[4], which was not written"},
    {"a lane of a store beyond the end",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "vec.store %s, %b[5] : memref<8xi32>, vector<4xi32>\n",
     "'vec.store' writes %b[8], but its extents are 8"},
    {"an offset beyond the end",
     "%o = arith.constant 2 : i32 : vector<4xi32>\n"
     "%v = vec.gather %a[4] [%o] : memref<6xi32>, vector<4xi32> into vector<4xi32>\n",
     "'vec.gather' reads %a[6], but its extents are 6"},
    {"a lane under the mask beyond the end",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "vec.maskedstore %b[7], %m, %s : memref<8xi32>, vector<4xi1>, vector<4xi32>\n",
     "'vec.maskedstore' writes %b[8], but its extents are 8"},
    {"a lane under the mask of a gather",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "%v = vec.maskedgather %a[0] [%s], %m, %s : memref<6xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32> "
     "into "
     "vector<4xi32>\n",
     "'vec.maskedgather' reads %a[7], but its extents are 6"},
    {"an offset of a scatter beyond the end",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "vec.scatter %b[2] [%s], %s : memref<8xi32>, vector<4xi32>, vector<4xi32>\n",
     "'vec.scatter' writes %b[9], but its extents are 8"},
    {"two iterations that scatter to one cell",
     "%o = arith.constant 3 : i32 : vector<4xi32>\n"
     "%c0 = arith.constant 0 : index\n"
     "%c2 = arith.constant 2 : index\n"
     "loop.parallel %i = %c0 to %c2 step 1 {\n"
     "  vec.maskedscatter %b[0] [%o], %m, %o : memref<8xi32>, vector<4xi32>, vector<4xi1>, vector<4xi32>\n"
     "}\n",
     "'vec.maskedscatter' writes %b[3], which another iteration of the parallel loop wrote"},
    {"a load that is less aligned than it says",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "%t = buf.alloc() {align = 32} : memref<12xi32, stack>\n"
     "vec.store %s, %t[4] {align = 16} : memref<12xi32, stack>, vector<4xi32>\n"
     "%v = vec.load %t[4] {align = 32} : memref<12xi32, stack>, vector<4xi32>\n",
     "'vec.load' reads %t[4], whose address is not a multiple of 32 bytes"},
    {"memory that is aligned as it says, and no more",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "%t = buf.alloc() {align = 32} : memref<12xi32, stack>\n"
     "vec.store %s, %t[0] {align = 64} : memref<12xi32, stack>, vector<4xi32>\n",
     "'vec.store' writes %t[0], whose address is not a multiple of 64 bytes"},
    {"memory that says nothing of its alignment",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "%t = buf.alloc() : memref<12xi32, heap>\n"
     "vec.store %s, %t[0] {align = 8} : memref<12xi32, heap>, vector<4xi32>\n",
     "'vec.store' writes %t[0], whose address is not a multiple of 8 bytes"},
    {"lanes of two iterations that overlap",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "%c0 = arith.constant 0 : index\n"
     "%c6 = arith.constant 6 : index\n"
     "loop.parallel %i = %c0 to %c6 step 3 {\n"
     "  vec.store %s, %b[%i] : memref<8xi32>, vector<4xi32>\n"
     "}\n",
     "'vec.store' writes %b[3], which another iteration of the parallel loop wrote"},
    {"lanes that are masked off are not touched",
     "%s = arith.constant 7 : i32 : vector<4xi32>\n"
     "%v = vec.maskedload %a[4], %m, %s : memref<6xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>\n"
     "vec.maskedstore %b[6], %m, %v : memref<8xi32>, vector<4xi1>, vector<4xi32>\n",
     NULL},
};

/* False when the program traps. */
static bool run_trap(const char *body, pm_buf *messages) {
  pm_buf text = {0};
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_passes(ctx);
  pm_set_diag_handler(ctx, collect, messages);
  pm_buf_printf(&text,
                "loop.func @f {\n%%a = buf.input @a : memref<6xi32>\n%%b = buf.output @b : memref<8xi32>\n"
                "%%steps = vec.step : vector<4xi32>\n%%two = arith.constant 2 : i32 : vector<4xi32>\n"
                "%%m = arith.cmp lt, %%steps, %%two : vector<4xi32>\n%s}\n",
                body);
  pm_module *module = pm_parse_module(ctx, "test", text.data, text.len, true);
  if (!module) fail_msg("%s", messages->data);
  int32_t a[6] = {0}, b[8] = {0};
  pm_array input = {PM_I32, 1, {6}, a}, output = {PM_I32, 1, {8}, b};
  pm_call call = {NULL, 0, &input, 1, &output, 1};
  bool ok = loop_interpret(pm_module_body(module)->first, &call, NULL);
  pm_module_free(module);
  pm_context_free(ctx);
  pm_buf_free(&text);
  return ok;
}

static void traps_name_the_lane(void **state) {
  (void)state;
  for (size_t i = 0; i < PM_COUNT(traps); i++) {
    pm_buf messages = {0};
    bool ok = run_trap(traps[i].body, &messages);
    if (ok != !traps[i].message) fail_msg("%s: %s", traps[i].name, ok ? "no trap" : messages.data);
    if (!ok && !strstr(messages.data, traps[i].message)) fail_msg("%s: %s", traps[i].name, messages.data);
    pm_buf_free(&messages);
  }
}

/* --- programs --- */

/* The outputs of a program: rows of elements of each type, PM_I1 among them. */
enum { COUNT = 192 + 5, OUTPUTS = 7, MAX_ROWS = 64 };
static const pm_scalar types[OUTPUTS] = {PM_U8, PM_I16, PM_I32, PM_U64, PM_F32, PM_F64, PM_I1};

typedef struct program {
  pm_buf body;
  unsigned rows[OUTPUTS];
  unsigned lanes, n_values;
  pm_scalar scalar;
  const char *type; /* of the elements */
} program;

static const char *name_of(pm_scalar scalar) {
  return pm_get_scalar_info(scalar)->name;
}

static unsigned output_of(pm_scalar scalar) {
  unsigned i = 0;
  while (types[i] != scalar) i++;
  return i;
}

/* `%v<n> = <fmt…>`; the number n. In the text, $V is the type of the vectors and $M that of masks. */
static unsigned put_value(program *p, const char *fmt, ...) {
  pm_buf text = {0};
  va_list args;
  va_start(args, fmt);
  pm_buf_vprintf(&text, fmt, args);
  va_end(args);
  pm_buf_printf(&p->body, "%%v%u = ", p->n_values);
  for (const char *c = text.data; *c; c++)
    if (*c == '$')
      pm_buf_printf(&p->body, "vector<%ux%s>", p->lanes, *++c == 'V' ? p->type : "i1");
    else
      pm_buf_putc(&p->body, *c);
  pm_buf_putc(&p->body, '\n');
  pm_buf_free(&text);
  return p->n_values++;
}

/* Stores the vector of that many elements in the next row of its type's output. */
static void put_store(program *p, unsigned value, pm_scalar scalar, unsigned lanes) {
  unsigned o = output_of(scalar);
  pm_buf_printf(&p->body, "vec.store %%v%u, %%o%u[%u, %%x] : memref<%dx?x%s>, vector<%ux%s>\n", value, o,
                p->rows[o]++, MAX_ROWS, name_of(scalar), lanes, name_of(scalar));
  assert_true(p->rows[o] <= MAX_ROWS);
}

static void put_row(program *p, unsigned value) {
  put_store(p, value, p->scalar, p->lanes);
}

static void put_mask_row(program *p, unsigned value) {
  put_store(p, value, PM_I1, p->lanes);
}

static bool is_float(const program *p) {
  return pm_get_scalar_info(p->scalar)->is_float;
}

static void put_arithmetic(program *p) {
  static const char *const ints[] = {"addi", "subi", "muli", "divi", "remi", "trunc_div", "trunc_rem",
                                     "mini", "maxi", "andi", "ori",  "xori", "shli",      "shri"};
  static const char *const floats[] = {"addf", "subf", "mulf", "divf", "minf", "maxf"};
  static const char *const functions[] = {"sqrt",  "abs",  "floor", "ceil", "round",
                                          "trunc", "rint", "exp",   "atan"};
  const char *const *ops = is_float(p) ? floats : ints;
  for (unsigned i = 0; i < (is_float(p) ? PM_COUNT(floats) : PM_COUNT(ints)); i++)
    put_row(p, put_value(p, "arith.%s %%a, %%b : $V", ops[i]));
  unsigned five = put_value(p, "arith.constant %s : %s : $V", is_float(p) ? "5.0" : "5", p->type);
  put_row(p, put_value(p, "arith.%s %%a, %%v%u : $V", is_float(p) ? "mulf" : "divi", five));
  put_mask_row(p, put_value(p, "arith.cmp le, %%v%u, %%v%u : $V", five, five));
  for (unsigned i = 0; i < PM_COUNT(functions) && is_float(p); i++)
    put_row(p, put_value(p, "math.%s %%a : $V", functions[i]));
  if (is_float(p)) put_row(p, put_value(p, "math.atan2 %%a, %%b : $V"));
  if (is_float(p)) put_row(p, put_value(p, "arith.negf %%a : $V"));
}

/* `l0, l1, …` with lane i * step + first modulo `of`. */
static const char *lane_list(pm_buf *out, unsigned n, unsigned first, unsigned step, unsigned of) {
  out->len = 0;
  for (unsigned i = 0; i < n; i++) pm_buf_printf(out, "%s%u", i ? ", " : "", (i * step + first) % of);
  return out->data;
}

/* The two values in turn, as the lanes of a vector. */
static unsigned put_elements(program *p, unsigned even, unsigned odd, const char *element, const char *type) {
  pm_buf text = {0};
  pm_buf_puts(&text, "vec.from_elements ");
  for (unsigned i = 0; i < p->lanes; i++) pm_buf_printf(&text, "%s%%v%u", i ? ", " : "", i % 2 ? odd : even);
  for (unsigned i = 0; i < p->lanes; i++) pm_buf_printf(&text, "%s%s", i ? ", " : " : (", element);
  pm_buf_printf(&text, ") -> %s", type);
  unsigned number = put_value(p, "%s", text.data);
  pm_buf_free(&text);
  return number;
}

static void put_masks(program *p) {
  static const char *const preds[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  static const char *const ops[] = {"addi", "subi", "muli", "divi", "remi", "trunc_div", "trunc_rem",
                                    "mini", "maxi", "andi", "ori",  "xori", "shli",      "shri"};
  unsigned masks[6];
  for (unsigned i = 0; i < 6; i++) {
    masks[i] = put_value(p, "arith.cmp %s, %%a, %%b : $V", preds[i]);
    put_mask_row(p, masks[i]);
    put_row(p, put_value(p, "arith.select %%v%u, %%a, %%b : $M, $V", masks[i]));
  }
  unsigned other = put_value(p, "arith.cmp lt, %%steps, %%three : vector<%uxi16>", p->lanes);
  for (unsigned i = 0; i < PM_COUNT(ops); i++) {
    put_mask_row(p, put_value(p, "arith.%s %%v%u, %%v%u : $M", ops[i], masks[2], other));
    put_mask_row(p, put_value(p, "arith.%s %%v%u, %%v%u : $M", ops[i], other, masks[1]));
  }
  for (unsigned i = 0; i < 6; i++)
    put_mask_row(p, put_value(p, "arith.cmp %s, %%v%u, %%v%u : $M", preds[i], masks[2], other));
  put_mask_row(p, put_value(p, "arith.select %%v%u, %%v%u, %%v%u : $M, $M", other, masks[0], masks[3]));
  put_mask_row(p, put_value(p, "arith.select %%odd, %%v%u, %%v%u : i1, $M", masks[2], other));
  put_row(p, put_value(p, "arith.select %%odd, %%a, %%b : i1, $V"));
  put_mask_row(p, put_value(p, "vec.load %%o6[0, %%x] : memref<%dx?xi1>, $M", MAX_ROWS));
  pm_buf list = {0};
  put_mask_row(p, put_value(p, "vec.shuffle %%v%u, %%v%u [%s] : $M, $M", masks[2], other,
                            lane_list(&list, p->lanes, p->lanes - 1, 1, 2 * p->lanes)));
  pm_buf_free(&list);
  unsigned e = put_value(p, "vec.extract %%v%u[1] : i1 from $M", masks[2]);
  put_mask_row(p, put_value(p, "vec.insert %%v%u, %%v%u[2] : i1 into $M", e, other));
  put_mask_row(p, put_value(p, "vec.splat %%v%u : (i1) -> $M", e));
  put_mask_row(p, put_elements(p, e, put_value(p, "vec.extract %%v%u[0] : i1 from $M", other), "i1", "$M"));
}

static void put_conversions(program *p) {
  unsigned low = 0, high = 0, clamped = 0;
  unsigned mask = put_value(p, "arith.cmp lt, %%a, %%b : $V");
  if (is_float(p)) {
    low = put_value(p, "arith.constant 0.0 : %s : $V", p->type);
    high = put_value(p, "arith.constant 100.0 : %s : $V", p->type);
    clamped = put_value(p, "arith.maxf %%a, %%v%u : $V", low);
    clamped = put_value(p, "arith.minf %%v%u, %%v%u : $V", clamped, high);
  }
  for (unsigned t = 0; t < OUTPUTS; t++) {
    const char *name = name_of(types[t]);
    bool truncates = is_float(p) && !pm_get_scalar_info(types[t])->is_float && types[t] != PM_I1;
    unsigned v = truncates ? put_value(p, "arith.cast %%v%u : ($V) -> vector<%ux%s>", clamped, p->lanes, name)
                           : put_value(p, "arith.cast %%a : ($V) -> vector<%ux%s>", p->lanes, name);
    put_store(p, v, types[t], p->lanes);
    v = put_value(p, "arith.cast %%v%u : ($M) -> vector<%ux%s>", mask, p->lanes, name);
    put_store(p, v, types[t], p->lanes);
    if (pm_get_scalar_info(types[t])->bits == pm_get_scalar_info(p->scalar)->bits) {
      v = put_value(p, "arith.bitcast %%a : ($V) -> vector<%ux%s>", p->lanes, name);
      put_store(p, v, types[t], p->lanes);
    }
    if (pm_get_scalar_info(types[t])->is_float) continue;
    v = put_value(p, "arith.sat_cast %%a : ($V) -> vector<%ux%s>", p->lanes, name);
    put_store(p, v, types[t], p->lanes);
    v = put_value(p, "arith.sat_cast %%v%u : ($M) -> vector<%ux%s>", mask, p->lanes, name);
    put_store(p, v, types[t], p->lanes);
  }
}

/* Of numbers, and of masks. */
static void put_reductions(program *p) {
  static const char *const kinds[] = {"add", "mul", "min", "max", "and", "or"};
  unsigned n_kinds = is_float(p) ? 4 : PM_COUNT(kinds);
  unsigned mask = put_value(p, "arith.cmp le, %%a, %%b : $V");
  for (unsigned i = 0; i < n_kinds; i++) {
    unsigned all = put_value(p, "vec.reduce %s, %%a : $V", kinds[i]);
    put_row(p, put_value(p, "vec.splat %%v%u : (%s) -> $V", all, p->type));
  }
  for (unsigned i = 0; i < PM_COUNT(kinds); i++) {
    unsigned all = put_value(p, "vec.reduce %s, %%v%u : $M", kinds[i], mask);
    put_mask_row(p, put_value(p, "vec.splat %%v%u : (i1) -> $M", all));
  }
}

static void put_lanes(program *p) {
  unsigned n = p->lanes;
  pm_buf list = {0};
  put_row(p, put_value(p, "vec.shuffle %%a, %%b [%s] : $V, $V", lane_list(&list, n, n - 1, n - 1, n)));
  put_row(p, put_value(p, "vec.shuffle %%a, %%b [%s] : $V, $V", lane_list(&list, n, 1, 1, 2 * n)));
  put_row(p, put_value(p, "vec.shuffle %%a, %%b [%s] : $V, $V", lane_list(&list, n, 1, 2, 2 * n)));
  unsigned wide =
      put_value(p, "vec.shuffle %%a, %%b [%s] : $V, $V", lane_list(&list, 2 * n, 0, n + 1, 2 * n));
  put_row(p, put_value(p, "vec.shuffle %%v%u, %%a [%s] : vector<%ux%s>, $V", wide,
                       lane_list(&list, n, n, 1, 3 * n), 2 * n, p->type));
  unsigned e = put_value(p, "vec.extract %%a[%u] : %s from $V", n - 1, p->type);
  put_row(p, put_value(p, "vec.insert %%v%u, %%b[1] : %s into $V", e, p->type));
  put_row(p, put_value(p, "vec.splat %%v%u : (%s) -> $V", e, p->type));
  unsigned first = put_value(p, "vec.extract %%b[0] : %s from $V", p->type);
  put_row(p, put_elements(p, e, first, p->type, "$V"));
  if (!is_float(p)) put_row(p, put_value(p, "vec.step : $V"));
  put_reductions(p);
  pm_buf_free(&list);
}

/* `<op> %o[row, %x] [%back], <mask> <value>`, of the type, into a row that is written before. */
static void put_scatter(program *p, const char *mask, const char *value, pm_scalar scalar) {
  unsigned o = output_of(scalar), n = p->lanes;
  const char *type = name_of(scalar);
  pm_buf_printf(&p->body, "vec.%sscatter %%o%u[%u, %%x] [%%back], %s%s%s : memref<%dx?x%s>, vector<%uxi16>, ",
                mask ? "masked" : "", o, p->rows[o] - 1, mask ? mask : "", mask ? ", " : "", value, MAX_ROWS,
                type, n);
  if (mask) pm_buf_printf(&p->body, "vector<%uxi1>, ", n);
  pm_buf_printf(&p->body, "vector<%ux%s>\n", n, type);
}

/* Numbers and masks, backward, into all cells and into those of the mask; then all into one cell. */
static void put_scatters(program *p, unsigned m) {
  char mask[16];
  snprintf(mask, sizeof mask, "%%v%u", m);
  put_row(p, put_value(p, "arith.select %%odd, %%b, %%b : i1, $V"));
  put_scatter(p, NULL, "%a", p->scalar);
  put_row(p, put_value(p, "arith.select %%odd, %%b, %%b : i1, $V"));
  put_scatter(p, mask, "%a", p->scalar);
  put_mask_row(p, put_value(p, "arith.select %%odd, %%v%u, %%v%u : i1, $M", m, m));
  put_scatter(p, NULL, mask, PM_I1);
  put_mask_row(p, put_value(p, "arith.cmp lt, %%steps, %%three : vector<%uxi16>", p->lanes));
  put_scatter(p, mask, mask, PM_I1);
  put_row(p, put_value(p, "arith.select %%odd, %%b, %%b : i1, $V"));
  pm_buf_printf(
      &p->body,
      "vec.scatter %%o%u[%u, %%x] [%%three], %%a : memref<%dx?x%s>, vector<%uxi16>, vector<%ux%s>\n",
      output_of(p->scalar), p->rows[output_of(p->scalar)] - 1, MAX_ROWS, p->type, p->lanes, p->lanes,
      p->type);
}

static void put_memory(program *p) {
  unsigned n = p->lanes;
  put_row(p,
          put_value(p, "vec.gather %%in[%%x] [%%back] : memref<?x%s>, vector<%uxi16> into $V", p->type, n));
  unsigned m = put_value(p, "arith.cmp gt, %%a, %%b : $V");
  put_row(p, put_value(p, "vec.maskedload %%in[%%x], %%v%u, %%b : memref<?x%s>, $M, $V into $V", m, p->type));
  put_row(
      p,
      put_value(
          p, "vec.maskedgather %%in[%%x] [%%back], %%v%u, %%b : memref<?x%s>, vector<%uxi16>, $M, $V into $V",
          m, p->type, n));
  unsigned o = output_of(p->scalar), row = p->rows[o];
  put_row(p, put_value(p, "arith.select %%odd, %%b, %%b : i1, $V"));
  pm_buf_printf(
      &p->body,
      "vec.maskedstore %%o%u[%u, %%x], %%v%u, %%a : memref<%dx?x%s>, vector<%uxi1>, vector<%ux%s>\n", o, row,
      m, MAX_ROWS, p->type, n, n, p->type);
  put_scatters(p, m);
  pm_buf_printf(&p->body,
                "%%t = buf.alloc() {align = 64} : memref<%ux%s, stack>\n"
                "vec.store %%a, %%t[%u] {align = 8} : memref<%ux%s, stack>, vector<%ux%s>\n"
                "vec.store %%b, %%t[0] {align = 64} : memref<%ux%s, stack>, vector<%ux%s>\n",
                9 * n, p->type, 8 * n, 9 * n, p->type, n, p->type, 9 * n, p->type, n, p->type);
  put_row(p, put_value(p, "vec.load %%t[%u] {align = 8} : memref<%ux%s, stack>, $V", 8 * n, 9 * n, p->type));
  put_row(p, put_value(p, "vec.load %%t[0] {align = 64} : memref<%ux%s, stack>, $V", 9 * n, p->type));
  unsigned loaded = put_value(
      p, "vec.maskedload %%o6[0, %%x], %%v%u, %%v%u : memref<%dx?xi1>, $M, $M into $M", m, m, MAX_ROWS);
  put_mask_row(p, loaded);
  put_mask_row(p, put_value(p, "vec.gather %%o6[1, %%x] [%%back] : memref<%dx?xi1>, vector<%uxi16> into $M",
                            MAX_ROWS, n));
}

/* Vectors and masks that loops carry and conditions choose. */
static void put_control(program *p) {
  unsigned n = p->n_values;
  p->n_values += 4;
  pm_buf_printf(&p->body,
                "%%m%u = arith.cmp lt, %%a, %%b : vector<%ux%s>\n"
                "%%v%u, %%v%u = loop.for %%k%u = %%c0 to %%c3 step 1 carry(%%p%u = %%a, %%q%u = %%m%u) : "
                "(vector<%ux%s>, vector<%uxi1>) {\n"
                "%%s%u = arith.select %%q%u, %%b, %%p%u : vector<%uxi1>, vector<%ux%s>\n"
                "%%t%u = arith.cmp ne, %%s%u, %%a : vector<%ux%s>\n"
                "loop.yield %%s%u, %%t%u : vector<%ux%s>, vector<%uxi1>\n}\n",
                n, p->lanes, p->type, n, n + 1, n, n, n, n, p->lanes, p->type, p->lanes, n, n, n, p->lanes,
                p->lanes, p->type, n, n, p->lanes, p->type, n, n, p->lanes, p->type, p->lanes);
  put_row(p, n);
  put_mask_row(p, n + 1);
  pm_buf_printf(&p->body,
                "%%v%u, %%v%u = loop.if %%odd : (vector<%ux%s>, vector<%uxi1>) {\n"
                "loop.yield %%b, %%m%u : vector<%ux%s>, vector<%uxi1>\n} else {\n"
                "loop.yield %%a, %%v%u : vector<%ux%s>, vector<%uxi1>\n}\n",
                n + 2, n + 3, p->lanes, p->type, p->lanes, n, p->lanes, p->type, p->lanes, n + 1, p->lanes,
                p->type, p->lanes);
  put_row(p, n + 2);
  put_mask_row(p, n + 3);
}

/* What does not fill a vector: the last cells, under a mask, into the last row. */
static void put_tail(program *p) {
  unsigned o = output_of(p->scalar), row = p->rows[o]++;
  pm_buf_printf(
      &p->body,
      "}\nloop.for %%x = %%whole to %%n step %u {\n"
      "%%xs = vec.splat %%x : (index) -> vector<%uxindex>\n"
      "%%ns = vec.splat %%n : (index) -> vector<%uxindex>\n"
      "%%i = vec.step : vector<%uxindex>\n"
      "%%at = arith.addi %%xs, %%i : vector<%uxindex>\n"
      "%%m = arith.cmp lt, %%at, %%ns : vector<%uxindex>\n"
      "%%zero = arith.constant %s : %s : vector<%ux%s>\n"
      "%%v = vec.maskedload %%in[%%x], %%m, %%zero : memref<?x%s>, vector<%uxi1>, vector<%ux%s> into "
      "vector<%ux%s>\n"
      "vec.maskedstore %%o%u[%u, %%x], %%m, %%v : memref<%dx?x%s>, vector<%uxi1>, vector<%ux%s>\n}\n",
      p->lanes, p->lanes, p->lanes, p->lanes, p->lanes, p->lanes, is_float(p) ? "0.0" : "0", p->type,
      p->lanes, p->type, p->type, p->lanes, p->lanes, p->type, p->lanes, p->type, o, row, MAX_ROWS, p->type,
      p->lanes, p->lanes, p->type);
}

static void put_function(program *p, pm_buf *out) {
  unsigned n = p->lanes;
  p->type = name_of(p->scalar);
  put_arithmetic(p);
  put_masks(p);
  put_conversions(p);
  put_lanes(p);
  put_memory(p);
  put_control(p);
  put_tail(p);
  pm_buf_printf(
      out,
      "loop.func @f_%s fp \"strict\" {\n%%n = loop.param @n : index\n%%c0 = arith.constant 0 : index\n"
      "%%c3 = arith.constant 3 : index\n%%c1 = arith.constant 1 : index\n"
      "%%in = buf.input @in(%%n) : memref<?x%s>\n%%other = buf.input @other(%%n) : memref<?x%s>\n",
      p->type, p->type, p->type);
  for (unsigned t = 0; t < OUTPUTS; t++)
    pm_buf_printf(out, "%%o%u = buf.output @o%u(%%n) : memref<%dx?x%s>\n", t, t, MAX_ROWS, name_of(types[t]));
  pm_buf_printf(out,
                "%%ni = arith.constant %u : index\n%%rest = arith.remi %%n, %%ni : index\n"
                "%%whole = arith.subi %%n, %%rest : index\n"
                "%%steps = vec.step : vector<%uxi16>\n%%three = arith.constant 3 : i16 : vector<%uxi16>\n"
                "%%last = arith.constant %u : i16 : vector<%uxi16>\n"
                "%%back = arith.subi %%last, %%steps : vector<%uxi16>\n"
                "loop.for %%x = %%c0 to %%whole step %u {\n"
                "%%bit = arith.andi %%x, %%ni : index\n%%odd = arith.cmp ne, %%bit, %%c0 : index\n"
                "%%a = vec.load %%in[%%x] : memref<?x%s>, vector<%ux%s>\n"
                "%%b = vec.load %%other[%%x] : memref<?x%s>, vector<%ux%s>\n%s}\n",
                n, n, n, n - 1, n, n, n, p->type, n, p->type, p->type, n, p->type, p->body.data);
}

/* --- data --- */

static void fill(pm_scalar scalar, void *cells, unsigned factor, unsigned first) {
  pm_lane lanes[COUNT];
  for (unsigned i = 0; i < COUNT; i++)
    lanes[i] = pm_check_sample(scalar, (i * factor + i / 17 + first) % PM_CHECK_FINITE);
  arith_store_lanes(scalar, lanes, cells, 1, COUNT);
}

typedef int (*emitted_fn)(int64_t n, const void *in, const void *other, void *o0, void *o1, void *o2,
                          void *o3, void *o4, void *o5, void *o6);

/* The struct form, which is slow to compile, with one compiler for each number of lanes. What optimizers make
 * of vectors is for numbers of lanes that are soon compiled; the others have the same forms. */
enum { COMPILERS = 3 };
static const char *const optimized[2][COMPILERS] = {
    {"gcc -O1 -Wall -Wextra", "clang -O1 -Wall -Wextra -march=native",
     "clang -O1 -Wall -Wextra -DPM_NO_VECTOR_EXTENSIONS"},
    {"gcc -O1 -Wall -Wextra -march=native", "clang -O1 -Wall -Wextra",
     "gcc -O0 -Wall -Wextra -DPM_NO_VECTOR_EXTENSIONS"},
};
static const char *const plain[2][COMPILERS] = {
    {"gcc -O0 -Wall -Wextra", "clang -O0 -Wall -Wextra -march=native",
     "gcc -O0 -Wall -Wextra -DPM_NO_VECTOR_EXTENSIONS"},
    {"gcc -O0 -Wall -Wextra -march=native", "clang -O0 -Wall -Wextra",
     "clang -O0 -Wall -Wextra -DPM_NO_VECTOR_EXTENSIONS"},
};

static void interpret(pm_op *func, pm_scalar scalar, void *in, void *other, char **out) {
  pm_lane param = {.i = COUNT};
  pm_array inputs[2] = {{scalar, 1, {COUNT}, in}, {scalar, 1, {COUNT}, other}}, outputs[OUTPUTS];
  for (unsigned t = 0; t < OUTPUTS; t++) outputs[t] = (pm_array){types[t], 2, {MAX_ROWS, COUNT}, out[t]};
  pm_call call = {&param, 1, inputs, 2, outputs, OUTPUTS};
  assert_true(loop_interpret(func, &call, NULL));
}

static void run_emitted(void *library, pm_scalar scalar, const void *in, const void *other, char **out) {
  char name[16];
  emitted_fn function;
  snprintf(name, sizeof name, "f_%s", name_of(scalar));
  void *symbol = dlsym(library, name);
  assert_non_null(symbol);
  memcpy(&function, &symbol, sizeof function);
  assert_int_equal(function(COUNT, in, other, out[0], out[1], out[2], out[3], out[4], out[5], out[6]), 0);
}

static void compare(const program *p, const char *compiler, char **want, char **have) {
  for (unsigned t = 0; t < OUTPUTS; t++)
    for (size_t i = 0; i < (size_t)p->rows[t] * COUNT; i++) {
      size_t at = i * pm_scalar_bytes(types[t]);
      if (!emitted_same_cell(types[t], want[t] + at, have[t] + at))
        fail_msg("%s: %u lanes of %s: row %zu of the output of %s differs at %zu", compiler, p->lanes,
                 p->type, i / COUNT, name_of(types[t]), i % COUNT);
    }
}

static void allocate(char **out) {
  for (unsigned t = 0; t < OUTPUTS; t++) out[t] = calloc((size_t)MAX_ROWS * COUNT, pm_scalar_bytes(types[t]));
}

static void release(char **out) {
  for (unsigned t = 0; t < OUTPUTS; t++) free(out[t]);
}

static void check_type(const program *p, pm_op *func, const char *const *commands, void *const *libraries) {
  char in[COUNT * 8], other[COUNT * 8], *want[OUTPUTS], *have[OUTPUTS];
  fill(p->scalar, in, 1, 0);
  fill(p->scalar, other, 5, 3);
  allocate(want);
  interpret(func, p->scalar, in, other, want);
  for (size_t i = 0; i < COMPILERS; i++) {
    allocate(have);
    run_emitted(libraries[i], p->scalar, in, other, have);
    compare(p, commands[i], want, have);
    release(have);
  }
  release(want);
}

/* One module for a number of lanes: a function for each type. */
static void check_lanes(unsigned lanes, const char *const *commands) {
  program programs[OUTPUTS - 1] = {0};
  pm_buf text = {0}, messages = {0};
  pm_target_output c = {0};
  void *libraries[COMPILERS];
  for (unsigned t = 0; t < PM_COUNT(programs); t++) {
    programs[t].lanes = lanes;
    programs[t].scalar = types[t];
    put_function(&programs[t], &text);
  }
  pm_context *ctx = pm_context_new();
  pm_register_all_dialects(ctx);
  pm_register_all_targets(ctx);
  pm_register_all_passes(ctx);
  pm_set_diag_handler(ctx, collect, &messages);
  pm_module *module = pm_parse_module(ctx, "test", text.data, text.len, true);
  if (!module) fail_msg("%s", messages.data);
  emitted_finish(module);
  if (!pm_emit(pm_find_target(ctx, "c"), module, "f.h", &c)) fail_msg("%s", messages.data);
  emitted_compile(&c, commands, COMPILERS, libraries);
  unsigned t = 0;
  PM_FOR_OPS(func, pm_module_body(module))
  if (!loop_result_of(func)) check_type(&programs[t++], func, commands, libraries);
  for (size_t i = 0; i < COMPILERS; i++) dlclose(libraries[i]);
  for (t = 0; t < PM_COUNT(programs); t++) pm_buf_free(&programs[t].body);
  pm_target_output_free(&c);
  pm_module_free(module);
  pm_context_free(ctx);
  pm_buf_free(&text);
  pm_buf_free(&messages);
}

static bool is_long(void) {
  const char *set = getenv("PM_TEST_LONG");
  return set && strcmp(set, "1") == 0;
}

static void lanes_4(void **state) {
  (void)state;
  check_lanes(4, optimized[0]);
}
static void lanes_8(void **state) {
  (void)state;
  check_lanes(8, is_long() ? optimized[1] : plain[1]);
}
static void lanes_16(void **state) {
  (void)state;
  if (is_long()) check_lanes(16, plain[0]); /* the forms are those of 8 and 32 */
}
static void lanes_32(void **state) {
  (void)state;
  check_lanes(32, plain[1]);
}
static void lanes_that_are_no_power_of_two(void **state) {
  (void)state;
  check_lanes(3, plain[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(traps_name_the_lane),
      cmocka_unit_test(lanes_4),
      cmocka_unit_test(lanes_8),
      cmocka_unit_test(lanes_16),
      cmocka_unit_test(lanes_32),
      cmocka_unit_test(lanes_that_are_no_power_of_two),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
