/* Modules that are files of the program: found, read, run once. */
#include "frontends/polymage/imports.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontends/polymage/unknown.h"

enum { MAX_FILES = 256 };
#define MAX_BYTES ((size_t)16 << 20)

/* --- finding --- */

static bool is_file(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISREG(s.st_mode);
}

/* The folder in which the program lies, without links; NULL when the program is no file. The caller frees it.
 */
static char *program_folder(const py_interp *py) {
  const char *file = py->options->folder_of, *slash = file ? strrchr(file, '/') : NULL;
  if (!file || !is_file(file)) return NULL;
  char *folder = slash ? pm_xstrndup(file, (size_t)(slash - file) + 1) : pm_xstrdup(".");
  char *path = pm_real_path(folder);
  free(folder);
  return path;
}

static bool is_below(const char *path, const char *folder) {
  size_t n = strlen(folder);
  if (n > 0 && folder[n - 1] == '/') n--;
  return strncmp(path, folder, n) == 0 && path[n] == '/';
}

/* `a.b` as a/b.py, or a/b/__init__.py; empty when neither is there. */
static void put_path(pm_context *ctx, pm_buf *out, const char *folder, const char *module) {
  static const char *const ends[] = {".py", "/__init__.py"};
  for (size_t i = 0; i < PM_COUNT(ends); i++) {
    out->len = 0;
    pm_buf_printf(out, "%s/", folder);
    for (const char *c = module; *c; c++) pm_buf_putc(out, *c == '.' ? '/' : *c);
    pm_buf_puts(out, ends[i]);
    if (is_file(out->data)) return;
    pm_note_absent(ctx, out->data);
  }
  out->len = 0;
}

/* PolyMage's own modules, whose names are the language's. */
static bool is_language(const char *module) {
  return strcmp(module, "compiler") == 0 || strcmp(module, "constructs") == 0;
}

/* The file of a module below the folder; the caller frees it. NULL when there is none, or after a diagnostic.
 */
static char *find_file(py_interp *py, pm_loc loc, const char *folder, const char *module) {
  pm_buf path = {0};
  if (!is_language(module)) put_path(py->ctx, &path, folder, module);
  char *found = path.len > 0 ? pm_real_path(path.data) : NULL;
  pm_buf_free(&path);
  if (!found || is_below(found, folder)) return found;
  free(found);
  py_fail(py, loc, "the file of the module %s lies outside of the program's folder, it should lie inside",
          module);
  return NULL;
}

/* --- reading --- */

static bool read_file(py_interp *py, pm_loc loc, const char *path, pm_buf *text) {
  size_t len = 0;
  text->data = pm_read_file(path, MAX_BYTES, &len);
  text->len = len;
  bool ok = text->data;
  if (!ok) py_fail(py, loc, "%s cannot be read, it should be a readable file of at most 16 MiB", path);
  return ok;
}

/* The path as messages have it: beside the program's own. */
static void put_shown_path(const py_interp *py, pm_buf *out, const char *folder, const char *path) {
  const char *file = py->options->folder_of, *slash = strrchr(file, '/');
  size_t n = strlen(folder);
  if (slash) pm_buf_put(out, file, (size_t)(slash - file) + 1);
  pm_buf_puts(out, path + n + (folder[n - 1] == '/' ? 0 : 1));
}

static py_file *new_file(py_interp *py, const char *path) {
  py_file *file = pm_arena_alloc(py->arena, sizeof(*file));
  file->path = pm_get_cstring(py->ctx, path);
  file->running = true;
  py_define_outside_names(py, &file->env);
  PM_VEC_PUSH(py->files, file);
  return file;
}

static void run_file(py_interp *py, py_file *file, pm_str text) {
  /* The tree lives as long as the functions in it: strings of the text are in it too. */
  const char *kept = pm_arena_strndup(py->arena, text.ptr ? text.ptr : "", text.len);
  uint16_t source = pm_add_source(py->ctx, file->path->text, kept, text.len);
  const py_node *tree = py_parse(py->ctx, py->arena, source, (pm_str){kept, text.len}, true);
  py_run(py, &file->env, tree);
  file->running = false;
}

static py_file *load(py_interp *py, pm_loc loc, const char *folder, const char *path) {
  pm_buf shown = {0}, text = {0};
  put_shown_path(py, &shown, folder, path);
  py_file *file = NULL;
  if (py->files.len >= MAX_FILES)
    py_fail(py, loc, "the program has more than %d files, it should have fewer", (int)MAX_FILES);
  else if (read_file(py, loc, path, &text)) {
    file = new_file(py, shown.data);
    run_file(py, file, (pm_str){text.data, text.len});
  }
  pm_buf_free(&shown);
  pm_buf_free(&text);
  return file;
}

/* The files whose statements are being run import each other in this order. */
static py_file *report_cycle(py_interp *py, pm_loc loc, const py_file *again) {
  pm_buf way = {0};
  for (size_t i = 0; i < py->files.len; i++)
    if (py->files.data[i]->running && (way.len > 0 || py->files.data[i] == again))
      pm_buf_printf(&way, "%s, which imports ", py->files.data[i]->path->text);
  py_fail(py, loc, "the imports go in a circle: %s%s again; what both need should be in a third file",
          way.data, again->path->text);
  pm_buf_free(&way);
  return NULL;
}

static py_file *find_or_load(py_interp *py, pm_loc loc, const char *folder, const char *path) {
  pm_buf shown = {0};
  put_shown_path(py, &shown, folder, path);
  py_file *found = NULL;
  for (size_t i = 0; i < py->files.len && !found; i++)
    if (strcmp(py->files.data[i]->path->text, shown.data) == 0) found = py->files.data[i];
  pm_buf_free(&shown);
  if (!found) return load(py, loc, folder, path);
  return found->running ? report_cycle(py, loc, found) : found;
}

py_file *py_import(py_interp *py, pm_loc loc, const char *module) {
  char *folder = program_folder(py);
  char *path = folder ? find_file(py, loc, folder, module) : NULL;
  py_file *file = path ? find_or_load(py, loc, folder, path) : NULL;
  free(path);
  free(folder);
  return file;
}

/* --- the statements --- */

void py_define_outside_names(py_interp *py, py_env *env) {
  py_value name = py_string(py->arena, "pipeline", strlen("pipeline"));
  py_dict_set_name(py->arena, &env->vars, pm_get_cstring(py->ctx, "__name__"), name);
  for (size_t i = 0; i < py->options->n_consts; i++) {
    const char *given = py->options->consts[i].name;
    if (!strchr(given, '.'))
      py_dict_set_name(py->arena, &env->vars, pm_get_cstring(py->ctx, given), py_const_value(py, i));
  }
}

void py_begin_files(py_interp *py, const char *file) {
  py->globals = &new_file(py, file)->env;
}

void py_free_files(py_interp *py) {
  PM_VEC_FREE(py->files);
}

py_value py_file_name(py_interp *py, pm_loc loc, const py_file *file, pm_string name) {
  const py_value *value = py_dict_get_name(&file->env.vars, name);
  if (value) return *value;
  if (py->failed) return PY_POISON; /* it may be missing because of that */
  return py_fail(py, loc, "%pS has no '%pS', an assignment or a def should be there",
                 (const void *)file->path, (const void *)name);
}

static void set_name(py_interp *py, py_env *env, pm_string name, py_value value) {
  py_dict_set_name(py->arena, &env->vars, name, value);
}

/* import a.b brings `a`; import a.b as c brings `c`. A file is known by one word only. */
static void import_module(py_interp *py, py_env *env, const py_node *n) {
  const char *path = n->name->text, *dot = strchr(path, '.');
  pm_string first = pm_get_string(py->ctx, (pm_str){path, dot ? (size_t)(dot - path) : n->name->len});
  py_file *file = !dot || n->a ? py_import(py, n->loc, path) : NULL;
  py_value module = {.type = VAL_MODULE, .module = first};
  if (file) module = (py_value){.type = VAL_FILE, .file = file};
  set_name(py, env, n->a ? n->a->name : first, module);
}

void py_run_import(py_interp *py, py_env *env, const py_node *n) {
  for (uint32_t i = 0; i < n->n_items; i++) import_module(py, env, n->items[i]);
}

static void import_all(py_interp *py, py_env *env, const py_file *file) {
  for (size_t i = 0; i < file->env.vars.len; i++) {
    pm_string name = file->env.vars.entries[i].key.module;
    if (name->text[0] != '_') set_name(py, env, name, file->env.vars.entries[i].value);
  }
}

/* from package import module */
static bool import_submodule(py_interp *py, py_env *env, const char *package, const py_node *n) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s%s%s", package, *package ? "." : "", n->name->text);
  py_file *file = py_import(py, n->loc, path.data);
  pm_buf_free(&path);
  if (file) set_name(py, env, n->a ? n->a->name : n->name, (py_value){.type = VAL_FILE, .file = file});
  return file != NULL;
}

void py_run_from(py_interp *py, py_env *env, const py_node *n) {
  const char *module = n->name ? n->name->text : "";
  if (n->dots > 1) {
    py_fail(py, n->loc, "an import from the folder above is not supported, one from the program's folder is");
    return;
  }
  py_file *file = n->name ? py_import(py, n->loc, module) : NULL;
  if (file && n->n_items == 0) import_all(py, env, file);
  for (uint32_t i = 0; i < n->n_items; i++) {
    const py_node *item = n->items[i];
    pm_string name = item->a ? item->a->name : item->name;
    bool here = file && py_dict_get_name(&file->env.vars, item->name);
    if (!here && import_submodule(py, env, module, item)) continue;
    if (file)
      set_name(py, env, name, py_file_name(py, item->loc, file, item->name));
    else if (n->name)
      py_dict_set_name(py->arena, &env->missing, name, (py_value){.type = VAL_MODULE, .module = n->name});
  }
}
