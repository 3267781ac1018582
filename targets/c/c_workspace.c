/* The memory of a call (buf.workspace): `f` keeps it for the next call and gives it back by `f_release`,
 * `f_ws` takes it from the caller. */
#include "dialects/loop/buf.h"
#include "dialects/loop/loop.h"
#include "targets/c/c_emit.h"

/* --- the functions of emitted text --- */

void c_emit_workspaces(c_emitter *e) {
  pm_buf_puts(
      e->out,
      "/* Memory that a function keeps between calls, for some at a time. The first 64 bytes of a block "
      "have\n"
      " * its size. */\n"
      "typedef struct pm_kept {\n"
      "  _Atomic(void *) block[8];\n"
      "} pm_kept;\n\n"
      "static inline void pm_release(pm_kept *kept)\n"
      "{\n"
      "  for (int i = 0; i < 8; i++) free(atomic_exchange(&kept->block[i], NULL));\n"
      "}\n\n"
      "static inline void *pm_take(pm_kept *kept, int64_t bytes)\n"
      "{\n"
      "  for (int i = 0; i < 8; i++) {\n"
      "    void *block = atomic_exchange(&kept->block[i], NULL);\n"
      "    if (block != NULL && *(const int64_t *)block >= bytes) return block;\n"
      "    free(block);\n"
      "  }\n"
      "  int64_t *block = pm_alloc(bytes);\n"
      "  if (block != NULL) *block = bytes;\n"
      "  return block;\n"
      "}\n\n"
      "static inline void pm_keep(pm_kept *kept, void *block)\n"
      "{\n"
      "  for (int i = 0; i < 8 && block != NULL; i++) {\n"
      "    void *none = NULL;\n"
      "    if (atomic_compare_exchange_strong(&kept->block[i], &none, block)) block = NULL;\n"
      "  }\n"
      "  free(block);\n"
      "}\n\n"
      "/* bytes - 64 of them at a multiple of 64: of what the caller gave, if that is enough, or of a block\n"
      " * that is kept; NULL when there is no memory */\n"
      "static inline unsigned char *pm_workspace(pm_kept *kept, void **block, void *given,\n"
      "    int64_t given_bytes, int64_t bytes)\n"
      "{\n"
      "  if (given != NULL)\n"
      "    return given_bytes < bytes ? NULL : (unsigned char *)given + (0 - (uintptr_t)given) % 64;\n"
      "  *block = pm_take(kept, bytes);\n"
      "  return *block == NULL ? NULL : (unsigned char *)*block + 64;\n"
      "}\n\n"
      "/* The memory at byte `at`, which no other pointer leads to while it is used. gcc knows that of what "
      "it\n"
      " * takes for newly allocated, of `restrict` variables it does not. */\n"
      "#ifdef __GNUC__\n"
      "__attribute__((malloc, noinline, assume_aligned(64)))\n"
      "#ifndef __clang__\n"
      "__attribute__((noipa))\n"
      "#endif\n"
      "#endif\n"
      "static void *pm_place(unsigned char *memory, int64_t at)\n"
      "{\n"
      "  return memory + at;\n"
      "}\n\n");
}

/* --- in a function --- */

void c_declare_block(c_emitter *e) {
  c_put(e, "void *%s", abi_program_of(e)->workspace.kept);
}

void c_keep_block(c_emitter *e, const pm_op *workspace) {
  c_line(e, "pm_keep(&%s_kept, %s);", abi_func_name(e, pm_parent(workspace)),
         abi_program_of(e)->workspace.kept);
}

void c_emit_workspace(c_emitter *e, const pm_op *workspace) {
  const abi_workspace *w = &abi_program_of(e)->workspace;
  const char *name = c_var_of(e, pm_res(workspace, 0))->name = c_new_name(&e->names, PM_STR("memory"));
  c_program_of(e)->uses_alloc = c_program_of(e)->uses_workspace = true;
  c_begin(e);
  c_put(e, "unsigned char *const %s = pm_workspace(&%s_kept, &%s, %s, %s, ", name,
        abi_func_name(e, pm_parent(workspace)), w->kept, w->given, w->bytes);
  c_expr(e, pm_arg(workspace, buf_workspace_bytes), C_TERNARY);
  c_put(e, ");");
  c_end(e);
}

/* --- the functions around it --- */

void c_workspace_before(c_emitter *e, const pm_op *func) {
  c_line(e, "static pm_kept %s_kept;", abi_func_name(e, func));
  c_put(e, "\n");
}

/* One body for both: compilers are kept from making a second one for a caller without memory. */
void c_workspace_after(c_emitter *e, const pm_op *func) {
  const char *name = abi_func_name(e, func);
  abi_forward(e, func, "", "_ws(NULL, 0");
  c_put(e, "\n#ifdef __GNUC__\n__attribute__((destructor))\n#endif\n");
  c_line(e, "void %s_release(void)", name);
  c_line(e, "{");
  e->indent++;
  c_line(e, "pm_release(&%s_kept);", name);
  e->indent--;
  c_line(e, "}");
  c_put(e, "\n");
}
