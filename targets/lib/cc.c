#include "targets/lib/cc.h"

#include "targets/lib/cc_flags.h"

#include <errno.h>
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
  const char *extension, *flags, *libraries;
} kinds[] = {{"so", "-fPIC -shared", "-lm"}, {"o", "-fPIC -c", ""}, {"s", "-S", ""}};

static size_t kind_of(const char *extension) {
  size_t i = 0;
  while (strcmp(kinds[i].extension, extension) != 0) i++;
  return i;
}

static arg_list compiler_of(const pm_build_options *o) {
  arg_list args = {0};
  add_words(&args, o->compiler ? o->compiler : "cc");
  if (!args.len) add_arg(&args, ""); /* which is no program */
  return args;
}

/* Whether the compiler knows the flags: it does as if to read an empty file. */
static bool knows_flags(const pm_work_dir *dir, const pm_build_options *o, const char *log,
                        const char *flags) {
  arg_list args = compiler_of(o);
  int status = 0;
  add_words(&args, "-Werror -E -x c /dev/null");
  add_words(&args, flags);
  PM_VEC_PUSH(args, NULL);
  int why = pm_spawn(dir, args.data, log, &status);
  free_args(&args);
  return !why && !status;
}

static void add_flags(arg_list *args, const pm_work_dir *dir, const pm_build_options *o, const char *log) {
  add_words(args, o->flags ? o->flags : PM_CC_FLAGS);
  for (size_t i = 0; !o->flags && pm_cc_tuning(i); i++)
    if (knows_flags(dir, o, log, pm_cc_tuning(i))) add_words(args, pm_cc_tuning(i));
}

/* `fp` NULL: without a flag for floats. */
static arg_list cc_command(const pm_work_dir *dir, const pm_build_options *o, size_t kind, const char *log,
                           const char *fp, const char *source, const char *result) {
  arg_list args = compiler_of(o);
  add_arg(&args, "-std=gnu11");
  add_flags(&args, dir, o, log);
  if (fp) add_arg(&args, fp_flag(fp));
  add_words(&args, kinds[kind].flags);
  add_arg(&args, "-o");
  add_arg(&args, result);
  add_arg(&args, source);
  add_words(&args, kinds[kind].libraries);
  PM_VEC_PUSH(args, NULL);
  return args;
}

static bool write_text(const char *path, const pm_buf *text, pm_report *report) {
  if (pm_write_file(path, text->data ? text->data : "", text->len)) return true;
  pm_buf_printf(&report->error, "cannot write '%s': %s", path, strerror(errno));
  return false;
}

/* --- a compiler that fails --- */

/* The lines of a text that include headers of the system. */
static void put_includes(pm_buf *out, const char *text) {
  static const char word[] = "\n#include <";
  for (const char *at = text; at && (at = strstr(at, word)); at++)
    pm_buf_put(out, at + 1, strcspn(at + 1, "\n") + 1);
}

/* Whether the compiler does as much as to translate the program's headers, with all flags. */
static bool compiles_nothing(const pm_work_dir *dir, const pm_target_output *c,
                             const pm_build_options *options, size_t kind, const char *log) {
  char *source = pm_work_dir_file(dir, "nothing", "c"), *result = pm_work_dir_file(dir, "nothing", "out");
  pm_buf text = {0};
  pm_report unused = {0};
  int status = 0;
  put_includes(&text, c->header.data);
  put_includes(&text, c->source.data);
  pm_buf_puts(&text, "extern int nothing;\n");
  arg_list args = cc_command(dir, options, kind, log, options->fp, source, result);
  bool ok = write_text(source, &text, &unused) && !pm_spawn(dir, args.data, log, &status) && !status;
  free_args(&args);
  pm_buf_free(&text);
  pm_buf_free(&unused.error);
  free(source);
  free(result);
  return ok;
}

/* What may be to blame when the compiler ends with `status`, as the end of a sentence; NULL: the program. */
static const char *reason(const pm_build_options *options, int status, const char *printed, bool works) {
  if (printed && (strstr(printed, "No space left") || strstr(printed, "File too large")))
    return "has no room for what it writes";
  if (status > 128) return "was ended by a signal";
  if (status > 1) return "fails by a mistake of its own";
  if (options->flags && !options->source_file)
    return "refuses the emitted program: does it know the --cflags?";
  return works ? NULL : "fails for a program of nothing but its headers, too: is it installed as a whole?";
}

/* What the compiler printed, and whose fault it is: ours when it works but for the emitted program. */
static pm_outcome refused(const pm_work_dir *dir, const pm_target_output *c, const char *log, size_t kind,
                          int status, const pm_build_options *options, pm_report *report) {
  size_t len;
  char *text = pm_read_file(log, PM_MAX_TEXT, &len);
  bool works = status == 1 && !options->flags && compiles_nothing(dir, c, options, kind, log);
  const char *why = reason(options, status, text, works);
  if (text) pm_buf_puts(&report->log, text);
  pm_buf_printf(&report->error, "the C compiler '%s' ", options->compiler ? options->compiler : "cc");
  if (why || !options->source_file)
    pm_buf_puts(&report->error, why ? why : "refuses the emitted program: this is a bug");
  else
    pm_buf_printf(&report->error, "refuses '%s'", options->source_file);
  free(text);
  return why || options->source_file ? PM_OUTCOME_REFUSED : PM_OUTCOME_BUG;
}

static pm_outcome run_cc(const pm_work_dir *dir, const pm_target_output *c, const char *log, size_t kind,
                         char *const *argv, const pm_build_options *options, pm_report *report) {
  int status = 0, why = pm_spawn(dir, argv, log, &status);
  if (status && pm_work_dir_interrupted(dir)) return PM_OUTCOME_REFUSED;
  if (!why) return status ? refused(dir, c, log, kind, status, options, report) : PM_OUTCOME_OK;
  pm_buf_printf(&report->error, "cannot run the C compiler '%s': %s", argv[0] ? argv[0] : "", strerror(why));
  return PM_OUTCOME_REFUSED;
}

/* What a program is compiled from and to. */
typedef struct cc_job {
  const pm_work_dir *dir;
  const pm_target_output *c;
  const pm_build_options *options;
  const char *log;
} cc_job;

static pm_outcome compile(const cc_job *job, const char *extension, const char *fp, const char *source,
                          const char *result, pm_report *report) {
  size_t kind = kind_of(extension);
  arg_list args = cc_command(job->dir, job->options, kind, job->log, fp, source, result);
  pm_outcome outcome = run_cc(job->dir, job->c, job->log, kind, args.data, job->options, report);
  free_args(&args);
  return outcome;
}

/* By -ffast-math a linker adds code that flushes subnormal numbers to zero in the whole process that loads
 * the library. So it is linked without. */
static pm_outcome compile_shared(const cc_job *job, const char *source, const char *result,
                                 pm_report *report) {
  const char *fp = job->options->fp;
  if (strcmp(fp, "fast") != 0) return compile(job, "so", fp, source, result, report);
  char *object = pm_work_dir_file(job->dir, job->options->base, "o");
  pm_outcome outcome = compile(job, "o", fp, source, object, report);
  if (outcome == PM_OUTCOME_OK) outcome = compile(job, "so", NULL, object, result, report);
  free(object);
  return outcome;
}

pm_outcome pm_compile_c(const pm_work_dir *dir, const pm_target_output *c, const char *extension,
                        const pm_build_options *options, char **result, pm_report *report) {
  char *source = pm_work_dir_file(dir, options->base, "c"),
       *header = pm_work_dir_file(dir, options->base, "h"),
       *log = pm_work_dir_file(dir, options->base, "log");
  *result = pm_work_dir_file(dir, options->base, extension);
  pm_outcome outcome = PM_OUTCOME_REFUSED;
  if (write_text(source, &c->source, report) && write_text(header, &c->header, report)) {
    cc_job job = {dir, c, options, log};
    const char *from = options->source_file ? options->source_file : source;
    outcome = strcmp(extension, "so") == 0 ? compile_shared(&job, from, *result, report)
                                           : compile(&job, extension, options->fp, from, *result, report);
  }
  free(source);
  free(header);
  free(log);
  return outcome;
}

/* --- the hook --- */

static pm_outcome read_result(const char *path, pm_buf *file, pm_report *report) {
  size_t len = 0;
  char *bytes = pm_read_file(path, PM_MAX_TEXT, &len);
  if (!bytes)
    pm_buf_printf(&report->error, "what the C compiler made cannot be opened: '%s': %s", path,
                  strerror(errno));
  *file = (pm_buf){.data = bytes, .len = len};
  return bytes ? PM_OUTCOME_OK : PM_OUTCOME_REFUSED;
}

pm_outcome pm_cc_compile(const pm_target_output *c, const char *extension, const pm_build_options *options,
                         pm_buf *file, pm_report *report) {
  pm_work_dir dir;
  char *path = NULL;
  if (!pm_work_dir_init(&dir, options->owns_process, &report->error)) return PM_OUTCOME_REFUSED;
  pm_outcome outcome = pm_compile_c(&dir, c, extension, options, &path, report);
  if (outcome == PM_OUTCOME_OK) outcome = read_result(path, file, report);
  free(path);
  pm_work_dir_free(&dir, options->kept_by);
  return outcome;
}
