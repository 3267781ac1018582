/* What the tests of the stage interpreter share: pipelines with their diagnostics, and sets of points.
 * Include after cmocka.h. */
#ifndef PM_TESTS_UNIT_STAGE_PIPELINES_H
#define PM_TESTS_UNIT_STAGE_PIPELINES_H

#include <stdlib.h>
#include <string.h>

#include "dialects/dialects.h"
#include "dialects/stage/interpreter/interp.h"
#include "dialects/stage/stage.h"
#include "ir/text.h"

/* --- a pipeline with its diagnostics --- */

typedef struct fixture {
  pm_context *ctx;
  pm_module *module;
  pm_buf log;
} fixture;

static inline void remember(void *user, pm_context *ctx, const pm_diag *diag) {
  (void)ctx;
  fixture *f = user;
  pm_buf_printf(&f->log, "%u: %s\n", (unsigned)diag->loc.line, diag->message);
}

static inline fixture parse(const char *text) {
  fixture f = {.ctx = pm_context_new()};
  pm_register_all_dialects(f.ctx);
  f.module = pm_parse_module(f.ctx, "test.pmir", text, strlen(text), true);
  assert_non_null(f.module);
  return f;
}

static inline void finish(fixture *f) {
  pm_buf_free(&f->log);
  pm_module_free(f->module);
  pm_context_free(f->ctx);
}

static inline bool run(fixture *f, const pm_call *call) {
  pm_set_diag_handler(f->ctx, remember, f);
  return stage_interpret(pm_module_body(f->module)->first, call);
}

static inline void assert_logged(fixture *f, const char *text) {
  if (!f->log.data || !strstr(f->log.data, text))
    fail_msg("no '%s' in: %s", text, f->log.data ? f->log.data : "");
}

static inline pm_array array2(pm_scalar scalar, int64_t rows, int64_t cols, void *data) {
  return (pm_array){.scalar = scalar, .rank = 2, .extents = {rows, cols}, .data = data};
}

static inline pm_array array1(pm_scalar scalar, int64_t n, void *data) {
  return (pm_array){.scalar = scalar, .rank = 1, .extents = {n}, .data = data};
}

/* One or two integer params, at most one input, one output. */
static inline bool run_simple(fixture *f, int64_t r, int64_t c, size_t n_params, const pm_array *in,
                              pm_array out) {
  pm_lane params[] = {{.i = r}, {.i = c}};
  pm_call call = {params, n_params, in, in ? 1 : 0, &out, 1};
  return run(f, &call);
}

/* Pipelines of these tests have the params R and C, at most an input @in : i32 of R x C and the output @f. */
#define PIPELINE_2D(in_type, type, domain, rest, bodies)                                                     \
  "stage.pipeline @p {\n"                                                                                    \
  "  %R = stage.param @R : i32\n"                                                                            \
  "  %C = stage.param @C : i32\n"                                                                            \
  "  stage.input @in : " in_type " on #isl.set<\"[R, C] -> { [i, j] : 0 <= i < R and 0 <= j < C }\">\n"      \
  "  stage.func @f : " type " on #isl.set<\"[R, C] -> { " domain " }\"> " rest "{\n" bodies "  }\n"          \
  "  stage.output @f\n"                                                                                      \
  "}\n"
#define CASE(args, set, body)                                                                                \
  "    stage.case(" args ") on #isl.set<\"[R, C] -> { " set " }\"> {\n" body "    }\n"
#define UPDATE(args, set, body)                                                                              \
  "    stage.update(" args ") on #isl.set<\"[R, C] -> { " set " }\"> {\n" body "    }\n"
#define IMAGE "[i, j] : 0 <= i < R and 0 <= j < C"

static inline void run_2d(const char *text, pm_scalar in_scalar, void *in, int64_t r, int64_t c,
                          pm_array out) {
  fixture f = parse(text);
  pm_array input = array2(in_scalar, r, c, in);
  if (!run_simple(&f, r, c, 2, &input, out)) fail_msg("%s", f.log.data);
  finish(&f);
}

static inline void fail_2d(const char *text, int32_t *in, int64_t r, int64_t c, pm_array out,
                           const char *message) {
  fixture f = parse(text);
  pm_array input = array2(PM_I32, r, c, in);
  assert_false(run_simple(&f, r, c, 2, &input, out));
  assert_logged(&f, message);
  finish(&f);
}

/* Numbers without a pattern. */
static inline void fill(int32_t *cells, size_t n, int32_t modulus) {
  uint32_t state = 12345;
  for (size_t k = 0; k < n; k++) {
    state = state * 1664525u + 1013904223u;
    cells[k] = (int32_t)(state >> 8) % modulus;
  }
}

enum { ROWS = 37, COLS = 301 };

static inline int32_t sum_of(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

/* --- sets of points, and what holds for them --- */

static inline bool all_points(int64_t x, int64_t y) {
  return x >= 0 && y >= 0;
}
static inline bool even_column(int64_t x, int64_t y) {
  return x >= 0 && y % 2 == 0;
}
static inline bool checkers(int64_t x, int64_t y) {
  return (x + y) % 2 == 0;
}
static inline bool triangle(int64_t x, int64_t y) {
  return y <= x;
}
static inline bool off_diagonal(int64_t x, int64_t y) {
  return x != y;
}
static inline bool frame(int64_t x, int64_t y) {
  return x < 2 || y < 2 || x >= 67 || y >= 66;
}
static inline bool two_parities(int64_t x, int64_t y) {
  return (x % 3 == 0 && y % 2 == 0) || (y % 5 == 1 && x < 60) || y > 50;
}

#endif
