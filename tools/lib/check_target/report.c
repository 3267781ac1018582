#include "tools/lib/check_target/report.h"

#include "ir/text.h"
#include "tools/lib/driver/process.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FEW_NAMES = 5 };

static const char *const data_words[] = {
    [PM_DATA_PLAIN] = "plain", [PM_DATA_HARD] = "hard", [PM_DATA_TAME] = "tame"};

/* --- reproducers --- */

/* Each line of the text behind `// `. */
static void put_comment(pm_buf *out, const char *text) {
  for (size_t n; *text; text += n + (text[n] == '\n')) {
    n = strcspn(text, "\n");
    pm_buf_printf(out, "// %.*s\n", (int)n, text);
  }
}

static void put_module(pm_buf *out, pm_context *ctx, const char *text) {
  pm_module *module = pm_parse_module(ctx, "program", text, strlen(text), false);
  if (module) pm_print_module(out, module, (pm_print_options){0});
  if (module) pm_module_free(module);
}

static char *passes_of(const pm_check_options *o, const pm_check_program *program) {
  char *passes = pm_check_passes(o, strstr(program->text, "stage.pipeline") != NULL);
  return passes ? passes : pm_xstrdup("");
}

static void put_reproducer(pm_buf *out, const pm_check_options *o, const pm_check_program *program,
                           const char *why, const char *path) {
  char *passes = passes_of(o, program);
  pm_buf_puts(out, "// configuration: ");
  pm_print_context_options(o->ctx, out);
  pm_buf_printf(out, "--pass-pipeline='%s'\n", passes);
  put_comment(out, program->name);
  put_comment(out, why);
  pm_buf_printf(out, "// pm-check-target --target=%s --data=%s", o->target->name, data_words[program->data]);
  for (const char *const *call = program->calls; *call; call++) pm_buf_printf(out, " --call=%s", *call);
  pm_buf_printf(out, " %s\n", path);
  put_module(out, o->ctx, program->text);
  free(passes);
}

/* `FOLDER/c-arith.shri.pmir`; without a folder `<TMPDIR>/pm-check-target-<process>-c-arith.shri.pmir`. */
static char *path_of(const pm_check_options *o, const char *folder, const pm_check_program *program) {
  pm_buf name = {0}, path = {0};
  pm_buf_printf(&name, "%s-", o->target->name);
  for (const char *c = program->subject; *c; c++)
    pm_buf_putc(&name, isalnum((unsigned char)*c) || *c == '.' ? *c : '-');
  pm_buf_puts(&name, ".pmir");
  if (folder) pm_buf_printf(&path, "%s/%s", folder, name.data);
  char *made =
      folder ? pm_buf_take(&path) : pm_temporary_path("%s-%ld-%s", o->tool, (long)getpid(), name.data);
  pm_buf_free(&name);
  return made;
}

static void write_reproducer(const pm_check_options *o, const char *folder, const pm_check_program *program,
                             const char *why) {
  char *path = path_of(o, folder, program);
  pm_buf text = {0};
  put_reproducer(&text, o, program, why, path);
  if (pm_write_file(path, text.data, text.len))
    printf("    reproducer: %s\n", path);
  else
    printf("    cannot write '%s': %s\n", path, strerror(errno));
  pm_buf_free(&text);
  free(path);
}

/* --- what stands together --- */

typedef struct report {
  const pm_check_options *o;
  const char *folder;
  const pm_check_programs *programs;
  const pm_check_result *results;
} report;

typedef bool (*same_group)(const report *r, size_t a, size_t b);

/* But for numbers, which names have. */
static bool have_same_text(const report *r, size_t a, size_t b) {
  const char *x = r->results[a].text, *y = r->results[b].text;
  for (; *x || *y; x++, y++) {
    while (isdigit((unsigned char)*x)) x++;
    while (isdigit((unsigned char)*y)) y++;
    if (*x != *y) return false;
    if (!*x) break;
  }
  return true;
}

static bool have_same_subject(const report *r, size_t a, size_t b) {
  return strcmp(r->programs->data[a].subject, r->programs->data[b].subject) == 0;
}

static bool is_first(const report *r, size_t i, same_group same) {
  for (size_t k = 0; k < i; k++)
    if (r->results[k].verdict == r->results[i].verdict && same(r, k, i)) return false;
  return true;
}

/* The names of those behind the first. */
static void put_others(const report *r, size_t first, same_group same) {
  size_t n = 0;
  pm_buf names = {0};
  for (size_t i = first + 1; i < r->programs->len; i++) {
    if (r->results[i].verdict != r->results[first].verdict || !same(r, first, i)) continue;
    if (n++ < FEW_NAMES) pm_buf_printf(&names, "%s%s", n > 1 ? "; " : "", r->programs->data[i].name);
  }
  if (n) printf("    and %zu more: %s%s\n", n, names.data, n > FEW_NAMES ? "; …" : "");
  pm_buf_free(&names);
}

static size_t count(const report *r, pm_check_verdict verdict) {
  size_t n = 0;
  for (size_t i = 0; i < r->programs->len; i++) n += r->results[i].verdict == verdict;
  return n;
}

static void put_unemitted(const report *r) {
  for (size_t i = 0; i < r->programs->len; i++) {
    if (r->results[i].verdict != PM_CHECK_UNEMITTED || !is_first(r, i, have_same_text)) continue;
    printf("  refused although it has a form: %s: %s\n", r->programs->data[i].name, r->results[i].text);
    put_others(r, i, have_same_text);
  }
}

static void put_failed(const report *r) {
  for (size_t i = 0; i < r->programs->len; i++) {
    if (r->results[i].verdict != PM_CHECK_FAIL || !is_first(r, i, have_same_subject)) continue;
    printf("  FAIL %s: %s\n", r->programs->data[i].name, r->results[i].text);
    put_others(r, i, have_same_subject);
    write_reproducer(r->o, r->folder, &r->programs->data[i], r->results[i].text);
  }
}

size_t pm_check_report(const pm_check_options *o, const char *section, const char *folder,
                       const pm_check_programs *programs, const pm_check_result *results) {
  const report r = {o, folder, programs, results};
  size_t failed = count(&r, PM_CHECK_FAIL);
  printf("%s: %zu passed, %zu failed, %zu refused\n", section, count(&r, PM_CHECK_PASS), failed,
         count(&r, PM_CHECK_REFUSED) + count(&r, PM_CHECK_UNEMITTED));
  put_unemitted(&r);
  put_failed(&r);
  return failed;
}
