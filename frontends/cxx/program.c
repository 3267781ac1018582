/* Files of a program, and the headers that they include. */
#include "frontends/cxx/program.h"
#include "frontends/cxx/names/names.h"
#include "frontends/cxx/statements/statements.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_INCLUDES = 100 };

/* What the path leads to, whatever way it takes. */
static pm_string file_at(pm_context *ctx, const char *path) {
  char *file = realpath(path, NULL);
  pm_string name = pm_get_cstring(ctx, file ? file : path);
  free(file);
  return name;
}

void cx_begin(cx_interp *in, pm_context *ctx, const cx_library *library, void *user, const char *path) {
  *in = (cx_interp){.ctx = ctx, .arena = pm_arena_new(), .library = library, .user = user};
  in->reports = (cx_reports){.ctx = ctx, .known = pm_map_new()};
  in->globals = in->scope = cx_push_scope(in, NULL);
  in->globals->cells = pm_map_new();
  in->namespaces = pm_map_new();
  CX_PUSH(in->arena, in->given, pm_get_cstring(ctx, path));
  CX_PUSH(in->arena, in->included, file_at(ctx, path));
}

void cx_end(cx_interp *in) {
  pm_map_free(in->reports.known);
  pm_map_free(in->globals->cells);
  pm_map_free(in->namespaces);
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
  char *inner = realpath(file, NULL), *outer = realpath(folder, NULL);
  size_t n = outer ? strlen(outer) : 0;
  if (n > 0 && outer[n - 1] == '/') n--;
  bool below = inner && outer && strncmp(inner, outer, n) == 0 && inner[n] == '/';
  free(inner);
  free(outer);
  return below;
}

/* In the folder of a given file, or in that of the file that it is a link to. */
static bool is_beside(const char *file, const char *given) {
  char *target = realpath(given, NULL), *folder = beside(given, "."),
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

/* Runs the file at the path (taken), once; false: there is none. */
static bool include_file(cx_interp *in, pm_loc loc, char *path) {
  size_t len = 0;
  pm_string key = file_at(in->ctx, path);
  bool known = is_included(in, key);
  char *text = known ? NULL : read_header(path, &len);
  if (text && in->included.len >= MAX_INCLUDES) {
    cx_fail(in, loc, "more than %d headers are included", MAX_INCLUDES);
  } else if (text) {
    CX_PUSH(in->arena, in->included, key);
    cx_run_text(in, pm_add_source(in->ctx, path, text, len), path, (pm_str){text, len});
  }
  bool found = known || text;
  free(text);
  free(path);
  return found;
}

bool cx_include(cx_interp *in, pm_loc loc, char *path) {
  CX_PUSH(in->arena, in->given, pm_get_cstring(in->ctx, path));
  return include_file(in, loc, path);
}

/* A header at the path (taken). */
static bool include_header(cx_interp *in, pm_loc loc, char *path) {
  struct stat status;
  bool is_there = stat(path, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_there || may_be_read(in, path)) return include_file(in, loc, path);
  cx_fail(in, loc,
          "the header '%s' lies outside of the program's folder, it should lie inside or in one of -I", path);
  free(path);
  return true;
}

/* Beside the file, where the name stands in quotes, then in the folders. */
static bool include_name(cx_interp *in, const cx_node *n, const char *from, const char *name) {
  bool found = n->is_local && include_header(in, n->loc, beside(from, name));
  for (size_t i = 0; i < in->n_folders && !found; i++)
    found = include_header(in, n->loc, in_folder(in->folders[i], name));
  return found;
}

static bool is_of_library(const cx_interp *in, const char *name) {
  const char *last = strrchr(name, '/');
  return in->library->is_header && in->library->is_header(last ? last + 1 : name);
}

static void include(cx_interp *in, const cx_node *n, const char *from) {
  char *name = pm_xstrndup(n->text.ptr, n->text.len);
  bool found = include_name(in, n, from, name);
  char *other = NULL;
  for (unsigned i = 0; !found && in->library->header_in_place; i++) {
    free(other);
    if (!(other = in->library->header_in_place(name, i))) break;
    found = include_name(in, n, from, other);
  }
  if (!found && n->is_local && !is_of_library(in, name))
    cx_fail(in, n->loc, "the header '%s' cannot be read", name);
  free(other);
  free(name);
}

/* --- files --- */

static cx_node *parse(cx_interp *in, uint16_t file, pm_str text) {
  return cx_parse(in->ctx, in->arena, file, text, in->library->namespaces, in->namespaces);
}

void cx_run_text(cx_interp *in, uint16_t file, const char *path, pm_str text) {
  pm_str kept = {pm_arena_strndup(in->arena, text.ptr, text.len), text.len};
  cx_node *block = parse(in, file, kept);
  size_t known = pm_map_size(in->namespaces);
  if (!block) {
    in->stopped = true;
    return;
  }
  for (uint32_t i = 0; i < block->n_items; i++)
    if (block->items[i]->kind == CX_INCLUDE) include(in, block->items[i], path);
  if (pm_map_size(in->namespaces) > known) /* those of headers may stand before names */
    block = parse(in, file, kept);
  cx_run_items(in, block);
}
