/* The functions of emitted text that have to do with the system: memory, threads, prefetches, functions on
 * vectors. Only those that it uses are emitted. */
#include <string.h>

#include "dialects/loop/loop.h"
#include "dialects/math/math.h"
#include "targets/c/c_emit.h"

const char *c_use_prefetch(c_emitter *e, bool write) {
  c_program_of(e)->uses_prefetch[write] = true;
  return write ? "pm_prefetch_write" : "pm_prefetch";
}

const char *c_use_streaming(c_emitter *e, bool wait) {
  c_program_of(e)->uses_streaming = e->uses_copy = true;
  return wait ? "pm_stream_end" : "pm_stream";
}

/* Whole lines go past the caches; of those at the ends others may have the rest. gcc's intrinsics would take
 * longer to read than all else. */
static void emit_streaming(c_emitter *e) {
  pm_buf_puts(e->out,
              "#if defined __GNUC__ && defined __SSE2__\n"
              "/* Stores a line past the caches */\n"
              "static inline void pm_stream_line(void *to, const void *from)\n"
              "{\n"
              "#if defined __clang__\n"
              "  typedef long long pm_line __attribute__((vector_size(64), may_alias));\n"
              "#define PM_STREAM(place, vector) __builtin_nontemporal_store(vector, place)\n"
              "#elif defined __AVX512F__\n"
              "  typedef long long pm_line __attribute__((vector_size(64), may_alias));\n"
              "#define PM_STREAM(place, vector) __builtin_ia32_movntdq512(place, vector)\n"
              "#elif defined __AVX__\n"
              "  typedef long long pm_line __attribute__((vector_size(32), may_alias));\n"
              "#define PM_STREAM(place, vector) __builtin_ia32_movntdq256(place, vector)\n"
              "#else\n"
              "  typedef long long pm_line __attribute__((vector_size(16), may_alias));\n"
              "#define PM_STREAM(place, vector) __builtin_ia32_movntdq(place, vector)\n"
              "#endif\n"
              "  pm_line part;\n"
              "  for (unsigned i = 0; i < 64; i += sizeof part) {\n"
              "    memcpy(&part, (const char *)from + i, sizeof part);\n"
              "    PM_STREAM((pm_line *)(void *)((char *)to + i), part);\n"
              "  }\n"
              "#undef PM_STREAM\n"
              "}\n"
              "#endif\n\n"
              "/* Copies to memory that nothing will find in a cache */\n"
              "static inline void pm_stream(void *restrict to, const void *restrict from, uint64_t bytes)\n"
              "{\n"
              "#if defined __GNUC__ && defined __SSE2__\n"
              "  char *const t = to;\n"
              "  const char *const f = from;\n"
              "  uint64_t i = (64 - (uintptr_t)t % 64) % 64;\n"
              "  if (i > bytes) i = bytes;\n"
              "  if (i > 0) memcpy(t, f, i);\n"
              "  for (; bytes - i >= 64; i += 64) pm_stream_line(t + i, f + i);\n"
              "  if (i < bytes) memcpy(t + i, f + i, bytes - i);\n"
              "#else\n"
              "  memcpy(to, from, bytes);\n"
              "#endif\n"
              "}\n\n"
              "/* Other threads see behind it what was copied */\n"
              "static inline void pm_stream_end(void)\n"
              "{\n"
              "#if defined __GNUC__ && defined __SSE2__\n"
              "  __builtin_ia32_sfence();\n"
              "#endif\n"
              "}\n\n");
}

/* Large blocks are asked for in huge pages: each call allocates, and faults of small pages take longer than
 * the work. madvise is declared where the system's own functions are, with _DEFAULT_SOURCE. */
static void emit_alloc(c_emitter *e) {
  pm_buf_puts(
      e->out,
      "/* Memory at a multiple of 64 bytes, to be freed; NULL when there is none. Large blocks come in\n"
      " * huge pages where the system has them on request. */\n"
      "static inline void *pm_alloc(int64_t bytes)\n"
      "{\n"
      "  if ((uint64_t)bytes > SIZE_MAX / 2) return NULL;\n"
      "#if defined MADV_HUGEPAGE && !defined PM_SMALL_PAGES\n"
      "  const size_t page = (size_t)1 << 21, whole = ((size_t)bytes + page - 1) / page * page;\n"
      "  if (whole >= 2 * page) {\n"
      "    void *block = aligned_alloc(page, whole);\n"
      "    if (block != NULL) (void)madvise(block, whole, MADV_HUGEPAGE);\n"
      "    return block;\n"
      "  }\n"
      "#endif\n"
      "  return aligned_alloc(64, ((size_t)bytes / 64 + 1) * 64);\n"
      "}\n\n");
}

static void emit_threads(c_emitter *e) {
  pm_buf_puts(e->out, "/* How many threads a parallel loop has */\n"
                      "static inline int64_t pm_threads(void)\n"
                      "{\n");
  if (c_program_of(e)->pool)
    pm_buf_puts(e->out, "  return pm_get_threads();\n");
  else
    pm_buf_puts(e->out, "#ifdef _OPENMP\n"
                        "  return omp_get_max_threads();\n"
                        "#else\n"
                        "  return 1;\n"
                        "#endif\n");
  pm_buf_puts(e->out, "}\n\n");
}

/* The address is computed as a number, since a pointer must not leave its array. */
static void emit_prefetch(c_emitter *e, bool write) {
  pm_buf_printf(e->out,
                "/* Asks for memory that may soon be %s, and need not be there */\n"
                "static inline void pm_prefetch%s(const void *array, uint64_t offset)\n"
                "{\n"
                "#ifdef __GNUC__\n"
                "  __builtin_prefetch((const void *)((uintptr_t)array + (uintptr_t)offset), %d);\n"
                "#else\n"
                "  (void)array, (void)offset;\n"
                "#endif\n"
                "}\n\n",
                write ? "written" : "read", write ? "_write" : "", write);
}

static void emit_thread(c_emitter *e) {
  pm_buf_puts(e->out, "/* The number of this thread */\n"
                      "static inline int64_t pm_thread(void)\n"
                      "{\n"
                      "#ifdef _OPENMP\n"
                      "  return omp_get_thread_num();\n"
                      "#else\n"
                      "  return 0;\n"
                      "#endif\n"
                      "}\n\n");
}

const char *c_use_thread(c_emitter *e) {
  if (c_program_of(e)->pool) return c_program_of(e)->thread ? c_program_of(e)->thread : "INT64_C(0)";
  c_program_of(e)->uses_thread = true;
  return "pm_thread()";
}

const char *c_use_threads(c_emitter *e) {
  c_program_of(e)->uses_threads = true;
  return "pm_threads()";
}

/* --- functions on vectors --- */

/* Those that the C library of GNU has on vectors, in libmvec, with their parameters. */
static const struct {
  const pm_op_desc *op;
  const char *name, *parameters[2]; /* of float, of double */
} vector_functions[] = {{&math_exp, "exp", {"float", "double"}},
                        {&math_log, "log", {"float", "double"}},
                        {&math_sin, "sin", {"float", "double"}},
                        {&math_cos, "cos", {"float", "double"}},
                        {&math_tan, "tan", {"float", "double"}},
                        {&math_asin, "asin", {"float", "double"}},
                        {&math_acos, "acos", {"float", "double"}},
                        {&math_atan, "atan", {"float", "double"}},
                        {&math_sinh, "sinh", {"float", "double"}},
                        {&math_cosh, "cosh", {"float", "double"}},
                        {&math_tanh, "tanh", {"float", "double"}},
                        {&math_asinh, "asinh", {"float", "double"}},
                        {&math_acosh, "acosh", {"float", "double"}},
                        {&math_atanh, "atanh", {"float", "double"}},
                        {&math_atan2, "atan2", {"float, float", "double, double"}},
                        {&math_pow, "pow", {"float, float", "double, double"}}};

typedef struct vector_uses {
  bool used[PM_COUNT(vector_functions)][2];
  bool any, strict;
} vector_uses;

static pm_walk find_uses(void *user, pm_op *op) {
  vector_uses *uses = user;
  pm_string fp = pm_is(op, &loop_func) ? pm_sym_at(op, loop_func_fp) : NULL;
  if (fp && !strcmp(fp->text, "strict")) uses->strict = true;
  for (size_t i = 0; i < PM_COUNT(vector_functions); i++) {
    if (!pm_is(op, vector_functions[i].op)) continue;
    uses->used[i][pm_res(op, 0)->type->scalar == PM_F64] = uses->any = true;
  }
  return PM_WALK_ON;
}

/* gcc takes them for a loop when they are declared so; under strict floating point they are not, since their
 * last bits are others'. */
void c_emit_vector_functions(c_emitter *e) {
  vector_uses uses = {0};
  (void)pm_walk_pre(pm_module_op(abi_program_of(e)->module), find_uses, &uses);
  if (!uses.any || uses.strict) return;
  c_put(e, "/* Of the C library of GNU, on vectors: their error is less than 4 units in the last place. */\n"
           "#if defined __GNUC__ && !defined __clang__ && defined __x86_64__ && defined __GLIBC_PREREQ\n"
           "#if __GLIBC_PREREQ(2, 35)\n");
  for (size_t i = 0; i < PM_COUNT(vector_functions); i++)
    for (int wide = 0; wide <= 1; wide++)
      if (uses.used[i][wide])
        c_put(e, "extern %s %s%s(%s) __attribute__((simd(\"notinbranch\")));\n", wide ? "double" : "float",
              vector_functions[i].name, wide ? "" : "f", vector_functions[i].parameters[wide]);
  c_put(e, "#endif\n#endif\n");
}

void c_emit_system(c_emitter *e) {
  const c_program *p = c_program_of(e);
  for (int write = 0; write <= 1; write++)
    if (p->uses_prefetch[write]) emit_prefetch(e, write);
  if (p->uses_streaming) emit_streaming(e);
  if (p->uses_alloc) emit_alloc(e);
  if (p->uses_workspace) c_emit_workspaces(e);
  if (p->uses_threads) emit_threads(e);
  if (p->uses_thread) emit_thread(e);
}

void c_emit_vectors(c_emitter *e) {
  if (!c_program_of(e)->vectors.len) return;
  c_put(e,
        "/* Vectors: those of gcc and clang, or structs. A mask has lanes of 0 and -1. */\n"
        "#if (defined __clang__ || (defined __GNUC__ && __GNUC__ >= 9)) && !defined PM_NO_VECTOR_EXTENSIONS\n"
        "#define PM_VECTOR_EXTENSIONS\n"
        "#define PM_INLINE static inline __attribute__((always_inline))\n"
        "#define PM_LANE(x, k) (x)[k]\n"
        "#pragma GCC diagnostic ignored \"-Wpsabi\"\n"
        "#ifdef __has_builtin\n"
        "#if __has_builtin(__builtin_shufflevector)\n"
        "#define PM_SHUFFLE\n"
        "#endif\n"
        "#endif\n"
        "#else\n"
        "#define PM_INLINE static inline\n"
        "#define PM_LANE(x, k) (x).v[k]\n"
        "#endif\n\n");
  if (c_program_of(e)->uses_aligned)
    c_put(e, "/* p, which is a multiple of n bytes */\n"
             "#ifdef __GNUC__\n"
             "#define PM_ALIGNED(p, n) __builtin_assume_aligned(p, n)\n"
             "#else\n"
             "#define PM_ALIGNED(p, n) (p)\n"
             "#endif\n\n");
  pm_buf_put(e->out, c_program_of(e)->vectors.data, c_program_of(e)->vectors.len);
}
