/* pm-new: the folder of a new plugin, which builds against the installed library and passes its own test. */
#include "frontends/frontend.h"
#include "targets/target.h"
#include "tools/lib/driver/driver.h"
#include "tools/lib/driver/option_docs.h"
#include "tools/lib/driver/process.h"
#include "tools/lib/message.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOOL "pm-new"
enum { MOST_NAME = 60 };

/* A file of a template, as the build makes the table of tools/new: its path below the folder of its kind. The
 * last has no kind. */
typedef struct template_file {
  const char *kind, *path, *text;
} template_file;
extern const template_file pm_new_templates[];

typedef struct options {
  pm_context *ctx;
  const char *kind, *name, *folder;
} options;

/* --- kinds and names --- */

/* Each `-` as `_`. */
static char *word_of(const char *name) {
  char *word = pm_xstrdup(name);
  for (char *c = word; *c; c++)
    if (*c == '-') *c = '_';
  return word;
}

static bool is_pass(pm_context *ctx, const char *name) {
  return pm_find_pass(ctx, pm_str_of(name)) || pm_find_pipeline(ctx, pm_str_of(name));
}

static bool is_dialect(pm_context *ctx, const char *name) {
  for (size_t i = 0; i < pm_dialect_count(ctx); i++)
    if (strcmp(pm_dialect_at(ctx, i)->name, name) == 0) return true;
  return false;
}

/* So are the names of files. */
static bool is_target(pm_context *ctx, const char *name) {
  char *extension = word_of(name);
  bool is_taken = pm_find_target(ctx, name);
  for (size_t i = 0; i < pm_target_count(ctx); i++)
    is_taken |= pm_target_find_file(pm_target_at(ctx, i), extension) != NULL;
  free(extension);
  return is_taken;
}

static bool is_frontend(pm_context *ctx, const char *name) {
  pm_buf file = {0};
  char *extension = word_of(name);
  pm_buf_printf(&file, "x.%s", extension);
  bool is_taken = pm_find_frontend(ctx, name) || pm_frontend_of_file(ctx, file.data);
  pm_buf_free(&file);
  free(extension);
  return is_taken;
}

static const struct kind {
  const char *name, *stands_for; /* what stands in the template in place of the name */
  bool (*is_taken)(pm_context *ctx, const char *name);
  bool is_word; /* the name is one of C, too, and has no '-' */
} kinds[] = {{"pass", "my-pass", is_pass, false},
             {"dialect", "my_dialect", is_dialect, true},
             {"target", "my-target", is_target, false},
             {"frontend", "my-frontend", is_frontend, false}};

static const struct kind *find_kind(const char *name) {
  for (size_t i = 0; i < PM_COUNT(kinds); i++)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return NULL;
}

/* Words of lower-case letters and digits, with single '-' or '_' between them; the first begins with a
 * letter. */
static bool is_spelt(const char *name, bool is_word) {
  char before = '-';
  if (!islower((unsigned char)*name)) return false;
  for (const char *c = name; *c; before = *c++) {
    bool joins = *c == '_' || (*c == '-' && !is_word);
    if (joins ? before == '-' || before == '_' : !islower((unsigned char)*c) && !isdigit((unsigned char)*c))
      return false;
  }
  return before != '-' && before != '_';
}

static bool check_name(const options *o, const struct kind *kind, pm_buf *error) {
  const char *name = o->name;
  if (!is_spelt(name, kind->is_word))
    return pm_failf(
        error, "the name is '%s', but should be lower-case letters and digits, with single '_'%s between",
        name, kind->is_word ? "" : " or '-'");
  if (strlen(name) > MOST_NAME)
    return pm_failf(error, "the name has %zu letters, but should have at most %d", strlen(name), MOST_NAME);
  if (kind->is_taken(o->ctx, name)) return pm_failf(error, "there is a %s '%s' already", kind->name, name);
  return true;
}

/* --- options --- */

enum { KEY_IN = 256 };
static const struct argp_option option_rows[] = {
    {"in", KEY_IN, "DIR", 0, "the folder NAME is made there (default: here)", 0}, {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state) {
  options *o = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = o->ctx;
    break;
  case KEY_IN:
    o->folder = arg;
    break;
  case ARGP_KEY_ARG:
    if (state->arg_num > 1) argp_error(state, "more than a kind and a name: '%s'", arg);
    *(state->arg_num ? &o->name : &o->kind) = arg;
    break;
  case ARGP_KEY_END:
    if (!o->name) argp_error(state, "a kind and a name should be given");
    if (!find_kind(o->kind)) argp_error(state, "'%s' is not pass, dialect, target or frontend", o->kind);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static const struct argp_child children[] = {{&pm_plugin_argp, 0, NULL, 0}, {0}};
static const struct argp new_argp = {
    .options = option_rows,
    .parser = parse_option,
    .args_doc = "pass|dialect|target|frontend NAME",
    .doc = "Make the folder NAME with a plugin that builds against the installed "
           "library: CMakeLists.txt, sources, a test that passes, and a README.",
    .children = children};

/* --- text --- */

static bool begins_with(const char *text, const char *word) {
  return strncmp(text, word, strlen(word)) == 0;
}

/* The text of a template, or a path, with the name; to be freed. */
static char *fill_in(const struct kind *kind, const char *name, const char *text) {
  char *from = word_of(kind->stands_for), *to = word_of(name);
  pm_buf out = {0};
  pm_buf_puts(&out, "");
  while (*text) {
    bool is_name = begins_with(text, kind->stands_for), is_word = begins_with(text, from);
    if (is_name || is_word)
      pm_buf_puts(&out, is_name ? name : to);
    else
      pm_buf_putc(&out, *text);
    text += is_name || is_word ? strlen(from) : 1;
  }
  free(from);
  free(to);
  return pm_buf_take(&out);
}

/* --- files --- */

static char *join(const char *folder, const char *name) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s", folder, name);
  return pm_buf_take(&path);
}

typedef void (*with_file)(void *user, const template_file *file, const char *path);

static void each_file(const struct kind *kind, const char *name, const char *folder, with_file with,
                      void *user) {
  for (const template_file *file = pm_new_templates; file->kind; file++) {
    if (strcmp(file->kind, kind->name) != 0) continue;
    char *filled = fill_in(kind, name, file->path), *path = join(folder, filled);
    with(user, file, path);
    free(path);
    free(filled);
  }
}

typedef struct writing {
  const struct kind *kind;
  const char *name;
  pm_buf *error;
} writing;

static void write_file(void *user, const template_file *file, const char *path) {
  writing *w = user;
  char *text = fill_in(w->kind, w->name, file->text);
  if (!w->error->len && !pm_write_file(path, text, strlen(text)))
    (void)pm_failf(w->error, "cannot write '%s': %s", path, strerror(errno));
  free(text);
}

static void remove_file(void *user, const template_file *file, const char *path) {
  (void)user, (void)file;
  unlink(path);
}

static void print_file(void *user, const template_file *file, const char *path) {
  (void)user, (void)file;
  puts(path);
}

static mode_t usual_mode(void) {
  mode_t mask = umask(0);
  umask(mask);
  return 0777 & ~mask;
}

/* A folder that nobody sees becomes the wanted one when it is complete: so there is all of it, or nothing. */
static bool make_folder(const options *o, const struct kind *kind, const char *wanted, pm_buf *error) {
  struct stat info;
  writing w = {kind, o->name, error};
  if (lstat(wanted, &info) == 0) return pm_failf(error, "there is a '%s' already", wanted);
  char *hidden = join(o->folder, ".pm-new-XXXXXX");
  if (!mkdtemp(hidden)) {
    (void)pm_failf(error, "cannot make a folder in '%s': %s", o->folder, strerror(errno));
    free(hidden);
    return false;
  }
  each_file(kind, o->name, hidden, write_file, &w);
  if (!error->len && (chmod(hidden, usual_mode()) != 0 || rename(hidden, wanted) != 0))
    (void)pm_failf(error, "cannot make '%s': %s", wanted, strerror(errno));
  if (error->len) {
    each_file(kind, o->name, hidden, remove_file, NULL);
    rmdir(hidden);
  }
  free(hidden);
  return !error->len;
}

static bool make_new(const options *o, pm_buf *error) {
  const struct kind *kind = find_kind(o->kind);
  if (!check_name(o, kind, error)) return false;
  char *wanted = join(o->folder, o->name);
  bool ok = make_folder(o, kind, wanted, error);
  if (ok) each_file(kind, o->name, wanted, print_file, NULL);
  free(wanted);
  return ok;
}

int main(int argc, char **argv) {
  options o = {.folder = "."};
  pm_buf error = {0};
  pm_tool_begin();
  o.ctx = pm_driver_context_of(TOOL, argc, argv);
  pm_argp_parse(TOOL, &new_argp, argc, argv, 0, &o);
  bool ok = make_new(&o, &error);
  if (!ok) pm_print_error(TOOL, &error);
  pm_context_free(o.ctx);
  return ok ? PM_EXIT_OK : PM_EXIT_INPUT;
}
