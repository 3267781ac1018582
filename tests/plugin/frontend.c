/* A plugin with a frontend: Rows, a language of sums along rows of floats.
 *
 *   input img n                           an array of n floats
 *   stage by 1 n-2 = img-1 img+0 img+1    by(x) = img(x - 1) + img(x) + img(x + 1) for 1 <= x <= n - 2
 *   output by
 */
#include "tools/plugin.h"

#include "frontends/kit/kit.h"
#include "ir/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD = 31 };

/* A name and a number that is added to it, as kit_nodes: the kit may look at them as they are. */
typedef struct sum {
  kit_node name, number, sum;
} sum;

typedef struct rows_reader {
  kit kit;
  pm_module *module;
  pm_builder b; /* inside the pipeline, at the line that is read */
  pm_type type; /* of all elements */
} rows_reader;

static kit_node show(const void *user, const void *expr) {
  (void)user;
  return *(const kit_node *)expr;
}

static const kit_exprs exprs = {show, NULL};

static bool wrong(const rows_reader *r, const char *what) {
  return pm_error(r->kit.ctx, r->b.loc, "%s", what);
}

/* "n", "n-2", "7": the node that stands for it, inside `out`. */
static const kit_node *read_sum(const rows_reader *r, const char *text, sum *out) {
  size_t n = strcspn(text, "+-");
  bool is_number = strspn(text, "0123456789-") == strlen(text);
  pm_string name = pm_get_string(r->kit.ctx, (pm_str){text, n});
  pm_loc loc = r->b.loc;
  out->name = (kit_node){.kind = is_number ? KIT_INT : KIT_NAME, .loc = loc, .name = name->text};
  if (is_number) out->name.value = atoll(text);
  out->number = (kit_node){.kind = KIT_INT, .loc = loc, .value = is_number ? 0 : atoll(text + n)};
  out->sum = (kit_node){.kind = KIT_ADD, .loc = loc, .args = {&out->name, &out->number}};
  return out->number.value ? &out->sum : &out->name;
}

static bool read_input(rows_reader *r, const char *name, const char *size) {
  kit_dims dims = kit_array_dims(&r->kit, 1);
  pm_buf text = {0};
  sum extent;
  kit_begin_set(&r->kit, &text, &dims);
  bool ok = kit_put_extent(&r->kit, &text, dims.names[0], &exprs, read_sum(r, size, &extent));
  pm_attr domain = kit_end_set(&r->kit, r->b.loc, &text, ok);
  if (domain) stage_build_input(&r->b, kit_identifier(r->kit.ctx, name), r->type, domain, NULL);
  return domain != NULL;
}

/* "img+1": img at x + 1. */
static pm_value *read_term(rows_reader *r, pm_builder *in, const char *term, pm_arena *arena) {
  size_t n = strcspn(term, "+-");
  sum index = {.name = {.kind = KIT_NAME, .name = pm_get_cstring(r->kit.ctx, "x")->text},
               .number = {.kind = KIT_INT, .value = atoll(term + n)},
               .sum = {.kind = KIT_ADD, .args = {&index.name, &index.number}}};
  const void *indices[] = {&index.sum};
  kit_index plan = kit_plan_indices(&r->kit, &exprs, indices, 1, arena);
  pm_string given = pm_get_string(r->kit.ctx, (pm_str){term, n});
  pm_string stage = kit_identifier(r->kit.ctx, given->text);
  return stage_build_read(in, stage, r->type, plan.map, in->region->args, NULL);
}

/* The words of `terms`, summed up. */
static bool read_body(rows_reader *r, pm_op *branch, pm_string x, char *terms) {
  pm_builder in = pm_builder_at_end(r->module, stage_begin_body(branch, &x, 1), r->b.loc);
  pm_arena *arena = pm_arena_new();
  pm_value *value = NULL;
  char *rest = NULL;
  for (char *term = strtok_r(terms, " ", &rest); term; term = strtok_r(NULL, " ", &rest)) {
    pm_value *more = read_term(r, &in, term, arena);
    value = value ? pm_build_binary(&in, &arith_addf, value, more) : more;
  }
  pm_arena_free(arena);
  if (!value) return wrong(r, "a stage should have terms behind '='");
  stage_build_yield(&in, &value, 1);
  return true;
}

static bool read_stage(rows_reader *r, const char *name, const char *low, const char *high, char *terms) {
  pm_string x = pm_get_cstring(r->kit.ctx, "x");
  kit_dims dims = kit_name_dims(&r->kit, &x, 1);
  pm_buf text = {0};
  sum from, to;
  const kit_node *first = read_sum(r, low, &from), *last = read_sum(r, high, &to);
  kit_begin_set(&r->kit, &text, &dims);
  bool ok = kit_put_interval(&r->kit, &text, dims.names[0], &exprs, first, last, 1);
  pm_attr domain = kit_end_set(&r->kit, r->b.loc, &text, ok);
  if (!domain) return false;
  pm_op *func = stage_build_func(&r->b, kit_identifier(r->kit.ctx, name), r->type, domain, NULL);
  return read_body(r, stage_build_case(func, r->b.loc, domain), dims.names[0], terms);
}

static bool read_line(rows_reader *r, char *line) {
  char word[WORD + 1] = "", name[WORD + 1], a[WORD + 1], b[WORD + 1];
  int end = 0, n = sscanf(line, "%31s %31s %31s %31s = %n", word, name, a, b, &end);
  if (n == 3 && strcmp(word, "input") == 0) return read_input(r, name, a);
  if (n == 4 && end && strcmp(word, "stage") == 0) return read_stage(r, name, a, b, line + end);
  if (n == 2 && strcmp(word, "output") == 0)
    return stage_build_output(&r->b, kit_identifier(r->kit.ctx, name)) != NULL;
  return n <= 0 || wrong(r, "this is no line of a program: input, stage or output, and what belongs to it");
}

static bool read_lines(rows_reader *r, char *text, uint16_t file) {
  bool ok = true;
  uint32_t number = 0;
  for (char *next; ok && text; text = next) {
    next = strchr(text, '\n');
    if (next) *next++ = 0;
    r->b.loc = (pm_loc){++number, 1, file};
    ok = read_line(r, text);
  }
  return ok;
}

/* The only parameter is n, the size of the rows. */
static pm_op *begin_pipeline(rows_reader *r, const char *name) {
  pm_context *ctx = r->kit.ctx;
  pm_type i32 = pm_get_scalar(ctx, PM_I32);
  pm_string n = pm_get_cstring(ctx, "n");
  sum size;
  kit_add_param(&r->kit, n, i32);
  if (!kit_require_extent(&r->kit, &exprs, read_sum(r, "n", &size), "the size of a row")) return NULL;
  if (!kit_end_context(&r->kit, r->b.loc)) return NULL;
  pm_op *pipeline = stage_build_pipeline(&r->b, kit_identifier(ctx, name), r->kit.context, NULL);
  r->b = pm_builder_at_end(r->module, pm_region_at(pipeline, stage_pipeline_body), r->b.loc);
  stage_build_param(&r->b, n, i32);
  return pipeline;
}

static bool read_program(rows_reader *r, const pm_frontend_input *input, uint16_t file) {
  const char *name = "rows";
  for (size_t i = 0; i < input->n_values; i++) name = input->values[i].text;
  pm_op *pipeline = begin_pipeline(r, name);
  char *text = pm_xstrndup(input->text, input->len);
  bool ok = pipeline && read_lines(r, text, file) && pm_verify_module(r->module);
  if (ok) kit_narrow_reads(&r->kit, pipeline);
  free(text);
  return ok;
}

static pm_module *read_rows(pm_context *ctx, const pm_frontend_input *input) {
  uint16_t file = pm_add_source(ctx, input->file, input->text, input->len);
  pm_loc loc = {1, 1, file};
  rows_reader r = {.module = pm_module_new(ctx, loc), .type = pm_get_scalar(ctx, PM_F32)};
  r.b = pm_builder_at_end(r.module, pm_module_body(r.module), loc);
  kit_init(&r.kit, ctx);
  bool ok = read_program(&r, input, file);
  kit_free(&r.kit);
  if (ok) return r.module;
  pm_module_free(r.module);
  return NULL;
}

static const char *const extensions[] = {"rows", NULL};
static const pm_frontend_option options[] = {
    {"name", PM_FRONTEND_TEXT, "NAME", "of the function (default: rows)"}, {0}};
static const pm_frontend rows_frontend = {.name = "rows",
                                          .language = "Rows",
                                          .extensions = extensions,
                                          .doc = "sums along rows of floats",
                                          .options = options,
                                          .read = read_rows};

static void register_rows(pm_context *ctx) {
  pm_register_frontend(ctx, &rows_frontend);
}

PM_PLUGIN("rows", register_rows)
