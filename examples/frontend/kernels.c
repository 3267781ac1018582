/* The frontend of a tiny language: a program is a list of convolution kernels. The first is applied to the
 * picture `img`, each other one to the result of the one before it. At borders, the nearest pixels stand for
 * those outside.
 *
 *   kernel smooth / 16          smooth(x, y) = (img(x - 1, y - 1) + 2 * img(x - 1, y) + …) / 16
 *   1 2 1
 *   2 4 2
 *   1 2 1
 */
#include <pm/tools/plugin.h>

#include <pm/frontends/kit/kit.h>
#include <pm/ir/verify.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- reading --- */

typedef struct kernel {
  pm_string name;
  pm_loc loc;
  double divisor;
  size_t rows, columns;
  PM_VEC(double) weights; /* row by row */
} kernel;

typedef PM_VEC(kernel) kernel_list;

/* A line of the program from `at` on. */
typedef struct scanner {
  pm_context *ctx;
  const char *at, *line;
  pm_loc loc; /* of the line */
} scanner;

static pm_loc here(const scanner *s) {
  return (pm_loc){s->loc.line, (uint32_t)(s->at - s->line) + 1, s->loc.file};
}

static bool at_end(scanner *s) {
  s->at += strspn(s->at, " \t\r");
  return *s->at == '\n' || *s->at == '#' || !*s->at;
}

static pm_str scan_word(scanner *s) {
  pm_str word = {s->at, 0};
  while (isalnum((unsigned char)*s->at) || *s->at == '_') s->at++, word.len++;
  return word;
}

static bool scan_number(scanner *s, double *number) {
  if (at_end(s)) return pm_error(s->ctx, here(s), "the line has no number here, but should have one");
  char *end;
  *number = strtod(s->at, &end);
  if (end == s->at || !isfinite(*number)) return pm_error(s->ctx, here(s), "this should be a finite number");
  s->at = end;
  return true;
}

static bool read_heading(scanner *s, kernel_list *kernels) {
  kernel k = {.loc = s->loc, .divisor = 1};
  at_end(s);
  pm_str name = scan_word(s);
  if (!name.len) return pm_error(s->ctx, here(s), "a kernel has no name, but should have one");
  k.name = kit_identifier(s->ctx, pm_get_string(s->ctx, name)->text);
  if (!at_end(s)) {
    if (*s->at != '/') return pm_error(s->ctx, here(s), "a name should be followed by '/' or nothing");
    s->at++;
    if (!scan_number(s, &k.divisor)) return false;
    if (k.divisor == 0) return pm_error(s->ctx, here(s), "the divisor is 0");
    if (!at_end(s)) return pm_error(s->ctx, here(s), "a divisor should be followed by nothing");
  }
  PM_VEC_PUSH(*kernels, k);
  return true;
}

static bool read_row(scanner *s, kernel_list *kernels) {
  if (!kernels->len) return pm_error(s->ctx, s->loc, "the first line should be 'kernel NAME'");
  kernel *k = &PM_VEC_LAST(*kernels);
  size_t columns = 0;
  for (; !at_end(s); columns++) {
    double weight;
    if (!scan_number(s, &weight)) return false;
    PM_VEC_PUSH(k->weights, weight);
  }
  if (!k->rows) k->columns = columns;
  k->rows++;
  return columns == k->columns ||
         pm_error(s->ctx, s->loc, "the row has %zu weights, but the first one of the kernel has %zu", columns,
                  k->columns);
}

static bool read_line(scanner *s, kernel_list *kernels) {
  if (at_end(s)) return true;
  const char *begin = s->at;
  if (pm_str_is(scan_word(s), "kernel")) return read_heading(s, kernels);
  s->at = begin;
  return read_row(s, kernels);
}

static bool read_lines(scanner *s, kernel_list *kernels) {
  for (; *s->at; s->loc.line++) {
    s->line = s->at;
    if (!read_line(s, kernels)) return false;
    s->at += strcspn(s->at, "\n");
    s->at += *s->at == '\n';
  }
  return kernels->len || pm_error(s->ctx, s->loc, "the program has no kernel");
}

/* --- building --- */

static pm_attr set_of(const pm_builder *b, const char *text) {
  return pm_get_custom(pm_module_context(b->module), &isl_set_kind, b->loc, pm_str_of(text));
}

static pm_attr picture(const pm_builder *b) {
  return set_of(b, "[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }");
}

/* The source at (x + dx, y + dy). */
static pm_value *build_read(pm_builder *b, pm_string source, pm_type type, int64_t dx, int64_t dy) {
  pm_context *ctx = pm_module_context(b->module);
  pm_affine_expr point[] = {pm_affine_addc(pm_affine_dim(ctx, 0), dx),
                            pm_affine_addc(pm_affine_dim(ctx, 1), dy)};
  pm_attr clamp = pm_get_string_attr(ctx, PM_STR("clamp"));
  return stage_build_read(b, source, type, pm_get_affine_map(ctx, 2, 0, point, 2), b->region->args, clamp);
}

static pm_value *build_sum(pm_builder *b, const kernel *k, pm_string source, pm_type type) {
  pm_value *sum = NULL;
  for (size_t i = 0; i < k->weights.len; i++) {
    double weight = k->weights.data[i];
    if (weight == 0) continue;
    int64_t dx = (int64_t)(i / k->columns) - (int64_t)(k->rows / 2);
    int64_t dy = (int64_t)(i % k->columns) - (int64_t)(k->columns / 2);
    pm_value *term = build_read(b, source, type, dx, dy);
    if (weight != 1) term = pm_build_binary(b, &arith_mulf, arith_build_float(b, type, weight), term);
    sum = sum ? pm_build_binary(b, &arith_addf, sum, term) : term;
  }
  return sum ? sum : arith_build_float(b, type, 0);
}

static bool build_stage(pm_builder *b, const kernel *k, pm_string source, pm_type type) {
  pm_context *ctx = pm_module_context(b->module);
  if (k->rows % 2 == 0 || k->columns % 2 == 0)
    return pm_error(ctx, k->loc, "the kernel '%s' has %zu x %zu weights, which should be odd numbers",
                    k->name->text, k->rows, k->columns);
  if (pm_lookup_symbol(b->region, k->name))
    return pm_error(ctx, k->loc, "the name '%s' is taken", k->name->text);
  b->loc = k->loc;
  pm_op *func = stage_build_func(b, k->name, type, picture(b), NULL);
  pm_string names[] = {pm_get_cstring(ctx, "x"), pm_get_cstring(ctx, "y")};
  pm_region *body = stage_begin_body(stage_build_case(func, k->loc, picture(b)), names, 2);
  pm_builder in = pm_builder_at_end(b->module, body, k->loc);
  pm_value *value = build_sum(&in, k, source, type);
  if (k->divisor != 1)
    value = pm_build_binary(&in, &arith_divf, value, arith_build_float(&in, type, k->divisor));
  stage_build_yield(&in, &value, 1);
  return true;
}

static bool build_pipeline(pm_builder *b, const kernel_list *kernels, const pm_frontend_input *input) {
  pm_context *ctx = pm_module_context(b->module);
  pm_type f32 = pm_get_scalar(ctx, PM_F32), i32 = pm_get_scalar(ctx, PM_I32);
  pm_string name = PM_VEC_LAST(*kernels).name, source = pm_get_cstring(ctx, "img");
  for (size_t i = 0; i < input->n_values; i++) name = kit_identifier(ctx, input->values[i].text);
  pm_op *pipeline = stage_build_pipeline(b, name, set_of(b, "[R, C] -> { : R >= 1 and C >= 1 }"), input->fp);
  *b = pm_builder_at_end(b->module, pm_region_at(pipeline, stage_pipeline_body), b->loc);
  stage_build_param(b, pm_get_cstring(ctx, "R"), i32);
  stage_build_param(b, pm_get_cstring(ctx, "C"), i32);
  stage_build_input(b, source, f32, picture(b), NULL);
  for (size_t i = 0; i < kernels->len; i++) {
    if (!build_stage(b, &kernels->data[i], source, f32)) return false;
    source = kernels->data[i].name;
  }
  stage_build_output(b, source);
  return pm_verify_module(b->module);
}

/* --- the frontend --- */

static pm_module *read_kernels(pm_context *ctx, const pm_frontend_input *input) {
  pm_loc loc = {1, 1, pm_add_source(ctx, input->file, input->text, input->len)};
  pm_module *module = pm_module_new(ctx, loc);
  pm_builder b = pm_builder_at_end(module, pm_module_body(module), loc);
  scanner s = {ctx, input->text, input->text, loc};
  kernel_list kernels = {0};
  bool ok = read_lines(&s, &kernels) && build_pipeline(&b, &kernels, input);
  for (size_t i = 0; i < kernels.len; i++) PM_VEC_FREE(kernels.data[i].weights);
  PM_VEC_FREE(kernels);
  if (ok) return module;
  pm_module_free(module);
  return NULL;
}

static const char *const extensions[] = {"kernels", NULL};
static const pm_frontend_option options[] = {
    {"name", PM_FRONTEND_TEXT, "NAME", "of the function (default: that of the last kernel)"}, {0}};
static const pm_frontend kernels_frontend = {.name = "kernels",
                                             .language = "Kernels",
                                             .extensions = extensions,
                                             .doc = "lists of convolution kernels",
                                             .options = options,
                                             .read = read_kernels};

static void register_kernels(pm_context *ctx) {
  pm_register_frontend(ctx, &kernels_frontend);
}

PM_PLUGIN("kernels", register_kernels)
