/* C: its types, and the names that it takes. */
#include "targets/abi/abi.h"

/* --- names --- */

/* Keywords of C11 and C++, and what the headers that we include may define. */
static const char *const reserved[] = {
    "alignas",  "alignof",  "asm",        "auto",          "bool",      "break",    "case",     "catch",
    "char",     "class",    "const",      "continue",      "default",   "delete",   "do",       "double",
    "else",     "enum",     "explicit",   "export",        "extern",    "false",    "float",    "for",
    "friend",   "goto",     "if",         "inline",        "int",       "long",     "mutable",  "namespace",
    "new",      "operator", "private",    "protected",     "public",    "register", "restrict", "return",
    "short",    "signed",   "sizeof",     "static",        "struct",    "switch",   "template", "this",
    "throw",    "true",     "try",        "typedef",       "typename",  "union",    "unsigned", "using",
    "virtual",  "void",     "volatile",   "while",         "and",       "or",       "not",      "xor",
    "status",   "done",     "free",       "malloc",        "calloc",    "realloc",  "abs",      "labs",
    "div",      "exit",     "abort",      "rand",          "NULL",      "NAN",      "INFINITY", "HUGE_VAL",
    "main",     "linux",    "unix",       "typeof",        "sin",       "cos",      "tan",      "exp",
    "log",      "pow",      "sqrt",       "floor",         "ceil",      "round",    "asin",     "acos",
    "atan",     "atan2",    "sinh",       "cosh",          "tanh",      "asinh",    "acosh",    "atanh",
    "trunc",    "rint",     "fma",        "aligned_alloc", "system",    "index",    "errno",    "fabs",
    "RAND_MAX", "MAXFLOAT", "MB_CUR_MAX", "WNOHANG",       "WUNTRACED", NULL};

/* Other functions and variables of the system's libraries, which a function of that name would stand in the
 * way of. */
static const char *const library[] = {
    "cbrt",      "copysign",  "drem",      "erf",        "erfc",      "exp10",       "exp2",
    "expm1",     "fdim",      "finite",    "fmax",       "fmin",      "fmod",        "frexp",
    "gamma",     "hypot",     "ilogb",     "isfinite",   "isinf",     "isnan",       "isnormal",
    "j0",        "j1",        "jn",        "ldexp",      "lgamma",    "llrint",      "llround",
    "log10",     "log1p",     "log2",      "logb",       "lrint",     "lround",      "modf",
    "nan",       "nearbyint", "nextafter", "nexttoward", "pow10",     "remainder",   "remquo",
    "roundeven", "scalb",     "scalbln",   "scalbn",     "signbit",   "significand", "sincos",
    "tgamma",    "y0",        "y1",        "yn",         "alloca",    "atexit",      "atof",
    "atoi",      "atol",      "atoll",     "bsearch",    "drand48",   "erand48",     "getenv",
    "labs",      "llabs",     "ldiv",      "lldiv",      "lrand48",   "mblen",       "memalign",
    "mkdtemp",   "mkstemp",   "mktemp",    "putenv",     "qsort",     "quick_exit",  "rand_r",
    "random",    "realpath",  "setenv",    "srand",      "srandom",   "strtod",      "strtof",
    "strtol",    "strtoll",   "strtoul",   "unsetenv",   "valloc",    "bcmp",        "bcopy",
    "bzero",     "ffs",       "memccpy",   "memchr",     "memcmp",    "memcpy",      "memmove",
    "memset",    "rindex",    "strcat",    "strchr",     "strcmp",    "strcpy",      "strdup",
    "strerror",  "strlen",    "strncmp",   "strncpy",    "strstr",    "strtok",      "clearerr",
    "fclose",    "fflush",    "fgetc",     "fgets",      "fopen",     "fprintf",     "fputc",
    "fputs",     "fread",     "fscanf",    "fseek",      "ftell",     "fwrite",      "getc",
    "getchar",   "gets",      "perror",    "printf",     "putc",      "putchar",     "puts",
    "remove",    "rename",    "rewind",    "scanf",      "setbuf",    "snprintf",    "sprintf",
    "sscanf",    "stderr",    "stdin",     "stdout",     "tmpfile",   "ungetc",      "vprintf",
    "accept",    "access",    "alarm",     "asctime",    "bind",      "brk",         "chdir",
    "chmod",     "chown",     "clock",     "close",      "connect",   "creat",       "ctime",
    "difftime",  "dup",       "dup2",      "environ",    "execv",     "execve",      "exp",
    "fcntl",     "fork",      "fstat",     "fsync",      "getcwd",    "getpid",      "gmtime",
    "ioctl",     "kill",      "link",      "listen",     "localtime", "lseek",       "mkdir",
    "mktime",    "mmap",      "munmap",    "nanosleep",  "nice",      "open",        "pause",
    "pipe",      "poll",      "raise",     "read",       "recv",      "rmdir",       "sbrk",
    "select",    "send",      "shutdown",  "signal",     "sleep",     "socket",      "stat",
    "strftime",  "sync",      "tee",       "time",       "times",     "truncate",    "umask",
    "uname",     "unlink",    "usleep",    "wait",       "warn",      "write",       "isalnum",
    "isalpha",   "isdigit",   "islower",   "isspace",    "isupper",   "tolower",     "toupper",
    NULL};

static const char *const variants[] = {"f", "l", NULL};
static const char *const starts[] = {"pm_", "omp_", "_", "M_", "FP_", "HUGE_", "EXIT_", NULL};
static const char *const ends[] = {"_t", "_C", NULL};

static const c_words words = {reserved, variants, starts, ends, library};

/* --- types --- */

static const char *const types[PM_N_SCALARS] = {
    [PM_I1] = "bool",      [PM_I8] = "int8_t",  [PM_I16] = "int16_t",  [PM_I32] = "int32_t",
    [PM_I64] = "int64_t",  [PM_U8] = "uint8_t", [PM_U16] = "uint16_t", [PM_U32] = "uint32_t",
    [PM_U64] = "uint64_t", [PM_F32] = "float",  [PM_F64] = "double",   [PM_INDEX] = "int64_t",
};

static const char *const least[PM_N_SCALARS] = {
    [PM_I1] = "0",          [PM_I8] = "INT8_MIN",
    [PM_I16] = "INT16_MIN", [PM_I32] = "INT32_MIN",
    [PM_I64] = "INT64_MIN", [PM_U8] = "0",
    [PM_U16] = "0",         [PM_U32] = "0",
    [PM_U64] = "0",         [PM_INDEX] = "INT64_MIN",
};

static const char *const greatest[PM_N_SCALARS] = {
    [PM_I1] = "1",           [PM_I8] = "INT8_MAX",     [PM_I16] = "INT16_MAX",  [PM_I32] = "INT32_MAX",
    [PM_I64] = "INT64_MAX",  [PM_U8] = "UINT8_MAX",    [PM_U16] = "UINT16_MAX", [PM_U32] = "UINT32_MAX",
    [PM_U64] = "UINT64_MAX", [PM_INDEX] = "INT64_MAX",
};

const c_language abi_language = {
    .words = &words,
    .types = types,
    .least = least,
    .greatest = greatest,
    .long_number = "INT64_C(%)",
    .unsigned_long_number = "UINT64_C(%)",
    .from_single = "(double)",
    .function = "static inline",
    .constant = "static const",
    .single_math = true,
};

bool abi_has_type(pm_scalar scalar) {
  return abi_language.types[scalar];
}
