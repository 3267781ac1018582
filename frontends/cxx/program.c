/* Files of a program, and the headers that they include. */
#include "frontends/cxx/program.h"
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"
#include "frontends/cxx/values/values.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What the path leads to, whatever way it takes. */
static pm_string file_at(pm_context *ctx, const char *path) {
  char *file = pm_real_path(path);
  pm_string name = pm_get_cstring(ctx, file ? file : path);
  free(file);
  return name;
}

void cx_begin(cx_interp *in, pm_context *ctx, const cx_library *library, void *user, const char *path) {
  *in = (cx_interp){.ctx = ctx, .arena = pm_arena_new(), .library = library, .user = user};
  in->reports = (cx_reports){.ctx = ctx, .known = pm_map_new()};
  in->globals = in->scope = cx_push_scope(in, NULL);
  in->extension = cx_push_scope(in, in->globals);
  in->globals->cells = pm_map_new();
  in->infos = pm_map_new();
  in->statics = pm_map_new();
  in->used_names = pm_map_new();
  in->path = cv_bool(true);
  in->eval = cx_eval;
  in->evaluate_member = cx_evaluate_member;
  in->instantiate = cx_instantiate;
  in->copy_object = cx_copy_object;
  CX_PUSH(in->arena, in->given, pm_get_cstring(ctx, path));
  CX_PUSH(in->arena, in->included, file_at(ctx, path));
}

void cx_end(cx_interp *in) {
  pm_map_free(in->reports.known);
  pm_map_free(in->globals->cells);
  pm_map_free(in->infos);
  pm_map_free(in->statics);
  pm_map_free(in->used_names);
  pm_arena_free(in->arena);
}

/* --- headers --- */

static char *beside(const char *file, const char *name) {
  const char *slash = strrchr(file, '/');
  pm_buf path = {0};
  if (slash && name[0] != '/') pm_buf_put(&path, file, (size_t)(slash - file) + 1);
  pm_buf_puts(&path, name);
  return pm_buf_take(&path);
}

static char *in_folder(const char *folder, const char *name) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s", folder, name);
  return pm_buf_take(&path);
}

/* --- where a header may lie --- */

/* Links are followed in both; the file is there. */
static bool is_below(const char *file, const char *folder) {
  char *inner = pm_real_path(file), *outer = pm_real_path(folder);
  size_t n = outer ? strlen(outer) : 0;
  if (n > 0 && outer[n - 1] == '/') n--;
  bool below = inner && outer && strncmp(inner, outer, n) == 0 && inner[n] == '/';
  free(inner);
  free(outer);
  return below;
}

/* In the folder of a given file, or in that of the file that it is a link to. */
static bool is_beside(const char *file, const char *given) {
  char *target = pm_real_path(given), *folder = beside(given, "."),
       *other = beside(target ? target : "", ".");
  bool is_there = is_below(file, folder) || (target && is_below(file, other));
  free(target);
  free(folder);
  free(other);
  return is_there;
}

/* Errors show lines of headers, so none is read that is not the program's. */
static bool may_be_read(const cx_interp *in, const char *path) {
  for (uint32_t i = 0; i < in->given.len; i++)
    if (is_beside(path, in->given.data[i]->text)) return true;
  for (size_t i = 0; i < in->n_folders; i++)
    if (is_below(path, in->folders[i])) return true;
  return false;
}

/* --- reading --- */

/* Of a file; of no directory, and of no device, which may never end. */
static char *read_header(const char *path, size_t *len) {
  struct stat status;
  bool is_file = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  return is_file ? pm_read_file(path, PM_MAX_TEXT, len) : NULL;
}

static bool is_included(const cx_interp *in, pm_string path) {
  for (uint32_t i = 0; i < in->included.len; i++)
    if (in->included.data[i] == path) return true;
  return false;
}

/* Reads the file at the path, which is taken; false: there is none. */
static bool open_file(cx_interp *in, char *path, cx_file *out) {
  size_t len = 0;
  char *text = read_header(path, &len);
  if (text) {
    out->path = pm_arena_strndup(in->arena, path, strlen(path));
    out->number = pm_add_source(in->ctx, path, text, len);
    out->text = (pm_str){pm_arena_strndup(in->arena, text, len), len};
    out->target = file_at(in->ctx, path);
    CX_PUSH(in->arena, in->reading, out->target);
    out->is_known = is_included(in, out->target);
  }
  free(text);
  free(path);
  return out->path;
}

static bool is_file(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* A header at the path, which is taken. True where one is there, which *wrong may be said of. */
static bool open_allowed(cx_interp *in, char *path, cx_file *out, const char **wrong) {
  if (!is_file(path)) pm_note_absent(in->ctx, path);
  if (!is_file(path) || may_be_read(in, path)) return open_file(in, path, out);
  *wrong = pm_arena_printf(
      in->arena, "the header '%s' lies outside of the program's folder, it should lie inside or in one of -I",
      path);
  free(path);
  return true;
}

/* Beside the file, where the name stands in quotes, then in the folders. */
static bool find_header(cx_interp *in, const char *from, const char *name, bool is_local, cx_file *out,
                        const char **wrong) {
  if (is_local && open_allowed(in, beside(from, name), out, wrong)) return true;
  for (size_t i = 0; i < in->n_folders; i++)
    if (open_allowed(in, in_folder(in->folders[i], name), out, wrong)) return true;
  return false;
}

static bool is_of_library(const cx_interp *in, const char *name) {
  const char *last = strrchr(name, '/');
  return in->library->is_header && in->library->is_header(last ? last + 1 : name);
}

static const char *say_missing(const cx_interp *in, const char *name) {
  const char *option = in->library->option_of_header ? in->library->option_of_header(name) : NULL;
  if (!option) return pm_arena_printf(in->arena, "the header '%s' cannot be read", name);
  return pm_arena_printf(in->arena, "the header '%s' is of another language, whose programs are read with %s",
                         name, option);
}

static bool open_header(void *user, const char *from, pm_str name, bool is_local, cx_file *out,
                        const char **wrong) {
  cx_interp *in = user;
  char *text = pm_xstrndup(name.ptr, name.len);
  bool found = find_header(in, from, text, is_local, out, wrong);
  char *other = NULL;
  for (unsigned i = 0; !found && in->library->header_in_place; i++) {
    free(other);
    if (!(other = in->library->header_in_place(text, i))) break;
    found = find_header(in, from, other, is_local, out, wrong);
  }
  if (!found && is_local && !is_of_library(in, text)) *wrong = say_missing(in, text);
  free(other);
  free(text);
  return found && !*wrong;
}

/* --- files --- */

static void run_pragma(void *user, pm_loc loc, pm_str text) {
  cx_interp *in = user;
  for (const cx_library *l = in->library; l; l = l->base)
    if (l->run_pragma) l->run_pragma(in, loc, text);
}

static void run_file(cx_interp *in, const cx_file *file) {
  const cx_includer includer = {open_header,  in,         run_pragma,  in->macros,
                                in->n_macros, in->consts, in->n_consts};
  in->reading.len = 0;
  cx_node *block = cx_parse(in->ctx, in->arena, file, in->library->namespaces, &includer);
  for (uint32_t i = 0; i < in->reading.len; i++) CX_PUSH(in->arena, in->included, in->reading.data[i]);
  if (block)
    cx_run_items(in, block);
  else
    in->stopped = true;
}

void cx_run_text(cx_interp *in, uint16_t number, const char *path, pm_str text) {
  cx_file file = {.number = number,
                  .path = pm_arena_strndup(in->arena, path, strlen(path)),
                  .target = file_at(in->ctx, path),
                  .text = {pm_arena_strndup(in->arena, text.ptr, text.len), text.len}};
  run_file(in, &file);
}

bool cx_include(cx_interp *in, char *path) {
  cx_file file = {0};
  CX_PUSH(in->arena, in->given, pm_get_cstring(in->ctx, path));
  bool found = open_file(in, path, &file);
  if (found && !file.is_known) run_file(in, &file);
  return found;
}
