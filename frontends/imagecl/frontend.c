/* The row of the table of frontends, the library of ImageCL's names, and the way from text to a module. */
#include "frontends/frontend.h"
#include "frontends/cxx/program.h"
#include "frontends/cxx/std/std.h"
#include "frontends/imagecl/imagecl.h"
#include "ir/verify.h"

#include <stdlib.h>
#include <string.h>

/* --- the library --- */

#define OF(kind) [IC_##kind - CV_LIBRARY]
static const cx_class classes[] = {
    PX_CLASSES,

    OF(ARRAY) = {.describe = ic_describe, .index = ic_index},
    OF(ROW) = {.describe = ic_describe, .index = ic_index, .assign = ic_assign},
    OF(ELEMENT) = {.what = "an element", .is_element = true, .load = ic_load, .assign = ic_assign}};
#undef OF

const cx_library imagecl_library = {.base = &cx_std,
                                    .run_pragma = ic_run_pragma,
                                    .other_function = ic_math,
                                    .is_type = ic_is_type,
                                    .meant = ic_meant,
                                    .classes = classes,
                                    .unary = px_unary,
                                    .binary = ic_binary,
                                    .is_unknown = px_is_unknown,
                                    .to_scalar = ic_to_scalar,
                                    .select = px_select,
                                    .run_loop = px_run_loop,
                                    .callables = "a function"};

/* --- names --- */

/* Inputs and outputs have the names of the program, an output beside an input of its name `_out` behind it;
 * the others get numbers. */
static void name_stages(cx_interp *in) {
  ic_state *s = ic_state_of(in);
  kit_names names;
  pm_string *all = pm_arena_alloc(in->arena, (s->stages.len + 1) * sizeof *all);
  kit_names_init(&names, s->ctx);
  for (size_t i = 0; i < s->kit.params.len; i++) kit_names_take(&names, s->kit.params.data[i]);
  for (unsigned round = 0; round < 3; round++)
    for (uint32_t i = 0; i < s->stages.len; i++) {
      if (!s->stages.data[i].op) continue;
      bool is_input = pm_is(s->stages.data[i].op, &stage_input), gives = px_is_output(s->b.region, i);
      if (round != (is_input ? 0 : gives ? 1 : 2)) continue;
      pm_buf wanted = {0};
      pm_buf_puts(&wanted, s->stages.data[i].name->text);
      if (gives && pm_map_has(names.taken, kit_identifier(s->ctx, wanted.data))) pm_buf_puts(&wanted, "_out");
      all[i] = kit_names_find(&names, wanted.data);
      s->stages.data[i].name = all[i];
      kit_names_take(&names, all[i]);
      pm_buf_free(&wanted);
    }
  kit_names_free(&names);
  px_rename_stages(s->pipeline, all);
}

/* --- options --- */

enum { OPTION_CONST, OPTION_NAME, OPTION_BOUNDARY, OPTION_PIXEL, OPTION_CONFIG, OPTION_FOLDER, N_OPTIONS };

static const pm_frontend_option options[] = {
    [OPTION_CONST] = {"const", PM_FRONTEND_CONST, "NAME=VALUE", "the value of a macro of the program"},
    [OPTION_NAME] = {"name", PM_FRONTEND_TEXT, "NAME", "of the function (default: the file's)"},
    [OPTION_BOUNDARY] = {"boundary", PM_FRONTEND_TEXT, "MODE",
                         "outside of Images without boundary_cond: constant (default) or clamped"},
    [OPTION_PIXEL] = {"pixel", PM_FRONTEND_TEXT, "TYPE", "of Images without a type (default: float)"},
    [OPTION_CONFIG] = {"config", PM_FRONTEND_TEXT, "FILE",
                       "what a tuner has chosen: LOCAL_SIZE_X:16 and other lines"},
    [OPTION_FOLDER] = {"I", PM_FRONTEND_TEXT, "DIR",
                       "where headers are that are not beside the file; may be repeated"},
    [N_OPTIONS] = {0}};

typedef struct given {
  PM_VEC(cx_given) consts;
  PM_VEC(const char *) folders;
  const char *name, *boundary, *pixel, *config;
  pm_arena *arena;
} given;

static void take_options(const pm_frontend_input *input, given *g) {
  for (size_t i = 0; i < input->n_values; i++) {
    const pm_frontend_value *v = &input->values[i];
    switch (v->option - options) {
    case OPTION_CONST:
      PM_VEC_PUSH(g->consts, ((cx_given){.name = v->text,
                                         .text = v->constant ? v->constant
                                                             : pm_arena_printf(g->arena, "%lld",
                                                                               (long long)v->number)}));
      break;
    case OPTION_BOUNDARY:
      g->boundary = v->text;
      break;
    case OPTION_PIXEL:
      g->pixel = v->text;
      break;
    case OPTION_CONFIG:
      g->config = v->text;
      break;
    case OPTION_FOLDER:
      PM_VEC_PUSH(g->folders, v->text);
      break;
    default:
      g->name = v->text;
      break;
    }
  }
}

static bool apply_options(cx_interp *in, const given *g, pm_loc loc) {
  ic_state *s = ic_state_of(in);
  if (g->boundary && !ic_rule_of(g->boundary, &s->rule))
    return pm_error(in->ctx, loc, "--boundary is '%s', it should be constant or clamped", g->boundary);
  if (g->pixel && !ic_scalar_of(in, pm_get_cstring(in->ctx, g->pixel), &s->pixel))
    return pm_error(in->ctx, loc, "--pixel is '%s', it should be a type of numbers, as float is", g->pixel);
  return !g->config || ic_read_config(in, loc, g->config);
}

/* --- the program --- */

static const char *name_of_file(pm_arena *arena, const char *file) {
  const char *slash = strrchr(file, '/'), *from = slash ? slash + 1 : file, *dot = strrchr(from, '.');
  return pm_arena_strndup(arena, from, dot ? (size_t)(dot - from) : strlen(from));
}

static bool build(cx_interp *in, const pm_frontend_input *input, const given *g, pm_loc loc) {
  ic_state *s = ic_state_of(in);
  unsigned errors = pm_error_count(in->ctx);
  const char *name = g->name ? g->name : name_of_file(in->arena, input->file);
  if (!apply_options(in, g, loc)) return false;
  cx_run_text(in, loc.file, input->file, (pm_str){input->text, input->len});
  if (in->stopped || pm_error_count(in->ctx) > errors || !ic_find_kernels(in, loc)) return false;
  for (size_t i = 0; i < g->consts.len; i++)
    if (!g->consts.data[i].is_used)
      return pm_error(in->ctx, loc, "--const %s: the program has no macro or constant of that name",
                      g->consts.data[i].name);
  if (!ic_begin_pipeline(in, loc, name, input->fp) || !ic_build_kernels(in, loc)) return false;
  if (!kit_end_context(&s->kit, loc)) return false;
  pm_set_attr(s->pipeline, stage_pipeline_context, s->kit.context);
  name_stages(in);
  if (!input->no_schedule) ic_demand_tiles(in);
  return pm_verify_module(s->module);
}

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  given g = {.arena = pm_arena_new()};
  pm_loc loc = {.line = 1, .col = 1, .file = pm_add_source(ctx, input->file, input->text, input->len)};
  ic_state s = {.px.loops = &ic_loops,
                .ctx = ctx,
                .module = pm_module_new(ctx, loc),
                .pixel = PM_F32,
                .has_groups = input->has_groups};
  cx_interp in;
  take_options(input, &g);
  kit_init(&s.kit, ctx);
  kit_names_init(&s.names, ctx);
  cx_begin(&in, ctx, &imagecl_library, &s, input->file);
  in.folders = g.folders.data;
  in.n_folders = g.folders.len;
  in.consts = g.consts.data;
  in.n_consts = g.consts.len;
  bool ok = build(&in, input, &g, loc);
  cx_end(&in);
  kit_names_free(&s.names);
  kit_free(&s.kit);
  PM_VEC_FREE(g.consts);
  PM_VEC_FREE(g.folders);
  pm_arena_free(g.arena);
  if (ok) return s.module;
  pm_module_free(s.module);
  return NULL;
}

static const char *const extensions[] = {"imcl", NULL};

const pm_frontend imagecl_frontend = {.name = "imagecl",
                                      .language = "ImageCL",
                                      .extensions = extensions,
                                      .doc = "ImageCL's kernels with pragmas",
                                      .options = options,
                                      .read = read_program};
