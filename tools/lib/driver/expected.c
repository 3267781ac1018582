#include "tools/lib/driver/expected.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

typedef struct announcement {
  pm_severity severity;
  uint32_t line;    /* 0: no place in the file */
  uint32_t column;  /* 0: any */
  uint32_t at_line; /* where it is written */
  unsigned count;   /* still to come */
  pm_str text;      /* borrowed from the file's text */
  bool is_regex;    /* what it has between {{ and }} is one */
  regex_t regex;
} announcement;

struct pm_expected {
  char *name, *text;
  PM_VEC(announcement) announced;
  pm_buf unexpected;
};

static const char *const severities[] = {"error", "warning", "remark", "note"};

/* --- reading --- */

static bool skip(const char **at, const char *text) {
  size_t n = strlen(text);
  if (strncmp(*at, text, n) != 0) return false;
  *at += n;
  return true;
}

static bool read_severity(const char **at, announcement *a) {
  for (size_t i = 0; i < PM_COUNT(severities); i++) {
    if (!skip(at, severities[i])) continue;
    a->severity = (pm_severity)i;
    a->is_regex = skip(at, "-re");
    return true;
  }
  return false;
}

static bool read_number(const char **at, uint32_t *number) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  *number = (uint32_t)strtoul(*at, &end, 10);
  *at = end;
  return true;
}

static bool read_line(const char **at, announcement *a) {
  uint32_t lines;
  if (skip(at, "above"))
    a->line--;
  else if (skip(at, "below"))
    a->line++;
  else if (skip(at, "unknown"))
    a->line = 0;
  else if (skip(at, "+") && read_number(at, &lines))
    a->line += lines;
  else if (skip(at, "-") && read_number(at, &lines) && lines < a->line)
    a->line -= lines;
  else
    return false;
  return true;
}

/* The optional `@…` behind the severity. */
static bool read_place(const char **at, announcement *a) {
  a->line = a->at_line;
  if (!skip(at, "@")) return true;
  return read_line(at, a) && (!skip(at, ":") || read_number(at, &a->column));
}

static void skip_blanks(const char **at) {
  while (**at == ' ' || **at == '\t') ++*at;
}

/* The `}}` of the text that begins at `at`, behind those of its expressions; NULL: there is none on the line.
 */
static const char *end_of_text(const char *at, bool is_regex) {
  unsigned depth = 1;
  for (; *at && *at != '\n'; at++) {
    bool opens = is_regex && strncmp(at, "{{", 2) == 0, closes = strncmp(at, "}}", 2) == 0;
    if (closes && --depth == 0) return at;
    depth += opens;
    at += opens || closes;
  }
  return NULL;
}

/* Of POSIX, extended: what is outside of {{ }} stands for itself. */
static char *pattern_of(pm_str text) {
  pm_buf out = {0};
  bool inside = false;
  for (size_t i = 0; i < text.len; i++) {
    bool mark = i + 1 < text.len && memcmp(text.ptr + i, inside ? "}}" : "{{", 2) == 0;
    if (mark) pm_buf_putc(&out, inside ? ')' : '(');
    if (!mark && !inside && strchr("\\^$.[]|()*+?{}", text.ptr[i])) pm_buf_putc(&out, '\\');
    if (!mark) pm_buf_putc(&out, text.ptr[i]);
    inside ^= mark;
    i += mark;
  }
  return pm_buf_take(&out);
}

/* False with what is wrong in `error`. */
static bool compile(announcement *a, pm_buf *error) {
  char *pattern = pattern_of(a->text), message[200];
  int code = regcomp(&a->regex, pattern, REG_EXTENDED | REG_NOSUB);
  if (code) regerror(code, &a->regex, message, sizeof message);
  if (code)
    pm_buf_printf(error, "'%.*s' is no text with regular expressions: %s", (int)a->text.len, a->text.ptr,
                  message);
  free(pattern);
  return !code;
}

static bool read_text(const char **at, announcement *a) {
  skip_blanks(at);
  a->count = 1;
  if (read_number(at, &a->count)) skip_blanks(at);
  if (!skip(at, "{{")) return false;
  const char *end = end_of_text(*at, a->is_regex);
  if (!end) return false;
  a->text = (pm_str){*at, (size_t)(end - *at)};
  *at = end + 2;
  return true;
}

static bool complain(const pm_expected *expected, uint32_t line, const char *what, pm_buf *error) {
  pm_buf_printf(error, "%s:%u: error: %s\n", expected->name, (unsigned)line, what);
  return false;
}

static bool read_all(pm_expected *expected, pm_buf *error) {
  static const char key[] = "expected-";
  uint32_t line = 1;
  const char *counted = expected->text;
  for (const char *at = strstr(counted, key); at; at = strstr(at, key)) {
    for (; counted < at; counted++) line += *counted == '\n';
    at += sizeof key - 1;
    announcement a = {.at_line = line};
    if (!read_severity(&at, &a)) continue;
    if (!read_place(&at, &a) || !read_text(&at, &a))
      return complain(expected, line, "malformed, expected as in: expected-error@+1 {{text}}", error);
    pm_buf wrong = {0};
    bool ok = !a.is_regex || compile(&a, &wrong) || complain(expected, line, wrong.data, error);
    pm_buf_free(&wrong);
    if (!ok) return false;
    PM_VEC_PUSH(expected->announced, a);
  }
  return true;
}

bool pm_expected_new(pm_expected **out, const char *name, const char *text, pm_buf *error) {
  pm_expected *expected = pm_xcalloc(1, sizeof *expected);
  expected->name = pm_xstrdup(name);
  expected->text = pm_xstrdup(text);
  if (read_all(expected, error)) {
    *out = expected;
    return true;
  }
  pm_expected_free(expected);
  return false;
}

void pm_expected_free(pm_expected *expected) {
  if (!expected) return;
  free(expected->name);
  free(expected->text);
  for (size_t i = 0; i < expected->announced.len; i++)
    if (expected->announced.data[i].is_regex) regfree(&expected->announced.data[i].regex);
  PM_VEC_FREE(expected->announced);
  pm_buf_free(&expected->unexpected);
  free(expected);
}

/* --- matching --- */

static uint32_t line_in_file(const pm_expected *expected, const pm_context *ctx, pm_loc loc) {
  if (!loc.file || strcmp(pm_source_name(ctx, loc.file), expected->name) != 0) return 0;
  return loc.line;
}

static bool matches(const announcement *a, const pm_diag *diag, uint32_t line) {
  if (!a->count || a->severity != diag->severity || a->line != line) return false;
  if (a->column && a->column != diag->loc.col) return false;
  if (a->is_regex) return regexec(&a->regex, diag->message, 0, NULL, 0) == 0;
  const char *end = diag->message + strlen(diag->message);
  for (const char *at = diag->message; at + a->text.len <= end; at++)
    if (memcmp(at, a->text.ptr, a->text.len) == 0) return true;
  return false;
}

void pm_expected_handler(void *user, pm_context *ctx, const pm_diag *diag) {
  pm_expected *expected = user;
  uint32_t line = line_in_file(expected, ctx, diag->loc);
  for (size_t i = 0; i < expected->announced.len; i++) {
    if (!matches(&expected->announced.data[i], diag, line)) continue;
    expected->announced.data[i].count--;
    return;
  }
  pm_buf_puts(&expected->unexpected, "unexpected: ");
  pm_print_diag(ctx, diag, &expected->unexpected);
}

bool pm_expected_check(const pm_expected *expected, pm_buf *report) {
  bool ok = expected->unexpected.len == 0;
  if (!ok) pm_buf_put(report, expected->unexpected.data, expected->unexpected.len);
  for (size_t i = 0; i < expected->announced.len; i++) {
    const announcement *a = &expected->announced.data[i];
    if (!a->count) continue;
    ok = false;
    pm_buf_printf(report, "%s:%u: error: expected %s \"%.*s\" did not come\n", expected->name,
                  (unsigned)a->at_line, severities[a->severity], (int)a->text.len, a->text.ptr);
  }
  return ok;
}
