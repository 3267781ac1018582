#include "tools/lib/driver/native.h"

#include "tools/lib/driver/cc_flags.h"
#include "tools/lib/driver/message.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef PM_VEC(char *) arg_list;

static void add_arg(arg_list *args, const char *text) {
  PM_VEC_PUSH(*args, pm_xstrdup(text));
}

static void add_words(arg_list *args, const char *text) {
  char *copy = pm_xstrdup(text), *rest = NULL;
  for (char *word = strtok_r(copy, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
    add_arg(args, word);
  free(copy);
}

static void free_args(arg_list *args) {
  for (size_t i = 0; i < args->len; i++) free(args->data[i]);
  PM_VEC_FREE(*args);
}

static const char *fp_flag(const char *fp) {
  if (strcmp(fp, "fast") == 0) return "-ffast-math";
  return strcmp(fp, "strict") == 0 ? "-ffp-contract=off" : "-ffp-contract=fast";
}

static const struct {
  const char *flags, *extension;
} kinds[] = {[PM_CC_SHARED] = {"-fPIC -shared", "so"},
             [PM_CC_OBJECT] = {"-fPIC -c", "o"},
             [PM_CC_ASSEMBLY] = {"-S", "s"}};

static arg_list compiler_of(const pm_cc_options *o) {
  arg_list args = {0};
  add_words(&args, o->cc ? o->cc : "cc");
  return args;
}

/* Whether the compiler knows the flags: it does as if to read an empty file. */
static bool knows_flags(const pm_work_dir *dir, const pm_cc_options *o, const char *log, const char *flags) {
  arg_list args = compiler_of(o);
  bool failed = false;
  add_words(&args, "-Werror -E -x c /dev/null");
  add_words(&args, flags);
  PM_VEC_PUSH(args, NULL);
  int why = pm_spawn(dir, args.data, log, &failed);
  free_args(&args);
  return !why && !failed;
}

static void add_flags(arg_list *args, const pm_work_dir *dir, const pm_cc_options *o, const char *log) {
  add_words(args, o->cflags ? o->cflags : PM_CC_FLAGS);
  for (size_t i = 0; !o->cflags && pm_cc_tuning(i); i++)
    if (knows_flags(dir, o, log, pm_cc_tuning(i))) add_words(args, pm_cc_tuning(i));
}

static arg_list cc_command(const pm_work_dir *dir, const pm_cc_options *o, pm_cc_kind kind, const char *log,
                           const char *source, const char *result) {
  arg_list args = compiler_of(o);
  add_arg(&args, "-std=gnu11");
  add_flags(&args, dir, o, log);
  add_arg(&args, fp_flag(o->fp));
  add_words(&args, kinds[kind].flags);
  add_arg(&args, "-o");
  add_arg(&args, result);
  add_arg(&args, source);
  if (kind == PM_CC_SHARED) add_arg(&args, "-lm");
  PM_VEC_PUSH(args, NULL);
  return args;
}

/* What the compiler printed, with whose fault it is in front of it: PM_EXIT_BUG unless the user's flags or a
 * full disk may be to blame. */
static int refused(const char *log, const char *cc, const pm_cc_options *options) {
  pm_buf error = {0};
  size_t len;
  char *text = pm_read_file(log, &len);
  bool full = text && (strstr(text, "No space left") || strstr(text, "File too large"));
  if (text) fputs(text, stderr);
  pm_failf(&error, "the C compiler '%s' %s", cc,
           full              ? "has no room for what it writes"
           : options->cflags ? "refuses the emitted program: does it know the --cflags?"
                             : "refuses the emitted program: this is a bug");
  pm_print_error(options->tool, &error);
  free(text);
  return full || options->cflags ? PM_EXIT_INPUT : PM_EXIT_BUG;
}

static int run_cc(const pm_work_dir *dir, const char *log, char *const *argv, const pm_cc_options *options) {
  pm_buf error = {0};
  bool failed = false;
  int why = pm_spawn(dir, argv, log, &failed);
  if (failed && pm_work_dir_interrupted()) return PM_EXIT_INPUT;
  if (!why) return failed ? refused(log, argv[0], options) : PM_EXIT_OK;
  pm_failf(&error, "cannot run the C compiler '%s': %s", argv[0] ? argv[0] : "", strerror(why));
  pm_print_error(options->tool, &error);
  return PM_EXIT_INPUT;
}

static char *path_in(const char *dir, const char *base, const char *extension) {
  pm_buf path = {0};
  pm_buf_printf(&path, "%s/%s.%s", dir, base, extension);
  return pm_buf_take(&path);
}

static bool write_text(const char *path, const pm_buf *text, const char *tool) {
  pm_buf error = {0};
  if (pm_write_file(path, text->data ? text->data : "", text->len)) return true;
  pm_failf(&error, "cannot write '%s': %s", path, strerror(errno));
  pm_print_error(tool, &error);
  return false;
}

int pm_compile_c(const pm_work_dir *dir, const char *base, const pm_target_output *c, pm_cc_kind kind,
                 const pm_cc_options *options, char **result) {
  char *source = path_in(dir->path, base, "c"), *header = path_in(dir->path, base, "h"),
       *log = path_in(dir->path, base, "log");
  *result = path_in(dir->path, base, kinds[kind].extension);
  int code = PM_EXIT_INPUT;
  if (write_text(source, &c->source, options->tool) && write_text(header, &c->header, options->tool)) {
    arg_list args = cc_command(dir, options, kind, log, source, *result);
    code = run_cc(dir, log, args.data, options);
    free_args(&args);
  }
  free(source);
  free(header);
  free(log);
  return code;
}
