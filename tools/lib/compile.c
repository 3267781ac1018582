#include "tools/lib/native.h"

#include "tools/lib/message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef PM_VEC(char *) arg_list;

char *pm_work_dir_new(const char *tool) {
  const char *base = getenv("TMPDIR");
  pm_buf path = {0}, error = {0};
  pm_buf_printf(&path, "%s/pm-XXXXXX", base && *base ? base : "/tmp");
  if (mkdtemp(path.data)) return pm_buf_take(&path);
  pm_failf(&error, "cannot make a directory '%s': %s", path.data, strerror(errno));
  pm_print_error(tool, &error);
  pm_buf_free(&path);
  return NULL;
}

static void remove_files(const char *dir) {
  DIR *files = opendir(dir);
  if (!files) return;
  for (struct dirent *entry; (entry = readdir(files));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      unlinkat(dirfd(files), entry->d_name, 0);
  closedir(files);
}

void pm_work_dir_free(char *dir, bool keep, const char *tool) {
  if (!dir) return;
  if (keep) {
    fprintf(stderr, "%s: kept '%s'\n", tool, dir);
  } else {
    remove_files(dir);
    rmdir(dir);
  }
  free(dir);
}

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

static arg_list cc_command(const pm_cc_options *o, pm_cc_kind kind, const char *source, const char *result) {
  arg_list args = {0};
  add_words(&args, o->cc ? o->cc : "cc");
  add_arg(&args, "-std=gnu11");
  add_words(&args, o->cflags ? o->cflags : "-O3 -march=native -fopenmp");
  add_arg(&args, fp_flag(o->fp));
  add_words(&args, kinds[kind].flags);
  add_arg(&args, "-o");
  add_arg(&args, result);
  add_arg(&args, source);
  if (kind == PM_CC_SHARED) add_arg(&args, "-lm");
  PM_VEC_PUSH(args, NULL);
  return args;
}

static int wait_for(pid_t pid, bool *failed) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return errno;
  *failed = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ENOENT : 0;
}

int pm_spawn(char *const *argv, const char *log, bool *failed) {
  pid_t pid;
  posix_spawn_file_actions_t actions;
  if (!argv[0]) return ENOENT;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  int error = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
  posix_spawn_file_actions_destroy(&actions);
  return error ? error : wait_for(pid, failed);
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

static int run_cc(const char *log, char *const *argv, const pm_cc_options *options) {
  pm_buf error = {0};
  bool failed = false;
  int why = pm_spawn(argv, log, &failed);
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

int pm_compile_c(const char *dir, const char *base, const pm_target_output *c, pm_cc_kind kind,
                 const pm_cc_options *options, char **result) {
  char *source = path_in(dir, base, "c"), *header = path_in(dir, base, "h"), *log = path_in(dir, base, "log");
  *result = path_in(dir, base, kinds[kind].extension);
  int code = PM_EXIT_INPUT;
  if (write_text(source, &c->source, options->tool) && write_text(header, &c->header, options->tool)) {
    arg_list args = cc_command(options, kind, source, *result);
    code = run_cc(log, args.data, options);
    free_args(&args);
  }
  free(source);
  free(header);
  free(log);
  return code;
}
