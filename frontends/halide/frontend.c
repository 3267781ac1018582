/* The row of the table of frontends, and the way from text to a module. */
#include "frontends/frontend.h"
#include "frontends/halide/interp.h"
#include "frontends/halide/lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_INCLUDES = 100 };

/* --- includes --- */

/* Headers that Halide's programs include for what this frontend brings itself. */
static bool is_known_header(const char *name) {
  static const char *const known[] = {"Halide.h", "HalideBuffer.h", "HalideRuntime.h"};
  const char *last = strrchr(name, '/');
  last = last ? last + 1 : name;
  for (size_t i = 0; i < PM_COUNT(known); i++)
    if (strcmp(known[i], last) == 0) return true;
  return strncmp(last, "halide_", 7) == 0;
}

static char *beside(const char *file, const char *name) {
  const char *slash = strrchr(file, '/');
  pm_buf path = {0};
  if (slash && name[0] != '/') pm_buf_put(&path, file, (size_t)(slash - file) + 1);
  pm_buf_puts(&path, name);
  return pm_buf_take(&path);
}

static void run_file(h_interp *in, const char *path, const char *text, size_t len);

/* Of a file; of no directory, and of no device, which may never end. */
static char *read_header(const char *path, size_t *len) {
  struct stat status;
  bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? pm_read_file(path, PM_MAX_TEXT, len) : NULL;
}

static bool is_included(const h_interp *in, pm_string path) {
  for (uint32_t i = 0; i < in->included.len; i++)
    if (in->included.data[i] == path) return true;
  return false;
}

/* Includes the file at the path (taken), once; false: there is none. */
static bool include_path(h_interp *in, pm_loc loc, char *path) {
  size_t len = 0;
  pm_string key = pm_get_cstring(in->ctx, path);
  bool known = is_included(in, key);
  char *text = known ? NULL : read_header(path, &len);
  if (text && in->included.len >= MAX_INCLUDES) {
    h_fail(in, loc, "more than %d headers are included", MAX_INCLUDES);
  } else if (text) {
    H_PUSH(in->arena, in->included, key);
    run_file(in, path, text, len);
  }
  bool found = known || text;
  free(text);
  free(path);
  return found;
}

static char *in_folder(const char *folder, const char *name) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s", folder, name);
  return pm_buf_take(&path);
}

/* Beside the file, where the name stands in quotes, then in the folders of -I. */
static bool include_name(h_interp *in, const cx_node *n, const char *from, const char *name) {
  bool found = n->is_local && include_path(in, n->loc, beside(from, name));
  for (size_t i = 0; i < in->options->n_folders && !found; i++)
    found = include_path(in, n->loc, in_folder(in->options->folders[i], name));
  return found;
}

/* `blur.stub.h`, which Halide makes of a generator: the generator is read in its place. */
static char *generator_of_stub(const char *name) {
  static const char end[] = ".stub.h";
  size_t len = strlen(name), without = len - strlen(end);
  pm_buf path = {0};
  if (len <= strlen(end) || strcmp(name + without, end) != 0) return NULL;
  pm_buf_printf(&path, "%.*s_generator.cpp", (int)without, name);
  return pm_buf_take(&path);
}

static void include(h_interp *in, const cx_node *n, const char *from) {
  char *name = pm_xstrndup(n->text.ptr, n->text.len), *generator = generator_of_stub(name);
  bool found = include_name(in, n, from, name) || (generator && include_name(in, n, from, generator));
  if (!found && n->is_local && !is_known_header(name))
    h_fail(in, n->loc, "the header '%s' cannot be read", name);
  free(generator);
  free(name);
}

static void run_file(h_interp *in, const char *path, const char *text, size_t len) {
  uint16_t file = pm_add_source(in->ctx, path, text, len);
  char *kept = pm_arena_strndup(in->arena, text, len);
  cx_node *block = cx_parse(in->ctx, in->arena, file, (pm_str){kept, len}, h_namespaces, in->namespaces);
  size_t known = pm_map_size(in->namespaces);
  if (!block) {
    in->stopped = true;
    return;
  }
  for (uint32_t i = 0; i < block->n_items; i++)
    if (block->items[i]->kind == CX_INCLUDE) include(in, block->items[i], path);
  if (pm_map_size(in->namespaces) > known) /* those of headers may stand before names */
    block = cx_parse(in->ctx, in->arena, file, (pm_str){kept, len}, h_namespaces, in->namespaces);
  h_run(in, block);
}

/* --- the program --- */

static void set_consts(h_interp *in) {
  in->n_consts = in->options->n_consts;
  in->consts = pm_arena_alloc(in->arena, (in->n_consts + 1) * sizeof(*in->consts));
  for (size_t i = 0; i < in->n_consts; i++)
    in->consts[i] = (h_const_use){in->options->consts[i].name, in->options->consts[i].text, false};
}

static void check_consts(h_interp *in, pm_loc loc) {
  for (size_t i = 0; i < in->n_consts; i++)
    if (!in->consts[i].used)
      pm_error(in->ctx, loc, "--const %s: the program has no GeneratorParam of that name",
               in->consts[i].name);
  for (size_t i = 0; i < in->options->n_ranges; i++) {
    bool found = false;
    for (uint32_t k = 0; k < in->program.inputs.len; k++)
      found |= in->program.inputs.data[k]->kind == H_PARAM &&
               strcmp(in->program.inputs.data[k]->name->text, in->options->ranges[i].name) == 0;
    if (!found)
      pm_error(in->ctx, loc, "--range %s: the program has no scalar input of that name",
               in->options->ranges[i].name);
  }
}

pm_module *halide_read(pm_context *ctx, const char *file, const char *text, size_t len,
                       const halide_options *options) {
  h_interp in;
  unsigned errors = pm_error_count(ctx);
  h_interp_init(&in, ctx, options);
  set_consts(&in);
  H_PUSH(in.arena, in.included, pm_get_cstring(ctx, file));
  pm_loc loc = {1, 1, pm_add_source(ctx, file, text, len)};
  for (size_t i = 0; i < options->n_preludes; i++)
    if (!include_path(&in, loc, pm_xstrdup(options->preludes[i])))
      pm_error(ctx, loc, "--include %s: the file cannot be read", options->preludes[i]);
  in.generator = NULL;
  in.generator_name = NULL;
  if (!in.stopped) run_file(&in, file, text, len);
  if (!in.stopped) h_run_generator(&in, loc);
  if (!in.stopped) check_consts(&in, loc);
  pm_module *module = NULL;
  if (!in.stopped && pm_error_count(ctx) == errors) {
    const char *name = options->pipeline_name;
    if (!name && in.generator_name) name = in.generator_name->text;
    module = lower_halide(&in.program, options, loc, name);
  }
  h_interp_free(&in);
  return module;
}

/* --- options --- */

enum { OPTION_CONST, OPTION_RANGE, OPTION_GENERATOR, OPTION_NAME, OPTION_FOLDER, OPTION_PRELUDE, N_OPTIONS };

static const pm_frontend_option options[] = {
    [OPTION_CONST] = {"const", PM_FRONTEND_CONST, "NAME=VALUE",
                      "the value of a GeneratorParam; of a port NAME.type, NAME.dim and NAME.size"},
    [OPTION_RANGE] = {"range", PM_FRONTEND_RANGE, "NAME=LOW:HIGH",
                      "what a scalar input may be; floats outside count as the nearest end"},
    [OPTION_GENERATOR] = {"generator", PM_FRONTEND_TEXT, "NAME",
                          "the generator, of several in one file (default: the last)"},
    [OPTION_NAME] = {"name", PM_FRONTEND_TEXT, "NAME",
                     "of the function (default: the generator's, or the first output's)"},
    [OPTION_FOLDER] = {"I", PM_FRONTEND_TEXT, "DIR",
                       "where headers are that are not beside the file; may be given again"},
    [OPTION_PRELUDE] = {"include", PM_FRONTEND_TEXT, "FILE",
                        "C++ that is read before the program, functions of another file; may be given again"},
    [N_OPTIONS] = {0}};

static pm_module *read_program(pm_context *ctx, const pm_frontend_input *input) {
  halide_options given = {
      .fp = input->fp, .has_groups = input->has_groups, .no_schedule = input->no_schedule};
  PM_VEC(const char *) folders = {0}, preludes = {0};
  PM_VEC(halide_const) consts = {0};
  PM_VEC(halide_range) ranges = {0};
  pm_arena *arena = pm_arena_new();
  for (size_t i = 0; i < input->n_values; i++) {
    const pm_frontend_value *v = &input->values[i];
    char number[32];
    snprintf(number, sizeof(number), "%lld", (long long)v->number);
    switch (v->option - options) {
    case OPTION_CONST:
      PM_VEC_PUSH(consts,
                  ((halide_const){v->text, v->constant ? v->constant
                                                       : pm_arena_strndup(arena, number, strlen(number))}));
      break;
    case OPTION_RANGE:
      PM_VEC_PUSH(ranges, ((halide_range){v->text, v->low, v->high}));
      break;
    case OPTION_GENERATOR:
      given.generator = v->text;
      break;
    case OPTION_FOLDER:
      PM_VEC_PUSH(folders, v->text);
      break;
    case OPTION_PRELUDE:
      PM_VEC_PUSH(preludes, v->text);
      break;
    default:
      given.pipeline_name = v->text;
      break;
    }
  }
  given.folders = folders.data;
  given.n_folders = folders.len;
  given.preludes = preludes.data;
  given.n_preludes = preludes.len;
  given.consts = consts.data;
  given.n_consts = consts.len;
  given.ranges = ranges.data;
  given.n_ranges = ranges.len;
  pm_module *module = halide_read(ctx, input->file, input->text, input->len, &given);
  PM_VEC_FREE(folders);
  PM_VEC_FREE(preludes);
  PM_VEC_FREE(consts);
  PM_VEC_FREE(ranges);
  pm_arena_free(arena);
  return module;
}

static const char *const extensions[] = {"cpp", "hl", NULL};

const pm_frontend halide_frontend = {.name = "halide",
                                     .language = "Halide",
                                     .extensions = extensions,
                                     .doc = "Halide's generators and the C++ around them",
                                     .options = options,
                                     .read = read_program};
