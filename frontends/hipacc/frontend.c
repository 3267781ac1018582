/* The row of the table of frontends, the library of HIPAcc's names, and the way from text to a module. */
#include "frontends/frontend.h"
#include "dialects/arith/arith.h"
#include "dialects/isl/isl_dialect.h"
#include "dialects/stage/inlining.h"
#include "dialects/stage/stage.h"
#include "frontends/cxx/program.h"
#include "frontends/cxx/std/std.h"
#include "frontends/hipacc/hipacc.h"
#include "frontends/kit/kit.h"
#include "ir/verify.h"

#include <stdlib.h>
#include <string.h>

/* --- the library --- */

#define OF(kind) [HP_##kind - CV_LIBRARY]
static const cx_class classes[] = {
    PX_CLASSES,

    OF(MEMORY) = {.what = "memory of the host", .is_address = true, .index = hp_index_memory},
    OF(IMAGE) = {.type = "Image", .what = "an Image", .assign = hp_assign_image},
    OF(BOUNDARY) = {.type = "BoundaryCondition", .what = "a BoundaryCondition"},
    OF(ACCESSOR) = {.type = "Accessor",
                    .what = "an Accessor",
                    .call = hp_call_accessor,
                    .assign = hp_assign_accessor},
    OF(SPACE) = {.type = "IterationSpace", .what = "an IterationSpace"},
    OF(WINDOW) = {.what = "a Mask or a Domain", .call = hp_call_window},
    OF(POINT) = {.what = "a point of a Domain", .assign = hp_assign_point},
    OF(PYRAMID) = {.type = "Pyramid", .what = "a Pyramid", .call = hp_call_pyramid},
    OF(KERNEL) = {.type = "Kernel", .what = "a Kernel"},
    OF(PLACE) = {.what = "a pixel", .load = hp_load_place, .assign = hp_assign_place},
    OF(WORD) = {.what = "an enumerator"}};
#undef OF

static const char *const namespaces[] = {"hipacc", "math", NULL};

static bool is_header(const char *name) {
  return strncmp(name, "hipacc", 6) == 0 || strncmp(name, "opencv", 6) == 0;
}

static bool find_name(cx_interp *in, const cx_node *n, cv *out) {
  static const char *const enums[] = {"Boundary::", "Interpolate::", "Reduce::"};
  if (hp_find_parameter(in, n->name, out)) return true;
  for (size_t i = 0; i < PM_COUNT(enums); i++) {
    if (strncmp(n->name->text, enums[i], strlen(enums[i])) != 0) continue;
    *out = (cv){.kind = HP_WORD, .text = n->name};
    return true;
  }
  bool fails = strcmp(n->name->text, "EXIT_FAILURE") == 0;
  if (!fails && strcmp(n->name->text, "EXIT_SUCCESS") != 0) return false;
  *out = cv_int(PM_I32, fails);
  return true;
}

const cx_library hipacc_library = {.base = &cx_std,
                                   .namespaces = namespaces,
                                   .functions = hp_functions,
                                   .other_function = px_math,
                                   .find_name = find_name,
                                   .is_header = is_header,
                                   .is_type = hp_is_type,
                                   .meant = hp_meant,
                                   .convert = hp_convert_value,
                                   .construct = hp_construct,
                                   .classes = classes,
                                   .methods = hp_methods,
                                   .member_cell = px_lane_cell,
                                   .unary = px_unary,
                                   .binary = hp_binary,
                                   .is_unknown = px_is_unknown,
                                   .to_scalar = px_to_scalar,
                                   .select = px_select,
                                   .run_loop = px_run_loop,
                                   .passes_over = hp_passes_over,
                                   .new_array = hp_new_array,
                                   .callables = "a function, an Accessor or a Mask"};

/* --- outputs --- */

static pm_type type_of_version(const hp_state *s, const hp_version *v) {
  return stage_type_of(pm_lookup_symbol(s->b.region, v->stage));
}

/* What a pixel of the version is, element `lane` of it. */
static pm_value *read_lane(hp_state *s, pm_builder *b, const hp_image *image, const hp_version *v,
                           unsigned lane, pm_value *const *args) {
  if (!v->stage) {
    pm_type type = pm_get_scalar(s->ctx, image->type);
    return cx_is_float(image->type) ? arith_build_float(b, type, 0) : arith_build_int(b, type, 0);
  }
  bool by_channel = v->is_input && image->lanes > 1;
  pm_affine_expr at[] = {pm_affine_dim(s->ctx, 0), pm_affine_dim(s->ctx, 1), pm_affine_const(s->ctx, lane)};
  pm_affine_map map = pm_get_affine_map(s->ctx, 2, 0, at, by_channel ? 3 : 2);
  pm_value *first = stage_build_read(b, v->stage, type_of_version(s, v), map, args, NULL);
  return by_channel ? first : pm_res(pm_def(first), v->first + lane);
}

/* A stage that has the pixels as the caller's array does: channels in the last dimension. */
static pm_string build_array(cx_interp *in, const hp_image *image) {
  hp_state *s = hp_state_of(in);
  bool has_lanes = image->lanes > 1;
  pm_string own = hp_new_stage(in, image->name);
  pm_string names[] = {pm_get_cstring(s->ctx, "y"), pm_get_cstring(s->ctx, "x"), pm_get_cstring(s->ctx, "c")};
  pm_op *func = NULL;
  s->b.loc = image->loc;
  for (unsigned lane = 0; lane < image->lanes; lane++) {
    char rest[32];
    hp_rect all = hp_all_of(image);
    (void)snprintf(rest, sizeof rest, " and c = %u", lane);
    pm_attr whole = hp_box(s, all, has_lanes ? ", c" : "", has_lanes ? " and 0 <= c < 4" : ""),
            part = has_lanes ? hp_box(s, all, ", c", rest) : whole;
    if (!func) func = stage_build_func(&s->b, own, pm_get_scalar(s->ctx, image->type), whole, NULL);
    pm_region *body = stage_begin_body(stage_build_case(func, image->loc, part), names, has_lanes ? 3 : 2);
    pm_builder b = pm_builder_at_end(s->module, body, image->loc);
    pm_value *value = read_lane(s, &b, image, image->given, lane, body->args);
    stage_build_yield(&b, &value, 1);
  }
  s->stages.data[s->stages.len - 1].op = func;
  return own;
}

/* The stage is that of no other image, and one number. */
static bool is_own_stage(const hp_state *s, const hp_image *image) {
  const hp_version *v = image->given;
  if (!v->stage || v->is_input || v->n_elements > 1) return false;
  for (uint32_t i = 0; i < s->images.len && s->images.data[i] != image; i++)
    if (s->images.data[i]->given && s->images.data[i]->given->stage == v->stage) return false;
  return true;
}

typedef struct reading {
  pm_string stage;
  const pm_op *own;
  bool found;
} reading;

static pm_walk look_at_read(void *user, pm_op *op) {
  reading *r = user;
  if (pm_is(op, &stage_read) && pm_sym_at(op, stage_read_stage) == r->stage) r->found = true;
  return r->found || op == r->own ? PM_WALK_SKIP : PM_WALK_ON;
}

/* Another stage reads what was reduced. */
static bool is_read(const hp_state *s, pm_string stage) {
  reading r = {.stage = stage, .own = pm_lookup_symbol(s->b.region, stage)};
  pm_walk_pre(s->pipeline, look_at_read, &r);
  return r.found;
}

static bool add_outputs(cx_interp *in, pm_loc loc) {
  hp_state *s = hp_state_of(in);
  bool any = false;
  for (uint32_t i = 0; i < s->images.len; i++) {
    const hp_image *image = s->images.data[i];
    if (!image->given) continue;
    bool is_own = is_own_stage(s, image);
    pm_string stage = is_own ? image->given->stage : build_array(in, image);
    if (is_own)
      s->stages.data[px_stage_number(stage)].name = image->name; /* a = b: the stage was made for b */
    s->b.loc = image->loc;
    stage_build_output(&s->b, stage);
    any = true;
  }
  for (uint32_t i = 0; i < s->reduced.len; i++) {
    if (is_read(s, s->reduced.data[i]->bins)) continue;
    stage_build_output(&s->b, s->reduced.data[i]->bins);
    any = true;
  }
  return any || pm_error(in->ctx, loc, "the program takes data() of no image, so it has no output");
}

/* --- what no output needs --- */

typedef struct needs {
  const hp_state *s;
  pm_map *needed; /* of names of stages */
} needs;

static void need(needs *n, pm_string name);

static pm_walk need_read(void *user, pm_op *op) {
  if (pm_is(op, &stage_read)) need(user, pm_sym_at(op, stage_read_stage));
  return PM_WALK_ON;
}

static void need(needs *n, pm_string name) {
  pm_op *op = pm_lookup_symbol(n->s->b.region, name);
  if (pm_map_has(n->needed, name)) return;
  pm_map_set(n->needed, name, op);
  if (pm_is(op, &stage_func)) pm_walk_pre(op, need_read, n);
}

/* Versions that nothing reads, and with them inputs. */
static void drop_unneeded(hp_state *s) {
  needs n = {s, pm_map_new()};
  PM_FOR_OPS(op, s->b.region) {
    if (!pm_is(op, &stage_func)) continue;
    PM_FOR_OPS(part, pm_region_at(op, stage_func_cases)) stage_tidy_body(pm_region_at(part, 0));
  }
  PM_FOR_OPS(op, s->b.region)
  if (pm_is(op, &stage_output)) need(&n, pm_sym_at(op, stage_output_stage));
  for (uint32_t i = 0; i < s->stages.len; i++) {
    pm_op *op = s->stages.data[i].op;
    pm_string name = stage_name_of(op);
    if (pm_map_has(n.needed, name)) continue;
    pm_op_erase(op);
    s->stages.data[i].op = NULL;
  }
  pm_map_free(n.needed);
}

/* --- names --- */

/* Inputs and outputs have the names of their images, others get numbers. */
static void name_stages(cx_interp *in) {
  hp_state *s = hp_state_of(in);
  kit_names names;
  pm_string *all = pm_arena_alloc(in->arena, (s->stages.len + 1) * sizeof *all);
  kit_names_init(&names, s->ctx);
  for (uint32_t i = 0; i < s->sizes.len; i++) kit_names_take(&names, s->sizes.data[i].name);
  for (unsigned round = 0; round < 3; round++)
    for (uint32_t i = 0; i < s->stages.len; i++) {
      if (!s->stages.data[i].op) continue;
      bool is_input = pm_is(s->stages.data[i].op, &stage_input), gives = px_is_output(s->b.region, i);
      if (round != (is_input ? 0 : gives ? 1 : 2)) continue;
      pm_buf wanted = {0};
      pm_buf_puts(&wanted, s->stages.data[i].name->text);
      pm_string plain = kit_identifier(s->ctx, wanted.data);
      if (gives && pm_map_has(names.taken, plain)) pm_buf_puts(&wanted, "_out");
      all[i] = kit_names_find(&names, wanted.data);
      kit_names_take(&names, all[i]);
      pm_buf_free(&wanted);
    }
  kit_names_free(&names);
  px_rename_stages(s->pipeline, all);
}

/* --- the program --- */

enum { OPTION_CONST, OPTION_SIZE, OPTION_NAME, OPTION_FOLDER, N_OPTIONS };

static const pm_frontend_option options[] = {
    [OPTION_CONST] = {"const", PM_FRONTEND_CONST, "NAME=VALUE",
                      "the value of a macro or a constant of the program"},
    [OPTION_SIZE] = {"size", PM_FRONTEND_TEXT, "NAME",
                     "a macro or an integer constant that is a parameter of the call; may be repeated"},
    [OPTION_NAME] = {"name", PM_FRONTEND_TEXT, "NAME", "of the function (default: the file's)"},
    [OPTION_FOLDER] = {"I", PM_FRONTEND_TEXT, "DIR",
                       "where headers are that are not beside the file; may be repeated"},
    [N_OPTIONS] = {0}};

typedef struct given {
  PM_VEC(cx_given) consts;
  PM_VEC(const char *) folders;
  const char *name;
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
    case OPTION_SIZE:
      PM_VEC_PUSH(g->consts, ((cx_given){.name = v->text}));
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

/* main() with as many arguments as it has. */
static void run_main(cx_interp *in, pm_loc loc) {
  const cx_cell *cell = cx_find(in, in->globals, pm_get_cstring(in->ctx, "main"));
  if (!cell || cell->value.kind != CV_FUNCTION) {
    pm_error(in->ctx, loc, "the program has no function 'main'");
    return;
  }
  const char *call = cell->value.function->node->n_items ? "main(1, nullptr);" : "main();";
  cx_run_text(in, pm_add_source(in->ctx, "the call of main", call, strlen(call)), "the call of main",
              pm_str_of(call));
}

static const char *name_of_file(pm_arena *arena, const char *file) {
  const char *slash = strrchr(file, '/'), *from = slash ? slash + 1 : file, *dot = strrchr(from, '.');
  return pm_arena_strndup(arena, from, dot ? (size_t)(dot - from) : strlen(from));
}

/* What host code computes of sizes and reduced values has a body, which no stage is made of. */
static void begin_host(hp_state *s) {
  pm_attr point = hp_set(s, "{ [] }");
  s->host =
      stage_build_func(&s->b, pm_get_cstring(s->ctx, "host"), pm_get_scalar(s->ctx, PM_I32), point, NULL);
  pm_region *body = stage_begin_body(stage_build_case(s->host, s->b.loc, point), NULL, 0);
  s->host_body.b = pm_builder_at_end(s->module, body, s->b.loc);
  hp_set_run(s, NULL);
}

static void end_host(hp_state *s) {
  px_end_body(&s->host_body);
  if (s->host) pm_op_erase(s->host);
}

static bool build(cx_interp *in, const pm_frontend_input *input, const given *g, pm_loc loc) {
  hp_state *s = hp_state_of(in);
  unsigned errors = pm_error_count(in->ctx);
  pm_builder top = pm_builder_at_end(s->module, pm_module_body(s->module), loc);
  const char *name = g->name ? g->name : name_of_file(in->arena, input->file);
  s->pipeline = stage_build_pipeline(&top, kit_identifier(s->ctx, name), NULL, input->fp);
  s->b = pm_builder_at_end(s->module, pm_region_at(s->pipeline, stage_pipeline_body), loc);
  hp_begin_sizes(in, g->consts.data, g->consts.len);
  begin_host(s);
  cx_run_text(in, loc.file, input->file, (pm_str){input->text, input->len});
  if (!in->stopped && pm_error_count(in->ctx) == errors) run_main(in, loc);
  for (size_t i = 0; !in->stopped && i < g->consts.len; i++)
    if (!g->consts.data[i].is_used)
      pm_error(in->ctx, loc, "--%s %s: the program has no macro or constant of that name",
               g->consts.data[i].text ? "const" : "size", g->consts.data[i].name);
  end_host(s);
  hp_end_sizes(s, g->consts.data, g->consts.len);
  if (in->stopped || pm_error_count(in->ctx) > errors || !add_outputs(in, loc)) return false;
  drop_unneeded(s);
  name_stages(in);
  return pm_verify_module(s->module);
}

/* What programs are compiled with. */
static const char *const macros[] = {"HIPACC_CODEGEN"};

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  given g = {.arena = pm_arena_new()};
  pm_loc loc = {.line = 1, .col = 1, .file = pm_add_source(ctx, input->file, input->text, input->len)};
  hp_state s = {.px.loops = &hp_loops, .ctx = ctx, .module = pm_module_new(ctx, loc)};
  cx_interp in;
  take_options(input, &g);
  cx_begin(&in, ctx, &hipacc_library, &s, input->file);
  in.folders = g.folders.data;
  in.n_folders = g.folders.len;
  in.macros = macros;
  in.n_macros = PM_COUNT(macros);
  in.consts = g.consts.data;
  in.n_consts = g.consts.len;
  bool ok = build(&in, input, &g, loc);
  cx_end(&in);
  PM_VEC_FREE(g.consts);
  PM_VEC_FREE(g.folders);
  pm_arena_free(g.arena);
  if (ok) return s.module;
  pm_module_free(s.module);
  return NULL;
}

static const char *const extensions[] = {"hipacc", NULL};

const pm_frontend hipacc_frontend = {.name = "hipacc",
                                     .language = "HIPAcc",
                                     .extensions = extensions,
                                     .doc = "HIPAcc's kernel classes and the host code around them",
                                     .options = options,
                                     .read = read_program};
