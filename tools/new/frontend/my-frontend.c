/* The frontend my-frontend, for a tiny language: each line makes a picture of the one before it, the first of
 * `img`. At borders the nearest pixels stand for those outside.
 *
 *   scale 0.5         each pixel times a number
 *   blur 3            the mean of a row of so many pixels, an odd number
 */
#include <pm/tools/plugin.h>

#include <pm/frontends/frontend.h>
#include <pm/ir/verify.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the program as it is read --- */

typedef struct reader {
  pm_context *ctx;
  pm_builder b;         /* at the end of the pipeline */
  const char *at, *end; /* of the line that is read */
  pm_loc loc;           /* where it begins */
  pm_string source;     /* what the next stage reads */
  pm_type type;
  unsigned stages;
} reader;

static pm_attr set_of(const reader *r, const char *text) {
  return pm_get_custom(r->ctx, &isl_set_kind, r->b.loc, pm_str_of(text));
}

static pm_attr picture(const reader *r) {
  return set_of(r, "[R, C] -> { [x, y] : 0 <= x < R and 0 <= y < C }");
}

/* --- stages --- */

/* The source at (x, y + dy). */
static pm_value *build_read(const reader *r, pm_builder *b, int64_t dy) {
  pm_affine_expr point[] = {pm_affine_dim(r->ctx, 0), pm_affine_addc(pm_affine_dim(r->ctx, 1), dy)};
  return stage_build_read(b, r->source, r->type, pm_get_affine_map(r->ctx, 2, 0, point, 2), b->region->args,
                          pm_get_string_attr(r->ctx, PM_STR("clamp")));
}

static pm_value *build_scale(const reader *r, pm_builder *b, double factor) {
  return pm_build_binary(b, &arith_mulf, build_read(r, b, 0), arith_build_float(b, r->type, factor));
}

static pm_value *build_blur(const reader *r, pm_builder *b, double width) {
  int64_t half = (int64_t)width / 2;
  pm_value *sum = build_read(r, b, -half);
  for (int64_t dy = 1 - half; dy <= half; dy++)
    sum = pm_build_binary(b, &arith_addf, sum, build_read(r, b, dy));
  return pm_build_binary(b, &arith_divf, sum, arith_build_float(b, r->type, width));
}

static const struct command {
  const char *name;
  pm_value *(*build)(const reader *r, pm_builder *b, double number);
} commands[] = {{"scale", build_scale}, {"blur", build_blur}};

/* step1, step2 … */
static pm_string next_name(reader *r) {
  pm_buf text = {0};
  pm_buf_printf(&text, "step%u", ++r->stages);
  pm_string name = pm_get_cstring(r->ctx, text.data);
  pm_buf_free(&text);
  return name;
}

static void build_stage(reader *r, const struct command *command, double number) {
  pm_string name = next_name(r), names[] = {pm_get_cstring(r->ctx, "x"), pm_get_cstring(r->ctx, "y")};
  r->b.loc = r->loc;
  pm_op *func = stage_build_func(&r->b, name, r->type, picture(r), NULL);
  pm_region *body = stage_begin_body(stage_build_case(func, r->loc, picture(r)), names, 2);
  pm_builder in = pm_builder_at_end(r->b.module, body, r->loc);
  pm_value *value = command->build(r, &in, number);
  stage_build_yield(&in, &value, 1);
  r->source = name;
}

/* --- lines --- */

static const struct command *find_command(const char *word, size_t length) {
  for (size_t i = 0; i < PM_COUNT(commands); i++)
    if (strlen(commands[i].name) == length && memcmp(commands[i].name, word, length) == 0)
      return &commands[i];
  return NULL;
}

/* Where `at` is in the line. */
static pm_loc place(const reader *r, const char *at) {
  return (pm_loc){r->loc.line, (uint32_t)(at - r->at) + 1, r->loc.file};
}

static bool read_line(reader *r) {
  const char *word = r->at + strspn(r->at, " \t\r");
  size_t length = strcspn(word, " \t\r\n#");
  if (!length) return true;
  const struct command *command = find_command(word, length);
  if (!command)
    return pm_error(r->ctx, place(r, word), "'%.*s' is no command; it should be scale or blur", (int)length,
                    word);
  const char *digits = word + length + strspn(word + length, " \t");
  char *behind;
  double number = strtod(digits, &behind);
  if (behind == digits || behind > r->end || !isfinite(number))
    return pm_error(r->ctx, place(r, digits), "'%s' has no finite number behind it, but should",
                    command->name);
  if (command->build == build_blur && (number < 1 || number > 99 || fmod(number, 2) != 1))
    return pm_error(r->ctx, place(r, digits), "the width is %g, which should be an odd number from 1 to 99",
                    number);
  const char *rest = behind + strspn(behind, " \t\r");
  if (rest < r->end && *rest != '#') return pm_error(r->ctx, place(r, rest), "the line should end here");
  build_stage(r, command, number);
  return true;
}

static bool read_lines(reader *r, const char *text) {
  for (r->at = text; *r->at; r->loc.line++) {
    r->end = r->at + strcspn(r->at, "\n");
    if (!read_line(r)) return false;
    r->at = *r->end ? r->end + 1 : r->end;
  }
  return r->stages || pm_error(r->ctx, r->loc, "the program has no line with a command");
}

/* --- the pipeline --- */

static void begin_pipeline(reader *r, const char *fp) {
  pm_type i32 = pm_get_scalar(r->ctx, PM_I32);
  pm_attr context = set_of(r, "[R, C] -> { : R >= 1 and C >= 1 }");
  pm_op *pipeline = stage_build_pipeline(&r->b, pm_get_cstring(r->ctx, "run"), context, fp);
  r->b = pm_builder_at_end(r->b.module, pm_region_at(pipeline, stage_pipeline_body), r->loc);
  stage_build_param(&r->b, pm_get_cstring(r->ctx, "R"), i32);
  stage_build_param(&r->b, pm_get_cstring(r->ctx, "C"), i32);
  stage_build_input(&r->b, r->source, r->type, picture(r), NULL);
}

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  pm_loc loc = {1, 1, pm_add_source(ctx, input->file, input->text, input->len)};
  pm_module *module = pm_module_new(ctx, loc);
  reader r = {.ctx = ctx,
              .b = pm_builder_at_end(module, pm_module_body(module), loc),
              .loc = loc,
              .source = pm_get_cstring(ctx, "img"),
              .type = pm_get_scalar(ctx, PM_F32)};
  begin_pipeline(&r, input->fp);
  bool ok = read_lines(&r, input->text);
  if (ok) stage_build_output(&r.b, r.source);
  if (ok && pm_verify_module(module)) return module;
  pm_module_free(module);
  return NULL;
}

static const char *const extensions[] = {"my_frontend", NULL};
static const pm_frontend frontend = {.name = "my-frontend",
                                     .language = "my-frontend",
                                     .extensions = extensions,
                                     .doc = "steps that change a picture",
                                     .read = read_program};

static void register_all(pm_context *ctx) {
  (void)pm_register_frontend(ctx, &frontend);
}

PM_PLUGIN("my-frontend", register_all)
