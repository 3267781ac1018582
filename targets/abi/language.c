/* C: its types, and the names that it takes. */
#include "targets/abi/abi.h"

/* --- names --- */

/* Keywords of C11 and C++, and what the headers that we include may define. */
static const char *const reserved[] = {"alignas",
                                       "alignof",
                                       "asm",
                                       "auto",
                                       "bool",
                                       "break",
                                       "case",
                                       "catch",
                                       "char",
                                       "class",
                                       "const",
                                       "continue",
                                       "default",
                                       "delete",
                                       "do",
                                       "double",
                                       "else",
                                       "enum",
                                       "explicit",
                                       "export",
                                       "extern",
                                       "false",
                                       "float",
                                       "for",
                                       "friend",
                                       "goto",
                                       "if",
                                       "inline",
                                       "int",
                                       "long",
                                       "mutable",
                                       "namespace",
                                       "new",
                                       "operator",
                                       "private",
                                       "protected",
                                       "public",
                                       "register",
                                       "restrict",
                                       "return",
                                       "short",
                                       "signed",
                                       "sizeof",
                                       "static",
                                       "struct",
                                       "switch",
                                       "template",
                                       "this",
                                       "throw",
                                       "true",
                                       "try",
                                       "typedef",
                                       "typename",
                                       "union",
                                       "unsigned",
                                       "using",
                                       "virtual",
                                       "void",
                                       "volatile",
                                       "while",
                                       "and",
                                       "or",
                                       "not",
                                       "xor",
                                       "status",
                                       "done",
                                       "free",
                                       "malloc",
                                       "calloc",
                                       "realloc",
                                       "abs",
                                       "labs",
                                       "div",
                                       "exit",
                                       "abort",
                                       "rand",
                                       "NULL",
                                       "NAN",
                                       "INFINITY",
                                       "HUGE_VAL",
                                       "main",
                                       "linux",
                                       "unix",
                                       "typeof",
                                       "sin",
                                       "cos",
                                       "tan",
                                       "exp",
                                       "log",
                                       "pow",
                                       "sqrt",
                                       "floor",
                                       "ceil",
                                       "round",
                                       "asin",
                                       "acos",
                                       "atan",
                                       "atan2",
                                       "sinh",
                                       "cosh",
                                       "tanh",
                                       "asinh",
                                       "acosh",
                                       "atanh",
                                       "trunc",
                                       "rint",
                                       "fma",
                                       "aligned_alloc",
                                       "system",
                                       "index",
                                       "errno",
                                       "fabs",
                                       "RAND_MAX",
                                       "MAXFLOAT",
                                       "MB_CUR_MAX",
                                       "WNOHANG",
                                       "WUNTRACED",
                                       "WCONTINUED",
                                       "WEXITED",
                                       "WNOWAIT",
                                       "WSTOPPED",
                                       "BIG_ENDIAN",
                                       "LITTLE_ENDIAN",
                                       "PDP_ENDIAN",
                                       "BYTE_ORDER",
                                       "FD_SETSIZE",
                                       "NFDBITS",
                                       "MATH_ERRNO",
                                       "MATH_ERREXCEPT",
                                       "math_errhandling",
                                       NULL};

/* Other functions and variables of the system's libraries, which a function of that name would take the place
 * of in the process that loads it. */
static const char *const library[] = {
#include "targets/abi/system_names.def"
    NULL};

static const char *const variants[] = {"f", "l", "f32", "f64", "f32x", "f64x", "f128", NULL};
/* INT and UINT are those of macros of stdint.h, today's and later ones. */
static const char *const starts[] = {"pm_",      "PM_",         "omp_",    "GOMP_",   "GOACC_",   "_",
                                     "M_",       "FP_",         "HUGE_",   "EXIT_",   "INT8_",    "INT16_",
                                     "INT32_",   "INT64_",      "INT_",    "INTPTR_", "INTMAX_",  "UINT8_",
                                     "UINT16_",  "UINT32_",     "UINT64_", "UINT_",   "UINTPTR_", "UINTMAX_",
                                     "PTRDIFF_", "SIG_ATOMIC_", "SIZE_",   "WCHAR_",  "WINT_",    NULL};
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
