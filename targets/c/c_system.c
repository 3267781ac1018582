/* The functions of emitted text that have to do with the system: memory, threads, prefetches. Only
 * those that it uses are emitted. */
#include "targets/c/c_emit.h"

const char *c_use_prefetch(c_emitter *e, bool write) {
  c_program_of(e)->uses_prefetch[write] = true;
  return write ? "pm_prefetch_write" : "pm_prefetch";
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
                      "{\n"
                      "#ifdef _OPENMP\n"
                      "  return omp_get_max_threads();\n"
                      "#else\n"
                      "  return 1;\n"
                      "#endif\n"
                      "}\n\n");
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

const char *c_use_threads(c_emitter *e) {
  c_program_of(e)->uses_threads = true;
  return "pm_threads()";
}

void c_emit_system(c_emitter *e) {
  const c_program *p = c_program_of(e);
  for (int write = 0; write <= 1; write++)
    if (p->uses_prefetch[write]) emit_prefetch(e, write);
  if (p->uses_alloc) emit_alloc(e);
  if (p->uses_threads) emit_threads(e);
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
