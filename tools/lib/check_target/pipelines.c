#include "tools/lib/check_target/sections.h"

#include <stdlib.h>

static const char *const modes[] = {"clamp", "repeat", "mirror", "mirror101", "constant"};
enum { CONSTANT_MODE = 4 };

static void put_mode(pm_buf *out, unsigned mode, bool is_float) {
  pm_buf_printf(out, " boundary %s", modes[mode]);
  if (mode == CONSTANT_MODE) pm_buf_puts(out, is_float ? "(7.5)" : "(7)");
}

static void begin_pipeline(pm_buf *out, const char *symbol, const char *type) {
  pm_buf_printf(out,
                "stage.pipeline @%s context #isl.set<\"[R, C] -> { : R >= 1 and C >= 1 }\"> fp \"strict\" {\n"
                "%%R = stage.param @R : i32\n%%C = stage.param @C : i32\n"
                "stage.input @s0 : %s on #isl.set<\"[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }\">\n",
                symbol, type);
}

/* --- borders --- */

/* A stage that reads far beyond the ends of another, which does so, too: at sizes of 1 by several periods. */
static void put_far(pm_buf *out, unsigned number, const char *type, unsigned mode) {
  static const int offsets[][2] = {{-3, 0}, {2, 1}, {0, -4}, {1, 5}};
  bool is_float = *type == 'f';
  pm_buf_printf(out,
                "stage.func @s%u : %s on #isl.set<\"[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }\"> {\n"
                "stage.case(%%x, %%y) on #isl.set<\"[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }\"> {\n"
                "%%v0 = stage.read @s%u[%%x, %%y] : %s\n",
                number, type, number - 1, type);
  for (unsigned i = 0; i < PM_COUNT(offsets); i++) {
    pm_buf_printf(out, "%%r%u = stage.read @s%u[%%x + %d, %%y + %d]", i, number - 1, offsets[i][0],
                  offsets[i][1]);
    put_mode(out, mode, is_float);
    pm_buf_printf(out, " : %s\n%%v%u = arith.sub%c %%r%u, %%v%u : %s\n", type, i + 1, is_float ? 'f' : 'i', i,
                  i, type);
  }
  pm_buf_printf(out, "stage.yield %%v%zu : %s\n}\n}\n", PM_COUNT(offsets), type);
}

static void add_border(pm_check_programs *programs, unsigned mode, const char *type) {
  static const char *const calls[] = {"R=1,C=1",  "R=1,C=5",  "R=5,C=1", "R=2,C=2",
                                      "R=7,C=13", "R=3,C=70", NULL};
  pm_buf name = {0}, text = {0};
  char *symbol = pm_check_next_symbol(programs);
  pm_buf_printf(&name, "borders by %s, %s", modes[mode], type);
  begin_pipeline(&text, symbol, type);
  put_far(&text, 1, type, mode);
  put_far(&text, 2, type, mode);
  pm_buf_puts(&text, "stage.output @s2\n}\n");
  pm_check_add(programs, modes[mode], &name, &text)->calls = calls;
  free(symbol);
}

void pm_check_add_borders(pm_check_programs *programs, const pm_context *ctx, const pm_check_choice *choice) {
  (void)ctx, (void)choice;
  for (unsigned mode = 0; mode < PM_COUNT(modes); mode++) {
    add_border(programs, mode, "i32");
    add_border(programs, mode, mode % 2 ? "f32" : "u8");
  }
}

/* --- random pipelines --- */

enum { MOST_STAGES = 9 };

/* Of the pictures that stages compute: all of R x C, every second of both dimensions, one number a row. */
typedef enum shape { WHOLE, HALF, ROWS, N_SHAPES } shape;
static const char *const sets[N_SHAPES] = {[WHOLE] = "[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }",
                                           [HALF] = "[R, C] -> { [x, y] : 0 <= 2x < R and 0 <= 2y < C }",
                                           [ROWS] = "[R] -> { [x] : 0 <= x < R }"};

typedef struct stage {
  const char *type;
  shape shape;
  bool is_read;
} stage;

typedef struct maker {
  uint64_t state;
  pm_buf *out;
  stage stages[MOST_STAGES + 1];
  unsigned n, values; /* stages there are; names of values that are taken in the body */
} maker;

/* splitmix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014) */
static unsigned draw(maker *m, unsigned n) {
  uint64_t z = m->state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (unsigned)((z ^ (z >> 31)) >> 33) % n;
}

#define DRAW(m, words) (words)[draw(m, PM_COUNT(words))]

static bool is_float(const char *type) {
  return *type == 'f';
}

/* Each of these gives the number of a value, %v3. */
static unsigned put_binary(maker *m, const char *op, unsigned a, unsigned b, const char *type) {
  pm_buf_printf(m->out, "%%v%u = arith.%s %%v%u, %%v%u : %s\n", m->values, op, a, b, type);
  return m->values++;
}

static unsigned put_constant(maker *m, const char *type) {
  static const char *const floats[] = {"0.5", "2.0", "-1.25", "0.1"}, *const ints[] = {"1", "2", "3", "7"};
  pm_buf_printf(m->out, "%%v%u = arith.constant %s : %s\n", m->values,
                is_float(type) ? DRAW(m, floats) : DRAW(m, ints), type);
  return m->values++;
}

static unsigned put_cast(maker *m, unsigned value, const char *from, const char *to) {
  if (from == to) return value;
  bool saturates = !is_float(to) && (is_float(from) || draw(m, 3) == 0);
  pm_buf_printf(m->out, "%%v%u = arith.%s %%v%u : (%s) -> %s\n", m->values, saturates ? "sat_cast" : "cast",
                value, from, to);
  return m->values++;
}

static unsigned put_select(maker *m, unsigned a, unsigned b, const char *type) {
  static const char *const kinds[] = {"lt", "ge", "eq", "ne"};
  pm_buf_printf(m->out, "%%v%u = arith.cmp %s, %%v%u, %%v%u : %s\n", m->values, DRAW(m, kinds), a, b, type);
  unsigned condition = m->values++;
  pm_buf_printf(m->out, "%%v%u = arith.select %%v%u, %%v%u, %%v%u : %s\n", m->values, condition, b, a, type);
  return m->values++;
}

static unsigned put_op(maker *m, unsigned a, unsigned b, const char *type) {
  static const char *const floats[] = {"addf", "subf", "mulf", "minf", "maxf", "addf"};
  static const char *const ints[] = {"addi", "subi", "muli", "mini", "maxi",
                                     "xori", "andi", "divi", "remi", "trunc_div"};
  if (draw(m, 6) == 0) return put_select(m, a, b, type);
  if (draw(m, 4) == 0) b = put_constant(m, type);
  if (!is_float(type) && draw(m, 8) == 0)
    return put_binary(m, draw(m, 2) ? "shri" : "shli", a, put_constant(m, type), type);
  return put_binary(m, is_float(type) ? DRAW(m, floats) : DRAW(m, ints), a, b, type);
}

/* One dimension of an index, of the stage that is read and of the one that reads. */
static void put_index(maker *m, char dimension, const stage *from, shape to, int distance) {
  const char *scale = from->shape == WHOLE && to == HALF  ? " * 2"
                      : from->shape == HALF && to != HALF ? " floordiv 2"
                                                          : "";
  pm_buf_printf(m->out, "%%%c%s + %d", dimension, scale, distance);
}

/* A read of any stage at about the same place, as the type. Modes make all of them right. */
static unsigned put_read(maker *m, shape shape, const char *type, int most) {
  unsigned number = draw(m, m->n), mode = draw(m, PM_COUNT(modes));
  stage *from = &m->stages[number];
  from->is_read = true;
  pm_buf_printf(m->out, "%%v%u = stage.read @s%u[", m->values, number);
  put_index(m, 'x', from, shape, most ? (int)draw(m, 2 * (unsigned)most + 1) - most : 0);
  pm_buf_puts(m->out, from->shape == ROWS ? "" : ", ");
  if (from->shape != ROWS)
    put_index(m, shape == ROWS ? 'x' : 'y', from, shape,
              most ? (int)draw(m, 2 * (unsigned)most + 1) - most : 0);
  pm_buf_puts(m->out, "]");
  put_mode(m->out, mode, is_float(from->type));
  pm_buf_printf(m->out, " : %s\n", from->type);
  return put_cast(m, m->values++, from->type, type);
}

static void begin_case(maker *m, const char *set, shape shape) {
  m->values = 0;
  pm_buf_printf(m->out, "stage.case(%s) on #isl.set<\"%s\"> {\n", shape == ROWS ? "%x" : "%x, %y", set);
}

static void put_yield(maker *m, unsigned value, const char *type) {
  pm_buf_printf(m->out, "stage.yield %%v%u : %s\n}\n", value, type);
}

/* Of several reads around a point. */
static void put_stencil(maker *m, shape shape, const char *type) {
  unsigned reads = 1 + draw(m, 4);
  int most = (int)draw(m, 4);
  begin_case(m, sets[shape], shape);
  unsigned value = put_read(m, shape, type, most);
  for (unsigned i = 0; i < reads; i++) value = put_op(m, value, put_read(m, shape, type, most), type);
  put_yield(m, value, type);
}

/* Each point of a row is made of the one before it. */
static void put_scan(maker *m, const char *type) {
  begin_case(m, "[R, C] -> { [x, y] : 0 <= x < R and y = 0 and C > 0 }", WHOLE);
  put_yield(m, put_read(m, WHOLE, type, 1), type);
  begin_case(m, "[R, C] -> { [x, y] : 0 <= x < R and 1 <= y < C }", WHOLE);
  pm_buf_printf(m->out, "%%v%u = stage.read @s%u[%%x, %%y - 1] : %s\n", m->values++, m->n, type);
  put_yield(m, put_op(m, 0, put_read(m, WHOLE, type, 1), type), type);
}

/* Of the points of a row. */
static void put_reduction(maker *m, const char *type) {
  static const char *const kinds[] = {"sum", "min", "max"};
  m->values = 0;
  pm_buf_printf(m->out, "stage.update(%%x, %%y) on #isl.set<\"%s\"> {\n", sets[WHOLE]);
  unsigned value = put_read(m, WHOLE, type, 1);
  pm_buf_printf(m->out, "stage.combine %s, %%v%u into [%%x] : %s\n}\n", DRAW(m, kinds), value, type);
}

static void put_stage(maker *m) {
  static const char *const types[] = {"u8", "i16", "i32", "f32", "f32", "i32", "u16", "f64"};
  enum { STENCIL, SMALL, SCAN, REDUCTION, KINDS = 10 };
  unsigned kind = draw(m, KINDS);
  const char *type = DRAW(m, types);
  shape shape = kind == SMALL ? HALF : kind == REDUCTION ? ROWS : WHOLE;
  pm_buf_printf(m->out, "stage.func @s%u : %s on #isl.set<\"%s\"> {\n", m->n, type, sets[shape]);
  if (kind == SCAN)
    put_scan(m, type);
  else if (kind == REDUCTION)
    put_reduction(m, type);
  else
    put_stencil(m, shape, type);
  pm_buf_puts(m->out, "}\n");
  m->stages[m->n++] = (stage){type, shape, false};
}

/* Every stage that nobody reads is an output. */
static void put_pipeline(maker *m, const char *symbol) {
  static const char *const types[] = {"u8", "i16", "i32", "f32"};
  unsigned stages = 2 + draw(m, MOST_STAGES - 2);
  m->stages[m->n++] = (stage){DRAW(m, types), WHOLE, true};
  begin_pipeline(m->out, symbol, m->stages[0].type);
  while (m->n <= stages) put_stage(m);
  for (unsigned i = 1; i < m->n; i++)
    if (!m->stages[i].is_read) pm_buf_printf(m->out, "stage.output @s%u\n", i);
  pm_buf_puts(m->out, "}\n");
}

void pm_check_add_pipelines(pm_check_programs *programs, const pm_context *ctx,
                            const pm_check_choice *choice) {
  static const char *const calls[] = {"R=1,C=1", "R=1,C=9", "R=8,C=3", "R=35,C=70", NULL};
  (void)ctx;
  for (unsigned i = 0; i < choice->pipelines; i++) {
    pm_buf name = {0}, text = {0};
    char *symbol = pm_check_next_symbol(programs);
    maker m = {.state = choice->seed + i, .out = &text};
    pm_buf_printf(&name, "pipeline of the seed %llu", (unsigned long long)(choice->seed + i));
    put_pipeline(&m, symbol);
    pm_check_add(programs, "random pipeline", &name, &text)->calls = calls;
    free(symbol);
  }
}
