/* Identifiers of the emitted text. */
#include <stdlib.h>
#include <string.h>

#include "targets/c/c_emit.h"

/* Keywords of C11 and C++, and what the headers that we include may define. */
static const char *const reserved[] = {
    "alignas",   "alignof",  "asm",      "auto",          "bool",     "break",    "case",
    "catch",     "char",     "class",    "const",         "continue", "default",  "delete",
    "do",        "double",   "else",     "enum",          "explicit", "export",   "extern",
    "false",     "float",    "for",      "friend",        "goto",     "if",       "inline",
    "int",       "long",     "mutable",  "namespace",     "new",      "operator", "private",
    "protected", "public",   "register", "restrict",      "return",   "short",    "signed",
    "sizeof",    "static",   "struct",   "switch",        "template", "this",     "throw",
    "true",      "try",      "typedef",  "typename",      "union",    "unsigned", "using",
    "virtual",   "void",     "volatile", "while",         "and",      "or",       "not",
    "xor",       "status",   "done",     "free",          "malloc",   "calloc",   "realloc",
    "abs",       "labs",     "div",      "exit",          "abort",    "rand",     "NULL",
    "NAN",       "INFINITY", "HUGE_VAL", "main",          "linux",    "unix",     "typeof",
    "sin",       "cos",      "tan",      "exp",           "log",      "pow",      "sqrt",
    "floor",     "ceil",     "round",    "aligned_alloc", "system",   "index",    "errno",
    "fabs",      "RAND_MAX", "MAXFLOAT", "MB_CUR_MAX",    "WNOHANG",  "WUNTRACED"};

/* Other functions and variables of the system's libraries, which a function of that name would stand in the
 * way of. */
static const char *const library[] = {
    "acos",       "acosh",       "asin",     "asinh",    "atan",      "atan2",     "atanh",     "cbrt",
    "copysign",   "cosh",        "drem",     "erf",      "erfc",      "exp10",     "exp2",      "expm1",
    "fdim",       "finite",      "fma",      "fmax",     "fmin",      "fmod",      "frexp",     "gamma",
    "hypot",      "ilogb",       "isfinite", "isinf",    "isnan",     "isnormal",  "j0",        "j1",
    "jn",         "ldexp",       "lgamma",   "llrint",   "llround",   "log10",     "log1p",     "log2",
    "logb",       "lrint",       "lround",   "modf",     "nan",       "nearbyint", "nextafter", "nexttoward",
    "pow10",      "remainder",   "remquo",   "rint",     "roundeven", "scalb",     "scalbln",   "scalbn",
    "signbit",    "significand", "sincos",   "sinh",     "tanh",      "tgamma",    "trunc",     "y0",
    "y1",         "yn",          "alloca",   "atexit",   "atof",      "atoi",      "atol",      "atoll",
    "bsearch",    "drand48",     "erand48",  "getenv",   "labs",      "llabs",     "ldiv",      "lldiv",
    "lrand48",    "mblen",       "memalign", "mkdtemp",  "mkstemp",   "mktemp",    "putenv",    "qsort",
    "quick_exit", "rand_r",      "random",   "realpath", "setenv",    "srand",     "srandom",   "strtod",
    "strtof",     "strtol",      "strtoll",  "strtoul",  "unsetenv",  "valloc",    "bcmp",      "bcopy",
    "bzero",      "ffs",         "memccpy",  "memchr",   "memcmp",    "memcpy",    "memmove",   "memset",
    "rindex",     "strcat",      "strchr",   "strcmp",   "strcpy",    "strdup",    "strerror",  "strlen",
    "strncmp",    "strncpy",     "strstr",   "strtok",   "clearerr",  "fclose",    "fflush",    "fgetc",
    "fgets",      "fopen",       "fprintf",  "fputc",    "fputs",     "fread",     "fscanf",    "fseek",
    "ftell",      "fwrite",      "getc",     "getchar",  "gets",      "perror",    "printf",    "putc",
    "putchar",    "puts",        "remove",   "rename",   "rewind",    "scanf",     "setbuf",    "snprintf",
    "sprintf",    "sscanf",      "stderr",   "stdin",    "stdout",    "tmpfile",   "ungetc",    "vprintf",
    "accept",     "access",      "alarm",    "asctime",  "bind",      "brk",       "chdir",     "chmod",
    "chown",      "clock",       "close",    "connect",  "creat",     "ctime",     "difftime",  "dup",
    "dup2",       "environ",     "execv",    "execve",   "exp",       "fcntl",     "fork",      "fstat",
    "fsync",      "getcwd",      "getpid",   "gmtime",   "ioctl",     "kill",      "link",      "listen",
    "localtime",  "lseek",       "mkdir",    "mktime",   "mmap",      "munmap",    "nanosleep", "nice",
    "open",       "pause",       "pipe",     "poll",     "raise",     "read",      "recv",      "rmdir",
    "sbrk",       "select",      "send",     "shutdown", "signal",    "sleep",     "socket",    "stat",
    "strftime",   "sync",        "tee",      "time",     "times",     "truncate",  "umask",     "uname",
    "unlink",     "usleep",      "wait",     "warn",     "write",     "isalnum",   "isalpha",   "isdigit",
    "islower",    "isspace",     "isupper",  "tolower",  "toupper"};

static bool is_among(const char *const *names, size_t n, const char *text, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (!strncmp(text, names[i], len) && !names[i][len]) return true;
  return false;
}

/* Also sinf and sinl for sin. */
static bool is_variant_among(const char *const *names, size_t n, const char *text) {
  size_t len = strlen(text);
  bool variant = len > 1 && (text[len - 1] == 'f' || text[len - 1] == 'l');
  return is_among(names, n, text, len) || (variant && is_among(names, n, text, len - 1));
}

static bool starts_like_a_macro(const char *text) {
  static const char *const starts[] = {"pm_", "omp_", "_", "M_", "FP_", "HUGE_", "EXIT_"};
  for (size_t i = 0; i < PM_COUNT(starts); i++)
    if (!strncmp(text, starts[i], strlen(starts[i]))) return true;
  return false;
}

static bool is_reserved(const char *text) {
  size_t len = strlen(text);
  if (starts_like_a_macro(text)) return true;
  if (len > 2 && (!strcmp(text + len - 2, "_t") || !strcmp(text + len - 2, "_C"))) return true;
  return is_variant_among(reserved, PM_COUNT(reserved), text);
}

static bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void put_identifier(pm_buf *out, pm_str text) {
  if (!text.len || (text.ptr[0] >= '0' && text.ptr[0] <= '9')) pm_buf_putc(out, 'v');
  for (size_t i = 0; i < text.len; i++) pm_buf_putc(out, is_word(text.ptr[i]) ? text.ptr[i] : '_');
  if (is_reserved(out->data)) pm_buf_puts(out, out->data[0] == '_' ? "v" : "_");
  if (out->data[0] == '_' || !strncmp(out->data, "pm_", 3) || !strncmp(out->data, "omp_", 4)) {
    pm_buf prefixed = {0};
    pm_buf_printf(&prefixed, "v%s%s", out->data[0] == '_' ? "" : "_", out->data);
    pm_buf_free(out);
    *out = prefixed;
  }
}

const char *c_identifier(pm_context *ctx, pm_str text) {
  pm_buf buf = {0};
  put_identifier(&buf, text);
  pm_string name = pm_get_string(ctx, (pm_str){buf.data, buf.len});
  pm_buf_free(&buf);
  return name->text;
}

const char *c_function_identifier(pm_context *ctx, pm_str text) {
  const char *name = c_identifier(ctx, text);
  if (!is_variant_among(library, PM_COUNT(library), name)) return name;
  pm_buf buf = {0};
  pm_buf_printf(&buf, "%s_", name);
  pm_string longer = pm_get_string(ctx, (pm_str){buf.data, buf.len});
  pm_buf_free(&buf);
  return longer->text;
}

void c_names_init(c_names *names, pm_context *ctx) {
  *names = (c_names){.ctx = ctx, .taken = pm_map_new(), .next = pm_map_new()};
}

void c_names_free(c_names *names) {
  pm_map_free(names->taken);
  pm_map_free(names->next);
  PM_VEC_FREE(names->scope);
}

static bool take(c_names *names, pm_string name) {
  if (pm_map_has(names->taken, name)) return false;
  pm_map_set(names->taken, name, NULL);
  PM_VEC_PUSH(names->scope, name);
  return true;
}

static pm_string numbered(c_names *names, pm_string base) {
  uintptr_t n = (uintptr_t)pm_map_get(names->next, base) + 1;
  pm_map_set(names->next, base, (void *)n);
  pm_buf buf = {0};
  pm_buf_printf(&buf, "%s_%zu", base->text, (size_t)n);
  pm_string name = pm_get_string(names->ctx, (pm_str){buf.data, buf.len});
  pm_buf_free(&buf);
  return name;
}

const char *c_new_name(c_names *names, pm_str hint) {
  pm_string base = pm_get_cstring(names->ctx, c_identifier(names->ctx, hint));
  pm_string name = base;
  while (!take(names, name)) name = numbered(names, base);
  return name->text;
}

size_t c_open_scope(const c_names *names) {
  return names->scope.len;
}

void c_close_scope(c_names *names, size_t mark) {
  while (names->scope.len > mark) pm_map_remove(names->taken, PM_VEC_POP(names->scope));
}
