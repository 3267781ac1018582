/* Files of a program, and the headers that they include. */
#include "frontends/cxx/program.h"
#include "frontends/cxx/expressions/expressions.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void cx_begin(cx_interp *in, pm_context *ctx, const cx_library *library, void *user, const char *path) {
  *in = (cx_interp){.ctx = ctx, .arena = pm_arena_new(), .library = library, .user = user};
  in->reports = (cx_reports){.ctx = ctx, .known = pm_map_new()};
  in->globals = in->scope = cx_push_scope(in, NULL);
  in->extension = cx_push_scope(in, in->globals);
  in->globals->cells = pm_map_new();
  in->infos = pm_map_new();
  in->statics = pm_map_new();
  in->used_names = pm_map_new();
  in->eval = cx_eval;
  in->evaluate_member = cx_evaluate_member;
  in->instantiate = cx_instantiate;
  in->copy_object = cx_copy_object;
  CX_PUSH(in->arena, in->included, pm_get_cstring(ctx, path));
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
    CX_PUSH(in->arena, in->reading, pm_get_cstring(in->ctx, path));
    out->is_known = is_included(in, PM_VEC_LAST(in->reading));
  }
  free(text);
  free(path);
  return out->path;
}

/* Beside the file, where the name stands in quotes, then in the folders. */
static bool find_header(cx_interp *in, const char *from, const char *name, bool is_local, cx_file *out) {
  if (is_local && open_file(in, beside(from, name), out)) return true;
  for (size_t i = 0; i < in->n_folders; i++)
    if (open_file(in, in_folder(in->folders[i], name), out)) return true;
  return false;
}

static bool is_of_library(const cx_interp *in, const char *name) {
  const char *last = strrchr(name, '/');
  return in->library->is_header && in->library->is_header(last ? last + 1 : name);
}

static bool open_header(void *user, const char *from, pm_str name, bool is_local, cx_file *out,
                        const char **wrong) {
  cx_interp *in = user;
  char *text = pm_xstrndup(name.ptr, name.len);
  char *other = in->library->header_in_place ? in->library->header_in_place(text) : NULL;
  bool found =
      find_header(in, from, text, is_local, out) || (other && find_header(in, from, other, is_local, out));
  if (!found && is_local && !is_of_library(in, text)) {
    pm_buf message = {0};
    pm_buf_printf(&message, "the header '%s' cannot be read", text);
    *wrong = pm_arena_strndup(in->arena, message.data, message.len);
    pm_buf_free(&message);
  }
  free(other);
  free(text);
  return found;
}

/* --- files --- */

static void run_file(cx_interp *in, const cx_file *file) {
  const cx_includer includer = {open_header, in};
  in->reading.len = 0;
  cx_node *block = cx_parse(in->ctx, in->arena, file, in->library->namespaces, &includer);
  for (uint32_t i = 0; i < in->reading.len; i++) CX_PUSH(in->arena, in->included, in->reading.data[i]);
  if (block)
    cx_run_items(in, block);
  else
    in->stopped = true;
}

void cx_run_text(cx_interp *in, uint16_t number, const char *path, pm_str text) {
  cx_file file = {number,
                  pm_arena_strndup(in->arena, path, strlen(path)),
                  {pm_arena_strndup(in->arena, text.ptr, text.len), text.len},
                  false};
  run_file(in, &file);
}

bool cx_include(cx_interp *in, char *path) {
  cx_file file = {0};
  bool found = open_file(in, path, &file);
  if (found && !file.is_known) run_file(in, &file);
  return found;
}
